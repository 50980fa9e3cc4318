use serde_json::json;

use super::*;
use crate::value::value_text;

fn output(columns: &[(&str, &str)], rows: Value) -> TaskOutput {
    let columns = columns
        .iter()
        .map(|(name, type_name)| OutputColumn { name: (*name).to_owned(), type_name: (*type_name).to_owned() });
    let rows = rows.as_array().unwrap().iter().map(|row| row.as_array().unwrap().clone()).collect::<Vec<_>>();
    TaskOutput::new(columns.collect(), rows, &Limits::default())
}

fn texts(output: &TaskOutput) -> String {
    Value::Array(output.rows().to_vec()).to_string()
}

#[test]
fn numbers_keep_their_text() {
    let types = [("d", "decimal(10,2)"), ("n", "bigint"), ("i", "INT"), ("x", "double"), ("b", "boolean")];
    let made = output(&types, json!([["1.10", "9223372036854775807", 5, 1.5, true], [null, null, null, "NaN", null]]));
    assert_eq!(
        texts(&made),
        r#"[{"d":1.10,"n":9223372036854775807,"i":5,"x":1.5,"b":true},{"d":null,"n":null,"i":null,"x":"NaN","b":null}]"#
    );
    assert_eq!(value_text(&made.rows()[0]["d"]), "1.10");
}

#[test]
fn timestamps_have_milliseconds_and_cuts_are_told() {
    let made = output(
        &[("t", "timestamp"), ("u", "TIMESTAMP"), ("n", "timestamp_ntz"), ("d", "date")],
        json!([["2024-06-01T12:00:00Z", "2024-06-01T12:00:00.000250Z", "2024-06-01T12:00:00.5", "2024-06-01"]]),
    );
    assert_eq!(
        texts(&made),
        r#"[{"t":"2024-06-01T12:00:00.000Z","u":"2024-06-01T12:00:00.000Z","n":"2024-06-01T12:00:00.500","d":"2024-06-01"}]"#
    );
    assert_eq!(made.columns_cut_to_millis(), ["u"]);
}

#[test]
fn nested_values_become_nested_json() {
    let made = output(
        &[
            ("a", "array<timestamp>"),
            ("m", "map<string,decimal(5,2)>"),
            ("s", "struct<`x:y`:string,t:array<struct<at:timestamp>>>"),
        ],
        json!([[
            ["2024-01-01T00:00:00Z"],
            [["k", "1.50"]],
            {"x:y": "z", "t": [{"at": "2024-01-01T00:00:00.000001Z"}]}
        ]]),
    );
    assert_eq!(
        texts(&made),
        r#"[{"a":["2024-01-01T00:00:00.000Z"],"m":{"k":1.50},"s":{"x:y":"z","t":[{"at":"2024-01-01T00:00:00.000Z"}]}}]"#
    );
    assert_eq!(made.columns_cut_to_millis(), ["s"]);
}

#[test]
fn odd_types_are_passed_on() {
    let deep = format!("{}int{}", "array<".repeat(100), ">".repeat(100));
    let made = output(
        &[("a", "map<int>"), ("b", "struct<x>"), ("c", &deep), ("d", "array<"), ("e", "arräy<int>")],
        json!([[[1], {"x": "1"}, [[["2"]]], ["3"]]]),
    );
    assert_eq!(texts(&made), r#"[{"a":[1],"b":{"x":"1"},"c":[[["2"]]],"d":["3"],"e":null}]"#);
}

#[test]
fn the_limits_are_exact_and_name_both_sizes() {
    let rows = |n: usize| json!(vec![json!(["x"]); n]);
    assert_eq!(output(&[("a", "string")], rows(1_000)).problem(), None);
    let over = output(&[("a", "string")], rows(1_001));
    assert!(matches!(over.problem(), Some(OutputProblem::TooLarge(sizes)) if sizes.is_by_rows()));
    assert_eq!((over.n_rows(), over.rows().len()), (1_001, 1_000));
    assert!(over.problem().unwrap().to_string().starts_with("is too large: 1001 of 1000 rows and 10011"));

    // `[{"a":"…"}]` is ten bytes around the text.
    let text = |n: usize| json!([["x".repeat(n)]]);
    let most = Limits::default().task_output_bytes_max;
    let full = output(&[("a", "string")], text(most - 10));
    assert_eq!((full.size_bytes(), full.problem()), (most, None));
    let over = output(&[("a", "string")], text(most - 9));
    assert!(matches!(over.problem(), Some(OutputProblem::TooLarge(sizes)) if !sizes.is_by_rows()));
    assert!(over.rows().is_empty());
}

#[test]
fn sizes_are_those_of_the_whole_array() {
    let made = output(&[("a", "string"), ("b", "int")], json!([["é\n", 1], ["y", null]]));
    assert_eq!(made.size_bytes(), texts(&made).len());
    assert_eq!(output(&[("a", "string")], json!([])).size_bytes(), 2);
}

#[test]
fn two_columns_of_one_name_cannot_be_read() {
    let made = output(&[("a", "string"), ("a", "string")], json!([["1", "2"]]));
    assert_eq!(made.problem(), Some(&OutputProblem::DuplicateColumn("a".to_owned())));
    assert_eq!((made.n_rows(), made.rows().len()), (1, 0));
}

#[test]
fn a_row_more_than_the_limit_is_one_too_many() {
    let limits = Limits { task_output_rows_max: 2, ..Limits::default() };
    let output = |n_rows: i32| {
        let columns = vec![OutputColumn { name: "n".to_owned(), type_name: "int".to_owned() }];
        TaskOutput::new(columns, (0..n_rows).map(|n| vec![json!(n)]), &limits)
    };
    assert_eq!(output(2).problem(), None);
    match output(3).problem() {
        Some(OutputProblem::TooLarge(over)) => {
            assert!(over.is_by_rows());
            assert_eq!((over.n_rows, over.n_rows_max), (3, 2));
        }
        other => panic!("{other:?}"),
    }
}
