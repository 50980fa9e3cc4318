//! SCHEDULE REFRESH EVERY n unit, and SCHEDULE REFRESH CRON.

use lakelet_base::{Diagnostic, ErrorClass, Result, TableName, Timestamp};
use lakelet_cron::{CronError, QuartzCron};
use lakelet_store::{Store, TableId, Transaction};
use lakelet_syntax::statement::{IntervalUnit, Schedule};

use crate::definition::{CronDefinition, Definition, ScheduleDefinition, definitions};
use crate::freshness::sources;
use crate::micros;

const MICROS_PER_MINUTE: i64 = 60_000_000;

/// A refresh that a schedule asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueRefresh {
    /// When.
    pub at: Timestamp,
    /// The table.
    pub table: TableId,
    /// Its name.
    pub name: TableName,
}

impl ScheduleDefinition {
    /// A schedule that counts from `now`.
    ///
    /// # Errors
    /// LAKELET_INVALID_CRON or INVALID_TIMEZONE.
    pub(crate) fn new(schedule: &Schedule, now: Timestamp) -> Result<Self> {
        match schedule {
            Schedule::Every { count, unit } => {
                let (minutes, word) = match unit {
                    IntervalUnit::Minute => (1, "minute"),
                    IntervalUnit::Hour => (60, "hour"),
                    IntervalUnit::Day => (24 * 60, "day"),
                    IntervalUnit::Week => (7 * 24 * 60, "week"),
                };
                let plural = if *count == 1 { "" } else { "s" };
                Ok(Self {
                    every_minutes: u64::from(*count).saturating_mul(minutes).max(1),
                    cron: None,
                    text: format!("every {count} {word}{plural}"),
                    anchor: micros(now),
                    served_until: micros(now),
                })
            }
            Schedule::Cron { expression, time_zone } => {
                let time_zone = time_zone.as_deref().unwrap_or("UTC");
                QuartzCron::new(expression, time_zone).map_err(|error| bad_cron(&error))?;
                Ok(Self {
                    every_minutes: 0,
                    cron: Some(CronDefinition { expression: expression.clone(), time_zone: time_zone.to_owned() }),
                    text: format!("cron '{expression}' in {time_zone}"),
                    anchor: micros(now),
                    served_until: micros(now),
                })
            }
        }
    }

    /// The first instant after `served_until` at which it is due; `None` for a cron expression that has no more.
    fn next(&self) -> Result<Option<Timestamp>> {
        if let Some(CronDefinition { expression, time_zone }) = &self.cron {
            let cron = QuartzCron::new(expression, time_zone).map_err(|error| bad_cron(&error))?;
            return Ok(cron.next_after(Timestamp(self.served_until)));
        }
        let every = i64::try_from(self.every_minutes).unwrap_or(i64::MAX).saturating_mul(MICROS_PER_MINUTE);
        let n_served = self.served_until.saturating_sub(self.anchor).max(0) / every;
        Ok(Some(Timestamp(self.anchor.saturating_add(every.saturating_mul(n_served + 1)))))
    }
}

fn bad_cron(error: &CronError) -> Box<Diagnostic> {
    match error {
        CronError::Expression { .. } => Box::new(
            Diagnostic::new(ErrorClass::new("LAKELET_INVALID_CRON", "22023"), error.to_string())
                .hint("Each day at 9 is '0 0 9 * * ?': seconds, minutes, hours, day of month, month, day of week."),
        ),
        CronError::TimeZone(_) => {
            Box::new(Diagnostic::new(ErrorClass::new("INVALID_TIMEZONE", "22009"), error.to_string()))
        }
    }
}

/// The schedule in words, if there is one.
pub fn schedule_text(definition: &Definition) -> Option<String> {
    definition.schedule.as_ref().map(|schedule| schedule.text.clone())
}

/// The next refresh that is due; among several at one instant the one furthest upstream.
///
/// # Errors
/// INTERNAL_ERROR when a document cannot be read.
pub fn next_due(store: &Store) -> Result<Option<DueRefresh>> {
    Ok(due_in_order(store)?.into_iter().next())
}

fn due_in_order(store: &Store) -> Result<Vec<DueRefresh>> {
    let all = definitions(store)?;
    let mut due: Vec<(Timestamp, usize, DueRefresh)> = Vec::new();
    for definition in &all {
        let (Some(schedule), Some(table)) = (&definition.schedule, store.table_by_id(definition.table)) else {
            continue;
        };
        let Some(at) = schedule.next()? else { continue };
        let depth = depth(store, definition, &all, 0)?;
        due.push((at, depth, DueRefresh { at, table: definition.table, name: table.name.clone() }));
    }
    due.sort_by_key(|(at, depth, due)| (*at, *depth, due.table));
    Ok(due.into_iter().map(|(_, _, due)| due).collect())
}

/// How many pipeline tables stand upstream, along the longest way.
fn depth(store: &Store, definition: &Definition, all: &[Definition], guard: usize) -> Result<usize> {
    if guard > all.len() {
        return Ok(guard);
    }
    let mut deepest = 0;
    for source in sources(store, definition)? {
        if let Some(upstream) = all.iter().find(|other| other.table == source.id && other.table != definition.table) {
            deepest = deepest.max(1 + depth(store, upstream, all, guard + 1)?);
        }
    }
    Ok(deepest)
}

/// Every refresh that is due until `until`, in the order it would run; at most `limit`.
///
/// # Errors
/// INTERNAL_ERROR when a document cannot be read.
pub fn due_until(store: &Store, until: Timestamp, limit: usize) -> Result<Vec<DueRefresh>> {
    let all = definitions(store)?;
    let mut due = Vec::new();
    for definition in &all {
        let (Some(schedule), Some(table)) = (&definition.schedule, store.table_by_id(definition.table)) else {
            continue;
        };
        let depth = depth(store, definition, &all, 0)?;
        let mut schedule = schedule.clone();
        let n_before = due.len();
        while let Some(at) = schedule.next()?.filter(|at| *at <= until)
            && due.len() - n_before <= limit
        {
            due.push((at, depth, DueRefresh { at, table: definition.table, name: table.name.clone() }));
            schedule.served_until = at.0;
        }
    }
    due.sort_by_key(|(at, depth, due)| (*at, *depth, due.table));
    due.truncate(limit);
    Ok(due.into_iter().map(|(_, _, due)| due).collect())
}

/// Marks all schedules as served until an instant, without refreshing anything.
///
/// # Errors
/// INTERNAL_ERROR when a document cannot be read.
pub fn skip_schedules(store: &Store, until: Timestamp, transaction: &mut Transaction) -> Result<()> {
    for mut definition in definitions(store)? {
        if let Some(schedule) = &mut definition.schedule
            && schedule.served_until < until.0
        {
            schedule.served_until = until.0;
            definition.save(transaction)?;
        }
    }
    Ok(())
}
