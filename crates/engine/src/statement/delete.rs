//! DELETE and TRUNCATE TABLE.

use datafusion::arrow::array::RecordBatch;
use datafusion::logical_expr::LogicalPlanBuilder;
use lakelet_base::Result;
use lakelet_store::Operation;
use lakelet_syntax::statement::{Delete, Truncate};

use super::write::{address_exprs, addressed_scan, addresses, planning};
use super::{Outcome, Prepared, writable_table};
use crate::planner::Engine;
use crate::session::Scope;

impl Engine {
    pub(super) fn prepare_delete(&self, delete: &Delete, scope: &Scope<'_>) -> Result<Prepared> {
        let table = writable_table(&delete.table, scope, "DELETE")?;
        let snapshot = table.latest();
        let alias = delete.alias.clone().unwrap_or_else(|| table.name.name.clone());
        let mut plan = addressed_scan(&snapshot, &alias)?;
        let mut names = lakelet_spark::PlanNames::default();
        let mut operation = Operation::new("DELETE");
        if let Some(selection) = &delete.selection {
            let (filter, used) = self.plan_expression(&selection.expr, plan.schema(), scope)?;
            names = used;
            plan = plan.filter(filter).map_err(|error| Box::new(lakelet_spark::diagnostic(&error, &names)))?;
            operation = operation.parameter("predicate", selection.text.clone());
        }
        let plan = plan.project(address_exprs()).and_then(LogicalPlanBuilder::build).map_err(planning)?;
        let (execution, names) = self.start(plan, names)?;
        let mut transaction = scope.store.begin();
        let id = table.id;
        let finish = Box::new(move |batches: Vec<RecordBatch>| {
            let gone: Vec<_> = batches.iter().flat_map(addresses).flatten().collect();
            let n_rows = gone.len() as u64;
            // A statement that matches nothing makes no version.
            if n_rows > 0 {
                transaction.delete_rows(id, &gone);
                transaction.commit_info(id, operation.metric("numDeletedRows", n_rows));
            }
            Ok(Outcome { transaction: Some(transaction), rows_affected: Some(n_rows), ..Outcome::default() })
        });
        Ok(Prepared::Write { execution, finish, names })
    }

    pub(super) fn prepare_truncate(&self, truncate: &Truncate, scope: &Scope<'_>) -> Result<Prepared> {
        let table = writable_table(&truncate.table, scope, "TRUNCATE")?;
        let n_rows = table.latest().n_rows() as u64;
        let mut transaction = scope.store.begin();
        transaction.delete_all(table.id);
        transaction.commit_info(table.id, Operation::new("TRUNCATE").metric("numDeletedRows", n_rows));
        Ok(Prepared::done(Outcome {
            transaction: Some(transaction),
            rows_affected: Some(n_rows),
            ..Outcome::default()
        }))
    }
}
