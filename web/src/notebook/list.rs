//! All notebooks.

use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::components::icon::{Icon, icon};
use crate::components::{Failure, asked, loaded};
use crate::engine::{Answer, calls};
use crate::messages::{fill, t, tr};
use crate::notebook::source::{file_path, is_notebook_path, new_notebook};
use crate::route::Route;
use crate::state::use_app;

/// The list with the way to a new one.
#[component]
pub fn NotebookList() -> impl IntoView {
    let app = use_app();
    let answer = asked(
        move || {
            app.catalog_changes.track();
            app.files_changes.track();
        },
        |()| calls::files(),
    );
    let typed = RwSignal::new(String::new());
    let failure = RwSignal::new(None);
    let path = Memo::new(move |_| file_path(&typed.get()));
    let exists = Memo::new(move |_| {
        let path = path.get();
        answer
            .with(|answer| matches!(answer, Some(Ok(files)) if path.as_ref().is_some_and(|path| files.contains(path))))
    });
    let create = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        let Some(path) = path.get_untracked() else { return };
        spawn_local(async move {
            match create_notebook(&path).await {
                Ok(()) => app.go(&Route::Notebook { path: Some(path) }),
                Err(error) => {
                    let _ = failure.try_set(Some(error));
                }
            }
        });
    };
    let is_listed = Memo::new(move |_| answer.with(|answer| matches!(answer, Some(Ok(_)))));
    let hint = move || match path.get() {
        None => String::new(),
        Some(path) if exists.get() => fill(t().notebook.exists, &[("path", &path)]),
        Some(path) => fill(t().notebook.will_be, &[("path", &path)]),
    };
    view! {
        <section class="page">
            <h1>{tr!(notebook.title)}</h1>
            {loaded(answer, move |files: Vec<String>| {
                let notebooks: Vec<String> = files.into_iter().filter(|path| is_notebook_path(path)).collect();
                if notebooks.is_empty() {
                    return view! { <p class="quiet">{tr!(notebook.none)}</p> }.into_any();
                }
                let entries = notebooks.into_iter().map(|path| {
                    let address = Route::Notebook { path: Some(path.clone()) }.to_string();
                    view! { <li>{icon(Icon::Notebook)} <a href=address>{path}</a></li> }
                });
                view! { <ul class="notebook-list">{entries.collect_view()}</ul> }.into_any()
            })}
            <h2>{tr!(notebook.new)}</h2>
            <form class="notebook-new" on:submit=create>
                <label class="field">
                    <span>{tr!(jobs.path)}</span>
                    <input
                        type="text"
                        class="input input-code"
                        autocomplete="off"
                        spellcheck="false"
                        placeholder="src/copy_incremental.py"
                        prop:value=typed
                        on:input=move |event| typed.set(event_target_value(&event))
                    />
                </label>
                <button
                    type="submit"
                    class="button"
                    disabled=move || path.with(Option::is_none) || !is_listed.get() || !app.is_ready()
                >
                    {icon(Icon::Plus)}{tr!(notebook.create)}
                </button>
                <p class="quiet" role="status">{hint}</p>
            </form>
            {move || failure.get().map(|error| view! { <Failure error/> })}
        </section>
    }
}

/// Writes an empty notebook, unless the file is there: the list on the page may be older than it.
async fn create_notebook(path: &str) -> Answer<()> {
    if calls::files().await?.iter().any(|file| file == path) {
        return Ok(());
    }
    calls::save_file(path.to_owned(), Some(new_notebook(path))).await
}
