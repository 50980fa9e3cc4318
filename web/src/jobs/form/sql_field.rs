//! The text of a SQL task.

use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::boundary::editor::{EditorLanguage, EditorNews};
use crate::components::{CodeEditor, EditorControl};
use crate::jobs::editor::JobEditor;
use crate::jobs::form::field_id;
use crate::jobs::form::problems::FieldProblems;
use crate::jobs::places::Field;
use crate::jobs::settings::task;
use crate::messages::{fill, t, tr};
use crate::state::use_app;

/// "SQL".
#[component]
pub fn SqlField(editor: JobEditor, nested: bool) -> impl IntoView {
    let app = use_app();
    let text = Memo::new(move |_| editor.field(nested, |form| form.sql.clone()));
    let typed = StoredValue::new(text.get_untracked());
    let control = EditorControl::new();
    let on_news = Callback::new(move |news| match news {
        EditorNews::Changed(text) => {
            typed.set_value(text.clone());
            editor.edit(nested, |form| form.sql = text);
        }
        EditorNews::Save => spawn_local(async move {
            editor.save_task(app).await;
        }),
        EditorNews::Run | EditorNews::RunAll | EditorNews::Cancel => {}
    });
    // A text that came from elsewhere than the editor, such as the JSON tab, is shown in it.
    Effect::new(move || {
        let text = text.get();
        if typed.with_value(|typed| *typed != text) {
            control.set_text(&text);
            typed.set_value(text);
        }
    });
    let file = move || {
        let saved_as = editor.open.with(|open| open.as_ref().and_then(|open| open.saved_as.clone()))?;
        let settings = editor.saved_settings();
        let mut found = task(&settings, &saved_as)?;
        if nested {
            found = found.pointer("/for_each_task/task")?;
        }
        found.pointer("/sql_task/file/path")?.as_str().map(str::to_owned)
    };
    view! {
        <div class="task-field">
            <span class="task-label" aria-hidden="true">{tr!(jobs.sql)}</span>
            <div class="task-sql" id=field_id(&Field::Sql)>
                <CodeEditor
                    label=untrack(|| t().jobs.sql)
                    language=EditorLanguage::Sql
                    text=text.get_untracked()
                    control=Some(control)
                    on_news
                />
            </div>
            <FieldProblems editor nested field=Field::Sql/>
            {move || file().map(|file| view! { <p class="task-hint">{fill(t().jobs.sql_file, &[("path", &file)])}</p> })}
        </div>
        <p class="task-fact"><span class="task-label">{tr!(jobs.warehouse)}</span> " " <span>{tr!(jobs.the_warehouse)}</span></p>
    }
}
