//! UPDATE.

use datafusion::arrow::array::RecordBatch;
use datafusion::common::Column as PlanColumn;
use datafusion::logical_expr::{Expr, ExprSchemable, LogicalPlanBuilder};
use lakelet_base::{Diagnostic, ErrorClass, Result, Span, Suggestion, nearest_name, same_name};
use lakelet_store::{ChangeType, Column, Operation};
use lakelet_syntax::statement::Update;

use super::write::{address_exprs, addressed_scan, addresses, can_store, planning, store_cast, table_rows};
use super::{Outcome, Prepared, writable_table};
use crate::planner::Engine;
use crate::session::Scope;

impl Engine {
    pub(super) fn prepare_update(&self, update: &Update, scope: &Scope<'_>) -> Result<Prepared> {
        let table = writable_table(&update.table, scope, "UPDATE")?;
        let snapshot = table.latest();
        let columns = snapshot.columns.to_vec();
        let alias = update.alias.clone().unwrap_or_else(|| table.name.name.clone());
        let mut plan = addressed_scan(&snapshot, &alias)?;
        let mut names = lakelet_spark::PlanNames::default();
        if let Some(selection) = &update.selection {
            let (filter, used) = self.plan_expression(&selection.expr, plan.schema(), scope)?;
            names = used;
            plan = plan.filter(filter).map_err(|error| Box::new(lakelet_spark::diagnostic(&error, &names)))?;
        }
        let mut values: Vec<Option<Expr>> = vec![None; columns.len()];
        for (name, span, value) in &update.assignments {
            let Some(position) = columns.iter().position(|column| same_name(&column.name, name)) else {
                return Err(unknown_column(name, *span, &columns));
            };
            if values[position].is_some() {
                return Err(Box::new(
                    Diagnostic::new(
                        ErrorClass::new("DELTA_CONFLICT_SET_COLUMN", "42701"),
                        format!("The column `{name}` is set twice."),
                    )
                    .at(*span),
                ));
            }
            let column = &columns[position];
            let expr = if value.text.trim().eq_ignore_ascii_case("default") {
                self.column_default(column, scope)?
            } else {
                let (expr, used) = self.plan_expression(&value.expr, plan.schema(), scope)?;
                names.absorb(used);
                let from = expr
                    .get_type(plan.schema())
                    .map_err(|error| Box::new(lakelet_spark::diagnostic(&error, &names)))?;
                if !can_store(&from, &column.data_type) {
                    return Err(Box::new(
                        Diagnostic::new(
                            ErrorClass::new("DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION", "42K09"),
                            format!(
                                "A value of type {} cannot go into the column `{}` of type {}.",
                                lakelet_types::sql_name(&from),
                                column.name,
                                lakelet_types::sql_name(&column.data_type)
                            ),
                        )
                        .at(value.span),
                    ));
                }
                expr
            };
            values[position] = Some(expr);
        }
        let input = plan.plan().clone();
        let mut projection: Vec<Expr> = address_exprs().to_vec();
        let old =
            |column: &Column| Expr::Column(PlanColumn::new(Some(alias.to_lowercase()), column.name.to_lowercase()));
        for (index, column) in columns.iter().enumerate() {
            projection.push(old(column).alias(format!("\u{1}old{index}")));
        }
        for (index, (column, value)) in columns.iter().zip(values).enumerate() {
            let expr = match value {
                Some(value) => store_cast(value, column, &input)?,
                None => old(column),
            };
            projection.push(expr.alias(format!("\u{1}new{index}")));
        }
        let plan = plan.project(projection).and_then(LogicalPlanBuilder::build).map_err(planning)?;
        let (execution, names) = self.start(plan, names)?;

        let mut transaction = scope.store.begin();
        let id = table.id;
        let mut operation = Operation::new("UPDATE");
        if let Some(selection) = &update.selection {
            operation = operation.parameter("predicate", selection.text.clone());
        }
        let n_columns = columns.len();
        let finish = Box::new(move |batches: Vec<RecordBatch>| {
            let mut n_rows = 0;
            for batch in batches.iter().filter(|batch| batch.num_rows() > 0) {
                let gone: Vec<_> = addresses(batch).into_iter().flatten().collect();
                let before = table_rows(batch, 2, &snapshot)?;
                let after = table_rows(batch, 2 + n_columns, &snapshot)?;
                n_rows += gone.len() as u64;
                transaction.delete_rows(id, &gone);
                transaction.add_batch(id, after.clone());
                transaction.change_rows(id, ChangeType::UpdatePreimage, before);
                transaction.change_rows(id, ChangeType::UpdatePostimage, after);
            }
            // A statement that matches nothing makes no version.
            if n_rows > 0 {
                transaction.commit_info(id, operation.metric("numUpdatedRows", n_rows));
            }
            Ok(Outcome { transaction: Some(transaction), rows_affected: Some(n_rows), ..Outcome::default() })
        });
        Ok(Prepared::Write { execution, finish, names })
    }
}

/// A column name in a list or assignment that the table does not have.
pub(super) fn unknown_column(name: &str, span: Span, columns: &[Column]) -> Box<Diagnostic> {
    let known: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
    let listed = known.iter().take(5).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let mut diagnostic = Diagnostic::new(
        ErrorClass::UNRESOLVED_COLUMN,
        format!(
            "A column, variable, or function parameter with name `{name}` cannot be resolved. Did you mean one of the following? [{listed}]."
        ),
    )
    .at(span);
    if let Some(near) = nearest_name(name, known) {
        diagnostic = diagnostic.suggest(Suggestion {
            label: format!("did you mean {near}?"),
            span: Some(span),
            replacement: near.to_owned(),
        });
    }
    Box::new(diagnostic)
}
