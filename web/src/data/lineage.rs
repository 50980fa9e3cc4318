//! What a table reads and what reads it.

use lakelet_protocol::TableView;
use leptos::prelude::*;

use crate::messages::{t, tr};
use crate::names::{parse_table_name, short_name};
use crate::route::{Route, TableTab};

/// The tab "Lineage".
#[component]
pub fn LineageTab(view: Signal<Option<TableView>>) -> impl IntoView {
    move || {
        view.get().map(|view| {
            view! {
                <div class="lineage">
                    <section>
                        <h2>{tr!(data.reads)}</h2>
                        {names(view.reads, || t().data.reads_nothing)}
                    </section>
                    <section>
                        <h2>{tr!(data.read_by)}</h2>
                        {names(view.read_by, || t().data.read_by_nothing)}
                    </section>
                </div>
                <p><a href=Route::Flow.to_string()>{tr!(frame.flow)}</a></p>
            }
        })
    }
}

fn names(names: Vec<String>, none: fn() -> &'static str) -> AnyView {
    if names.is_empty() {
        return view! { <p class="quiet">{none}</p> }.into_any();
    }
    let links = names.into_iter().map(|name| {
        let table = parse_table_name(&name);
        let address = table.map(|table| Route::Table { table, tab: TableTab::Lineage, version: None }.to_string());
        view! { <li><a href=address title=name.clone()>{short_name(&name)}</a></li> }
    });
    view! { <ul>{links.collect_view()}</ul> }.into_any()
}
