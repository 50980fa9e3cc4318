//! Reading the values of a row, and making new ones.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, ListArray, MapArray, StructArray, new_empty_array};
use datafusion::arrow::buffer::OffsetBuffer;
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::DataType;
use datafusion::common::{DataFusionError, Result, ScalarValue, internal_err};

use super::row::fail;

fn unexpected<T>(expected: &str, value: Option<&ScalarValue>) -> Result<T> {
    internal_err!("a value that is no {expected}: {:?}", value.map(ScalarValue::data_type))
}

/// Text.
pub(super) fn text(values: &[ScalarValue], index: usize) -> Result<&str> {
    match values.get(index) {
        Some(ScalarValue::Utf8(Some(text))) => Ok(text),
        other => unexpected("text", other),
    }
}

/// Text, or what stands for a missing or NULL argument.
pub(super) fn text_or<'a>(values: &'a [ScalarValue], index: usize, default: &'a str) -> &'a str {
    match values.get(index) {
        Some(ScalarValue::Utf8(Some(text))) => text,
        _ => default,
    }
}

/// The bytes of text or of a binary value.
pub(super) fn bytes(values: &[ScalarValue], index: usize) -> Result<&[u8]> {
    match values.get(index) {
        Some(ScalarValue::Utf8(Some(text))) => Ok(text.as_bytes()),
        Some(ScalarValue::Binary(Some(bytes))) => Ok(bytes),
        other => unexpected("text and no bytes", other),
    }
}

/// An integer of any width, a date's days or a timestamp's microseconds.
pub(super) fn integer(values: &[ScalarValue], index: usize) -> Result<i64> {
    match values.get(index) {
        Some(ScalarValue::Int8(Some(value))) => Ok(i64::from(*value)),
        Some(ScalarValue::Int16(Some(value))) => Ok(i64::from(*value)),
        Some(ScalarValue::Int32(Some(value)) | ScalarValue::Date32(Some(value))) => Ok(i64::from(*value)),
        Some(
            ScalarValue::Int64(Some(value))
            | ScalarValue::TimestampMicrosecond(Some(value), _)
            | ScalarValue::DurationMicrosecond(Some(value)),
        ) => Ok(*value),
        other => unexpected("integer", other),
    }
}

/// An integer, or what stands for a missing one.
pub(super) fn integer_or(values: &[ScalarValue], index: usize, default: i64) -> Result<i64> {
    if values.len() > index { integer(values, index) } else { Ok(default) }
}

/// A double.
pub(super) fn double(values: &[ScalarValue], index: usize) -> Result<f64> {
    match values.get(index) {
        Some(ScalarValue::Float64(Some(value))) => Ok(*value),
        Some(ScalarValue::Float32(Some(value))) => Ok(f64::from(*value)),
        other => unexpected("double", other),
    }
}

/// A boolean, or what stands for a missing one.
pub(super) fn boolean_or(values: &[ScalarValue], index: usize, default: bool) -> bool {
    match values.get(index) {
        Some(ScalarValue::Boolean(Some(value))) => *value,
        _ => default,
    }
}

/// The elements of an array.
pub(super) fn items(values: &[ScalarValue], index: usize) -> Result<ArrayRef> {
    match values.get(index) {
        Some(ScalarValue::List(list)) if list.len() == 1 => Ok(list.value(0)),
        other => unexpected("array", other),
    }
}

/// The elements of an array, one by one.
pub(super) fn item_values(values: &[ScalarValue], index: usize) -> Result<Vec<ScalarValue>> {
    scalars(&items(values, index)?)
}

/// All values of an Arrow array.
pub(super) fn scalars(array: &ArrayRef) -> Result<Vec<ScalarValue>> {
    (0..array.len()).map(|row| ScalarValue::try_from_array(array, row)).collect()
}

/// Keys and values of a map.
pub(super) fn entries(values: &[ScalarValue], index: usize) -> Result<(ArrayRef, ArrayRef)> {
    match values.get(index) {
        Some(ScalarValue::Map(map)) if map.len() == 1 => {
            let entries = map.value(0);
            Ok((Arc::clone(entries.column(0)), Arc::clone(entries.column(1))))
        }
        other => unexpected("map", other),
    }
}

/// Text as a value.
pub(super) fn of_text(text: impl Into<String>) -> ScalarValue {
    ScalarValue::Utf8(Some(text.into()))
}

/// An INT; the callers' values are lengths and positions, which fit.
pub(super) fn of_int(value: i64) -> ScalarValue {
    ScalarValue::Int32(i32::try_from(value).ok())
}

fn array_of(values: Vec<ScalarValue>, item: &DataType) -> Result<ArrayRef> {
    if values.is_empty() {
        return Ok(new_empty_array(item));
    }
    let values: Vec<ScalarValue> = values
        .into_iter()
        .map(|value| if value.data_type() == *item { Ok(value) } else { value.cast_to(item) })
        .collect::<Result<_>>()?;
    let array = ScalarValue::iter_to_array(values)?;
    if array.data_type() == item { Ok(array) } else { Ok(cast(&array, item)?) }
}

/// An array of the type `list`.
pub(super) fn of_items(values: Vec<ScalarValue>, list: &DataType) -> Result<ScalarValue> {
    let DataType::List(field) = list else { return internal_err!("{list} is no array") };
    let array = array_of(values, field.data_type())?;
    let offsets = OffsetBuffer::from_lengths([array.len()]);
    Ok(ScalarValue::List(Arc::new(ListArray::try_new(Arc::clone(field), offsets, array, None)?)))
}

/// A map of the type `map`.
///
/// # Errors
/// A key that is NULL or occurs twice.
pub(super) fn of_entries(
    keys: Vec<ScalarValue>,
    values: Vec<ScalarValue>,
    map: &DataType,
) -> Result<ScalarValue, DataFusionError> {
    let DataType::Map(field, is_sorted) = map else { return internal_err!("{map} is no map") };
    let DataType::Struct(fields) = field.data_type() else { return internal_err!("{map} has no entries") };
    let [key, value] = fields.as_ref() else { return internal_err!("{map} has no entries") };
    let mut seen = std::collections::HashSet::with_capacity(keys.len());
    for key in &keys {
        if key.is_null() {
            return Err(fail("NULL_MAP_KEY", "2200E", "Cannot use null as map key."));
        }
        if !seen.insert(key) {
            return Err(fail(
                "DUPLICATED_MAP_KEY",
                "23505",
                format!("Duplicate map key {key} was found, please check the input data."),
            ));
        }
    }
    let keys = array_of(keys, key.data_type())?;
    let values = array_of(values, value.data_type())?;
    let offsets = OffsetBuffer::from_lengths([keys.len()]);
    let entries = StructArray::try_new(fields.clone(), vec![keys, values], None)?;
    Ok(ScalarValue::Map(Arc::new(MapArray::try_new(Arc::clone(field), offsets, entries, None, *is_sorted)?)))
}

/// A struct of the type `fields`.
pub(super) fn of_fields(values: Vec<ScalarValue>, data_type: &DataType) -> Result<ScalarValue> {
    let DataType::Struct(fields) = data_type else { return internal_err!("{data_type} is no struct") };
    let columns = values
        .into_iter()
        .zip(fields)
        .map(|(value, field)| array_of(vec![value], field.data_type()))
        .collect::<Result<Vec<_>>>()?;
    Ok(ScalarValue::Struct(Arc::new(StructArray::try_new_with_length(fields.clone(), columns, None, 1)?)))
}
