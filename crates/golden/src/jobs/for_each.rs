//! `foreach`: a job with one loop, played in simulated time.

use lakelet_base::{Limits, Timestamp};
use lakelet_jobs::{
    AttemptOutcome, AttemptOutput, Iteration, Job, OutputColumn, Reference, ResultState, Run, RunEvent, RunStart,
    StartAttempt, TaskError, TaskKey, TaskOutput, Template, UpstreamMember, ValidateOptions, value_text,
};
use serde_json::{Map, Value, json};

use super::compare::{all_keys, contains, same, unknown_key};
use super::simulation::{Planned, Simulation};
use super::{CaseOutcome, Unusable};

const START: Timestamp = Timestamp::LESSON_START;
const LOOP: &str = "loop";

pub(super) fn run(input: &Value, expect: &Value) -> Result<CaseOutcome, Unusable> {
    let settings = settings(input)?;
    let (job, _) = Job::read(&settings, &ValidateOptions::default());
    let got = match Run::start(job, RunStart { run_id: 1, ..RunStart::default() }, START, &Limits::default()) {
        // Literal inputs that cannot be are refused before the run.
        Err(refused) => {
            let problem = refused.problems.iter().find(|problem| problem.is_error());
            json!({"parent": "FAILED", "max_in_flight": 0, "refused": true,
                "error": problem.map(|problem| problem.kind.as_str()), "message": refused.to_string()})
        }
        Ok((run, effects)) => {
            let mut simulation = Simulation::new(run, effects, START, Box::new(|start| planned(input, start)));
            if let Some(millis) = input["cancel_parent_at"].as_i64() {
                simulation.foresee(START.plus_millis(millis), RunEvent::CancelTask(TaskKey::from(LOOP)));
            }
            simulation.play();
            record(&simulation)?
        }
    };
    all_keys(expect, got, |key, expected, got| {
        Ok(match key {
            "parent"
            | "error"
            | "max_in_flight"
            | "starts"
            | "ends"
            | "iteration_states"
            | "input_texts"
            | "iteration_parameters"
            | "attempt_numbers"
            | "start_order" => same(expected, got.get(key).unwrap_or(&Value::Null)),
            "parent_any" => expected.as_array().is_some_and(|any| any.iter().any(|one| same(one, &got["parent"]))),
            "stats" => contains(&got["stats"], expected),
            _ => return unknown_key(key),
        })
    })
}

/// The job: the loop, and a task for each one that its inputs refer to.
fn settings(input: &Value) -> Result<Value, Unusable> {
    let inputs = input["inputs"].as_str().ok_or("inputs must be text")?;
    let mut nested = nested_task(input);
    if let Some(retries) = input.get("nested_max_retries") {
        nested["max_retries"] = retries.clone();
    }
    let mut for_each = json!({"inputs": inputs, "task": nested});
    if let Some(concurrency) = input.get("concurrency") {
        for_each["concurrency"] = concurrency.clone();
    }
    let mut tasks: Vec<Value> = Vec::new();
    let mut parameters = Vec::new();
    for reference in Template::parse(inputs).references() {
        match reference {
            Reference::Upstream { task, member } => {
                let body = if member.is_output() {
                    json!({"task_key": task, "sql_task": {"warehouse_id": "w", "file": {"path": "/q.sql"}}})
                } else {
                    json!({"task_key": task, "notebook_task": {"notebook_path": "/n"}})
                };
                if tasks.iter().all(|known| known["task_key"] != body["task_key"]) {
                    tasks.push(body);
                }
            }
            Reference::JobParameter(name) => parameters.push(json!({"name": name, "default": resolved(input)})),
            _ => {}
        }
    }
    let depends_on: Vec<Value> = tasks.iter().map(|task| json!({"task_key": task["task_key"]})).collect();
    tasks.push(json!({"task_key": LOOP, "depends_on": depends_on, "for_each_task": for_each}));
    Ok(json!({"tasks": tasks, "parameters": parameters}))
}

fn nested_task(input: &Value) -> Value {
    let parameters = input.get("nested_parameters").cloned().unwrap_or_else(|| json!({}));
    let nested_type = input["nested_type"].as_str().unwrap_or("notebook_task");
    let body = match nested_type {
        "sql_task" => json!({"warehouse_id": "w", "file": {"path": "/q.sql"}, "parameters": parameters}),
        "pipeline_task" => json!({"pipeline_id": "p"}),
        "run_job_task" => json!({"job_id": 1, "job_parameters": parameters}),
        "spark_python_task" => json!({"python_file": "/x.py"}),
        _ => json!({"notebook_path": "/n", "base_parameters": parameters}),
    };
    json!({"task_key": "nested", nested_type: body})
}

/// The array that a reference gives, with the size the case asks for.
fn resolved(input: &Value) -> String {
    let size = input["resolved_bytes"].as_u64().and_then(|size| usize::try_from(size).ok()).unwrap_or(2);
    if size < 4 { "[]".to_owned() } else { format!("[\"{}\"]", "x".repeat(size - 4)) }
}

fn planned(input: &Value, start: &StartAttempt) -> Planned {
    let Some(index) = start.id.iteration else {
        return producer(input, start);
    };
    let (iteration, attempt) = (&input["iterations"][index], start.id.attempt as usize);
    let millis = iteration["dur"].as_i64().or_else(|| iteration["dur"][attempt].as_i64()).unwrap_or_default();
    Planned::new(millis, outcome(iteration["outcomes"][attempt].as_str().unwrap_or("SUCCESS")))
}

/// The end of an attempt by its state.
pub(super) fn outcome(word: &str) -> AttemptOutcome {
    match ResultState::from_word(word) {
        Some(ResultState::Success) => AttemptOutcome::Succeeded { output: None },
        Some(ResultState::TimedOut) => AttemptOutcome::TimedOut,
        Some(ResultState::Canceled) => AttemptOutcome::Canceled,
        _ => {
            AttemptOutcome::Failed { error: TaskError::new("RUN_EXECUTION_ERROR", "The attempt failed."), output: None }
        }
    }
}

/// The task that the inputs refer to gives them at once, in every way it can be asked.
fn producer(input: &Value, start: &StartAttempt) -> Planned {
    let template = Template::parse(input["inputs"].as_str().unwrap_or_default());
    let array: Value = serde_json::from_str(&resolved(input)).unwrap_or_default();
    let mut planned = Planned::new(0, AttemptOutcome::Succeeded { output: None });
    for reference in template.references() {
        let Reference::Upstream { task, member } = reference else {
            continue;
        };
        if task != start.id.task_key.as_str() {
            continue;
        }
        if let UpstreamMember::Value(name) = member {
            planned.task_values.insert(name.clone(), array.clone());
        } else if member.is_output() {
            let columns = vec![OutputColumn { name: "a".to_owned(), type_name: "string".to_owned() }];
            let rows = array.as_array().into_iter().flatten().map(|cell| vec![cell.clone()]);
            let rows = TaskOutput::new(columns, rows.collect::<Vec<_>>(), &Limits::default());
            planned.outcome = AttemptOutcome::Succeeded { output: Some(AttemptOutput::Rows(rows)) };
        }
    }
    planned
}

fn record(simulation: &Simulation<'_>) -> Result<Value, Unusable> {
    let task = simulation.run.task(LOOP).ok_or("the loop is not in the run")?;
    let empty = Vec::new();
    let iterations = task.for_each().map_or(empty.as_slice(), |for_each| for_each.iterations());
    let list = |value: &dyn Fn(&Iteration) -> Value| iterations.iter().map(value).collect::<Value>();
    let since_start = |instant: Timestamp| json!(instant.millis() - START.millis());
    let first = |iteration: &Iteration| iteration.attempts().first().map(|attempt| attempt.start);
    let last = |iteration: &Iteration| iteration.attempts().last().and_then(|attempt| attempt.end);
    // The error of the loop itself; that iterations failed is told by their states.
    let error = task.attempts().last().and_then(|attempt| attempt.error.as_ref());
    let error = error.filter(|_| task.for_each().is_none());
    let started: Vec<Timestamp> = iterations.iter().filter_map(first).collect();
    let most_tried = iterations.iter().rev().max_by_key(|iteration| iteration.attempts().len());
    let mut got = json!({
        "parent": task.state().as_str(),
        "max_in_flight": simulation.max_in_flight,
        "start_order": if started.is_sorted() { "input_order" } else { "other" },
        "starts": list(&|iteration| first(iteration).map_or(Value::Null, since_start)),
        "ends": list(&|iteration| last(iteration).map_or(Value::Null, since_start)),
        "iteration_states": list(&state),
        "input_texts": list(&|iteration| json!(value_text(&iteration.input))),
        "iteration_parameters": list(&parameters),
        "attempt_numbers": most_tried.map(|iteration| {
            iteration.attempts().iter().map(|attempt| json!(attempt.attempt)).collect::<Value>()
        }),
    });
    if let Some(error) = error {
        got["error"] = json!(error.condition);
        got["message"] = json!(error.message);
    }
    if let Some(for_each) = task.for_each() {
        let stats = for_each.stats();
        got["stats"] = json!({
            "total_iterations": stats.total_iterations,
            "scheduled_iterations": stats.scheduled_iterations,
            "active_iterations": stats.active_iterations,
            "completed_iterations": stats.completed_iterations,
            "succeeded_iterations": stats.succeeded_iterations,
            "failed_iterations": stats.failed_iterations,
        });
    }
    Ok(got)
}

/// Cases have a word of their own for an iteration that never began.
fn state(iteration: &Iteration) -> Value {
    if iteration.attempts().is_empty() { json!("NOT_STARTED") } else { json!(iteration.state().as_str()) }
}

fn parameters(iteration: &Iteration) -> Value {
    let parameters = iteration.attempts().last().map(|attempt| attempt.parameters.as_slice()).unwrap_or_default();
    let pairs = parameters.iter().map(|parameter| (parameter.name.clone(), json!(parameter.value)));
    Value::Object(pairs.collect::<Map<_, _>>())
}
