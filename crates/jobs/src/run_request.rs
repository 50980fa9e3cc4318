//! A request to run a job now: values for parameters, and perhaps only some of its tasks.

use std::collections::BTreeSet;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::job::{Job, check_parameter_length};
use crate::problem::ProblemKind;
use crate::read::{Fields, Reader, ValidateOptions};
use crate::task::TaskKey;

/// The older parameter fields, each for one kind of task. None may stand beside `job_parameters`.
const OLDER_PARAMETERS: &[&str] = &[
    "notebook_params",
    "python_params",
    "jar_params",
    "spark_submit_params",
    "python_named_params",
    "sql_params",
    "dbt_commands",
];

/// What a request asks for, beside the job itself.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RunRequest {
    /// Values of job parameters for this run.
    pub job_parameters: IndexMap<String, String>,
    /// Values for notebook tasks, over their own.
    pub notebook_params: IndexMap<String, String>,
    /// Values for SQL tasks, over their own.
    pub sql_params: IndexMap<String, String>,
    /// Arguments for Python tasks, in place of their own.
    pub python_params: Option<Vec<String>>,
    /// Tasks to run, as `key`, `+key` (with what is upstream), `key+` (with what is downstream) or `+key+`; all when empty.
    pub only: Vec<String>,
}

impl RunRequest {
    /// Reads the body of a run-now call; fields that do not matter here are not looked at.
    ///
    /// # Errors
    /// All problems, where at least one is an error.
    pub fn from_value(request: &Value, job: &Job, options: &ValidateOptions) -> Result<Self, crate::InvalidSettings> {
        let mut reader = Reader::new(options);
        let read = Self::read(request, &mut reader);
        read.check(job, &mut reader);
        if reader.problems.iter().any(crate::Problem::is_error) {
            return Err(crate::InvalidSettings { problems: reader.problems });
        }
        Ok(read)
    }

    pub(crate) fn read(request: &Value, reader: &mut Reader<'_>) -> Self {
        let Some(object) = request.as_object() else {
            reader.error(ProblemKind::WrongType, "run_now", "A request to run a job must be a JSON object.");
            return Self::default();
        };
        let fields = Fields::new(object, "run_now");
        let older: Vec<&str> = OLDER_PARAMETERS.iter().copied().filter(|key| fields.has(key)).collect();
        if fields.has("job_parameters") && !older.is_empty() {
            let message = format!("job_parameters can not be used in combination with {}", older.join(", "));
            reader.error(ProblemKind::JobParametersConflict, "run_now", message);
        }
        Self {
            job_parameters: fields.text_map("job_parameters", reader),
            notebook_params: fields.text_map("notebook_params", reader),
            sql_params: fields.text_map("sql_params", reader),
            python_params: fields.has("python_params").then(|| fields.texts("python_params", reader)),
            only: fields.texts("only", reader),
        }
    }

    pub(crate) fn check(&self, job: &Job, reader: &mut Reader<'_>) {
        for (name, value) in &self.job_parameters {
            check_parameter_length(value, format!("run_now.job_parameters.{name}"), reader);
        }
        for (index, selector) in self.only.iter().enumerate() {
            let key = selector.trim_matches('+');
            if job.task(key).is_none() {
                let nearest = lakelet_base::nearest_name(key, job.tasks().iter().map(|task| task.key.as_str()));
                let hint = nearest.map(|nearest| format!(" Did you mean '{nearest}'?")).unwrap_or_default();
                let message = format!("There is no task '{key}' in this job.{hint}");
                reader.error(ProblemKind::UnknownTask, format!("run_now.only[{index}]"), message);
            }
        }
    }

    /// The tasks that the request runs, in the order of the job. A disabled task is in only when it is named itself.
    pub fn selected<'j>(&self, job: &'j Job) -> Vec<&'j TaskKey> {
        if self.only.is_empty() {
            return job.tasks().iter().map(|task| &task.key).collect();
        }
        let graph = job.graph();
        let mut named = BTreeSet::new();
        let mut pulled_in = BTreeSet::new();
        for selector in &self.only {
            let key = selector.trim_matches('+');
            named.insert(key);
            if selector.starts_with('+') {
                pulled_in.extend(graph.ancestors(key));
            }
            if selector.ends_with('+') {
                pulled_in.extend(graph.descendants(key));
            }
        }
        let is_selected = |key: &str, disabled: bool| named.contains(key) || (pulled_in.contains(key) && !disabled);
        job.tasks().iter().filter(|task| is_selected(task.key.as_str(), task.disabled)).map(|task| &task.key).collect()
    }
}
