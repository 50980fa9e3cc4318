//! Instants and the workspace clock.

use std::fmt;

/// An instant in microseconds since 1970-01-01T00:00:00Z.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp(pub i64);

/// Why a text is not an RFC 3339 instant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not an instant like 2026-03-02T09:00:00Z")]
pub struct TimestampParseError(pub String);

const MICROS_PER_SECOND: i64 = 1_000_000;
const SECONDS_PER_DAY: i64 = 86_400;

impl Timestamp {
    /// Where simulated workspaces begin: 2026-03-02T09:00:00Z, a Monday.
    pub const LESSON_START: Self = Self(1_772_442_000 * MICROS_PER_SECOND);

    /// The instant `millis` milliseconds after 1970-01-01T00:00:00Z.
    pub fn from_millis(millis: i64) -> Self {
        Self(millis.saturating_mul(1_000))
    }

    /// Whole milliseconds since 1970-01-01T00:00:00Z, rounded down.
    pub fn millis(self) -> i64 {
        self.0.div_euclid(1_000)
    }

    /// This instant `millis` milliseconds later, at most the largest instant.
    #[must_use]
    pub fn plus_millis(self, millis: i64) -> Self {
        Self(self.0.saturating_add(millis.saturating_mul(1_000)))
    }

    /// Days since 1970-01-01 in UTC, rounded down.
    pub fn days(self) -> i64 {
        self.0.div_euclid(SECONDS_PER_DAY * MICROS_PER_SECOND)
    }

    /// Year, month (1–12) and day (1–31) in UTC.
    pub fn date(self) -> (i64, u32, u32) {
        civil_from_days(self.days())
    }

    /// Hour, minute and second of the day in UTC.
    pub fn time_of_day(self) -> (u32, u32, u32) {
        let seconds = self.0.div_euclid(MICROS_PER_SECOND).rem_euclid(SECONDS_PER_DAY);
        // All three are below 86,400.
        ((seconds / 3600) as u32, (seconds / 60 % 60) as u32, (seconds % 60) as u32)
    }

    /// Microseconds within the second, 0–999,999.
    pub fn subsecond_micros(self) -> u32 {
        self.0.rem_euclid(MICROS_PER_SECOND) as u32
    }

    /// Reads RFC 3339 (`2026-03-02T09:00:00Z`, `…+01:00`, up to six digits of fraction).
    ///
    /// # Errors
    /// [`TimestampParseError`] when the text has another form or names no real instant.
    pub fn parse_rfc3339(text: &str) -> Result<Self, TimestampParseError> {
        parse(text).ok_or_else(|| TimestampParseError(text.to_owned()))
    }

    /// `2026-03-02T09:00:00.000Z`: UTC with milliseconds, cut, as task outputs and run records show it.
    pub fn to_rfc3339_millis(self) -> String {
        let (year, month, day) = self.date();
        let (hour, minute, second) = self.time_of_day();
        let millis = self.subsecond_micros() / 1_000;
        format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z")
    }
}

impl fmt::Display for Timestamp {
    /// `2026-03-02T09:00:00Z`, with `.ffffff` only where the fraction is not zero.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = self.date();
        let (hour, minute, second) = self.time_of_day();
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}")?;
        if self.subsecond_micros() != 0 {
            write!(f, ".{:06}", self.subsecond_micros())?;
        }
        f.write_str("Z")
    }
}

/// Days since 1970-01-01 to year, month (1–12) and day (1–31) of the proleptic Gregorian calendar, by counting
/// 400-year eras that begin on 1 March. Holds for every `i32` number of days and far beyond.
pub fn civil_from_days(days: i64) -> (i64, u32, u32) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month as u32, day as u32)
}

/// Days since 1970-01-01 of a date; the reverse of [`civil_from_days`]. The caller checks month and day.
pub fn days_from_civil(year: i64, month: u32, day: u32) -> i64 {
    let year = year - i64::from(month <= 2);
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let month_from_march = i64::from(if month > 2 { month - 3 } else { month + 9 });
    let day_of_year = (153 * month_from_march + 2) / 5 + i64::from(day) - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

fn parse(text: &str) -> Option<Timestamp> {
    let number = |part: &str| -> Option<i64> {
        (!part.is_empty() && part.bytes().all(|b| b.is_ascii_digit())).then(|| part.parse().ok()).flatten()
    };
    let (date, rest) = text.split_once(['T', 't', ' '])?;
    let mut parts = date.splitn(3, '-');
    let (year, month, day) = (number(parts.next()?)?, number(parts.next()?)?, number(parts.next()?)?);
    let zone_start = rest.find(['Z', 'z', '+', '-'])?;
    let (time, zone) = rest.split_at(zone_start);
    let offset_minutes = match zone {
        "Z" | "z" => 0,
        _ => {
            let (hours, minutes) = zone[1..].split_once(':')?;
            let (hours, minutes) = (number(hours)?, number(minutes)?);
            if hours > 18 || minutes > 59 {
                return None;
            }
            (hours * 60 + minutes) * if zone.starts_with('-') { -1 } else { 1 }
        }
    };
    let (clock, fraction) = time.split_once('.').unwrap_or((time, "0"));
    if fraction.len() > 6 {
        return None;
    }
    let micros = number(fraction)? * 10_i64.pow(6 - fraction.len() as u32);
    let mut parts = clock.splitn(3, ':');
    let (hour, minute, second) = (number(parts.next()?)?, number(parts.next()?)?, number(parts.next()?)?);
    if !(1..=9999).contains(&year) || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let (month, day) = (u32::try_from(month).ok()?, u32::try_from(day).ok()?);
    if !(1..=12).contains(&month) || day == 0 {
        return None;
    }
    let days = days_from_civil(year, month, day);
    if civil_from_days(days) != (year, month, day) {
        return None;
    }
    let seconds = days * SECONDS_PER_DAY + hour * 3600 + minute * 60 + second - offset_minutes * 60;
    Some(Timestamp(seconds * MICROS_PER_SECOND + micros))
}

/// The workspace clock. Simulated clocks stand still until they are moved; real ones flow.
pub trait Clock {
    /// The present instant.
    fn now(&self) -> Timestamp;
    /// Moves forward to `instant`; an instant in the past changes nothing.
    fn advance_to(&mut self, instant: Timestamp);
    /// Whether this clock stands still between moves.
    fn is_simulated(&self) -> bool;
}

/// A clock that stands still until it is moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SimulatedClock {
    now: Timestamp,
}

impl SimulatedClock {
    /// A clock that shows `start`.
    pub fn new(start: Timestamp) -> Self {
        Self { now: start }
    }
}

impl Clock for SimulatedClock {
    fn now(&self) -> Timestamp {
        self.now
    }

    fn advance_to(&mut self, instant: Timestamp) {
        self.now = self.now.max(instant);
    }

    fn is_simulated(&self) -> bool {
        true
    }
}

/// System time plus an offset that only grows. The host supplies the system time.
pub struct RealClock {
    system: Box<dyn Fn() -> Timestamp>,
    offset_micros: i64,
}

impl RealClock {
    /// A clock over the host's `system` time.
    pub fn new(system: Box<dyn Fn() -> Timestamp>) -> Self {
        Self { system, offset_micros: 0 }
    }
}

impl Clock for RealClock {
    fn now(&self) -> Timestamp {
        Timestamp((self.system)().0.saturating_add(self.offset_micros))
    }

    fn advance_to(&mut self, instant: Timestamp) {
        let ahead = instant.0.saturating_sub(self.now().0);
        self.offset_micros = self.offset_micros.saturating_add(ahead.max(0));
    }

    fn is_simulated(&self) -> bool {
        false
    }
}

/// The seed of everything that looks random in a workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Seed(pub u64);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rfc3339_round_trips() {
        for text in [
            "2026-03-02T09:00:00Z",
            "1970-01-01T00:00:00.000001Z",
            "0001-01-01T00:00:00Z",
            "2024-02-29T23:59:59.123456Z",
        ] {
            assert_eq!(Timestamp::parse_rfc3339(text).map(|t| t.to_string()), Ok(text.to_owned()));
        }
        assert_eq!(Timestamp::LESSON_START.to_string(), "2026-03-02T09:00:00Z");
        assert_eq!(Timestamp::parse_rfc3339("2026-03-02T09:00:00+01:30").unwrap().to_string(), "2026-03-02T07:30:00Z");
        assert_eq!(Timestamp(-1).to_rfc3339_millis(), "1969-12-31T23:59:59.999Z");
    }

    #[test]
    fn what_is_no_instant_is_refused() {
        for text in [
            "",
            "2026-03-02",
            "2026-02-29T00:00:00Z",
            "2026-03-02T24:00:00Z",
            "2026-03-02T09:00:00",
            "2026-13-01T00:00:00Z",
            "2026-03-02T09:00:00.1234567Z",
            "+026-03-02T09:00:00Z",
        ] {
            assert!(Timestamp::parse_rfc3339(text).is_err(), "{text}");
        }
    }

    #[test]
    fn clocks_never_go_back() {
        let mut clock = SimulatedClock::new(Timestamp(5));
        clock.advance_to(Timestamp(3));
        assert_eq!(clock.now(), Timestamp(5));
        let mut real = RealClock::new(Box::new(|| Timestamp(100)));
        real.advance_to(Timestamp(250));
        real.advance_to(Timestamp(120));
        assert_eq!(real.now(), Timestamp(250));
    }
}
