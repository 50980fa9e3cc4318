//! ALTER TABLE.

use std::sync::Arc;

use datafusion::arrow::array::ArrayRef;
use datafusion::logical_expr::LogicalPlanBuilder;
use lakelet_base::{Diagnostic, ErrorClass, Result, Span, same_name};
use lakelet_store::{Column, Operation, TableKind, TableMetadata};
use lakelet_syntax::statement::{AlterTable, AlterTableAction, ColumnDefinition};

use super::create::{new_table_name, refuse_twice};
use super::update::unknown_column;
use super::write::planning;
use super::{Outcome, Prepared, named_table};
use crate::planner::Engine;
use crate::session::Scope;

impl Engine {
    pub(super) fn prepare_alter_table(&self, alter: &AlterTable, scope: &Scope<'_>) -> Result<Prepared> {
        let table = named_table(&alter.table, scope)?;
        if matches!(table.kind, TableKind::View { .. }) {
            return Err(Box::new(
                Diagnostic::new(
                    ErrorClass::new("WRONG_COMMAND_FOR_OBJECT_TYPE", "42809"),
                    format!("{} is a view, not a table.", table.name),
                )
                .at(alter.table.span),
            ));
        }
        let mut metadata = table.metadata().as_ref().clone();
        let mut columns = metadata.columns.to_vec();
        let mut warnings = Vec::new();
        let operation = match &alter.action {
            AlterTableAction::AddColumns(definitions) => {
                for definition in definitions {
                    columns.push(self.added_column(definition, scope)?);
                    if let Some(default) = &definition.default {
                        warnings.push(default_in_add_column(alter, definition, &default.text));
                    }
                }
                refuse_twice(&columns, alter.table.span)?;
                Operation::new("ADD COLUMNS")
            }
            AlterTableAction::DropColumns(names) => {
                for (name, span) in names {
                    let position = position(&columns, name, *span)?;
                    columns.remove(position);
                }
                Operation::new("DROP COLUMNS")
            }
            AlterTableAction::RenameColumn { from: (name, span), to } => {
                let position = position(&columns, name, *span)?;
                columns[position].name.clone_from(to);
                refuse_twice(&columns, alter.table.span)?;
                Operation::new("RENAME COLUMN")
            }
            AlterTableAction::RenameTo(name) => {
                let name = new_table_name(name, scope)?;
                let mut transaction = scope.store.begin();
                transaction.rename_table(table.id, name);
                return Ok(Prepared::commit(transaction));
            }
            AlterTableAction::SetProperties(properties) => {
                let mut all = metadata.properties.as_ref().clone();
                for (key, value) in properties {
                    // Property keys of Delta are found in any case; one spelling stays.
                    all.retain(|standing, _| !standing.eq_ignore_ascii_case(key));
                    all.insert(key.clone(), value.clone());
                }
                metadata.properties = Arc::new(all);
                Operation::new("SET TBLPROPERTIES")
            }
            AlterTableAction::UnsetProperties(keys) => {
                let mut all = metadata.properties.as_ref().clone();
                all.retain(|standing, _| !keys.iter().any(|key| standing.eq_ignore_ascii_case(key)));
                metadata.properties = Arc::new(all);
                Operation::new("UNSET TBLPROPERTIES")
            }
            AlterTableAction::SetDefault((name, span), default) => {
                let position = position(&columns, name, *span)?;
                columns[position].default = Some(default.text.clone());
                self.column_default(&columns[position], scope)
                    .map_err(|error| Box::new(error.or_at(Some(default.span))))?;
                Operation::new("CHANGE COLUMN")
            }
            AlterTableAction::DropDefault((name, span)) => {
                let position = position(&columns, name, *span)?;
                columns[position].default = None;
                Operation::new("CHANGE COLUMN")
            }
            AlterTableAction::SetNotNull((name, span), not_null) => {
                let position = position(&columns, name, *span)?;
                columns[position].nullable = !not_null;
                Operation::new("CHANGE COLUMN")
            }
            AlterTableAction::AddConstraint { .. } | AlterTableAction::DropConstraint { .. } => {
                return Err(Box::new(Diagnostic::unsupported("constraints other than NOT NULL").at(alter.table.span)));
            }
            AlterTableAction::SetSchedule(_) => {
                return Err(Box::new(Diagnostic::internal("a schedule reached the engine")));
            }
        };
        let metadata = TableMetadata { columns: columns.into(), ..metadata };
        let mut transaction = scope.store.begin();
        transaction.set_metadata(table.id, metadata);
        transaction.commit_info(table.id, operation);
        Ok(Prepared::done(Outcome { transaction: Some(transaction), warnings, ..Outcome::default() }))
    }

    /// A column that joins a table: rows that stand read its default.
    fn added_column(&self, definition: &ColumnDefinition, scope: &Scope<'_>) -> Result<Column> {
        let mut column = self.column(definition, scope)?;
        if column.default.is_some() {
            column.exist_default = Some(self.default_value(&column, scope)?);
        } else if !column.nullable {
            return Err(Box::new(
                Diagnostic::new(
                    ErrorClass::new("DELTA_ADDING_COLUMN_WITH_NOT_NULL", "22004"),
                    format!("The column `{}` cannot be NOT NULL: rows that stand have no value for it.", column.name),
                )
                .at(definition.span)
                .hint("Give it a DEFAULT, or leave NOT NULL out."),
            ));
        }
        Ok(column)
    }

    /// The value of a column's default, as an array of one row.
    pub(crate) fn default_value(&self, column: &Column, scope: &Scope<'_>) -> Result<ArrayRef> {
        let expr = self.column_default(column, scope)?.alias("value");
        let plan =
            LogicalPlanBuilder::empty(true).project([expr]).and_then(LogicalPlanBuilder::build).map_err(planning)?;
        let batches = self.collect(plan, lakelet_spark::PlanNames::default())?;
        match batches.first() {
            Some(batch) if batch.num_rows() == 1 => {
                lakelet_types::to_canonical(batch.column(0)).map_err(|error| Box::new(Diagnostic::internal(error)))
            }
            _ => Err(Box::new(Diagnostic::internal("a default gave no value"))),
        }
    }
}

fn position(columns: &[Column], name: &str, span: Span) -> Result<usize> {
    columns.iter().position(|column| same_name(&column.name, name)).ok_or_else(|| unknown_column(name, span, columns))
}

fn default_in_add_column(alter: &AlterTable, definition: &ColumnDefinition, default: &str) -> Diagnostic {
    let table = alter.table.parts.join(".");
    let name = &definition.name;
    let data_type = definition.data_type.as_ref().map(ToString::to_string).unwrap_or_default();
    let steps = format!(
        "ALTER TABLE {table} SET TBLPROPERTIES (delta.feature.allowColumnDefaults = 'supported');\nALTER TABLE {table} ADD COLUMN {name} {data_type};\nALTER TABLE {table} ALTER COLUMN {name} SET DEFAULT {default};\nUPDATE {table} SET {name} = {default};"
    );
    Diagnostic::new(
        ErrorClass::new("WRONG_COLUMN_DEFAULTS_FOR_DELTA_ALTER_TABLE_ADD_COLUMN_NOT_SUPPORTED", "0AKDC"),
        format!("Here rows that stand read {default} for `{name}`. Delta on Databricks wants separate steps: add the column, set its default, fill the rows that stand."),
    )
    .at(definition.span)
    .hint("On Databricks run these steps instead:")
    .suggest(lakelet_base::Suggestion { label: "Insert steps".to_owned(), span: None, replacement: steps })
}
