//! One task of a job. What is special to a task type stands in that type's file.

mod condition;
mod for_each;
mod notebook;
mod pipeline;
mod run_job;
mod spark_python;
mod sql;
#[cfg(test)]
mod tests;

use std::borrow::Borrow;
use std::fmt;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

pub use condition::{ConditionOp, ConditionTask, NotANumber};
pub use for_each::ForEach;
pub(crate) use for_each::{InputsError, parse_inputs};
pub use notebook::NotebookTask;
pub use pipeline::PipelineTask;
pub use run_job::RunJobTask;
pub use spark_python::SparkPythonTask;
pub use sql::{SqlBody, SqlTask};

use crate::problem::ProblemKind;
use crate::read::{Fields, Reader};
use crate::reference::{Reference, Template};

/// Most characters of a task key.
const TASK_KEY_CHARS_MAX: usize = 100;

/// Fields of task types. Beside the type instead of inside it they would do nothing.
const FIELDS_OF_TYPES: &[&str] = &[
    "notebook_path",
    "base_parameters",
    "warehouse_id",
    "python_file",
    "inputs",
    "concurrency",
    "pipeline_id",
    "job_parameters",
];

/// The name of a task, unique in its job.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TaskKey(String);

impl TaskKey {
    /// The key as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for TaskKey {
    fn from(key: &str) -> Self {
        Self(key.to_owned())
    }
}

impl From<String> for TaskKey {
    fn from(key: String) -> Self {
        Self(key)
    }
}

impl Borrow<str> for TaskKey {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for TaskKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// An edge to a task that must end before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dependency {
    /// The task that ends before.
    pub task_key: TaskKey,
    /// The branch of an If/else task that this edge belongs to.
    pub outcome: Option<bool>,
}

/// Which ends of its dependencies a task needs to run. Evaluated when all of them have ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum RunIf {
    /// All succeeded or were excluded.
    #[default]
    AllSuccess,
    /// At least one did.
    AtLeastOneSuccess,
    /// None failed and at least one ran.
    NoneFailed,
    /// All ended, however.
    AllDone,
    /// At least one failed.
    AtLeastOneFailed,
    /// All failed.
    AllFailed,
}

impl RunIf {
    /// Every condition with its word in the settings.
    pub const WORDS: &'static [(&'static str, Self)] = &[
        ("ALL_SUCCESS", Self::AllSuccess),
        ("AT_LEAST_ONE_SUCCESS", Self::AtLeastOneSuccess),
        ("NONE_FAILED", Self::NoneFailed),
        ("ALL_DONE", Self::AllDone),
        ("AT_LEAST_ONE_FAILED", Self::AtLeastOneFailed),
        ("ALL_FAILED", Self::AllFailed),
    ];

    /// The condition of a word in the settings.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::WORDS.iter().find(|(name, _)| *name == word).map(|(_, run_if)| *run_if)
    }
}

/// When an attempt that failed is followed by another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RetryPolicy {
    /// Retries after the first attempt; `None`: without end.
    pub max_retries: Option<u32>,
    /// Least time from the start of the failed attempt to the start of the next, in milliseconds.
    pub min_retry_interval_millis: i64,
    /// Whether an attempt that timed out is followed by another.
    pub retry_on_timeout: bool,
}

impl RetryPolicy {
    /// The policy of a task that says nothing: no retries.
    pub const NEVER: Self = Self { max_retries: Some(0), min_retry_interval_millis: 0, retry_on_timeout: false };
}

/// What a task does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TaskKind {
    /// Runs SQL.
    Sql(SqlTask),
    /// Runs a notebook.
    Notebook(NotebookTask),
    /// Runs a nested task once for each element of an array.
    ForEach(Box<ForEach>),
    /// Compares two values and chooses a branch.
    Condition(ConditionTask),
    /// Runs another job.
    RunJob(RunJobTask),
    /// Refreshes a pipeline.
    Pipeline(PipelineTask),
    /// Runs a Python file.
    SparkPython(SparkPythonTask),
    /// Any other type, by its field in the settings (`dbt_task`), kept as it is and not run; empty for none.
    Other(String),
}

impl TaskKind {
    /// The field of the settings that holds this type, such as `sql_task`.
    pub fn type_name(&self) -> &str {
        match self {
            Self::Sql(_) => "sql_task",
            Self::Notebook(_) => "notebook_task",
            Self::ForEach(_) => "for_each_task",
            Self::Condition(_) => "condition_task",
            Self::RunJob(_) => "run_job_task",
            Self::Pipeline(_) => "pipeline_task",
            Self::SparkPython(_) => "spark_python_task",
            Self::Other(name) => name,
        }
    }

    /// The nested task of a For each.
    pub fn nested(&self) -> Option<&Task> {
        match self {
            Self::ForEach(for_each) => Some(&for_each.task),
            _ => None,
        }
    }

    /// The task's own key–value parameters. Job parameters of the same name replace them.
    pub fn parameters(&self) -> Option<&IndexMap<String, String>> {
        match self {
            Self::Sql(task) => Some(&task.parameters),
            Self::Notebook(task) => Some(&task.base_parameters),
            Self::RunJob(task) => Some(&task.job_parameters),
            Self::ForEach(_) | Self::Condition(_) | Self::Pipeline(_) | Self::SparkPython(_) | Self::Other(_) => None,
        }
    }
}

/// A text of a task in which references are resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateField<'a> {
    /// Path from the task, such as `notebook_task.base_parameters.market`.
    pub path: String,
    /// As it is written.
    pub text: &'a str,
    /// Whether it belongs to the nested task of a For each, where `{{input}}` has a value.
    pub nested: bool,
}

/// A reference that a task makes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskReference {
    /// Path from the task to the text it stands in.
    pub path: String,
    /// What it asks for.
    pub reference: Reference,
    /// Whether it belongs to the nested task of a For each.
    pub nested: bool,
}

/// One task: when it runs, how often it is tried, and what it does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// Its name.
    pub key: TaskKey,
    /// What must end before.
    pub depends_on: Vec<Dependency>,
    /// How it must end.
    pub run_if: RunIf,
    /// Whether it stays in the job but does not run.
    pub disabled: bool,
    /// What follows a failed attempt.
    pub retry: RetryPolicy,
    /// Longest time of one attempt, in milliseconds.
    pub timeout_millis: Option<i64>,
    /// What it does.
    pub kind: TaskKind,
}

impl Task {
    /// Every text of the task in which references are resolved, the nested task's included.
    pub fn templates(&self) -> Vec<TemplateField<'_>> {
        let mut fields = Vec::new();
        let name = self.kind.type_name();
        let mut add = |field: &str, text| {
            fields.push(TemplateField { path: format!("{name}.{field}"), text, nested: false });
        };
        match &self.kind {
            TaskKind::Sql(task) => task.templates(&mut add),
            TaskKind::Notebook(task) => task.templates(&mut add),
            TaskKind::ForEach(task) => task.templates(&mut add),
            TaskKind::Condition(task) => task.templates(&mut add),
            TaskKind::RunJob(task) => task.templates(&mut add),
            TaskKind::Pipeline(task) => task.templates(&mut add),
            TaskKind::SparkPython(task) => task.templates(&mut add),
            TaskKind::Other(_) => {}
        }
        if let Some(nested) = self.kind.nested() {
            fields.extend(nested.templates().into_iter().map(|field| TemplateField {
                path: format!("{name}.task.{}", field.path),
                text: field.text,
                nested: true,
            }));
        }
        fields
    }

    /// Every valid reference of the task, the nested task's included: what must be known before it can start.
    pub fn references(&self) -> Vec<TaskReference> {
        let fields = self.templates().into_iter();
        let of_field = |field: TemplateField<'_>| {
            let references: Vec<Reference> = Template::parse(field.text).references().cloned().collect();
            references.into_iter().map(move |reference| TaskReference {
                path: field.path.clone(),
                reference,
                nested: field.nested,
            })
        };
        fields.flat_map(of_field).collect()
    }

    /// `nested`: whether this is the task inside a For each.
    pub(crate) fn read(fields: &Fields<'_>, nested: bool, reader: &mut Reader<'_>) -> Self {
        let key = fields.required_text("task_key", reader);
        if fields.has("task_key") && !is_task_key(&key) {
            let message = format!(
                "'{key}' is no task key: use 1 to {TASK_KEY_CHARS_MAX} letters, digits, hyphens and underscores."
            );
            reader.error(ProblemKind::BadTaskKey, fields.at("task_key"), message);
        }
        let kind = read_kind(fields, nested, reader);
        Self {
            key: TaskKey(key),
            depends_on: read_dependencies(fields, reader),
            run_if: fields.choice("run_if", RunIf::WORDS, reader).unwrap_or_default(),
            disabled: fields.boolean("disabled", reader).unwrap_or(false),
            retry: read_retry(fields, &kind, reader),
            timeout_millis: read_timeout(fields, &kind, reader),
            kind,
        }
    }
}

fn is_task_key(key: &str) -> bool {
    (1..=TASK_KEY_CHARS_MAX).contains(&key.len())
        && key.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-".contains(&b))
}

fn read_kind(fields: &Fields<'_>, nested: bool, reader: &mut Reader<'_>) -> TaskKind {
    let types: Vec<&str> = fields.keys().filter(|key| key.ends_with("_task") && fields.has(key)).collect();
    let Some(name) = types.first().copied() else {
        let message = "This task has no type: it needs one field such as sql_task, notebook_task or for_each_task.";
        reader.error(ProblemKind::TaskTypeCount, fields.path(), message);
        return TaskKind::Other(String::new());
    };
    if types.len() > 1 {
        let message = format!("This task has {} types: {}. Keep one of them.", types.len(), types.join(", "));
        reader.error(ProblemKind::TaskTypeCount, fields.path(), message);
    }
    for key in fields.keys().filter(|key| FIELDS_OF_TYPES.contains(key)) {
        let message = match name {
            "for_each_task" => format!(
                "'{key}' does not belong to a For each task itself. Put it into the nested task, inside for_each_task.task."
            ),
            _ => format!("'{key}' does nothing here. Put it into {name}."),
        };
        reader.error(ProblemKind::MisplacedField, fields.at(key), message);
    }
    let Some(inner) = fields.object(name, reader) else {
        return TaskKind::Other(name.to_owned());
    };
    match name {
        "sql_task" => TaskKind::Sql(SqlTask::read(&inner, reader)),
        "notebook_task" => TaskKind::Notebook(NotebookTask::read(&inner, reader)),
        "for_each_task" if nested => {
            let message = "A For each cannot stand inside a For each. For a second level, loop over a Run job task.";
            reader.error(ProblemKind::NestedForEach, inner.path(), message);
            TaskKind::Other(name.to_owned())
        }
        "for_each_task" => ForEach::read(&inner, reader)
            .map_or_else(|| TaskKind::Other(name.to_owned()), |for_each| TaskKind::ForEach(Box::new(for_each))),
        "condition_task" => TaskKind::Condition(ConditionTask::read(&inner, reader)),
        "run_job_task" => TaskKind::RunJob(RunJobTask::read(&inner, reader)),
        "pipeline_task" => TaskKind::Pipeline(PipelineTask::read(&inner, reader)),
        "spark_python_task" => TaskKind::SparkPython(SparkPythonTask::read(&inner, reader)),
        other => TaskKind::Other(other.to_owned()),
    }
}

fn read_dependencies(fields: &Fields<'_>, reader: &mut Reader<'_>) -> Vec<Dependency> {
    let mut dependencies = Vec::new();
    for edge in fields.objects("depends_on", reader) {
        let task_key = edge.required_text("task_key", reader);
        let outcome = match edge.text("outcome", reader).as_deref() {
            None => None,
            Some("true") => Some(true),
            Some("false") => Some(false),
            Some(other) => {
                let message = format!("'{other}' is no outcome: an If/else task ends with \"true\" or \"false\".");
                reader.error(ProblemKind::BadOutcome, edge.at("outcome"), message);
                None
            }
        };
        dependencies.push(Dependency { task_key: TaskKey(task_key), outcome });
    }
    dependencies
}

fn read_retry(fields: &Fields<'_>, kind: &TaskKind, reader: &mut Reader<'_>) -> RetryPolicy {
    let max_retries = fields.integer_from("max_retries", -1, reader).unwrap_or(0);
    let policy = RetryPolicy {
        // −1 is the service's word for "without end".
        max_retries: if max_retries < 0 { None } else { Some(u32::try_from(max_retries).unwrap_or(u32::MAX)) },
        min_retry_interval_millis: fields.integer_from("min_retry_interval_millis", 0, reader).unwrap_or(0),
        retry_on_timeout: fields.boolean("retry_on_timeout", reader).unwrap_or(false),
    };
    if policy.max_retries != Some(0) {
        let at = fields.at("max_retries");
        match kind {
            TaskKind::ForEach(_) => {
                let message = "A For each task is not retried as a whole. Move the retries to its nested task.";
                reader.error(ProblemKind::RetriesOnForEach, at, message);
            }
            TaskKind::Condition(_) => {
                reader.error(ProblemKind::RetriesOnCondition, at, "An If/else task cannot be retried.");
            }
            _ => {}
        }
    }
    policy
}

fn read_timeout(fields: &Fields<'_>, kind: &TaskKind, reader: &mut Reader<'_>) -> Option<i64> {
    let seconds = fields.integer_from("timeout_seconds", 0, reader).filter(|seconds| *seconds > 0)?;
    let key = fields.text("task_key", reader).unwrap_or_default();
    let at = fields.at("timeout_seconds");
    match kind {
        TaskKind::ForEach(_) => {
            let message = format!(
                "Error in {key} task configuration: it has timeout configured. For each task cannot be timed out. \
                 Put the timeout on its nested task."
            );
            reader.error(ProblemKind::TimeoutOnForEach, at, message);
        }
        TaskKind::Condition(_) => {
            let message = format!(
                "Error in {key} task configuration: it has timeout configured. If/else task cannot be timed out."
            );
            reader.error(ProblemKind::TimeoutOnCondition, at, message);
        }
        _ => {}
    }
    Some(seconds.saturating_mul(1_000))
}
