//! From a template to the text that a task gets.

use lakelet_base::Timestamp;
use serde_json::Value;

use super::{Piece, Reference, ReferenceContext, Template, TimePart, UpstreamMember, UpstreamOutput, UpstreamTask};
use crate::output::OutputProblem;
use crate::value::value_text;

/// Why a reference has no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReferenceErrorKind {
    /// A wrong member of a known namespace, or one that has no value in this run.
    InvalidReference,
    /// `input` outside of a For each.
    InputOutsideForEach,
    /// `input.<key>` where the element is no object.
    InputNotObject,
    /// `input.<key>` where the element has no such key.
    InputKeyMissing,
    /// The first row of no rows.
    NoRows,
    /// A column that the first row does not have.
    ColumnMissing,
    /// A task value that was not set.
    TaskValueMissing,
    /// Rows past the limits of a task's output.
    OutputTooLarge,
    /// Rows with two columns of one name.
    DuplicateColumn,
}

impl ReferenceErrorKind {
    /// The name in snake case, stable over releases.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::InvalidReference => "invalid_reference",
            Self::InputOutsideForEach => "input_outside_for_each",
            Self::InputNotObject => "input_not_object",
            Self::InputKeyMissing => "input_key_missing",
            Self::NoRows => "no_rows",
            Self::ColumnMissing => "column_missing",
            Self::TaskValueMissing => "task_value_missing",
            Self::OutputTooLarge => "output_too_large",
            Self::DuplicateColumn => "duplicate_column",
        }
    }
}

/// A reference that has no value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ReferenceError {
    /// Why.
    pub kind: ReferenceErrorKind,
    /// For a reader; names the reference.
    pub message: String,
}

/// Replaces every reference in `text`. A value that itself looks like a reference is not looked at again.
///
/// # Errors
/// The first reference without a value.
pub fn resolve(text: &str, context: &ReferenceContext<'_>) -> Result<String, ReferenceError> {
    let mut resolved = String::with_capacity(text.len());
    for piece in Template::parse(text).pieces {
        match piece {
            Piece::Text(text) => resolved.push_str(text),
            Piece::Reference { source, reference } => resolved.push_str(
                &value_of(&reference, context)
                    .map_err(|(kind, why)| ReferenceError { kind, message: format!("{source}: {why}") })?,
            ),
            Piece::Invalid { message, .. } => {
                return Err(ReferenceError { kind: ReferenceErrorKind::InvalidReference, message });
            }
        }
    }
    Ok(resolved)
}

type Resolved = Result<String, (ReferenceErrorKind, String)>;

fn invalid(why: impl Into<String>) -> (ReferenceErrorKind, String) {
    (ReferenceErrorKind::InvalidReference, why.into())
}

fn value_of(reference: &Reference, context: &ReferenceContext<'_>) -> Resolved {
    let job = context.job;
    let task = || context.task.ok_or_else(|| invalid("a job parameter is resolved before any task."));
    let instant = |instant: Option<Timestamp>, part: &TimePart, otherwise: &str| {
        instant.map(|instant| part.text_of(instant)).ok_or_else(|| invalid(otherwise))
    };
    let table_update = |table: &str| {
        let found = job.trigger.updated_tables.iter().find(|update| update.table.eq_ignore_ascii_case(table));
        found.ok_or_else(|| invalid(format!("no update of table '{table}' started this run.")))
    };
    Ok(match reference {
        Reference::JobId => job.id.to_string(),
        Reference::JobName => job.name.clone(),
        Reference::JobRunId => job.run_id.to_string(),
        Reference::JobRepairCount => job.repair_count.to_string(),
        Reference::JobStartTime(part) => part.text_of(job.start_time),
        Reference::JobParameter(name) => {
            let value = job.parameters.get(name);
            value.cloned().ok_or_else(|| invalid(format!("the job has no parameter '{name}'.")))?
        }
        Reference::TriggerType => job.trigger.kind.as_str().to_owned(),
        Reference::TriggerTime(part) => instant(job.trigger.time, part, "no schedule started this run.")?,
        Reference::TriggerFileLocation => {
            let location = job.trigger.file_location.clone();
            location.ok_or_else(|| invalid("no file arrival started this run."))?
        }
        Reference::TriggerUpdatedTables => {
            let tables = job.trigger.updated_tables.iter().map(|update| Value::from(update.table.as_str()));
            Value::Array(tables.collect()).to_string()
        }
        Reference::TriggerCommitTimestamp(table, part) => part.text_of(table_update(table)?.commit_timestamp),
        Reference::TriggerTableVersion(table) => table_update(table)?.version.to_string(),
        Reference::TaskName => task()?.name.to_owned(),
        Reference::TaskRunId => task()?.run_id.to_string(),
        Reference::TaskExecutionCount => task()?.execution_count.to_string(),
        Reference::TaskRetryCount => task()?.execution_count.saturating_sub(1).to_string(),
        Reference::TaskNotebookPath => {
            task()?.notebook_path.ok_or_else(|| invalid("this is no notebook task."))?.to_owned()
        }
        Reference::Upstream { task, member } => {
            let upstream = (context.upstream)(task);
            let upstream =
                upstream.ok_or_else(|| invalid(format!("there is no task '{task}' that ran before in this run.")))?;
            upstream_value(task, member, &upstream)?
        }
        Reference::Input(keys) => input_value(keys, context.input)?,
        Reference::Backfill(part) => instant(job.trigger.backfill, part, "this is no backfill run.")?,
        Reference::WorkspaceId => job.workspace_id.to_string(),
        Reference::WorkspaceUrl => job.workspace_url.clone(),
    })
}

fn input_value(keys: &[String], input: Option<&Value>) -> Resolved {
    let mut value = input.ok_or_else(|| {
        let why = "'input' has a value only in the nested task of a For each.".to_owned();
        (ReferenceErrorKind::InputOutsideForEach, why)
    })?;
    for key in keys {
        let Value::Object(object) = value else {
            let why = format!("there is no '{key}' in it, because it is no object but {}.", value_text(value));
            return Err((ReferenceErrorKind::InputNotObject, why));
        };
        value = object.get(key).ok_or_else(|| {
            let known: Vec<&str> = object.keys().map(String::as_str).collect();
            let why = format!("this iteration's input has no key '{key}'. It has: {}.", known.join(", "));
            (ReferenceErrorKind::InputKeyMissing, why)
        })?;
    }
    Ok(value_text(value))
}

fn upstream_value(key: &str, member: &UpstreamMember, task: &UpstreamTask<'_>) -> Resolved {
    Ok(match member {
        UpstreamMember::RunId => {
            let run_id = task.run_id.ok_or_else(|| invalid(format!("task '{key}' did not run.")))?;
            run_id.to_string()
        }
        UpstreamMember::ExecutionCount => task.execution_count.to_string(),
        UpstreamMember::ResultState => {
            let state = task.result_state.ok_or_else(|| invalid(format!("task '{key}' has not ended.")))?;
            state.as_str().to_ascii_lowercase()
        }
        UpstreamMember::ErrorCode => task.error_code.to_owned(),
        UpstreamMember::Value(name) => {
            let value = task.values.and_then(|values| values.get(name));
            let value = value.ok_or_else(|| {
                let why = format!("task '{key}' set no task value '{name}'.");
                (ReferenceErrorKind::TaskValueMissing, why)
            })?;
            value_text(value)
        }
        UpstreamMember::AlertState => match task.output {
            Some(UpstreamOutput::AlertState(state)) => state.to_owned(),
            _ => return Err(invalid(format!("task '{key}' is no alert."))),
        },
        UpstreamMember::Rows | UpstreamMember::FirstRow | UpstreamMember::FirstRowColumn(_) => {
            let Some(UpstreamOutput::Rows(output)) = task.output else {
                return Err(invalid(format!("task '{key}' left no rows.")));
            };
            let kind = match (output.problem, member) {
                (Some(OutputProblem::DuplicateColumn(_)), _) => Some(ReferenceErrorKind::DuplicateColumn),
                (Some(OutputProblem::TooLarge(_)), UpstreamMember::Rows) => Some(ReferenceErrorKind::OutputTooLarge),
                (Some(OutputProblem::TooLarge(_)) | None, _) => None,
            };
            if let Some((kind, problem)) = kind.zip(output.problem) {
                return Err((kind, format!("the output of task '{key}' {problem}")));
            }
            if *member == UpstreamMember::Rows {
                return Ok(rows_text(output.rows));
            }
            let first = output.rows.first().ok_or_else(|| {
                (ReferenceErrorKind::NoRows, format!("task '{key}' gave no rows, so there is no first one."))
            })?;
            match member {
                UpstreamMember::FirstRowColumn(column) => value_text(first.get(column).ok_or_else(|| {
                    let why = format!("the rows of task '{key}' have no column '{column}'.");
                    (ReferenceErrorKind::ColumnMissing, why)
                })?),
                _ => value_text(first),
            }
        }
    })
}

/// The JSON array of `rows`, compact.
fn rows_text(rows: &[Value]) -> String {
    let rows: Vec<String> = rows.iter().map(Value::to_string).collect();
    format!("[{}]", rows.join(","))
}
