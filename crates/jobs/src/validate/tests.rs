use super::*;
use crate::read::PathStyle;
use serde_json::json;

fn kinds(settings: &Value) -> Vec<String> {
    validate(settings, &ValidateOptions::default()).iter().map(|p| format!("{} {}", p.kind, p.path)).collect()
}

fn notebook(key: &str, depends_on: &[&str]) -> Value {
    let edges: Vec<Value> = depends_on.iter().map(|key| json!({"task_key": key})).collect();
    json!({"task_key": key, "depends_on": edges, "notebook_task": {"notebook_path": "/n"}})
}

fn with_parameter(mut task: Value, template: &str) -> Value {
    task["notebook_task"]["base_parameters"] = json!({"p": template});
    task
}

fn sql(key: &str) -> Value {
    json!({"task_key": key, "sql_task": {"warehouse_id": "w", "file": {"path": "/q.sql"}}})
}

#[test]
fn all_problems_are_found_at_once() {
    let looped = json!({"task_key": "l", "timeout_seconds": 5, "max_retries": 1, "run_if": "ALWAYS", "for_each_task": {
        "inputs": [1], "concurrency": 0, "task": {"task_key": "n", "for_each_task": {}}}});
    let settings = json!({
        "name": "x".repeat(4_097),
        "parameters": [{"name": "a b", "default": "1"}, {"name": "c"}, {"name": "c", "default": "2"}],
        "schedule": {"quartz_cron_expression": "0 0 9 * * ?"},
        "continuous": {"pause_status": "STOPPED"},
        "triggers": [{"periodic": {"interval": 0, "unit": "YEARS"}}],
        "tasks": [looped, notebook("b", &["c"]), notebook("c", &["b"]), notebook("b", &["nowhere", "b"])],
    });
    assert_eq!(
        kinds(&settings),
        [
            "name_too_long name",
            "schedule_and_continuous continuous",
            "missing_required schedule.timezone_id",
            "bad_enum continuous.pause_status",
            "triggers_with_legacy_trigger triggers",
            "below_minimum triggers[0].periodic.interval",
            "bad_enum triggers[0].periodic.unit",
            "bad_parameter_name parameters[0].name",
            "missing_required parameters[1].default",
            "duplicate_parameter_name parameters[2].name",
            "inputs_not_string tasks[0].for_each_task.inputs",
            "concurrency_out_of_range tasks[0].for_each_task.concurrency",
            "nested_for_each tasks[0].for_each_task.task.for_each_task",
            "bad_enum tasks[0].run_if",
            "retries_on_for_each tasks[0].max_retries",
            "timeout_on_for_each tasks[0].timeout_seconds",
            "duplicate_task_key tasks[3].task_key",
            "unknown_dependency tasks[3].depends_on[0]",
            "self_dependency tasks[3].depends_on[1]",
        ]
    );
}

#[test]
fn a_cycle_names_its_tasks_and_an_edge_of_it() {
    let settings = json!({"tasks": [notebook("a", &["c"]), notebook("b", &["a"]), notebook("c", &["x", "b"]), notebook("x", &[])]});
    let problems = validate(&settings, &ValidateOptions::default());
    assert_eq!(problems.len(), 1);
    assert_eq!((problems[0].kind, problems[0].path.as_str()), (ProblemKind::DependencyCycle, "tasks[0].depends_on[0]"));
    assert!(problems[0].message.contains("a → b → c → a"));
}

#[test]
fn outcomes_belong_to_conditions() {
    let edge = |outcome: &str| {
        let mut task = notebook("b", &["a"]);
        task["depends_on"][0]["outcome"] = json!(outcome);
        task
    };
    let condition = json!({"task_key": "a", "condition_task": {"op": "EQUAL_TO", "left": "1", "right": "1"}});
    assert!(kinds(&json!({"tasks": [condition, edge("true")]})).is_empty());
    assert_eq!(kinds(&json!({"tasks": [condition, edge("yes")]})), ["bad_outcome tasks[1].depends_on[0].outcome"]);
    let problems = validate(&json!({"tasks": [notebook("a", &[]), edge("false")]}), &ValidateOptions::default());
    assert_eq!(problems[0].kind, ProblemKind::OutcomeOnNonCondition);
    assert!(problems[0].message.contains("specifies an outcome \"false\""));
}

#[test]
fn references_must_lead_upstream() {
    let at = "tasks[2].notebook_task.base_parameters.p";
    let check = |template: &str| {
        kinds(&json!({"parameters": [{"name": "q", "default": "{{job.start_time.iso_date}}"}], "tasks": [
            sql("s"), notebook("n", &["s"]), with_parameter(notebook("t", &["n"]), template)]}))
    };
    for valid in [
        "{{tasks.s.output.rows}}",
        "{{tasks.n.values.k}}",
        "{{job.parameters.q}}",
        "{{foo.bar}}",
        "{{job.id + 1}}",
        "{{backfill.iso_date}}",
    ] {
        assert_eq!(check(valid), [""; 0], "{valid}");
    }
    for (template, kind) in [
        ("{{tasks.n.output.rows}}", "output_namespace_unsupported"),
        ("{{tasks.s.output.alert_state}}", "invalid_reference"),
        ("{{tasks.t.values.k}}", "reference_not_upstream"),
        ("{{tasks.nowhere.values.k}}", "reference_not_upstream"),
        ("{{job.parameters.r}}", "invalid_reference"),
        ("{{input.x}}", "invalid_reference"),
        ("{{job.notebook_url}}", "invalid_reference"),
        ("{{tasks.s.outputs}}", "invalid_reference"),
    ] {
        assert_eq!(check(template), [format!("{kind} {at}")], "{template}");
    }
}

#[test]
fn the_nested_task_sees_the_input_and_what_is_before_the_loop() {
    let looped = |template: &str| {
        json!({"tasks": [sql("s"), {"task_key": "l", "depends_on": [{"task_key": "s"}], "for_each_task": {
            "inputs": "{{tasks.s.output.rows}}", "task": with_parameter(notebook("n", &[]), template)}}]})
    };
    assert!(kinds(&looped("{{input.market}}")).is_empty());
    assert!(kinds(&looped("{{tasks.s.output.first_row.a}}")).is_empty());
    let at = "tasks[1].for_each_task.task.notebook_task.base_parameters.p";
    assert_eq!(kinds(&looped("{{tasks.l.run_id}}")), [format!("reference_not_upstream {at}")]);
}

#[test]
fn job_parameters_refer_to_the_run_only() {
    let check = |default: &str| kinds(&json!({"parameters": [{"name": "p", "default": default}]}));
    assert!(check("{{job.start_time.iso_date}}").is_empty());
    for template in ["{{job.parameters.p}}", "{{tasks.a.values.k}}", "{{task.name}}", "{{input}}"] {
        assert_eq!(check(template), ["invalid_reference parameters[0].default"], "{template}");
    }
}

#[test]
fn shadowed_parameters_are_warned_of() {
    let looped = json!({"task_key": "l", "for_each_task": {"inputs": "[]", "task": {"task_key": "n", "sql_task": {
        "warehouse_id": "w", "file": {"path": "/a"}, "parameters": {"d": "1", "e": "2"}}}}});
    let settings = json!({"parameters": [{"name": "d", "default": ""}], "tasks": [looped]});
    let problems = validate(&settings, &ValidateOptions::default());
    assert_eq!(problems.len(), 1);
    assert_eq!(problems[0].path, "tasks[0].for_each_task.task.sql_task.parameters.d");
    assert!(!problems[0].is_error());
}

#[test]
fn bundles_may_write_relative_paths() {
    let settings = json!({"tasks": [{"task_key": "t", "notebook_task": {"notebook_path": "../src/a.py"}}]});
    assert_eq!(kinds(&settings), ["path_not_absolute tasks[0].notebook_task.notebook_path"]);
    let options = ValidateOptions { paths: PathStyle::Bundle, ..ValidateOptions::default() };
    assert!(validate(&settings, &options).is_empty());
    let git = json!({"git_source": {}, "tasks": [{"task_key": "t", "notebook_task": {"notebook_path": "./a"}}]});
    assert_eq!(kinds(&git), ["path_not_relative tasks[0].notebook_task.notebook_path"]);
}

#[test]
fn limits_hold_at_their_edge() {
    let tasks = |n: usize| json!({"tasks": (0..n).map(|i| notebook(&format!("t{i}"), &[])).collect::<Vec<_>>()});
    assert!(kinds(&tasks(1_000)).is_empty());
    assert_eq!(kinds(&tasks(1_001)), ["too_many_tasks tasks"]);
    let tags =
        |n: usize| json!({"tags": (0..n).map(|i| (i.to_string(), json!(""))).collect::<serde_json::Map<_, _>>()});
    assert!(kinds(&tags(25)).is_empty());
    assert_eq!(kinds(&tags(26)), ["too_many_tags tags"]);
    assert!(kinds(&json!({"max_concurrent_runs": 0})).is_empty());
    assert!(kinds(&json!({"max_concurrent_runs": 1_000})).is_empty());
    assert_eq!(kinds(&json!({"max_concurrent_runs": -1})), ["max_concurrent_runs_range max_concurrent_runs"]);
    let key = |n: usize| json!({"tasks": [notebook(&"k".repeat(n), &[])]});
    assert!(kinds(&key(100)).is_empty());
    assert_eq!(kinds(&key(101)), ["bad_task_key tasks[0].task_key"]);
}

#[test]
fn table_triggers_need_full_names() {
    let check = |name: &str| kinds(&json!({"trigger": {"table_update": {"table_names": [name]}}}));
    assert!(check("a.b.c").is_empty());
    assert!(check("a.`x.y`.c").is_empty());
    for name in ["a.b", "a.b.c.d", "a..c", "", "a.b.``", "a.`b`x.c"] {
        assert_eq!(check(name), ["bad_table_name trigger.table_update.table_names[0]"], "{name}");
    }
}

#[test]
fn run_requests_are_checked_against_the_job() {
    let job = json!({"tasks": [notebook("a", &[]), notebook("b", &["a"]), notebook("c", &["b"])]});
    let options = ValidateOptions::default();
    let check = |request: Value| {
        let problems = validate_request(&job, &request, &options);
        problems.iter().map(|p| format!("{} {}", p.kind, p.path)).collect::<Vec<_>>()
    };
    assert!(check(json!({"job_parameters": {"x": "1"}, "only": ["+b"]})).is_empty());
    assert_eq!(check(json!({"job_parameters": {}, "notebook_params": {}})), ["job_parameters_conflict run_now"]);
    assert_eq!(check(json!({"only": ["a", "z+"]})), ["unknown_task run_now.only[1]"]);
}

#[test]
fn a_request_selects_tasks_with_what_is_around_them() {
    let mut off = notebook("off", &[]);
    off["disabled"] = json!(true);
    let settings = json!({"tasks": [off, notebook("a", &["off"]), notebook("b", &["a"]), notebook("c", &["b"])]});
    let job = Job::from_value(&settings, &ValidateOptions::default()).unwrap();
    let selected = |only: &[&str]| {
        let request = RunRequest { only: only.iter().map(|s| (*s).to_owned()).collect(), ..RunRequest::default() };
        request.selected(&job).iter().map(|key| key.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(selected(&[]), ["off", "a", "b", "c"]);
    assert_eq!(selected(&["b"]), ["b"]);
    assert_eq!(selected(&["+b"]), ["a", "b"]);
    assert_eq!(selected(&["b+"]), ["b", "c"]);
    assert_eq!(selected(&["+b+", "off"]), ["off", "a", "b", "c"]);
}
