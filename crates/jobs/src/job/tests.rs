use lakelet_base::Timestamp;

use super::*;
use serde_json::json;

fn job(settings: Value) -> Job {
    Job::from_value(&settings, &ValidateOptions::default()).unwrap()
}

fn notebook(key: &str) -> Value {
    json!({"task_key": key, "notebook_task": {"notebook_path": "/n"}})
}

#[test]
fn what_is_not_known_is_written_back_as_it_was() {
    let text = r#"{"zeta":1.50,"name":"Copy","tasks":[{"new_key":{"a":[1]},"task_key":"t","depends_on":[],"dbt_task":{"x":null}}],"email_notifications":{"on_failure":["a@b.c"]},"alpha":null}"#;
    let settings: Value = serde_json::from_str(text).unwrap();
    let job = job(settings);
    assert_eq!(job.to_value().to_string(), text);
    assert_eq!(serde_json::to_string(&job).unwrap(), text);
    assert_eq!(serde_json::from_str::<Job>(text).unwrap(), job);
}

#[test]
fn errors_carry_their_paths() {
    let settings = json!({"tasks": [{"sql_task": {"file": {}}}, 5], "queue": {}, "max_concurrent_runs": "2"});
    let error = Job::from_value(&settings, &ValidateOptions::default()).unwrap_err();
    let paths: Vec<&str> = error.problems.iter().map(|problem| problem.path.as_str()).collect();
    assert_eq!(
        paths,
        [
            "queue.enabled",
            "tasks[1]",
            "tasks[0].task_key",
            "tasks[0].sql_task.warehouse_id",
            "tasks[0].sql_task.file.path",
            "max_concurrent_runs",
        ]
    );
    assert_eq!(error.problems[2].message, "Missing required field: settings.tasks.task_key.");
    assert_eq!(error.to_string().lines().count(), 6);
    assert!(Job::from_value(&json!([]), &ValidateOptions::default()).is_err());
}

#[test]
fn limits_hold_up_to_their_last_value() {
    let kinds = |settings: &Value, limits: Limits| -> Vec<ProblemKind> {
        let options = ValidateOptions { limits, ..ValidateOptions::default() };
        match Job::from_value(settings, &options) {
            Ok(_) => Vec::new(),
            Err(error) => error.problems.into_iter().map(|problem| problem.kind).collect(),
        }
    };
    let limits = Limits::default();

    let tasks = json!({"tasks": [notebook("a"), notebook("b"), notebook("c")]});
    assert_eq!(kinds(&tasks, Limits { tasks_per_job_max: 3, ..limits.clone() }), []);
    assert_eq!(kinds(&tasks, Limits { tasks_per_job_max: 2, ..limits.clone() }), [ProblemKind::TooManyTasks]);

    let for_each = |inputs: &str, concurrency: usize| {
        let body = json!({"inputs": inputs, "concurrency": concurrency, "task": notebook("n")});
        json!({"tasks": [{"task_key": "f", "for_each_task": body}]})
    };
    let most = limits.for_each_concurrency_max;
    assert_eq!(kinds(&for_each("[1]", most), limits.clone()), []);
    assert_eq!(kinds(&for_each("[1]", most + 1), limits.clone()), [ProblemKind::ConcurrencyOutOfRange]);
    assert_eq!(kinds(&for_each("[1]", 0), limits.clone()), [ProblemKind::ConcurrencyOutOfRange]);

    let most = limits.for_each_literal_chars_max;
    let literal = |n_chars: usize| format!("[\"{}\"]", "é".repeat(n_chars - 4));
    assert_eq!(kinds(&for_each(&literal(most), 1), limits.clone()), []);
    assert_eq!(kinds(&for_each(&literal(most + 1), 1), limits), [ProblemKind::InputsTooLong]);
}

#[test]
fn a_job_without_a_name_is_untitled() {
    assert_eq!(job(json!({})).name(), "Untitled");
    assert_eq!(job(json!({"name": "x"})).name(), "x");
}

#[test]
fn the_graph_follows_the_dependencies() {
    let mut second = notebook("b");
    second["depends_on"] = json!([{"task_key": "a"}, {"task_key": "nowhere"}]);
    let graph = job(json!({"tasks": [second, notebook("a")]})).graph();
    assert_eq!(graph.topological_order().unwrap(), ["a", "b"]);
}

#[test]
fn runs_over_the_limit_wait_or_are_skipped() {
    let plain = job(json!({"tasks": [notebook("a")]}));
    assert_eq!((plain.admit(0), plain.admit(1)), (Admission::Start, Admission::Skip));
    let queued = job(json!({"queue": {"enabled": true}, "max_concurrent_runs": 2}));
    assert_eq!((queued.admit(1), queued.admit(2)), (Admission::Start, Admission::Queue));
    let off = job(json!({"queue": {"enabled": true}, "max_concurrent_runs": 0}));
    assert_eq!(off.admit(0), Admission::Skip);
    let pipeline = json!({"task_key": "p", "pipeline_task": {"pipeline_id": "x"}});
    let with_pipeline = job(json!({"max_concurrent_runs": 5, "tasks": [pipeline]}));
    assert_eq!((with_pipeline.admit(0), with_pipeline.admit(1)), (Admission::Start, Admission::Skip));
}

#[test]
fn defaults_are_filled_in_where_nothing_is_said() {
    let mut second = notebook("b");
    second["depends_on"] = json!([{"task_key": "z"}, {"task_key": "a"}]);
    let looped = json!({"task_key": "l", "for_each_task": {"inputs": "[]", "task": notebook("n")}});
    let settings =
        json!({"git_source": {}, "max_concurrent_runs": 3, "trigger": {"table_update": {}}, "tasks": [second, looped]});
    let effective = effective_settings(&settings);
    assert_eq!(effective["max_concurrent_runs"], json!(3));
    assert_eq!(effective["name"], json!("Untitled"));
    assert_eq!(effective["trigger"]["table_update"]["condition"], json!("ANY_UPDATED"));
    assert_eq!(effective["trigger"]["pause_status"], json!("UNPAUSED"));
    assert_eq!(effective["tasks"][0]["depends_on"], json!([{"task_key": "a"}, {"task_key": "z"}]));
    assert_eq!(effective["tasks"][1]["for_each_task"]["concurrency"], json!(1));
    assert_eq!(effective["tasks"][1]["for_each_task"]["task"]["notebook_task"]["source"], json!("GIT"));
    assert_eq!(effective["tasks"][1]["for_each_task"]["task"]["run_if"], json!("ALL_SUCCESS"));
    assert_eq!(effective_settings(&json!(5)), json!(5));
}

fn triggers(settings: Value) -> Vec<JobTrigger> {
    job(settings).triggers().to_vec()
}

#[test]
fn triggers_are_read_unless_they_are_paused() {
    let schedule = json!({"quartz_cron_expression": "0 30 9 ? * MON-FRI", "timezone_id": "Europe/Lisbon"});
    let cron = JobTrigger::Cron { expression: "0 30 9 ? * MON-FRI".to_owned(), time_zone: "Europe/Lisbon".to_owned() };
    assert_eq!(triggers(json!({ "schedule": schedule })), [cron]);
    let mut paused = schedule;
    paused["pause_status"] = json!("PAUSED");
    assert_eq!(triggers(json!({ "schedule": paused })), []);
    assert_eq!(
        triggers(json!({"triggers": [
            {"periodic": {"interval": 2, "unit": "HOURS"}},
            {"periodic": {"interval": 1, "unit": "WEEKS"}, "pause_status": "PAUSED"},
            {"table_update": {"table_names": ["a.b.c"], "condition": "ALL_UPDATED", "wait_after_last_change_seconds": 60}},
        ]})),
        [
            JobTrigger::Periodic { minutes: 120 },
            JobTrigger::TableUpdate(TableUpdateTrigger {
                tables: vec!["a.b.c".to_owned()],
                all: true,
                between_seconds: 0,
                quiet_seconds: 60,
            }),
        ]
    );
}

#[test]
fn triggers_are_told_in_words() {
    let minutes = |minutes| JobTrigger::Periodic { minutes }.to_string();
    assert_eq!(
        [minutes(1), minutes(90), minutes(120), minutes(24 * 60), minutes(14 * 24 * 60)],
        ["every 1 minute", "every 90 minutes", "every 2 hours", "every 1 day", "every 2 weeks"]
    );
    let tables = |names: &[&str], all| {
        let tables = names.iter().map(|name| (*name).to_owned()).collect();
        JobTrigger::TableUpdate(TableUpdateTrigger { tables, all, between_seconds: 0, quiet_seconds: 0 }).to_string()
    };
    assert_eq!(tables(&["a.b.c"], true), "when a.b.c changes");
    assert_eq!(tables(&["a.b.c", "a.b.d"], false), "when any of a.b.c, a.b.d changes");
    assert_eq!(tables(&["a.b.c", "a.b.d"], true), "when all of a.b.c, a.b.d have changed");
}

#[test]
fn what_is_not_watched_is_named() {
    let unwatched = |path: &str| [JobTrigger::Unwatched { path: path.to_owned() }];
    let arrival = json!({"trigger": {"file_arrival": {"url": "/in/"}}});
    assert_eq!(triggers(arrival), unwatched("trigger.file_arrival"));
    assert_eq!(triggers(json!({"continuous": {"pause_status": "UNPAUSED"}})), unwatched("continuous"));
    let schedule =
        json!({"quartz_cron_expression": "0 0 9 * * ?", "timezone_id": "UTC", "sql_condition": "SELECT true"});
    assert_eq!(triggers(json!({ "schedule": schedule })), unwatched("schedule.sql_condition"));
}

#[test]
fn wrong_schedules_are_told_at_their_place() {
    let kinds = |cron: &str, zone: &str| {
        let settings = json!({"schedule": {"quartz_cron_expression": cron, "timezone_id": zone}});
        let (_, problems) = Job::read(&settings, &ValidateOptions::default());
        problems.iter().map(|problem| format!("{} {}", problem.kind, problem.path)).collect::<Vec<_>>()
    };
    assert_eq!(kinds("0 0 9 * * *", "UTC"), ["bad_cron schedule.quartz_cron_expression"]);
    assert_eq!(kinds("every day", "UTC"), ["bad_cron schedule.quartz_cron_expression"]);
    assert_eq!(kinds("0 0 9 * * ?", "Lisbon"), ["bad_timezone schedule.timezone_id"]);
    assert_eq!(kinds("${var.cron}", "${var.zone}"), [""; 0]);
    assert_eq!(kinds("0 0 9 * * ?", "Europe/Lisbon"), [""; 0]);
}

#[test]
fn triggers_count_from_their_anchor() {
    let at = |text: &str| Timestamp::parse_rfc3339(text).unwrap();
    let anchor = at("2026-03-02T09:00:00Z");
    let periodic = JobTrigger::Periodic { minutes: 90 };
    assert_eq!(periodic.next_after(anchor, anchor).unwrap(), Some(at("2026-03-02T10:30:00Z")));
    let late = at("2026-03-02T12:00:00Z");
    assert_eq!(periodic.next_after(anchor, late).unwrap(), Some(at("2026-03-02T13:30:00Z")));
    let cron = JobTrigger::Cron { expression: "0 0 9 * * ?".to_owned(), time_zone: "Europe/Lisbon".to_owned() };
    assert_eq!(cron.next_after(anchor, anchor).unwrap(), Some(at("2026-03-03T09:00:00Z")));
    let huge = JobTrigger::Periodic { minutes: u64::MAX };
    assert_eq!(huge.next_after(anchor, anchor).unwrap(), Some(Timestamp(i64::MAX)));
}
