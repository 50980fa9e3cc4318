//! Regular expressions in Java's notation, as far as an engine without backtracking goes.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use datafusion::arrow::datatypes::DataType;
use datafusion::common::{DataFusionError, Result, ScalarValue};
use lakelet_base::Diagnostic;
use regex::Regex;

use super::row::{Arg, Definition, Returns, fail, strict};
use super::value::{integer, integer_or, of_int, of_items, of_text, text};

pub(super) static FUNCTIONS: &[Definition] = &[
    strict("regexp_like", &[Arg::Text, Arg::Text], 2, Returns::Boolean, like),
    strict("regexp", &[Arg::Text, Arg::Text], 2, Returns::Boolean, like),
    strict("rlike", &[Arg::Text, Arg::Text], 2, Returns::Boolean, like),
    strict("regexp_extract", &[Arg::Text, Arg::Text, Arg::Int], 2, Returns::Text, extract),
    strict("regexp_extract_all", &[Arg::Text, Arg::Text, Arg::Int], 2, Returns::TextList, extract_all),
    strict("regexp_replace", &[Arg::Text, Arg::Text, Arg::Text, Arg::Int], 3, Returns::Text, replace),
    strict("regexp_count", &[Arg::Text, Arg::Text], 2, Returns::Int, |values, _| {
        Ok(of_int(compiled(values)?.find_iter(text(values, 0)?).count() as i64))
    }),
    strict("regexp_instr", &[Arg::Text, Arg::Text, Arg::Int], 2, Returns::Int, |values, _| {
        let text = text(values, 0)?;
        Ok(of_int(match compiled(values)?.find(text) {
            Some(found) => text[..found.start()].chars().count() as i64 + 1,
            None => 0,
        }))
    }),
    strict("regexp_substr", &[Arg::Text, Arg::Text], 2, Returns::Text, |values, _| {
        Ok(ScalarValue::Utf8(compiled(values)?.find(text(values, 0)?).map(|found| found.as_str().to_owned())))
    }),
    strict("split", &[Arg::Text, Arg::Text, Arg::Int], 2, Returns::TextList, split),
];

/// Patterns that are kept compiled: a statement has few.
const COMPILED_MAX: usize = 64;

thread_local! {
    static COMPILED: RefCell<HashMap<String, Rc<Regex>>> = RefCell::new(HashMap::new());
}

fn compiled(values: &[ScalarValue]) -> Result<Rc<Regex>> {
    let pattern = text(values, 1)?;
    COMPILED.with_borrow_mut(|known| {
        if let Some(regex) = known.get(pattern) {
            return Ok(Rc::clone(regex));
        }
        let regex = Rc::new(Regex::new(&translated(pattern)).map_err(|error| refused(pattern, &error))?);
        if known.len() >= COMPILED_MAX {
            known.clear();
        }
        known.insert(pattern.to_owned(), Rc::clone(&regex));
        Ok(regex)
    })
}

fn refused(pattern: &str, error: &regex::Error) -> DataFusionError {
    let text = error.to_string();
    if text.contains("look-around") || text.contains("backreferences") || text.contains("size limit") {
        return DataFusionError::External(Box::new(
            Diagnostic::unsupported(format_args!("the regular expression '{pattern}'"))
                .hint("Look-around and back references are not there; write the pattern without them."),
        ));
    }
    fail(
        "INVALID_PARAMETER_VALUE.PATTERN",
        "22023",
        format!("The value of parameter(s) `regexp` is invalid: '{pattern}' is no regular expression."),
    )
}

/// Java's `\d`, `\w`, `\s` mean ASCII, and `\Q…\E` quotes.
fn translated(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len());
    let mut rest = pattern;
    while let Some(letter) = rest.chars().next() {
        rest = &rest[letter.len_utf8()..];
        if letter != '\\' {
            out.push(letter);
            continue;
        }
        let Some(escaped) = rest.chars().next() else {
            out.push('\\');
            break;
        };
        rest = &rest[escaped.len_utf8()..];
        match escaped {
            'd' => out.push_str("[0-9]"),
            'D' => out.push_str("[^0-9]"),
            'w' => out.push_str("[A-Za-z0-9_]"),
            'W' => out.push_str("[^A-Za-z0-9_]"),
            's' => out.push_str(r"[ \t\n\x0B\f\r]"),
            'S' => out.push_str(r"[^ \t\n\x0B\f\r]"),
            'h' => out.push_str(r"[ \t\u00A0]"),
            'Q' => {
                let (quoted, after) = rest.split_once("\\E").unwrap_or((rest, ""));
                out.push_str(&regex::escape(quoted));
                rest = after;
            }
            // Java takes a backslash before anything that is no letter or digit.
            other if !other.is_ascii_alphanumeric() => out.push_str(&regex::escape(&other.to_string())),
            other => {
                out.push('\\');
                out.push(other);
            }
        }
    }
    out
}

fn like(values: &[ScalarValue], _: &DataType) -> Result<ScalarValue> {
    Ok(ScalarValue::Boolean(Some(compiled(values)?.is_match(text(values, 0)?))))
}

fn group(values: &[ScalarValue], regex: &Regex, name: &str) -> Result<usize> {
    let index = integer_or(values, 2, 1)?;
    let n_groups = regex.captures_len() - 1;
    usize::try_from(index).ok().filter(|index| *index <= n_groups).ok_or_else(|| {
        fail(
            "INVALID_PARAMETER_VALUE.REGEX_GROUP_INDEX",
            "22023",
            format!(
                "The value of parameter(s) `idx` in `{name}` is invalid: Expects group index between 0 and {n_groups}, but got {index}."
            ),
        )
    })
}

fn extract(values: &[ScalarValue], _: &DataType) -> Result<ScalarValue> {
    let regex = compiled(values)?;
    let Some(found) = regex.captures(text(values, 0)?) else { return Ok(of_text("")) };
    let group = group(values, &regex, "regexp_extract")?;
    Ok(of_text(found.get(group).map_or("", |found| found.as_str())))
}

fn extract_all(values: &[ScalarValue], list: &DataType) -> Result<ScalarValue> {
    let regex = compiled(values)?;
    let mut out = Vec::new();
    for found in regex.captures_iter(text(values, 0)?) {
        let group = group(values, &regex, "regexp_extract_all")?;
        out.push(of_text(found.get(group).map_or("", |found| found.as_str())));
    }
    of_items(out, list)
}

fn replace(values: &[ScalarValue], _: &DataType) -> Result<ScalarValue> {
    let regex = compiled(values)?;
    let (text, replacement) = (text(values, 0)?, self::text(values, 2)?);
    let skipped = usize::try_from(integer_or(values, 3, 1)? - 1).unwrap_or(0);
    let start = text.char_indices().nth(skipped).map_or(text.len(), |(offset, _)| offset);
    if start == text.len() && skipped > 0 {
        return Ok(of_text(text));
    }
    let mut out = text[..start].to_owned();
    let rest = &text[start..];
    let mut copied = 0;
    for found in regex.captures_iter(rest) {
        let Some(whole) = found.get(0) else { continue };
        out.push_str(&rest[copied..whole.start()]);
        append_replacement(&mut out, replacement, &found)?;
        copied = whole.end();
    }
    out.push_str(&rest[copied..]);
    Ok(of_text(out))
}

/// `$1` and `${name}` are groups, `\$` is a dollar.
fn append_replacement(out: &mut String, replacement: &str, found: &regex::Captures<'_>) -> Result<()> {
    let mut letters = replacement.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => out.extend(letters.next()),
            '$' if letters.peek() == Some(&'{') => {
                letters.next();
                let name: String = letters.by_ref().take_while(|letter| *letter != '}').collect();
                out.push_str(found.name(&name).map_or("", |found| found.as_str()));
            }
            '$' => {
                let mut index: Option<usize> = None;
                while let Some(digit) = letters.peek().and_then(|letter| letter.to_digit(10)) {
                    let next = index.unwrap_or(0) * 10 + digit as usize;
                    // A second digit belongs to the number only if there is such a group.
                    if index.is_some() && next >= found.len() {
                        break;
                    }
                    index = Some(next);
                    letters.next();
                }
                let Some(index) = index.filter(|index| *index < found.len()) else {
                    return Err(fail(
                        "INVALID_REGEXP_REPLACE",
                        "22023",
                        format!("Could not perform regexp_replace: '{replacement}' names a group that is not there."),
                    ));
                };
                out.push_str(found.get(index).map_or("", |found| found.as_str()));
            }
            other => out.push(other),
        }
    }
    Ok(())
}

fn split(values: &[ScalarValue], list: &DataType) -> Result<ScalarValue> {
    let text = text(values, 0)?;
    let limit = if values.len() > 2 { integer(values, 2)? } else { -1 };
    let limit = usize::try_from(limit).ok().filter(|limit| *limit > 0).unwrap_or(usize::MAX);
    let mut parts = Vec::new();
    let mut start = 0;
    let is_empty_pattern = self::text(values, 1)?.is_empty();
    for found in compiled(values)?.find_iter(text) {
        if parts.len() + 1 >= limit {
            break;
        }
        // An empty match splits between characters only.
        if found.is_empty() && (found.start() == 0 || (is_empty_pattern && found.start() == text.len())) {
            continue;
        }
        parts.push(of_text(&text[start..found.start()]));
        start = found.end();
    }
    parts.push(of_text(&text[start..]));
    of_items(parts, list)
}
