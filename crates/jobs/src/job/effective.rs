//! Settings with the defaults that apply where they say nothing, as the service shows them.

use serde_json::{Map, Value, json};

use super::UNTITLED;

/// `settings` with every default filled in: what applies when the job runs. Fields that are there stay as they are;
/// dependencies are sorted by key, as the service returns them.
pub fn effective_settings(settings: &Value) -> Value {
    let mut settings = settings.clone();
    let Some(job) = settings.as_object_mut() else {
        return settings;
    };
    let source = if job.get("git_source").is_some_and(|value| !value.is_null()) { "GIT" } else { "WORKSPACE" };
    fill(job, "name", json!(UNTITLED));
    fill(job, "format", json!("MULTI_TASK"));
    fill(job, "max_concurrent_runs", json!(1));
    fill(job, "timeout_seconds", json!(0));
    fill(job, "email_notifications", json!({}));
    fill(job, "webhook_notifications", json!({}));
    fill(job, "performance_target", json!("PERFORMANCE_OPTIMIZED"));
    for key in ["schedule", "continuous", "trigger"] {
        if let Some(trigger) = job.get_mut(key).and_then(Value::as_object_mut) {
            fill(trigger, "pause_status", json!("UNPAUSED"));
            if let Some(update) = trigger.get_mut("table_update").and_then(Value::as_object_mut) {
                fill(update, "condition", json!("ANY_UPDATED"));
            }
        }
    }
    if let Some(tasks) = job.get_mut("tasks").and_then(Value::as_array_mut) {
        for task in tasks.iter_mut().filter_map(Value::as_object_mut) {
            fill_task(task, source);
        }
    }
    settings
}

fn fill_task(task: &mut Map<String, Value>, source: &str) {
    fill(task, "run_if", json!("ALL_SUCCESS"));
    fill(task, "disabled", json!(false));
    fill(task, "max_retries", json!(0));
    fill(task, "min_retry_interval_millis", json!(0));
    fill(task, "retry_on_timeout", json!(false));
    fill(task, "timeout_seconds", json!(0));
    fill(task, "email_notifications", json!({}));
    fill(task, "webhook_notifications", json!({}));
    if let Some(dependencies) = task.get_mut("depends_on").and_then(Value::as_array_mut) {
        let key = |edge: &Value| edge.get("task_key").and_then(Value::as_str).unwrap_or_default().to_owned();
        dependencies.sort_by_key(key);
    }
    for name in ["notebook_task", "spark_python_task"] {
        if let Some(inner) = task.get_mut(name).and_then(Value::as_object_mut) {
            fill(inner, "source", json!(source));
        }
    }
    let file = task.get_mut("sql_task").and_then(|sql| sql.get_mut("file"));
    if let Some(file) = file.and_then(Value::as_object_mut) {
        fill(file, "source", json!(source));
    }
    if let Some(for_each) = task.get_mut("for_each_task").and_then(Value::as_object_mut) {
        fill(for_each, "concurrency", json!(1));
        if let Some(nested) = for_each.get_mut("task").and_then(Value::as_object_mut) {
            fill_task(nested, source);
        }
    }
}

fn fill(object: &mut Map<String, Value>, key: &str, default: Value) {
    if object.get(key).is_none_or(Value::is_null) {
        object.insert(key.to_owned(), default);
    }
}
