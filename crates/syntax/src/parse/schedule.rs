//! SCHEDULE [REFRESH] EVERY n unit, SCHEDULE [REFRESH] CRON '…'.

use lakelet_base::{Diagnostic, ErrorClass};

use super::cursor::{Cursor, Result};
use crate::statement::{IntervalUnit, Schedule};

/// After SCHEDULE.
pub(super) fn schedule(cursor: &mut Cursor<'_>) -> Result<Schedule> {
    cursor.eat(&["REFRESH"]);
    if cursor.eat(&["CRON"]) {
        let expression = cursor.string("the cron expression in quotes")?;
        let time_zone =
            if cursor.eat(&["AT", "TIME", "ZONE"]) { Some(cursor.string("the time zone in quotes")?) } else { None };
        return Ok(Schedule::Cron { expression, time_zone });
    }
    if !cursor.eat(&["EVERY"]) {
        return Err(cursor.unexpected(Some("EVERY 1 DAY, or CRON '…'")));
    }
    let span = cursor.span();
    let count = u32::try_from(cursor.integer("a number, as in EVERY 1 DAY")?).unwrap_or(u32::MAX);
    let unit = unit(cursor)?;
    if count == 0 {
        return Err(Box::new(
            Diagnostic::new(
                ErrorClass::PARSE_SYNTAX_ERROR,
                "Syntax error at or near '0': EVERY takes a number from 1 on.",
            )
            .at(span),
        ));
    }
    Ok(Schedule::Every { count, unit })
}

fn unit(cursor: &mut Cursor<'_>) -> Result<IntervalUnit> {
    const UNITS: [(&str, &str, IntervalUnit); 4] = [
        ("MINUTE", "MINUTES", IntervalUnit::Minute),
        ("HOUR", "HOURS", IntervalUnit::Hour),
        ("DAY", "DAYS", IntervalUnit::Day),
        ("WEEK", "WEEKS", IntervalUnit::Week),
    ];
    for (one, many, unit) in UNITS {
        if cursor.eat(&[one]) || cursor.eat(&[many]) {
            return Ok(unit);
        }
    }
    Err(cursor.unexpected(Some("MINUTES, HOURS, DAYS or WEEKS")))
}
