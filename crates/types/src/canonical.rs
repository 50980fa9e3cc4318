//! The one Arrow form of each Spark type.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_cast::{CastOptions, cast_with_options};
use arrow_schema::{DataType, Field, FieldRef, Fields, Schema, SchemaRef, TimeUnit};
use lakelet_base::{Diagnostic, Result};

const DECIMAL_PRECISION_MAX: u8 = 38;

/// `timestamp`: an instant.
pub fn timestamp_type() -> DataType {
    DataType::Timestamp(TimeUnit::Microsecond, Some(Arc::from("UTC")))
}

/// `timestamp_ntz`: a date and time without a zone.
pub fn timestamp_ntz_type() -> DataType {
    DataType::Timestamp(TimeUnit::Microsecond, None)
}

/// `array<item>`, whose elements may be NULL.
pub fn list_type(item: DataType) -> DataType {
    DataType::List(Arc::new(Field::new("item", item, true)))
}

/// `map<key,value>`, whose values may be NULL.
pub fn map_type(key: DataType, value: DataType) -> DataType {
    map_of(Arc::new(Field::new("key", key, false)), Arc::new(Field::new("value", value, true)))
}

/// A map over complete fields; their names are set to `key` and `value`.
pub(crate) fn map_of(key: FieldRef, value: FieldRef) -> DataType {
    let key = key.as_ref().clone().with_name("key").with_nullable(false);
    let value = value.as_ref().clone().with_name("value");
    let entries = DataType::Struct(Fields::from(vec![key, value]));
    DataType::Map(Arc::new(Field::new("entries", entries, false)), false)
}

/// The canonical type that stands for the same Spark type: unsigned integers take the next larger signed type (64 bits
/// stay 64), views and large types the plain one, all timestamps microseconds, dictionaries their values.
pub fn canonical_type(data_type: &DataType) -> DataType {
    match data_type {
        DataType::UInt8 => DataType::Int16,
        DataType::UInt16 => DataType::Int32,
        DataType::UInt32 | DataType::UInt64 => DataType::Int64,
        DataType::Float16 => DataType::Float32,
        DataType::Decimal32(precision, scale)
        | DataType::Decimal64(precision, scale)
        | DataType::Decimal128(precision, scale)
        | DataType::Decimal256(precision, scale) => {
            let (precision, scale) = widened_decimal(*precision, *scale);
            DataType::Decimal128(precision, scale)
        }
        DataType::LargeUtf8 | DataType::Utf8View => DataType::Utf8,
        DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_) => DataType::Binary,
        DataType::Date64 => DataType::Date32,
        DataType::Timestamp(_, Some(_)) => timestamp_type(),
        DataType::Timestamp(_, None) => timestamp_ntz_type(),
        DataType::Time32(_) | DataType::Time64(_) => DataType::Time64(TimeUnit::Microsecond),
        DataType::Duration(_) => DataType::Duration(TimeUnit::Microsecond),
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::FixedSizeList(item, _)
        | DataType::ListView(item)
        | DataType::LargeListView(item) => DataType::List(Arc::new(canonical_field(item).with_name("item"))),
        DataType::Map(entries, _) => match entries.data_type() {
            DataType::Struct(fields) => match fields.as_ref() {
                [key, value] => map_of(Arc::new(canonical_field(key)), Arc::new(canonical_field(value))),
                _ => data_type.clone(),
            },
            _ => data_type.clone(),
        },
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(|field| canonical_field(field)).collect()),
        DataType::Dictionary(_, values) => canonical_type(values),
        DataType::RunEndEncoded(_, values) => canonical_type(values.data_type()),
        other => other.clone(),
    }
}

/// The field with its canonical type; name, nullability and metadata stay.
pub fn canonical_field(field: &Field) -> Field {
    field.clone().with_data_type(canonical_type(field.data_type()))
}

/// The schema with canonical types.
pub fn canonical_schema(schema: &Schema) -> Schema {
    let fields: Fields = schema.fields().iter().map(|field| canonical_field(field)).collect();
    Schema::new_with_metadata(fields, schema.metadata().clone())
}

/// The same values in the canonical type.
///
/// # Errors
/// An internal error where a value has no place in it (an unsigned integer above 2^63 − 1).
pub fn to_canonical(array: &ArrayRef) -> Result<ArrayRef> {
    let target = canonical_type(array.data_type());
    if &target == array.data_type() {
        return Ok(array.clone());
    }
    let options = CastOptions { safe: false, ..CastOptions::default() };
    cast_with_options(array.as_ref(), &target, &options).map_err(|error| Box::new(Diagnostic::internal(error)))
}

/// [`to_canonical`] for every column.
///
/// # Errors
/// As for [`to_canonical`].
pub fn to_canonical_batch(batch: &RecordBatch) -> Result<RecordBatch> {
    let schema: SchemaRef = Arc::new(canonical_schema(&batch.schema()));
    if schema == batch.schema() {
        return Ok(batch.clone());
    }
    let columns = batch.columns().iter().map(to_canonical).collect::<Result<Vec<_>>>()?;
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    RecordBatch::try_new_with_options(schema, columns, &options).map_err(|error| Box::new(Diagnostic::internal(error)))
}

/// A precision and scale that Spark has: a negative scale becomes 0 with as many more digits, at most 38 digits.
pub(crate) fn widened_decimal(precision: u8, scale: i8) -> (u8, i8) {
    let precision = if scale < 0 { precision.saturating_add(scale.unsigned_abs()) } else { precision };
    (precision.min(DECIMAL_PRECISION_MAX), scale.max(0))
}
