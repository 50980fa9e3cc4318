//! The page of a notebook.

use lakelet_protocol::{CellKind, NotebookView};
use leptos::prelude::*;

use crate::boundary::{dom, engine};
use crate::components::icon::{Icon, icon};
use crate::components::{Failure, asked, loaded};
use crate::engine::{Answer, PythonPhase, calls};
use crate::messages::{bytes, fill, t, tr};
use crate::notebook::cell::{NotebookCell, kind_word};
use crate::notebook::editor::{Cell, NotebookEditor};
use crate::notebook::widget_bar::WidgetBar;
use crate::route::Route;
use crate::state::{App, use_app};

/// The page.
#[component]
pub fn NotebookPage(path: String) -> impl IntoView {
    let app = use_app();
    // One editor for as long as the page is there: what is answered later is taken in and takes nothing away.
    let opened = RwSignal::new(None::<NotebookEditor>);
    let answer = asked(
        move || app.files_changes.get(),
        move |_| load(path.clone(), opened.get_untracked().map(NotebookEditor::known_file)),
    );
    let owner = Owner::current();
    Effect::new(move || {
        let (view, file, asked_with) = match answer.get() {
            Some(Ok(loaded)) => loaded,
            Some(Err(error)) => {
                if let Some(editor) = opened.get_untracked() {
                    editor.failure.set(Some(error));
                }
                return;
            }
            None => return,
        };
        match (opened.get_untracked(), asked_with) {
            (Some(editor), Some(asked_with)) => editor.take_file(view, file, &asked_with),
            (Some(_), None) => {}
            (None, _) => {
                let seen = app.seen.of(&view.path);
                let editor = match &owner {
                    Some(owner) => owner.with(|| NotebookEditor::new(view, file, seen)),
                    None => NotebookEditor::new(view, file, seen),
                };
                opened.set(Some(editor));
            }
        }
    });
    view! {
        <section class="page notebook-page">
            <p class="quiet job-path"><a href=Route::Notebook { path: None }.to_string()>{tr!(notebook.title)}</a> " /"</p>
            {move || match opened.get() {
                Some(editor) => view! { <Notebook editor/> }.into_any(),
                None => loaded(answer, |_| ()).into_any(),
            }}
        </section>
    }
}

/// The notebook, the text of its file, and what was known of that when they were asked for.
type Loaded = (NotebookView, String, Option<String>);

async fn load(path: String, known_file: Option<String>) -> Answer<Loaded> {
    let view = calls::notebook(path).await?;
    let file = calls::file(view.path.clone()).await?;
    Ok((view, file, known_file))
}

#[component]
fn Notebook(editor: NotebookEditor) -> impl IntoView {
    let app = use_app();
    let path = editor.path.get_value();
    let known = path.clone();
    let news = Memo::new(move |_| app.notebooks.with(|notebooks| notebooks.get(&known).cloned()));
    Effect::new(move |before: Option<()>| {
        let news = news.get();
        // What was there before the page was opened is in what it loaded.
        if let (Some(()), Some(view)) = (before, news) {
            editor.take(&view);
        }
    });
    on_cleanup(move || editor.leave(app));
    let name = path.rsplit('/').next().unwrap_or(&path).to_owned();
    let ids = Memo::new(move |_| editor.cells.with(|cells| cells.iter().map(|cell| cell.id).collect::<Vec<_>>()));
    let saved = move || match editor.unsaved.get() {
        true => t().notebook.saving,
        false => t().notebook.saved,
    };
    view! {
        <header class="job-head">
            <div class="job-title"><h1>{name}</h1> <code class="quiet">{path}</code></div>
            <div class="button-row job-actions">
                <button
                    type="button"
                    class="button button-primary"
                    disabled=move || editor.running.get() || !app.is_ready()
                    on:click=move |_| editor.run(app, None)
                >
                    {icon(Icon::PlayAll)}{tr!(notebook.run)}
                </button>
                <Show when=move || editor.running.get()>
                    <button type="button" class="button" on:click=move |_| engine::cancel()>{icon(Icon::Stop)}{tr!(notebook.stop)}</button>
                </Show>
                <button
                    type="button"
                    class="button"
                    disabled=move || editor.running.get() || !editor.cells.with(|cells| cells.iter().any(Cell::has_run))
                    on:click=move |_| {
                        editor.clear_outputs();
                        app.seen.keep(editor.path.get_value(), editor.seen());
                    }
                >
                    {tr!(notebook.clear)}
                </button>
                <RunningState editor/>
                <span class="quiet">{saved}</span>
            </div>
            <UsedBy editor/>
        </header>
        <WidgetBar editor/>
        {move || editor.failure.get().map(|error| view! { <Failure error/> })}
        {move || editor.run_failure.get().map(|error| view! { <Failure error/> })}
        <Deleted editor/>
        <div class="notebook-cells">
            <For each=move || ids.get() key=|id| *id let(id)><NotebookCell editor id/></For>
        </div>
        <div class="button-row" role="group" aria-label=tr!(notebook.add_cell)>
            {[CellKind::Python, CellKind::Sql, CellKind::Markdown].map(|kind| view! {
                <button type="button" class="button-small" disabled=move || editor.running.get() on:click=move |_| editor.add(None, kind)>
                    {icon(Icon::Plus)}
                    {move || fill(t().notebook.add_kind, &[("kind", kind_word(kind))])}
                </button>
            }).into_iter().collect_view()}
        </div>
    }
}

/// The cell that was deleted last can be had back, by a button or by Ctrl+Z outside of texts.
#[component]
fn Deleted(editor: NotebookEditor) -> impl IntoView {
    let is_any = Memo::new(move |_| editor.deleted.with(|deleted| !deleted.is_empty()));
    let busy = move || editor.running.get();
    let words = move || {
        let place = editor.deleted.with(|deleted| deleted.last().map_or(0, |(place, _)| place + 1));
        fill(t().notebook.deleted, &[("n", &place.to_string())])
    };
    let keys = window_event_listener(leptos::ev::keydown, move |event| {
        let is_undo = event.key() == "z" && (event.ctrl_key() || event.meta_key()) && !event.shift_key();
        if is_undo && is_any.get_untracked() && !untrack(busy) && !dom::is_writing() {
            event.prevent_default();
            editor.undelete();
        }
    });
    on_cleanup(move || keys.remove());
    view! {
        <div class="notebook-deleted" role="status" aria-label=tr!(notebook.deleted_label)>
            <Show when=move || is_any.get()>
                <span>{words}</span>
                <button type="button" class="button-small" disabled=busy on:click=move |_| editor.undelete()>{tr!(notebook.undo)}</button>
            </Show>
        </div>
    }
}

/// That it runs, and how far Python is.
#[component]
fn RunningState(editor: NotebookEditor) -> impl IntoView {
    let app = use_app();
    view! {
        <span class="notebook-state" role="status" aria-label=tr!(notebook.state)>
            <Show when=move || editor.running.get()>
                <span class="tone-running running-mark">{icon(Icon::Ring)}</span>
                <span>{move || python_words(app)}</span>
                {move || python_progress(app).map(|(done, total)| view! {
                    <progress aria-label=tr!(notebook.python_loading) max=total.to_string() value=done.to_string()></progress>
                })}
            </Show>
        </span>
    }
}

/// What is going on, in words. Reactive.
fn python_words(app: App) -> String {
    let texts = &t().notebook;
    match app.engine.with(|engine| engine.python.clone()) {
        Some(PythonPhase::Downloading { done, total }) if total > 0 => {
            fill(texts.python_downloading, &[("done", &bytes(done)), ("total", &bytes(total))])
        }
        Some(PythonPhase::Downloading { .. }) => texts.python_loading.to_owned(),
        Some(PythonPhase::Starting) => texts.python_starting.to_owned(),
        Some(PythonPhase::Ready) | None => texts.running.to_owned(),
    }
}

/// Bytes of Python that are here. Reactive.
fn python_progress(app: App) -> Option<(u64, u64)> {
    match app.engine.with(|engine| engine.python.clone()) {
        Some(PythonPhase::Downloading { done, total }) if total > 0 => Some((done, total)),
        _ => None,
    }
}

#[component]
fn UsedBy(editor: NotebookEditor) -> impl IntoView {
    view! {
        {move || {
            let users = editor.used_by.get();
            (!users.is_empty()).then(|| {
                let users = users.join("; ");
                view! { <p class="quiet notebook-used">{fill(t().notebook.used_by, &[("users", &users)])}</p> }
            })
        }}
    }
}
