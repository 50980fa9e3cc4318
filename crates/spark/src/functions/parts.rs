//! Parts of dates, timestamps and intervals, and making them from parts.

use chrono::{Datelike, NaiveDate};
use datafusion::arrow::datatypes::{DataType, FieldRef, IntervalUnit};
use datafusion::common::{DataFusionError, Result, ScalarValue};

use super::calendar::{
    MICROS_PER_DAY, MICROS_PER_SECOND, date_of_days, days_of_date, out_of_range, zone, zone_offset_at_local,
};
use super::datetime::timestamp;
use super::row::{Arg, Definition, Returns, fail, strict, wrong_type};
use super::value::{integer, of_int, text};

macro_rules! part {
    ($name:literal, $arg:expr, $field:literal) => {
        strict($name, &[$arg], 1, Returns::Int, |values, _| Ok(of_int(part($field, micros_of(values, 0)?)?)))
    };
}

pub(super) static FUNCTIONS: &[Definition] = &[
    part!("year", Arg::Date, "YEAR"),
    part!("quarter", Arg::Date, "QUARTER"),
    part!("month", Arg::Date, "MONTH"),
    part!("day", Arg::Date, "DAY"),
    part!("dayofmonth", Arg::Date, "DAY"),
    part!("dayofyear", Arg::Date, "DOY"),
    part!("dayofweek", Arg::Date, "DOW"),
    part!("weekofyear", Arg::Date, "WEEK"),
    part!("hour", Arg::Timestamp, "HOUR"),
    part!("minute", Arg::Timestamp, "MINUTE"),
    part!("second", Arg::Timestamp, "SECONDS"),
    strict("date_part", &[Arg::Text, Arg::Any], 2, Returns::Of(extract_type), extract),
    strict("datepart", &[Arg::Text, Arg::Any], 2, Returns::Of(extract_type), extract),
    strict("make_date", &[Arg::Int, Arg::Int, Arg::Int], 3, Returns::Date, |values, _| {
        super::datetime::date(made_date(values)? * MICROS_PER_DAY)
    }),
    strict("make_timestamp", MAKE, 6, Returns::Timestamp, |values, _| timestamp(made(values)?)),
    strict("make_timestamp_ltz", MAKE, 6, Returns::Timestamp, |values, _| timestamp(made(values)?)),
    strict("make_timestamp_ntz", MAKE, 6, Returns::TimestampNtz, |values, _| ntz(made(values)?)),
    strict("try_make_timestamp", MAKE, 6, Returns::Timestamp, |values, _| {
        made(values).map_or(Ok(ScalarValue::Null), timestamp)
    }),
    strict("try_make_timestamp_ltz", MAKE, 6, Returns::Timestamp, |values, _| {
        made(values).map_or(Ok(ScalarValue::Null), timestamp)
    }),
    strict("try_make_timestamp_ntz", MAKE, 6, Returns::TimestampNtz, |values, _| {
        made(values).map_or(Ok(ScalarValue::Null), ntz)
    }),
    strict(
        "make_ym_interval",
        &[Arg::Int, Arg::Int],
        1,
        Returns::Of(|_, _| Ok(DataType::Interval(IntervalUnit::YearMonth))),
        |values, _| {
            let months = integer(values, 0)? * 12 + super::value::integer_or(values, 1, 0)?;
            let months = i32::try_from(months).map_err(|_| {
                fail(
                    "INTERVAL_ARITHMETIC_OVERFLOW.WITHOUT_SUGGESTION",
                    "22015",
                    "Integer overflow while operating with intervals.",
                )
            })?;
            Ok(ScalarValue::IntervalYearMonth(Some(months)))
        },
    ),
];

const MAKE: &[Arg] = &[Arg::Int, Arg::Int, Arg::Int, Arg::Int, Arg::Int, Arg::Double, Arg::Text];

fn ntz(micros: i64) -> Result<ScalarValue> {
    Ok(ScalarValue::TimestampMicrosecond(Some(micros), None))
}

fn micros_of(values: &[ScalarValue], index: usize) -> Result<i64> {
    match values.get(index) {
        Some(ScalarValue::Date32(Some(days))) => Ok(i64::from(*days) * MICROS_PER_DAY),
        _ => integer(values, index),
    }
}

/// The plain name of a field of EXTRACT.
fn field(name: &str) -> Option<&'static str> {
    Some(match name.to_uppercase().as_str() {
        "YEAR" | "Y" | "YEARS" | "YR" | "YRS" => "YEAR",
        "YEAROFWEEK" => "YEAROFWEEK",
        "QUARTER" | "QTR" => "QUARTER",
        "MONTH" | "MON" | "MONS" | "MONTHS" => "MONTH",
        "WEEK" | "W" | "WEEKS" => "WEEK",
        "DAY" | "D" | "DAYS" => "DAY",
        "DAYOFWEEK" | "DOW" => "DOW",
        "DAYOFWEEK_ISO" | "DOW_ISO" => "DOW_ISO",
        "DOY" => "DOY",
        "HOUR" | "H" | "HOURS" | "HR" | "HRS" => "HOUR",
        "MINUTE" | "M" | "MIN" | "MINS" | "MINUTES" => "MINUTE",
        "SECOND" | "S" | "SEC" | "SECONDS" | "SECS" => "SECOND",
        _ => return None,
    })
}

fn part(field: &str, micros: i64) -> Result<i64> {
    let date = date_of_days(micros.div_euclid(MICROS_PER_DAY))?;
    let seconds = micros.rem_euclid(MICROS_PER_DAY) / MICROS_PER_SECOND;
    Ok(match field {
        "YEAR" => i64::from(date.year()),
        "YEAROFWEEK" => i64::from(date.iso_week().year()),
        "QUARTER" => i64::from(date.month0() / 3 + 1),
        "MONTH" => i64::from(date.month()),
        "WEEK" => i64::from(date.iso_week().week()),
        "DAY" => i64::from(date.day()),
        "DOW" => i64::from(date.weekday().num_days_from_sunday() + 1),
        "DOW_ISO" => i64::from(date.weekday().number_from_monday()),
        "DOY" => i64::from(date.ordinal()),
        "HOUR" => seconds / 3600,
        "MINUTE" => seconds / 60 % 60,
        _ => seconds % 60,
    })
}

fn unknown_field(name: &str, data_type: &DataType) -> DataFusionError {
    fail(
        "INVALID_EXTRACT_FIELD",
        "42601",
        format!(
            "Cannot extract `{name}` from a value of the type \"{}\".",
            lakelet_types::simple_string(data_type).to_uppercase()
        ),
    )
}

fn extract_type(fields: &[FieldRef], constants: &[Option<&ScalarValue>]) -> Result<DataType> {
    let Some(source) = fields.get(1).map(|field| field.data_type()) else { return Ok(DataType::Int32) };
    let Some(Some(ScalarValue::Utf8(Some(name)))) = constants.first() else {
        return Err(fail(
            "NON_FOLDABLE_ARGUMENT",
            "42K08",
            "The function `extract` requires the parameter `field` to be a foldable expression of the type \"STRING\", but the actual argument is a non-foldable.",
        ));
    };
    let Some(field) = field(name) else { return Err(unknown_field(name, source)) };
    match source {
        DataType::Interval(_) | DataType::Duration(_) => Ok(match field {
            "SECOND" => DataType::Decimal128(8, 6),
            "YEAR" | "DAY" => DataType::Int32,
            "MONTH" | "HOUR" | "MINUTE" => DataType::Int8,
            _ => return Err(unknown_field(name, source)),
        }),
        DataType::Date32 | DataType::Timestamp(..) | DataType::Utf8 | DataType::Null => {
            Ok(if field == "SECOND" { DataType::Decimal128(8, 6) } else { DataType::Int32 })
        }
        other => Err(wrong_type("extract", 2, other)),
    }
}

fn extract(values: &[ScalarValue], return_type: &DataType) -> Result<ScalarValue> {
    let field = field(text(values, 0)?).unwrap_or_default();
    let parsed;
    let (months, micros, is_interval) = match values.get(1) {
        Some(ScalarValue::IntervalYearMonth(Some(months))) => (i64::from(*months), 0, true),
        Some(ScalarValue::DurationMicrosecond(Some(micros))) => (0, *micros, true),
        Some(ScalarValue::IntervalMonthDayNano(Some(interval))) => {
            (i64::from(interval.months), i64::from(interval.days) * MICROS_PER_DAY + interval.nanoseconds / 1000, true)
        }
        Some(value @ ScalarValue::Utf8(_)) => {
            parsed = [value.cast_to(&lakelet_types::timestamp_type())?];
            (0, integer(&parsed, 0)?, false)
        }
        _ => (0, micros_of(values, 1)?, false),
    };
    if field == "SECOND" {
        let in_minute =
            if is_interval { micros % (60 * MICROS_PER_SECOND) } else { micros.rem_euclid(60 * MICROS_PER_SECOND) };
        return Ok(ScalarValue::Decimal128(Some(i128::from(in_minute)), 8, 6));
    }
    let value = if is_interval {
        match field {
            "YEAR" => months / 12,
            "MONTH" => months % 12,
            "DAY" => micros / MICROS_PER_DAY,
            "HOUR" => micros % MICROS_PER_DAY / (3600 * MICROS_PER_SECOND),
            _ => micros % (3600 * MICROS_PER_SECOND) / (60 * MICROS_PER_SECOND),
        }
    } else {
        part(field, micros)?
    };
    of_int(value).cast_to(return_type)
}

fn out_of_bounds(what: &str) -> DataFusionError {
    fail(
        "DATETIME_FIELD_OUT_OF_BOUNDS.WITHOUT_SUGGESTION",
        "22023",
        format!("Invalid value for a datetime field: {what}."),
    )
}

fn made_date(values: &[ScalarValue]) -> Result<i64> {
    let (year, month, day) = (integer(values, 0)?, integer(values, 1)?, integer(values, 2)?);
    let date = i32::try_from(year).ok().zip(u32::try_from(month).ok()).zip(u32::try_from(day).ok());
    date.and_then(|((year, month), day)| NaiveDate::from_ymd_opt(year, month, day))
        .map(days_of_date)
        .ok_or_else(|| out_of_bounds(&format!("year {year}, month {month}, day {day}")))
}

fn made(values: &[ScalarValue]) -> Result<i64> {
    let days = made_date(values)?;
    let (hour, minute, seconds) = (integer(values, 3)?, integer(values, 4)?, super::value::double(values, 5)?);
    let micros = (seconds * MICROS_PER_SECOND as f64).round() as i64;
    // A full minute of seconds is the next minute, for compatibility with PostgreSQL.
    if !(0..24).contains(&hour) || !(0..60).contains(&minute) || !(0..=60 * MICROS_PER_SECOND).contains(&micros) {
        return Err(out_of_bounds(&format!("{hour}:{minute}:{seconds}")));
    }
    let local = days * MICROS_PER_DAY + (hour * 3600 + minute * 60) * MICROS_PER_SECOND + micros;
    if values.len() < 7 {
        return Ok(local);
    }
    let zone = zone(text(values, 6)?)?;
    Ok(local - zone_offset_at_local(&zone, local).ok_or_else(out_of_range)? * MICROS_PER_SECOND)
}
