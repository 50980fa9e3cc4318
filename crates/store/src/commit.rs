//! What a commit says about itself, and what comes of it.

use lakelet_base::{Timestamp, Version};

use crate::store::Store;
use crate::{TableId, table::TableVersion};

/// What made a commit. All parts are optional: a statement of a task that refreshes a view has all three.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommitCause {
    /// Text of the statement, shortened by the caller if it likes.
    pub statement: Option<String>,
    /// Run of a job.
    pub run_id: Option<u64>,
    /// Task of that run.
    pub task_key: Option<String>,
    /// Iteration of a For each task, 0-based.
    pub iteration: Option<u32>,
    /// Attempt of the task or iteration, 0-based.
    pub attempt: Option<u32>,
    /// Refresh of a pipeline, streaming table or view.
    pub refresh_id: Option<u64>,
    /// Flow of that refresh.
    pub flow: Option<String>,
}

/// What a commit did to one table, as DESCRIBE HISTORY shows it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Operation {
    /// Delta's name of it: `WRITE`, `MERGE`, `CREATE TABLE AS SELECT`, …
    pub name: String,
    /// Delta's operationParameters, in order.
    pub parameters: Vec<(String, String)>,
    /// Delta's operationMetrics, in order: `numOutputRows`, `numUpdatedRows`, …
    pub metrics: Vec<(String, u64)>,
    /// What made the commit.
    pub cause: Option<CommitCause>,
}

impl Operation {
    /// An operation without parameters, metrics and cause.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// The same with one more parameter.
    #[must_use]
    pub fn parameter(mut self, key: impl Into<String>, value: impl Into<String>) -> Self {
        self.parameters.push((key.into(), value.into()));
        self
    }

    /// The same with one more metric.
    #[must_use]
    pub fn metric(mut self, key: impl Into<String>, value: u64) -> Self {
        self.metrics.push((key.into(), value));
        self
    }

    /// The same with a cause.
    #[must_use]
    pub fn caused_by(mut self, cause: CommitCause) -> Self {
        self.cause = Some(cause);
        self
    }
}

/// One line of a table's history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitInfo {
    /// The version that the commit made.
    pub version: Version,
    /// Its instant: strictly later than that of every commit before it, whole milliseconds.
    pub timestamp: Timestamp,
    /// What it did.
    pub operation: Operation,
    /// The version it was computed from; `None` for the first.
    pub read_version: Option<Version>,
    /// Whether it only added rows, without reading the table.
    pub is_blind_append: bool,
}

impl CommitInfo {
    /// A metric of the operation.
    pub fn metric(&self, key: &str) -> Option<u64> {
        self.operation.metrics.iter().find(|(name, _)| name == key).map(|(_, value)| *value)
    }
}

/// What a transaction came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitOutcome {
    /// The new version of each table that got one, by id.
    pub versions: Vec<(TableId, Version)>,
    /// The instant of the commit.
    pub timestamp: Timestamp,
    /// Number of the log record; 0 for an empty transaction, which writes none.
    pub sequence: u64,
    /// Size of the log record.
    pub record_bytes: usize,
}

impl CommitOutcome {
    /// The new version of `table`, if it got one.
    pub fn version(&self, table: TableId) -> Option<Version> {
        self.versions.iter().find(|(id, _)| *id == table).map(|(_, version)| *version)
    }
}

/// A checked transaction: the record to write and the state it leads to. Made by [`Store::prepare`], used up by
/// [`Store::publish`].
#[derive(Debug)]
pub struct PreparedCommit {
    pub(crate) record: arrow_buffer::Buffer,
    pub(crate) next: Store,
    pub(crate) base_sequence: u64,
    pub(crate) outcome: CommitOutcome,
}

impl PreparedCommit {
    /// The framed record; empty for an empty transaction.
    pub fn record(&self) -> &[u8] {
        self.record.as_slice()
    }

    /// What the commit will come to.
    pub fn outcome(&self) -> &CommitOutcome {
        &self.outcome
    }
}

impl TableVersion {
    /// Whether a commit of this operation adds rows without deleting any and without new metadata.
    pub(crate) fn is_blind_append(&self) -> bool {
        self.info.is_blind_append
    }
}
