//! The form of a task.

mod condition_fields;
mod fields;
mod loop_fields;
mod parameters;
mod preview;
mod problems;
mod reference_field;
mod run_job_fields;
mod sql_field;

use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::boundary::dom;
use crate::components::Dialog;
use crate::components::icon::{Icon, icon};
use crate::jobs::editor::JobEditor;
use crate::jobs::graph::type_icon;
use crate::jobs::places::Field;
use crate::jobs::settings::dependents;
use crate::jobs::task_form::TaskType;
use crate::messages::{fill, t, tr};
use crate::route::{JobPlace, Route};
use crate::state::use_app;

use condition_fields::ConditionFields;
use fields::{DependsOnFields, NameField, PathField, TypeField};
use loop_fields::{LoopFields, LoopSummary};
use parameters::ParameterFields;
use preview::PreviewOutput;
use problems::FieldProblems;
pub use problems::ProblemLine;
use run_job_fields::RunJobFields;
use sql_field::SqlField;

/// The id of a field in the document; there is one form at a time.
pub fn field_id(field: &Field) -> String {
    let name = match field {
        Field::Name => "name",
        Field::Type => "type",
        Field::DependsOn => "depends-on",
        Field::Sql => "sql",
        Field::Path => "path",
        Field::Inputs => "inputs",
        Field::Concurrency => "concurrency",
        Field::Nested => "nested",
        Field::Operator => "operator",
        Field::Left => "left",
        Field::Right => "right",
        Field::Job => "job",
        Field::Parameters | Field::Parameter(_) => "parameters",
        Field::Other(_) => "other",
    };
    format!("task-{name}")
}

/// The form beside the graph. Another task, or the other part of the same, is another form.
#[component]
pub fn TaskPanel(editor: JobEditor) -> impl IntoView {
    let which = Memo::new(move |_| (editor.n_opened.get(), editor.nested.get()));
    let panel = NodeRef::<leptos::html::Section>::new();
    // Where there is no room beside the graph, the form stands below it and would be opened out of sight.
    Effect::new(move || {
        which.track();
        let Some(panel) = panel.get() else { return };
        request_animation_frame(move || {
            let height = window().inner_height().ok().and_then(|height| height.as_f64()).unwrap_or(f64::MAX);
            if panel.get_bounding_client_rect().top() > 0.6 * height {
                panel.scroll_into_view();
            }
        });
    });
    view! {
        <section class="task-panel" aria-label=tr!(jobs.form) node_ref=panel>
            {move || {
                let (_, nested) = which.get();
                view! { <TaskFields editor nested/> }
            }}
        </section>
    }
}

#[component]
fn TaskFields(editor: JobEditor, nested: bool) -> impl IntoView {
    let kind = Memo::new(move |_| editor.field(nested, |form| Some(form.kind.clone())));
    focus_when_asked(editor);
    view! {
        <PanelHead editor nested/>
        <form class="task-form" on:submit=move |event| event.prevent_default()>
            {nested.then(|| view! { <LoopSummary editor/> })}
            <NameField editor nested/>
            <TypeField editor nested/>
            {(!nested).then(|| view! { <DependsOnFields editor/> })}
            {move || match kind.get() {
                Some(TaskType::Sql) => view! {
                    <SqlField editor nested/>
                    <ParameterFields editor nested/>
                    <PreviewOutput editor nested/>
                }
                .into_any(),
                Some(TaskType::Notebook) => view! {
                    <PathField editor nested/>
                    <ParameterFields editor nested/>
                }
                .into_any(),
                Some(TaskType::ForEach) => view! { <LoopFields editor/> }.into_any(),
                Some(TaskType::Condition) => view! { <ConditionFields editor nested/> }.into_any(),
                Some(TaskType::RunJob) => view! {
                    <RunJobFields editor nested/>
                    <ParameterFields editor nested/>
                }
                .into_any(),
                Some(TaskType::Other(_)) => view! { <p class="quiet">{tr!(jobs.other_type)}</p> }.into_any(),
                None => ().into_any(),
            }}
            <FieldProblems editor nested field=Field::Other(String::new())/>
            <FormButtons editor nested/>
        </form>
    }
}

/// The name of what the form is about, and the way between a loop and the task in it.
#[component]
fn PanelHead(editor: JobEditor, nested: bool) -> impl IntoView {
    let app = use_app();
    let title = move || {
        let texts = &t().jobs;
        let key = editor.field(nested, |form| form.key.clone());
        match (key.is_empty(), nested) {
            (true, false) => texts.new_task.to_owned(),
            (true, true) => texts.new_nested.to_owned(),
            (false, _) => fill(texts.task_titled, &[("task", &key)]),
        }
    };
    let shape = move || {
        let word = editor.field(nested, |form| form.kind.word());
        icon(type_icon(&word))
    };
    let outer = move || {
        let key = editor.field(false, |form| form.key.clone());
        if key.is_empty() { t().jobs.the_loop.to_owned() } else { key }
    };
    let close = move |_| {
        editor.close();
        app.go_instead(&Route::Jobs(JobPlace::Job { job: editor.name.get_untracked() }));
    };
    view! {
        <header class="task-panel-head">
            {nested.then(|| view! {
                <button type="button" class="button-small task-back" on:click=move |_| editor.nested.set(false)>
                    {icon(Icon::ChevronLeft)}
                    {move || fill(t().jobs.back_to, &[("task", &outer())])}
                </button>
            })}
            <h2>{shape} <span>{title}</span></h2>
            <button type="button" class="button-plain" aria-label=tr!(jobs.close_form) title=tr!(jobs.close_form) on:click=close>
                {icon(Icon::Close)}
            </button>
        </header>
    }
}

#[component]
fn FormButtons(editor: JobEditor, nested: bool) -> impl IntoView {
    let app = use_app();
    let deleting = RwSignal::new(false);
    let is_new = Memo::new(move |_| editor.open.with(|open| open.as_ref().is_some_and(|open| open.saved_as.is_none())));
    let dirty = Memo::new(move |_| editor.is_dirty());
    let can_save = move || app.is_ready() && !editor.saving.get() && dirty.get();
    let save = move |_| {
        spawn_local(async move {
            editor.save_task(app).await;
        });
    };
    let saved_as = move || editor.open.with_untracked(|open| open.as_ref().and_then(|open| open.saved_as.clone()));
    let confirm = move |_| {
        deleting.set(false);
        if let Some(key) = saved_as() {
            spawn_local(editor.delete_task(app, key));
        }
    };
    let remove_nested = move |_| {
        editor.edit(false, |form| form.nested = None);
        editor.nested.set(false);
    };
    let question = move || {
        let texts = &t().jobs;
        let key = saved_as().unwrap_or_default();
        let waiting = dependents(&editor.saved_settings(), &key);
        match waiting.is_empty() {
            true => fill(texts.delete_text, &[("task", &key)]),
            false => fill(texts.delete_waiting, &[("task", &key), ("tasks", &waiting.join(texts.and))]),
        }
    };
    view! {
        <div class="button-row task-buttons">
            <button type="button" class="button button-primary" disabled=move || !can_save() on:click=save>
                {move || if is_new.get() { t().jobs.create_task } else { t().jobs.save_task }}
            </button>
            {move || match (nested, is_new.get()) {
                (true, _) => Some(view! {
                    <button type="button" class="button" on:click=remove_nested>{tr!(jobs.remove_nested)}</button>
                }.into_any()),
                (false, false) => Some(view! {
                    <button type="button" class="button button-danger" on:click=move |_| deleting.set(true)>{tr!(jobs.delete_task)}</button>
                }.into_any()),
                (false, true) => None,
            }}
            <span class="quiet" role="status">
                {move || match (editor.saving.get(), dirty.get() && !is_new.get()) {
                    (true, _) => t().jobs.saving,
                    (false, true) => t().jobs.not_saved,
                    (false, false) => "",
                }}
            </span>
        </div>
        <Dialog open=deleting title=Signal::derive(tr!(jobs.delete_title))>
            <p>{question}</p>
            <div class="button-row">
                <button type="button" class="button button-danger" on:click=confirm>{tr!(jobs.delete_confirm)}</button>
                <button type="button" class="button" on:click=move |_| deleting.set(false)>{tr!(common.cancel)}</button>
            </div>
        </Dialog>
    }
}

/// Moves the focus to the field that was asked for, once the form is in the page.
fn focus_when_asked(editor: JobEditor) {
    Effect::new(move || {
        let Some(field) = editor.focus.get() else { return };
        request_animation_frame(move || {
            let _ = editor.focus.try_set(None);
            let id = field_id(&field);
            let Some(place) = dom::by_id(&id) else { return };
            // The text of an editor, or the row of a parameter, is inside its place.
            let inner = match &field {
                Field::Parameter(name) => dom::find(&place, &format!("[data-parameter=\"{}\"]", selector_text(name))),
                _ => dom::find(&place, ".cm-content, input, select, textarea, button"),
            };
            let _ = inner.unwrap_or(place).focus();
        });
    });
}

/// A text inside the quotes of a selector.
fn selector_text(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
