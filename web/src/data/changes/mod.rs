//! The change feed of a table: commits, changes, readers.

mod pairs;

use lakelet_base::TableName;
use lakelet_protocol::{ChangesView, FeedReader, TableView};
use leptos::prelude::*;

use crate::components::grid::cell_content;
use crate::components::{Switch, asked, loaded};
use crate::data::history::signed;
use crate::data::table::insert_query;
use crate::engine::calls;
use crate::messages::{clock_text, count, fill, plural, t, tr};
use crate::names::short_name;
use crate::state::use_app;

use pairs::{Line, LineCell, LineKind, pairs, raw};

/// The tab "Changes".
#[component]
pub fn ChangesTab(table: TableName, view: Signal<Option<TableView>>) -> impl IntoView {
    let first = Memo::new(move |_| view.with(|view| view.as_ref().and_then(|view| view.change_feed_from)));
    move || match first.get() {
        None => view! { <FeedOff table=table.clone()/> }.into_any(),
        Some(first) => {
            let latest = Memo::new(move |_| view.with(|view| view.as_ref().map_or(0, |view| view.summary.version)));
            view! { <Inspector table=table.clone() first latest/> }.into_any()
        }
    }
}

#[component]
fn FeedOff(table: TableName) -> impl IntoView {
    let app = use_app();
    let statement = format!("ALTER TABLE {table} SET TBLPROPERTIES (delta.enableChangeDataFeed = true);");
    let inserted = statement.clone();
    view! {
        <p>{tr!(data.feed_off)} " " {tr!(data.feed_off_hint)}</p>
        <pre class="code"><code>{statement}</code></pre>
        <button type="button" class="button-small" on:click=move |_| insert_query(app, &inserted)>{tr!(data.insert_statement)}</button>
    }
}

/// How changes are shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Pairs,
    Raw,
}

#[component]
fn Inspector(table: TableName, first: u64, latest: Memo<u64>) -> impl IntoView {
    let app = use_app();
    let from = RwSignal::new(first);
    let to = RwSignal::new(None::<u64>);
    let mode = RwSignal::new(Mode::Pairs);
    let hide_preimages = RwSignal::new(false);
    let name = table.to_string();
    let answer = {
        let name = name.clone();
        asked(
            move || {
                app.catalog_changes.track();
                (from.get(), to.get())
            },
            move |(from, to)| calls::changes(name.clone(), from, to),
        )
    };
    let range = move || {
        let to = to.get().unwrap_or_else(|| latest.get());
        fill(t().data.range, &[("from", &from.get().to_string()), ("to", &to.to_string())])
    };
    let query = move |_| {
        let to = to.get_untracked().map(|to| format!(", {to}")).unwrap_or_default();
        insert_query(app, &format!("SELECT * FROM table_changes('{name}', {}{to});", from.get_untracked()));
    };
    let number = |event: &leptos::ev::Event| event_target_value(event).parse::<u64>().ok();
    view! {
        <div class="toolbar changes-bar">
            <label class="field">
                <span>{tr!(data.from)}</span>
                <input
                    class="input input-number"
                    type="number"
                    min=first.to_string()
                    max=move || latest.get().to_string()
                    prop:value=move || from.get().to_string()
                    on:change=move |event| if let Some(version) = number(&event) { from.set(version.clamp(first, latest.get_untracked())) }
                />
            </label>
            <label class="field">
                <span>{tr!(data.to)}</span>
                <input
                    class="input input-number"
                    type="number"
                    min=first.to_string()
                    max=move || latest.get().to_string()
                    prop:value=move || to.get().unwrap_or_else(|| latest.get()).to_string()
                    on:change=move |event| {
                        let latest = latest.get_untracked();
                        to.set(number(&event).filter(|version| *version < latest).map(|version| version.max(from.get_untracked())));
                    }
                />
            </label>
            <fieldset class="radio-row">
                <legend class="for-ears">{tr!(data.mode)}</legend>
                <label><input type="radio" name="changes-mode" checked=true on:change=move |_| mode.set(Mode::Pairs)/> <span>{tr!(data.pairs)}</span></label>
                <label><input type="radio" name="changes-mode" on:change=move |_| mode.set(Mode::Raw)/> <span>{tr!(data.raw)}</span></label>
            </fieldset>
            <Switch label=Signal::derive(tr!(data.hide_preimages)) on=hide_preimages/>
            <button type="button" class="button-small" on:click=query>{tr!(data.insert_query)}</button>
        </div>
        <p class="quiet">{range}</p>
        {loaded(answer, move |changes: ChangesView| view! { <Feed changes mode hide_preimages/> })}
    }
}

#[component]
fn Feed(changes: ChangesView, mode: RwSignal<Mode>, hide_preimages: RwSignal<bool>) -> impl IntoView {
    let ChangesView { table, columns, to, commits, rows, n_rows, readers, .. } = changes;
    let name = short_name(&table);
    let n_shown = rows.len() as u64;
    let lines = Memo::new({
        let rows = rows.clone();
        move |_| match mode.get() {
            Mode::Pairs => pairs(&rows),
            Mode::Raw => raw(&rows, hide_preimages.get()),
        }
    });
    // The feed's rows are what a query would give: pre-images count unless they are hidden.
    let n_rows_counted = Memo::new(move |_| raw(&rows, hide_preimages.get()).len() as u64);
    let counted = move || {
        let rows = plural(t().data.n_changes, n_rows_counted.get());
        match mode.get() {
            Mode::Pairs => format!("{} · {rows}", plural(t().data.n_lines, lines.with(Vec::len) as u64)),
            Mode::Raw => rows,
        }
    };
    let cut = (n_rows > n_shown)
        .then_some(move || fill(t().data.shown_of, &[("shown", &count(n_shown)), ("all", &count(n_rows))]));
    let heads = columns.iter().map(|column| view! { <th scope="col">{column.name.clone()}</th> }).collect_view();
    view! {
        <div class="feed">
            <section class="feed-commits">
                <h2>{tr!(data.commits)}</h2>
                <ol class="commit-list">
                    {commits.into_iter().map(|commit| view! {
                        <li>
                            <strong>"v" {commit.version}</strong> " " {commit.operation} " "
                            <span class="commit-counts">
                                {[signed('+', commit.n_inserted), signed('~', commit.n_updated), signed('-', commit.n_deleted)]
                                    .into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" ")}
                            </span>
                            <span class="quiet commit-time">{clock_text(commit.timestamp)}</span>
                        </li>
                    }).collect_view()}
                </ol>
                <h2>{tr!(data.readers)}</h2>
                {reader_list(readers, to)}
            </section>
            <section class="feed-rows">
                <p role="status" class="feed-count">{counted}</p>
                {cut.map(|cut| view! { <p class="quiet">{cut}</p> })}
                <div class="table-scroll" tabindex="0">
                    <table class="table table-dense" aria-label=move || fill(t().data.changes_of, &[("table", &name)])>
                        <thead>
                            <tr>
                                <th scope="col" class="number">{tr!(data.version)}</th>
                                <th scope="col">{tr!(data.what)}</th>
                                {heads}
                            </tr>
                        </thead>
                        <tbody>{move || lines.get().into_iter().map(line_row).collect_view()}</tbody>
                    </table>
                </div>
            </section>
        </div>
    }
}

fn reader_list(readers: Vec<FeedReader>, to: u64) -> AnyView {
    if readers.is_empty() {
        return view! { <p class="quiet">{tr!(data.no_readers)}</p> }.into_any();
    }
    let entries = readers.into_iter().map(|FeedReader { table, read_to }| {
        let name = short_name(&table);
        let unread: Vec<String> = match read_to {
            Some(read_to) if to.saturating_sub(read_to) <= 10 => {
                (read_to + 1..=to).map(|version| version.to_string()).collect()
            }
            Some(read_to) => vec![format!("{} – {to}", read_to + 1)],
            None => Vec::new(),
        };
        let words = move || match read_to {
            Some(version) => fill(t().data.reader, &[("table", &name), ("n", &version.to_string())]),
            None => fill(t().data.reader_nothing, &[("table", &name)]),
        };
        let rest = move || {
            if unread.is_empty() { String::new() } else { fill(t().data.unread, &[("versions", &unread.join(", "))]) }
        };
        view! { <li><span>{words}</span> " " <span class="quiet">{rest}</span></li> }
    });
    view! { <ul class="reader-list">{entries.collect_view()}</ul> }.into_any()
}

fn line_row(line: Line) -> impl IntoView {
    let Line { version, kind, change_type, cells } = line;
    let (class, sign) = match (kind, change_type.as_str()) {
        (LineKind::Insert, _) | (_, "insert") => ("change-insert", "+"),
        (LineKind::Delete, _) | (_, "delete") => ("change-delete", "-"),
        (_, "update_preimage") => ("change-preimage", "~"),
        _ => ("change-update", "~"),
    };
    let words = move || {
        let texts = &t().data;
        match kind {
            LineKind::Insert => texts.insert.to_owned(),
            LineKind::Update => texts.update.to_owned(),
            LineKind::NoChange => format!("{}: {}", texts.update, texts.no_change),
            LineKind::Delete => texts.delete.to_owned(),
            LineKind::Raw => change_type.clone(),
        }
    };
    view! {
        <tr class=class>
            <td class="number">{version}</td>
            <td class="change-what"><span aria-hidden="true">{sign}</span> " " {words}</td>
            {cells.into_iter().map(|cell| match cell {
                LineCell::Same(cell) => view! { <td>{cell_content(cell)}</td> }.into_any(),
                LineCell::Changed(old, new) => view! {
                    <td class="change-cell"><s>{cell_content(old)}</s> " → " <strong>{cell_content(new)}</strong></td>
                }
                .into_any(),
            }).collect_view()}
        </tr>
    }
}
