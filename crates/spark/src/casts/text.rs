//! Text that is read as a date, a timestamp, a boolean or a number, as Spark reads it.

use std::str::FromStr;

use chrono::{NaiveDate, NaiveDateTime, Offset, TimeZone};
use datafusion::arrow::array::timezone::Tz;

const MICROS_PER_SECOND: i64 = 1_000_000;
const SECONDS_PER_DAY: i64 = 86_400;

fn trim(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || c.is_control())
}

/// `t`, `true`, `y`, `yes`, `1` and their opposites.
pub(super) fn boolean(text: &str) -> Option<bool> {
    match trim(text).to_ascii_lowercase().as_str() {
        "t" | "true" | "y" | "yes" | "1" => Some(true),
        "f" | "false" | "n" | "no" | "0" => Some(false),
        _ => None,
    }
}

/// A number, an infinity or NaN; a number may end in `d` or `f`.
pub(super) fn double(text: &str) -> Option<f64> {
    let text = trim(text);
    text.parse().ok().or_else(|| {
        let bare = text.strip_suffix(['d', 'D', 'f', 'F'])?;
        bare.ends_with(|c: char| c.is_ascii_digit() || c == '.').then(|| bare.parse().ok())?
    })
}

/// As [`double`], rounded once.
pub(super) fn float(text: &str) -> Option<f32> {
    let text = trim(text);
    text.parse().ok().or_else(|| {
        let bare = text.strip_suffix(['d', 'D', 'f', 'F'])?;
        bare.ends_with(|c: char| c.is_ascii_digit() || c == '.').then(|| bare.parse().ok())?
    })
}

/// Days since the epoch of `yyyy[-[m]m[-[d]d]]`; what follows a blank or `T` after the day does not count.
pub(super) fn date(text: &str) -> Option<i32> {
    let (days, rest) = day(trim(text))?;
    (rest.is_empty() || rest.starts_with([' ', 'T'])).then(|| i32::try_from(days).ok())?
}

/// Microseconds since the epoch of a day with or without a time and a zone; without a zone it is UTC.
pub(super) fn timestamp(text: &str) -> Option<i64> {
    let (local, zone) = local_and_zone(text)?;
    match zone {
        None => Some(local),
        Some(zone) => local.checked_sub(offset_seconds(zone, local)?.checked_mul(MICROS_PER_SECOND)?),
    }
}

/// As [`timestamp`]; a zone is read and does not count.
pub(super) fn timestamp_ntz(text: &str) -> Option<i64> {
    let (local, zone) = local_and_zone(text)?;
    if let Some(zone) = zone {
        offset_seconds(zone, local)?;
    }
    Some(local)
}

fn local_and_zone(text: &str) -> Option<(i64, Option<&str>)> {
    let (days, rest) = day(trim(text))?;
    let midnight = days.checked_mul(SECONDS_PER_DAY)?.checked_mul(MICROS_PER_SECOND)?;
    if rest.is_empty() {
        return Some((midnight, None));
    }
    let (hour, rest) = number(rest.strip_prefix([' ', 'T'])?, 1, 2)?;
    let (minute, rest) = part(rest)?;
    let (second, mut rest) = if minute.is_some() { part(rest)? } else { (None, rest) };
    let mut micros = 0;
    if let (Some(_), Some(fraction)) = (second, rest.strip_prefix('.')) {
        let n_digits = fraction.bytes().take_while(u8::is_ascii_digit).count();
        let (digits, after) = fraction.split_at(n_digits);
        micros = format!("{digits:0<6}").get(..6)?.parse().ok()?;
        rest = after;
    }
    let (minute, second) = (minute.unwrap_or(0), second.unwrap_or(0));
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let time = ((hour * 60 + minute) * 60 + second) * MICROS_PER_SECOND + micros;
    let zone = trim(rest);
    Some((midnight.checked_add(time)?, (!zone.is_empty()).then_some(zone)))
}

/// `:[d]d`, if there is one.
fn part(text: &str) -> Option<(Option<i64>, &str)> {
    match text.strip_prefix(':') {
        Some(rest) => number(rest, 1, 2).map(|(value, rest)| (Some(value), rest)),
        None => Some((None, text)),
    }
}

/// Days since the epoch and what follows.
fn day(text: &str) -> Option<(i64, &str)> {
    let (negative, unsigned) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (year, rest) = number(unsigned, 4, 6)?;
    let year = if negative { -year } else { year };
    let (month, rest) = dashed(rest)?;
    let (day, rest) = if month.is_some() { dashed(rest)? } else { (None, rest) };
    if day.is_none() && !rest.is_empty() {
        return None;
    }
    let month = u32::try_from(month.unwrap_or(1)).ok()?;
    let date = NaiveDate::from_ymd_opt(i32::try_from(year).ok()?, month, u32::try_from(day.unwrap_or(1)).ok()?)?;
    Some((date.signed_duration_since(NaiveDate::default()).num_days(), rest))
}

fn dashed(text: &str) -> Option<(Option<i64>, &str)> {
    match text.strip_prefix('-') {
        Some(rest) => number(rest, 1, 2).map(|(value, rest)| (Some(value), rest)),
        None => Some((None, text)),
    }
}

/// A number of so many digits and what follows.
fn number(text: &str, n_min: usize, n_max: usize) -> Option<(i64, &str)> {
    let n_digits = text.bytes().take_while(u8::is_ascii_digit).count();
    if n_digits < n_min || n_digits > n_max {
        return None;
    }
    let (digits, rest) = text.split_at(n_digits);
    Some((digits.parse().ok()?, rest))
}

/// Seconds east of UTC at a local time.
fn offset_seconds(zone: &str, local_micros: i64) -> Option<i64> {
    let bare = ["UTC", "GMT", "UT"].iter().find_map(|prefix| zone.strip_prefix(prefix)).unwrap_or(zone);
    if bare.is_empty() || bare == "Z" {
        return Some(0);
    }
    if let Some(unsigned) = bare.strip_prefix(['+', '-']) {
        let (hours, rest) = number(unsigned, 1, 2)?;
        let (minutes, rest) = part(rest)?;
        let (seconds, rest) = part(rest)?;
        let (minutes, seconds) = (minutes.unwrap_or(0), seconds.unwrap_or(0));
        if !rest.is_empty() || hours > 18 || minutes > 59 || seconds > 59 {
            return None;
        }
        let total = hours * 3_600 + minutes * 60 + seconds;
        return Some(if bare.starts_with('-') { -total } else { total });
    }
    let local: NaiveDateTime = chrono::DateTime::from_timestamp_micros(local_micros)?.naive_utc();
    let offset = Tz::from_str(zone).ok()?.offset_from_local_datetime(&local).earliest()?;
    Some(i64::from(offset.fix().local_minus_utc()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_may_lack_their_end() {
        assert_eq!(date("1970-1-2"), Some(1));
        assert_eq!(date(" 1970 "), Some(0));
        assert_eq!(date("1970-02"), Some(31));
        assert_eq!(date("1970-01-01T25:00"), Some(0));
        assert_eq!(date("1970-02-30"), None);
        assert_eq!(date("70-01-01"), None);
        assert_eq!(date("1970 01"), None);
        assert_eq!(date(""), None);
    }

    #[test]
    fn timestamps_have_zones() {
        assert_eq!(timestamp("1970-01-01 0:0:1.5"), Some(1_500_000));
        assert_eq!(timestamp("1970-01-01T01:00:00+01:00"), Some(0));
        assert_eq!(timestamp("1970-01-01 00:00 UTC-1"), Some(3_600_000_000));
        assert_eq!(timestamp("1970-01-01 00:00:00Z"), Some(0));
        assert_eq!(timestamp("1970-01-01 24:00:00"), None);
        assert_eq!(timestamp("soon"), None);
        assert_eq!(timestamp_ntz("1970-01-01 00:00:00+05:00"), Some(0));
    }

    #[test]
    fn words_and_suffixes() {
        assert_eq!((boolean(" Yes"), boolean("0"), boolean("on")), (Some(true), Some(false), None));
        assert_eq!((double("3.5d"), double("d"), double("-infinity")), (Some(3.5), None, Some(f64::NEG_INFINITY)));
    }
}
