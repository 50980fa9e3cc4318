//! What a log record says, decoded.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_buffer::Buffer;
use lakelet_base::{TableName, Timestamp, Version};
use roaring::RoaringBitmap;

use crate::transaction::Standing;
use crate::{ChangeType, ColumnId, Operation, SegmentId, TableId, TableKind, TableMetadata};

/// One record: the actions of one transaction.
#[derive(Debug)]
pub(crate) struct LogRecord {
    pub(crate) sequence: u64,
    pub(crate) timestamp: Timestamp,
    pub(crate) actions: Vec<Action>,
}

#[derive(Debug)]
pub(crate) enum Action {
    Catalog(CatalogAction),
    Commit(Box<TableCommit>),
    Put { key: String, value: Buffer },
    Remove { key: String },
}

/// Actions on names, in the order they were asked for.
#[derive(Debug, Clone)]
pub(crate) enum CatalogAction {
    CreateCatalog { name: String, comment: Option<String> },
    DropCatalog { name: String },
    CreateSchema { catalog: String, name: String, comment: Option<String> },
    DropSchema { catalog: String, name: String },
    CreateTable { id: TableId, name: TableName, kind: TableKind },
    DropTable { id: TableId },
    RenameTable { id: TableId, name: TableName },
}

/// A new version of one table.
#[derive(Debug)]
pub(crate) struct TableCommit {
    pub(crate) table: TableId,
    pub(crate) version: Version,
    pub(crate) operation: Operation,
    pub(crate) read_version: Option<Version>,
    pub(crate) is_blind_append: bool,
    /// Whether the table begins anew here.
    pub(crate) replaced: bool,
    pub(crate) kind: Option<TableKind>,
    pub(crate) metadata: Option<TableMetadata>,
    pub(crate) standing: Standing,
    pub(crate) added: Vec<(SegmentId, KeptBatch)>,
    pub(crate) deleted: Vec<(SegmentId, RoaringBitmap)>,
    /// `None`: derive them, where the feed is on.
    pub(crate) changes: Option<Vec<ChangeRecord>>,
}

#[derive(Debug)]
pub(crate) enum ChangeRecord {
    Rows { change_type: ChangeType, batch: KeptBatch },
    Kept { change_type: ChangeType, segment: SegmentId, rows: RoaringBitmap },
}

/// A batch with the identities of its columns and the bytes it takes in the log; 0 before it was written.
#[derive(Debug)]
pub(crate) struct KeptBatch {
    pub(crate) batch: RecordBatch,
    pub(crate) column_ids: Arc<[ColumnId]>,
    pub(crate) size_bytes: usize,
}
