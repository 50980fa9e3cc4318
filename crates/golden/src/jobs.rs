//! Golden cases of jobs, through the public rules of `lakelet-jobs`.
//!
//! Each kind of case has a file. A file turns the case's input into calls of the crate, shows what came out as `got`,
//! and compares it with what the case expects. Nothing here knows a rule.

#[path = "jobs/compare.rs"]
mod compare;
#[path = "jobs/for_each.rs"]
mod for_each;
#[path = "jobs/repair.rs"]
mod repair;
#[path = "jobs/resolve.rs"]
mod resolve;
#[path = "jobs/rows.rs"]
mod rows;
#[path = "jobs/run_if.rs"]
mod run_if;
#[path = "jobs/simulation.rs"]
mod simulation;
#[path = "jobs/validate.rs"]
mod validate;
#[path = "jobs/widget.rs"]
mod widget;

use indexmap::IndexMap;
use serde_json::{Value, json};

/// Runs the SQL text of a SQL task. The rules of SQL are not those of jobs, so whoever runs the cases brings an engine.
pub trait SqlRunner {
    /// The rows of the last statement. `parameters` bind as text; `tables` are to exist with that many rows each.
    ///
    /// # Errors
    /// Spark's error condition.
    fn run(
        &mut self,
        sql: &str,
        parameters: &IndexMap<String, String>,
        tables: &IndexMap<String, usize>,
    ) -> Result<Vec<Vec<Value>>, String>;
}

/// What came of a case.
#[derive(Debug, Clone, PartialEq)]
pub struct CaseOutcome {
    /// Whether it is what the case expects.
    pub pass: bool,
    /// What came out.
    pub got: Value,
}

/// A case that cannot be run, with the reason.
type Unusable = String;

/// Runs one case. A case of an unknown form does not pass, and says why.
pub fn run_case(case: &Value, sql: &mut dyn SqlRunner) -> CaseOutcome {
    let (input, expect) = (&case["input"], &case["expect"]);
    let outcome = match case["kind"].as_str().unwrap_or_default() {
        "validate" => validate::run(input, expect),
        "resolve" => resolve::run(input, expect),
        "runif" => run_if::run(input, expect),
        "foreach" => for_each::run(input, expect),
        "repair" => repair::run(input, expect),
        "widget" => widget::run(input, expect, sql),
        "rows" => rows::run(input, expect),
        kind => Err(format!("there is no kind '{kind}'")),
    };
    outcome.unwrap_or_else(|why| CaseOutcome { pass: false, got: json!({"unusable": why}) })
}
