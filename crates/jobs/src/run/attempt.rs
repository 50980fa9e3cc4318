//! Attempts: what they are to do, and what is kept of them.

use indexmap::IndexMap;
use lakelet_base::{Diagnostic, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::output::TaskOutput;
use crate::parameters::{Parameter, key_value_parameters};
use crate::read::Source;
use crate::reference::{ReferenceContext, ReferenceError, resolve};
use crate::run_request::RunRequest;
use crate::state::State;
use crate::task::{SqlBody, Task, TaskKind};

/// Why something failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskError {
    /// Spark's error condition (`CAST_INVALID_INPUT`), a Python exception's class, or one of this crate's names in
    /// snake case (`inputs_not_array`).
    pub condition: String,
    /// SQLSTATE of a SQL error.
    pub sqlstate: Option<String>,
    /// For a reader.
    pub message: String,
    /// Traceback of a notebook.
    pub trace: Option<String>,
}

impl TaskError {
    /// An error without SQLSTATE and traceback.
    pub fn new(condition: impl Into<String>, message: impl Into<String>) -> Self {
        Self { condition: condition.into(), sqlstate: None, message: message.into(), trace: None }
    }
}

impl From<&Diagnostic> for TaskError {
    fn from(diagnostic: &Diagnostic) -> Self {
        Self {
            condition: diagnostic.class.condition.to_owned(),
            sqlstate: Some(diagnostic.class.sqlstate.to_owned()),
            message: diagnostic.message.clone(),
            trace: None,
        }
    }
}

impl From<ReferenceError> for TaskError {
    fn from(error: ReferenceError) -> Self {
        Self::new(error.kind.as_str(), error.message)
    }
}

/// What an attempt leaves behind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum AttemptOutput {
    /// Rows of a SQL task.
    Rows(TaskOutput),
    /// Output of a notebook or script, or the outcome of an If/else task.
    Text(String),
    /// State of an alert: `UNKNOWN`, `OK` or `TRIGGERED`.
    AlertState(String),
}

/// One attempt of a task or an iteration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// Its number, from 0, over all repairs.
    pub attempt: u32,
    /// Id of its task run.
    pub run_id: u64,
    /// The repair it belongs to, from 1; 0 for the original run.
    pub repair: u32,
    /// Field of the settings that held the task's type then.
    pub type_name: String,
    /// Where it stands.
    pub state: State,
    /// When it started.
    #[serde(with = "crate::state::micros")]
    pub start: Timestamp,
    /// When it ended.
    #[serde(with = "crate::state::micros::option")]
    pub end: Option<Timestamp>,
    /// When it has taken too long.
    #[serde(with = "crate::state::micros::option")]
    pub deadline: Option<Timestamp>,
    /// What it was given, and the widget defaults it used instead.
    pub parameters: Vec<Parameter>,
    /// What it left behind.
    pub output: Option<AttemptOutput>,
    /// Why it failed.
    pub error: Option<TaskError>,
    /// Task values that it set.
    pub task_values: IndexMap<String, Value>,
}

/// What an attempt is to do, references resolved. Key–value parameters stand beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AttemptWork {
    /// Run SQL.
    Sql {
        /// The file, query, alert or dashboard.
        body: SqlBody,
        /// The warehouse it would run on.
        warehouse_id: String,
    },
    /// Run a notebook.
    Notebook {
        /// Path without the file's extension.
        path: String,
        /// Where the path leads; as the job says when absent.
        source: Option<Source>,
        /// With a warehouse only SQL cells may be there.
        warehouse_id: Option<String>,
    },
    /// Run a Python file.
    SparkPython {
        /// The file.
        file: String,
        /// Where the path leads; as the job says when absent.
        source: Option<Source>,
        /// Command-line arguments.
        arguments: Vec<String>,
    },
    /// Run another job, with the parameters.
    RunJob {
        /// Its id.
        job_id: String,
    },
    /// Refresh a pipeline.
    Pipeline {
        /// Its id.
        pipeline_id: String,
        /// Whether everything is computed anew.
        full_refresh: bool,
        /// Tables to refresh; all when both selections are empty.
        refresh_selection: Vec<String>,
        /// Tables to compute anew.
        full_refresh_selection: Vec<String>,
    },
}

/// What `task` is to do with which parameters. `job` are the run's job parameters.
///
/// For each and If/else tasks are not executed by the host and have no work.
pub(super) fn prepare(
    task: &Task,
    request: &RunRequest,
    job: &[Parameter],
    context: &ReferenceContext<'_>,
) -> Result<(AttemptWork, Vec<Parameter>), TaskError> {
    let text = |template: &str| resolve(template, context).map_err(TaskError::from);
    let nothing = IndexMap::new();
    let requested = match &task.kind {
        TaskKind::Notebook(_) => &request.notebook_params,
        TaskKind::Sql(_) => &request.sql_params,
        _ => &nothing,
    };
    let parameters = match task.kind.parameters() {
        Some(own) => {
            let resolved: Result<IndexMap<String, String>, TaskError> =
                own.iter().map(|(name, template)| Ok((name.clone(), text(template)?))).collect();
            key_value_parameters(&resolved?, requested, job)
        }
        None => Vec::new(),
    };
    let work = match &task.kind {
        TaskKind::Sql(sql) => {
            let body = match &sql.body {
                Some(SqlBody::File { path, source }) => SqlBody::File { path: text(path)?, source: *source },
                Some(other) => other.clone(),
                None => return Err(invalid_configuration("This SQL task has nothing to run.")),
            };
            AttemptWork::Sql { body, warehouse_id: sql.warehouse_id.clone() }
        }
        TaskKind::Notebook(notebook) => AttemptWork::Notebook {
            path: text(&notebook.notebook_path)?,
            source: notebook.source,
            warehouse_id: notebook.warehouse_id.clone(),
        },
        TaskKind::SparkPython(python) => {
            let own = || python.parameters.iter().map(|template| text(template)).collect::<Result<_, _>>();
            let arguments = request.python_params.clone().map_or_else(own, Ok)?;
            AttemptWork::SparkPython { file: text(&python.python_file)?, source: python.source, arguments }
        }
        TaskKind::RunJob(run_job) => AttemptWork::RunJob { job_id: run_job.job_id.clone() },
        TaskKind::Pipeline(pipeline) => AttemptWork::Pipeline {
            pipeline_id: text(&pipeline.pipeline_id)?,
            full_refresh: pipeline.full_refresh,
            refresh_selection: pipeline.refresh_selection.clone(),
            full_refresh_selection: pipeline.full_refresh_selection.clone(),
        },
        TaskKind::ForEach(_) | TaskKind::Condition(_) | TaskKind::Other(_) => {
            let message = format!("Lakelet does not run tasks of type {}.", task.kind.type_name());
            return Err(invalid_configuration(&message));
        }
    };
    Ok((work, parameters))
}

fn invalid_configuration(message: &str) -> TaskError {
    TaskError::new("INVALID_RUN_CONFIGURATION", message)
}
