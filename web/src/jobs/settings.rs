//! Job settings, edited without losing what the page does not know.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::jobs::task_form::TaskForm;

#[cfg(test)]
mod tests;

/// A job without tasks.
pub fn new_job(name: &str) -> Value {
    json!({ "name": name, "tasks": [] })
}

/// The same settings under another name.
pub fn with_name(settings: &Value, name: &str) -> Value {
    let mut settings = settings.clone();
    if let Some(settings) = settings.as_object_mut() {
        settings.insert("name".to_owned(), json!(name));
    }
    settings
}

/// The tasks.
pub fn tasks(settings: &Value) -> &[Value] {
    settings.get("tasks").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// A task's name; empty when it has none.
pub fn task_key(task: &Value) -> &str {
    task.get("task_key").and_then(Value::as_str).unwrap_or_default()
}

/// The names of the tasks in the order of the settings.
pub fn task_keys(settings: &Value) -> Vec<String> {
    tasks(settings).iter().map(|task| task_key(task).to_owned()).collect()
}

/// A task by its name.
pub fn task<'s>(settings: &'s Value, key: &str) -> Option<&'s Value> {
    tasks(settings).iter().find(|task| task_key(task) == key)
}

/// The name of the task that has a name in it: its own, or that of the task it loops over.
pub fn outer_task<'s>(settings: &'s Value, key: &str) -> Option<&'s str> {
    let nested = |task: &&Value| task.pointer("/for_each_task/task").map(task_key) == Some(key);
    task(settings, key).or_else(|| tasks(settings).iter().find(nested)).map(task_key)
}

/// The settings with a task as its form has it: in place of the one that was called `before`, or at the end. A task that
/// gets another name keeps what depends on it and what refers to it, unless another task has its old name too.
pub fn with_task(settings: &Value, before: Option<&str>, form: &TaskForm) -> Value {
    let mut settings = settings.clone();
    let Some(object) = settings.as_object_mut() else { return settings };
    let list = object.entry("tasks").or_insert_with(|| json!([]));
    if !list.is_array() {
        *list = json!([]);
    }
    let Some(list) = list.as_array_mut() else { return settings };
    match before.and_then(|before| list.iter().position(|task| task_key(task) == before)) {
        Some(place) => {
            let is_only = list.iter().filter(|task| Some(task_key(task)) == before).count() == 1;
            if let Some(before) = before.filter(|before| is_only && *before != form.key) {
                list.iter_mut().for_each(|task| rename_in(task, before, &form.key));
            }
            if let Some(task) = list.get_mut(place) {
                *task = form.write(Some(task));
            }
        }
        None => list.push(form.write(None)),
    }
    settings
}

/// The settings without a task, and without its edges to others. Of several tasks of one name only the first goes: it is
/// the one whose form is shown.
pub fn without_task(settings: &Value, key: &str) -> Value {
    let mut settings = settings.clone();
    if let Some(list) = settings.get_mut("tasks").and_then(Value::as_array_mut) {
        if let Some(place) = list.iter().position(|task| task_key(task) == key) {
            list.remove(place);
        }
        if list.iter().any(|task| task_key(task) == key) {
            return settings;
        }
        for task in list.iter_mut().filter_map(Value::as_object_mut) {
            let Some(edges) = task.get_mut("depends_on").and_then(Value::as_array_mut) else { continue };
            let n_before = edges.len();
            edges.retain(|edge| task_key(edge) != key);
            if edges.is_empty() && n_before > 0 {
                task.shift_remove("depends_on");
            }
        }
    }
    settings
}

/// The names of the tasks that wait for a task.
pub fn dependents(settings: &Value, key: &str) -> Vec<String> {
    let waits = |task: &&Value| {
        let edges = task.get("depends_on").and_then(Value::as_array).into_iter().flatten();
        edges.map(task_key).any(|other| other == key)
    };
    tasks(settings).iter().filter(waits).map(|task| task_key(task).to_owned()).collect()
}

/// Everything that a task waits for, directly or through others, in the order of the settings.
pub fn upstream(settings: &Value, depends_on: &[String]) -> Vec<String> {
    let mut found: BTreeSet<String> = BTreeSet::new();
    let mut open: Vec<String> = depends_on.to_vec();
    while let Some(key) = open.pop() {
        if found.insert(key.clone()) {
            let edges = task(settings, &key).and_then(|task| task.get("depends_on")).and_then(Value::as_array);
            open.extend(edges.into_iter().flatten().map(|edge| task_key(edge).to_owned()));
        }
    }
    task_keys(settings).into_iter().filter(|key| found.contains(key)).collect()
}

/// A name that none of the others has: itself, or with a number behind.
pub fn free_name<'n>(wanted: &str, taken: impl IntoIterator<Item = &'n str>) -> String {
    let taken: BTreeSet<&str> = taken.into_iter().collect();
    if !taken.contains(wanted) {
        return wanted.to_owned();
    }
    (2..=taken.len() + 2)
        .map(|n| format!("{wanted} {n}"))
        .find(|name| !taken.contains(name.as_str()))
        .unwrap_or_else(|| wanted.to_owned())
}

/// Replaces a task's name in the edges and references of another task.
fn rename_in(task: &mut Value, before: &str, after: &str) {
    let edges = task.get_mut("depends_on").and_then(Value::as_array_mut).into_iter().flatten();
    for edge in edges.filter_map(Value::as_object_mut) {
        if edge.get("task_key").and_then(Value::as_str) == Some(before) {
            edge.insert("task_key".to_owned(), json!(after));
        }
    }
    rename_references(task, before, after);
}

fn rename_references(value: &mut Value, before: &str, after: &str) {
    match value {
        Value::String(text) if text.contains("{{") => {
            *text = text.replace(&format!("{{{{tasks.{before}."), &format!("{{{{tasks.{after}."));
        }
        Value::Array(values) => values.iter_mut().for_each(|value| rename_references(value, before, after)),
        Value::Object(fields) => fields.values_mut().for_each(|value| rename_references(value, before, after)),
        _ => {}
    }
}
