//! For each.

use super::*;
use lakelet_jobs::{NoticeKind, RunEvent, TaskKey};

/// A SQL task, and a loop over its rows with one nested notebook.
fn tutorial(concurrency: usize) -> Value {
    let nested = json!({"task_key": "analyze_one", "max_retries": 0, "notebook_task": {
        "notebook_path": "/process_market",
        "base_parameters": {"market": "{{input.market}}", "currency": "{{input.currency}}"}}});
    json!({"name": "Market Analysis", "tasks": [
        sql("read_markets"),
        {"task_key": "process_markets", "depends_on": [{"task_key": "read_markets"}], "for_each_task": {
            "inputs": "{{tasks.read_markets.output.rows}}", "concurrency": concurrency, "task": nested}}]})
}

fn markets() -> AttemptOutcome {
    rows(&["market", "currency"], &[&["NL", "EUR"], &["UK", "GBP"], &["US", "USD"]])
}

fn over(inputs: &str) -> Value {
    json!({"tasks": [{"task_key": "l", "for_each_task": {"inputs": inputs, "task": notebook("n", &[])}}]})
}

/// A loop over a job parameter, which is known at run time only.
fn over_parameter(value: &str) -> (Value, RunRequest) {
    let mut settings = over("{{job.parameters.items}}");
    settings["parameters"] = json!([{"name": "items", "default": "[]"}]);
    let job_parameters = [("items".to_owned(), value.to_owned())].into();
    (settings, RunRequest { job_parameters, ..RunRequest::default() })
}

#[test]
fn rows_become_iterations_with_labels_and_parameters() {
    let simulation = play(&tutorial(2), |start| match start.id.iteration {
        None => Planned::new(10, markets()),
        Some(0) => Planned::new(30, text("5 rows")),
        Some(_) => Planned::new(10, text("3 rows")),
    });
    let record = simulation.run.to_json();
    let looped = &record["tasks"][1];
    assert_eq!((looped["state"].as_str(), looped["type"].as_str()), (Some("SUCCESS"), Some("for_each_task")));
    let labels: Vec<&str> =
        looped["iterations"].as_array().unwrap().iter().map(|i| i["label"].as_str().unwrap()).collect();
    assert_eq!(labels, ["NL · EUR", "UK · GBP", "US · USD"]);
    let starts: Vec<&str> =
        looped["iterations"].as_array().unwrap().iter().map(|i| i["attempts"][0]["start"].as_str().unwrap()).collect();
    assert_eq!(starts, ["2026-03-02T09:00:00.010Z", "2026-03-02T09:00:00.010Z", "2026-03-02T09:00:00.020Z"]);
    assert_eq!(looped["iterations"][1]["input"], json!({"market": "UK", "currency": "GBP"}));
    assert_eq!(
        looped["iterations"][1]["attempts"][0]["parameters"],
        json!([
        {"name": "market", "value": "UK", "origin": "task"}, {"name": "currency", "value": "GBP", "origin": "task"}])
    );
    assert_eq!(looped["attempts"][0]["parameters"][0]["name"], json!("inputs"));
    assert_eq!(simulation.max_in_flight, 2);
    assert!(simulation.run.notices().is_empty());
}

#[test]
fn all_labels_are_known_before_the_first_iteration_starts() {
    let (mut run, effects) = begin(&tutorial(1), RunRequest::default());
    let RunEffect::StartAttempt(start) = &effects[0] else { panic!("{effects:?}") };
    let finished = lakelet_jobs::AttemptFinished::new(start.id.clone(), markets());
    let effects = run.advance(RunEvent::AttemptFinished(Box::new(finished)), START);
    let key = TaskKey::from("process_markets");
    assert_eq!(effects[0], RunEffect::IterationsPlanned { task_key: key, n_iterations: 3 });
    assert_eq!(started(&effects), ["process_markets[0] attempt 0"]);
    let iterations = run.task("process_markets").unwrap().for_each().unwrap().iterations();
    assert_eq!(iterations.iter().map(|i| i.state().as_str()).collect::<Vec<_>>(), ["RUNNING", "PENDING", "PENDING"]);
    assert!(iterations.iter().all(|iteration| iteration.label.contains(" · ")));
}

#[test]
fn one_failure_does_not_stop_the_others() {
    let simulation = play(&tutorial(1), |start| match start.id.iteration {
        None => Planned::new(1, markets()),
        Some(1) => Planned::new(1, fail()),
        Some(_) => Planned::new(1, succeed()),
    });
    let task = simulation.run.task("process_markets").unwrap();
    assert_eq!(task.state().as_str(), "FAILED");
    assert_eq!(task.attempts()[0].error.as_ref().unwrap().message, "1 of 3 iterations failed.");
    let stats = task.for_each().unwrap().stats();
    assert_eq!((stats.total_iterations, stats.completed_iterations), (3, 3));
    assert_eq!((stats.succeeded_iterations, stats.failed_iterations, stats.active_iterations), (2, 1, 0));
    assert_eq!((stats.errors[0].condition.as_str(), stats.errors[0].count), ("BROKEN", 1));
}

#[test]
fn retries_happen_in_place() {
    let mut settings = over("[1,2,3]");
    settings["tasks"][0]["for_each_task"]["task"]["max_retries"] = json!(1);
    let simulation = play(&settings, |start| {
        Planned::new(10, if start.id.iteration == Some(0) && start.id.attempt == 0 { fail() } else { succeed() })
    });
    assert_eq!(started(&simulation.effects), ["l[0] attempt 0", "l[0] attempt 1", "l[1] attempt 0", "l[2] attempt 0"]);
    assert_eq!((simulation.max_in_flight, result(&simulation.run)), (1, ResultState::Success));
}

#[test]
fn an_iteration_that_waits_for_its_retry_keeps_its_place() {
    let mut settings = over("[1,2]");
    settings["tasks"][0]["for_each_task"]["task"]["max_retries"] = json!(1);
    settings["tasks"][0]["for_each_task"]["task"]["min_retry_interval_millis"] = json!(100);
    let simulation = play(&settings, |start| {
        Planned::new(10, if start.id.iteration == Some(0) && start.id.attempt == 0 { fail() } else { succeed() })
    });
    let iterations = simulation.run.task("l").unwrap().for_each().unwrap().iterations();
    assert_eq!(iterations[1].attempts()[0].start, START.plus_millis(110));
}

#[test]
fn an_empty_array_succeeds_with_a_notice() {
    let (run, effects) = begin(&over("[]"), RunRequest::default());
    assert_eq!((state(&run, "l"), result(&run)), ("SUCCESS", ResultState::Success));
    assert!(started(&effects).is_empty());
    assert_eq!(run.task("l").unwrap().for_each().unwrap().stats().total_iterations, 0);
    assert_eq!(run.notices()[0].kind, NoticeKind::NoIterations);
}

#[test]
fn literal_inputs_that_are_no_array_are_refused() {
    let settings = over("{\"a\":1}");
    let (job, _) = Job::read(&settings, &ValidateOptions::default());
    let refused = Run::start(job, RunStart::default(), START, &Limits::default()).unwrap_err();
    assert_eq!(refused.problems[0].kind.as_str(), "inputs_not_array");
}

#[test]
fn resolved_inputs_that_are_no_array_fail_the_task_and_are_shown() {
    for (value, condition) in
        [("{\"a\":1}", "inputs_not_array"), ("NL, UK", "inputs_not_json"), ("", "inputs_not_json")]
    {
        let (settings, request) = over_parameter(value);
        let (run, effects) = begin(&settings, request);
        let task = run.task("l").unwrap();
        let error = task.attempts()[0].error.as_ref().unwrap();
        assert_eq!((task.state().as_str(), error.condition.as_str()), ("FAILED", condition));
        assert!(error.message.contains(if value.is_empty() { "(empty text)" } else { value }));
        assert_eq!(task.attempts()[0].parameters[0].value, value);
        assert!(task.for_each().is_none() && started(&effects).is_empty());
    }
}

#[test]
fn inputs_have_a_limit_by_where_they_come_from() {
    let array = |n_chars: usize| format!("[\"{}\"]", "é".repeat(n_chars - 4));
    let outcome = |value: &str| {
        let (settings, request) = over_parameter(value);
        let start = RunStart { request, ..RunStart::default() };
        Run::start(job(&settings), start, START, &Limits::default()).unwrap().0
    };
    // A job parameter may have 10,000 characters.
    assert_eq!(state(&outcome(&array(10_000)), "l"), "RUNNING");
    assert_eq!(state(&outcome(&array(10_001)), "l"), "FAILED");

    let settings = json!({"tasks": [notebook("up", &[]), {"task_key": "l", "depends_on": [{"task_key": "up"}],
        "for_each_task": {"inputs": "{{tasks.up.values.k}}", "task": notebook("n", &[])}}]});
    let condition = |n_bytes: usize| {
        let value = json!(["x".repeat(n_bytes - 4)]);
        let simulation = play(&settings, |start| {
            let mut planned = Planned::new(1, succeed());
            if start.id.iteration.is_none() {
                planned.task_values.insert("k".to_owned(), value.clone());
            }
            planned
        });
        simulation.run.task("l").unwrap().attempts()[0].error.as_ref().map(|error| error.condition.clone())
    };
    assert_eq!(condition(48 * 1024), None);
    assert_eq!(condition(48 * 1024 + 1).as_deref(), Some("inputs_too_large"));
}

#[test]
fn iterations_have_a_limit() {
    let inputs = |n: usize| format!("[{}]", vec!["1"; n].join(","));
    let limits = Limits { for_each_iterations_max: 3, ..Limits::default() };
    let state_of = |n: usize| {
        let (run, _) = Run::start(job(&over(&inputs(n))), RunStart::default(), START, &limits).unwrap();
        state(&run, "l")
    };
    assert_eq!((state_of(3), state_of(4)), ("RUNNING", "FAILED"));
}

#[test]
fn rows_over_the_limit_fail_the_task_that_asks_for_them() {
    let many: Vec<&[&str]> = vec![&["x", "y"]; 1_001];
    let simulation = play(&tutorial(1), |_| Planned::new(1, rows(&["market", "currency"], &many)));
    assert_eq!(state(&simulation.run, "read_markets"), "SUCCESS");
    let error = simulation.run.task("process_markets").unwrap().attempts()[0].error.clone().unwrap();
    assert_eq!(error.condition, "inputs_too_large");
    assert!(error.message.contains("1001 of 1000 rows") && error.message.contains("lookup table"), "{}", error.message);
    assert!(simulation.run.notices().iter().any(|notice| notice.kind == NoticeKind::UnreadableOutput));
}

#[test]
fn a_missing_key_fails_its_iteration_alone() {
    let (mut settings, request) = over_parameter(r#"[{"a":1},{"b":2},7]"#);
    settings["tasks"][0]["for_each_task"]["task"]["notebook_task"]["base_parameters"] = json!({"p": "{{input.a}}"});
    settings["tasks"][0]["for_each_task"]["task"]["max_retries"] = json!(5);
    let (run, effects) = begin(&settings, request);
    let mut simulation = Simulation::new(run, effects, START, Box::new(|_| Planned::new(1, succeed())));
    simulation.play();
    let iterations = simulation.run.task("l").unwrap().for_each().unwrap().iterations();
    let conditions: Vec<_> =
        iterations.iter().map(|i| i.attempts()[0].error.as_ref().map(|error| error.condition.as_str())).collect();
    assert_eq!(conditions, [None, Some("input_key_missing"), Some("input_not_object")]);
    assert!(iterations.iter().all(|iteration| iteration.attempts().len() == 1));
}

#[test]
fn cancel_of_the_loop_stops_what_runs_and_starts_nothing_more() {
    let (run, effects) = begin(&over("[1,2,3]"), RunRequest::default());
    let mut simulation = Simulation::new(run, effects, START, Box::new(|_| Planned::new(10, succeed())));
    simulation.foresee(START.plus_millis(15), RunEvent::CancelTask(TaskKey::from("l")));
    simulation.play();
    let task = simulation.run.task("l").unwrap();
    assert_eq!(task.state().as_str(), "CANCELED");
    let iterations = task.for_each().unwrap().iterations();
    let seen: Vec<_> = iterations.iter().map(|i| (i.state().as_str(), i.attempts().len())).collect();
    assert_eq!(seen, [("SUCCESS", 1), ("CANCELED", 1), ("CANCELED", 0)]);
    assert_eq!(iterations[1].attempts()[0].end, Some(START.plus_millis(15)));
    assert_eq!((task.attempts()[0].state.as_str(), task.attempts()[0].end), ("CANCELED", Some(START.plus_millis(15))));
}

#[test]
fn a_nested_pipeline_runs_one_at_a_time() {
    let mut settings = over("[1,2,3]");
    let for_each = &mut settings["tasks"][0]["for_each_task"];
    for_each["concurrency"] = json!(3);
    for_each["task"] = json!({"task_key": "n", "pipeline_task": {"pipeline_id": "p"}});
    assert_eq!(play(&settings, |_| Planned::new(1, succeed())).max_in_flight, 1);
}

#[test]
fn equal_values_in_several_iterations_are_remarked() {
    let mut settings = tutorial(3);
    settings["tasks"][1]["for_each_task"]["task"]["notebook_task"]["base_parameters"] = json!({"market": "NL"});
    let simulation = play(&settings, |start| match start.id.iteration {
        None => Planned::new(1, markets()),
        Some(_) => Planned::new(1, succeed()),
    });
    let notice = &simulation.run.notices()[0];
    assert_eq!(notice.kind, NoticeKind::SameValues);
    assert_eq!(notice.message, "3 iterations processed equal values: market=NL.");
}

#[test]
fn labels_show_up_to_three_values() {
    let inputs = r#"[["a","b","c","d"], {"x": {"y": 1}, "z": null}, "text", 1.10, true, null, {}]"#;
    let (run, _) = begin(&over(inputs), RunRequest::default());
    let iterations = run.task("l").unwrap().for_each().unwrap().iterations();
    let labels: Vec<&str> = iterations.iter().map(|iteration| iteration.label.as_str()).collect();
    assert_eq!(labels, ["a · b · c", "{\"y\":1} · null", "text", "1.10", "true", "null", ""]);
}

#[test]
fn task_references_inside_the_loop_are_those_of_the_iteration() {
    let mut settings = over("[\"x\",\"y\"]");
    settings["tasks"][0]["for_each_task"]["task"]["notebook_task"]["base_parameters"] =
        json!({"p": "{{task.name}}/{{task.execution_count}}/{{input}}"});
    settings["tasks"][0]["for_each_task"]["task"]["max_retries"] = json!(1);
    let mut seen = Vec::new();
    play(&settings, |start| {
        seen.push(start.parameters[0].value.clone());
        Planned::new(1, if start.id.attempt == 0 { fail() } else { succeed() })
    });
    assert_eq!(seen, ["n/1/x", "n/2/x", "n/1/y", "n/2/y"]);
}
