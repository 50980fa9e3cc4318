//! The catalog as the page keeps it, and what became of it.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use lakelet_protocol::{CatalogView, TableKind, TableSummary};
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::engine::calls;
use crate::messages::{plural, t};
use crate::state::App;

thread_local! {
    static LOADING: Cell<bool> = const { Cell::new(false) };
    static CHANGED_MEANWHILE: Cell<bool> = const { Cell::new(false) };
}

impl App {
    /// Asks for the catalog; what shows tables asks again, too. News that come while an answer is awaited make one
    /// more question, not many.
    pub fn catalog_changed(self) {
        if LOADING.replace(true) {
            CHANGED_MEANWHILE.set(true);
            return;
        }
        spawn_local(async move {
            loop {
                CHANGED_MEANWHILE.set(false);
                self.load_catalog().await;
                self.catalog_changes.update(|n| *n += 1);
                if !CHANGED_MEANWHILE.get() {
                    break;
                }
            }
            LOADING.set(false);
        });
    }

    /// Asks for the catalog and waits for it. A failure leaves the one there is: the engine's status says why.
    pub async fn load_catalog(self) {
        if let Ok(catalog) = calls::catalog().await {
            self.catalog.set(Some(catalog));
        }
    }

    /// Asks for the clock.
    pub fn load_clock(self) {
        spawn_local(async move {
            if let Ok(clock) = calls::clock().await {
                self.clock.set(Some(clock));
            }
        });
    }

    /// The summary of a table by its three-part name. Reactive.
    pub fn table(self, name: &str) -> Option<TableSummary> {
        self.catalog.with(|catalog| tables(catalog.as_ref()?).find(|table| table.name == name).cloned())
    }
}

/// All tables of a catalog.
pub fn tables(catalog: &CatalogView) -> impl Iterator<Item = &TableSummary> {
    catalog.schemas.iter().flat_map(|schema| &schema.tables)
}

/// The tables as an editor offers them: each by what it may be called where `current` (`catalog.schema`) is in force, or
/// the catalog's own current schema, with its columns.
pub fn known_names(catalog: &CatalogView, current: Option<&str>) -> BTreeMap<String, Vec<String>> {
    let current = current.unwrap_or(&catalog.current_schema);
    let current_catalog = current.split('.').next().unwrap_or_default();
    let mut names = BTreeMap::new();
    for schema in &catalog.schemas {
        for table in &schema.tables {
            let columns: Vec<String> = table.columns.iter().map(|column| column.name.clone()).collect();
            let (short, of_schema) = (&table.short_name, format!("{}.{}", schema.schema, table.short_name));
            if format!("{}.{}", schema.catalog, schema.schema).eq_ignore_ascii_case(current) {
                names.insert(short.clone(), columns.clone());
            }
            if schema.catalog.eq_ignore_ascii_case(current_catalog) {
                names.insert(of_schema.clone(), columns.clone());
            }
            names.insert(format!("{}.{of_schema}", schema.catalog), columns);
        }
    }
    names
}

/// What was made between two looks at the catalog, in words (`3 tables, 20 rows`); `None` when nothing was.
pub fn made(before: Option<&CatalogView>, after: &CatalogView) -> Option<String> {
    let known: BTreeSet<&str> = before.into_iter().flat_map(tables).map(|table| table.name.as_str()).collect();
    let new: Vec<&TableSummary> =
        tables(after).filter(|table| table.kind == TableKind::Table && !known.contains(table.name.as_str())).collect();
    if new.is_empty() {
        return None;
    }
    let n_rows = new.iter().map(|table| table.n_rows).sum();
    let texts = t();
    Some(format!("{}, {}", plural(texts.common.n_tables, new.len() as u64), plural(texts.common.n_rows, n_rows)))
}

#[cfg(test)]
mod tests {
    use lakelet_protocol::SchemaView;

    use super::*;

    fn catalog(tables: &[(&str, u64)]) -> CatalogView {
        let tables = tables
            .iter()
            .map(|(name, n_rows)| TableSummary {
                name: format!("playground.sales.{name}"),
                short_name: (*name).to_owned(),
                kind: TableKind::Table,
                version: 1,
                n_rows: *n_rows,
                change_feed: false,
                n_unread: None,
                columns: Vec::new(),
            })
            .collect();
        CatalogView {
            schemas: vec![SchemaView { catalog: "playground".into(), schema: "sales".into(), tables }],
            current_schema: "playground.default".into(),
            size_bytes: 0,
        }
    }

    #[test]
    fn only_new_tables_are_counted() {
        let (before, after) = (catalog(&[("a", 5)]), catalog(&[("a", 9), ("b", 10), ("c", 1)]));
        assert_eq!(made(None, &before).as_deref(), Some("1 table, 5 rows"));
        assert_eq!(made(Some(&before), &after).as_deref(), Some("2 tables, 11 rows"));
        assert_eq!(made(Some(&after), &after), None);
    }

    #[test]
    fn tables_are_offered_by_every_name_they_have() {
        let catalog = catalog(&[("orders", 1)]);
        let names = |current| known_names(&catalog, current).into_keys().collect::<Vec<_>>();
        assert_eq!(names(None), ["playground.sales.orders", "sales.orders"]);
        assert_eq!(names(Some("playground.sales")), ["orders", "playground.sales.orders", "sales.orders"]);
        assert_eq!(names(Some("other.sales")), ["playground.sales.orders"]);
    }
}
