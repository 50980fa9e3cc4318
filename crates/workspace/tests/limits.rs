//! The limits of a workspace: at each of them, and one past it.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails where it cannot go on")]

mod support;

use lakelet_base::Limits;
use lakelet_protocol::{AdvanceBy, RequestBody, ResponseBody, RunRange, ScriptReport};
use lakelet_workspace::Workspace;
use serde_json::Map;
use support::{SharedLog, ask, query, sql};

fn script(workspace: &mut Workspace, text: &str) -> ScriptReport {
    let body = RequestBody::RunScript {
        tab: "test".to_owned(),
        text: text.to_owned(),
        range: RunRange::All,
        params: Map::new(),
        schema: None,
    };
    match ask(workspace, body).unwrap() {
        ResponseBody::Script(report) => report,
        other => panic!("{other:?}"),
    }
}

/// The condition and message of the only statement's error; empty where there is none.
fn failure(workspace: &mut Workspace, text: &str) -> String {
    let report = script(workspace, text);
    let error = report.statements[0].error.as_ref();
    error.map(|error| format!("{}: {}", error.condition, error.message)).unwrap_or_default()
}

#[test]
fn a_result_has_so_many_rows_at_most() {
    let mut workspace = SharedLog::default().open_with(Limits { result_rows_max: 10, ..Limits::default() });
    assert_eq!(failure(&mut workspace, "SELECT * FROM range(10)"), "");
    let said = failure(&mut workspace, "SELECT * FROM range(11)");
    assert!(said.contains("more than 10 rows (result_rows_max)"), "{said}");
}

#[test]
fn a_page_of_a_result_is_cut() {
    let mut workspace = SharedLog::default().open_with(Limits { rows_per_page_max: 3, ..Limits::default() });
    let report = script(&mut workspace, "SELECT * FROM range(4)");
    let result = report.statements[0].result.as_ref().unwrap().result;
    let mut rows =
        |row_from: u64, n_rows: u32| match ask(&mut workspace, RequestBody::FetchPage { result, row_from, n_rows }) {
            Ok(ResponseBody::Page(page)) => page.rows.len(),
            other => panic!("{other:?}"),
        };
    assert_eq!(rows(0, 3), 3);
    assert_eq!(rows(0, 4), 3, "more than a page is cut, not refused");
    assert_eq!(rows(3, 3), 1);
}

#[test]
fn a_statement_that_needs_more_memory_ends_with_an_error() {
    let sort = "SELECT count(DISTINCT id) FROM range(200000)";
    assert_eq!(failure(&mut SharedLog::default().open(), sort), "");
    let limits = Limits { statement_memory_bytes_max: 1024 * 1024, ..Limits::default() };
    let mut workspace = SharedLog::default().open_with(limits);
    let said = failure(&mut workspace, sort);
    assert!(said.contains("statement_memory_bytes_max"), "{said}");
    assert_eq!(query(&mut workspace, "SELECT 1"), ["1"], "the next statement has its memory");
}

#[test]
fn a_move_of_the_clock_starts_so_many_refreshes_at_most() {
    let mut workspace = SharedLog::default().open_with(Limits { advance_runs_max: 2, ..Limits::default() });
    sql(
        &mut workspace,
        "CREATE TABLE t (id INT);
         CREATE MATERIALIZED VIEW v SCHEDULE REFRESH EVERY 1 HOUR AS SELECT count(*) AS n FROM t",
    );
    let advance = |minutes| RequestBody::Advance { by: AdvanceBy::Minutes { n: minutes }, run_due: true };
    ask(&mut workspace, advance(120)).unwrap();
    let error = ask(&mut workspace, advance(180)).unwrap_err();
    assert!(error.message.contains("More than 2 refreshes and runs came due (advance_runs_max)"), "{}", error.message);
    ask(&mut workspace, advance(1)).unwrap();
}
