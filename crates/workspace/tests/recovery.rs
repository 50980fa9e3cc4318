//! Workspaces that end in the middle of a run, and come again from their log.

mod support;

use std::collections::BTreeMap;

use lakelet_protocol::{RepairRequest, Request, RequestBody, RunState};
use lakelet_workspace::{NoPython, Workspace};
use serde_json::Map;
use support::python::TutorialPython;
use support::{SharedLog, ask_with, iterations, query, run, tutorial};

const JOB: &str = "Market Analysis SQL";
const COPY_JOB: &str = "Incremental table copy";

/// Begins a run and stops after so many steps.
fn begin(workspace: &mut Workspace, job: &str, n_steps: usize) {
    let body = RequestBody::RunJob { job: job.to_owned(), params: Map::new(), only: Vec::new() };
    workspace.submit(Request { id: 1, body });
    for _ in 0..n_steps {
        workspace.step();
    }
}

#[test]
fn a_run_that_was_going_on_is_interrupted_and_can_be_repaired() {
    // However far it was.
    for n_steps in 1..12 {
        let log = SharedLog::default();
        let mut workspace = tutorial(&log, "t2");
        begin(&mut workspace, JOB, n_steps);
        let is_over = workspace.run_view(1).unwrap().summary.state.is_final();
        drop(workspace);

        let mut workspace = log.open();
        let view = workspace.run_view(1).unwrap();
        if is_over {
            assert_eq!(view.summary.state, RunState::Success);
            continue;
        }
        assert_eq!(view.summary.state, RunState::Interrupted, "after {n_steps} steps");
        assert!(!view.repairable.is_empty());
        let kept = view.tasks[1].iterations.iter().flatten().filter(|i| i.state == RunState::Success).count();
        let body = RequestBody::Repair { run_id: 1, repair: RepairRequest::default() };
        ask_with(&mut workspace, body, &mut NoPython).0.unwrap();
        let view = workspace.run_view(1).unwrap();
        assert_eq!((view.summary.state, view.summary.repair_count), (RunState::Success, 1));
        assert_eq!(iterations(&view, "process_markets").len(), 3);
        let again = view.tasks[1].iterations.iter().flatten().filter(|i| i.attempts.len() == 1).count();
        assert!(again >= kept);
    }
}

#[test]
fn what_had_succeeded_before_the_end_is_kept() {
    let log = SharedLog::default();
    let mut workspace = tutorial(&log, "t1");
    begin(&mut workspace, COPY_JOB, 0);
    let mut python = TutorialPython::default();
    // Until the first of the two cells has ended.
    while python.ran.is_empty() {
        let step = workspace.step();
        if let Some(cell) = step.run_cell {
            let execution = cell.execution;
            let outcome = lakelet_workspace::PythonHost::run(&mut python, &mut workspace, cell);
            workspace.cell_finished(execution, outcome);
        }
    }
    let before = workspace.now();
    drop(workspace);

    let mut workspace = log.open();
    assert!(workspace.now() >= before);
    let view = workspace.run_view(1).unwrap();
    assert_eq!(view.summary.state, RunState::Interrupted);
    let states: Vec<RunState> = view.tasks[1].iterations.iter().flatten().map(|i| i.state).collect();
    assert!(states.contains(&RunState::Success) && states.contains(&RunState::Interrupted), "{states:?}");
    let body = RequestBody::Repair { run_id: 1, repair: RepairRequest::default() };
    ask_with(&mut workspace, body, &mut TutorialPython::default()).0.unwrap();
    assert_eq!(workspace.run_view(1).unwrap().summary.state, RunState::Success);
    assert_eq!(
        query(&mut workspace, "SELECT (SELECT count(*) FROM sales.orders), (SELECT count(*) FROM sales.customers)"),
        ["10 6"]
    );
}

#[test]
fn every_cut_of_the_log_gives_a_run_that_can_be_repaired() {
    let log = SharedLog::default();
    let mut workspace = tutorial(&log, "t2");
    let begin = log.len();
    let body = RequestBody::RunJob { job: JOB.to_owned(), params: Map::new(), only: Vec::new() };
    workspace.submit(Request { id: 1, body });
    let mut cuts = vec![begin];
    while !workspace.step().idle {
        cuts.extend((log.len() != cuts[cuts.len() - 1]).then(|| log.len()));
    }
    assert!(cuts.len() > 4);
    for cut in cuts.into_iter().skip(1).flat_map(|cut| [cut - 1, cut]) {
        let mut workspace = log.cut(cut).open();
        let Ok(view) = workspace.run_view(1) else {
            // The record of its beginning is torn: nothing of it happened.
            assert_eq!(run(&mut workspace, JOB, &mut NoPython).summary.run_id, 1);
            continue;
        };
        if view.summary.state == RunState::Interrupted {
            let body = RequestBody::Repair { run_id: 1, repair: RepairRequest::default() };
            ask_with(&mut workspace, body, &mut NoPython).0.unwrap();
        }
        let view = workspace.run_view(1).unwrap();
        assert_eq!(view.summary.state, RunState::Success);
        assert_eq!(iterations(&view, "process_markets").len(), 3);
    }
}

#[test]
fn a_run_that_cannot_be_saved_stops_and_says_why() {
    let log = SharedLog::default();
    let mut workspace = tutorial(&log, "t2");
    log.fill_after(2);
    let view = run(&mut workspace, JOB, &mut NoPython);
    assert_eq!(view.summary.state, RunState::Canceled);
    assert!(view.notices.iter().any(|notice| notice.contains("STORAGE")), "{:?}", view.notices);
    log.fill_after(usize::MAX);
    let body = RequestBody::Repair { run_id: 1, repair: RepairRequest::default() };
    ask_with(&mut workspace, body, &mut NoPython).0.unwrap();
    let view = workspace.run_view(1).unwrap();
    assert_eq!(view.summary.state, RunState::Success);
    drop(workspace);
    assert_eq!(log.open().run_view(1).unwrap(), view);
}

#[test]
fn runs_jobs_and_files_come_again() {
    let log = SharedLog::default();
    let mut workspace = tutorial(&log, "t2");
    let view = run(&mut workspace, JOB, &mut NoPython);
    workspace.save_file("notes.txt", Some("mine".to_owned())).unwrap();
    workspace.set_append_fault(Some(3)).unwrap();
    let view = workspace.run_view(view.summary.run_id).unwrap();
    assert_eq!(view.faults.fail_after_append, Some(3));
    let (files, job) = (workspace.files(), workspace.job_view(JOB).unwrap());
    drop(workspace);
    let mut workspace = log.open();
    assert_eq!(workspace.files(), files);
    assert_eq!(workspace.job_view(JOB).unwrap(), job);
    assert_eq!(workspace.run_view(view.summary.run_id).unwrap(), view);
    let next = run(&mut workspace, JOB, &mut NoPython);
    assert_eq!((next.summary.run_id, next.summary.number), (2, 2));
}

#[test]
fn a_cancel_stops_the_run_between_two_statements() {
    let mut workspace = tutorial(&SharedLog::default(), "t2");
    begin(&mut workspace, JOB, 4);
    workspace.submit(Request { id: 2, body: RequestBody::Cancel });
    let mut is_idle = false;
    while !is_idle {
        is_idle = workspace.step().idle;
    }
    let view = workspace.run_view(1).unwrap();
    assert_eq!(view.summary.state, RunState::Canceled);
    let body = RequestBody::Repair { run_id: 1, repair: RepairRequest::default() };
    ask_with(&mut workspace, body, &mut NoPython).0.unwrap();
    assert_eq!(workspace.run_view(1).unwrap().summary.state, RunState::Success);
}

#[test]
fn a_cell_in_hand_when_the_run_is_canceled_is_let_go() {
    let mut workspace = tutorial(&SharedLog::default(), "t2");
    begin(&mut workspace, "Market Analysis", 0);
    let cell = loop {
        if let Some(cell) = workspace.step().run_cell {
            break cell;
        }
    };
    workspace.submit(Request { id: 2, body: RequestBody::Cancel });
    let reply = workspace.python_call(lakelet_protocol::PythonCall::Print { text: "late".to_owned() });
    assert!(matches!(reply, lakelet_protocol::PythonReply::Error { .. }));
    workspace.cell_finished(cell.execution, lakelet_workspace::CellFinished::Succeeded);
    while !workspace.step().idle {}
    assert_eq!(workspace.run_view(1).unwrap().summary.state, RunState::Canceled);
    let view = run(&mut workspace, "Market Analysis", &mut TutorialPython::default());
    assert_eq!(view.summary.state, RunState::Success);
}

#[test]
fn a_reset_forgets_runs_and_files() {
    let mut workspace = tutorial(&SharedLog::default(), "t2");
    run(&mut workspace, JOB, &mut NoPython);
    ask_with(&mut workspace, RequestBody::Reset, &mut NoPython).0.unwrap();
    assert_eq!(workspace.files(), BTreeMap::new());
    assert!(workspace.run_view(1).is_err());
}
