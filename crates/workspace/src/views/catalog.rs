//! The catalog tree.

use lakelet_base::{Result, TableName};
use lakelet_pipelines::{definition_of, freshness};
use lakelet_protocol::{CatalogView, ColumnView, SchemaView, TableKind, TableSummary};
use lakelet_store::Table;

use crate::core::Core;

pub(crate) fn catalog(core: &Core) -> Result<CatalogView> {
    let mut schemas = Vec::new();
    for catalog in core.store.catalog_names() {
        for schema in core.store.schema_names(catalog) {
            let mut tables = Vec::new();
            for table in core.store.tables(catalog, schema) {
                if table.kind.is_visible() {
                    tables.push(summary(core, &table)?);
                }
            }
            tables.sort_by_key(|table| table.short_name.to_lowercase());
            schemas.push(SchemaView { catalog: catalog.to_owned(), schema: schema.to_owned(), tables });
        }
    }
    Ok(CatalogView {
        schemas,
        current_schema: "playground.default".to_owned(),
        size_bytes: core.store.size_bytes() as u64,
    })
}

/// The kind as the page knows it.
pub(super) fn kind(table: &Table) -> TableKind {
    match table.kind {
        lakelet_store::TableKind::StreamingTable => TableKind::StreamingTable,
        lakelet_store::TableKind::MaterializedView => TableKind::MaterializedView,
        lakelet_store::TableKind::View { .. } => TableKind::View,
        lakelet_store::TableKind::Table | lakelet_store::TableKind::Auxiliary => TableKind::Table,
    }
}

pub(super) fn columns(table: &Table) -> Vec<ColumnView> {
    table
        .metadata()
        .columns
        .iter()
        .map(|column| ColumnView {
            name: column.name.clone(),
            type_name: lakelet_types::field_simple_string(&column.field()),
            nullable: column.nullable,
            default: column.default.clone(),
            comment: column.comment.clone(),
        })
        .collect()
}

pub(super) fn full_name(name: &TableName) -> String {
    name.to_string()
}

pub(super) fn summary(core: &Core, table: &Table) -> Result<TableSummary> {
    let n_unread = match definition_of(&core.store, table.id)? {
        Some(definition) => Some(freshness(&core.store, &definition)?.n_unread()),
        None => None,
    };
    Ok(TableSummary {
        name: full_name(&table.name),
        short_name: table.name.name.clone(),
        kind: kind(table),
        version: table.latest_version(),
        n_rows: table.latest().n_rows() as u64,
        change_feed: table.metadata().has_change_feed(),
        n_unread,
        columns: columns(table),
    })
}
