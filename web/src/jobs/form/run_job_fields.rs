//! The fields of a Run job task.

use leptos::prelude::*;

use crate::components::asked;
use crate::engine::calls;
use crate::jobs::editor::JobEditor;
use crate::jobs::form::field_id;
use crate::jobs::form::problems::FieldProblems;
use crate::jobs::places::Field;
use crate::messages::{t, tr};

/// How a bundle refers to the id of one of its jobs.
fn reference(key: &str) -> String {
    format!("${{resources.jobs.{key}.id}}")
}

/// "Job": one of the others. A job that runs itself would do so for ever.
#[component]
pub fn RunJobFields(editor: JobEditor, nested: bool) -> impl IntoView {
    let id = field_id(&Field::Job);
    let jobs = asked(|| (), |()| calls::jobs());
    let present = Memo::new(move |_| editor.field(nested, |form| form.job_id.clone()));
    let choose = move |event: leptos::ev::Event| {
        let chosen = event_target_value(&event);
        editor.edit(nested, |form| form.job_id = chosen);
    };
    let options = move || {
        let own = editor.name.get();
        let jobs = jobs.get().and_then(Result::ok).unwrap_or_default();
        let mut choices: Vec<(String, String)> =
            jobs.into_iter().filter(|job| job.name != own).map(|job| (reference(&job.key), job.name)).collect();
        let present = present.get();
        // An id, or a job that is gone, stays, so that it can be seen and changed.
        if !present.is_empty() && choices.iter().all(|(value, _)| *value != present) {
            choices.push((present.clone(), present.clone()));
        }
        choices.insert(0, (String::new(), t().jobs.job_none.to_owned()));
        choices
            .into_iter()
            .map(|(value, words)| {
                let selected = value == present;
                view! { <option value=value prop:selected=selected>{words}</option> }
            })
            .collect_view()
    };
    view! {
        <div class="task-field">
            <label for=id.clone()>{tr!(jobs.job)}</label>
            <select
                class="input"
                id=id
                aria-describedby="task-job-hint task-job-problems"
                aria-invalid=move || editor.is_wrong(nested, &Field::Job).then_some("true")
                on:change=choose
            >
                {options}
            </select>
            <p class="task-hint" id="task-job-hint">{tr!(jobs.job_hint)}</p>
            <FieldProblems editor nested field=Field::Job/>
        </div>
    }
}
