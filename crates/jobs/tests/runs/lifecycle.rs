//! Tasks, conditions, retries, time limits, cancellation.

use super::*;
use lakelet_jobs::{AttemptFinished, AttemptId, AttemptWork, NoticeKind, RunEvent, State, TaskKey};

#[test]
fn tasks_run_when_what_is_before_them_has_ended() {
    let settings = json!({"tasks": [notebook("c", &["a", "b"]), notebook("a", &[]), notebook("b", &[])]});
    let simulation =
        play(&settings, |start| Planned::new(if start.id.task_key.as_str() == "a" { 10 } else { 20 }, succeed()));
    assert_eq!(started(&simulation.effects), ["a attempt 0", "b attempt 0", "c attempt 0"]);
    let attempt = &simulation.run.task("c").unwrap().attempts()[0];
    assert_eq!((attempt.start, attempt.end), (START.plus_millis(20), Some(START.plus_millis(40))));
    assert_eq!((result(&simulation.run), simulation.run.ended()), (ResultState::Success, Some(START.plus_millis(40))));
    assert_eq!(simulation.effects.last(), Some(&RunEffect::Finish { state: ResultState::Success }));
}

#[test]
fn a_job_that_cannot_run_is_refused_with_its_problems() {
    let settings = json!({"tasks": [notebook("a", &["b"]), notebook("b", &["a"])]});
    let refused = Run::start(job(&settings), RunStart::default(), START, &Limits::default()).unwrap_err();
    assert!(refused.to_string().contains("a → b → a"));
}

#[test]
fn a_job_without_tasks_ends_at_once() {
    let (run, effects) = begin(&json!({}), RunRequest::default());
    assert_eq!(result(&run), ResultState::Success);
    assert_eq!(effects, [RunEffect::Finish { state: ResultState::Success }]);
}

#[test]
fn a_failure_is_passed_down_and_handled() {
    let mut handler = notebook("handler", &["a"]);
    handler["run_if"] = json!("AT_LEAST_ONE_FAILED");
    let settings = json!({"tasks": [notebook("a", &[]), notebook("b", &["a"]), notebook("c", &["b"]), handler]});
    let simulation =
        play(&settings, |start| Planned::new(1, if start.id.task_key.as_str() == "a" { fail() } else { succeed() }));
    assert_eq!(state(&simulation.run, "c"), "UPSTREAM_FAILED");
    assert_eq!(state(&simulation.run, "handler"), "SUCCESS");
    assert_eq!(result(&simulation.run), ResultState::Failed);
    let handled = json!({"tasks": [notebook("a", &[]), settings["tasks"][3]]});
    let simulation =
        play(&handled, |start| Planned::new(1, if start.id.task_key.as_str() == "a" { fail() } else { succeed() }));
    assert_eq!(result(&simulation.run), ResultState::SuccessWithFailures);
}

#[test]
fn a_condition_takes_one_branch_and_the_join_runs() {
    let branch = |key: &str, outcome: &str| {
        let mut task = notebook(key, &["check"]);
        task["depends_on"][0]["outcome"] = json!(outcome);
        task
    };
    let check = json!({"task_key": "check", "depends_on": [{"task_key": "count"}], "condition_task": {
        "op": "GREATER_THAN", "left": "{{tasks.count.values.n}}", "right": "{{job.parameters.least}}"}});
    let settings = json!({"parameters": [{"name": "least", "default": "10"}], "tasks": [
        notebook("count", &[]), check, branch("yes", "true"), branch("no", "false"), notebook("after_no", &["no"]),
        notebook("join", &["yes", "no"])]});
    let simulation = play(&settings, |start| {
        let mut planned = Planned::new(1, succeed());
        if start.id.task_key.as_str() == "count" {
            planned.task_values.insert("n".to_owned(), json!(12.0));
        }
        planned
    });
    let run = &simulation.run;
    assert_eq!((run.task("check").unwrap().outcome(), result(run)), (Some(true), ResultState::Success));
    let expected = ["SUCCESS", "SUCCESS", "SUCCESS", "EXCLUDED", "EXCLUDED", "SUCCESS"];
    assert_eq!(states(run).values().copied().collect::<Vec<_>>(), expected);
    let attempt = &run.to_json()["tasks"][1]["attempts"][0];
    assert_eq!(attempt["output"], json!({"text": "true"}));
    assert_eq!(attempt["parameters"][0], json!({"name": "left", "value": "12.0", "origin": "task"}));
}

#[test]
fn a_condition_over_no_numbers_fails() {
    let check =
        json!({"task_key": "check", "condition_task": {"op": "LESS_THAN", "left": "{{job.name}}", "right": "1"}});
    let (run, _) = begin(&json!({"name": "Copy", "tasks": [check]}), RunRequest::default());
    assert_eq!(state(&run, "check"), "FAILED");
    assert_eq!(run.task("check").unwrap().attempts()[0].error.as_ref().unwrap().condition, "not_a_number");
}

#[test]
fn retries_wait_from_the_start_of_the_failed_attempt() {
    let mut task = notebook("a", &[]);
    task["max_retries"] = json!(2);
    task["min_retry_interval_millis"] = json!(100);
    let settings = json!({"tasks": [task]});
    let durations = [30, 150, 5];
    let simulation = play(&settings, |start| {
        Planned::new(durations[start.id.attempt as usize], if start.id.attempt < 2 { fail() } else { succeed() })
    });
    let attempts = simulation.run.task("a").unwrap().attempts();
    let starts: Vec<_> =
        attempts.iter().map(|attempt| (attempt.attempt, attempt.start, attempt.state.as_str())).collect();
    assert_eq!(
        starts,
        [
            (0, START, "FAILED"),
            (1, START.plus_millis(100), "FAILED"),
            // 100 ms from the start of the second attempt are over when it fails.
            (2, START.plus_millis(250), "SUCCESS"),
        ]
    );
    assert!(simulation.effects.contains(&RunEffect::Wait { until: START.plus_millis(100) }));
    assert_eq!(result(&simulation.run), ResultState::Success);
}

#[test]
fn a_task_waits_for_its_retry_in_between() {
    let mut task = notebook("a", &[]);
    task["max_retries"] = json!(1);
    task["min_retry_interval_millis"] = json!(100);
    let (mut run, _) = begin(&json!({"tasks": [task]}), RunRequest::default());
    let id = AttemptId { task_key: TaskKey::from("a"), iteration: None, attempt: 0 };
    let effects = run.advance(finished(id.clone(), fail()), START.plus_millis(10));
    assert_eq!(effects, [RunEffect::Wait { until: START.plus_millis(100) }]);
    assert_eq!((state(&run, "a"), run.next_wakeup()), ("WAITING_FOR_RETRY", Some(START.plus_millis(100))));
    assert!(started(&run.advance(RunEvent::Tick, START.plus_millis(99))).is_empty());
    assert_eq!(started(&run.advance(RunEvent::Tick, START.plus_millis(100))), ["a attempt 1"]);
    // The end of the first attempt is old news now.
    assert!(run.advance(finished(id, succeed()), START.plus_millis(101)).is_empty());
    assert_eq!(state(&run, "a"), "RUNNING");
}

fn finished(id: AttemptId, outcome: AttemptOutcome) -> RunEvent {
    RunEvent::AttemptFinished(Box::new(AttemptFinished::new(id, outcome)))
}

#[test]
fn an_attempt_past_its_timeout_is_stopped() {
    let mut task = notebook("a", &[]);
    task["timeout_seconds"] = json!(1);
    task["max_retries"] = json!(1);
    task["retry_on_timeout"] = json!(true);
    let simulation = play(&json!({"tasks": [task]}), |start| {
        Planned::new(if start.id.attempt == 0 { 5_000 } else { 1_000 }, succeed())
    });
    let attempts = simulation.run.task("a").unwrap().attempts();
    assert_eq!((attempts[0].state.as_str(), attempts[0].end), ("TIMEDOUT", Some(START.plus_millis(1_000))));
    // The second takes exactly its time, and its end is heard before the clock.
    assert_eq!((attempts[1].state.as_str(), attempts[1].end), ("SUCCESS", Some(START.plus_millis(2_000))));
    assert!(simulation.effects.iter().any(|effect| matches!(effect, RunEffect::StopAttempt(id) if id.attempt == 0)));
}

#[test]
fn a_run_past_its_timeout_is_stopped() {
    let settings = json!({"timeout_seconds": 1, "tasks": [notebook("a", &[]), notebook("b", &["a"])]});
    let simulation = play(&settings, |_| Planned::new(5_000, succeed()));
    assert_eq!(result(&simulation.run), ResultState::TimedOut);
    assert_eq!(states(&simulation.run).values().copied().collect::<Vec<_>>(), ["TIMEDOUT", "TIMEDOUT"]);
    assert_eq!(simulation.run.ended(), Some(START.plus_millis(1_000)));
}

#[test]
fn cancel_stops_everything_and_late_news_change_nothing() {
    let settings = json!({"tasks": [notebook("a", &[]), notebook("b", &["a"])]});
    let (mut run, _) = begin(&settings, RunRequest::default());
    let effects = run.advance(RunEvent::Cancel, START.plus_millis(5));
    let id = AttemptId { task_key: TaskKey::from("a"), iteration: None, attempt: 0 };
    assert_eq!(effects, [RunEffect::StopAttempt(id.clone()), RunEffect::Finish { state: ResultState::Canceled }]);
    let before = run.clone();
    assert!(run.advance(finished(id, succeed()), START.plus_millis(9)).is_empty());
    assert_eq!(run, before);
    assert_eq!(states(&run).values().copied().collect::<Vec<_>>(), ["CANCELED", "CANCELED"]);
}

#[test]
fn canceling_one_task_lets_handlers_run() {
    let mut handler = notebook("handler", &["a"]);
    handler["run_if"] = json!("ALL_DONE");
    let settings = json!({"tasks": [notebook("a", &[]), notebook("b", &["a"]), handler]});
    let (run, effects) = begin(&settings, RunRequest::default());
    let mut simulation = Simulation::new(run, effects, START, Box::new(|_| Planned::new(10, succeed())));
    simulation.foresee(START.plus_millis(5), RunEvent::CancelTask(TaskKey::from("a")));
    simulation.play();
    assert_eq!(
        states(&simulation.run).values().copied().collect::<Vec<_>>(),
        ["CANCELED", "UPSTREAM_CANCELED", "SUCCESS"]
    );
    assert_eq!(result(&simulation.run), ResultState::Canceled);
}

#[test]
fn disabled_tasks_disable_what_needs_them_from_the_beginning() {
    let mut off = notebook("off", &[]);
    off["disabled"] = json!(true);
    let mut either = notebook("either", &["off", "a"]);
    either["run_if"] = json!("AT_LEAST_ONE_SUCCESS");
    let settings = json!({"tasks": [notebook("grandchild", &["child"]), notebook("child", &["off", "a"]), off, notebook("a", &[]), either]});
    let (run, effects) = begin(&settings, RunRequest::default());
    assert_eq!(
        states(&run).values().copied().collect::<Vec<_>>(),
        ["DISABLED", "DISABLED", "DISABLED", "RUNNING", "BLOCKED"]
    );
    let mut simulation = Simulation::new(run, effects, START, Box::new(|_| Planned::new(1, succeed())));
    simulation.play();
    assert_eq!(state(&simulation.run, "either"), "SUCCESS");
    assert_eq!(result(&simulation.run), ResultState::Success);
}

#[test]
fn a_request_can_select_tasks() {
    let settings = json!({"tasks": [notebook("a", &[]), notebook("b", &["a"]), notebook("c", &["b"])]});
    let request = RunRequest { only: vec!["b+".to_owned()], ..RunRequest::default() };
    let (run, effects) = begin(&settings, request);
    assert_eq!(states(&run).keys().collect::<Vec<_>>(), ["b", "c"]);
    assert_eq!(started(&effects), ["b attempt 0"]);
}

#[test]
fn parameters_carry_their_origin() {
    let mut task = notebook("a", &[]);
    task["notebook_task"]["base_parameters"] =
        json!({"d": "never used", "own": "{{task.name}}-{{task.execution_count}}", "older": "x", "g": "y"});
    let settings = json!({"parameters": [
        {"name": "d", "default": "{{job.start_time.iso_date}}"}, {"name": "g", "default": "1"}], "tasks": [task]});
    let map = |pairs: &[(&str, &str)]| pairs.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
    let request = RunRequest {
        job_parameters: map(&[("g", "2")]),
        notebook_params: map(&[("older", "z")]),
        ..RunRequest::default()
    };
    let (mut run, effects) = begin(&settings, request);
    let RunEffect::StartAttempt(start) = &effects[0] else { panic!("{effects:?}") };
    let shown: Vec<String> = start.parameters.iter().map(|p| format!("{}={}:{}", p.name, p.value, p.origin)).collect();
    assert_eq!(shown, ["d=2026-03-02:job", "own=a-1:task", "older=z:run", "g=2:run"]);
    assert!(matches!(&start.work, AttemptWork::Notebook { path, .. } if path == "/n"));

    let mut end = AttemptFinished::new(start.id.clone(), text("done"));
    end.widget_defaults = vec![("market".to_owned(), "NL".to_owned())];
    run.advance(RunEvent::AttemptFinished(Box::new(end)), START);
    let parameters = &run.task("a").unwrap().attempts()[0].parameters;
    assert_eq!(parameters.last().unwrap().origin.as_str(), "default");
    assert_eq!(run.notices()[0].kind, NoticeKind::DefaultUsed);
}

#[test]
fn python_files_get_their_arguments_only() {
    let task = json!({"task_key": "a", "spark_python_task": {"python_file": "/x.py", "parameters": ["--d", "{{job.parameters.d}}"]}});
    let settings = json!({"parameters": [{"name": "d", "default": "1"}], "tasks": [task]});
    let (_, effects) = begin(&settings, RunRequest::default());
    let RunEffect::StartAttempt(start) = &effects[0] else { panic!("{effects:?}") };
    assert!(start.parameters.is_empty());
    assert!(matches!(&start.work, AttemptWork::SparkPython { arguments, .. } if arguments == &["--d", "1"]));
}

#[test]
fn a_reference_without_a_value_fails_the_task_and_is_not_retried() {
    let mut task = notebook("b", &["a"]);
    task["max_retries"] = json!(3);
    task["notebook_task"]["base_parameters"] = json!({"x": "{{tasks.a.values.k}}"});
    let simulation = play(&json!({"tasks": [notebook("a", &[]), task]}), |_| Planned::new(1, succeed()));
    let attempts = simulation.run.task("b").unwrap().attempts();
    assert_eq!(attempts.len(), 1);
    assert_eq!(attempts[0].error.as_ref().unwrap().condition, "task_value_missing");
    assert_eq!(started(&simulation.effects), ["a attempt 0"]);
}

#[test]
fn a_task_type_that_is_not_known_fails_by_name() {
    let (run, _) = begin(&json!({"tasks": [{"task_key": "d", "dbt_task": {}}]}), RunRequest::default());
    assert_eq!(state(&run, "d"), "FAILED");
    assert!(run.task("d").unwrap().attempts()[0].error.as_ref().unwrap().message.contains("dbt_task"));
}

#[test]
fn task_values_are_those_of_the_latest_attempt() {
    let mut task = notebook("a", &[]);
    task["max_retries"] = json!(1);
    let simulation = play(&json!({"tasks": [task]}), |start| {
        let mut planned = Planned::new(1, if start.id.attempt == 0 { fail() } else { succeed() });
        planned.task_values.insert(format!("k{}", start.id.attempt), json!(1));
        planned
    });
    assert_eq!(simulation.run.task_value("a", "k0"), None);
    assert_eq!(simulation.run.task_value("a", "k1"), Some(&json!(1)));
    assert_eq!(simulation.run.task_value("nowhere", "k1"), None);
}

#[test]
fn the_record_has_the_published_form() {
    let simulation =
        play(&json!({"name": "Copy", "tasks": [sql("read")]}), |_| Planned::new(1_500, rows(&["m"], &[&["NL"]])));
    let expected = json!({
        "run_id": 1, "job": "Copy", "state": "SUCCESS", "repair_count": 0,
        "started": "2026-03-02T09:00:00.000Z", "ended": "2026-03-02T09:00:01.500Z",
        "tasks": [{"task_key": "read", "type": "sql_task", "state": "SUCCESS", "attempts": [{
            "attempt": 0, "state": "SUCCESS", "start": "2026-03-02T09:00:00.000Z", "end": "2026-03-02T09:00:01.500Z",
            "parameters": [], "output": {"rows": [{"m": "NL"}]}, "error": null}], "iterations": null}],
    });
    assert_eq!(simulation.run.to_json().to_string(), expected.to_string());
}

#[test]
fn an_unknown_attempt_changes_nothing() {
    let (mut run, _) = begin(&json!({"tasks": [notebook("a", &[])]}), RunRequest::default());
    let before = run.clone();
    for (key, iteration, attempt) in [("x", None, 0), ("a", Some(0), 0), ("a", None, 1)] {
        let id = AttemptId { task_key: TaskKey::from(key), iteration, attempt };
        run.advance(finished(id, succeed()), START);
    }
    run.advance(RunEvent::CancelTask(TaskKey::from("x")), START);
    assert_eq!(run, before);
    assert_eq!(run.state(), State::Running);
}
