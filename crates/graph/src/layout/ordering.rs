//! Few crossings: each layer is sorted by where its neighbors stand, sweeping back and forth; the best order is kept.

use super::layering::Layers;

/// Sweeps there and back. More hardly ever help.
const SWEEPS: usize = 8;

pub(super) fn reduce_crossings(layers: &mut Layers) {
    let mut best = layers.orders.clone();
    let mut fewest = crossings(layers);
    for sweep in 0..SWEEPS {
        if fewest == 0 {
            break;
        }
        let rightward = sweep % 2 == 0;
        for step in 1..layers.orders.len() {
            let layer = if rightward { step } else { layers.orders.len() - 1 - step };
            sort_by_neighbors(layers, layer, rightward);
        }
        let now = crossings(layers);
        if now < fewest {
            fewest = now;
            best.clone_from(&layers.orders);
        }
    }
    layers.orders = best;
}

/// Sorts one layer by the mean position of each vertex's neighbors in the layer that was sorted before it. A vertex
/// without such neighbors stays about where it is.
fn sort_by_neighbors(layers: &mut Layers, layer: usize, rightward: bool) {
    let fixed = if rightward { layer - 1 } else { layer + 1 };
    let positions = positions(layers, fixed);
    let neighbors = if rightward { &layers.left } else { &layers.right };
    let mut keyed: Vec<(f64, usize)> = layers.orders[layer]
        .iter()
        .enumerate()
        .map(|(position, vertex)| (mean_position(&neighbors[*vertex], &positions).unwrap_or(position as f64), *vertex))
        .collect();
    keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
    layers.orders[layer] = keyed.into_iter().map(|(_, vertex)| vertex).collect();
}

fn mean_position(neighbors: &[usize], positions: &[usize]) -> Option<f64> {
    let sum: usize = neighbors.iter().map(|neighbor| positions[*neighbor]).sum();
    (!neighbors.is_empty()).then(|| sum as f64 / neighbors.len() as f64)
}

/// Position of each vertex of `layer` in it, indexed by vertex.
fn positions(layers: &Layers, layer: usize) -> Vec<usize> {
    let mut positions = vec![0; layers.n_vertices()];
    for (position, vertex) in layers.orders[layer].iter().enumerate() {
        positions[*vertex] = position;
    }
    positions
}

/// Number of pairs of edge pieces that cross.
pub(super) fn crossings(layers: &Layers) -> usize {
    (1..layers.orders.len())
        .map(|layer| {
            let positions = positions(layers, layer);
            let mut ends: Vec<usize> = Vec::new();
            for vertex in &layers.orders[layer - 1] {
                let mut here: Vec<usize> = layers.right[*vertex].iter().map(|next| positions[*next]).collect();
                here.sort_unstable();
                ends.append(&mut here);
            }
            inversions(&ends, layers.orders[layer].len())
        })
        .sum()
}

/// Number of pairs that stand in descending order; all values are below `bound`. A Fenwick tree counts those seen.
fn inversions(values: &[usize], bound: usize) -> usize {
    let mut tree = vec![0_usize; bound + 1];
    let mut total = 0;
    for (n_seen, value) in values.iter().enumerate() {
        let mut n_not_greater = 0;
        let mut slot = value + 1;
        while slot > 0 {
            n_not_greater += tree[slot];
            slot &= slot - 1;
        }
        total += n_seen - n_not_greater;
        let mut slot = value + 1;
        while slot <= bound {
            tree[slot] += 1;
            slot += slot & slot.wrapping_neg();
        }
    }
    total
}
