//! Coordinates: columns along the edges, and centers across them.

use super::layering::Layers;
use super::{Extent, LayoutOptions, at_least_zero};

/// Passes over all layers that pull vertices toward their neighbors.
const PASSES: usize = 8;

/// Where a layer begins and ends along the edges.
#[derive(Debug, Clone, Copy)]
pub(super) struct Column {
    pub(super) start: f64,
    pub(super) end: f64,
}

pub(super) fn columns(layers: &Layers, extents: &[Extent], gap: f64) -> Vec<Column> {
    let mut start = 0.0;
    layers
        .orders
        .iter()
        .map(|order| {
            let nodes = order.iter().filter(|vertex| layers.is_node(**vertex));
            let column = Column { start, end: start + nodes.map(|node| extents[*node].along).fold(0.0, f64::max) };
            start = column.end + at_least_zero(gap);
            column
        })
        .collect()
}

/// The center of each vertex across the edges; the topmost border of a node or bend is at 0.
pub(super) fn centers(layers: &Layers, extents: &[Extent], options: &LayoutOptions) -> Vec<f64> {
    let half = |vertex: usize| if layers.is_node(vertex) { extents[vertex].across / 2.0 } else { 0.0 };
    let gap = |a: usize, b: usize| {
        at_least_zero(if layers.is_node(a) && layers.is_node(b) { options.node_gap } else { options.edge_gap })
    };
    // Least distances between the centers of neighbors, the same in every pass.
    let distances: Vec<Vec<f64>> = layers
        .orders
        .iter()
        .map(|order| order.windows(2).map(|pair| half(pair[0]) + gap(pair[0], pair[1]) + half(pair[1])).collect())
        .collect();
    let mut centers = vec![0.0; layers.n_vertices()];
    for (order, distances) in layers.orders.iter().zip(&distances) {
        let mut center = 0.0;
        for (position, vertex) in order.iter().enumerate() {
            center += if position == 0 { half(*vertex) } else { distances[position - 1] };
            centers[*vertex] = center;
        }
    }
    for pass in 0..PASSES {
        let rightward = pass % 2 == 0;
        let neighbors = if rightward { &layers.left } else { &layers.right };
        for step in 0..layers.orders.len() {
            let layer = if rightward { step } else { layers.orders.len() - 1 - step };
            let wishes: Vec<f64> = layers.orders[layer]
                .iter()
                .map(|vertex| mean(&neighbors[*vertex], &centers).unwrap_or(centers[*vertex]))
                .collect();
            for (vertex, center) in layers.orders[layer].iter().zip(nearest_apart(&wishes, &distances[layer])) {
                centers[*vertex] = center;
            }
        }
    }
    let top = (0..centers.len()).map(|vertex| centers[vertex] - half(vertex)).fold(f64::INFINITY, f64::min);
    if top.is_finite() {
        centers.iter_mut().for_each(|center| *center -= top);
    }
    centers
}

fn mean(vertices: &[usize], centers: &[f64]) -> Option<f64> {
    let sum: f64 = vertices.iter().map(|vertex| centers[*vertex]).sum();
    (!vertices.is_empty()).then(|| sum / vertices.len() as f64)
}

/// The positions nearest to `wishes` (least sum of squares) that keep the order and at least `distances` between
/// neighbors: isotonic regression by pooling adjacent violators.
fn nearest_apart(wishes: &[f64], distances: &[f64]) -> Vec<f64> {
    let mut offset = 0.0;
    let offsets: Vec<f64> = std::iter::once(0.0)
        .chain(distances.iter().map(|distance| {
            offset += distance;
            offset
        }))
        .collect();
    // Blocks of vertices that stand exactly `distances` apart: (sum of wishes less offsets, number of vertices).
    let mut blocks: Vec<(f64, usize)> = Vec::new();
    for (wish, offset) in wishes.iter().zip(&offsets) {
        let mut block = (wish - offset, 1);
        while let Some(last) = blocks.pop_if(|last| last.0 / last.1 as f64 > block.0 / block.1 as f64) {
            block = (block.0 + last.0, block.1 + last.1);
        }
        blocks.push(block);
    }
    blocks
        .iter()
        .flat_map(|(sum, count)| std::iter::repeat_n(sum / *count as f64, *count))
        .zip(offsets)
        .map(|(position, offset)| position + offset)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::nearest_apart;

    #[test]
    fn wishes_that_fit_are_granted_and_others_share_the_shift() {
        assert_eq!(nearest_apart(&[0.0, 10.0], &[4.0]), [0.0, 10.0]);
        assert_eq!(nearest_apart(&[5.0, 5.0], &[4.0]), [3.0, 7.0]);
        assert_eq!(nearest_apart(&[9.0, 0.0, 0.0], &[3.0, 3.0]), [0.0, 3.0, 6.0]);
        assert!(nearest_apart(&[], &[]).is_empty());
    }
}
