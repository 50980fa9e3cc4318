//! Text of dates, instants and times of day.

use lakelet_base::civil_from_days;

const MICROS_PER_SECOND: i64 = 1_000_000;
const SECONDS_PER_DAY: i64 = 86_400;

/// `2024-02-29` of days since 1970-01-01. Years past 9999 have a plus sign, as in Java.
pub fn date_text(days: i64) -> String {
    let (year, month, day) = civil_from_days(days);
    let sign = match year {
        ..0 => "-",
        0..=9999 => "",
        _ => "+",
    };
    format!("{sign}{:04}-{month:02}-{day:02}", year.unsigned_abs())
}

/// `2024-02-29 01:02:03.45` of microseconds since the epoch: Spark's cast to string in UTC, zeros at the end cut.
pub fn timestamp_text(micros: i64) -> String {
    let (seconds, subsecond) = (micros.div_euclid(MICROS_PER_SECOND), micros.rem_euclid(MICROS_PER_SECOND));
    let date = date_text(seconds.div_euclid(SECONDS_PER_DAY));
    format!("{date} {}", time_text(seconds.rem_euclid(SECONDS_PER_DAY) * MICROS_PER_SECOND + subsecond))
}

/// `01:02:03.45` of microseconds since midnight, zeros at the end cut.
pub fn time_text(micros: i64) -> String {
    let mut text = clock_text(micros);
    let subsecond = micros.rem_euclid(MICROS_PER_SECOND);
    if subsecond != 0 {
        text.push_str(format!(".{subsecond:06}").trim_end_matches('0'));
    }
    text
}

/// `2024-02-29T01:02:03`, with all six digits of the fraction only where it is not zero.
pub(crate) fn timestamp_json_text(micros: i64) -> String {
    let (seconds, subsecond) = (micros.div_euclid(MICROS_PER_SECOND), micros.rem_euclid(MICROS_PER_SECOND));
    let date = date_text(seconds.div_euclid(SECONDS_PER_DAY));
    let clock = clock_text(seconds.rem_euclid(SECONDS_PER_DAY) * MICROS_PER_SECOND);
    if subsecond == 0 { format!("{date}T{clock}") } else { format!("{date}T{clock}.{subsecond:06}") }
}

fn clock_text(micros: i64) -> String {
    let seconds = micros.div_euclid(MICROS_PER_SECOND);
    format!("{:02}:{:02}:{:02}", seconds / 3_600, seconds / 60 % 60, seconds % 60)
}
