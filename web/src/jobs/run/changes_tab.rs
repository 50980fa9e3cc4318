//! The tab "Changes": the tables that the run changed, commit by commit.

use lakelet_protocol::RunChange;
use leptos::prelude::*;

use crate::data::signed;
use crate::jobs::run::RunPlace;
use crate::messages::{fill, t, tr};
use crate::names::parse_table_name;
use crate::route::{Route, TableTab};

/// The tab.
#[component]
pub fn ChangesTab(place: RunPlace) -> impl IntoView {
    let changes =
        Memo::new(move |_| place.shown.with(|run| run.as_ref().map(|run| run.changes.clone())).unwrap_or_default());
    let over = Memo::new(move |_| place.shown.with(|run| run.as_ref().is_some_and(|run| run.summary.state.is_final())));
    let number = place.number.to_string();
    move || {
        let changes = changes.get();
        if changes.is_empty() {
            return view! {
                <p class="quiet">{move || if over.get() { t().runs.no_changes } else { t().runs.no_changes_yet }}</p>
            }
            .into_any();
        }
        let number = number.clone();
        view! {
            <div class="table-scroll">
                <table class="table" aria-label=move || fill(t().runs.changes_of, &[("n", &number)])>
                    <thead>
                        <tr>
                            <th scope="col">{tr!(runs.table)}</th>
                            <th scope="col">{tr!(data.operation)}</th>
                            <th scope="col" class="number">{tr!(runs.version_before)}</th>
                            <th scope="col" class="number">{tr!(runs.version_after)}</th>
                            <th scope="col" class="number">{tr!(data.inserted)}</th>
                            <th scope="col" class="number">{tr!(data.updated)}</th>
                            <th scope="col" class="number">{tr!(data.deleted)}</th>
                            <th scope="col">{tr!(jobs.task)}</th>
                            <th scope="col">{tr!(runs.item)}</th>
                            <th scope="col" class="number">{tr!(runs.attempt_head)}</th>
                        </tr>
                    </thead>
                    <tbody>{changes.into_iter().map(row).collect_view()}</tbody>
                </table>
            </div>
        }
        .into_any()
    }
}

fn row(change: RunChange) -> impl IntoView {
    let table = parse_table_name(&change.table);
    let shown = table.as_ref().map_or_else(|| change.table.clone(), |table| format!("{}.{}", table.schema, table.name));
    let address = |tab, version| table.clone().map(|table| Route::Table { table, tab, version }.to_string());
    let (history, after) = (address(TableTab::History, None), address(TableTab::Data, Some(change.version_after)));
    let before = change.version_before.map(|version| (version, address(TableTab::Data, Some(version))));
    view! {
        <tr>
            <th scope="row"><a href=history>{shown}</a></th>
            <td>{change.operation}</td>
            <td class="number">{match before {
                Some((version, address)) => view! { <a href=address>{version}</a> }.into_any(),
                None => view! { <span class="quiet">{tr!(runs.made)}</span> }.into_any(),
            }}</td>
            <td class="number"><a href=after>{change.version_after}</a></td>
            <td class="number">{signed('+', change.n_inserted)}</td>
            <td class="number">{signed('~', change.n_updated)}</td>
            <td class="number">{signed('-', change.n_deleted)}</td>
            <td>{change.task_key}</td>
            <td>{change.iteration}</td>
            <td class="number">{change.attempt}</td>
        </tr>
    }
}
