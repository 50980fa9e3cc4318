//! What starts a job by itself. The settings are checked here; the host keeps the clock.

use crate::problem::ProblemKind;
use crate::read::{Fields, Reader};

/// Least waiting times of file and table triggers, in seconds.
const WAIT_SECONDS_MIN: i64 = 60;
/// Most tables of one table trigger.
const TABLES_MAX: usize = 10;

pub(super) fn check(fields: &Fields<'_>, reader: &mut Reader<'_>) {
    if fields.has("schedule") && fields.has("continuous") {
        let message = "A job is continuous or has a schedule, not both.";
        reader.error(ProblemKind::ScheduleAndContinuous, "continuous", message);
    }
    if let Some(schedule) = fields.object("schedule", reader) {
        schedule.required_text("quartz_cron_expression", reader);
        schedule.required_text("timezone_id", reader);
        check_pause_status(&schedule, reader);
    }
    if let Some(continuous) = fields.object("continuous", reader) {
        check_pause_status(&continuous, reader);
        check_word(&continuous, "task_retry_mode", &["NEVER", "ON_FAILURE"], reader);
    }
    if let Some(trigger) = fields.object("trigger", reader) {
        check_trigger(&trigger, reader);
    }
    let older: Vec<&str> = ["schedule", "trigger", "continuous"].into_iter().filter(|key| fields.has(key)).collect();
    if fields.has("triggers") && !older.is_empty() {
        let message = format!("'triggers' cannot stand beside {}.", older.join(" and "));
        reader.error(ProblemKind::TriggersWithLegacyTrigger, "triggers", message);
    }
    for trigger in fields.objects("triggers", reader) {
        check_trigger(&trigger, reader);
    }
}

fn check_trigger(trigger: &Fields<'_>, reader: &mut Reader<'_>) {
    check_pause_status(trigger, reader);
    if let Some(periodic) = trigger.object("periodic", reader) {
        periodic.required("interval", reader);
        periodic.integer_from("interval", 1, reader);
        periodic.required("unit", reader);
        check_word(&periodic, "unit", &["MINUTES", "HOURS", "DAYS", "WEEKS"], reader);
    }
    if let Some(arrival) = trigger.object("file_arrival", reader) {
        let url = arrival.required_text("url", reader);
        if !url.is_empty() && (!url.ends_with('/') || url.contains('*')) {
            let message = format!("'{url}' must be a folder: end it with '/' and use no wildcards.");
            reader.error(ProblemKind::BadUrl, arrival.at("url"), message);
        }
        check_waits(&arrival, reader);
    }
    if let Some(update) = trigger.object("table_update", reader) {
        check_table_update(&update, reader);
    }
}

fn check_table_update(update: &Fields<'_>, reader: &mut Reader<'_>) {
    if update.required("table_names", reader).is_some() {
        let names = update.list("table_names", reader);
        if names.is_empty() || names.len() > TABLES_MAX {
            let message = format!("A table trigger watches 1 to {TABLES_MAX} tables, not {}.", names.len());
            reader.error(ProblemKind::TableNamesCount, update.at("table_names"), message);
        }
        for (name, at) in names {
            if !name.as_str().is_some_and(has_three_parts) {
                let message = format!("{name} must be a full name: catalog.schema.table.");
                reader.error(ProblemKind::BadTableName, at, message);
            }
        }
    }
    check_word(update, "condition", &["ANY_UPDATED", "ALL_UPDATED"], reader);
    check_waits(update, reader);
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

fn check_waits(fields: &Fields<'_>, reader: &mut Reader<'_>) {
    for key in ["min_time_between_triggers_seconds", "wait_after_last_change_seconds"] {
        fields.integer_from(key, WAIT_SECONDS_MIN, reader);
    }
}

fn check_pause_status(fields: &Fields<'_>, reader: &mut Reader<'_>) {
    check_word(fields, "pause_status", &["PAUSED", "UNPAUSED"], reader);
}

fn check_word(fields: &Fields<'_>, key: &str, words: &[&str], reader: &mut Reader<'_>) {
    let choices: Vec<(&str, ())> = words.iter().map(|word| (*word, ())).collect();
    fields.choice(key, &choices, reader);
}
