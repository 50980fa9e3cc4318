//! What starts a job by itself, read from its settings and written back without losing what the form does not know.

use serde_json::{Map, Value, json};

#[cfg(test)]
mod tests;

/// Units of a period: the word of the settings.
pub const UNITS: [&str; 4] = ["MINUTES", "HOURS", "DAYS", "WEEKS"];
const KEYS: [&str; 4] = ["schedule", "trigger", "triggers", "continuous"];

/// What kind of thing starts the job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TriggerKind {
    /// Nothing does.
    #[default]
    None,
    /// A Quartz cron expression.
    Cron,
    /// Every so many units.
    Periodic,
    /// New versions of tables.
    Tables,
    /// Something that only the JSON shows.
    Other,
}

/// The fields of the form. Those of other kinds keep what was typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScheduleForm {
    /// Kind.
    pub kind: TriggerKind,
    /// Quartz cron expression.
    pub expression: String,
    /// IANA name of a time zone.
    pub time_zone: String,
    /// A whole number, as it is typed.
    pub interval: String,
    /// One of [`UNITS`].
    pub unit: String,
    /// Full names of tables, one a line.
    pub tables: String,
    /// All of them have to change.
    pub all: bool,
    /// Starts nothing for now.
    pub paused: bool,
}

impl Default for ScheduleForm {
    fn default() -> Self {
        Self {
            kind: TriggerKind::None,
            expression: "0 0 9 * * ?".to_owned(),
            time_zone: "UTC".to_owned(),
            interval: "1".to_owned(),
            unit: "DAYS".to_owned(),
            tables: String::new(),
            all: false,
            paused: false,
        }
    }
}

impl ScheduleForm {
    /// What the settings of a job say.
    pub fn read(settings: &Value) -> Self {
        let form = Self::default();
        let present: Vec<&str> =
            KEYS.into_iter().filter(|key| settings.get(key).is_some_and(|value| !value.is_null())).collect();
        let [key] = present.as_slice() else {
            let kind = if present.is_empty() { TriggerKind::None } else { TriggerKind::Other };
            return Self { kind, ..form };
        };
        let value = settings.get(key).unwrap_or(&Value::Null);
        let form = Self { kind: TriggerKind::Other, paused: text(value, "pause_status") == "PAUSED", ..form };
        if *key == "schedule" {
            let (expression, time_zone) = (text(value, "quartz_cron_expression"), text(value, "timezone_id"));
            return Self { kind: TriggerKind::Cron, expression, time_zone, ..form };
        }
        let is_only = |other: &str| value.get(other).is_none_or(Value::is_null);
        let (periodic, update) = (value.get("periodic"), value.get("table_update"));
        match (periodic, update) {
            (Some(periodic), None) if *key == "trigger" && is_only("file_arrival") && is_only("model") => {
                let interval = periodic.get("interval").map(Value::to_string).unwrap_or_default();
                Self { kind: TriggerKind::Periodic, interval, unit: text(periodic, "unit"), ..form }
            }
            (None, Some(update)) if *key == "trigger" && is_only("file_arrival") && is_only("model") => {
                let names = update.get("table_names").and_then(Value::as_array).into_iter().flatten();
                let names: Vec<&str> = names.filter_map(Value::as_str).collect();
                let all = text(update, "condition") == "ALL_UPDATED";
                Self { kind: TriggerKind::Tables, tables: names.join("\n"), all, ..form }
            }
            _ => form,
        }
    }

    /// The settings with what the form says. Settings of the same kind keep what the form does not know.
    pub fn write(&self, settings: &Value) -> Value {
        let mut settings = settings.clone();
        let Some(job) = settings.as_object_mut() else { return settings };
        if self.kind == TriggerKind::Other {
            return settings;
        }
        let (key, inner) = match self.kind {
            TriggerKind::Cron => ("schedule", None),
            TriggerKind::Periodic => ("trigger", Some("periodic")),
            TriggerKind::Tables => ("trigger", Some("table_update")),
            TriggerKind::None | TriggerKind::Other => ("", None),
        };
        let same_kind = Self::read(&Value::Object(job.clone())).kind == self.kind;
        let before = job.get(key).and_then(Value::as_object).filter(|_| same_kind).cloned();
        for other in KEYS.into_iter().filter(|other| *other != key) {
            job.shift_remove(other);
        }
        if self.kind == TriggerKind::None {
            return settings;
        }
        let mut outer = before.unwrap_or_default();
        let mut own = match inner {
            Some(inner) => outer.get(inner).and_then(Value::as_object).cloned().unwrap_or_default(),
            None => outer.clone(),
        };
        self.write_fields(&mut own);
        match inner {
            Some(inner) => drop(outer.insert(inner.to_owned(), Value::Object(own))),
            None => outer = own,
        }
        let status = if self.paused { "PAUSED" } else { "UNPAUSED" };
        if self.paused || outer.contains_key("pause_status") {
            outer.insert("pause_status".to_owned(), json!(status));
        }
        job.insert(key.to_owned(), Value::Object(outer));
        settings
    }

    fn write_fields(&self, own: &mut Map<String, Value>) {
        let mut put = |key: &str, value: Value| drop(own.insert(key.to_owned(), value));
        match self.kind {
            TriggerKind::Cron => {
                put("quartz_cron_expression", json!(self.expression.trim()));
                put("timezone_id", json!(self.time_zone.trim()));
            }
            TriggerKind::Periodic => {
                // What is no number stays a text: the engine says what is wrong with it.
                let interval = self.interval.trim();
                put("interval", interval.parse::<u64>().map_or_else(|_| json!(interval), |number| json!(number)));
                put("unit", json!(self.unit));
            }
            TriggerKind::Tables => {
                let names: Vec<&str> =
                    self.tables.split(['\n', ',']).map(str::trim).filter(|name| !name.is_empty()).collect();
                put("table_names", json!(names));
                if self.all || own.contains_key("condition") {
                    let condition = if self.all { "ALL_UPDATED" } else { "ANY_UPDATED" };
                    own.insert("condition".to_owned(), json!(condition));
                }
            }
            TriggerKind::None | TriggerKind::Other => {}
        }
    }
}

/// Whether a problem of the settings is about what starts the job.
pub fn is_about_triggers(path: &str) -> bool {
    let head = path.split(['.', '[']).next().unwrap_or_default();
    KEYS.contains(&head)
}

fn text(value: &Value, key: &str) -> String {
    value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}
