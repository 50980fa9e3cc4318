//! Random workloads against the naive replay. `LAKELET_SOAK=10` runs ten times as many, with fresh seeds.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "test code")]

mod support;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};
use serde_json::{Value, json};
use support::flow::Flow;
use support::naive::Naive;
use support::{Case, deal};

/// Events that may come in any order and any batches, and the flow that reads them.
#[derive(Debug, Clone)]
struct Workload {
    case: Value,
    /// The last of each batch.
    cuts: Vec<bool>,
    /// Whether the state is made anew after a batch.
    restarts: Vec<bool>,
}

#[derive(Debug, Clone)]
struct Event {
    key: i64,
    sequence: i64,
    kind: u8,
    name: Option<&'static str>,
    qty: Option<i64>,
    note: Option<&'static str>,
    copies: u8,
}

#[derive(Debug, Clone)]
struct Shape {
    scd_type: u8,
    two_keys: bool,
    struct_sequence: bool,
    keeps_sequence: bool,
    deletes: bool,
    truncates: bool,
    track_history: Value,
    ignore_null: Value,
}

fn shape() -> impl Strategy<Value = Shape> {
    let track_history = prop_oneof![
        3 => Just(Value::Null),
        1 => Just(json!({"on": ["name"]})),
        1 => Just(json!({"on": ["qty", "name"]})),
        1 => Just(json!({"except": ["note"]})),
        1 => Just(json!({"except": ["note", "qty", "name", "seq", "day", "step"]})),
    ];
    let ignore_null = prop_oneof![
        3 => Just(json!(false)),
        1 => Just(json!(true)),
        1 => Just(json!({"on": ["name"]})),
        1 => Just(json!({"except": ["qty"]})),
    ];
    let flags = (any::<bool>(), prop::bool::weighted(0.3), prop::bool::weighted(0.15), prop::bool::weighted(0.9));
    (1..=2_u8, flags, prop::bool::weighted(0.4), track_history, ignore_null).prop_map(
        |(scd_type, flags, truncates, track_history, ignore_null)| {
            let (two_keys, struct_sequence, keeps_sequence, deletes) = flags;
            let track_history = if scd_type == 2 { track_history } else { Value::Null };
            let truncates = truncates && scd_type == 1;
            Shape {
                scd_type,
                two_keys,
                struct_sequence,
                keeps_sequence,
                deletes,
                truncates,
                track_history,
                ignore_null,
            }
        },
    )
}

fn event() -> impl Strategy<Value = Event> {
    let few = |values: &'static [Option<&'static str>]| prop::sample::select(values);
    let copies = prop_oneof![9 => Just(1_u8), 1 => Just(2_u8)];
    (
        0..3_i64,
        0..40_i64,
        0..12_u8,
        few(&[None, Some("ann"), Some("bob")]),
        prop::option::of(0..2_i64),
        few(&[None, Some("x"), Some("y")]),
        copies,
    )
        .prop_map(|(key, sequence, kind, name, qty, note, copies)| Event {
            key,
            sequence,
            kind,
            name,
            qty,
            note,
            copies,
        })
}

impl Event {
    fn row(&self, shape: &Shape) -> Value {
        let op = match self.kind {
            0..=2 => Some("DELETE"),
            3 if shape.truncates => Some("TRUNCATE"),
            4 => None,
            _ => Some("UPDATE"),
        };
        let is_truncate = op == Some("TRUNCATE");
        let mut row = json!({"name": self.name, "qty": self.qty, "note": self.note, "op": op});
        if !is_truncate {
            row["id"] = json!(self.key);
            row["site"] = json!(format!("s{}", self.key % 2));
        }
        if shape.struct_sequence {
            // NULLs inside of the struct sort lowest, as the zeros that they stand for.
            let (day, step) = (self.sequence / 4, self.sequence % 4);
            row["day"] = json!((day > 0).then_some(day));
            row["step"] = json!((step > 0).then_some(step));
        } else {
            row["seq"] = json!(self.sequence - 3);
        }
        row
    }
}

fn case(shape: &Shape, rows: Vec<Value>) -> Value {
    let mut schema = vec![json!(["id", "BIGINT"])];
    let mut keys = vec!["id"];
    if shape.two_keys {
        schema.push(json!(["site", "STRING"]));
        keys.push("site");
    }
    schema.extend([json!(["name", "STRING"]), json!(["qty", "INT"]), json!(["note", "STRING"])]);
    let (sequence, columns) = match shape.struct_sequence {
        true => (json!(["day", "step"]), vec!["day", "step"]),
        false => (json!("seq"), vec!["seq"]),
    };
    schema.extend(columns.iter().map(|name| json!([name, "BIGINT"])));
    schema.push(json!(["op", "STRING"]));
    let mut except = vec!["op"];
    let mut track_history = shape.track_history.clone();
    if !shape.keeps_sequence {
        except.extend(&columns);
    }
    if let Some(names) = track_history.get_mut("except").and_then(Value::as_array_mut) {
        names.retain(|name| match name.as_str() {
            Some("seq" | "day" | "step") => {
                shape.keeps_sequence && columns.contains(&name.as_str().unwrap_or_default())
            }
            _ => true,
        });
    }
    json!({
        "id": "property", "type": shape.scd_type, "keys": keys, "sequence_by": sequence,
        "delete_when": shape.deletes.then_some("op = 'DELETE'"),
        "truncate_when": shape.truncates.then_some("op = 'TRUNCATE'"),
        "columns": null, "except": except, "track_history": track_history,
        "ignore_null_updates": shape.ignore_null, "schema": schema, "batches": [rows],
    })
}

/// Workloads in which a key and a sequence name one event, unless `ties`.
fn workload(ties: bool) -> impl Strategy<Value = Workload> {
    (shape(), vec(event(), 1..40))
        .prop_map(move |(shape, events)| {
            let mut seen = Vec::new();
            let mut rows: Vec<Value> = Vec::new();
            for event in events {
                // A truncate has no key, so it may not share its sequence with anything for the naive model's sake.
                let name = (event.key, event.sequence);
                let is_new = !seen.contains(&name);
                seen.push(name);
                if is_new || ties {
                    rows.extend(std::iter::repeat_n(event.row(&shape), event.copies.into()));
                }
            }
            (shape, rows)
        })
        .prop_flat_map(|(shape, rows)| {
            let n_rows = rows.len();
            let order = prop_oneof![3 => Just(rows.clone()).prop_shuffle(), 1 => Just(rows)];
            (Just(shape), order, vec(prop::bool::weighted(0.2), n_rows), vec(prop::bool::weighted(0.3), n_rows))
        })
        .prop_map(|(shape, rows, cuts, restarts)| Workload { case: case(&shape, rows), cuts, restarts })
}

impl Workload {
    fn batches(&self) -> Vec<Vec<Value>> {
        let mut batches = vec![Vec::new()];
        let rows = self.case["batches"][0].as_array().cloned().unwrap_or_default();
        for (row, &cut) in rows.into_iter().zip(&self.cuts) {
            batches.last_mut().expect("there is one").push(row);
            if cut {
                batches.push(Vec::new());
            }
        }
        batches
    }
}

/// Workloads for each law in an ordinary run.
const WORKLOADS: u32 = 300;

fn run(strategy: impl Strategy<Value = Workload>, law: impl Fn(&Workload) -> Result<(), TestCaseError>) {
    let factor: Option<u32> = std::env::var("LAKELET_SOAK").ok().map(|factor| factor.parse().unwrap());
    let config = Config { cases: WORKLOADS * factor.unwrap_or(1), failure_persistence: None, ..Config::default() };
    let mut runner = match factor {
        None => TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha)),
        Some(_) => TestRunner::new(config),
    };
    if let Err(error) = runner.run(&strategy, |workload| law(&workload)) {
        panic!("{error}");
    }
}

fn fail(what: impl std::fmt::Display) -> TestCaseError {
    TestCaseError::fail(what.to_string())
}

#[test]
fn prop_the_target_is_the_replay_of_all_events_after_every_batch() {
    run(workload(false), |workload| {
        let case = Case(workload.case.clone());
        let mut flow = Flow::create(&case).map_err(fail)?;
        flow.options.trace_events_max = 1_000;
        let mut naive = Naive::new(&case);
        for (index, rows) in workload.batches().iter().enumerate() {
            let outcome = flow.refresh(rows).map_err(fail)?;
            prop_assert_eq!(outcome.counts.ties, 0);
            naive.read(rows);
            if workload.restarts[index % workload.restarts.len()] {
                flow.restart().map_err(fail)?;
            }
            let expected = naive.table();
            if flow.rows() != flow.expected(&expected) {
                return Err(fail(format!("batch {index}: {} instead of {}", flow.describe(), json!(expected))));
            }
        }
        Ok(())
    });
}

#[test]
fn prop_reading_everything_again_changes_nothing() {
    run(workload(false), |workload| {
        let mut flow = Flow::create(&Case(workload.case.clone())).map_err(fail)?;
        let batches = workload.batches();
        for rows in &batches {
            flow.refresh(rows).map_err(fail)?;
        }
        for rows in deal(&batches, workload.cuts.len() as u64) {
            let outcome = flow.refresh(&rows).map_err(fail)?;
            prop_assert!(outcome.is_empty());
            prop_assert_eq!(outcome.counts.ties, 0);
        }
        Ok(())
    });
}

/// Where a delete and an upsert share a sequence the rule for ties decides, and it does not look at the arrival.
#[test]
fn prop_ties_of_deletes_and_upserts_do_not_depend_on_arrival() {
    run(workload(true), |workload| {
        let mut case = workload.case.clone();
        // Upserts with one key and sequence must be equal: the later arrival of two different ones wins.
        for row in case["batches"][0].as_array_mut().into_iter().flatten() {
            let number = row.get("seq").or(row.get("step")).and_then(Value::as_i64).unwrap_or(7);
            row["name"] = if number % 3 == 0 { Value::Null } else { json!(format!("n{}", number % 4)) };
            row["qty"] = if number % 4 == 0 { Value::Null } else { json!(number % 2) };
            row["note"] = if number % 2 == 0 { Value::Null } else { json!("x") };
        }
        let workload = Workload { case, ..workload.clone() };
        let case = Case(workload.case.clone());
        let mut flow = Flow::create(&case).map_err(fail)?;
        for rows in workload.batches() {
            flow.refresh(&rows).map_err(fail)?;
        }
        for seed in 0..4 {
            let mut other = Flow::create(&case).map_err(fail)?;
            for rows in deal(&workload.batches(), seed) {
                other.refresh(&rows).map_err(fail)?;
            }
            if flow.rows() != other.rows() {
                return Err(fail(format!("{} and by seed {seed} {}", flow.describe(), other.describe())));
            }
        }
        Ok(())
    });
}
