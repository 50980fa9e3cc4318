//! Numbers that are positions or counts, not values: `ORDER BY 2`, `LIMIT 10`. They keep their form.

use sqlparser::ast::{self, Expr, OrderByKind, Query, Value};

/// Marks integers that are positions or counts, not values.
pub(super) const POSITION_MARK: &str = "\u{1}position:";

/// Hides a number from whoever types literals.
pub(super) fn protect(expr: &mut Expr) {
    if let Expr::Value(value) = expr
        && let Value::Number(text, _) = &value.value
    {
        value.value = Value::Placeholder(format!("{POSITION_MARK}{text}"));
    }
}

/// Brings a hidden number back.
pub(super) fn unprotect(expr: &mut Expr) {
    if let Expr::Value(value) = expr
        && let Value::Placeholder(text) = &value.value
        && let Some(number) = text.strip_prefix(POSITION_MARK)
    {
        value.value = Value::Number(number.to_owned(), false);
        return;
    }
    if let Some(interval) = plain_interval(expr) {
        *expr = interval;
    }
}

/// The bound of a frame stays an interval literal: the planner takes no calls there.
fn plain_interval(expr: &Expr) -> Option<Expr> {
    let Expr::Function(function) = expr else { return None };
    if function.name.to_string().trim_matches('`') != lakelet_spark::INTERVAL {
        return None;
    }
    let parts: Vec<String> = super::naming::plain_arguments(function)?
        .into_iter()
        .filter_map(|part| match part {
            Expr::Value(value) => value.value.into_string(),
            _ => None,
        })
        .collect();
    Some(Expr::Interval(ast::Interval {
        value: Box::new(super::literals::quoted(parts.join(" "))),
        leading_field: None,
        leading_precision: None,
        last_field: None,
        fractional_seconds_precision: None,
    }))
}

/// Applies a change to every expression of a query that may be a position or a count.
pub(super) fn each_position(query: &mut Query, change: fn(&mut Expr)) {
    match &mut query.limit_clause {
        Some(ast::LimitClause::LimitOffset { limit, offset, .. }) => {
            limit.iter_mut().for_each(change);
            offset.iter_mut().for_each(|offset| change(&mut offset.value));
        }
        Some(ast::LimitClause::OffsetCommaLimit { offset, limit }) => {
            change(offset);
            change(limit);
        }
        None => {}
    }
    if let Some(ast::OrderBy { kind: OrderByKind::Expressions(keys), .. }) = &mut query.order_by {
        keys.iter_mut().for_each(|key| change(&mut key.expr));
    }
}

/// Applies a change to the numbers of a call that are no values: the bounds of its window frame (`ROWS BETWEEN 1
/// PRECEDING AND …` counts rows), and what its type follows from.
pub(super) fn frame_bounds(function: &mut ast::Function, change: fn(&mut Expr)) {
    scale_argument(function, change);
    let Some(ast::WindowType::WindowSpec(spec)) = &mut function.over else { return };
    let Some(frame) = &mut spec.window_frame else { return };
    for bound in std::iter::once(&mut frame.start_bound).chain(frame.end_bound.as_mut()) {
        match bound {
            ast::WindowFrameBound::Preceding(Some(expr)) | ast::WindowFrameBound::Following(Some(expr)) => change(expr),
            _ => {}
        }
    }
}

/// Applies a change to the arguments of a call that its type follows from: the scale of `round(x, 2)`.
fn scale_argument(function: &mut ast::Function, change: fn(&mut Expr)) {
    let name = function.name.to_string().to_lowercase();
    if !matches!(name.as_str(), "round" | "bround" | "ceil" | "ceiling" | "floor") {
        return;
    }
    let ast::FunctionArguments::List(list) = &mut function.args else { return };
    if let Some(ast::FunctionArg::Unnamed(ast::FunctionArgExpr::Expr(scale))) = list.args.get_mut(1) {
        match scale {
            Expr::UnaryOp { op: ast::UnaryOperator::Minus, expr } => change(expr),
            other => change(other),
        }
    }
}
