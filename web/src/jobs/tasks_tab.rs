//! The tab "Tasks": the graph, what is wrong with it, and the form of a task.

use lakelet_protocol::{GraphNode, JobView, RunView};
use leptos::prelude::*;
use leptos::task::spawn_local;
use std::time::Duration;

use crate::components::icon::{Icon, icon};
use crate::components::{Failure, Problem, Problems, Switch};
use crate::engine::calls;
use crate::jobs::editor::JobEditor;
use crate::jobs::form::TaskPanel;
use crate::jobs::graph::{FactsOf, TaskGraph};
use crate::jobs::node::NodeFacts;
use crate::jobs::places::{Field, Place, place};
use crate::messages::{fill, t, tr};
use crate::route::{JobPlace, Route};
use crate::state::{App, use_app};

/// An edit is checked when nothing more was typed for so long.
const CHECK_AFTER: Duration = Duration::from_millis(350);

/// The tab.
#[component]
pub fn TasksTab(editor: JobEditor) -> impl IntoView {
    let app = use_app();
    check_edits(app, editor);
    let as_list = RwSignal::new(false);
    let graph = Signal::derive(move || editor.view().map(|view| view.graph).unwrap_or_else(empty_graph));
    let has_tasks = Memo::new(move |_| graph.with(|graph| !graph.nodes.is_empty()));
    let has_form = Memo::new(move |_| editor.open.with(Option::is_some));
    let last_run = last_run(app, editor);
    let facts = FactsOf::new(move |(node, outer): (GraphNode, Option<String>)| {
        last_run.with(|run| match (run, outer) {
            (Some(run), None) => NodeFacts::in_run(&node, run, None),
            (Some(run), Some(outer)) => NodeFacts::nested_in_run(&node, &outer, run, None),
            (None, _) => NodeFacts::not_run(&node),
        })
    });
    let selected = Signal::derive(move || {
        let nested = editor.nested.get();
        editor.open.with(|open| open.as_ref().and_then(|open| open.form.part(nested)).map(|form| form.key.clone()))
    });
    let open_task = Callback::new(move |task: String| {
        let job = editor.name.get_untracked();
        app.go(&Route::Jobs(JobPlace::Task { job, task: task.clone() }));
        // The address may be that of this task already, though its form was put away or the other part is shown.
        editor.open_task(&task);
    });
    let add_task = move |_| {
        editor.open_new();
        editor.focus.set(Some(Field::Name));
        app.go(&Route::Jobs(JobPlace::Job { job: editor.name.get_untracked() }));
    };
    view! {
        <div class="job-tasks" class:job-tasks-form=move || has_form.get()>
            <div class="job-canvas">
                <Show
                    when=move || has_tasks.get()
                    fallback=move || view! {
                        <div class="job-empty">
                            <p>{tr!(jobs.first_task)}</p>
                            <button type="button" class="button button-primary" on:click=add_task>{icon(Icon::Plus)}{tr!(jobs.add_task)}</button>
                        </div>
                    }
                >
                    <div class="toolbar job-toolbar">
                        <button type="button" class="button" on:click=add_task>{icon(Icon::Plus)}{tr!(jobs.add_task)}</button>
                        <span class="list-switch"><Switch label=Signal::derive(tr!(jobs.show_list)) on=as_list/></span>
                    </div>
                    <TaskGraph graph facts selected on_open=open_task as_list/>
                </Show>
                {move || editor.failure.get().map(|error| view! { <Failure error/> })}
                <JobProblems editor/>
            </div>
            <Show when=move || has_form.get()><TaskPanel editor/></Show>
        </div>
    }
}

/// What is wrong, with a way to each place.
#[component]
fn JobProblems(editor: JobEditor) -> impl IntoView {
    let found = Memo::new(move |_| editor.view().map(|view| listed(&view)).unwrap_or_default());
    let problems = Signal::derive(move || {
        found.with(|found| found.iter().map(|(_, problem)| problem.clone()).collect::<Vec<_>>())
    });
    let open = Callback::new(move |index: usize| {
        let Some(at) = found.with_untracked(|found| found.get(index).map(|(at, _)| at.clone())) else { return };
        go_to(editor, at);
    });
    view! { <Problems problems on_open=Some(open)/> }
}

/// The problems of a job with their places.
fn listed(view: &JobView) -> Vec<(Place, Problem)> {
    let problem = |problem: &lakelet_protocol::ProblemView| {
        let at = place(&view.settings, &problem.path);
        let shown = Problem {
            warning: problem.severity != "error",
            place: place_words(&at),
            kind: problem.kind.clone(),
            message: problem.message.clone(),
            suggestion: problem.suggestion.clone(),
        };
        (at, shown)
    };
    view.problems.iter().map(problem).collect()
}

/// A place in words: `copy_tables › Inputs`. Reactive.
fn place_words(at: &Place) -> String {
    let texts = &t().jobs;
    let field = at.field.as_ref().map(|field| match field {
        Field::Name => texts.task_name.to_owned(),
        Field::Type => texts.task_type.to_owned(),
        Field::DependsOn => texts.depends_on.to_owned(),
        Field::Sql => texts.sql.to_owned(),
        Field::Path => texts.path.to_owned(),
        Field::Inputs => texts.inputs.to_owned(),
        Field::Concurrency => texts.concurrency.to_owned(),
        Field::Nested => texts.nested_task.to_owned(),
        Field::Operator => texts.operator.to_owned(),
        Field::Left => texts.left.to_owned(),
        Field::Right => texts.right.to_owned(),
        Field::Job => texts.job.to_owned(),
        Field::Parameters => texts.parameters.to_owned(),
        Field::Parameter(name) => fill(texts.parameter_named, &[("name", name)]),
        Field::Other(path) => path.clone(),
    });
    let nested = at.nested.then(|| texts.nested_task.to_owned());
    let task = at.task.clone().map(|task| if task.is_empty() { texts.unnamed_task.to_owned() } else { task });
    task.into_iter().chain(nested).chain(field).collect::<Vec<_>>().join(" › ")
}

/// Opens the form at a place.
fn go_to(editor: JobEditor, at: Place) {
    let Some(task) = at.task else { return };
    let is_open = editor.open.with_untracked(|open| open.as_ref().is_some_and(|open| open.form.key == task));
    if !is_open {
        editor.open_task(&task);
    }
    editor.nested.set(at.nested);
    editor.focus.set(Some(at.field.unwrap_or(Field::Name)));
}

/// Asks the engine about the form a moment after each edit, and again when tables have changed.
fn check_edits(app: App, editor: JobEditor) {
    let newest = StoredValue::new(0_u32);
    Effect::new(move || {
        app.catalog_changes.track();
        let settings = editor.settings();
        if !editor.is_dirty() || settings.is_null() || !app.is_ready() {
            return;
        }
        let number = newest.get_value() + 1;
        newest.set_value(number);
        set_timeout(
            move || {
                if newest.try_get_value() == Some(number) {
                    spawn_local(async move {
                        editor.check().await;
                    });
                }
            },
            CHECK_AFTER,
        );
    });
}

/// The newest run: boxes show how it went.
fn last_run(app: App, editor: JobEditor) -> Memo<Option<RunView>> {
    let fetched = RwSignal::new(None::<RunView>);
    let newest = Memo::new(move |_| {
        editor.saved.with(|saved| saved.as_ref().and_then(|saved| saved.runs.first().map(|run| run.run_id)))
    });
    Effect::new(move || {
        let Some(run_id) = newest.get() else { return fetched.set(None) };
        spawn_local(async move {
            // Without it boxes say that they have not run, which the failure of the page itself explains.
            if let Ok(run) = calls::run(run_id).await {
                let _ = fetched.try_set(Some(run));
            }
        });
    });
    Memo::new(move |_| {
        let fetched = fetched.get()?;
        Some(crate::jobs::run::newest(app, fetched))
    })
}

fn empty_graph() -> lakelet_protocol::GraphView {
    lakelet_protocol::GraphView { nodes: Vec::new(), edges: Vec::new(), width: 0.0, height: 0.0 }
}
