//! The catalog as a tree of visible rows, and where keys lead in it.

use std::collections::BTreeSet;

use lakelet_protocol::{CatalogView, TableSummary};

/// What a row stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// A catalog.
    Catalog,
    /// A schema.
    Schema,
    /// A table.
    Table(Box<TableSummary>),
    /// A column, with its type.
    Column(String),
}

/// A visible row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Unique in the tree.
    pub key: String,
    /// 1 for catalogs.
    pub level: usize,
    /// Name shown.
    pub name: String,
    /// Whether it has rows below it and shows them; `None` for leaves.
    pub expanded: Option<bool>,
    /// What it stands for.
    pub entry: Entry,
}

impl Row {
    /// What makes a row another one to look at.
    pub fn identity(&self) -> String {
        let state = match &self.entry {
            Entry::Table(summary) => format!("{} {} {:?}", summary.version, summary.change_feed, summary.n_unread),
            _ => String::new(),
        };
        format!("{} {:?} {state}", self.key, self.expanded)
    }
}

/// Which rows a reader has opened or closed. Catalogs and schemas are open unless closed, tables closed unless opened.
#[derive(Debug, Clone, Default)]
pub struct Toggled(pub BTreeSet<String>);

impl Toggled {
    fn expanded(&self, key: &str, by_default: bool) -> bool {
        by_default != self.0.contains(key)
    }

    /// Opens what is closed and closes what is open.
    pub fn toggle(&mut self, key: &str) {
        if !self.0.remove(key) {
            self.0.insert(key.to_owned());
        }
    }
}

/// The visible rows. A search keeps tables and schemas whose name holds it, with what is above them.
pub fn rows(catalog: &CatalogView, toggled: &Toggled, search: &str) -> Vec<Row> {
    let search = search.trim().to_lowercase();
    let matches = |name: &str| search.is_empty() || name.to_lowercase().contains(&search);
    let mut rows: Vec<Row> = Vec::new();
    let mut last_catalog = None;
    for schema in &catalog.schemas {
        let schema_matches = matches(&schema.schema);
        let tables: Vec<&TableSummary> =
            schema.tables.iter().filter(|table| schema_matches || matches(&table.short_name)).collect();
        if !search.is_empty() && tables.is_empty() && !schema_matches {
            continue;
        }
        let catalog_expanded = toggled.expanded(&schema.catalog, true);
        if last_catalog != Some(&schema.catalog) {
            last_catalog = Some(&schema.catalog);
            rows.push(row(schema.catalog.clone(), 1, &schema.catalog, Some(catalog_expanded), Entry::Catalog));
        }
        if !catalog_expanded {
            continue;
        }
        let key = format!("{}/{}", schema.catalog, schema.schema);
        let expanded = toggled.expanded(&key, true);
        rows.push(row(key, 2, &schema.schema, Some(expanded), Entry::Schema));
        if expanded {
            tables.into_iter().for_each(|table| push_table(&mut rows, table, toggled));
        }
    }
    rows
}

fn push_table(rows: &mut Vec<Row>, table: &TableSummary, toggled: &Toggled) {
    let expanded = toggled.expanded(&table.name, false);
    rows.push(row(table.name.clone(), 3, &table.short_name, Some(expanded), Entry::Table(Box::new(table.clone()))));
    if expanded {
        for column in &table.columns {
            let key = format!("{}/{}", table.name, column.name);
            rows.push(row(key, 4, &column.name, None, Entry::Column(column.type_name.clone())));
        }
    }
}

fn row(key: String, level: usize, name: &str, expanded: Option<bool>, entry: Entry) -> Row {
    Row { key, level, name: name.to_owned(), expanded, entry }
}

/// What a key does in the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Focus goes to a row.
    Focus(String),
    /// A row is opened or closed.
    Toggle(String),
}

/// What a key does when the focus is on `key`'s row; after the tree pattern of the same name.
pub fn step(rows: &[Row], key: &str, pressed: &str) -> Option<Step> {
    let index = rows.iter().position(|row| row.key == key).unwrap_or(0);
    let row = rows.get(index)?;
    let focus = |row: Option<&Row>| row.map(|row| Step::Focus(row.key.clone()));
    match pressed {
        "ArrowDown" => focus(rows.get(index + 1)),
        "ArrowUp" => focus(index.checked_sub(1).and_then(|index| rows.get(index))),
        "Home" => focus(rows.first()),
        "End" => focus(rows.last()),
        "ArrowRight" => match row.expanded {
            Some(false) => Some(Step::Toggle(row.key.clone())),
            Some(true) => focus(rows.get(index + 1).filter(|below| below.level > row.level)),
            None => None,
        },
        "ArrowLeft" => match row.expanded {
            Some(true) => Some(Step::Toggle(row.key.clone())),
            _ => focus(rows.get(..index)?.iter().rev().find(|above| above.level < row.level)),
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use lakelet_protocol::{ColumnView, SchemaView, TableKind};

    use super::*;

    fn catalog() -> CatalogView {
        let table = |schema: &str, name: &str| TableSummary {
            name: format!("playground.{schema}.{name}"),
            short_name: name.to_owned(),
            kind: TableKind::Table,
            version: 0,
            n_rows: 0,
            change_feed: false,
            n_unread: None,
            columns: vec![ColumnView {
                name: "id".into(),
                type_name: "int".into(),
                nullable: true,
                default: None,
                comment: None,
            }],
        };
        let schema = |schema: &str, names: &[&str]| SchemaView {
            catalog: "playground".into(),
            schema: schema.into(),
            tables: names.iter().map(|name| table(schema, name)).collect(),
        };
        CatalogView {
            schemas: vec![schema("default", &[]), schema("sales", &["raw_orders", "raw_products"])],
            current_schema: "playground.default".into(),
            size_bytes: 0,
        }
    }

    fn names(rows: &[Row]) -> Vec<&str> {
        rows.iter().map(|row| row.name.as_str()).collect()
    }

    #[test]
    fn schemas_are_open_and_tables_closed_at_first() {
        let mut toggled = Toggled::default();
        let shown = rows(&catalog(), &toggled, "");
        assert_eq!(names(&shown), ["playground", "default", "sales", "raw_orders", "raw_products"]);
        toggled.toggle("playground.sales.raw_orders");
        toggled.toggle("playground/default");
        let shown = rows(&catalog(), &toggled, "");
        assert_eq!(names(&shown), ["playground", "default", "sales", "raw_orders", "id", "raw_products"]);
        toggled.toggle("playground");
        assert_eq!(names(&rows(&catalog(), &toggled, "")), ["playground"]);
    }

    #[test]
    fn a_search_keeps_what_is_above() {
        let found = rows(&catalog(), &Toggled::default(), " PROD");
        assert_eq!(names(&found), ["playground", "sales", "raw_products"]);
        assert_eq!(rows(&catalog(), &Toggled::default(), "nothing"), []);
        let schema = rows(&catalog(), &Toggled::default(), "sales");
        assert_eq!(names(&schema), ["playground", "sales", "raw_orders", "raw_products"]);
    }

    #[test]
    fn keys_walk_open_and_close() {
        let shown = rows(&catalog(), &Toggled::default(), "");
        let table = "playground.sales.raw_orders";
        assert_eq!(step(&shown, table, "ArrowRight"), Some(Step::Toggle(table.into())));
        assert_eq!(step(&shown, table, "ArrowLeft"), Some(Step::Focus("playground/sales".into())));
        assert_eq!(step(&shown, "playground/sales", "ArrowLeft"), Some(Step::Toggle("playground/sales".into())));
        assert_eq!(step(&shown, "playground/sales", "ArrowRight"), Some(Step::Focus(table.into())));
        assert_eq!(step(&shown, "playground", "ArrowUp"), None);
        assert_eq!(step(&shown, "playground", "End"), Some(Step::Focus("playground.sales.raw_products".into())));
        assert_eq!(step(&[], "x", "Home"), None);
    }
}
