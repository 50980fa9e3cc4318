//! A table's page.

use lakelet_base::TableName;
use lakelet_protocol::{TableKind, TableSummary, TableView};
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::components::icon::icon;
use crate::components::{Dialog, TabList, TabPanel, asked, loaded};
use crate::data::changes::ChangesTab;
use crate::data::definition::{ColumnsTab, DefinitionTab};
use crate::data::history::HistoryTab;
use crate::data::lineage::LineageTab;
use crate::data::refreshes::{RefreshesTab, refresh};
use crate::data::rows::DataTab;
use crate::data::versions::VersionsTab;
use crate::data::window::ChannelNote;
use crate::data::{StateChips, kind_word};
use crate::engine::calls;
use crate::frame::kind_icon;
use crate::messages::en::DataTexts;
use crate::messages::{Choose, count, fill, plural, t, tr};
use crate::route::{Route, TableTab};
use crate::state::{App, use_app};

const GROUP: &str = "table";

/// The title of a tab.
fn tab_title(tab: TableTab) -> Choose<DataTexts> {
    match tab {
        TableTab::Data => |t| t.tab_data,
        TableTab::Columns => |t| t.tab_columns,
        TableTab::History => |t| t.tab_history,
        TableTab::Changes => |t| t.tab_changes,
        TableTab::Versions => |t| t.tab_versions,
        TableTab::Refreshes => |t| t.tab_refreshes,
        TableTab::Lineage => |t| t.tab_lineage,
        TableTab::Definition => |t| t.tab_definition,
    }
}

/// The screen.
#[component]
pub fn TableScreen() -> impl IntoView {
    let app = use_app();
    let place = Memo::new(move |_| match app.route.get() {
        Route::Table { table, tab, .. } => Some((table, tab)),
        _ => None,
    });
    let table = Memo::new(move |_| place.get().map(|(table, _)| table));
    let selected = Memo::new(move |before: Option<&TableTab>| {
        place.get().map(|(_, tab)| tab).or(before.copied()).unwrap_or_default()
    });
    move || table.get().map(|table| view! { <TablePage table selected/> })
}

#[component]
fn TablePage(table: TableName, selected: Memo<TableTab>) -> impl IntoView {
    let app = use_app();
    let name = table.to_string();
    let asked_name = name.clone();
    let answer = asked(move || app.catalog_changes.get(), move |_| calls::table(asked_name.clone()));
    let short_name = table.name.clone();
    let path = format!("{}.{}", table.catalog, table.schema);
    let summary = {
        let name = name.clone();
        Memo::new(move |_| app.table(&name))
    };
    let tabs = Memo::new(move |_| {
        TableTab::ALL.map(|tab| (tab.key().to_owned(), tab_title(tab)(&t().data).to_owned())).to_vec()
    });
    let selected_key = Signal::derive(move || selected.get().key().to_owned());
    let label = {
        let short_name = short_name.clone();
        Signal::derive(move || fill(t().data.tabs, &[("table", &short_name)]))
    };
    let go = {
        let table = table.clone();
        Callback::new(move |key: String| {
            let tab = TableTab::ALL.into_iter().find(|tab| tab.key() == key).unwrap_or_default();
            app.go(&Route::Table { table: table.clone(), tab, version: None });
        })
    };
    // A tab stays when the table's view is asked for again: only what it shows changes.
    let view = Memo::new(move |before: Option<&Option<TableView>>| {
        answer.with(|answer| match answer {
            Some(Ok(view)) => Some(view.clone()),
            _ => before.cloned().flatten(),
        })
    });
    let has_view = Memo::new(move |_| view.with(Option::is_some));
    let content = move || {
        if !has_view.get() {
            return view! { {loaded(answer, |_: TableView| ())} }.into_any();
        }
        let view = Signal::derive(move || view.get());
        let table = table.clone();
        match selected.get() {
            TableTab::Data => view! { <DataTab table view/> }.into_any(),
            TableTab::Columns => view! { <ColumnsTab view/> }.into_any(),
            TableTab::History => view! { <HistoryTab table view/> }.into_any(),
            TableTab::Changes => view! { <ChangesTab table view/> }.into_any(),
            TableTab::Versions => view! { <VersionsTab table view/> }.into_any(),
            TableTab::Refreshes => view! { <ChannelNote view/> <RefreshesTab table/> }.into_any(),
            TableTab::Lineage => view! { <LineageTab view/> }.into_any(),
            TableTab::Definition => view! { <ChannelNote view/> <DefinitionTab view/> }.into_any(),
        }
    };
    view! {
        <section class="page table-page">
            <header class="table-head">
                <p class="quiet table-path"><a href=Route::Data.to_string()>{tr!(data.title)}</a> " / " <code>{path}</code></p>
                <div class="table-title">
                    {move || summary.get().map(|summary| icon(kind_icon(summary.kind)))}
                    <h1>{short_name}</h1>
                    {move || summary.get().map(|summary| view! { <SummaryLine summary/> })}
                </div>
            </header>
            <TabList label group=GROUP tabs=tabs selected=selected_key on_select=go/>
            <TabPanel group=GROUP selected=selected_key>{content}</TabPanel>
        </section>
    }
}

#[component]
fn SummaryLine(summary: TableSummary) -> impl IntoView {
    let app = use_app();
    let TableSummary { kind, version, n_rows, .. } = summary.clone();
    let name = StoredValue::new(summary.name.clone());
    let full_open = RwSignal::new(false);
    let can_refresh = matches!(kind, TableKind::StreamingTable | TableKind::MaterializedView);
    let start = move |full: bool| {
        full_open.set(false);
        refresh(app, name.get_value(), full);
    };
    view! {
        <span class="quiet">{move || kind_word(kind)}</span>
        {(kind != TableKind::View).then(|| view! {
            <span class="quiet">{move || fill(t().common.version, &[("n", &count(version))])}</span>
            <span class="quiet">{move || plural(t().common.n_rows, n_rows)}</span>
        })}
        <StateChips summary/>
        {can_refresh.then(|| view! {
            <span class="button-row">
                <button type="button" class="button-small" disabled=move || !app.is_ready() on:click=move |_| start(false)>
                    {tr!(flow.refresh)}
                </button>
                <button type="button" class="button-small" disabled=move || !app.is_ready() on:click=move |_| full_open.set(true)>
                    {tr!(flow.full_refresh)}
                </button>
            </span>
            <Dialog open=full_open title=Signal::derive(tr!(flow.full_title))>
                <p>{tr!(flow.full_text)}</p>
                <div class="button-row">
                    <button type="button" class="button button-danger" on:click=move |_| start(true)>{tr!(flow.full_confirm)}</button>
                    <button type="button" class="button" on:click=move |_| full_open.set(false)>{tr!(common.cancel)}</button>
                </div>
            </Dialog>
        })}
    }
}

/// Puts a query into the editor and shows it there; nothing is run.
pub fn insert_query(app: App, text: &str) {
    let tab = app.tabs.insert(text);
    crate::sql::show_tab(app, &tab);
    app.news.say(fill(t().sql.inserted, &[("tab", &tab.title)]));
}

/// Closes a result once what shows it is gone.
pub fn close_on_cleanup(result: u64) {
    on_cleanup(move || {
        spawn_local(async move {
            let _ = calls::close_result(result).await;
        });
    });
}
