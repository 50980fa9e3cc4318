//! Days, months and zones.

use std::str::FromStr;

use chrono::{Datelike, Days, Months, NaiveDate, NaiveDateTime, Offset, TimeZone};
use datafusion::arrow::array::timezone::Tz;
use datafusion::common::{DataFusionError, Result};

use super::row::fail;

pub(super) const MICROS_PER_SECOND: i64 = 1_000_000;
pub(super) const MICROS_PER_DAY: i64 = 86_400 * MICROS_PER_SECOND;

const EPOCH_DAYS_FROM_CE: i64 = 719_163;

/// A date outside of what dates can hold.
pub(crate) fn out_of_range() -> DataFusionError {
    fail("DATETIME_OVERFLOW", "22008", "Datetime operation overflow: the result is outside of the calendar.")
}

/// The date of a day since 1970-01-01.
pub(super) fn date_of_days(days: i64) -> Result<NaiveDate> {
    i32::try_from(days + EPOCH_DAYS_FROM_CE)
        .ok()
        .and_then(NaiveDate::from_num_days_from_ce_opt)
        .ok_or_else(out_of_range)
}

/// Days since 1970-01-01.
pub(super) fn days_of_date(date: NaiveDate) -> i64 {
    i64::from(date.num_days_from_ce()) - EPOCH_DAYS_FROM_CE
}

/// Some months later or earlier; a day that the month does not have becomes its last.
pub(super) fn add_months(date: NaiveDate, months: i64) -> Result<NaiveDate> {
    let n = u32::try_from(months.unsigned_abs()).map_err(|_| out_of_range())?;
    if months < 0 { date.checked_sub_months(Months::new(n)) } else { date.checked_add_months(Months::new(n)) }
        .ok_or_else(out_of_range)
}

/// Some months later on the clock of UTC.
pub(crate) fn add_months_micros(micros: i64, months: i64) -> Result<i64> {
    let date = add_months(date_of_days(micros.div_euclid(MICROS_PER_DAY))?, months)?;
    Ok(days_of_date(date) * MICROS_PER_DAY + micros.rem_euclid(MICROS_PER_DAY))
}

/// The last day of a date's month.
pub(super) fn last_of_month(date: NaiveDate) -> Result<NaiveDate> {
    date.with_day(1)
        .and_then(|first| first.checked_add_months(Months::new(1)))
        .and_then(|next| next.checked_sub_days(Days::new(1)))
        .ok_or_else(out_of_range)
}

/// A zone by its name or its offset.
pub(super) fn zone(name: &str) -> Result<Tz> {
    let offset = name.strip_prefix("UTC").or_else(|| name.strip_prefix("GMT")).filter(|rest| !rest.is_empty());
    let name_or_offset = match name {
        "Z" | "UTC" | "GMT" => "+00:00",
        _ => offset.unwrap_or(name),
    };
    Tz::from_str(name_or_offset).map_err(|_| {
        fail(
            "INVALID_TIMEZONE",
            "22009",
            format!(
                "The timezone: {name} is invalid. The timezone must be either a region-based zone ID or a zone offset. Region IDs must have the form 'area/city', such as 'America/Los_Angeles'."
            ),
        )
    })
}

fn at(micros: i64) -> Option<NaiveDateTime> {
    chrono::DateTime::from_timestamp_micros(micros).map(|moment| moment.naive_utc())
}

/// Seconds east of UTC at a moment of the zone's own clock; in a gap, what held before it.
pub(super) fn zone_offset_at_local(zone: &Tz, local_micros: i64) -> Option<i64> {
    let local = at(local_micros)?;
    let offset = match zone.offset_from_local_datetime(&local) {
        chrono::LocalResult::Single(offset) | chrono::LocalResult::Ambiguous(offset, _) => offset,
        chrono::LocalResult::None => zone.offset_from_utc_datetime(&at(local_micros - MICROS_PER_DAY)?),
    };
    Some(i64::from(offset.fix().local_minus_utc()))
}

/// Seconds east of UTC at a moment.
pub(super) fn zone_offset_at_utc(zone: &Tz, micros: i64) -> Result<i64> {
    let moment = at(micros).ok_or_else(out_of_range)?;
    Ok(i64::from(zone.offset_from_utc_datetime(&moment).fix().local_minus_utc()))
}
