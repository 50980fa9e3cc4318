//! ANSI intervals: their units and their text.

use arrow_schema::Field;

/// Key in a field's metadata that keeps the units of an interval: `day`, `day to hour`, `year to month`, …
/// Without it a day-time interval is DAY TO SECOND and a year-month interval YEAR TO MONTH.
pub const INTERVAL_UNITS_KEY: &str = "lakelet.interval";

const MICROS_PER_SECOND: u128 = 1_000_000;

/// One unit of an interval, largest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IntervalUnit {
    /// Twelve months.
    Year,
    /// The smaller unit of year-month intervals.
    Month,
    /// 24 hours.
    Day,
    /// 60 minutes.
    Hour,
    /// 60 seconds.
    Minute,
    /// With up to six digits of fraction.
    Second,
}

impl IntervalUnit {
    const ALL: [Self; 6] = [Self::Year, Self::Month, Self::Day, Self::Hour, Self::Minute, Self::Second];

    /// The unit's name in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Year => "year",
            Self::Month => "month",
            Self::Day => "day",
            Self::Hour => "hour",
            Self::Minute => "minute",
            Self::Second => "second",
        }
    }

    fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|unit| unit.name().eq_ignore_ascii_case(text))
    }

    fn is_year_month(self) -> bool {
        self <= Self::Month
    }
}

/// The largest and the smallest unit of an interval type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct IntervalUnits {
    /// The largest unit.
    pub start: IntervalUnit,
    /// The smallest unit, equal to `start` for an interval of one unit.
    pub end: IntervalUnit,
}

impl IntervalUnits {
    /// YEAR TO MONTH.
    pub const YEAR_TO_MONTH: Self = Self { start: IntervalUnit::Year, end: IntervalUnit::Month };
    /// DAY TO SECOND.
    pub const DAY_TO_SECOND: Self = Self { start: IntervalUnit::Day, end: IntervalUnit::Second };

    /// Reads `day`, `Day to second`, …; `None` for what is no such pair.
    pub fn parse(text: &str) -> Option<Self> {
        let words: Vec<&str> = text.split_ascii_whitespace().collect();
        let (start, end) = match words.as_slice() {
            [one] => (IntervalUnit::parse(one)?, IntervalUnit::parse(one)?),
            [start, to, end] if to.eq_ignore_ascii_case("to") => {
                (IntervalUnit::parse(start)?, IntervalUnit::parse(end)?)
            }
            _ => return None,
        };
        (start <= end && start.is_year_month() == end.is_year_month()).then_some(Self { start, end })
    }

    /// Whether this is a year-month interval; else it is a day-time interval.
    pub fn is_year_month(self) -> bool {
        self.start.is_year_month()
    }

    /// `day to second`, or `day` for a single unit.
    pub fn name(self) -> String {
        if self.start == self.end {
            self.start.name().to_owned()
        } else {
            format!("{} to {}", self.start.name(), self.end.name())
        }
    }

    fn literal(self, sign: &str, value: &str) -> String {
        format!("INTERVAL '{sign}{value}' {}", self.name().to_uppercase())
    }
}

/// The units that a field's metadata name, if any.
pub fn interval_units(field: &Field) -> Option<IntervalUnits> {
    field.metadata().get(INTERVAL_UNITS_KEY).and_then(|text| IntervalUnits::parse(text))
}

/// `INTERVAL '1-3' YEAR TO MONTH`.
pub(crate) fn year_month_text(months: i32, units: Option<IntervalUnits>) -> String {
    let units = units.filter(|units| units.is_year_month()).unwrap_or(IntervalUnits::YEAR_TO_MONTH);
    let total = months.unsigned_abs();
    let value = match (units.start, units.end) {
        (IntervalUnit::Year, IntervalUnit::Year) => (total / 12).to_string(),
        (IntervalUnit::Month, _) => total.to_string(),
        _ => format!("{}-{}", total / 12, total % 12),
    };
    units.literal(if months < 0 { "-" } else { "" }, &value)
}

/// `INTERVAL '1 02:03:04.5' DAY TO SECOND`. The first unit after the day and every later one has two digits.
pub(crate) fn day_time_text(micros: i64, units: Option<IntervalUnits>) -> String {
    let units = units.filter(|units| !units.is_year_month()).unwrap_or(IntervalUnits::DAY_TO_SECOND);
    let total = u128::from(micros.unsigned_abs());
    let (minute, hour, day) = (60 * MICROS_PER_SECOND, 3_600 * MICROS_PER_SECOND, 86_400 * MICROS_PER_SECOND);
    let mut value = String::new();
    let mut rest = total;
    for (unit, micros_per_unit) in [
        (IntervalUnit::Day, day),
        (IntervalUnit::Hour, hour),
        (IntervalUnit::Minute, minute),
        (IntervalUnit::Second, MICROS_PER_SECOND),
    ] {
        if unit < units.start || unit > units.end {
            continue;
        }
        let count = rest / micros_per_unit;
        rest %= micros_per_unit;
        match unit {
            IntervalUnit::Day => value.push_str(&count.to_string()),
            _ => {
                if unit != units.start {
                    value.push(if unit == IntervalUnit::Hour { ' ' } else { ':' });
                }
                value.push_str(&format!("{count:02}"));
            }
        }
        if unit == IntervalUnit::Second && rest != 0 {
            value.push_str(format!(".{rest:06}").trim_end_matches('0'));
        }
    }
    units.literal(if micros < 0 { "-" } else { "" }, &value)
}

/// Spark's text of the old calendar interval: `1 years 2 months 3 days 4 hours 5 minutes 6.5 seconds`.
pub(crate) fn calendar_text(months: i32, days: i32, nanos: i64) -> String {
    let mut parts = Vec::new();
    let mut push = |count: i64, unit: &str| {
        if count != 0 {
            parts.push(format!("{count} {unit}"));
        }
    };
    push(i64::from(months / 12), "years");
    push(i64::from(months % 12), "months");
    push(i64::from(days), "days");
    let micros = nanos / 1_000;
    push(micros / 3_600_000_000, "hours");
    push(micros / 60_000_000 % 60, "minutes");
    let seconds = micros % 60_000_000;
    if seconds != 0 {
        let whole = seconds.unsigned_abs() / 1_000_000;
        let fraction = format!(".{:06}", seconds.unsigned_abs() % 1_000_000);
        let fraction = fraction.trim_end_matches('0').trim_end_matches('.');
        parts.push(format!("{}{whole}{fraction} seconds", if seconds < 0 { "-" } else { "" }));
    }
    if parts.is_empty() { "0 seconds".to_owned() } else { parts.join(" ") }
}
