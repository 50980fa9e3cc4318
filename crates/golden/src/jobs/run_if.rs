//! `runif`: whether a task runs, how a run ends, what an If/else says.

use lakelet_jobs::{ConditionOp, Decision, EndedDependency, ResultState, RunIf, decide, job_result};
use serde_json::{Value, json};

use super::compare::{all_keys, same, texts, unknown_key};
use super::{CaseOutcome, Unusable};

pub(super) fn run(input: &Value, expect: &Value) -> Result<CaseOutcome, Unusable> {
    let got = match input["op"].as_str().unwrap_or_default() {
        "task" => task(input)?,
        "job_result" => result(input)?,
        "condition" => condition(input)?,
        other => return Err(format!("there is no op '{other}'")),
    };
    all_keys(expect, got, |key, expected, got| match key {
        "decision" | "state" | "result" | "outcome" | "error" => {
            Ok(same(expected, got.get(key).unwrap_or(&Value::Null)))
        }
        _ => unknown_key(key),
    })
}

fn task(input: &Value) -> Result<Value, Unusable> {
    let run_if = match input["run_if"].as_str() {
        None => RunIf::default(),
        Some(word) => RunIf::from_word(word).ok_or_else(|| format!("there is no run_if '{word}'"))?,
    };
    let upstream = input["upstream"].as_array().ok_or("upstream must be a list")?;
    let dependencies: Result<Vec<EndedDependency>, Unusable> = upstream.iter().map(dependency).collect();
    let (decision, state) = match decide(run_if, &dependencies?) {
        Decision::Run => ("run", None),
        Decision::FailForInputs => ("fail", Some(ResultState::Failed)),
        Decision::End(state) => match state {
            ResultState::Excluded => ("exclude", Some(state)),
            ResultState::Disabled => ("disable", Some(state)),
            _ => ("skip", Some(state)),
        },
    };
    Ok(json!({"decision": decision, "state": state.map(ResultState::as_str)}))
}

fn dependency(upstream: &Value) -> Result<EndedDependency, Unusable> {
    let outcome = |key: &str| upstream[key].as_str().map(|word| word == "true").or_else(|| upstream[key].as_bool());
    Ok(EndedDependency {
        state: state(&upstream["state"])?,
        branch: outcome("outcome").zip(outcome("wanted")),
        provides_inputs: upstream["provides_inputs"].as_bool().unwrap_or(false),
    })
}

fn state(word: &Value) -> Result<ResultState, Unusable> {
    word.as_str().and_then(ResultState::from_word).ok_or_else(|| format!("there is no state {word}"))
}

fn result(input: &Value) -> Result<Value, Unusable> {
    let tasks = input["tasks"].as_object().ok_or("tasks must be an object")?;
    let dependencies: Vec<Vec<String>> = tasks.values().map(|task| texts(&task["deps"])).collect();
    let mut ends = Vec::new();
    for ((key, task), dependencies) in tasks.iter().zip(&dependencies) {
        ends.push((key.as_str(), state(&task["state"])?, dependencies.iter().map(String::as_str).collect()));
    }
    Ok(json!({"result": job_result(&ends).as_str()}))
}

fn condition(input: &Value) -> Result<Value, Unusable> {
    let word = input["operator"].as_str().unwrap_or_default();
    let op = ConditionOp::from_word(word).ok_or_else(|| format!("there is no operator '{word}'"))?;
    let operand = |key: &str| lakelet_jobs::value_text(&input[key]);
    Ok(match op.compare(&operand("left"), &operand("right")) {
        Ok(outcome) => json!({"outcome": outcome.to_string()}),
        Err(error) => json!({"error": "not_a_number", "message": error.to_string()}),
    })
}
