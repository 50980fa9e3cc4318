//! `lakelet.storage`: what this browser keeps. Every call there is guarded; where nothing can be kept, drafts live as
//! long as the page.

use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// `Saved in this browser`, or `Not saved: …` with the reason.
    #[wasm_bindgen(js_namespace = ["lakelet", "storage"], js_name = state)]
    pub fn state() -> String;

    /// Calls `listener` with every later state.
    #[wasm_bindgen(js_namespace = ["lakelet", "storage"], js_name = onState)]
    pub fn on_state(listener: &Closure<dyn FnMut(String)>);

    /// Keeps a text under a key.
    #[wasm_bindgen(js_namespace = ["lakelet", "storage"], js_name = saveDraft)]
    pub fn save_draft(key: &str, text: &str);

    /// The text kept under a key.
    #[wasm_bindgen(js_namespace = ["lakelet", "storage"], js_name = loadDraft)]
    pub fn load_draft(key: &str) -> Option<String>;
}
