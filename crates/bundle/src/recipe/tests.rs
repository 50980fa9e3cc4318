use serde_json::json;

use super::*;

fn error(value: Value) -> String {
    RecipeEntry::from_json(&value, "recipe[0]").unwrap_err().to_string()
}

#[test]
fn every_entry_reads_back_as_it_was_written() {
    for value in [
        json!({"do": "sql", "text": "SELECT 1"}),
        json!({"do": "sql", "at": "2026-03-02T09:00:00Z", "file": "src/setup.sql", "tab": "0 sample data"}),
        json!({"do": "run", "job": "Market Analysis"}),
        json!({"do": "run", "job": "Market Analysis", "parameters": {"day": "2"}}),
        json!({"do": "run", "job": "j", "repair": true, "tasks": ["a"], "iterations": {"b": [1, 2], "c": [0]}}),
        json!({"do": "run", "notebook": "src/a.py", "widgets": {"market": "UK"}}),
        json!({"do": "refresh", "table": "t", "full": true}),
        json!({"do": "advance", "by": "1 day"}),
        json!({"do": "advance", "by": "90 minutes", "run_due": false}),
        json!({"do": "advance", "to": "next schedule"}),
        json!({"do": "advance", "to": "2026-03-03T09:00:00Z"}),
        json!({"do": "fault", "fault": "fail_after_append", "iteration": 1}),
        json!({"do": "fault", "fault": "fail_after_append", "iteration": null}),
        json!({"do": "fault", "fault": "conflict", "on": false}),
    ] {
        assert_eq!(RecipeEntry::from_json(&value, "").unwrap().to_json(), value);
    }
}

#[test]
fn mistakes_name_the_field() {
    assert_eq!(
        error(json!({"do": "jump"})),
        "recipe[0].do: `jump` is not something to do; it is sql, run, refresh, advance or fault."
    );
    assert_eq!(error(json!({"do": "sql"})), "recipe[0].text: `text` or `file` is missing.");
    assert_eq!(
        error(json!({"do": "refresh", "tabel": "x", "table": "t"})),
        "recipe[0].tabel: `tabel` means nothing here. Did you mean `table`?"
    );
    assert!(error(json!({"do": "advance", "by": "0 days"})).contains("not a length of time"));
    assert!(error(json!({"do": "advance", "by": "soon"})).contains("not a length of time"));
    assert!(
        error(json!({"do": "run", "job": "j", "repair": true, "iterations": {"b": ["x"]}})).contains("iterations.b")
    );
    assert!(error(json!([])).starts_with("recipe[0]: This must be a map"));
}
