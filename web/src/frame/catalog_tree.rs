//! The catalog at the side: a tree with a search.

use lakelet_protocol::{TableKind, TableSummary};
use leptos::ev;
use leptos::prelude::*;

use crate::boundary::dom;
use crate::components::Splitter;
use crate::components::icon::{Icon, icon};
use crate::frame::tree::{Entry, Row, Step, Toggled, rows, step};
use crate::messages::{count, fill, t, tr};
use crate::names::parse_table_name;
use crate::route::{Route, TableTab};
use crate::state::layout::Panel;
use crate::state::{App, use_app};

/// The navigation "Catalog".
#[component]
pub fn CatalogPanel() -> impl IntoView {
    let app = use_app();
    view! {
        <nav class="catalog" aria-label=tr!(frame.catalog) style:width=move || format!("{}px", app.layout.size(Panel::Catalog))>
            <div class="catalog-scroll"><CatalogTree id="catalog"/></div>
            <Splitter panel=Panel::Catalog label=Signal::derive(tr!(frame.catalog_width))/>
        </nav>
    }
}

/// The tree with its search. `id` keeps two of them in one document apart.
#[component]
pub fn CatalogTree(id: &'static str) -> impl IntoView {
    let app = use_app();
    let search = RwSignal::new(String::new());
    let toggled = RwSignal::new(Toggled::default());
    let active = RwSignal::new(String::new());
    let shown = Memo::new(move |_| {
        app.catalog.with(|catalog| match catalog {
            Some(catalog) => toggled.with(|toggled| rows(catalog, toggled, &search.get())),
            None => Vec::new(),
        })
    });
    let is_empty = Memo::new(move |_| {
        app.catalog
            .with(|catalog| catalog.as_ref().is_some_and(|catalog| catalog.schemas.iter().all(|s| s.tables.is_empty())))
    });
    let note = move || {
        let texts = &t().frame;
        if app.catalog.with(Option::is_none) {
            Some(texts.catalog_waiting)
        } else if is_empty.get() {
            Some(texts.catalog_empty)
        } else if shown.with(Vec::is_empty) {
            Some(texts.nothing_found)
        } else {
            None
        }
    };
    let on_key = move |event: ev::KeyboardEvent| {
        let key = active.get_untracked();
        if event.key() == "Enter" {
            event.prevent_default();
            if let Some(row) = shown.with_untracked(|rows| rows.iter().find(|row| row.key == key).cloned()) {
                open(app, toggled, &row);
                if matches!(row.entry, Entry::Catalog | Entry::Schema) {
                    let row = row_id(id, &key);
                    request_animation_frame(move || dom::focus(&row));
                }
            }
            return;
        }
        match shown.with_untracked(|rows| step(rows, &key, &event.key())) {
            Some(Step::Focus(key)) => {
                event.prevent_default();
                active.set(key.clone());
                dom::focus(&row_id(id, &key));
            }
            Some(Step::Toggle(key)) => {
                event.prevent_default();
                toggled.update(|toggled| toggled.toggle(&key));
                // The row is made anew; the focus goes with it.
                let row = row_id(id, &key);
                request_animation_frame(move || dom::focus(&row));
            }
            None => {}
        }
    };
    view! {
        <input
            type="search"
            class="input catalog-search"
            aria-label=tr!(frame.search_objects)
            placeholder=tr!(frame.search_objects)
            prop:value=move || search.get()
            on:input=move |event| search.set(event_target_value(&event))
        />
        {move || note().map(|note| view! { <p class="quiet catalog-note">{note}</p> })}
        <ul class="tree" role="tree" aria-label=tr!(frame.catalog) on:keydown=on_key>
            <For each=move || shown.get() key=Row::identity let(row)>
                <TreeRow id row toggled active shown/>
            </For>
        </ul>
    }
}

#[component]
fn TreeRow(
    id: &'static str,
    row: Row,
    toggled: RwSignal<Toggled>,
    active: RwSignal<String>,
    shown: Memo<Vec<Row>>,
) -> impl IntoView {
    let app = use_app();
    let key = row.key.clone();
    let is_stop = {
        let key = key.clone();
        move || {
            let active = active.get();
            shown.with(|rows| match rows.iter().any(|row| row.key == active) {
                true => active == key,
                false => rows.first().is_some_and(|row| row.key == key),
            })
        }
    };
    let (shape, details) = look(&row);
    let n_unread = match &row.entry {
        Entry::Table(summary) => summary.n_unread.filter(|n| *n > 0),
        _ => None,
    };
    let (name, level, expanded) = (row.name.clone(), row.level, row.expanded);
    let row_id = row_id(id, &key);
    let (details_id, stale_id) = (format!("{row_id}-details"), format!("{row_id}-stale"));
    let described_by = format!("{details_id} {stale_id}");
    let toggle_key = key.clone();
    let focus_key = key.clone();
    let is_current = {
        let row = row.clone();
        move || current(app, &row)
    };
    let clicked = row.clone();
    view! {
        // What a row says beside its name describes it, and stands beside it so that the name stays what is shown.
        <li
            class=format!("tree-line tree-level-{level}")
            class:tree-current=is_current
            role="none"
            on:click=move |_| open(app, toggled, &clicked)
        >
            <div
                class="tree-row"
                role="treeitem"
                id=row_id
                attr:aria-level=level.to_string()
                aria-expanded=expanded.map(|expanded| expanded.to_string())
                aria-describedby=described_by
                aria-selected="false"
                tabindex=move || if is_stop() { "0" } else { "-1" }
                on:focus=move |_| active.set(focus_key.clone())
            >
                <span
                    class="tree-twist"
                    class:tree-twist-open=expanded == Some(true)
                    class:tree-twist-none=expanded.is_none()
                    aria-hidden="true"
                    on:click=move |event| {
                        event.stop_propagation();
                        toggled.update(|toggled| toggled.toggle(&toggle_key));
                    }
                >
                    {icon(Icon::ChevronRight)}
                </span>
                {icon(shape)}
                <span class="tree-name">{breakable(&name)}</span>
            </div>
            <span class="tree-details" id=details_id>{details}</span>
            {n_unread.map(|n| view! {
                <span class="tree-stale" id=stale_id>{move || fill(t().frame.stale, &[("n", &count(n))])}</span>
            })}
        </li>
    }
}

fn row_id(id: &str, key: &str) -> String {
    // Ids must not hold blanks; names may.
    let key: String = key.chars().map(|c| if c.is_whitespace() { '_' } else { c }).collect();
    format!("{id}-{key}")
}

/// Whether the place shown is this row's table.
fn current(app: App, row: &Row) -> bool {
    app.route.with(|route| matches!((route, &row.entry), (Route::Table { table, .. }, Entry::Table(summary)) if table.to_string() == summary.name))
}

/// A table goes to its page; everything else opens or closes.
fn open(app: App, toggled: RwSignal<Toggled>, row: &Row) {
    match &row.entry {
        Entry::Table(summary) => {
            if let Some(table) = parse_table_name(&summary.name) {
                app.go(&Route::Table { table, tab: TableTab::default(), version: None });
            }
        }
        Entry::Catalog | Entry::Schema => toggled.update(|toggled| toggled.toggle(&row.key)),
        Entry::Column(_) => {}
    }
}

fn look(row: &Row) -> (Icon, AnyView) {
    match &row.entry {
        Entry::Catalog => (Icon::Catalog, ().into_any()),
        Entry::Schema => (Icon::Schema, ().into_any()),
        Entry::Column(type_name) => (Icon::Dash, view! { <code>{type_name.clone()}</code> }.into_any()),
        Entry::Table(summary) => (kind_icon(summary.kind), table_details(summary)),
    }
}

/// A name that breaks behind its underscores where there is no room for it.
fn breakable(name: &str) -> impl IntoView + use<> {
    name.split_inclusive('_').map(|part| view! { {part.to_owned()} <wbr/> }).collect_view()
}

/// The icon of a kind of table.
pub fn kind_icon(kind: TableKind) -> Icon {
    match kind {
        TableKind::Table => Icon::Table,
        TableKind::StreamingTable => Icon::StreamingTable,
        TableKind::MaterializedView => Icon::MaterializedView,
        TableKind::View => Icon::View,
    }
}

/// Version and change feed in short words.
fn table_details(summary: &TableSummary) -> AnyView {
    let (version, kind, change_feed) = (summary.version, summary.kind, summary.change_feed);
    view! {
        {(kind != TableKind::View).then(|| view! { <span>{format!("v{version}")}</span> " " })}
        {change_feed.then(|| view! { <abbr title=tr!(frame.feed_on)>"CDF"</abbr> })}
    }
    .into_any()
}
