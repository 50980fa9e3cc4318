//! Rows of JSON in the cases' notation as Arrow batches.

use std::sync::Arc;

use arrow_array::builder::{MapBuilder, StringBuilder};
use arrow_array::*;
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_row::{RowConverter, SortField};
use arrow_schema::{DataType, Field, Schema, SchemaRef, TimeUnit};
use serde_json::Value;

/// The Arrow type of a SQL type that the cases use.
pub fn data_type(sql: &str) -> DataType {
    match sql {
        "BIGINT" => DataType::Int64,
        "INT" => DataType::Int32,
        "DOUBLE" => DataType::Float64,
        "STRING" => DataType::Utf8,
        "BOOLEAN" => DataType::Boolean,
        "DATE" => DataType::Date32,
        "TIMESTAMP" => DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())),
        "ARRAY<STRING>" => DataType::List(Arc::new(Field::new("item", DataType::Utf8, true))),
        "MAP<STRING,INT>" => {
            let builder = MapBuilder::new(None, StringBuilder::new(), builder::Int32Builder::new());
            builder.finish_cloned().data_type().clone()
        }
        other => {
            let numbers = other.strip_prefix("DECIMAL(").and_then(|rest| rest.strip_suffix(')'));
            let (precision, scale) = numbers.and_then(|numbers| numbers.split_once(',')).expect(other);
            DataType::Decimal128(precision.trim().parse().unwrap(), scale.trim().parse().unwrap())
        }
    }
}

pub fn schema(columns: &[(String, String)]) -> SchemaRef {
    let field = |(name, sql): &(String, String)| Field::new(name, data_type(sql), true);
    Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()))
}

/// Rows of JSON objects in the columns of `schema`; a column that a row lacks is NULL.
pub fn batch(schema: &SchemaRef, rows: &[Value]) -> RecordBatch {
    let columns: Vec<ArrayRef> = schema
        .fields()
        .iter()
        .map(|field| {
            let values: Vec<&Value> = rows.iter().map(|row| row.get(field.name()).unwrap_or(&Value::Null)).collect();
            array(field.data_type(), &values)
        })
        .collect();
    let options = RecordBatchOptions::new().with_row_count(Some(rows.len()));
    RecordBatch::try_new_with_options(schema.clone(), columns, &options).unwrap()
}

/// An array of JSON values.
pub fn array(data_type: &DataType, values: &[&Value]) -> ArrayRef {
    let present = |value: &&&Value| !value.is_null();
    let text = |value: &&Value| value.as_str().map(str::to_owned);
    match data_type {
        DataType::Int64 => Arc::new(values.iter().map(|value| value.as_i64()).collect::<Int64Array>()),
        DataType::Int32 => {
            Arc::new(values.iter().map(|value| value.as_i64().map(|n| n as i32)).collect::<Int32Array>())
        }
        DataType::Float64 => Arc::new(values.iter().map(|value| value.as_f64()).collect::<Float64Array>()),
        DataType::Boolean => Arc::new(values.iter().map(|value| value.as_bool()).collect::<BooleanArray>()),
        DataType::Utf8 => Arc::new(values.iter().map(text).collect::<StringArray>()),
        DataType::Date32 => {
            Arc::new(values.iter().map(|v| v.as_str().map(|day| days(day) as i32)).collect::<Date32Array>())
        }
        DataType::Timestamp(..) => {
            let micros: TimestampMicrosecondArray = values.iter().map(|v| v.as_str().map(micros)).collect();
            Arc::new(micros.with_data_type(data_type.clone()))
        }
        DataType::Decimal128(precision, scale) => {
            let units: Decimal128Array = values.iter().map(|v| v.as_str().map(|text| decimal(text, *scale))).collect();
            Arc::new(units.with_precision_and_scale(*precision, *scale).unwrap())
        }
        DataType::List(item) => {
            let lists: Vec<&[Value]> = values.iter().map(|v| v.as_array().map_or(&[][..], Vec::as_slice)).collect();
            let items: Vec<&Value> = lists.iter().flat_map(|list| list.iter()).collect();
            let offsets = OffsetBuffer::from_lengths(lists.iter().map(|list| list.len()));
            let nulls: NullBuffer = values.iter().map(|value| !value.is_null()).collect();
            Arc::new(ListArray::new(item.clone(), offsets, array(item.data_type(), &items), Some(nulls)))
        }
        DataType::Struct(fields) => {
            let field_values = |field: &Arc<Field>| {
                let inner: Vec<&Value> = values.iter().map(|v| v.get(field.name()).unwrap_or(&Value::Null)).collect();
                array(field.data_type(), &inner)
            };
            let nulls: NullBuffer = values.iter().map(|value| !value.is_null()).collect();
            Arc::new(StructArray::new(fields.clone(), fields.iter().map(field_values).collect(), Some(nulls)))
        }
        DataType::Map(..) => {
            assert_eq!(values.iter().filter(present).count(), 0, "maps of the cases are never applied");
            new_null_array(data_type, values.len())
        }
        other => panic!("no test values of type {other}"),
    }
}

fn days(date: &str) -> i64 {
    let parts: Vec<i64> = date.splitn(3, '-').map(|part| part.parse().unwrap()).collect();
    // Counting from 1 March 0000, so that the leap day is the last of its year.
    let (year, month) = if parts[1] > 2 { (parts[0], parts[1] - 3) } else { (parts[0] - 1, parts[1] + 9) };
    let day_of_year = (153 * month + 2) / 5 + parts[2] - 1;
    year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + day_of_year - 719_468
}

fn micros(text: &str) -> i64 {
    let (date, time) = text.split_once(' ').unwrap();
    let (time, fraction) = time.split_once('.').unwrap_or((time, "0"));
    let parts: Vec<i64> = time.split(':').map(|part| part.parse().unwrap()).collect();
    let seconds = days(date) * 86_400 + parts[0] * 3_600 + parts[1] * 60 + parts[2];
    seconds * 1_000_000 + format!("{fraction:0<6}").parse::<i64>().unwrap()
}

fn decimal(text: &str, scale: i8) -> i128 {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    format!("{whole}{fraction:0<width$}", width = scale as usize).parse().unwrap()
}

/// The rows of a batch in a form that compares: sorted, NULLs and all.
pub fn sorted_rows(batches: &[RecordBatch], schema: &SchemaRef) -> Vec<Vec<u8>> {
    let fields = schema.fields().iter().map(|field| SortField::new(field.data_type().clone())).collect();
    let converter = RowConverter::new(fields).unwrap();
    let mut rows: Vec<Vec<u8>> = Vec::new();
    for batch in batches {
        let encoded = converter.convert_columns(batch.columns()).unwrap();
        rows.extend(encoded.iter().map(|row| row.data().to_vec()));
    }
    rows.sort();
    rows
}
