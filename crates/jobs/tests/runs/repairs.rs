//! Repairs.

use super::*;
use lakelet_jobs::{AttemptWork, NoticeKind, RepairErrorKind, RepairRequest, TaskKey};

fn keys(keys: &[&str]) -> Vec<TaskKey> {
    keys.iter().map(|key| TaskKey::from(*key)).collect()
}

fn all_failed() -> RepairRequest {
    RepairRequest { rerun_all_failed_tasks: true, ..RepairRequest::default() }
}

/// read → loop over three elements → report; iteration 1 fails.
fn failed_loop() -> Run {
    let looped = json!({"task_key": "loop", "depends_on": [{"task_key": "read"}], "for_each_task": {
        "inputs": "{{tasks.read.output.rows}}", "concurrency": 2, "task": notebook("n", &[])}});
    let settings = json!({"tasks": [sql("read"), looped, notebook("report", &["loop"])]});
    let simulation = play(&settings, |start| match start.id.iteration {
        None => Planned::new(10, rows(&["m"], &[&["NL"], &["UK"], &["US"]])),
        Some(1) => Planned::new(10, fail()),
        Some(_) => Planned::new(10, succeed()),
    });
    assert_eq!(states(&simulation.run).values().copied().collect::<Vec<_>>(), ["SUCCESS", "FAILED", "UPSTREAM_FAILED"]);
    simulation.run
}

fn repair<'p>(mut run: Run, request: RepairRequest, plan: impl FnMut(&StartAttempt) -> Planned + 'p) -> Simulation<'p> {
    let now = run.ended().unwrap().plus_millis(1_000);
    let repair_id = 7_001 + run.history().len() as u64;
    let effects = run.repair(request, repair_id, now).unwrap();
    let mut simulation = Simulation::new(run, effects, now, Box::new(plan));
    simulation.play();
    simulation
}

#[test]
fn only_the_failed_iteration_runs_again() {
    let run = failed_loop();
    let plan = run.plan_repair(&all_failed()).unwrap();
    assert_eq!((plan.rerun.clone(), plan.kept.clone()), (keys(&["loop", "report"]), keys(&["read"])));
    assert_eq!(plan.rerun_iterations[&TaskKey::from("loop")], [1]);
    assert_eq!(plan.kept_iterations[&TaskKey::from("loop")], [0, 2]);

    let simulation = repair(run, all_failed(), |_| Planned::new(10, succeed()));
    assert_eq!(started(&simulation.effects), ["loop[1] attempt 1", "report attempt 0"]);
    let record = simulation.run.to_json();
    assert_eq!((record["state"].as_str(), record["repair_count"].as_u64()), (Some("SUCCESS"), Some(1)));
    let iterations = record["tasks"][1]["iterations"].as_array().unwrap();
    let attempts: Vec<usize> = iterations.iter().map(|i| i["attempts"].as_array().unwrap().len()).collect();
    assert_eq!(attempts, [1, 2, 1]);
    assert_eq!(iterations[1]["attempts"][0]["state"], json!("FAILED"));
    assert_eq!(record["tasks"][1]["attempts"].as_array().unwrap().len(), 2);
    assert_eq!(simulation.run.notices()[0].kind, NoticeKind::InputsKept);
}

#[test]
fn single_iterations_can_be_chosen() {
    let looped = json!({"tasks": [{"task_key": "l", "for_each_task": {"inputs": "[1,2,3]", "task": notebook("n", &[])}}, notebook("b", &["l"])]});
    let run = play(&looped, |_| Planned::new(1, fail())).run;
    let request = RepairRequest { rerun_iterations: vec![(TaskKey::from("l"), 2)], ..RepairRequest::default() };
    let plan = run.plan_repair(&request).unwrap();
    assert_eq!(
        (&plan.rerun, &plan.rerun_iterations[0], &plan.kept_iterations[0]),
        (&keys(&["l", "b"]), &vec![2], &vec![0, 1])
    );
    let simulation = repair(run, request, |_| Planned::new(1, succeed()));
    assert_eq!(states(&simulation.run).values().copied().collect::<Vec<_>>(), ["FAILED", "UPSTREAM_FAILED"]);
    assert_eq!(started(&simulation.effects), ["l[2] attempt 1"]);
}

#[test]
fn a_loop_that_was_never_planned_is_planned_by_the_repair() {
    let looped = json!({"task_key": "loop", "depends_on": [{"task_key": "read"}], "for_each_task": {
        "inputs": "{{tasks.read.output.rows}}", "task": notebook("n", &[])}});
    let run = play(&json!({"tasks": [sql("read"), looped]}), |_| Planned::new(1, fail())).run;
    let plan = run.plan_repair(&all_failed()).unwrap();
    assert!(plan.rerun_iterations.is_empty());
    let simulation = repair(run, all_failed(), |start| match start.id.iteration {
        None => Planned::new(1, rows(&["m"], &[&["NL"]])),
        Some(_) => Planned::new(1, succeed()),
    });
    assert_eq!(result(&simulation.run), ResultState::Success);
}

#[test]
fn kept_results_stay_readable() {
    let mut second = notebook("b", &["a"]);
    second["notebook_task"]["base_parameters"] = json!({"v": "{{tasks.a.values.k}}", "r": "{{job.repair_count}}"});
    let settings = json!({"tasks": [notebook("a", &[]), second]});
    let run = play(&settings, |start| {
        let mut planned = Planned::new(1, if start.id.task_key.as_str() == "a" { succeed() } else { fail() });
        planned.task_values.insert("k".to_owned(), json!("kept"));
        planned
    })
    .run;
    let mut values = Vec::new();
    let simulation = repair(run, all_failed(), |start| {
        values.extend(start.parameters.iter().map(|parameter| parameter.value.clone()));
        Planned::new(1, succeed())
    });
    let attempts = simulation.run.task("b").unwrap().attempts();
    assert_eq!((attempts[1].attempt, attempts[1].repair), (1, 1));
    drop(simulation);
    assert_eq!(values, ["kept", "1"]);
}

#[test]
fn retries_count_anew_in_a_repair() {
    let mut task = notebook("a", &[]);
    task["max_retries"] = json!(1);
    let run = play(&json!({"tasks": [task]}), |_| Planned::new(1, fail())).run;
    let simulation = repair(run, all_failed(), |_| Planned::new(1, fail()));
    let numbers: Vec<u32> =
        simulation.run.task("a").unwrap().attempts().iter().map(|attempt| attempt.attempt).collect();
    assert_eq!(numbers, [0, 1, 2, 3]);
}

#[test]
fn the_history_has_the_original_first_and_ids_are_checked() {
    let run = failed_loop();
    let simulation = repair(run, all_failed(), |start| {
        Planned::new(1, if start.id.iteration.is_some() { fail() } else { succeed() })
    });
    let run = simulation.run;
    let ids: Vec<_> = run.history().iter().map(|item| (item.repair_id, item.state.as_str())).collect();
    assert_eq!(ids, [(None, "FAILED"), (Some(7_002), "FAILED")]);
    let refused = |request: &RepairRequest| run.plan_repair(request).unwrap_err().kind;
    assert_eq!(refused(&all_failed()), RepairErrorKind::LatestRepairIdRequired);
    let wrong = RepairRequest { latest_repair_id: Some(1), ..all_failed() };
    assert_eq!(refused(&wrong), RepairErrorKind::LatestRepairIdMismatch);
    let right = RepairRequest { latest_repair_id: Some(7_002), ..all_failed() };
    let simulation = repair(run.clone(), right, |_| Planned::new(1, succeed()));
    assert_eq!((result(&simulation.run), simulation.run.context().repair_count), (ResultState::Success, 2));
}

#[test]
fn requests_that_make_no_sense_are_refused_and_change_nothing() {
    let run = failed_loop();
    let check = |request: RepairRequest| {
        let mut copy = run.clone();
        let error = copy.repair(request, 1, START).unwrap_err();
        assert_eq!(copy, run);
        error.kind.as_str()
    };
    let tasks = |names: &[&str]| RepairRequest { rerun_tasks: keys(names), ..RepairRequest::default() };
    assert_eq!(check(tasks(&["loop", "loop"])), "duplicate_rerun_tasks");
    assert_eq!(check(tasks(&["zz"])), "unknown_task");
    assert_eq!(check(RepairRequest { rerun_all_failed_tasks: true, ..tasks(&["loop"]) }), "repair_selector_conflict");
    let iteration = |key: &str, index| RepairRequest {
        rerun_iterations: vec![(TaskKey::from(key), index)],
        ..RepairRequest::default()
    };
    assert_eq!(check(iteration("loop", 3)), "unknown_iteration");
    assert_eq!(check(iteration("read", 0)), "unknown_iteration");
    let one = play(&json!({"tasks": [notebook("a", &[])]}), |_| Planned::new(1, fail())).run;
    let from_page = RepairRequest { from_page: true, ..all_failed() };
    assert_eq!(one.plan_repair(&from_page).unwrap_err().kind, RepairErrorKind::RepairNeedsTwoTasks);
    let good = play(&json!({"tasks": [notebook("a", &[])]}), |_| Planned::new(1, succeed())).run;
    assert_eq!(good.plan_repair(&RepairRequest::default()).unwrap_err().kind, RepairErrorKind::NothingToRepair);
    let (running, _) = begin(&json!({"tasks": [notebook("a", &[])]}), RunRequest::default());
    assert_eq!(running.plan_repair(&all_failed()).unwrap_err().kind, RepairErrorKind::RunInProgress);
}

#[test]
fn named_disabled_tasks_run() {
    let mut off = notebook("off", &[]);
    off["disabled"] = json!(true);
    let run = play(&json!({"tasks": [off, notebook("a", &[])]}), |_| Planned::new(1, fail())).run;
    let simulation = repair(run.clone(), all_failed(), |_| Planned::new(1, succeed()));
    assert_eq!(states(&simulation.run).values().copied().collect::<Vec<_>>(), ["DISABLED", "SUCCESS"]);
    let named = RepairRequest { rerun_tasks: keys(&["off"]), ..RepairRequest::default() };
    assert_eq!(state(&repair(run, named, |_| Planned::new(1, succeed())).run, "off"), "SUCCESS");
}

#[test]
fn parameters_are_kept_or_fall_back_to_defaults() {
    let settings = json!({"parameters": [{"name": "p", "default": "default"}, {"name": "q", "default": "1"}], "tasks": [notebook("a", &[])]});
    let request = RunRequest { job_parameters: [("p".to_owned(), "given".to_owned())].into(), ..RunRequest::default() };
    let (run, effects) = begin(&settings, request);
    let mut simulation = Simulation::new(run, effects, START, Box::new(|_| Planned::new(1, fail())));
    simulation.play();
    let values = |request: RepairRequest| {
        let repaired = repair(simulation.run.clone(), request, |_| Planned::new(1, succeed()));
        let parameters = repaired.run.task("a").unwrap().attempts()[1].parameters.clone();
        parameters.iter().map(|p| format!("{}={}:{}", p.name, p.value, p.origin)).collect::<Vec<_>>()
    };
    assert_eq!(values(all_failed()), ["p=default:job", "q=1:job"]);
    assert_eq!(values(RepairRequest { keep_parameters: true, ..all_failed() }), ["p=given:run", "q=1:job"]);
    let changed = [("q".to_owned(), "2".to_owned())].into();
    let request = RepairRequest { keep_parameters: true, job_parameters: changed, ..all_failed() };
    assert_eq!(values(request), ["p=given:run", "q=2:run"]);
}

#[test]
fn a_repair_goes_by_the_job_as_it_is_now() {
    let run = play(&json!({"tasks": [notebook("a", &[]), notebook("gone", &[])]}), |_| Planned::new(1, fail())).run;
    let mut now = sql("a");
    now["depends_on"] = json!([{"task_key": "new"}]);
    let changed = job(&json!({"tasks": [now, notebook("new", &[])]}));
    let request = RepairRequest { job: Some(changed), ..all_failed() };
    let simulation = repair(run, request, |start| {
        assert!(matches!(start.work, AttemptWork::Sql { .. }) == (start.id.task_key.as_str() == "a"));
        Planned::new(1, succeed())
    });
    assert_eq!(started(&simulation.effects), ["new attempt 0", "a attempt 1"]);
    let types: Vec<&str> = simulation.run.task("a").unwrap().attempts().iter().map(|a| a.type_name.as_str()).collect();
    assert_eq!(types, ["notebook_task", "sql_task"]);
    // What is no longer in the job keeps its end but does not count.
    assert_eq!((state(&simulation.run, "gone"), result(&simulation.run)), ("FAILED", ResultState::Success));
}

#[test]
fn a_canceled_run_can_be_repaired() {
    let looped =
        json!({"tasks": [{"task_key": "l", "for_each_task": {"inputs": "[1,2,3]", "task": notebook("n", &[])}}]});
    let (run, effects) = begin(&looped, RunRequest::default());
    let mut simulation = Simulation::new(run, effects, START, Box::new(|_| Planned::new(10, succeed())));
    simulation.foresee(START.plus_millis(15), lakelet_jobs::RunEvent::Cancel);
    simulation.play();
    assert_eq!(result(&simulation.run), ResultState::Canceled);
    let repaired = repair(simulation.run, all_failed(), |_| Planned::new(1, succeed()));
    assert_eq!(started(&repaired.effects), ["l[1] attempt 1", "l[2] attempt 0"]);
    assert_eq!(result(&repaired.run), ResultState::Success);
}

#[test]
fn a_loop_that_does_not_get_its_turn_keeps_its_iterations() {
    let looped = json!({"task_key": "loop", "depends_on": [{"task_key": "a"}], "run_if": "ALL_DONE", "for_each_task": {
        "inputs": "[1,2]", "task": notebook("n", &[])}});
    let settings = json!({"tasks": [notebook("a", &[]), looped]});
    let run = play(&settings, |_| Planned::new(1, fail())).run;
    let mut strict = settings.clone();
    strict["tasks"][1]["run_if"] = json!("ALL_SUCCESS");
    let request = RepairRequest { job: Some(job(&strict)), ..all_failed() };
    let simulation = repair(run, request, |_| Planned::new(1, fail()));
    let task = simulation.run.task("loop").unwrap();
    assert_eq!(task.state().as_str(), "UPSTREAM_FAILED");
    assert!(
        task.for_each().unwrap().iterations().iter().all(|i| i.state().as_str() == "FAILED" && i.attempts().len() == 1)
    );
}
