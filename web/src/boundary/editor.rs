//! `lakelet.editor`: CodeMirror behind a few calls. Places are counted in UTF-16 code units there.

use std::collections::BTreeMap;

use js_sys::{Function, Object, Reflect};
use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;

/// What an editor colors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum EditorLanguage {
    /// SQL.
    Sql,
    /// Python.
    Python,
    /// JSON.
    Json,
}

/// How an editor begins.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EditorOptions {
    /// Accessible name of the text box.
    pub label: String,
    /// Accessible description: how to leave it by keyboard.
    pub description: String,
    /// Language.
    pub language: EditorLanguage,
    /// First text.
    pub text: String,
    /// Whether it only shows.
    pub read_only: bool,
}

/// Where the cursor or selection is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
pub struct EditorCursor {
    /// Start of the selection.
    pub from: usize,
    /// End of the selection.
    pub to: usize,
    /// The moving end.
    pub head: usize,
}

/// A marked place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EditorDiagnostic {
    /// Start.
    pub from: usize,
    /// End.
    pub to: usize,
    /// `error` or `warning`.
    pub severity: &'static str,
    /// What is said about it.
    pub message: String,
}

/// A mark in the margin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EditorMark {
    /// Start of the statement.
    pub from: usize,
    /// `waiting`, `running`, `done`, `failed`, `canceled`, `notRun`.
    pub state: &'static str,
    /// Accessible name and tooltip.
    pub label: String,
}

/// What an editor tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EditorNews {
    /// The text changed to this.
    Changed(String),
    /// Ctrl/Cmd+Enter.
    Run,
    /// Ctrl/Cmd+Shift+Enter.
    RunAll,
    /// Ctrl/Cmd+.
    Cancel,
    /// Ctrl/Cmd+S.
    Save,
}

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = ["lakelet", "editor"], js_name = create)]
    fn create(parent: &web_sys::Element, options: &str, callbacks: &JsValue) -> EditorHandle;

    /// One editor.
    #[derive(Clone)]
    pub type EditorHandle;

    #[wasm_bindgen(method, js_name = setText)]
    fn set_text(this: &EditorHandle, text: &str);
    #[wasm_bindgen(method, js_name = setDiagnostics)]
    fn set_diagnostics(this: &EditorHandle, json: &str);
    #[wasm_bindgen(method, js_name = setStatementMarks)]
    fn set_statement_marks(this: &EditorHandle, json: &str);
    #[wasm_bindgen(method, js_name = setNames)]
    fn set_names(this: &EditorHandle, json: &str);
    #[wasm_bindgen(method)]
    fn cursor(this: &EditorHandle) -> String;
    #[wasm_bindgen(method)]
    fn select(this: &EditorHandle, from: usize, to: usize);
    #[wasm_bindgen(method)]
    fn focus(this: &EditorHandle);
    #[wasm_bindgen(method)]
    fn destroy(this: &EditorHandle);
}

/// Callbacks of pressed keys, and what each tells.
const KEYS: [(&str, EditorNews); 4] = [
    ("onRun", EditorNews::Run),
    ("onRunAll", EditorNews::RunAll),
    ("onCancel", EditorNews::Cancel),
    ("onSave", EditorNews::Save),
];

/// An editor in the page, gone when this is dropped.
pub struct Editor {
    handle: EditorHandle,
    // JavaScript holds functions that live in here.
    _callbacks: Vec<JsValue>,
    _changed: Closure<dyn FnMut(String)>,
    _pressed: Vec<Closure<dyn FnMut()>>,
}

impl Editor {
    /// Puts an editor into `parent`; `listener` hears what happens in it.
    pub fn create(
        parent: &web_sys::Element,
        options: &EditorOptions,
        listener: impl Fn(EditorNews) + Clone + 'static,
    ) -> Self {
        let callbacks = Object::new();
        let changed = {
            let listener = listener.clone();
            Closure::<dyn FnMut(String)>::new(move |text| listener(EditorNews::Changed(text)))
        };
        let mut kept = vec![set(&callbacks, "onChange", changed.as_ref())];
        let mut closures = Vec::new();
        for (name, news) in KEYS {
            let listener = listener.clone();
            let closure = Closure::<dyn FnMut()>::new(move || listener(news.clone()));
            kept.push(set(&callbacks, name, closure.as_ref()));
            closures.push(closure);
        }
        let options = serde_json::to_string(options).unwrap_or_default();
        let handle = create(parent, &options, &callbacks);
        // Some programs that look for what a keyboard can reach do not count editable text without this.
        if let Ok(Some(content)) = parent.query_selector("[role=textbox]") {
            let _ = content.set_attribute("tabindex", "0");
        }
        Self { handle, _callbacks: kept, _changed: changed, _pressed: closures }
    }

    /// Replaces the text.
    pub fn set_text(&self, text: &str) {
        self.handle.set_text(text);
    }

    /// Replaces the marked places.
    pub fn set_diagnostics(&self, diagnostics: &[EditorDiagnostic]) {
        self.handle.set_diagnostics(&serde_json::to_string(diagnostics).unwrap_or_default());
    }

    /// Replaces the marks in the margin.
    pub fn set_statement_marks(&self, marks: &[EditorMark]) {
        self.handle.set_statement_marks(&serde_json::to_string(marks).unwrap_or_default());
    }

    /// Replaces the tables and columns that are offered: table → columns.
    pub fn set_names(&self, names: &BTreeMap<String, Vec<String>>) {
        self.handle.set_names(&serde_json::to_string(names).unwrap_or_default());
    }

    /// Where the cursor is.
    pub fn cursor(&self) -> EditorCursor {
        serde_json::from_str(&self.handle.cursor()).unwrap_or_default()
    }

    /// Selects a range and shows it; the focus stays where it is.
    pub fn show(&self, from: usize, to: usize) {
        self.handle.select(from, to);
    }

    /// Selects a range, shows it and moves the focus there.
    pub fn select(&self, from: usize, to: usize) {
        self.handle.select(from, to);
        self.handle.focus();
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        self.handle.destroy();
    }
}

fn set(object: &Object, name: &str, value: &JsValue) -> JsValue {
    // An ordinary object takes any property.
    let _ = Reflect::set(object, &name.into(), value.unchecked_ref::<Function>());
    value.clone()
}
