use lakelet_protocol::{CellOutput, GraphView, RunSummary, TaskRunView};
use serde_json::json;

use super::*;
use crate::check::{Check, Condition};
use crate::lesson::Place;

fn expected_rows(value: Value) -> ExpectedRows {
    let check = Check::from_json(Place { line: 1, number: 1 }, &value).unwrap();
    match check.conditions.into_iter().next() {
        Some(Condition::Rows { expected, .. }) => expected,
        _ => panic!(),
    }
}

fn compare(expected: Value, columns: &[&str], rows: Value) -> Result<(), String> {
    let columns: Vec<String> = columns.iter().map(|name| (*name).to_owned()).collect();
    let rows: Vec<Vec<Option<String>>> =
        rows.as_array().unwrap().iter().map(|row| row.as_array().unwrap().iter().map(cell_text).collect()).collect();
    check_rows(&expected_rows(expected), &columns, &rows).map_err(|mismatch| mismatch.detail)
}

#[test]
fn rows_are_compared_as_a_multiset_unless_told_otherwise() {
    let rows = json!([["UK", 4], ["NL", 5]]);
    let columns = ["market", "n"];
    assert_eq!(compare(json!({"rows": [["NL", 5], ["UK", 4]]}), &columns, rows.clone()), Ok(()));
    assert_eq!(
        compare(json!({"rows": [["NL", 5], ["UK", 4]], "ordered": true}), &columns, rows.clone()),
        Err("Row 1 should be (NL, 5); left are (UK, 4), (NL, 5).".into())
    );
    assert_eq!(compare(json!({"rows": [{"N": 5}, {"N": 4}]}), &columns, rows.clone()), Ok(()));
    assert_eq!(
        compare(json!({"rows": [["NL", 5], ["NL", 5]]}), &columns, rows.clone()),
        Err("Row 2 should be (NL, 5); left are (UK, 4).".into())
    );
    assert_eq!(compare(json!({"rows": 3}), &columns, rows.clone()), Err("Expected 3 rows, found 2.".into()));
    assert_eq!(
        compare(json!({"rows": [{"x": 1}, {"x": 2}]}), &columns, rows.clone()),
        Err("The column x is missing. There are: market, n.".into())
    );
    assert!(compare(json!({"rows": [[1], [2]]}), &columns, rows).is_err());
    assert_eq!(compare(json!({"rows": []}), &columns, json!([])), Ok(()));
}

#[test]
fn cells_are_equal_by_value() {
    let one =
        |expected: Value, actual: Value| compare(json!({"rows": [[expected]]}), &["a"], json!([[actual]])).is_ok();
    assert!(one(json!(1.5), json!("1.50")) && one(json!(0), json!("-0.0")) && one(json!(100), json!("1e2")));
    assert!(!one(json!("1.5"), json!("1.50")) && !one(json!(1), json!("x")) && !one(json!(1), json!(null)));
    assert!(one(json!(null), json!(null)) && !one(json!(null), json!("null")) && !one(json!(""), json!(null)));
    assert!(one(json!("2026-02-01T10:00:00Z"), json!("2026-02-01 10:00:00")));
    assert!(one(json!("2026-02-01 10:00:00"), json!("2026-02-01T10:00:00.000Z")));
    assert!(!one(json!("2026-02-01 10:00:00"), json!("2026-02-01 10:00:01")));
    assert!(!one(json!("2026-02-01"), json!("2026-02-02")) && one(json!(true), json!("true")));
    assert!(one(json!(9_007_199_254_740_993_i64), json!("9007199254740993")));
    assert!(!one(json!(9_007_199_254_740_993_i64), json!("9007199254740992")));
}

fn attempt(number: u32, text: &str) -> AttemptView {
    AttemptView {
        attempt: number,
        state: RunState::Success,
        start: None,
        end: None,
        parameters: Vec::new(),
        rows: None,
        cells: vec![CellOutput { cell: 0, items: vec![OutputItem::Text { text: text.into() }], error: None }],
        error: None,
        warnings: Vec::new(),
    }
}

fn iteration(index: u32, state: RunState, attempts: Vec<AttemptView>) -> IterationView {
    IterationView { index, label: format!("item {index}"), input: "{}".into(), state, attempts }
}

fn run() -> RunView {
    RunView {
        summary: RunSummary {
            run_id: 7,
            number: 2,
            job: "J".into(),
            state: RunState::SuccessWithWarnings,
            repair_count: 1,
            started: Timestamp::LESSON_START,
            ended: Some(Timestamp::LESSON_START),
        },
        graph: GraphView { nodes: Vec::new(), edges: Vec::new(), width: 0.0, height: 0.0 },
        tasks: vec![TaskRunView {
            task_key: "copy".into(),
            type_name: "For each".into(),
            state: RunState::Success,
            attempts: Vec::new(),
            iterations: Some(vec![
                iteration(0, RunState::Success, vec![attempt(1, "Copying 10 new rows\n")]),
                iteration(1, RunState::Failed, vec![attempt(1, "boom"), attempt(2, "Copying 6")]),
            ]),
            nested_key: None,
            concurrency: None,
            notices: Vec::new(),
        }],
        changes: Vec::new(),
        parameters: Vec::new(),
        repairable: Vec::new(),
        notices: Vec::new(),
        settings_changed: false,
        elapsed_ms: 0.0,
        faults: lakelet_protocol::FaultsView::default(),
    }
}

fn against_run(value: Value) -> Result<(), String> {
    let check = Check::from_json(Place { line: 1, number: 1 }, &json!({"run": value})).unwrap();
    let Some(Condition::Run(expected)) = check.conditions.into_iter().next() else { panic!() };
    check_run(&expected, Some(&run())).map_err(|mismatch| mismatch.detail)
}

#[test]
fn runs_are_compared_down_to_their_iterations() {
    assert_eq!(against_run(json!({"job": "J"})), Ok(()));
    assert_eq!(against_run(json!("SUCCESS_WITH_WARNINGS")), Ok(()));
    assert_eq!(
        against_run(json!({"repair_count": 1, "tasks": {"copy": "SUCCESS"}, "iterations": {"copy": {
            "states": ["SUCCESS", "FAILED"], "attempts": [1, 2], "outputs": ["10 new", "Copying 6"]}}})),
        Ok(())
    );
    assert_eq!(against_run(json!("FAILED")), Err("The run should be Failed, it is Succeeded with warnings.".into()));
    assert_eq!(against_run(json!({"repair_count": 0})), Err("Expected 0 repairs, found 1.".into()));
    assert_eq!(against_run(json!({"tasks": {"x": "SUCCESS"}})), Err("The run has no task x.".into()));
    assert_eq!(against_run(json!({"iterations": {"copy": 3}})), Err("Expected 3 iterations of copy, found 2.".into()));
    assert_eq!(
        against_run(json!({"iterations": {"copy": {"attempts": [1, 1]}}})),
        Err("Iteration 1 of copy (item 1) should have 1 attempts, it has 2.".into())
    );
    assert_eq!(
        against_run(json!({"iterations": {"copy": {"outputs": ["3 new", ""]}}})),
        Err("Iteration 0 of copy (item 0) should show `3 new`, it shows `Copying 10 new rows`.".into())
    );
    let missing = ExpectedRun { number: Some(3), job: Some("J".into()), ..ExpectedRun::default() };
    assert_eq!(check_run(&missing, None).unwrap_err().detail, "There is no run 3 of J yet.");
}

#[test]
fn versions_and_clock() {
    assert!(check_version("t", 4, Some(4)).is_ok());
    assert!(!check_version("t", 4, Some(3)).unwrap_err().hint.contains('4'));
    assert!(check_version("t", 4, None).is_err());
    let start = Timestamp::LESSON_START;
    assert!(check_clock(start, start.plus_millis(1)).is_ok() && check_clock(start.plus_millis(1), start).is_err());
}
