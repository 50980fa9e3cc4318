//! PIVOT: rows become columns, one for each value and aggregate.

use datafusion::common::Result;
use datafusion::logical_expr::planner::RelationPlannerContext;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, Operator, binary_expr};
use datafusion::sql::sqlparser::ast::{Expr as SqlExpr, ExprWithAlias};

use super::columns;
use crate::functions::fail;

/// Plans it. Values that stand for several columns are an array; each has the name of its column as alias, and each
/// aggregate has one where there are several.
pub(super) fn plan(
    input: LogicalPlan,
    aggregates: Vec<ExprWithAlias>,
    pivoted: Vec<SqlExpr>,
    values: Vec<ExprWithAlias>,
    context: &mut dyn RelationPlannerContext,
) -> Result<LogicalPlan> {
    let mut keys = Vec::with_capacity(pivoted.len());
    for key in pivoted {
        keys.push(context.sql_to_expr(key, input.schema())?);
    }
    let mut computed = Vec::with_capacity(aggregates.len());
    for ExprWithAlias { expr, alias } in aggregates {
        let expr = context.sql_to_expr(expr, input.schema())?;
        if !matches!(expr, Expr::AggregateFunction(_)) {
            return Err(fail(
                "UNSUPPORTED_FEATURE",
                "0A000",
                "Lakelet does not support expressions around an aggregate function in PIVOT.",
            ));
        }
        computed.push((expr, alias.map(|alias| alias.value)));
    }
    let mut used = Vec::new();
    for expr in keys.iter().chain(computed.iter().map(|(expr, _)| expr)) {
        used.extend(expr.column_refs().into_iter().cloned());
    }
    let groups: Vec<Expr> = columns(input.schema())
        .into_iter()
        .filter(|column| !matches!(column, Expr::Column(column) if used.contains(column)))
        .collect();
    let mut made = Vec::new();
    for ExprWithAlias { expr, alias } in values {
        let parts = match expr {
            SqlExpr::Array(array) => array.elem,
            other => vec![other],
        };
        if parts.len() != keys.len() {
            return Err(fail(
                "PIVOT_VALUE_DATA_TYPE_MISMATCH",
                "42K09",
                format!(
                    "A value of PIVOT needs {} parts, as there are columns to pivot, and has {}.",
                    keys.len(),
                    parts.len()
                ),
            ));
        }
        let mut condition: Option<Expr> = None;
        for (key, part) in keys.iter().zip(parts) {
            let value = context.sql_to_expr(part, input.schema())?;
            let equal = binary_expr(key.clone(), Operator::IsNotDistinctFrom, value);
            condition = Some(match condition {
                Some(condition) => condition.and(equal),
                None => equal,
            });
        }
        let value_name = alias.map(|alias| alias.value).unwrap_or_default();
        for (aggregate, aggregate_name) in &computed {
            let mut aggregate = aggregate.clone();
            if let Expr::AggregateFunction(call) = &mut aggregate {
                let own = call.params.filter.take().map(|filter| *filter);
                let both = own.into_iter().chain(condition.clone()).reduce(Expr::and);
                call.params.filter = both.map(Box::new);
            }
            let name = match aggregate_name {
                Some(aggregate_name) => format!("{value_name}_{aggregate_name}"),
                None => value_name.clone(),
            };
            made.push(aggregate.alias(name.to_lowercase()));
        }
    }
    LogicalPlanBuilder::from(input).aggregate(groups, made)?.build()
}
