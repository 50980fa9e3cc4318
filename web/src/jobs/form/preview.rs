//! The rows that a SQL task would pass on, without a run.

use lakelet_protocol::TaskOutputView;
use leptos::prelude::*;
use leptos::task::spawn_local;
use serde_json::{Map, Value, json};

use crate::components::Failure;
use crate::engine::{Answer, calls};
use crate::jobs::editor::JobEditor;
use crate::jobs::run::output::TaskOutput;
use crate::messages::tr;
use crate::state::use_app;

/// The button "Preview output" and what it shows.
#[component]
pub fn PreviewOutput(editor: JobEditor, nested: bool) -> impl IntoView {
    let app = use_app();
    let answer = RwSignal::new(None::<Answer<TaskOutputView>>);
    let asking = RwSignal::new(false);
    let preview = move |_| {
        let sql = untrack(|| editor.field(nested, |form| form.sql.clone()));
        let params = untrack(|| parameters(editor, nested));
        asking.set(true);
        spawn_local(async move {
            let result = calls::preview_output(sql, params).await;
            let _ = asking.try_set(false);
            let _ = answer.try_set(Some(result));
        });
    };
    view! {
        <div class="task-field">
            <div class="button-row">
                <button type="button" class="button-small" disabled=move || asking.get() || !app.is_ready() on:click=preview>
                    {tr!(jobs.preview_output)}
                </button>
                <Show when=move || asking.get()><span class="quiet" role="status">{tr!(common.loading)}</span></Show>
            </div>
            {move || answer.get().map(|answer| match answer {
                Ok(output) => view! { <div class="output-preview"><TaskOutput output/></div> }.into_any(),
                Err(error) => view! { <Failure error/> }.into_any(),
            })}
        </div>
    }
}

/// Parameters as the first item of the loop would have them; others as they are written, as far as they refer to nothing.
fn parameters(editor: JobEditor, nested: bool) -> Map<String, Value> {
    let resolved =
        if nested { editor.inputs().map(|inputs| inputs.parameters).unwrap_or_default() } else { Vec::new() };
    let written = editor.field(nested, |form| form.parameters.clone());
    written
        .into_iter()
        .filter_map(|row| {
            let known = resolved.iter().find(|parameter| parameter.name == row.key);
            let value = match known {
                Some(parameter) => parameter.value.clone(),
                None if row.value.contains("{{") => return None,
                None => row.value,
            };
            Some((row.key, json!(value)))
        })
        .collect()
}
