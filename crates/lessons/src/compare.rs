//! What a workspace holds against what a check asks for. Pure: the caller fetches, this compares.

use std::fmt;

use lakelet_base::{Timestamp, same_name};
use lakelet_protocol::{AttemptView, GraphNode, IterationView, JobView, OutputItem, RunState, RunView};
use serde_json::Value;

use crate::check::{ExpectedCell, ExpectedIterations, ExpectedJob, ExpectedRows, ExpectedRun};

/// A condition that does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    /// Which condition, without giving away the answer; for learners.
    pub hint: String,
    /// What was expected and what is there; for authors and logs.
    pub detail: String,
}

impl Mismatch {
    fn new(hint: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { hint: hint.into(), detail: detail.into() }
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.detail)
    }
}

/// The text of a typed JSON cell as it is compared; `None` is NULL.
pub fn cell_text(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

/// Whether `rows` (cells as text, `None` for NULL, in the order of `columns`) are the expected ones.
///
/// # Errors
/// The first difference.
pub fn check_rows(expected: &ExpectedRows, columns: &[String], rows: &[Vec<Option<String>>]) -> Result<(), Mismatch> {
    let (names, expected, ordered) = match expected {
        ExpectedRows::Count(count) => return check_count(*count, rows.len()),
        ExpectedRows::Exactly { columns, rows, ordered } => (columns, rows, *ordered),
    };
    check_count(expected.len() as u64, rows.len())?;
    let indexes: Vec<usize> = match names {
        Some(names) => names
            .iter()
            .map(|name| {
                columns.iter().position(|column| same_name(column, name)).ok_or_else(|| {
                    let hint = format!("The column {name} is missing.");
                    Mismatch::new(hint.clone(), format!("{hint} There are: {}.", columns.join(", ")))
                })
            })
            .collect::<Result<_, _>>()?,
        None => (0..columns.len()).collect(),
    };
    if let Some(first) = expected.first()
        && first.len() != indexes.len()
    {
        let detail = format!("Expected {} columns, found {}: {}.", first.len(), indexes.len(), columns.join(", "));
        return Err(Mismatch::new("The number of columns differs.", detail));
    }
    let actual: Vec<Vec<Option<&str>>> = rows
        .iter()
        .map(|row| indexes.iter().map(|index| row.get(*index).and_then(|cell| cell.as_deref())).collect())
        .collect();
    let equal = |expected: &[ExpectedCell], actual: &[Option<&str>]| {
        expected.iter().zip(actual).all(|(expected, actual)| cell_equals(expected, *actual))
    };
    let mut left: Vec<usize> = (0..actual.len()).collect();
    for (number, row) in expected.iter().enumerate() {
        let found = if ordered {
            left.first().copied().filter(|index| equal(row, &actual[*index])).map(|_| 0)
        } else {
            left.iter().position(|index| equal(row, &actual[*index]))
        };
        match found {
            Some(position) => {
                left.remove(position);
            }
            None => {
                let there: Vec<String> = left.iter().take(5).map(|index| show(&actual[*index])).collect();
                let hint = if ordered {
                    "A row is not what it should be, or not in its place."
                } else {
                    "A row is not what it should be."
                };
                let detail =
                    format!("Row {} should be {}; left are {}.", number + 1, show_expected(row), there.join(", "));
                return Err(Mismatch::new(hint, detail));
            }
        }
    }
    Ok(())
}

fn check_count(expected: u64, actual: usize) -> Result<(), Mismatch> {
    if expected == actual as u64 {
        return Ok(());
    }
    Err(Mismatch::new(
        format!("There are {actual} rows; that is not yet the number there should be."),
        format!("Expected {expected} rows, found {actual}."),
    ))
}

/// Whether a table's newest version is the expected one; `None` is a table that is not there.
///
/// # Errors
/// What is there instead.
pub fn check_version(table: &str, expected: u64, actual: Option<u64>) -> Result<(), Mismatch> {
    match actual {
        Some(actual) if actual == expected => Ok(()),
        Some(actual) => Err(Mismatch::new(
            format!("The table {table} is at version {actual}; that is not yet the version it should have."),
            format!("Expected version {expected} of {table}, found {actual}."),
        )),
        None => {
            let text = format!("There is no table {table}.");
            Err(Mismatch::new(text.clone(), text))
        }
    }
}

/// Whether the clock shows `at_least` or later.
///
/// # Errors
/// What it shows.
pub fn check_clock(at_least: Timestamp, now: Timestamp) -> Result<(), Mismatch> {
    if now >= at_least {
        return Ok(());
    }
    let hint = format!("The clock shows {now}; it has further to go.");
    Err(Mismatch::new(hint, format!("Expected the clock at {at_least} or later, it shows {now}.")))
}

/// Whether a job has the expected shape; `None` is a job that is not there.
///
/// # Errors
/// The first difference.
pub fn check_job(expected: &ExpectedJob, actual: Option<&JobView>) -> Result<(), Mismatch> {
    let Some(job) = actual else {
        let text = format!("There is no job {}.", expected.name);
        return Err(Mismatch::new(text.clone(), text));
    };
    for task in &expected.tasks {
        if !has_task(&job.graph.nodes, task) {
            let text = format!("The job {} has no task {task}.", expected.name);
            return Err(Mismatch::new(text.clone(), text));
        }
    }
    let problem = job.problems.iter().find(|problem| problem.severity == "error");
    match problem {
        Some(problem) if expected.valid => {
            let text = format!("The job {} has a problem: {}", expected.name, problem.message);
            Err(Mismatch::new(text.clone(), text))
        }
        _ => Ok(()),
    }
}

fn has_task(nodes: &[GraphNode], key: &str) -> bool {
    nodes.iter().any(|node| node.key == key || node.children.iter().any(|child| child.key == key))
}

/// Whether a run ended as expected; `None` is a run that is not there.
///
/// # Errors
/// The first difference.
pub fn check_run(expected: &ExpectedRun, actual: Option<&RunView>) -> Result<(), Mismatch> {
    let Some(run) = actual else {
        let whose = expected.job.as_deref().map_or(String::new(), |job| format!(" of {job}"));
        let text = match expected.number {
            Some(number) => format!("There is no run {number}{whose} yet."),
            None => format!("There is no run{whose} yet."),
        };
        return Err(Mismatch::new(text.clone(), text));
    };
    if !run.summary.state.is_final() {
        let text = format!("The run has not ended: {}.", run.summary.state.word());
        return Err(Mismatch::new(text.clone(), text));
    }
    check_state("The run", expected.state.unwrap_or(RunState::Success), run.summary.state)?;
    if let Some(count) = expected.repair_count
        && count != run.summary.repair_count
    {
        let found = run.summary.repair_count;
        return Err(Mismatch::new(
            format!("The run was repaired {found} times; that is not yet right."),
            format!("Expected {count} repairs, found {found}."),
        ));
    }
    for (key, state) in &expected.tasks {
        let task = run.tasks.iter().find(|task| task.task_key == *key);
        let task = task.ok_or_else(|| {
            let text = format!("The run has no task {key}.");
            Mismatch::new(text.clone(), text)
        })?;
        check_state(&format!("The task {key}"), *state, task.state)?;
    }
    for (key, expected) in &expected.iterations {
        let task = run.tasks.iter().find(|task| task.task_key == *key).ok_or_else(|| {
            let text = format!("The run has no task {key}.");
            Mismatch::new(text.clone(), text)
        })?;
        // A loop over an empty list may have planned nothing at all.
        let iterations = task.iterations.as_deref().unwrap_or_default();
        check_iterations(key, expected, iterations)?;
    }
    Ok(())
}

fn check_state(whose: &str, expected: RunState, actual: RunState) -> Result<(), Mismatch> {
    // A success with warnings is a success, unless the check wants to see the warnings.
    if actual == expected || expected == RunState::Success && actual == RunState::SuccessWithWarnings {
        return Ok(());
    }
    Err(Mismatch::new(
        format!("{whose} is {}; that is not yet right.", actual.word()),
        format!("{whose} should be {}, it is {}.", expected.word(), actual.word()),
    ))
}

fn check_iterations(key: &str, expected: &ExpectedIterations, actual: &[IterationView]) -> Result<(), Mismatch> {
    let counts = [
        expected.count,
        expected.states.as_ref().map(|list| list.len() as u64),
        expected.attempts.as_ref().map(|list| list.len() as u64),
        expected.outputs.as_ref().map(|list| list.len() as u64),
        expected.rows.as_ref().map(|list| list.len() as u64),
    ];
    let found = actual.len() as u64;
    if let Some(count) = counts.into_iter().flatten().find(|count| *count != found) {
        return Err(Mismatch::new(
            format!("{key} has {found} iterations; that is not yet the number there should be."),
            format!("Expected {count} iterations of {key}, found {found}."),
        ));
    }
    for (index, iteration) in actual.iter().enumerate() {
        let whose = format!("Iteration {index} of {key} ({})", iteration.label);
        if let Some(state) = expected.states.as_ref().and_then(|states| states.get(index)) {
            check_state(&whose, *state, iteration.state)?;
        }
        let last = iteration.attempts.last();
        if let Some(wanted) = expected.attempts.as_ref().and_then(|list| list.get(index)) {
            let found = last.map_or(0, |attempt| u64::from(attempt.attempt));
            check_number(&whose, "attempts", *wanted, found)?;
        }
        if let Some(wanted) = expected.rows.as_ref().and_then(|list| list.get(index)) {
            check_number(&whose, "rows", *wanted, last.map_or(0, shown_rows))?;
        }
        if let Some(wanted) = expected.outputs.as_ref().and_then(|list| list.get(index)) {
            let found = last.map(shown_text).unwrap_or_default();
            if !found.contains(wanted.as_str()) {
                return Err(Mismatch::new(
                    format!("The output of {whose} is not yet what it should be."),
                    format!("{whose} should show `{wanted}`, it shows `{}`.", found.trim()),
                ));
            }
        }
    }
    Ok(())
}

fn check_number(whose: &str, what: &str, expected: u64, found: u64) -> Result<(), Mismatch> {
    if expected == found {
        return Ok(());
    }
    Err(Mismatch::new(
        format!("{whose} has {found} {what}; that is not yet right."),
        format!("{whose} should have {expected} {what}, it has {found}."),
    ))
}

/// Rows of the SQL output, else of the last table that was displayed.
fn shown_rows(attempt: &AttemptView) -> u64 {
    let displayed = || {
        let items = attempt.cells.iter().flat_map(|cell| &cell.items);
        items.rev().find_map(|item| match item {
            OutputItem::Table { header, .. } => Some(header.n_rows),
            OutputItem::Text { .. } => None,
        })
    };
    attempt.rows.as_ref().map(|rows| rows.n_rows).or_else(displayed).unwrap_or(0)
}

/// What was printed, then the error.
fn shown_text(attempt: &AttemptView) -> String {
    let mut text = String::new();
    for item in attempt.cells.iter().flat_map(|cell| &cell.items) {
        if let OutputItem::Text { text: printed } = item {
            text.push_str(printed);
        }
    }
    if let Some(error) = &attempt.error {
        text.push_str(&format!("\n[{}] {}", error.condition, error.message));
    }
    text
}

fn cell_equals(expected: &ExpectedCell, actual: Option<&str>) -> bool {
    match (expected, actual) {
        (ExpectedCell::Null, None) => true,
        (ExpectedCell::Number(expected), Some(actual)) => expected == actual || numbers_equal(expected, actual),
        (ExpectedCell::Text(expected), Some(actual)) => expected == actual || instants_equal(expected, actual),
        _ => false,
    }
}

fn numbers_equal(left: &str, right: &str) -> bool {
    if let (Some(left), Some(right)) = (decimal(left), decimal(right)) {
        return left == right;
    }
    // Relative tolerance of the golden cases.
    const TOLERANCE: f64 = 1e-9;
    match (left.parse::<f64>(), right.parse::<f64>()) {
        (Ok(left), Ok(right)) => left == right || (left - right).abs() <= TOLERANCE * left.abs().max(right.abs()),
        _ => false,
    }
}

/// Sign, digits before and after the point of a number without exponent, zeros that mean nothing left out.
fn decimal(text: &str) -> Option<(bool, &str, &str)> {
    let (negative, unsigned) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !digits(whole) || !digits(fraction) {
        return None;
    }
    let (whole, fraction) = (whole.trim_start_matches('0'), fraction.trim_end_matches('0'));
    Some((negative && !(whole.is_empty() && fraction.is_empty()), whole, fraction))
}

fn instants_equal(left: &str, right: &str) -> bool {
    let instant =
        |text: &str| Timestamp::parse_rfc3339(text).or_else(|_| Timestamp::parse_rfc3339(&format!("{text}Z"))).ok();
    matches!((instant(left), instant(right)), (Some(left), Some(right)) if left == right)
}

fn show(cells: &[Option<&str>]) -> String {
    let cells: Vec<&str> = cells.iter().map(|cell| cell.unwrap_or("NULL")).collect();
    format!("({})", cells.join(", "))
}

fn show_expected(cells: &[ExpectedCell]) -> String {
    let cells: Vec<&str> = cells
        .iter()
        .map(|cell| match cell {
            ExpectedCell::Null => "NULL",
            ExpectedCell::Number(text) | ExpectedCell::Text(text) => text,
        })
        .collect();
    format!("({})", cells.join(", "))
}

#[cfg(test)]
mod tests;
