//! Rows that were written twice because an attempt failed after it had written and another one wrote them again.

use lakelet_protocol::{RunChange, RunState, RunView};

use crate::jobs::run::as_of::is_failure;
use crate::jobs::run::iterations::is_of;

/// One table that two attempts of the same work wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Doubled {
    /// The table.
    pub table: String,
    /// The task.
    pub task: String,
    /// The iteration's label.
    pub iteration: Option<String>,
    /// The attempt that failed after it had inserted.
    pub first_attempt: u32,
    /// Rows that it had inserted.
    pub first_rows: u64,
    /// The attempt that inserted again.
    pub next_attempt: u32,
    /// Rows that it inserted.
    pub next_rows: u64,
}

/// Commits of attempts that failed later and were not followed by another attempt's: work that stopped half way.
pub fn half_done(run: &RunView) -> Vec<&RunChange> {
    let is_half_done = |change: &&RunChange| {
        let is_later = |other: &RunChange| is_same_work(other, change) && other.attempt > change.attempt;
        has_failed(run, change) && !run.changes.iter().any(is_later)
    };
    run.changes.iter().filter(is_half_done).collect()
}

/// Everything that may be there twice.
pub fn doubled(run: &RunView) -> Vec<Doubled> {
    let mut found = Vec::new();
    for first in run.changes.iter().filter(|change| change.n_inserted > 0 && has_failed(run, change)) {
        let again = |change: &&RunChange| {
            is_same_work(change, first) && change.table == first.table && change.attempt > first.attempt
        };
        // Whatever was taken away between the two was not doubled.
        let removed = run.changes.iter().any(|change| again(&change) && change.n_deleted > 0);
        let next = run.changes.iter().filter(again).find(|change| change.n_inserted > 0);
        if let Some(next) = next.filter(|_| !removed) {
            found.push(Doubled {
                table: first.table.clone(),
                task: first.task_key.clone(),
                iteration: first.iteration.clone(),
                first_attempt: first.attempt,
                first_rows: first.n_inserted,
                next_attempt: next.attempt,
                next_rows: next.n_inserted,
            });
        }
    }
    found
}

fn is_same_work(change: &RunChange, other: &RunChange) -> bool {
    change.task_key == other.task_key && change.iteration == other.iteration
}

/// Whether the attempt that made a change failed.
fn has_failed(run: &RunView, change: &RunChange) -> bool {
    let task = run.tasks.iter().find(|task| is_of(change, task));
    let Some(task) = task else { return false };
    let attempts = match &change.iteration {
        Some(label) => {
            let mut iterations = task.iterations.iter().flatten();
            iterations.find(|iteration| iteration.label == *label).map(|iteration| iteration.attempts.as_slice())
        }
        None => Some(task.attempts.as_slice()),
    };
    let state = attempts.into_iter().flatten().find(|attempt| attempt.attempt == change.attempt);
    state.is_some_and(|attempt| is_failure(attempt.state) || attempt.state == RunState::Canceled)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::run::samples::repaired_run;

    fn append(table: &str, label: &str, attempt: u32, n_inserted: u64) -> RunChange {
        RunChange {
            table: table.into(),
            operation: "WRITE".into(),
            version_before: Some(0),
            version_after: 1,
            n_inserted,
            n_updated: 0,
            n_deleted: 0,
            task_key: "run_market_analysis_iteration".into(),
            iteration: Some(label.into()),
            attempt,
        }
    }

    #[test]
    fn an_append_that_failed_later_and_was_done_again_doubles() {
        let mut run = repaired_run();
        run.changes = vec![append("t", "NL · EUR", 1, 5), append("t", "UK · GBP", 1, 4), append("t", "UK · GBP", 2, 4)];
        let found = doubled(&run);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].iteration.as_deref(), found[0].first_rows, found[0].next_rows), (Some("UK · GBP"), 4, 4));
        assert!(half_done(&run).is_empty());
    }

    #[test]
    fn a_merge_that_finds_the_rows_does_not() {
        let mut run = repaired_run();
        run.changes = vec![append("t", "UK · GBP", 1, 4), append("t", "UK · GBP", 2, 0)];
        assert!(doubled(&run).is_empty());
    }

    #[test]
    fn what_a_failed_attempt_has_committed_stays() {
        let mut run = repaired_run();
        run.changes = vec![append("t", "NL · EUR", 1, 5), append("t", "UK · GBP", 1, 4)];
        let found = half_done(&run);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].iteration.as_deref(), Some("UK · GBP"));
    }
}
