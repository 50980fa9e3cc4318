//! Dropping what pipeline tables leave behind, and changing their schedules.

use std::sync::Arc;

use lakelet_base::{Diagnostic, ErrorClass, Result, same_name};
use lakelet_engine::{Engine, Outcome, Prepared, Scope, find_table};
use lakelet_store::{Table, TableId};
use lakelet_syntax::statement::{AlterTable, AlterTableAction, DropObject, DropTarget, Statement};

use crate::definition::{ScheduleDefinition, definition_of, forget};
use crate::{PreparedPipeline, report};

/// DROP, and with the tables what the pipeline keeps for them.
pub(crate) fn drop_with_definition(
    engine: &Engine,
    statement: &Statement,
    scope: &Scope<'_>,
) -> Result<PreparedPipeline> {
    let Statement::Drop(drop) = statement else {
        return Err(Box::new(Diagnostic::internal("no DROP")));
    };
    let mut prepared = engine.prepare(statement, scope)?;
    if let Prepared::Done(outcome) = &mut prepared
        && let Some(transaction) = &mut outcome.transaction
    {
        for table in dropped(drop, scope) {
            let Some(definition) = definition_of(scope.store, table.id)? else { continue };
            forget(table.id, transaction);
            report::forget(scope.store, table.id, transaction);
            // With a schema its hidden tables go anyway.
            if let (Some(events), DropTarget::Table) = (definition.events_table, drop.target) {
                transaction.drop_table(TableId(events));
            }
        }
    }
    Ok(PreparedPipeline::Statement(prepared))
}

/// The tables that a DROP takes away.
fn dropped(drop: &DropObject, scope: &Scope<'_>) -> Vec<Arc<Table>> {
    let matching =
        |fits: &dyn Fn(&Table) -> bool| scope.store.all_tables().filter(|table| fits(table)).cloned().collect();
    match (drop.target, drop.name.parts.as_slice()) {
        (DropTarget::Table | DropTarget::View | DropTarget::MaterializedView, parts) => {
            scope.store.table(&scope.session.qualify(parts)).into_iter().collect()
        }
        (DropTarget::Schema, [.., catalog, schema]) => {
            matching(&|table| same_name(&table.name.catalog, catalog) && same_name(&table.name.schema, schema))
        }
        (DropTarget::Schema, [schema]) => matching(&|table| {
            same_name(&table.name.catalog, &scope.session.catalog) && same_name(&table.name.schema, schema)
        }),
        (DropTarget::Catalog, [.., catalog]) => matching(&|table| same_name(&table.name.catalog, catalog)),
        (DropTarget::Schema | DropTarget::Catalog, []) => Vec::new(),
    }
}

/// ALTER … ADD, ALTER or DROP SCHEDULE.
pub(crate) fn alter_schedule(alter: &AlterTable, scope: &Scope<'_>) -> Result<Prepared> {
    let name = scope.session.qualify(&alter.table.parts);
    let table =
        find_table(scope, &name, &alter.table.parts).map_err(|diagnostic| Box::new(diagnostic.at(alter.table.span)))?;
    let Some(mut definition) = definition_of(scope.store, table.id)? else {
        return Err(Box::new(
            Diagnostic::new(
                ErrorClass::new("WRONG_COMMAND_FOR_OBJECT_TYPE", "42809"),
                format!("{name} is not refreshed, so it has no schedule."),
            )
            .at(alter.table.span),
        ));
    };
    if let AlterTableAction::SetSchedule(schedule) = &alter.action {
        definition.schedule =
            schedule.as_ref().map(|schedule| ScheduleDefinition::new(schedule, scope.now)).transpose()?;
    }
    let mut transaction = scope.store.begin();
    definition.save(&mut transaction)?;
    Ok(Prepared::Done(Box::new(Outcome { transaction: Some(transaction), ..Outcome::default() })))
}
