//! The tab "JSON": the settings as a document that can be changed. A text that is no JSON changes nothing else.

use leptos::prelude::*;
use leptos::task::spawn_local;
use serde_json::Value;

use crate::boundary::dom;
use crate::boundary::editor::{EditorLanguage, EditorNews};
use crate::components::icon::{Icon, icon};
use crate::components::{CodeEditor, EditorControl, Failure};
use crate::jobs::editor::JobEditor;
use crate::messages::{fill, t, tr};
use crate::state::use_app;

/// The tab.
#[component]
pub fn JsonTab(editor: JobEditor) -> impl IntoView {
    let app = use_app();
    let control = EditorControl::new();
    let settled = Memo::new(move |_| pretty(&editor.settings()));
    let typed = StoredValue::new(String::new());
    let text = move || editor.json.get().unwrap_or_else(|| settled.get());
    let on_news = Callback::new(move |news| match news {
        EditorNews::Changed(text) => {
            typed.set_value(text.clone());
            let same = settled.with_untracked(|settled| *settled == text);
            editor.json.set((!same).then_some(text));
        }
        EditorNews::Save => save(app, editor),
        EditorNews::Run | EditorNews::RunAll | EditorNews::Cancel => {}
    });
    Effect::new(move || {
        let text = text();
        if typed.with_value(|typed| *typed != text) {
            control.set_text(&text);
            typed.set_value(text);
        }
    });
    let problem = Memo::new(move |_| editor.json.with(|json| json.as_ref().and_then(|text| read(text).err())));
    let changed = Memo::new(move |_| editor.json.with(Option::is_some));
    let first = untrack(text);
    typed.set_value(first.clone());
    let copy = move |_| {
        let text = untrack(text);
        spawn_local(async move {
            let copied = dom::copy(&text).await;
            let texts = t();
            app.news.say(if copied { texts.common.copied } else { texts.common.not_copied });
        });
    };
    view! {
        <p class="quiet">{tr!(jobs.json_text)}</p>
        <div class="json-editor">
            <CodeEditor
                label=untrack(|| t().jobs.json_editor)
                language=EditorLanguage::Json
                text=first
                control=Some(control)
                on_news
            />
        </div>
        <div class="button-row">
            <button
                type="button"
                class="button button-primary"
                disabled=move || !changed.get() || problem.with(Option::is_some) || editor.saving.get() || !app.is_ready()
                on:click=move |_| save(app, editor)
            >
                {tr!(jobs.save_json)}
            </button>
            <button type="button" class="button" disabled=move || !changed.get() on:click=move |_| editor.json.set(None)>
                {tr!(jobs.discard_json)}
            </button>
            <button type="button" class="button" on:click=copy>{icon(Icon::Copy)}{tr!(common.copy)}</button>
            <span role="status" class="json-status">
                {move || match (problem.get(), changed.get()) {
                    (Some(problem), _) => problem,
                    (None, true) => t().jobs.not_saved.to_owned(),
                    (None, false) => String::new(),
                }}
            </span>
        </div>
        {move || editor.failure.get().map(|error| view! { <Failure error/> })}
    }
}

fn save(app: crate::state::App, editor: JobEditor) {
    let Some(Ok(settings)) = editor.json.with_untracked(|json| json.as_ref().map(|text| read(text))) else { return };
    spawn_local(async move {
        let text = editor.json.get_untracked();
        if editor.save(app, settings, None).await {
            // What was typed while the answer was awaited stays.
            if editor.json.get_untracked() == text {
                editor.json.set(None);
            }
            app.news.say(t().jobs.json_saved);
        }
    });
}

fn pretty(settings: &Value) -> String {
    serde_json::to_string_pretty(settings).unwrap_or_default()
}

/// The settings that a text is, or what is wrong with it and where. Reactive.
fn read(text: &str) -> Result<Value, String> {
    let texts = &t().jobs;
    match serde_json::from_str::<Value>(text) {
        Ok(settings) if settings.is_object() => Ok(settings),
        Ok(_) => Err(texts.json_no_object.to_owned()),
        Err(error) => {
            let (line, column) = (error.line().to_string(), error.column().to_string());
            // serde says the place again at the end of its message.
            let message = error.to_string();
            let message = message.split(" at line ").next().unwrap_or_default();
            Err(fill(texts.json_invalid, &[("line", &line), ("column", &column), ("message", message)]))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_is_no_settings_says_where() {
        assert_eq!(read("{\"name\": \"a\"}").map(|value| value["name"].clone()), Ok("a".into()));
        assert_eq!(read("{\n  \"name\": \n}"), Err("Line 3, column 1: expected value".to_owned()));
        assert_eq!(read("[]"), Err("The settings of a job are one JSON object.".to_owned()));
    }

    #[test]
    fn printing_is_reading_backwards() {
        let settings: Value = serde_json::from_str(r#"{"b":1.10,"a":[]}"#).unwrap();
        assert_eq!(read(&pretty(&settings)), Ok(settings));
    }
}
