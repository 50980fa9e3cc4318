//! The commits of a table.

use lakelet_base::TableName;
use lakelet_protocol::{CommitView, TableView};
use leptos::prelude::*;

use crate::messages::{clock_text, count, fill, t, tr};
use crate::route::{Route, TableTab};

/// The tab "History".
#[component]
pub fn HistoryTab(table: TableName, view: Signal<Option<TableView>>) -> impl IntoView {
    move || {
        let history = view.get().map(|view| view.history).unwrap_or_default();
        let name = table.name.clone();
        let table = table.clone();
        view! {
            <div class="table-scroll" tabindex="0">
                <table class="table" aria-label=move || fill(t().data.history_of, &[("table", &name)])>
                    <thead>
                        <tr>
                            <th scope="col" class="number">{tr!(data.version)}</th>
                            <th scope="col">{tr!(data.time)}</th>
                            <th scope="col">{tr!(data.operation)}</th>
                            <th scope="col" class="number">{tr!(data.inserted)}</th>
                            <th scope="col" class="number">{tr!(data.updated)}</th>
                            <th scope="col" class="number">{tr!(data.deleted)}</th>
                            <th scope="col">{tr!(data.cause)}</th>
                            <th scope="col"><span class="for-ears">{tr!(data.show_version)}</span></th>
                        </tr>
                    </thead>
                    <tbody>{history.into_iter().map(|commit| commit_row(&table, commit)).collect_view()}</tbody>
                </table>
            </div>
        }
    }
}

fn commit_row(table: &TableName, commit: CommitView) -> impl IntoView + use<> {
    let address = Route::Table { table: table.clone(), tab: TableTab::Data, version: Some(commit.version) }.to_string();
    let parameters: Vec<String> = commit.parameters.iter().map(|(name, value)| format!("{name}: {value}")).collect();
    view! {
        <tr>
            <th scope="row" class="number">{commit.version}</th>
            <td><time datetime=commit.timestamp.to_string()>{clock_text(commit.timestamp)}</time></td>
            <td title=parameters.join("\n")>{commit.operation}</td>
            <td class="number">{signed('+', commit.n_inserted)}</td>
            <td class="number">{signed('~', commit.n_updated)}</td>
            <td class="number">{signed('-', commit.n_deleted)}</td>
            <td>{commit.cause}</td>
            <td><a href=address>{tr!(data.show_version)}</a></td>
        </tr>
    }
}

/// A number with its sign; nothing for none.
pub fn signed(sign: char, n: u64) -> String {
    if n == 0 { String::new() } else { format!("{sign}{}", count(n)) }
}
