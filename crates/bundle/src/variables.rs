//! `${…}` references of a bundle.

use std::collections::BTreeMap;

use lakelet_base::nearest_name;
use serde_json::Value;

use crate::fields::{join, scalar_text};

/// How deep variables may refer to variables.
const DEPTH_MAX: usize = 10;
/// Most bytes that the references in one value may be replaced by, all told.
const REPLACED_BYTES_MAX: usize = 1024 * 1024;

/// What is known of a variable.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Variable {
    /// Its value.
    Value(Value),
    /// Databricks looks it up: there is no value here, and none is missed.
    Lookup,
    /// Nobody gives it one.
    NoValue,
}

/// What references mean.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scope {
    pub bundle_name: Option<String>,
    pub target: Option<String>,
    pub variables: BTreeMap<String, Variable>,
}

/// A reference that cannot be replaced, at the path of the value it stands in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unresolved {
    pub path: String,
    pub kind: &'static str,
    pub message: String,
}

enum Resolution {
    Value(Value),
    /// Left as it is: only Databricks knows.
    Left,
    Problem(&'static str, String),
}

impl Scope {
    /// `value` with its references replaced. What only Databricks knows (`${workspace.…}`, `${resources.…}`, looked-up
    /// variables) stays as it is.
    pub fn interpolate(&self, value: &Value, problems: &mut Vec<Unresolved>) -> Value {
        Replacing { scope: self, left: REPLACED_BYTES_MAX, problems }.value(value, "", 0)
    }

    fn resolve(&self, name: &str, depth: usize) -> Resolution {
        let parts: Vec<&str> = name.split('.').collect();
        let text = |text: &Option<String>| match text {
            Some(text) => Resolution::Value(Value::String(text.clone())),
            None => Resolution::Left,
        };
        match parts.as_slice() {
            ["bundle", "name"] => text(&self.bundle_name),
            ["bundle", "target" | "environment"] => text(&self.target),
            ["var", variable, fields @ ..] | ["variables", variable, "value", fields @ ..] => {
                if depth >= DEPTH_MAX {
                    let message = format!("`${{{name}}}` leads back to itself.");
                    return Resolution::Problem("unknown_variable", message);
                }
                self.variable(variable, fields)
            }
            _ => Resolution::Left,
        }
    }

    fn variable(&self, name: &str, fields: &[&str]) -> Resolution {
        match self.variables.get(name) {
            Some(Variable::Value(value)) => {
                let value = fields.iter().try_fold(value, |value, field| value.get(field));
                match value {
                    Some(value) => Resolution::Value(value.clone()),
                    None => {
                        let message = format!("The variable `{name}` has no field `{}`.", fields.join("."));
                        Resolution::Problem("unknown_variable", message)
                    }
                }
            }
            Some(Variable::Lookup) => Resolution::Left,
            Some(Variable::NoValue) => {
                Resolution::Problem("no_value", format!("The variable `{name}` has no value: give it a `default`."))
            }
            None => {
                let hint = match nearest_name(name, self.variables.keys().map(String::as_str)) {
                    Some(known) => format!("Did you mean `{known}`?"),
                    None => "Declare it under `variables`.".to_owned(),
                };
                Resolution::Problem("unknown_variable", format!("There is no variable `{name}`. {hint}"))
            }
        }
    }
}

/// One value being interpolated.
struct Replacing<'a> {
    scope: &'a Scope,
    /// Bytes that may still be put in.
    left: usize,
    problems: &'a mut Vec<Unresolved>,
}

impl Replacing<'_> {
    fn value(&mut self, value: &Value, path: &str, depth: usize) -> Value {
        match value {
            Value::String(text) if text.contains("${") => self.text(text, path, depth),
            Value::Array(items) => {
                let items = items.iter().enumerate();
                items.map(|(index, item)| self.value(item, &format!("{path}[{index}]"), depth)).collect()
            }
            Value::Object(map) => Value::Object(
                map.iter().map(|(key, value)| (key.clone(), self.value(value, &join(path, key), depth))).collect(),
            ),
            other => other.clone(),
        }
    }

    fn text(&mut self, text: &str, path: &str, depth: usize) -> Value {
        let mut out = String::new();
        let mut rest = text;
        while let Some(start) = rest.find("${") {
            let (before, reference) = rest.split_at(start);
            let Some(end) = reference.find('}') else { break };
            let name = &reference[2..end];
            let whole = &reference[..=end];
            out.push_str(before);
            rest = &reference[end + 1..];
            let mut resolution = self.scope.resolve(name, depth);
            if let Resolution::Value(value) = &resolution {
                let size = size(value);
                resolution = match self.left.checked_sub(size) {
                    Some(left) => {
                        self.left = left;
                        resolution
                    }
                    None => Resolution::Problem("unknown_variable", format!("`{whole}` grows too large.")),
                };
            }
            match resolution {
                Resolution::Value(value) => {
                    let value = self.value(&value, path, depth + 1);
                    if whole.len() == text.len() {
                        return value;
                    }
                    out.push_str(&scalar_text(&value).unwrap_or_else(|| value.to_string()));
                }
                Resolution::Left => out.push_str(whole),
                Resolution::Problem(kind, message) => {
                    self.problems.push(Unresolved { path: path.to_owned(), kind, message });
                    out.push_str(whole);
                }
            }
        }
        out.push_str(rest);
        Value::String(out)
    }
}

/// Roughly the bytes of a value as text, at least 1.
fn size(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len() + 1,
        Value::Array(items) => items.iter().map(size).sum::<usize>() + 1,
        Value::Object(map) => map.iter().map(|(key, value)| key.len() + size(value)).sum::<usize>() + 1,
        Value::Null | Value::Bool(_) | Value::Number(_) => 8,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn scope() -> Scope {
        let variables = [
            ("catalog", Variable::Value(json!("main"))),
            ("schema", Variable::Value(json!("${var.catalog}_x"))),
            ("list", Variable::Value(json!([1, "${bundle.target}"]))),
            ("map", Variable::Value(json!({"a": {"b": 2}}))),
            ("warehouse", Variable::Lookup),
            ("nothing", Variable::NoValue),
            ("circle", Variable::Value(json!("${var.circle}"))),
        ];
        Scope {
            bundle_name: Some("b".into()),
            target: Some("dev".into()),
            variables: variables.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
        }
    }

    fn resolve(value: Value) -> (Value, Vec<String>) {
        let mut problems = Vec::new();
        let value = scope().interpolate(&value, &mut problems);
        (value, problems.into_iter().map(|problem| format!("{}: {}", problem.path, problem.message)).collect())
    }

    #[test]
    fn references_are_replaced() {
        let (value, problems) = resolve(json!({
            "a": "${bundle.name}-${bundle.target}-${var.schema}",
            "b": ["${var.list}"],
            "c": "${var.map.a.b}",
            "d": "${var.map.a.b}!",
            "e": "${var.warehouse} ${workspace.file_path} ${resources.jobs.x.id} ${",
            "f": "{{job.id}} $x",
        }));
        assert_eq!(
            value,
            json!({
                "a": "b-dev-main_x",
                "b": [[1, "dev"]],
                "c": 2,
                "d": "2!",
                "e": "${var.warehouse} ${workspace.file_path} ${resources.jobs.x.id} ${",
                "f": "{{job.id}} $x",
            })
        );
        assert!(problems.is_empty());
    }

    #[test]
    fn variables_of_variables_cannot_blow_up() {
        let mut scope = scope();
        scope.variables.insert("v0".into(), Variable::Value(json!("x".repeat(100))));
        for level in 1..9 {
            let text = format!("${{var.v{}}}", level - 1).repeat(20);
            scope.variables.insert(format!("v{level}"), Variable::Value(json!(text)));
        }
        let mut problems = Vec::new();
        let value = scope.interpolate(&json!("${var.v8}"), &mut problems);
        assert!(size(&value) < 8 * REPLACED_BYTES_MAX && problems[0].message.contains("grows too large"));
    }

    #[test]
    fn what_is_missing_is_named() {
        let (value, problems) =
            resolve(json!({"a": ["${var.catlog}"], "b": "${var.nothing}", "c": "${var.circle}", "d": "${var.map.z}"}));
        assert_eq!(value["a"][0], "${var.catlog}");
        assert_eq!(
            problems,
            [
                "a[0]: There is no variable `catlog`. Did you mean `catalog`?",
                "b: The variable `nothing` has no value: give it a `default`.",
                "c: `${var.circle}` leads back to itself.",
                "d: The variable `map` has no field `z`.",
            ]
        );
    }
}
