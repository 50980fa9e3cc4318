use super::*;
use crate::state::ResultState;
use indexmap::IndexMap;
use lakelet_base::Timestamp;
use serde_json::{Value, json};

fn job_context() -> JobContext {
    JobContext {
        id: 11,
        name: "Market Analysis".to_owned(),
        run_id: 22,
        repair_count: 0,
        start_time: Timestamp::parse_rfc3339("2026-03-01T05:04:05.678Z").unwrap(),
        parameters: [("p", "v"), ("run-date", "x")].map(|(n, v)| (n.to_owned(), v.to_owned())).into(),
        trigger: Trigger {
            updated_tables: vec![TableUpdate {
                table: "main.sales.orders".to_owned(),
                version: 7,
                commit_timestamp: Timestamp::parse_rfc3339("2026-02-28T00:00:00Z").unwrap(),
            }],
            ..Trigger::default()
        },
        workspace_id: 9,
        workspace_url: "https://ws.example".to_owned(),
    }
}

/// Resolves with one upstream task `up`, which has the given rows and task values.
fn resolve_with(template: &str, input: Option<&Value>, rows: &[Value], values: &Value) -> Result<String, String> {
    let job = job_context();
    let values: IndexMap<String, Value> = values.as_object().unwrap().clone().into_iter().collect();
    let upstream = |key: &str| {
        (key == "up").then_some(UpstreamTask {
            run_id: Some(5),
            execution_count: 2,
            result_state: Some(ResultState::TimedOut),
            error_code: "",
            values: Some(&values),
            output: Some(UpstreamOutput::Rows(OutputRows { rows, problem: None })),
        })
    };
    let task = TaskContext { name: "t", run_id: 77, execution_count: 1, notebook_path: None };
    let context = ReferenceContext { job: &job, task: Some(task), upstream: &upstream, input };
    resolve(template, &context).map_err(|error| format!("{}: {}", error.kind.as_str(), error.message))
}

fn text(template: &str) -> String {
    resolve_with(template, None, &[], &json!({})).unwrap()
}

fn error_kind(template: &str, input: Option<&Value>) -> String {
    let error = resolve_with(template, input, &[], &json!({})).unwrap_err();
    error.split(':').next().unwrap().to_owned()
}

#[test]
fn what_is_no_reference_stays() {
    for literal in [
        "",
        "abc",
        "{{",
        "}}",
        "{{job.id}",
        "{job.id}",
        "{{job.id + 1}}",
        "{{foo.bar}}",
        "{{}}",
        "{{ }}",
        "{{.id}}",
        "{{job.}}",
        "{{job..id}}",
        "{{job}}",
        "{{tasks}}",
        "{{job.parameters.run-date}}",
        "{{`job.id}}",
        "{{market}}",
        "{{jöb.id}}",
    ] {
        assert_eq!(text(literal), literal);
        assert_eq!(Template::parse(literal).to_string(), literal);
    }
}

#[test]
fn references_are_found_wherever_they_stand() {
    assert_eq!(text("{{job.id}}-{{task.name}}"), "11-t");
    assert_eq!(text("{{ job.id }}"), "11");
    assert_eq!(text("{{{job.id}}}"), "{11}");
    assert_eq!(text("{{x {{job.id}} ü {{job.run_id}}"), "{{x 11 ü 22");
    assert_eq!(text("{{job.parameters.`run-date`}}"), "x");
    assert_eq!(text("{{`job`.`id`}}"), "11");
    let template = Template::parse("a{{job.id}}b{{job.nope}}{{c}}");
    assert_eq!(template.to_string(), "a{{job.id}}b{{job.nope}}{{c}}");
    assert_eq!(template.references().collect::<Vec<_>>(), [&Reference::JobId]);
}

#[test]
fn values_of_the_run() {
    for (template, expected) in [
        ("{{job.name}}", "Market Analysis"),
        ("{{job.repair_count}}", "0"),
        ("{{job.trigger.type}}", "one_time"),
        ("{{job.trigger.table_update.updated_tables}}", "[\"main.sales.orders\"]"),
        ("{{job.trigger.table_update.main.sales.orders.version}}", "7"),
        ("{{job.trigger.table_update.`main.sales.orders`.commit_timestamp.iso_date}}", "2026-02-28"),
        ("{{task.run_id}} {{run_id}}", "77 77"),
        ("{{task_key}} {{task_retry_count}}", "t 0"),
        ("{{parent_run_id}} {{job_id}}", "22 11"),
        ("{{start_date}} {{start_time}}", "2026-03-01 1772341445678"),
        ("{{workspace.id}} {{workspace.url}}", "9 https://ws.example"),
        ("{{tasks.up.run_id}} {{tasks.up.execution_count}}", "5 2"),
        ("{{tasks.up.result_state}}[{{tasks.up.error_code}}]", "timedout[]"),
    ] {
        assert_eq!(text(template), expected, "{template}");
    }
}

#[test]
fn parts_of_an_instant() {
    let part = |name: &str| text(&format!("{{{{job.start_time.{name}}}}}"));
    assert_eq!(part("iso_weekday"), "7");
    assert_eq!(part("is_weekday"), "false");
    assert_eq!(part("iso_date"), "2026-03-01");
    assert_eq!(part("iso_datetime"), "2026-03-01T05:04:05Z");
    assert_eq!((part("year"), part("month"), part("day")), ("2026".into(), "3".into(), "1".into()));
    assert_eq!((part("hour"), part("minute"), part("second")), ("5".into(), "4".into(), "5".into()));
    assert_eq!(part("timestamp_ms"), "1772341445678");
    assert_eq!(TimePart::IsoWeekday.text_of(Timestamp(0)), "4");
    assert_eq!(TimePart::IsoWeekday.text_of(Timestamp(-1)), "3");
}

#[test]
fn wrong_members_of_known_namespaces_are_errors() {
    for template in [
        "{{job.notebook_url}}",
        "{{job.start_time}}",
        "{{job.start_time.century}}",
        "{{job.parameters.nope}}",
        "{{job.parameters}}",
        "{{task.nope}}",
        "{{task.notebook_path}}",
        "{{tasks.up}}",
        "{{tasks.up.output}}",
        "{{tasks.up.output.first_row.a.b}}",
        "{{tasks.up.output.alert_state}}",
        "{{tasks.nowhere.run_id}}",
        "{{workspace.name}}",
        "{{backfill.iso_date}}",
        "{{backfill.nope}}",
        "{{job.trigger.time.iso_date}}",
        "{{job.trigger.file_arrival.location}}",
        "{{job.trigger.table_update.a.b.c.version}}",
    ] {
        assert_eq!(error_kind(template, None), "invalid_reference", "{template}");
    }
}

#[test]
fn inputs_give_their_fields() {
    let input = json!({"market": "NL", "n": 1.10, "b": true, "cfg": {"a": [1, {"x": "y"}]}, "none": null, "": 1});
    let field = |template: &str| resolve_with(template, Some(&input), &[], &json!({})).unwrap();
    assert_eq!(field("{{input.market}}"), "NL");
    assert_eq!(field("{{input.b}}"), "true");
    assert_eq!(field("{{input.none}}"), "null");
    assert_eq!(field("{{input.cfg}}"), r#"{"a":[1,{"x":"y"}]}"#);
    assert_eq!(field("{{input.cfg.a}}"), r#"[1,{"x":"y"}]"#);
    let number: Value = serde_json::from_str(r#"{"k": 1.10}"#).unwrap();
    assert_eq!(resolve_with("{{input.k}}", Some(&number), &[], &json!({})).unwrap(), "1.10");
    assert_eq!(error_kind("{{input.zz}}", Some(&input)), "input_key_missing");
    assert_eq!(error_kind("{{input.market.x}}", Some(&input)), "input_not_object");
    assert_eq!(error_kind("{{input.x}}", Some(&json!(7))), "input_not_object");
    assert_eq!(error_kind("{{input}}", None), "input_outside_for_each");
}

#[test]
fn a_value_that_looks_like_a_reference_is_not_resolved_again() {
    assert_eq!(resolve_with("{{input}}", Some(&json!("{{job.id}}")), &[], &json!({})).unwrap(), "{{job.id}}");
}

#[test]
fn task_values_and_rows() {
    let rows = [json!({"m": "NL", "n": 5}), json!({"m": "UK", "n": null})];
    let values = json!({"t": "beans", "n": 30, "o": {"a": 1}, "z": null, "l": [1, "x"]});
    let value = |template: &str| resolve_with(template, None, &rows, &values);
    assert_eq!(value("{{tasks.up.values.t}}").unwrap(), "beans");
    assert_eq!(value("{{tasks.up.values.n}}|{{tasks.up.values.z}}").unwrap(), "30|null");
    assert_eq!(value("{{tasks.up.values.o}}{{tasks.up.values.l}}").unwrap(), r#"{"a":1}[1,"x"]"#);
    assert_eq!(value("{{tasks.up.output.rows}}").unwrap(), r#"[{"m":"NL","n":5},{"m":"UK","n":null}]"#);
    assert_eq!(value("{{tasks.up.output.first_row}}").unwrap(), r#"{"m":"NL","n":5}"#);
    assert_eq!(value("{{tasks.up.output.first_row.n}}").unwrap(), "5");
    assert!(value("{{tasks.up.values.q}}").unwrap_err().starts_with("task_value_missing"));
    assert!(value("{{tasks.up.output.first_row.q}}").unwrap_err().starts_with("column_missing"));
    assert_eq!(error_kind("{{tasks.up.output.first_row}}", None), "no_rows");
    assert_eq!(text("{{tasks.up.output.rows}}"), "[]");
}

#[test]
fn errors_name_the_reference() {
    let error = resolve_with("x {{ input.zz }}", Some(&json!({"a": 1})), &[], &json!({})).unwrap_err();
    assert_eq!(error, "input_key_missing: {{ input.zz }}: this iteration's input has no key 'zz'. It has: a.");
}
