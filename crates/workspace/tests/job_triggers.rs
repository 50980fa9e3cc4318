//! Jobs that triggers start while the clock moves.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails where it cannot go on")]

mod support;

use lakelet_protocol::{
    AdvanceBy, AdvancePreview, AdvanceReport, ClockView, RequestBody, ResponseBody, RunState, RunSummary,
};
use lakelet_workspace::{NoPython, Workspace};
use serde_json::{Value, json};
use support::{SharedLog, ask, query, sql};

/// A job of one task that writes down why it runs.
fn note(name: &str, trigger: (&str, Value)) -> Value {
    let text = "INSERT INTO notes SELECT :who, :kind, :due, :tables";
    let parameters = json!({
        "who": name,
        "kind": "{{job.trigger.type}}",
        "due": "{{job.trigger.time.iso_datetime}}",
        "tables": "{{job.trigger.table_update.updated_tables}}",
    });
    let (key, value) = trigger;
    let parameters = match key {
        "trigger" if value.get("table_update").is_some() => without(parameters, "due", ""),
        _ => without(parameters, "tables", ""),
    };
    let task = json!({"task_key": "note", "sql_task": {"query": {"text": text}, "parameters": parameters}});
    json!({"name": name, key: value, "tasks": [task]})
}

fn without(mut parameters: Value, key: &str, text: &str) -> Value {
    parameters[key] = json!(text);
    parameters
}

fn cron(expression: &str, zone: &str) -> (&'static str, Value) {
    ("schedule", json!({"quartz_cron_expression": expression, "timezone_id": zone}))
}

fn every(interval: u32, unit: &str) -> (&'static str, Value) {
    ("trigger", json!({"periodic": {"interval": interval, "unit": unit}}))
}

fn tables(update: Value) -> (&'static str, Value) {
    ("trigger", json!({ "table_update": update }))
}

fn save(workspace: &mut Workspace, settings: Value) {
    ask(workspace, RequestBody::SaveJob { job: None, settings }).unwrap();
}

fn replace(workspace: &mut Workspace, job: &str, settings: Value) {
    ask(workspace, RequestBody::SaveJob { job: Some(job.to_owned()), settings }).unwrap();
}

/// A workspace at 09:00 with a table for notes.
fn with_notes(log: &SharedLog) -> Workspace {
    let mut workspace = log.open();
    sql(&mut workspace, "CREATE TABLE notes (who STRING, kind STRING, due STRING, tables STRING)");
    workspace
}

fn notes(workspace: &mut Workspace) -> Vec<String> {
    query(workspace, "SELECT who, kind, due, tables FROM notes ORDER BY due, who")
}

fn advance_by(workspace: &mut Workspace, by: AdvanceBy, run_due: bool) -> AdvanceReport {
    match ask(workspace, RequestBody::Advance { by, run_due }).unwrap() {
        ResponseBody::Advanced(report) => report,
        other => panic!("{other:?}"),
    }
}

fn advance(workspace: &mut Workspace, minutes: u32) -> AdvanceReport {
    advance_by(workspace, AdvanceBy::Minutes { n: minutes }, true)
}

fn preview(workspace: &mut Workspace, minutes: u32) -> AdvancePreview {
    match ask(workspace, RequestBody::PreviewAdvance { by: AdvanceBy::Minutes { n: minutes } }).unwrap() {
        ResponseBody::AdvancePreview(preview) => preview,
        other => panic!("{other:?}"),
    }
}

fn clock(workspace: &mut Workspace) -> ClockView {
    match ask(workspace, RequestBody::Clock).unwrap() {
        ResponseBody::Clock(clock) => clock,
        other => panic!("{other:?}"),
    }
}

fn runs(workspace: &mut Workspace, job: &str) -> Vec<RunSummary> {
    match ask(workspace, RequestBody::Runs { job: job.to_owned() }).unwrap() {
        ResponseBody::Runs(runs) => runs,
        other => panic!("{other:?}"),
    }
}

#[test]
fn schedules_start_runs_at_their_instants() {
    let mut workspace = with_notes(&SharedLog::default());
    save(&mut workspace, note("daily", cron("0 30 9 * * ?", "UTC")));
    // 10:45 in Lisbon is 10:45 in UTC until the end of March.
    save(&mut workspace, note("lisbon", cron("0 45 10 ? * MON,TUE", "Europe/Lisbon")));
    save(&mut workspace, note("periodic", every(24, "HOURS")));
    assert_eq!(clock(&mut workspace).next_due.unwrap().to_string(), "2026-03-02T09:30:00Z");
    let names = |preview: AdvancePreview| {
        preview.due.iter().map(|item| format!("{} {} {}", item.what, item.name, item.detail)).collect::<Vec<_>>()
    };
    assert_eq!(
        names(preview(&mut workspace, 24 * 60)),
        [
            "job daily cron '0 30 9 * * ?' in UTC",
            "job lisbon cron '0 45 10 ? * MON,TUE' in Europe/Lisbon",
            "job periodic every 1 day",
        ]
    );
    let report = advance(&mut workspace, 3 * 24 * 60);
    assert_eq!((report.n_runs, report.n_failed_runs), (3 + 2 + 3, 0));
    let noted = notes(&mut workspace);
    let start = |line: &String| line.split('.').next().unwrap().to_owned();
    let noted: Vec<String> = noted.iter().map(start).collect();
    assert_eq!(
        noted[..4],
        [
            "daily periodic 2026-03-02T09:30:00Z ",
            "lisbon periodic 2026-03-02T10:45:00Z ",
            "periodic periodic 2026-03-03T09:00:00Z ",
            "daily periodic 2026-03-03T09:30:00Z ",
        ]
    );
    assert_eq!(runs(&mut workspace, "daily").len(), 3);
}

#[test]
fn a_move_to_the_next_schedule_goes_as_far_as_the_next_run() {
    let mut workspace = with_notes(&SharedLog::default());
    save(&mut workspace, note("daily", cron("0 0 12 * * ?", "UTC")));
    let report = advance_by(&mut workspace, AdvanceBy::NextSchedule, true);
    assert_eq!(report.n_runs, 1);
    assert_eq!(notes(&mut workspace), ["daily periodic 2026-03-02T12:00:00Z "]);
    let report = advance_by(&mut workspace, AdvanceBy::NextSchedule, false);
    assert_eq!((report.n_runs, report.clock.now.to_string().as_str()), (0, "2026-03-03T12:00:00Z"));
    assert_eq!(clock(&mut workspace).next_due.unwrap().to_string(), "2026-03-04T12:00:00Z", "skipped for good");
}

#[test]
fn changed_tables_start_runs_in_cascade() {
    let mut workspace = with_notes(&SharedLog::default());
    sql(
        &mut workspace,
        "CREATE TABLE orders (id INT);
         CREATE TABLE other (id INT);
         CREATE MATERIALIZED VIEW totals SCHEDULE REFRESH EVERY 1 HOUR AS SELECT count(*) AS n FROM orders",
    );
    save(&mut workspace, note("after_totals", tables(json!({"table_names": ["playground.default.totals"]}))));
    let both =
        json!({"table_names": ["playground.default.orders", "playground.default.other"], "condition": "ALL_UPDATED"});
    save(&mut workspace, note("both", tables(both)));
    assert_eq!(advance(&mut workspace, 1).n_runs, 0, "what was there before counts as seen");
    sql(&mut workspace, "INSERT INTO orders VALUES (1)");
    let report = advance(&mut workspace, 120);
    assert_eq!((report.n_refreshes, report.n_runs), (2, 1), "the second refresh had nothing new to write");
    assert_eq!(notes(&mut workspace), ["after_totals table  [\"playground.default.totals\"]"]);
    sql(&mut workspace, "INSERT INTO other VALUES (1)");
    let due = preview(&mut workspace, 1).due;
    assert_eq!(due.iter().map(|item| item.name.as_str()).collect::<Vec<_>>(), ["both"]);
    assert_eq!(advance(&mut workspace, 1).n_runs, 1);
    assert_eq!(advance(&mut workspace, 1).n_runs, 0);
    let expected = "both table  [\"playground.default.orders\",\"playground.default.other\"]";
    assert_eq!(notes(&mut workspace)[1], expected);
}

#[test]
fn a_table_trigger_waits_as_long_as_it_says() {
    let mut workspace = with_notes(&SharedLog::default());
    sql(&mut workspace, "CREATE TABLE orders (id INT)");
    let update = json!({"table_names": ["playground.default.orders"], "wait_after_last_change_seconds": 600,
        "min_time_between_triggers_seconds": 3_600});
    save(&mut workspace, note("quiet", tables(update)));
    sql(&mut workspace, "INSERT INTO orders VALUES (1)");
    assert_eq!(advance(&mut workspace, 9).n_runs, 0);
    sql(&mut workspace, "INSERT INTO orders VALUES (2)");
    assert_eq!(advance(&mut workspace, 9).n_runs, 0, "the wait begins anew");
    assert_eq!(advance(&mut workspace, 2).n_runs, 1);
    sql(&mut workspace, "INSERT INTO orders VALUES (3)");
    assert_eq!(advance(&mut workspace, 50).n_runs, 0, "an hour has to pass between runs");
    assert_eq!(advance(&mut workspace, 15).n_runs, 1);
}

#[test]
fn what_is_paused_starts_nothing_and_begins_anew_when_it_goes_on() {
    let log = SharedLog::default();
    let mut workspace = with_notes(&log);
    let (key, mut trigger) = every(1, "HOURS");
    trigger["pause_status"] = json!("PAUSED");
    save(&mut workspace, note("hourly", (key, trigger)));
    assert_eq!(advance(&mut workspace, 90).n_runs, 0);
    assert_eq!(clock(&mut workspace).next_due, None);
    replace(&mut workspace, "hourly", note("hourly", every(1, "HOURS")));
    assert_eq!(advance(&mut workspace, 59).n_runs, 0);
    assert_eq!(advance(&mut workspace, 1).n_runs, 1);
    drop(workspace);

    let mut workspace = log.open();
    assert_eq!(advance(&mut workspace, 59).n_runs, 0, "kept over a reload");
    assert_eq!(advance(&mut workspace, 1).n_runs, 1);
    let mut settings = note("hourly", every(1, "HOURS"));
    settings["description"] = json!("Another text is no other schedule.");
    replace(&mut workspace, "hourly", settings);
    assert_eq!(advance(&mut workspace, 60).n_runs, 1);
}

#[test]
fn runs_that_fail_or_cannot_begin_are_named_and_stop_nobody() {
    let mut workspace = with_notes(&SharedLog::default());
    let mut failing = note("failing", every(1, "HOURS"));
    failing["tasks"][0]["sql_task"]["query"]["text"] = json!("SELECT 1 / 0, :who, :kind, :due, :tables");
    save(&mut workspace, failing);
    let mut broken = note("broken", every(1, "HOURS"));
    broken["tasks"] = json!([{"task_key": "t", "notebook_task": {"notebook_path": "nowhere"}}]);
    save(&mut workspace, broken);
    save(&mut workspace, note("healthy", every(1, "HOURS")));
    let report = advance(&mut workspace, 60);
    assert_eq!((report.n_runs, report.n_failed_runs), (3, 2));
    let told: Vec<String> = report
        .failed_runs
        .iter()
        .map(|run| format!("{} {:?} {}", run.job, run.run_id.is_some(), run.error.condition))
        .collect();
    assert_eq!(told, ["broken false INVALID_RUN_CONFIGURATION", "failing true LAKELET_RUN_FAILED"]);
    assert_eq!(notes(&mut workspace).len(), 1);
    assert_eq!(runs(&mut workspace, "failing")[0].state, RunState::Failed);
    let end = report.clock.now.plus_millis(60 * 60_000);
    let error = workspace.advance_to(end, true, &mut NoPython).unwrap_err();
    assert_eq!(error.class.condition, "INVALID_RUN_CONFIGURATION", "{}", error.message);
    assert_eq!(notes(&mut workspace).len(), 2, "their triggers go on");
}

/// A job that takes longer than its period.
fn long(queue: bool) -> Value {
    let statement = "INSERT INTO notes SELECT 'long', :kind, :due, '';";
    let mut settings = note("long", every(1, "MINUTES"));
    settings["tasks"][0]["sql_task"]["query"]["text"] = json!(statement.repeat(200));
    settings["tasks"][0]["sql_task"]["parameters"] =
        json!({"kind": "{{job.trigger.type}}", "due": "{{job.trigger.time.iso_datetime}}"});
    settings["queue"] = json!({ "enabled": queue });
    settings
}

#[test]
fn a_run_that_is_still_going_on_makes_the_next_one_wait_or_skips_it() {
    let distinct = "SELECT count(DISTINCT due) FROM notes";
    let mut workspace = with_notes(&SharedLog::default());
    save(&mut workspace, long(true));
    let report = advance(&mut workspace, 2);
    assert_eq!((report.n_runs, report.n_failed_runs), (2, 0));
    assert_eq!(query(&mut workspace, distinct), ["2"]);

    let mut workspace = with_notes(&SharedLog::default());
    save(&mut workspace, long(false));
    let report = advance(&mut workspace, 2);
    assert_eq!((report.n_runs, report.n_failed_runs), (2, 1));
    assert_eq!(report.failed_runs[0].error.condition, "MAX_CONCURRENT_RUNS_EXCEEDED");
    assert_eq!(query(&mut workspace, distinct), ["1"]);
}

#[test]
fn refreshes_that_come_due_while_a_run_goes_on_take_their_turn() {
    let mut workspace = with_notes(&SharedLog::default());
    sql(
        &mut workspace,
        "CREATE MATERIALIZED VIEW n_notes SCHEDULE REFRESH EVERY 1 MINUTE AS SELECT count(*) AS n FROM notes",
    );
    save(&mut workspace, long(true));
    advance(&mut workspace, 2);
    let between = "SELECT n > 0 AND n < 400 FROM n_notes";
    assert_eq!(query(&mut workspace, between), ["true"]);
}

#[test]
fn questions_are_answered_while_runs_go_on() {
    let mut workspace = with_notes(&SharedLog::default());
    save(&mut workspace, long(true));
    let request = |id, body| lakelet_protocol::Request { id, body };
    workspace.submit(request(1, RequestBody::Advance { by: AdvanceBy::Minutes { n: 1 }, run_due: true }));
    for _ in 0..20 {
        workspace.step();
    }
    workspace.submit(request(2, RequestBody::Runs { job: "long".to_owned() }));
    workspace.submit(request(3, RequestBody::Advance { by: AdvanceBy::Minutes { n: 1 }, run_due: true }));
    let ids: Vec<u64> = support::answers(&mut workspace).iter().map(|answer| answer.id).collect();
    assert_eq!(ids, [2, 1, 3], "the second move waits for the first");
}

#[test]
fn cancel_stops_the_clock_and_its_runs() {
    let mut workspace = with_notes(&SharedLog::default());
    save(&mut workspace, long(true));
    let request = |id, body| lakelet_protocol::Request { id, body };
    workspace.submit(request(1, RequestBody::Advance { by: AdvanceBy::Minutes { n: 60 }, run_due: true }));
    for _ in 0..20 {
        workspace.step();
    }
    workspace.submit(request(2, RequestBody::Cancel));
    let answers = support::answers(&mut workspace);
    assert_eq!(answers.iter().map(|answer| answer.id).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(answers[0].body.as_ref().unwrap_err().condition, "OPERATION_CANCELED");
    let found = runs(&mut workspace, "long");
    assert_eq!(found.iter().map(|run| run.state).collect::<Vec<_>>(), [RunState::Canceled]);
    let report = advance(&mut workspace, 1);
    assert!(report.n_runs >= 1 && report.n_failed_runs == 0, "the next move begins with none of the old runs");
}

#[test]
fn a_trigger_that_nobody_watches_is_told() {
    let mut workspace = with_notes(&SharedLog::default());
    let settings = note("files", ("trigger", json!({"file_arrival": {"url": "/Volumes/a/b/c/"}})));
    let view = match ask(&mut workspace, RequestBody::SaveJob { job: None, settings }).unwrap() {
        ResponseBody::Job(view) => view,
        other => panic!("{other:?}"),
    };
    let told: Vec<_> = view.problems.iter().filter(|problem| problem.kind == "not_supported").collect();
    assert_eq!(told.len(), 1);
    assert_eq!((told[0].severity.as_str(), told[0].path.as_str()), ("warning", "trigger.file_arrival"));
}
