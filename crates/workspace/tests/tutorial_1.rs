//! Tutorial 1 end to end: tables copied up to a watermark.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails where it cannot go on")]

mod support;

use lakelet_protocol::{FaultSwitch, OutputItem, RepairRequest, RequestBody, RunState, RunView};
use lakelet_workspace::RunSettings;
use support::python::TutorialPython;
use support::{SharedLog, ask, ask_with, iterations, query, run, sql, tutorial};

const JOB: &str = "Incremental table copy";

/// What each iteration printed last time.
fn printed(view: &RunView) -> Vec<String> {
    let iterations = view.tasks[1].iterations.as_ref().unwrap().iter();
    iterations
        .map(|iteration| match iteration.attempts.last().unwrap().cells[0].items.first() {
            Some(OutputItem::Text { text }) => text.clone(),
            other => panic!("{other:?}"),
        })
        .collect()
}

fn changes(view: &RunView) -> Vec<String> {
    let mut lines: Vec<String> = view
        .changes
        .iter()
        .map(|change| {
            let before = change.version_before.map_or_else(|| "-".to_owned(), |version| version.to_string());
            format!(
                "{} {} {before}>{} +{} ~{} {}",
                change.table.trim_start_matches("playground."),
                change.operation,
                change.version_after,
                change.n_inserted,
                change.n_updated,
                change.iteration.as_deref().unwrap_or("-").split(" · ").next().unwrap()
            )
        })
        .collect();
    lines.sort();
    lines
}

#[test]
fn a_run_copies_what_is_new_and_moves_the_watermarks() {
    let mut workspace = tutorial(&SharedLog::default(), "t1");
    let view = run(&mut workspace, JOB, &mut TutorialPython::default());
    assert_eq!(view.summary.state, RunState::Success);
    assert_eq!(
        printed(&view),
        [
            "Copying 10 new rows from sales.raw_orders\nWatermark for sales.raw_orders advanced to 2026-02-27 15:30:00.250000\n",
            "Copying 6 new rows from sales.raw_customers\nWatermark for sales.raw_customers advanced to 2026-02-20 10:00:00.500000\n",
        ]
    );
    let parameters = &view.tasks[1].iterations.as_ref().unwrap()[0].attempts[0].parameters;
    assert_eq!(parameters.len(), 4);
    assert_eq!(parameters[3].value, "1970-01-01T00:00:00.000Z");
    assert_eq!(
        changes(&view),
        [
            "config.watermarks UPDATE 1>2 +0 ~1 sales.raw_customers",
            "config.watermarks UPDATE 2>3 +0 ~1 sales.raw_orders",
            "sales.customers CREATE TABLE AS SELECT ->0 +6 ~0 sales.raw_customers",
            "sales.orders CREATE TABLE AS SELECT ->0 +10 ~0 sales.raw_orders",
        ],
    );
    assert_eq!(query(&mut workspace, "SELECT count(*) FROM sales.orders"), ["10"]);

    let again = run(&mut workspace, JOB, &mut TutorialPython::default());
    assert_eq!(again.summary.number, 2);
    assert!(printed(&again).iter().all(|text| text.contains("No new rows for")), "{:?}", printed(&again));
    assert_eq!(changes(&again), [""; 0]);

    sql(&mut workspace, "INSERT INTO sales.raw_orders VALUES (11, 6, 2, 2, 25.00, TIMESTAMP '2026-02-28 09:10:00')");
    sql(
        &mut workspace,
        "INSERT INTO config.watermarks VALUES ('sales.raw_products', 'sales.products', 'updated_at', '1970-01-01')",
    );
    let third = run(&mut workspace, JOB, &mut TutorialPython::default());
    let first_lines: Vec<String> = printed(&third).iter().map(|text| text.lines().next().unwrap().to_owned()).collect();
    assert!(first_lines.contains(&"Copying 1 new rows from sales.raw_orders".to_owned()));
    assert!(first_lines.contains(&"Copying 4 new rows from sales.raw_products".to_owned()));
    assert_eq!(query(&mut workspace, "SELECT count(*) FROM sales.orders"), ["11"]);
}

#[test]
fn equal_workspaces_run_equally() {
    let record = || {
        let mut workspace = tutorial(&SharedLog::default(), "t1");
        workspace.run_job(JOB, &RunSettings::default(), &mut TutorialPython::default()).unwrap()
    };
    let (one, other) = (record(), record());
    assert_eq!(one, other);
}

#[test]
fn a_failure_after_the_append_is_repaired_and_doubles_rows() {
    let mut workspace = tutorial(&SharedLog::default(), "t1");
    ask(&mut workspace, RequestBody::SetFault { fault: FaultSwitch::FailAfterAppend { iteration: Some(0) } }).unwrap();
    let view = run(&mut workspace, JOB, &mut TutorialPython::default());
    assert_eq!(view.summary.state, RunState::Failed);
    let states = iterations(&view, "copy_tables");
    assert!(states[0].ends_with("Failed LAKELET_FAULT_AFTER_APPEND"), "{states:?}");
    assert!(states[1].ends_with("Succeeded"), "{states:?}");
    let source = view.tasks[1].iterations.as_ref().unwrap()[0].label.split(" · ").next().unwrap().to_owned();
    assert_eq!(changes(&view).iter().filter(|line| line.ends_with(&source)).count(), 1);

    ask(&mut workspace, RequestBody::SetFault { fault: FaultSwitch::FailAfterAppend { iteration: None } }).unwrap();
    let repair = RequestBody::Repair { run_id: view.summary.run_id, repair: RepairRequest::default() };
    ask_with(&mut workspace, repair, &mut TutorialPython::default()).0.unwrap();
    let view = workspace.run_view(view.summary.run_id).unwrap();
    assert_eq!((view.summary.state, view.summary.repair_count), (RunState::Success, 1));
    assert!(view.notices.iter().any(|notice| notice.contains("inputs of the original run")));
    assert_eq!(view.tasks[1].iterations.as_ref().unwrap()[1].attempts.len(), 1);
    assert_eq!(query(&mut workspace, "SELECT count(*) - count(DISTINCT id) FROM sales.orders"), ["10"]);
}

#[test]
fn two_iterations_conflict_when_they_are_asked_to() {
    let mut workspace = tutorial(&SharedLog::default(), "t1");
    ask(&mut workspace, RequestBody::SetFault { fault: FaultSwitch::Conflict { on: true } }).unwrap();
    let view = run(&mut workspace, JOB, &mut TutorialPython::default());
    let states = iterations(&view, "copy_tables");
    assert_eq!(
        states.iter().filter(|state| state.ends_with("Failed DELTA_CONCURRENT_APPEND")).count(),
        1,
        "{states:?}"
    );
    ask(&mut workspace, RequestBody::SetFault { fault: FaultSwitch::Conflict { on: false } }).unwrap();
    let view = run(&mut workspace, JOB, &mut TutorialPython::default());
    assert_eq!(view.summary.state, RunState::Success);
}
