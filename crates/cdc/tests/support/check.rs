//! Holding a flow to the expectations of a case.

use super::flow::Flow;
use super::{Case, deal};

/// Runs a case as it stands; with `restarts` the state is made anew from the tables after each batch.
pub fn check(case: &Case, restarts: bool) -> Result<(), String> {
    let error = case.0.get("error");
    let mut flow = match Flow::create(case) {
        Ok(flow) => flow,
        Err(diagnostic) => {
            return match error.filter(|error| error.get("batch").is_none()) {
                Some(error) => check_error(error, &diagnostic),
                None => Err(format!("not created: {diagnostic}")),
            };
        }
    };
    if let Some(error) = error
        && error.get("batch").is_none()
    {
        return Err(format!("created without {}", error["class"]));
    }
    if let Some(columns) = case.0.get("expect_columns").and_then(|columns| columns.as_array()) {
        let fields = flow.spec.target_schema().fields();
        let names: Vec<&str> = fields.iter().map(|field| field.name().as_str()).collect();
        if names != columns.iter().map(|name| name.as_str().unwrap()).collect::<Vec<_>>() {
            return Err(format!("columns are {names:?}"));
        }
    }
    let expect = case.expect();
    for (index, rows) in case.batches().iter().enumerate() {
        if case.0.get("full_refresh_at").and_then(|at| at.as_u64()) == Some(index as u64) {
            flow = Flow::create(case).map_err(|diagnostic| diagnostic.to_string())?;
        }
        let before = flow.rows();
        match (flow.refresh(rows), error.filter(|error| error["batch"] == index)) {
            (Ok(_), None) => {}
            (Ok(_), Some(error)) => return Err(format!("batch {index} passed without {}", error["class"])),
            (Err(diagnostic), None) => return Err(format!("batch {index}: {diagnostic}")),
            (Err(diagnostic), Some(error)) => {
                if flow.rows() != before {
                    return Err(format!("batch {index} failed and changed the target"));
                }
                return check_error(error, &diagnostic);
            }
        }
        if restarts {
            flow.restart().map_err(|diagnostic| format!("restart after batch {index}: {diagnostic}"))?;
        }
        if flow.rows() != flow.expected(&expect[index]) {
            return Err(format!("batch {index}: {}", flow.describe()));
        }
    }
    Ok(())
}

fn check_error(error: &serde_json::Value, diagnostic: &lakelet_base::Diagnostic) -> Result<(), String> {
    let text = diagnostic.to_string();
    let also = error.get("also").and_then(|also| also.as_array()).cloned().unwrap_or_default();
    if error["class"] != diagnostic.class.condition && !also.iter().any(|also| also == diagnostic.class.condition) {
        return Err(format!("another error: {text}"));
    }
    let pieces = error.get("contains").and_then(|pieces| pieces.as_array()).cloned().unwrap_or_default();
    match pieces.iter().filter_map(|piece| piece.as_str()).find(|piece| !text.contains(piece)) {
        Some(piece) => Err(format!("{piece} is not in: {text}")),
        None => Ok(()),
    }
}

pub fn check_all(cases: &[Case], check: impl Fn(&Case) -> Result<(), String>) {
    let failures: Vec<String> =
        cases.iter().filter_map(|case| check(case).err().map(|why| format!("{}: {why}", case.id()))).collect();
    assert!(failures.is_empty(), "{} of {} failed:\n{}", failures.len(), cases.len(), failures.join("\n"));
}

/// Deals the events of a case into other batches in other orders: the last state must be the same.
pub fn check_arrival(case: &Case, seeds: u64) -> Result<(), String> {
    if case.0.get("error").is_some() {
        return Ok(());
    }
    let start = case.0.get("full_refresh_at").and_then(|at| at.as_u64()).unwrap_or(0) as usize;
    for seed in 0..seeds {
        let mut flow = Flow::create(case).map_err(|diagnostic| diagnostic.to_string())?;
        for rows in deal(&case.batches()[start..], seed) {
            flow.refresh(&rows).map_err(|diagnostic| diagnostic.to_string())?;
        }
        if flow.rows() != flow.expected(case.expect().last().unwrap()) {
            return Err(format!("dealt by seed {seed}: {}", flow.describe()));
        }
    }
    Ok(())
}
