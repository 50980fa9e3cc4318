//! Jobs: the list, a job's page with the form of its tasks, a run's page.
//!
//! What a job is, is its settings: Databricks Jobs JSON, which `settings` and `task_form` change without losing what
//! they do not know. What the engine thinks of them and how runs went arrives as views and is only shown here.

pub mod editor;
mod editors;
mod fault_note;
mod field_problems;
mod form;
mod graph;
mod json_tab;
mod list;
mod matrix;
mod node;
mod page;
mod places;
mod references;
pub mod run;
mod run_now;
mod run_with;
mod runs_tab;
mod schedule;
mod schedule_tab;
mod settings;
mod task_form;
mod tasks_tab;
mod words;

use leptos::prelude::*;

use crate::route::{JobPlace, Route};
use crate::state::use_app;

pub use editor::JobEditor;
pub use editors::JobEditors;
use list::JobList;
use page::JobPage;
use run::RunPage;
pub use run_now::{RunQuestion, unsaved_editor};

/// What of the jobs part is shown; a page stays while the place only changes within it.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Shown {
    List,
    /// By the editor, because the job may get another name on its page.
    Job(u32),
    Run(String, u64),
}

/// The screen.
#[component]
pub fn JobsScreen() -> impl IntoView {
    let app = use_app();
    let place = Memo::new(move |before: Option<&JobPlace>| match app.route.get() {
        Route::Jobs(place) => place,
        _ => before.cloned().unwrap_or(JobPlace::List),
    });
    let editor = move |job: &str| untrack(|| app.jobs.get(job));
    let shown = Memo::new(move |_| match place.get() {
        JobPlace::List => Shown::List,
        JobPlace::Job { job } | JobPlace::Task { job, .. } | JobPlace::Runs { job } => Shown::Job(editor(&job).id),
        JobPlace::Run { job, run, .. } => Shown::Run(job, run),
    });
    move || match (shown.get(), place.get_untracked()) {
        (Shown::Run(job, number), _) => view! { <RunPage job number/> }.into_any(),
        (Shown::Job(_), JobPlace::Job { job } | JobPlace::Task { job, .. } | JobPlace::Runs { job }) => {
            view! { <JobPage editor=editor(&job)/> }.into_any()
        }
        _ => view! { <JobList/> }.into_any(),
    }
}
