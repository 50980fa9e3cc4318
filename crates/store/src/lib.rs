//! Versioned Arrow tables, their change feed, and the commit log.

mod address;

pub use address::{RowAddress, SegmentId};
