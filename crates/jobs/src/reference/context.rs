//! What references are resolved against.

use indexmap::IndexMap;
use lakelet_base::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::output::OutputProblem;
use crate::state::ResultState;

/// What started a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum TriggerKind {
    /// A person or a command.
    #[default]
    OneTime,
    /// A schedule or periodic trigger.
    Periodic,
    /// A task of another job.
    RunJobTask,
    /// New files.
    FileArrival,
    /// Changed tables.
    Table,
    /// Continuous mode.
    Continuous,
}

impl TriggerKind {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("one_time", Self::OneTime),
        ("periodic", Self::Periodic),
        ("run_job_task", Self::RunJobTask),
        ("file_arrival", Self::FileArrival),
        ("table", Self::Table),
        ("continuous", Self::Continuous),
    ];

    /// The value of `{{job.trigger.type}}`: the API's word in lower case.
    pub fn as_str(self) -> &'static str {
        Self::WORDS.iter().find(|(_, kind)| *kind == self).map_or("", |(word, _)| word)
    }

    /// The kind of the API's word, in any case.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::WORDS.iter().find(|(known, _)| known.eq_ignore_ascii_case(word)).map(|(_, kind)| *kind)
    }
}

/// What started a run, and with what.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Trigger {
    /// What kind of thing.
    pub kind: TriggerKind,
    /// When a scheduled run was due.
    #[serde(with = "crate::state::micros::option")]
    pub time: Option<Timestamp>,
    /// The watched folder of a file arrival.
    pub file_location: Option<String>,
    /// The tables whose change started the run.
    pub updated_tables: Vec<TableUpdate>,
    /// The window that a backfill run stands for.
    #[serde(with = "crate::state::micros::option")]
    pub backfill: Option<Timestamp>,
}

/// A change that a table trigger saw.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableUpdate {
    /// `catalog.schema.name`
    pub table: String,
    /// The latest version.
    pub version: u64,
    /// When that version was committed.
    #[serde(with = "crate::state::micros")]
    pub commit_timestamp: Timestamp,
}

/// What references of a whole run see.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobContext {
    /// The job's id.
    pub id: u64,
    /// The job's name.
    pub name: String,
    /// The run's id.
    pub run_id: u64,
    /// Number of repairs so far.
    pub repair_count: u32,
    /// When the run began.
    #[serde(with = "crate::state::micros")]
    pub start_time: Timestamp,
    /// Values of job parameters in this run.
    pub parameters: IndexMap<String, String>,
    /// What started the run.
    pub trigger: Trigger,
    /// The workspace's id.
    pub workspace_id: u64,
    /// Where the workspace is found.
    pub workspace_url: String,
}

/// What references see of the task they stand in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TaskContext<'a> {
    /// The task's key.
    pub name: &'a str,
    /// Id of the attempt.
    pub run_id: u64,
    /// Number of attempts, this one included.
    pub execution_count: u32,
    /// Path of a notebook task.
    pub notebook_path: Option<&'a str>,
}

/// Rows of a SQL task.
#[derive(Debug, Clone, Copy)]
pub struct OutputRows<'a> {
    /// One object a row.
    pub rows: &'a [Value],
    /// Why they cannot be read, when they cannot.
    pub problem: Option<&'a OutputProblem>,
}

/// What an upstream task left behind.
#[derive(Debug, Clone, Copy)]
pub enum UpstreamOutput<'a> {
    /// Rows of a SQL task.
    Rows(OutputRows<'a>),
    /// State of an alert: `UNKNOWN`, `OK` or `TRIGGERED`.
    AlertState(&'a str),
}

/// What references see of another task of the run, as of its latest attempt.
#[derive(Debug, Clone)]
pub struct UpstreamTask<'a> {
    /// Id of the attempt; `None` when the task ended without one.
    pub run_id: Option<u64>,
    /// Number of attempts.
    pub execution_count: u32,
    /// How it ended; `None` while it has not.
    pub result_state: Option<ResultState>,
    /// Condition of its error; empty without one.
    pub error_code: &'a str,
    /// Its task values.
    pub values: Option<&'a IndexMap<String, Value>>,
    /// Its output.
    pub output: Option<UpstreamOutput<'a>>,
}

/// Everything a reference can see.
#[derive(Clone, Copy)]
pub struct ReferenceContext<'a> {
    /// The run.
    pub job: &'a JobContext,
    /// The task with the reference; `None` for references in job parameters.
    pub task: Option<TaskContext<'a>>,
    /// Other tasks of the run, by key.
    pub upstream: &'a dyn Fn(&str) -> Option<UpstreamTask<'a>>,
    /// The element of the iteration, inside a For each.
    pub input: Option<&'a Value>,
}
