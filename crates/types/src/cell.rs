//! One value taken out of an array, whatever Arrow type it had.

use std::cmp::Ordering;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type, DurationMicrosecondType,
    DurationMillisecondType, DurationNanosecondType, DurationSecondType, Float16Type, Float32Type, Float64Type,
    Int8Type, Int16Type, Int32Type, Int64Type, IntervalDayTimeType, IntervalMonthDayNanoType, IntervalYearMonthType,
    Time32MillisecondType, Time32SecondType, Time64MicrosecondType, Time64NanosecondType, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type,
    UInt64Type,
};
use arrow_array::{Array, ArrayRef, StructArray};
use arrow_schema::{DataType, FieldRef, Fields, IntervalUnit as ArrowIntervalUnit, TimeUnit};

use crate::{decimal_text, simple_string};

/// A value with its Spark meaning.
pub(crate) enum Cell<'a> {
    Null,
    Boolean(bool),
    Integer(i128),
    Float(f32),
    Double(f64),
    /// As text with all its scale.
    Decimal(String),
    String(&'a str),
    Binary(&'a [u8]),
    /// Days since the epoch.
    Date(i64),
    /// Microseconds since the epoch.
    Timestamp(i64),
    /// Microseconds since the epoch, without a zone.
    TimestampNtz(i64),
    /// Microseconds since midnight.
    Time(i64),
    /// Months.
    YearMonth(i32),
    /// Microseconds.
    DayTime(i64),
    Calendar {
        months: i32,
        days: i32,
        nanos: i64,
    },
    List {
        item: &'a FieldRef,
        values: ArrayRef,
    },
    Map {
        entries: StructArray,
    },
    Struct {
        fields: &'a Fields,
        columns: &'a [ArrayRef],
    },
    /// An Arrow type that stands for no Spark type; holds its name.
    Unknown(String),
}

impl<'a> Cell<'a> {
    /// The value at `row`; a row past the end reads as NULL.
    pub(crate) fn of(array: &'a dyn Array, row: usize) -> Self {
        if row >= array.len() || array.is_null(row) {
            return Self::Null;
        }
        match array.data_type() {
            DataType::Null => Self::Null,
            DataType::Boolean => Self::Boolean(array.as_boolean().value(row)),
            DataType::Int8 => Self::Integer(array.as_primitive::<Int8Type>().value(row).into()),
            DataType::Int16 => Self::Integer(array.as_primitive::<Int16Type>().value(row).into()),
            DataType::Int32 => Self::Integer(array.as_primitive::<Int32Type>().value(row).into()),
            DataType::Int64 => Self::Integer(array.as_primitive::<Int64Type>().value(row).into()),
            DataType::UInt8 => Self::Integer(array.as_primitive::<UInt8Type>().value(row).into()),
            DataType::UInt16 => Self::Integer(array.as_primitive::<UInt16Type>().value(row).into()),
            DataType::UInt32 => Self::Integer(array.as_primitive::<UInt32Type>().value(row).into()),
            DataType::UInt64 => Self::Integer(array.as_primitive::<UInt64Type>().value(row).into()),
            DataType::Float16 => Self::Float(array.as_primitive::<Float16Type>().value(row).to_f32()),
            DataType::Float32 => Self::Float(array.as_primitive::<Float32Type>().value(row)),
            DataType::Float64 => Self::Double(array.as_primitive::<Float64Type>().value(row)),
            DataType::Decimal32(_, scale) => {
                Self::Decimal(decimal_text(array.as_primitive::<Decimal32Type>().value(row).into(), *scale))
            }
            DataType::Decimal64(_, scale) => {
                Self::Decimal(decimal_text(array.as_primitive::<Decimal64Type>().value(row).into(), *scale))
            }
            DataType::Decimal128(_, scale) => {
                Self::Decimal(decimal_text(array.as_primitive::<Decimal128Type>().value(row), *scale))
            }
            DataType::Decimal256(..) => Self::Decimal(array.as_primitive::<Decimal256Type>().value_as_string(row)),
            DataType::Utf8 => Self::String(array.as_string::<i32>().value(row)),
            DataType::LargeUtf8 => Self::String(array.as_string::<i64>().value(row)),
            DataType::Utf8View => Self::String(array.as_string_view().value(row)),
            DataType::Binary => Self::Binary(array.as_binary::<i32>().value(row)),
            DataType::LargeBinary => Self::Binary(array.as_binary::<i64>().value(row)),
            DataType::BinaryView => Self::Binary(array.as_binary_view().value(row)),
            DataType::FixedSizeBinary(_) => Self::Binary(array.as_fixed_size_binary().value(row)),
            DataType::Date32 => Self::Date(array.as_primitive::<Date32Type>().value(row).into()),
            DataType::Date64 => Self::Date(array.as_primitive::<Date64Type>().value(row).div_euclid(86_400_000)),
            DataType::Timestamp(unit, zone) => {
                let micros = timestamp_micros(array, row, *unit);
                if zone.is_some() { Self::Timestamp(micros) } else { Self::TimestampNtz(micros) }
            }
            DataType::Time32(TimeUnit::Second) => {
                Self::Time(i64::from(array.as_primitive::<Time32SecondType>().value(row)) * 1_000_000)
            }
            DataType::Time32(_) => {
                Self::Time(i64::from(array.as_primitive::<Time32MillisecondType>().value(row)) * 1_000)
            }
            DataType::Time64(TimeUnit::Nanosecond) => {
                Self::Time(array.as_primitive::<Time64NanosecondType>().value(row).div_euclid(1_000))
            }
            DataType::Time64(_) => Self::Time(array.as_primitive::<Time64MicrosecondType>().value(row)),
            DataType::Duration(unit) => Self::DayTime(duration_micros(array, row, *unit)),
            DataType::Interval(ArrowIntervalUnit::YearMonth) => {
                Self::YearMonth(array.as_primitive::<IntervalYearMonthType>().value(row))
            }
            DataType::Interval(ArrowIntervalUnit::DayTime) => {
                let value = array.as_primitive::<IntervalDayTimeType>().value(row);
                Self::DayTime(i64::from(value.days) * 86_400_000_000 + i64::from(value.milliseconds) * 1_000)
            }
            DataType::Interval(ArrowIntervalUnit::MonthDayNano) => {
                let value = array.as_primitive::<IntervalMonthDayNanoType>().value(row);
                Self::Calendar { months: value.months, days: value.days, nanos: value.nanoseconds }
            }
            DataType::List(item) => Self::List { item, values: array.as_list::<i32>().value(row) },
            DataType::LargeList(item) => Self::List { item, values: array.as_list::<i64>().value(row) },
            DataType::FixedSizeList(item, _) => Self::List { item, values: array.as_fixed_size_list().value(row) },
            DataType::Map(..) => Self::Map { entries: array.as_map().value(row) },
            DataType::Struct(fields) => Self::Struct { fields, columns: array.as_struct().columns() },
            DataType::Dictionary(..) => {
                let dictionary = array.as_any_dictionary();
                match dictionary.normalized_keys().get(row) {
                    Some(key) => Self::of(dictionary.values().as_ref(), *key),
                    None => Self::Null,
                }
            }
            other => Self::Unknown(simple_string(other)),
        }
    }
}

fn timestamp_micros(array: &dyn Array, row: usize, unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::Second => array.as_primitive::<TimestampSecondType>().value(row).saturating_mul(1_000_000),
        TimeUnit::Millisecond => array.as_primitive::<TimestampMillisecondType>().value(row).saturating_mul(1_000),
        TimeUnit::Microsecond => array.as_primitive::<TimestampMicrosecondType>().value(row),
        TimeUnit::Nanosecond => array.as_primitive::<TimestampNanosecondType>().value(row).div_euclid(1_000),
    }
}

fn duration_micros(array: &dyn Array, row: usize, unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::Second => array.as_primitive::<DurationSecondType>().value(row).saturating_mul(1_000_000),
        TimeUnit::Millisecond => array.as_primitive::<DurationMillisecondType>().value(row).saturating_mul(1_000),
        TimeUnit::Microsecond => array.as_primitive::<DurationMicrosecondType>().value(row),
        TimeUnit::Nanosecond => array.as_primitive::<DurationNanosecondType>().value(row) / 1_000,
    }
}

/// The order of map keys in JSON: numbers by value, everything else by text.
pub(crate) fn compare_keys(left: &serde_json::Value, right: &serde_json::Value) -> Ordering {
    use serde_json::Value;
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => {
            match (left.to_string().parse::<i128>(), right.to_string().parse::<i128>()) {
                (Ok(left), Ok(right)) => left.cmp(&right),
                _ => left.as_f64().unwrap_or(f64::NAN).total_cmp(&right.as_f64().unwrap_or(f64::NAN)),
            }
        }
        (Value::String(left), Value::String(right)) => left.cmp(right),
        _ => left.to_string().cmp(&right.to_string()),
    }
}
