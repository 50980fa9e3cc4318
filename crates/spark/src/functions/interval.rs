//! Moving dates and timestamps by intervals.

use datafusion::common::{Result, ScalarValue, internal_err};

use super::calendar::{MICROS_PER_DAY, add_months_micros, out_of_range};
use super::datetime::date;

/// An interval as months and microseconds.
pub(super) fn months_and_micros(value: &ScalarValue) -> Option<(i64, i64)> {
    Some(match value {
        ScalarValue::IntervalYearMonth(Some(months)) => (i64::from(*months), 0),
        ScalarValue::DurationMicrosecond(Some(micros)) => (0, *micros),
        ScalarValue::IntervalMonthDayNano(Some(interval)) => {
            (i64::from(interval.months), i64::from(interval.days) * MICROS_PER_DAY + interval.nanoseconds / 1000)
        }
        ScalarValue::Int32(Some(days)) => (0, i64::from(*days) * MICROS_PER_DAY),
        _ => return None,
    })
}

/// A date or timestamp, the first value, moved by an interval, the second.
pub(super) fn moved(values: &[ScalarValue], is_back: bool) -> Result<ScalarValue> {
    let [start, interval] = values else { return internal_err!("a moment and an interval") };
    let Some((months, micros)) = months_and_micros(interval) else { return internal_err!("no interval") };
    let sign = if is_back { -1 } else { 1 };
    let shift = |from: i64| -> Result<i64> {
        add_months_micros(from, sign * months)?.checked_add(sign * micros).ok_or_else(out_of_range)
    };
    match start {
        ScalarValue::Date32(Some(days)) => date(shift(i64::from(*days) * MICROS_PER_DAY)?),
        ScalarValue::TimestampMicrosecond(Some(from), zone) => {
            Ok(ScalarValue::TimestampMicrosecond(Some(shift(*from)?), zone.clone()))
        }
        _ => internal_err!("no moment"),
    }
}
