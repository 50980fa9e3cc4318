//! JSON: paths into it, reading it as a type, writing values as it.

use std::sync::Arc;

use datafusion::arrow::array::{Array, AsArray};
use datafusion::arrow::datatypes::{DataType, FieldRef};
use datafusion::common::{DataFusionError, Result, ScalarValue};
use serde_json::Value;

use super::pattern::Pattern;
use super::row::{Arg, Definition, Returns, fail, strict, variadic, wrong_type};
use super::value::{entries, of_entries, of_fields, of_int, of_items, of_text, scalars, text};

pub(super) static FUNCTIONS: &[Definition] = &[
    strict("get_json_object", &[Arg::Text, Arg::Text], 2, Returns::Text, |values, _| {
        let (Some(path), Ok(value)) = (path(text(values, 1)?), serde_json::from_str(text(values, 0)?)) else {
            return Ok(ScalarValue::Null);
        };
        Ok(ScalarValue::Utf8(found(&value, &path).and_then(|found| shown(&found))))
    }),
    strict("json_array_length", &[Arg::Text], 1, Returns::Int, |values, _| {
        Ok(match serde_json::from_str(text(values, 0)?) {
            Ok(Value::Array(items)) => of_int(items.len() as i64),
            _ => ScalarValue::Null,
        })
    }),
    strict("json_object_keys", &[Arg::Text], 1, Returns::TextList, |values, to| {
        match serde_json::from_str(text(values, 0)?) {
            Ok(Value::Object(members)) => of_items(members.keys().map(of_text).collect(), to),
            _ => Ok(ScalarValue::Null),
        }
    }),
    strict("schema_of_json", &[Arg::Text, Arg::Map], 1, Returns::Text, |values, _| {
        let value: Value = serde_json::from_str(text(values, 0)?).map_err(|_| malformed(text_of(values)))?;
        Ok(of_text(inferred(&value)))
    }),
    strict("to_json", &[Arg::Any, Arg::Map], 1, Returns::Text, |values, _| {
        let Some(value) = values.first() else { return Ok(ScalarValue::Null) };
        if !value.data_type().is_nested() {
            return Err(wrong_type("to_json", 1, &value.data_type()));
        }
        let mut out = String::new();
        write(&mut out, value)?;
        Ok(of_text(out))
    }),
    strict("from_json", &[Arg::Text, Arg::Text, Arg::Map], 2, Returns::Of(schema), from_json),
    variadic("to_csv", &[Arg::Any], 1, Returns::Text, to_csv),
];

fn text_of(values: &[ScalarValue]) -> &str {
    super::value::text_or(values, 0, "")
}

fn malformed(record: &str) -> DataFusionError {
    fail(
        "MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION",
        "22023",
        format!(
            "Malformed records are detected in record parsing: {record}. Parse Mode: FAILFAST. To process malformed records as null result, try setting the option 'mode' as 'PERMISSIVE'."
        ),
    )
}

enum Step {
    Name(String),
    Index(usize),
    All,
}

/// `$.a[0]['b'][*]`; `None` for what is no path.
fn path(text: &str) -> Option<Vec<Step>> {
    let mut rest = text.strip_prefix('$')?;
    let mut steps = Vec::new();
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix('.') {
            let end = after.find(['.', '[']).unwrap_or(after.len());
            let name = &after[..end];
            match name {
                "" => return None,
                "*" => steps.push(Step::All),
                _ => steps.push(Step::Name(name.to_owned())),
            }
            rest = &after[end..];
        } else if let Some(after) = rest.strip_prefix("['") {
            let (name, after) = after.split_once("']")?;
            steps.push(if name == "*" { Step::All } else { Step::Name(name.to_owned()) });
            rest = after;
        } else {
            let (inside, after) = rest.strip_prefix('[')?.split_once(']')?;
            steps.push(if inside == "*" { Step::All } else { Step::Index(inside.parse().ok()?) });
            rest = after;
        }
    }
    Some(steps)
}

/// What a path leads to: several matches are an array, one match of a wildcard is JSON text.
enum Found<'a> {
    One(&'a Value),
    Json(String),
}

fn found<'a>(value: &'a Value, path: &[Step]) -> Option<Found<'a>> {
    let Some((step, rest)) = path.split_first() else {
        return (!value.is_null()).then_some(Found::One(value));
    };
    match (step, value) {
        (Step::Name(name), Value::Object(members)) => found(members.get(name)?, rest),
        // A name asks each element of an array.
        (Step::Name(_), Value::Array(items)) => all(items, path),
        (Step::Index(index), Value::Array(items)) => found(items.get(*index)?, rest),
        (Step::All, Value::Array(items)) => all(items, rest),
        _ => None,
    }
}

fn all<'a>(items: &'a [Value], rest: &[Step]) -> Option<Found<'a>> {
    let matches: Vec<String> = items
        .iter()
        .filter_map(|item| found(item, rest))
        .map(|found| match found {
            Found::One(value) => compact(value),
            Found::Json(json) => json,
        })
        .collect();
    match matches.as_slice() {
        [] => None,
        [one] => Some(Found::Json(one.clone())),
        _ => Some(Found::Json(format!("[{}]", matches.join(",")))),
    }
}

fn shown(found: &Found<'_>) -> Option<String> {
    match found {
        Found::One(Value::Null) => None,
        Found::One(Value::String(text)) => Some(text.clone()),
        Found::One(value) => Some(compact(value)),
        Found::Json(json) => Some(json.clone()),
    }
}

/// JSON without blanks; fractions as doubles are written.
fn compact(value: &Value) -> String {
    match value {
        Value::Number(number) => number_text(number),
        Value::Array(items) => format!("[{}]", items.iter().map(compact).collect::<Vec<_>>().join(",")),
        Value::Object(members) => {
            let members = members.iter().map(|(name, value)| {
                let mut out = String::new();
                write_text(&mut out, name);
                format!("{out}:{}", compact(value))
            });
            format!("{{{}}}", members.collect::<Vec<_>>().join(","))
        }
        Value::String(text) => {
            let mut out = String::new();
            write_text(&mut out, text);
            out
        }
        other => other.to_string(),
    }
}

fn number_text(number: &serde_json::Number) -> String {
    let written = number.to_string();
    if written.contains(['.', 'e', 'E'])
        && let Ok(value) = written.parse::<f64>()
    {
        return lakelet_types::double_text(value);
    }
    written
}

/// The type that JSON has by itself, as Spark writes it.
fn inferred(value: &Value) -> String {
    match value {
        Value::Null | Value::String(_) => "STRING".to_owned(),
        Value::Bool(_) => "BOOLEAN".to_owned(),
        Value::Number(number) => {
            let written = number.to_string();
            if written.contains(['.', 'e', 'E']) {
                "DOUBLE".to_owned()
            } else if written.parse::<i64>().is_ok() {
                "BIGINT".to_owned()
            } else {
                format!("DECIMAL({},0)", written.trim_start_matches('-').len().min(38))
            }
        }
        Value::Array(items) => {
            let mut types: Vec<String> = items.iter().filter(|item| !item.is_null()).map(inferred).collect();
            types.dedup();
            let item = match types.as_slice() {
                [one] => one.clone(),
                many if !many.is_empty() && many.iter().all(|one| one == "BIGINT" || one == "DOUBLE") => {
                    "DOUBLE".to_owned()
                }
                _ => "STRING".to_owned(),
            };
            format!("ARRAY<{item}>")
        }
        Value::Object(members) => {
            let mut fields: Vec<(&String, &Value)> = members.iter().collect();
            fields.sort_by_key(|(name, _)| name.as_str());
            let fields = fields
                .iter()
                .map(|(name, value)| format!("{}: {}", lakelet_base::quote_identifier(name), inferred(value)));
            format!("STRUCT<{}>", fields.collect::<Vec<_>>().join(", "))
        }
    }
}

fn write_text(out: &mut String, text: &str) {
    out.push('"');
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            control if u32::from(control) < 0x20 => out.push_str(&format!("\\u{:04X}", u32::from(control))),
            other => out.push(other),
        }
    }
    out.push('"');
}

fn write(out: &mut String, value: &ScalarValue) -> Result<()> {
    let written = if value.is_null() { None } else { Some(value) };
    let Some(value) = written else {
        out.push_str("null");
        return Ok(());
    };
    match value {
        ScalarValue::Struct(members) => {
            out.push('{');
            let mut is_first = true;
            for (field, column) in members.fields().iter().zip(members.columns()) {
                let member = ScalarValue::try_from_array(column, 0)?;
                if member.is_null() {
                    continue;
                }
                if !std::mem::take(&mut is_first) {
                    out.push(',');
                }
                write_text(out, field.name());
                out.push(':');
                write(out, &member)?;
            }
            out.push('}');
        }
        ScalarValue::List(list) => {
            out.push('[');
            for (index, item) in scalars(&list.value(0))?.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write(out, item)?;
            }
            out.push(']');
        }
        ScalarValue::Map(_) => {
            let (keys, found) = entries(std::slice::from_ref(value), 0)?;
            out.push('{');
            for row in 0..keys.len() {
                if row > 0 {
                    out.push(',');
                }
                write_text(out, &lakelet_types::cell_text(&keys, row).unwrap_or_default());
                out.push(':');
                write(out, &ScalarValue::try_from_array(&found, row)?)?;
            }
            out.push('}');
        }
        ScalarValue::TimestampMicrosecond(Some(micros), zone) => {
            let pattern = if zone.is_some() { "yyyy-MM-dd'T'HH:mm:ss.SSSXXX" } else { "yyyy-MM-dd'T'HH:mm:ss.SSS" };
            write_text(out, &Pattern::new(pattern)?.format(*micros)?);
        }
        value => {
            let array = value.to_array()?;
            let text = lakelet_types::cell_text(&array, 0).unwrap_or_default();
            let is_bare = match value {
                ScalarValue::Float64(Some(number)) => number.is_finite(),
                ScalarValue::Float32(Some(number)) => number.is_finite(),
                ScalarValue::Boolean(_) => true,
                other => other.data_type().is_numeric(),
            };
            if is_bare { out.push_str(&text) } else { write_text(out, &text) }
        }
    }
    Ok(())
}

fn schema(fields: &[FieldRef], constants: &[Option<&ScalarValue>]) -> Result<DataType> {
    let Some(Some(ScalarValue::Utf8(Some(text)))) = constants.get(1) else {
        return match fields.get(1) {
            Some(_) => Err(fail(
                "INVALID_SCHEMA.NON_STRING_LITERAL",
                "42K07",
                "The input schema is not a valid schema string. The input expression must be string literal and not null.",
            )),
            None => Ok(DataType::Null),
        };
    };
    lakelet_types::parse_type(text).or_else(|_| lakelet_types::parse_type(&format!("struct<{text}>"))).map_err(|_| {
        fail(
            "INVALID_SCHEMA.PARSE_ERROR",
            "42K07",
            format!("The input schema \"{text}\" is not a valid schema string. Cannot parse the schema."),
        )
    })
}

/// Options that change how text is read.
struct Options {
    date: Option<Pattern>,
    timestamp: Option<Pattern>,
    fails: bool,
}

fn options(values: &[ScalarValue]) -> Result<Options> {
    let mut options = Options { date: None, timestamp: None, fails: false };
    if values.len() < 3 {
        return Ok(options);
    }
    let (keys, found) = entries(values, 2)?;
    for row in 0..keys.len() {
        let text = |array: &Arc<dyn Array>| lakelet_types::cell_text(array, row).unwrap_or_default();
        match text(&keys).to_lowercase().as_str() {
            "mode" => options.fails = text(&found).eq_ignore_ascii_case("FAILFAST"),
            "dateformat" => options.date = Some(Pattern::new(&text(&found))?),
            "timestampformat" => options.timestamp = Some(Pattern::new(&text(&found))?),
            other => {
                return Err(DataFusionError::External(Box::new(lakelet_base::Diagnostic::unsupported(format_args!(
                    "the option '{other}' of from_json"
                )))));
            }
        }
    }
    Ok(options)
}

fn from_json(values: &[ScalarValue], to: &DataType) -> Result<ScalarValue> {
    let options = options(values)?;
    let given = text(values, 0)?;
    let parsed: Option<Value> = serde_json::from_str(given).ok();
    let fits = |value: &Value| match to {
        DataType::Struct(_) | DataType::Map(..) => value.is_object(),
        DataType::List(_) => value.is_array() || value.is_object(),
        _ => true,
    };
    let read = match &parsed {
        Some(value) if fits(value) => read(value, to, &options)?,
        _ => None,
    };
    match (read, to) {
        (Some(value), _) => Ok(value),
        (None, _) if options.fails => Err(malformed(given)),
        (None, _) if given.trim().is_empty() => Ok(ScalarValue::Null),
        (None, DataType::Struct(fields)) => {
            let nulls = fields.iter().map(|field| ScalarValue::try_new_null(field.data_type()));
            of_fields(nulls.collect::<Result<_>>()?, to)
        }
        (None, _) => Ok(ScalarValue::Null),
    }
}

/// A value of a type; `None` where the JSON is not of it.
fn read(value: &Value, to: &DataType, options: &Options) -> Result<Option<ScalarValue>> {
    if value.is_null() {
        return ScalarValue::try_new_null(to).map(Some);
    }
    let micros = |text: &str, pattern: &Option<Pattern>| match pattern {
        Some(pattern) => pattern.parse(text).map(|moment| moment.utc_micros()),
        None => ScalarValue::Utf8(Some(text.to_owned()))
            .cast_to(&lakelet_types::timestamp_type())
            .ok()
            .and_then(|value| super::value::integer(&[value], 0).ok()),
    };
    Ok(match (to, value) {
        (DataType::Struct(fields), Value::Object(members)) => {
            let mut read_members = Vec::with_capacity(fields.len());
            for field in fields {
                let member = match members.get(field.name()) {
                    Some(member) => match read(member, field.data_type(), options)? {
                        Some(value) => value,
                        None if options.fails => return Ok(None),
                        None => ScalarValue::try_new_null(field.data_type())?,
                    },
                    None => ScalarValue::try_new_null(field.data_type())?,
                };
                read_members.push(member);
            }
            Some(of_fields(read_members, to)?)
        }
        (DataType::List(item), Value::Array(items)) => {
            let mut out = Vec::with_capacity(items.len());
            for one in items {
                let Some(one) = read(one, item.data_type(), options)? else { return Ok(None) };
                out.push(one);
            }
            Some(of_items(out, to)?)
        }
        // One struct is read as an array of it.
        (DataType::List(item), Value::Object(_)) if matches!(item.data_type(), DataType::Struct(_)) => {
            match read(value, item.data_type(), options)? {
                Some(one) => Some(of_items(vec![one], to)?),
                None => None,
            }
        }
        (DataType::Map(entries, _), Value::Object(members)) => {
            let DataType::Struct(fields) = entries.data_type() else { return Ok(None) };
            let Some(value_field) = fields.get(1) else { return Ok(None) };
            let mut found = Vec::with_capacity(members.len());
            for member in members.values() {
                let Some(member) = read(member, value_field.data_type(), options)? else { return Ok(None) };
                found.push(member);
            }
            Some(of_entries(members.keys().map(of_text).collect(), found, to)?)
        }
        (DataType::Utf8, Value::String(text)) => Some(of_text(text.as_str())),
        (DataType::Utf8, Value::Number(number)) => Some(of_text(number.to_string())),
        (DataType::Utf8, other) => Some(of_text(compact(other))),
        (DataType::Boolean, Value::Bool(value)) => Some(ScalarValue::Boolean(Some(*value))),
        (DataType::Date32, Value::String(text)) => match &options.date {
            Some(pattern) => match pattern.parse(text) {
                Some(moment) => Some(super::datetime::date(moment.local_micros)?),
                None => None,
            },
            None => of_text(text.as_str()).cast_to(to).ok().filter(|value| !value.is_null()),
        },
        (DataType::Timestamp(_, zone), Value::String(text)) => {
            micros(text, &options.timestamp).map(|micros| ScalarValue::TimestampMicrosecond(Some(micros), zone.clone()))
        }
        (DataType::Binary, Value::String(_)) => None,
        (DataType::Float64 | DataType::Float32, Value::String(text))
            if matches!(text.as_str(), "NaN" | "Infinity" | "-Infinity") =>
        {
            of_text(text.as_str()).cast_to(to).ok()
        }
        (to, Value::Number(number)) if to.is_integer() => {
            let whole = number.to_string().parse::<i64>().ok();
            whole.and_then(|whole| ScalarValue::Int64(Some(whole)).cast_to(to).ok()).filter(|value| !value.is_null())
        }
        (to, Value::Number(number)) if to.is_numeric() => {
            of_text(number.to_string()).cast_to(to).ok().filter(|value| !value.is_null())
        }
        _ => None,
    })
}

fn to_csv(values: &[ScalarValue], _: &DataType) -> Result<ScalarValue> {
    let [value] = values else {
        return Err(DataFusionError::External(Box::new(lakelet_base::Diagnostic::unsupported("options of to_csv"))));
    };
    let array = value.to_array()?;
    let Some(members) = array.as_struct_opt() else { return Err(wrong_type("to_csv", 1, &value.data_type())) };
    if value.is_null() {
        return Ok(ScalarValue::Null);
    }
    let cells = members.columns().iter().map(|column| {
        let cell = lakelet_types::cell_text(column, 0).unwrap_or_default();
        if cell.contains([',', '"', '\n', '\r']) {
            format!("\"{}\"", cell.replace('\\', "\\\\").replace('"', "\\\""))
        } else {
            cell
        }
    });
    Ok(of_text(cells.collect::<Vec<_>>().join(",")))
}
