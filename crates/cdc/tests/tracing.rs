//! The rule that each event's trace names.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "test code")]

mod support;

use lakelet_cdc::{EventKind, Rule, Trace};
use serde_json::{Value, json};
use support::Case;
use support::flow::Flow;

fn flow(scd_type: u8, track_history: Value) -> Flow {
    let truncate = (scd_type == 1).then_some("op = 'trunc'");
    let case = json!({
        "id": "trace", "type": scd_type, "keys": ["id"], "sequence_by": "seq", "delete_when": "op = 'del'",
        "truncate_when": truncate, "columns": null, "except": ["op", "seq"], "track_history": track_history,
        "ignore_null_updates": false,
        "schema": [["id", "BIGINT"], ["name", "STRING"], ["city", "STRING"], ["seq", "BIGINT"], ["op", "STRING"]],
    });
    let mut flow = Flow::create(&Case(case)).unwrap();
    flow.options.trace_events_max = 100;
    flow
}

fn put(seq: i64, name: &str) -> Value {
    json!({"id": 1, "seq": seq, "name": name})
}

fn delete(seq: i64) -> Value {
    json!({"id": 1, "seq": seq, "op": "del"})
}

fn trace(flow: &mut Flow, rows: &[Value]) -> Trace {
    flow.refresh(rows).unwrap().trace.unwrap()
}

/// The ids of the rules of each event, joined by blanks.
fn rules(trace: &Trace) -> Vec<String> {
    let ids =
        |event: &lakelet_cdc::EventTrace| event.steps.iter().map(|step| step.rule.id()).collect::<Vec<_>>().join(" ");
    trace.events.iter().map(ids).collect()
}

#[test]
fn type_2_names_its_rules() {
    let mut flow = flow(2, Value::Null);
    let first = trace(&mut flow, &[put(10, "a"), put(20, "b"), put(30, "b"), put(20, "b"), delete(40), delete(50)]);
    assert_eq!(rules(&first), ["R1", "R2", "R3", "R8", "R5", "R6"]);
    assert!(first.events.iter().all(|event| !event.is_late || event.row == 3));
    let late = trace(&mut flow, &[put(25, "c"), put(15, "d"), delete(12), put(5, "z"), put(45, "y")]);
    assert_eq!(rules(&late), ["R4 R7", "R4", "R5", "R1", "R1"]);
    assert!(late.events.iter().all(|event| event.is_late));
}

#[test]
fn a_split_that_wakes_a_sleeping_event_has_two_steps() {
    let mut flow = flow(2, Value::Null);
    trace(&mut flow, &[put(1, "a"), put(3, "a")]);
    let trace = trace(&mut flow, &[put(2, "b")]);
    let [split, wake] = &trace.events[0].steps[..] else { panic!("{:?}", trace.events) };
    assert_eq!((split.rule, split.before.len(), split.after.len()), (Rule::Split, 1, 2));
    assert_eq!((wake.rule, wake.before.len(), wake.after.len()), (Rule::Wake, 0, 1));
    assert_eq!((trace.events[0].kind, trace.events[0].arrival), (EventKind::Upsert, 2));
}

#[test]
fn a_late_delete_wakes_what_came_after_it() {
    let mut flow = flow(2, Value::Null);
    let trace = trace(&mut flow, &[put(1, "a"), put(5, "a"), delete(3)]);
    assert_eq!(rules(&trace), ["R1", "R3", "R5 R7"]);
}

#[test]
fn an_untracked_change_is_made_in_place() {
    let mut flow = flow(2, json!({"on": ["city"]}));
    let trace = trace(&mut flow, &[put(1, "a"), put(2, "b")]);
    assert_eq!(rules(&trace), ["R1", "R11"]);
}

#[test]
fn different_events_with_one_sequence_are_flagged() {
    for scd_type in [1, 2] {
        let mut flow = flow(scd_type, Value::Null);
        let trace = trace(&mut flow, &[put(1, "a"), put(1, "b")]);
        assert_eq!(rules(&trace), ["R1", "R9"]);
    }
}

#[test]
fn type_1_names_its_rules() {
    let mut flow = flow(1, Value::Null);
    let first = trace(&mut flow, &[put(10, "a"), put(20, "b"), put(30, "b"), put(15, "c"), delete(5)]);
    assert_eq!(rules(&first), ["R1", "R2", "R3", "R10", "R10"]);
    let second =
        trace(&mut flow, &[delete(40), delete(50), put(45, "x"), put(60, "y"), json!({"seq": 70, "op": "trunc"})]);
    assert_eq!(rules(&second), ["R5", "R6", "R10", "R1", "T1"]);
    let third = trace(&mut flow, &[put(65, "late"), put(80, "z")]);
    assert_eq!(rules(&third), ["R10", "R1"]);
}

#[test]
fn a_trace_is_cut_where_it_was_asked_to_be() {
    let mut flow = flow(2, Value::Null);
    flow.options.trace_events_max = 1;
    let trace = trace(&mut flow, &[put(1, "a"), put(2, "b")]);
    assert!(trace.is_cut);
    assert_eq!(rules(&trace), ["R1"]);
}
