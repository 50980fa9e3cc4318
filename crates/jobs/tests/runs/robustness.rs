//! Whatever comes in, nothing panics and nothing is lost.

use super::*;
use lakelet_jobs::{Parameter, Template, expand_braces, parameter_markers, validate};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

fn for_all<S: Strategy>(strategy: &S, check: impl Fn(S::Value) -> Result<(), TestCaseError>) {
    let config = Config { cases: 500, failure_persistence: None, ..Config::default() };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[11; 32]);
    TestRunner::new_with_rng(config, rng).run(strategy, check).unwrap();
}

/// Text that is full of what the scanners look for.
fn marked_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("{{".to_owned()),
        Just("}}".to_owned()),
        Just("job.id".to_owned()),
        Just("tasks.`a b`.output.rows".to_owned()),
        "[`'\"{}.:/*r\\\\ -]{1,3}",
        "\\PC{0,3}",
    ];
    proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

#[test]
fn prop_templates_keep_their_text() {
    for_all(&marked_text(), |text| {
        prop_assert_eq!(Template::parse(&text).to_string(), text);
        Ok(())
    });
}

#[test]
fn prop_sql_text_without_parameters_stays() {
    for_all(&marked_text(), |text| {
        parameter_markers(&text);
        prop_assert_eq!(expand_braces(&text, &[]), text.clone());
        expand_braces(&text, &[Parameter::new("job.id", "'", lakelet_jobs::Origin::Task)]);
        Ok(())
    });
}

/// JSON with the field names of jobs, in places where they belong and where they do not.
fn settings() -> impl Strategy<Value = Value> {
    let keys = prop::sample::select(vec![
        "name",
        "tasks",
        "task_key",
        "depends_on",
        "outcome",
        "run_if",
        "for_each_task",
        "inputs",
        "task",
        "concurrency",
        "notebook_task",
        "notebook_path",
        "base_parameters",
        "sql_task",
        "file",
        "path",
        "condition_task",
        "op",
        "left",
        "parameters",
        "default",
        "schedule",
        "trigger",
        "table_update",
        "table_names",
        "queue",
        "max_retries",
        "tags",
        "timeout_seconds",
        "disabled",
        "unknown",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        prop::sample::select(vec!["a", "b", "", "[1]", "{{input}}", "{{tasks.a.output.rows}}", "/n", "true"])
            .prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 80, 6, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            proptest::collection::vec((keys.clone(), inner), 0..8).prop_map(|pairs| {
                Value::Object(pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
            }),
        ]
    })
}

#[test]
fn prop_any_settings_can_be_checked_and_are_kept() {
    for_all(&settings(), |settings| {
        let options = ValidateOptions::default();
        let problems = validate(&settings, &options);
        let (job, _) = Job::read(&settings, &options);
        if !settings.is_object() {
            prop_assert!(Job::from_value(&settings, &options).is_err());
            return Ok(());
        }
        prop_assert_eq!(job.to_value().to_string(), settings.to_string());
        // A run does not ask how paths are written: whoever read the settings did.
        let prevents =
            |problem: &lakelet_jobs::Problem| problem.is_error() && !problem.kind.as_str().starts_with("path_");
        let start = Run::start(job, RunStart::default(), START, &Limits::default());
        prop_assert_eq!(start.is_ok(), !problems.iter().any(prevents));
        Ok(())
    });
}
