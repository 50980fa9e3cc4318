//! Runs with other values of the job's parameters, or with some of its tasks.
#![expect(clippy::unwrap_used, reason = "a test fails where it cannot go on")]

mod support;

use lakelet_protocol::RequestBody;
use lakelet_workspace::{NoPython, RunSettings, Workspace};
use serde_json::{Map, Value, json};
use support::{SharedLog, ask, query, sql};

/// `first` writes the day, `second` depends on it and writes as well, `third` stands alone.
fn workspace() -> Workspace {
    let mut workspace = SharedLog::default().open();
    sql(&mut workspace, "CREATE TABLE notes (who STRING, day STRING)");
    let task = |key: &str, depends_on: &[&str]| {
        let edges: Vec<Value> = depends_on.iter().map(|key| json!({"task_key": key})).collect();
        let text = format!("INSERT INTO notes SELECT '{key}', :day");
        json!({"task_key": key, "depends_on": edges, "sql_task": {"query": {"text": text}}})
    };
    let settings = json!({"name": "J", "parameters": [{"name": "day", "default": "monday"}],
        "tasks": [task("first", &[]), task("second", &["first"]), task("third", &[])]});
    ask(&mut workspace, RequestBody::SaveJob { job: None, settings }).unwrap();
    workspace
}

fn run(params: Value, only: &[&str]) -> Vec<String> {
    let mut workspace = workspace();
    let params: Map<String, Value> = params.as_object().cloned().unwrap();
    let settings = RunSettings { params, only: only.iter().map(|key| (*key).to_owned()).collect() };
    let run = workspace.run_job("J", &settings, &mut NoPython).unwrap();
    assert_eq!(run["state"], "SUCCESS", "{run}");
    query(&mut workspace, "SELECT who, day FROM notes ORDER BY who")
}

#[test]
fn only_the_tasks_that_are_named_run() {
    assert_eq!(run(json!({}), &[]), ["first monday", "second monday", "third monday"]);
    assert_eq!(run(json!({}), &["second"]), ["second monday"]);
    assert_eq!(run(json!({}), &["+second"]), ["first monday", "second monday"]);
    assert_eq!(run(json!({}), &["first+"]), ["first monday", "second monday"]);
    assert_eq!(run(json!({"day": "friday"}), &["third"]), ["third friday"]);
}

#[test]
fn a_task_that_is_not_there_is_told() {
    let mut workspace = workspace();
    let settings = RunSettings { only: vec!["frist".to_owned()], ..RunSettings::default() };
    let error = workspace.run_job("J", &settings, &mut NoPython).unwrap_err();
    assert_eq!(error.class.condition, "INVALID_RUN_CONFIGURATION");
    assert!(error.message.contains("Did you mean 'first'?"), "{}", error.message);
    assert!(query(&mut workspace, "SELECT * FROM notes").is_empty());
}
