//! Jobs as the page writes, checks and runs them.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails where it cannot go on")]

mod support;

use lakelet_base::{Limits, Seed, Timestamp};
use lakelet_protocol::{EventBody, FaultsView, JobView, RepairRequest, RequestBody, ResponseBody, RunState, RunView};
use lakelet_store::MemoryStorage;
use lakelet_workspace::{ClockMode, NoPython, Workspace, WorkspaceOptions};
use serde_json::{Map, Value, json};
use support::{Answer, SharedLog, answers, ask, ask_with, iterations, query, run, sql, tutorial};

fn empty() -> Workspace {
    SharedLog::default().open()
}

fn job(answer: Answer) -> JobView {
    match answer.unwrap() {
        ResponseBody::Job(view) => view,
        other => panic!("{other:?}"),
    }
}

fn save(workspace: &mut Workspace, job_name: Option<&str>, settings: Value) -> JobView {
    job(ask(workspace, RequestBody::SaveJob { job: job_name.map(str::to_owned), settings }))
}

fn sql_task(key: &str, text: &str, depends_on: &[&str]) -> Value {
    let edges: Vec<Value> = depends_on.iter().map(|key| json!({"task_key": key})).collect();
    json!({"task_key": key, "depends_on": edges, "sql_task": {"warehouse_id": "w", "query": {"text": text}}})
}

fn states(view: &RunView) -> Vec<String> {
    view.tasks.iter().map(|task| format!("{} {}", task.task_key, task.state.word())).collect()
}

#[test]
fn a_job_is_built_task_by_task() {
    let mut workspace = tutorial(&SharedLog::default(), "t1");
    let view = save(&mut workspace, None, json!({"name": "My copy"}));
    assert_eq!((view.name.as_str(), view.graph.nodes.len()), ("My copy", 0));

    let mut settings = view.settings;
    settings["tasks"] =
        json!([sql_task("read_watermarks", "SELECT source_table, target_table FROM config.watermarks", &[])]);
    let view = save(&mut workspace, Some("My copy"), settings);
    assert_eq!(view.problems, []);
    let task = &view.settings["tasks"][0]["sql_task"];
    assert_eq!(task["query"]["text"], "SELECT source_table, target_table FROM config.watermarks");
    // The tutorial's file of that name is left alone.
    assert_eq!(task["file"]["path"], "src/my_copy/read_watermarks.sql");

    let mut settings = view.settings;
    settings["tasks"].as_array_mut().unwrap().push(json!({
        "task_key": "copy_tables",
        "depends_on": [{"task_key": "read_watermarks"}],
        "for_each_task": {
            "inputs": "{{tasks.read_watermarks.output.rows}}",
            "concurrency": 2,
            "task": {
                "task_key": "copy_incremental",
                "notebook_task": {
                    "notebook_path": "/Workspace/Users/<username>/copy_incremental",
                    "base_parameters": {
                        "source_table": "{{input.source_table}}",
                        "target_table": "{{input.target_table}}",
                        "watermark_column": "updated_at",
                        "last_watermark": "1970-01-01",
                    },
                },
            },
        },
    }));
    let view = save(&mut workspace, Some("My copy"), settings.clone());
    assert_eq!(view.problems, []);
    let preview = &view.inputs[0];
    assert_eq!((preview.task_key.as_str(), preview.n_items, &preview.problem), ("copy_tables", 2, &None));
    assert_eq!(preview.first[0], r#"{"source_table":"sales.raw_orders","target_table":"sales.orders"}"#);
    assert_eq!(preview.parameters[0].value, "sales.raw_orders");
    let nodes = &view.graph.nodes;
    assert_eq!(
        (nodes[1].key.as_str(), nodes[1].type_name.as_str(), nodes[1].children.len()),
        ("copy_tables", "For each", 1)
    );
    assert_eq!(nodes[1].depends_on, ["read_watermarks"]);
    assert!(workspace.files()["resources/my_copy.job.yml"].contains("notebook_path"));

    // A slip in a parameter is seen before the run, and the run is refused with it.
    settings["tasks"][1]["for_each_task"]["task"]["notebook_task"]["base_parameters"]["source_table"] =
        json!("{{input.source_tabel}}");
    let before = workspace.files();
    let view = job(ask(&mut workspace, RequestBody::ValidateJob { settings: settings.clone() }));
    assert_eq!(workspace.files(), before);
    let problem = &view.problems[0];
    assert_eq!((problem.severity.as_str(), problem.kind.as_str()), ("error", "input_key_missing"));
    assert_eq!(problem.path, "tasks[1].for_each_task.task.notebook_task.base_parameters.source_table");
    assert_eq!(problem.suggestion.as_deref(), Some("did you mean source_table?"));
    assert!(view.inputs[0].problem.as_ref().unwrap().contains("source_tabel"));
    save(&mut workspace, Some("My copy"), settings);
    let refused =
        ask(&mut workspace, RequestBody::RunJob { job: "My copy".to_owned(), params: Map::new(), only: Vec::new() })
            .unwrap_err();
    assert_eq!(refused.condition, "INVALID_RUN_CONFIGURATION");
    assert!(refused.message.contains("source_tabel"), "{}", refused.message);
}

#[test]
fn another_sql_file_keeps_its_text() {
    let mut workspace = tutorial(&SharedLog::default(), "t2");
    let view = workspace.job_view("Market totals").unwrap();
    let mut settings = view.settings.clone();
    settings["tasks"][0]["sql_task"]["file"]["path"] = json!("src/market_totals.sql");
    let before = workspace.files()["src/market_totals.sql"].clone();
    save(&mut workspace, Some("Market totals"), settings);
    assert_eq!(workspace.files()["src/market_totals.sql"], before);
    // The same path with another text is an edit.
    let mut settings = view.settings;
    settings["tasks"][1]["for_each_task"]["task"]["sql_task"]["query"]["text"] = json!("SELECT :market, :currency");
    save(&mut workspace, Some("Market totals"), settings);
    assert_eq!(workspace.files()["src/market_totals.sql"], "SELECT :market, :currency");
    assert!(workspace.files()["resources/market_totals.job.yml"].contains("${var.warehouse_id}"));
}

/// The job "Market totals" with a change of its first task.
fn changed_task(workspace: &Workspace, change: impl FnOnce(&mut Value)) -> Value {
    let mut settings = workspace.job_view("Market totals").unwrap().settings;
    change(&mut settings["tasks"][0]);
    settings
}

#[test]
fn sql_typed_into_a_task_that_is_renamed_is_saved() {
    let mut workspace = tutorial(&SharedLog::default(), "t2");
    let settings = changed_task(&workspace, |task| {
        task["task_key"] = json!("read");
        task["sql_task"]["query"]["text"] = json!("SELECT market, currency FROM config.markets LIMIT 1");
    });
    let view = save(&mut workspace, Some("Market totals"), settings);
    let sql = &view.settings["tasks"][0]["sql_task"];
    assert_eq!(sql["query"]["text"], "SELECT market, currency FROM config.markets LIMIT 1");
    assert_eq!(sql["file"]["path"], "src/read_markets.sql");
}

#[test]
fn a_text_typed_over_another_file_is_refused_rather_than_lost() {
    let mut workspace = tutorial(&SharedLog::default(), "t2");
    let settings = changed_task(&workspace, |task| {
        task["sql_task"]["file"]["path"] = json!("src/market_totals.sql");
        task["sql_task"]["query"]["text"] = json!("SELECT 1");
    });
    let before = workspace.files();
    let body = RequestBody::SaveJob { job: Some("Market totals".to_owned()), settings };
    let refused = ask(&mut workspace, body).unwrap_err();
    assert_eq!(refused.condition, "LAKELET_JOB_NOT_SAVED");
    assert!(refused.message.contains("src/market_totals.sql"), "{}", refused.message);
    assert_eq!(workspace.files(), before);
}

#[test]
fn a_job_without_tasks_does_not_run() {
    let mut workspace = empty();
    save(&mut workspace, None, json!({"name": "J", "tasks": []}));
    let refused =
        ask(&mut workspace, RequestBody::RunJob { job: "J".to_owned(), params: Map::new(), only: Vec::new() })
            .unwrap_err();
    assert_eq!(refused.condition, "INVALID_RUN_CONFIGURATION");
    assert!(refused.message.contains("no tasks"), "{}", refused.message);
    assert!(workspace.run_summaries("J").unwrap().is_empty());
}

#[test]
fn jobs_are_renamed_and_deleted() {
    let mut workspace = tutorial(&SharedLog::default(), "t2");
    let view = run(&mut workspace, "Market totals", &mut NoPython);
    let mut settings = workspace.job_view("Market totals").unwrap().settings;
    settings["name"] = json!("Market Analysis");
    let body = RequestBody::SaveJob { job: Some("Market totals".to_owned()), settings: settings.clone() };
    assert_eq!(ask(&mut workspace, body).unwrap_err().condition, "LAKELET_JOB_ALREADY_EXISTS");
    settings["name"] = json!("Totals");
    let renamed = save(&mut workspace, Some("Market totals"), settings);
    // Its runs go by the new name, and the name they ran under leads to it.
    assert_eq!(renamed.runs.iter().map(|run| run.job.as_str()).collect::<Vec<_>>(), ["Totals"]);
    assert_eq!(workspace.run_view(view.summary.run_id).unwrap().summary.job, "Totals");
    assert_eq!(workspace.run_summaries("Market totals").unwrap(), renamed.runs);
    assert_eq!(job(ask(&mut workspace, RequestBody::Job { job: "Market totals".to_owned() })).name, "Totals");
    let never = ask(&mut workspace, RequestBody::Job { job: "Market total".to_owned() }).unwrap_err();
    assert_eq!(never.condition, "LAKELET_JOB_NOT_FOUND");

    ask(&mut workspace, RequestBody::DeleteJob { job: "Totals".to_owned() }).unwrap();
    assert!(workspace.run_view(view.summary.run_id).is_err());
    let gone = ask(&mut workspace, RequestBody::Job { job: "Market totals".to_owned() }).unwrap_err();
    assert_eq!(gone.condition, "LAKELET_JOB_NOT_FOUND");
    assert!(!workspace.files().contains_key("resources/market_totals.job.yml"));
    assert!(workspace.files().contains_key("src/market_totals.sql"));
    let Ok(ResponseBody::Jobs(jobs)) = ask(&mut workspace, RequestBody::Jobs) else { panic!() };
    assert_eq!(
        jobs.iter().map(|job| job.name.as_str()).collect::<Vec<_>>(),
        ["Market Analysis", "Market Analysis SQL"]
    );
    // Numbers of runs are never given out twice.
    assert_eq!(run(&mut workspace, "Market Analysis SQL", &mut NoPython).summary.run_id, view.summary.run_id + 1);
}

/// A bundle file as a lesson puts it in.
fn lesson_file(key: &str, name: &str) -> String {
    format!(
        "resources:\n  jobs:\n    {key}:\n      name: {name}\n      tasks:\n        - task_key: b\n          sql_task:\n            \
         file:\n              path: ../src/b.sql\n"
    )
}

#[test]
fn a_job_file_leaves_one_job_of_each_name() {
    let log = SharedLog::default();
    let mut workspace = log.open();
    save(&mut workspace, None, json!({"name": "New job"}));
    save(&mut workspace, Some("New job"), json!({"name": "Copy", "tasks": [sql_task("a", "SELECT 1 AS n", &[])]}));
    let first = run(&mut workspace, "Copy", &mut NoPython).summary;
    let path = "resources/copy.job.yml";
    let put = |replace: bool| RequestBody::SaveJobFile {
        path: path.to_owned(),
        text: lesson_file("lesson_copy", "Copy"),
        replace,
    };
    let before = workspace.files();
    let refused = ask(&mut workspace, put(false)).unwrap_err();
    assert_eq!(refused.condition, "LAKELET_JOB_ALREADY_EXISTS");
    assert!(refused.message.contains("resources/new_job.job.yml"), "{}", refused.message);
    assert_eq!(workspace.files(), before);

    let (answer, events) = ask_with(&mut workspace, put(true), &mut NoPython);
    assert_eq!((answer, events), (Ok(ResponseBody::Done), vec![EventBody::FilesChanged]));
    let files = workspace.files();
    assert!(files.contains_key(path) && !files.contains_key("resources/new_job.job.yml"));
    let Ok(ResponseBody::Jobs(jobs)) = ask(&mut workspace, RequestBody::Jobs) else { panic!() };
    assert_eq!(jobs.iter().map(|job| job.name.as_str()).collect::<Vec<_>>(), ["Copy"]);
    // Its runs are those of the job that made place, and the next one has the next number.
    assert_eq!(workspace.run_summaries("Copy").unwrap(), [first]);
    ask(&mut workspace, RequestBody::SaveFile { path: "src/b.sql".into(), text: Some("SELECT 2 AS n".into()) })
        .unwrap();
    assert_eq!(run(&mut workspace, "Copy", &mut NoPython).summary.number, 2);
    drop(workspace);
    let workspace = log.open();
    assert_eq!(workspace.run_summaries("Copy").unwrap().len(), 2);
}

#[test]
fn a_job_file_without_a_namesake_is_just_written() {
    let mut workspace = empty();
    save(&mut workspace, None, json!({"name": "Other"}));
    let body = |key: &str| RequestBody::SaveJobFile {
        path: "resources/copy.job.yml".to_owned(),
        text: lesson_file(key, "Copy"),
        replace: false,
    };
    ask(&mut workspace, body("copy")).unwrap();
    ask(&mut workspace, body("copy")).unwrap();
    let Ok(ResponseBody::Jobs(jobs)) = ask(&mut workspace, RequestBody::Jobs) else { panic!() };
    assert_eq!(jobs.len(), 2);
}

#[test]
fn views_say_which_faults_are_on() {
    let mut workspace = empty();
    save(&mut workspace, None, json!({"name": "Copy", "tasks": [sql_task("a", "SELECT 1 AS n", &[])]}));
    assert_eq!(workspace.job_view("Copy").unwrap().faults, FaultsView::default());
    let run_id = run(&mut workspace, "Copy", &mut NoPython).summary.run_id;
    workspace.set_append_fault(Some(0)).unwrap();
    let on = FaultsView { fail_after_append: Some(0), conflict: false };
    assert_eq!(workspace.job_view("Copy").unwrap().faults, on);
    assert_eq!(workspace.run_view(run_id).unwrap().faults, on);
    workspace.set_append_fault(None).unwrap();
    assert_eq!(workspace.run_view(run_id).unwrap().faults, FaultsView::default());
}

#[test]
fn output_is_previewed_without_a_run() {
    let mut workspace = tutorial(&SharedLog::default(), "t1");
    let preview = |workspace: &mut Workspace, sql: &str| {
        ask(workspace, RequestBody::PreviewOutput { sql: sql.to_owned(), params: Map::new() })
    };
    let sql = workspace.files()["src/read_watermarks.sql"].clone();
    let Ok(ResponseBody::Output(output)) = preview(&mut workspace, &sql) else { panic!() };
    assert_eq!((output.n_rows, output.columns.len()), (2, 4));
    assert_eq!(output.n_bytes, output.json.len() as u64);
    assert!(output.json.contains(r#""last_watermark":"1970-01-01T00:00:00.000Z""#), "{}", output.json);
    let refused = preview(&mut workspace, "DELETE FROM config.watermarks; SELECT 1").unwrap_err();
    assert_eq!(refused.condition, "LAKELET_PREVIEW_CHANGES_NOTHING");
    assert_eq!(query(&mut workspace, "SELECT count(*) FROM config.watermarks"), ["2"]);
    let Ok(ResponseBody::Output(output)) = preview(&mut workspace, "SELECT id FROM range(1500)") else { panic!() };
    assert!(output.warnings[0].contains("1500 of 1000 rows"), "{:?}", output.warnings);
}

#[test]
fn statements_of_a_task_run_in_order_and_the_last_rows_are_its_output() {
    let mut workspace = empty();
    let text = "CREATE TABLE t (n INT); INSERT INTO t VALUES (1), (2); SELECT count(*) AS n, :who AS who FROM t; INSERT INTO t VALUES (3);";
    let mut first = sql_task("fill", text, &[]);
    first["sql_task"]["parameters"] = json!({"who": "{{job.parameters.name}}"});
    let mut second = sql_task("read", "SELECT * FROM t WHERE n = CAST(:n AS INT)", &["fill"]);
    second["sql_task"]["parameters"] = json!({"n": "{{tasks.fill.output.first_row.n}}"});
    let third = sql_task("never", "SELECT * FROM gone; SELECT 1", &["read"]);
    let last = sql_task("after", "SELECT 1", &["never"]);
    let parameters = json!([{"name": "name", "default": "Ana"}]);
    save(&mut workspace, None, json!({"name": "J", "parameters": parameters, "tasks": [first, second, third, last]}));
    let view = run(&mut workspace, "J", &mut NoPython);
    assert_eq!(states(&view), ["fill Succeeded", "read Succeeded", "never Failed", "after Upstream failed"]);
    assert_eq!(view.tasks[0].attempts[0].rows.as_ref().unwrap().json, r#"[{"n":2,"who":"Ana"}]"#);
    assert_eq!(view.tasks[1].attempts[0].rows.as_ref().unwrap().json, r#"[{"n":2}]"#);
    let error = view.tasks[2].attempts[0].error.as_ref().unwrap();
    assert_eq!((error.condition.as_str(), error.line, error.column), ("TABLE_OR_VIEW_NOT_FOUND", Some(1), Some(15)));
    assert_eq!(query(&mut workspace, "SELECT count(*) FROM t"), ["3"]);

    sql(&mut workspace, "CREATE TABLE gone (n INT)");
    ask(&mut workspace, RequestBody::Repair { run_id: 1, repair: RepairRequest::default() }).unwrap();
    let view = workspace.run_view(1).unwrap();
    assert_eq!(view.summary.state, RunState::Success);
    assert_eq!(query(&mut workspace, "SELECT count(*) FROM t"), ["3"]);
}

#[test]
fn a_failed_task_is_tried_again_later() {
    let mut workspace = empty();
    let mut task = sql_task("flaky", "SELECT 1 / 0", &[]);
    task["max_retries"] = json!(2);
    task["min_retry_interval_millis"] = json!(60_000);
    save(&mut workspace, None, json!({"name": "J", "tasks": [task]}));
    let before = workspace.now();
    let view = run(&mut workspace, "J", &mut NoPython);
    assert_eq!((view.summary.state, view.tasks[0].attempts.len()), (RunState::Failed, 3));
    assert!(workspace.now().millis() - before.millis() > 120_000);
    assert!(view.tasks[0].attempts.iter().all(|attempt| attempt.error.as_ref().unwrap().condition == "DIVIDE_BY_ZERO"));
}

#[test]
fn a_task_that_takes_too_long_is_stopped() {
    let mut workspace = empty();
    let statements = "SELECT 1;".repeat(20);
    let mut task = sql_task("slow", &statements, &[]);
    task["timeout_seconds"] = json!(2);
    save(&mut workspace, None, json!({"name": "J", "tasks": [task]}));
    let view = run(&mut workspace, "J", &mut NoPython);
    assert_eq!(states(&view), ["slow Timed out"]);
    let attempt = &view.tasks[0].attempts[0];
    assert_eq!(attempt.end.unwrap().millis() - attempt.start.unwrap().millis(), 2_000);
}

#[test]
fn a_job_runs_another_job() {
    let mut workspace = empty();
    save(
        &mut workspace,
        None,
        json!({
            "name": "Inner",
            "parameters": [{"name": "n", "default": "1"}],
            "tasks": [sql_task("make", "CREATE OR REPLACE TABLE made AS SELECT :n AS n", &[])],
        }),
    );
    save(
        &mut workspace,
        None,
        json!({
            "name": "Outer",
            "tasks": [
                {"task_key": "call", "run_job_task": {"job_id": "${resources.jobs.inner.id}", "job_parameters": {"n": "7"}}},
                sql_task("read", "SELECT n FROM made", &["call"]),
                {"task_key": "lost", "run_job_task": {"job_id": "99"}},
            ],
        }),
    );
    let view = run(&mut workspace, "Outer", &mut NoPython);
    assert_eq!(states(&view), ["call Succeeded", "read Succeeded", "lost Failed"]);
    assert_eq!(view.tasks[1].attempts[0].rows.as_ref().unwrap().json, r#"[{"n":"7"}]"#);
    assert_eq!(workspace.job_view("Inner").unwrap().runs[0].state, RunState::Success);

    save(
        &mut workspace,
        None,
        json!({
            "name": "Circle", "tasks": [{"task_key": "self", "run_job_task": {"job_id": "${resources.jobs.circle.id}"}}],
        }),
    );
    let view = run(&mut workspace, "Circle", &mut NoPython);
    assert_eq!(view.summary.state, RunState::Failed);
}

#[test]
fn a_second_run_waits_or_is_skipped() {
    for (queue, n_runs) in [(true, 2), (false, 1)] {
        let mut workspace = empty();
        let settings = json!({"name": "J", "queue": {"enabled": queue}, "tasks": [sql_task("a", "SELECT 1", &[])]});
        save(&mut workspace, None, settings);
        for id in [1, 2] {
            let body = RequestBody::RunJob { job: "J".to_owned(), params: Map::new(), only: Vec::new() };
            workspace.submit(lakelet_protocol::Request { id, body });
        }
        let answers = answers(&mut workspace);
        assert_eq!(answers.len(), 2);
        assert_eq!(answers[1].body.is_ok(), queue);
        assert_eq!(workspace.job_view("J").unwrap().runs.len(), n_runs);
    }
}

#[test]
fn what_cannot_run_is_refused_by_name() {
    let mut workspace = empty();
    let settings = json!({"name": "J", "tasks": [
        {"task_key": "a", "sql_task": {"file": {"path": "src/none.sql"}}},
        {"task_key": "b", "notebook_task": {"notebook_path": "src/none"}},
        {"task_key": "c", "depends_on": [{"task_key": "bb"}], "sql_task": {"warehouse_id": "w", "query": {"text": "SELECT 1"}}},
    ]});
    let view = save(&mut workspace, None, settings);
    let found: Vec<String> =
        view.problems.iter().map(|problem| format!("{} {} {}", problem.severity, problem.kind, problem.path)).collect();
    assert_eq!(
        found,
        [
            "error unknown_dependency tasks[2].depends_on[0]",
            "error missing_file tasks[0].sql_task.file.path",
            "error missing_file tasks[1].notebook_task.notebook_path",
        ]
    );
    assert_eq!(view.problems[0].suggestion.as_deref(), Some("did you mean b?"));

    // Without a warehouse a task runs here, and Databricks would refuse it.
    let file = "resources:\n  jobs:\n    w:\n      tasks: [{task_key: a, sql_task: {file: {path: ../src/a.sql}}}]\n";
    workspace.save_file("resources/w.yml", Some(file.to_owned())).unwrap();
    workspace.save_file("src/a.sql", Some("SELECT 1".to_owned())).unwrap();
    let problems = workspace.job_view("w").unwrap().problems;
    assert_eq!(
        (problems.len(), problems[0].severity.as_str(), problems[0].path.as_str()),
        (1, "warning", "tasks[0].sql_task.warehouse_id")
    );
    assert_eq!(run(&mut workspace, "w", &mut NoPython).summary.state, RunState::Success);

    let settings = json!({"name": "P", "tasks": [{"task_key": "a", "pipeline_task": {"pipeline_id": "p"}}]});
    save(&mut workspace, None, settings);
    let view = run(&mut workspace, "P", &mut NoPython);
    assert_eq!(view.tasks[0].attempts[0].error.as_ref().unwrap().condition, "INVALID_RUN_CONFIGURATION");
}

#[test]
fn literal_inputs_are_previewed_and_run() {
    let mut workspace = empty();
    let nested = |text: &str| json!({"task_key": "n", "sql_task": {"warehouse_id": "w", "query": {"text": text}, "parameters": {"x": "{{input}}"}}});
    let settings = json!({"name": "J", "tasks": [
        {"task_key": "loop", "for_each_task": {"inputs": "[\"a\", 2, null]", "task": nested("SELECT :x AS x")}},
    ]});
    let view = save(&mut workspace, None, settings);
    assert_eq!((view.inputs[0].n_items, view.inputs[0].parameters[0].value.as_str()), (3, "a"));
    let view = run(&mut workspace, "J", &mut NoPython);
    assert_eq!(iterations(&view, "loop"), ["a Succeeded 1 rows", "2 Succeeded 1 rows", "null Succeeded 1 rows"]);
    assert_eq!(view.tasks[0].concurrency.unwrap().max_in_flight, 1);

    let settings = json!({"name": "K", "tasks": [
        {"task_key": "loop", "for_each_task": {"inputs": "{\"a\": 1}", "task": nested("SELECT :x AS x")}},
    ]});
    let view = save(&mut workspace, None, settings);
    assert_eq!(view.problems[0].kind, "inputs_not_array");
    assert!(
        ask(&mut workspace, RequestBody::RunJob { job: "K".to_owned(), params: Map::new(), only: Vec::new() }).is_err()
    );
}

#[test]
fn runs_on_a_real_clock_take_their_own_time() {
    let time = std::rc::Rc::new(std::cell::Cell::new(Timestamp::LESSON_START));
    let system = {
        let time = std::rc::Rc::clone(&time);
        move || {
            time.set(time.get().plus_millis(1));
            time.get()
        }
    };
    let options = WorkspaceOptions {
        clock: ClockMode::Real { system: Box::new(system) },
        limits: Limits::default(),
        seed: Seed(0),
        measured_ms: Box::new(|| 0.0),
    };
    let mut workspace = Workspace::open(Box::new(MemoryStorage::default()), options).unwrap().0;
    let nested = json!({"task_key": "n", "sql_task": {
        "warehouse_id": "w", "query": {"text": "SELECT 1; SELECT 2"}, "parameters": {"x": "{{input}}"},
    }});
    let settings = json!({"name": "J", "tasks": [
        {"task_key": "loop", "for_each_task": {"inputs": "[1, 2, 3, 4]", "concurrency": 2, "task": nested}},
    ]});
    save(&mut workspace, None, settings);
    let view = run(&mut workspace, "J", &mut NoPython);
    assert_eq!(view.summary.state, RunState::Success);
    assert_eq!(view.tasks[0].concurrency.unwrap().max_in_flight, 2);
}
