//! Starting a run with other values of the job's parameters, or with only some of its tasks.

use leptos::prelude::*;
use leptos::task::spawn_local;
use serde_json::{Map, Value, json};

use crate::components::{Dialog, Failure};
use crate::jobs::editor::JobEditor;
use crate::jobs::run_now::start_run;
use crate::jobs::settings::task_keys;
use crate::messages::{fill, t, tr};
use crate::state::use_app;
use lakelet_protocol::WireError;

/// What the dialog holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Choice {
    /// Name, default and present value of each job parameter.
    parameters: Vec<(String, String, String)>,
    /// Each task, and whether it is to run.
    tasks: Vec<(String, bool)>,
}

impl Choice {
    /// Everything as the job says.
    fn of(settings: &Value) -> Self {
        let parameters = settings.get("parameters").and_then(Value::as_array).into_iter().flatten();
        let parameter = |parameter: &Value| {
            let name = parameter.get("name").and_then(Value::as_str)?.to_owned();
            let default = match parameter.get("default") {
                Some(Value::String(text)) => text.clone(),
                Some(Value::Null) | None => String::new(),
                Some(other) => other.to_string(),
            };
            Some((name, default.clone(), default))
        };
        Self {
            parameters: parameters.filter_map(parameter).collect(),
            tasks: task_keys(settings).into_iter().map(|key| (key, true)).collect(),
        }
    }

    /// The values that differ from their defaults.
    fn params(&self) -> Map<String, Value> {
        let changed = self.parameters.iter().filter(|(_, default, value)| value != default);
        changed.map(|(name, _, value)| (name.clone(), json!(value))).collect()
    }

    /// The tasks to run; none named when all are to.
    fn only(&self) -> Vec<String> {
        if self.tasks.iter().all(|(_, runs)| *runs) {
            return Vec::new();
        }
        self.tasks.iter().filter(|(_, runs)| *runs).map(|(key, _)| key.clone()).collect()
    }

    fn has_tasks(&self) -> bool {
        self.tasks.iter().any(|(_, runs)| *runs)
    }
}

/// The button "Run with settings" with its dialog.
#[component]
pub fn RunWith(editor: JobEditor) -> impl IntoView {
    let app = use_app();
    let open = RwSignal::new(false);
    let choice = RwSignal::new(Choice::default());
    let failure = RwSignal::new(None::<WireError>);
    let show = move |_| {
        choice.set(untrack(|| Choice::of(&editor.saved_settings())));
        failure.set(None);
        open.set(true);
    };
    let run = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        let (params, only) = choice.with_untracked(|choice| (choice.params(), choice.only()));
        spawn_local(async move {
            match start_run(app, editor.name.get_untracked(), params, only).await {
                Ok(()) => {
                    let _ = open.try_set(false);
                }
                Err(error) => {
                    let _ = failure.try_set(Some(error));
                }
            }
        });
    };
    let n_parameters = Memo::new(move |_| choice.with(|choice| choice.parameters.len()));
    let n_tasks = Memo::new(move |_| choice.with(|choice| choice.tasks.len()));
    view! {
        <button type="button" class="button" disabled=move || !app.is_ready() on:click=show>{tr!(jobs.run_with)}</button>
        <Dialog open title=Signal::derive(move || t().jobs.run_with.to_owned())>
            <form class="run-with" on:submit=run>
                <Show when=move || editor.has_unsaved()><p class="quiet">{tr!(jobs.run_with_saved)}</p></Show>
                <fieldset>
                    <legend>{tr!(jobs.job_parameters)}</legend>
                    <Show when=move || n_parameters.get() == 0><p class="quiet">{tr!(jobs.no_job_parameters)}</p></Show>
                    <For each=move || 0..n_parameters.get() key=|index| *index let(index)>
                        <ParameterField choice index/>
                    </For>
                </fieldset>
                <fieldset>
                    <legend>{tr!(jobs.run_with_tasks)}</legend>
                    <For each=move || 0..n_tasks.get() key=|index| *index let(index)>
                        <TaskChoice choice index/>
                    </For>
                </fieldset>
                {move || failure.get().map(|error| view! { <Failure error/> })}
                <div class="button-row">
                    <button type="submit" class="button button-primary" disabled=move || !choice.with(Choice::has_tasks)>{tr!(jobs.run_now)}</button>
                    <button type="button" class="button" on:click=move |_| open.set(false)>{tr!(common.cancel)}</button>
                </div>
            </form>
        </Dialog>
    }
}

#[component]
fn ParameterField(choice: RwSignal<Choice>, index: usize) -> impl IntoView {
    let parameter = Memo::new(move |_| choice.with(|choice| choice.parameters.get(index).cloned().unwrap_or_default()));
    let id = format!("run-parameter-{index}");
    let type_value = move |event: leptos::ev::Event| {
        let text = event_target_value(&event);
        choice.update(|choice| {
            if let Some((_, _, value)) = choice.parameters.get_mut(index) {
                *value = text;
            }
        });
    };
    view! {
        <div class="task-field">
            <label for=id.clone()>{move || parameter.get().0}</label>
            <input
                type="text"
                class="input input-code"
                id=id
                autocomplete="off"
                spellcheck="false"
                prop:value=move || parameter.get().2
                on:input=type_value
            />
            {move || {
                let (_, default, value) = parameter.get();
                (default != value).then(|| view! {
                    <p class="task-hint">{fill(t().jobs.run_with_default, &[("value", &default)])}</p>
                })
            }}
        </div>
    }
}

#[component]
fn TaskChoice(choice: RwSignal<Choice>, index: usize) -> impl IntoView {
    let task = Memo::new(move |_| choice.with(|choice| choice.tasks.get(index).cloned().unwrap_or_default()));
    let choose = move |event: leptos::ev::Event| {
        let runs = event_target_checked(&event);
        choice.update(|choice| {
            if let Some((_, chosen)) = choice.tasks.get_mut(index) {
                *chosen = runs;
            }
        });
    };
    view! {
        <label class="run-task">
            <input type="checkbox" prop:checked=move || task.get().1 on:change=choose/>
            <span>{move || task.get().0}</span>
        </label>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_differs_is_asked_for() {
        let settings = json!({"parameters": [{"name": "day", "default": "2026-01-01"}, {"name": "n", "default": 2}],
            "tasks": [{"task_key": "a"}, {"task_key": "b"}]});
        let mut choice = Choice::of(&settings);
        assert_eq!((choice.params(), choice.only(), choice.has_tasks()), (Map::new(), Vec::new(), true));
        choice.parameters[1].2 = "3".to_owned();
        choice.tasks[0].1 = false;
        assert_eq!(Value::Object(choice.params()), json!({"n": "3"}));
        assert_eq!(choice.only(), ["b"]);
        choice.tasks[1].1 = false;
        assert!(!choice.has_tasks());
    }
}
