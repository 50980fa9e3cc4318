use std::sync::Arc;

use arrow_array::builder::{Int32Builder, ListBuilder, MapBuilder, StringBuilder};
use arrow_array::{
    BinaryArray, BooleanArray, Date32Array, Decimal128Array, DurationMicrosecondArray, Float32Array, Float64Array,
    Int8Array, Int16Array, Int32Array, Int64Array, IntervalYearMonthArray, NullArray, StringArray, StructArray,
    Time64MicrosecondArray, TimestampMicrosecondArray,
};
use arrow_schema::Field;
use lakelet_types::to_canonical;

use super::*;

/// Four rows of every type.
fn arrays() -> Vec<ArrayRef> {
    let mut list = ListBuilder::new(StringBuilder::new());
    let mut map = MapBuilder::new(None, StringBuilder::new(), Int32Builder::new());
    for row in 0..4 {
        list.values().append_option((row != 1).then_some("é"));
        list.values().append_value("");
        list.append(row != 2);
        map.keys().append_value("k");
        map.values().append_option((row != 3).then_some(row));
        map.append(row != 0).unwrap();
    }
    let structs = StructArray::try_from(vec![
        ("a", Arc::new(Int32Array::from(vec![Some(1), None, Some(3), None])) as ArrayRef),
        ("b", Arc::new(list.finish_cloned()) as ArrayRef),
    ]);
    let plain: Vec<ArrayRef> = vec![
        Arc::new(NullArray::new(4)),
        Arc::new(BooleanArray::from(vec![Some(true), None, Some(false), Some(true)])),
        Arc::new(Int8Array::from(vec![Some(-1), None, Some(2), Some(3)])),
        Arc::new(Int16Array::from(vec![1, 2, 3, 4])),
        Arc::new(Int32Array::from(vec![1, 2, 3, 4])),
        Arc::new(Int64Array::from(vec![Some(i64::MIN), None, Some(0), Some(i64::MAX)])),
        Arc::new(Float32Array::from(vec![0.1, f32::NAN, -0.0, 4.0])),
        Arc::new(Float64Array::from(vec![0.1, f64::INFINITY, -0.0, 4.0])),
        Arc::new(Decimal128Array::from(vec![Some(-1), None, Some(i128::MAX / 2), Some(3)])),
        Arc::new(StringArray::from(vec![Some("a"), None, Some(""), Some("ü€")])),
        Arc::new(BinaryArray::from(vec![Some(&b"\xff"[..]), None, Some(b""), Some(b"xyz")])),
        Arc::new(Date32Array::from(vec![1, 2, 3, 4])),
        Arc::new(TimestampMicrosecondArray::from(vec![1, 2, 3, 4]).with_timezone("UTC")),
        Arc::new(TimestampMicrosecondArray::from(vec![1, 2, 3, 4])),
        Arc::new(Time64MicrosecondArray::from(vec![1, 2, 3, 4])),
        Arc::new(DurationMicrosecondArray::from(vec![1, 2, 3, 4])),
        Arc::new(IntervalYearMonthArray::from(vec![1, 2, 3, 4])),
        Arc::new(list.finish()),
        Arc::new(map.finish()),
        Arc::new(structs.unwrap()),
    ];
    plain.iter().map(|array| to_canonical(array).unwrap()).collect()
}

fn types(arrays: &[ArrayRef]) -> Vec<DataType> {
    arrays.iter().map(|array| array.data_type().clone()).collect()
}

#[test]
fn every_type_comes_back_whole_and_in_slices() {
    let whole = arrays();
    let types = types(&whole);
    assert!(types.iter().all(can_keep));
    for (start, len) in [(0, 4), (1, 3), (0, 2), (2, 1), (3, 0)] {
        let sliced: Vec<ArrayRef> = whole.iter().map(|array| array.slice(start, len)).collect();
        let blob = Buffer::from_vec(encode_arrays(len, &sliced).unwrap());
        let (n_rows, decoded) = decode_arrays(&blob, &types).unwrap();
        assert_eq!(n_rows, len);
        for (decoded, sliced) in decoded.iter().zip(&sliced) {
            assert_eq!(decoded, sliced);
        }
    }
}

#[test]
fn rows_without_columns_are_counted() {
    let blob = Buffer::from_vec(encode_arrays(7, &[]).unwrap());
    assert_eq!(decode_arrays(&blob, &[]).unwrap().0, 7);
}

#[test]
fn types_that_are_not_canonical_are_refused() {
    for data_type in [
        DataType::Utf8View,
        DataType::UInt8,
        DataType::Interval(IntervalUnit::MonthDayNano),
        DataType::List(Arc::new(Field::new("item", DataType::LargeUtf8, true))),
    ] {
        assert!(!can_keep(&data_type));
        assert!(encode_arrays(0, &[arrow_array::new_empty_array(&data_type)]).is_err(), "{data_type}");
    }
}

#[test]
fn no_change_of_a_byte_makes_reading_panic() {
    let arrays = arrays();
    let types = types(&arrays);
    let blob = encode_arrays(4, &arrays).unwrap();
    for index in 0..blob.len() {
        for mask in [0x01, 0x80, 0xff] {
            let mut changed = blob.clone();
            changed[index] ^= mask;
            drop(decode_arrays(&Buffer::from_vec(changed), &types));
        }
        drop(decode_arrays(&Buffer::from(&blob[..index]), &types));
    }
    // Blobs read under other types than they were written with.
    let mut turned = types.clone();
    for _ in 0..types.len() {
        turned.rotate_left(1);
        drop(decode_arrays(&Buffer::from(blob.as_slice()), &turned));
    }
}
