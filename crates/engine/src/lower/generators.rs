//! Generators and what else makes rows and columns of columns and rows: LATERAL VIEW, `SELECT explode(…)`, PIVOT, UNPIVOT.
//!
//! A LATERAL VIEW becomes a part of FROM that the planner of relations knows, an UNPIVOT with a name of our own. A
//! generator in a SELECT list is a LATERAL VIEW whose columns stand in its place.

use lakelet_base::{Diagnostic, ErrorClass};
use lakelet_spark::{LATERAL_VIEW, LATERAL_VIEW_OUTER, generator};
use sqlparser::ast::{
    self, Expr, ExprWithAlias, Ident, Join, JoinConstraint, JoinOperator, LateralView, ObjectName, ObjectNamePart,
    SelectItem, TableAlias, TableAliasColumnDef, TableFactor, TableWithJoins, Value,
};

use super::{name_parts, naming};

/// Qualifies the columns of a generator in a SELECT list.
const GENERATED: &str = "\u{1}generator";

/// Writes the LATERAL VIEWs and the generators of a SELECT as parts of its FROM.
///
/// # Errors
/// A generator where Spark takes none, or where it cannot be told which columns `*` is to show.
pub(super) fn laterals(select: &mut ast::Select) -> Result<(), Box<Diagnostic>> {
    outside(select)?;
    let mut views = std::mem::take(&mut select.lateral_views);
    generators(select, &mut views)?;
    for view in views {
        let Some((call, is_outer)) = marked(view.lateral_view)? else { return Err(no_generator()) };
        let table = whole_from(&mut select.from);
        let columns = view.lateral_col_alias.into_iter().map(|name| TableAliasColumnDef { name, data_type: None });
        let name = view.lateral_view_name.0.last().and_then(ObjectNamePart::as_ident).cloned();
        let factor = TableFactor::Unpivot {
            table: Box::new(table),
            value: call,
            name: Ident::new(if view.outer || is_outer { LATERAL_VIEW_OUTER } else { LATERAL_VIEW }),
            columns: Vec::new(),
            null_inclusion: None,
            alias: Some(TableAlias {
                explicit: true,
                name: name.unwrap_or_else(|| Ident::new(GENERATED)),
                columns: columns.collect(),
                at: None,
            }),
        };
        select.from.push(TableWithJoins { relation: factor, joins: Vec::new() });
    }
    Ok(())
}

/// Takes the generators out of the SELECT list.
fn generators(select: &mut ast::Select, views: &mut Vec<LateralView>) -> Result<(), Box<Diagnostic>> {
    let mut shows_all = false;
    let mut items = Vec::with_capacity(select.projection.len());
    for item in std::mem::take(&mut select.projection) {
        let (expr, aliases) = match item {
            SelectItem::UnnamedExpr(expr) if is_generator(&expr) => (expr, Vec::new()),
            SelectItem::ExprWithAlias { expr, alias } if is_generator(&expr) => (expr, vec![alias]),
            SelectItem::ExprWithAliases { expr, aliases } if is_generator(&expr) => (expr, aliases),
            other => {
                shows_all |= matches!(other, SelectItem::Wildcard(_));
                if let SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } = &other {
                    nested(expr)?;
                }
                items.push(other);
                continue;
            }
        };
        let name = format!("{GENERATED}{}", views.len());
        if let Expr::Function(function) = &expr {
            naming::plain_arguments(function).iter().flatten().try_for_each(nested)?;
        }
        views.push(LateralView {
            lateral_view: expr,
            lateral_view_name: ObjectName::from(vec![Ident::with_quote('`', name.clone())]),
            lateral_col_alias: aliases,
            outer: false,
        });
        if !shows_all {
            let kind =
                ast::SelectItemQualifiedWildcardKind::ObjectName(ObjectName::from(vec![Ident::with_quote('`', name)]));
            items.push(SelectItem::QualifiedWildcard(kind, ast::WildcardAdditionalOptions::default()));
        }
    }
    select.projection = items;
    Ok(())
}

/// All of FROM as one relation; a single row where there is none.
fn whole_from(from: &mut Vec<TableWithJoins>) -> TableFactor {
    let mut parts = std::mem::take(from).into_iter();
    let Some(mut first) = parts.next() else { return one_row() };
    for part in parts {
        let relation = match part.joins.is_empty() {
            true => part.relation,
            false => TableFactor::NestedJoin { table_with_joins: Box::new(part), alias: None },
        };
        let join_operator = JoinOperator::CrossJoin(JoinConstraint::None);
        first.joins.push(Join { relation, global: false, join_operator });
    }
    match first.joins.is_empty() {
        true => first.relation,
        false => TableFactor::NestedJoin { table_with_joins: Box::new(first), alias: None },
    }
}

fn one_row() -> TableFactor {
    let values = ast::Values {
        explicit_row: false,
        value_keyword: false,
        rows: vec![ast::Parens::with_empty_span(vec![Expr::Value(Value::Boolean(true).into())])],
    };
    TableFactor::Derived {
        lateral: false,
        subquery: Box::new(ast::Query {
            with: None,
            body: Box::new(ast::SetExpr::Values(values)),
            order_by: None,
            limit_clause: None,
            fetch: None,
            locks: Vec::new(),
            for_clause: None,
            settings: None,
            format_clause: None,
            pipe_operators: Vec::new(),
        }),
        alias: None,
        sample: None,
    }
}

fn generator_of(expr: &Expr) -> Option<(String, bool)> {
    let Expr::Function(function) = expr else { return None };
    generator(&name_parts(&function.name).join(".").to_lowercase())
}

/// Whether an expression is the call of a generator: in a SELECT list it gives as many columns as its rows have.
pub(super) fn is_generator(expr: &Expr) -> bool {
    generator_of(expr).is_some()
}

/// The call under the name by which it is planned.
fn marked(mut expr: Expr) -> Result<Option<(Expr, bool)>, Box<Diagnostic>> {
    let Some((name, is_outer)) = generator_of(&expr) else { return Ok(None) };
    if let Expr::Function(function) = &mut expr {
        naming::plain_arguments(function).iter().flatten().try_for_each(nested)?;
        function.name = ObjectName::from(vec![Ident::new(name)]);
    }
    Ok(Some((expr, is_outer)))
}

fn has_generator(expr: &Expr) -> bool {
    let found: std::ops::ControlFlow<()> = ast::visit_expressions(expr, |expr| {
        if is_generator(expr) { std::ops::ControlFlow::Break(()) } else { std::ops::ControlFlow::Continue(()) }
    });
    found.is_break()
}

/// A generator inside of another expression.
fn nested(expr: &Expr) -> Result<(), Box<Diagnostic>> {
    if !has_generator(expr) {
        return Ok(());
    }
    Err(Box::new(
        Diagnostic::new(
            ErrorClass::new("UNSUPPORTED_GENERATOR.NESTED_IN_EXPRESSIONS", "42K0E"),
            "A generator such as explode() cannot stand inside of another expression.",
        )
        .hint("Give it an alias in a subquery, or use LATERAL VIEW, and compute with the alias."),
    ))
}

/// A generator in WHERE, GROUP BY or HAVING.
fn outside(select: &ast::Select) -> Result<(), Box<Diagnostic>> {
    let keys = match &select.group_by {
        ast::GroupByExpr::Expressions(keys, _) => keys.as_slice(),
        ast::GroupByExpr::All(_) => &[],
    };
    let mut places = select.selection.iter().chain(&select.having).chain(keys);
    if !places.any(has_generator) {
        return Ok(());
    }
    Err(Box::new(
        Diagnostic::new(
            ErrorClass::new("UNSUPPORTED_GENERATOR.OUTSIDE_SELECT", "42K0E"),
            "A generator such as explode() stands in SELECT or in LATERAL VIEW only.",
        )
        .hint("Generate in a subquery, and filter around it."),
    ))
}

fn no_generator() -> Box<Diagnostic> {
    Box::new(
        Diagnostic::new(
            ErrorClass::new("UNSUPPORTED_GENERATOR.NOT_GENERATOR", "42K0E"),
            "LATERAL VIEW takes a generator.",
        )
        .hint("Write explode(), posexplode(), inline(), stack() or json_tuple()."),
    )
}

/// Names the columns that PIVOT and UNPIVOT make, while it can still be told how they were written.
pub(super) fn name_pivoted(factor: &mut TableFactor) {
    match factor {
        TableFactor::Pivot { aggregate_functions, value_source: ast::PivotValueSource::List(values), .. } => {
            if aggregate_functions.len() > 1 {
                for aggregate in aggregate_functions.iter_mut().filter(|aggregate| aggregate.alias.is_none()) {
                    aggregate.alias = Some(Ident::with_quote('`', naming::column_name(&aggregate.expr)));
                }
            } else if let Some(aggregate) = aggregate_functions.first_mut() {
                aggregate.alias = None;
            }
            values.iter_mut().for_each(name_value);
        }
        TableFactor::Unpivot { value, columns, name, .. } if !name.value.starts_with('\u{1}') => {
            listed(value);
            columns.iter_mut().for_each(name_value);
        }
        _ => {}
    }
}

/// The name of a value, or of a column: what is written.
fn name_value(value: &mut ExprWithAlias) {
    listed(&mut value.expr);
    let written = |expr: &Expr| match expr {
        Expr::Value(value) => match &value.value {
            Value::SingleQuotedString(text) | Value::DoubleQuotedString(text) => text.clone(),
            other => other.to_string(),
        },
        other => naming::column_name(other),
    };
    let name = match &value.expr {
        Expr::Array(array) => array.elem.iter().map(written).collect::<Vec<_>>().join("_"),
        other => written(other),
    };
    value.alias.get_or_insert_with(|| Ident::with_quote('`', name));
}

/// `(a, b)` as an array: a tuple would become a struct.
fn listed(expr: &mut Expr) {
    if let Expr::Tuple(parts) = expr {
        *expr = Expr::Array(ast::Array { elem: std::mem::take(parts), named: false });
    }
}
