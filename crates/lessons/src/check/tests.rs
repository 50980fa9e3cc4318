use serde_json::json;

use super::*;

const PLACE: Place = Place { line: 1, number: 1 };

fn conditions(value: Value) -> Vec<Condition> {
    Check::from_json(PLACE, &value).unwrap().conditions
}

fn error(value: Value) -> String {
    Check::from_json(PLACE, &value).unwrap_err().to_string()
}

#[test]
fn rows_come_from_a_query_a_table_or_the_last_result() {
    let count = ExpectedRows::Count(16);
    let rows = |source| Condition::Rows { source, expected: count.clone() };
    assert_eq!(conditions(json!({"rows": 16})), [rows(RowSource::LastResult)]);
    assert_eq!(conditions(json!({"rows": 16, "table": "t"})), [rows(RowSource::Table("t".into()))]);
    assert_eq!(
        conditions(json!({"rows": 16, "sql": "SELECT 1", "table": "t", "version": 2})),
        [rows(RowSource::Query("SELECT 1".into())), Condition::Version { table: "t".into(), version: 2 }]
    );
    assert_eq!(conditions(json!({"table": "t"})), [Condition::Exists { table: "t".into(), exists: true }]);
    assert_eq!(
        conditions(json!({"table": "t", "exists": false})),
        [Condition::Exists { table: "t".into(), exists: false }]
    );
}

#[test]
fn expected_rows_are_lists_maps_or_single_cells() {
    let expected = |rows: Value| match conditions(json!({"rows": rows})).remove(0) {
        Condition::Rows { expected, .. } => expected,
        _ => panic!(),
    };
    let number = |text: &str| ExpectedCell::Number(text.into());
    let text = |text: &str| ExpectedCell::Text(text.into());
    assert_eq!(
        expected(json!([["NL", 5, null, true]])),
        ExpectedRows::Exactly {
            columns: None,
            rows: vec![vec![text("NL"), number("5"), ExpectedCell::Null, text("true")]],
            ordered: false
        }
    );
    assert_eq!(
        expected(json!([{"n": 1, "m": "a"}, {"m": "b", "n": 2}])),
        ExpectedRows::Exactly {
            columns: Some(vec!["n".into(), "m".into()]),
            rows: vec![vec![number("1"), text("a")], vec![number("2"), text("b")]],
            ordered: false,
        }
    );
    assert_eq!(
        expected(json!([101, 102])),
        ExpectedRows::Exactly { columns: None, rows: vec![vec![number("101")], vec![number("102")]], ordered: false }
    );
}

#[test]
fn runs_jobs_and_the_clock() {
    let check = json!({
        "run": {
            "job": "J", "number": 2, "state": "FAILED", "repair_count": 1,
            "tasks": {"a": "SUCCESS"},
            "iterations": {"b": {"states": ["SUCCESS", "FAILED"], "attempts": [1, 2], "outputs": ["10 rows", "x"], "rows": [1, 2]}, "c": 3},
        },
        "job": {"name": "J", "tasks": ["a"], "valid": true},
        "clock": "2026-03-03T09:00:00Z",
        "file": "src/a.py",
    });
    let conditions = conditions(check);
    assert_eq!(conditions[0], Condition::File("src/a.py".into()));
    let Condition::Run(run) = &conditions[2] else { panic!() };
    assert_eq!((run.number, run.state, run.repair_count), (Some(2), Some(RunState::Failed), Some(1)));
    assert_eq!(run.iterations[0].1.states, Some(vec![RunState::Success, RunState::Failed]));
    assert_eq!(run.iterations[1].1.count, Some(3));
    assert_eq!(conditions[1], Condition::Job(ExpectedJob { name: "J".into(), tasks: vec!["a".into()], valid: true }));
    assert!(matches!(conditions[3], Condition::Clock(_)));
}

#[test]
fn mistakes_name_the_field() {
    assert_eq!(error(json!({})), "This check asks for nothing.");
    assert_eq!(error(json!({"sql": "SELECT 1"})), "sql: A query needs `rows`: what it must return.");
    assert!(error(json!([{"rows": 1, "say": "a"}, {"rows": 1, "say": "b"}])).starts_with("[1].say: A check has one"));
    assert_eq!(error(json!({"version": 1})), "version: `version` needs `table`: whose version?");
    assert_eq!(error(json!({"rows": [[1], [1, 2]]})), "rows[1]: This row has 2 cells, others have 1.");
    assert_eq!(error(json!({"rows": [{"a": 1}, {"b": 1}]})), "rows[1]: Every row must have the same columns: a.");
    assert_eq!(error(json!({"rows": "many"})), "rows: `rows` is a number of rows, or a list of rows.");
    assert!(error(json!({"run": {"tasks": {"a": "OK"}}})).starts_with("run.tasks.a: `OK` is not a state"));
    assert!(error(json!({"clock": "tomorrow"})).starts_with("clock: 'tomorrow' is not an instant"));
}
