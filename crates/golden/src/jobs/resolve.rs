//! `resolve`: templates against a context.

use indexmap::IndexMap;
use lakelet_base::Timestamp;
use lakelet_jobs::{
    JobContext, OutputRows, ReferenceContext, ResultState, TableUpdate, TaskContext, Trigger, TriggerKind,
    UpstreamOutput, UpstreamTask, resolve,
};
use regex::Regex;
use serde_json::{Value, json};

use super::compare::{all_keys, same, text_map, unknown_key};
use super::{CaseOutcome, Unusable};

pub(super) fn run(input: &Value, expect: &Value) -> Result<CaseOutcome, Unusable> {
    let template = input["template"].as_str().ok_or("a template must be text")?;
    let context = &input["context"];
    let job = job_context(context)?;
    let tasks: IndexMap<&str, Upstream<'_>> = match context["tasks"].as_object() {
        Some(tasks) => tasks.iter().map(|(key, task)| (key.as_str(), Upstream::new(task))).collect(),
        None => IndexMap::new(),
    };
    let task = &context["task"];
    let task_context = TaskContext {
        name: task["name"].as_str().unwrap_or_default(),
        run_id: task["run_id"].as_u64().unwrap_or_default(),
        execution_count: count(&task["execution_count"]),
        notebook_path: task["notebook_path"].as_str(),
    };
    let upstream = |key: &str| tasks.get(key).map(Upstream::seen);
    let context =
        ReferenceContext { job: &job, task: Some(task_context), upstream: &upstream, input: context.get("input") };
    let got = match resolve(template, &context) {
        Ok(value) => json!({"value": value}),
        Err(error) => json!({"error": error.kind.as_str(), "message": error.message}),
    };
    all_keys(expect, got, |key, expected, got| {
        let value = &got["value"];
        let text = value.as_str();
        Ok(match key {
            "value" => same(expected, value),
            "value_any" => expected.as_array().is_some_and(|any| any.iter().any(|one| same(one, value))),
            "value_json" => text
                .and_then(|text| serde_json::from_str::<Value>(text).ok())
                .is_some_and(|parsed| same(expected, &parsed)),
            "value_regex" => {
                let pattern = expected.as_str().ok_or("a pattern must be text")?;
                let pattern = Regex::new(pattern).map_err(|error| error.to_string())?;
                text.is_some_and(|text| pattern.is_match(text))
            }
            "error" => same(expected, &got["error"]),
            _ => return unknown_key(key),
        })
    })
}

fn job_context(context: &Value) -> Result<JobContext, Unusable> {
    let job = &context["job"];
    let trigger = &job["trigger"];
    let kind = trigger["type"].as_str().unwrap_or("ONE_TIME");
    let time = ["time_ms", "scheduled_time_ms", "trigger_time_ms"].into_iter().find_map(|key| trigger[key].as_i64());
    let file = trigger["file_arrival"]["location"].as_str().or_else(|| trigger["location"].as_str());
    let tables = trigger["table_update"]["updated_tables"].as_array().or_else(|| trigger["updated_tables"].as_array());
    Ok(JobContext {
        id: job["id"].as_u64().unwrap_or_default(),
        name: job["name"].as_str().unwrap_or_default().to_owned(),
        run_id: job["run_id"].as_u64().unwrap_or_default(),
        repair_count: count(&job["repair_count"]),
        start_time: Timestamp::from_millis(job["start_time_ms"].as_i64().unwrap_or_default()),
        parameters: text_map(&job["parameters"]),
        trigger: Trigger {
            kind: TriggerKind::from_word(kind).ok_or_else(|| format!("there is no trigger type '{kind}'"))?,
            time: time.map(Timestamp::from_millis),
            file_location: file.map(str::to_owned),
            updated_tables: tables.into_iter().flatten().map(table_update).collect(),
            backfill: instant(&context["backfill"]),
        },
        workspace_id: context["workspace"]["id"].as_u64().unwrap_or_default(),
        workspace_url: context["workspace"]["url"].as_str().unwrap_or_default().to_owned(),
    })
}

/// A table by its name, or with its latest commit.
fn table_update(table: &Value) -> TableUpdate {
    let name = table.as_str().or_else(|| table["name"].as_str()).or_else(|| table["table"].as_str());
    TableUpdate {
        table: name.unwrap_or_default().to_owned(),
        version: table["version"].as_u64().unwrap_or_default(),
        commit_timestamp: Timestamp::from_millis(table["commit_timestamp_ms"].as_i64().unwrap_or_default()),
    }
}

/// An instant as milliseconds, as RFC 3339, as a date, or as an object with one of them.
fn instant(value: &Value) -> Option<Timestamp> {
    match value {
        Value::Number(millis) => millis.as_i64().map(Timestamp::from_millis),
        Value::String(text) => {
            let whole = [text.clone(), format!("{text}Z"), format!("{text}T00:00:00Z")];
            whole.iter().find_map(|text| Timestamp::parse_rfc3339(text).ok())
        }
        Value::Object(object) => {
            let keys = ["time_ms", "timestamp_ms", "start_time_ms", "iso_datetime", "iso_date"];
            keys.into_iter().find_map(|key| instant(object.get(key)?))
        }
        _ => None,
    }
}

fn count(value: &Value) -> u32 {
    value.as_u64().and_then(|count| u32::try_from(count).ok()).unwrap_or_default()
}

/// A task of the context.
struct Upstream<'c> {
    task: &'c Value,
    values: IndexMap<String, Value>,
}

impl<'c> Upstream<'c> {
    fn new(task: &'c Value) -> Self {
        let values = task["values"].as_object().cloned().unwrap_or_default();
        Self { task, values: values.into_iter().collect() }
    }

    fn seen(&self) -> UpstreamTask<'_> {
        let output = &self.task["output"];
        let rows = output["rows"].as_array().map(|rows| UpstreamOutput::Rows(OutputRows { rows, problem: None }));
        UpstreamTask {
            run_id: self.task["run_id"].as_u64(),
            execution_count: count(&self.task["execution_count"]),
            result_state: self.task["result_state"].as_str().and_then(ResultState::from_word),
            error_code: self.task["error_code"].as_str().unwrap_or_default(),
            values: Some(&self.values),
            output: rows.or_else(|| output["alert_state"].as_str().map(UpstreamOutput::AlertState)),
        }
    }
}
