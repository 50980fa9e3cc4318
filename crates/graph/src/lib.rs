//! Directed graphs over text keys: topological order, cycles, levels, reachability, and coordinates for drawing.
//!
//! Everything here is deterministic: equal graphs, built in the same order, give equal answers on every platform.
//! Wherever several nodes would do equally well, the one that was added first comes first. This crate draws nothing
//! and knows nothing about what a node means; jobs, pipelines and table lineage all use it.

mod graph;
mod layout;

pub use graph::{Cycle, Graph, UnknownNode};
pub use layout::{Direction, EdgePath, Layout, LayoutOptions, NodeBox, Point, Size, layout};
