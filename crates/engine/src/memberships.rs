//! `IN (SELECT …)` and `EXISTS` with three truth values, wherever they stand.
//!
//! The planner makes joins of them. A join keeps or drops a row, so it cannot say NULL: that is right for a condition
//! that a row must fulfil, and wrong inside of CASE, NOT, OR, or as a value. What a join would get wrong is written
//! here so that it gets it right: a `NOT IN` as a `NOT EXISTS` over "not different for certain", a value as counts.

use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::common::{Column, DFSchema, Result, ScalarValue};
use datafusion::functions_aggregate::expr_fn::count;
use datafusion::logical_expr::expr::{BinaryExpr, Exists, InSubquery};
use datafusion::logical_expr::{
    Case, Expr, Filter, LogicalPlan, LogicalPlanBuilder, Operator, Projection, Subquery, lit,
};

/// Writes out the memberships of a plan whose types are not settled yet.
pub(crate) fn settle_memberships(plan: LogicalPlan) -> Result<LogicalPlan> {
    plan.transform_down_with_subqueries(|node| match node {
        LogicalPlan::Filter(filter) if has_membership(&filter.predicate)? => {
            let predicate = condition(filter.predicate, filter.input.schema(), false)?;
            Ok(Transformed::yes(LogicalPlan::Filter(Filter::try_new(predicate, filter.input)?)))
        }
        LogicalPlan::Projection(projection) => {
            let mut changed = false;
            let schema = Arc::clone(projection.input.schema());
            let mut columns = Vec::with_capacity(projection.expr.len());
            for expr in &projection.expr {
                if has_membership(expr)? {
                    changed = true;
                    let name = expr.schema_name().to_string();
                    columns.push(value(expr.clone(), &schema)?.alias_if_changed(name)?);
                } else {
                    columns.push(expr.clone());
                }
            }
            if !changed {
                return Ok(Transformed::no(LogicalPlan::Projection(projection)));
            }
            Ok(Transformed::yes(LogicalPlan::Projection(Projection::try_new(columns, projection.input)?)))
        }
        other => Ok(Transformed::no(other)),
    })
    .data()
}

fn has_membership(expr: &Expr) -> Result<bool> {
    expr.exists(|expr| Ok(matches!(expr, Expr::InSubquery(_) | Expr::Exists(_))))
}

/// A condition that rows must fulfil: NULL is as good as false.
fn condition(expr: Expr, schema: &DFSchema, beside_or: bool) -> Result<Expr> {
    match expr {
        Expr::BinaryExpr(BinaryExpr { left, op: op @ (Operator::And | Operator::Or), right }) => {
            let beside_or = beside_or || op == Operator::Or;
            let left = condition(*left, schema, beside_or)?;
            let right = condition(*right, schema, beside_or)?;
            Ok(Expr::BinaryExpr(BinaryExpr::new(Box::new(left), op, Box::new(right))))
        }
        Expr::Not(inner) => match *inner {
            Expr::InSubquery(inside) => {
                condition(Expr::InSubquery(InSubquery { negated: !inside.negated, ..inside }), schema, beside_or)
            }
            Expr::Exists(exists) => Ok(Expr::Exists(Exists { negated: !exists.negated, ..exists })),
            other => Ok(Expr::Not(Box::new(value(other, schema)?))),
        },
        Expr::InSubquery(inside) if inside.negated => {
            // The planner's own join knows NULL, but nothing beside the one column.
            if inside.subquery.outer_ref_columns.is_empty() && !beside_or {
                return Ok(Expr::InSubquery(inside));
            }
            let equal = equality(&inside, schema)?;
            let plan = LogicalPlanBuilder::from(inside.subquery.subquery.as_ref().clone())
                .filter(Expr::IsNotFalse(Box::new(equal)))?
                .build()?;
            Ok(Expr::Exists(Exists { subquery: subquery(plan), negated: true }))
        }
        Expr::InSubquery(_) | Expr::Exists(_) => Ok(expr),
        other => value(other, schema),
    }
}

/// An expression of which NULL is not false.
fn value(expr: Expr, schema: &DFSchema) -> Result<Expr> {
    expr.transform_up(|expr| match expr {
        Expr::Exists(exists) => {
            let n_rows = n_rows(exists.subquery.subquery.as_ref().clone(), None)?;
            Ok(Transformed::yes(if exists.negated { n_rows.eq(lit(0_i64)) } else { n_rows.gt(lit(0_i64)) }))
        }
        Expr::InSubquery(inside) => member(&inside, schema).map(Transformed::yes),
        other => Ok(Transformed::no(other)),
    })
    .data()
}

/// `x IN (SELECT y …)`: true if some y is x; NULL if that is unknown of some y; otherwise false.
fn member(inside: &InSubquery, schema: &DFSchema) -> Result<Expr> {
    let rows = inside.subquery.subquery.as_ref();
    let found = n_rows(rows.clone(), Some(equality(inside, schema)?))?.gt(lit(0_i64));
    let unknown = n_rows(rows.clone(), Some(only_column(rows).is_null()))?.gt(lit(0_i64));
    let any = n_rows(rows.clone(), None)?.gt(lit(0_i64));
    let unknown = unknown.or(inside.expr.as_ref().clone().is_null().and(any));
    let cases = vec![
        (Box::new(found), Box::new(lit(!inside.negated))),
        (Box::new(unknown), Box::new(lit(ScalarValue::Boolean(None)))),
    ];
    Ok(Expr::Case(Case::new(None, cases, Some(Box::new(lit(inside.negated))))))
}

/// How many rows of a subquery fulfil a condition.
fn n_rows(plan: LogicalPlan, condition: Option<Expr>) -> Result<Expr> {
    let mut builder = LogicalPlanBuilder::from(plan);
    if let Some(condition) = condition {
        builder = builder.filter(condition)?;
    }
    let plan = builder.aggregate(Vec::<Expr>::new(), vec![count(lit(1_i64))])?.build()?;
    Ok(Expr::ScalarSubquery(subquery(plan)))
}

/// `x = y`, where the subquery's rows are: x comes from outside.
fn equality(inside: &InSubquery, schema: &DFSchema) -> Result<Expr> {
    let outer = inside.expr.as_ref().clone().transform_up(|expr| match expr {
        Expr::Column(column) => {
            let (_, field) = schema.qualified_field_from_column(&column)?;
            Ok(Transformed::yes(Expr::OuterReferenceColumn(Arc::clone(field), column)))
        }
        other => Ok(Transformed::no(other)),
    });
    Ok(outer.data()?.eq(only_column(&inside.subquery.subquery)))
}

fn only_column(plan: &LogicalPlan) -> Expr {
    match plan.schema().iter().next() {
        Some(field) => Expr::Column(Column::from(field)),
        None => lit(ScalarValue::Null),
    }
}

fn subquery(plan: LogicalPlan) -> Subquery {
    let outer_ref_columns = plan.all_out_ref_exprs();
    Subquery { subquery: Arc::new(plan), outer_ref_columns, spans: datafusion::common::Spans::new() }
}
