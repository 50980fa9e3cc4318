//! Jobs: the list, a job's page, a run's page.

use leptos::prelude::*;

use crate::components::{RunStateChip, asked, loaded};
use crate::engine::calls;
use crate::messages::tr;
use crate::route::{JobPlace, Route};
use crate::state::use_app;

/// The screen.
#[component]
pub fn JobsScreen() -> impl IntoView {
    let app = use_app();
    let answer = asked(move || app.catalog_changes.get(), |_| calls::jobs());
    view! {
        <section class="page">
            <h1>{tr!(jobs.title)}</h1>
            {loaded(answer, move |jobs: Vec<lakelet_protocol::JobSummary>| {
                if jobs.is_empty() {
                    return view! { <p class="quiet">{tr!(jobs.none)}</p> }.into_any();
                }
                jobs.into_iter().map(|job| {
                    let address = Route::Jobs(JobPlace::Job { job: job.name.clone() }).to_string();
                    view! {
                        <p>
                            <a href=address>{job.name}</a>
                            {job.last_run.map(|run| {
                                let state = run.state;
                                view! { " " <RunStateChip state text=Signal::derive(move || state.word().to_owned())/> }
                            })}
                        </p>
                    }
                }).collect_view().into_any()
            })}
        </section>
    }
}
