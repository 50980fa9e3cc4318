//! Refreshes, schedules and the clock.

use lakelet_base::Timestamp;
use serde::{Deserialize, Serialize};

use crate::error::{instant, maybe_instant};
use crate::{TableKind, WireError};

/// How a refresh went about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RefreshMode {
    /// Only what changed.
    Incremental,
    /// Everything again.
    Full,
    /// Nothing was new; no version was made.
    NoChange,
    /// It ended with an error, [`RefreshReport::error`]; nothing of it was committed.
    Failed,
}

/// One group of a materialized view, or one key of an AUTO CDC table, that a refresh touched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefreshGroup {
    /// `Cutlery`
    pub label: String,
    /// What the row said before, `2`.
    pub before: Option<String>,
    /// What it says now.
    pub after: Option<String>,
    /// False for untouched groups that are listed for context.
    pub touched: bool,
}

/// What a refresh did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefreshReport {
    /// Table.
    pub table: String,
    /// 1-based number among the table's refreshes.
    pub number: u64,
    /// When, on the workspace clock.
    #[serde(with = "instant")]
    pub at: Timestamp,
    /// How.
    pub mode: RefreshMode,
    /// Why that way, in words.
    pub reason: String,
    /// Rows or events read.
    pub n_read: u64,
    /// What is read: `events`, `rows`.
    pub unit: String,
    /// Rows there were to read, all told.
    pub n_source_rows: u64,
    /// Rows inserted into the table.
    pub n_inserted: u64,
    /// Rows changed in place.
    pub n_updated: u64,
    /// Rows removed.
    pub n_deleted: u64,
    /// Keys or groups touched, and all there are: (2, 12).
    pub touched: Option<(u64, u64)>,
    /// Groups or keys, touched first, at most 200.
    pub groups: Vec<RefreshGroup>,
    /// Predicate of a REPLACE WHERE flow with the clock's values filled in.
    pub window: Option<String>,
    /// Version made.
    pub version: Option<u64>,
    /// What started it: `statement`, `schedule`, `create`.
    pub trigger: String,
    /// Why it failed; its place counts in the statement that defined the flow.
    #[serde(default)]
    pub error: Option<WireError>,
}

/// A table as a node of the pipeline graph.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DatasetNode {
    /// Three-part name.
    pub name: String,
    /// Bare name.
    pub short_name: String,
    /// What it is.
    pub kind: TableKind,
    /// Latest version.
    pub version: u64,
    /// Rows now.
    pub n_rows: u64,
    /// `fresh`, `stale: 2 unread`, `never refreshed`; empty for plain tables.
    pub freshness: String,
    /// Schedule in words.
    pub schedule: Option<String>,
    /// Last refresh's mode.
    pub last_mode: Option<RefreshMode>,
    /// Left edge in layout units (pixels at zoom 1).
    pub x: f64,
    /// Top edge.
    pub y: f64,
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
}

/// The dataset graph.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PipelineView {
    /// Tables.
    pub nodes: Vec<DatasetNode>,
    /// From, to (names) and the reading position in words.
    pub edges: Vec<crate::GraphEdge>,
    /// Extent of the layout.
    pub width: f64,
    /// Extent of the layout.
    pub height: f64,
}

/// The workspace clock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClockView {
    /// Now.
    #[serde(with = "instant")]
    pub now: Timestamp,
    /// Stands still between moves.
    pub simulated: bool,
    /// When the next schedule is due.
    #[serde(with = "maybe_instant")]
    pub next_due: Option<Timestamp>,
}

/// Where a move of the clock came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AdvanceReport {
    /// The clock after the move.
    pub clock: ClockView,
    /// Refreshes that schedules asked for on the way, those that failed among them.
    pub n_refreshes: u64,
    /// The failed ones, at most [`FAILED_REFRESHES_MAX`]. None of them keeps another from running.
    pub failed: Vec<RefreshReport>,
    /// All that failed.
    pub n_failed: u64,
    /// Runs of jobs that triggers asked for on the way, those that did not begin among them.
    pub n_runs: u64,
    /// Those without success, at most [`FAILED_RUNS_MAX`]. None of them keeps another from running.
    pub failed_runs: Vec<ScheduledRun>,
    /// All without success.
    pub n_failed_runs: u64,
}

/// A run that a trigger asked for and that did not succeed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScheduledRun {
    /// When it was due.
    #[serde(with = "instant")]
    pub at: Timestamp,
    /// The job's name, or its key where it could not be read.
    pub job: String,
    /// The run, if it began.
    pub run_id: Option<u64>,
    /// Why it did not begin, or how it ended.
    pub error: WireError,
}

/// Runs without success that an [`AdvanceReport`] lists.
pub const FAILED_RUNS_MAX: usize = 20;

/// Failed refreshes that an [`AdvanceReport`] lists.
pub const FAILED_REFRESHES_MAX: usize = 20;

/// How far to move the clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum AdvanceBy {
    /// So many minutes.
    Minutes {
        /// At least 1.
        n: u32,
    },
    /// To the next schedule.
    NextSchedule,
}

/// Something a move of the clock would run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DueItem {
    /// When it is due.
    #[serde(with = "instant")]
    pub at: Timestamp,
    /// Table or job.
    pub name: String,
    /// `refresh` or `job`.
    pub what: String,
    /// "read 1 unread change", "window 24 Feb - 3 Mar"
    pub detail: String,
}

/// What a move of the clock would do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AdvancePreview {
    /// Where the clock would stand.
    #[serde(with = "instant")]
    pub to: Timestamp,
    /// What would run, in order.
    pub due: Vec<DueItem>,
}
