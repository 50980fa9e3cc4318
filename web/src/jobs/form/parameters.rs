//! The parameters of a task: rows of names and texts, with what each text comes to.

use lakelet_protocol::InputsPreview;
use leptos::prelude::*;

use crate::boundary::dom;
use crate::components::icon::{Icon, icon};
use crate::jobs::editor::JobEditor;
use crate::jobs::form::field_id;
use crate::jobs::form::problems::FieldProblems;
use crate::jobs::form::reference_field::ReferenceField;
use crate::jobs::places::Field;
use crate::jobs::task_form::ParameterRow;
use crate::messages::{fill, t, tr};

/// "Parameters".
#[component]
pub fn ParameterFields(editor: JobEditor, nested: bool) -> impl IntoView {
    let n_rows = Memo::new(move |_| editor.field(nested, |form| form.parameters.len()));
    let inputs = Memo::new(move |_| nested.then(|| editor.inputs()).flatten());
    let add = move |_| {
        let index = n_rows.get_untracked();
        editor.edit(nested, |form| form.parameters.push(ParameterRow::default()));
        request_animation_frame(move || dom::focus(&key_id(index)));
    };
    view! {
        <fieldset class="task-parameters" id=field_id(&Field::Parameters)>
            <legend>{tr!(jobs.parameters)}</legend>
            <Show when=move || n_rows.get() != 0>
                <div class="parameter-heads" aria-hidden="true"><span>{tr!(jobs.key)}</span><span>{tr!(jobs.value)}</span></div>
            </Show>
            <For each=move || 0..n_rows.get() key=|index| *index let(index)>
                <ParameterLine editor nested index inputs/>
            </For>
            <button type="button" class="button-small" on:click=add>{icon(Icon::Plus)}{tr!(jobs.add)}</button>
            <FieldProblems editor nested field=Field::Parameters/>
        </fieldset>
    }
}

fn key_id(index: usize) -> String {
    format!("parameter-key-{index}")
}

#[component]
fn ParameterLine(editor: JobEditor, nested: bool, index: usize, inputs: Memo<Option<InputsPreview>>) -> impl IntoView {
    let row = Memo::new(move |_| editor.field(nested, |form| form.parameters.get(index).cloned().unwrap_or_default()));
    let edit = move |change: &dyn Fn(&mut ParameterRow)| {
        editor.edit(nested, |form| {
            if let Some(row) = form.parameters.get_mut(index) {
                change(row);
            }
        });
    };
    let key = Signal::derive(move || row.with(|row| row.key.clone()));
    let value = Signal::derive(move || row.with(|row| row.value.clone()));
    let resolved = move || {
        let row = row.get();
        inputs.with(|inputs| {
            let inputs = inputs.as_ref().filter(|_| row.value.contains("{{"))?;
            inputs
                .parameters
                .iter()
                .find(|parameter| parameter.name == row.key)
                .map(|parameter| parameter.value.clone())
        })
    };
    let remove = move |_| {
        editor.edit(nested, |form| {
            if index < form.parameters.len() {
                form.parameters.remove(index);
            }
        });
    };
    let remove_name = move || fill(t().jobs.remove_parameter, &[("name", &key.get())]);
    view! {
        <div class="parameter-line">
            <input
                type="text"
                class="input input-code"
                id=key_id(index)
                autocomplete="off"
                spellcheck="false"
                aria-label=tr!(jobs.parameter_key)
                prop:value=key
                on:input=move |event| {
                    let text = event_target_value(&event);
                    edit(&move |row| row.key.clone_from(&text));
                }
            />
            <ReferenceField
                editor
                nested
                id=format!("parameter-value-{index}")
                name=Some(Signal::derive(|| t().jobs.parameter_value.to_owned()))
                parameter=Some(key)
                value
                on_edit=Callback::new(move |text: String| edit(&move |row| row.value.clone_from(&text)))
            />
            <button type="button" class="button-plain" aria-label=remove_name title=remove_name on:click=remove>{icon(Icon::Close)}</button>
            {move || resolved().map(|value| view! {
                <p class="parameter-resolved">
                    {icon(Icon::ArrowRight)}
                    <span class="for-ears">{tr!(jobs.resolved)}</span>
                    <code>{value}</code>
                </p>
            })}
        </div>
    }
}
