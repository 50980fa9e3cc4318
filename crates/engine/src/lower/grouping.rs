//! `GROUP BY a, b WITH ROLLUP` and `WITH CUBE`, the older forms of `ROLLUP (a, b)` and `CUBE (a, b)`.

use sqlparser::ast::{self, Expr, GroupByExpr, GroupByWithModifier, SelectItem, Value};

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
