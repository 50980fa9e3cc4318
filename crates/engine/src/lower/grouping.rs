//! What stands for several keys: ORDER BY ALL, and `GROUP BY a, b WITH ROLLUP` and `WITH CUBE`, the older forms of `ROLLUP (a, b)` and `CUBE (a, b)`.

use std::ops::ControlFlow;

use sqlparser::ast::{
    self, Expr, GroupByExpr, GroupByWithModifier, OrderBy, OrderByExpr, OrderByKind, Query, SelectItem, SetExpr, Value,
    Visit, Visitor,
};

/// Writes the older forms as the newer ones.
pub(super) fn with_modifier(select: &mut ast::Select) {
    let GroupByExpr::Expressions(keys, modifiers) = &mut select.group_by else { return };
    let make: fn(Vec<Vec<Expr>>) -> Expr = match modifiers.as_slice() {
        [GroupByWithModifier::Rollup] => Expr::Rollup,
        [GroupByWithModifier::Cube] => Expr::Cube,
        _ => return,
    };
    let projection = &select.projection;
    let written = |key: Expr| match position(&key).and_then(|position| projection.get(position)) {
        Some(SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. }) => expr.clone(),
        _ => key,
    };
    let sets = std::mem::take(keys).into_iter().map(|key| vec![written(key)]).collect();
    modifiers.clear();
    keys.push(make(sets));
}

/// `2` in GROUP BY is the second column, counted here from 0.
fn position(key: &Expr) -> Option<usize> {
    let Expr::Value(value) = key else { return None };
    let Value::Number(digits, _) = &value.value else { return None };
    digits.parse::<usize>().ok()?.checked_sub(1)
}

/// The keys of ROLLUP, CUBE and GROUPING SETS, each once; none where there are no such sets.
pub(super) fn keys(select: &ast::Select) -> Vec<Expr> {
    let GroupByExpr::Expressions(written, _) = &select.group_by else { return Vec::new() };
    let mut keys: Vec<Expr> = Vec::new();
    let mut has_sets = false;
    for key in written {
        let sets = match key {
            Expr::Rollup(sets) | Expr::Cube(sets) | Expr::GroupingSets(sets) => {
                has_sets = true;
                sets.concat()
            }
            other => vec![other.clone()],
        };
        for key in sets {
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
    }
    if has_sets { keys } else { Vec::new() }
}

/// `ORDER BY ALL` as the positions of all columns.
pub(super) fn all_columns(query: &mut Query) {
    let Some(OrderBy { kind, .. }) = &mut query.order_by else { return };
    let OrderByKind::All(options) = &kind else { return };
    let SetExpr::Select(select) = query.body.as_ref() else { return };
    let is_star = |item: &SelectItem| matches!(item, SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(..));
    if select.projection.iter().any(is_star) {
        return;
    }
    let key = |position: usize| OrderByExpr {
        expr: Expr::Value(Value::Number(position.to_string(), false).into()),
        options: *options,
        with_fill: None,
    };
    *kind = OrderByKind::Expressions((1..=select.projection.len()).map(key).collect());
}

/// Whether a query groups anywhere.
pub(crate) fn has_group_by(query: &Query) -> bool {
    struct Groups;
    impl Visitor for Groups {
        type Break = ();
        fn pre_visit_select(&mut self, select: &ast::Select) -> ControlFlow<()> {
            match &select.group_by {
                GroupByExpr::Expressions(keys, _) if keys.is_empty() => ControlFlow::Continue(()),
                _ => ControlFlow::Break(()),
            }
        }
    }
    Visit::visit(query, &mut Groups).is_break()
}

/// SORT BY, CLUSTER BY and DISTRIBUTE BY: rows are in one partition here, so that to sort each is to sort all.
pub(super) fn sort_by(query: &mut Query) {
    let SetExpr::Select(select) = query.body.as_mut() else { return };
    select.distribute_by.clear();
    let mut keys = std::mem::take(&mut select.sort_by);
    let ascending = ast::OrderByOptions::default();
    let clustered = std::mem::take(&mut select.cluster_by).into_iter();
    keys.extend(clustered.map(|expr| OrderByExpr { expr, options: ascending, with_fill: None }));
    if !keys.is_empty() && query.order_by.is_none() {
        query.order_by = Some(OrderBy { kind: OrderByKind::Expressions(keys), interpolate: None });
    }
}
