//! The fields for a script's `:name` parameters.

use leptos::prelude::*;

use crate::messages::{fill, t, tr};
use crate::sql::parameters::parameter_names;
use crate::state::EditorTab;
use crate::state::tabs::{ParameterInput, ParameterKind};

/// A field for each `:name` of the script.
#[component]
pub fn ParameterBar(tab: EditorTab) -> impl IntoView {
    let text = tab.text.clone();
    let names = Memo::new(move |_| text.with(|text| parameter_names(text)));
    let tab = StoredValue::new(tab);
    view! {
        <Show when=move || !names.with(Vec::is_empty)>
            <div class="parameters" role="group" aria-label=tr!(sql.parameters)>
                <span class="parameters-head">{tr!(sql.parameters)}</span>
                <For each=move || names.get() key=Clone::clone let(name)>
                    <ParameterField tab=tab.get_value() name/>
                </For>
            </div>
        </Show>
    }
}

const KINDS: [(ParameterKind, &str); 4] = [
    (ParameterKind::Text, "text"),
    (ParameterKind::Number, "number"),
    (ParameterKind::Boolean, "boolean"),
    (ParameterKind::Null, "null"),
];

#[component]
fn ParameterField(tab: EditorTab, name: String) -> impl IntoView {
    let inputs = tab.parameters;
    let input = {
        let (inputs, name) = (inputs.clone(), name.clone());
        Memo::new(move |_| inputs.with(|inputs| inputs.get(&name).cloned()).unwrap_or_default())
    };
    let change = {
        let name = name.clone();
        Callback::new(move |input: ParameterInput| {
            inputs.update(|inputs| {
                inputs.insert(name.clone(), input);
            });
        })
    };
    let label = format!(":{name}");
    view! {
        <label class="parameter">
            <span class="parameter-name">{label}</span>
            <input
                class="input"
                type="text"
                prop:value=move || input.get().text
                disabled=move || input.get().kind == ParameterKind::Null
                on:input=move |event| change.run(ParameterInput { text: event_target_value(&event), ..input.get_untracked() })
            />
        </label>
        <select
            class="input"
            aria-label={
                let name = name.clone();
                move || fill(t().sql.parameter_kind, &[("name", &name)])
            }
            prop:value=move || KINDS.iter().find(|(kind, _)| *kind == input.get().kind).map_or("text", |(_, key)| key)
            on:change=move |event| {
                let value = event_target_value(&event);
                if let Some((kind, _)) = KINDS.iter().find(|(_, key)| *key == value) {
                    change.run(ParameterInput { kind: *kind, ..input.get_untracked() });
                }
            }
        >
            <option value="text">{tr!(sql.kind_text)}</option>
            <option value="number">{tr!(sql.kind_number)}</option>
            <option value="boolean">{tr!(sql.kind_boolean)}</option>
            <option value="null">{tr!(sql.kind_null)}</option>
        </select>
    }
}
