//! A layered layout: edges run from one layer to the next, crossings are few, long edges bend around nodes.
//!
//! The steps are the classic ones (Sugiyama, Tagawa, Toda 1981): turn edges that close a cycle around, give every node
//! a layer, cut edges over several layers into pieces, order each layer to have few crossings, then find coordinates.

mod layering;
mod ordering;
mod placement;
#[cfg(test)]
mod tests;

use crate::Graph;
use layering::Layers;

/// Width and height of a node, in the unit of the drawing (pixels, usually).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Size {
    /// Extent from left to right.
    pub width: f64,
    /// Extent from top to bottom.
    pub height: f64,
}

/// A place in the drawing; y grows downward.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Point {
    /// Distance from the left edge.
    pub x: f64,
    /// Distance from the top edge.
    pub y: f64,
}

/// Where edges lead to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Direction {
    /// Layers are columns, edges run to the right.
    #[default]
    LeftToRight,
    /// Layers are rows, edges run downward.
    TopDown,
}

/// Distances of a layout.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LayoutOptions {
    /// Where edges lead to.
    pub direction: Direction,
    /// Room between two layers.
    pub layer_gap: f64,
    /// Least room between two nodes of one layer.
    pub node_gap: f64,
    /// Least room between an edge that passes through a layer and its neighbors there.
    pub edge_gap: f64,
}

impl Default for LayoutOptions {
    fn default() -> Self {
        Self { direction: Direction::LeftToRight, layer_gap: 64.0, node_gap: 24.0, edge_gap: 12.0 }
    }
}

/// A node with its place.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeBox {
    /// The node's key.
    pub key: String,
    /// Number of its layer, from 0.
    pub layer: usize,
    /// Left edge.
    pub x: f64,
    /// Top edge.
    pub y: f64,
    /// As it was given.
    pub width: f64,
    /// As it was given.
    pub height: f64,
}

/// An edge as a polyline from the border of its source to the border of its target.
#[derive(Debug, Clone, PartialEq)]
pub struct EdgePath {
    /// Key of the node where the edge begins.
    pub from: String,
    /// Key of the node where it ends.
    pub to: String,
    /// At least two points, in walking order.
    pub points: Vec<Point>,
}

/// A drawing: all coordinates are at least 0 and at most `width` and `height`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Layout {
    /// In the order of the graph.
    pub nodes: Vec<NodeBox>,
    /// In the order of [`Graph::edges`].
    pub edges: Vec<EdgePath>,
    /// Extent of the whole.
    pub width: f64,
    /// Extent of the whole.
    pub height: f64,
}

/// Lays `graph` out. `size` gives each node's extent; a node that nests another one is simply larger. Graphs with
/// cycles are laid out too: an edge that closes a cycle runs backward. A size that is negative or not a number counts as 0.
pub fn layout(graph: &Graph, size: &dyn Fn(&str) -> Size, options: &LayoutOptions) -> Layout {
    let turned = options.direction == Direction::TopDown;
    // Inside, layers are always columns: `Extent::along` is the extent in the direction of the edges.
    let extents: Vec<Extent> = graph
        .keys()
        .map(|key| {
            let size = size(key);
            let (width, height) = (at_least_zero(size.width), at_least_zero(size.height));
            if turned { Extent { along: height, across: width } } else { Extent { along: width, across: height } }
        })
        .collect();
    let mut layers = Layers::new(graph);
    ordering::reduce_crossings(&mut layers);
    let columns = placement::columns(&layers, &extents, options.layer_gap);
    let centers = placement::centers(&layers, &extents, options);
    let draw =
        |along: f64, across: f64| if turned { Point { x: across, y: along } } else { Point { x: along, y: across } };

    let nodes: Vec<NodeBox> = extents
        .iter()
        .enumerate()
        .map(|(node, extent)| {
            let layer = layers.layer_of(node);
            let corner = draw(columns[layer].start, centers[node] - extent.across / 2.0);
            let far = draw(extent.along, extent.across);
            let key = graph.key(node).to_owned();
            NodeBox { key, layer, x: corner.x, y: corner.y, width: far.x, height: far.y }
        })
        .collect();
    let edges: Vec<EdgePath> = layers
        .paths()
        .iter()
        .map(|path| {
            let points = path.points(&layers, &columns, &centers, &extents);
            EdgePath {
                from: graph.key(path.from).to_owned(),
                to: graph.key(path.to).to_owned(),
                points: points.into_iter().map(|(along, across)| draw(along, across)).collect(),
            }
        })
        .collect();
    let furthest = |ends: &mut dyn Iterator<Item = f64>| ends.fold(0.0, f64::max);
    let points = || edges.iter().flat_map(|edge| &edge.points);
    let width = furthest(&mut nodes.iter().map(|node| node.x + node.width).chain(points().map(|point| point.x)));
    let height = furthest(&mut nodes.iter().map(|node| node.y + node.height).chain(points().map(|point| point.y)));
    Layout { nodes, edges, width, height }
}

/// The size of a node as seen along the edges.
#[derive(Debug, Clone, Copy, Default)]
struct Extent {
    along: f64,
    across: f64,
}

fn at_least_zero(length: f64) -> f64 {
    if length.is_finite() { length.max(0.0) } else { 0.0 }
}
