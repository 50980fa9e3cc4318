//! Runs for tests.

use lakelet_base::Timestamp;
use lakelet_protocol::{
    AttemptView, CellOutput, ColumnView, ConcurrencyView, GraphNode, GraphView, IterationView, OutputItem,
    ParameterOrigin, ParameterValue, ResultHeader, RunChange, RunState, RunSummary, RunView, TaskRunView, WireError,
};

/// An attempt from and to so many milliseconds after the start of a lesson.
pub fn attempt(number: u32, state: RunState, from: i64, to: i64) -> AttemptView {
    AttemptView {
        attempt: number,
        state,
        start: Some(Timestamp::LESSON_START.plus_millis(from)),
        end: Some(Timestamp::LESSON_START.plus_millis(to)),
        parameters: vec![ParameterValue { name: "market".into(), value: "NL".into(), origin: ParameterOrigin::Task }],
        rows: None,
        cells: Vec::new(),
        error: None,
        warnings: Vec::new(),
    }
}

/// A task with one attempt of a second.
pub fn task(key: &str, type_name: &str, state: RunState) -> TaskRunView {
    TaskRunView {
        task_key: key.to_owned(),
        type_name: type_name.to_owned(),
        state,
        attempts: vec![attempt(1, state, 0, 1_000)],
        iterations: None,
        nested_key: None,
        concurrency: None,
        notices: Vec::new(),
    }
}

fn error() -> WireError {
    WireError {
        condition: "CAST_INVALID_INPUT".into(),
        sqlstate: "22018".into(),
        message: "The value 'n/a' is no number.".into(),
        hint: None,
        line: None,
        column: None,
        start: None,
        end: None,
        suggestions: Vec::new(),
    }
}

fn displayed(n_rows: u64) -> CellOutput {
    let column =
        ColumnView { name: "amount".into(), type_name: "int".into(), nullable: true, default: None, comment: None };
    let header = ResultHeader { result: 1, columns: vec![column], n_rows };
    CellOutput { cell: 0, items: vec![OutputItem::Table { header, rows: Vec::new() }], error: None }
}

fn change(operation: &str, counts: [u64; 3]) -> RunChange {
    RunChange {
        table: "playground.sales.nl".into(),
        operation: operation.into(),
        version_before: None,
        version_after: 0,
        n_inserted: counts[0],
        n_updated: counts[1],
        n_deleted: counts[2],
        task_key: "run_market_analysis_iteration".into(),
        iteration: Some("NL · EUR".into()),
        attempt: 1,
    }
}

fn node(key: &str, type_name: &str, depends_on: &[&str]) -> GraphNode {
    GraphNode {
        key: key.to_owned(),
        type_name: type_name.to_owned(),
        depends_on: depends_on.iter().map(|key| (*key).to_owned()).collect(),
        x: 0.0,
        y: 0.0,
        width: 240.0,
        height: 88.0,
        children: Vec::new(),
    }
}

/// A run of tutorial 2 in which one of three iterations failed: two places, NL and UK first, then US.
pub fn failed_run() -> RunView {
    let iteration = |index: u32, label: &str, attempt: AttemptView| {
        let (market, currency) = label.split_once(" · ").unwrap();
        IterationView {
            index,
            label: label.to_owned(),
            input: format!(r#"{{"market":"{market}","currency":"{currency}"}}"#),
            state: attempt.state,
            attempts: vec![attempt],
        }
    };
    let mut nl = attempt(1, RunState::Success, 500, 1_700);
    nl.cells = vec![displayed(5)];
    let mut uk = attempt(1, RunState::Failed, 500, 900);
    uk.error = Some(error());
    let us = attempt(1, RunState::Success, 900, 1_900);
    let mut process = task("process_markets", "For each", RunState::Failed);
    process.attempts = vec![attempt(1, RunState::Failed, 500, 1_900)];
    process.nested_key = Some("run_market_analysis_iteration".into());
    process.concurrency = Some(ConcurrencyView { limit: 2, max_in_flight: 2 });
    process.iterations =
        Some(vec![iteration(0, "NL · EUR", nl), iteration(1, "UK · GBP", uk), iteration(2, "US · USD", us)]);
    let mut read = task("read_markets", "SQL", RunState::Success);
    read.attempts = vec![attempt(1, RunState::Success, 0, 500)];
    RunView {
        summary: RunSummary {
            run_id: 7,
            number: 3,
            job: "Market Analysis".into(),
            state: RunState::Failed,
            repair_count: 0,
            started: Timestamp::LESSON_START,
            ended: Some(Timestamp::LESSON_START.plus_millis(1_900)),
        },
        graph: GraphView {
            nodes: vec![node("read_markets", "SQL", &[]), node("process_markets", "For each", &["read_markets"])],
            edges: Vec::new(),
            width: 0.0,
            height: 0.0,
        },
        tasks: vec![read, process],
        changes: vec![change("WRITE", [10, 0, 0]), change("UPDATE", [0, 1, 0])],
        parameters: Vec::new(),
        repairable: vec![("process_markets".into(), vec![1])],
        notices: Vec::new(),
        settings_changed: false,
        elapsed_ms: 31.0,
        faults: lakelet_protocol::FaultsView::default(),
    }
}

/// The same run after its repair.
pub fn repaired_run() -> RunView {
    let mut run = failed_run();
    run.summary.state = RunState::Success;
    run.summary.repair_count = 1;
    run.summary.ended = Some(Timestamp::LESSON_START.plus_millis(61_000));
    run.repairable.clear();
    let process = &mut run.tasks[1];
    process.state = RunState::Success;
    process.attempts.push(attempt(2, RunState::Success, 60_000, 61_000));
    let uk = &mut process.iterations.as_mut().unwrap()[1];
    uk.state = RunState::Success;
    uk.attempts.push(attempt(2, RunState::Success, 60_000, 61_000));
    run
}
