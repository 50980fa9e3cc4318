//! CREATE TABLE, CREATE VIEW, CREATE CATALOG, CREATE SCHEMA, DROP.

use std::collections::BTreeMap;
use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use lakelet_base::{Diagnostic, ErrorClass, Result, same_name};
use lakelet_spark::SparkTypes;
use lakelet_store::{Column, Operation, TableKind, TableMetadata, TableSpec};
use lakelet_syntax::statement::{
    ColumnDefinition, CreateSchemaLike, CreateTable, CreateView, DropObject, DropTarget, Name, TableBody,
};

use super::write::planning;
use super::{Outcome, Prepared, named_table};
use crate::planner::Engine;
use crate::session::{Scope, StoredQuery};

impl Engine {
    pub(super) fn prepare_create_table(&self, create: &CreateTable, scope: &Scope<'_>) -> Result<Prepared> {
        if let Some(format) = &create.using
            && !matches!(format.as_str(), "delta" | "parquet")
        {
            return Err(Box::new(
                Diagnostic::unsupported(format_args!("tables USING {format}"))
                    .at(create.name.span)
                    .hint("Leave USING out: tables are versioned like Delta tables."),
            ));
        }
        let name = new_table_name(&create.name, scope)?;
        let standing = scope.store.table(&name);
        if let Some(standing) = &standing {
            if create.if_not_exists {
                return Ok(Prepared::done(Outcome::default()));
            }
            let replaceable = create.or_replace && matches!(standing.kind, TableKind::Table);
            if !replaceable {
                return Err(already_exists(&create.name, standing.kind == TableKind::Table));
            }
        }
        let operation_name = |with_query: bool| match (create.or_replace, with_query) {
            (false, false) => "CREATE TABLE",
            (true, false) => "CREATE OR REPLACE TABLE",
            (false, true) => "CREATE TABLE AS SELECT",
            (true, true) => "CREATE OR REPLACE TABLE AS SELECT",
        };
        let (columns, source) = match &create.body {
            TableBody::Columns(definitions) => (self.columns(definitions, scope)?, None),
            TableBody::Like(other) => (
                named_table(other, scope)?
                    .latest()
                    .columns
                    .iter()
                    .map(|column| Column { id: 0, ..column.clone() })
                    .collect(),
                None,
            ),
            TableBody::Query(definitions, query) => {
                let planned = self.plan_query(&query.query, scope)?;
                (query_columns(&planned.schema(), definitions, query.span)?, Some(planned))
            }
        };
        refuse_twice(&columns, create.name.span)?;
        let metadata = TableMetadata {
            properties: Arc::new(create.properties.iter().cloned().collect::<BTreeMap<_, _>>()),
            comment: create.comment.clone(),
            ..TableMetadata::new(columns)
        };
        let mut transaction = scope.store.begin();
        let id = match &standing {
            Some(table) => {
                transaction.replace_table(table.id, TableKind::Table, metadata);
                table.id
            }
            None => transaction.create_table(TableSpec { name, kind: TableKind::Table, metadata }),
        };
        let operation = Operation::new(operation_name(source.is_some()));
        let Some(planned) = source else {
            transaction.commit_info(id, operation);
            return Ok(Prepared::commit(transaction));
        };
        let execution = self.execute(&planned)?;
        let schema = planned.schema();
        let finish = Box::new(move |batches: Vec<RecordBatch>| {
            let mut n_rows = 0;
            for batch in batches.iter().filter(|batch| batch.num_rows() > 0) {
                n_rows += batch.num_rows() as u64;
                transaction.add_batch(id, canonical_rows(batch, &schema)?);
            }
            transaction.commit_info(id, operation.metric("numOutputRows", n_rows));
            Ok(Outcome { transaction: Some(transaction), ..Outcome::default() })
        });
        Ok(Prepared::Write { execution, finish, names: Box::new(planned.names) })
    }

    /// Columns as declared.
    ///
    /// # Errors
    /// A type that does not exist, a default that is not an expression.
    pub fn columns(&self, definitions: &[ColumnDefinition], scope: &Scope<'_>) -> Result<Vec<Column>> {
        definitions.iter().map(|definition| self.column(definition, scope)).collect()
    }

    pub(super) fn column(&self, definition: &ColumnDefinition, scope: &Scope<'_>) -> Result<Column> {
        let Some(sql_type) = &definition.data_type else {
            return Err(Box::new(
                Diagnostic::new(
                    ErrorClass::PARSE_SYNTAX_ERROR,
                    format!("The column `{}` has no type.", definition.name),
                )
                .at(definition.span),
            ));
        };
        let span = definition.type_span.unwrap_or(definition.span);
        let data_type = SparkTypes::arrow_type(sql_type).map_err(|_| {
            Box::new(
                Diagnostic::new(
                    ErrorClass::new("UNSUPPORTED_DATATYPE", "0A000"),
                    format!("There is no type {sql_type}."),
                )
                .at(span),
            )
        })?;
        let column = Column {
            nullable: !definition.not_null,
            default: definition.default.as_ref().map(|default| default.text.clone()),
            comment: definition.comment.clone(),
            ..Column::new(&definition.name, data_type)
        };
        if let Some(default) = &definition.default {
            // A default that cannot be planned should be refused where it is written, not at the first INSERT.
            self.column_default(&column, scope).map_err(|error| Box::new(error.or_at(Some(default.span))))?;
        }
        Ok(column)
    }

    pub(super) fn prepare_create_view(&self, create: &CreateView, scope: &Scope<'_>) -> Result<Prepared> {
        let planned = self.plan_query(&create.query.query, scope)?;
        if !create.columns.is_empty() && create.columns.len() != planned.columns.len() {
            return Err(Box::new(
                Diagnostic::new(
                    ErrorClass::new("CREATE_VIEW_COLUMN_ARITY_MISMATCH.NOT_ENOUGH_DATA_COLUMNS", "21S01"),
                    format!(
                        "The view lists {} columns, its query has {}.",
                        create.columns.len(),
                        planned.columns.len()
                    ),
                )
                .at(create.name.span),
            ));
        }
        let view = StoredQuery {
            text: create.query.text.clone(),
            columns: create.columns.iter().map(|column| column.name.clone()).collect(),
            catalog: scope.session.catalog.clone(),
            schema: scope.session.schema.clone(),
        };
        if create.temporary {
            let key = create.name.parts.last().map(|name| name.to_lowercase()).unwrap_or_default();
            let mut session = scope.session.clone();
            if session.temporary_views.contains_key(&key) && !create.or_replace {
                return Err(already_exists(&create.name, false));
            }
            session.temporary_views.insert(key, view);
            return Ok(Prepared::done(Outcome { session: Some(session), ..Outcome::default() }));
        }
        let name = new_table_name(&create.name, scope)?;
        let mut transaction = scope.store.begin();
        if let Some(standing) = scope.store.table(&name) {
            if create.if_not_exists {
                return Ok(Prepared::done(Outcome::default()));
            }
            if !create.or_replace || !matches!(standing.kind, TableKind::View { .. }) {
                return Err(already_exists(&create.name, false));
            }
            transaction.drop_table(standing.id);
        }
        let names = if view.columns.is_empty() {
            planned.columns.iter().map(|column| column.name.clone()).collect()
        } else {
            view.columns.clone()
        };
        let columns: Vec<Column> = planned
            .columns
            .iter()
            .zip(names)
            .map(|(column, name)| Column { name, ..Column::from_field(&column.field) })
            .collect();
        let kind = TableKind::View { definition: view.text };
        let properties = BTreeMap::from([
            (crate::session::VIEW_CATALOG_PROPERTY.to_owned(), view.catalog),
            (crate::session::VIEW_SCHEMA_PROPERTY.to_owned(), view.schema),
        ]);
        let metadata = TableMetadata {
            comment: create.comment.clone(),
            properties: Arc::new(properties),
            ..TableMetadata::new(columns)
        };
        let id = transaction.create_table(TableSpec { name, kind, metadata });
        transaction.commit_info(id, Operation::new("CREATE VIEW"));
        Ok(Prepared::commit(transaction))
    }

    pub(super) fn prepare_create_catalog(create: &CreateSchemaLike, scope: &Scope<'_>) -> Result<Prepared> {
        let name = create.name.parts.last().cloned().unwrap_or_default();
        if scope.store.catalog_names().iter().any(|catalog| same_name(catalog, &name)) {
            if create.if_not_exists {
                return Ok(Prepared::done(Outcome::default()));
            }
            return Err(Box::new(
                Diagnostic::new(
                    ErrorClass::new("CATALOG_ALREADY_EXISTS", "42710"),
                    format!("The catalog `{name}` exists already."),
                )
                .at(create.name.span)
                .hint("Write CREATE CATALOG IF NOT EXISTS, or choose another name."),
            ));
        }
        let mut transaction = scope.store.begin();
        transaction.create_catalog(&name, create.comment.clone());
        // Databricks makes `default` with every catalog.
        transaction.create_schema(&name, "default", None);
        Ok(Prepared::commit(transaction))
    }

    pub(super) fn prepare_create_schema(create: &CreateSchemaLike, scope: &Scope<'_>) -> Result<Prepared> {
        let (catalog, name) = schema_name(&create.name, scope);
        require_catalog(&catalog, &create.name, scope)?;
        if scope.store.schema_names(&catalog).iter().any(|schema| same_name(schema, &name)) {
            if create.if_not_exists {
                return Ok(Prepared::done(Outcome::default()));
            }
            return Err(Box::new(
                Diagnostic::new(
                    ErrorClass::SCHEMA_ALREADY_EXISTS,
                    format!("The schema `{catalog}`.`{name}` exists already."),
                )
                .at(create.name.span)
                .hint("Write CREATE SCHEMA IF NOT EXISTS, or choose another name."),
            ));
        }
        let mut transaction = scope.store.begin();
        transaction.create_schema(&catalog, &name, create.comment.clone());
        Ok(Prepared::commit(transaction))
    }

    pub(super) fn prepare_drop(drop: &DropObject, scope: &Scope<'_>) -> Result<Prepared> {
        match drop.target {
            DropTarget::Schema => drop_schema(drop, scope),
            DropTarget::Catalog => drop_catalog(drop, scope),
            DropTarget::Table | DropTarget::View | DropTarget::MaterializedView => drop_table(drop, scope),
        }
    }
}

fn drop_table(drop: &DropObject, scope: &Scope<'_>) -> Result<Prepared> {
    if let ([name], DropTarget::View) = (drop.name.parts.as_slice(), drop.target)
        && scope.session.temporary_views.contains_key(&name.to_lowercase())
    {
        let mut session = scope.session.clone();
        session.temporary_views.remove(&name.to_lowercase());
        return Ok(Prepared::done(Outcome { session: Some(session), ..Outcome::default() }));
    }
    let table = match named_table(&drop.name, scope) {
        Ok(table) => table,
        Err(_) if drop.if_exists => return Ok(Prepared::done(Outcome::default())),
        Err(diagnostic) => return Err(diagnostic),
    };
    let (fits, right) = match &table.kind {
        TableKind::View { .. } => (drop.target == DropTarget::View, "DROP VIEW"),
        TableKind::MaterializedView => {
            (matches!(drop.target, DropTarget::MaterializedView | DropTarget::View), "DROP MATERIALIZED VIEW")
        }
        _ => (drop.target == DropTarget::Table, "DROP TABLE"),
    };
    if !fits {
        return Err(Box::new(
            Diagnostic::new(
                ErrorClass::new("WRONG_COMMAND_FOR_OBJECT_TYPE", "42809"),
                format!("{} is of another kind than this DROP names.", table.name),
            )
            .at(drop.name.span)
            .hint(format!("Use {right}.")),
        ));
    }
    let mut transaction = scope.store.begin();
    transaction.drop_table(table.id);
    Ok(Prepared::commit(transaction))
}

fn drop_schema(drop: &DropObject, scope: &Scope<'_>) -> Result<Prepared> {
    let (catalog, name) = schema_name(&drop.name, scope);
    if !scope.store.schema_names(&catalog).iter().any(|schema| same_name(schema, &name)) {
        if drop.if_exists {
            return Ok(Prepared::done(Outcome::default()));
        }
        return Err(no_schema(&catalog, &name, &drop.name));
    }
    let tables = scope.store.tables(&catalog, &name);
    if !tables.is_empty() && !drop.cascade {
        return Err(Box::new(
            Diagnostic::new(
                ErrorClass::new("SCHEMA_NOT_EMPTY", "2BP01"),
                format!("The schema `{catalog}`.`{name}` holds {} tables.", tables.len()),
            )
            .at(drop.name.span)
            .hint("Drop them first, or add CASCADE."),
        ));
    }
    let mut transaction = scope.store.begin();
    // Hidden tables too: the events of AUTO CDC.
    for table in scope.store.all_tables() {
        if same_name(&table.name.catalog, &catalog) && same_name(&table.name.schema, &name) {
            transaction.drop_table(table.id);
        }
    }
    transaction.drop_schema(&catalog, &name);
    Ok(Prepared::commit(transaction))
}

fn drop_catalog(drop: &DropObject, scope: &Scope<'_>) -> Result<Prepared> {
    let name = drop.name.parts.last().cloned().unwrap_or_default();
    if !scope.store.catalog_names().iter().any(|catalog| same_name(catalog, &name)) {
        if drop.if_exists {
            return Ok(Prepared::done(Outcome::default()));
        }
        return Err(no_catalog(&name, &drop.name));
    }
    let schemas = scope.store.schema_names(&name);
    let n_tables: usize = schemas.iter().map(|schema| scope.store.tables(&name, schema).len()).sum();
    if n_tables > 0 && !drop.cascade {
        return Err(Box::new(
            Diagnostic::new(
                ErrorClass::new("CATALOG_NOT_EMPTY", "2BP01"),
                format!("The catalog `{name}` holds {n_tables} tables."),
            )
            .at(drop.name.span)
            .hint("Drop them first, or add CASCADE."),
        ));
    }
    let mut transaction = scope.store.begin();
    for table in scope.store.all_tables() {
        if same_name(&table.name.catalog, &name) {
            transaction.drop_table(table.id);
        }
    }
    for schema in schemas {
        transaction.drop_schema(&name, schema);
    }
    transaction.drop_catalog(&name);
    Ok(Prepared::commit(transaction))
}

/// The full name of a table to be made; its schema has to be there.
///
/// # Errors
/// SCHEMA_NOT_FOUND, CATALOG_NOT_FOUND.
pub fn new_table_name(name: &Name, scope: &Scope<'_>) -> Result<lakelet_base::TableName> {
    let full = scope.session.qualify(&name.parts);
    require_catalog(&full.catalog, name, scope)?;
    if !scope.store.schema_names(&full.catalog).iter().any(|schema| same_name(schema, &full.schema)) {
        return Err(no_schema(&full.catalog, &full.schema, name));
    }
    Ok(full)
}

pub(super) fn require_catalog(catalog: &str, name: &Name, scope: &Scope<'_>) -> Result<()> {
    if scope.store.catalog_names().iter().any(|standing| same_name(standing, catalog)) {
        return Ok(());
    }
    Err(no_catalog(catalog, name))
}

fn no_catalog(catalog: &str, name: &Name) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::new(ErrorClass::CATALOG_NOT_FOUND, format!("The catalog `{catalog}` cannot be found."))
            .at(name.span)
            .hint(format!("Make it with CREATE CATALOG {catalog}, or use playground, which is always there.")),
    )
}

pub(super) fn no_schema(catalog: &str, schema: &str, name: &Name) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::new(
            ErrorClass::SCHEMA_NOT_FOUND,
            format!("The schema `{catalog}`.`{schema}` cannot be found. Verify the spelling and correctness of the schema and catalog."),
        )
        .at(name.span)
        .hint(format!("Make it with CREATE SCHEMA {catalog}.{schema}, or run the sample data of the lesson.")),
    )
}

pub(super) fn schema_name(name: &Name, scope: &Scope<'_>) -> (String, String) {
    match name.parts.as_slice() {
        [catalog, schema, ..] => (catalog.clone(), schema.clone()),
        [schema] => (scope.session.catalog.clone(), schema.clone()),
        [] => (scope.session.catalog.clone(), String::new()),
    }
}

fn already_exists(name: &Name, is_table: bool) -> Box<Diagnostic> {
    let hint = if is_table {
        "Write CREATE OR REPLACE TABLE, or drop it first."
    } else {
        "Drop it first, or choose another name."
    };
    Box::new(
        Diagnostic::new(
            ErrorClass::TABLE_OR_VIEW_ALREADY_EXISTS,
            format!("Cannot create table or view `{}` because it already exists.", name.parts.join("`.`")),
        )
        .at(name.span)
        .hint(hint),
    )
}

/// Columns of a table made from a query, renamed where a list says so.
///
/// # Errors
/// When the list has another length.
pub fn query_columns(
    schema: &datafusion::arrow::datatypes::Schema,
    definitions: &[ColumnDefinition],
    span: lakelet_base::Span,
) -> Result<Vec<Column>> {
    if !definitions.is_empty() && definitions.len() != schema.fields().len() {
        return Err(Box::new(
            Diagnostic::new(
                ErrorClass::new("CREATE_TABLE_COLUMN_ARITY_MISMATCH", "21S01"),
                format!("The list names {} columns, the query has {}.", definitions.len(), schema.fields().len()),
            )
            .at(span),
        ));
    }
    Ok(schema
        .fields()
        .iter()
        .enumerate()
        .map(|(index, field)| {
            // A table made from a query takes NULL everywhere, as in Spark.
            let mut column = Column { nullable: true, ..Column::from_field(field) };
            if let Some(definition) = definitions.get(index) {
                column.name.clone_from(&definition.name);
                column.comment.clone_from(&definition.comment);
                column.nullable = !definition.not_null;
            }
            column
        })
        .collect())
}

/// Refuses a table in which two columns have one name.
///
/// # Errors
/// COLUMN_ALREADY_EXISTS.
pub fn refuse_twice(columns: &[Column], span: lakelet_base::Span) -> Result<()> {
    for (index, column) in columns.iter().enumerate() {
        if columns[..index].iter().any(|earlier| same_name(&earlier.name, &column.name)) {
            return Err(Box::new(
                Diagnostic::new(
                    ErrorClass::new("COLUMN_ALREADY_EXISTS", "42711"),
                    format!(
                        "The column `{}` already exists. Choose another name or rename the existing column.",
                        column.name
                    ),
                )
                .at(span),
            ));
        }
    }
    Ok(())
}

/// Rows of a plan as rows of a table: canonical types, shown names.
///
/// # Errors
/// When a value cannot be brought to its canonical type.
pub fn canonical_rows(batch: &RecordBatch, schema: &datafusion::arrow::datatypes::SchemaRef) -> Result<RecordBatch> {
    let columns = batch
        .columns()
        .iter()
        .map(|array| lakelet_types::to_canonical(array).map_err(|error| Box::new(Diagnostic::internal(error))))
        .collect::<Result<Vec<_>>>()?;
    let loose = datafusion::arrow::datatypes::Schema::new(
        schema.fields().iter().map(|field| field.as_ref().clone().with_nullable(true)).collect::<Vec<_>>(),
    );
    RecordBatch::try_new(Arc::new(loose), columns).map_err(|error| planning(error.into()))
}
