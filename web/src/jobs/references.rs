//! What can stand in double braces: offered while somebody types one.

use serde_json::Value;

use crate::jobs::settings::{outer_task, task, upstream};
use crate::jobs::task_form::{TaskForm, TaskType};

/// Offers shown at a time.
const OFFERS_MAX: usize = 8;

/// The reference that is open at the end of a text: what stands behind its `{{`. `None` when none is.
pub fn open_reference(text: &str) -> Option<&str> {
    let (_, behind) = text.rsplit_once("{{")?;
    (!behind.contains("}}")).then(|| behind.trim_start())
}

/// The text with its open reference completed.
pub fn completed(text: &str, reference: &str) -> String {
    match text.rsplit_once("{{") {
        Some((before, behind)) if !behind.contains("}}") => format!("{before}{{{{{reference}}}}}"),
        _ => format!("{text}{{{{{reference}}}}}"),
    }
}

/// References that a field of `form` can hold and that contain `typed`; `item` is the first element of the inputs, for
/// the task that is run for each of them.
pub fn offers(settings: &Value, form: &TaskForm, nested: bool, item: Option<&str>, typed: &str) -> Vec<String> {
    let mut all = Vec::new();
    if nested {
        let fields = item.and_then(|item| serde_json::from_str::<Value>(item).ok());
        let fields = fields.as_ref().and_then(Value::as_object);
        all.extend(fields.into_iter().flatten().map(|(key, _)| format!("input.{key}")));
        all.push("input".to_owned());
    }
    for key in upstream(settings, &form.depends_on).iter().filter(|key| **key != form.key) {
        let kind = outer_task(settings, key).and_then(|key| task(settings, key)).map(|task| TaskForm::read(task).kind);
        match kind {
            Some(TaskType::Sql) => {
                all.push(format!("tasks.{key}.output.rows"));
                all.push(format!("tasks.{key}.output.first_row"));
            }
            Some(TaskType::Notebook) => all.push(format!("tasks.{key}.values.")),
            _ => {}
        }
    }
    let parameters = settings.get("parameters").and_then(Value::as_array).into_iter().flatten();
    let names = parameters.filter_map(|parameter| parameter.get("name").and_then(Value::as_str));
    all.extend(names.map(|name| format!("job.parameters.{name}")));
    all.extend(["job.run_id", "job.start_time.iso_date"].map(str::to_owned));
    all.retain(|offer| offer.contains(typed.trim()));
    all.truncate(OFFERS_MAX);
    all
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_reference_is_open_until_it_is_closed() {
        assert_eq!(open_reference("a {{tasks.re"), Some("tasks.re"));
        assert_eq!(open_reference("{{ in"), Some("in"));
        assert_eq!(open_reference("{{a}} and {{"), Some(""));
        assert_eq!(open_reference("{{a}}"), None);
        assert_eq!(open_reference("plain"), None);
    }

    #[test]
    fn a_choice_completes_the_reference() {
        assert_eq!(completed("x {{in", "input.market"), "x {{input.market}}");
        assert_eq!(completed("x ", "input"), "x {{input}}");
    }

    #[test]
    fn offers_are_what_is_upstream() {
        let settings = json!({
            "parameters": [{ "name": "day", "default": "" }],
            "tasks": [{ "task_key": "read", "sql_task": {} }, { "task_key": "other", "notebook_task": {} }]
        });
        let form = TaskForm { key: "loop".into(), depends_on: vec!["read".into()], ..TaskForm::default() };
        assert_eq!(
            offers(&settings, &form, false, None, "tasks"),
            ["tasks.read.output.rows", "tasks.read.output.first_row"]
        );
        let nested = offers(&settings, &form, true, Some(r#"{"market":"NL","currency":"EUR"}"#), "");
        assert_eq!(nested.first().map(String::as_str), Some("input.market"));
        assert!(nested.contains(&"job.parameters.day".to_owned()));
        assert_eq!(offers(&settings, &form, true, Some("5"), "input"), ["input"]);
    }
}
