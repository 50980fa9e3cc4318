//! `validate`: settings against the rules.

use lakelet_jobs::{Job, RunRequest, ValidateOptions, effective_settings, validate, validate_request};
use serde_json::{Map, Value, json};

use super::compare::{all_keys, at_path, has_parts, same, same_set, texts, unknown_key};
use super::{CaseOutcome, Unusable};

pub(super) fn run(input: &Value, expect: &Value) -> Result<CaseOutcome, Unusable> {
    let mut settings = input["job"].clone();
    let request = settings.as_object_mut().and_then(|job| job.shift_remove("_run_now"));
    generate(&mut settings)?;
    let options = ValidateOptions::default();
    let problems = match &request {
        Some(request) => validate_request(&settings, request, &options),
        None => validate(&settings, &options),
    };
    let listed = |errors: bool| -> Vec<Value> {
        let chosen = problems.iter().filter(|problem| problem.is_error() == errors);
        chosen.map(|p| json!({"kind": p.kind.as_str(), "path": p.path, "message": p.message})).collect()
    };
    let (errors, warnings) = (listed(true), listed(false));
    let effective = effective_settings(&settings);
    let mut got = json!({"ok": errors.is_empty(), "errors": errors, "warnings": warnings});
    if let Some(paths) = expect["effective"].as_object() {
        let found = paths.keys().map(|path| (path.clone(), at_path(&effective, path).cloned().unwrap_or(Value::Null)));
        got["effective"] = Value::Object(found.collect::<Map<_, _>>());
    }
    if let Some(only) = request.as_ref().and_then(|request| request.get("only")) {
        let (job, _) = Job::read(&settings, &options);
        let request = RunRequest { only: texts(only), ..RunRequest::default() };
        got["selected"] = request.selected(&job).iter().map(|key| json!(key.as_str())).collect();
    }
    all_keys(expect, got, |key, value, got| {
        Ok(match key {
            "ok" => same(value, &got["ok"]),
            // One of the errors has to be right in everything that is said about it.
            "error" | "path" | "message_has" => errors.iter().any(|error| is_described(error, expect)),
            "warnings" => same_set(value, &warnings.iter().map(|warning| warning["kind"].clone()).collect()),
            "effective" => same(value, &got["effective"]),
            "selected" => same_set(value, &got["selected"]),
            _ => return unknown_key(key),
        })
    })
}

fn is_described(error: &Value, expect: &Value) -> bool {
    let wanted = |key: &str, test: &dyn Fn(&Value) -> bool| expect.get(key).is_none_or(test);
    wanted("error", &|kind| same(kind, &error["kind"]))
        && wanted("path", &|path| same(path, &error["path"]))
        && wanted("message_has", &|parts| has_parts(error["message"].as_str().unwrap_or_default(), parts))
}

/// Carries out `_generate` wherever it stands: it names a field of the object it is in, by a key of its own or as
/// `path` or `field`, and a size. The field is blown up to that size: lists and maps to that many entries, texts to that
/// many characters, inputs to a JSON array of that many.
fn generate(value: &mut Value) -> Result<(), Unusable> {
    match value {
        Value::Array(items) => items.iter_mut().try_for_each(generate),
        Value::Object(object) => {
            let orders = object.shift_remove("_generate");
            object.values_mut().try_for_each(generate)?;
            match orders {
                None => Ok(()),
                Some(Value::Array(orders)) => orders.iter().try_for_each(|order| carry_out(value, order)),
                Some(order) => carry_out(value, &order),
            }
        }
        _ => Ok(()),
    }
}

fn carry_out(object: &mut Value, order: &Value) -> Result<(), Unusable> {
    let fields = order.as_object().ok_or("_generate must be an object")?;
    let named = ["path", "field", "key", "target"].into_iter().find_map(|key| fields.get(key)?.as_str());
    for (key, size) in fields {
        let Some(size) = size.as_u64().and_then(|size| usize::try_from(size).ok()) else {
            continue;
        };
        // `inputs_chars` and the like name the field and the unit together.
        let units = ["_chars", "_characters", "_bytes", "_length", "_count"];
        let field = named.unwrap_or_else(|| units.iter().find_map(|unit| key.strip_suffix(unit)).unwrap_or(key));
        blow_up(object, field, size).ok_or_else(|| format!("_generate: there is no place for '{field}'"))?;
    }
    Ok(())
}

fn blow_up(object: &mut Value, path: &str, size: usize) -> Option<()> {
    let (parent, field) = path.rsplit_once('.').unwrap_or(("", path));
    let mut place = object;
    for step in parent.split(['.', '[']).filter(|step| !step.is_empty()) {
        place = match step.strip_suffix(']') {
            Some(index) => place.get_mut(index.parse::<usize>().ok()?)?,
            None => place.get_mut(step)?,
        };
    }
    // A bare field that is not here may be meant in the loop of the first task.
    if parent.is_empty() && field == "inputs" && place.get("tasks").is_some() {
        place = place["tasks"].as_array_mut()?.iter_mut().find_map(|task| task.get_mut("for_each_task"))?;
    }
    let grown = match field {
        "tasks" => (0..size)
            .map(|i| json!({"task_key": format!("t{i}"), "notebook_task": {"notebook_path": "/Workspace/nb/t"}}))
            .collect(),
        "tags" => Value::Object((0..size).map(|i| (format!("tag{i}"), json!("x"))).collect()),
        "table_names" => (0..size).map(|i| json!(format!("a.b.t{i}"))).collect(),
        "inputs" => json!(format!("[\"{}\"]", "x".repeat(size.saturating_sub(4)))),
        _ => json!("x".repeat(size)),
    };
    place.as_object_mut()?.insert(field.to_owned(), grown);
    Some(())
}
