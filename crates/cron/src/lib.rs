//! Quartz cron expressions in a time zone: what Databricks' schedules of jobs and tables are written in.
//!
//! Fields are seconds, minutes, hours, day of month, month, day of week and, if there is a seventh, year. One of the two
//! day fields is `?`; days of the week count from 1, Sunday. The language itself is read by `croner`; what Quartz refuses
//! and `croner` takes is refused here.

use std::fmt;

use chrono::{DateTime, TimeZone, Utc};
use chrono_tz::Tz;
use croner::parser::{CronParser, Seconds, Year};
use lakelet_base::Timestamp;

#[cfg(test)]
mod tests;

/// Most characters of an expression.
pub const EXPRESSION_CHARS_MAX: usize = 200;

/// Why a schedule is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CronError {
    /// The expression, and what is wrong with it.
    Expression {
        /// As it was written.
        expression: String,
        /// A sentence.
        reason: String,
    },
    /// A time zone that is not known.
    TimeZone(String),
}

impl fmt::Display for CronError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Expression { expression, reason } => {
                write!(f, "'{expression}' is no Quartz cron expression: {reason}")
            }
            Self::TimeZone(zone) => {
                write!(f, "'{zone}' is no known time zone. Write UTC or a region, such as Europe/Lisbon.")
            }
        }
    }
}

impl std::error::Error for CronError {}

/// Instants that repeat by the wall clock of a time zone.
#[derive(Debug, Clone)]
pub struct QuartzCron {
    cron: croner::Cron,
    zone: Tz,
}

impl QuartzCron {
    /// Reads an expression, such as `0 30 9 ? * MON-FRI`, and a time zone by its IANA name.
    ///
    /// # Errors
    /// [`CronError`]
    pub fn new(expression: &str, time_zone: &str) -> Result<Self, CronError> {
        let wrong = |reason: String| {
            let shown: String = expression.chars().take(EXPRESSION_CHARS_MAX).collect();
            CronError::Expression { expression: shown, reason }
        };
        let zone = time_zone.trim().parse().map_err(|_| CronError::TimeZone(time_zone.to_owned()))?;
        if expression.chars().count() > EXPRESSION_CHARS_MAX {
            return Err(wrong(format!("it has more than {EXPRESSION_CHARS_MAX} characters.")));
        }
        let fields: Vec<&str> = expression.split_whitespace().collect();
        let [_, _, _, day_of_month, _, day_of_week] = fields.get(..6).unwrap_or_default() else {
            return Err(wrong(format!(
                "it has {} of 6 or 7 fields: seconds, minutes, hours, day of month, month, day of week, year.",
                fields.len()
            )));
        };
        match (*day_of_month, *day_of_week) {
            ("?", "?") => return Err(wrong("only one of day of month and day of week can be '?'.".to_owned())),
            ("?", _) | (_, "?") => {}
            _ => return Err(wrong("one of day of month and day of week must be '?'.".to_owned())),
        }
        let elsewhere = fields.iter().enumerate().any(|(index, field)| index != 3 && index != 5 && field.contains('?'));
        if elsewhere || expression.contains('@') {
            return Err(wrong("'?' stands for a day of month or a day of week as a whole.".to_owned()));
        }
        let parser = CronParser::builder()
            .seconds(Seconds::Required)
            .year(Year::Optional)
            .dom_and_dow(true)
            .alternative_weekdays(true)
            .sloppy_ranges(true)
            .build();
        let cron = parser.parse(&fields.join(" ")).map_err(|error| wrong(format!("{error}")))?;
        Ok(Self { cron, zone })
    }

    /// The first instant after `instant`; `None` where there is none any more.
    ///
    /// A wall clock time that is skipped in spring counts at the end of the gap, one that comes twice in autumn counts
    /// the first time.
    pub fn next_after(&self, instant: Timestamp) -> Option<Timestamp> {
        let utc: DateTime<Utc> = DateTime::from_timestamp_micros(instant.0)?;
        let next = self.cron.find_next_occurrence(&self.zone.from_utc_datetime(&utc.naive_utc()), false).ok()?;
        Some(Timestamp(next.timestamp_micros())).filter(|next| *next > instant)
    }
}
