//! All rules of job settings at once.
//!
//! What concerns one field is checked while it is read; here are the rules between tasks and parameters.

mod references;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use serde_json::Value;

use crate::job::Job;
use crate::problem::{Problem, ProblemKind};
use crate::read::{Reader, ValidateOptions};
use crate::run_request::RunRequest;
use crate::task::{Task, TaskKind};

/// Every problem of `settings`, in the order they are found: field by field, then between tasks. Without an error
/// among them the job can run.
pub fn validate(settings: &Value, options: &ValidateOptions) -> Vec<Problem> {
    let (job, problems) = Job::read(settings, options);
    let mut reader = Reader::new(options);
    reader.problems = problems;
    check_between_tasks(&job, &mut reader);
    reader.problems
}

/// [`validate`], and what is wrong with a request to run the job now; its paths begin with `run_now`.
pub fn validate_request(settings: &Value, request: &Value, options: &ValidateOptions) -> Vec<Problem> {
    let (job, problems) = Job::read(settings, options);
    let mut reader = Reader::new(options);
    reader.problems = problems;
    check_between_tasks(&job, &mut reader);
    let request = RunRequest::read(request, &mut reader);
    request.check(&job, &mut reader);
    reader.problems
}

/// The rules that need more than one task.
pub(crate) fn check_between_tasks(job: &Job, reader: &mut Reader<'_>) {
    check_dependencies(job, reader);
    check_shadowed_parameters(job, reader);
    references::check(job, reader);
}

fn check_dependencies(job: &Job, reader: &mut Reader<'_>) {
    let keys: BTreeSet<&str> = job.tasks().iter().map(|task| task.key.as_str()).collect();
    let mut has_self_dependency = false;
    for (index, task) in job.tasks().iter().enumerate() {
        for (position, dependency) in task.depends_on.iter().enumerate() {
            let at = format!("tasks[{index}].depends_on[{position}]");
            let key = dependency.task_key.as_str();
            if key.is_empty() {
                // Reported as missing while it was read.
                continue;
            }
            if key == task.key.as_str() {
                has_self_dependency = true;
                let message = format!("Invalid dependency graph, task '{key}' can not reference itself.");
                reader.error(ProblemKind::SelfDependency, at, message);
            } else if !keys.contains(key) {
                let nearest = lakelet_base::nearest_name(key, keys.iter().copied());
                let hint = nearest.map(|nearest| format!(" Did you mean '{nearest}'?")).unwrap_or_default();
                let message = format!("Invalid dependency graph, there is no task '{key}' in this job.{hint}");
                reader.error(ProblemKind::UnknownDependency, at, message);
            } else if let Some(outcome) = dependency.outcome
                && !job.task(key).is_some_and(|task| matches!(task.kind, TaskKind::Condition(_)))
            {
                let message = format!(
                    "The dependency on a non-if/else condition \"{key}\" specifies an outcome \"{outcome}\". \
                     Outcomes can only be specified for if/else condition dependencies."
                );
                reader.error(ProblemKind::OutcomeOnNonCondition, format!("{at}.outcome"), message);
            }
        }
    }
    // A task that depends on itself is a cycle too, but has been reported in better words.
    if !has_self_dependency && let Some(cycle) = job.graph().find_cycle() {
        let first = cycle.keys.first().map_or("", String::as_str);
        let last = cycle.keys.last().map_or("", String::as_str);
        let message = format!("Invalid dependency graph, tasks wait for each other: {cycle}.");
        reader.error(ProblemKind::DependencyCycle, edge_path(job, last, first), message);
    }
}

/// Where `task` says that it depends on `dependency`.
fn edge_path(job: &Job, dependency: &str, task: &str) -> String {
    let found = job.tasks().iter().enumerate().find(|(_, candidate)| candidate.key.as_str() == task);
    found.map_or_else(String::new, |(index, task)| {
        let position = task.depends_on.iter().position(|edge| edge.task_key.as_str() == dependency);
        position.map_or_else(|| format!("tasks[{index}]"), |position| format!("tasks[{index}].depends_on[{position}]"))
    })
}

fn check_shadowed_parameters(job: &Job, reader: &mut Reader<'_>) {
    let check = |task: &Task, at: String, reader: &mut Reader<'_>| {
        let field = match task.kind {
            TaskKind::Notebook(_) => "base_parameters",
            TaskKind::RunJob(_) => "job_parameters",
            _ => "parameters",
        };
        for name in task.kind.parameters().into_iter().flat_map(|parameters| parameters.keys()) {
            if job.parameters().iter().any(|parameter| parameter.name == *name) {
                let path = format!("{at}.{}.{field}.{name}", task.kind.type_name());
                let message =
                    format!("'{name}' is never used here: the job parameter of the same name wins. Remove it.");
                reader.warning(ProblemKind::ShadowedTaskParameter, path, message);
            }
        }
    };
    for (index, task) in job.tasks().iter().enumerate() {
        check(task, format!("tasks[{index}]"), reader);
        if let Some(nested) = task.kind.nested() {
            check(nested, format!("tasks[{index}].for_each_task.task"), reader);
        }
    }
}
