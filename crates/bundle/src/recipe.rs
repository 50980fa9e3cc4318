//! What is done to a workspace, step by step: the `recipe` of `lakelet.json` and the action blocks of lessons.

use lakelet_base::Timestamp;
use serde_json::{Map, Value, json};

use crate::fields::{FieldError, Fields, join, scalar_text};

/// Most entries of a recipe.
pub const RECIPE_ENTRIES_MAX: usize = 5_000;

/// One thing that is done.
#[derive(Debug, Clone, PartialEq)]
pub struct RecipeEntry {
    /// When it was done on the workspace clock, where that is known. A simulated clock that is behind moves there first.
    pub at: Option<Timestamp>,
    /// What is done.
    pub action: RecipeAction,
}

/// What is done.
#[derive(Debug, Clone, PartialEq)]
pub enum RecipeAction {
    /// `"do": "sql"`: runs the statements of a script.
    Sql {
        /// The script.
        script: Script,
        /// Editor tab whose `USE` is in force; the main one when absent.
        tab: Option<String>,
    },
    /// `"do": "run"` with `job`: runs a job to its end.
    RunJob {
        /// Its name or resource key.
        job: String,
        /// Job parameters that replace defaults.
        parameters: Vec<(String, String)>,
    },
    /// `"do": "run"` with `job` and `repair`: repairs the job's newest run.
    Repair {
        /// Its name or resource key.
        job: String,
        /// Tasks to run again; empty means all that did not succeed.
        tasks: Vec<String>,
        /// Iterations to run again (task key, 0-based index); empty means all that failed.
        iterations: Vec<(String, u64)>,
    },
    /// `"do": "run"` with `notebook`: runs a notebook by itself.
    RunNotebook {
        /// Path in the project.
        notebook: String,
        /// Widget values that are not the defaults.
        widgets: Vec<(String, String)>,
    },
    /// `"do": "refresh"`: refreshes a streaming table or materialized view.
    Refresh {
        /// Its name.
        table: String,
        /// Everything again.
        full: bool,
    },
    /// `"do": "advance"`: moves the clock.
    Advance {
        /// How far.
        to: AdvanceTo,
        /// Whether schedules that fall due run.
        run_due: bool,
    },
    /// `"do": "fault"`: sets or clears a fault switch.
    Fault(Fault),
}

/// Where the text of a script is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Script {
    /// Here.
    Text(String),
    /// In a file of the project.
    File(String),
}

/// How far the clock moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AdvanceTo {
    /// So many minutes on.
    Minutes(u64),
    /// To an instant.
    Instant(Timestamp),
    /// To the next schedule.
    NextSchedule,
}

/// A fault that a lesson asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// `fail_after_append`: the notebook of this iteration fails after its first append; `None` clears it.
    FailAfterAppend(Option<u64>),
    /// `conflict`: two iterations that write one table conflict as Delta would let them.
    Conflict(bool),
}

impl RecipeEntry {
    /// Reads an entry that stands at `path`.
    ///
    /// # Errors
    /// [`FieldError`] for an unknown `do`, a missing, unknown or wrong field.
    pub fn from_json(value: &Value, path: &str) -> Result<Self, FieldError> {
        let mut fields = Fields::new(value, path)?;
        let verb = fields.required_text("do")?;
        let at = fields.instant("at")?;
        let action = match verb.as_str() {
            "sql" => sql(&mut fields)?,
            "run" => run(&mut fields)?,
            "refresh" => RecipeAction::Refresh {
                table: fields.required_text("table")?,
                full: fields.boolean("full")?.unwrap_or(false),
            },
            "advance" => {
                RecipeAction::Advance { to: advance(&mut fields)?, run_due: fields.boolean("run_due")?.unwrap_or(true) }
            }
            "fault" => RecipeAction::Fault(fault(&mut fields)?),
            other => {
                return Err(fields.error(
                    "do",
                    format!("`{other}` is not something to do; it is sql, run, refresh, advance or fault."),
                ));
            }
        };
        fields.finish()?;
        Ok(Self { at, action })
    }

    /// The entry as `lakelet.json` has it.
    pub fn to_json(&self) -> Value {
        let mut map = Map::new();
        let mut put = |key: &str, value: Value| {
            map.insert(key.to_owned(), value);
        };
        put("do", json!(self.action.verb()));
        if let Some(at) = self.at {
            put("at", json!(at.to_string()));
        }
        match &self.action {
            RecipeAction::Sql { script, tab } => {
                match script {
                    Script::Text(text) => put("text", json!(text)),
                    Script::File(file) => put("file", json!(file)),
                }
                if let Some(tab) = tab {
                    put("tab", json!(tab));
                }
            }
            RecipeAction::RunJob { job, parameters } => {
                put("job", json!(job));
                if !parameters.is_empty() {
                    put("parameters", object(parameters));
                }
            }
            RecipeAction::Repair { job, tasks, iterations } => {
                put("job", json!(job));
                put("repair", json!(true));
                if !tasks.is_empty() {
                    put("tasks", json!(tasks));
                }
                if !iterations.is_empty() {
                    let mut by_task: Map<String, Value> = Map::new();
                    for (task, index) in iterations {
                        let list = by_task.entry(task.clone()).or_insert_with(|| json!([]));
                        if let Value::Array(list) = list {
                            list.push(json!(index));
                        }
                    }
                    put("iterations", Value::Object(by_task));
                }
            }
            RecipeAction::RunNotebook { notebook, widgets } => {
                put("notebook", json!(notebook));
                if !widgets.is_empty() {
                    put("widgets", object(widgets));
                }
            }
            RecipeAction::Refresh { table, full } => {
                put("table", json!(table));
                if *full {
                    put("full", json!(true));
                }
            }
            RecipeAction::Advance { to, run_due } => {
                match to {
                    AdvanceTo::Minutes(minutes) => put("by", json!(duration_text(*minutes))),
                    AdvanceTo::Instant(instant) => put("to", json!(instant.to_string())),
                    AdvanceTo::NextSchedule => put("to", json!("next schedule")),
                }
                if !run_due {
                    put("run_due", json!(false));
                }
            }
            RecipeAction::Fault(Fault::FailAfterAppend(iteration)) => {
                put("fault", json!("fail_after_append"));
                put("iteration", json!(iteration));
            }
            RecipeAction::Fault(Fault::Conflict(on)) => {
                put("fault", json!("conflict"));
                put("on", json!(on));
            }
        }
        Value::Object(map)
    }
}

impl RecipeAction {
    /// The word in `do`.
    pub fn verb(&self) -> &'static str {
        match self {
            Self::Sql { .. } => "sql",
            Self::RunJob { .. } | Self::Repair { .. } | Self::RunNotebook { .. } => "run",
            Self::Refresh { .. } => "refresh",
            Self::Advance { .. } => "advance",
            Self::Fault(_) => "fault",
        }
    }
}

fn sql(fields: &mut Fields<'_>) -> Result<RecipeAction, FieldError> {
    let tab = fields.text("tab")?;
    let script = match (fields.text("text")?, fields.text("file")?) {
        (Some(text), None) => Script::Text(text),
        (None, Some(file)) => Script::File(file),
        (None, None) => return Err(fields.error("text", "`text` or `file` is missing.")),
        (Some(_), Some(_)) => return Err(fields.error("file", "Only one of `text` and `file` may stand here.")),
    };
    Ok(RecipeAction::Sql { script, tab })
}

fn run(fields: &mut Fields<'_>) -> Result<RecipeAction, FieldError> {
    if let Some(notebook) = fields.text("notebook")? {
        return Ok(RecipeAction::RunNotebook { notebook, widgets: fields.texts("widgets")? });
    }
    let job = fields.required_text("job")?;
    if !fields.boolean("repair")?.unwrap_or(false) {
        return Ok(RecipeAction::RunJob { job, parameters: fields.texts("parameters")? });
    }
    let tasks = fields
        .list("tasks")
        .iter()
        .map(|task| scalar_text(task).ok_or_else(|| FieldError::new("tasks", "A task is named by its key.")));
    let tasks = tasks.collect::<Result<_, _>>().map_err(|error| fields.error("tasks", error.message))?;
    let mut iterations = Vec::new();
    match fields.value("iterations") {
        None => {}
        Some(Value::Object(map)) => {
            let path = fields.path("iterations");
            for (task, list) in map {
                let list = list.as_array().map_or(std::slice::from_ref(list), Vec::as_slice);
                for index in list {
                    let index = index.as_u64().ok_or_else(|| {
                        FieldError::new(join(&path, task), "Iterations are named by their numbers, from 0 on.")
                    })?;
                    iterations.push((task.clone(), index));
                }
            }
        }
        Some(_) => return Err(fields.error("iterations", "This must be a map of task keys and lists of numbers.")),
    }
    Ok(RecipeAction::Repair { job, tasks, iterations })
}

fn advance(fields: &mut Fields<'_>) -> Result<AdvanceTo, FieldError> {
    match (fields.text("by")?, fields.text("to")?) {
        (Some(text), None) => duration_minutes(&text).map(AdvanceTo::Minutes).ok_or_else(|| {
            fields.error("by", format!("'{text}' is not a length of time like `1 day` or `30 minutes`."))
        }),
        (None, Some(text)) if text == "next schedule" => Ok(AdvanceTo::NextSchedule),
        (None, Some(text)) => Timestamp::parse_rfc3339(&text)
            .map(AdvanceTo::Instant)
            .map_err(|error| fields.error("to", format!("{error}, nor `next schedule`."))),
        (None, None) => Err(fields.error("by", "`by` or `to` is missing.")),
        (Some(_), Some(_)) => Err(fields.error("to", "Only one of `by` and `to` may stand here.")),
    }
}

fn fault(fields: &mut Fields<'_>) -> Result<Fault, FieldError> {
    match fields.required_text("fault")?.as_str() {
        "fail_after_append" => Ok(Fault::FailAfterAppend(fields.count("iteration")?)),
        "conflict" => Ok(Fault::Conflict(fields.boolean("on")?.unwrap_or(true))),
        other => Err(fields.error("fault", format!("`{other}` is not a fault; it is fail_after_append or conflict."))),
    }
}

const MINUTES_PER_HOUR: u64 = 60;
const MINUTES_PER_DAY: u64 = 24 * MINUTES_PER_HOUR;

/// Minutes of `1 day`, `2 hours`, `30 minutes`, `1 week`.
fn duration_minutes(text: &str) -> Option<u64> {
    let (number, unit) = text.trim().split_once(' ')?;
    let minutes = match unit.trim().trim_end_matches('s') {
        "minute" => 1,
        "hour" => MINUTES_PER_HOUR,
        "day" => MINUTES_PER_DAY,
        "week" => 7 * MINUTES_PER_DAY,
        _ => return None,
    };
    number.parse::<u64>().ok().filter(|number| *number > 0)?.checked_mul(minutes)
}

fn duration_text(minutes: u64) -> String {
    let (number, unit) = match minutes {
        0 => (0, "minute"),
        _ if minutes.is_multiple_of(MINUTES_PER_DAY) => (minutes / MINUTES_PER_DAY, "day"),
        _ if minutes.is_multiple_of(MINUTES_PER_HOUR) => (minutes / MINUTES_PER_HOUR, "hour"),
        _ => (minutes, "minute"),
    };
    format!("{number} {unit}{}", if number == 1 { "" } else { "s" })
}

fn object(pairs: &[(String, String)]) -> Value {
    Value::Object(pairs.iter().map(|(name, value)| (name.clone(), json!(value))).collect())
}

#[cfg(test)]
mod tests;
