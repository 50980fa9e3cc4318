//! The beginning of a run.

use lakelet_base::{Limits, Timestamp};

use super::{HistoryItem, Run, RunEffect, TaskRun};
use crate::job::Job;
use crate::parameters::{Origin, Parameter};
use crate::problem::{InvalidSettings, Problem, ProblemKind, Severity};
use crate::read::{PathStyle, Reader, ValidateOptions};
use crate::reference::{JobContext, ReferenceContext, Trigger, resolve};
use crate::run_if::is_disabled_for_run;
use crate::run_request::RunRequest;
use crate::state::{ResultState, State};
use crate::validate::validate;

/// What a run is begun with, beside its job.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RunStart {
    /// The run's id, unique in the workspace.
    pub run_id: u64,
    /// The job's id.
    pub job_id: u64,
    /// The workspace's id.
    pub workspace_id: u64,
    /// Where the workspace is found.
    pub workspace_url: String,
    /// What starts it.
    pub trigger: Trigger,
    /// Parameter values and selected tasks.
    pub request: RunRequest,
}

impl Run {
    /// Begins a run of `job` at `now`.
    ///
    /// # Errors
    /// Everything wrong with the job and the request, where at least one thing prevents a run.
    pub fn start(
        job: Job,
        start: RunStart,
        now: Timestamp,
        limits: &Limits,
    ) -> Result<(Self, Vec<RunEffect>), InvalidSettings> {
        // Whoever read the settings has decided how paths are written.
        let options = ValidateOptions { limits: limits.clone(), paths: PathStyle::Bundle };
        let mut reader = Reader::new(&options);
        reader.problems = validate(&job.to_value(), &options);
        start.request.check(&job, &mut reader);
        let mut problems = reader.problems;
        let context = JobContext {
            id: start.job_id,
            name: job.name().to_owned(),
            run_id: start.run_id,
            repair_count: 0,
            start_time: now,
            parameters: indexmap::IndexMap::new(),
            trigger: start.trigger,
            workspace_id: start.workspace_id,
            workspace_url: start.workspace_url,
        };
        let parameters = job_parameters(&job, &start.request, &context, &mut problems);
        if problems.iter().any(Problem::is_error) {
            return Err(InvalidSettings { problems });
        }
        let selected = start.request.selected(&job);
        let tasks = selected
            .into_iter()
            .map(|key| (key.clone(), TaskRun::new(job.task(key.as_str()).map_or("", |task| task.kind.type_name()))));
        let mut run = Self {
            tasks: tasks.collect(),
            request: start.request,
            context,
            parameters: Vec::new(),
            state: State::Running,
            ended: None,
            deadline: job.timeout_millis().map(|millis| now.plus_millis(millis)),
            stopped_as: None,
            history: vec![HistoryItem::new(None, now)],
            n_attempts: 0,
            limits: limits.into(),
            job,
        };
        run.set_parameters(parameters);
        run.disable_tasks(&|_| true);
        let mut effects = Vec::new();
        run.settle(now, &mut effects);
        Ok((run, effects))
    }

    pub(super) fn set_parameters(&mut self, parameters: Vec<Parameter>) {
        let values = parameters.iter().map(|parameter| (parameter.name.clone(), parameter.value.clone()));
        self.context.parameters = values.collect();
        self.parameters = parameters;
    }

    /// Marks the tasks that are switched off, and those of `considered` that therefore cannot run, for this run only.
    pub(super) fn disable_tasks(&mut self, considered: &dyn Fn(&str) -> bool) {
        // The job was validated, so there is an order.
        let graph = self.job.graph();
        let order: Vec<&str> = graph.topological_order().unwrap_or_default();
        for key in order {
            let Some(task) = self.job.task(key).filter(|_| considered(key) && self.tasks.contains_key(key)) else {
                continue;
            };
            let named = self.request.only.iter().any(|selector| selector.trim_matches('+') == key);
            let ends: Vec<Option<ResultState>> = task
                .depends_on
                .iter()
                .filter_map(|dependency| Some(self.tasks.get(&dependency.task_key)?.progress.state.result()))
                .collect();
            let n_disabled = ends.iter().filter(|end| **end == Some(ResultState::Disabled)).count();
            let is_disabled = task.disabled && !named || is_disabled_for_run(task.run_if, n_disabled, ends.len());
            if is_disabled && let Some(task_run) = self.tasks.get_mut(key) {
                task_run.progress.end(ResultState::Disabled);
            }
        }
    }
}

/// The job's parameters with the values of `request` over their defaults, references resolved. Values for names that
/// the job does not declare reach its tasks all the same, as the service does it.
pub(super) fn job_parameters(
    job: &Job,
    request: &RunRequest,
    context: &JobContext,
    problems: &mut Vec<Problem>,
) -> Vec<Parameter> {
    let context = ReferenceContext { job: context, task: None, upstream: &|_| None, input: None };
    let declared = job.parameters().iter().map(|parameter| match request.job_parameters.get(&parameter.name) {
        Some(value) => (parameter.name.as_str(), value.as_str(), Origin::Run),
        None => (parameter.name.as_str(), parameter.default.as_str(), Origin::Job),
    });
    let undeclared = request
        .job_parameters
        .iter()
        .filter(|(name, _)| !job.parameters().iter().any(|parameter| parameter.name == **name))
        .map(|(name, value)| (name.as_str(), value.as_str(), Origin::Run));
    let mut parameters = Vec::new();
    for (name, template, origin) in declared.chain(undeclared) {
        match resolve(template, &context) {
            Ok(value) => parameters.push(Parameter::new(name, value, origin)),
            Err(error) => problems.push(Problem {
                kind: ProblemKind::InvalidReference,
                path: match origin {
                    Origin::Run => format!("run_now.job_parameters.{name}"),
                    _ => "parameters".to_owned(),
                },
                message: error.message,
                severity: Severity::Error,
            }),
        }
    }
    parameters
}
