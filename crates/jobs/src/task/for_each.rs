//! For each tasks: one nested task, run once for each element of an array.

use serde_json::Value;

use super::Task;
use crate::problem::ProblemKind;
use crate::read::{Fields, Reader};
use crate::reference::Template;

/// Literal inputs longer than this work here, but Databricks' present pages promise no more.
const LITERAL_CHARS_PROMISED: usize = 5_000;

/// Settings under `for_each_task`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForEach {
    /// A JSON array as text, or a reference to one.
    pub inputs: String,
    /// Iterations that may run at a time; 1 when the settings say nothing.
    pub concurrency: u32,
    /// What runs for each element.
    pub task: Task,
}

impl ForEach {
    /// How many iterations are in flight at most. A pipeline runs one update at a time, so a nested pipeline task does too.
    pub fn effective_concurrency(&self) -> usize {
        match self.task.kind {
            super::TaskKind::Pipeline(_) => 1,
            _ => self.concurrency.max(1) as usize,
        }
    }

    /// `None` when there is no nested task.
    pub(super) fn read(fields: &Fields<'_>, reader: &mut Reader<'_>) -> Option<Self> {
        let inputs = read_inputs(fields, reader);
        let concurrency = read_concurrency(fields, reader);
        let nested = fields.required_object("task", reader)?;
        Some(Self { inputs, concurrency, task: Task::read(&nested, true, reader) })
    }

    pub(super) fn templates<'a>(&'a self, add: &mut dyn FnMut(&str, &'a str)) {
        add("inputs", &self.inputs);
    }
}

fn read_concurrency(fields: &Fields<'_>, reader: &mut Reader<'_>) -> u32 {
    let most = reader.options.limits.for_each_concurrency_max;
    let Some(written) = fields.integer("concurrency", reader) else {
        return 1;
    };
    match usize::try_from(written) {
        Ok(n) if (1..=most).contains(&n) => u32::try_from(n).unwrap_or(1),
        _ => {
            let message = format!("A concurrency of {written} is out of range: it goes from 1 to {most}.");
            reader.error(ProblemKind::ConcurrencyOutOfRange, fields.at("concurrency"), message);
            1
        }
    }
}

fn read_inputs(fields: &Fields<'_>, reader: &mut Reader<'_>) -> String {
    let at = fields.at("inputs");
    let text = match fields.required("inputs", reader) {
        None => return String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => {
            let message =
                format!("'inputs' must be text that holds the JSON array, such as {}.", Value::from(other.to_string()));
            reader.error(ProblemKind::InputsNotString, at, message);
            return String::new();
        }
    };
    if Template::parse(&text).has_references() {
        return text;
    }
    let (n_chars, most) = (text.chars().count(), reader.options.limits.for_each_literal_chars_max);
    let way_out = "Keep the values in a table and let a SQL task read the keys (a lookup table).";
    if n_chars > most {
        let message = format!("The inputs have {n_chars} characters; the limit is {most}. {way_out}");
        reader.error(ProblemKind::InputsTooLong, at.clone(), message);
    } else if n_chars > LITERAL_CHARS_PROMISED {
        let message = format!(
            "The inputs have {n_chars} characters. Databricks promises {LITERAL_CHARS_PROMISED}; older pages say {most}. {way_out}"
        );
        reader.warning(ProblemKind::InputsTooLong, at.clone(), message);
    }
    match parse_inputs(&text) {
        Ok(_) => {}
        Err(InputsError::NotJson(message)) => reader.error(ProblemKind::InputsNotJson, at, message),
        Err(InputsError::NotArray(message)) => reader.error(ProblemKind::InputsNotArray, at, message),
    }
    text
}

/// Why a text is no array of inputs; both carry a message that shows the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum InputsError {
    NotJson(String),
    NotArray(String),
}

/// Reads the array out of resolved inputs.
pub(crate) fn parse_inputs(text: &str) -> Result<Vec<Value>, InputsError> {
    match serde_json::from_str(text) {
        Ok(Value::Array(inputs)) => Ok(inputs),
        Ok(_) => Err(InputsError::NotArray(format!(
            "For each needs an array such as [\"NL\", \"UK\"]. The inputs are: {}",
            excerpt(text)
        ))),
        Err(error) => Err(InputsError::NotJson(format!(
            "For each needs a JSON array such as [\"NL\", \"UK\"]. The inputs are not JSON ({error}): {}",
            excerpt(text)
        ))),
    }
}

/// The text, cut where it is long: messages show values, not pages.
fn excerpt(text: &str) -> String {
    const CHARS_SHOWN: usize = 200;
    match text.char_indices().nth(CHARS_SHOWN) {
        Some((end, _)) => format!("{}… ({} characters)", &text[..end], text.chars().count()),
        None if text.is_empty() => "(empty text)".to_owned(),
        None => text.to_owned(),
    }
}
