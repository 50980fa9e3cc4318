//! `rows`: a result as the rows of a task's output.

use chrono::{LocalResult, NaiveDateTime, TimeZone, Utc};
use chrono_tz::Tz;
use lakelet_base::{Limits, Timestamp};
use lakelet_jobs::{OutputColumn, OutputProblem, TaskOutput, value_text};
use serde_json::{Map, Value, json};

use super::compare::{all_keys, same, texts, unknown_key};
use super::{CaseOutcome, Unusable};

pub(super) fn run(input: &Value, expect: &Value) -> Result<CaseOutcome, Unusable> {
    let columns: Vec<OutputColumn> = input["columns"]
        .as_array()
        .ok_or("columns must be a list")?
        .iter()
        .map(|column| OutputColumn {
            name: column["name"].as_str().unwrap_or_default().to_owned(),
            type_name: column["type"].as_str().unwrap_or_default().to_owned(),
        })
        .collect();
    // Results of earlier statements are no part of a task's output, so there is nothing to do with `earlier_results`.
    let zone = input["session_time_zone"].as_str().unwrap_or("UTC");
    let mut rows = Vec::new();
    for row in input["rows"].as_array().ok_or("rows must be a list")? {
        let cells = row.as_array().ok_or("a row must be a list")?.iter().zip(&columns);
        let row: Result<Vec<Value>, Unusable> = cells.map(|(cell, column)| result_cell(cell, column, zone)).collect();
        rows.push(row?);
    }
    if let Some(order) = input.get("generate") {
        rows.extend(generated(order, &columns)?);
    }
    let output = TaskOutput::new(columns, rows, &Limits::default());
    let got = record(&output);
    all_keys(expect, got, |key, expected, got| {
        Ok(match key {
            "json" => same(expected, &got["json"]),
            "json_any" => {
                let any = expected.as_array().ok_or("json_any must be a list")?;
                any.iter().any(|one| same(one, &got["json"]))
            }
            // Which of several answers is Lakelet's.
            "preferred" => {
                let preferred = expected.as_u64().and_then(|index| usize::try_from(index).ok()).unwrap_or_default();
                same(&expect["json_any"][preferred], &got["json"])
            }
            "keys" => texts(expected) == texts(&got["keys"]),
            "field_text" => same(expected, &got["field_text"]),
            "ok" => same(expected, &got["ok"]),
            "over_limit" => match expected.as_str() {
                Some("rows") => got["over_limit"] == "rows",
                _ => got["over_limit"] == "bytes",
            },
            "limit" | "limit_kb" | "error" => same(expected, got.get(key).unwrap_or(&Value::Null)),
            _ => return unknown_key(key),
        })
    })
}

fn record(output: &TaskOutput) -> Value {
    let mut got = json!({"ok": output.problem().is_none(), "json": output.rows()});
    if let Some(Value::Object(first)) = output.rows().first() {
        got["keys"] = first.keys().map(|key| json!(key)).collect();
        let fields = first.iter().map(|(name, cell)| (name.clone(), json!(value_text(cell))));
        got["field_text"] = Value::Object(fields.collect::<Map<_, _>>());
    }
    match output.problem() {
        None => {}
        Some(OutputProblem::DuplicateColumn(name)) => {
            got["error"] = json!("duplicate_column");
            got["message"] = json!(name);
        }
        Some(OutputProblem::TooLarge(sizes)) => {
            got["json"] = Value::Null;
            got["over_limit"] = json!(if sizes.is_by_rows() { "rows" } else { "bytes" });
            got["limit"] = json!(sizes.n_rows_max);
            got["limit_kb"] = json!(sizes.size_bytes_max / 1024);
            got["message"] = json!(sizes.to_string());
        }
    }
    got
}

/// So many rows with so much text in each cell.
fn generated(order: &Value, columns: &[OutputColumn]) -> Result<Vec<Vec<Value>>, Unusable> {
    let size = |key: &str| order[key].as_u64().and_then(|size| usize::try_from(size).ok());
    let n_rows = size("rows").ok_or("generate needs rows")?;
    let n_chars = ["cell_chars", "cell_bytes", "chars", "bytes"].into_iter().find_map(size).unwrap_or(1);
    Ok(vec![vec![json!("x".repeat(n_chars)); columns.len()]; n_rows])
}

/// A cell of the case in the form that results have: timestamps there are local to the session's zone.
fn result_cell(cell: &Value, column: &OutputColumn, zone: &str) -> Result<Value, Unusable> {
    let Some(text) = cell.as_str() else {
        return Ok(cell.clone());
    };
    match column.type_name.to_ascii_uppercase().as_str() {
        "TIMESTAMP" => {
            in_utc(text, zone).map(Value::String).ok_or_else(|| format!("'{text}' is no timestamp in {zone}"))
        }
        "TIMESTAMP_NTZ" => Ok(json!(text.replacen(' ', "T", 1))),
        _ => Ok(cell.clone()),
    }
}

fn in_utc(text: &str, zone: &str) -> Option<String> {
    if text.ends_with('Z') {
        return Some(text.replacen(' ', "T", 1));
    }
    if zone.starts_with(['+', '-']) {
        return Timestamp::parse_rfc3339(&format!("{text}{zone}")).ok().map(|instant| instant.to_string());
    }
    let local = NaiveDateTime::parse_from_str(&text.replacen('T', " ", 1), "%Y-%m-%d %H:%M:%S%.f").ok()?;
    let (LocalResult::Single(instant) | LocalResult::Ambiguous(instant, _)) =
        zone.parse::<Tz>().ok()?.from_local_datetime(&local)
    else {
        return None;
    };
    Some(instant.with_timezone(&Utc).format("%Y-%m-%dT%H:%M:%S%.6fZ").to_string())
}
