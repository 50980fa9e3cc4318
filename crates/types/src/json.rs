//! JSON of single values, in the form that results have on the command line and in golden cases.

use arrow_array::Array;
use arrow_schema::Field;
use serde_json::{Map, Number, Value};

use crate::cell::{Cell, compare_keys};
use crate::datetime::{date_text, time_text, timestamp_json_text};
use crate::interval::{self, IntervalUnits, calendar_text, day_time_text, year_month_text};

/// Integers up to this size are numbers in JSON, larger ones text: readers that keep doubles would change them.
const SAFE_INTEGER_MAX: i128 = 1 << 53;

/// The value at `row`: bigint beyond ±2^53 and decimals as text, timestamps `2024-01-31T10:00:00Z` with six digits of
/// fraction only where it is not zero, binary in hexadecimal, maps as pairs sorted by key, structs as objects, NaN and
/// the infinities by name, intervals as their cast to string; NULL, and a row past the end, as null.
pub fn cell_json(array: &dyn Array, row: usize) -> Value {
    json(array, row, None)
}

/// The same for a column whose field may name interval units.
pub fn field_cell_json(field: &Field, array: &dyn Array, row: usize) -> Value {
    json(array, row, interval::interval_units(field))
}

fn json(array: &dyn Array, row: usize, units: Option<IntervalUnits>) -> Value {
    match Cell::of(array, row) {
        Cell::Null => Value::Null,
        Cell::Boolean(value) => Value::Bool(value),
        Cell::Integer(value) if value.abs() <= SAFE_INTEGER_MAX => number(value.to_string()),
        Cell::Integer(value) => Value::String(value.to_string()),
        Cell::Float(value) => float(f64::from(value), format!("{value:?}")),
        Cell::Double(value) => float(value, format!("{value:?}")),
        Cell::Decimal(value) | Cell::Unknown(value) => Value::String(value),
        Cell::String(value) => Value::String(value.to_owned()),
        Cell::Binary(value) => Value::String(value.iter().map(|byte| format!("{byte:02x}")).collect()),
        Cell::Date(days) => Value::String(date_text(days)),
        Cell::Timestamp(micros) => Value::String(timestamp_json_text(micros) + "Z"),
        Cell::TimestampNtz(micros) => Value::String(timestamp_json_text(micros)),
        Cell::Time(micros) => Value::String(time_text(micros)),
        Cell::YearMonth(months) => Value::String(year_month_text(months, units)),
        Cell::DayTime(micros) => Value::String(day_time_text(micros, units)),
        Cell::Calendar { months, days, nanos } => Value::String(calendar_text(months, days, nanos)),
        Cell::List { item, values } => {
            let units = interval::interval_units(item);
            Value::Array((0..values.len()).map(|row| json(&values, row, units)).collect())
        }
        Cell::Map { entries } => {
            let fields = entries.fields();
            let pair = |row: usize| -> Vec<Value> {
                let members = fields.iter().zip(entries.columns());
                members.map(|(field, column)| json(column, row, interval::interval_units(field))).collect()
            };
            let mut pairs: Vec<Vec<Value>> = (0..entries.len()).map(pair).collect();
            pairs.sort_by(|left, right| match (left.first(), right.first()) {
                (Some(left), Some(right)) => compare_keys(left, right),
                _ => std::cmp::Ordering::Equal,
            });
            Value::Array(pairs.into_iter().map(Value::Array).collect())
        }
        Cell::Struct { fields, columns } => {
            let members = fields
                .iter()
                .zip(columns)
                .map(|(field, column)| (field.name().clone(), json(column, row, interval::interval_units(field))));
            Value::Object(members.collect::<Map<String, Value>>())
        }
    }
}

/// `text` is Rust's shortest text of a finite float, which JSON reads as a number.
fn float(value: f64, text: String) -> Value {
    if value.is_nan() {
        Value::String("NaN".to_owned())
    } else if value.is_infinite() {
        Value::String(if value > 0.0 { "Infinity" } else { "-Infinity" }.to_owned())
    } else {
        number(text)
    }
}

/// The number keeps its text. What is no JSON number stays text.
fn number(text: String) -> Value {
    text.parse::<Number>().map_or(Value::String(text), Value::Number)
}
