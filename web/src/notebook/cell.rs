//! A cell: its source, what can be done with it, and what it gave.

use lakelet_lessons::parse_markdown;
use lakelet_protocol::CellKind;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::boundary::dom;
use crate::boundary::editor::{EditorLanguage, EditorNews};
use crate::boundary::engine;
use crate::components::CodeEditor;
use crate::components::icon::{Icon, icon};
use crate::learn::prose::prose;
use crate::messages::{fill, t, tr};
use crate::notebook::editor::NotebookEditor;
use crate::notebook::outputs::cell_output;
use crate::state::use_app;

const KINDS: [(CellKind, &str); 3] =
    [(CellKind::Python, "python"), (CellKind::Sql, "sql"), (CellKind::Markdown, "markdown")];

/// The word for a language; a name, so it is not translated.
pub fn kind_word(kind: CellKind) -> &'static str {
    match kind {
        CellKind::Python => "Python",
        CellKind::Sql => "SQL",
        CellKind::Markdown => "Markdown",
    }
}

/// The cell.
#[component]
pub fn NotebookCell(editor: NotebookEditor, id: u32) -> impl IntoView {
    let kind = Memo::new(move |_| editor.with_cell(id, |cell| cell.cell.kind).unwrap_or(CellKind::Python));
    let number = Memo::new(move |_| editor.index(id).map_or(0, |index| index + 1));
    let name = move || {
        let number = number.get().to_string();
        fill(t().notebook.cell_named, &[("n", &number), ("kind", kind_word(kind.get()))])
    };
    let title = Memo::new(move |_| editor.with_cell(id, |cell| cell.cell.title.clone()).flatten());
    let output = Memo::new(move |_| editor.with_cell(id, |cell| cell.output.clone()).flatten());
    let empty = Memo::new(move |_| editor.with_cell(id, |cell| cell.cell.source.trim().is_empty()) != Some(false));
    let editing = RwSignal::new(empty.get_untracked());
    let source = move || match kind.get() {
        CellKind::Markdown if !editing.get() && !empty.get() => view! { <Rendered editor id editing/> }.into_any(),
        CellKind::Markdown => view! { <MarkdownSource editor id editing/> }.into_any(),
        // An editor keeps the name that it was made with: a cell that has moved gets another one.
        kind @ (CellKind::Sql | CellKind::Python) => {
            view! { <CodeSource editor id kind number=number.get()/> }.into_any()
        }
    };
    view! {
        <section class="notebook-cell" aria-label=name>
            <CellTools editor id kind editing/>
            {move || title.get().map(|title| view! { <h3 class="cell-title">{title}</h3> })}
            {source}
            {move || output.get().map(|output| view! { <div class="cell-output">{cell_output(output)}</div> })}
        </section>
    }
}

#[component]
fn CellTools(editor: NotebookEditor, id: u32, kind: Memo<CellKind>, editing: RwSignal<bool>) -> impl IntoView {
    let app = use_app();
    let order = move || {
        let executed = editor.with_cell(id, |cell| cell.executed).flatten();
        match executed {
            Some(order) => format!("[{order}]"),
            None => "[ ]".to_owned(),
        }
    };
    let is_edited = Memo::new(move |_| {
        editor.with_cell(id, |cell| cell.source_run.as_ref().is_some_and(|run| run.trim() != cell.cell.source.trim()))
            == Some(true)
    });
    let runs = move || kind.get() != CellKind::Markdown;
    let index = Memo::new(move |_| editor.index(id).unwrap_or(0));
    let n_cells = Memo::new(move |_| editor.cells.with(Vec::len));
    let busy = move || editor.running.get();
    let choose = move |event: leptos::ev::Event| {
        let chosen = event_target_value(&event);
        if let Some((kind, _)) = KINDS.into_iter().find(|(_, key)| *key == chosen) {
            editing.set(true);
            editor.edit(id, |cell| cell.kind = kind);
        }
    };
    let options = KINDS.map(|(choice, key)| {
        view! { <option value=key prop:selected=move || kind.get() == choice>{kind_word(choice)}</option> }
    });
    let tool = move |shape: Icon, name: fn() -> &'static str, disabled: Signal<bool>, act: fn(NotebookEditor, u32)| {
        view! {
            <button
                type="button"
                class="button-plain"
                aria-label=name
                title=name
                disabled=disabled
                on:click=move |_| act(editor, id)
            >
                {icon(shape)}
            </button>
        }
    };
    let first = Signal::derive(move || busy() || index.get() == 0);
    let last = Signal::derive(move || busy() || index.get() + 1 >= n_cells.get());
    let only = Signal::derive(move || busy() || n_cells.get() <= 1);
    view! {
        <div class="cell-tools">
            <Show when=runs>
                <button
                    type="button"
                    class="button-small"
                    disabled=move || busy() || !app.is_ready()
                    on:click=move |_| editor.run(app, Some(id))
                >
                    {icon(Icon::Play)}{tr!(notebook.run_cell)}
                </button>
                <span class="cell-order" title=tr!(notebook.order)>{order}</span>
            </Show>
            <Show when=move || is_edited.get()><span class="quiet cell-edited">{tr!(notebook.edited)}</span></Show>
            <span class="cell-space"></span>
            <label>
                <span class="for-ears">{tr!(notebook.cell_type)}</span>
                <select class="input" disabled=busy on:change=choose>{options.into_iter().collect_view()}</select>
            </label>
            {tool(Icon::ArrowUp, || t().notebook.move_up, first, |editor, id| editor.shift(id, true))}
            {tool(Icon::ArrowDown, || t().notebook.move_down, last, |editor, id| editor.shift(id, false))}
            {tool(Icon::Close, || t().notebook.delete_cell, only, |editor, id| editor.remove(id))}
        </div>
    }
}

#[component]
fn CodeSource(editor: NotebookEditor, id: u32, kind: CellKind, number: usize) -> impl IntoView {
    let app = use_app();
    let text = untrack(|| editor.with_cell(id, |cell| cell.cell.source.clone())).unwrap_or_default();
    let label = untrack(|| fill(t().notebook.cell_named, &[("n", &number.to_string()), ("kind", kind_word(kind))]));
    let language = if kind == CellKind::Sql { EditorLanguage::Sql } else { EditorLanguage::Python };
    let on_news = Callback::new(move |news| match news {
        EditorNews::Changed(text) => editor.edit(id, |cell| cell.source = text),
        EditorNews::Run => editor.run(app, Some(id)),
        EditorNews::RunAll => editor.run(app, None),
        EditorNews::Cancel => engine::cancel(),
        EditorNews::Save => spawn_local(async move {
            editor.save().await;
        }),
    });
    view! { <div class="cell-code"><CodeEditor label language text on_news/></div> }
}

#[component]
fn Rendered(editor: NotebookEditor, id: u32, editing: RwSignal<bool>) -> impl IntoView {
    let nodes = move || editor.with_cell(id, |cell| parse_markdown(&cell.cell.source)).unwrap_or_default();
    view! {
        <div class="cell-prose">{move || prose(&nodes())}</div>
        <button type="button" class="button-small cell-edit" on:click=move |_| {
            editing.set(true);
            request_animation_frame(move || dom::focus(&source_id(id)));
        }>
            {tr!(notebook.edit)}
        </button>
    }
}

#[component]
fn MarkdownSource(editor: NotebookEditor, id: u32, editing: RwSignal<bool>) -> impl IntoView {
    let source = Memo::new(move |_| editor.with_cell(id, |cell| cell.cell.source.clone()).unwrap_or_default());
    let n_lines = move || source.with(|source| source.lines().count().clamp(3, 20)).to_string();
    let name = move || {
        let number = editor.index(id).map_or(0, |index| index + 1).to_string();
        fill(t().notebook.cell_named, &[("n", &number), ("kind", kind_word(CellKind::Markdown))])
    };
    view! {
        <textarea
            class="input input-code cell-markdown"
            id=source_id(id)
            aria-label=name
            rows=n_lines
            prop:value=source
            on:input=move |event| editor.edit(id, |cell| cell.source = event_target_value(&event))
        ></textarea>
        <button type="button" class="button-small cell-edit" on:click=move |_| editing.set(false)>{tr!(notebook.done)}</button>
    }
}

fn source_id(id: u32) -> String {
    format!("cell-source-{id}")
}
