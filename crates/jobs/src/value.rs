//! JSON values as text.

use serde_json::Value;

/// The text that a reference to `value` is replaced by: text bare, numbers as they were written, lists and objects as
/// compact JSON, null as `null`.
pub fn value_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
