//! `lakelet.storage`: what this browser keeps. Every call there is guarded; where nothing can be kept, drafts live as
//! long as the page.

use serde::Deserialize;
use wasm_bindgen::prelude::*;

/// How safe the reader's work is.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct StorageState {
    /// In a word.
    pub state: Safety,
    /// Why it is not saved.
    pub reason: Option<String>,
    /// Length of the workspace's log in bytes.
    pub bytes: u64,
    /// Whether the browser promised to keep it also when space runs short, once it was asked.
    pub kept: Option<bool>,
}

/// How safe the reader's work is, in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Safety {
    /// Not known yet.
    #[default]
    Starting,
    /// On its way to the disk.
    Saving,
    /// On the disk.
    Saved,
    /// In memory only.
    NotSaved,
    /// Another tab writes.
    ReadOnly,
}

#[wasm_bindgen]
extern "C" {
    /// Calls `listener` with the JSON of every [`StorageState`], the present one included.
    #[wasm_bindgen(js_namespace = ["lakelet", "storage"], js_name = onState)]
    pub fn on_state(listener: &Closure<dyn FnMut(String)>);

    /// Asks the browser to keep the workspace; the answer is in the next [`StorageState`].
    #[wasm_bindgen(js_namespace = ["lakelet", "storage"])]
    pub fn persist() -> js_sys::Promise;

    /// Keeps a text under a key; whether it will survive a reload.
    #[wasm_bindgen(js_namespace = ["lakelet", "storage"], js_name = saveDraft)]
    pub fn save_draft(key: &str, text: &str) -> bool;

    /// The text kept under a key.
    #[wasm_bindgen(js_namespace = ["lakelet", "storage"], js_name = loadDraft)]
    pub fn load_draft(key: &str) -> Option<String>;
}
