//! A run of a job: a state machine that is told what happened and says what to do next.
//!
//! [`Run::start`] and [`Run::repair`] begin, [`Run::advance`] goes on; each answers with [`RunEffect`]s for the host,
//! which executes attempts and reports their ends as [`RunEvent`]s. A run is a pure function of its job, its request
//! and the events with their instants: the same ones give the same run.

mod advance;
mod attempt;
mod event;
mod for_each;
mod notice;
mod record;
mod repair;
mod start;

use indexmap::IndexMap;
use lakelet_base::{Limits, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use attempt::{Attempt, AttemptOutput, AttemptWork, TaskError};
pub use event::{AttemptFinished, AttemptId, AttemptOutcome, RunEffect, RunEvent, StartAttempt};
pub use for_each::{ErrorCount, ForEachRun, ForEachStats, Iteration};
pub use notice::{Notice, NoticeKind};
pub use repair::{HistoryItem, RepairError, RepairErrorKind, RepairPlan, RepairRequest};
pub use start::RunStart;

use crate::job::Job;
use crate::parameters::Parameter;
use crate::reference::{JobContext, OutputRows, ReferenceContext, TaskContext, UpstreamOutput, UpstreamTask};
use crate::run_request::RunRequest;
use crate::state::{ResultState, State};
use crate::task::TaskKey;

/// One run of a job. Everything that ever happened in it is kept: attempts, instants, resolved parameters, outputs.
///
/// It can be serialized at any moment and goes on after being restored. Numbers inside of outputs keep their text in
/// formats of text only, so store it as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    /// Settings of the job when the run, or its latest repair, began.
    job: Job,
    request: RunRequest,
    context: JobContext,
    /// Job parameters with their values in this run, and where they come from.
    parameters: Vec<Parameter>,
    state: State,
    #[serde(with = "crate::state::micros::option")]
    ended: Option<Timestamp>,
    /// When the run, or its latest repair, is stopped for taking too long.
    #[serde(with = "crate::state::micros::option")]
    deadline: Option<Timestamp>,
    /// How the run ends whatever its tasks do: it was canceled, or took too long.
    stopped_as: Option<ResultState>,
    tasks: IndexMap<TaskKey, TaskRun>,
    /// The original run and its repairs.
    history: Vec<HistoryItem>,
    n_attempts: u64,
    limits: RunLimits,
}

/// The bounds that a run goes by, fixed when it starts so that a replay goes by the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct RunLimits {
    for_each_iterations_max: usize,
    task_output_bytes_max: usize,
}

impl From<&Limits> for RunLimits {
    fn from(limits: &Limits) -> Self {
        Self {
            for_each_iterations_max: limits.for_each_iterations_max,
            task_output_bytes_max: limits.task_output_bytes_max,
        }
    }
}

/// One task in a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskRun {
    type_name: String,
    /// The task itself; for a For each its attempts stand for the loop as a whole.
    progress: Progress,
    /// Outcome of an If/else task.
    outcome: Option<bool>,
    for_each: Option<ForEachRun>,
}

/// What is tried until it succeeds or may not be tried again: a task, or an iteration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Progress {
    state: State,
    attempts: Vec<Attempt>,
    /// When the next attempt may start, while the state is [`State::WaitingForRetry`].
    #[serde(with = "crate::state::micros::option")]
    retry_at: Option<Timestamp>,
}

impl Progress {
    fn new(state: State) -> Self {
        Self { state, attempts: Vec::new(), retry_at: None }
    }

    fn end(&mut self, state: ResultState) {
        self.state = State::Ended(state);
        self.retry_at = None;
    }

    fn last_attempt(&self) -> Option<&Attempt> {
        self.attempts.last()
    }
}

impl TaskRun {
    fn new(type_name: &str) -> Self {
        Self { type_name: type_name.to_owned(), progress: Progress::new(State::Blocked), outcome: None, for_each: None }
    }

    /// Field of the settings that held the task's type when it last started, such as `sql_task`.
    pub fn type_name(&self) -> &str {
        &self.type_name
    }

    /// Where the task stands.
    pub fn state(&self) -> State {
        self.progress.state
    }

    /// Attempts, oldest first, over all repairs. Those of a For each stand for the loop as a whole.
    pub fn attempts(&self) -> &[Attempt] {
        &self.progress.attempts
    }

    /// Outcome of an If/else task that has ended.
    pub fn outcome(&self) -> Option<bool> {
        self.outcome
    }

    /// The iterations of a For each; `None` before they are planned, and for other tasks.
    pub fn for_each(&self) -> Option<&ForEachRun> {
        self.for_each.as_ref()
    }
}

impl Run {
    /// The run's id.
    pub fn run_id(&self) -> u64 {
        self.context.run_id
    }

    /// The job as it was when the run, or its latest repair, began.
    pub fn job(&self) -> &Job {
        &self.job
    }

    /// What references see of the run.
    pub fn context(&self) -> &JobContext {
        &self.context
    }

    /// Job parameters with their values in this run.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// Where the run stands.
    pub fn state(&self) -> State {
        self.state
    }

    /// When it began.
    pub fn started(&self) -> Timestamp {
        self.context.start_time
    }

    /// When it, or its latest repair, ended.
    pub fn ended(&self) -> Option<Timestamp> {
        self.ended
    }

    /// Tasks in the order of the job.
    pub fn tasks(&self) -> impl Iterator<Item = (&TaskKey, &TaskRun)> {
        self.tasks.iter()
    }

    /// The task of a key.
    pub fn task(&self, key: &str) -> Option<&TaskRun> {
        self.tasks.get(key)
    }

    /// The original run first, then its repairs.
    pub fn history(&self) -> &[HistoryItem] {
        &self.history
    }

    /// A task value that an ended task set in its latest attempt, as `dbutils.jobs.taskValues.get` reads it.
    pub fn task_value(&self, task_key: &str, key: &str) -> Option<&Value> {
        let task = self.tasks.get(task_key).filter(|task| task.progress.state.is_ended())?;
        task.progress.last_attempt()?.task_values.get(key)
    }

    /// What references see of another task: nothing before it has ended.
    fn upstream_task(&self, key: &str) -> Option<UpstreamTask<'_>> {
        let task = self.tasks.get(key)?;
        let result_state = task.progress.state.result()?;
        let attempt = task.progress.last_attempt();
        let output = attempt.and_then(|attempt| match attempt.output.as_ref()? {
            AttemptOutput::Rows(output) => {
                Some(UpstreamOutput::Rows(OutputRows { rows: output.rows(), problem: output.problem() }))
            }
            AttemptOutput::AlertState(state) => Some(UpstreamOutput::AlertState(state)),
            AttemptOutput::Text(_) => None,
        });
        let error = attempt.and_then(|attempt| attempt.error.as_ref());
        Some(UpstreamTask {
            run_id: attempt.map(|attempt| attempt.run_id),
            execution_count: u32::try_from(task.progress.attempts.len()).unwrap_or(u32::MAX),
            result_state: Some(result_state),
            error_code: error.map_or("", |error| &error.condition),
            values: attempt.map(|attempt| &attempt.task_values),
            output,
        })
    }

    /// Calls `read` with everything a reference in a task sees.
    fn with_references<T>(
        &self,
        task: TaskContext<'_>,
        input: Option<&Value>,
        read: impl FnOnce(&ReferenceContext<'_>) -> T,
    ) -> T {
        let upstream = |key: &str| self.upstream_task(key);
        read(&ReferenceContext { job: &self.context, task: Some(task), upstream: &upstream, input })
    }

    /// The task of a key, or one of its iterations.
    fn progress_mut(&mut self, key: &str, iteration: Option<usize>) -> Option<&mut Progress> {
        let task = self.tasks.get_mut(key)?;
        match iteration {
            None => Some(&mut task.progress),
            Some(index) => Some(&mut task.for_each.as_mut()?.iterations.get_mut(index)?.progress),
        }
    }
}
