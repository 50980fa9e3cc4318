//! All jobs.

use lakelet_protocol::{JobSummary, RunSummary};
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::components::icon::{Icon, icon};
use crate::components::{RunStateChip, asked, loaded};
use crate::engine::calls;
use crate::jobs::editor::create_job;
use crate::jobs::settings::new_job;
use crate::jobs::words::{is_repaired, state_word};
use crate::messages::{clock_text, count, fill, t, tr};
use crate::route::{JobPlace, Route};
use crate::state::use_app;

/// The list with the button that makes another one.
#[component]
pub fn JobList() -> impl IntoView {
    let app = use_app();
    let answer = asked(
        move || {
            app.catalog_changes.track();
            app.files_changes.track();
        },
        |()| calls::jobs(),
    );
    let creating = RwSignal::new(false);
    let create = move |_| {
        creating.set(true);
        spawn_local(async move {
            create_job(app, new_job, t().jobs.new_job, true).await;
            let _ = creating.try_set(false);
        });
    };
    view! {
        <section class="page">
            <header class="page-head">
                <h1>{tr!(jobs.title)}</h1>
                <button
                    type="button"
                    class="button button-primary"
                    disabled=move || creating.get() || !app.is_ready()
                    on:click=create
                >
                    {icon(Icon::Plus)}{tr!(jobs.create_job)}
                </button>
            </header>
            {loaded(answer, |jobs: Vec<JobSummary>| {
                if jobs.is_empty() {
                    return view! { <p class="quiet">{tr!(jobs.none)}</p> }.into_any();
                }
                table(jobs).into_any()
            })}
        </section>
    }
}

fn table(jobs: Vec<JobSummary>) -> impl IntoView {
    let rows = jobs.into_iter().map(|job| {
        let address = Route::Jobs(JobPlace::Job { job: job.name.clone() }).to_string();
        let last = job.last_run.as_ref().map(|run| view! { <LastRun run=run.clone()/> });
        let started = job.last_run.as_ref().map(|run| {
            view! { <time datetime=run.started.to_string()>{clock_text(run.started)}</time> }
        });
        view! {
            <tr>
                <th scope="row"><a href=address>{job.name}</a></th>
                <td class="number">{count(job.n_tasks.into())}</td>
                <td>{match last {
                    Some(last) => last.into_any(),
                    None => view! { <span class="quiet">{tr!(runs.state_not_run)}</span> }.into_any(),
                }}</td>
                <td>{started}</td>
            </tr>
        }
    });
    view! {
        <div class="table-scroll">
            <table class="table" aria-label=tr!(jobs.title)>
                <thead>
                    <tr>
                        <th scope="col">{tr!(jobs.name)}</th>
                        <th scope="col" class="number">{tr!(jobs.tasks)}</th>
                        <th scope="col">{tr!(jobs.last_run)}</th>
                        <th scope="col">{tr!(runs.start)}</th>
                    </tr>
                </thead>
                <tbody>{rows.collect_view()}</tbody>
            </table>
        </div>
    }
}

/// A run's number and state, with the way to its page.
#[component]
pub fn LastRun(run: RunSummary) -> impl IntoView {
    let address =
        Route::Jobs(JobPlace::Run { job: run.job.clone(), run: run.number, task: None, iteration: None }).to_string();
    let (state, repaired) = (run.state, is_repaired(&run));
    let words = move || fill(t().runs.run_numbered, &[("n", &run.number.to_string())]);
    view! {
        <span class="last-run">
            <a href=address>{words}</a>
            " "
            <RunStateChip state repaired text=Signal::derive(move || state_word(state, repaired).to_owned())/>
        </span>
    }
}
