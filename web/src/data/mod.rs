//! Tables: the list, and a table's page.

mod changes;
mod definition;
mod history;
mod lineage;
pub mod refreshes;
mod rows;
mod table;
mod timeline;
mod versions;
pub mod watermarks;
mod window;

use lakelet_protocol::{TableKind, TableSummary};
use leptos::prelude::*;

use crate::components::icon::Icon;
use crate::components::{Chip, Tone};
use crate::frame::CatalogTree;
use crate::messages::{count, fill, t, tr};
use crate::names::parse_table_name;
use crate::route::{Route, TableTab};
use crate::state::catalog::tables;
use crate::state::use_app;

pub use history::signed;
pub use table::TableScreen;
use watermarks::WatermarksCard;

/// All tables.
#[component]
pub fn DataScreen() -> impl IntoView {
    let app = use_app();
    let all = Memo::new(move |_| {
        app.catalog.with(|catalog| catalog.as_ref().map(|catalog| tables(catalog).cloned().collect::<Vec<_>>()))
    });
    view! {
        <section class="page">
            <h1>{tr!(data.title)}</h1>
            {move || match all.get() {
                None => view! { <p class="quiet">{tr!(frame.catalog_waiting)}</p> }.into_any(),
                Some(tables) if tables.is_empty() => view! { <p class="quiet">{tr!(data.none)}</p> }.into_any(),
                Some(tables) => table_list(tables).into_any(),
            }}
            <WatermarksCard/>
        </section>
        // The catalog stands at the side of larger screens; here it is the way to it on small ones.
        <section class="catalog-small" aria-label=tr!(frame.catalog)><CatalogTree id="catalog-small"/></section>
    }
}

fn table_list(tables: Vec<TableSummary>) -> impl IntoView {
    let rows = tables.into_iter().map(|summary| {
        let table = parse_table_name(&summary.name);
        let schema = table.as_ref().map(|table| format!("{}.{}", table.catalog, table.schema)).unwrap_or_default();
        let address = table.map(|table| Route::Table { table, tab: TableTab::default(), version: None }.to_string());
        view! {
            <tr>
                <th scope="row"><a href=address>{summary.short_name.clone()}</a></th>
                <td><code>{schema}</code></td>
                <td>{move || kind_word(summary.kind)}</td>
                <td class="number">{count(summary.n_rows)}</td>
                <td class="number">{summary.version}</td>
                <td><StateChips summary=summary.clone()/></td>
            </tr>
        }
    });
    view! {
        <div class="table-scroll" tabindex="0">
            <table class="table">
                <thead>
                    <tr>
                        <th scope="col">{tr!(data.name)}</th>
                        <th scope="col">{tr!(data.schema)}</th>
                        <th scope="col">{tr!(data.kind)}</th>
                        <th scope="col" class="number">{tr!(data.rows)}</th>
                        <th scope="col" class="number">{tr!(data.version)}</th>
                        <th scope="col">{tr!(data.state)}</th>
                    </tr>
                </thead>
                <tbody>{rows.collect_view()}</tbody>
            </table>
        </div>
    }
}

/// The word for a kind of table. Reactive.
pub fn kind_word(kind: TableKind) -> &'static str {
    let texts = &t().frame;
    match kind {
        TableKind::Table => texts.kind_table,
        TableKind::StreamingTable => texts.kind_streaming_table,
        TableKind::MaterializedView => texts.kind_materialized_view,
        TableKind::View => texts.kind_view,
    }
}

/// Freshness and change feed.
#[component]
pub fn StateChips(summary: TableSummary) -> impl IntoView {
    let TableSummary { change_feed, n_unread, .. } = summary;
    view! {
        {n_unread.map(|n| if n > 0 {
            let text = Signal::derive(move || fill(t().frame.stale, &[("n", &count(n))]));
            view! { <Chip tone=Tone::Warning shape=Icon::Warning text/> }
        } else {
            view! { <Chip tone=Tone::Success shape=Icon::Check text=Signal::derive(move || t().frame.fresh.to_owned())/> }
        })}
        {change_feed.then(|| view! {
            <Chip tone=Tone::Running shape=Icon::Flow text=Signal::derive(move || t().frame.feed_on.to_owned())/>
        })}
    }
}
