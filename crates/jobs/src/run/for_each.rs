//! For each: the iterations of a loop.

use lakelet_base::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Attempt, Progress, Run, RunEffect, TaskError};
use crate::job::PARAMETER_CHARS_MAX;
use crate::parameters::{Origin, Parameter};
use crate::reference::{Reference, ReferenceErrorKind, Template, resolve};
use crate::state::{ResultState, State};
use crate::task::{InputsError, TaskKey, TaskKind, parse_inputs};
use crate::value::value_text;

/// Values of an input that its label shows.
const LABEL_VALUES: usize = 3;
/// Characters of a value that a label shows.
const LABEL_VALUE_CHARS: usize = 60;
/// Different messages that statistics show.
const MESSAGES_SHOWN: usize = 3;

/// Condition of inputs past a limit, wherever they come from.
const INPUTS_TOO_LARGE: &str = "inputs_too_large";

/// The iterations of a For each, all known before the first of them starts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForEachRun {
    /// The array as text, references resolved.
    pub inputs: String,
    pub(super) iterations: Vec<Iteration>,
    /// Iterations that a repair runs again once the loop starts.
    pub(super) to_rerun: Vec<usize>,
}

/// One iteration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Iteration {
    /// The element, `{{input}}`.
    pub input: Value,
    /// Up to three values of the element, for people.
    pub label: String,
    pub(super) progress: Progress,
}

impl Iteration {
    fn new(input: Value) -> Self {
        Self { label: label(&input), input, progress: Progress::new(State::Pending) }
    }

    /// Where it stands. One that was stopped before it started is canceled and has no attempt.
    pub fn state(&self) -> State {
        self.progress.state
    }

    /// Attempts, oldest first, over all repairs.
    pub fn attempts(&self) -> &[Attempt] {
        &self.progress.attempts
    }
}

/// Counts of iterations, as the Jobs API has them. Only the latest attempt of each counts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ForEachStats {
    /// All there are.
    pub total_iterations: usize,
    /// Those that have started.
    pub scheduled_iterations: usize,
    /// Those that have started and not ended.
    pub active_iterations: usize,
    /// Those that have started and ended.
    pub completed_iterations: usize,
    /// Those that succeeded.
    pub succeeded_iterations: usize,
    /// Those that failed.
    pub failed_iterations: usize,
    /// The most frequent errors, most frequent first.
    pub errors: Vec<ErrorCount>,
}

/// How often iterations failed with one message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorCount {
    /// Condition of the error.
    pub condition: String,
    /// The message.
    pub message: String,
    /// How often.
    pub count: usize,
}

impl ForEachRun {
    /// Iterations in the order of the inputs.
    pub fn iterations(&self) -> &[Iteration] {
        &self.iterations
    }

    /// Counts of iterations.
    pub fn stats(&self) -> ForEachStats {
        let mut stats = ForEachStats { total_iterations: self.iterations.len(), ..ForEachStats::default() };
        for iteration in self.iterations.iter().filter(|iteration| !iteration.progress.attempts.is_empty()) {
            stats.scheduled_iterations += 1;
            match iteration.progress.state.result() {
                None => stats.active_iterations += 1,
                Some(result) => {
                    stats.completed_iterations += 1;
                    stats.succeeded_iterations += usize::from(result == ResultState::Success);
                    stats.failed_iterations += usize::from(result.is_failure() && !result.is_cancel());
                }
            }
            let error = iteration.progress.last_attempt().and_then(|attempt| attempt.error.as_ref());
            if let Some(error) = error {
                match stats.errors.iter_mut().find(|known| known.message == error.message) {
                    Some(known) => known.count += 1,
                    None => stats.errors.push(ErrorCount {
                        condition: error.condition.clone(),
                        message: error.message.clone(),
                        count: 1,
                    }),
                }
            }
        }
        // The sort is stable: of equally frequent messages the first one met comes first.
        stats.errors.sort_by_key(|error| std::cmp::Reverse(error.count));
        stats.errors.truncate(MESSAGES_SHOWN);
        stats
    }
}

impl Run {
    /// Plans the iterations, or takes those of the original run again.
    pub(super) fn start_for_each(
        &mut self,
        key: &TaskKey,
        template: &str,
        now: Timestamp,
        effects: &mut Vec<RunEffect>,
    ) {
        let planned = self.tasks.get_mut(key).and_then(|task| task.for_each.as_mut());
        let (inputs, n_iterations) = if let Some(for_each) = planned {
            for index in std::mem::take(&mut for_each.to_rerun) {
                if let Some(iteration) = for_each.iterations.get_mut(index) {
                    iteration.progress.state = State::Pending;
                }
            }
            (for_each.inputs.clone(), for_each.iterations.len())
        } else {
            match self.plan(key, template) {
                Err((parameters, error)) => return self.fail_at_once(key, None, parameters, error, now),
                Ok(for_each) => {
                    let planned = (for_each.inputs.clone(), for_each.iterations.len());
                    if let Some(task) = self.tasks.get_mut(key) {
                        task.for_each = Some(for_each);
                    }
                    planned
                }
            }
        };
        let attempt = self.new_attempt(key, None, vec![Parameter::new("inputs", inputs, Origin::Task)], now);
        if let Some(task) = self.tasks.get_mut(key) {
            task.progress.attempts.push(attempt);
            task.progress.state = State::Running;
        }
        effects.push(RunEffect::IterationsPlanned { task_key: key.clone(), n_iterations });
    }

    /// Resolves the inputs; an error comes with the parameters to show beside it.
    fn plan(&self, key: &TaskKey, template: &str) -> Result<ForEachRun, (Vec<Parameter>, TaskError)> {
        let context = self.task_context(key, None, key.as_str(), None);
        let inputs = self.with_references(context, None, |context| resolve(template, context));
        let inputs = inputs.map_err(|error| {
            let too_large = error.kind == ReferenceErrorKind::OutputTooLarge;
            let condition = if too_large { INPUTS_TOO_LARGE } else { error.kind.as_str() };
            (Vec::new(), TaskError::new(condition, error.message))
        })?;
        let shown = |error| (vec![Parameter::new("inputs", inputs.clone(), Origin::Task)], error);
        self.check_size(template, &inputs).map_err(&shown)?;
        let elements = parse_inputs(&inputs).map_err(|error| {
            shown(match error {
                InputsError::NotJson(message) => TaskError::new("inputs_not_json", message),
                InputsError::NotArray(message) => TaskError::new("inputs_not_array", message),
            })
        })?;
        let most = self.limits.for_each_iterations_max;
        if elements.len() > most {
            let message = format!("The inputs have {} elements; a For each runs at most {most}.", elements.len());
            return Err(shown(TaskError::new(INPUTS_TOO_LARGE, message)));
        }
        let iterations = elements.into_iter().map(Iteration::new).collect();
        Ok(ForEachRun { inputs, iterations, to_rerun: Vec::new() })
    }

    /// What comes from a task may be 48 KB large, what comes from a job parameter 10,000 characters.
    fn check_size(&self, template: &str, inputs: &str) -> Result<(), TaskError> {
        let way_out = "Pass the keys only and look everything else up where it is used (a lookup table).";
        for reference in Template::parse(template).references() {
            let message = match reference {
                Reference::Upstream { .. } if inputs.len() > self.limits.task_output_bytes_max => {
                    let most = self.limits.task_output_bytes_max;
                    format!("The inputs have {} bytes; from a task they can have {most}. {way_out}", inputs.len())
                }
                Reference::JobParameter(_) if inputs.chars().count() > PARAMETER_CHARS_MAX => format!(
                    "The inputs have {} characters; from a job parameter they can have {PARAMETER_CHARS_MAX}. {way_out}",
                    inputs.chars().count()
                ),
                _ => continue,
            };
            return Err(TaskError::new(INPUTS_TOO_LARGE, message));
        }
        Ok(())
    }

    /// Starts due retries, fills free places in input order, and ends the loop after its last iteration. Whether
    /// anything changed.
    pub(super) fn settle_iterations(&mut self, key: &TaskKey, now: Timestamp, effects: &mut Vec<RunEffect>) -> bool {
        let concurrency = match self.job.task(key.as_str()).map(|task| &task.kind) {
            Some(TaskKind::ForEach(for_each)) => for_each.effective_concurrency(),
            _ => return false,
        };
        let mut changed = false;
        let Some(for_each) = self.tasks.get(key).and_then(|task| task.for_each.as_ref()) else {
            return false;
        };
        // An iteration that waits for its retry keeps its place.
        let due: Vec<usize> = positions(for_each, |progress| {
            progress.state == State::WaitingForRetry && progress.retry_at.is_none_or(|due| due <= now)
        });
        let mut waiting = positions(for_each, |progress| progress.state == State::Pending).into_iter();
        for index in due {
            self.start_attempt(key, Some(index), now, effects);
            changed = true;
        }
        while self.n_in_flight(key) < concurrency
            && let Some(index) = waiting.next()
        {
            self.start_attempt(key, Some(index), now, effects);
            changed = true;
        }
        self.end_loop_after_last(key, now) || changed
    }

    fn n_in_flight(&self, key: &TaskKey) -> usize {
        let for_each = self.tasks.get(key).and_then(|task| task.for_each.as_ref());
        let is_in_flight = |progress: &Progress| matches!(progress.state, State::Running | State::WaitingForRetry);
        for_each.map_or(0, |for_each| positions(for_each, is_in_flight).len())
    }

    fn end_loop_after_last(&mut self, key: &TaskKey, now: Timestamp) -> bool {
        let Some(task) = self.tasks.get_mut(key) else {
            return false;
        };
        let Some(for_each) = task.for_each.as_ref() else {
            return false;
        };
        let results: Option<Vec<ResultState>> =
            for_each.iterations.iter().map(|iteration| iteration.progress.state.result()).collect();
        let Some(results) = results else {
            return false;
        };
        let n_failed = results.iter().filter(|result| !result.is_success()).count();
        let state = if n_failed == 0 { ResultState::Success } else { ResultState::Failed };
        if let Some(attempt) = task.progress.attempts.last_mut() {
            attempt.state = State::Ended(state);
            attempt.end = Some(now);
            if n_failed > 0 {
                let message = format!("{n_failed} of {} iterations failed.", results.len());
                attempt.error = Some(TaskError::new("iterations_failed", message));
            }
        }
        task.progress.end(state);
        true
    }
}

fn positions(for_each: &ForEachRun, test: impl Fn(&Progress) -> bool) -> Vec<usize> {
    let iterations = for_each.iterations.iter().enumerate();
    iterations.filter(|(_, iteration)| test(&iteration.progress)).map(|(index, _)| index).collect()
}

/// Up to three values of an input: of its fields, of its elements, or itself.
fn label(input: &Value) -> String {
    let values: Vec<&Value> = match input {
        Value::Object(object) => object.values().take(LABEL_VALUES).collect(),
        Value::Array(array) => array.iter().take(LABEL_VALUES).collect(),
        scalar => vec![scalar],
    };
    let texts: Vec<String> = values.into_iter().map(|value| shortened(&value_text(value))).collect();
    texts.join(" · ")
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(LABEL_VALUE_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
