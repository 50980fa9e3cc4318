use std::sync::Arc;

use arrow_array::{Int64Array, StringArray};
use arrow_schema::DataType;

use super::*;
use crate::spec::AutoCdcSpec;

fn batch(ids: Vec<Option<i64>>, orgs: Vec<Option<&str>>, sequence: Vec<Option<i64>>) -> ChangeBatch {
    let rows = RecordBatch::try_from_iter_with_nullable([
        ("id", Arc::new(Int64Array::from(ids)) as ArrayRef, true),
        ("org", Arc::new(StringArray::from(orgs)) as ArrayRef, true),
    ]);
    let sequence = Arc::new(Int64Array::from(sequence));
    ChangeBatch { rows: rows.unwrap(), sequence, is_delete: None, is_truncate: None }
}

fn spec(batch: &ChangeBatch) -> ResolvedSpec {
    let spec = AutoCdcSpec {
        keys: vec!["id".into(), "org".into()],
        sequence_by: Some("seq".into()),
        has_truncate: true,
        ..AutoCdcSpec::default()
    };
    spec.resolve(&batch.rows.schema(), &DataType::Int64).unwrap()
}

fn error_of(batch: &ChangeBatch) -> Diagnostic {
    *Incoming::from_batch(&spec(batch), batch, 0).unwrap_err()
}

#[test]
fn a_null_sequence_comes_before_a_null_key() {
    let batch = batch(vec![None, Some(1)], vec![Some("a"), Some("b")], vec![Some(1), None]);
    let error = error_of(&batch);
    assert_eq!(error.class, classes::NULL_SEQUENCE);
    assert_eq!(error.message, "1 row has a NULL sequence (SEQUENCE BY seq).");
}

#[test]
fn null_keys_are_counted_for_each_column() {
    let batch = batch(vec![None, None, Some(1)], vec![Some("a"), None, Some("b")], vec![Some(1), Some(2), Some(3)]);
    let error = error_of(&batch);
    assert_eq!((error.class, error.class.sqlstate), (classes::NULL_KEY, "22000"));
    assert_eq!(error.message, "2 rows have a NULL in key id, 1 row has a NULL in key org.");
}

#[test]
fn a_truncate_needs_no_key_but_a_sequence() {
    let mut batch = batch(vec![None], vec![None], vec![Some(1)]);
    batch.is_truncate = Some(BooleanArray::from(vec![true]));
    assert!(Incoming::from_batch(&spec(&batch), &batch, 0).is_ok());
    batch.sequence = Arc::new(Int64Array::from(vec![None]));
    assert_eq!(error_of(&batch).class, classes::NULL_SEQUENCE);
}

#[test]
fn conditions_that_are_not_true_mean_upsert_and_truncate_goes_first() {
    let mut batch = batch(vec![Some(1); 4], vec![Some("a"); 4], vec![Some(1); 4]);
    batch.is_delete = Some(BooleanArray::from(vec![Some(true), Some(false), None, Some(true)]));
    batch.is_truncate = Some(BooleanArray::from(vec![Some(false), None, Some(false), Some(true)]));
    let incoming = Incoming::from_batch(&spec(&batch), &batch, 0).unwrap();
    use EventKind::{Delete, Truncate, Upsert};
    assert_eq!(incoming.kinds, [Delete, Upsert, Upsert, Truncate]);
}

#[test]
fn arrays_of_another_shape_are_refused() {
    let good = batch(vec![Some(1)], vec![Some("a")], vec![Some(1)]);
    let short = ChangeBatch { sequence: Arc::new(Int64Array::from(vec![1, 2])), ..good.clone() };
    let other_type = ChangeBatch { sequence: Arc::new(StringArray::from(vec!["1"])), ..good.clone() };
    for bad in [short, other_type] {
        let error = Incoming::from_batch(&spec(&good), &bad, 0).unwrap_err();
        assert_eq!(error.class, ErrorClass::INTERNAL_ERROR);
    }
}
