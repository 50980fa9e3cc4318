use super::*;
use crate::read::ValidateOptions;
use serde_json::{Value, json};

fn read(task: &Value) -> (Task, Vec<String>) {
    let options = ValidateOptions::default();
    let mut reader = Reader::new(&options);
    let task = Task::read(&Fields::new(task.as_object().unwrap(), "t"), false, &mut reader);
    (task, reader.problems.iter().map(|problem| format!("{} {}", problem.kind, problem.path)).collect())
}

#[test]
fn every_type_reads_its_settings() {
    let types = [
        json!({"sql_task": {"warehouse_id": "w", "query": {"query_id": "q"}, "parameters": {"n": 5, "b": true}}}),
        json!({"notebook_task": {"notebook_path": "/a", "source": "", "base_parameters": {"m": "{{input}}"}}}),
        json!({"condition_task": {"op": "LESS_THAN", "left": "1", "right": 2}}),
        json!({"run_job_task": {"job_id": 7, "job_parameters": {"a": "1"}}}),
        json!({"pipeline_task": {"pipeline_id": "p", "full_refresh": true}}),
        json!({"spark_python_task": {"python_file": "/x.py", "parameters": ["--n", 5]}}),
        json!({"dbt_task": {"commands": []}}),
        json!({"for_each_task": {"inputs": "[1]", "task": {"task_key": "n", "dbt_task": {}}}}),
    ];
    for mut settings in types {
        let name = settings.as_object().unwrap().keys().next().unwrap().clone();
        settings["task_key"] = json!("k");
        let (task, problems) = read(&settings);
        assert_eq!((task.kind.type_name(), problems), (name.as_str(), vec![]));
    }
}

#[test]
fn parameters_that_are_no_text_are_taken_as_their_text() {
    let settings = r#"{"task_key": "k", "sql_task": {
        "warehouse_id": "w", "file": {"path": "/a.sql"}, "parameters": {"n": 1.50, "b": true, "x": [1]}}}"#;
    let (task, _) = read(&serde_json::from_str(settings).unwrap());
    let parameters = task.kind.parameters().unwrap();
    assert_eq!(parameters.iter().map(|(k, v)| format!("{k}={v}")).collect::<Vec<_>>(), ["n=1.50", "b=true"]);
}

#[test]
fn templates_have_their_paths() {
    let (task, _) = read(&json!({"task_key": "k", "for_each_task": {"inputs": "{{tasks.q.output.rows}}", "task": {
        "task_key": "n", "notebook_task": {"notebook_path": "/a", "base_parameters": {"m": "{{input.m}}"}}}}}));
    let fields: Vec<String> = task.templates().iter().map(|f| format!("{} {}", f.path, f.nested)).collect();
    assert_eq!(
        fields,
        [
            "for_each_task.inputs false",
            "for_each_task.task.notebook_task.notebook_path true",
            "for_each_task.task.notebook_task.base_parameters.m true",
        ]
    );
}

#[test]
fn references_are_listed_with_their_places() {
    let (task, _) = read(&json!({"task_key": "k", "for_each_task": {"inputs": "{{tasks.q.output.rows}}", "task": {
        "task_key": "n", "notebook_task": {"notebook_path": "/{{nope}}", "base_parameters": {"m": "{{input.m}}{{job.id}}"}}}}}));
    let references: Vec<String> =
        task.references().iter().map(|r| format!("{} {:?} {}", r.path, r.reference, r.nested)).collect();
    assert_eq!(references.len(), 3);
    assert!(references[0].starts_with("for_each_task.inputs Upstream"));
    assert_eq!(references[1], "for_each_task.task.notebook_task.base_parameters.m Input([\"m\"]) true");
    assert_eq!(references[2], "for_each_task.task.notebook_task.base_parameters.m JobId true");
}

#[test]
fn settings_beside_their_type_are_refused() {
    let (_, problems) =
        read(&json!({"task_key": "k", "notebook_path": "/a", "for_each_task": {"inputs": "[]", "task": {
        "task_key": "n", "notebook_task": {"notebook_path": "/a"}}}}));
    assert_eq!(problems, ["misplaced_field t.notebook_path"]);
}

#[test]
fn retries_may_go_on_forever() {
    let settings = |retries: i64| json!({"task_key": "k", "dbt_task": {}, "max_retries": retries});
    assert_eq!(read(&settings(-1)).0.retry.max_retries, None);
    assert_eq!(read(&settings(3)).0.retry.max_retries, Some(3));
    assert_eq!(read(&settings(-2)).1, ["below_minimum t.max_retries"]);
}

#[test]
fn literal_inputs_are_refused_before_a_run() {
    let problems = |inputs: &str| {
        read(&json!({"task_key": "k", "for_each_task": {"inputs": inputs, "task": {"task_key": "n", "dbt_task": {}}}}))
            .1
    };
    assert_eq!(problems("{\"a\":1}"), ["inputs_not_array t.for_each_task.inputs"]);
    assert_eq!(problems("NL, UK"), ["inputs_not_json t.for_each_task.inputs"]);
    assert_eq!(problems("{{foo.bar}}"), ["inputs_not_json t.for_each_task.inputs"]);
    assert!(problems("[{{job.id}}, \"x\"]").is_empty());
    let array = |n_chars: usize| format!("[\"{}\"]", "x".repeat(n_chars - 4));
    assert!(problems(&array(5_000)).is_empty());
    assert_eq!(problems(&array(5_001)), ["inputs_too_long t.for_each_task.inputs"]);
    assert_eq!(problems(&array(10_001)), ["inputs_too_long t.for_each_task.inputs"]);
}

#[test]
fn equality_compares_text_and_order_compares_numbers() {
    use ConditionOp::{EqualTo, GreaterThan, GreaterThanOrEqual, LessThan, LessThanOrEqual, NotEqual};
    for (op, left, right, expected) in [
        (EqualTo, "12.0", "12", false),
        (NotEqual, "True", "true", true),
        (GreaterThanOrEqual, "12.0", "12", true),
        (GreaterThanOrEqual, "10.0", "12", false),
        (LessThan, "-2", "-10", false),
        (LessThan, "-0.5", "0", true),
        (LessThanOrEqual, "-0", "0.00", true),
        (GreaterThan, "9007199254740993", "9007199254740992", true),
        (GreaterThan, "1e3", "999.9", true),
        (EqualTo, "", "", true),
        (LessThan, "1.5e-2", "0.0151", true),
        (GreaterThan, " 3 ", "2", true),
        (LessThan, "0.45", "0.5", true),
    ] {
        assert_eq!(op.compare(left, right), Ok(expected), "{left} {op:?} {right}");
    }
}

#[test]
fn what_is_no_number_has_no_order() {
    for text in ["", "abc", "NaN", "inf", "1e999", "1..2", "0x10", "--1", "."] {
        assert_eq!(ConditionOp::LessThan.compare(text, "1"), Err(NotANumber(text.to_owned())), "{text}");
        assert!(ConditionOp::EqualTo.compare(text, "1").is_ok());
    }
}
