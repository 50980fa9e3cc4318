//! The `:name` parameters of a script: found, typed, sent.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::state::tabs::{ParameterInput, ParameterKind};

/// The names of the parameters in a script, in the order of their first use. Strings, quoted names and comments do not
/// count, nor does what follows another colon or a name (`a:b` reads a field).
pub fn parameter_names(script: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (offset, before) in plain_characters(script) {
        let Some(after) = script[offset..].strip_prefix(':') else { continue };
        if is_part_of_name(before) || matches!(before, ':' | ')' | ']') {
            continue;
        }
        let length = after.find(|c: char| !is_part_of_name(c)).unwrap_or(after.len());
        let name = &after[..length];
        let is_name = !name.is_empty() && !name.starts_with(|c: char| c.is_ascii_digit());
        if is_name && !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    names
}

/// Offsets of the characters that stand neither in strings nor in quoted names or comments, each with the character
/// before it; a blank at the start.
pub(super) fn plain_characters(script: &str) -> impl Iterator<Item = (usize, char)> {
    let mut offset = 0;
    let mut before = ' ';
    std::iter::from_fn(move || {
        loop {
            let rest = script.get(offset..)?;
            let character = rest.chars().next()?;
            let skipped = match character {
                '\'' | '"' | '`' => Some(quoted(rest, character)),
                '-' if rest.starts_with("--") => Some(rest.find('\n').unwrap_or(rest.len())),
                '/' if rest.starts_with("/*") => Some(comment(rest)),
                _ => None,
            };
            let (here, known) = (offset, before);
            offset += skipped.unwrap_or(character.len_utf8());
            before = script[here..offset].chars().last().unwrap_or(before);
            if skipped.is_none() {
                return Some((here, known));
            }
        }
    })
}

pub(super) fn is_part_of_name(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// Bytes of a quoted piece at the start; a doubled quotation mark or one behind a backslash does not end it.
fn quoted(text: &str, quote: char) -> usize {
    let mut characters = text.char_indices().skip(1).peekable();
    while let Some((index, character)) = characters.next() {
        if character == '\\' && quote != '`' {
            characters.next();
        } else if character == quote {
            if characters.peek().is_some_and(|(_, next)| *next == quote) {
                characters.next();
            } else {
                return index + quote.len_utf8();
            }
        }
    }
    text.len()
}

/// Bytes of a comment at the start; comments nest.
fn comment(text: &str) -> usize {
    let mut depth = 0_u32;
    let mut index = 0;
    while index < text.len() {
        let rest = &text[index..];
        if rest.starts_with("/*") {
            depth += 1;
            index += 2;
        } else if rest.starts_with("*/") {
            depth -= 1;
            index += 2;
            if depth == 0 {
                return index;
            }
        } else {
            index += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

/// The values to send: only of parameters that the reader filled in. A number that is none goes as text, so that the
/// engine can say what is wrong with it.
pub fn values(names: &[String], inputs: &BTreeMap<String, ParameterInput>) -> Map<String, Value> {
    names
        .iter()
        .filter_map(|name| {
            let input = inputs.get(name)?;
            let text = input.text.trim();
            let value = match input.kind {
                ParameterKind::Text => Value::String(input.text.clone()),
                ParameterKind::Number => text.parse().map_or_else(|_| Value::String(input.text.clone()), Value::Number),
                ParameterKind::Boolean => text.parse().map_or_else(|_| Value::String(input.text.clone()), Value::Bool),
                ParameterKind::Null => Value::Null,
            };
            Some((name.clone(), value))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_found_outside_quotes_and_comments() {
        let script = "SELECT :market, ':no', \"it's :no\", `:no`, a:b, x::int, f(:n1) -- :no\n/* :no /* :no */ :no */ + :market=:é";
        assert_eq!(parameter_names(script), ["market", "n1", "é"]);
    }

    #[test]
    fn odd_texts_do_not_confuse() {
        assert_eq!(parameter_names("':x"), [""; 0]);
        assert_eq!(parameter_names("/* :x"), [""; 0]);
        assert_eq!(parameter_names(": :1 '\\' :no' 'a''b' :y"), ["y"]);
        assert_eq!(parameter_names("-- :x"), [""; 0]);
    }

    #[test]
    fn values_have_their_kinds() {
        let input = |text: &str, kind| ParameterInput { text: text.into(), kind };
        let inputs = BTreeMap::from([
            ("a".to_owned(), input("NL", ParameterKind::Text)),
            ("b".to_owned(), input(" 9007199254740993 ", ParameterKind::Number)),
            ("c".to_owned(), input("true", ParameterKind::Boolean)),
            ("d".to_owned(), input("x", ParameterKind::Null)),
            ("e".to_owned(), input("x", ParameterKind::Number)),
        ]);
        let names: Vec<String> = ["a", "b", "c", "d", "e", "f"].map(str::to_owned).to_vec();
        let sent = serde_json::to_string(&values(&names, &inputs)).unwrap();
        assert_eq!(sent, r#"{"a":"NL","b":9007199254740993,"c":true,"d":null,"e":"x"}"#);
    }
}
