use lakelet_base::Limits;
use serde_json::{Value, json};

use super::*;
use crate::parameters::{Origin, Parameter};

fn strings(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

fn job_widgets() -> Widgets {
    Widgets::in_job(&[Parameter::new("market", "UK", Origin::Task), Parameter::new("day", "1", Origin::Job)])
}

#[test]
fn interactively_a_widget_exists_once_it_is_defined() {
    let mut widgets = Widgets::interactive();
    assert_eq!(widgets.get("a").unwrap_err().kind, DbutilsErrorKind::InputWidgetNotDefined);
    widgets.text("a", "1");
    assert_eq!((widgets.get("a").unwrap().as_str(), widgets.origin("a")), ("1", Some(Origin::Default)));
    widgets.select("a", &strings(&["2"])).unwrap();
    widgets.text("a", "3");
    assert_eq!((widgets.get("a").unwrap().as_str(), widgets.origin("a")), ("2", Some(Origin::Run)));
    assert_eq!(widgets.defaults_read().count(), 0);
}

#[test]
fn in_a_job_parameters_are_widgets_and_beat_defaults() {
    let mut widgets = job_widgets();
    assert_eq!(widgets.get("day").unwrap(), "1");
    widgets.text("market", "NL");
    widgets.text("currency", "EUR");
    assert_eq!(widgets.get("market").unwrap(), "UK");
    assert_eq!(widgets.get("currency").unwrap(), "EUR");
    assert_eq!(widgets.get_argument("other", "x"), "x");
    assert_eq!(widgets.origin("market"), Some(Origin::Task));
    assert_eq!(widgets.defaults_read().collect::<Vec<_>>(), [("currency", "EUR"), ("other", "x")]);
    assert!(widgets.get("nothing").unwrap_err().message.contains("No input widget named nothing is defined"));
}

#[test]
fn removed_widgets_are_gone_until_they_are_defined_again() {
    let mut widgets = job_widgets();
    widgets.remove("market").unwrap();
    assert!(widgets.remove("market").is_err());
    assert!(widgets.get("market").is_err());
    widgets.text("market", "NL");
    assert_eq!(widgets.get("market").unwrap(), "UK");
    widgets.remove_all();
    assert!(widgets.get_all().is_empty());
}

#[test]
fn choices_bind_dropdown_and_multiselect_only() {
    let mut widgets = Widgets::interactive();
    let choices = strings(&["A", "B", "C"]);
    assert_eq!(widgets.dropdown("d", "X", &choices).unwrap_err().kind, DbutilsErrorKind::DefaultNotInChoices);
    assert_eq!(widgets.multiselect("m", "X", &choices).unwrap_err().kind, DbutilsErrorKind::DefaultNotInChoices);
    widgets.combobox("c", "X");
    widgets.dropdown("d", "B", &choices).unwrap();
    widgets.multiselect("m", "A", &choices).unwrap();
    widgets.select("m", &strings(&["A", "C"])).unwrap();
    let all = widgets.get_all();
    assert_eq!(all.iter().map(|(n, v)| format!("{n}={v}")).collect::<Vec<_>>(), ["c=X", "d=B", "m=A,C"]);
    assert_eq!(widgets.kind("m"), Some(WidgetKind::Multiselect));
}

#[test]
fn task_values_outside_of_a_job_are_debug_values() {
    let mut values = TaskValues::interactive(&Limits::default());
    values.set("k", json!(1)).unwrap();
    let null = json!(null);
    assert_eq!(values.get("up", "k", Some(&json!("d")), Some(&json!("debug")), None).unwrap(), json!("debug"));
    let error = values.get("up", "k", Some(&json!("d")), Some(&null), None).unwrap_err();
    assert_eq!(error.kind, DbutilsErrorKind::TypeError);
    assert!(values.into_set().is_empty());
}

#[test]
fn task_values_in_a_job_are_stored_or_defaults() {
    let values = TaskValues::in_job(&Limits::default());
    let get = |default: Option<Value>, stored: Option<Value>| {
        values.get("up", "k", default.as_ref(), Some(&json!("debug")), stored.as_ref())
    };
    assert_eq!(get(Some(json!("d")), Some(json!(42))).unwrap(), json!(42));
    assert_eq!(get(None, Some(json!(null))).unwrap(), json!(null));
    assert_eq!(get(Some(json!("d")), None).unwrap(), json!("d"));
    assert_eq!(get(None, None).unwrap_err().kind, DbutilsErrorKind::TaskValueMissing);
}

#[test]
fn task_values_have_a_limit() {
    let mut values = TaskValues::in_job(&Limits::default());
    let text = |n_bytes: usize| json!("x".repeat(n_bytes - 2));
    values.set("fits", text(48 * 1024)).unwrap();
    assert_eq!(values.set("more", text(48 * 1024 + 1)).unwrap_err().kind, DbutilsErrorKind::TaskValueTooLarge);
    assert_eq!(values.into_set().keys().collect::<Vec<_>>(), ["fits"]);
}
