//! Statements of a script.

use serde::{Deserialize, Serialize};

use crate::{ResultHeader, WireError};

/// Which part of a script to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "range", rename_all = "snake_case")]
pub enum RunRange {
    /// Everything.
    All,
    /// The statement at a byte offset.
    At {
        /// Byte offset of the cursor.
        offset: usize,
    },
    /// The statements that touch a byte range.
    Selection {
        /// First byte.
        start: usize,
        /// Past the last byte.
        end: usize,
    },
}

/// Where a statement is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StatementState {
    /// An earlier statement is running.
    Waiting,
    /// It runs.
    Running,
    /// It is done.
    Done,
    /// It failed; it changed nothing.
    Failed,
    /// The reader stopped it; it changed nothing.
    Canceled,
    /// An earlier one failed.
    NotRun,
}

/// What one statement did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StatementReport {
    /// 0-based in the script.
    pub index: u32,
    /// Byte range in the script.
    pub start: usize,
    /// End of the range.
    pub end: usize,
    /// First line of it, for labels.
    pub label: String,
    /// Where it is.
    pub state: StatementState,
    /// Its rows, if it gives any.
    pub result: Option<ResultHeader>,
    /// Rows inserted, updated or deleted, if it does.
    pub rows_affected: Option<u64>,
    /// A sentence about what it did, for instance "products is at version 2".
    pub message: Option<String>,
    /// Why it failed.
    pub error: Option<WireError>,
    /// What the reader should know all the same.
    pub warnings: Vec<WireError>,
    /// Measured milliseconds.
    pub elapsed_ms: f64,
}

/// What a script did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScriptReport {
    /// Editor tab.
    pub tab: String,
    /// One for each statement of the range.
    pub statements: Vec<StatementReport>,
    /// `catalog.schema` in force afterwards.
    pub current_schema: String,
}
