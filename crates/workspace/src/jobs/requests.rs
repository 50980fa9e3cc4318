//! Requests about jobs and runs.

use lakelet_base::{Diagnostic, ErrorClass, Result};
use lakelet_bundle::{JobResource, SaveError, read_bundle, remove_job, save_job, with_sql_texts};
use lakelet_jobs::{Job, PathStyle, ValidateOptions};
use lakelet_protocol::{FaultSwitch, JobSummary, JobView, RequestBody, ResponseBody, RunSummary, TaskOutputView};
use lakelet_store::CommitCause;
use serde_json::{Map, Value};

use super::RunSettings;
use super::documents::{self, Faults};
use super::output::{output_view, plan_last_query, run_query};
use super::run_view::summary;
use super::triggers::next_of_job;
use super::{inputs, problems, task_graph};
use crate::project::ProjectFiles;
use crate::workspace::Workspace;

pub(super) const JOB_EXISTS: ErrorClass = ErrorClass::new("LAKELET_JOB_ALREADY_EXISTS", "42710");
const JOB_NOT_SAVED: ErrorClass = ErrorClass::new("LAKELET_JOB_NOT_SAVED", "22023");

impl Workspace {
    /// Answers a request about jobs at once, or starts something that answers later (`None`).
    pub(crate) fn answer_jobs(&mut self, id: u64, body: RequestBody) -> Result<Option<ResponseBody>> {
        let answer = match body {
            RequestBody::Jobs => ResponseBody::Jobs(self.job_summaries()),
            RequestBody::Job { job } => ResponseBody::Job(self.job_view(&job)?),
            RequestBody::ValidateJob { settings } => ResponseBody::Job(self.validate_job(&settings)?),
            RequestBody::SaveJob { job, settings } => ResponseBody::Job(self.save_job(job.as_deref(), &settings)?),
            RequestBody::DeleteJob { job } => {
                self.delete_job(&job)?;
                ResponseBody::Done
            }
            RequestBody::SaveJobFile { path, text, replace } => {
                self.save_job_file(&path, text, replace)?;
                ResponseBody::Done
            }
            RequestBody::PreviewOutput { sql, params } => ResponseBody::Output(self.preview_output(&sql, &params)?),
            RequestBody::RunJob { job, params, only } => {
                return self.request_run(id, job, RunSettings { params, only });
            }
            RequestBody::Repair { run_id, repair } => {
                self.start_repair(run_id, &repair)?;
                ResponseBody::Run(self.run_view(run_id)?)
            }
            RequestBody::Run { run_id } => ResponseBody::Run(self.run_view(run_id)?),
            RequestBody::Runs { job } => ResponseBody::Runs(self.run_summaries(&job)?),
            RequestBody::SetFault { fault } => {
                match fault {
                    FaultSwitch::FailAfterAppend { iteration } => self.set_append_fault(iteration)?,
                    FaultSwitch::Conflict { on } => self.set_conflict_fault(on)?,
                }
                ResponseBody::Done
            }
            other => {
                return Err(Box::new(Diagnostic::internal(format!("nobody answers the request {other:?}"))));
            }
        };
        Ok(Some(answer))
    }

    /// The jobs of the project, in the order of its files.
    fn job_summaries(&self) -> Vec<JobSummary> {
        let summary_of = |job: &JobResource| JobSummary {
            key: job.key.clone(),
            name: job.name().to_owned(),
            n_tasks: u32::try_from(n_tasks(&job.settings)).unwrap_or(u32::MAX),
            last_run: self.jobs.runs_of(&job.key).next().map(|record| summary(record, Some(job))),
        };
        self.project.bundle().jobs.iter().map(summary_of).collect()
    }

    /// A job's page.
    ///
    /// # Errors
    /// There is no such job.
    pub fn job_view(&self, job: &str) -> Result<JobView> {
        self.view_of(&self.project, self.job_once_called(job)?)
    }

    /// A job by its name or key, else the one that had runs under this name before it was renamed.
    fn job_once_called(&self, name: &str) -> Result<&JobResource> {
        let not_found = match self.project.job(name) {
            Ok(job) => return Ok(job),
            Err(not_found) => not_found,
        };
        let jobs = &self.project.bundle().jobs;
        let mut named = self.jobs.runs.values().rev().filter(|record| record.document.run.context().name == name);
        named.find_map(|record| jobs.iter().find(|job| job.key == record.document.job_key)).ok_or(not_found)
    }

    fn view_of(&self, files: &ProjectFiles, resource: &JobResource) -> Result<JobView> {
        let options = ValidateOptions { limits: self.core.limits.clone(), paths: PathStyle::Bundle };
        let (job, _) = Job::read(&problems::runnable_settings(resource), &options);
        Ok(JobView {
            name: resource.name().to_owned(),
            settings: with_sql_texts(files.project(), &resource.settings),
            graph: task_graph::graph(&job),
            problems: problems::problems(&self.core, files, resource),
            inputs: inputs::previews(&self.core, files, &self.jobs, &job, &resource.key),
            runs: self.jobs.runs_of(&resource.key).map(|record| summary(record, Some(resource))).collect(),
            triggers: job.triggers().iter().map(ToString::to_string).collect(),
            next_due: next_of_job(&self.core, files, &resource.key)?,
            faults: self.jobs.faults.view(),
        })
    }

    /// The view that a job of these settings would have; nothing is saved.
    fn validate_job(&self, settings: &Value) -> Result<JobView> {
        let name = settings.get("name").and_then(Value::as_str);
        let existing = name.and_then(|name| self.project.job(name).ok());
        let mut project = self.project.project().clone();
        let settings = self.with_kept_files(existing, settings)?;
        let key = existing.map(|job| job.key.as_str());
        let key = save_job(&mut project, self.project.bundle(), key, &settings).map_err(cannot_save)?;
        let bundle = read_bundle(&project, None);
        let files = ProjectFiles::scratch(project, bundle);
        let resource = files.bundle().jobs.iter().find(|job| job.key == key).cloned();
        let resource = resource.ok_or_else(|| Box::new(Diagnostic::internal("a saved job is not in its bundle")))?;
        self.view_of(&files, &resource)
    }

    /// Creates or replaces a job: its file, and the files of its SQL texts.
    ///
    /// # Errors
    /// There is no such job, or another of the new name, or its file cannot be written.
    pub fn save_job(&mut self, job: Option<&str>, settings: &Value) -> Result<JobView> {
        let existing = match job {
            Some(job) => Some(self.project.job(job)?.clone()),
            None => None,
        };
        let name = settings.get("name").and_then(Value::as_str).filter(|name| !name.is_empty());
        let same = name.and_then(|name| self.project.bundle().jobs.iter().find(|other| other.name() == name));
        if let Some(other) = same
            && existing.as_ref().is_none_or(|existing| existing.key != other.key)
        {
            let message = format!("There is a job {} already.", other.name());
            return Err(Box::new(Diagnostic::new(JOB_EXISTS, message).hint("Give this one another name.")));
        }
        let settings = self.with_kept_files(existing.as_ref(), settings)?;
        let mut project = self.project.project().clone();
        let key = existing.as_ref().map(|job| job.key.as_str());
        let key = save_job(&mut project, self.project.bundle(), key, &settings).map_err(cannot_save)?;
        self.save_project(project)?;
        let saved = self.project.bundle().jobs.iter().find(|job| job.key == key).cloned();
        let saved = saved.ok_or_else(|| Box::new(Diagnostic::internal("a saved job is not in its bundle")))?;
        self.view_of(&self.project, &saved)
    }

    /// Settings come with the text of each SQL file beside its path. Where the path was changed to another file that is
    /// there, the text is still that of the old one and must not overwrite the new one.
    ///
    /// # Errors
    /// Both were changed: there is no telling which text the file is to have.
    fn with_kept_files(&self, existing: Option<&JobResource>, settings: &Value) -> Result<Value> {
        let mut settings = settings.clone();
        let before = existing.map(|job| sql_paths(&job.settings)).unwrap_or_default();
        let after = sql_paths(&settings);
        let project = self.project.project();
        let mut clash = None;
        each_sql_task(&mut settings, &mut |key, sql| {
            let path = sql.pointer("/file/path").and_then(Value::as_str).map(str::to_owned);
            let Some(path) = path.filter(|path| project.contains(path)) else { return };
            let typed = sql.pointer("/query/text").and_then(Value::as_str);
            let of_task = before.iter().find(|(task, _)| task == key);
            let is_edit = match of_task {
                Some((_, file)) => *file == path,
                // A task that has another name now keeps its file.
                None => before.iter().any(|(task, file)| *file == path && after.iter().all(|(other, _)| other != task)),
            };
            if is_edit || typed.is_none() || typed == project.text(&path) {
                return;
            }
            let old_text = of_task.and_then(|(_, file)| project.text(file));
            if existing.is_some() && typed != old_text {
                clash = Some(path);
            } else if let Some(sql) = sql.as_object_mut() {
                sql.shift_remove("query");
            }
        });
        match clash {
            None => Ok(settings),
            Some(path) => {
                let message = format!("{path} is there already and has another text.");
                let hint = "Leave query.text out to use the file as it is, or name a file that is not there yet.";
                Err(Box::new(Diagnostic::new(JOB_NOT_SAVED, message).hint(hint)))
            }
        }
    }

    /// Removes a job with its runs; files of its tasks stay.
    ///
    /// # Errors
    /// There is no such job, a run of it is going on, or its file cannot be written.
    pub fn delete_job(&mut self, job: &str) -> Result<()> {
        let resource = self.project.job(job)?.clone();
        let runs: Vec<u64> = self.jobs.runs_of(&resource.key).map(|record| record.document.run.run_id()).collect();
        self.refuse_while_running(&runs)?;
        let mut project = self.project.project().clone();
        remove_job(&mut project, &resource).map_err(cannot_save)?;
        let mut counters = self.jobs.counters.clone();
        counters.jobs.remove(&resource.key);
        let mut transaction = self.core.store.begin();
        for run_id in &runs {
            transaction.remove(documents::run_key(*run_id));
            documents::remove_all(&self.core.store, &mut transaction, &documents::attempts_prefix(*run_id));
        }
        documents::write(&mut transaction, documents::COUNTERS_KEY.to_owned(), &counters)?;
        let changed = self.project.changed(project, &mut transaction);
        self.commit_project(changed, transaction)?;
        self.jobs.counters = counters;
        for run_id in runs {
            self.jobs.runs.remove(&run_id);
        }
        Ok(())
    }

    /// A job whose run is going on cannot be taken away.
    pub(super) fn refuse_while_running(&self, runs: &[u64]) -> Result<()> {
        if runs.iter().any(|run_id| self.jobs.active.contains(run_id)) {
            let class = ErrorClass::new("LAKELET_JOB_RUNNING", "55006");
            let error = Diagnostic::new(class, "A run of this job is going on.");
            return Err(Box::new(error.hint("Wait for it, or cancel it.")));
        }
        Ok(())
    }

    fn preview_output(&self, sql: &str, params: &Map<String, Value>) -> Result<TaskOutputView> {
        let planned = plan_last_query(&self.core, sql, params)?.ok_or_else(|| {
            let class = ErrorClass::new("LAKELET_NO_OUTPUT", "02000");
            Box::new(Diagnostic::new(class, "The text does not end with a query, so the task passes no rows on."))
        })?;
        let output = run_query(&self.core, &planned, None)?;
        let output = output.ok_or_else(|| Box::new(Diagnostic::internal("a query without a bound did not end")))?;
        Ok(output_view(&output))
    }

    /// The runs of a job, newest first.
    ///
    /// # Errors
    /// There is no such job.
    pub fn run_summaries(&self, job: &str) -> Result<Vec<RunSummary>> {
        let resource = self.job_once_called(job)?;
        Ok(self.jobs.runs_of(&resource.key).map(|record| summary(record, Some(resource))).collect())
    }

    /// The fault switch that makes iterations of a run conflict when they change one table, as Delta lets them.
    ///
    /// # Errors
    /// It cannot be written down.
    pub fn set_conflict_fault(&mut self, on: bool) -> Result<()> {
        self.set_faults(Faults { conflict: on, ..self.jobs.faults })
    }

    /// The fault switch that fails an iteration right after its first append.
    ///
    /// # Errors
    /// It cannot be written down.
    pub fn set_append_fault(&mut self, iteration: Option<u64>) -> Result<()> {
        self.set_faults(Faults { fail_after_append: iteration, ..self.jobs.faults })
    }

    fn set_faults(&mut self, faults: Faults) -> Result<()> {
        let mut transaction = self.core.store.begin();
        documents::write(&mut transaction, documents::FAULTS_KEY.to_owned(), &faults)?;
        self.core.commit(transaction, &CommitCause::default())?;
        self.jobs.faults = faults;
        Ok(())
    }
}

fn n_tasks(settings: &Value) -> usize {
    settings.get("tasks").and_then(Value::as_array).map_or(0, Vec::len)
}

pub(super) fn cannot_save(error: SaveError) -> Box<Diagnostic> {
    Box::new(Diagnostic::new(JOB_NOT_SAVED, error.to_string()))
}

/// The SQL file of each task, by task key.
fn sql_paths(settings: &Value) -> Vec<(String, String)> {
    let mut paths = Vec::new();
    each_sql_task(&mut settings.clone(), &mut |key, sql| {
        if let Some(path) = sql.pointer("/file/path").and_then(Value::as_str) {
            paths.push((key.to_owned(), path.to_owned()));
        }
    });
    paths
}

/// Calls `visit` with the key and `sql_task` of every SQL task, nested ones too.
fn each_sql_task(settings: &mut Value, visit: &mut dyn FnMut(&str, &mut Value)) {
    for task in settings.get_mut("tasks").and_then(Value::as_array_mut).into_iter().flatten() {
        let mut next = Some(task);
        while let Some(task) = next {
            let key = task.get("task_key").and_then(Value::as_str).unwrap_or_default().to_owned();
            if let Some(sql) = task.get_mut("sql_task") {
                visit(&key, sql);
            }
            next = task.pointer_mut("/for_each_task/task");
        }
    }
}
