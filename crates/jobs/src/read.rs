//! Reading settings: typed access to JSON objects that notes every problem with its path and goes on.

use indexmap::IndexMap;
use lakelet_base::{Limits, nearest_name};
use serde_json::{Map, Value};

use crate::problem::{Problem, ProblemKind, Severity};
use crate::value::value_text;

/// How paths to notebooks and files are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PathStyle {
    /// As the Jobs API takes them: workspace paths begin with `/`.
    #[default]
    Service,
    /// As bundles write them: relative to the file that has them, or absolute.
    Bundle,
}

/// What validation goes by.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ValidateOptions {
    /// Bounds; validation reads those of tasks and For each.
    pub limits: Limits,
    /// How paths are written.
    pub paths: PathStyle,
}

/// Collects problems while settings are read.
pub(crate) struct Reader<'o> {
    pub(crate) options: &'o ValidateOptions,
    /// Whether the job has a `git_source`, so that paths are relative unless they say otherwise.
    pub(crate) has_git_source: bool,
    pub(crate) problems: Vec<Problem>,
}

impl<'o> Reader<'o> {
    pub(crate) fn new(options: &'o ValidateOptions) -> Self {
        Self { options, has_git_source: false, problems: Vec::new() }
    }

    pub(crate) fn error(&mut self, kind: ProblemKind, path: impl Into<String>, message: impl Into<String>) {
        let problem = Problem { kind, path: path.into(), message: message.into(), severity: Severity::Error };
        self.problems.push(problem);
    }

    pub(crate) fn warning(&mut self, kind: ProblemKind, path: impl Into<String>, message: impl Into<String>) {
        let problem = Problem { kind, path: path.into(), message: message.into(), severity: Severity::Warning };
        self.problems.push(problem);
    }

    fn wrong_type(&mut self, path: &str, value: &Value, wanted: &str) {
        let found = match value {
            Value::Null => "null",
            Value::Bool(_) => "true or false",
            Value::Number(_) => "a number",
            Value::String(_) => "text",
            Value::Array(_) => "a list",
            Value::Object(_) => "an object",
        };
        self.error(ProblemKind::WrongType, path, format!("'{}' must be {wanted}, not {found}.", last_part(path)));
    }
}

/// One JSON object of the settings and its path.
#[derive(Clone)]
pub(crate) struct Fields<'v> {
    object: &'v Map<String, Value>,
    path: String,
}

impl<'v> Fields<'v> {
    pub(crate) fn new(object: &'v Map<String, Value>, path: impl Into<String>) -> Self {
        Self { object, path: path.into() }
    }

    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    /// The path of one field.
    pub(crate) fn at(&self, key: &str) -> String {
        join(&self.path, key)
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = &'v str> {
        self.object.keys().map(String::as_str)
    }

    /// The field's value; null counts as absent.
    pub(crate) fn get(&self, key: &str) -> Option<&'v Value> {
        self.object.get(key).filter(|value| !value.is_null())
    }

    pub(crate) fn has(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// The field's value, with a problem when it is absent.
    pub(crate) fn required(&self, key: &str, reader: &mut Reader<'_>) -> Option<&'v Value> {
        let value = self.get(key);
        if value.is_none() {
            let path = self.at(key);
            let message = format!("Missing required field: settings.{}.", without_indices(&path));
            reader.error(ProblemKind::MissingRequired, path, message);
        }
        value
    }

    /// A text that must be there; empty (with a problem) when it is not.
    pub(crate) fn required_text(&self, key: &str, reader: &mut Reader<'_>) -> String {
        self.required(key, reader);
        self.text(key, reader).unwrap_or_default()
    }

    pub(crate) fn text(&self, key: &str, reader: &mut Reader<'_>) -> Option<String> {
        match self.get(key)? {
            Value::String(text) => Some(text.clone()),
            other => {
                reader.wrong_type(&self.at(key), other, "text");
                None
            }
        }
    }

    /// A text, number or truth value, as text.
    pub(crate) fn scalar(&self, key: &str, reader: &mut Reader<'_>) -> Option<String> {
        match self.get(key)? {
            value @ (Value::Array(_) | Value::Object(_)) => {
                reader.wrong_type(&self.at(key), value, "text");
                None
            }
            value => Some(value_text(value)),
        }
    }

    pub(crate) fn boolean(&self, key: &str, reader: &mut Reader<'_>) -> Option<bool> {
        match self.get(key)? {
            Value::Bool(value) => Some(*value),
            other => {
                reader.wrong_type(&self.at(key), other, "true or false");
                None
            }
        }
    }

    pub(crate) fn integer(&self, key: &str, reader: &mut Reader<'_>) -> Option<i64> {
        let value = self.get(key)?;
        let number = value.as_i64();
        if number.is_none() {
            reader.wrong_type(&self.at(key), value, "a whole number");
        }
        number
    }

    /// A whole number, with a problem when it is below `least`.
    pub(crate) fn integer_from(&self, key: &str, least: i64, reader: &mut Reader<'_>) -> Option<i64> {
        let number = self.integer(key, reader)?;
        if number < least {
            let message = format!("'{key}' is {number}; the least value is {least}.");
            reader.error(ProblemKind::BelowMinimum, self.at(key), message);
            return None;
        }
        Some(number)
    }

    /// One of the given words.
    pub(crate) fn choice<T: Copy>(&self, key: &str, choices: &[(&str, T)], reader: &mut Reader<'_>) -> Option<T> {
        let word = self.text(key, reader)?;
        let found = choices.iter().find(|(name, _)| *name == word).map(|(_, value)| *value);
        if found.is_none() {
            let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
            let hint = nearest_name(&word, names.iter().copied())
                .map(|nearest| format!(" Did you mean {nearest}?"))
                .unwrap_or_default();
            let message = format!("'{word}' is no value of '{key}'. It is one of {}.{hint}", names.join(", "));
            reader.error(ProblemKind::BadEnum, self.at(key), message);
        }
        found
    }

    pub(crate) fn object(&self, key: &str, reader: &mut Reader<'_>) -> Option<Fields<'v>> {
        match self.get(key)? {
            Value::Object(object) => Some(Fields::new(object, self.at(key))),
            other => {
                reader.wrong_type(&self.at(key), other, "an object");
                None
            }
        }
    }

    /// An object that must be there.
    pub(crate) fn required_object(&self, key: &str, reader: &mut Reader<'_>) -> Option<Fields<'v>> {
        self.required(key, reader);
        self.object(key, reader)
    }

    /// The elements of a list with their paths; none when it is absent.
    pub(crate) fn list(&self, key: &str, reader: &mut Reader<'_>) -> Vec<(&'v Value, String)> {
        match self.get(key) {
            None => Vec::new(),
            Some(Value::Array(items)) => {
                let path = self.at(key);
                items.iter().enumerate().map(|(index, item)| (item, format!("{path}[{index}]"))).collect()
            }
            Some(other) => {
                reader.wrong_type(&self.at(key), other, "a list");
                Vec::new()
            }
        }
    }

    /// The elements of a list of objects.
    pub(crate) fn objects(&self, key: &str, reader: &mut Reader<'_>) -> Vec<Fields<'v>> {
        let mut objects = Vec::new();
        for (item, path) in self.list(key, reader) {
            match item {
                Value::Object(object) => objects.push(Fields::new(object, path)),
                other => reader.wrong_type(&path, other, "an object"),
            }
        }
        objects
    }

    /// A list of texts; numbers and truth values are taken as their text.
    pub(crate) fn texts(&self, key: &str, reader: &mut Reader<'_>) -> Vec<String> {
        let mut texts = Vec::new();
        for (item, path) in self.list(key, reader) {
            match item {
                Value::Null | Value::Array(_) | Value::Object(_) => reader.wrong_type(&path, item, "text"),
                scalar => texts.push(value_text(scalar)),
            }
        }
        texts
    }

    /// An object whose values are text; numbers and truth values are taken as their text, as bundles do.
    pub(crate) fn text_map(&self, key: &str, reader: &mut Reader<'_>) -> IndexMap<String, String> {
        let Some(fields) = self.object(key, reader) else {
            return IndexMap::new();
        };
        let texts = fields.keys().filter_map(|name| Some((name.to_owned(), fields.scalar(name, reader)?)));
        texts.collect()
    }
}

/// The path of the field `key` of the object at `path`.
pub(crate) fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

fn last_part(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}

/// `tasks[0].task_key` as the service writes it in its messages: `tasks.task_key`.
fn without_indices(path: &str) -> String {
    let mut inside = false;
    path.chars()
        .filter(|c| {
            match c {
                '[' => inside = true,
                ']' => {
                    inside = false;
                    return false;
                }
                _ => {}
            }
            !inside
        })
        .collect()
}

/// Checks a workspace or Git path. Paths that hold references or bundle variables are known only at run time.
pub(crate) fn check_path(text: &str, source: Option<Source>, at: String, reader: &mut Reader<'_>) {
    if text.is_empty() || text.contains("{{") || text.contains("${") {
        return;
    }
    let in_git = source.map_or(reader.has_git_source, |source| source == Source::Git);
    if in_git {
        if text.starts_with('/') || text.starts_with("./") {
            let message = format!("'{text}' is a path in a Git repository: write it without a leading '/' or './'.");
            reader.error(ProblemKind::PathNotRelative, at, message);
        }
    } else if !text.starts_with('/') && reader.options.paths == PathStyle::Service {
        let message = format!("'{text}' is a workspace path and must be absolute, such as /Workspace/{text}.");
        reader.error(ProblemKind::PathNotAbsolute, at, message);
    }
}

/// Where a notebook or file comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The workspace.
    Workspace,
    /// The job's Git repository.
    Git,
}

/// The words of [`Source`].
pub(crate) const SOURCES: &[(&str, Source)] = &[("WORKSPACE", Source::Workspace), ("GIT", Source::Git)];
