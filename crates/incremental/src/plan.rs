//! Analysis and rewriting of plans.

use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode, TreeNodeRecursion};
use datafusion::common::{Column, Result};
use datafusion::logical_expr::{Aggregate, Distinct, Expr, JoinType, LogicalPlan, LogicalPlanBuilder};

/// How a view can follow its source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Incrementality {
    /// Every row of the view comes from one row of the source: changed rows are mapped one by one.
    Rows,
    /// The view has a row for each group: groups of changed rows are computed again. `keys` are the positions of the
    /// group's expressions among the view's columns.
    Groups {
        /// Position in the output of each GROUP BY expression, in their order.
        keys: Vec<usize>,
    },
    /// Everything has to be computed again, for this reason.
    Full(String),
}

/// Finds the technique for an analyzed plan.
///
/// Sound by construction: only operators that are listed here are let through, everything else is a full recompute.
pub fn analyze(plan: &LogicalPlan) -> Incrementality {
    let mut n_scans = 0;
    let mut n_aggregates = 0;
    let mut blocker: Option<String> = None;
    let walk = plan.apply(|node| {
        match node {
            LogicalPlan::TableScan(_) => n_scans += 1,
            LogicalPlan::Aggregate(_) => n_aggregates += 1,
            LogicalPlan::Projection(_) | LogicalPlan::Filter(_) | LogicalPlan::SubqueryAlias(_) => {}
            LogicalPlan::Join(_) => note(&mut blocker, "a join"),
            LogicalPlan::Sort(_) => note(&mut blocker, "ORDER BY"),
            LogicalPlan::Limit(_) => note(&mut blocker, "LIMIT"),
            LogicalPlan::Window(_) => note(&mut blocker, "a window function"),
            LogicalPlan::Distinct(Distinct::All(_) | Distinct::On(_)) => note(&mut blocker, "DISTINCT"),
            LogicalPlan::Union(_) => note(&mut blocker, "UNION"),
            other => note(&mut blocker, &format!("the operator {}", operator_name(other))),
        }
        if node.expressions().iter().any(has_subquery) {
            note(&mut blocker, "a subquery in an expression");
        }
        Ok(TreeNodeRecursion::Continue)
    });
    if walk.is_err() {
        return Incrementality::Full("its plan could not be read".to_owned());
    }
    if let Some(blocker) = blocker {
        return Incrementality::Full(format!("{blocker} is recomputed in full here"));
    }
    if n_scans != 1 {
        return Incrementality::Full(format!("it reads {n_scans} tables; changes of one table are followed here"));
    }
    match n_aggregates {
        0 => Incrementality::Rows,
        1 => match group_positions(plan) {
            Some(keys) if keys.is_empty() => Incrementality::Full("it has no GROUP BY, so it is one row".to_owned()),
            Some(keys) => Incrementality::Groups { keys },
            None => Incrementality::Full(
                "a GROUP BY expression is not among its columns, so changed groups cannot be found in it".to_owned(),
            ),
        },
        _ => Incrementality::Full("it aggregates an aggregate".to_owned()),
    }
}

fn note(blocker: &mut Option<String>, what: &str) {
    if blocker.is_none() {
        *blocker = Some(what.to_owned());
    }
}

fn operator_name(plan: &LogicalPlan) -> String {
    plan.display().to_string().split([':', ' ']).next().unwrap_or_default().to_owned()
}

fn has_subquery(expr: &Expr) -> bool {
    expr.exists(|expr| {
        Ok(matches!(expr, Expr::ScalarSubquery(_) | Expr::InSubquery(_) | Expr::Exists(_) | Expr::SetComparison(_)))
    })
    // A traversal that cannot fail has nothing to report; if it could, taking the full path would be right.
    .unwrap_or(true)
}

/// Where each GROUP BY expression comes out of the plan; `None` when one of them does not.
fn group_positions(plan: &LogicalPlan) -> Option<Vec<usize>> {
    let aggregate = find_aggregate(plan)?;
    if aggregate.group_expr.iter().any(|expr| matches!(expr, Expr::GroupingSet(_))) {
        return None;
    }
    (0..aggregate.group_expr.len()).map(|index| output_of(plan, aggregate, index)).collect()
}

fn find_aggregate(plan: &LogicalPlan) -> Option<&Aggregate> {
    match plan {
        LogicalPlan::Aggregate(aggregate) => Some(aggregate),
        LogicalPlan::Projection(_) | LogicalPlan::Filter(_) | LogicalPlan::SubqueryAlias(_) => {
            plan.inputs().first().and_then(|input| find_aggregate(input))
        }
        _ => None,
    }
}

/// Position among `plan`'s outputs of the aggregate's output `group`.
fn output_of(plan: &LogicalPlan, aggregate: &Aggregate, group: usize) -> Option<usize> {
    match plan {
        LogicalPlan::Aggregate(found) if std::ptr::eq(found, aggregate) => Some(group),
        LogicalPlan::Filter(filter) => output_of(&filter.input, aggregate, group),
        LogicalPlan::SubqueryAlias(alias) => output_of(&alias.input, aggregate, group),
        LogicalPlan::Projection(projection) => {
            let below = output_of(&projection.input, aggregate, group)?;
            let wanted = Column::from(projection.input.schema().qualified_field(below));
            projection.expr.iter().position(|expr| plain_column(expr) == Some(&wanted))
        }
        _ => None,
    }
}

fn plain_column(expr: &Expr) -> Option<&Column> {
    match expr {
        Expr::Column(column) => Some(column),
        Expr::Alias(alias) => plain_column(&alias.expr),
        _ => None,
    }
}

/// Names of the key columns that [`groups_of`] gives.
fn key_name(index: usize) -> String {
    format!("\u{1}key{index}")
}

/// The distinct groups that a plan's rows fall into: the plan of a view over changed rows, without its aggregation.
///
/// # Errors
/// When the plan has no aggregate, which [`analyze`] rules out.
pub fn groups_of(plan: &LogicalPlan) -> Result<LogicalPlan> {
    let Some(aggregate) = find_aggregate(plan) else {
        return datafusion::common::internal_err!("a plan without groups was asked for them");
    };
    let keys =
        aggregate.group_expr.iter().enumerate().map(|(index, expr)| expr.clone().unalias().alias(key_name(index)));
    LogicalPlanBuilder::from(aggregate.input.as_ref().clone()).project(keys)?.distinct()?.build()
}

/// A view's plan that computes only the groups that `keys` (a plan with the columns of [`groups_of`]) lists.
///
/// # Errors
/// When the plan has no aggregate, which [`analyze`] rules out.
pub fn only_groups(plan: LogicalPlan, keys: &LogicalPlan) -> Result<LogicalPlan> {
    plan.transform_down(|node| match node {
        LogicalPlan::Aggregate(aggregate) => {
            let matches = aggregate.group_expr.iter().enumerate().map(|(index, expr)| {
                let key = Expr::Column(Column::from_name(key_name(index)));
                Expr::BinaryExpr(datafusion::logical_expr::BinaryExpr::new(
                    Box::new(expr.clone().unalias()),
                    datafusion::logical_expr::Operator::IsNotDistinctFrom,
                    Box::new(key),
                ))
            });
            let input = LogicalPlanBuilder::from(aggregate.input.as_ref().clone())
                .join_on(keys.clone(), JoinType::LeftSemi, matches)?
                .build()?;
            let restricted = Aggregate::try_new(Arc::new(input), aggregate.group_expr, aggregate.aggr_expr)?;
            Ok(Transformed::new(LogicalPlan::Aggregate(restricted), true, TreeNodeRecursion::Stop))
        }
        other => Ok(Transformed::no(other)),
    })
    .data()
}
