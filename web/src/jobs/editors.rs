//! The editors of jobs. They live as long as the page, so that a half-filled form is still there after a look at another
//! screen.

use std::collections::BTreeMap;

use lakelet_base::Timestamp;
use leptos::prelude::*;

use crate::boundary::dom;
use crate::jobs::editor::JobEditor;
use crate::jobs::run::pace::Pace;
use crate::route::query_parameters;

/// The editors of all jobs that were looked at.
#[derive(Clone, Copy)]
pub struct JobEditors {
    /// Signals of editors belong to this owner and not to the screen that asks for one.
    owner: StoredValue<Option<Owner>>,
    by_name: StoredValue<BTreeMap<String, JobEditor>>,
    /// The job that was made last: its name is to be typed.
    pub made: RwSignal<Option<u32>>,
    /// How runs are shown while they go on.
    pub pace: RwSignal<Pace>,
    /// The run that was started or repaired last here, and the instant of its clock from which it is to be shown.
    pub play: RwSignal<Option<(u64, Timestamp)>>,
}

impl JobEditors {
    /// None yet.
    pub fn new() -> Self {
        Self {
            owner: StoredValue::new(Owner::current()),
            by_name: StoredValue::default(),
            made: RwSignal::default(),
            pace: RwSignal::new(pace_of_address()),
            play: RwSignal::default(),
        }
    }

    /// The workspace was emptied: nothing of its jobs is on the desk any more.
    pub fn forget_all(self) {
        self.by_name.update_value(BTreeMap::clear);
        self.made.set(None);
        self.play.set(None);
    }

    /// The editor of a job.
    pub fn get(self, job: &str) -> JobEditor {
        if let Some(editor) = self.by_name.with_value(|editors| editors.get(job).copied()) {
            return editor;
        }
        let editor = match self.owner.get_value() {
            Some(owner) => owner.with(|| JobEditor::new(job)),
            None => JobEditor::new(job),
        };
        self.by_name.update_value(|editors| {
            editors.insert(job.to_owned(), editor);
        });
        editor
    }

    /// The editor of a job that was looked at.
    pub fn known(self, job: &str) -> Option<JobEditor> {
        self.by_name.with_value(|editors| editors.get(job).copied())
    }

    /// A job has another name now.
    pub(super) fn rename(self, before: &str, after: &str) {
        self.by_name.update_value(|editors| {
            if let Some(editor) = editors.remove(before) {
                editors.insert(after.to_owned(), editor);
            }
        });
    }

    /// A job is gone.
    pub(super) fn forget(self, job: &str) {
        self.by_name.update_value(|editors| {
            editors.remove(job);
        });
    }
}

/// `?pace=` of the page's address holds for this visit.
fn pace_of_address() -> Pace {
    let words = query_parameters(&dom::query());
    let word = words.iter().find(|(name, _)| name == "pace").map(|(_, value)| value.as_str());
    word.and_then(Pace::from_key).unwrap_or_default()
}
