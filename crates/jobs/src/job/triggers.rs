//! What starts a job by itself. The settings are read here; the host keeps the clock.

use std::fmt;

use lakelet_base::Timestamp;
use lakelet_cron::{CronError, QuartzCron};
use serde::{Deserialize, Serialize};

use crate::problem::ProblemKind;
use crate::read::{Fields, Reader};

/// Least waiting times of file and table triggers, in seconds.
const WAIT_SECONDS_MIN: i64 = 60;
/// Most tables of one table trigger.
const TABLES_MAX: usize = 10;

const MICROS_PER_MINUTE: i64 = 60_000_000;
/// Units of periodic triggers, in minutes.
const UNITS: &[(&str, u64)] = &[("MINUTES", 1), ("HOURS", 60), ("DAYS", 24 * 60), ("WEEKS", 7 * 24 * 60)];

/// What starts a job by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "on", rename_all = "snake_case")]
pub enum JobTrigger {
    /// The instants of a Quartz cron expression.
    Cron {
        /// Such as `0 0 9 * * ?`.
        expression: String,
        /// Its IANA name.
        time_zone: String,
    },
    /// Every so many minutes.
    Periodic {
        /// At least 1.
        minutes: u64,
    },
    /// New versions of tables.
    TableUpdate(TableUpdateTrigger),
    /// Something that Lakelet does not watch; it starts nothing.
    Unwatched {
        /// Where it stands in the settings, such as `trigger.file_arrival`.
        path: String,
    },
}

/// A trigger that watches tables.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableUpdateTrigger {
    /// Their full names.
    pub tables: Vec<String>,
    /// Whether each of them has to change before a run, or any.
    pub all: bool,
    /// Least seconds from one run to the next.
    pub between_seconds: i64,
    /// Seconds that have to pass after the last change.
    pub quiet_seconds: i64,
}

impl fmt::Display for JobTrigger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cron { expression, time_zone } => write!(f, "cron '{expression}' in {time_zone}"),
            Self::Periodic { minutes } => {
                let unit = UNITS.iter().rev().find(|(_, size)| minutes % size == 0);
                let (word, size) = unit.map_or(("MINUTES", 1), |(word, size)| (*word, *size));
                let (n, words) = (minutes / size, word.to_lowercase());
                let word = if n == 1 { words.trim_end_matches('s') } else { &words };
                write!(f, "every {n} {word}")
            }
            Self::TableUpdate(TableUpdateTrigger { tables, all, .. }) => {
                let (first, verb) = match (tables.len(), all) {
                    (1, _) => ("when", "changes"),
                    (_, true) => ("when all of", "have changed"),
                    (_, false) => ("when any of", "changes"),
                };
                write!(f, "{first} {} {verb}", tables.join(", "))
            }
            Self::Unwatched { path } => write!(f, "{path}, which Lakelet does not watch"),
        }
    }
}

impl JobTrigger {
    /// The first instant after `served_until` at which the clock starts a run. A periodic trigger counts from `anchor`.
    /// `None` where the clock starts none: for an expression without further instants, and for what is no schedule.
    ///
    /// # Errors
    /// The expression or the time zone is none.
    pub fn next_after(&self, anchor: Timestamp, served_until: Timestamp) -> Result<Option<Timestamp>, CronError> {
        match self {
            Self::Cron { expression, time_zone } => {
                Ok(QuartzCron::new(expression, time_zone)?.next_after(served_until))
            }
            Self::Periodic { minutes } => {
                let every = i64::try_from(*minutes).unwrap_or(i64::MAX).max(1).saturating_mul(MICROS_PER_MINUTE);
                let n_served = served_until.0.saturating_sub(anchor.0).max(0) / every;
                Ok(Some(Timestamp(anchor.0.saturating_add(every.saturating_mul(n_served + 1)))))
            }
            Self::TableUpdate(_) | Self::Unwatched { .. } => Ok(None),
        }
    }
}

/// Reads the triggers that are not paused.
pub(super) fn read(fields: &Fields<'_>, reader: &mut Reader<'_>) -> Vec<JobTrigger> {
    let mut triggers = Vec::new();
    if fields.has("schedule") && fields.has("continuous") {
        let message = "A job is continuous or has a schedule, not both.";
        reader.error(ProblemKind::ScheduleAndContinuous, "continuous", message);
    }
    if let Some(schedule) = fields.object("schedule", reader) {
        let cron = read_cron(&schedule, reader);
        if !is_paused(&schedule, reader) {
            triggers.extend(unwatched(&schedule, &["sql_condition"]).or(cron));
        }
    }
    if let Some(continuous) = fields.object("continuous", reader) {
        check_word(&continuous, "task_retry_mode", &["NEVER", "ON_FAILURE"], reader);
        if !is_paused(&continuous, reader) {
            triggers.push(JobTrigger::Unwatched { path: "continuous".to_owned() });
        }
    }
    if let Some(trigger) = fields.object("trigger", reader) {
        triggers.extend(read_trigger(&trigger, reader));
    }
    let older: Vec<&str> = ["schedule", "trigger", "continuous"].into_iter().filter(|key| fields.has(key)).collect();
    if fields.has("triggers") && !older.is_empty() {
        let message = format!("'triggers' cannot stand beside {}.", older.join(" and "));
        reader.error(ProblemKind::TriggersWithLegacyTrigger, "triggers", message);
    }
    for trigger in fields.objects("triggers", reader) {
        triggers.extend(read_trigger(&trigger, reader));
    }
    triggers
}

fn read_cron(schedule: &Fields<'_>, reader: &mut Reader<'_>) -> Option<JobTrigger> {
    let expression = schedule.required_text("quartz_cron_expression", reader);
    let time_zone = schedule.required_text("timezone_id", reader);
    // What is missing is told already; a variable of the bundle gets its value elsewhere.
    if expression.is_empty() || time_zone.is_empty() || expression.contains("${") || time_zone.contains("${") {
        return None;
    }
    match QuartzCron::new(&expression, &time_zone) {
        Ok(_) => return Some(JobTrigger::Cron { expression, time_zone }),
        Err(error @ CronError::TimeZone(_)) => {
            reader.error(ProblemKind::BadTimeZone, schedule.at("timezone_id"), error.to_string());
        }
        Err(error) => {
            reader.error(ProblemKind::BadCron, schedule.at("quartz_cron_expression"), error.to_string());
        }
    }
    None
}

/// The first of `keys` that a trigger has.
fn unwatched(trigger: &Fields<'_>, keys: &[&str]) -> Option<JobTrigger> {
    let key = keys.iter().find(|key| trigger.get(key).is_some_and(|value| !value.is_null()))?;
    Some(JobTrigger::Unwatched { path: trigger.at(key) })
}

fn read_trigger(trigger: &Fields<'_>, reader: &mut Reader<'_>) -> Option<JobTrigger> {
    let is_paused = is_paused(trigger, reader);
    let mut found = None;
    if let Some(periodic) = trigger.object("periodic", reader) {
        periodic.required("interval", reader);
        periodic.required("unit", reader);
        let interval = periodic.integer_from("interval", 1, reader);
        let minutes = periodic.choice("unit", UNITS, reader);
        let minutes = interval.and_then(|interval| u64::try_from(interval).ok()?.checked_mul(minutes?));
        found = minutes.filter(|minutes| *minutes > 0).map(|minutes| JobTrigger::Periodic { minutes });
    }
    if let Some(arrival) = trigger.object("file_arrival", reader) {
        let url = arrival.required_text("url", reader);
        if !url.is_empty() && (!url.ends_with('/') || url.contains('*')) {
            let message = format!("'{url}' must be a folder: end it with '/' and use no wildcards.");
            reader.error(ProblemKind::BadUrl, arrival.at("url"), message);
        }
        read_waits(&arrival, reader);
    }
    if let Some(update) = trigger.object("table_update", reader) {
        found = Some(JobTrigger::TableUpdate(read_table_update(&update, reader)));
    }
    let found = unwatched(trigger, &["sql_condition", "file_arrival", "model"]).or(found);
    found.filter(|_| !is_paused)
}

fn read_table_update(update: &Fields<'_>, reader: &mut Reader<'_>) -> TableUpdateTrigger {
    let mut tables = Vec::new();
    if update.required("table_names", reader).is_some() {
        let names = update.list("table_names", reader);
        if names.is_empty() || names.len() > TABLES_MAX {
            let message = format!("A table trigger watches 1 to {TABLES_MAX} tables, not {}.", names.len());
            reader.error(ProblemKind::TableNamesCount, update.at("table_names"), message);
        }
        for (name, at) in names {
            match name.as_str().filter(|name| has_three_parts(name)) {
                Some(name) => tables.push(name.to_owned()),
                None => {
                    let message = format!("{name} must be a full name: catalog.schema.table.");
                    reader.error(ProblemKind::BadTableName, at, message);
                }
            }
        }
    }
    let all = update.choice("condition", &[("ANY_UPDATED", false), ("ALL_UPDATED", true)], reader).unwrap_or(false);
    let [between_seconds, quiet_seconds] = read_waits(update, reader);
    TableUpdateTrigger { tables, all, between_seconds, quiet_seconds }
}

/// Whether `name` is `catalog.schema.table`; parts in back-ticks may hold dots.
fn has_three_parts(name: &str) -> bool {
    let mut n_parts = 0;
    let mut rest = name;
    loop {
        let after = if let Some(quoted) = rest.strip_prefix('`') {
            quoted.split_once('`').filter(|(part, _)| !part.is_empty()).map(|(_, after)| after)
        } else {
            let end = rest.find('.').unwrap_or(rest.len());
            (end > 0).then(|| &rest[end..])
        };
        let Some(after) = after else {
            return false;
        };
        n_parts += 1;
        match after.strip_prefix('.') {
            Some(next) => rest = next,
            None => return n_parts == 3 && after.is_empty(),
        }
    }
}

/// Seconds from one run to the next, and after the last change.
fn read_waits(fields: &Fields<'_>, reader: &mut Reader<'_>) -> [i64; 2] {
    ["min_time_between_triggers_seconds", "wait_after_last_change_seconds"]
        .map(|key| fields.integer_from(key, WAIT_SECONDS_MIN, reader).unwrap_or(0))
}

fn is_paused(fields: &Fields<'_>, reader: &mut Reader<'_>) -> bool {
    fields.choice("pause_status", &[("PAUSED", true), ("UNPAUSED", false)], reader).unwrap_or(false)
}

fn check_word(fields: &Fields<'_>, key: &str, words: &[&str], reader: &mut Reader<'_>) {
    let choices: Vec<(&str, ())> = words.iter().map(|word| (*word, ())).collect();
    fields.choice(key, &choices, reader);
}
