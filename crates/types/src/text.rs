//! `CAST(value AS STRING)`.

use arrow_array::Array;
use arrow_schema::Field;

use crate::cell::Cell;
use crate::datetime::{date_text, time_text, timestamp_text};
use crate::interval::{self, IntervalUnits, calendar_text, day_time_text, year_month_text};
use crate::number::{double_text, float_text};

/// What Spark's `CAST(… AS STRING)` gives for the value at `row`, in a UTC session; `None` for NULL and past the end.
/// Binary that is no UTF-8 shows replacement characters.
pub fn cell_text(array: &dyn Array, row: usize) -> Option<String> {
    text(array, row, None)
}

/// The same for a column whose field may name interval units.
pub fn field_cell_text(field: &Field, array: &dyn Array, row: usize) -> Option<String> {
    text(array, row, interval::interval_units(field))
}

fn text(array: &dyn Array, row: usize, units: Option<IntervalUnits>) -> Option<String> {
    Some(match Cell::of(array, row) {
        Cell::Null => return None,
        Cell::Boolean(value) => value.to_string(),
        Cell::Integer(value) => value.to_string(),
        Cell::Float(value) => float_text(value),
        Cell::Double(value) => double_text(value),
        Cell::Decimal(value) | Cell::Unknown(value) => value,
        Cell::String(value) => value.to_owned(),
        Cell::Binary(value) => String::from_utf8_lossy(value).into_owned(),
        Cell::Date(days) => date_text(days),
        Cell::Timestamp(micros) | Cell::TimestampNtz(micros) => timestamp_text(micros),
        Cell::Time(micros) => time_text(micros),
        Cell::YearMonth(months) => year_month_text(months, units),
        Cell::DayTime(micros) => day_time_text(micros, units),
        Cell::Calendar { months, days, nanos } => calendar_text(months, days, nanos),
        Cell::List { item, values } => {
            let units = interval::interval_units(item);
            let items: Vec<String> = (0..values.len()).map(|row| member(&values, row, units)).collect();
            format!("[{}]", items.join(", "))
        }
        Cell::Map { entries } => {
            let units: Vec<_> = entries.fields().iter().map(|field| interval::interval_units(field)).collect();
            let pairs: Vec<String> = (0..entries.len())
                .map(|row| match (entries.columns(), units.as_slice()) {
                    ([keys, values], [key_units, value_units]) => {
                        format!("{} -> {}", member(keys, row, *key_units), member(values, row, *value_units))
                    }
                    _ => String::new(),
                })
                .collect();
            format!("{{{}}}", pairs.join(", "))
        }
        Cell::Struct { fields, columns } => {
            let members: Vec<String> = fields
                .iter()
                .zip(columns)
                .map(|(field, column)| member(column, row, interval::interval_units(field)))
                .collect();
            format!("{{{}}}", members.join(", "))
        }
    })
}

fn member(array: &dyn Array, row: usize, units: Option<IntervalUnits>) -> String {
    text(array, row, units).unwrap_or_else(|| "null".to_owned())
}
