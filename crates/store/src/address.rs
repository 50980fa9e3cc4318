//! Where things are kept.

/// Number of a segment, unique in one workspace and never used again.
pub type SegmentId = u64;

/// Number of a table, unique in one workspace and never used again: a table that is dropped and created anew has
/// another one, a table that is replaced or renamed keeps its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TableId(pub u64);

/// The place of one row: it stays the same for as long as any version shows the row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RowAddress {
    /// The immutable segment.
    pub segment: SegmentId,
    /// 0-based row in it.
    pub row: u32,
}
