//! Reads the fields of a JSON object and says which one is wrong.

use std::fmt;

use lakelet_base::{Timestamp, nearest_name};
use serde_json::{Map, Value};

/// A field that is missing, unknown or of the wrong kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldError {
    /// Where, `recipe[2].by`; empty for the whole value.
    pub path: String,
    /// A sentence.
    pub message: String,
}

impl FieldError {
    /// An error at `path`.
    pub fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { path: path.into(), message: message.into() }
    }
}

impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() { f.write_str(&self.message) } else { write!(f, "{}: {}", self.path, self.message) }
    }
}

impl std::error::Error for FieldError {}

/// The fields of one object; [`Fields::finish`] refuses those nobody asked for.
#[derive(Debug)]
pub struct Fields<'a> {
    map: &'a Map<String, Value>,
    path: String,
    asked: Vec<&'static str>,
}

impl<'a> Fields<'a> {
    /// The fields of `value`, which stands at `path`.
    ///
    /// # Errors
    /// When `value` is not an object.
    pub fn new(value: &'a Value, path: impl Into<String>) -> Result<Self, FieldError> {
        let path = path.into();
        match value {
            Value::Object(map) => Ok(Self { map, path, asked: Vec::new() }),
            other => Err(FieldError::new(path, format!("This must be a map of keys and values, not {}.", kind(other)))),
        }
    }

    /// Path of `key`.
    pub fn path(&self, key: &str) -> String {
        join(&self.path, key)
    }

    /// The value of `key` unless it is absent or null.
    pub fn value(&mut self, key: &'static str) -> Option<&'a Value> {
        self.asked.push(key);
        self.map.get(key).filter(|value| !value.is_null())
    }

    /// A text; a number or boolean counts as its text.
    ///
    /// # Errors
    /// When it is a list or map.
    pub fn text(&mut self, key: &'static str) -> Result<Option<String>, FieldError> {
        let Some(value) = self.value(key) else { return Ok(None) };
        scalar_text(value).map(Some).ok_or_else(|| self.error(key, format!("This must be text, not {}.", kind(value))))
    }

    /// A text that must be there.
    ///
    /// # Errors
    /// When it is absent, empty, a list or a map.
    pub fn required_text(&mut self, key: &'static str) -> Result<String, FieldError> {
        let text = self.text(key)?;
        text.filter(|text| !text.trim().is_empty()).ok_or_else(|| self.error(key, format!("`{key}` is missing.")))
    }

    /// A boolean.
    ///
    /// # Errors
    /// When it is something else.
    pub fn boolean(&mut self, key: &'static str) -> Result<Option<bool>, FieldError> {
        match self.value(key) {
            None => Ok(None),
            Some(Value::Bool(value)) => Ok(Some(*value)),
            Some(other) => Err(self.error(key, format!("This must be true or false, not {}.", kind(other)))),
        }
    }

    /// A whole number from 0 on.
    ///
    /// # Errors
    /// When it is something else.
    pub fn count(&mut self, key: &'static str) -> Result<Option<u64>, FieldError> {
        let Some(value) = self.value(key) else { return Ok(None) };
        value.as_u64().map(Some).ok_or_else(|| self.error(key, "This must be a whole number, 0 or more."))
    }

    /// An instant, `2026-03-02T09:00:00Z`.
    ///
    /// # Errors
    /// When it is something else.
    pub fn instant(&mut self, key: &'static str) -> Result<Option<Timestamp>, FieldError> {
        let Some(text) = self.text(key)? else { return Ok(None) };
        Timestamp::parse_rfc3339(&text).map(Some).map_err(|error| self.error(key, format!("{error}.")))
    }

    /// A map of texts, in its order.
    ///
    /// # Errors
    /// When it is not a map, or one of its values is a list, a map or null.
    pub fn texts(&mut self, key: &'static str) -> Result<Vec<(String, String)>, FieldError> {
        let Some(value) = self.value(key) else { return Ok(Vec::new()) };
        let Value::Object(map) = value else {
            return Err(self.error(key, format!("This must be a map of names and values, not {}.", kind(value))));
        };
        map.iter()
            .map(|(name, value)| {
                let text = scalar_text(value).filter(|_| !value.is_null());
                let text = text.ok_or_else(|| {
                    FieldError::new(join(&self.path(key), name), format!("This must be text, not {}.", kind(value)))
                })?;
                Ok((name.clone(), text))
            })
            .collect()
    }

    /// A list; one value that is not a list counts as a list of one.
    pub fn list(&mut self, key: &'static str) -> &'a [Value] {
        match self.value(key) {
            None => &[],
            Some(Value::Array(items)) => items,
            Some(other) => std::slice::from_ref(other),
        }
    }

    /// An error at `key`.
    pub fn error(&self, key: &str, message: impl Into<String>) -> FieldError {
        FieldError::new(self.path(key), message)
    }

    /// Done with this object.
    ///
    /// # Errors
    /// Names the first key that nobody asked for, and the likely one.
    pub fn finish(self) -> Result<(), FieldError> {
        match self.map.keys().find(|key| !self.asked.contains(&key.as_str())) {
            None => Ok(()),
            Some(key) => {
                let hint = match nearest_name(key, self.asked.iter().copied()) {
                    Some(known) => format!("Did you mean `{known}`?"),
                    None => format!("Known here: {}.", self.asked.join(", ")),
                };
                Err(self.error(key, format!("`{key}` means nothing here. {hint}")))
            }
        }
    }
}

/// The text of a text, number or boolean.
pub fn scalar_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(value) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// What a value is, for messages.
pub(crate) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "a map",
    }
}

/// `path.key`, or `key` at the top.
pub(crate) fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}
