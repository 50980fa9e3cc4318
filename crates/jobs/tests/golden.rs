//! The golden cases of jobs.

#![expect(clippy::unwrap_used, reason = "a test fails where it cannot go on")]

#[path = "../../golden/src/jobs.rs"]
mod jobs;

use indexmap::IndexMap;
use jobs::{SqlRunner, run_case};
use lakelet_jobs::parameter_markers;
use serde_json::{Value, json};

/// As much SQL as the cases about parameters need: `SELECT items [FROM table]`, where an item is a literal, a marker or
/// `count(*)`, and a table is a name or `IDENTIFIER(:marker)`. The golden-case runner has the whole engine.
struct SelectOnly;

impl SqlRunner for SelectOnly {
    fn run(
        &mut self,
        sql: &str,
        parameters: &IndexMap<String, String>,
        tables: &IndexMap<String, usize>,
    ) -> Result<Vec<Vec<Value>>, String> {
        let syntax_error = || "PARSE_SYNTAX_ERROR".to_owned();
        let select = sql.trim().strip_prefix("SELECT ").ok_or_else(syntax_error)?;
        let (items, table) = match select.split_once(" FROM ") {
            Some((items, table)) => (items, Some(table.trim())),
            None => (select, None),
        };
        if let Some(table) = table {
            let name = table.strip_prefix("IDENTIFIER(").and_then(|inner| inner.strip_suffix(')')).unwrap_or(table);
            let is_marker_alone = name == table && table.contains(':');
            if is_marker_alone || table.contains('\'') {
                return Err(syntax_error());
            }
        }
        if parameter_markers(sql).iter().any(|marker| !parameters.contains_key(marker)) {
            return Err("UNBOUND_SQL_PARAMETER".to_owned());
        }
        let n_rows = match table {
            None => 1,
            Some(table) => {
                let marker = table.strip_prefix("IDENTIFIER(:").and_then(|inner| inner.strip_suffix(')'));
                let name = marker.and_then(|marker| parameters.get(marker)).map_or(table, String::as_str);
                *tables.get(name).ok_or("TABLE_OR_VIEW_NOT_FOUND")?
            }
        };
        let value = |item: &str| -> Result<Value, String> {
            let item = item.split_once(" AS ").map_or(item, |(item, _)| item).trim();
            if item == "count(*)" {
                return Ok(json!(n_rows));
            }
            if let Some(marker) = item.strip_prefix(':') {
                return Ok(json!(parameters[marker]));
            }
            let literal = item.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')).ok_or_else(syntax_error)?;
            Ok(json!(literal))
        };
        Ok(vec![items.split(", ").map(value).collect::<Result<_, _>>()?])
    }
}

fn cases(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn every_case_passes() {
    let cases = cases(include_str!("../../golden/cases/jobs.jsonl"));
    let failed: Vec<String> = cases
        .iter()
        .filter_map(|case| {
            let outcome = run_case(case, &mut SelectOnly);
            (!outcome.pass).then(|| format!("{}: expected {}, got {}", case["id"], case["expect"], outcome.got))
        })
        .collect();
    assert!(failed.is_empty(), "{} of {} failed:\n{}", failed.len(), cases.len(), failed.join("\n"));
    assert_eq!(cases.len(), 173);
}

#[test]
fn wrong_expectations_fail() {
    let cases = cases(include_str!("../../golden/cases/jobs/wrong/cases.jsonl"));
    assert_eq!(cases.len(), 10);
    for case in cases {
        let outcome = run_case(&case, &mut SelectOnly);
        assert!(!outcome.pass, "{}: {}", case["id"], outcome.got);
        assert!(outcome.got.get("unusable").is_none(), "{}: {}", case["id"], outcome.got);
    }
}
