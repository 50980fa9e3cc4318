//! `repair`: a run is played until its tasks are in the states of the case, then repaired.

use lakelet_base::{Limits, Timestamp};
use lakelet_jobs::{
    Job, RepairError, RepairPlan, RepairRequest, ResultState, Run, RunStart, StartAttempt, TaskKey, ValidateOptions,
};
use serde_json::{Value, json};

use super::compare::{all_keys, contains, has_parts, same, same_set, text_map, texts, unknown_key};
use super::for_each::outcome;
use super::simulation::{Planned, Simulation};
use super::{CaseOutcome, Unusable};

const START: Timestamp = Timestamp::LESSON_START;
/// A branch that is never taken: what hangs on it alone is excluded.
const GATE: &str = "never";

pub(super) fn run(input: &Value, expect: &Value) -> Result<CaseOutcome, Unusable> {
    let run = played(input)?;
    let request = request(&input["request"]);
    let got = match run.plan_repair(&request) {
        Err(error) => refused(&error),
        Ok(plan) => planned(input, &run, request, &plan)?,
    };
    all_keys(expect, got, |key, expected, got| {
        let value = got.get(key).unwrap_or(&Value::Null);
        Ok(match key {
            "rerun" | "kept" => same_set(expected, value),
            "rerun_iterations" | "kept_iterations" => contains(value, expected),
            "error" | "repair_count" | "result_if_all_succeed" => same(expected, value),
            "message_has" => has_parts(got["message"].as_str().unwrap_or_default(), expected),
            _ if key.starts_with("states_if_") && key.ends_with("_succeeds") => {
                contains(&got["states_if_all_succeed"], expected)
            }
            _ => return unknown_key(key),
        })
    })
}

fn refused(error: &RepairError) -> Value {
    json!({"error": error.kind.as_str(), "message": error.message})
}

fn request(request: &Value) -> RepairRequest {
    let flag = |key: &str| request[key].as_bool().unwrap_or(false);
    let iterations = match &request["rerun_iteration"] {
        Value::Array(items) => items.clone(),
        Value::Null => Vec::new(),
        one => vec![one.clone()],
    };
    let iteration = |one: &Value| {
        let index = one["index"].as_u64().and_then(|index| usize::try_from(index).ok()).unwrap_or_default();
        (TaskKey::from(one["task"].as_str().unwrap_or_default()), index)
    };
    RepairRequest {
        rerun_tasks: texts(&request["rerun_tasks"]).into_iter().map(TaskKey::from).collect(),
        rerun_all_failed_tasks: flag("rerun_all_failed_tasks"),
        rerun_dependent_tasks: flag("rerun_dependent_tasks"),
        rerun_iterations: iterations.iter().map(iteration).collect(),
        latest_repair_id: request["latest_repair_id"].as_u64(),
        job_parameters: text_map(&request["job_parameters"]),
        from_page: flag("ui"),
        ..RepairRequest::default()
    }
}

/// A run whose tasks ended as the case says, with as many repairs as it says.
fn played(input: &Value) -> Result<Run, Unusable> {
    let (job, _) = Job::read(&settings(input)?, &ValidateOptions::default());
    let start = RunStart { run_id: 1, ..RunStart::default() };
    let (run, effects) = Run::start(job, start, START, &Limits::default()).map_err(|refused| refused.to_string())?;
    if !matches!(input["run_state"].as_str(), None | Some("TERMINATED" | "INTERNAL_ERROR")) {
        return Ok(run);
    }
    let mut simulation = Simulation::new(run, effects, START, Box::new(|start| previous(input, start, 0)));
    simulation.play();
    let (mut run, mut now) = (simulation.run, simulation.now);
    let mut latest = None;
    for id in input["repair_ids"].as_array().into_iter().flatten().filter_map(Value::as_u64) {
        // Everything runs again and ends as before.
        let request = RepairRequest {
            rerun_tasks: run.tasks().map(|(key, _)| key.clone()).filter(|key| !is_disabled(input, key)).collect(),
            latest_repair_id: latest,
            ..RepairRequest::default()
        };
        let effects = run.repair(request, id, now).map_err(|error| error.to_string())?;
        let offsets = run.clone();
        let plan = |start: &StartAttempt| previous(input, start, attempts_before(&offsets, start));
        let mut simulation = Simulation::new(run, effects, now, Box::new(plan));
        simulation.play();
        (run, now) = (simulation.run, simulation.now);
        latest = Some(id);
    }
    for (key, state) in input["previous"].as_object().into_iter().flatten() {
        let reached = run.task(key).map_or("", |task| task.state().as_str());
        if Some(reached) != state.as_str() {
            return Err(format!("task '{key}' cannot end as {state}: it ends as {reached}"));
        }
    }
    Ok(run)
}

fn is_disabled(input: &Value, key: &TaskKey) -> bool {
    input["previous"][key.as_str()].as_str() == Some("DISABLED")
}

/// Attempts of a task, or an iteration, before a repair began.
fn attempts_before(run: &Run, start: &StartAttempt) -> u32 {
    let Some(task) = run.task(start.id.task_key.as_str()) else {
        return 0;
    };
    let before = match (start.id.iteration, task.for_each()) {
        (Some(index), Some(for_each)) => for_each.iterations().get(index).map(|iteration| iteration.attempts()),
        _ => Some(task.attempts()),
    };
    let repair = run.context().repair_count;
    let n_before = before.into_iter().flatten().filter(|attempt| attempt.repair < repair).count();
    u32::try_from(n_before).unwrap_or(u32::MAX)
}

/// How an attempt ended before the repair of the case.
fn previous(input: &Value, start: &StartAttempt, n_before: u32) -> Planned {
    let key = start.id.task_key.as_str();
    let attempt = start.id.attempt.saturating_sub(n_before) as usize;
    let state = match start.id.iteration {
        Some(index) => &input["iterations"][key][index],
        None if input["attempts"][key].is_array() => &input["attempts"][key][attempt],
        None => &input["previous"][key],
    };
    Planned::new(1, outcome(state.as_str().unwrap_or("SUCCESS")))
}

fn settings(input: &Value) -> Result<Value, Unusable> {
    let tasks = input["tasks"].as_object().ok_or("tasks must be an object")?;
    let state = |key: &str| input["previous"][key].as_str().and_then(ResultState::from_word);
    let mut settings = Vec::new();
    let mut needs_gate = false;
    for (key, parents) in tasks {
        let parents = texts(parents);
        let mut depends_on: Vec<Value> = parents.iter().map(|parent| json!({"task_key": parent})).collect();
        let mut task = json!({"task_key": key, "notebook_task": {"notebook_path": "/n"}});
        if let Some(iterations) = input["iterations"][key].as_array() {
            let inputs: Vec<usize> = (0..iterations.len()).collect();
            let nested = json!({"task_key": format!("{key}_nested"), "notebook_task": {"notebook_path": "/n"}});
            let for_each = json!({"inputs": json!(inputs).to_string(), "task": nested});
            task = json!({"task_key": key, "for_each_task": for_each});
        }
        if let Some(attempts) = input["attempts"][key].as_array() {
            task["max_retries"] = json!(attempts.len().saturating_sub(1));
        }
        if let Some(run_if) = input["run_if"].get(key) {
            task["run_if"] = run_if.clone();
        } else if state(key) == Some(ResultState::Excluded) {
            // The case does not say why it was excluded: because a handler was not needed, or on a branch not taken.
            let parents_failed = parents.iter().any(|parent| state(parent).is_some_and(ResultState::is_failure));
            task["run_if"] = json!(if parents_failed { "ALL_FAILED" } else { "AT_LEAST_ONE_FAILED" });
            if parents.is_empty() {
                needs_gate = true;
                depends_on.push(json!({"task_key": GATE, "outcome": "true"}));
            }
        }
        task["disabled"] = json!(state(key) == Some(ResultState::Disabled) && parents_allow(input, &parents));
        task["depends_on"] = json!(depends_on);
        settings.push(task);
    }
    if needs_gate {
        settings.push(json!({"task_key": GATE, "condition_task": {"op": "EQUAL_TO", "left": "1", "right": "2"}}));
    }
    Ok(json!({"tasks": settings}))
}

/// Whether a task is not disabled through its parents already.
fn parents_allow(input: &Value, parents: &[String]) -> bool {
    parents.iter().all(|parent| input["previous"][parent].as_str() != Some("DISABLED"))
}

fn planned(input: &Value, run: &Run, request: RepairRequest, plan: &RepairPlan) -> Result<Value, Unusable> {
    let keys = |keys: &[TaskKey]| -> Value { keys.iter().map(TaskKey::as_str).filter(|key| *key != GATE).collect() };
    let mut repaired = run.clone();
    let repair_id =
        input["repair_ids"].as_array().into_iter().flatten().filter_map(Value::as_u64).max().unwrap_or(7_000);
    let now = run.ended().ok_or("the run has not ended")?;
    let effects = repaired.repair(request, repair_id + 1, now).map_err(|error| error.to_string())?;
    let mut simulation = Simulation::new(repaired, effects, now, Box::new(|_| Planned::new(1, outcome("SUCCESS"))));
    simulation.play();
    let states: serde_json::Map<String, Value> =
        simulation.run.tasks().map(|(key, task)| (key.to_string(), json!(task.state().as_str()))).collect();
    Ok(json!({
        "rerun": keys(&plan.rerun),
        "kept": keys(&plan.kept),
        "rerun_iterations": plan.rerun_iterations,
        "kept_iterations": plan.kept_iterations,
        "repair_count": simulation.run.context().repair_count,
        "result_if_all_succeed": simulation.run.state().as_str(),
        "states_if_all_succeed": states,
    }))
}
