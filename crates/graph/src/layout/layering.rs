//! Layers, and the pieces of edges that cross more than one of them.

use super::Extent;
use super::placement::Column;
use crate::Graph;
use crate::graph::longest_paths;

/// Bends that one layout may have. A drawing past this is unreadable anyway; its long edges become straight lines.
const BENDS_MAX: usize = 20_000;

/// How much the loop of an edge to its own node stands out.
const LOOP_SIZE: f64 = 10.0;

/// The nodes of a graph (numbers below [`Layers::n_nodes`]) and the bends of its long edges, all in layers.
pub(super) struct Layers {
    n_nodes: usize,
    layer_of: Vec<usize>,
    /// Vertices of each layer from top to bottom.
    pub(super) orders: Vec<Vec<usize>>,
    /// Neighbors of each vertex one layer to the left.
    pub(super) left: Vec<Vec<usize>>,
    /// Neighbors of each vertex one layer to the right.
    pub(super) right: Vec<Vec<usize>>,
    paths: Vec<Path>,
}

/// An edge and the vertices it passes, itself included.
pub(super) struct Path {
    pub(super) from: usize,
    pub(super) to: usize,
    /// From the left end to the right end.
    vertices: Vec<usize>,
    /// Whether the edge runs from right to left, because it closes a cycle.
    backward: bool,
}

impl Layers {
    pub(super) fn new(graph: &Graph) -> Self {
        let successors = graph.successor_lists();
        let n_nodes = successors.len();
        let backward = edges_that_close_cycles(successors);
        let mut predecessors = vec![Vec::new(); n_nodes];
        let mut n_forward_in = vec![0_usize; n_nodes];
        let mut forward = vec![Vec::new(); n_nodes];
        for (from, targets) in successors.iter().enumerate() {
            for (position, to) in targets.iter().enumerate().filter(|(_, to)| **to != from) {
                let (left, right) = if backward[from][position] { (*to, from) } else { (from, *to) };
                predecessors[right].push(left);
                forward[left].push(right);
                n_forward_in[right] += 1;
            }
        }
        let layer_of = longest_paths(&any_topological_order(&forward, n_forward_in), &predecessors);
        let n_layers = layer_of.iter().max().map_or(0, |last| last + 1);
        let mut layers = Self {
            n_nodes,
            layer_of,
            orders: vec![Vec::new(); n_layers],
            left: vec![Vec::new(); n_nodes],
            right: vec![Vec::new(); n_nodes],
            paths: Vec::new(),
        };
        for node in 0..n_nodes {
            layers.orders[layers.layer_of[node]].push(node);
        }
        for (from, targets) in successors.iter().enumerate() {
            for (position, to) in targets.iter().enumerate() {
                layers.add_path(from, *to, backward[from][position]);
            }
        }
        layers
    }

    pub(super) fn is_node(&self, vertex: usize) -> bool {
        vertex < self.n_nodes
    }

    pub(super) fn n_vertices(&self) -> usize {
        self.layer_of.len()
    }

    pub(super) fn layer_of(&self, vertex: usize) -> usize {
        self.layer_of[vertex]
    }

    pub(super) fn paths(&self) -> &[Path] {
        &self.paths
    }

    fn add_path(&mut self, from: usize, to: usize, backward: bool) {
        let (first, last) = if backward { (to, from) } else { (from, to) };
        let mut vertices = vec![first];
        if from != to {
            let between = self.layer_of[first] + 1..self.layer_of[last];
            if self.n_vertices() - self.n_nodes + between.len() <= BENDS_MAX {
                vertices.extend(between.map(|layer| self.add_bend(layer)));
                vertices.push(last);
                for pair in vertices.windows(2) {
                    self.right[pair[0]].push(pair[1]);
                    self.left[pair[1]].push(pair[0]);
                }
            } else {
                vertices.push(last);
            }
        }
        self.paths.push(Path { from, to, vertices, backward });
    }

    fn add_bend(&mut self, layer: usize) -> usize {
        let vertex = self.n_vertices();
        self.layer_of.push(layer);
        self.orders[layer].push(vertex);
        self.left.push(Vec::new());
        self.right.push(Vec::new());
        vertex
    }
}

impl Path {
    /// The polyline as (along, across), in walking order.
    pub(super) fn points(
        &self,
        layers: &Layers,
        columns: &[Column],
        centers: &[f64],
        extents: &[Extent],
    ) -> Vec<(f64, f64)> {
        let (Some(first), Some(last)) = (self.vertices.first().copied(), self.vertices.last().copied()) else {
            return Vec::new();
        };
        let right_end = |node: usize| columns[layers.layer_of(node)].start + extents[node].along;
        if self.from == self.to {
            let (along, across) = (right_end(first), centers[first]);
            let quarter = extents[first].across / 4.0;
            let out = along + LOOP_SIZE;
            return vec![
                (along, across - quarter),
                (out, across - quarter),
                (out, across + quarter),
                (along, across + quarter),
            ];
        }
        let mut points = vec![(right_end(first), centers[first])];
        // A narrow node's edge first leaves the column straight, so that it does not cut a wide neighbor.
        points.push((columns[layers.layer_of(first)].end, centers[first]));
        for vertex in &self.vertices[1..self.vertices.len() - 1] {
            let column = columns[layers.layer_of(*vertex)];
            points.push((column.start, centers[*vertex]));
            points.push((column.end, centers[*vertex]));
        }
        points.push((columns[layers.layer_of(last)].start, centers[last]));
        points.dedup();
        if points.len() == 1 {
            points.push(points[0]);
        }
        if self.backward {
            points.reverse();
        }
        points
    }
}

/// For each edge, in the form of `successors`, whether depth-first search meets its target while still below it.
fn edges_that_close_cycles(successors: &[Vec<usize>]) -> Vec<Vec<bool>> {
    #[derive(Clone, Copy, PartialEq)]
    enum Visit {
        Not,
        Open,
        Done,
    }
    let mut closing: Vec<Vec<bool>> = successors.iter().map(|targets| vec![false; targets.len()]).collect();
    let mut visits = vec![Visit::Not; successors.len()];
    for start in 0..successors.len() {
        if visits[start] != Visit::Not {
            continue;
        }
        visits[start] = Visit::Open;
        let mut stack = vec![(start, 0)];
        while let Some((node, position)) = stack.pop() {
            let Some(next) = successors[node].get(position).copied() else {
                visits[node] = Visit::Done;
                continue;
            };
            stack.push((node, position + 1));
            match visits[next] {
                Visit::Open => closing[node][position] = true,
                Visit::Not => {
                    visits[next] = Visit::Open;
                    stack.push((next, 0));
                }
                Visit::Done => {}
            }
        }
    }
    closing
}

/// `edges` has no cycle; `n_in` counts the edges into each node.
fn any_topological_order(edges: &[Vec<usize>], mut n_in: Vec<usize>) -> Vec<usize> {
    let mut order: Vec<usize> = (0..edges.len()).filter(|node| n_in[*node] == 0).collect();
    let mut done = 0;
    while let Some(node) = order.get(done).copied() {
        done += 1;
        for next in &edges[node] {
            n_in[*next] -= 1;
            if n_in[*next] == 0 {
                order.push(*next);
            }
        }
    }
    order
}
