//! What the planner would take and answer wrongly is refused by name.

use lakelet_base::{Diagnostic, ErrorClass};
use sqlparser::ast::{
    self, Expr, FunctionArg, FunctionArgExpr, FunctionArguments, JoinConstraint, JoinOperator, SetExpr, SetOperator,
    SetQuantifier,
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

/// The shared column of `FULL JOIN … USING` and `RIGHT JOIN … USING` is not the left table's.
pub(super) fn joins(joined: &ast::TableWithJoins) -> Option<Diagnostic> {
    joined.joins.iter().find_map(|join| {
        let (name, constraint) = match &join.join_operator {
            JoinOperator::FullOuter(constraint) => ("FULL JOIN", constraint),
            JoinOperator::Right(constraint) | JoinOperator::RightOuter(constraint) => ("RIGHT JOIN", constraint),
            _ => return None,
        };
        let form = match constraint {
            JoinConstraint::Using(_) => "USING",
            JoinConstraint::Natural => "NATURAL",
            JoinConstraint::On(_) | JoinConstraint::None => return None,
        };
        Some(
            Diagnostic::unsupported(format_args!("{name} with {form}"))
                .hint("Write ON, and coalesce(l.c, r.c) for the column that both sides have."),
        )
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
