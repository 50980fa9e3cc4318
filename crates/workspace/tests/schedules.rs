//! Moving the clock over refreshes that schedules ask for, some of which fail.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails where it cannot go on")]

mod support;

use lakelet_protocol::{AdvanceBy, AdvanceReport, RefreshMode, RefreshReport, RequestBody, ResponseBody, WireError};
use lakelet_workspace::{NoPython, Workspace};
use serde_json::Map;
use support::{SharedLog, ask, query, sql};

/// `good` counts, `bad` divides by what is 0 from time to time; both every hour, and `sum_up` reads `bad`.
fn two_views(workspace: &mut Workspace) {
    sql(
        workspace,
        "CREATE TABLE t (id INT, by INT);
         INSERT INTO t VALUES (1, 1);
         CREATE MATERIALIZED VIEW bad SCHEDULE REFRESH EVERY 1 HOUR AS SELECT sum(id / by) AS s FROM t;
         CREATE MATERIALIZED VIEW good SCHEDULE REFRESH EVERY 1 HOUR AS SELECT count(*) AS n FROM t;
         CREATE MATERIALIZED VIEW sum_up SCHEDULE REFRESH EVERY 1 HOUR AS SELECT s FROM bad",
    );
}

fn advance(workspace: &mut Workspace, minutes: u32) -> Result<AdvanceReport, Box<WireError>> {
    let body = RequestBody::Advance { by: AdvanceBy::Minutes { n: minutes }, run_due: true };
    ask(workspace, body).map(|answer| match answer {
        ResponseBody::Advanced(report) => report,
        other => panic!("{other:?}"),
    })
}

fn refreshes(workspace: &mut Workspace, table: &str) -> Vec<RefreshReport> {
    match ask(workspace, RequestBody::Refreshes { table: table.to_owned() }).unwrap() {
        ResponseBody::Refreshes(reports) => reports,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_failing_refresh_keeps_neither_the_clock_nor_other_refreshes() {
    let log = SharedLog::default();
    let mut workspace = log.open();
    two_views(&mut workspace);
    let before = advance(&mut workspace, 1).unwrap().clock.now;
    sql(&mut workspace, "INSERT INTO t VALUES (2, 0)");
    let report = advance(&mut workspace, 120).unwrap();
    assert_eq!(report.clock.now.millis() - before.millis(), 120 * 60_000);
    assert_eq!((report.n_refreshes, report.n_failed, report.failed.len()), (6, 2, 2));
    let failed = &report.failed[0];
    assert_eq!((failed.table.as_str(), failed.mode), ("playground.default.bad", RefreshMode::Failed));
    let error = failed.error.as_ref().unwrap();
    assert_eq!((error.condition.as_str(), error.sqlstate.as_str()), ("DIVIDE_BY_ZERO", "22012"));
    assert_eq!(query(&mut workspace, "SELECT n FROM good"), ["2"], "a healthy view is refreshed");
    assert_eq!(query(&mut workspace, "SELECT s FROM bad"), ["1.0"], "what stood still stands");
    drop(workspace);

    let mut workspace = log.open();
    let reports = refreshes(&mut workspace, "playground.default.bad");
    let modes: Vec<_> = reports.iter().map(|report| report.mode).collect();
    assert_eq!(modes, [RefreshMode::Failed, RefreshMode::Failed, RefreshMode::Full], "kept over a reload");
    sql(&mut workspace, "UPDATE t SET by = 2");
    let report = advance(&mut workspace, 60).unwrap();
    assert_eq!((report.n_refreshes, report.n_failed), (3, 0), "its schedule goes on");
    assert_eq!(query(&mut workspace, "SELECT s FROM sum_up"), ["1.5"]);
    assert_eq!(refreshes(&mut workspace, "playground.default.bad")[0].number, 4);
}

#[test]
fn a_refresh_that_cannot_even_be_prepared_is_named_too() {
    let mut workspace = SharedLog::default().open();
    two_views(&mut workspace);
    sql(&mut workspace, "DROP TABLE t");
    let report = advance(&mut workspace, 60).unwrap();
    let tables: Vec<_> = report.failed.iter().map(|failed| failed.table.as_str()).collect();
    assert_eq!(tables, ["playground.default.bad", "playground.default.good"], "the view over a view reads what stands");
    assert_eq!(report.failed[0].error.as_ref().unwrap().condition, "TABLE_OR_VIEW_NOT_FOUND");
}

#[test]
fn within_the_engine_the_first_failure_is_told_after_all_that_was_due() {
    let mut workspace = SharedLog::default().open();
    two_views(&mut workspace);
    sql(&mut workspace, "INSERT INTO t VALUES (2, 0)");
    let start = advance(&mut workspace, 1).unwrap().clock.now;
    let end = start.plus_millis(59 * 60_000);
    let error = workspace.advance_to(end, true, &mut NoPython).unwrap_err();
    assert!(error.message.starts_with("The refresh of playground.default.bad that was due at "), "{}", error.message);
    assert_eq!(error.class.condition, "DIVIDE_BY_ZERO");
    assert_eq!(query(&mut workspace, "SELECT n FROM good"), ["2"]);
    assert_eq!(advance(&mut workspace, 1).unwrap().clock.now, end.plus_millis(60_000));
}

#[test]
fn a_full_storage_stops_the_clock() {
    let log = SharedLog::default();
    let mut workspace = log.open();
    two_views(&mut workspace);
    log.fill_after(0);
    let error = advance(&mut workspace, 120).unwrap_err();
    assert_eq!(error.condition, "LAKELET_STORAGE_FULL");
    log.fill_after(usize::MAX);
    let report = advance(&mut workspace, 120).unwrap();
    assert_eq!(report.n_failed, 0, "{report:?}");
}

#[test]
fn a_cron_schedule_follows_the_wall_clock_of_its_zone() {
    let log = SharedLog::default();
    let mut workspace = log.open(); // Monday 2 March 2026, 09:00 UTC.
    sql(
        &mut workspace,
        "CREATE TABLE t (id INT);
         CREATE MATERIALIZED VIEW v SCHEDULE REFRESH CRON '0 30 6 ? * MON-FRI' AT TIME ZONE 'Europe/Lisbon'
         AS SELECT count(*) AS n FROM t",
    );
    drop(workspace);
    let mut workspace = log.open();
    // Five weekdays of a week without its first morning; summer time begins on Sunday 29 March.
    assert_eq!(advance(&mut workspace, 7 * 24 * 60).unwrap().n_refreshes, 5);
    assert_eq!(advance(&mut workspace, 21 * 24 * 60).unwrap().n_refreshes, 15);
    let instants: Vec<String> =
        refreshes(&mut workspace, "playground.default.v").iter().map(|report| report.at.to_string()).collect();
    assert!(instants[0].starts_with("2026-03-30T05:30:00"), "{instants:?}");
    assert!(instants[1].starts_with("2026-03-27T06:30:00"), "{instants:?}");
}

#[test]
fn a_wrong_cron_schedule_is_refused_with_its_reason() {
    let mut workspace = SharedLog::default().open();
    sql(&mut workspace, "CREATE TABLE t (id INT)");
    for (schedule, condition) in [
        ("'0 9 * * *'", "LAKELET_INVALID_CRON"),
        ("'0 0 9 * * *'", "LAKELET_INVALID_CRON"),
        ("'0 0 9 * * ?' AT TIME ZONE 'Lisbon'", "INVALID_TIMEZONE"),
    ] {
        let text = format!("CREATE MATERIALIZED VIEW v SCHEDULE REFRESH CRON {schedule} AS SELECT * FROM t");
        let error = workspace.execute_script("x", &text, &Map::new(), |_, _| {}).unwrap_err();
        assert_eq!(error.diagnostic.class.condition, condition, "{schedule}");
    }
}
