//! One step of a run: an event is taken in, then everything that can happen by itself happens.

use lakelet_base::Timestamp;

use super::attempt::prepare;
use super::{
    Attempt, AttemptFinished, AttemptId, AttemptOutcome, AttemptOutput, AttemptWork, Run, RunEffect, RunEvent,
    StartAttempt, TaskError,
};
use crate::parameters::{Origin, Parameter};
use crate::reference::{Reference, TaskContext, Template, resolve};
use crate::run_if::{Decision, EndedDependency, decide, job_result};
use crate::state::{ResultState, State};
use crate::task::{ConditionTask, Task, TaskKey, TaskKind};

/// Retries of one task in one run or repair, also where the settings set no end.
const RETRIES_MAX: usize = 5_000;

impl Run {
    /// Takes in what happened at `now` and says what to do next. Instants must not go back. A run that has ended
    /// answers nothing.
    pub fn advance(&mut self, event: RunEvent, now: Timestamp) -> Vec<RunEffect> {
        let mut effects = Vec::new();
        if self.state.is_ended() {
            return effects;
        }
        match event {
            RunEvent::AttemptFinished(finished) => self.finish_attempt(*finished, now),
            RunEvent::Cancel => self.stop_all(ResultState::Canceled, now, &mut effects),
            RunEvent::CancelTask(key) => self.stop_task(&key, ResultState::Canceled, now, &mut effects),
            RunEvent::Tick => {}
        }
        self.settle(now, &mut effects);
        effects
    }

    /// The next instant at which something happens by itself: a retry is due, or a time limit is over.
    pub fn next_wakeup(&self) -> Option<Timestamp> {
        if self.state.is_ended() {
            return None;
        }
        let of_progress = self.progresses().filter_map(|(_, _, progress)| match progress.state {
            State::WaitingForRetry => progress.retry_at,
            State::Running => progress.last_attempt().and_then(|attempt| attempt.deadline),
            State::Blocked | State::Pending | State::Ended(_) => None,
        });
        of_progress.chain(self.deadline).min()
    }

    /// Lets everything happen that needs no event, until nothing more does.
    pub(super) fn settle(&mut self, now: Timestamp, effects: &mut Vec<RunEffect>) {
        self.expire(now, effects);
        loop {
            let mut changed = false;
            for position in 0..self.tasks.len() {
                changed |= self.settle_task(position, now, effects);
            }
            if !changed {
                break;
            }
        }
        if self.tasks.values().all(|task| task.progress.state.is_ended()) {
            self.finish(now, effects);
        } else if let Some(until) = self.next_wakeup() {
            effects.push(RunEffect::Wait { until });
        }
    }

    /// Whether anything changed.
    fn settle_task(&mut self, position: usize, now: Timestamp, effects: &mut Vec<RunEffect>) -> bool {
        let Some((key, task_run)) = self.tasks.get_index(position) else {
            return false;
        };
        let key = key.clone();
        match task_run.progress.state {
            State::Blocked => match self.decide(&key) {
                None => return false,
                Some(Decision::Run) => self.start_task(&key, now, effects),
                Some(Decision::End(state)) => self.end_task(&key, state),
                Some(Decision::FailForInputs) => {
                    let message = "What this task reads comes from a task that is disabled.";
                    self.fail_at_once(&key, None, Vec::new(), TaskError::new("invalid_reference", message), now);
                }
            },
            State::Running if self.is_for_each(&key) => return self.settle_iterations(&key, now, effects),
            State::WaitingForRetry if task_run.progress.retry_at.is_none_or(|due| due <= now) => {
                self.start_attempt(&key, None, now, effects);
            }
            State::Pending | State::Running | State::WaitingForRetry | State::Ended(_) => return false,
        }
        true
    }

    pub(super) fn is_for_each(&self, key: &TaskKey) -> bool {
        self.job.task(key.as_str()).is_some_and(|task| matches!(task.kind, TaskKind::ForEach(_)))
    }

    /// What becomes of a task; `None` while something before it has not ended. Tasks that are not part of the run
    /// count as if they were not there.
    fn decide(&self, key: &TaskKey) -> Option<Decision> {
        let task = self.job.task(key.as_str())?;
        let mut ended = Vec::with_capacity(task.depends_on.len());
        for dependency in &task.depends_on {
            let Some(before) = self.tasks.get(&dependency.task_key) else {
                continue;
            };
            ended.push(EndedDependency {
                state: before.progress.state.result()?,
                branch: before.outcome.zip(dependency.outcome),
                provides_inputs: reads_inputs_from(task, dependency.task_key.as_str()),
            });
        }
        Some(decide(task.run_if, &ended))
    }

    fn start_task(&mut self, key: &TaskKey, now: Timestamp, effects: &mut Vec<RunEffect>) {
        let Some(task) = self.job.task(key.as_str()) else {
            return;
        };
        if let Some(task_run) = self.tasks.get_mut(key) {
            task.kind.type_name().clone_into(&mut task_run.type_name);
        }
        match &task.kind {
            TaskKind::ForEach(for_each) => {
                let inputs = for_each.inputs.clone();
                self.start_for_each(key, &inputs, now, effects);
            }
            TaskKind::Condition(condition) => {
                let condition = condition.clone();
                self.evaluate(key, &condition, now);
            }
            TaskKind::Sql(_)
            | TaskKind::Notebook(_)
            | TaskKind::RunJob(_)
            | TaskKind::Pipeline(_)
            | TaskKind::SparkPython(_)
            | TaskKind::Other(_) => self.start_attempt(key, None, now, effects),
        }
    }

    /// An If/else task begins and ends in one instant.
    fn evaluate(&mut self, key: &TaskKey, condition: &ConditionTask, now: Timestamp) {
        let operand = |run: &Self, template: &str| {
            run.with_references(run.task_context(key, None, key.as_str(), None), None, |context| {
                resolve(template, context).map_err(TaskError::from)
            })
        };
        let operands = operand(self, &condition.left).and_then(|left| Ok((left, operand(self, &condition.right)?)));
        let (parameters, outcome) = match operands {
            Err(error) => (Vec::new(), Err(error)),
            Ok((left, right)) => {
                let outcome = condition.op.compare(&left, &right);
                let outcome = outcome.map_err(|error| TaskError::new("not_a_number", error.to_string()));
                (
                    vec![Parameter::new("left", left, Origin::Task), Parameter::new("right", right, Origin::Task)],
                    outcome,
                )
            }
        };
        match outcome {
            Err(error) => self.fail_at_once(key, None, parameters, error, now),
            Ok(outcome) => {
                let mut attempt = self.new_attempt(key, None, parameters, now);
                attempt.state = State::Ended(ResultState::Success);
                attempt.end = Some(now);
                attempt.output = Some(AttemptOutput::Text(outcome.to_string()));
                if let Some(task_run) = self.tasks.get_mut(key) {
                    task_run.outcome = Some(outcome);
                    task_run.progress.attempts.push(attempt);
                    task_run.progress.end(ResultState::Success);
                }
            }
        }
    }

    /// Starts an attempt of a task, or of an iteration, that the host executes. One whose references have no value
    /// fails at once and is not retried: it would fail again.
    pub(super) fn start_attempt(
        &mut self,
        key: &TaskKey,
        iteration: Option<usize>,
        now: Timestamp,
        effects: &mut Vec<RunEffect>,
    ) {
        let Some(task) = self.definition(key, iteration) else {
            return;
        };
        let timeout_millis = task.timeout_millis;
        let prepared = self.prepare(key, iteration, task);
        match prepared {
            Err(error) => self.fail_at_once(key, iteration, Vec::new(), error, now),
            Ok((work, parameters)) => {
                let mut attempt = self.new_attempt(key, iteration, parameters, now);
                attempt.deadline = timeout_millis.map(|millis| now.plus_millis(millis));
                let start = StartAttempt {
                    id: AttemptId { task_key: key.clone(), iteration, attempt: attempt.attempt },
                    run_id: attempt.run_id,
                    work,
                    parameters: attempt.parameters.clone(),
                    deadline: attempt.deadline,
                };
                if let Some(progress) = self.progress_mut(key.as_str(), iteration) {
                    progress.attempts.push(attempt);
                    progress.state = State::Running;
                    progress.retry_at = None;
                    effects.push(RunEffect::StartAttempt(Box::new(start)));
                }
            }
        }
    }

    fn prepare(
        &self,
        key: &TaskKey,
        iteration: Option<usize>,
        task: &Task,
    ) -> Result<(AttemptWork, Vec<Parameter>), TaskError> {
        let iterations = self.tasks.get(key).and_then(|task| task.for_each.as_ref());
        let input = iterations.zip(iteration).and_then(|(for_each, index)| for_each.iterations.get(index));
        let notebook_path = match &task.kind {
            TaskKind::Notebook(notebook) => Some(notebook.notebook_path.as_str()),
            _ => None,
        };
        let context = self.task_context(key, iteration, task.key.as_str(), notebook_path);
        self.with_references(context, input.map(|iteration| &iteration.input), |context| {
            prepare(task, &self.request, &self.parameters, context)
        })
    }

    /// The settings of a task, or of the nested task of a For each.
    fn definition(&self, key: &TaskKey, iteration: Option<usize>) -> Option<&Task> {
        let task = self.job.task(key.as_str())?;
        if iteration.is_some() { task.kind.nested() } else { Some(task) }
    }

    /// What references of the attempt that starts next see of it.
    pub(super) fn task_context<'a>(
        &self,
        key: &TaskKey,
        iteration: Option<usize>,
        name: &'a str,
        notebook_path: Option<&'a str>,
    ) -> TaskContext<'a> {
        let n_attempts = self.tasks.get(key).map_or(0, |task| match (iteration, &task.for_each) {
            (Some(index), Some(for_each)) => {
                for_each.iterations.get(index).map_or(0, |iteration| iteration.progress.attempts.len())
            }
            _ => task.progress.attempts.len(),
        });
        TaskContext {
            name,
            run_id: self.attempt_run_id(self.n_attempts + 1),
            execution_count: u32::try_from(n_attempts + 1).unwrap_or(u32::MAX),
            notebook_path,
        }
    }

    /// Ids of task runs are those of the run with a running number behind.
    fn attempt_run_id(&self, number: u64) -> u64 {
        /// Room for the attempts of one run: the largest loop, each iteration retried a hundred times.
        const ATTEMPTS_PER_RUN: u64 = 1_000_000;
        self.context.run_id.saturating_mul(ATTEMPTS_PER_RUN).saturating_add(number)
    }

    pub(super) fn new_attempt(
        &mut self,
        key: &TaskKey,
        iteration: Option<usize>,
        parameters: Vec<Parameter>,
        now: Timestamp,
    ) -> Attempt {
        self.n_attempts += 1;
        let type_name = self.definition(key, iteration).map_or("", |task| task.kind.type_name()).to_owned();
        let (run_id, repair) = (self.attempt_run_id(self.n_attempts), self.context.repair_count);
        let n_before = self.progress_mut(key.as_str(), iteration).map_or(0, |progress| progress.attempts.len());
        Attempt {
            attempt: u32::try_from(n_before).unwrap_or(u32::MAX),
            run_id,
            repair,
            type_name,
            state: State::Running,
            start: now,
            end: None,
            deadline: None,
            parameters,
            output: None,
            error: None,
            task_values: indexmap::IndexMap::new(),
        }
    }

    /// Records an attempt that failed before the host had anything to do.
    pub(super) fn fail_at_once(
        &mut self,
        key: &TaskKey,
        iteration: Option<usize>,
        parameters: Vec<Parameter>,
        error: TaskError,
        now: Timestamp,
    ) {
        let mut attempt = self.new_attempt(key, iteration, parameters, now);
        attempt.state = State::Ended(ResultState::Failed);
        attempt.end = Some(now);
        attempt.error = Some(error);
        if let Some(progress) = self.progress_mut(key.as_str(), iteration) {
            progress.attempts.push(attempt);
            progress.end(ResultState::Failed);
        }
    }

    fn finish_attempt(&mut self, finished: AttemptFinished, now: Timestamp) {
        let AttemptFinished { id, outcome, widget_defaults, task_values } = finished;
        let is_loop = id.iteration.is_none() && self.is_for_each(&id.task_key);
        let Some(task) = self.definition(&id.task_key, id.iteration) else {
            return;
        };
        let (retry, repair) = (task.retry, self.context.repair_count);
        let Some(progress) = self.progress_mut(id.task_key.as_str(), id.iteration) else {
            return;
        };
        let Some(attempt) = progress.attempts.last_mut() else {
            return;
        };
        // The attempt of a For each itself is the loop's, never the host's.
        if is_loop || attempt.attempt != id.attempt || attempt.state != State::Running {
            return;
        }
        let defaults = widget_defaults.into_iter().map(|(name, value)| Parameter::new(name, value, Origin::Default));
        attempt.parameters.extend(defaults);
        attempt.task_values = task_values;
        let is_late = attempt.deadline.is_some_and(|deadline| now > deadline);
        let state = match outcome {
            AttemptOutcome::Canceled => ResultState::Canceled,
            AttemptOutcome::TimedOut => ResultState::TimedOut,
            _ if is_late => ResultState::TimedOut,
            AttemptOutcome::Succeeded { output } => {
                attempt.output = output;
                ResultState::Success
            }
            AttemptOutcome::Failed { error, output } => {
                attempt.error = Some(error);
                attempt.output = output;
                ResultState::Failed
            }
        };
        if state == ResultState::TimedOut {
            attempt.error = Some(timed_out());
        }
        attempt.state = State::Ended(state);
        attempt.end = Some(now);
        let started = attempt.start;
        end_or_retry(progress, state, retry, repair, started);
    }

    /// Ends attempts, and the run, whose time is over.
    fn expire(&mut self, now: Timestamp, effects: &mut Vec<RunEffect>) {
        if self.deadline.is_some_and(|deadline| deadline <= now) && self.stopped_as.is_none() {
            self.stop_all(ResultState::TimedOut, now, effects);
        }
        let late: Vec<AttemptId> = self
            .progresses()
            .filter_map(|(key, iteration, progress)| {
                let attempt = progress.last_attempt().filter(|attempt| attempt.state == State::Running)?;
                let is_late = attempt.deadline.is_some_and(|deadline| deadline <= now);
                is_late.then(|| AttemptId { task_key: key.clone(), iteration, attempt: attempt.attempt })
            })
            .collect();
        for id in late {
            effects.push(RunEffect::StopAttempt(id.clone()));
            self.finish_attempt(AttemptFinished::new(id, AttemptOutcome::TimedOut), now);
        }
    }

    fn stop_all(&mut self, state: ResultState, now: Timestamp, effects: &mut Vec<RunEffect>) {
        self.stopped_as = Some(state);
        let keys: Vec<TaskKey> = self.tasks.keys().cloned().collect();
        for key in keys {
            self.stop_task(&key, state, now, effects);
        }
    }

    /// Ends a task that has not ended, with everything in it.
    fn stop_task(&mut self, key: &TaskKey, state: ResultState, now: Timestamp, effects: &mut Vec<RunEffect>) {
        let is_for_each = self.is_for_each(key);
        let Some(task) = self.tasks.get_mut(key).filter(|task| !task.progress.state.is_ended()) else {
            return;
        };
        let mut stop = |progress: &mut super::Progress, iteration: Option<usize>, is_executed: bool| {
            if let Some(attempt) = progress.attempts.last_mut().filter(|attempt| attempt.state == State::Running) {
                attempt.state = State::Ended(state);
                attempt.end = Some(now);
                if state == ResultState::TimedOut {
                    attempt.error = Some(timed_out());
                }
                if is_executed {
                    let id = AttemptId { task_key: key.clone(), iteration, attempt: attempt.attempt };
                    effects.push(RunEffect::StopAttempt(id));
                }
            }
            progress.end(state);
        };
        let is_running = task.progress.state == State::Running;
        stop(&mut task.progress, None, !is_for_each);
        // A loop that waits for its turn in a repair has iterations of before, which stay as they are.
        if let Some(for_each) = task.for_each.as_mut().filter(|_| is_running && is_for_each) {
            for (index, iteration) in for_each.iterations.iter_mut().enumerate() {
                if !iteration.progress.state.is_ended() {
                    stop(&mut iteration.progress, Some(index), true);
                }
            }
        }
    }

    fn end_task(&mut self, key: &TaskKey, state: ResultState) {
        if let Some(task) = self.tasks.get_mut(key) {
            task.progress.end(state);
        }
    }

    fn finish(&mut self, now: Timestamp, effects: &mut Vec<RunEffect>) {
        let ends: Vec<(&str, ResultState, Vec<&str>)> = self
            .tasks
            .iter()
            .filter_map(|(key, task_run)| {
                let task = self.job.task(key.as_str())?;
                let dependencies = task.depends_on.iter().map(|dependency| dependency.task_key.as_str()).collect();
                Some((key.as_str(), task_run.progress.state.result()?, dependencies))
            })
            .collect();
        let state = self.stopped_as.unwrap_or_else(|| job_result(&ends));
        self.state = State::Ended(state);
        self.ended = Some(now);
        if let Some(item) = self.history.last_mut() {
            item.ended = Some(now);
            item.state = self.state;
        }
        effects.push(RunEffect::Finish { state });
    }

    /// Every task and iteration.
    fn progresses(&self) -> impl Iterator<Item = (&TaskKey, Option<usize>, &super::Progress)> {
        self.tasks.iter().flat_map(|(key, task)| {
            let iterations = task.for_each.iter().flat_map(|for_each| &for_each.iterations).enumerate();
            let iterations = iterations.map(move |(index, iteration)| (key, Some(index), &iteration.progress));
            std::iter::once((key, None, &task.progress)).chain(iterations)
        })
    }
}

/// After an attempt that ended in `state`: another one, or the end.
fn end_or_retry(
    progress: &mut super::Progress,
    state: ResultState,
    retry: crate::task::RetryPolicy,
    repair: u32,
    started: Timestamp,
) {
    let n_retries = progress.attempts.iter().filter(|attempt| attempt.repair == repair).count().saturating_sub(1);
    let n_retries_max = retry.max_retries.map_or(RETRIES_MAX, |max| (max as usize).min(RETRIES_MAX));
    let is_retried = match state {
        ResultState::Failed => true,
        ResultState::TimedOut => retry.retry_on_timeout,
        _ => false,
    };
    if is_retried && n_retries < n_retries_max {
        progress.state = State::WaitingForRetry;
        progress.retry_at = Some(started.plus_millis(retry.min_retry_interval_millis));
    } else {
        progress.end(state);
    }
}

fn timed_out() -> TaskError {
    TaskError::new("TIMEDOUT", "It took longer than its timeout allows.")
}

/// Whether the inputs of a For each, or the operands of an If/else, refer to task `key`.
fn reads_inputs_from(task: &Task, key: &str) -> bool {
    let refers = |template: &str| {
        let template = Template::parse(template);
        template.references().any(|reference| matches!(reference, Reference::Upstream { task, .. } if task == key))
    };
    match &task.kind {
        TaskKind::ForEach(for_each) => refers(&for_each.inputs),
        TaskKind::Condition(condition) => refers(&condition.left) || refers(&condition.right),
        _ => false,
    }
}
