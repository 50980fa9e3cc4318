//! The graph itself and the questions asked of it.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::fmt;

#[cfg(test)]
mod tests;

/// A directed graph. Nodes keep the order they were added in; parallel edges count once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Graph {
    keys: Vec<String>,
    index: BTreeMap<String, usize>,
    successors: Vec<Vec<usize>>,
    predecessors: Vec<Vec<usize>>,
}

/// An edge names a node that is not in the graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownNode(pub String);

impl fmt::Display for UnknownNode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no node '{}' in the graph", self.0)
    }
}

impl std::error::Error for UnknownNode {}

/// A walk along edges that comes back to its beginning: each key has an edge to the next, the last to the first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cycle {
    /// The nodes in walking order, each once; the one that was added to the graph first comes first.
    pub keys: Vec<String>,
}

impl fmt::Display for Cycle {
    /// `a → b → a`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for key in &self.keys {
            write!(f, "{key} → ")?;
        }
        f.write_str(self.keys.first().map_or("", String::as_str))
    }
}

impl std::error::Error for Cycle {}

impl Graph {
    /// A graph without nodes.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a node; `false` when it is there already.
    pub fn add_node(&mut self, key: impl Into<String>) -> bool {
        let key = key.into();
        if self.index.contains_key(&key) {
            return false;
        }
        self.index.insert(key.clone(), self.keys.len());
        self.keys.push(key);
        self.successors.push(Vec::new());
        self.predecessors.push(Vec::new());
        true
    }

    /// Adds an edge; `false` when it is there already. An edge from a node to itself is allowed and is a cycle.
    ///
    /// # Errors
    /// [`UnknownNode`] when one of its ends was not added before.
    pub fn add_edge(&mut self, from: &str, to: &str) -> Result<bool, UnknownNode> {
        let (from, to) = (self.position(from)?, self.position(to)?);
        if self.successors[from].contains(&to) {
            return Ok(false);
        }
        self.successors[from].push(to);
        self.predecessors[to].push(from);
        Ok(true)
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether there is no node.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Whether `key` is a node.
    pub fn contains(&self, key: &str) -> bool {
        self.index.contains_key(key)
    }

    /// All nodes in the order they were added.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.keys.iter().map(String::as_str)
    }

    /// All edges, by the order of their source and then as they were added.
    pub fn edges(&self) -> impl Iterator<Item = (&str, &str)> {
        self.successors
            .iter()
            .enumerate()
            .flat_map(move |(from, targets)| targets.iter().map(move |to| (self.key(from), self.key(*to))))
    }

    /// Where the edges out of `key` lead, as they were added; nothing for a key that is no node.
    pub fn successors(&self, key: &str) -> impl Iterator<Item = &str> {
        self.neighbors(key, &self.successors)
    }

    /// Where the edges into `key` come from, as they were added; nothing for a key that is no node.
    pub fn predecessors(&self, key: &str) -> impl Iterator<Item = &str> {
        self.neighbors(key, &self.predecessors)
    }

    /// Nodes without an edge into them.
    pub fn roots(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).filter(|node| self.predecessors[*node].is_empty()).map(|node| self.key(node))
    }

    /// Nodes without an edge out of them.
    pub fn leaves(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).filter(|node| self.successors[*node].is_empty()).map(|node| self.key(node))
    }

    /// All nodes, each after everything it has an edge from. Among nodes that could come next, the one that was added
    /// first comes first.
    ///
    /// # Errors
    /// The [`Cycle`] that [`Graph::find_cycle`] finds.
    pub fn topological_order(&self) -> Result<Vec<&str>, Cycle> {
        Ok(self.checked_order()?.into_iter().map(|node| self.key(node)).collect())
    }

    /// The nodes by level: a node stands one level past the furthest of those it has edges from, roots on level 0.
    ///
    /// # Errors
    /// The [`Cycle`] that [`Graph::find_cycle`] finds.
    pub fn levels(&self) -> Result<Vec<Vec<&str>>, Cycle> {
        let levels = longest_paths(&self.checked_order()?, &self.predecessors);
        let n_levels = levels.iter().max().map_or(0, |deepest| deepest + 1);
        let mut result = vec![Vec::new(); n_levels];
        for (node, level) in levels.into_iter().enumerate() {
            result[level].push(self.key(node));
        }
        Ok(result)
    }

    /// Everything that can be reached from `key` along edges, in the order the nodes were added; `key` itself only
    /// when it lies on a cycle.
    pub fn descendants(&self, key: &str) -> Vec<&str> {
        self.reachable(key, &self.successors)
    }

    /// Everything from which `key` can be reached along edges, in the order the nodes were added; `key` itself only
    /// when it lies on a cycle.
    pub fn ancestors(&self, key: &str) -> Vec<&str> {
        self.reachable(key, &self.predecessors)
    }

    /// One cycle, where there is any. Of several it is a shortest one through the first node that lies on a cycle.
    pub fn find_cycle(&self) -> Option<Cycle> {
        let kept = self.left_over_after_trimming();
        let walk = (0..self.len()).filter(|node| kept[*node]).find_map(|node| self.walk_back_to(node, &kept))?;
        Some(Cycle { keys: walk.into_iter().map(|node| self.keys[node].clone()).collect() })
    }

    fn checked_order(&self) -> Result<Vec<usize>, Cycle> {
        let order = self.order();
        if order.len() < self.len()
            && let Some(cycle) = self.find_cycle()
        {
            return Err(cycle);
        }
        Ok(order)
    }

    /// Kahn's algorithm; nodes on a cycle or behind one are missing from the answer.
    fn order(&self) -> Vec<usize> {
        let mut waiting_for: Vec<usize> = self.predecessors.iter().map(Vec::len).collect();
        let mut ready: BinaryHeap<Reverse<usize>> =
            (0..self.len()).filter(|node| waiting_for[*node] == 0).map(Reverse).collect();
        let mut order = Vec::with_capacity(self.len());
        while let Some(Reverse(node)) = ready.pop() {
            order.push(node);
            for next in &self.successors[node] {
                waiting_for[*next] -= 1;
                if waiting_for[*next] == 0 {
                    ready.push(Reverse(*next));
                }
            }
        }
        order
    }

    /// Marks the nodes that stay when roots and leaves are taken away again and again: those on cycles and between them.
    fn left_over_after_trimming(&self) -> Vec<bool> {
        let mut kept = vec![true; self.len()];
        for (edges_in, edges_out) in [(&self.predecessors, &self.successors), (&self.successors, &self.predecessors)] {
            let mut degree: Vec<usize> =
                edges_in.iter().map(|from| from.iter().filter(|node| kept[**node]).count()).collect();
            let mut bare: Vec<usize> = (0..self.len()).filter(|node| kept[*node] && degree[*node] == 0).collect();
            while let Some(node) = bare.pop() {
                kept[node] = false;
                for next in edges_out[node].iter().filter(|next| kept[**next]) {
                    degree[*next] -= 1;
                    if degree[*next] == 0 {
                        bare.push(*next);
                    }
                }
            }
        }
        kept
    }

    /// The shortest walk from `start` back to it inside `allowed`, by breadth-first search.
    fn walk_back_to(&self, start: usize, allowed: &[bool]) -> Option<Vec<usize>> {
        let mut came_from: Vec<Option<usize>> = vec![None; self.len()];
        let mut queue = vec![start];
        let mut next_in_queue = 0;
        while let Some(node) = queue.get(next_in_queue).copied() {
            next_in_queue += 1;
            for next in self.successors[node].iter().copied().filter(|next| allowed[*next]) {
                if next == start {
                    let mut walk = vec![node];
                    while let Some(before) = walk.last().and_then(|last| came_from[*last]) {
                        walk.push(before);
                    }
                    walk.reverse();
                    return Some(walk);
                }
                if came_from[next].is_none() {
                    came_from[next] = Some(node);
                    queue.push(next);
                }
            }
        }
        None
    }

    fn reachable(&self, key: &str, edges: &[Vec<usize>]) -> Vec<&str> {
        let mut seen = vec![false; self.len()];
        let mut open: Vec<usize> = self.index.get(key).into_iter().copied().collect();
        while let Some(node) = open.pop() {
            for next in &edges[node] {
                if !std::mem::replace(&mut seen[*next], true) {
                    open.push(*next);
                }
            }
        }
        (0..self.len()).filter(|node| seen[*node]).map(|node| self.key(node)).collect()
    }

    fn neighbors<'a>(&'a self, key: &str, edges: &'a [Vec<usize>]) -> impl Iterator<Item = &'a str> {
        self.index.get(key).into_iter().flat_map(|node| &edges[*node]).map(|node| self.key(*node))
    }

    fn position(&self, key: &str) -> Result<usize, UnknownNode> {
        self.index.get(key).copied().ok_or_else(|| UnknownNode(key.to_owned()))
    }

    pub(crate) fn key(&self, node: usize) -> &str {
        &self.keys[node]
    }

    pub(crate) fn successor_lists(&self) -> &[Vec<usize>] {
        &self.successors
    }
}

/// For each node the number of edges on the longest walk that ends there; `order` is topological.
pub(crate) fn longest_paths(order: &[usize], predecessors: &[Vec<usize>]) -> Vec<usize> {
    let mut levels = vec![0; predecessors.len()];
    for node in order {
        levels[*node] = predecessors[*node].iter().map(|from| levels[*from] + 1).max().unwrap_or(0);
    }
    levels
}
