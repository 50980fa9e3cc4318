//! What a reader should know about a task run although nothing failed.

use std::collections::BTreeMap;

use super::{Attempt, AttemptOutput, Run, TaskRun};
use crate::parameters::Origin;
use crate::state::ResultState;
use crate::task::TaskKey;

/// What kind of thing a [`Notice`] is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoticeKind {
    /// A For each had an empty array.
    NoIterations,
    /// A notebook used a widget's default because nobody passed a value.
    DefaultUsed,
    /// Several iterations were given the same values.
    SameValues,
    /// Timestamps in rows lost their microseconds.
    MicrosecondsCut,
    /// Rows that references cannot read.
    UnreadableOutput,
    /// A repaired For each went by the inputs of the original run.
    InputsKept,
}

/// A remark on a task of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// The task.
    pub task_key: TaskKey,
    /// The iteration, where it is about one.
    pub iteration: Option<usize>,
    /// What it is about.
    pub kind: NoticeKind,
    /// For a reader.
    pub message: String,
}

impl Run {
    /// Remarks on the latest attempts, in the order of tasks and iterations.
    pub fn notices(&self) -> Vec<Notice> {
        let mut notices = Vec::new();
        for (key, task) in &self.tasks {
            let mut add = |iteration, kind, message: String| {
                notices.push(Notice { task_key: key.clone(), iteration, kind, message });
            };
            if let Some(attempt) = task.attempts().last() {
                of_attempt(attempt, &mut |kind, message| add(None, kind, message));
            }
            let Some(for_each) = task.for_each() else {
                continue;
            };
            if for_each.iterations().is_empty() {
                add(None, NoticeKind::NoIterations, "Inputs were an empty list: no iterations.".to_owned());
            }
            if task.attempts().len() > 1 {
                let message = "This loop goes by the inputs of the original run. Run the job again for new ones.";
                add(None, NoticeKind::InputsKept, message.to_owned());
            }
            if let Some(message) = same_values(task) {
                add(None, NoticeKind::SameValues, message);
            }
            for (index, iteration) in for_each.iterations().iter().enumerate() {
                if let Some(attempt) = iteration.attempts().last() {
                    of_attempt(attempt, &mut |kind, message| add(Some(index), kind, message));
                }
            }
        }
        notices
    }
}

fn of_attempt(attempt: &Attempt, add: &mut dyn FnMut(NoticeKind, String)) {
    let defaults = attempt.parameters.iter().filter(|parameter| parameter.origin == Origin::Default);
    let names: Vec<&str> = defaults.map(|parameter| parameter.name.as_str()).collect();
    if !names.is_empty() {
        add(NoticeKind::DefaultUsed, format!("Nobody passed a value, so the default was used: {}.", names.join(", ")));
    }
    if let Some(AttemptOutput::Rows(output)) = &attempt.output {
        let columns = output.columns_cut_to_millis();
        if !columns.is_empty() {
            let message = format!(
                "Rows have timestamps with milliseconds; microseconds were cut in: {}. A filter on such a value may see \
                 rows of the same millisecond again.",
                columns.join(", ")
            );
            add(NoticeKind::MicrosecondsCut, message);
        }
        if let Some(problem) = output.problem() {
            add(NoticeKind::UnreadableOutput, format!("References cannot read the rows: the output {problem}"));
        }
    }
}

/// A loop that is wired wrongly often succeeds, because every iteration does the same.
fn same_values(task: &TaskRun) -> Option<String> {
    let for_each = task.for_each()?;
    let mut counts: BTreeMap<Vec<(&str, &str)>, usize> = BTreeMap::new();
    for iteration in for_each.iterations() {
        let succeeded = iteration.state().result() == Some(ResultState::Success);
        if let Some(attempt) = iteration.attempts().last().filter(|_| succeeded) {
            let values = attempt.parameters.iter().map(|parameter| (parameter.name.as_str(), parameter.value.as_str()));
            *counts.entry(values.collect()).or_default() += 1;
        }
    }
    let (values, count) = counts.into_iter().filter(|(_, count)| *count > 1).max_by_key(|(_, count)| *count)?;
    let shown: Vec<String> = values.iter().map(|(name, value)| format!("{name}={value}")).collect();
    Some(match shown.as_slice() {
        [] => format!("{count} iterations were given no values: check the parameters of the nested task."),
        shown => format!("{count} iterations processed equal values: {}.", shown.join(", ")),
    })
}
