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
use crate::state::{App, use_app};

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
            editor.type_json((!same).then_some(text));
        }
        EditorNews::Save => spawn_local(async move {
            save_json(app, editor).await;
        }),
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
    let outdated = Memo::new(move |_| editor.is_json_outdated());
    let refused = move || !changed.get() || problem.with(Option::is_some) || outdated.get();
    let save = move |_| {
        spawn_local(async move {
            save_json(app, editor).await;
        });
    };
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
                disabled=move || refused() || editor.saving.get() || !app.is_ready()
                on:click=save
            >
                {tr!(jobs.save_json)}
            </button>
            <button type="button" class="button" disabled=move || !changed.get() on:click=move |_| editor.json.set(None)>
                {tr!(jobs.discard_json)}
            </button>
            <button type="button" class="button" on:click=copy>{icon(Icon::Copy)}{tr!(common.copy)}</button>
            <span role="status" class="json-status">
                {move || match (problem.get(), changed.get()) {
                    _ if outdated.get() => t().jobs.json_outdated.to_owned(),
                    (Some(problem), _) => problem,
                    (None, true) => t().jobs.not_saved.to_owned(),
                    (None, false) => String::new(),
                }}
            </span>
        </div>
        {move || editor.failure.get().map(|error| view! { <Failure error/> })}
    }
}

/// Saves the text of the tab; whether that worked. It does not, and nothing is lost, where the text is no settings or
/// where others were saved since it was begun.
pub async fn save_json(app: App, editor: JobEditor) -> bool {
    let Some(text) = editor.json.get_untracked() else { return true };
    let outdated = untrack(|| editor.is_json_outdated()).then(|| t().jobs.json_outdated.to_owned());
    let settings = match (outdated, untrack(|| read(&text))) {
        (Some(problem), _) | (None, Err(problem)) => {
            app.news.say_urgently(problem);
            return false;
        }
        (None, Ok(settings)) => settings,
    };
    if !editor.save(app, settings, None).await {
        return false;
    }
    editor.json_is_saved(&text);
    app.news.say(t().jobs.json_saved);
    true
}

/// Whether the text of the tab can be saved. Reactive.
pub fn can_save_json(editor: JobEditor) -> bool {
    !editor.is_json_outdated() && editor.json.with(|json| json.as_ref().is_some_and(|text| read(text).is_ok()))
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
