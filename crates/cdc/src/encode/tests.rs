use arrow_array::builder::{Int32Builder, MapBuilder, StringBuilder};
use arrow_array::{
    BooleanArray, Decimal128Array, Float64Array, Int32Array, Int64Array, StringArray, TimestampMicrosecondArray,
};
use arrow_schema::{Field, Fields};

use super::*;

fn encode(array: ArrayRef) -> EncodedRows {
    RowEncoder::new(vec![array.data_type().clone()]).unwrap().encode(&[array]).unwrap()
}

/// Each value must sort strictly before the next.
fn assert_ascending(array: ArrayRef) {
    let rows = encode(array.clone());
    for row in 1..array.len() as u32 {
        assert!(rows.get(row - 1) < rows.get(row), "row {row} of {array:?}");
    }
}

#[test]
fn values_sort_as_spark_sorts_them() {
    assert_ascending(Arc::new(Int64Array::from(vec![None, Some(i64::MIN), Some(-1), Some(0), Some(i64::MAX)])));
    assert_ascending(Arc::new(StringArray::from(vec![None, Some(""), Some("10"), Some("9"), Some("a"), Some("é")])));
    assert_ascending(Arc::new(BooleanArray::from(vec![None, Some(false), Some(true)])));
    assert_ascending(Arc::new(TimestampMicrosecondArray::from(vec![-1, 0, 1])));
    let decimals = Decimal128Array::from(vec![-300, 0, 950, 1025]).with_precision_and_scale(10, 2).unwrap();
    assert_ascending(Arc::new(decimals));
    assert_ascending(Arc::new(Float64Array::from(vec![f64::NEG_INFINITY, -1.5, 0.0, 1.125, f64::INFINITY, f64::NAN])));
}

#[test]
fn structs_sort_field_by_field_with_nulls_lowest() {
    let fields = Fields::from(vec![Field::new("a", DataType::Int32, true), Field::new("b", DataType::Utf8, true)]);
    let a: ArrayRef = Arc::new(Int32Array::from(vec![None, None, Some(1), Some(1), Some(2)]));
    let b: ArrayRef = Arc::new(StringArray::from(vec![None, Some("z"), None, Some("a"), None]));
    assert_ascending(Arc::new(StructArray::new(fields, vec![a, b], None)));
}

#[test]
fn lists_sort_element_by_element_and_shorter_first() {
    let item = Arc::new(Field::new("item", DataType::Int32, true));
    let values = Arc::new(Int32Array::from(vec![None, Some(1), Some(1), Some(5), Some(2)]));
    let offsets = arrow_buffer::OffsetBuffer::from_lengths([0, 1, 1, 2, 1]);
    assert_ascending(Arc::new(ListArray::new(item, offsets, values, None)));
}

#[test]
fn zeros_are_equal_and_so_are_nans_at_any_depth() {
    let floats: ArrayRef = Arc::new(Float64Array::from(vec![0.0, -0.0, f64::NAN, -f64::NAN]));
    let fields = Fields::from(vec![Field::new("f", DataType::Float64, true)]);
    let nested: ArrayRef = Arc::new(StructArray::new(fields, vec![floats.clone()], None));
    for array in [floats, nested] {
        let rows = encode(array);
        assert_eq!(rows.get(0), rows.get(1));
        assert_eq!(rows.get(2), rows.get(3));
        assert_ne!(rows.get(0), rows.get(2));
    }
}

#[test]
fn maps_are_equal_whatever_the_order_of_their_entries() {
    let mut builder = MapBuilder::new(None, StringBuilder::new(), Int32Builder::new());
    for entries in [[("a", 1), ("b", 2)], [("b", 2), ("a", 1)], [("a", 2), ("b", 1)]] {
        for (key, value) in entries {
            builder.keys().append_value(key);
            builder.values().append_value(value);
        }
        builder.append(true).unwrap();
    }
    builder.append(false).unwrap();
    let maps = builder.finish();
    let rows = encode(Arc::new(maps.clone()));
    assert_eq!(rows.get(0), rows.get(1));
    assert_ne!(rows.get(0), rows.get(2));
    assert_ne!(rows.get(2), rows.get(3));
    // A slice does not begin at the first entry of its values.
    let sliced = encode(Arc::new(maps.slice(1, 2)));
    assert_eq!(sliced.get(0), rows.get(0));
    assert_eq!(sliced.get(1), rows.get(2));
}

#[test]
fn an_encoder_without_columns_finds_all_rows_equal() {
    let rows = RowEncoder::new(Vec::new()).unwrap().encode(&[]).unwrap();
    assert_eq!(rows.get(0), rows.get(7));
}
