//! Dynamic value references: `{{job.id}}`, `{{tasks.read.output.rows}}`, `{{input.market}}`.
//!
//! A reference stands in double braces and is replaced by text. There are no expressions. What is no reference by its
//! form, or names nothing of a known namespace, is left as it is; a wrong member of a known namespace is an error.

mod context;
mod resolve;
#[cfg(test)]
mod tests;
mod time;

use std::fmt;

pub use context::{
    JobContext, OutputRows, ReferenceContext, TableUpdate, TaskContext, Trigger, TriggerKind, UpstreamOutput,
    UpstreamTask,
};
pub use resolve::{ReferenceError, ReferenceErrorKind, resolve};
pub use time::TimePart;

/// What a reference asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reference {
    /// `job.id`
    JobId,
    /// `job.name`
    JobName,
    /// `job.run_id`
    JobRunId,
    /// `job.repair_count`
    JobRepairCount,
    /// `job.start_time.…`
    JobStartTime(TimePart),
    /// `job.parameters.…`
    JobParameter(String),
    /// `job.trigger.type`
    TriggerType,
    /// `job.trigger.time.…`
    TriggerTime(TimePart),
    /// `job.trigger.file_arrival.location`
    TriggerFileLocation,
    /// `job.trigger.table_update.updated_tables`
    TriggerUpdatedTables,
    /// `job.trigger.table_update.<table>.commit_timestamp.…`
    TriggerCommitTimestamp(String, TimePart),
    /// `job.trigger.table_update.<table>.version`
    TriggerTableVersion(String),
    /// `task.name`
    TaskName,
    /// `task.run_id`
    TaskRunId,
    /// `task.execution_count`
    TaskExecutionCount,
    /// `task.notebook_path`
    TaskNotebookPath,
    /// The deprecated `task_retry_count`.
    TaskRetryCount,
    /// `tasks.<task>.…`
    Upstream {
        /// Key of the task.
        task: String,
        /// What of it.
        member: UpstreamMember,
    },
    /// `input`, with the keys that lead into it; none for the whole element.
    Input(Vec<String>),
    /// `backfill.…`
    Backfill(TimePart),
    /// `workspace.id`
    WorkspaceId,
    /// `workspace.url`
    WorkspaceUrl,
}

/// What a reference asks of a task that ended before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UpstreamMember {
    /// `run_id`
    RunId,
    /// `execution_count`
    ExecutionCount,
    /// `result_state`
    ResultState,
    /// `error_code`
    ErrorCode,
    /// `values.<key>`
    Value(String),
    /// `output.rows`
    Rows,
    /// `output.first_row`
    FirstRow,
    /// `output.first_row.<column>`
    FirstRowColumn(String),
    /// `output.alert_state`
    AlertState,
}

impl UpstreamMember {
    /// Whether it belongs to the `output` namespace.
    pub fn is_output(&self) -> bool {
        matches!(self, Self::Rows | Self::FirstRow | Self::FirstRowColumn(_) | Self::AlertState)
    }
}

/// A text cut into what stays and what is replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template<'a> {
    /// In the order of the text; joined they give the text again.
    pub pieces: Vec<Piece<'a>>,
}

/// A piece of a [`Template`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece<'a> {
    /// Stays as it is.
    Text(&'a str),
    /// Is replaced.
    Reference {
        /// As it is written, braces included.
        source: &'a str,
        /// What it asks for.
        reference: Reference,
    },
    /// Names a known namespace but no member of it.
    Invalid {
        /// As it is written, braces included.
        source: &'a str,
        /// What is wrong, for a reader.
        message: String,
    },
}

impl<'a> Template<'a> {
    /// Cuts `text`. Never fails: what is no reference is text.
    pub fn parse(text: &'a str) -> Self {
        let mut pieces = Vec::new();
        let mut text_start = 0;
        let mut search_from = 0;
        while let Some(found) = text[search_from..].find("{{") {
            let start = search_from + found;
            // Only one brace is passed: in "{{{job.id}}}" the reference begins at the second.
            search_from = start + 1;
            let Some((names, length)) = identifiers(&text[start..]) else {
                continue;
            };
            let source = &text[start..start + length];
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let piece = match classify(&names) {
                Class::Reference(reference) => Piece::Reference { source, reference },
                Class::Invalid(message) => Piece::Invalid { source, message: format!("{source}: {message}") },
                Class::Literal => continue,
            };
            if text_start < start {
                pieces.push(Piece::Text(&text[text_start..start]));
            }
            pieces.push(piece);
            text_start = start + length;
            search_from = text_start;
        }
        if text_start < text.len() {
            pieces.push(Piece::Text(&text[text_start..]));
        }
        Self { pieces }
    }

    /// Whether anything is replaced, or would be if it were valid.
    pub fn has_references(&self) -> bool {
        self.pieces.iter().any(|piece| !matches!(piece, Piece::Text(_)))
    }

    /// The valid references, in order.
    pub fn references(&self) -> impl Iterator<Item = &Reference> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Reference { reference, .. } => Some(reference),
            Piece::Text(_) | Piece::Invalid { .. } => None,
        })
    }
}

/// Reads `{{ name.name }}` at the beginning of `text`: the names, and the length of the whole. A name is made of
/// letters, digits and underscores, or of anything in back-ticks, where two of them stand for one.
fn identifiers(text: &str) -> Option<(Vec<String>, usize)> {
    let inner = text.strip_prefix("{{")?;
    let mut rest = inner.trim_start();
    let mut names = Vec::new();
    loop {
        let name;
        (name, rest) = identifier(rest)?;
        names.push(name);
        match rest.strip_prefix('.') {
            Some(after) => rest = after,
            None => break,
        }
    }
    let after = rest.trim_start().strip_prefix("}}")?;
    Some((names, text.len() - after.len()))
}

fn identifier(text: &str) -> Option<(String, &str)> {
    if let Some(quoted) = text.strip_prefix('`') {
        let mut name = String::new();
        let mut rest = quoted;
        loop {
            let (part, after) = rest.split_once('`')?;
            name.push_str(part);
            match after.strip_prefix('`') {
                Some(more) => {
                    name.push('`');
                    rest = more;
                }
                None => return (!name.is_empty()).then_some((name, after)),
            }
        }
    }
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(text.len());
    (end > 0).then(|| (text[..end].to_owned(), &text[end..]))
}

enum Class {
    Reference(Reference),
    Invalid(String),
    Literal,
}

/// What a list of names means.
fn classify(names: &[&str]) -> Class {
    let known = match names {
        // Deprecated names from before there were namespaces.
        ["job_id"] => Reference::JobId,
        ["run_id"] => Reference::TaskRunId,
        ["task_key"] => Reference::TaskName,
        ["start_date"] => Reference::JobStartTime(TimePart::IsoDate),
        ["start_time"] => Reference::JobStartTime(TimePart::TimestampMs),
        ["task_retry_count"] => Reference::TaskRetryCount,
        ["parent_run_id"] => Reference::JobRunId,

        ["input", keys @ ..] => Reference::Input(keys.iter().map(|key| (*key).to_owned()).collect()),
        ["job", member @ ..] if !member.is_empty() => return member_of("job", job_member(member), JOB_MEMBERS),
        ["task", member @ ..] if !member.is_empty() => return member_of("task", task_member(member), TASK_MEMBERS),
        ["tasks", task, member @ ..] => {
            let task_name = (*task).to_owned();
            let reference = upstream_member(member).map(|member| Reference::Upstream { task: task_name, member });
            return member_of("tasks.<task>", reference, UPSTREAM_MEMBERS);
        }
        ["backfill", member @ ..] if !member.is_empty() => {
            return member_of("backfill", time_part(member).map(Reference::Backfill), &TimePart::names());
        }
        ["workspace", member @ ..] if !member.is_empty() => {
            let reference = match member {
                ["id"] => Some(Reference::WorkspaceId),
                ["url"] => Some(Reference::WorkspaceUrl),
                _ => None,
            };
            return member_of("workspace", reference, "id, url");
        }
        _ => return Class::Literal,
    };
    Class::Reference(known)
}

const JOB_MEMBERS: &str = "id, name, run_id, repair_count, start_time.<part>, parameters.<name>, trigger.type";
const TASK_MEMBERS: &str = "name, run_id, execution_count, notebook_path";
const UPSTREAM_MEMBERS: &str = "run_id, execution_count, result_state, error_code, values.<key>, output.rows, \
                                output.first_row, output.first_row.<column>, output.alert_state";

fn member_of(namespace: &str, reference: Option<Reference>, members: &str) -> Class {
    reference.map_or_else(
        || Class::Invalid(format!("'{namespace}' has no such member. It has {members}.")),
        Class::Reference,
    )
}

fn job_member(names: &[&str]) -> Option<Reference> {
    Some(match names {
        ["id"] => Reference::JobId,
        ["name"] => Reference::JobName,
        ["run_id"] => Reference::JobRunId,
        ["repair_count"] => Reference::JobRepairCount,
        ["start_time", part @ ..] => Reference::JobStartTime(time_part(part)?),
        ["parameters", name] => Reference::JobParameter((*name).to_owned()),
        ["trigger", "type"] => Reference::TriggerType,
        ["trigger", "time", part @ ..] => Reference::TriggerTime(time_part(part)?),
        ["trigger", "file_arrival", "location"] => Reference::TriggerFileLocation,
        ["trigger", "table_update", "updated_tables"] => Reference::TriggerUpdatedTables,
        // A table's name has dots itself, in back-ticks or not.
        ["trigger", "table_update", table @ .., "version"] if !table.is_empty() => {
            Reference::TriggerTableVersion(table.join("."))
        }
        ["trigger", "table_update", table @ .., "commit_timestamp", part] if !table.is_empty() => {
            Reference::TriggerCommitTimestamp(table.join("."), TimePart::from_name(part)?)
        }
        _ => return None,
    })
}

fn task_member(names: &[&str]) -> Option<Reference> {
    Some(match names {
        ["name"] => Reference::TaskName,
        ["run_id"] => Reference::TaskRunId,
        ["execution_count"] => Reference::TaskExecutionCount,
        ["notebook_path"] => Reference::TaskNotebookPath,
        _ => return None,
    })
}

fn upstream_member(names: &[&str]) -> Option<UpstreamMember> {
    Some(match names {
        ["run_id"] => UpstreamMember::RunId,
        ["execution_count"] => UpstreamMember::ExecutionCount,
        ["result_state"] => UpstreamMember::ResultState,
        ["error_code"] => UpstreamMember::ErrorCode,
        ["values", key] => UpstreamMember::Value((*key).to_owned()),
        ["output", "rows"] => UpstreamMember::Rows,
        ["output", "first_row"] => UpstreamMember::FirstRow,
        ["output", "first_row", column] => UpstreamMember::FirstRowColumn((*column).to_owned()),
        ["output", "alert_state"] => UpstreamMember::AlertState,
        _ => return None,
    })
}

fn time_part(names: &[&str]) -> Option<TimePart> {
    match names {
        [name] => TimePart::from_name(name),
        _ => None,
    }
}

impl fmt::Display for Template<'_> {
    /// The text it was cut from.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pieces.iter().try_for_each(|piece| match piece {
            Piece::Text(text) => f.write_str(text),
            Piece::Reference { source, .. } | Piece::Invalid { source, .. } => f.write_str(source),
        })
    }
}
