//! SQL statements with the results that Spark 4.3 gives.

use serde_json::{Map, Value, json};

use crate::Outcome;
use crate::session::{Rows, Session};

/// Doubles may differ by this much, relative to their size.
const TOLERANCE: f64 = 1e-9;

/// Runs one case in a workspace of its own.
pub fn run_case(case: &Value) -> Outcome {
    let mut session = match Session::new() {
        Ok(session) => session,
        Err(error) => return Outcome::unusable(error.to_string()),
    };
    for setup in case["setup"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if let Err(error) = session.sql(setup) {
            return Outcome { pass: false, got: json!({ "setup": error.diagnostic.to_string(), "sql": setup }) };
        }
    }
    let empty = Map::new();
    let args = case["args"].as_object().unwrap_or(&empty);
    match (session.run(case["sql"].as_str().unwrap_or_default(), args), case.get("error")) {
        (Err(error), expected) => {
            let got = json!({ "condition": error.diagnostic.class.condition, "sqlstate": error.diagnostic.class.sqlstate, "message": error.diagnostic.message });
            let pass = expected.is_some_and(|expected| {
                expected["condition"] == got["condition"] && expected["sqlstate"] == got["sqlstate"]
            });
            Outcome { pass, got: json!({ "error": got }) }
        }
        (Ok(rows), Some(_)) => Outcome { pass: false, got: json!({ "rows": rows.map(|rows| rows.rows) }) },
        (Ok(rows), None) => {
            let rows = rows.unwrap_or(Rows { columns: Vec::new(), rows: Vec::new() });
            let columns: Vec<Value> = rows.columns.iter().map(|(name, data_type)| json!([name, data_type])).collect();
            let got = json!({ "columns": columns, "rows": rows.rows });
            let expected_rows: Vec<&Value> = case["rows"].as_array().into_iter().flatten().collect();
            let got_rows: Vec<Value> = rows.rows.into_iter().map(Value::Array).collect();
            let pass = case["columns"] == got["columns"]
                && same_rows(&expected_rows, &got_rows, case["ordered"].as_bool().unwrap_or(false));
            Outcome { pass, got }
        }
    }
}

/// Whether the rows are the same, in order or as a multiset.
fn same_rows(expected: &[&Value], got: &[Value], ordered: bool) -> bool {
    if expected.len() != got.len() {
        return false;
    }
    if ordered {
        return expected.iter().zip(got).all(|(expected, got)| same(expected, got));
    }
    let mut open: Vec<&Value> = got.iter().collect();
    expected.iter().all(|expected| {
        let found = open.iter().position(|candidate| same(expected, candidate));
        found.map(|index| open.swap_remove(index)).is_some()
    })
}

/// Equal, but for the last digits of doubles.
pub fn same(expected: &Value, got: &Value) -> bool {
    match (expected, got) {
        (Value::Number(expected), Value::Number(got)) => {
            if expected.to_string() == got.to_string() {
                return true;
            }
            match (expected.as_f64(), got.as_f64()) {
                (Some(expected), Some(got)) => (expected - got).abs() <= TOLERANCE * expected.abs().max(got.abs()),
                _ => false,
            }
        }
        (Value::Array(expected), Value::Array(got)) => {
            expected.len() == got.len() && expected.iter().zip(got).all(|(expected, got)| same(expected, got))
        }
        (Value::Object(expected), Value::Object(got)) => {
            expected.len() == got.len()
                && expected.iter().all(|(key, value)| got.get(key).is_some_and(|got| same(value, got)))
        }
        _ => expected == got,
    }
}
