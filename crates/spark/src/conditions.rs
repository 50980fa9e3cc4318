//! Conditions are boolean: Spark casts none, the planner would.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::common::{DFSchema, DataFusionError, Result};
use datafusion::logical_expr::utils::merge_schema;
use datafusion::logical_expr::{Expr, ExprSchemable, LogicalPlan};
use lakelet_base::{Diagnostic, ErrorClass};
use lakelet_types::sql_name;

/// Refuses `CASE WHEN 1 THEN …`. It has to see the plan before types are settled.
///
/// # Errors
/// A condition that is neither a boolean nor NULL.
pub fn check_conditions(plan: &LogicalPlan) -> Result<()> {
    plan.apply_with_subqueries(|plan| {
        let schema = merge_schema(&plan.inputs());
        plan.apply_expressions(|expr| expr.apply(|expr| check(expr, &schema).map(|()| TreeNodeRecursion::Continue)))
    })
    .map(|_| ())
}

fn check(expr: &Expr, schema: &DFSchema) -> Result<()> {
    let Expr::Case(case) = expr else { return Ok(()) };
    if case.expr.is_some() {
        return Ok(());
    }
    for (condition, _) in &case.when_then_expr {
        match condition.get_type(schema) {
            Ok(DataType::Boolean | DataType::Null) | Err(_) => {}
            Ok(other) => return Err(not_boolean(&other)),
        }
    }
    Ok(())
}

fn not_boolean(found: &DataType) -> DataFusionError {
    DataFusionError::External(Box::new(
        Diagnostic::new(
            ErrorClass::new("DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE", "42K09"),
            format!("WHEN requires a \"BOOLEAN\" condition, however it has the type \"{}\".", sql_name(found)),
        )
        .hint("Write a comparison, or cast it to BOOLEAN."),
    ))
}
