//! Tutorial 2 end to end: a control table drives a job.

mod support;

use lakelet_protocol::{EventBody, OutputItem, RepairRequest, RequestBody, ResponseBody, RunState};
use lakelet_workspace::{NoPython, RunSettings};
use serde_json::{Map, json};
use support::python::TutorialPython;
use support::{SharedLog, ask, ask_with, iterations, query, run, sql, tutorial};

const SQL_JOB: &str = "Market Analysis SQL";
const NOTEBOOK_JOB: &str = "Market Analysis";
const TOTALS_JOB: &str = "Market totals";

#[test]
fn every_market_is_an_iteration_of_the_sql_job() {
    let mut workspace = tutorial(&SharedLog::default(), "t2");
    let view = run(&mut workspace, SQL_JOB, &mut NoPython);
    assert_eq!(view.summary.state, RunState::Success);
    assert_eq!(
        iterations(&view, "process_markets"),
        ["NL · EUR Succeeded 5 rows", "UK · GBP Succeeded 4 rows", "US · USD Succeeded 3 rows"]
    );
    let loop_task = &view.tasks[1];
    assert_eq!(loop_task.type_name, "For each");
    assert_eq!(loop_task.nested_key.as_deref(), Some("run_market_analysis_iteration"));
    let concurrency = loop_task.concurrency.unwrap();
    assert_eq!((concurrency.limit, concurrency.max_in_flight), (2, 2));
    let first = &loop_task.iterations.as_ref().unwrap()[0].attempts[0];
    let parameters: Vec<String> = first.parameters.iter().map(|p| format!("{}={}", p.name, p.value)).collect();
    assert_eq!(parameters, ["market=NL", "currency=EUR"]);
    assert!(first.start.unwrap() < first.end.unwrap());
    assert_eq!(view.graph.nodes[1].children[0].key, "run_market_analysis_iteration");
    assert_eq!(view.graph.edges.len(), 1);
    // The third iteration begins when the first of the others ends.
    let attempts: Vec<_> =
        loop_task.iterations.as_ref().unwrap().iter().map(|iteration| &iteration.attempts[0]).collect();
    assert_eq!(attempts[0].start, attempts[1].start);
    assert_eq!(attempts[2].start, attempts[0].end.min(attempts[1].end));
    assert!(workspace.now() >= view.summary.ended.unwrap());
}

#[test]
fn the_page_hears_of_every_step() {
    let mut workspace = tutorial(&SharedLog::default(), "t2");
    let body = RequestBody::RunJob { job: SQL_JOB.to_owned(), params: Map::new(), only: Vec::new() };
    let (answer, events) = ask_with(&mut workspace, body, &mut NoPython);
    let Ok(ResponseBody::Run(begun)) = answer else { panic!("{answer:?}") };
    assert_eq!(begun.summary.state, RunState::Running);
    let views: Vec<_> = events
        .iter()
        .filter_map(|event| match event {
            EventBody::RunChanged(view) => Some(view),
            _ => None,
        })
        .collect();
    let words: Vec<String> = views
        .iter()
        .filter_map(|view| {
            let states = view.tasks[1].iterations.as_ref()?.iter().map(|iteration| iteration.state.word());
            Some(states.collect::<Vec<_>>().join(" "))
        })
        .collect();
    assert_eq!(words[0], "Running Running Waiting");
    assert_eq!(words.last().unwrap(), "Succeeded Succeeded Succeeded");
    assert!(words.iter().all(|states| states.matches("Running").count() <= 2));
    assert!(events.iter().any(|event| matches!(event, EventBody::ClockMoved(_))));
}

#[test]
fn a_new_market_needs_no_change_of_the_job() {
    let mut workspace = tutorial(&SharedLog::default(), "t2");
    let before = workspace.job_view(NOTEBOOK_JOB).unwrap().settings;
    sql(&mut workspace, "INSERT INTO config.markets VALUES ('DE', 'EUR')");
    let view = run(&mut workspace, SQL_JOB, &mut NoPython);
    assert_eq!(iterations(&view, "process_markets").last().unwrap(), "DE · EUR Succeeded 2 rows");
    assert_eq!(workspace.job_view(NOTEBOOK_JOB).unwrap().settings, before);
}

#[test]
fn the_market_that_failed_is_repaired_alone() {
    let mut workspace = tutorial(&SharedLog::default(), "t2");
    sql(
        &mut workspace,
        "INSERT INTO sales.transactions VALUES (15, 'UK', 'GBP', 'n/a', TIMESTAMP '2026-03-02 08:30:00')",
    );
    let view = run(&mut workspace, TOTALS_JOB, &mut NoPython);
    assert_eq!(view.summary.state, RunState::Failed);
    assert_eq!(
        iterations(&view, "process_markets"),
        ["NL · EUR Succeeded 1 rows", "UK · GBP Failed CAST_INVALID_INPUT", "US · USD Succeeded 1 rows"]
    );
    assert_eq!(view.repairable, [("process_markets".to_owned(), vec![1])]);
    let error = view.tasks[1].iterations.as_ref().unwrap()[1].attempts[0].error.clone().unwrap();
    assert!(error.message.contains("n/a"), "{}", error.message);

    sql(&mut workspace, "UPDATE sales.transactions SET amount = '31.40' WHERE id = 15");
    let run_id = view.summary.run_id;
    let repair = RequestBody::Repair { run_id, repair: RepairRequest::default() };
    ask(&mut workspace, repair.clone()).unwrap();
    let view = workspace.run_view(run_id).unwrap();
    assert_eq!((view.summary.state, view.summary.repair_count), (RunState::Success, 1));
    assert_eq!(
        iterations(&view, "process_markets"),
        ["NL · EUR Succeeded 1 rows", "UK · GBP Succeeded 1 rows attempt 2", "US · USD Succeeded 1 rows"]
    );
    let uk = &view.tasks[1].iterations.as_ref().unwrap()[1];
    assert_eq!(uk.attempts[0].error.as_ref().unwrap(), &error);
    assert!(view.repairable.is_empty());
    let refused = ask(&mut workspace, repair).unwrap_err();
    assert_eq!(refused.condition, "LAKELET_REPAIR_REFUSED");
}

#[test]
fn the_record_has_the_form_of_the_command_line() {
    let mut workspace = tutorial(&SharedLog::default(), "t2");
    let record = workspace.run_job(SQL_JOB, &RunSettings::default(), &mut NoPython).unwrap();
    assert_eq!(record["state"], "SUCCESS");
    assert_eq!(record["tasks"][0]["task_key"], "read_markets");
    assert_eq!(
        record["tasks"][0]["attempts"][0]["output"]["rows"],
        json!([{"market": "NL", "currency": "EUR"}, {"market": "UK", "currency": "GBP"}, {"market": "US", "currency": "USD"}])
    );
    let iteration = &record["tasks"][1]["iterations"][1];
    assert_eq!((&iteration["label"], &iteration["input"]["market"]), (&json!("UK · GBP"), &json!("UK")));
    assert_eq!(iteration["attempts"][0]["output"]["rows"].as_array().unwrap().len(), 4);
    assert_eq!(iteration["attempts"][0]["parameters"][0], json!({"name": "market", "value": "UK", "origin": "task"}));
}

#[test]
fn a_parameter_that_sql_misses_is_an_error() {
    let mut workspace = tutorial(&SharedLog::default(), "t2");
    let path = "resources/market_analysis_sql.job.yml";
    let text = workspace.files()[path].replace("                  currency: \"{{input.currency}}\"\n", "");
    workspace.save_file(path, Some(text)).unwrap();
    let problems = workspace.job_view(SQL_JOB).unwrap().problems;
    let unbound = problems.iter().find(|problem| problem.kind == "unbound_parameter").unwrap();
    assert!(unbound.message.contains("missing are :currency"), "{}", unbound.message);
    assert_eq!(unbound.severity, "warning");
    let view = run(&mut workspace, SQL_JOB, &mut NoPython);
    assert_eq!(view.summary.state, RunState::Failed);
    let lines = iterations(&view, "process_markets");
    assert!(lines.iter().all(|line| line.ends_with("Failed UNBOUND_SQL_PARAMETER")), "{lines:?}");
    let error = view.tasks[1].iterations.as_ref().unwrap()[0].attempts[0].error.clone().unwrap();
    assert!(error.message.contains(":currency"), "{}", error.message);
}

#[test]
fn every_market_is_an_iteration_of_the_notebook_job() {
    let mut workspace = tutorial(&SharedLog::default(), "t2");
    let mut python = TutorialPython::default();
    let view = run(&mut workspace, NOTEBOOK_JOB, &mut python);
    assert_eq!(view.summary.state, RunState::Success);
    let shown: Vec<String> = view.tasks[1]
        .iterations
        .as_ref()
        .unwrap()
        .iter()
        .map(|iteration| {
            let items = &iteration.attempts[0].cells[0].items;
            let [OutputItem::Text { text }, OutputItem::Table { header, rows }] = items.as_slice() else {
                panic!("{items:?}")
            };
            assert_eq!(rows.len() as u64, header.n_rows);
            format!("{} {}", text.trim(), header.n_rows)
        })
        .collect();
    assert_eq!(
        shown,
        ["Processing market: NL (EUR) 5", "Processing market: UK (GBP) 4", "Processing market: US (USD) 3"]
    );
    let namespaces: std::collections::BTreeSet<u64> = python.ran.iter().map(|(_, namespace)| *namespace).collect();
    assert_eq!((python.ran.len(), namespaces.len()), (3, 3));
    let record = workspace.run_json(view.summary.run_id).unwrap();
    let text = record["tasks"][1]["iterations"][0]["attempts"][0]["output"]["text"].as_str().unwrap();
    assert!(text.starts_with("Processing market: NL (EUR)\nid\tmarket\t") && text.ends_with("(5 rows)\n"), "{text}");
}

#[test]
fn forgotten_parameters_are_green_but_marked() {
    let mut workspace = tutorial(&SharedLog::default(), "t2");
    let path = "resources/market_analysis.job.yml";
    let text = workspace.files()[path].clone();
    let (kept, _) = text.split_once("                base_parameters").unwrap();
    workspace.save_file(path, Some(kept.to_owned())).unwrap();
    let problems = workspace.job_view(NOTEBOOK_JOB).unwrap().problems;
    assert_eq!(problems.iter().map(|problem| problem.kind.as_str()).collect::<Vec<_>>(), ["widget_without_parameter"]);
    let view = run(&mut workspace, NOTEBOOK_JOB, &mut TutorialPython::default());
    assert_eq!(view.summary.state, RunState::SuccessWithWarnings);
    for iteration in view.tasks[1].iterations.as_ref().unwrap() {
        assert_eq!(iteration.state, RunState::SuccessWithWarnings);
        assert_eq!(iteration.attempts[0].warnings, ["used default: market, currency"]);
    }
    assert!(
        view.notices.iter().any(|notice| notice.contains("3 iterations processed equal values")),
        "{:?}",
        view.notices
    );
}

#[test]
fn without_python_notebooks_say_so() {
    let mut workspace = tutorial(&SharedLog::default(), "t2");
    let view = run(&mut workspace, NOTEBOOK_JOB, &mut NoPython);
    assert_eq!(view.summary.state, RunState::Failed);
    assert!(iterations(&view, "process_markets").iter().all(|line| line.ends_with("PYTHON_NOT_AVAILABLE")));
}

#[test]
fn no_markets_are_no_iterations() {
    let mut workspace = tutorial(&SharedLog::default(), "t2");
    sql(&mut workspace, "DELETE FROM config.markets");
    let view = run(&mut workspace, SQL_JOB, &mut NoPython);
    assert_eq!(view.summary.state, RunState::Success);
    assert_eq!(view.tasks[1].iterations.as_ref().unwrap().len(), 0);
    assert_eq!(view.tasks[1].notices, ["Inputs were an empty list: no iterations."]);
    assert_eq!(query(&mut workspace, "SELECT count(*) FROM config.markets"), ["0"]);
}
