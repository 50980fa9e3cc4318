//! A job's page.

use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::components::{Dialog, Failure, TabList, TabPanel};
use crate::jobs::editor::{JobEditor, create_job};
use crate::jobs::fault_note::FaultNote;
use crate::jobs::json_tab::JsonTab;
use crate::jobs::list::LastRun;
use crate::jobs::run_now::RunNow;
use crate::jobs::run_with::RunWith;
use crate::jobs::runs_tab::RunsTab;
use crate::jobs::schedule_tab::ScheduleTab;
use crate::jobs::settings::with_name;
use crate::jobs::tasks_tab::TasksTab;
use crate::messages::{fill, t, tr};
use crate::route::{JobPlace, Route};
use crate::state::{App, use_app};

const GROUP: &str = "job";
const TASKS: &str = "tasks";
const RUNS: &str = "runs";
const SCHEDULE: &str = "schedule";
const JSON: &str = "json";

/// The page.
#[component]
pub fn JobPage(editor: JobEditor) -> impl IntoView {
    let app = use_app();
    keep_loaded(app, editor);
    follow_task(app, editor);
    let beside = RwSignal::new(TASKS);
    let selected = Memo::new(move |_| match app.route.get() {
        Route::Jobs(JobPlace::Runs { .. }) => RUNS,
        _ => beside.get(),
    });
    let tabs = Memo::new(move |_| {
        let texts = &t().jobs;
        let tabs =
            [(TASKS, texts.tab_tasks), (RUNS, texts.tab_runs), (SCHEDULE, texts.tab_schedule), (JSON, texts.tab_json)];
        tabs.map(|(key, title)| (key.to_owned(), title.to_owned())).to_vec()
    });
    let selected_key = Signal::derive(move || selected.get().to_owned());
    let choose = Callback::new(move |key: String| {
        beside.set([SCHEDULE, JSON].into_iter().find(|beside| *beside == key).unwrap_or(TASKS));
        let job = editor.name.get_untracked();
        let was_runs = selected.get_untracked() == RUNS;
        match key.as_str() {
            RUNS => app.go(&Route::Jobs(JobPlace::Runs { job })),
            _ if was_runs => app.go(&Route::Jobs(JobPlace::Job { job })),
            _ => {}
        }
    });
    let has_job = Memo::new(move |_| editor.saved.with(Option::is_some));
    let faults =
        Signal::derive(move || editor.saved.with(|saved| saved.as_ref().map(|saved| saved.faults)).unwrap_or_default());
    let content = move || match selected.get() {
        RUNS => view! { <RunsTab editor/> }.into_any(),
        SCHEDULE => view! { <ScheduleTab editor/> }.into_any(),
        JSON => view! { <JsonTab editor/> }.into_any(),
        _ => view! { <TasksTab editor/> }.into_any(),
    };
    view! {
        <section class="page job-page">
            <Show
                when=move || has_job.get()
                fallback=move || match editor.missing.get() {
                    Some(error) => view! {
                        <h1>{tr!(frame.not_here)}</h1>
                        <Failure error/>
                        <p><a href=Route::Jobs(JobPlace::List).to_string()>{tr!(jobs.all_jobs)}</a></p>
                    }
                    .into_any(),
                    None => view! { <p class="quiet">{tr!(common.loading)}</p> }.into_any(),
                }
            >
                <JobHead editor/>
                <FaultNote faults on_off=Callback::new(move |()| spawn_local(editor.load(app)))/>
                <TabList label=Signal::derive(tr!(jobs.tabs)) group=GROUP tabs=tabs selected=selected_key on_select=choose/>
                <TabPanel group=GROUP selected=selected_key>{content}</TabPanel>
            </Show>
        </section>
    }
}

/// Name, last run, and what can be done with the job as a whole.
#[component]
fn JobHead(editor: JobEditor) -> impl IntoView {
    let app = use_app();
    let deleting = RwSignal::new(false);
    let last_run =
        Memo::new(move |_| editor.saved.with(|saved| saved.as_ref().and_then(|saved| saved.runs.first().cloned())));
    let duplicate = move |_| {
        spawn_local(async move {
            let settings = untrack(|| editor.saved_settings());
            let wanted = fill(t().jobs.copy_of, &[("job", &editor.name.get_untracked())]);
            create_job(app, |name| with_name(&settings, name), &wanted, false).await;
        });
    };
    let delete = move |_| {
        deleting.set(false);
        spawn_local(editor.delete_job(app));
    };
    view! {
        <header class="job-head">
            <p class="quiet job-path"><a href=Route::Jobs(JobPlace::List).to_string()>{tr!(jobs.title)}</a></p>
            <div class="job-title">
                <h1 class="for-ears">{move || editor.name.get()}</h1>
                <JobName editor/>
                {move || last_run.get().map(|run| view! { <LastRun run/> })}
            </div>
            <div class="button-row job-actions">
                <RunNow editor/>
                <RunWith editor/>
                <button type="button" class="button" disabled=move || !app.is_ready() on:click=move |_| editor.check_and_tell(app)>
                    {tr!(jobs.validate)}
                </button>
                <button type="button" class="button" disabled=move || !app.is_ready() on:click=duplicate>{tr!(jobs.duplicate)}</button>
                <button type="button" class="button" disabled=move || !app.is_ready() on:click=move |_| deleting.set(true)>
                    {tr!(jobs.delete_job)}
                </button>
            </div>
        </header>
        <Dialog open=deleting title=Signal::derive(tr!(jobs.delete_job))>
            <p>{move || fill(t().jobs.delete_job_text, &[("job", &editor.name.get())])}</p>
            <div class="button-row">
                <button type="button" class="button button-danger" on:click=delete>{tr!(jobs.delete_confirm)}</button>
                <button type="button" class="button" on:click=move |_| deleting.set(false)>{tr!(common.cancel)}</button>
            </div>
        </Dialog>
    }
}

/// The name, changed in place.
#[component]
fn JobName(editor: JobEditor) -> impl IntoView {
    let app = use_app();
    let input = NodeRef::<html::Input>::new();
    let shown = RwSignal::new(editor.name.get_untracked());
    Effect::new(move || shown.set(editor.name.get()));
    let rename = move |_| {
        let wanted = shown.get_untracked().trim().to_owned();
        let before = editor.name.get_untracked();
        if wanted.is_empty() || wanted == before {
            shown.set(before);
            return;
        }
        spawn_local(async move {
            editor.rename(app, wanted).await;
        });
    };
    // Whoever has made a job types its name first.
    Effect::new(move || {
        if app.jobs.made.get() == Some(editor.id)
            && let Some(input) = input.get()
        {
            app.jobs.made.set(None);
            request_animation_frame(move || {
                let _ = input.focus();
                input.select();
            });
        }
    });
    view! {
        <label class="job-name">
            <span class="for-ears">{tr!(jobs.job_name)}</span>
            <input
                type="text"
                class="input"
                autocomplete="off"
                spellcheck="false"
                node_ref=input
                prop:value=shown
                on:input=move |event| shown.set(event_target_value(&event))
                on:change=rename
            />
        </label>
    }
}

/// Loads the job now, and again whenever tables or files have changed or the engine is back: previews read tables, and the
/// SQL of tasks is in files, which a lesson may change.
fn keep_loaded(app: App, editor: JobEditor) {
    let ready = Memo::new(move |_| app.is_ready());
    Effect::new(move || {
        app.catalog_changes.track();
        app.files_changes.track();
        // What is being saved is taken in when that is done.
        if editor.saving.get_untracked() {
            return;
        }
        if ready.get() || editor.saved.with_untracked(Option::is_none) {
            spawn_local(editor.load(app));
        }
    });
}

/// The form of the task that the address names, once the job is here.
fn follow_task(app: App, editor: JobEditor) {
    let named = Memo::new(move |_| match app.route.get() {
        Route::Jobs(JobPlace::Task { task, .. }) => Some(task),
        _ => None,
    });
    let has_job = Memo::new(move |_| editor.saved.with(Option::is_some));
    Effect::new(move || {
        if has_job.get()
            && let Some(task) = named.get()
        {
            editor.open_task(&task);
        }
    });
}
