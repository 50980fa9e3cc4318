//! The fields of a For each.

use lakelet_protocol::InputsPreview;
use leptos::prelude::*;

use crate::components::icon::{Icon, icon};
use crate::jobs::editor::JobEditor;
use crate::jobs::form::field_id;
use crate::jobs::form::problems::FieldProblems;
use crate::jobs::form::reference_field::ReferenceField;
use crate::jobs::graph::type_icon;
use crate::jobs::places::Field;
use crate::jobs::task_form::{TaskForm, TaskType};
use crate::messages::{plural, t, tr};

/// "Inputs", "Concurrency" and the task in the loop.
#[component]
pub fn LoopFields(editor: JobEditor) -> impl IntoView {
    let inputs_id = field_id(&Field::Inputs);
    let concurrency_id = field_id(&Field::Concurrency);
    let value = Signal::derive(move || editor.field(false, |form| form.inputs.clone()));
    let inputs = Memo::new(move |_| editor.inputs());
    let nested = Memo::new(move |_| editor.field(false, |form| form.nested.as_deref().map(summary)));
    let add = move |_| {
        editor.edit(false, |form| {
            let first = || Box::new(TaskForm { kind: TaskType::Notebook, ..TaskForm::default() });
            form.nested.get_or_insert_with(first);
        });
        editor.focus.set(Some(Field::Name));
        editor.nested.set(true);
    };
    view! {
        <div class="task-field">
            <label for=inputs_id.clone()>{tr!(jobs.inputs)}</label>
            <ReferenceField
                editor
                nested=false
                id=inputs_id
                value
                on_edit=Callback::new(move |text| editor.edit(false, |form| form.inputs = text))
                described_by=Some("task-inputs-hint task-inputs-problems")
                field=Some(Field::Inputs)
            />
            <p class="task-hint" id="task-inputs-hint">{tr!(jobs.inputs_hint)}</p>
            <FieldProblems editor nested=false field=Field::Inputs/>
            {move || inputs.get().filter(|_| !editor.is_wrong(false, &Field::Inputs)).map(|inputs| inputs_preview(&inputs))}
        </div>
        <div class="task-field">
            <label for=concurrency_id.clone()>{tr!(jobs.concurrency)}</label>
            <input
                type="number"
                class="input input-number"
                id=concurrency_id
                min="1"
                max="100"
                step="1"
                placeholder="1"
                aria-describedby="task-concurrency-hint task-concurrency-problems"
                aria-invalid=move || editor.is_wrong(false, &Field::Concurrency).then_some("true")
                prop:value=move || editor.field(false, |form| form.concurrency.clone())
                on:input=move |event| editor.edit(false, |form| form.concurrency = event_target_value(&event))
            />
            <p class="task-hint" id="task-concurrency-hint">{tr!(jobs.concurrency_hint)}</p>
            <FieldProblems editor nested=false field=Field::Concurrency/>
        </div>
        <div class="task-field" id=field_id(&Field::Nested)>
            <span class="task-label">{tr!(jobs.nested_task)}</span>
            {move || match nested.get() {
                None => view! {
                    <button type="button" class="button" on:click=add>{icon(Icon::Plus)}{tr!(jobs.add_nested)}</button>
                }
                .into_any(),
                Some((key, word)) => view! {
                    <button type="button" class="button nested-open" on:click=move |_| editor.nested.set(true)>
                        {icon(type_icon(&word))}
                        <span>{if key.is_empty() { t().jobs.unnamed_task.to_owned() } else { key }}</span>
                        <span class="quiet">{word.clone()}</span>
                        {icon(Icon::ChevronRight)}
                    </button>
                }
                .into_any(),
            }}
            <FieldProblems editor nested=false field=Field::Nested/>
        </div>
    }
}

fn summary(form: &TaskForm) -> (String, String) {
    (form.key.clone(), form.kind.word())
}

/// How many elements there are and the first of them; or why that cannot be told.
fn inputs_preview(inputs: &InputsPreview) -> impl IntoView + use<> {
    let n_items = inputs.n_items;
    let problem = inputs.problem.clone();
    let told = problem.is_none() || !inputs.first.is_empty();
    let first = inputs
        .first
        .iter()
        .enumerate()
        .map(|(index, item)| view! { <li><span class="quiet">{format!("#{index}")}</span> " " <code>{item.clone()}</code></li> })
        .collect_view();
    let is_empty = told && n_items == 0;
    view! {
        <div class="inputs-preview">
            {told.then(|| view! { <p class="inputs-count">{move || plural(t().jobs.n_items, n_items)}</p> })}
            {is_empty.then(|| view! { <p class="quiet">{tr!(jobs.no_items)}</p> })}
            <ul class="inputs-first">{first}</ul>
            {problem.map(|problem| view! { <p class="inputs-problem tone-warning">{icon(Icon::Warning)}<span>{problem}</span></p> })}
        </div>
    }
}

/// What a nested task should know of its loop.
#[component]
pub fn LoopSummary(editor: JobEditor) -> impl IntoView {
    let inputs = Memo::new(move |_| editor.inputs());
    let words = move || {
        let texts = &t().jobs;
        inputs.with(|inputs| match inputs {
            Some(inputs) if inputs.problem.is_none() => plural(texts.runs_for_items, inputs.n_items),
            _ => texts.runs_for_each.to_owned(),
        })
    };
    let first = move || inputs.with(|inputs| inputs.as_ref().and_then(|inputs| inputs.first.first().cloned()));
    view! {
        <div class="loop-summary">
            <p>{words}</p>
            {move || first().map(|first| view! { <p class="quiet">{tr!(jobs.first_item)} " " <code>{first}</code></p> })}
        </div>
    }
}
