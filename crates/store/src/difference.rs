//! What two versions do not share, by the addresses of their rows.

use std::sync::Arc;

use lakelet_base::{Result, Version};
use roaring::RoaringBitmap;

use crate::segment::{Segment, SegmentList, SegmentRef};
use crate::{Column, Scan, Table};

/// Some rows of one segment; `None`: all of them.
#[derive(Debug, Clone)]
pub(crate) struct RowSet {
    pub(crate) segment: Arc<Segment>,
    pub(crate) rows: Option<Arc<RoaringBitmap>>,
}

impl RowSet {
    pub(crate) fn n_rows(&self) -> usize {
        match &self.rows {
            Some(rows) => rows.len() as usize,
            None => self.segment.batch.num_rows(),
        }
    }

    /// The rows that an entry shows; `None` if it shows none.
    pub(crate) fn live(entry: &SegmentRef) -> Option<Self> {
        let rows = match &entry.deleted {
            None => None,
            Some(deleted) => {
                let mut rows = RoaringBitmap::new();
                rows.insert_range(0..u32::try_from(entry.segment.batch.num_rows()).unwrap_or(u32::MAX));
                rows -= deleted.as_ref();
                Some(Arc::new(rows))
            }
        };
        let set = Self { segment: entry.segment.clone(), rows };
        (set.n_rows() > 0).then_some(set)
    }
}

/// Rows that one list shows and another does not.
#[derive(Debug, Clone, Default)]
pub(crate) struct Difference {
    pub(crate) added: Vec<RowSet>,
    pub(crate) deleted: Vec<RowSet>,
}

impl Difference {
    /// From `before` to `after`. Both are sorted by id; what they share chunk by chunk is skipped.
    pub(crate) fn between(before: &SegmentList, after: &SegmentList) -> Self {
        let mut difference = Self::default();
        let mut before_chunks = before.list().chunks().peekable();
        let mut after_chunks = after.list().chunks().peekable();
        let (mut old, mut new): (&[SegmentRef], &[SegmentRef]) = (&[], &[]);
        loop {
            if old.is_empty() && new.is_empty() {
                while let (Some(left), Some(right)) = (before_chunks.peek(), after_chunks.peek()) {
                    if !Arc::ptr_eq(left, right) {
                        break;
                    }
                    before_chunks.next();
                    after_chunks.next();
                }
            }
            if old.is_empty() {
                old = before_chunks.next().map_or(&[], |chunk| chunk.as_slice());
            }
            if new.is_empty() {
                new = after_chunks.next().map_or(&[], |chunk| chunk.as_slice());
            }
            match (old.first(), new.first()) {
                (None, None) => return difference,
                (Some(gone), None) => {
                    difference.deleted.extend(RowSet::live(gone));
                    old = &old[1..];
                }
                (None, Some(come)) => {
                    difference.added.extend(RowSet::live(come));
                    new = &new[1..];
                }
                (Some(gone), Some(come)) if gone.segment.id < come.segment.id => {
                    difference.deleted.extend(RowSet::live(gone));
                    old = &old[1..];
                }
                (Some(gone), Some(come)) if gone.segment.id > come.segment.id => {
                    difference.added.extend(RowSet::live(come));
                    new = &new[1..];
                }
                (Some(left), Some(right)) => {
                    difference.push_changed(left, right);
                    (old, new) = (&old[1..], &new[1..]);
                }
            }
        }
    }

    /// One segment in two versions.
    fn push_changed(&mut self, before: &SegmentRef, after: &SegmentRef) {
        let none = RoaringBitmap::new();
        let (left, right) = (&before.deleted, &after.deleted);
        if let (Some(left), Some(right)) = (left, right)
            && Arc::ptr_eq(left, right)
        {
            return;
        }
        let (left, right) = (left.as_deref().unwrap_or(&none), right.as_deref().unwrap_or(&none));
        let push = |rows: RoaringBitmap, sets: &mut Vec<RowSet>| {
            if !rows.is_empty() {
                sets.push(RowSet { segment: before.segment.clone(), rows: Some(Arc::new(rows)) });
            }
        };
        push(right - left, &mut self.deleted);
        push(left - right, &mut self.added);
    }
}

/// Rows that one version shows and another does not, whether or not a change feed was recorded. A row that was updated
/// is among both. Rows that came and went in between are in neither.
#[derive(Debug, Clone)]
pub struct RowChanges {
    /// Rows of the later version only, read with its columns.
    pub added: Scan,
    /// Rows of the earlier version only, read with the later version's columns.
    pub deleted: Scan,
}

impl Table {
    /// The net difference between two versions, by address. `before`: `None` means the empty table.
    ///
    /// # Errors
    /// `DELTA_VERSION_NOT_FOUND`.
    pub fn row_changes(&self, before: Option<Version>, after: Version) -> Result<RowChanges> {
        let empty = SegmentList::default();
        let later = self.existing_version(after)?;
        let earlier = match before {
            Some(version) => &self.existing_version(version)?.segments,
            None => &empty,
        };
        let difference = Difference::between(earlier, &later.segments);
        // Rows of an earlier version need not keep to what is demanded today.
        let relaxed = relaxed(&later.metadata.columns);
        Ok(RowChanges {
            added: Scan::of_rows(difference.added, &later.metadata.columns),
            deleted: Scan::of_rows(difference.deleted, &relaxed),
        })
    }
}

/// The columns, all of which may be NULL.
pub(crate) fn relaxed(columns: &[Column]) -> Arc<[Column]> {
    columns.iter().map(|column| Column { nullable: true, ..column.clone() }).collect()
}
