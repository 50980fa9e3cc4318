//! From the JSON of a result's cell to the JSON of an output's cell.

use std::str::FromStr;

use lakelet_base::Timestamp;
use serde_json::{Map, Number, Value};

use crate::value::value_text;

/// Types nest no deeper than this; what lies deeper is passed on as it is.
const DEPTH_MAX: usize = 32;

/// As much of a type as the conversion has to know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CellType {
    /// Text in results where a double could not hold it; always a number here.
    Number,
    Timestamp,
    TimestampNtz,
    Array(Box<CellType>),
    Map(Box<CellType>, Box<CellType>),
    /// Types of the fields, in order.
    Struct(Vec<CellType>),
    /// Everything whose JSON stays as it is.
    Other,
}

impl CellType {
    /// Reads a simple string such as `array<struct<a:int,b:timestamp>>`; what it does not know is [`CellType::Other`].
    pub(super) fn parse(type_name: &str) -> Self {
        Self::parse_at(type_name.trim(), 0)
    }

    fn parse_at(text: &str, depth: usize) -> Self {
        let lower = text.to_ascii_lowercase();
        let inner = |name: &str| -> Option<&str> {
            let rest = lower.strip_prefix(name)?.trim_start();
            (rest.starts_with('<') && rest.ends_with('>') && depth < DEPTH_MAX)
                .then(|| text.get(text.len() - rest.len() + 1..text.len() - 1))?
        };
        let parse = |part: &str| Self::parse_at(part.trim(), depth + 1);
        if let Some(element) = inner("array") {
            return Self::Array(Box::new(parse(element)));
        }
        if let Some(pair) = inner("map") {
            if let [key, value] = split_outside(pair, ',').as_slice() {
                return Self::Map(Box::new(parse(key)), Box::new(parse(value)));
            }
            return Self::Other;
        }
        if let Some(fields) = inner("struct") {
            let types = split_outside(fields, ',').into_iter().map(|field| {
                let parts = split_outside(field, ':');
                // A field is `name:type`; a type never holds a colon outside of brackets.
                parts.get(1).map_or(Self::Other, |type_name| parse(type_name))
            });
            return Self::Struct(types.collect());
        }
        match lower.as_str() {
            "tinyint" | "smallint" | "int" | "bigint" | "byte" | "short" | "integer" | "long" => Self::Number,
            "timestamp" | "timestamp_ltz" => Self::Timestamp,
            "timestamp_ntz" => Self::TimestampNtz,
            _ if lower.starts_with("decimal") || lower.starts_with("numeric") => Self::Number,
            _ => Self::Other,
        }
    }

    /// Converts one cell; sets `cut` when a timestamp loses microseconds.
    pub(super) fn to_output(&self, cell: Value, cut: &mut bool) -> Value {
        match (self, cell) {
            (Self::Number, Value::String(text)) => Number::from_str(&text).map_or(Value::String(text), Value::Number),
            (Self::Timestamp, Value::String(text)) => Value::String(with_millis(text, "", cut)),
            (Self::TimestampNtz, Value::String(text)) => Value::String(with_millis(text, "Z", cut)),
            (Self::Array(element), Value::Array(cells)) => {
                Value::Array(cells.into_iter().map(|cell| element.to_output(cell, cut)).collect())
            }
            (Self::Map(key, value), Value::Array(pairs)) => {
                let mut object = Map::new();
                for pair in pairs {
                    let Value::Array(pair) = pair else { continue };
                    let mut pair = pair.into_iter();
                    let name = key.to_output(pair.next().unwrap_or(Value::Null), cut);
                    object.insert(value_text(&name), value.to_output(pair.next().unwrap_or(Value::Null), cut));
                }
                Value::Object(object)
            }
            (Self::Struct(types), Value::Object(fields)) => {
                let types = types.iter().chain(std::iter::repeat(&Self::Other));
                let convert = |((name, cell), cell_type): ((String, Value), &Self)| {
                    let cell = cell_type.to_output(cell, cut);
                    (name, cell)
                };
                Value::Object(fields.into_iter().zip(types).map(convert).collect())
            }
            (_, cell) => cell,
        }
    }
}

/// The same instant with milliseconds; `zone` is what `text` lacks to be RFC 3339. Instants outside of years 1 to 9999
/// stay as they are.
fn with_millis(text: String, zone: &str, cut: &mut bool) -> String {
    let Ok(instant) = Timestamp::parse_rfc3339(&format!("{text}{zone}")) else {
        return text;
    };
    *cut |= instant.subsecond_micros() % 1_000 != 0;
    let millis = instant.to_rfc3339_millis();
    millis.strip_suffix(zone).unwrap_or(&millis).to_owned()
}

/// The parts of `text` between separators that stand outside of brackets and back-ticks.
fn split_outside(text: &str, separator: char) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut quoted, mut start) = (0_usize, false, 0);
    for (index, c) in text.char_indices() {
        match c {
            '`' => quoted = !quoted,
            '<' | '(' if !quoted => depth += 1,
            '>' | ')' if !quoted => depth = depth.saturating_sub(1),
            _ if c == separator && depth == 0 && !quoted => {
                parts.push(&text[start..index]);
                start = index + c.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}
