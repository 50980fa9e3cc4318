//! The rows of a table, of any of its versions.

use lakelet_base::TableName;
use lakelet_protocol::{ResultHeader, TableKind, TableView};
use leptos::prelude::*;

use crate::components::icon::{Icon, icon};
use crate::components::{Grid, asked, loaded};
use crate::data::table::{close_on_cleanup, insert_query};
use crate::engine::calls;
use crate::messages::{fill, t, tr};
use crate::route::{Route, TableTab};
use crate::state::use_app;

/// The tab "Data".
#[component]
pub fn DataTab(table: TableName, view: Signal<Option<TableView>>) -> impl IntoView {
    let app = use_app();
    let latest = Memo::new(move |_| view.with(|view| view.as_ref().map_or(0, |view| view.summary.version)));
    let has_versions =
        Memo::new(move |_| view.with(|view| view.as_ref().is_some_and(|view| view.summary.kind != TableKind::View)));
    let chosen = Memo::new(move |_| match app.route.get() {
        Route::Table { version, .. } => version.map(|version| version.min(latest.get())),
        _ => None,
    });
    let name = table.to_string();
    let answer = {
        let name = name.clone();
        // Rows of a table change with its version; those of a view with anything.
        let state = Memo::new(move |_| {
            (chosen.get(), if has_versions.get() { latest.get() } else { app.catalog_changes.get() })
        });
        asked(
            move || state.get(),
            move |asked_for| {
                let name = name.clone();
                async move {
                    let answer = calls::open_rows(name, asked_for.0).await;
                    // An answer that was overtaken is shown nowhere, so nobody else would close it.
                    if let Ok(header) = &answer
                        && state.try_get_untracked() != Some(asked_for)
                    {
                        // A result that is gone already is as good as closed.
                        let _ = calls::close_result(header.result).await;
                    }
                    answer
                }
            },
        )
    };
    let short_name = table.name.clone();
    let label = Signal::derive(move || match chosen.get() {
        None => fill(t().data.rows_of, &[("table", &short_name)]),
        Some(version) => fill(t().data.rows_of_version, &[("table", &short_name), ("n", &version.to_string())]),
    });
    let query = move |_| {
        let text = match chosen.get_untracked() {
            None => format!("SELECT * FROM {name};"),
            Some(version) => format!("SELECT * FROM {name} VERSION AS OF {version};"),
        };
        insert_query(app, &text);
    };
    view! {
        <Show when=move || has_versions.get() && latest.get() != 0>
            <VersionBar table=table.clone() chosen latest/>
        </Show>
        <div class="button-row">
            <button type="button" class="button-small" on:click=query>{tr!(data.insert_query)}</button>
        </div>
        {loaded(answer, move |header: ResultHeader| view! { <Rows label header/> })}
    }
}

/// A grid over an opened result, which is closed with it.
#[component]
fn Rows(label: Signal<String>, header: ResultHeader) -> impl IntoView {
    close_on_cleanup(header.result);
    view! { <Grid label header tall=true/> }
}

/// Time travel.
#[component]
fn VersionBar(table: TableName, chosen: Memo<Option<u64>>, latest: Memo<u64>) -> impl IntoView {
    let app = use_app();
    let shown = Memo::new(move |_| chosen.get().unwrap_or_else(|| latest.get()));
    let go = Callback::new(move |version: u64| {
        let version = (version < latest.get_untracked()).then_some(version);
        app.go_instead(&Route::Table { table: table.clone(), tab: TableTab::Data, version });
    });
    let words =
        move || fill(t().data.version_of, &[("n", &shown.get().to_string()), ("latest", &latest.get().to_string())]);
    view! {
        <div class="version-bar">
            <label class="version-slider">
                <span>{tr!(data.version)}</span>
                <input
                    type="range"
                    min="0"
                    max=move || latest.get().to_string()
                    step="1"
                    prop:value=move || shown.get().to_string()
                    aria-valuetext=words
                    on:input=move |event| {
                        if let Ok(version) = event_target_value(&event).parse() {
                            go.run(version);
                        }
                    }
                />
            </label>
            <button
                type="button"
                class="button-plain"
                aria-label=tr!(data.previous_version)
                disabled=move || shown.get() == 0
                on:click=move |_| go.run(shown.get_untracked().saturating_sub(1))
            >
                {icon(Icon::ChevronLeft)}
            </button>
            <span class="version-words">{words}</span>
            <button
                type="button"
                class="button-plain"
                aria-label=tr!(data.next_version)
                disabled=move || { shown.get() >= latest.get() }
                on:click=move |_| go.run(shown.get_untracked() + 1)
            >
                {icon(Icon::ChevronRight)}
            </button>
        </div>
        <Show when=move || chosen.get().is_some_and(|version| version < latest.get())>
            <p class="notice tone-running">
                {move || fill(t().data.version_notice, &[("n", &shown.get().to_string()), ("latest", &latest.get().to_string())])}
                " "
                <button type="button" class="button-small" on:click=move |_| go.run(latest.get_untracked())>{tr!(data.latest)}</button>
            </p>
        </Show>
    }
}
