//! Small JSON documents that survive a reload: open tabs, sizes of panels, the place in a lesson.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::boundary::storage;

/// Keeps a document; whether it will survive a reload.
pub fn save<T: Serialize>(key: &str, document: &T) -> bool {
    serde_json::to_string(document).is_ok_and(|text| storage::save_draft(key, &text))
}

/// The document kept under a key; its default when there is none or it has another form.
pub fn load<T: DeserializeOwned + Default>(key: &str) -> T {
    storage::load_draft(key).and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
}
