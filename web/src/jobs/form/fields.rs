//! The fields that every task has, and those of notebooks.

use leptos::prelude::*;

use crate::components::asked;
use crate::engine::calls;
use crate::jobs::editor::JobEditor;
use crate::jobs::form::field_id;
use crate::jobs::form::problems::FieldProblems;
use crate::jobs::places::Field;
use crate::jobs::settings::{task, task_keys};
use crate::jobs::task_form::{TaskForm, TaskType};
use crate::messages::{fill, t, tr};
use crate::route::Route;

/// "Task name".
#[component]
pub fn NameField(editor: JobEditor, nested: bool) -> impl IntoView {
    let id = field_id(&Field::Name);
    view! {
        <div class="task-field">
            <label for=id.clone()>{tr!(jobs.task_name)}</label>
            <input
                type="text"
                class="input"
                id=id
                autocomplete="off"
                spellcheck="false"
                aria-describedby="task-name-hint task-name-problems"
                aria-invalid=move || editor.is_wrong(nested, &Field::Name).then_some("true")
                prop:value=move || editor.field(nested, |form| form.key.clone())
                on:input=move |event| editor.edit(nested, |form| form.key = event_target_value(&event))
            />
            <p class="task-hint" id="task-name-hint">{tr!(jobs.task_name_hint)}</p>
            <FieldProblems editor nested field=Field::Name/>
        </div>
    }
}

/// "Type". A loop is not offered inside a loop.
#[component]
pub fn TypeField(editor: JobEditor, nested: bool) -> impl IntoView {
    let id = field_id(&Field::Type);
    let present = move || editor.field(nested, |form| form.kind.settings_key().to_owned());
    let choose = move |event: leptos::ev::Event| {
        let kind = TaskType::from_settings_key(&event_target_value(&event));
        editor.edit(nested, |form| form.kind = kind);
    };
    // A type without a form is only offered to the task that has it.
    let other = untrack(|| {
        editor.field(nested, |form| match &form.kind {
            TaskType::Other(key) => Some((key.clone(), form.kind.word())),
            _ => None,
        })
    });
    let options = TaskType::OFFERED
        .into_iter()
        .filter(|kind| !nested || kind.is_for_loops())
        .map(|kind| (kind.settings_key().to_owned(), kind.word()))
        .chain(other)
        .map(|(key, word)| {
            let selected = {
                let key = key.clone();
                move || present() == key
            };
            view! { <option value=key prop:selected=selected>{word}</option> }
        })
        .collect_view();
    view! {
        <div class="task-field">
            <label for=id.clone()>{tr!(jobs.task_type)}</label>
            <select class="input" id=id aria-describedby=nested.then_some("task-type-hint") on:change=choose>{options}</select>
            {nested.then(|| view! { <p class="task-hint" id="task-type-hint">{tr!(jobs.loops_do_not_nest)}</p> })}
            <FieldProblems editor nested field=Field::Type/>
        </div>
    }
}

/// "Depends on": a choice for each task it waits for, and one more to add another.
#[component]
pub fn DependsOnFields(editor: JobEditor) -> impl IntoView {
    let n_choices = Memo::new(move |_| editor.field(false, |form| form.depends_on.len()) + 1);
    let others = Memo::new(move |_| {
        let own = editor.open.with(|open| open.as_ref().and_then(|open| open.saved_as.clone()));
        task_keys(&editor.saved_settings()).into_iter().filter(|key| Some(key) != own.as_ref()).collect::<Vec<_>>()
    });
    view! {
        <div class="task-field" id=field_id(&Field::DependsOn)>
            <For each=move || 0..n_choices.get() key=|index| *index let(index)>
                <DependsOnChoice editor index others/>
            </For>
            <FieldProblems editor nested=false field=Field::DependsOn/>
        </div>
    }
}

#[component]
fn DependsOnChoice(editor: JobEditor, index: usize, others: Memo<Vec<String>>) -> impl IntoView {
    let id = format!("task-depends-on-{index}");
    let present =
        Memo::new(move |_| editor.field(false, |form| form.depends_on.get(index).cloned().unwrap_or_default()));
    let label = move || match index {
        0 => t().jobs.depends_on.to_owned(),
        _ => fill(t().jobs.depends_on_also, &[("n", &(index + 1).to_string())]),
    };
    let choose = move |event: leptos::ev::Event| {
        let chosen = Edge::from_value(&event_target_value(&event));
        editor.edit(false, |form| choose_edge(form, index, chosen));
    };
    let present_edge = Memo::new(move |_| {
        let key = present.get();
        let outcome = editor.field(false, |form| form.outcomes.get(&key).cloned()).unwrap_or_default();
        Edge { key, outcome }
    });
    let options = move || {
        let present_edge = present_edge.get();
        let present = present_edge.key.clone();
        let saved = editor.saved_settings();
        let taken = editor.field(false, |form| form.depends_on.clone());
        // A name that no task has any more stays, so that it can be seen and changed.
        let mut keys: Vec<String> =
            others.get().into_iter().filter(|key| *key == present || !taken.contains(key)).collect();
        if !present.is_empty() && !keys.contains(&present) {
            keys.push(present.clone());
        }
        let none = if index == 0 { t().jobs.depends_on_nothing } else { t().jobs.depends_on_no_more };
        let nothing = view! { <option value="" prop:selected=present.is_empty()>{none}</option> };
        let keys = keys
            .into_iter()
            .flat_map(|key| edges(&saved, key, &present_edge))
            .map(|edge| {
                let selected = edge == present_edge;
                view! { <option value=edge.value() prop:selected=selected>{edge.words()}</option> }
            })
            .collect_view();
        (nothing, keys)
    };
    view! {
        <label for=id.clone() class:for-ears={index > 0}>{label}</label>
        <select class="input" id=id on:change=choose>{options}</select>
    }
}

/// A task to wait for, and the outcome of it where it is an If/else.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Edge {
    key: String,
    outcome: String,
}

impl Edge {
    /// Task keys have no blank in them.
    fn value(&self) -> String {
        format!("{} {}", self.key, self.outcome).trim_end().to_owned()
    }

    fn from_value(value: &str) -> Self {
        let (key, outcome) = value.split_once(' ').unwrap_or((value, ""));
        Self { key: key.to_owned(), outcome: outcome.to_owned() }
    }

    fn words(&self) -> String {
        match self.outcome.as_str() {
            "" => self.key.clone(),
            outcome => fill(t().jobs.depends_on_outcome, &[("task", &self.key), ("outcome", outcome)]),
        }
    }
}

/// The ways to wait for a task. The present one stays, so that it can be seen and changed.
fn edges(saved: &serde_json::Value, key: String, present: &Edge) -> Vec<Edge> {
    let is_condition = task(saved, &key).is_some_and(|task| TaskForm::read(task).kind == TaskType::Condition);
    let outcomes: &[&str] = if is_condition { &["true", "false"] } else { &[""] };
    let mut edges: Vec<Edge> =
        outcomes.iter().map(|outcome| Edge { key: key.clone(), outcome: (*outcome).to_owned() }).collect();
    if present.key == key && !edges.contains(present) {
        edges.push(present.clone());
    }
    edges
}

/// Puts an edge at a place of the list, or takes what is there away.
fn choose_edge(form: &mut TaskForm, index: usize, chosen: Edge) {
    let Edge { key, outcome } = chosen;
    let before = form.depends_on.get(index).cloned();
    if before.as_ref() != Some(&key) {
        form.depends_on.retain(|known| known.is_empty() || *known != key);
    }
    match form.depends_on.get_mut(index) {
        Some(_) if key.is_empty() => drop(form.depends_on.remove(index)),
        Some(known) => known.clone_from(&key),
        None if key.is_empty() => {}
        None => form.depends_on.push(key.clone()),
    }
    if !outcome.is_empty() {
        form.outcomes.insert(key, outcome);
    } else {
        form.outcomes.remove(&key);
    }
    form.outcomes.retain(|key, _| form.depends_on.contains(key));
}

/// "Path" of a notebook, with those that are there.
#[component]
pub fn PathField(editor: JobEditor, nested: bool) -> impl IntoView {
    let id = field_id(&Field::Path);
    let files = asked(|| (), |()| calls::files());
    let notebooks = move || {
        let files = files.get().and_then(Result::ok).unwrap_or_default();
        files
            .into_iter()
            .filter(|path| crate::notebook::is_notebook_path(path))
            .map(|path| view! { <option value=path></option> })
            .collect_view()
    };
    let address = move || {
        let path = editor.field(nested, |form| form.path.clone());
        (!path.is_empty()).then(|| Route::Notebook { path: Some(path) }.to_string())
    };
    view! {
        <div class="task-field">
            <label for=id.clone()>{tr!(jobs.path)}</label>
            <input
                type="text"
                class="input"
                id=id
                list="task-notebooks"
                autocomplete="off"
                spellcheck="false"
                aria-describedby="task-path-hint task-path-problems"
                aria-invalid=move || editor.is_wrong(nested, &Field::Path).then_some("true")
                prop:value=move || editor.field(nested, |form| form.path.clone())
                on:input=move |event| editor.edit(nested, |form| form.path = event_target_value(&event))
            />
            <datalist id="task-notebooks">{notebooks}</datalist>
            <p class="task-hint" id="task-path-hint">
                {tr!(jobs.path_hint)} " "
                {move || address().map(|address| view! { <a href=address>{tr!(jobs.open_notebook)}</a> })}
            </p>
            <FieldProblems editor nested field=Field::Path/>
        </div>
    }
}
