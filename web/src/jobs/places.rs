//! Where in the form a problem is: the JSON path of the settings as a task and a field.

use serde_json::Value;

use crate::jobs::settings::{task_key, tasks};

/// A field of a task's form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Field {
    /// Task name.
    Name,
    /// Type.
    Type,
    /// Depends on.
    DependsOn,
    /// SQL.
    Sql,
    /// Path.
    Path,
    /// Inputs.
    Inputs,
    /// Concurrency.
    Concurrency,
    /// The task in the loop, as a whole.
    Nested,
    /// The comparison of an If/else: its operator.
    Operator,
    /// Its left operand.
    Left,
    /// Its right operand.
    Right,
    /// The job that is run.
    Job,
    /// The list of parameters.
    Parameters,
    /// One of them.
    Parameter(String),
    /// A setting without a field, by its path in the task.
    Other(String),
}

/// A place in the form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Which task of the job it is, counted from 0; `None` for the settings as a whole.
    pub index: Option<usize>,
    /// Its name.
    pub task: Option<String>,
    /// It is in the task that this one loops over.
    pub nested: bool,
    /// The field, where it is about one.
    pub field: Option<Field>,
}

/// The place of a JSON path such as `tasks[1].for_each_task.concurrency`.
pub fn place(settings: &Value, path: &str) -> Place {
    let found = path.strip_prefix("tasks[").and_then(|rest| rest.split_once(']')).and_then(|(index, rest)| {
        let index = index.parse::<usize>().ok()?;
        let task = tasks(settings).get(index)?;
        Some((index, task_key(task).to_owned(), rest.strip_prefix('.').unwrap_or(rest)))
    });
    let Some((index, task, mut rest)) = found else {
        let field = (!path.is_empty()).then(|| Field::Other(path.to_owned()));
        return Place { index: None, task: None, nested: false, field };
    };
    let mut nested = false;
    // What is wrong with the nested task as a whole, such as that there is none, is seen where it is opened.
    if let Some(inner) = rest.strip_prefix("for_each_task.task.") {
        nested = true;
        rest = inner;
    }
    Place { index: Some(index), task: Some(task), nested, field: (!rest.is_empty()).then(|| field(rest)) }
}

fn field(path: &str) -> Field {
    let (head, rest) = path.split_once('.').unwrap_or((path, ""));
    let parameter = |name: &str| if name.is_empty() { Field::Parameters } else { Field::Parameter(name.to_owned()) };
    // The name of a parameter may hold dots.
    let (inner, name) = rest.split_once('.').unwrap_or((rest, ""));
    match (head, inner) {
        ("task_key", _) => Field::Name,
        ("sql_task" | "notebook_task" | "run_job_task", "parameters" | "base_parameters" | "job_parameters") => {
            parameter(name)
        }
        ("sql_task", "" | "query" | "file") => Field::Sql,
        ("notebook_task", "notebook_path") => Field::Path,
        ("for_each_task", "inputs") => Field::Inputs,
        ("for_each_task", "concurrency") => Field::Concurrency,
        ("for_each_task", "task") => Field::Nested,
        ("condition_task", "op") => Field::Operator,
        ("condition_task", "left") => Field::Left,
        ("condition_task", "right") => Field::Right,
        ("run_job_task", "job_id") => Field::Job,
        ("notebook_task" | "for_each_task", "") => Field::Type,
        _ if head.starts_with("depends_on") => Field::DependsOn,
        _ => Field::Other(path.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn at(path: &str) -> (Option<String>, bool, Option<Field>) {
        let settings = json!({ "tasks": [{ "task_key": "read" }, { "task_key": "copy" }] });
        let Place { task, nested, field, .. } = place(&settings, path);
        (task, nested, field)
    }

    #[test]
    fn paths_lead_to_fields() {
        let copy = || Some("copy".to_owned());
        assert_eq!(at("tasks[1].for_each_task.concurrency"), (copy(), false, Some(Field::Concurrency)));
        assert_eq!(at("tasks[1].depends_on[0].task_key"), (copy(), false, Some(Field::DependsOn)));
        assert_eq!(at("tasks[1].for_each_task.task.task_key"), (copy(), true, Some(Field::Name)));
        assert_eq!(
            at("tasks[1].for_each_task.task.notebook_task.base_parameters.a.b"),
            (copy(), true, Some(Field::Parameter("a.b".into())))
        );
        assert_eq!(at("tasks[1].for_each_task.task"), (copy(), false, Some(Field::Nested)));
        assert_eq!(at("tasks[0].sql_task.parameters"), (Some("read".into()), false, Some(Field::Parameters)));
        assert_eq!(at("tasks[0].sql_task.file.path"), (Some("read".into()), false, Some(Field::Sql)));
        assert_eq!(at("tasks[0].condition_task.left"), (Some("read".into()), false, Some(Field::Left)));
        assert_eq!(at("tasks[0].run_job_task.job_id"), (Some("read".into()), false, Some(Field::Job)));
        assert_eq!(at("tasks[0].max_retries"), (Some("read".into()), false, Some(Field::Other("max_retries".into()))));
    }

    #[test]
    fn paths_elsewhere_keep_their_words() {
        assert_eq!(at("parameters[0].name"), (None, false, Some(Field::Other("parameters[0].name".into()))));
        assert_eq!(at("tasks[9].task_key"), (None, false, Some(Field::Other("tasks[9].task_key".into()))));
        assert_eq!(at("resources/a.yml:3"), (None, false, Some(Field::Other("resources/a.yml:3".into()))));
        assert_eq!(at(""), (None, false, None));
    }
}
