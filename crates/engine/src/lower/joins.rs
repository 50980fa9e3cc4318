//! USING and NATURAL as Spark has them: the shared columns come first in `*`, and are those of the side that is kept.

use std::ops::ControlFlow;

use lakelet_base::{Diagnostic, ErrorClass, Result};
use sqlparser::ast::{
    self, BinaryOperator, Expr, Ident, Join, JoinConstraint, JoinOperator, ObjectName, SelectItem, Value, VisitMut,
    VisitorMut,
};

use super::literals::call;
use super::name_parts;
use super::scope::{Scopes, is_excepted};

/// Whether a join gives the columns of its left side alone.
pub(super) fn keeps_left_only(operator: &JoinOperator) -> bool {
    matches!(
        operator,
        JoinOperator::Semi(_) | JoinOperator::LeftSemi(_) | JoinOperator::Anti(_) | JoinOperator::LeftAnti(_)
    )
}

/// `SEMI JOIN` is `LEFT SEMI JOIN`, and `ANTI JOIN` `LEFT ANTI JOIN`.
pub(super) fn plain_semi(joined: &mut ast::TableWithJoins) {
    for join in &mut joined.joins {
        let operator = std::mem::replace(&mut join.join_operator, JoinOperator::CrossApply);
        join.join_operator = match operator {
            JoinOperator::Semi(constraint) => JoinOperator::LeftSemi(constraint),
            JoinOperator::Anti(constraint) => JoinOperator::LeftAnti(constraint),
            other => other,
        };
    }
}

/// A column as `*` shows it.
struct Shown {
    name: String,
    value: Expr,
}

/// Settles the joins of a SELECT whose parts are lowered. Nothing happens without USING and NATURAL.
pub(super) fn shared_columns(select: &mut ast::Select, scopes: &Scopes) -> Result<()> {
    let shares = |join: &Join| {
        matches!(constraint(&join.join_operator), Some(JoinConstraint::Using(_) | JoinConstraint::Natural))
    };
    if !select.from.iter().any(|joined| joined.joins.iter().any(shares)) {
        return Ok(());
    }
    let mut shown = Some(Vec::new());
    let mut merged = Vec::new();
    for joined in &mut select.from {
        let columns = settle(joined, scopes, &mut merged)?;
        shown = shown.zip(columns).map(|(mut before, columns)| {
            before.extend(columns);
            before
        });
    }
    if let Some(shown) = shown {
        expand_stars(&mut select.projection, &shown);
    }
    if !merged.is_empty() {
        for item in &mut select.projection {
            if let SelectItem::UnnamedExpr(expr) = item
                && let Expr::Identifier(ident) = &*expr
                && merged.iter().any(|column: &Shown| column.name == ident.value)
            {
                let alias = ident.clone();
                *item = SelectItem::ExprWithAlias { expr: expr.clone(), alias };
            }
        }
        let _: ControlFlow<()> = VisitMut::visit(select, &mut Merge { merged: &merged, depth: 0 });
    }
    Ok(())
}

/// The constraint of a join.
pub(super) fn constraint(operator: &JoinOperator) -> Option<&JoinConstraint> {
    match operator {
        JoinOperator::Join(constraint)
        | JoinOperator::Inner(constraint)
        | JoinOperator::Left(constraint)
        | JoinOperator::LeftOuter(constraint)
        | JoinOperator::Right(constraint)
        | JoinOperator::RightOuter(constraint)
        | JoinOperator::FullOuter(constraint)
        | JoinOperator::CrossJoin(constraint)
        | JoinOperator::Semi(constraint)
        | JoinOperator::LeftSemi(constraint)
        | JoinOperator::RightSemi(constraint)
        | JoinOperator::Anti(constraint)
        | JoinOperator::LeftAnti(constraint)
        | JoinOperator::RightAnti(constraint) => Some(constraint),
        _ => None,
    }
}

fn constraint_mut(operator: &mut JoinOperator) -> Option<&mut JoinConstraint> {
    match operator {
        JoinOperator::Join(constraint)
        | JoinOperator::Inner(constraint)
        | JoinOperator::Left(constraint)
        | JoinOperator::LeftOuter(constraint)
        | JoinOperator::Right(constraint)
        | JoinOperator::RightOuter(constraint)
        | JoinOperator::FullOuter(constraint)
        | JoinOperator::LeftSemi(constraint)
        | JoinOperator::LeftAnti(constraint) => Some(constraint),
        _ => None,
    }
}

/// The columns that `*` shows of one entry of FROM; `None` if nobody can tell before planning.
fn settle(joined: &mut ast::TableWithJoins, scopes: &Scopes, merged: &mut Vec<Shown>) -> Result<Option<Vec<Shown>>> {
    let side = |factor: &ast::TableFactor| {
        scopes.factor_columns(factor).map(|columns| {
            columns
                .into_iter()
                .map(|(relation, name)| Shown { value: qualified(&relation, &name), name })
                .collect::<Vec<Shown>>()
        })
    };
    // The planner keeps the left side's column, which is right as long as no join keeps the other side.
    let keeps_other = joined.joins.iter().any(|join| {
        matches!(join.join_operator, JoinOperator::Right(_) | JoinOperator::RightOuter(_) | JoinOperator::FullOuter(_))
            && !matches!(constraint(&join.join_operator), Some(JoinConstraint::On(_) | JoinConstraint::None))
    });
    let mut left = side(&joined.relation);
    for join in &mut joined.joins {
        let right = side(&join.relation);
        let (Some(known), Some(right)) = (left, right) else {
            if keeps_other {
                let problem = Diagnostic::unsupported("RIGHT and FULL JOIN with USING or NATURAL over such columns");
                let hint = "Write ON, and coalesce(l.c, r.c) for the column that both sides have.";
                return Err(Box::new(problem.hint(hint)));
            }
            return Ok(None);
        };
        let keys = match constraint(&join.join_operator) {
            Some(JoinConstraint::Using(names)) => {
                Some(names.iter().filter_map(|name| name_parts(name).pop()).collect())
            }
            Some(JoinConstraint::Natural) => {
                Some(known.iter().map(|column| column.name.clone()).filter(|name| has(&right, name)).collect())
            }
            _ => None,
        };
        left = Some(match keys {
            Some(keys) => share(join, known, right, keys, keeps_other, merged)?,
            None if keeps_left_only(&join.join_operator) => known,
            None => known.into_iter().chain(right).collect(),
        });
    }
    Ok(left)
}

fn has(columns: &[Shown], name: &str) -> bool {
    columns.iter().any(|column| column.name == name)
}

/// One join over shared columns.
fn share(
    join: &mut Join,
    left: Vec<Shown>,
    right: Vec<Shown>,
    keys: Vec<String>,
    on: bool,
    merged: &mut Vec<Shown>,
) -> Result<Vec<Shown>> {
    let mut shown = Vec::new();
    let mut conditions: Vec<Expr> = Vec::new();
    for key in &keys {
        let find = |columns: &[Shown], side: &str| {
            columns.iter().find(|column| column.name == *key).map(|column| column.value.clone()).ok_or_else(|| {
                let listed = columns.iter().map(|column| format!("`{}`", column.name)).collect::<Vec<_>>().join(", ");
                Box::new(Diagnostic::new(
                    ErrorClass::new("UNRESOLVED_USING_COLUMN_FOR_JOIN", "42703"),
                    format!(
                        "USING column `{key}` cannot be resolved on the {side} side of the join. The {side}-side columns: [{listed}]."
                    ),
                ))
            })
        };
        let (of_left, of_right) = (find(&left, "left")?, find(&right, "right")?);
        let value = match &join.join_operator {
            JoinOperator::Right(_) | JoinOperator::RightOuter(_) => of_right.clone(),
            JoinOperator::FullOuter(_) => call("coalesce", vec![of_left.clone(), of_right.clone()]),
            _ => of_left.clone(),
        };
        conditions.push(Expr::BinaryOp { left: Box::new(of_left), op: BinaryOperator::Eq, right: Box::new(of_right) });
        if on {
            merged.retain(|column| column.name != *key);
            merged.push(Shown { name: key.clone(), value: value.clone() });
        }
        shown.push(Shown { name: key.clone(), value });
    }
    if let Some(constraint) = constraint_mut(&mut join.join_operator) {
        *constraint = match conditions.into_iter().reduce(and) {
            Some(condition) if on => JoinConstraint::On(condition),
            Some(_) => JoinConstraint::Using(
                keys.iter().map(|key| ObjectName::from(vec![Ident::with_quote('`', key.clone())])).collect(),
            ),
            None => JoinConstraint::On(Expr::Value(Value::Boolean(true).into())),
        };
    }
    let is_key = |column: &Shown| keys.contains(&column.name);
    shown.extend(left.into_iter().filter(|column| !is_key(column)));
    if !keeps_left_only(&join.join_operator) {
        shown.extend(right.into_iter().filter(|column| !is_key(column)));
    }
    Ok(shown)
}

fn and(left: Expr, right: Expr) -> Expr {
    Expr::BinaryOp { left: Box::new(left), op: BinaryOperator::And, right: Box::new(right) }
}

fn qualified(relation: &str, column: &str) -> Expr {
    Expr::CompoundIdentifier(vec![Ident::with_quote('`', relation), Ident::with_quote('`', column)])
}

/// Writes `*` out.
fn expand_stars(projection: &mut Vec<SelectItem>, shown: &[Shown]) {
    let items = std::mem::take(projection);
    for item in items {
        match item {
            SelectItem::Wildcard(options)
                if options.opt_replace.is_none() && options.opt_rename.is_none() && options.opt_exclude.is_none() =>
            {
                let columns = shown.iter().filter(|column| !is_excepted(&options, &column.name));
                projection.extend(columns.map(|column| match &column.value {
                    value @ Expr::CompoundIdentifier(_) => SelectItem::UnnamedExpr(value.clone()),
                    value => SelectItem::ExprWithAlias {
                        expr: value.clone(),
                        alias: Ident::with_quote('`', column.name.clone()),
                    },
                }));
            }
            other => projection.push(other),
        }
    }
}

/// Puts the merged value in the place of a shared column that stands without its table.
struct Merge<'a> {
    merged: &'a [Shown],
    depth: usize,
}

impl VisitorMut for Merge<'_> {
    type Break = ();

    fn pre_visit_query(&mut self, _query: &mut ast::Query) -> ControlFlow<()> {
        self.depth += 1;
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _query: &mut ast::Query) -> ControlFlow<()> {
        self.depth -= 1;
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if self.depth == 0
            && let Expr::Identifier(ident) = &*expr
            && let Some(column) = self.merged.iter().find(|column| column.name == ident.value)
        {
            *expr = column.value.clone();
        }
        ControlFlow::Continue(())
    }
}
