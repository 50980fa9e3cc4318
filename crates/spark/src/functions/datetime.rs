//! Functions of dates and timestamps.

use chrono::Datelike;
use datafusion::arrow::datatypes::DataType;
use datafusion::common::{DataFusionError, Result, ScalarValue};

use super::calendar::{
    MICROS_PER_DAY, MICROS_PER_SECOND, add_months_micros, date_of_days, days_of_date, last_of_month, out_of_range,
    zone, zone_offset_at_local, zone_offset_at_utc,
};
use super::pattern::Pattern;
use super::row::{Arg, Definition, Returns, fail, strict};
use super::value::{boolean_or, double, integer, of_text, text, text_or};

const DEFAULT_PATTERN: &str = "yyyy-MM-dd HH:mm:ss";

pub(super) static FUNCTIONS: &[Definition] = &[
    strict("date_format", &[Arg::Timestamp, Arg::Text], 2, Returns::Text, |values, _| {
        Ok(of_text(Pattern::new(text(values, 1)?)?.format(integer(values, 0)?)?))
    }),
    strict("from_unixtime", &[Arg::Long, Arg::Text], 1, Returns::Text, |values, _| {
        let micros = integer(values, 0)?.checked_mul(MICROS_PER_SECOND).ok_or_else(out_of_range)?;
        Ok(of_text(Pattern::new(text_or(values, 1, DEFAULT_PATTERN))?.format(micros)?))
    }),
    strict("to_timestamp", &[Arg::Any, Arg::Text], 2, Returns::Timestamp, |values, _| timestamp(parsed(values, 1)?)),
    strict("to_timestamp_ltz", &[Arg::Any, Arg::Text], 2, Returns::Timestamp, |values, _| {
        timestamp(parsed(values, 1)?)
    }),
    strict("to_timestamp_ntz", &[Arg::Any, Arg::Text], 2, Returns::TimestampNtz, |values, _| {
        Ok(ScalarValue::TimestampMicrosecond(Some(parsed_local(values)?), None))
    }),
    strict("try_to_timestamp", &[Arg::Any, Arg::Text], 2, Returns::Timestamp, |values, _| {
        tolerant(parsed(values, 1)).and_then(|micros| micros.map_or(Ok(ScalarValue::Null), timestamp))
    }),
    strict("to_date", &[Arg::Any, Arg::Text], 2, Returns::Date, |values, _| date(parsed_local(values)?)),
    strict("try_to_date", &[Arg::Any, Arg::Text], 2, Returns::Date, |values, _| {
        tolerant(parsed_local(values)).and_then(|micros| micros.map_or(Ok(ScalarValue::Null), date))
    }),
    strict("unix_timestamp", &[Arg::Any, Arg::Text], 1, Returns::Long, unix_timestamp),
    strict("to_unix_timestamp", &[Arg::Any, Arg::Text], 1, Returns::Long, unix_timestamp),
    strict("months_between", &[Arg::Timestamp, Arg::Timestamp, Arg::Boolean], 2, Returns::Double, months_between),
    strict("next_day", &[Arg::Date, Arg::Text], 2, Returns::Date, next_day),
    strict("trunc", &[Arg::Date, Arg::Text], 2, Returns::Date, |values, _| {
        let unit = text(values, 1)?.to_uppercase();
        if !matches!(unit.as_str(), "YEAR" | "YYYY" | "YY" | "QUARTER" | "MONTH" | "MM" | "MON" | "WEEK") {
            return Ok(ScalarValue::Null);
        }
        truncated(&unit, integer(values, 0)? * MICROS_PER_DAY)?.map_or(Ok(ScalarValue::Null), date)
    }),
    strict("date_trunc", &[Arg::Text, Arg::Timestamp], 2, Returns::Timestamp, |values, _| {
        truncated(&text(values, 0)?.to_uppercase(), integer(values, 1)?)?.map_or(Ok(ScalarValue::Null), timestamp)
    }),
    strict("timestampadd", &[Arg::Text, Arg::Long, Arg::Timestamp], 3, Returns::Timestamp, timestamp_add),
    strict("timestampdiff", &[Arg::Text, Arg::Timestamp, Arg::Timestamp], 3, Returns::Long, timestamp_difference),
    strict("convert_timezone", &[Arg::Text, Arg::Any, Arg::TimestampNtz], 2, Returns::TimestampNtz, convert_timezone),
    strict("from_utc_timestamp", &[Arg::Timestamp, Arg::Text], 2, Returns::Timestamp, |values, _| {
        let (micros, zone) = (integer(values, 0)?, zone(text(values, 1)?)?);
        timestamp(micros + zone_offset_at_utc(&zone, micros)? * MICROS_PER_SECOND)
    }),
    strict("to_utc_timestamp", &[Arg::Timestamp, Arg::Text], 2, Returns::Timestamp, |values, _| {
        let (micros, zone) = (integer(values, 0)?, zone(text(values, 1)?)?);
        timestamp(micros - zone_offset_at_local(&zone, micros).ok_or_else(out_of_range)? * MICROS_PER_SECOND)
    }),
    strict("dayname", &[Arg::Date], 1, Returns::Text, |values, _| {
        Ok(of_text(date_of_days(integer(values, 0)?)?.format("%a").to_string()))
    }),
    strict("date_from_unix_date", &[Arg::Int], 1, Returns::Date, |values, _| {
        date(integer(values, 0)? * MICROS_PER_DAY)
    }),
    strict("unix_date", &[Arg::Date], 1, Returns::Int, |values, _| Ok(super::value::of_int(integer(values, 0)?))),
    strict("timestamp_seconds", &[Arg::Double], 1, Returns::Timestamp, |values, _| {
        let micros = double(values, 0)? * MICROS_PER_SECOND as f64;
        if micros.abs() > i64::MAX as f64 { Err(out_of_range()) } else { timestamp(micros as i64) }
    }),
    strict("timestamp_millis", &[Arg::Long], 1, Returns::Timestamp, |values, _| {
        timestamp(integer(values, 0)?.checked_mul(1000).ok_or_else(out_of_range)?)
    }),
    strict("timestamp_micros", &[Arg::Long], 1, Returns::Timestamp, |values, _| timestamp(integer(values, 0)?)),
];

/// A TIMESTAMP of microseconds.
pub(super) fn timestamp(micros: i64) -> Result<ScalarValue> {
    Ok(ScalarValue::TimestampMicrosecond(Some(micros), Some("UTC".into())))
}

/// The DATE that a moment lies in.
pub(super) fn date(micros: i64) -> Result<ScalarValue> {
    let days = i32::try_from(micros.div_euclid(MICROS_PER_DAY)).map_err(|_| out_of_range())?;
    Ok(ScalarValue::Date32(Some(days)))
}

fn cannot_parse(text: &str) -> DataFusionError {
    fail(
        "CANNOT_PARSE_TIMESTAMP",
        "22007",
        format!(
            "Text '{text}' could not be parsed with the given pattern. Use `try_to_timestamp` to tolerate invalid input string and return NULL instead."
        ),
    )
}

/// NULL where a text does not follow its pattern; a pattern that is none stays an error.
fn tolerant<T>(parsed: Result<T>) -> Result<Option<T>> {
    match parsed {
        Ok(value) => Ok(Some(value)),
        Err(DataFusionError::External(inner)) => match inner.downcast_ref::<lakelet_base::Diagnostic>() {
            Some(diagnostic) if diagnostic.class.condition == "CANNOT_PARSE_TIMESTAMP" => Ok(None),
            _ => Err(DataFusionError::External(inner)),
        },
        Err(error) => Err(error),
    }
}

/// Microseconds since the epoch: dates and timestamps as they are, text by its pattern.
fn parsed(values: &[ScalarValue], pattern: usize) -> Result<i64> {
    match values.first() {
        Some(ScalarValue::Date32(Some(days))) => Ok(i64::from(*days) * MICROS_PER_DAY),
        Some(ScalarValue::Utf8(Some(text))) => Pattern::new(text_or(values, pattern, DEFAULT_PATTERN))?
            .parse(text)
            .map(|moment| moment.utc_micros())
            .ok_or_else(|| cannot_parse(text)),
        _ => integer(values, 0),
    }
}

fn parsed_local(values: &[ScalarValue]) -> Result<i64> {
    match values.first() {
        Some(ScalarValue::Utf8(Some(text))) => Pattern::new(text_or(values, 1, DEFAULT_PATTERN))?
            .parse(text)
            .map(|moment| moment.local_micros)
            .ok_or_else(|| cannot_parse(text)),
        _ => parsed(values, 1),
    }
}

fn unix_timestamp(values: &[ScalarValue], _: &DataType) -> Result<ScalarValue> {
    Ok(ScalarValue::Int64(Some(parsed(values, 1)?.div_euclid(MICROS_PER_SECOND))))
}

/// Whole months where both are the same day or both the last of their month, else with the rest by 31 days a month.
fn months_between(values: &[ScalarValue], _: &DataType) -> Result<ScalarValue> {
    let (later, earlier) = (integer(values, 0)?, integer(values, 1)?);
    let (later_date, earlier_date) =
        (date_of_days(later.div_euclid(MICROS_PER_DAY))?, date_of_days(earlier.div_euclid(MICROS_PER_DAY))?);
    let months = f64::from(
        (later_date.year() - earlier_date.year()) * 12 + later_date.month() as i32 - earlier_date.month() as i32,
    );
    let is_last = |date: chrono::NaiveDate| last_of_month(date).map(|last| last == date);
    if later_date.day() == earlier_date.day() || (is_last(later_date)? && is_last(earlier_date)?) {
        return Ok(ScalarValue::Float64(Some(months)));
    }
    let seconds = |date: chrono::NaiveDate, micros: i64| {
        i64::from(date.day()) * 86_400 + micros.rem_euclid(MICROS_PER_DAY) / MICROS_PER_SECOND
    };
    let rest = (seconds(later_date, later) - seconds(earlier_date, earlier)) as f64;
    let exact = months + rest / (31.0 * 86_400.0);
    Ok(ScalarValue::Float64(Some(if boolean_or(values, 2, true) { (exact * 1e8).round() / 1e8 } else { exact })))
}

fn next_day(values: &[ScalarValue], _: &DataType) -> Result<ScalarValue> {
    let given = text(values, 1)?;
    let wanted = match given.to_uppercase().as_str() {
        "MO" | "MON" | "MONDAY" => 0,
        "TU" | "TUE" | "TUESDAY" => 1,
        "WE" | "WED" | "WEDNESDAY" => 2,
        "TH" | "THU" | "THURSDAY" => 3,
        "FR" | "FRI" | "FRIDAY" => 4,
        "SA" | "SAT" | "SATURDAY" => 5,
        "SU" | "SUN" | "SUNDAY" => 6,
        _ => {
            return Err(fail("ILLEGAL_DAY_OF_WEEK", "22009", format!("Illegal input for day of week: {given}.")));
        }
    };
    let days = integer(values, 0)?;
    let today = i64::from(date_of_days(days)?.weekday().num_days_from_monday());
    date((days + (wanted - today + 6).rem_euclid(7) + 1) * MICROS_PER_DAY)
}

/// The begin of the unit that a moment lies in; `None` for a unit that is none.
fn truncated(unit: &str, micros: i64) -> Result<Option<i64>> {
    let day = micros.div_euclid(MICROS_PER_DAY);
    let date = date_of_days(day)?;
    let first = |month: u32| -> Result<Option<i64>> {
        let first = chrono::NaiveDate::from_ymd_opt(date.year(), month, 1).ok_or_else(out_of_range)?;
        Ok(Some(days_of_date(first) * MICROS_PER_DAY))
    };
    let by = |length: i64| Ok(Some(micros - micros.rem_euclid(length)));
    match unit {
        "YEAR" | "YYYY" | "YY" => first(1),
        "QUARTER" => first(date.month0() / 3 * 3 + 1),
        "MONTH" | "MM" | "MON" => first(date.month()),
        "WEEK" => Ok(Some((day - i64::from(date.weekday().num_days_from_monday())) * MICROS_PER_DAY)),
        "DAY" | "DD" => by(MICROS_PER_DAY),
        "HOUR" => by(3600 * MICROS_PER_SECOND),
        "MINUTE" => by(60 * MICROS_PER_SECOND),
        "SECOND" => by(MICROS_PER_SECOND),
        "MILLISECOND" => by(1000),
        "MICROSECOND" => by(1),
        _ => Ok(None),
    }
}

/// A unit as a number of months, or else of microseconds.
enum Unit {
    Months(i64),
    Micros(i64),
}

fn unit(function: &str, name: &str) -> Result<Unit> {
    Ok(match name.to_uppercase().as_str() {
        "YEAR" => Unit::Months(12),
        "QUARTER" => Unit::Months(3),
        "MONTH" => Unit::Months(1),
        "WEEK" => Unit::Micros(7 * MICROS_PER_DAY),
        "DAY" | "DAYOFYEAR" => Unit::Micros(MICROS_PER_DAY),
        "HOUR" => Unit::Micros(3600 * MICROS_PER_SECOND),
        "MINUTE" => Unit::Micros(60 * MICROS_PER_SECOND),
        "SECOND" => Unit::Micros(MICROS_PER_SECOND),
        "MILLISECOND" => Unit::Micros(1000),
        "MICROSECOND" => Unit::Micros(1),
        _ => {
            return Err(fail(
                "INVALID_PARAMETER_VALUE.DATETIME_UNIT",
                "22023",
                format!(
                    "The value of parameter(s) `unit` in `{function}` is invalid: expects one of the units without quotes YEAR, QUARTER, MONTH, WEEK, DAY, DAYOFYEAR, HOUR, MINUTE, SECOND, MILLISECOND, MICROSECOND, but got '{name}'."
                ),
            ));
        }
    })
}

fn timestamp_add(values: &[ScalarValue], _: &DataType) -> Result<ScalarValue> {
    let (n, micros) = (integer(values, 1)?, integer(values, 2)?);
    timestamp(match unit("timestampadd", text(values, 0)?)? {
        Unit::Months(months) => add_months_micros(micros, n.checked_mul(months).ok_or_else(out_of_range)?)?,
        Unit::Micros(length) => {
            n.checked_mul(length).and_then(|added| micros.checked_add(added)).ok_or_else(out_of_range)?
        }
    })
}

fn timestamp_difference(values: &[ScalarValue], _: &DataType) -> Result<ScalarValue> {
    let (start, end) = (integer(values, 1)?, integer(values, 2)?);
    let n = match unit("timestampdiff", text(values, 0)?)? {
        Unit::Micros(length) => (end - start) / length,
        Unit::Months(length) => {
            let (from, to) =
                (date_of_days(start.div_euclid(MICROS_PER_DAY))?, date_of_days(end.div_euclid(MICROS_PER_DAY))?);
            let mut months = i64::from((to.year() - from.year()) * 12 + to.month() as i32 - from.month() as i32);
            // A month that is not over does not count, whatever the last day of the other month is.
            let (from, to) =
                ((from.day(), start.rem_euclid(MICROS_PER_DAY)), (to.day(), end.rem_euclid(MICROS_PER_DAY)));
            if months > 0 && to < from {
                months -= 1;
            } else if months < 0 && to > from {
                months += 1;
            }
            months / length
        }
    };
    Ok(ScalarValue::Int64(Some(n)))
}

/// From a zone (or from UTC, the session's) to another, on the clock.
fn convert_timezone(values: &[ScalarValue], _: &DataType) -> Result<ScalarValue> {
    let (source, target, local) = match values {
        [source, target, _] if !target.is_null() => {
            (zone(text(std::slice::from_ref(source), 0)?)?, zone(text(values, 1)?)?, integer(values, 2)?)
        }
        _ => (zone("UTC")?, zone(text(values, 0)?)?, integer(values, 1)?),
    };
    let utc = local - zone_offset_at_local(&source, local).ok_or_else(out_of_range)? * MICROS_PER_SECOND;
    let converted = utc + zone_offset_at_utc(&target, utc)? * MICROS_PER_SECOND;
    Ok(ScalarValue::TimestampMicrosecond(Some(converted), None))
}
