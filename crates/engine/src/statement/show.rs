//! SHOW.

use datafusion::arrow::datatypes::DataType;
use lakelet_base::{Result, TableName, quote_identifier, same_name};
use lakelet_store::TableKind;
use lakelet_syntax::statement::{Name, Show};

use super::create::{no_schema, require_catalog, schema_name};
use super::{Prepared, named_table, text_rows};
use crate::planner::Engine;
use crate::session::Scope;

impl Engine {
    pub(super) fn prepare_show(show: &Show, scope: &Scope<'_>) -> Result<Prepared> {
        let text = DataType::Utf8;
        let rows = match show {
            Show::Tables { schema, pattern } => {
                let (schema, names) = listed(schema.as_ref(), scope, pattern.as_deref(), |_| true)?;
                let rows =
                    names.into_iter().map(|name| vec![Some(schema.clone()), Some(name), Some("false".to_owned())]);
                let mut rows: Vec<_> = rows.collect();
                for name in
                    scope.session.temporary_views.keys().filter(|name| matches_pattern(name, pattern.as_deref()))
                {
                    rows.push(vec![Some(String::new()), Some(name.clone()), Some("true".to_owned())]);
                }
                text_rows(
                    &[("namespace", text.clone()), ("tableName", text), ("isTemporary", DataType::Boolean)],
                    rows,
                )?
            }
            Show::Views { schema, pattern } => {
                let (schema, names) =
                    listed(schema.as_ref(), scope, pattern.as_deref(), |kind| matches!(kind, TableKind::View { .. }))?;
                let rows = names
                    .into_iter()
                    .map(|name| {
                        vec![Some(schema.clone()), Some(name), Some("false".to_owned()), Some("false".to_owned())]
                    })
                    .collect();
                text_rows(
                    &[
                        ("namespace", text.clone()),
                        ("viewName", text),
                        ("isTemporary", DataType::Boolean),
                        ("isMaterialized", DataType::Boolean),
                    ],
                    rows,
                )?
            }
            Show::Schemas { catalog, pattern } => {
                let name = match catalog {
                    Some(name) => {
                        let catalog = name.parts.last().cloned().unwrap_or_default();
                        require_catalog(&catalog, name, scope)?;
                        catalog
                    }
                    None => scope.session.catalog.clone(),
                };
                one_column("namespace", owned(scope.store.schema_names(&name)), pattern.as_deref())?
            }
            Show::Catalogs { pattern } => {
                one_column("catalog", owned(scope.store.catalog_names()), pattern.as_deref())?
            }
            Show::Columns(name) => {
                let table = named_table(name, scope)?;
                let names = table.latest().columns.iter().map(|column| column.name.clone()).collect();
                one_column("col_name", names, None)?
            }
            Show::Properties(name) => {
                let table = named_table(name, scope)?;
                let snapshot = table.latest();
                let rows = snapshot.properties.iter();
                let rows = rows.map(|(key, value)| vec![Some(key.clone()), Some(value.clone())]).collect();
                text_rows(&[("key", text.clone()), ("value", text)], rows)?
            }
            Show::CreateTable(name) => {
                let table = named_table(name, scope)?;
                text_rows(&[("createtab_stmt", text)], vec![vec![Some(create_statement(&table))]])?
            }
        };
        Ok(Prepared::rows(rows))
    }
}

fn owned(names: Vec<&str>) -> Vec<String> {
    let mut names: Vec<String> = names.into_iter().map(str::to_owned).collect();
    names.sort();
    names
}

fn one_column(header: &str, mut names: Vec<String>, pattern: Option<&str>) -> Result<super::ResultRows> {
    names.retain(|name| matches_pattern(name, pattern));
    text_rows(&[(header, DataType::Utf8)], names.into_iter().map(|name| vec![Some(name)]).collect())
}

fn listed(
    schema: Option<&Name>,
    scope: &Scope<'_>,
    pattern: Option<&str>,
    wanted: impl Fn(&TableKind) -> bool,
) -> Result<(String, Vec<String>)> {
    let (catalog, name) = match schema {
        Some(name) => {
            let (catalog, schema) = schema_name(name, scope);
            require_catalog(&catalog, name, scope)?;
            if !scope.store.schema_names(&catalog).iter().any(|standing| same_name(standing, &schema)) {
                return Err(no_schema(&catalog, &schema, name));
            }
            (catalog, schema)
        }
        None => (scope.session.catalog.clone(), scope.session.schema.clone()),
    };
    let mut names: Vec<String> = scope
        .store
        .tables(&catalog, &name)
        .iter()
        .filter(|table| !matches!(table.kind, TableKind::Auxiliary) && wanted(&table.kind))
        .map(|table| table.name.name.clone())
        .filter(|table| matches_pattern(table, pattern))
        .collect();
    names.sort();
    Ok((name, names))
}

/// Spark's patterns in SHOW: `*` is anything, `|` separates alternatives, case does not count.
fn matches_pattern(name: &str, pattern: Option<&str>) -> bool {
    let Some(pattern) = pattern else {
        return true;
    };
    let name = name.to_lowercase();
    pattern.to_lowercase().split('|').any(|one| {
        let pieces: Vec<&str> = one.trim().split('*').collect();
        let Some((first, rest)) = pieces.split_first() else {
            return false;
        };
        let Some(mut remaining) = name.strip_prefix(first) else {
            return false;
        };
        for (index, piece) in rest.iter().enumerate() {
            if index + 1 == rest.len() {
                return remaining.ends_with(piece);
            }
            match remaining.find(piece) {
                Some(at) => remaining = &remaining[at + piece.len()..],
                None => return false,
            }
        }
        remaining.is_empty()
    })
}

/// The statement that makes a table like this one.
pub fn create_statement(table: &lakelet_store::Table) -> String {
    let TableName { catalog, schema, name } = &table.name;
    let full = [catalog, schema, name].map(|part| quote_identifier(part)).join(".");
    if let TableKind::View { definition } = &table.kind {
        return format!("CREATE VIEW {full} AS {definition}");
    }
    let snapshot = table.latest();
    let columns: Vec<String> = snapshot
        .columns
        .iter()
        .map(|column| {
            let mut line =
                format!("  {} {}", quote_identifier(&column.name), lakelet_types::sql_name(&column.data_type));
            if !column.nullable {
                line.push_str(" NOT NULL");
            }
            if let Some(default) = &column.default {
                line.push_str(&format!(" DEFAULT {default}"));
            }
            if let Some(comment) = &column.comment {
                line.push_str(&format!(" COMMENT '{}'", comment.replace('\'', "\\'")));
            }
            line
        })
        .collect();
    let mut text = format!("CREATE TABLE {full} (\n{})\nUSING delta", columns.join(",\n"));
    if let Some(comment) = &snapshot.metadata.comment {
        text.push_str(&format!("\nCOMMENT '{}'", comment.replace('\'', "\\'")));
    }
    if !snapshot.properties.is_empty() {
        let lines: Vec<String> =
            snapshot.properties.iter().map(|(key, value)| format!("  '{key}' = '{value}'")).collect();
        text.push_str(&format!("\nTBLPROPERTIES (\n{})", lines.join(",\n")));
    }
    text
}
