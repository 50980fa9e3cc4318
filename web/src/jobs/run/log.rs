//! What happened in a run, in the order of time.

use lakelet_base::Timestamp;
use lakelet_protocol::{RunState, RunView};

/// An entry.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// When.
    pub at: Timestamp,
    /// Whose: task, and label of the iteration.
    pub whose: Option<(String, Option<String>)>,
    /// What.
    pub what: What,
}

/// What an entry says.
#[derive(Debug, Clone, PartialEq)]
pub enum What {
    /// The run began.
    RunStarted,
    /// The run ended.
    RunEnded(RunState),
    /// An attempt began.
    Started {
        /// 1-based.
        attempt: u32,
    },
    /// An attempt ended.
    Ended {
        /// 1-based.
        attempt: u32,
        /// How.
        state: RunState,
        /// Why it failed.
        message: Option<String>,
    },
}

/// All entries. At one instant ends come before starts, and the run is around everything.
pub fn entries(run: &RunView) -> Vec<Entry> {
    let mut entries = Vec::new();
    for task in &run.tasks {
        let whole = task.attempts.iter().map(|attempt| (None, attempt));
        let iterations = task.iterations.iter().flatten();
        let parts = iterations
            .flat_map(|iteration| iteration.attempts.iter().map(|attempt| (Some(iteration.label.clone()), attempt)));
        for (label, attempt) in whole.chain(parts) {
            let whose = Some((task.task_key.clone(), label));
            if let Some(at) = attempt.start {
                let what = What::Started { attempt: attempt.attempt };
                entries.push(Entry { at, whose: whose.clone(), what });
            }
            if let Some(at) = attempt.end {
                let message = attempt.error.as_ref().map(|error| format!("[{}] {}", error.condition, error.message));
                let what = What::Ended { attempt: attempt.attempt, state: attempt.state, message };
                entries.push(Entry { at, whose, what });
            }
        }
    }
    entries.sort_by_key(|entry| (entry.at, matches!(entry.what, What::Started { .. })));
    entries.insert(0, Entry { at: run.summary.started, whose: None, what: What::RunStarted });
    if let Some(at) = run.summary.ended {
        entries.push(Entry { at, whose: None, what: What::RunEnded(run.summary.state) });
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::run::samples::failed_run;

    #[test]
    fn entries_come_in_the_order_of_time() {
        let entries = entries(&failed_run());
        assert_eq!(entries.len(), 2 + 2 * 5);
        assert_eq!(entries[0].what, What::RunStarted);
        assert_eq!(entries.last().unwrap().what, What::RunEnded(RunState::Failed));
        assert!(entries.windows(2).all(|pair| pair[0].at <= pair[1].at));
        let failed = entries.iter().find(|entry| matches!(entry.what, What::Ended { state: RunState::Failed, .. }));
        assert_eq!(failed.unwrap().whose, Some(("process_markets".into(), Some("UK · GBP".into()))));
    }
}
