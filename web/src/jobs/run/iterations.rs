//! The iterations of a For each: which are shown, how many there are of each kind, how many rows each had to do with.

use lakelet_protocol::{AttemptView, IterationView, OutputItem, RunChange, RunState, TaskRunView};

use crate::jobs::run::as_of::{is_failure, is_success, of_iteration};

/// Iterations of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Filter {
    /// All.
    #[default]
    All,
    /// Succeeded.
    Succeeded,
    /// Failed.
    Failed,
    /// Running.
    Running,
    /// Not begun.
    Waiting,
    /// Stopped or left out.
    Stopped,
}

impl Filter {
    /// In the order of their buttons.
    pub const ALL: [Self; 6] = [Self::All, Self::Succeeded, Self::Failed, Self::Running, Self::Waiting, Self::Stopped];

    /// Whether it has a button when it would show nothing.
    pub fn is_always_there(self) -> bool {
        matches!(self, Self::All | Self::Succeeded | Self::Failed)
    }

    /// Whether it shows iterations of a state.
    pub fn shows(self, state: RunState) -> bool {
        let kind = match state {
            state if is_success(state) => Self::Succeeded,
            state if is_failure(state) => Self::Failed,
            RunState::Running => Self::Running,
            state if state.is_final() => Self::Stopped,
            _ => Self::Waiting,
        };
        self == Self::All || self == kind
    }
}

/// How many iterations a filter shows.
pub fn n_shown(iterations: &[IterationView], filter: Filter, limit: Option<u32>) -> usize {
    iterations.iter().filter(|iteration| filter.shows(of_iteration(iteration, limit).state)).count()
}

/// Whether a search finds an iteration: in its label, its input or its message.
pub fn is_found(iteration: &IterationView, search: &str) -> bool {
    let search = search.trim().to_lowercase();
    let has = |text: &str| text.to_lowercase().contains(&search);
    let in_message = || {
        let errors = iteration.attempts.iter().filter_map(|attempt| attempt.error.as_ref());
        errors.into_iter().any(|error| has(&error.condition) || has(&error.message))
    };
    search.is_empty() || has(&iteration.label) || has(&iteration.input) || in_message()
}

/// Rows that an attempt has shown: those of its last displayed table, or of its SQL.
pub fn n_rows_shown(attempt: &AttemptView) -> Option<u64> {
    let mut displayed = attempt.cells.iter().flat_map(|cell| &cell.items).filter_map(|item| match item {
        OutputItem::Table { header, .. } => Some(header.n_rows),
        OutputItem::Text { .. } => None,
    });
    attempt.rows.as_ref().map(|rows| rows.n_rows).or(displayed.next_back())
}

/// Rows that an attempt has inserted, updated and deleted.
pub fn rows_changed(changes: &[RunChange], task: &TaskRunView, iteration: &IterationView, attempt: u32) -> [u64; 3] {
    let of_attempt = |change: &&RunChange| {
        is_of(change, task) && change.iteration.as_ref() == Some(&iteration.label) && change.attempt == attempt
    };
    changes.iter().filter(of_attempt).fold([0; 3], |[inserted, updated, deleted], change| {
        [inserted + change.n_inserted, updated + change.n_updated, deleted + change.n_deleted]
    })
}

/// Whether a change was made by a task or by the task that it loops over.
pub fn is_of(change: &RunChange, task: &TaskRunView) -> bool {
    change.task_key == task.task_key || task.nested_key.as_ref() == Some(&change.task_key)
}

/// What to say beside an iteration: why it failed, or what should be known though it succeeded.
pub fn message(attempt: Option<&AttemptView>) -> String {
    let Some(attempt) = attempt else { return String::new() };
    match &attempt.error {
        Some(error) => format!("[{}] {}", error.condition, error.message),
        None => attempt.warnings.join(" "),
    }
}

/// The words of an iteration's progress: done, all, running, failed.
pub fn progress(iterations: &[IterationView], limit: Option<u32>) -> [usize; 4] {
    let n = |test: &dyn Fn(RunState) -> bool| {
        iterations.iter().filter(|iteration| test(of_iteration(iteration, limit).state)).count()
    };
    [n(&RunState::is_final), iterations.len(), n(&|state| state == RunState::Running), n(&is_failure)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::run::samples::{failed_run, repaired_run};

    #[test]
    fn filters_count_what_they_show() {
        let run = failed_run();
        let iterations = run.tasks[1].iterations.as_ref().unwrap();
        let counts = Filter::ALL.map(|filter| n_shown(iterations, filter, None));
        assert_eq!(counts, [3, 2, 1, 0, 0, 0]);
        assert_eq!(progress(iterations, None), [3, 3, 0, 1]);
        let repaired = repaired_run();
        let iterations = repaired.tasks[1].iterations.as_ref().unwrap();
        assert_eq!(n_shown(iterations, Filter::Failed, None), 0);
        assert_eq!(n_shown(iterations, Filter::Failed, Some(1)), 1);
    }

    #[test]
    fn every_state_has_one_filter() {
        for state in [RunState::Waiting, RunState::Canceled, RunState::Running, RunState::Interrupted] {
            assert_eq!(Filter::ALL.iter().skip(1).filter(|filter| filter.shows(state)).count(), 1, "{state:?}");
        }
    }

    #[test]
    fn a_search_looks_at_labels_inputs_and_messages() {
        let run = failed_run();
        let iterations = run.tasks[1].iterations.as_ref().unwrap();
        let found = |search: &str| {
            iterations.iter().filter(|iteration| is_found(iteration, search)).map(|i| i.index).collect::<Vec<_>>()
        };
        assert_eq!(found(""), [0, 1, 2]);
        assert_eq!(found(" uk "), [1]);
        assert_eq!(found("currency"), [0, 1, 2]);
        assert_eq!(found("cast_invalid"), [1]);
        assert_eq!(found("nothing"), [] as [u32; 0]);
    }

    #[test]
    fn rows_are_those_shown_and_those_changed() {
        let run = failed_run();
        let task = &run.tasks[1];
        let iterations = task.iterations.as_ref().unwrap();
        assert_eq!(n_rows_shown(&iterations[0].attempts[0]), Some(5));
        assert_eq!(rows_changed(&run.changes, task, &iterations[0], 1), [10, 1, 0]);
        assert_eq!(rows_changed(&run.changes, task, &iterations[2], 1), [0, 0, 0]);
        assert_eq!(message(iterations[1].attempts.last()), "[CAST_INVALID_INPUT] The value 'n/a' is no number.");
        assert_eq!(message(None), "");
    }
}
