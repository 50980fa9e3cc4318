//! A table and its versions.

use std::sync::Arc;

use lakelet_base::{TableName, Timestamp, Version};

use crate::change_feed::RecordedChanges;
use crate::chunked::ChunkedList;
use crate::segment::SegmentList;
use crate::{ColumnId, CommitInfo, Snapshot, TableId, TableMetadata};

/// The property that switches the change feed on.
pub const CHANGE_FEED_PROPERTY: &str = "delta.enableChangeDataFeed";

/// What a table is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TableKind {
    /// An ordinary table.
    Table,
    /// A table written by flows.
    StreamingTable,
    /// A table that holds the rows of a query.
    MaterializedView,
    /// A name for a query; it has columns and versions but no rows.
    View {
        /// SQL text of the query.
        definition: String,
    },
    /// State of an operator that readers never see.
    Auxiliary,
}

impl TableKind {
    /// Whether rows are kept for it.
    pub fn has_rows(&self) -> bool {
        !matches!(self, Self::View { .. })
    }

    /// Whether it shows in lists of tables.
    pub fn is_visible(&self) -> bool {
        !matches!(self, Self::Auxiliary)
    }
}

/// One version of a table. Never changes.
#[derive(Debug)]
pub(crate) struct TableVersion {
    pub(crate) info: CommitInfo,
    pub(crate) metadata: Arc<TableMetadata>,
    pub(crate) segments: SegmentList,
    pub(crate) changes: RecordedChanges,
}

/// A table: its name, kind and all its versions.
#[derive(Debug, Clone)]
pub struct Table {
    /// Identity.
    pub id: TableId,
    /// Name; the same in all versions.
    pub name: TableName,
    /// Kind; the same in all versions.
    pub kind: TableKind,
    pub(crate) versions: ChunkedList<Arc<TableVersion>>,
    pub(crate) first: Arc<TableVersion>,
    pub(crate) latest: Arc<TableVersion>,
    pub(crate) next_column_id: ColumnId,
    /// The version that created or last replaced the table.
    pub(crate) replaced_version: Version,
    /// First version of the run of versions with the change feed on that reaches the latest.
    pub(crate) change_feed_since: Option<Version>,
    /// Bytes of everything its versions hold.
    pub(crate) size_bytes: usize,
}

impl Table {
    /// The newest version.
    pub fn latest(&self) -> Snapshot {
        Snapshot::new(self, &self.latest)
    }

    /// Number of the newest version.
    pub fn latest_version(&self) -> Version {
        self.latest.info.version
    }

    /// What the newest version says about the table.
    pub fn metadata(&self) -> &Arc<TableMetadata> {
        &self.latest.metadata
    }

    /// When it was created.
    pub fn created(&self) -> Timestamp {
        self.first.info.timestamp
    }

    /// When it last changed.
    pub fn modified(&self) -> Timestamp {
        self.latest.info.timestamp
    }

    /// All commits, newest first.
    pub fn history(&self) -> Vec<&CommitInfo> {
        self.versions.iter().rev().map(|version| &version.info).collect()
    }

    /// The commit that made `version`.
    pub fn commit(&self, version: Version) -> Option<&CommitInfo> {
        self.version(version).map(|found| &found.info)
    }

    /// The version that created the table or last replaced it.
    pub fn replaced_version(&self) -> Version {
        self.replaced_version
    }

    /// Bytes of everything its versions hold.
    pub fn size_bytes(&self) -> usize {
        self.size_bytes
    }

    pub(crate) fn version(&self, version: Version) -> Option<&Arc<TableVersion>> {
        self.versions.get(usize::try_from(version).ok()?)
    }
}
