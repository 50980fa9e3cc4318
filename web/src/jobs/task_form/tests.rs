use super::*;

fn for_each() -> Value {
    json!({
        "task_key": "copy_tables",
        "depends_on": [{ "task_key": "read_watermarks" }],
        "max_retries": 1,
        "for_each_task": {
            "inputs": "{{tasks.read_watermarks.output.rows}}",
            "concurrency": 2,
            "task": {
                "task_key": "copy_incremental",
                "notebook_task": {
                    "notebook_path": "src/copy_incremental.py",
                    "source": "WORKSPACE",
                    "base_parameters": { "source_table": "{{input.source_table}}" }
                }
            }
        }
    })
}

#[test]
fn a_form_that_nobody_touched_writes_what_it_read() {
    let tasks = [
        for_each(),
        json!({ "task_key": "a", "sql_task": { "warehouse_id": "w", "file": { "path": "a.sql" }, "query": { "text": "SELECT 1" } } }),
        json!({ "task_key": "b", "depends_on": [{ "task_key": "a", "outcome": "true" }], "condition_task": { "op": "EQUAL_TO" } }),
        json!({ "task_key": "d", "run_job_task": { "job_id": 7, "job_parameters": { "day": "{{job.start_time.iso_date}}" } } }),
        json!({ "task_key": "e", "condition_task": { "op": "LESS_THAN", "left": 5, "right": "{{input}}" } }),
        json!({ "task_key": "c", "notebook_task": { "notebook_path": "c", "base_parameters": { "n": 5, "empty": null } } }),
    ];
    for task in tasks {
        assert_eq!(TaskForm::read(&task).write(Some(&task)), task);
    }
}

#[test]
fn the_tutorial_loop_is_built_from_nothing() {
    let parameter = |key: &str| ParameterRow { key: key.to_owned(), value: format!("{{{{input.{key}}}}}") };
    let form = TaskForm {
        key: "copy_tables".into(),
        kind: TaskType::ForEach,
        depends_on: vec!["read_watermarks".into()],
        inputs: "{{tasks.read_watermarks.output.rows}}".into(),
        concurrency: "2".into(),
        nested: Some(Box::new(TaskForm {
            key: "copy_incremental".into(),
            kind: TaskType::Notebook,
            path: "src/copy_incremental.py".into(),
            parameters: vec![parameter("source_table"), ParameterRow::default()],
            ..TaskForm::default()
        })),
        ..TaskForm::default()
    };
    assert_eq!(
        form.write(None),
        json!({
            "task_key": "copy_tables",
            "depends_on": [{ "task_key": "read_watermarks" }],
            "for_each_task": {
                "inputs": "{{tasks.read_watermarks.output.rows}}",
                "concurrency": 2,
                "task": {
                    "task_key": "copy_incremental",
                    "notebook_task": {
                        "notebook_path": "src/copy_incremental.py",
                        "base_parameters": { "source_table": "{{input.source_table}}" }
                    }
                }
            }
        })
    );
}

#[test]
fn a_new_sql_task_is_its_text() {
    let form = TaskForm { key: "read".into(), sql: "SELECT 1".into(), ..TaskForm::default() };
    let task = form.write(None);
    assert_eq!(task, json!({ "task_key": "read", "sql_task": { "query": { "text": "SELECT 1" } } }));
    assert_eq!(TaskForm::read(&task), form);
}

#[test]
fn a_change_of_type_leaves_one_type() {
    let task = json!({ "task_key": "a", "timeout_seconds": 5, "sql_task": { "query": { "text": "SELECT 1" } } });
    let mut form = TaskForm::read(&task);
    form.kind = TaskType::Notebook;
    form.path = "n.py".into();
    let written = form.write(Some(&task));
    assert_eq!(written, json!({ "task_key": "a", "timeout_seconds": 5, "notebook_task": { "notebook_path": "n.py" } }));
    form.kind = TaskType::Sql;
    assert_eq!(form.sql, "SELECT 1", "the other type's field is kept in the form");
}

#[test]
fn a_concurrency_that_is_no_number_is_left_to_validation() {
    let write = |typed: &str| {
        let mut form = TaskForm::read(&for_each());
        form.concurrency = typed.to_owned();
        form.write(Some(&for_each()))["for_each_task"].get("concurrency").cloned()
    };
    assert_eq!(write("101"), Some(json!(101)));
    assert_eq!(write(" 3 "), Some(json!(3)));
    assert_eq!(write("many"), Some(json!("many")));
    assert_eq!(write(""), None);
}

#[test]
fn dependencies_keep_what_else_they_say() {
    let task = json!({ "task_key": "a", "depends_on": [{ "task_key": "check", "outcome": "true" }], "sql_task": {} });
    let mut form = TaskForm::read(&task);
    form.depends_on.push("read".into());
    assert_eq!(
        form.write(Some(&task))["depends_on"],
        json!([{ "task_key": "check", "outcome": "true" }, { "task_key": "read" }])
    );
    form.depends_on = vec![String::new()];
    assert_eq!(form.write(Some(&task)).get("depends_on"), None);
}

#[test]
fn a_task_waits_for_an_outcome() {
    let mut form = TaskForm { key: "a".into(), sql: "SELECT 1".into(), ..TaskForm::default() };
    form.depends_on = vec!["check".into(), "read".into()];
    form.outcomes.insert("check".into(), "true".into());
    let task = form.write(None);
    assert_eq!(task["depends_on"], json!([{ "task_key": "check", "outcome": "true" }, { "task_key": "read" }]));
    assert_eq!(TaskForm::read(&task), form);
    form.outcomes.clear();
    assert_eq!(form.write(Some(&task))["depends_on"], json!([{ "task_key": "check" }, { "task_key": "read" }]));
}

#[test]
fn what_is_empty_is_left_out_so_that_it_is_missed() {
    let condition = TaskForm { key: "a".into(), kind: TaskType::Condition, left: "1".into(), ..TaskForm::default() };
    assert_eq!(condition.write(None), json!({ "task_key": "a", "condition_task": { "op": "EQUAL_TO", "left": "1" } }));
    let job = TaskForm { key: "b".into(), kind: TaskType::RunJob, ..TaskForm::default() };
    assert_eq!(job.write(None), json!({ "task_key": "b", "run_job_task": {} }));
    let notebook = TaskForm { key: "c".into(), kind: TaskType::Notebook, ..TaskForm::default() };
    assert_eq!(notebook.write(None), json!({ "task_key": "c", "notebook_task": {} }));
}

#[test]
fn settings_of_another_form_read_as_empty() {
    let form =
        TaskForm::read(&json!({ "task_key": 5, "depends_on": "x", "for_each_task": { "inputs": ["a"], "task": 1 } }));
    assert_eq!((form.key.as_str(), form.inputs.as_str()), ("5", r#"["a"]"#));
    assert_eq!(form.nested.unwrap().kind, TaskType::Other(String::new()));
    assert_eq!(TaskForm::read(&Value::Null).kind, TaskType::Other(String::new()));
}
