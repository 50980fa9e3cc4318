//! JSON as block-style YAML that any YAML 1.1 or 1.2 reader reads back to the same JSON.

use serde_json::{Map, Value};

/// Writes `value` as YAML: two blanks per level, keys in their order, multi-line texts as `|` blocks, text in quotes only
/// where a reader could take it for something else. Ends with a line break.
pub fn to_yaml(value: &Value) -> String {
    let mut out = String::new();
    match value {
        Value::Object(map) if !map.is_empty() => write_map(map, 0, false, &mut out),
        Value::Array(items) if !items.is_empty() => write_list(items, 0, &mut out),
        _ => {
            write_scalar(value, 0, &mut out);
            out.push('\n');
        }
    }
    out
}

/// Writes a map whose keys are indented by `indent` blanks; the first one not if something (`- `) precedes it.
fn write_map(map: &Map<String, Value>, indent: usize, mut inline_first: bool, out: &mut String) {
    for (key, value) in map {
        if !inline_first {
            pad(indent, out);
        }
        inline_first = false;
        if is_plain(key) {
            out.push_str(key);
        } else {
            write_quoted(key, out);
        }
        out.push(':');
        match value {
            Value::Object(map) if !map.is_empty() => {
                out.push('\n');
                write_map(map, indent + 2, false, out);
            }
            Value::Array(items) if !items.is_empty() => {
                out.push('\n');
                write_list(items, indent + 2, out);
            }
            _ => {
                out.push(' ');
                write_scalar(value, indent + 2, out);
                out.push('\n');
            }
        }
    }
}

fn write_list(items: &[Value], indent: usize, out: &mut String) {
    for item in items {
        pad(indent, out);
        out.push_str("- ");
        match item {
            Value::Object(map) if !map.is_empty() => write_map(map, indent + 2, true, out),
            // A list in a list is rare and short: one line says it well.
            Value::Array(_) => {
                out.push_str(&flow(item));
                out.push('\n');
            }
            _ => {
                write_scalar(item, indent + 2, out);
                out.push('\n');
            }
        }
    }
}

/// Writes a value that fits behind `key: `; the lines of a block text are indented by `indent`.
fn write_scalar(value: &Value, indent: usize, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::Number(number) => out.push_str(&number.to_string()),
        Value::String(text) if is_block(text) => {
            out.push_str(if text.ends_with('\n') { "|\n" } else { "|-\n" });
            let body = text.strip_suffix('\n').unwrap_or(text);
            for (index, line) in body.split('\n').enumerate() {
                if index > 0 {
                    out.push('\n');
                }
                if !line.is_empty() {
                    pad(indent, out);
                    out.push_str(line);
                }
            }
        }
        Value::String(text) if is_plain(text) => out.push_str(text),
        Value::String(text) => write_quoted(text, out),
        Value::Array(_) | Value::Object(_) => out.push_str(&flow(value)),
    }
}

/// On one line, as JSON, which YAML can read; only what JSON escapes otherwise than YAML is written as YAML has it.
fn flow(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(flow).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(map) => {
            let entries: Vec<String> =
                map.iter().map(|(key, value)| format!("{}: {}", quoted(key), flow(value))).collect();
            format!("{{{}}}", entries.join(", "))
        }
        Value::String(text) => quoted(text),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}

fn pad(indent: usize, out: &mut String) {
    out.extend(std::iter::repeat_n(' ', indent));
}

/// Whether a text reads best, and safely, as a `|` block.
fn is_block(text: &str) -> bool {
    let body = text.strip_suffix('\n').unwrap_or(text);
    body.contains('\n')
        && !body.starts_with(['\n', ' ', '\t'])
        && !body.ends_with('\n')
        && body.chars().all(|c| c == '\n' || c == '\t' || is_printable(c))
        && body.split('\n').all(|line| !line.starts_with('\t') && !line.trim_end().is_empty() || line.is_empty())
}

/// Whether a one-line text may stand without quotes, for readers of YAML 1.1 too.
fn is_plain(text: &str) -> bool {
    let Some(first) = text.chars().next() else { return false };
    let is_path = text.starts_with("./") || text.starts_with("../");
    let starts_well = is_path || first.is_alphabetic() || matches!(first, '_' | '/' | '$' | '(');
    let ends_well = !text.ends_with([' ', ':']);
    let means_text = !matches!(
        text.to_ascii_lowercase().as_str(),
        "y" | "n" | "yes" | "no" | "on" | "off" | "true" | "false" | "null"
    );
    starts_well
        && ends_well
        && means_text
        && text.chars().all(is_printable)
        && !text.contains(": ")
        && !text.contains(" #")
}

fn is_printable(c: char) -> bool {
    !c.is_control() && !matches!(c, '\u{85}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

fn quoted(text: &str) -> String {
    let mut out = String::new();
    write_quoted(text, &mut out);
    out
}

fn write_quoted(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if is_printable(c) => out.push(c),
            c if u32::from(c) > 0xffff => out.push_str(&format!("\\U{:08x}", u32::from(c))),
            c => out.push_str(&format!("\\u{:04x}", u32::from(c))),
        }
    }
    out.push('"');
}
