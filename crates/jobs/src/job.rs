//! The settings of a job, as the Databricks Jobs API 2.x writes them.

mod effective;
#[cfg(test)]
mod tests;
mod triggers;

use std::collections::{BTreeMap, BTreeSet};

use lakelet_base::Limits;
use lakelet_graph::Graph;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

pub use effective::effective_settings;
pub use triggers::{JobTrigger, TableUpdateTrigger};

use crate::problem::{InvalidSettings, Problem, ProblemKind};
use crate::read::{Fields, PathStyle, Reader, ValidateOptions};
use crate::task::{Task, TaskKey, TaskKind};

/// Most bytes of a job's name, in UTF-8.
const NAME_BYTES_MAX: usize = 4_096;
/// Most bytes of a job's description, in UTF-8.
const DESCRIPTION_BYTES_MAX: usize = 27_700;
/// Most tags of a job.
const TAGS_MAX: usize = 25;
/// Most runs of a job at a time.
const CONCURRENT_RUNS_MAX: i64 = 1_000;
/// Most characters of a job parameter's value.
pub(crate) const PARAMETER_CHARS_MAX: usize = 10_000;
/// The name of a job that has none.
const UNTITLED: &str = "Untitled";

/// Retry settings, which do nothing on a job.
const TASK_SETTINGS: &[&str] = &["max_retries", "min_retry_interval_millis", "retry_on_timeout"];

/// A parameter of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobParameter {
    /// Its name.
    pub name: String,
    /// Its value where a run gives none; may hold references to the run itself.
    pub default: String,
}

/// A job: its settings, kept as they were read, and what they mean.
///
/// Settings that Lakelet does not know are kept, in place and order: [`Job::to_value`] gives back what was read. To
/// change a job, change its settings and read them again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    settings: Map<String, Value>,
    name: String,
    parameters: Vec<JobParameter>,
    triggers: Vec<JobTrigger>,
    tasks: Vec<Task>,
    /// Where each task stands in `tasks`.
    positions: BTreeMap<TaskKey, usize>,
    max_concurrent_runs: u32,
    is_queue_enabled: bool,
    timeout_millis: Option<i64>,
}

impl Job {
    /// Reads settings.
    ///
    /// # Errors
    /// All problems, where at least one is an error of form: a missing field, a wrong type, a value out of range. What
    /// only [`crate::validate`] finds (a cycle, a reference to a later task) is no hindrance here.
    pub fn from_value(settings: &Value, options: &ValidateOptions) -> Result<Self, InvalidSettings> {
        let (job, problems) = Self::read(settings, options);
        if problems.iter().any(Problem::is_error) {
            return Err(InvalidSettings { problems });
        }
        Ok(job)
    }

    /// Reads as much as there is to read of settings that may be wrong, for pages that show a job while it is written.
    /// Missing texts become empty, and tasks that cannot be read become [`TaskKind::Other`].
    pub fn read(settings: &Value, options: &ValidateOptions) -> (Self, Vec<Problem>) {
        let mut reader = Reader::new(options);
        let empty = Map::new();
        let object = settings.as_object().unwrap_or_else(|| {
            reader.error(ProblemKind::WrongType, "", "The settings of a job must be a JSON object.");
            &empty
        });
        let fields = Fields::new(object, "");
        reader.has_git_source = fields.has("git_source");
        let job = read_job(object, &fields, &mut reader);
        (job, reader.problems)
    }

    /// The settings as they were read.
    pub fn to_value(&self) -> Value {
        Value::Object(self.settings.clone())
    }

    /// The name that pages show.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Job parameters, in order.
    pub fn parameters(&self) -> &[JobParameter] {
        &self.parameters
    }

    /// What starts it by itself; nothing that is paused.
    pub fn triggers(&self) -> &[JobTrigger] {
        &self.triggers
    }

    /// Tasks, in order.
    pub fn tasks(&self) -> &[Task] {
        &self.tasks
    }

    /// The task of a key; nested tasks are not looked at.
    pub fn task(&self, key: &str) -> Option<&Task> {
        self.positions.get(key).and_then(|position| self.tasks.get(*position))
    }

    /// How many runs may be active at a time; at 0 every new run is skipped.
    pub fn max_concurrent_runs(&self) -> u32 {
        self.max_concurrent_runs
    }

    /// Whether a run over that number waits instead of being skipped.
    pub fn is_queue_enabled(&self) -> bool {
        self.is_queue_enabled
    }

    /// Longest time of one run, in milliseconds.
    pub fn timeout_millis(&self) -> Option<i64> {
        self.timeout_millis
    }

    /// The tasks and their dependencies; edges to tasks that are not there are left out.
    pub fn graph(&self) -> Graph {
        let mut graph = Graph::new();
        for task in &self.tasks {
            graph.add_node(task.key.as_str());
        }
        for task in &self.tasks {
            for dependency in &task.depends_on {
                // An edge from an unknown task is a problem of its own and not part of the graph.
                let _ = graph.add_edge(dependency.task_key.as_str(), task.key.as_str());
            }
        }
        graph
    }

    /// What a task of a type is called in messages: its key and type, such as `'q' (notebook_task)`.
    pub(crate) fn describe(&self, key: &str) -> String {
        let kind = self.task(key).map_or("", |task| task.kind.type_name());
        format!("'{key}' ({kind})")
    }
}

/// What the host does with a request for a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Admission {
    /// Starts it.
    Start,
    /// Lets it wait until another run has ended.
    Queue,
    /// Drops it.
    Skip,
}

impl Job {
    /// What happens to a new run while `n_active` runs of the job are active. A job with a pipeline task runs once at
    /// a time, because a pipeline has one update at a time.
    pub fn admit(&self, n_active: usize) -> Admission {
        let has_pipeline = self.tasks.iter().any(|task| {
            let kind = task.kind.nested().map_or(&task.kind, |nested| &nested.kind);
            matches!(kind, TaskKind::Pipeline(_))
        });
        let most = if has_pipeline { self.max_concurrent_runs.min(1) } else { self.max_concurrent_runs };
        if n_active < most as usize {
            Admission::Start
        } else if self.is_queue_enabled && most > 0 {
            Admission::Queue
        } else {
            Admission::Skip
        }
    }
}

impl Serialize for Job {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.settings.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Job {
    /// Reads settings that were a job before; limits are not checked a second time.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let limits = Limits {
            tasks_per_job_max: usize::MAX,
            for_each_concurrency_max: usize::MAX,
            for_each_literal_chars_max: usize::MAX,
            ..Limits::default()
        };
        let settings = Value::deserialize(deserializer)?;
        Ok(Self::read(&settings, &ValidateOptions { limits, paths: PathStyle::Bundle }).0)
    }
}

fn read_job(object: &Map<String, Value>, fields: &Fields<'_>, reader: &mut Reader<'_>) -> Job {
    let name = fields.text("name", reader);
    check_length(&name, NAME_BYTES_MAX, ProblemKind::NameTooLong, "name", reader);
    let description = fields.text("description", reader);
    check_length(&description, DESCRIPTION_BYTES_MAX, ProblemKind::DescriptionTooLong, "description", reader);
    if let Some(tags) = fields.object("tags", reader)
        && tags.keys().count() > TAGS_MAX
    {
        let message = format!("The job has {} tags; the limit is {TAGS_MAX}.", tags.keys().count());
        reader.error(ProblemKind::TooManyTags, "tags", message);
    }
    for key in fields.keys().filter(|key| TASK_SETTINGS.contains(key)) {
        let message = format!("'{key}' does nothing on a job. Put it on the tasks that are to be retried.");
        reader.warning(ProblemKind::MisplacedField, key, message);
    }
    let is_queue_enabled = fields.object("queue", reader).is_some_and(|queue| {
        queue.required("enabled", reader);
        queue.boolean("enabled", reader).unwrap_or(false)
    });
    let timeout_seconds = fields.integer_from("timeout_seconds", 0, reader).filter(|seconds| *seconds > 0);
    let triggers = triggers::read(fields, reader);
    let parameters = read_parameters(fields, reader);
    let tasks = read_tasks(fields, reader);
    let mut positions = BTreeMap::new();
    for (position, task) in tasks.iter().enumerate() {
        positions.entry(task.key.clone()).or_insert(position);
    }
    Job {
        settings: object.clone(),
        name: name.filter(|name| !name.is_empty()).unwrap_or_else(|| UNTITLED.to_owned()),
        parameters,
        triggers,
        tasks,
        positions,
        max_concurrent_runs: read_max_concurrent_runs(fields, reader),
        is_queue_enabled,
        timeout_millis: timeout_seconds.map(|seconds| seconds.saturating_mul(1_000)),
    }
}

fn check_length(text: &Option<String>, most: usize, kind: ProblemKind, field: &str, reader: &mut Reader<'_>) {
    let n_bytes = text.as_ref().map_or(0, String::len);
    if n_bytes > most {
        reader.error(kind, field, format!("The {field} has {n_bytes} bytes; the limit is {most}."));
    }
}

fn read_max_concurrent_runs(fields: &Fields<'_>, reader: &mut Reader<'_>) -> u32 {
    let Some(n) = fields.integer("max_concurrent_runs", reader) else {
        return 1;
    };
    if !(0..=CONCURRENT_RUNS_MAX).contains(&n) {
        let message = format!("max_concurrent_runs is {n}; it goes from 0 to {CONCURRENT_RUNS_MAX}.");
        reader.error(ProblemKind::MaxConcurrentRunsRange, "max_concurrent_runs", message);
    }
    u32::try_from(n).unwrap_or(1)
}

fn read_parameters(fields: &Fields<'_>, reader: &mut Reader<'_>) -> Vec<JobParameter> {
    let mut parameters: Vec<JobParameter> = Vec::new();
    for parameter in fields.objects("parameters", reader) {
        let name = parameter.required_text("name", reader);
        parameter.required("default", reader);
        let default = parameter.scalar("default", reader).unwrap_or_default();
        let is_valid = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        if parameter.has("name") && (name.is_empty() || !name.chars().all(is_valid)) {
            let message = format!("'{name}' is no parameter name: use letters, digits, '_', '-' and '.'.");
            reader.error(ProblemKind::BadParameterName, parameter.at("name"), message);
        }
        if parameters.iter().any(|earlier| earlier.name == name) && !name.is_empty() {
            let message = format!("There are two parameters of the name '{name}'.");
            reader.error(ProblemKind::DuplicateParameterName, parameter.at("name"), message);
        }
        check_parameter_length(&default, parameter.at("default"), reader);
        parameters.push(JobParameter { name, default });
    }
    parameters
}

pub(crate) fn check_parameter_length(value: &str, at: String, reader: &mut Reader<'_>) {
    let n_chars = value.chars().count();
    if n_chars > PARAMETER_CHARS_MAX {
        let message = format!("The value has {n_chars} characters; Databricks takes {PARAMETER_CHARS_MAX} at most.");
        reader.warning(ProblemKind::ParameterTooLong, at, message);
    }
}

fn read_tasks(fields: &Fields<'_>, reader: &mut Reader<'_>) -> Vec<Task> {
    let objects = fields.objects("tasks", reader);
    let most = reader.options.limits.tasks_per_job_max;
    if objects.len() > most {
        let message = format!("The job has {} tasks; the limit is {most}.", objects.len());
        reader.error(ProblemKind::TooManyTasks, "tasks", message);
        // Reading on would let an oversized job cost time for nothing.
        return Vec::new();
    }
    let mut tasks: Vec<Task> = Vec::with_capacity(objects.len());
    let mut keys = BTreeSet::new();
    for task_fields in &objects {
        let task = Task::read(task_fields, false, reader);
        if !keys.insert(task.key.clone()) && !task.key.as_str().is_empty() {
            duplicate_key(&task.key, task_fields.at("task_key"), reader);
        }
        tasks.push(task);
    }
    for (task, task_fields) in tasks.iter().zip(&objects) {
        if let Some(nested) = task.kind.nested().filter(|nested| keys.contains(&nested.key)) {
            duplicate_key(&nested.key, task_fields.at("for_each_task.task.task_key"), reader);
        }
    }
    tasks
}

fn duplicate_key(key: &TaskKey, at: String, reader: &mut Reader<'_>) {
    if !key.as_str().is_empty() {
        let message = format!("There is another task '{key}' in this job; keys must be unique.");
        reader.error(ProblemKind::DuplicateTaskKey, at, message);
    }
}
