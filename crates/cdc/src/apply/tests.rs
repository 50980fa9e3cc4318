use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Int64Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema};

use super::*;
use crate::spec::{AutoCdcSpec, ColumnSelection, ScdType};
use crate::state::Placement;

struct Flow {
    spec: ResolvedSpec,
    state: CdcState,
    segment: u64,
}

impl Flow {
    fn new(scd_type: ScdType, ignore_null_updates: Option<ColumnSelection>) -> Self {
        let int = |name| Field::new(name, DataType::Int64, true);
        let spec = AutoCdcSpec {
            keys: vec!["id".into()],
            sequence_by: Some("seq".into()),
            scd_type,
            ignore_null_updates,
            ..AutoCdcSpec::default()
        };
        let spec = spec.resolve(&Schema::new(vec![int("id"), int("value")]), &DataType::Int64).unwrap();
        Self { state: CdcState::new(&spec), spec, segment: 1 }
    }

    /// Events (sequence, value) of key 1; a value of `None` is a delete.
    fn refresh(&mut self, events: impl IntoIterator<Item = (i64, Option<i64>)>) -> CdcOutcome {
        let events: Vec<(i64, Option<i64>)> = events.into_iter().collect();
        let values: Int64Array = events.iter().map(|(_, value)| *value).collect();
        let columns: Vec<ArrayRef> = vec![Arc::new(Int64Array::from(vec![1; events.len()])), Arc::new(values)];
        let batch = ChangeBatch {
            rows: RecordBatch::try_new(self.spec.source_schema().clone(), columns).unwrap(),
            sequence: Arc::new(events.iter().map(|(sequence, _)| Some(*sequence)).collect::<Int64Array>()),
            is_delete: Some(events.iter().map(|(_, value)| Some(value.is_none())).collect::<BooleanArray>()),
            is_truncate: None,
        };
        let outcome = apply_changes(&self.spec, &self.state, &batch, ApplyOptions::default()).unwrap();
        let placement = Placement { target: Some(self.segment), events: Some(self.segment + 1) };
        self.state.accept(&self.spec, &outcome, placement).unwrap();
        self.segment += 2;
        outcome
    }
}

#[test]
fn appending_to_a_long_history_looks_at_its_end_alone() {
    let mut flow = Flow::new(ScdType::Type2, None);
    // One version of a thousand equal events, so that its start is far from its last event.
    flow.refresh((0..1_000).map(|sequence| (sequence, Some(7))));
    let outcome = flow.refresh([(1_000, Some(7))]);
    assert_eq!(outcome.delta.gathered.len(), 2, "the last event and the start of its version");
    assert_eq!(outcome.removed.len(), 0);
    let outcome = flow.refresh([(1_001, Some(8))]);
    assert_eq!(outcome.delta.gathered.len(), 2);
    assert_eq!((outcome.removed.len(), outcome.added.num_rows()), (1, 2));
}

#[test]
fn a_late_event_looks_at_what_is_newer_alone() {
    let mut flow = Flow::new(ScdType::Type2, None);
    flow.refresh((0..1_000).map(|number| (number * 10, Some(number))));
    let outcome = flow.refresh([(9_955, Some(-1))]);
    // The four events after it, the one before it, which is the start of its version.
    assert_eq!(outcome.delta.gathered.len(), 5);
    assert_eq!((outcome.removed.len(), outcome.added.num_rows(), outcome.changed.len()), (1, 2, 1));
}

#[test]
fn ignoring_nulls_looks_back_to_the_last_delete() {
    let mut flow = Flow::new(ScdType::Type2, Some(ColumnSelection::all()));
    flow.refresh((0..100).map(|sequence| (sequence, Some(sequence))));
    flow.refresh([(100, None), (101, Some(1)), (102, Some(2))]);
    let outcome = flow.refresh([(103, Some(3))]);
    assert_eq!(outcome.delta.gathered.len(), 2);
}

#[test]
fn arrival_numbers_go_on_across_batches() {
    use arrow_array::cast::AsArray;
    use arrow_array::types::Int64Type;
    let mut flow = Flow::new(ScdType::Type2, None);
    flow.refresh([(1, Some(1)), (2, Some(1))]);
    let outcome = flow.refresh([(1, Some(1)), (3, Some(1))]);
    let arrivals = outcome.events.column_by_name(crate::EVENT_ARRIVAL).unwrap();
    assert_eq!(arrivals.as_primitive::<Int64Type>().values(), &[3]);
}
