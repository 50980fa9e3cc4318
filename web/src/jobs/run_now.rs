//! Starting a run.

use lakelet_protocol::RunView;
use leptos::prelude::*;
use leptos::task::spawn_local;
use serde_json::{Map, Value};

use crate::components::Dialog;
use crate::components::icon::{Icon, icon};
use crate::engine::{Answer, calls};
use crate::jobs::editor::JobEditor;
use crate::jobs::json_tab::{can_save_json, save_json};
use crate::messages::{fill, t, tr};
use crate::route::{JobPlace, Route};
use crate::state::{App, use_app};

/// The button "Run now". With changes that are not saved it asks first, because a run goes by what is saved.
#[component]
pub fn RunNow(editor: JobEditor) -> impl IntoView {
    let app = use_app();
    let asking = RwSignal::new(false);
    let starting = RwSignal::new(false);
    let start = move || {
        starting.set(true);
        spawn_local(async move {
            let answer = start_run(app, editor.name.get_untracked(), Map::new(), Vec::new()).await;
            let _ = starting.try_set(false);
            match answer {
                Ok(()) => editor.failure.set(None),
                Err(error) => {
                    app.news.say_urgently(error.message.clone());
                    editor.failure.set(Some(error));
                }
            }
        });
    };
    let click = move |_| {
        if untrack(|| editor.has_unsaved()) {
            asking.set(true);
        } else {
            start();
        }
    };
    view! {
        <button
            type="button"
            class="button button-primary"
            disabled=move || starting.get() || !app.is_ready()
            on:click=click
        >
            {icon(Icon::Play)}{tr!(jobs.run_now)}
        </button>
        <RunQuestion asking editor=Signal::derive(move || Some(editor)) on_run=Callback::new(move |()| start())/>
    }
}

/// Asks what a run is to go by: changes that are not saved, or what is saved.
#[component]
pub fn RunQuestion(
    /// Whether it asks.
    asking: RwSignal<bool>,
    /// The job that is to run.
    editor: Signal<Option<JobEditor>>,
    /// Starts the run.
    on_run: Callback<()>,
    /// It is a repair that is to begin.
    #[prop(optional)]
    repair: bool,
) -> impl IntoView {
    let app = use_app();
    let run_saved = move |_| {
        asking.set(false);
        on_run.run(());
    };
    let save_and_run = move |_| {
        asking.set(false);
        let Some(editor) = editor.get_untracked() else { return };
        spawn_local(async move {
            let saved = match editor.json.with_untracked(Option::is_some) {
                true => save_json(app, editor).await,
                false => editor.save_task(app).await,
            };
            if !saved {
                // The job's page says why.
                if !matches!(app.route.get_untracked(), Route::Jobs(_)) {
                    app.go(&Route::Jobs(JobPlace::Job { job: editor.name.get_untracked() }));
                }
            } else if untrack(|| editor.has_unsaved()) {
                let _ = asking.try_set(true);
            } else {
                on_run.run(());
            }
        });
    };
    let errors = Memo::new(move |_| {
        let view = editor.get().filter(|editor| editor.is_dirty()).and_then(JobEditor::view);
        let problems = view.iter().flat_map(|view| &view.problems);
        problems
            .filter(|problem| problem.severity == "error")
            .map(|problem| problem.message.clone())
            .collect::<Vec<_>>()
    });
    let is_saved = Memo::new(move |_| {
        editor.get().is_some_and(|editor| {
            editor.saved.with(|saved| saved.as_ref().is_some_and(|saved| !saved.graph.nodes.is_empty()))
        })
    });
    let can_save = Memo::new(move |_| {
        editor.get().is_some_and(|editor| editor.json.with(Option::is_none) || can_save_json(editor))
    });
    let unsaved = move || {
        let texts = &t().jobs;
        let Some(editor) = editor.get() else { return Vec::new() };
        let form = editor.is_dirty().then(|| {
            let key = editor.open.with(|open| open.as_ref().map(|open| open.form.key.clone())).unwrap_or_default();
            let task = if key.is_empty() { texts.unnamed_task.to_owned() } else { key };
            fill(texts.run_unsaved, &[("task", &task)])
        });
        let json = editor.json.with(Option::is_some).then(|| texts.run_unsaved_json.to_owned());
        form.into_iter().chain(json).collect()
    };
    view! {
        <Dialog open=asking title=Signal::derive(move || if repair { t().runs.repair_run } else { t().jobs.run_now })>
            {move || unsaved().into_iter().map(|line| view! { <p>{line}</p> }).collect_view()}
            {repair.then(|| view! { <p>{tr!(jobs.repair_unsaved_rule)}</p> })}
            <Show when=move || errors.with(|errors| !errors.is_empty())>
                <p>{tr!(jobs.run_errors)}</p>
                <ul>{move || errors.get().into_iter().map(|message| view! { <li>{message}</li> }).collect_view()}</ul>
            </Show>
            <div class="button-row">
                <Show when=move || can_save.get()>
                    <button type="button" class="button button-primary" on:click=save_and_run>
                        {move || if repair { t().jobs.save_and_repair } else { t().jobs.save_and_run }}
                    </button>
                </Show>
                <Show when=move || is_saved.get()>
                    <button type="button" class="button" on:click=run_saved>
                        {move || if repair { t().jobs.repair_saved } else { t().jobs.run_saved }}
                    </button>
                </Show>
                <button type="button" class="button" on:click=move |_| asking.set(false)>{tr!(common.cancel)}</button>
            </div>
        </Dialog>
    }
}

/// The editor of a job that holds changes a run of it would not know of.
pub fn unsaved_editor(app: App, job: &str) -> Option<JobEditor> {
    app.jobs.known(job).filter(|editor| untrack(|| editor.has_unsaved()))
}

/// Starts a run of a job, with other values of its parameters and only some of its tasks, and goes to its page.
///
/// # Errors
/// Why it cannot be started.
pub async fn start_run(app: App, job: String, params: Map<String, Value>, only: Vec<String>) -> Answer<()> {
    let run = calls::run_job(job, params, only).await?;
    app.jobs.play.set(Some((run.summary.run_id, run.summary.started)));
    let place = JobPlace::Run { job: run.summary.job.clone(), run: run.summary.number, task: None, iteration: None };
    take_run(app, run);
    app.go(&Route::Jobs(place));
    Ok(())
}

/// Takes in a run as the engine answered it. News that overtook the answer are newer.
pub fn take_run(app: App, run: RunView) {
    app.runs.update(|runs| {
        let known = runs.get(&run.summary.run_id);
        let is_newer = |known: &RunView| {
            known.summary.started == run.summary.started && known.summary.repair_count >= run.summary.repair_count
        };
        if !known.is_some_and(is_newer) {
            runs.insert(run.summary.run_id, run);
        }
    });
}
