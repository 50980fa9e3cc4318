//! YAML with the place of every value, and JSON written as YAML.
//!
//! Values follow the core schema of YAML 1.2: `true` and `false` are booleans, `yes` is text. Anchors, aliases and merge
//! keys (`<<`) are resolved. Keys are text and may not repeat. A text holds one document.

mod write;

pub use write::to_yaml;

use std::collections::{BTreeMap, HashSet};
use std::fmt;

use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, Span, Tag};
use serde_json::{Map, Number, Value};

/// Deepest nesting of lists and maps that is read.
pub const DEPTH_MAX: usize = 64;
/// Most values that one text may hold once its aliases are resolved.
pub const VALUES_MAX: usize = 100_000;
/// Most bytes of a key.
pub const KEY_BYTES_MAX: usize = 512;
/// Most bytes of a text.
pub const TEXT_BYTES_MAX: usize = 4 * 1024 * 1024;

/// A value and where it begins.
#[derive(Debug, Clone, PartialEq)]
pub struct Yaml {
    /// What it is.
    pub value: YamlValue,
    /// 1-based line.
    pub line: u32,
    /// 1-based column in characters.
    pub column: u32,
}

/// What a [`Yaml`] is.
#[derive(Debug, Clone, PartialEq)]
pub enum YamlValue {
    /// `null`, `~` or nothing.
    Null,
    /// `true`, `false`
    Bool(bool),
    /// A number; its digits are kept as written as far as JSON allows.
    Number(Number),
    /// Text.
    Text(String),
    /// A sequence.
    List(Vec<Yaml>),
    /// A mapping in the order it was written.
    Map(Vec<YamlEntry>),
}

/// A key of a map with its value.
#[derive(Debug, Clone, PartialEq)]
pub struct YamlEntry {
    /// The key.
    pub key: String,
    /// 1-based line of the key.
    pub line: u32,
    /// 1-based column of the key.
    pub column: u32,
    /// The value.
    pub value: Yaml,
}

/// Why a text is not YAML that we read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct YamlError {
    /// 1-based line.
    pub line: u32,
    /// 1-based column.
    pub column: u32,
    /// A sentence.
    pub message: String,
}

impl fmt::Display for YamlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for YamlError {}

/// Reads one YAML document; an empty text is [`YamlValue::Null`].
///
/// # Errors
/// [`YamlError`] with the place: bad syntax, a second document, a key that repeats or is not text, nesting beyond
/// [`DEPTH_MAX`], more than [`VALUES_MAX`] values, a key beyond [`KEY_BYTES_MAX`], a text beyond [`TEXT_BYTES_MAX`].
pub fn parse_yaml(text: &str) -> Result<Yaml, YamlError> {
    if text.len() > TEXT_BYTES_MAX {
        return Err(error_at(1, 1, format!("A YAML text may have {TEXT_BYTES_MAX} bytes, this has {}.", text.len())));
    }
    let mut builder = Builder::default();
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| syntax_error(&error))?;
        builder.event(event, span)?;
    }
    Ok(builder.document.unwrap_or(Yaml { value: YamlValue::Null, line: 1, column: 1 }))
}

impl Yaml {
    /// The value under `key`, if this is a map that has it.
    pub fn get(&self, key: &str) -> Option<&Yaml> {
        self.entry(key).map(|entry| &entry.value)
    }

    /// The entry of `key`, if this is a map that has it.
    pub fn entry(&self, key: &str) -> Option<&YamlEntry> {
        self.entries().iter().find(|entry| entry.key == key)
    }

    /// The entries of a map; none for other values.
    pub fn entries(&self) -> &[YamlEntry] {
        match &self.value {
            YamlValue::Map(entries) => entries,
            _ => &[],
        }
    }

    /// The items of a list; none for other values.
    pub fn items(&self) -> &[Yaml] {
        match &self.value {
            YamlValue::List(items) => items,
            _ => &[],
        }
    }

    /// The text, if this is text.
    pub fn as_text(&self) -> Option<&str> {
        match &self.value {
            YamlValue::Text(text) => Some(text),
            _ => None,
        }
    }

    /// A boolean, number or text as text; nothing for null, lists and maps.
    pub fn scalar_text(&self) -> Option<String> {
        match &self.value {
            YamlValue::Bool(value) => Some(value.to_string()),
            YamlValue::Number(value) => Some(value.to_string()),
            YamlValue::Text(text) => Some(text.clone()),
            YamlValue::Null | YamlValue::List(_) | YamlValue::Map(_) => None,
        }
    }

    /// What it is, for messages: "a list".
    pub fn kind(&self) -> &'static str {
        match self.value {
            YamlValue::Null => "nothing",
            YamlValue::Bool(_) => "true or false",
            YamlValue::Number(_) => "a number",
            YamlValue::Text(_) => "text",
            YamlValue::List(_) => "a list",
            YamlValue::Map(_) => "a map",
        }
    }

    /// The same as JSON, keys in the same order.
    pub fn to_json(&self) -> Value {
        match &self.value {
            YamlValue::Null => Value::Null,
            YamlValue::Bool(value) => Value::Bool(*value),
            YamlValue::Number(value) => Value::Number(value.clone()),
            YamlValue::Text(text) => Value::String(text.clone()),
            YamlValue::List(items) => Value::Array(items.iter().map(Self::to_json).collect()),
            YamlValue::Map(entries) => Value::Object(
                entries.iter().map(|entry| (entry.key.clone(), entry.value.to_json())).collect::<Map<_, _>>(),
            ),
        }
    }

    /// The line of the value at `path` (`tasks[0].for_each_task.inputs`), for a value in a map that of its key; where the
    /// path leads nowhere, the line of the last thing on it. Nothing when not even its first step is there.
    pub fn line_at(&self, path: &str) -> Option<u32> {
        let (line, value, rest) = self.step(path)?;
        Some(value.line_at(rest).unwrap_or(line))
    }

    /// The first step of a path: line and value it leads to, and what is left of the path.
    fn step<'a>(&self, path: &'a str) -> Option<(u32, &Yaml, &'a str)> {
        if let Some((index, rest)) = path.strip_prefix('[').and_then(|path| path.split_once(']')) {
            let item = self.items().get(index.parse::<usize>().ok()?)?;
            return Some((item.line, item, rest.strip_prefix('.').unwrap_or(rest)));
        }
        // A key may hold dots itself: the longest one that fits is meant.
        let fitting = self.entries().iter().filter_map(|entry| {
            let rest = path.strip_prefix(entry.key.as_str())?;
            let ends = rest.is_empty() || rest.starts_with(['.', '[']);
            ends.then(|| (entry, rest.strip_prefix('.').unwrap_or(rest)))
        });
        let (entry, rest) = fitting.max_by_key(|(entry, _)| entry.key.len())?;
        Some((entry.line, &entry.value, rest))
    }

    fn size(&self) -> usize {
        let below: usize = match &self.value {
            YamlValue::List(items) => items.iter().map(Self::size).sum(),
            YamlValue::Map(entries) => entries.iter().map(|entry| entry.value.size()).sum(),
            _ => 0,
        };
        below + 1
    }

    fn depth(&self) -> usize {
        let below = match &self.value {
            YamlValue::List(items) => items.iter().map(Self::depth).max(),
            YamlValue::Map(entries) => entries.iter().map(|entry| entry.value.depth()).max(),
            _ => return 0,
        };
        below.unwrap_or(0) + 1
    }
}

/// Turns parser events into one tree, with a stack of the open lists and maps.
#[derive(Default)]
struct Builder {
    open: Vec<Open>,
    document: Option<Yaml>,
    anchors: BTreeMap<usize, Yaml>,
    n_values: usize,
}

struct Open {
    line: u32,
    column: u32,
    anchor: usize,
    body: OpenBody,
}

enum OpenBody {
    List(Vec<Yaml>),
    Map { entries: Vec<YamlEntry>, seen: HashSet<String>, merged: Vec<YamlEntry>, key: Option<(String, u32, u32)> },
}

impl Builder {
    fn event(&mut self, event: Event<'_>, span: Span) -> Result<(), YamlError> {
        let (line, column) = place(span);
        match event {
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => Ok(()),
            Event::DocumentStart(_) if self.document.is_some() => {
                Err(error_at(line, column, "A second document begins here; only one is read."))
            }
            Event::DocumentStart(_) => Ok(()),
            Event::Alias(anchor) => {
                let value = self.anchors.get(&anchor).cloned();
                let mut value = value.ok_or_else(|| error_at(line, column, "This alias refers to itself."))?;
                self.count(value.size(), line, column)?;
                if self.open.len() + value.depth() > DEPTH_MAX {
                    return Err(too_deep(line, column));
                }
                (value.line, value.column) = (line, column);
                self.add(value, 0)
            }
            Event::Scalar(text, style, anchor, tag) => {
                self.count(1, line, column)?;
                let value = scalar(&text, style, tag.as_deref());
                self.add(Yaml { value, line, column }, anchor)
            }
            Event::SequenceStart(anchor, _) => self.begin(line, column, anchor, OpenBody::List(Vec::new())),
            Event::MappingStart(anchor, _) => {
                let body = OpenBody::Map { entries: Vec::new(), seen: HashSet::new(), merged: Vec::new(), key: None };
                self.begin(line, column, anchor, body)
            }
            Event::SequenceEnd | Event::MappingEnd => self.end(),
        }
    }

    fn count(&mut self, n: usize, line: u32, column: u32) -> Result<(), YamlError> {
        self.n_values += n;
        if self.n_values > VALUES_MAX {
            return Err(error_at(line, column, format!("There are more than {VALUES_MAX} values up to here.")));
        }
        Ok(())
    }

    fn begin(&mut self, line: u32, column: u32, anchor: usize, body: OpenBody) -> Result<(), YamlError> {
        self.count(1, line, column)?;
        if self.open.len() >= DEPTH_MAX {
            return Err(too_deep(line, column));
        }
        if let Some(Open { body: OpenBody::Map { key: None, .. }, .. }) = self.open.last() {
            return Err(error_at(line, column, "A key must be text, not a list or a map."));
        }
        self.open.push(Open { line, column, anchor, body });
        Ok(())
    }

    fn end(&mut self) -> Result<(), YamlError> {
        let Some(Open { line, column, anchor, body }) = self.open.pop() else { return Ok(()) };
        let value = match body {
            OpenBody::List(items) => YamlValue::List(items),
            OpenBody::Map { mut entries, seen, merged, .. } => {
                entries.extend(merged.into_iter().filter(|entry| !seen.contains(&entry.key)));
                YamlValue::Map(entries)
            }
        };
        self.add(Yaml { value, line, column }, anchor)
    }

    fn add(&mut self, value: Yaml, anchor: usize) -> Result<(), YamlError> {
        if anchor != 0 {
            // What an anchor keeps counts as if it stood there twice.
            self.count(value.size(), value.line, value.column)?;
            self.anchors.insert(anchor, value.clone());
        }
        let Some(open) = self.open.last_mut() else {
            self.document = Some(value);
            return Ok(());
        };
        match &mut open.body {
            OpenBody::List(items) => items.push(value),
            OpenBody::Map { entries, seen, merged, key } => match key.take() {
                None => {
                    let text = value.scalar_text();
                    let text = text.ok_or_else(|| error_at(value.line, value.column, "A key must be text."))?;
                    if text.len() > KEY_BYTES_MAX {
                        let message = format!("A key may have {KEY_BYTES_MAX} bytes.");
                        return Err(error_at(value.line, value.column, message));
                    }
                    *key = Some((text, value.line, value.column));
                }
                Some((name, line, column)) if name == "<<" && is_map_or_maps(&value) => {
                    if !seen.insert(name) {
                        return Err(error_at(line, column, "`<<` stands twice in one map."));
                    }
                    for source in std::iter::once(&value).chain(value.items()) {
                        for entry in source.entries() {
                            if !merged.iter().any(|known| known.key == entry.key) {
                                merged.push(YamlEntry { line, column, ..entry.clone() });
                            }
                        }
                    }
                }
                Some((name, line, column)) => {
                    if !seen.insert(name.clone()) {
                        return Err(error_at(line, column, format!("The key `{name}` stands twice in one map.")));
                    }
                    entries.push(YamlEntry { key: name, line, column, value });
                }
            },
        }
        Ok(())
    }
}

fn is_map_or_maps(value: &Yaml) -> bool {
    let is_map = |value: &Yaml| matches!(value.value, YamlValue::Map(_));
    is_map(value) || !value.items().is_empty() && value.items().iter().all(is_map)
}

fn scalar(text: &str, style: ScalarStyle, tag: Option<&Tag>) -> YamlValue {
    let is_text = match tag {
        Some(tag) => tag.suffix == "str" || !tag.is_yaml_core_schema(),
        None => style != ScalarStyle::Plain,
    };
    if is_text { YamlValue::Text(text.to_owned()) } else { plain_value(text) }
}

/// What an unquoted scalar means in the core schema.
fn plain_value(text: &str) -> YamlValue {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => YamlValue::Null,
        "true" | "True" | "TRUE" => YamlValue::Bool(true),
        "false" | "False" | "FALSE" => YamlValue::Bool(false),
        _ => number(text).map_or_else(|| YamlValue::Text(text.to_owned()), YamlValue::Number),
    }
}

/// The JSON number that an unquoted scalar means, if it means one.
fn number(text: &str) -> Option<Number> {
    let radix = |digits: &str, radix: u32| u64::from_str_radix(digits, radix).ok().map(Number::from);
    if let Some(digits) = text.strip_prefix("0x") {
        return digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| radix(digits, 16)).flatten();
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| radix(digits, 8)).flatten();
    }
    let (sign, unsigned) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !digits(fraction.unwrap_or_default()) || whole.len() + fraction.map_or(0, str::len) == 0 {
        return None;
    }
    // JSON wants a digit on both sides of the point, and no zeros in front.
    let whole = whole.trim_start_matches('0');
    let mut json = format!("{sign}{}", if whole.is_empty() { "0" } else { whole });
    if let Some(fraction) = fraction {
        json.push('.');
        json.push_str(if fraction.is_empty() { "0" } else { fraction });
    }
    if let Some(exponent) = exponent {
        json.push('e');
        json.push_str(exponent);
    }
    json.parse().ok()
}

fn place(span: Span) -> (u32, u32) {
    (count(span.start.line()).max(1), count(span.start.col()).saturating_add(1))
}

fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

fn syntax_error(error: &ScanError) -> YamlError {
    let marker = error.marker();
    error_at(
        count(marker.line()).max(1),
        count(marker.col()).saturating_add(1),
        format!("This is not YAML: {}.", error.info().trim_end_matches('.')),
    )
}

fn too_deep(line: u32, column: u32) -> YamlError {
    error_at(line, column, format!("Lists and maps are nested more than {DEPTH_MAX} deep."))
}

fn error_at(line: u32, column: u32, message: impl Into<String>) -> YamlError {
    YamlError { line, column, message: message.into() }
}

#[cfg(test)]
mod tests;
