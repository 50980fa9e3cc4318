//! Conditions are boolean: Spark casts none, the planner would.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::common::{DFSchema, DataFusionError, Result};
use datafusion::logical_expr::utils::merge_schema;
use datafusion::logical_expr::{Expr, ExprSchemable, LogicalPlan, WindowFrameBound, WindowFrameUnits};
use lakelet_base::{Diagnostic, ErrorClass};
use lakelet_types::sql_name;

/// Refuses `CASE WHEN 1 THEN …`. It has to see the plan before types are settled.
///
/// # Errors
/// A condition that is neither a boolean nor NULL.
pub fn check_conditions(plan: &LogicalPlan) -> Result<()> {
    plan.apply_with_subqueries(|plan| {
        check_places(plan)?;
        let schema = merge_schema(&plan.inputs());
        plan.apply_expressions(|expr| expr.apply(|expr| check(expr, &schema).map(|()| TreeNodeRecursion::Continue)))
    })
    .map(|_| ())
}

/// Aggregate and window functions are computed for SELECT, HAVING, QUALIFY and ORDER BY alone.
fn check_places(plan: &LogicalPlan) -> Result<()> {
    let is_aggregate = |expr: &Expr| expr.exists(|expr| Ok(matches!(expr, Expr::AggregateFunction(_))));
    let is_window = |expr: &Expr| expr.exists(|expr| Ok(matches!(expr, Expr::WindowFunction(_))));
    let refuse = |condition, sqlstate, message: &str| {
        Err(DataFusionError::External(Box::new(Diagnostic::new(ErrorClass::new(condition, sqlstate), message))))
    };
    match plan {
        LogicalPlan::Filter(filter) if is_aggregate(&filter.predicate)? => refuse(
            "INVALID_WHERE_CONDITION",
            "42903",
            "The WHERE condition contains an aggregate function: use HAVING.",
        ),
        LogicalPlan::Filter(filter) if is_window(&filter.predicate)? => refuse(
            "WINDOW_FUNCTION_NOT_ALLOWED_IN_CLAUSE",
            "42601",
            "Window functions are not allowed in WHERE: use QUALIFY, or a subquery.",
        ),
        LogicalPlan::Join(join) => {
            for expr in join.filter.iter().chain(join.on.iter().flat_map(|(left, right)| [left, right])) {
                if is_aggregate(expr)? || is_window(expr)? {
                    return refuse(
                        "UNSUPPORTED_EXPR_FOR_OPERATOR",
                        "42K0E",
                        "The condition of a join contains an aggregate or window function: compute it in a subquery.",
                    );
                }
            }
            Ok(())
        }
        LogicalPlan::Aggregate(aggregate) => {
            for key in &aggregate.group_expr {
                if is_aggregate(key)? {
                    return refuse("GROUP_BY_AGGREGATE", "42903", "Aggregate functions are not allowed in GROUP BY.");
                }
                if is_window(key)? {
                    return refuse("MISSING_AGGREGATION", "42803", "GROUP BY cannot group by a window function.");
                }
            }
            Ok(())
        }
        LogicalPlan::Window(window) => window.window_expr.iter().try_for_each(|expr| {
            expr.apply(|expr| check_range(expr, window.input.schema()).map(|()| TreeNodeRecursion::Continue))
                .map(|_| ())
        }),
        _ => Ok(()),
    }
}

/// `RANGE BETWEEN 1 PRECEDING …` measures along one key that can be measured.
fn check_range(expr: &Expr, schema: &DFSchema) -> Result<()> {
    let Expr::WindowFunction(call) = expr else { return Ok(()) };
    let frame = &call.params.window_frame;
    let measures = [&frame.start_bound, &frame.end_bound].into_iter().any(|bound| match bound {
        WindowFrameBound::Preceding(distance) | WindowFrameBound::Following(distance) => !distance.is_null(),
        WindowFrameBound::CurrentRow => false,
    });
    if frame.units != WindowFrameUnits::Range || !measures {
        return Ok(());
    }
    let [key] = call.params.order_by.as_slice() else {
        let (condition, needs) = match call.params.order_by.as_slice() {
            [] => ("DATATYPE_MISMATCH.RANGE_FRAME_WITHOUT_ORDER", "an ORDER BY expression"),
            _ => ("DATATYPE_MISMATCH.RANGE_FRAME_MULTI_ORDER", "exactly one ORDER BY expression"),
        };
        let message = format!("A range window frame with value boundaries needs {needs}.");
        return Err(DataFusionError::External(Box::new(Diagnostic::new(ErrorClass::new(condition, "42K09"), message))));
    };
    match key.expr.get_type(schema) {
        Ok(found) if !found.is_numeric() && !found.is_temporal() && !found.is_null() => {
            Err(DataFusionError::External(Box::new(Diagnostic::new(
                ErrorClass::new("DATATYPE_MISMATCH.RANGE_FRAME_INVALID_TYPE", "42K09"),
                format!(
                    "The data type \"{}\" used in the order specification does not support a range frame.",
                    sql_name(&found)
                ),
            ))))
        }
        _ => Ok(()),
    }
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
