use super::*;
use crate::jobs::task_form::TaskType;

fn settings() -> Value {
    json!({
        "name": "Incremental table copy",
        "max_concurrent_runs": 1,
        "tasks": [
            { "task_key": "read", "sql_task": { "query": { "text": "SELECT 1" } } },
            {
                "task_key": "copy",
                "depends_on": [{ "task_key": "read" }],
                "for_each_task": { "inputs": "{{tasks.read.output.rows}}", "task": { "task_key": "one", "notebook_task": {} } }
            },
            { "task_key": "tell", "depends_on": [{ "task_key": "copy" }], "notebook_task": { "notebook_path": "tell" } }
        ]
    })
}

#[test]
fn tasks_are_added_at_the_end_and_changed_in_place() {
    let form = TaskForm { key: "more".into(), sql: "SELECT 2".into(), ..TaskForm::default() };
    let added = with_task(&settings(), None, &form);
    assert_eq!(task_keys(&added), ["read", "copy", "tell", "more"]);
    let mut form = TaskForm::read(task(&added, "read").unwrap());
    form.sql = "SELECT 3".into();
    let changed = with_task(&added, Some("read"), &form);
    assert_eq!(task_keys(&changed), ["read", "copy", "tell", "more"]);
    assert_eq!(changed["tasks"][0]["sql_task"]["query"]["text"], "SELECT 3");
    assert_eq!(changed["max_concurrent_runs"], 1);
}

#[test]
fn a_first_task_makes_the_list() {
    let form = TaskForm { key: "a".into(), kind: TaskType::Notebook, ..TaskForm::default() };
    for empty in [json!({ "name": "x" }), json!({ "name": "x", "tasks": null }), new_job("x")] {
        assert_eq!(task_keys(&with_task(&empty, None, &form)), ["a"]);
    }
    assert_eq!(with_task(&json!(5), None, &form), json!(5));
}

#[test]
fn a_renamed_task_keeps_who_waits_for_it_and_who_reads_it() {
    let mut form = TaskForm::read(task(&settings(), "read").unwrap());
    form.key = "read_watermarks".into();
    let renamed = with_task(&settings(), Some("read"), &form);
    assert_eq!(dependents(&renamed, "read_watermarks"), ["copy"]);
    assert_eq!(renamed["tasks"][1]["for_each_task"]["inputs"], "{{tasks.read_watermarks.output.rows}}");
}

#[test]
fn a_deleted_task_leaves_no_edges() {
    let left = without_task(&settings(), "copy");
    assert_eq!(task_keys(&left), ["read", "tell"]);
    assert_eq!(left["tasks"][1].get("depends_on"), None);
}

#[test]
fn of_two_tasks_of_one_name_one_is_renamed_or_deleted() {
    let mut double = settings();
    double["tasks"].as_array_mut().unwrap().push(json!({ "task_key": "copy", "sql_task": {} }));
    let left = without_task(&double, "copy");
    assert_eq!(task_keys(&left), ["read", "tell", "copy"]);
    assert_eq!(dependents(&left, "copy"), ["tell"], "there still is a task of that name to wait for");
    let mut form = TaskForm::read(task(&double, "copy").unwrap());
    form.key = "copy_tables".into();
    let renamed = with_task(&double, Some("copy"), &form);
    assert_eq!(task_keys(&renamed), ["read", "copy_tables", "tell", "copy"]);
    assert_eq!(dependents(&renamed, "copy"), ["tell"]);
}

#[test]
fn upstream_goes_all_the_way() {
    assert_eq!(upstream(&settings(), &["copy".into()]), ["read", "copy"]);
    assert_eq!(upstream(&settings(), &["nobody".into()]), Vec::<String>::new());
    let circle = json!({ "tasks": [{ "task_key": "a", "depends_on": [{ "task_key": "a" }] }] });
    assert_eq!(upstream(&circle, &["a".into()]), ["a"]);
}

#[test]
fn a_nested_task_is_found_in_its_loop() {
    assert_eq!(outer_task(&settings(), "one"), Some("copy"));
    assert_eq!(outer_task(&settings(), "read"), Some("read"));
    assert_eq!(outer_task(&settings(), "none"), None);
}

#[test]
fn free_names_count_up() {
    assert_eq!(free_name("New job", []), "New job");
    assert_eq!(free_name("New job", ["New job", "New job 2"]), "New job 3");
    assert_eq!(with_name(&new_job("a"), "b"), new_job("b"));
}
