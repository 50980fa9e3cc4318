//! Immutable runs of rows, and the list of them that a version is made of.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, UInt32Array, new_null_array};
use arrow_select::take::take;
use lakelet_base::{Result, Version};
use roaring::RoaringBitmap;

use crate::adapt::adapt;
use crate::chunked::ChunkedList;
use crate::error::arrow;
use crate::{Column, ColumnId, RowAddress, SegmentId};

/// Rows written by one commit. Never changes.
#[derive(Debug)]
pub(crate) struct Segment {
    pub(crate) id: SegmentId,
    /// The version that added it.
    pub(crate) version: Version,
    pub(crate) batch: RecordBatch,
    /// Identity of each column of the batch.
    pub(crate) column_ids: Arc<[ColumnId]>,
    /// Bytes it holds in memory and takes in the log.
    pub(crate) size_bytes: usize,
}

impl Segment {
    /// All values of `column`, read as a table with that column reads them.
    pub(crate) fn column(&self, column: &Column) -> Result<ArrayRef> {
        let all = |array: &ArrayRef| Ok(array.clone());
        read_column(&self.batch, &self.column_ids, column, self.batch.num_rows(), all)
    }
}

/// The `n_rows` values that `pick` takes out of `column` in a batch whose columns are `column_ids`: those written, in
/// the column's present type; where the batch is older than the column, what the column says about such rows.
pub(crate) fn read_column(
    batch: &RecordBatch,
    column_ids: &[ColumnId],
    column: &Column,
    n_rows: usize,
    pick: impl FnOnce(&ArrayRef) -> Result<ArrayRef>,
) -> Result<ArrayRef> {
    match column_ids.iter().position(|id| *id == column.id) {
        Some(index) => adapt(&column.name, &pick(batch.column(index))?, &column.data_type),
        None => match &column.exist_default {
            Some(value) => {
                let first = UInt32Array::from(vec![0; n_rows]);
                take(value.as_ref(), &first, None).map_err(arrow)
            }
            None => Ok(new_null_array(&column.data_type, n_rows)),
        },
    }
}

/// A segment as one version shows it.
#[derive(Debug, Clone)]
pub(crate) struct SegmentRef {
    pub(crate) segment: Arc<Segment>,
    /// Rows this version does not show.
    pub(crate) deleted: Option<Arc<RoaringBitmap>>,
}

impl SegmentRef {
    pub(crate) fn n_rows(&self) -> usize {
        let n_deleted = self.deleted.as_ref().map_or(0, |deleted| deleted.len() as usize);
        self.segment.batch.num_rows().saturating_sub(n_deleted)
    }

    pub(crate) fn shows(&self, row: u32) -> bool {
        (row as usize) < self.segment.batch.num_rows()
            && self.deleted.as_ref().is_none_or(|deleted| !deleted.contains(row))
    }
}

/// The segments of one version, by ascending id.
#[derive(Debug, Clone, Default)]
pub(crate) struct SegmentList {
    list: ChunkedList<SegmentRef>,
    n_rows: usize,
    size_bytes: usize,
    /// Segments of which nothing is left.
    n_dead: usize,
}

impl SegmentList {
    /// Live rows.
    pub(crate) fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// Bytes of all segments, deleted rows included.
    pub(crate) fn size_bytes(&self) -> usize {
        self.size_bytes
    }

    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = &SegmentRef> {
        self.list.iter()
    }

    pub(crate) fn list(&self) -> &ChunkedList<SegmentRef> {
        &self.list
    }

    /// Position and entry of a segment.
    pub(crate) fn find(&self, id: SegmentId) -> Option<(usize, &SegmentRef)> {
        let index = self.list.partition_point(|entry| entry.segment.id < id);
        self.list.get(index).filter(|entry| entry.segment.id == id).map(|entry| (index, entry))
    }

    pub(crate) fn shows(&self, address: RowAddress) -> bool {
        self.find(address.segment).is_some_and(|(_, entry)| entry.shows(address.row))
    }

    /// Adds a segment with all its rows.
    pub(crate) fn push(&mut self, segment: Arc<Segment>) {
        self.n_rows += segment.batch.num_rows();
        self.size_bytes += segment.size_bytes;
        let is_last = self.list.last().is_none_or(|last| last.segment.id < segment.id);
        let entry = SegmentRef { segment, deleted: None };
        if is_last {
            self.list.push(entry);
        } else {
            // Two transactions took their numbers in another order than they committed in.
            let mut entries: Vec<SegmentRef> = self.list.iter().cloned().chain([entry]).collect();
            entries.sort_by_key(|entry| entry.segment.id);
            self.list = entries.into_iter().collect();
        }
    }

    /// Hides `rows` of a segment. `None` when it is not there or does not show all of them.
    pub(crate) fn delete(&mut self, id: SegmentId, rows: &RoaringBitmap) -> Option<()> {
        let (index, entry) = self.find(id)?;
        let n_segment_rows = entry.segment.batch.num_rows();
        if rows.max().is_some_and(|last| last as usize >= n_segment_rows) {
            return None;
        }
        let mut deleted = match &entry.deleted {
            Some(before) if !before.is_disjoint(rows) => return None,
            Some(before) => before.as_ref() | rows,
            None => rows.clone(),
        };
        deleted.optimize();
        let is_dead = deleted.len() as usize == n_segment_rows;
        let entry = SegmentRef { segment: entry.segment.clone(), deleted: Some(Arc::new(deleted)) };
        self.n_rows = self.n_rows.saturating_sub(rows.len() as usize);
        self.list.set(index, entry);
        self.n_dead += usize::from(is_dead && !rows.is_empty());
        Some(())
    }

    /// Drops segments of which nothing is left, once they are many: rows keep their addresses.
    pub(crate) fn compact(&mut self) {
        if self.n_dead < 16 || self.n_dead * 2 < self.list.len() {
            return;
        }
        self.list = self.list.iter().filter(|entry| entry.n_rows() > 0).cloned().collect();
        self.size_bytes = self.list.iter().map(|entry| entry.segment.size_bytes).sum();
        self.n_dead = 0;
    }
}
