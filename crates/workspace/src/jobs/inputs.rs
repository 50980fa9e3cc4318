//! What the inputs of a For each come to, without running the job.

use lakelet_base::Result;
use lakelet_jobs::{
    AttemptOutput, Job, JobContext, OutputRows, ReferenceContext, TaskContext, TaskKind, TaskOutput, Trigger,
    UpstreamOutput, UpstreamTask, key_value_parameters, resolve,
};
use lakelet_protocol::{InputsPreview, ParameterValue};
use serde_json::{Map, Value, json};

use super::output::{plan_last_query, run_query};
use super::problems::{rows_of, sql_text};
use super::{Jobs, RunRecord};
use crate::core::Core;
use crate::notebook::origin;
use crate::project::ProjectFiles;

/// Elements that are shown.
const SHOWN: usize = 3;
/// Steps that reading a control table may take; what takes longer is not read for a preview.
const STEPS_MAX: usize = 200;

/// One preview for each For each of the job.
pub(super) fn previews(core: &Core, files: &ProjectFiles, jobs: &Jobs, job: &Job, job_key: &str) -> Vec<InputsPreview> {
    let previewer = Previewer { core, files, job, last_run: jobs.runs_of(job_key).next() };
    let loops = job.tasks().iter().filter_map(|task| match &task.kind {
        TaskKind::ForEach(for_each) => Some((task.key.as_str(), for_each)),
        _ => None,
    });
    loops
        .map(|(key, for_each)| match previewer.elements(&for_each.inputs) {
            Ok(elements) => {
                let parameters = elements.first().map(|first| previewer.parameters(&for_each.task, first));
                let (parameters, problem) = match parameters {
                    Some(Ok(parameters)) => (parameters, None),
                    Some(Err(problem)) => (Vec::new(), Some(problem)),
                    None => (Vec::new(), None),
                };
                InputsPreview {
                    task_key: key.to_owned(),
                    n_items: elements.len() as u64,
                    first: elements.iter().take(SHOWN).map(Value::to_string).collect(),
                    parameters,
                    problem,
                }
            }
            Err(problem) => InputsPreview {
                task_key: key.to_owned(),
                n_items: 0,
                first: Vec::new(),
                parameters: Vec::new(),
                problem: Some(problem),
            },
        })
        .collect()
}

struct Previewer<'a> {
    core: &'a Core,
    files: &'a ProjectFiles,
    job: &'a Job,
    last_run: Option<&'a RunRecord>,
}

impl Previewer<'_> {
    fn elements(&self, inputs: &str) -> Result<Vec<Value>, String> {
        let resolved = match rows_of(inputs) {
            Some(task) => {
                let output = self.output_of(&task)?;
                if let Some(problem) = output.problem() {
                    return Err(format!("The output of task '{task}' {problem}"));
                }
                return Ok(output.rows().to_vec());
            }
            None => self.resolved(inputs, None)?,
        };
        match serde_json::from_str(&resolved) {
            Ok(Value::Array(elements)) => Ok(elements),
            Ok(_) => Err("The inputs are JSON, but not an array.".to_owned()),
            Err(error) => Err(format!("The inputs are not a JSON array: {error}.")),
        }
    }

    /// What a SQL task would pass on now; where that cannot be told, what it passed on last.
    fn output_of(&self, task: &str) -> Result<TaskOutput, String> {
        let present = self.present_output(task);
        match present {
            Ok(Some(output)) => Ok(output),
            other => self.last_output(task).ok_or_else(|| match other {
                Err(problem) => problem,
                Ok(_) => format!("What task '{task}' passes on is known once the job has run."),
            }),
        }
    }

    fn present_output(&self, task: &str) -> Result<Option<TaskOutput>, String> {
        let Some(text) = sql_text(self.files, self.job, task) else { return Ok(None) };
        let own = self.job.task(task).and_then(|task| task.kind.parameters()).cloned().unwrap_or_default();
        let mut values = Map::new();
        for (name, template) in own {
            // A parameter that only a run can tell makes the whole output one.
            let Ok(value) = self.resolved(&template, None) else { return Ok(None) };
            values.insert(name, json!(value));
        }
        for parameter in self.job.parameters() {
            let Ok(value) = self.resolved(&parameter.default, None) else { return Ok(None) };
            values.insert(parameter.name.clone(), json!(value));
        }
        let Some(planned) = plan_last_query(self.core, text, &values).map_err(|error| error.message.clone())? else {
            return Ok(None);
        };
        run_query(self.core, &planned, Some(STEPS_MAX)).map_err(|error| error.message.clone())
    }

    fn last_output(&self, task: &str) -> Option<TaskOutput> {
        let attempt = self.last_run?.document.run.task(task)?.attempts().last()?;
        match attempt.output.as_ref()? {
            AttemptOutput::Rows(output) => Some(output.clone()),
            AttemptOutput::Text(_) | AttemptOutput::AlertState(_) => None,
        }
    }

    fn parameters(&self, nested: &lakelet_jobs::Task, first: &Value) -> Result<Vec<ParameterValue>, String> {
        let own = nested.kind.parameters().cloned().unwrap_or_default();
        let mut resolved = indexmap::IndexMap::new();
        for (name, template) in own {
            resolved.insert(name, self.resolved(&template, Some(first))?);
        }
        let of_job: Result<Vec<_>, String> = self
            .job
            .parameters()
            .iter()
            .map(|parameter| {
                let value = self.resolved(&parameter.default, None)?;
                Ok(lakelet_jobs::Parameter::new(parameter.name.clone(), value, lakelet_jobs::Origin::Job))
            })
            .collect();
        let merged = key_value_parameters(&resolved, &indexmap::IndexMap::new(), &of_job?);
        let view = |parameter: lakelet_jobs::Parameter| ParameterValue {
            name: parameter.name,
            value: parameter.value,
            origin: origin(parameter.origin),
        };
        Ok(merged.into_iter().map(view).collect())
    }

    /// A text with its references resolved as a run that began now would, as far as that can be told.
    fn resolved(&self, template: &str, input: Option<&Value>) -> Result<String, String> {
        let parameters = self.job.parameters().iter();
        let job = JobContext {
            id: 0,
            name: self.job.name().to_owned(),
            run_id: 0,
            repair_count: 0,
            start_time: self.core.clock.now(),
            parameters: parameters.map(|parameter| (parameter.name.clone(), parameter.default.clone())).collect(),
            trigger: Trigger::default(),
            workspace_id: 0,
            workspace_url: String::new(),
        };
        let upstream = |key: &str| self.upstream(key);
        let task = TaskContext { name: "", run_id: 0, execution_count: 1, notebook_path: None };
        let context = ReferenceContext { job: &job, task: Some(task), upstream: &upstream, input };
        resolve(template, &context).map_err(|error| error.message)
    }

    /// What the last run left behind.
    fn upstream(&self, key: &str) -> Option<UpstreamTask<'_>> {
        let task = self.last_run?.document.run.task(key)?;
        let attempt = task.attempts().last()?;
        let output = match attempt.output.as_ref() {
            Some(AttemptOutput::Rows(output)) => {
                Some(UpstreamOutput::Rows(OutputRows { rows: output.rows(), problem: output.problem() }))
            }
            Some(AttemptOutput::AlertState(state)) => Some(UpstreamOutput::AlertState(state)),
            Some(AttemptOutput::Text(_)) | None => None,
        };
        Some(UpstreamTask {
            run_id: Some(attempt.run_id),
            execution_count: u32::try_from(task.attempts().len()).unwrap_or(u32::MAX),
            result_state: task.state().result(),
            error_code: "",
            values: Some(&attempt.task_values),
            output,
        })
    }
}
