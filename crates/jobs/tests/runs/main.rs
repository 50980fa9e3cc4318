//! Whole runs, seen from outside: what a host is asked to do and what is recorded.

#![expect(clippy::unwrap_used, reason = "a test fails where it cannot go on")]

#[path = "../../../golden/src/jobs/simulation.rs"]
mod simulation;

mod lifecycle;
mod loops;
mod properties;
mod repairs;
mod robustness;

use indexmap::IndexMap;
use lakelet_base::{Limits, Timestamp};
use lakelet_jobs::{
    AttemptOutcome, AttemptOutput, Job, OutputColumn, ResultState, Run, RunEffect, RunRequest, RunStart, StartAttempt,
    TaskError, TaskOutput, ValidateOptions,
};
use serde_json::{Value, json};
use simulation::{Planned, Simulation};

const START: Timestamp = Timestamp::LESSON_START;

fn job(settings: &Value) -> Job {
    Job::from_value(settings, &ValidateOptions::default()).unwrap()
}

fn begin(settings: &Value, request: RunRequest) -> (Run, Vec<RunEffect>) {
    let start = RunStart { run_id: 1, job_id: 7, request, ..RunStart::default() };
    Run::start(job(settings), start, START, &Limits::default()).unwrap()
}

/// Runs the whole job; the plan says how each attempt goes.
fn play<'p>(settings: &Value, plan: impl FnMut(&StartAttempt) -> Planned + 'p) -> Simulation<'p> {
    let (run, effects) = begin(settings, RunRequest::default());
    let mut simulation = Simulation::new(run, effects, START, Box::new(plan));
    simulation.play();
    assert!(simulation.run.state().is_ended());
    simulation
}

fn succeed() -> AttemptOutcome {
    AttemptOutcome::Succeeded { output: None }
}

fn fail() -> AttemptOutcome {
    AttemptOutcome::Failed { error: TaskError::new("BROKEN", "It broke."), output: None }
}

fn text(text: &str) -> AttemptOutcome {
    AttemptOutcome::Succeeded { output: Some(AttemptOutput::Text(text.to_owned())) }
}

/// Rows of text columns.
fn rows(columns: &[&str], rows: &[&[&str]]) -> AttemptOutcome {
    let columns = columns.iter().map(|name| OutputColumn { name: (*name).to_owned(), type_name: "string".to_owned() });
    let rows = rows.iter().map(|row| row.iter().map(|cell| json!(cell)).collect());
    let output = TaskOutput::new(columns.collect(), rows.collect::<Vec<_>>(), &Limits::default());
    AttemptOutcome::Succeeded { output: Some(AttemptOutput::Rows(output)) }
}

fn notebook(key: &str, depends_on: &[&str]) -> Value {
    let edges: Vec<Value> = depends_on.iter().map(|key| json!({"task_key": key})).collect();
    json!({"task_key": key, "depends_on": edges, "notebook_task": {"notebook_path": "/n"}})
}

fn sql(key: &str) -> Value {
    json!({"task_key": key, "sql_task": {"warehouse_id": "w", "file": {"path": "/q.sql"}}})
}

fn states(run: &Run) -> IndexMap<String, &'static str> {
    run.tasks().map(|(key, task)| (key.to_string(), task.state().as_str())).collect()
}

fn state(run: &Run, key: &str) -> &'static str {
    run.task(key).unwrap().state().as_str()
}

fn result(run: &Run) -> ResultState {
    run.state().result().unwrap()
}

/// The attempts that were asked for, as text, with their instants in milliseconds from the start where there are any.
fn started(effects: &[RunEffect]) -> Vec<String> {
    effects
        .iter()
        .filter_map(|effect| match effect {
            RunEffect::StartAttempt(start) => Some(start.id.to_string()),
            _ => None,
        })
        .collect()
}

/// The record of a run survives being stored.
fn stored(run: &Run) -> Run {
    serde_json::from_str(&serde_json::to_string(run).unwrap()).unwrap()
}
