//! A task as its form shows it, read from job settings and written back into them.

use std::collections::BTreeMap;

use serde_json::{Map, Number, Value, json};

#[cfg(test)]
mod tests;

/// What a task does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TaskType {
    /// SQL statements.
    Sql,
    /// A notebook.
    Notebook,
    /// Another task, once for each element of an array.
    ForEach,
    /// A comparison of two values, by which later tasks go.
    Condition,
    /// Another job.
    RunJob,
    /// A type without a form, by its key in the settings: `condition_task`. Empty for a task without any.
    Other(String),
}

impl TaskType {
    /// The types that can be chosen.
    pub const OFFERED: [Self; 5] = [Self::Sql, Self::Notebook, Self::ForEach, Self::Condition, Self::RunJob];

    /// Whether a loop can run it. Loops do not nest, and nothing could go by the outcome of a comparison in a loop.
    pub fn is_for_loops(&self) -> bool {
        !matches!(self, Self::ForEach | Self::Condition)
    }

    /// The key of its part of the settings.
    pub fn settings_key(&self) -> &str {
        match self {
            Self::Sql => "sql_task",
            Self::Notebook => "notebook_task",
            Self::ForEach => "for_each_task",
            Self::Condition => "condition_task",
            Self::RunJob => "run_job_task",
            Self::Other(key) => key,
        }
    }

    /// The type with a key; the key of a type without a form is kept.
    pub fn from_settings_key(key: &str) -> Self {
        Self::OFFERED
            .into_iter()
            .find(|offered| offered.settings_key() == key)
            .unwrap_or_else(|| Self::Other(key.to_owned()))
    }

    /// The word that pages use; not translated, because it is also what the service calls it.
    pub fn word(&self) -> String {
        match self {
            Self::Sql => "SQL".to_owned(),
            Self::Notebook => "Notebook".to_owned(),
            Self::ForEach => "For each".to_owned(),
            Self::Condition => "If/else".to_owned(),
            Self::RunJob => "Run job".to_owned(),
            Self::Other(key) => key.strip_suffix("_task").unwrap_or(key).replace('_', " "),
        }
    }
}

/// How an If/else compares before somebody chooses.
const OP_DEFAULT: &str = "EQUAL_TO";

/// Ways an If/else compares, with the signs that pages show.
pub const OPS: [(&str, &str); 6] = [
    (OP_DEFAULT, "=="),
    ("NOT_EQUAL", "!="),
    ("GREATER_THAN", ">"),
    ("GREATER_THAN_OR_EQUAL", ">="),
    ("LESS_THAN", "<"),
    ("LESS_THAN_OR_EQUAL", "<="),
];

/// A row of a list of parameters.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ParameterRow {
    /// Name.
    pub key: String,
    /// Text, references included.
    pub value: String,
}

/// The fields of a task. A change of type keeps what the fields of the other types hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskForm {
    /// Task name.
    pub key: String,
    /// Type.
    pub kind: TaskType,
    /// Names of the tasks it waits for.
    pub depends_on: Vec<String>,
    /// The outcome it waits for, `true` or `false`, of those that are an If/else.
    pub outcomes: BTreeMap<String, String>,
    /// Text of a SQL task.
    pub sql: String,
    /// Path of a notebook.
    pub path: String,
    /// Parameters of a SQL task, notebook or job.
    pub parameters: Vec<ParameterRow>,
    /// Inputs of a For each.
    pub inputs: String,
    /// Concurrency of a For each as typed; empty for the default.
    pub concurrency: String,
    /// The task that a For each runs.
    pub nested: Option<Box<TaskForm>>,
    /// How an If/else compares, such as `EQUAL_TO`.
    pub op: String,
    /// What an If/else compares.
    pub left: String,
    /// With what.
    pub right: String,
    /// The job that a Run job task runs: an id, or a reference of the bundle to one.
    pub job_id: String,
}

impl Default for TaskForm {
    fn default() -> Self {
        Self {
            key: String::new(),
            kind: TaskType::Sql,
            depends_on: Vec::new(),
            outcomes: BTreeMap::new(),
            sql: String::new(),
            path: String::new(),
            parameters: Vec::new(),
            inputs: String::new(),
            concurrency: String::new(),
            nested: None,
            op: OP_DEFAULT.to_owned(),
            left: String::new(),
            right: String::new(),
            job_id: String::new(),
        }
    }
}

impl TaskForm {
    /// Reads a task of the settings. What has another form than expected reads as empty.
    pub fn read(task: &Value) -> Self {
        let kind = kind_of(task);
        let body = task.get(kind.settings_key()).unwrap_or(&Value::Null);
        let parameters = match kind {
            TaskType::Sql => body.get("parameters"),
            TaskType::Notebook => body.get("base_parameters"),
            TaskType::RunJob => body.get("job_parameters"),
            TaskType::ForEach | TaskType::Condition | TaskType::Other(_) => None,
        };
        Self {
            key: text(task.get("task_key")),
            depends_on: dependencies(task).map(|edge| text(edge.get("task_key"))).collect(),
            outcomes: dependencies(task)
                .filter_map(|edge| Some((text(edge.get("task_key")), text(Some(edge.get("outcome")?)))))
                .collect(),
            sql: text(body.pointer("/query/text")),
            path: text(body.get("notebook_path")),
            parameters: parameters.and_then(Value::as_object).into_iter().flatten().map(row).collect(),
            inputs: text(body.get("inputs")),
            concurrency: text(body.get("concurrency")),
            nested: body.get("task").filter(|_| kind == TaskType::ForEach).map(|nested| Box::new(Self::read(nested))),
            op: body
                .get("op")
                .filter(|_| kind == TaskType::Condition)
                .map_or_else(|| OP_DEFAULT.to_owned(), |op| text(Some(op))),
            left: text(body.get("left")),
            right: text(body.get("right")),
            job_id: text(body.get("job_id")),
            kind,
        }
    }

    /// Writes the task, over the one it was read from if there is one: what the form does not show stays.
    pub fn write(&self, before: Option<&Value>) -> Value {
        let mut task = before.and_then(Value::as_object).cloned().unwrap_or_default();
        task.insert("task_key".to_owned(), json!(self.key));
        self.write_dependencies(&mut task);
        if let TaskType::Other(_) = self.kind {
            return Value::Object(task);
        }
        let key = self.kind.settings_key();
        // A task has one type.
        task.retain(|other, _| other == key || !other.ends_with("_task"));
        let mut body = task.get(key).and_then(Value::as_object).cloned().unwrap_or_default();
        match self.kind {
            TaskType::Sql => {
                let query = body.entry("query").or_insert_with(|| json!({}));
                match query.as_object_mut() {
                    Some(query) => {
                        query.insert("text".to_owned(), json!(self.sql));
                    }
                    None => *query = json!({ "text": self.sql }),
                }
                write_parameters(&mut body, "parameters", &self.parameters);
            }
            TaskType::Notebook => {
                write_text(&mut body, "notebook_path", &self.path);
                write_parameters(&mut body, "base_parameters", &self.parameters);
            }
            TaskType::ForEach => {
                write_text(&mut body, "inputs", &self.inputs);
                let nested = self.nested.as_ref().map(|nested| nested.write(body.get("task")));
                for (key, value) in [("concurrency", concurrency(&self.concurrency)), ("task", nested)] {
                    match value {
                        Some(value) => body.insert(key.to_owned(), value),
                        None => body.shift_remove(key),
                    };
                }
            }
            TaskType::Condition => {
                for (key, value) in [("op", &self.op), ("left", &self.left), ("right", &self.right)] {
                    write_text(&mut body, key, value);
                }
            }
            TaskType::RunJob => {
                write_text(&mut body, "job_id", &self.job_id);
                write_parameters(&mut body, "job_parameters", &self.parameters);
            }
            TaskType::Other(_) => {}
        }
        task.insert(key.to_owned(), Value::Object(body));
        Value::Object(task)
    }

    /// The form shown: that of the nested task, or of the task itself.
    pub fn part(&self, nested: bool) -> Option<&Self> {
        if nested { self.nested.as_deref() } else { Some(self) }
    }

    /// The same, to change it.
    pub fn part_mut(&mut self, nested: bool) -> Option<&mut Self> {
        if nested { self.nested.as_deref_mut() } else { Some(self) }
    }

    fn write_dependencies(&self, task: &mut Map<String, Value>) {
        let wanted: Vec<&String> = self.depends_on.iter().filter(|key| !key.is_empty()).collect();
        if wanted.is_empty() && !dependencies_of(task).any(|_| true) {
            return;
        }
        // An edge of the same name keeps what else it says, such as the outcome of an If/else.
        let known: Vec<Value> = dependencies_of(task).cloned().collect();
        let edges: Vec<Value> = wanted
            .into_iter()
            .map(|key| {
                let same = known.iter().find(|edge| edge.get("task_key").and_then(Value::as_str) == Some(key));
                let mut edge = same.cloned().unwrap_or_else(|| json!({ "task_key": key }));
                if let Some(edge) = edge.as_object_mut() {
                    write_text(edge, "outcome", self.outcomes.get(key).map_or("", String::as_str));
                }
                edge
            })
            .collect();
        if edges.is_empty() {
            task.shift_remove("depends_on");
        } else {
            task.insert("depends_on".to_owned(), Value::Array(edges));
        }
    }
}

/// The type of a task of the settings.
fn kind_of(task: &Value) -> TaskType {
    let fields = task.as_object().into_iter().flatten();
    fields
        .filter(|(key, body)| key.ends_with("_task") && body.is_object())
        .map(|(key, _)| TaskType::from_settings_key(key))
        .next()
        .unwrap_or_else(|| TaskType::Other(String::new()))
}

fn dependencies(task: &Value) -> impl Iterator<Item = &Value> {
    task.as_object().into_iter().flat_map(dependencies_of)
}

fn dependencies_of(task: &Map<String, Value>) -> impl Iterator<Item = &Value> {
    task.get("depends_on").and_then(Value::as_array).into_iter().flatten()
}

fn row((key, value): (&String, &Value)) -> ParameterRow {
    ParameterRow { key: key.clone(), value: text(Some(value)) }
}

/// A value as a field shows it: text as it is, everything else as JSON, nothing for null.
fn text(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}

/// A text that is a value already stays what it is; an empty one is none, so that validation can say what is missing.
fn write_text(body: &mut Map<String, Value>, key: &str, written: &str) {
    if written.is_empty() {
        body.shift_remove(key);
    } else if text(body.get(key)) != written {
        body.insert(key.to_owned(), json!(written));
    }
}

/// Rows without a name are not parameters yet. A value that was no text stays what it was until it is edited.
fn write_parameters(body: &mut Map<String, Value>, key: &str, rows: &[ParameterRow]) {
    let before = body.get(key).and_then(Value::as_object).cloned();
    let parameters: Map<String, Value> = rows
        .iter()
        .filter(|row| !row.key.is_empty())
        .map(|row| {
            let kept = before.as_ref().and_then(|before| before.get(&row.key));
            let value = kept.filter(|kept| text(Some(kept)) == row.value).cloned();
            (row.key.clone(), value.unwrap_or_else(|| json!(row.value)))
        })
        .collect();
    if parameters.is_empty() && before.is_none() {
        return;
    }
    body.insert(key.to_owned(), Value::Object(parameters));
}

/// A number where the text is one. Anything else goes as text, so that validation can say what is wrong with it.
fn concurrency(text: &str) -> Option<Value> {
    let text = text.trim();
    if text.is_empty() {
        return None;
    }
    Some(serde_json::from_str::<Number>(text).map_or_else(|_| json!(text), Value::Number))
}
