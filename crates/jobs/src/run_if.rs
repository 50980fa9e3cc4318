//! Whether a task runs once everything before it has ended, and how a run as a whole ended.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use crate::state::ResultState;
use crate::task::RunIf;

/// One dependency of a task, ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EndedDependency {
    /// How it ended.
    pub state: ResultState,
    /// For an If/else task: its outcome, and the outcome that the edge belongs to.
    pub branch: Option<(bool, bool)>,
    /// Whether the task's For each inputs or If/else operands refer to it.
    pub provides_inputs: bool,
}

impl EndedDependency {
    /// A dependency on a task that is no If/else.
    pub fn new(state: ResultState) -> Self {
        Self { state, branch: None, provides_inputs: false }
    }

    /// What the dependent sees: the branch that was not taken is excluded.
    fn seen_state(self) -> ResultState {
        match self.branch {
            Some((outcome, wanted)) if self.state == ResultState::Success && outcome != wanted => ResultState::Excluded,
            _ => self.state,
        }
    }
}

/// What becomes of a task whose dependencies have ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// It runs.
    Run,
    /// It does not run and ends in this state: `UPSTREAM_FAILED`, `UPSTREAM_CANCELED`, `EXCLUDED` or `DISABLED`.
    End(ResultState),
    /// It would run, but what it reads comes from a task that is disabled: it fails.
    FailForInputs,
}

/// Decides about a task.
pub fn decide(run_if: RunIf, dependencies: &[EndedDependency]) -> Decision {
    if dependencies.is_empty() {
        return Decision::Run;
    }
    let states: Vec<ResultState> = dependencies.iter().map(|dependency| dependency.seen_state()).collect();
    let count = |test: &dyn Fn(ResultState) -> bool| states.iter().filter(|state| test(**state)).count();
    let n_excluded = count(&|state| state == ResultState::Excluded);
    let n_disabled = count(&|state| state == ResultState::Disabled);
    let n_success = count(&ResultState::is_success);
    let n_failure = count(&ResultState::is_failure);
    let all = states.len();

    if n_excluded == all {
        return Decision::End(ResultState::Excluded);
    }
    if is_disabled_for_run(run_if, n_disabled, all) {
        return Decision::End(ResultState::Disabled);
    }
    let (is_met, otherwise) = match run_if {
        RunIf::AllSuccess => (n_success == all, upstream_end(&states)),
        RunIf::AtLeastOneSuccess => (n_success > 0, upstream_end(&states)),
        RunIf::NoneFailed => (n_failure == 0, upstream_end(&states)),
        RunIf::AllDone => (true, ResultState::Excluded),
        RunIf::AtLeastOneFailed => (n_failure > 0, ResultState::Excluded),
        RunIf::AllFailed => (n_failure == all, ResultState::Excluded),
    };
    if !is_met {
        return Decision::End(otherwise);
    }
    let reads_from_disabled =
        |dependency: &EndedDependency| dependency.provides_inputs && dependency.state == ResultState::Disabled;
    if dependencies.iter().any(reads_from_disabled) { Decision::FailForInputs } else { Decision::Run }
}

/// Whether a task cannot run because `n_disabled` of its dependencies are disabled, whatever the others do. It is then
/// disabled itself, for this run only, which is known when the run is created.
pub(crate) fn is_disabled_for_run(run_if: RunIf, n_disabled: usize, n_dependencies: usize) -> bool {
    match run_if {
        RunIf::AllSuccess | RunIf::AllFailed => n_disabled > 0,
        RunIf::AtLeastOneSuccess | RunIf::NoneFailed | RunIf::AtLeastOneFailed => {
            n_disabled > 0 && n_disabled == n_dependencies
        }
        RunIf::AllDone => false,
    }
}

/// A cancellation is passed down as one, unless something failed beside it.
fn upstream_end(states: &[ResultState]) -> ResultState {
    let mut failures = states.iter().filter(|state| state.is_failure()).peekable();
    if failures.peek().is_some() && failures.all(|state| state.is_cancel()) {
        ResultState::UpstreamCanceled
    } else {
        ResultState::UpstreamFailed
    }
}

/// How a run ended, by the ends of its tasks and the keys each depends on. The tasks that nothing depends on decide:
/// if one of them failed the run did, and a failure before them that they outlived is a success with failures.
pub fn job_result<'a>(tasks: &[(&'a str, ResultState, Vec<&'a str>)]) -> ResultState {
    let mut n_dependents: BTreeMap<&str, usize> = BTreeMap::new();
    for dependency in tasks.iter().flat_map(|(_, _, dependencies)| dependencies) {
        *n_dependents.entry(dependency).or_default() += 1;
    }
    let leaves = || tasks.iter().filter(|(key, _, _)| !n_dependents.contains_key(key)).map(|(_, state, _)| *state);
    if leaves().any(|state| state.is_failure() && !state.is_cancel()) {
        ResultState::Failed
    } else if leaves().any(ResultState::is_cancel) {
        ResultState::Canceled
    } else if tasks.iter().any(|(_, state, _)| state.is_failure()) {
        ResultState::SuccessWithFailures
    } else {
        ResultState::Success
    }
}
