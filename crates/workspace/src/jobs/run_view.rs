//! A run's page, drawn up from the run, its attempts' records and the histories of tables.

use lakelet_base::Result;
use lakelet_bundle::JobResource;
use lakelet_jobs::{
    Attempt, AttemptId, AttemptOutput, ErrorCount, Iteration, Notice, NoticeKind, Origin, Parameter, ResultState, Run,
    State, TaskKey, TaskKind, TaskRun,
};
use lakelet_protocol::{
    AttemptView, ConcurrencyView, IterationView, ParameterValue, RunChange, RunState, RunSummary, RunView, TaskRunView,
};
use lakelet_store::CommitInfo;

use super::documents::{self, AttemptRecord};
use super::start::{repair_request, run_not_found};
use super::{RunRecord, output, problems, task_graph};
use crate::core::Core;
use crate::notebook::{origin, wire_error};
use crate::workspace::Workspace;

impl Workspace {
    /// A run's page.
    ///
    /// # Errors
    /// There is no such run.
    pub fn run_view(&self, run_id: u64) -> Result<RunView> {
        let record = self.jobs.runs.get(&run_id).ok_or_else(|| run_not_found(run_id))?;
        let run = &record.document.run;
        let notices = run.notices();
        let drawer = Drawer { core: &self.core, record, run, notices: &notices };
        let mut tasks = Vec::new();
        for (key, task) in run.tasks() {
            tasks.push(drawer.task(key, task)?);
        }
        let order = task_graph::task_order(&run.job().graph());
        tasks.sort_by_key(|task| order.get(&task.task_key).copied().unwrap_or(usize::MAX));
        let resource = self.project.bundle().jobs.iter().find(|job| job.key == record.document.job_key);
        let now = resource.map(problems::runnable_settings);
        let of_run = |notice: &&Notice| {
            matches!(notice.kind, NoticeKind::SameValues | NoticeKind::InputsKept | NoticeKind::NoIterations)
        };
        let mut warnings: Vec<String> = notices.iter().filter(of_run).map(|notice| notice.message.clone()).collect();
        if let Some(error) = &record.save_error {
            warnings.push(format!("What happened in this run could not be saved, so it was stopped. {error}"));
        }
        Ok(RunView {
            summary: summary(record, resource),
            graph: task_graph::graph(run.job()),
            tasks,
            changes: changes(&self.core, run),
            parameters: run.parameters().iter().map(parameter_view).collect(),
            repairable: repairable(run),
            notices: warnings,
            settings_changed: now.is_some_and(|settings| settings != run.job().to_value()),
            elapsed_ms: record.document.elapsed_ms,
            faults: self.jobs.faults.view(),
        })
    }
}

/// A run in a list. It goes by the present name of its job, so that links to it lead somewhere after a job was renamed;
/// by the name it ran under where its job is gone.
pub(super) fn summary(record: &RunRecord, job: Option<&JobResource>) -> RunSummary {
    let run = &record.document.run;
    let state = match run_state(run.state()) {
        _ if is_interrupted(record) => RunState::Interrupted,
        RunState::Success if run.notices().iter().any(is_warning) => RunState::SuccessWithWarnings,
        state => state,
    };
    RunSummary {
        run_id: run.run_id(),
        number: record.document.number,
        job: job.map_or_else(|| run.context().name.clone(), |job| job.name().to_owned()),
        state,
        repair_count: run.context().repair_count,
        started: run.started(),
        ended: run.ended(),
    }
}

/// Whether a remark is on something that may be wrong. An empty list of inputs is not, nor that a repair kept them.
fn is_warning(notice: &Notice) -> bool {
    match notice.kind {
        NoticeKind::DefaultUsed
        | NoticeKind::SameValues
        | NoticeKind::MicrosecondsCut
        | NoticeKind::UnreadableOutput => true,
        NoticeKind::NoIterations | NoticeKind::InputsKept => false,
    }
}

/// Whether the worker ended during the run's latest repair, or the run itself.
fn is_interrupted(record: &RunRecord) -> bool {
    let run = &record.document.run;
    record.document.interrupted == Some(run.context().repair_count)
        && run.state() == State::Ended(ResultState::Canceled)
}

fn run_state(state: State) -> RunState {
    match state {
        State::Blocked => RunState::Blocked,
        State::Pending => RunState::Waiting,
        State::Running => RunState::Running,
        State::WaitingForRetry => RunState::WaitingForRetry,
        State::Ended(result) => match result {
            ResultState::Success => RunState::Success,
            ResultState::SuccessWithFailures => RunState::SuccessWithFailures,
            ResultState::Failed => RunState::Failed,
            ResultState::TimedOut => RunState::Timedout,
            ResultState::Canceled => RunState::Canceled,
            ResultState::UpstreamFailed => RunState::UpstreamFailed,
            ResultState::UpstreamCanceled => RunState::UpstreamCanceled,
            ResultState::Excluded => RunState::Excluded,
            ResultState::Disabled => RunState::Disabled,
        },
    }
}

/// What a repair without selection would run again.
fn repairable(run: &Run) -> Vec<(String, Vec<u32>)> {
    // A run that cannot be repaired has nothing to offer; whoever asks for it all the same is told why.
    let Ok(plan) = run.plan_repair(&repair_request(run, &lakelet_protocol::RepairRequest::default(), None)) else {
        return Vec::new();
    };
    let iterations = |key: &TaskKey| -> Vec<u32> {
        let indices = plan.rerun_iterations.get(key).map(Vec::as_slice).unwrap_or_default();
        indices.iter().filter_map(|index| u32::try_from(*index).ok()).collect()
    };
    plan.rerun.iter().map(|key| (key.to_string(), iterations(key))).collect()
}

fn parameter_view(parameter: &Parameter) -> ParameterValue {
    ParameterValue { name: parameter.name.clone(), value: parameter.value.clone(), origin: origin(parameter.origin) }
}

struct Drawer<'a> {
    core: &'a Core,
    record: &'a RunRecord,
    run: &'a Run,
    notices: &'a [Notice],
}

impl Drawer<'_> {
    fn task(&self, key: &TaskKey, task: &TaskRun) -> Result<TaskRunView> {
        let definition = self.run.job().task(key.as_str());
        let iterations = match task.for_each() {
            Some(for_each) => {
                let iterations = for_each.iterations().iter().enumerate();
                Some(
                    iterations
                        .map(|(index, iteration)| self.iteration(key, index, iteration))
                        .collect::<Result<Vec<_>>>()?,
                )
            }
            None => None,
        };
        let attempts = self.attempts(key, None, task.attempts())?;
        let mut state = self.state(task.state(), task.attempts());
        let has_warnings = self.notices.iter().any(|notice| notice.task_key == *key && is_warning(notice));
        if state == RunState::Success && has_warnings {
            state = RunState::SuccessWithWarnings;
        }
        let mut notices: Vec<String> = self
            .notices
            .iter()
            .filter(|notice| notice.task_key == *key && notice.iteration.is_none())
            .filter(|notice| !matches!(notice.kind, NoticeKind::DefaultUsed))
            .map(|notice| notice.message.clone())
            .collect();
        if let Some(for_each) = task.for_each() {
            notices.extend(for_each.stats().errors.iter().map(error_count));
        }
        let concurrency = match definition.map(|definition| &definition.kind) {
            Some(TaskKind::ForEach(for_each)) => Some(ConcurrencyView {
                limit: u32::try_from(for_each.effective_concurrency()).unwrap_or(u32::MAX),
                max_in_flight: max_in_flight(task),
            }),
            _ => None,
        };
        Ok(TaskRunView {
            task_key: key.to_string(),
            type_name: task_graph::type_word(task.type_name()),
            state,
            attempts,
            iterations,
            nested_key: definition.and_then(|definition| definition.kind.nested()).map(|nested| nested.key.to_string()),
            concurrency,
            notices,
        })
    }

    fn iteration(&self, key: &TaskKey, index: usize, iteration: &Iteration) -> Result<IterationView> {
        let attempts = self.attempts(key, Some(index), iteration.attempts())?;
        let mut state = self.state(iteration.state(), iteration.attempts());
        if state == RunState::Success
            && attempts.last().is_some_and(|attempt| attempt.state == RunState::SuccessWithWarnings)
        {
            state = RunState::SuccessWithWarnings;
        }
        Ok(IterationView {
            index: u32::try_from(index).unwrap_or(u32::MAX),
            label: iteration.label.clone(),
            input: iteration.input.to_string(),
            state,
            attempts,
        })
    }

    /// The state of a task or iteration. What was stopped with the worker is interrupted, not canceled.
    fn state(&self, state: State, attempts: &[Attempt]) -> RunState {
        let shown = run_state(state);
        let repair = attempts.last().map_or(self.run.context().repair_count, |attempt| attempt.repair);
        let is_stopped = shown == RunState::Canceled && self.record.document.interrupted.is_some();
        // Something that never started was stopped by the interruption too.
        if is_stopped && (attempts.is_empty() || self.record.document.interrupted == Some(repair)) {
            RunState::Interrupted
        } else {
            shown
        }
    }

    fn attempts(&self, key: &TaskKey, iteration: Option<usize>, attempts: &[Attempt]) -> Result<Vec<AttemptView>> {
        let n_attempts = attempts.len();
        attempts
            .iter()
            .enumerate()
            .map(|(place, attempt)| self.attempt(key, iteration, attempt, place + 1 == n_attempts))
            .collect()
    }

    fn attempt(
        &self,
        key: &TaskKey,
        iteration: Option<usize>,
        attempt: &Attempt,
        is_last: bool,
    ) -> Result<AttemptView> {
        let id = AttemptId { task_key: key.clone(), iteration, attempt: attempt.attempt };
        let record: AttemptRecord = documents::read(&self.core.store, &documents::attempt_key(self.run.run_id(), &id))?;
        let mut warnings = record.warnings;
        let defaults = attempt.parameters.iter().filter(|parameter| parameter.origin == Origin::Default);
        let defaults: Vec<&str> = defaults.map(|parameter| parameter.name.as_str()).collect();
        if !defaults.is_empty() {
            warnings.push(format!("used default: {}", defaults.join(", ")));
        }
        if is_last {
            let of_attempt = self.notices.iter().filter(|notice| {
                notice.task_key == *key
                    && notice.iteration == iteration
                    && matches!(notice.kind, NoticeKind::MicrosecondsCut | NoticeKind::UnreadableOutput)
            });
            warnings.extend(of_attempt.map(|notice| notice.message.clone()));
        }
        let mut state = run_state(attempt.state);
        if state == RunState::Canceled && self.record.document.interrupted == Some(attempt.repair) {
            state = RunState::Interrupted;
        }
        if state == RunState::Success && !defaults.is_empty() {
            state = RunState::SuccessWithWarnings;
        }
        let error = record.error.or_else(|| attempt.error.as_ref().map(wire_error));
        Ok(AttemptView {
            attempt: attempt.attempt + 1,
            state,
            start: Some(attempt.start),
            end: attempt.end,
            parameters: attempt.parameters.iter().map(parameter_view).collect(),
            rows: match &attempt.output {
                Some(AttemptOutput::Rows(rows)) => Some(output::output_view(rows)),
                _ => None,
            },
            cells: record.cells,
            error,
            warnings,
        })
    }
}

fn error_count(error: &ErrorCount) -> String {
    match error.count {
        1 => format!("1 iteration failed with [{}] {}", error.condition, error.message),
        count => format!("{count} iterations failed with [{}] {}", error.condition, error.message),
    }
}

/// Most attempts of iterations that ran at one instant.
fn max_in_flight(task: &TaskRun) -> u32 {
    let iterations = task.for_each().into_iter().flat_map(|for_each| for_each.iterations());
    let mut moments = Vec::new();
    for attempt in iterations.flat_map(Iteration::attempts) {
        // An end comes before a start at the same instant: the place is free again.
        moments.push((attempt.start, 1, 1_i64));
        if let Some(end) = attempt.end.filter(|end| *end > attempt.start) {
            moments.push((end, 0, -1));
        } else if attempt.end.is_some() {
            moments.push((attempt.start, 2, -1));
        }
    }
    moments.sort_unstable();
    let (mut n, mut most) = (0, 0);
    for (_, _, change) in moments {
        n += change;
        most = most.max(n);
    }
    u32::try_from(most).unwrap_or(0)
}

/// The tables that a run changed, in the order of its commits.
fn changes(core: &Core, run: &Run) -> Vec<RunChange> {
    let mut found = Vec::new();
    for table in core.store.all_tables().filter(|table| table.kind.is_visible()) {
        for commit in table.history().into_iter().take_while(|commit| commit.timestamp >= run.started()) {
            let cause = commit.operation.cause.as_ref().filter(|cause| cause.run_id == Some(run.run_id()));
            let Some(cause) = cause else { continue };
            let task_key = cause.task_key.clone().unwrap_or_default();
            let label = cause.iteration.and_then(|index| {
                let iterations = run.task(&task_key)?.for_each()?.iterations();
                Some(iterations.get(index as usize)?.label.clone())
            });
            found.push((commit.timestamp, change(&table.name.to_string(), commit, task_key, label, cause.attempt)));
        }
    }
    found.sort_by_key(|(at, _)| *at);
    found.into_iter().map(|(_, change)| change).collect()
}

fn change(
    table: &str,
    commit: &CommitInfo,
    task_key: String,
    iteration: Option<String>,
    attempt: Option<u32>,
) -> RunChange {
    let shown = crate::views::commit_view(commit);
    RunChange {
        table: table.to_owned(),
        operation: shown.operation,
        version_before: commit.version.checked_sub(1),
        version_after: commit.version,
        n_inserted: shown.n_inserted,
        n_updated: shown.n_updated,
        n_deleted: shown.n_deleted,
        task_key,
        iteration,
        attempt: attempt.unwrap_or(0) + 1,
    }
}
