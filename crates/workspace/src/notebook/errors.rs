//! Errors on their way between SQL, Python and the record of a run.

use lakelet_base::Diagnostic;
use lakelet_jobs::{DbutilsError, DbutilsErrorKind, TaskError};
use lakelet_protocol::{PythonReply, WireError};

use super::execution::CellFailure;

/// The reply that makes Python raise what PySpark would raise.
pub(super) fn reply(error: WireError) -> PythonReply {
    let exception = exception_name(&error).to_owned();
    PythonReply::Error { error, exception }
}

/// The class of PySpark that stands for an error.
fn exception_name(error: &WireError) -> &'static str {
    let condition = error.condition.split('.').next().unwrap_or_default();
    match condition {
        "PARSE_SYNTAX_ERROR" => return "ParseException",
        "CAST_INVALID_INPUT" | "CAST_OVERFLOW" => {
            let message = error.message.to_uppercase();
            let is_time = ["DATE", "TIMESTAMP", "TIME"]
                .iter()
                .any(|word| message.contains(&format!("\"{word}\"")) || message.contains(&format!(" {word} ")));
            return if is_time { "DateTimeException" } else { "NumberFormatException" };
        }
        "DIVIDE_BY_ZERO"
        | "ARITHMETIC_OVERFLOW"
        | "BINARY_ARITHMETIC_OVERFLOW"
        | "NUMERIC_VALUE_OUT_OF_RANGE"
        | "REMAINDER_BY_ZERO"
        | "INTERVAL_DIVIDED_BY_ZERO" => return "ArithmeticException",
        "INVALID_ARRAY_INDEX" | "INVALID_ARRAY_INDEX_IN_ELEMENT_AT" => return "ArrayIndexOutOfBoundsException",
        "CANNOT_PARSE_TIMESTAMP" | "DATETIME_FIELD_OUT_OF_BOUNDS" => return "DateTimeException",
        _ => {}
    }
    // SQLSTATE: 42 is wrong text or names, 0A what is not supported, 22 data, 23 constraints.
    match error.sqlstate.get(..2) {
        Some("42" | "0A" | "21") => "AnalysisException",
        _ => "SparkRuntimeException",
    }
}

/// The reply to a `dbutils` call that failed.
pub(super) fn dbutils_reply(error: &DbutilsError) -> (WireError, String) {
    let exception = match error.kind {
        DbutilsErrorKind::InputWidgetNotDefined => "InputWidgetNotDefined",
        DbutilsErrorKind::DefaultNotInChoices => "IllegalArgumentException",
        DbutilsErrorKind::TypeError => "TypeError",
        DbutilsErrorKind::TaskValueMissing | DbutilsErrorKind::TaskValueTooLarge => "ValueError",
    };
    (plain(error.kind.as_str(), &error.message), exception.to_owned())
}

/// An error without place, state and hint.
pub(super) fn plain(condition: &str, message: &str) -> WireError {
    WireError {
        condition: condition.to_owned(),
        sqlstate: String::new(),
        message: message.to_owned(),
        hint: None,
        line: None,
        column: None,
        start: None,
        end: None,
        suggestions: Vec::new(),
    }
}

/// An error as a run's record has it.
pub(crate) fn task_error(error: &WireError) -> TaskError {
    TaskError {
        sqlstate: (!error.sqlstate.is_empty()).then(|| error.sqlstate.clone()),
        ..TaskError::new(error.condition.clone(), error.message.clone())
    }
}

/// An error of a run's record as the page has it.
pub(crate) fn wire_error(error: &TaskError) -> WireError {
    WireError {
        sqlstate: error.sqlstate.clone().unwrap_or_default(),
        hint: error.trace.clone(),
        ..plain(&error.condition, &error.message)
    }
}

/// A cell that ended in a Python exception. One that comes from the engine keeps Spark's condition, others have their
/// class for it.
pub(super) fn python_failure(
    exception: &str,
    message: &str,
    traceback: String,
    known: Option<WireError>,
) -> CellFailure {
    // Whatever was raised last before the cell ended is what ended it, unless it was caught: then its text is missing.
    let known = known.filter(|error| message.contains(&error.message));
    let task_error = match known {
        Some(error) => TaskError { trace: Some(traceback), ..task_error(&error) },
        None => match bracketed_condition(message) {
            Some((condition, rest)) => TaskError { trace: Some(traceback), ..TaskError::new(condition, rest) },
            None => TaskError { trace: Some(traceback), ..TaskError::new(exception, message) },
        },
    };
    CellFailure { error: wire_error(&task_error), task_error }
}

/// `[CONDITION] message` as PySpark writes errors.
fn bracketed_condition(message: &str) -> Option<(&str, &str)> {
    let (condition, rest) = message.strip_prefix('[')?.split_once(']')?;
    let is_name = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_' || c == '.';
    (!condition.is_empty() && condition.chars().all(is_name)).then_some((condition, rest.trim_start()))
}

/// The error of a diagnostic whose places count in `text`.
pub(super) fn of_diagnostic(diagnostic: &Diagnostic, text: &str) -> WireError {
    WireError::new(diagnostic, text)
}
