//! What is under way when somebody stops it, or when it fails.
#![expect(clippy::unwrap_used, reason = "a test fails where it cannot go on")]

mod support;

use lakelet_base::Limits;
use lakelet_protocol::{AdvanceBy, EventBody, Request, RequestBody, ResponseBody, RunState};
use lakelet_workspace::{NoPython, RunSettings, Workspace};
use serde_json::{Map, Value, json};
use support::{SharedLog, answers, ask, ask_with, run, sql};

fn save(workspace: &mut Workspace, settings: Value) {
    ask(workspace, RequestBody::SaveJob { job: None, settings }).unwrap();
}

fn sql_task(text: &str) -> Value {
    json!({"task_key": "a", "sql_task": {"warehouse_id": "w", "query": {"text": text}}})
}

#[test]
fn a_run_that_waits_hears_that_it_was_canceled() {
    let mut workspace = SharedLog::default().open();
    let settings = json!({"name": "J", "queue": {"enabled": true}, "tasks": [sql_task(&"SELECT 1;".repeat(50))]});
    save(&mut workspace, settings);
    for id in [1, 2] {
        let body = RequestBody::RunJob { job: "J".to_owned(), params: Map::new(), only: Vec::new() };
        workspace.submit(Request { id, body });
    }
    // The first has begun and the second was asked for.
    (0..4).for_each(|_| drop(workspace.step()));
    workspace.submit(Request { id: 3, body: RequestBody::Cancel });
    let answers = answers(&mut workspace);
    let waiting = answers.iter().find(|answer| answer.id == 2).expect("every request is answered");
    assert_eq!(waiting.body.as_ref().unwrap_err().condition, "OPERATION_CANCELED");
    assert_eq!(workspace.job_view("J").unwrap().runs.len(), 1);
}

#[test]
fn a_job_that_allows_no_run_is_skipped_by_every_caller() {
    let mut workspace = SharedLog::default().open();
    save(&mut workspace, json!({"name": "Inner", "max_concurrent_runs": 0, "tasks": [sql_task("SELECT 1")]}));
    let call = json!({"task_key": "call", "run_job_task": {"job_id": "${resources.jobs.inner.id}"}});
    save(&mut workspace, json!({"name": "Outer", "tasks": [call]}));
    let error = workspace.run_job("Inner", &RunSettings::default(), &mut NoPython).unwrap_err();
    assert_eq!(error.class.condition, "MAX_CONCURRENT_RUNS_EXCEEDED");
    let view = run(&mut workspace, "Outer", &mut NoPython);
    assert_eq!(view.summary.state, RunState::Failed);
    let error = view.tasks[0].attempts[0].error.as_ref().unwrap();
    assert_eq!(error.condition, "MAX_CONCURRENT_RUNS_EXCEEDED");
}

#[test]
fn a_clock_stands_where_its_move_was_ended() {
    let log = SharedLog::default();
    let mut workspace = log.open_with(Limits { advance_runs_max: 1, ..Limits::default() });
    sql(
        &mut workspace,
        "CREATE TABLE t (id INT);
         CREATE MATERIALIZED VIEW v SCHEDULE REFRESH EVERY 1 HOUR AS SELECT count(*) AS n FROM t",
    );
    let body = RequestBody::Advance { by: AdvanceBy::Minutes { n: 180 }, run_due: true };
    let (answer, events) = ask_with(&mut workspace, body, &mut NoPython);
    assert_eq!(answer.unwrap_err().condition, "LAKELET_LIMIT_EXCEEDED");
    let stands = workspace.now();
    let told = events.iter().rev().find_map(|event| match event {
        EventBody::ClockMoved(clock) => Some(clock.now),
        _ => None,
    });
    assert_eq!(told, Some(stands));
    drop(workspace);
    assert_eq!(log.open().now(), stands);
}

#[test]
fn results_keep_their_numbers_to_themselves() {
    let mut workspace = SharedLog::default().open();
    sql(&mut workspace, "CREATE TABLE t (id INT)");
    let open = |workspace: &mut Workspace| {
        let body = RequestBody::OpenRows { table: "playground.default.t".to_owned(), version: None };
        match ask(workspace, body).unwrap() {
            ResponseBody::Result(header) => header.result,
            other => panic!("{other:?}"),
        }
    };
    workspace.number_results_from(1 << 32);
    let before = open(&mut workspace);
    assert_eq!(before, (1 << 32) + 1);
    ask(&mut workspace, RequestBody::Reset).unwrap();
    sql(&mut workspace, "CREATE TABLE t (id INT)");
    assert!(open(&mut workspace) > before);
    let error = ask(&mut workspace, RequestBody::FetchPage { result: before, row_from: 0, n_rows: 1 }).unwrap_err();
    assert_eq!(error.condition, "LAKELET_RESULT_CLOSED");
}

#[test]
fn a_script_begins_where_its_tab_was() {
    let mut workspace = SharedLog::default().open();
    sql(&mut workspace, "CREATE SCHEMA etl");
    let mut begin = |schema: Option<&str>| {
        let body = RequestBody::RunScript {
            tab: "new".to_owned(),
            text: "SELECT 1".to_owned(),
            range: lakelet_protocol::RunRange::All,
            params: Map::new(),
            schema: schema.map(str::to_owned),
        };
        match ask(&mut workspace, body).unwrap() {
            ResponseBody::Script(report) => report.current_schema,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(begin(None), "playground.default");
    assert_eq!(begin(Some("playground.ETL")), "playground.etl");
    assert_eq!(begin(None), "playground.etl", "it goes on from there");
    assert_eq!(begin(Some("playground.gone")), "playground.etl");
}
