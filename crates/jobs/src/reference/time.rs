//! Parts of an instant, as references name them. All are in UTC.

use lakelet_base::Timestamp;

/// A part of an instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimePart {
    /// 1 for Monday to 7 for Sunday.
    IsoWeekday,
    /// `true` from Monday to Friday.
    IsWeekday,
    /// `2026-03-01`
    IsoDate,
    /// `2026-03-01T05:04:05Z`
    IsoDatetime,
    /// `2026`
    Year,
    /// `3`, not padded.
    Month,
    /// `1`, not padded.
    Day,
    /// `5`, not padded.
    Hour,
    /// `4`, not padded.
    Minute,
    /// `5`, not padded.
    Second,
    /// Milliseconds since 1970.
    TimestampMs,
}

const NAMES: &[(&str, TimePart)] = &[
    ("iso_weekday", TimePart::IsoWeekday),
    ("is_weekday", TimePart::IsWeekday),
    ("iso_date", TimePart::IsoDate),
    ("iso_datetime", TimePart::IsoDatetime),
    ("year", TimePart::Year),
    ("month", TimePart::Month),
    ("day", TimePart::Day),
    ("hour", TimePart::Hour),
    ("minute", TimePart::Minute),
    ("second", TimePart::Second),
    ("timestamp_ms", TimePart::TimestampMs),
];

impl TimePart {
    /// The part of a name in a reference.
    pub fn from_name(name: &str) -> Option<Self> {
        NAMES.iter().find(|(known, _)| *known == name).map(|(_, part)| *part)
    }

    /// All names, for messages.
    pub(super) fn names() -> String {
        NAMES.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
    }

    /// The part of `instant` as text.
    pub fn text_of(self, instant: Timestamp) -> String {
        let (year, month, day) = instant.date();
        let (hour, minute, second) = instant.time_of_day();
        // 1970-01-01 was a Thursday, the fourth day of its week.
        let weekday = (instant.days() + 3).rem_euclid(7) + 1;
        match self {
            Self::IsoWeekday => weekday.to_string(),
            Self::IsWeekday => (weekday <= 5).to_string(),
            Self::IsoDate => format!("{year:04}-{month:02}-{day:02}"),
            Self::IsoDatetime => format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z"),
            Self::Year => year.to_string(),
            Self::Month => month.to_string(),
            Self::Day => day.to_string(),
            Self::Hour => hour.to_string(),
            Self::Minute => minute.to_string(),
            Self::Second => second.to_string(),
            Self::TimestampMs => instant.millis().to_string(),
        }
    }
}
