//! Comparing what came out with what a case expects.

use serde_json::{Map, Value};

use super::{CaseOutcome, Unusable};

/// Checks every key of `expect` with `check` (key, expected, got); a key that `check` does not know makes the case
/// unusable, so that no expectation is passed over.
pub(super) fn all_keys(
    expect: &Value,
    got: Value,
    check: impl Fn(&str, &Value, &Value) -> Result<bool, Unusable>,
) -> Result<CaseOutcome, Unusable> {
    let expected = expect.as_object().filter(|expected| !expected.is_empty()).ok_or("a case must expect something")?;
    let mut pass = true;
    for (key, value) in expected {
        pass &= check(key, value, &got)?;
    }
    // An error that nobody expects is not what the case wants, whatever else is as it should be.
    let is_unexpected = got.get("error").is_some_and(|error| !error.is_null()) && !expected.contains_key("error");
    Ok(CaseOutcome { pass: pass && !is_unexpected, got })
}

/// The answer for a key that a kind of case does not have.
pub(super) fn unknown_key(key: &str) -> Result<bool, Unusable> {
    Err(format!("nothing is known about the expectation '{key}'"))
}

/// Whether two values are equal; numbers compare by value, objects whatever their order.
pub(super) fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => left == right || left.as_f64() == right.as_f64(),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| same(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left.iter().all(|(key, left)| right.get(key).is_some_and(|right| same(left, right)))
        }
        _ => left == right,
    }
}

/// Whether two lists have the same elements in any order.
pub(super) fn same_set(left: &Value, right: &Value) -> bool {
    let sorted = |value: &Value| {
        let mut texts: Vec<String> = value.as_array().into_iter().flatten().map(Value::to_string).collect();
        texts.sort();
        texts
    };
    left.is_array() && right.is_array() && sorted(left) == sorted(right)
}

/// Whether every key of `expected` is in `got` with the same value.
pub(super) fn contains(got: &Value, expected: &Value) -> bool {
    expected
        .as_object()
        .is_some_and(|expected| expected.iter().all(|(key, value)| got.get(key).is_some_and(|got| same(got, value))))
}

/// Whether `text` has every part, whatever their case.
pub(super) fn has_parts(text: &str, parts: &Value) -> bool {
    let text = text.to_lowercase();
    parts.as_array().is_some_and(|parts| {
        parts.iter().all(|part| part.as_str().is_some_and(|part| text.contains(&part.to_lowercase())))
    })
}

/// The value at a path such as `tasks[0].for_each_task.concurrency`.
pub(super) fn at_path<'v>(value: &'v Value, path: &str) -> Option<&'v Value> {
    path.split(['.', '[']).filter(|step| !step.is_empty()).try_fold(value, |value, step| match step.strip_suffix(']') {
        Some(index) => value.get(index.parse::<usize>().ok()?),
        None => value.get(step),
    })
}

/// The texts of a list; empty for none.
pub(super) fn texts(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().filter_map(|text| text.as_str().map(str::to_owned)).collect()
}

/// The pairs of an object with their values as text; empty for none.
pub(super) fn text_map(value: &Value) -> indexmap::IndexMap<String, String> {
    let empty = Map::new();
    let pairs = value.as_object().unwrap_or(&empty).iter();
    pairs.map(|(name, value)| (name.clone(), lakelet_jobs::value_text(value))).collect()
}
