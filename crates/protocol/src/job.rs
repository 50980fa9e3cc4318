//! Jobs and runs.

use lakelet_base::Timestamp;
use serde::{Deserialize, Serialize};

use crate::error::{instant, maybe_instant};
use crate::{CellOutput, WireError};

/// State of a run, task, iteration or attempt; [`RunState::word`] is what the page shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum RunState {
    /// Never run.
    NotRun,
    /// Upstream not finished.
    Blocked,
    /// Another run is active.
    Queued,
    /// For a place.
    Waiting,
    /// Between attempts.
    WaitingForRetry,
    /// Running.
    Running,
    /// Succeeded.
    Success,
    /// Succeeded, with something the reader should know (a default was used).
    SuccessWithWarnings,
    /// Some task failed, every leaf succeeded.
    SuccessWithFailures,
    /// Failed.
    Failed,
    /// Took too long.
    Timedout,
    /// Not run.
    Skipped,
    /// Its run-if condition was not met.
    Excluded,
    /// Switched off.
    Disabled,
    /// Stopped by the reader.
    Canceled,
    /// A needed task did not succeed.
    UpstreamFailed,
    /// A needed task was stopped.
    UpstreamCanceled,
    /// The worker ended while it ran.
    Interrupted,
}

impl RunState {
    /// The word the page and accessible names use, in English.
    pub fn word(self) -> &'static str {
        match self {
            Self::NotRun => "Not run yet",
            Self::Blocked => "Blocked",
            Self::Queued => "Queued",
            Self::Waiting => "Waiting",
            Self::WaitingForRetry => "Waiting for retry",
            Self::Running => "Running",
            Self::Success => "Succeeded",
            Self::SuccessWithWarnings => "Succeeded with warnings",
            Self::SuccessWithFailures => "Succeeded with failures",
            Self::Failed => "Failed",
            Self::Timedout => "Timed out",
            Self::Skipped => "Skipped",
            Self::Excluded => "Excluded",
            Self::Disabled => "Disabled",
            Self::Canceled => "Canceled",
            Self::UpstreamFailed => "Upstream failed",
            Self::UpstreamCanceled => "Upstream canceled",
            Self::Interrupted => "Interrupted",
        }
    }

    /// Whether nothing more will happen.
    pub fn is_final(self) -> bool {
        !matches!(
            self,
            Self::NotRun | Self::Blocked | Self::Queued | Self::Waiting | Self::WaitingForRetry | Self::Running
        )
    }
}

/// A box in a drawn graph. `children` are boxes inside it (the task nested in a For each).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GraphNode {
    /// Task key.
    pub key: String,
    /// `SQL`, `Notebook`, `For each` …
    pub type_name: String,
    /// Direct predecessors, for the accessible name.
    pub depends_on: Vec<String>,
    /// Left edge, in pixels at zoom 1.
    pub x: f64,
    /// Top edge.
    pub y: f64,
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
    /// Nested boxes; their coordinates are relative to this one.
    pub children: Vec<GraphNode>,
}

/// A line between boxes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GraphEdge {
    /// Key of the box it leaves.
    pub from: String,
    /// Key of the box it enters.
    pub to: String,
    /// Corners of the line.
    pub points: Vec<(f64, f64)>,
    /// Words on it, may be empty.
    pub label: String,
}

/// A graph with its layout.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GraphView {
    /// In topological order.
    pub nodes: Vec<GraphNode>,
    /// Lines.
    pub edges: Vec<GraphEdge>,
    /// Extent.
    pub width: f64,
    /// Extent.
    pub height: f64,
}

/// Something wrong with a job's settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProblemView {
    /// `error` or `warning`.
    pub severity: String,
    /// Kind, `unknown_dependency`.
    pub kind: String,
    /// JSON path, `tasks[1].for_each_task.concurrency`.
    pub path: String,
    /// A sentence.
    pub message: String,
    /// A likely correction, in words ("did you mean source_table?").
    pub suggestion: Option<String>,
}

/// A line in the list of jobs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JobSummary {
    /// Key among the bundle's jobs, by which another job refers to it.
    #[serde(default)]
    pub key: String,
    /// Name.
    pub name: String,
    /// Tasks.
    pub n_tasks: u32,
    /// Newest run.
    pub last_run: Option<RunSummary>,
}

/// What the Inputs field of a For each would resolve to now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct InputsPreview {
    /// The For each task.
    pub task_key: String,
    /// Elements.
    pub n_items: u64,
    /// First three as JSON text.
    pub first: Vec<String>,
    /// Parameters of the nested task resolved for the first element.
    pub parameters: Vec<ParameterValue>,
    /// Why it cannot be told.
    pub problem: Option<String>,
}

/// A job's page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JobView {
    /// Name.
    pub name: String,
    /// Databricks Jobs settings; SQL texts in `sql_task.query.text`.
    pub settings: serde_json::Value,
    /// Drawn tasks.
    pub graph: GraphView,
    /// Problems, errors first.
    pub problems: Vec<ProblemView>,
    /// For each inputs that are known without running (literals and earlier outputs).
    pub inputs: Vec<InputsPreview>,
    /// Runs, newest first.
    pub runs: Vec<RunSummary>,
    /// What starts it by itself, in words; nothing that is paused.
    pub triggers: Vec<String>,
    /// When that next starts a run, as far as it can be told now.
    #[serde(with = "maybe_instant")]
    pub next_due: Option<Timestamp>,
    /// Faults that are on in the workspace.
    #[serde(default)]
    pub faults: FaultsView,
}

/// A run in a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunSummary {
    /// Id, unique in the workspace.
    pub run_id: u64,
    /// 1-based number among the job's runs.
    pub number: u64,
    /// Job.
    pub job: String,
    /// State.
    pub state: RunState,
    /// Repairs so far.
    pub repair_count: u32,
    /// Start.
    #[serde(with = "instant")]
    pub started: Timestamp,
    /// End.
    #[serde(with = "maybe_instant")]
    pub ended: Option<Timestamp>,
}

/// Where a parameter's value came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ParameterOrigin {
    /// Job parameter.
    Job,
    /// Task's own parameter.
    Task,
    /// Given when the run was started.
    Run,
    /// The notebook's own default: nobody passed it.
    Default,
}

/// A resolved parameter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParameterValue {
    /// Name.
    pub name: String,
    /// Value.
    pub value: String,
    /// Origin.
    pub origin: ParameterOrigin,
}

/// Rows a SQL task passes on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TaskOutputView {
    /// JSON array text.
    pub json: String,
    /// Rows.
    pub n_rows: u64,
    /// Bytes of the JSON text.
    pub n_bytes: u64,
    /// Column names.
    pub columns: Vec<String>,
    /// Cells as text, at most 1,000 rows.
    pub rows: Vec<Vec<Option<String>>>,
    /// Over a limit, microseconds cut …
    pub warnings: Vec<String>,
}

/// One attempt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AttemptView {
    /// 1-based, as shown.
    pub attempt: u32,
    /// State.
    pub state: RunState,
    /// Start.
    #[serde(with = "maybe_instant")]
    pub start: Option<Timestamp>,
    /// End.
    #[serde(with = "maybe_instant")]
    pub end: Option<Timestamp>,
    /// Resolved parameters.
    pub parameters: Vec<ParameterValue>,
    /// SQL output.
    pub rows: Option<TaskOutputView>,
    /// Notebook output: cells in order.
    pub cells: Vec<CellOutput>,
    /// Why it failed.
    pub error: Option<WireError>,
    /// What the reader should know: "used default: market, currency".
    pub warnings: Vec<String>,
}

/// One iteration of a For each.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct IterationView {
    /// 0-based.
    pub index: u32,
    /// Up to three values of the input, joined by ` · `.
    pub label: String,
    /// Whole input as JSON text.
    pub input: String,
    /// State.
    pub state: RunState,
    /// Oldest first.
    pub attempts: Vec<AttemptView>,
}

/// How many iterations of a For each may run, did run, at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConcurrencyView {
    /// Setting.
    pub limit: u32,
    /// Most that ran at a time.
    pub max_in_flight: u32,
}

/// A task of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TaskRunView {
    /// Key.
    pub task_key: String,
    /// `SQL`, `Notebook`, `For each` …
    pub type_name: String,
    /// State.
    pub state: RunState,
    /// Oldest first; a For each has one per repair.
    pub attempts: Vec<AttemptView>,
    /// For a For each: its iterations, once planned.
    pub iterations: Option<Vec<IterationView>>,
    /// For a For each: name of the nested task.
    pub nested_key: Option<String>,
    /// For a For each.
    pub concurrency: Option<ConcurrencyView>,
    /// "Inputs were an empty list", "3 iterations processed equal values"
    pub notices: Vec<String>,
}

/// A table that a run changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunChange {
    /// Table.
    pub table: String,
    /// Operation.
    pub operation: String,
    /// Version before; `None` if the run created it.
    pub version_before: Option<u64>,
    /// Version after.
    pub version_after: u64,
    /// Rows inserted.
    pub n_inserted: u64,
    /// Rows updated.
    pub n_updated: u64,
    /// Rows deleted.
    pub n_deleted: u64,
    /// Task.
    pub task_key: String,
    /// Iteration's label.
    pub iteration: Option<String>,
    /// Attempt, 1-based.
    pub attempt: u32,
}

/// A run's page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunView {
    /// What lists show.
    pub summary: RunSummary,
    /// Drawn tasks.
    pub graph: GraphView,
    /// In topological order.
    pub tasks: Vec<TaskRunView>,
    /// Tables changed, in commit order.
    pub changes: Vec<RunChange>,
    /// Job parameters in force.
    pub parameters: Vec<ParameterValue>,
    /// What a repair without selection would run again: task keys, and iterations of For each tasks.
    pub repairable: Vec<(String, Vec<u32>)>,
    /// Warnings about the whole run.
    pub notices: Vec<String>,
    /// The job's settings have changed since this run began.
    pub settings_changed: bool,
    /// Measured milliseconds so far.
    pub elapsed_ms: f64,
    /// Faults that are on in the workspace now.
    #[serde(default)]
    pub faults: FaultsView,
}

/// What to run again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default)]
pub struct RepairRequest {
    /// Task keys; empty means everything that failed and what depends on it.
    pub tasks: Vec<String>,
    /// Iterations (task key, 0-based index); empty means all that failed.
    pub iterations: Vec<(String, u32)>,
}

/// A fault that a lesson makes on purpose. Off unless set; kept with the workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "fault", rename_all = "snake_case")]
pub enum FaultSwitch {
    /// The notebook of one iteration fails after its first append.
    FailAfterAppend {
        /// The iteration's index, from 0; `None` is off.
        iteration: Option<u64>,
    },
    /// Iterations that write one table conflict, as they may on Databricks.
    Conflict {
        /// Whether they do.
        on: bool,
    },
}

/// Which faults are on, see [`FaultSwitch`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FaultsView {
    /// The iteration, from 0, that fails after its first append.
    pub fail_after_append: Option<u64>,
    /// Whether iterations that write one table conflict.
    pub conflict: bool,
}
