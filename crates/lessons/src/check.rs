//! What must be true of a workspace.

use lakelet_base::Timestamp;
use lakelet_bundle::{FieldError, Fields, scalar_text};
use lakelet_protocol::RunState;
use serde_json::Value;

use crate::lesson::Place;
use crate::question::texts;

/// Most rows that a check lists.
const ROWS_MAX: usize = 1_000;

/// Conditions that must all hold. Looking never changes the workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// Where.
    pub place: Place,
    /// What is checked, in words, where the text says so.
    pub say: Option<String>,
    /// At least one.
    pub conditions: Vec<Condition>,
    /// Shown one after the other on demand.
    pub hints: Vec<String>,
}

/// One thing that must be true.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Condition {
    /// Rows are as expected; compare with [`crate::check_rows`].
    Rows {
        /// Which rows.
        source: RowSource,
        /// What they must be.
        expected: ExpectedRows,
    },
    /// A table, view, streaming table or materialized view is there, or is not.
    Exists {
        /// Its name as in SQL.
        table: String,
        /// Must it be there?
        exists: bool,
    },
    /// A table's newest version; compare with [`crate::check_version`].
    Version {
        /// Its name as in SQL.
        table: String,
        /// The version.
        version: u64,
    },
    /// A job is there; compare with [`crate::check_job`].
    Job(ExpectedJob),
    /// A run ended so; compare with [`crate::check_run`].
    Run(ExpectedRun),
    /// The project has this file.
    File(String),
    /// The workspace clock shows this instant or a later one; compare with [`crate::check_clock`].
    Clock(Timestamp),
}

/// Which rows a check looks at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowSource {
    /// The last result of the nearest `sql run` block before the check in its step.
    LastResult,
    /// A query.
    Query(String),
    /// All rows of a table, by its name as in SQL.
    Table(String),
}

/// What rows must be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExpectedRows {
    /// So many.
    Count(u64),
    /// Exactly these.
    Exactly {
        /// Names of the columns that are compared, in the order of the cells; all columns by position when absent.
        columns: Option<Vec<String>>,
        /// Their cells.
        rows: Vec<Vec<ExpectedCell>>,
        /// Whether the order counts.
        ordered: bool,
    },
}

/// A cell of an expected row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExpectedCell {
    /// NULL
    Null,
    /// A number: `1.5` equals `1.50`.
    Number(String),
    /// Text; an instant equals another spelling of the same instant.
    Text(String),
}

/// A job's shape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpectedJob {
    /// Its name.
    pub name: String,
    /// Keys of tasks it must have (the nested task of a For each counts); others may be there too.
    pub tasks: Vec<String>,
    /// Its settings must have no error.
    pub valid: bool,
}

/// A run's outcome.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ExpectedRun {
    /// Of this job; of any when absent.
    pub job: Option<String>,
    /// 1-based number among the job's runs; the newest when absent.
    pub number: Option<u64>,
    /// Its state; one that ended well when nothing says otherwise.
    pub state: Option<RunState>,
    /// How often it was repaired.
    pub repair_count: Option<u32>,
    /// States of tasks.
    pub tasks: Vec<(String, RunState)>,
    /// Iterations of For each tasks.
    pub iterations: Vec<(String, ExpectedIterations)>,
}

/// The iterations of a For each, lists in input order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ExpectedIterations {
    /// How many.
    pub count: Option<u64>,
    /// State of each.
    pub states: Option<Vec<RunState>>,
    /// Attempts of each.
    pub attempts: Option<Vec<u64>>,
    /// Part of the text that each printed, or of its error.
    pub outputs: Option<Vec<String>>,
    /// Rows that each displayed or returned.
    pub rows: Option<Vec<u64>>,
}

impl Check {
    /// Reads a check: a map of conditions, or a list of such maps.
    ///
    /// # Errors
    /// [`FieldError`] for what is missing, unknown or of the wrong kind.
    pub fn from_json(place: Place, value: &Value) -> Result<Self, FieldError> {
        let mut check = Self { place, say: None, conditions: Vec::new(), hints: Vec::new() };
        match value {
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    check.read(item, &format!("[{index}]"))?;
                }
            }
            other => check.read(other, "")?,
        }
        if check.conditions.is_empty() {
            return Err(FieldError::new("", "This check asks for nothing."));
        }
        Ok(check)
    }

    fn read(&mut self, value: &Value, path: &str) -> Result<(), FieldError> {
        let mut fields = Fields::new(value, path)?;
        if let Some(say) = fields.text("say")? {
            if self.say.is_some() {
                return Err(fields.error("say", "A check has one `say`; it stands for all its conditions."));
            }
            self.say = Some(say);
        }
        self.hints.extend(texts(&mut fields, "hints")?);
        self.rows_and_table(&mut fields)?;
        if let Some(path) = fields.text("file")? {
            self.conditions.push(Condition::File(path));
        }
        if let Some(value) = fields.value("job") {
            self.conditions.push(Condition::Job(job(value, &fields.path("job"))?));
        }
        if let Some(value) = fields.value("run") {
            self.conditions.push(Condition::Run(run(value, &fields.path("run"))?));
        }
        if let Some(instant) = fields.instant("clock")? {
            self.conditions.push(Condition::Clock(instant));
        }
        fields.finish()
    }

    fn rows_and_table(&mut self, fields: &mut Fields<'_>) -> Result<(), FieldError> {
        let table = fields.text("table")?;
        let query = fields.text("sql")?;
        let rows = fields.value("rows");
        let version = fields.count("version")?;
        let exists = fields.boolean("exists")?;
        let columns = match fields.value("columns") {
            Some(_) => Some(texts(fields, "columns")?),
            None => None,
        };
        let ordered = fields.boolean("ordered")?.unwrap_or(false);
        if let (Some(_), None) = (&query, rows) {
            return Err(fields.error("sql", "A query needs `rows`: what it must return."));
        }
        if let Some(rows) = rows {
            let expected = expected_rows(rows, &fields.path("rows"), columns, ordered)?;
            let source = match (query, &table) {
                (Some(query), _) => RowSource::Query(query),
                (None, Some(table)) => RowSource::Table(table.clone()),
                (None, None) => RowSource::LastResult,
            };
            self.conditions.push(Condition::Rows { source, expected });
        }
        match (table, version, exists) {
            (Some(table), version, exists) => {
                if let Some(version) = version {
                    self.conditions.push(Condition::Version { table: table.clone(), version });
                }
                if exists.is_some() || rows.is_none() && version.is_none() {
                    self.conditions.push(Condition::Exists { table, exists: exists.unwrap_or(true) });
                }
                Ok(())
            }
            (None, Some(_), _) => Err(fields.error("version", "`version` needs `table`: whose version?")),
            (None, None, Some(_)) => Err(fields.error("exists", "`exists` needs `table`.")),
            (None, None, None) => Ok(()),
        }
    }
}

fn expected_rows(
    value: &Value,
    path: &str,
    columns: Option<Vec<String>>,
    ordered: bool,
) -> Result<ExpectedRows, FieldError> {
    let items = match value {
        Value::Number(number) => {
            let count = number.as_u64();
            return count
                .map(ExpectedRows::Count)
                .ok_or_else(|| FieldError::new(path, "The number of rows must be a whole number, 0 or more."));
        }
        Value::Array(items) if items.len() <= ROWS_MAX => items,
        Value::Array(items) => {
            let message = format!("{} rows are more than the {ROWS_MAX} that a check may list.", items.len());
            return Err(FieldError::new(path, message));
        }
        _ => return Err(FieldError::new(path, "`rows` is a number of rows, or a list of rows.")),
    };
    let mut columns = columns;
    let mut rows = Vec::with_capacity(items.len());
    for (index, item) in items.iter().enumerate() {
        let path = format!("{path}[{index}]");
        let cells = match item {
            Value::Array(cells) => cells.iter().map(expected_cell).collect::<Vec<_>>(),
            Value::Object(map) => {
                let names = columns.get_or_insert_with(|| map.keys().cloned().collect());
                if names.len() != map.len() || names.iter().any(|name| !map.contains_key(name)) {
                    let message = format!("Every row must have the same columns: {}.", names.join(", "));
                    return Err(FieldError::new(path, message));
                }
                names.iter().map(|name| map.get(name).map_or(ExpectedCell::Null, expected_cell)).collect()
            }
            scalar => vec![expected_cell(scalar)],
        };
        let width = columns.as_ref().map(Vec::len).or_else(|| rows.first().map(Vec::len)).unwrap_or(cells.len());
        if cells.len() != width {
            return Err(FieldError::new(path, format!("This row has {} cells, others have {width}.", cells.len())));
        }
        rows.push(cells);
    }
    Ok(ExpectedRows::Exactly { columns, rows, ordered })
}

fn expected_cell(value: &Value) -> ExpectedCell {
    match value {
        Value::Null => ExpectedCell::Null,
        Value::Number(number) => ExpectedCell::Number(number.to_string()),
        other => ExpectedCell::Text(scalar_text(other).unwrap_or_else(|| other.to_string())),
    }
}

fn job(value: &Value, path: &str) -> Result<ExpectedJob, FieldError> {
    if let Some(name) = scalar_text(value) {
        return Ok(ExpectedJob { name, tasks: Vec::new(), valid: false });
    }
    let mut fields = Fields::new(value, path)?;
    let job = ExpectedJob {
        name: fields.required_text("name")?,
        tasks: texts(&mut fields, "tasks")?,
        valid: fields.boolean("valid")?.unwrap_or(false),
    };
    fields.finish()?;
    Ok(job)
}

fn run(value: &Value, path: &str) -> Result<ExpectedRun, FieldError> {
    if let Value::String(text) = value {
        return Ok(ExpectedRun { state: Some(state(text, path)?), ..ExpectedRun::default() });
    }
    let mut fields = Fields::new(value, path)?;
    let states = fields.texts("tasks")?;
    let tasks = states
        .into_iter()
        .map(|(task, word)| {
            let path = format!("{}.{task}", fields.path("tasks"));
            Ok((task, state(&word, &path)?))
        })
        .collect::<Result<_, FieldError>>()?;
    let iterations = match fields.value("iterations") {
        None => Vec::new(),
        Some(Value::Object(map)) => map
            .iter()
            .map(|(task, value)| {
                let path = format!("{}.{task}", fields.path("iterations"));
                Ok((task.clone(), iterations(value, &path)?))
            })
            .collect::<Result<_, FieldError>>()?,
        Some(_) => return Err(fields.error("iterations", "This must be a map of For each tasks.")),
    };
    let repair_count = match fields.count("repair_count")? {
        None => None,
        Some(count) => Some(u32::try_from(count).map_err(|_| fields.error("repair_count", "This is too large."))?),
    };
    let run = ExpectedRun {
        job: fields.text("job")?,
        number: fields.count("number")?,
        state: match fields.text("state")? {
            Some(word) => Some(state(&word, &fields.path("state"))?),
            None => None,
        },
        repair_count,
        tasks,
        iterations,
    };
    fields.finish()?;
    Ok(run)
}

fn iterations(value: &Value, path: &str) -> Result<ExpectedIterations, FieldError> {
    if let Some(count) = value.as_u64() {
        return Ok(ExpectedIterations { count: Some(count), ..ExpectedIterations::default() });
    }
    let mut fields = Fields::new(value, path)?;
    let numbers = |fields: &mut Fields<'_>, key: &'static str| match fields.value(key) {
        None => Ok(None),
        Some(Value::Array(items)) => {
            let numbers = items.iter().map(Value::as_u64).collect::<Option<Vec<u64>>>();
            numbers.map(Some).ok_or_else(|| fields.error(key, "This must be a list of whole numbers."))
        }
        Some(_) => Err(fields.error(key, "This must be a list of whole numbers.")),
    };
    let count = fields.count("count")?;
    let states = match fields.value("states") {
        None => None,
        Some(_) => {
            let path = fields.path("states");
            let words = texts(&mut fields, "states")?;
            Some(words.iter().map(|word| state(word, &path)).collect::<Result<_, _>>()?)
        }
    };
    let attempts = numbers(&mut fields, "attempts")?;
    let rows = numbers(&mut fields, "rows")?;
    let outputs = match fields.value("outputs") {
        None => None,
        Some(_) => Some(texts(&mut fields, "outputs")?),
    };
    fields.finish()?;
    Ok(ExpectedIterations { count, states, attempts, outputs, rows })
}

fn state(word: &str, path: &str) -> Result<RunState, FieldError> {
    serde_json::from_value(Value::String(word.to_owned())).map_err(|_| {
        let message =
            format!("`{word}` is not a state. States are SUCCESS, FAILED, UPSTREAM_FAILED, EXCLUDED, CANCELED …");
        FieldError::new(path, message)
    })
}

#[cfg(test)]
mod tests;
