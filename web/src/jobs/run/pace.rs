//! A run shown as slowly as it went by its own clock: the engine is quicker than anybody can watch.

use lakelet_base::Timestamp;
use lakelet_protocol::{AttemptView, RunState, RunView};

/// How a run is shown while it goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pace {
    /// As soon as things have happened.
    #[default]
    Instant,
    /// At the speed of the workspace's clock.
    Watch,
    /// From one change to the next, by a button.
    Step,
}

impl Pace {
    /// All paces.
    pub const ALL: [Self; 3] = [Self::Instant, Self::Watch, Self::Step];

    /// The word in an address and in a form.
    pub fn key(self) -> &'static str {
        match self {
            Self::Instant => "instant",
            Self::Watch => "watch",
            Self::Step => "step",
        }
    }

    /// The pace of a word.
    pub fn from_key(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|pace| pace.key() == key)
    }
}

/// The instants at which something begins or ends, in order and without repetition.
pub fn moments(run: &RunView) -> Vec<Timestamp> {
    let attempts = run.tasks.iter().flat_map(|task| {
        let iterations = task.iterations.iter().flatten().flat_map(|iteration| &iteration.attempts);
        task.attempts.iter().chain(iterations)
    });
    let mut moments: Vec<Timestamp> =
        attempts.flat_map(|attempt| [attempt.start, attempt.end]).flatten().chain(run.summary.ended).collect();
    moments.sort_unstable();
    moments.dedup();
    moments
}

/// The run as it stood at an instant of its clock.
pub fn at(run: &RunView, now: Timestamp) -> RunView {
    if run.summary.ended.is_some_and(|ended| ended <= now) {
        return run.clone();
    }
    let mut shown = run.clone();
    shown.summary.state = RunState::Running;
    shown.summary.ended = None;
    shown.repairable.clear();
    // What commits and notices say about is not told before its end; a commit has no instant of its own here.
    shown.changes.clear();
    shown.notices.clear();
    for task in &mut shown.tasks {
        let begun = task.attempts.iter().any(|attempt| attempt.start.is_some_and(|start| start <= now));
        let had_attempts = !task.attempts.is_empty();
        task.state = cut(&mut task.attempts, now, task.state, RunState::Blocked);
        if !had_attempts {
            task.state = if task.state.is_final() { RunState::Blocked } else { task.state };
        }
        if !begun {
            task.iterations = None;
        }
        if task.state == RunState::Running || !begun {
            task.notices.clear();
        }
        for iteration in task.iterations.iter_mut().flatten() {
            iteration.state = cut(&mut iteration.attempts, now, iteration.state, RunState::Waiting);
        }
    }
    shown
}

/// Leaves what had begun of some attempts; the state at that instant.
fn cut(attempts: &mut Vec<AttemptView>, now: Timestamp, state: RunState, before: RunState) -> RunState {
    let n_attempts = attempts.len();
    attempts.retain(|attempt| attempt.start.is_some_and(|start| start <= now));
    let is_cut = attempts.len() < n_attempts;
    let Some(last) = attempts.last_mut() else { return if is_cut { before } else { state } };
    if last.end.is_none_or(|end| end > now) {
        last.end = None;
        last.state = RunState::Running;
        last.rows = None;
        last.cells.clear();
        last.error = None;
        last.warnings.clear();
        return RunState::Running;
    }
    if is_cut { last.state } else { state }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::run::samples::failed_run;

    fn states(run: &RunView, ms: i64) -> (RunState, Vec<RunState>, Vec<RunState>) {
        let shown = at(run, Timestamp::LESSON_START.plus_millis(ms));
        let iterations = shown.tasks[1].iterations.iter().flatten().map(|iteration| iteration.state).collect();
        (shown.summary.state, shown.tasks.iter().map(|task| task.state).collect(), iterations)
    }

    #[test]
    fn a_run_is_shown_as_it_stood() {
        use RunState::{Blocked, Failed, Running, Success, Waiting};
        let run = failed_run();
        assert_eq!(states(&run, 100), (Running, vec![Running, Blocked], vec![]));
        assert_eq!(states(&run, 500), (Running, vec![Success, Running], vec![Running, Running, Waiting]));
        assert_eq!(states(&run, 1_000), (Running, vec![Success, Running], vec![Running, Failed, Running]));
        assert_eq!(states(&run, 1_900), (Failed, vec![Success, Failed], vec![Success, Failed, Success]));
    }

    #[test]
    fn moments_are_in_order() {
        let run = failed_run();
        let offsets: Vec<i64> = moments(&run).iter().map(|at| at.millis() - Timestamp::LESSON_START.millis()).collect();
        assert_eq!(offsets, [0, 500, 900, 1_700, 1_900]);
    }

    #[test]
    fn paces_have_words() {
        for pace in Pace::ALL {
            assert_eq!(Pace::from_key(pace.key()), Some(pace));
        }
        assert_eq!(Pace::from_key("fast"), None);
    }
}
