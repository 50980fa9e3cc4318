//! A code editor: CodeMirror, given its place and its texts.

use std::collections::BTreeMap;

use leptos::html;
use leptos::prelude::*;

use crate::boundary::editor::{
    Editor, EditorCursor, EditorDiagnostic, EditorLanguage, EditorMark, EditorNews, EditorOptions,
};
use crate::messages::t;

/// A hold on an editor, before and after it is in the page.
#[derive(Clone, Copy)]
pub struct EditorControl {
    editor: StoredValue<Option<Editor>, LocalStorage>,
    made: RwSignal<u32>,
}

impl EditorControl {
    /// A hold on nothing yet.
    pub fn new() -> Self {
        Self { editor: StoredValue::new_local(None), made: RwSignal::new(0) }
    }

    /// Follows the editor: what sets its marks runs again when there is another one.
    pub fn track(self) {
        self.made.track();
    }

    fn with<T>(self, act: impl FnOnce(&Editor) -> T) -> Option<T> {
        self.editor.try_with_value(|editor| editor.as_ref().map(act)).flatten()
    }

    /// Replaces the text.
    pub fn set_text(self, text: &str) {
        self.with(|editor| editor.set_text(text));
    }

    /// Replaces the marked places.
    pub fn set_diagnostics(self, diagnostics: &[EditorDiagnostic]) {
        self.with(|editor| editor.set_diagnostics(diagnostics));
    }

    /// Replaces the marks in the margin.
    pub fn set_statement_marks(self, marks: &[EditorMark]) {
        self.with(|editor| editor.set_statement_marks(marks));
    }

    /// Replaces the tables and columns that are offered.
    pub fn set_names(self, names: &BTreeMap<String, Vec<String>>) {
        self.with(|editor| editor.set_names(names));
    }

    /// Where the cursor is; `None` before the editor is there.
    pub fn cursor(self) -> Option<EditorCursor> {
        self.with(Editor::cursor)
    }

    /// Selects a range (UTF-16 code units) and shows it; whether the editor is there.
    pub fn show(self, from: usize, to: usize) -> bool {
        self.with(|editor| editor.show(from, to)).is_some()
    }

    /// Selects a range (UTF-16 code units), shows it and moves the focus there.
    pub fn select(self, from: usize, to: usize) {
        self.with(|editor| editor.select(from, to));
    }
}

/// The editor. It is made once: give its parent a key to get another one.
#[component]
pub fn CodeEditor(
    /// Accessible name.
    #[prop(into)]
    label: String,
    /// Language.
    language: EditorLanguage,
    /// First text.
    #[prop(into)]
    text: String,
    /// Only shows.
    #[prop(optional)]
    read_only: bool,
    /// A hold on it.
    #[prop(optional_no_strip)]
    control: Option<EditorControl>,
    /// Hears what happens in it.
    on_news: Callback<EditorNews>,
) -> impl IntoView {
    let place = NodeRef::<html::Div>::new();
    let control = control.unwrap_or_else(EditorControl::new);
    let options = StoredValue::new(EditorOptions {
        label,
        description: untrack(t).sql.editor_description.to_owned(),
        language,
        text,
        read_only,
    });
    Effect::new(move || {
        let Some(place) = place.get() else { return };
        let editor = options.with_value(|options| Editor::create(&place, options, move |news| on_news.run(news)));
        control.editor.set_value(Some(editor));
        control.made.update(|n| *n += 1);
    });
    on_cleanup(move || {
        let _ = control.editor.try_update_value(Option::take);
    });
    view! { <div class="code-editor" node_ref=place></div> }
}
