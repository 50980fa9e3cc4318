//! Catalog, tables, rows, histories.

use lakelet_base::Timestamp;
use serde::{Deserialize, Serialize};

use crate::error::{instant, maybe_instant};

/// A column of a table or result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColumnView {
    /// Name.
    pub name: String,
    /// Spark's simple string, `decimal(10,2)`.
    #[serde(rename = "type")]
    pub type_name: String,
    /// Whether NULL may stand in it.
    pub nullable: bool,
    /// DEFAULT expression.
    pub default: Option<String>,
    /// COMMENT.
    pub comment: Option<String>,
}

/// A result that is kept in the worker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResultHeader {
    /// Handle for `FetchPage` and `CloseResult`.
    pub result: u64,
    /// Its columns.
    pub columns: Vec<ColumnView>,
    /// All rows there are.
    pub n_rows: u64,
}

/// Text of a cell; `None` is NULL.
pub type CellText = Option<String>;

/// Some rows of a result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResultPage {
    /// The result.
    pub result: u64,
    /// 0-based first row.
    pub row_from: u64,
    /// Rows of cells in column order.
    pub rows: Vec<Vec<CellText>>,
}

/// What a table is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TableKind {
    /// Plain table.
    Table,
    /// Streaming table.
    StreamingTable,
    /// Materialized view.
    MaterializedView,
    /// View.
    View,
}

/// A table in the catalog tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableSummary {
    /// Three-part name, quoted where needed.
    pub name: String,
    /// Last part, bare.
    pub short_name: String,
    /// What it is.
    pub kind: TableKind,
    /// Latest version.
    pub version: u64,
    /// Rows now.
    pub n_rows: u64,
    /// Change feed on.
    pub change_feed: bool,
    /// Unread changes upstream: `Some(n)` for tables that are refreshed.
    pub n_unread: Option<u64>,
    /// Columns.
    pub columns: Vec<ColumnView>,
}

/// A schema in the catalog tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SchemaView {
    /// Catalog.
    pub catalog: String,
    /// Schema.
    pub schema: String,
    /// Its tables by name.
    pub tables: Vec<TableSummary>,
}

/// Everything in the catalog.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CatalogView {
    /// Schemas by catalog and name.
    pub schemas: Vec<SchemaView>,
    /// `catalog.schema` a new tab starts in.
    pub current_schema: String,
    /// Bytes that table data takes.
    pub size_bytes: u64,
}

/// One version of a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommitView {
    /// Version.
    pub version: u64,
    /// When.
    #[serde(with = "instant")]
    pub timestamp: Timestamp,
    /// `CREATE TABLE`, `WRITE`, `UPDATE` …
    pub operation: String,
    /// Operation's parameters.
    pub parameters: Vec<(String, String)>,
    /// Rows added by inserts.
    pub n_inserted: u64,
    /// Rows updated.
    pub n_updated: u64,
    /// Rows deleted.
    pub n_deleted: u64,
    /// What made it, in words: a statement, a task of a run, a refresh.
    pub cause: Option<String>,
}

/// A table's page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableView {
    /// What the tree shows.
    pub summary: TableSummary,
    /// Newest first.
    pub history: Vec<CommitView>,
    /// Properties as text.
    pub properties: Vec<(String, String)>,
    /// The statement that makes it.
    pub definition: Option<String>,
    /// SCD type of an AUTO CDC target.
    pub scd_type: Option<u8>,
    /// First version of the change feed, when on.
    pub change_feed_from: Option<u64>,
    /// COMMENT.
    pub comment: Option<String>,
    /// Schedule in words.
    pub schedule: Option<String>,
    /// Names of tables it reads.
    pub reads: Vec<String>,
    /// Names of tables that read it.
    pub read_by: Vec<String>,
}

/// One row of a change feed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangeRow {
    /// `insert`, `update_preimage`, `update_postimage`, `delete`.
    pub change_type: String,
    /// Version.
    pub version: u64,
    /// Cells in column order.
    pub cells: Vec<CellText>,
    /// For a postimage: which row of the list is its preimage.
    pub preimage: Option<u32>,
}

/// A streaming table's position in a feed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FeedReader {
    /// Who reads.
    pub table: String,
    /// Last version read.
    pub read_to: Option<u64>,
}

/// A change feed between two versions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangesView {
    /// Table.
    pub table: String,
    /// Columns of the table.
    pub columns: Vec<ColumnView>,
    /// First version shown.
    pub from: u64,
    /// Last version shown.
    pub to: u64,
    /// Commits in the range, oldest first.
    pub commits: Vec<CommitView>,
    /// Rows in feed order, at most `Limits::rows_per_page_max`.
    pub rows: Vec<ChangeRow>,
    /// All rows there are.
    pub n_rows: u64,
    /// Who reads this feed.
    pub readers: Vec<FeedReader>,
}

/// One version of a key in an SCD type 2 table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryVersion {
    /// `key#start`: stays the same over refreshes.
    pub id: String,
    /// `__START_AT` as text.
    pub start: String,
    /// `__END_AT` as text; `None` is open.
    pub end: Option<String>,
    /// Position of start on the axis, an index into [`VersionsView::axis`].
    pub start_index: u32,
    /// Position of end on the axis.
    pub end_index: Option<u32>,
    /// Cells of the non-key columns that differ between versions of this key, or all: column name and text.
    pub values: Vec<(String, CellText)>,
    /// Short label: the values that changed from the version before, else a telling column.
    pub label: String,
}

/// All versions of one key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyHistory {
    /// Key values as text, joined by ` · `.
    pub key: String,
    /// Key with a telling name, `1 Spoon`.
    pub label: String,
    /// Oldest first.
    pub versions: Vec<HistoryVersion>,
}

/// The history of an SCD type 2 table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VersionsView {
    /// Table.
    pub table: String,
    /// Key columns.
    pub keys: Vec<String>,
    /// SEQUENCE BY.
    pub sequence_by: String,
    /// Distinct sequence values in order, as text.
    pub axis: Vec<String>,
    /// By key, at most 200.
    pub histories: Vec<KeyHistory>,
    /// All keys there are.
    pub n_keys: u64,
    /// Invariants with whether each holds: one open version per key, no overlap, end after start.
    pub invariants: Vec<(String, bool)>,
    /// Unread events upstream.
    pub n_unread: u64,
}

/// A row of a control table with a watermark.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WatermarkView {
    /// Source table as the control table names it.
    pub source: String,
    /// Its watermark.
    #[serde(with = "maybe_instant")]
    pub watermark: Option<Timestamp>,
    /// Newest value in the source.
    #[serde(with = "maybe_instant")]
    pub newest: Option<Timestamp>,
    /// Rows of the source newer than the watermark.
    pub n_ahead: u64,
    /// Rows of the source at or before the watermark that the target lacks; `None` when it cannot be told.
    pub n_behind: Option<u64>,
}
