//! Runs golden cases through the doors that users take, and prints one line for each.
//!
//! `lakelet-golden KIND FILE.jsonl`, KIND being `spark-sql`, `auto-cdc` or `jobs`.

mod auto_cdc;
mod jobs;
mod jobs_sql;
mod session;
mod spark_sql;

use std::process::ExitCode;

use serde_json::{Value, json};

/// What came of a case.
pub struct Outcome {
    /// Whether it is what the case expects.
    pub pass: bool,
    /// What came out.
    pub got: Value,
}

impl Outcome {
    /// A case that could not be run.
    pub fn unusable(why: impl Into<String>) -> Self {
        Self { pass: false, got: json!({ "unusable": why.into() }) }
    }
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [kind, file] = args.as_slice() else {
        eprintln!("usage: lakelet-golden spark-sql|auto-cdc|jobs FILE.jsonl");
        return ExitCode::from(2);
    };
    let run: fn(&Value) -> Outcome = match kind.as_str() {
        "spark-sql" => spark_sql::run_case,
        "auto-cdc" => auto_cdc::run_case,
        "jobs" => jobs_sql::run_case,
        _ => {
            eprintln!("there is no kind '{kind}': spark-sql, auto-cdc or jobs");
            return ExitCode::from(2);
        }
    };
    let text = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) => {
            eprintln!("{file}: {error}");
            return ExitCode::from(2);
        }
    };
    let (mut n_passed, mut n_failed) = (0, 0);
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let case: Value = match serde_json::from_str(line) {
            Ok(case) => case,
            Err(error) => {
                eprintln!("{file}:{}: {error}", number + 1);
                return ExitCode::from(2);
            }
        };
        let outcome = run(&case);
        if outcome.pass {
            n_passed += 1
        } else {
            n_failed += 1
        }
        println!("{}", json!({ "id": case["id"], "pass": outcome.pass, "got": outcome.got }));
    }
    println!("{n_passed} passed, {n_failed} failed");
    if n_failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
