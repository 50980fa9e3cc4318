//! The SQL tasks of a job that is written: texts in files of their own, and the warehouse that Databricks asks for.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{SaveError, free_name, identifier, parse};
use crate::project::{BUNDLE_PATH, Project};
use crate::read::Bundle;
use crate::yaml::{Yaml, parse_yaml, to_yaml};

/// Name of the variable that stands for a SQL warehouse in new bundles.
const WAREHOUSE: &str = "warehouse_id";

/// The SQL of a task: `sql_task.query.text` if it is there, else the text of `sql_task.file.path`.
pub fn sql_task_text<'a>(project: &'a Project, sql_task: &'a Value) -> Option<&'a str> {
    let written = sql_task.get("query").and_then(|query| query.get("text")).and_then(Value::as_str);
    written.or_else(|| project.text(path_of(sql_task)?))
}

/// Settings with the text of each SQL task's file in `sql_task.query.text`, as the editor of a job wants them.
pub fn with_sql_texts(project: &Project, settings: &Value) -> Value {
    let mut settings = settings.clone();
    each_sql_task(&mut settings, &mut |_, sql_task| {
        if let Some(text) = sql_task_text(project, sql_task).map(str::to_owned)
            && let Some(sql_task) = sql_task.as_object_mut()
            && let Value::Object(query) = sql_task.entry("query").or_insert_with(|| json!({}))
        {
            query.insert("text".to_owned(), Value::String(text));
        }
    });
    settings
}

/// Where texts of a job's new SQL tasks may go.
pub(super) struct SqlHome {
    folder: String,
    /// Files of the SQL tasks of all jobs: a change of one would change what the other task does.
    taken: BTreeSet<String>,
}

impl SqlHome {
    /// Of the job with this name.
    pub fn new(bundle: &Bundle, job_name: &str) -> Self {
        let taken = bundle.jobs.iter().flat_map(|job| paths(&job.settings)).collect();
        Self { folder: identifier(job_name), taken }
    }

    /// A file that is not there or that holds this very text already, and that is no other task's.
    fn path_for(&self, project: &Project, task_key: &str, text: &str) -> String {
        let is_taken =
            |path: &str| self.taken.contains(path) || (project.contains(path) && project.text(path) != Some(text));
        let name = identifier(task_key);
        let plain = format!("src/{name}.sql");
        if !is_taken(&plain) {
            return plain;
        }
        let of_job = |name: &str| format!("src/{}/{name}.sql", self.folder);
        of_job(&free_name(&name, |name| is_taken(&of_job(name))))
    }
}

/// Moves `sql_task.query.text` into files. Where tasks share a file, each comes with its text: the one that was changed
/// counts.
pub(super) fn write_sql_texts(project: &mut Project, settings: &mut Value, mut home: SqlHome) -> Result<(), SaveError> {
    home.taken.extend(paths(settings));
    let mut written: Vec<(String, String)> = Vec::new();
    each_sql_task(settings, &mut |task_key, sql_task| {
        let Some(sql_task) = sql_task.as_object_mut() else { return };
        let text = sql_task.get("query").and_then(|query| query.get("text")).and_then(Value::as_str).map(str::to_owned);
        let Some(text) = text else { return };
        if let Some(Value::Object(query)) = sql_task.get_mut("query") {
            query.shift_remove("text");
            if query.is_empty() {
                sql_task.shift_remove("query");
            }
        }
        if sql_task.contains_key("query") {
            return;
        }
        let path = sql_task.get("file").and_then(|file| file.get("path")).and_then(Value::as_str).map(str::to_owned);
        let path = path.unwrap_or_else(|| home.path_for(project, task_key, &text));
        home.taken.insert(path.clone());
        written.push((path.clone(), text));
        let file = sql_task.entry("file").or_insert_with(|| json!({}));
        if let Value::Object(file) = file {
            file.insert("path".to_owned(), Value::String(path));
        }
    });
    written.retain(|(path, text)| project.text(path) != Some(text.as_str()));
    for (index, (path, text)) in written.iter().enumerate() {
        if written.iter().take(index).any(|(other, said)| other == path && said != text) {
            return Err(SaveError::SharedFile { path: path.clone() });
        }
    }
    for (path, text) in written {
        project.put_text(&path, text)?;
    }
    Ok(())
}

/// Gives SQL tasks that are new, or other than `before`, and name no warehouse the bundle's variable for one; it is
/// declared where it is not yet. What was not touched keeps its spelling.
pub(super) fn name_warehouses(project: &mut Project, settings: &mut Value, before: &Value) -> Result<(), SaveError> {
    let mut known = Vec::new();
    each_sql_task(&mut before.clone(), &mut |_, sql_task| known.push(sql_task.clone()));
    let mut n_named = 0;
    each_sql_task(settings, &mut |_, sql_task| {
        let is_known = known.contains(sql_task);
        if let Some(sql_task) =
            sql_task.as_object_mut().filter(|sql_task| !is_known && !sql_task.contains_key(WAREHOUSE))
        {
            sql_task.insert(WAREHOUSE.to_owned(), json!(format!("${{var.{WAREHOUSE}}}")));
            n_named += 1;
        }
    });
    if n_named > 0 { declare_warehouse(project) } else { Ok(()) }
}

/// The declaration of the variable for a SQL warehouse.
pub(super) fn warehouse_variable() -> Value {
    json!({
        WAREHOUSE: {
            "description": "The SQL warehouse that runs SQL tasks. Lakelet has one of its own and asks for none.",
            "lookup": {"warehouse": "Serverless Starter Warehouse"},
        },
    })
}

fn declare_warehouse(project: &mut Project) -> Result<(), SaveError> {
    let text = project.text(BUNDLE_PATH).unwrap_or_default().to_owned();
    let yaml = parse(BUNDLE_PATH, &text)?;
    let variables = yaml.get("variables").map(Yaml::entries).unwrap_or_default();
    if variables.iter().any(|entry| entry.key == WAREHOUSE) {
        return Ok(());
    }
    let mut wanted = yaml.to_json();
    if !wanted.is_object() {
        wanted = json!({});
    }
    if let Some(map) = wanted.as_object_mut() {
        let variables = map.entry("variables").or_insert_with(|| json!({}));
        match (variables, warehouse_variable()) {
            (Value::Object(variables), Value::Object(new)) => variables.extend(new),
            (variables, new) => *variables = new,
        }
    }
    // Adding at the end keeps comments; where there are variables already, the file is written anew.
    let appended = format!("{}\n{}", text.trim_end(), to_yaml(&json!({"variables": warehouse_variable()})));
    let text = match parse_yaml(&appended) {
        Ok(yaml) if yaml.to_json() == wanted => appended,
        _ => to_yaml(&wanted),
    };
    project.put_text(BUNDLE_PATH, text)?;
    Ok(())
}

fn path_of(sql_task: &Value) -> Option<&str> {
    sql_task.get("file")?.get("path")?.as_str()
}

/// The files of the SQL tasks of a job.
fn paths(settings: &Value) -> Vec<String> {
    let mut found = Vec::new();
    each_sql_task(&mut settings.clone(), &mut |_, sql_task| found.extend(path_of(sql_task).map(str::to_owned)));
    found
}

/// Calls `visit` with the key and `sql_task` of every SQL task, nested ones too.
fn each_sql_task(settings: &mut Value, visit: &mut dyn FnMut(&str, &mut Value)) {
    let Some(tasks) = settings.get_mut("tasks").and_then(Value::as_array_mut) else { return };
    for task in tasks {
        let mut next = Some(task);
        while let Some(task) = next {
            let key = task.get("task_key").and_then(Value::as_str).unwrap_or("query").to_owned();
            if let Some(sql_task) = task.get_mut("sql_task") {
                visit(&key, sql_task);
            }
            next = task.get_mut("for_each_task").and_then(|loop_task| loop_task.get_mut("task"));
        }
    }
}
