//! A run as it stood after its first, second … attempt: what repairs replaced can still be read.

use lakelet_protocol::{AttemptView, IterationView, RunState, RunView, TaskRunView};

/// The largest number of attempts that anything in the run has.
pub fn n_attempts(run: &RunView) -> u32 {
    let of_task = |task: &TaskRunView| {
        let iterations = task.iterations.iter().flatten().flat_map(|iteration| &iteration.attempts);
        task.attempts.iter().chain(iterations).map(|attempt| attempt.attempt).max()
    };
    run.tasks.iter().filter_map(of_task).max().unwrap_or(1)
}

/// How a task or an iteration stands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Standing<'v> {
    /// Its state.
    pub state: RunState,
    /// The attempt that shows it, once there was one.
    pub attempt: Option<&'v AttemptView>,
    /// It succeeded, but not at once.
    pub repaired: bool,
}

impl<'v> Standing<'v> {
    /// Milliseconds of the attempt, once it has ended.
    pub fn duration_ms(&self) -> Option<f64> {
        let attempt = self.attempt?;
        Some((attempt.end?.0 - attempt.start?.0) as f64 / 1e3)
    }

    fn new(state: RunState, attempts: &'v [AttemptView], limit: Option<u32>) -> Self {
        let shown = match limit {
            Some(limit) => attempts.iter().rfind(|attempt| attempt.attempt <= limit).or(attempts.first()),
            None => attempts.last(),
        };
        let is_last = shown.map(|attempt| attempt.attempt) == attempts.last().map(|attempt| attempt.attempt);
        let state = shown.filter(|_| !is_last).map_or(state, |attempt| attempt.state);
        let repaired = state == RunState::Success && shown.is_some_and(|attempt| attempt.attempt > 1);
        Self { state, attempt: shown, repaired }
    }
}

/// How an iteration stood after so many attempts, or stands now.
pub fn of_iteration(iteration: &IterationView, limit: Option<u32>) -> Standing<'_> {
    Standing::new(iteration.state, &iteration.attempts, limit)
}

/// How a task stood after so many attempts, or stands now.
pub fn of_task(task: &TaskRunView, limit: Option<u32>) -> Standing<'_> {
    Standing::new(task.state, &task.attempts, limit)
}

/// Whether nothing is wrong with it.
pub fn is_success(state: RunState) -> bool {
    matches!(state, RunState::Success | RunState::SuccessWithWarnings | RunState::SuccessWithFailures)
}

/// Whether it went wrong.
pub fn is_failure(state: RunState) -> bool {
    matches!(state, RunState::Failed | RunState::Timedout | RunState::Interrupted | RunState::UpstreamFailed)
}

/// How many of a For each's iterations succeeded, and how many there are. `None` for other tasks, and before it is
/// planned.
pub fn n_succeeded(task: &TaskRunView, limit: Option<u32>) -> Option<(usize, usize)> {
    let iterations = task.iterations.as_ref()?;
    let succeeded = iterations.iter().filter(|iteration| is_success(of_iteration(iteration, limit).state)).count();
    Some((succeeded, iterations.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::run::samples::{attempt, repaired_run};

    #[test]
    fn the_first_attempt_can_be_looked_at_after_a_repair() {
        let run = repaired_run();
        assert_eq!(n_attempts(&run), 2);
        let iterations = run.tasks[1].iterations.as_ref().unwrap();
        let now = of_iteration(&iterations[1], None);
        assert_eq!((now.state, now.repaired), (RunState::Success, true));
        let before = of_iteration(&iterations[1], Some(1));
        assert_eq!((before.state, before.repaired), (RunState::Failed, false));
        assert!(before.attempt.unwrap().error.is_some());
        let other = of_iteration(&iterations[0], Some(2));
        assert_eq!((other.state, other.repaired, other.attempt.unwrap().attempt), (RunState::Success, false, 1));
        assert_eq!(n_succeeded(&run.tasks[1], Some(1)), Some((2, 3)));
        assert_eq!(n_succeeded(&run.tasks[1], None), Some((3, 3)));
        assert_eq!(n_succeeded(&run.tasks[0], None), None);
    }

    #[test]
    fn durations_need_an_end() {
        let mut attempts = vec![attempt(1, RunState::Success, 1_000, 2_200)];
        assert_eq!(Standing::new(RunState::Success, &attempts, None).duration_ms(), Some(1_200.0));
        attempts[0].end = None;
        assert_eq!(Standing::new(RunState::Running, &attempts, None).duration_ms(), None);
        assert_eq!(Standing::new(RunState::Waiting, &[], None).attempt, None);
    }
}
