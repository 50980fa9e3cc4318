//! What the planner would take and answer wrongly is refused by name.

use lakelet_base::{Diagnostic, ErrorClass};
use sqlparser::ast::{
    self, Expr, FunctionArg, FunctionArgExpr, FunctionArguments, SetExpr, SetOperator, SetQuantifier,
};

/// `EXCEPT ALL` and `INTERSECT ALL` count how often a row occurs; the planner does not.
pub(super) fn set_operation(body: &SetExpr) -> Option<Diagnostic> {
    let SetExpr::SetOperation { op, set_quantifier, left, right } = body else { return None };
    let name = match op {
        SetOperator::Except | SetOperator::Minus => "EXCEPT ALL",
        SetOperator::Intersect => "INTERSECT ALL",
        SetOperator::Union => return set_operation(left).or_else(|| set_operation(right)),
    };
    if matches!(set_quantifier, SetQuantifier::All | SetQuantifier::AllByName) {
        return Some(
            Diagnostic::unsupported(name).hint("Number equal rows with row_number() on both sides and leave ALL out."),
        );
    }
    set_operation(left).or_else(|| set_operation(right))
}

/// `VALUES (1, 2) AS t(a)`
pub(super) fn values(alias: &ast::TableAlias, n_columns: usize) -> Option<Diagnostic> {
    (alias.columns.len() != n_columns).then(|| {
        Diagnostic::new(
            ErrorClass::new("INVALID_INLINE_TABLE.NUM_COLUMNS_MISMATCH", "42000"),
            format!("Inline table expected {} columns but found {n_columns} columns in row 0.", alias.columns.len()),
        )
    })
}

/// A sample would be all rows.
pub(super) fn sample(factor: &ast::TableFactor) -> Option<Diagnostic> {
    match factor {
        ast::TableFactor::Table { sample: Some(_), .. } | ast::TableFactor::Derived { sample: Some(_), .. } => {
            Some(Diagnostic::unsupported("TABLESAMPLE").hint("Write LIMIT, or WHERE over a hash of the key."))
        }
        _ => None,
    }
}

/// Spark sorts by what is computed already.
pub(super) fn window_in_order_by(query: &ast::Query) -> Option<Diagnostic> {
    let Some(ast::OrderBy { kind: ast::OrderByKind::Expressions(keys), .. }) = &query.order_by else { return None };
    let is_window = |expr: &Expr| matches!(expr, Expr::Function(function) if function.over.is_some());
    let found = keys.iter().any(|key| {
        let found: std::ops::ControlFlow<()> = ast::visit_expressions(&key.expr, |expr| {
            if is_window(expr) { std::ops::ControlFlow::Break(()) } else { std::ops::ControlFlow::Continue(()) }
        });
        found.is_break()
    });
    found.then(|| {
        Diagnostic::new(
            ErrorClass::new("UNSUPPORTED_EXPR_FOR_OPERATOR", "42K0E"),
            "ORDER BY cannot compute a window function.",
        )
        .hint("Give the window function an alias in SELECT, and sort by that.")
    })
}

/// Calls whose modifiers the planner would drop.
pub(super) fn call(function: &ast::Function, name: &str) -> Option<Diagnostic> {
    let FunctionArguments::List(list) = &function.args else { return None };
    let distinct = matches!(list.duplicate_treatment, Some(ast::DuplicateTreatment::Distinct));
    if distinct && function.over.is_some() {
        return Some(
            Diagnostic::new(
                ErrorClass::new("DISTINCT_WINDOW_FUNCTION_UNSUPPORTED", "0A000"),
                format!("Distinct window functions are not supported: {name}(DISTINCT …)."),
            )
            .hint("Use size(collect_set(…) OVER (…)) to count distinct values."),
        );
    }
    let is_wildcard = |arg: &FunctionArg| {
        matches!(
            arg,
            FunctionArg::Unnamed(FunctionArgExpr::Wildcard | FunctionArgExpr::QualifiedWildcard(_))
                | FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Wildcard(_)))
        )
    };
    if distinct && list.args.iter().any(is_wildcard) {
        return Some(
            Diagnostic::unsupported(format_args!("{name}(DISTINCT *)"))
                .hint("Select DISTINCT rows in a subquery and count them."),
        );
    }
    None
}
