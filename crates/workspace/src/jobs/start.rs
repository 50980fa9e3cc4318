//! Runs, repairs and attempts begin.

use lakelet_base::{Diagnostic, ErrorClass, Result};
use lakelet_bundle::{JobResource, find_notebook, find_python_file};
use lakelet_jobs::{
    Admission, AttemptWork, InvalidSettings, Job, PathStyle, Run, RunRequest, RunStart, SqlBody, StartAttempt,
    TaskError, TaskKey, Trigger, TriggerKind, ValidateOptions, value_text,
};
use lakelet_protocol::{RepairRequest, ResponseBody};
use lakelet_store::CommitCause;
use serde_json::{Map, Value, json};

use super::documents::{self, RunDocument};
use super::triggers::serve;
use super::work::{ActiveAttempt, NotebookWork, SqlWork, Work};
use super::{Asker, AttemptToken, DueRun, RunRecord, RunSettings, Waiting, problems};
use crate::notebook::{NotebookExecution, parse};
use crate::statements::Guard;
use crate::workspace::Workspace;

/// How deep jobs may run jobs, as on Databricks.
const RUN_DEPTH_MAX: usize = 3;
/// The workspace that references see.
const WORKSPACE_ID: u64 = 1;
const WORKSPACE_URL: &str = "https://playground";

/// What a run begins for.
pub(super) struct RunCause<'a> {
    /// What references to the trigger see.
    pub trigger: Trigger,
    /// The run that it is a task of.
    pub parent: Option<u64>,
    /// What a trigger asked for, to be written down as served together with the run.
    pub due: Option<&'a DueRun>,
}

impl RunCause<'_> {
    /// Somebody wants it.
    pub fn asked() -> Self {
        Self { trigger: Trigger::default(), parent: None, due: None }
    }

    fn task_of(run_id: u64) -> Self {
        let trigger = Trigger { kind: TriggerKind::RunJobTask, ..Trigger::default() };
        Self { trigger, parent: Some(run_id), due: None }
    }
}

impl Workspace {
    /// Starts a run for a request, or lets the request wait until another run has ended (`None`).
    pub(super) fn request_run(
        &mut self,
        request: u64,
        job: String,
        settings: RunSettings,
    ) -> Result<Option<ResponseBody>> {
        let resource = self.project.job(&job)?.clone();
        let checked = self.checked_job(&resource)?;
        if self.admission(&resource, &checked) == Admission::Queue {
            self.jobs.waiting.push_back(Waiting { for_whom: Asker::Request(request), job, settings });
            return Ok(None);
        }
        let run_id = self.start_run(&resource, &settings, RunCause::asked())?;
        self.run_view(run_id).map(|view| Some(ResponseBody::Run(view)))
    }

    /// Whether another run of a job may begin now.
    pub(super) fn admission(&self, resource: &JobResource, settings: &Job) -> Admission {
        let is_running = |run_id: &&u64| self.jobs.runs.get(run_id).is_some_and(|r| r.document.job_key == resource.key);
        settings.admit(self.jobs.active.iter().filter(is_running).count())
    }

    /// Starts runs that waited for another to end.
    pub(super) fn admit_waiting(&mut self) {
        if !std::mem::take(&mut self.jobs.has_room) {
            return;
        }
        for Waiting { for_whom, job, settings } in std::mem::take(&mut self.jobs.waiting) {
            match for_whom {
                Asker::Request(request) => match self.request_run(request, job, settings) {
                    Ok(Some(answer)) => self.outbox.answer(request, Ok(answer)),
                    Ok(None) => {}
                    Err(diagnostic) => {
                        self.outbox.answer(request, Err(lakelet_protocol::WireError::new(&diagnostic, "")));
                    }
                },
                Asker::Trigger(due) => self.start_due(*due),
            }
        }
    }

    /// The job of a resource, unless something about it prevents a run.
    pub(super) fn checked_job(&self, resource: &JobResource) -> Result<Job> {
        let settings = problems::runnable_settings(resource);
        let found = problems::problems(&self.core, &self.project, resource);
        let errors: Vec<String> =
            found.iter().filter(|problem| problem.severity == "error").map(problem_text).collect();
        if !errors.is_empty() {
            return Err(invalid(resource.name(), &errors.join("\n")));
        }
        let options = ValidateOptions { limits: self.core.limits.clone(), paths: PathStyle::Bundle };
        let job = Job::from_value(&settings, &options).map_err(|error| invalid(resource.name(), &error.to_string()))?;
        if job.tasks().is_empty() {
            let error = invalid(resource.name(), "It has no tasks: there is nothing to execute.");
            return Err(Box::new(error.hint("Add a task first.")));
        }
        Ok(job)
    }

    /// Begins a run. One that would have to wait for another is skipped: only requests can wait.
    pub(super) fn start_run(
        &mut self,
        resource: &JobResource,
        settings: &RunSettings,
        cause: RunCause<'_>,
    ) -> Result<u64> {
        let job = self.checked_job(resource)?;
        if self.admission(resource, &job) != Admission::Start {
            return Err(skipped(&job));
        }
        let options = ValidateOptions { limits: self.core.limits.clone(), paths: PathStyle::Bundle };
        let values: Map<String, Value> =
            settings.params.iter().map(|(name, value)| (name.clone(), json!(value_text(value)))).collect();
        let asked = json!({ "job_parameters": values, "only": settings.only });
        let request = RunRequest::from_value(&asked, &job, &options)
            .map_err(|error| invalid(resource.name(), &error.to_string()))?;
        let mut counters = self.jobs.counters.clone();
        counters.last_run_id += 1;
        let run_id = counters.last_run_id;
        let numbers = counters.jobs.entry(resource.key.clone()).or_default();
        if numbers.id == 0 {
            counters.last_job_id += 1;
            numbers.id = counters.last_job_id;
        }
        numbers.n_runs += 1;
        let (job_id, number) = (numbers.id, numbers.n_runs);
        let start = RunStart {
            run_id,
            job_id,
            workspace_id: WORKSPACE_ID,
            workspace_url: WORKSPACE_URL.to_owned(),
            trigger: cause.trigger,
            request,
        };
        let (run, effects) = Run::start(job, start, self.core.clock.now(), &self.core.limits)
            .map_err(|error: InvalidSettings| invalid(resource.name(), &error.to_string()))?;
        let document = RunDocument {
            run,
            job_key: resource.key.clone(),
            number,
            interrupted: None,
            elapsed_ms: 0.0,
            parent: cause.parent,
        };
        let mut transaction = self.core.store.begin();
        if let Some(due) = cause.due {
            serve(&self.core, &self.project, due, &mut transaction)?;
        }
        documents::write(&mut transaction, documents::run_key(run_id), &document)?;
        documents::write(&mut transaction, documents::COUNTERS_KEY.to_owned(), &counters)?;
        self.core.commit(transaction, &CommitCause::default())?;
        self.jobs.counters = counters;
        let record = RunRecord { document, n_events: 0, save_error: None, next_view_ms: 0.0 };
        self.jobs.runs.insert(run_id, record);
        self.jobs.active.push(run_id);
        self.take_effects(run_id, effects)?;
        Ok(run_id)
    }

    /// Runs a part of a run again, with the job's present settings and the run's own parameters.
    pub(super) fn start_repair(&mut self, run_id: u64, repair: &RepairRequest) -> Result<()> {
        let record = self.jobs.runs.get(&run_id).ok_or_else(|| run_not_found(run_id))?;
        let resource = self.project.bundle().jobs.iter().find(|job| job.key == record.document.job_key).cloned();
        let job = match &resource {
            Some(resource) => Some(self.checked_job(resource)?),
            None => None,
        };
        let mut document = record.document.clone();
        let request = repair_request(&document.run, repair, job);
        let repair_id = document.run.history().len() as u64;
        let effects = document.run.repair(request, repair_id, self.core.clock.now()).map_err(|error| {
            let class = ErrorClass::new("LAKELET_REPAIR_REFUSED", "55000");
            Box::new(Diagnostic::new(class, error.message))
        })?;
        document.interrupted = None;
        let mut transaction = self.core.store.begin();
        // There are events only where the end of the run could not be saved.
        documents::remove_all(&self.core.store, &mut transaction, &documents::events_prefix(run_id));
        documents::write(&mut transaction, documents::run_key(run_id), &document)?;
        self.core.commit(transaction, &CommitCause::default())?;
        let record = RunRecord { document, n_events: 0, save_error: None, next_view_ms: 0.0 };
        self.jobs.runs.insert(run_id, record);
        self.jobs.active.push(run_id);
        self.take_effects(run_id, effects)
    }

    /// Puts an attempt to work.
    pub(super) fn start_attempt(&mut self, run_id: u64, start: StartAttempt) -> Result<()> {
        let work = match self.work_of(run_id, &start) {
            Ok(work) => work,
            Err(error) => Work::Refused(Box::new(error)),
        };
        self.jobs.last_token += 1;
        let token = AttemptToken(self.jobs.last_token);
        let now = self.core.clock.now();
        let attempt = ActiveAttempt { run_id, id: start.id, work, due: now, turn: 0, n_units: 0, measured_ms: 0.0 };
        self.line_up(token, attempt);
        Ok(())
    }

    fn work_of(&mut self, run_id: u64, start: &StartAttempt) -> Result<Work, TaskError> {
        let faults = self.jobs.faults;
        let guard = Guard {
            cause: CommitCause {
                run_id: Some(run_id),
                task_key: Some(start.id.task_key.to_string()),
                iteration: start.id.iteration.and_then(|index| u32::try_from(index).ok()),
                attempt: Some(start.id.attempt),
                ..CommitCause::default()
            },
            conflicts_since: faults.conflict.then(|| self.core.clock.now()),
        };
        let fails_after_append = faults.fail_after_append.is_some()
            && faults.fail_after_append == start.id.iteration.map(|index| index as u64);
        match &start.work {
            AttemptWork::Sql { body: SqlBody::File { path, .. }, .. } => {
                let text =
                    self.project.project().text(path).ok_or_else(|| {
                        TaskError::new("RESOURCE_NOT_FOUND", format!("The project has no file {path}."))
                    })?;
                let work = SqlWork::new(&self.core, text, &start.parameters, guard, fails_after_append)?;
                Ok(Work::Sql(Box::new(work)))
            }
            AttemptWork::Sql { body, .. } => {
                let what = match body {
                    SqlBody::Query(id) => format!("the saved query {id}: keep its text in a file of the project"),
                    SqlBody::Alert(id) => format!("the alert {id}"),
                    SqlBody::Dashboard(id) => format!("the dashboard {id}"),
                    SqlBody::File { path, .. } => path.clone(),
                };
                Err(refused(&format!("Lakelet cannot run {what}.")))
            }
            AttemptWork::Notebook { path, warehouse_id, .. } => {
                let project = self.project.project();
                let found = find_notebook(project, path);
                let text = found.as_deref().and_then(|found| project.text(found));
                let (found, text) = found.as_deref().zip(text).ok_or_else(|| {
                    TaskError::new("RESOURCE_NOT_FOUND", format!("The project has no notebook {path}."))
                })?;
                let notebook = parse(text, found).map_err(|error| TaskError::from(error.as_ref()))?;
                let has_python = notebook.cells.iter().any(|cell| cell.kind == lakelet_bundle::CellKind::Python);
                if warehouse_id.is_some() && has_python {
                    return Err(refused("A notebook that runs on a SQL warehouse can have SQL cells only."));
                }
                let namespace = self.notebooks.new_namespace();
                let mut execution =
                    NotebookExecution::in_job(&notebook, namespace, &start.parameters, &self.core.limits);
                execution.guard = guard;
                execution.fail_after_append = fails_after_append;
                Ok(Work::Notebook(Box::new(NotebookWork::new(execution))))
            }
            AttemptWork::RunJob { job_id } => self.start_child(run_id, job_id, start).map(Work::Run),
            AttemptWork::Pipeline { .. } => Err(refused(
                "Lakelet does not run pipeline tasks. Refresh the tables with a SQL task: REFRESH MATERIALIZED VIEW …",
            )),
            AttemptWork::SparkPython { file, arguments, .. } => {
                let project = self.project.project();
                let found = find_python_file(project, file);
                let text = found.as_deref().and_then(|found| project.text(found));
                let (found, text) = found.as_deref().zip(text).ok_or_else(|| {
                    TaskError::new("RESOURCE_NOT_FOUND", format!("The project has no Python file {file}."))
                })?;
                let namespace = self.notebooks.new_namespace();
                let limits = &self.core.limits;
                let mut execution = NotebookExecution::program(found, text, arguments.clone(), namespace, limits);
                execution.guard = guard;
                execution.fail_after_append = fails_after_append;
                Ok(Work::Notebook(Box::new(NotebookWork::new(execution))))
            }
        }
    }

    /// Starts the run that a Run job task stands for.
    fn start_child(&mut self, run_id: u64, job_id: &str, start: &StartAttempt) -> Result<u64, TaskError> {
        let mut depth = 1;
        let mut above = self.jobs.runs.get(&run_id).and_then(|record| record.document.parent);
        while let Some(parent) = above {
            depth += 1;
            above = self.jobs.runs.get(&parent).and_then(|record| record.document.parent);
        }
        if depth >= RUN_DEPTH_MAX {
            return Err(refused(&format!("Jobs run jobs at most {RUN_DEPTH_MAX} levels deep.")));
        }
        let bundle = self.project.bundle();
        let key_of_id = || {
            let number: u64 = job_id.parse().ok()?;
            let found = self.jobs.counters.jobs.iter().find(|(_, numbers)| numbers.id == number);
            let key = found.map(|(key, _)| key)?;
            bundle.jobs.iter().find(|job| job.key == *key)
        };
        let resource = bundle.referenced_job(job_id).or_else(key_of_id).or_else(|| bundle.job(job_id)).cloned();
        let resource =
            resource.ok_or_else(|| TaskError::new("RESOURCE_NOT_FOUND", format!("Job {job_id} does not exist.")))?;
        let values = start.parameters.iter().map(|p| (p.name.clone(), Value::String(p.value.clone())));
        let settings = RunSettings { params: values.collect(), ..RunSettings::default() };
        self.start_run(&resource, &settings, RunCause::task_of(run_id)).map_err(|error| TaskError::from(error.as_ref()))
    }
}

/// What the page's dialog means: parameters stay, ids are filled in.
pub(super) fn repair_request(run: &Run, repair: &RepairRequest, job: Option<Job>) -> lakelet_jobs::RepairRequest {
    lakelet_jobs::RepairRequest {
        rerun_tasks: repair.tasks.iter().map(|key| TaskKey::from(key.as_str())).collect(),
        rerun_iterations: repair
            .iterations
            .iter()
            .map(|(key, index)| (TaskKey::from(key.as_str()), *index as usize))
            .collect(),
        latest_repair_id: run.history().last().and_then(|item| item.repair_id),
        keep_parameters: true,
        job,
        ..lakelet_jobs::RepairRequest::default()
    }
}

pub(super) fn skipped(job: &Job) -> Box<Diagnostic> {
    let message = format!("The job allows {} runs at a time, so this one was skipped.", job.max_concurrent_runs());
    Box::new(
        Diagnostic::new(ErrorClass::new("MAX_CONCURRENT_RUNS_EXCEEDED", "55006"), message)
            .hint("Wait for the other run, raise max_concurrent_runs, or switch the job's queue on."),
    )
}

fn refused(message: &str) -> TaskError {
    TaskError::new("INVALID_RUN_CONFIGURATION", message)
}

fn problem_text(problem: &lakelet_protocol::ProblemView) -> String {
    format!("{}: {}", problem.path, problem.message)
}

fn invalid(job: &str, problems: &str) -> Box<Diagnostic> {
    let class = ErrorClass::new("INVALID_RUN_CONFIGURATION", "22023");
    Box::new(Diagnostic::new(class, format!("The job {job} cannot run.\n{problems}")))
}

pub(super) fn run_not_found(run_id: u64) -> Box<Diagnostic> {
    let class = ErrorClass::new("LAKELET_RUN_NOT_FOUND", "42704");
    Box::new(Diagnostic::new(class, format!("There is no run {run_id}.")))
}
