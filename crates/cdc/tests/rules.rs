//! Rules that the golden cases leave out: ties, leaves of structs, changed schemas, the memory across refreshes.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "test code")]

mod support;

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray, StructArray};
use arrow_schema::{DataType, Field, Fields, Schema};
use lakelet_cdc::*;
use serde_json::{Value, json};
use support::Case;
use support::flow::Flow;
use support::json::sorted_rows;

/// A flow over (id, name, city, seq, op) like that of the golden cases, with some of the case changed.
fn flow(changes: Value) -> Flow {
    let mut case = json!({
        "id": "rule", "type": 2, "keys": ["id"], "sequence_by": "seq", "delete_when": "op = 'del'",
        "truncate_when": null, "columns": null, "except": ["op", "seq"], "track_history": null,
        "ignore_null_updates": false,
        "schema": [["id", "BIGINT"], ["name", "STRING"], ["city", "STRING"], ["seq", "BIGINT"], ["op", "STRING"]],
    });
    for (name, value) in changes.as_object().expect("an object") {
        case[name] = value.clone();
    }
    Flow::create(&Case(case)).expect("a good definition")
}

fn put(id: i64, seq: i64, name: &str) -> Value {
    json!({"id": id, "seq": seq, "name": name})
}

fn delete(id: i64, seq: i64) -> Value {
    json!({"id": id, "seq": seq, "op": "del"})
}

fn version(id: i64, name: &str, start: i64, end: Option<i64>) -> Value {
    json!({"id": id, "name": name, "__START_AT": start, "__END_AT": end})
}

#[track_caller]
fn assert_target(flow: &Flow, expected: &[Value]) {
    assert!(flow.rows() == flow.expected(expected), "{}", flow.describe());
}

#[test]
fn in_type_1_an_upsert_beats_a_delete_with_its_sequence() {
    for events in [[put(1, 5, "a"), delete(1, 5)], [delete(1, 5), put(1, 5, "a")]] {
        for cut in [false, true] {
            let mut flow = flow(json!({"type": 1}));
            let batches = if cut { vec![&events[..1], &events[1..]] } else { vec![&events[..]] };
            let outcomes: Vec<_> = batches.iter().map(|rows| flow.refresh(rows).unwrap()).collect();
            assert_target(&flow, &[json!({"id": 1, "name": "a"})]);
            assert_eq!(outcomes.iter().map(|outcome| outcome.counts.ties).sum::<u64>(), 1);
            assert!(outcomes.last().unwrap().warning().is_some());
        }
    }
}

#[test]
fn in_type_2_a_delete_beats_an_upsert_with_its_sequence() {
    for events in [[put(1, 5, "b"), delete(1, 5)], [delete(1, 5), put(1, 5, "b")]] {
        let mut flow = flow(json!({}));
        flow.refresh(&[put(1, 1, "a")]).unwrap();
        for event in &events {
            flow.refresh(std::slice::from_ref(event)).unwrap();
        }
        assert_target(&flow, &[version(1, "a", 1, Some(5))]);
    }
}

#[test]
fn of_two_upserts_with_one_sequence_the_later_arrival_wins_and_is_named() {
    for scd_type in [1, 2] {
        let mut flow = flow(json!({"type": scd_type}));
        let outcome = flow.refresh(&[put(1, 5, "a"), put(1, 5, "b")]).unwrap();
        assert_eq!(outcome.equal_sequences, [EqualSequence { row: 1, won: true }]);
        let outcome = flow.refresh(&[put(1, 5, "c")]).unwrap();
        assert_eq!((outcome.counts.ties, outcome.counts.rows_updated), (1, 1));
        assert_eq!(outcome.removed_events.len(), 1);
        let warning = outcome.warning().unwrap();
        assert!(warning.message.starts_with("1 event has the same key and sequence"), "{}", warning.message);
        flow.restart().unwrap();
        let expected = if scd_type == 1 { json!({"id": 1, "name": "c"}) } else { version(1, "c", 5, None) };
        assert_target(&flow, &[expected]);
    }
}

#[test]
fn an_exact_copy_leaves_nothing_to_commit() {
    for scd_type in [1, 2] {
        let mut flow = flow(json!({"type": scd_type}));
        let events = [put(1, 1, "a"), delete(2, 3), put(1, 2, "b")];
        flow.refresh(&events).unwrap();
        let outcome = flow.refresh(&events[1..]).unwrap();
        assert!(outcome.is_empty());
        assert_eq!(outcome.counts.duplicates, 2);
        assert_eq!(outcome.warning(), None);
    }
}

#[test]
fn type_1_remembers_one_event_for_each_key() {
    let mut flow = flow(json!({"type": 1}));
    for seq in 0..600 {
        let outcome = flow.refresh(&[put(seq % 3, seq, "x"), put(7, -seq, "y")]).unwrap();
        assert!(outcome.removed_events.len() <= 2);
    }
    assert_eq!(flow.state.n_events(), 4);
    flow.restart().unwrap();
    let outcome = flow.refresh(&[put(7, -1, "late"), put(0, 0, "late")]).unwrap();
    assert_eq!((outcome.counts.ignored, outcome.counts.late), (2, 2));
    assert!(outcome.is_empty());
}

#[test]
fn a_row_that_stays_the_same_is_not_written_again() {
    let mut flow = flow(json!({"type": 1}));
    flow.refresh(&[put(1, 1, "a")]).unwrap();
    let outcome = flow.refresh(&[put(1, 2, "a")]).unwrap();
    assert_eq!((outcome.removed.len(), outcome.added.num_rows(), outcome.events.num_rows()), (0, 0, 1));
    assert_eq!(outcome.counts.keys_changed, 0);
}

#[test]
fn a_truncate_ends_untouched_keys_and_is_remembered_across_restarts() {
    let mut flow = flow(json!({"type": 1, "truncate_when": "op = 'trunc'"}));
    flow.refresh(&[put(1, 1, "a"), put(2, 2, "b"), put(3, 9, "c"), delete(4, 3)]).unwrap();
    let outcome = flow.refresh(&[json!({"seq": 5, "op": "trunc"})]).unwrap();
    assert_eq!((outcome.counts.truncates, outcome.counts.rows_deleted, outcome.counts.keys_touched), (1, 2, 3));
    assert_eq!(outcome.removed_events.len(), 3);
    flow.restart().unwrap();
    flow.refresh(&[put(1, 4, "late"), put(2, 5, "same sequence")]).unwrap();
    assert_target(&flow, &[json!({"id": 2, "name": "same sequence"}), json!({"id": 3, "name": "c"})]);
    // A newer one takes the place of the old one, an older one changes nothing.
    let newer = flow.refresh(&[json!({"seq": 6, "op": "trunc"})]).unwrap();
    assert_eq!(newer.removed_events.len(), 2);
    assert!(flow.refresh(&[json!({"seq": 6, "op": "trunc"}), json!({"seq": 2, "op": "trunc"})]).unwrap().is_empty());
    assert_target(&flow, &[json!({"id": 3, "name": "c"})]);
}

#[test]
fn counts_tell_what_became_of_versions() {
    let mut flow = flow(json!({}));
    let counts = flow.refresh(&[put(1, 1, "a"), put(1, 5, "a"), put(2, 1, "x")]).unwrap().counts;
    assert_eq!((counts.read, counts.upserts, counts.rows_inserted, counts.keys_touched), (3, 3, 2, 2));
    let counts = flow.refresh(&[put(1, 3, "b"), put(2, 2, "x")]).unwrap().counts;
    assert_eq!((counts.late, counts.versions_split, counts.versions_closed), (1, 1, 1));
    assert_eq!((counts.rows_inserted, counts.rows_updated, counts.keys_changed), (2, 1, 1));
    let counts = flow.refresh(&[delete(2, 9)]).unwrap().counts;
    assert_eq!((counts.deletes, counts.versions_closed, counts.rows_updated), (1, 1, 1));
}

#[test]
fn many_refreshes_and_restarts_keep_the_memory_whole() {
    let mut flow = flow(json!({"track_history": {"on": ["name"]}}));
    let mut naive = support::naive::Naive::new(&Case(json!({
        "type": 2, "keys": ["id"], "sequence_by": "seq", "delete_when": "op = 'del'", "except": ["op", "seq"],
        "track_history": {"on": ["name"]}, "columns": null, "ignore_null_updates": false,
        "schema": [["id", "BIGINT"], ["name", "STRING"], ["city", "STRING"], ["seq", "BIGINT"], ["op", "STRING"]],
    })));
    let mut dice = support::Dice(7);
    // More refreshes than there may be chunks, so that events move to other batches on the way.
    for round in 0..1_100_i64 {
        let id = dice.below(20) as i64;
        // Distinct sequences, a quarter of them late.
        let seq = if round % 4 == 0 { -round } else { round };
        let mut event = if dice.below(5) == 0 { delete(id, seq) } else { put(id, seq, ["a", "b"][dice.below(2)]) };
        event["city"] = json!(format!("c{round}"));
        flow.refresh(std::slice::from_ref(&event)).unwrap();
        naive.read(&[event]);
    }
    assert_target(&flow, &naive.table());
    flow.restart().unwrap();
    flow.refresh(&[put(3, -2_000, "first")]).unwrap();
    naive.read(&[put(3, -2_000, "first")]);
    assert_target(&flow, &naive.table());
}

#[test]
fn an_outcome_is_accepted_once_and_by_its_own_state_only() {
    let mut flow = flow(json!({}));
    let batch = flow.change_batch(&[put(1, 1, "a")]);
    let stale = apply_changes(&flow.spec, &flow.state, &batch, ApplyOptions::default()).unwrap();
    flow.refresh_batch(&batch).unwrap();
    let placement = Placement { target: Some(100), events: Some(101) };
    assert!(flow.state.accept(&flow.spec, &stale, placement).is_err());
    let unplaced =
        apply_changes(&flow.spec, &flow.state, &flow.change_batch(&[put(1, 2, "b")]), ApplyOptions::default()).unwrap();
    assert!(flow.state.accept(&flow.spec, &unplaced, Placement::default()).is_err());
    // Neither try has left a trace.
    flow.refresh(&[put(1, 2, "b")]).unwrap();
    assert_target(&flow, &[version(1, "a", 1, Some(2)), version(1, "b", 2, None)]);
}

#[test]
fn a_target_that_something_else_changed_is_noticed_at_the_restart() {
    let mut flow = flow(json!({}));
    flow.refresh(&[put(1, 1, "a"), put(2, 1, "b")]).unwrap();
    let address = flow.target.stored()[0].addresses[0];
    flow.target.remove(&[address]);
    assert_eq!(flow.restart().unwrap_err().class, classes::TARGET_CHANGED);
}

#[test]
fn a_column_that_the_source_gained_is_null_in_older_events() {
    let mut old = flow(json!({"type": 1}));
    old.refresh(&[put(1, 1, "a"), put(2, 1, "b")]).unwrap();
    let mut new = flow(json!({"type": 1, "schema": [
        ["id", "BIGINT"], ["name", "STRING"], ["age", "INT"], ["city", "STRING"], ["seq", "BIGINT"], ["op", "STRING"]
    ]}));
    new.spec.check_drift(&old.spec.definition()).unwrap();
    new.state = CdcState::rebuild(&new.spec, &old.events.stored(), &old.target.stored()).unwrap();
    let batch = new.change_batch(&[json!({"id": 1, "seq": 2, "name": "a", "age": 7})]);
    let outcome = apply_changes(&new.spec, &new.state, &batch, ApplyOptions::default()).unwrap();
    assert_eq!((outcome.counts.rows_updated, outcome.removed.len()), (1, 1));
    // The same values with NULL in the new column are no change.
    let batch = new.change_batch(&[json!({"id": 2, "seq": 2, "name": "b"})]);
    let outcome = apply_changes(&new.spec, &new.state, &batch, ApplyOptions::default()).unwrap();
    assert_eq!(outcome.added.num_rows(), 0);
}

#[test]
fn a_column_that_the_source_lost_keeps_its_value_on_updates_of_type_1() {
    let mut old = flow(json!({"type": 1}));
    old.refresh(&[json!({"id": 1, "seq": 1, "name": "a", "city": "Oslo"})]).unwrap();
    let without_city = json!({"type": 1, "schema": [
        ["id", "BIGINT"], ["name", "STRING"], ["seq", "BIGINT"], ["op", "STRING"]
    ]});
    let mut new = flow(without_city);
    new.spec = new.spec.with_lost_columns(&[Arc::new(Field::new("city", DataType::Utf8, true))]).unwrap();
    new.state = CdcState::rebuild(&new.spec, &old.events.stored(), &old.target.stored()).unwrap();
    new.target = old.target;
    let batch = new.change_batch(&[put(1, 2, "b"), put(2, 2, "c")]);
    let outcome = apply_changes(&new.spec, &new.state, &batch, ApplyOptions::default()).unwrap();
    let city = outcome.added.column_by_name("city").unwrap();
    let city = city.as_any().downcast_ref::<StringArray>().unwrap();
    assert_eq!(city.iter().collect::<Vec<_>>(), [Some("Oslo"), None]);
}

/// A flow whose column `place` is a struct of `city` and a struct of `geo`.
struct Nested {
    spec: ResolvedSpec,
    state: CdcState,
    target: support::flow::Segments,
    fields: Fields,
    next: u64,
}

/// `(seq, Some((city, Some(lat))))`
type Place = Option<(Option<&'static str>, Option<Option<f64>>)>;

impl Nested {
    fn new(scd_type: ScdType) -> Self {
        let geo = Fields::from(vec![Field::new("lat", DataType::Float64, true)]);
        let fields = Fields::from(vec![
            Field::new("city", DataType::Utf8, true),
            Field::new("geo", DataType::Struct(geo), true),
        ]);
        let source = Schema::new(vec![
            Field::new("id", DataType::Int64, true),
            Field::new("place", DataType::Struct(fields.clone()), true),
        ]);
        let spec = AutoCdcSpec {
            keys: vec!["id".into()],
            sequence_by: Some("seq".into()),
            scd_type,
            ignore_null_updates: Some(ColumnSelection::all()),
            ..AutoCdcSpec::default()
        };
        let spec = spec.resolve(&source, &DataType::Int64).unwrap();
        Self { state: CdcState::new(&spec), spec, target: Default::default(), fields, next: 1 }
    }

    fn places(&self, places: &[Place]) -> ArrayRef {
        let lat: Float64Array = places.iter().map(|place| place.and_then(|(_, geo)| geo).flatten()).collect();
        let geo_valid: Vec<bool> = places.iter().map(|place| place.is_some_and(|(_, geo)| geo.is_some())).collect();
        let DataType::Struct(geo_fields) = self.fields[1].data_type().clone() else { panic!("a struct") };
        let geo = StructArray::new(geo_fields, vec![Arc::new(lat)], Some(geo_valid.into()));
        let city: StringArray = places.iter().map(|place| place.and_then(|(city, _)| city)).collect();
        let valid: Vec<bool> = places.iter().map(Option::is_some).collect();
        Arc::new(StructArray::new(self.fields.clone(), vec![Arc::new(city), Arc::new(geo)], Some(valid.into())))
    }

    fn refresh(&mut self, events: &[(i64, Place)]) {
        let places: Vec<Place> = events.iter().map(|(_, place)| *place).collect();
        let ids: ArrayRef = Arc::new(Int64Array::from(vec![1; events.len()]));
        let columns = vec![ids, self.places(&places)];
        let batch = ChangeBatch {
            rows: RecordBatch::try_new(self.spec.source_schema().clone(), columns).unwrap(),
            sequence: Arc::new(events.iter().map(|(seq, _)| Some(*seq)).collect::<Int64Array>()),
            is_delete: None,
            is_truncate: None,
        };
        let outcome = apply_changes(&self.spec, &self.state, &batch, ApplyOptions::default()).unwrap();
        self.target.remove(&outcome.removed);
        let target = self.target.append(self.next, &outcome.added);
        self.state.accept(&self.spec, &outcome, Placement { target, events: Some(self.next + 1) }).unwrap();
        self.next += 2;
    }

    #[track_caller]
    fn assert(&self, expected: &[(Place, i64, Option<i64>)]) {
        let places: Vec<Place> = expected.iter().map(|(place, _, _)| *place).collect();
        let ids: ArrayRef = Arc::new(Int64Array::from(vec![1; expected.len()]));
        let mut columns = vec![ids, self.places(&places)];
        if self.spec.scd_type() == ScdType::Type2 {
            columns.push(Arc::new(expected.iter().map(|(_, start, _)| Some(*start)).collect::<Int64Array>()));
            columns.push(Arc::new(expected.iter().map(|(_, _, end)| *end).collect::<Int64Array>()));
        }
        let schema = self.spec.target_schema();
        let expected = RecordBatch::try_new(schema.clone(), columns).unwrap();
        let (actual, expected) = (sorted_rows(&self.target.batches(), schema), sorted_rows(&[expected], schema));
        assert!(actual == expected, "{:?}", self.target.batches());
    }
}

#[test]
fn null_leaves_of_a_struct_count_for_themselves() {
    let full = Some((Some("Oslo"), Some(Some(59.9))));
    for late in [false, true] {
        let mut flow = Nested::new(ScdType::Type1);
        let mut events = vec![
            (1, Some((Some("Rome"), None))),
            (2, Some((None, Some(Some(59.9))))),
            (3, Some((Some("Oslo"), Some(None)))),
            (4, None),
        ];
        if late {
            events.reverse();
        }
        for event in events {
            flow.refresh(&[event]);
        }
        flow.assert(&[(full, 0, None)]);
    }
}

#[test]
fn a_struct_that_was_never_stated_is_null_and_one_without_values_is_not() {
    let mut flow = Nested::new(ScdType::Type1);
    flow.refresh(&[(1, None)]);
    flow.assert(&[(None, 0, None)]);
    flow.refresh(&[(2, Some((None, None)))]);
    flow.assert(&[(Some((None, None)), 0, None)]);
}

#[test]
fn versions_inherit_leaves_and_an_event_that_states_nothing_new_opens_none() {
    let mut flow = Nested::new(ScdType::Type2);
    flow.refresh(&[(1, Some((Some("Rome"), None))), (5, Some((None, Some(Some(1.0)))))]);
    flow.refresh(&[(7, Some((Some("Rome"), None))), (8, None)]);
    let (bare, full) = (Some((Some("Rome"), None)), Some((Some("Rome"), Some(Some(1.0)))));
    flow.assert(&[(bare, 1, Some(5)), (full, 5, None)]);
    // A late event changes what the later version inherited.
    flow.refresh(&[(3, Some((Some("Oslo"), None)))]);
    let (oslo, full_oslo) = (Some((Some("Oslo"), None)), Some((Some("Oslo"), Some(Some(1.0)))));
    flow.assert(&[(bare, 1, Some(3)), (oslo, 3, Some(5)), (full_oslo, 5, Some(7)), (full, 7, None)]);
}
