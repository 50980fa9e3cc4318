//! UNPIVOT: columns become rows of a name and a value.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::TableReference;
use datafusion::common::{Result, plan_err};
use datafusion::logical_expr::planner::RelationPlannerContext;
use datafusion::logical_expr::{Expr, ExprSchemable, LogicalPlan, LogicalPlanBuilder, cast, lit};
use datafusion::sql::sqlparser::ast::{self, Expr as SqlExpr, ExprWithAlias};
use lakelet_types::sql_name;

use super::{columns, generate};
use crate::coercion::{common_type_of, is_text};
use crate::functions::{fail, stack};

/// Qualifies the made columns until the others are taken away.
const MADE: &str = "\u{1}unpivot";

/// Plans it. A column to unpivot is an expression, several at once are an array of them, and has its name as alias.
pub(super) fn plan(
    input: LogicalPlan,
    value: SqlExpr,
    name: String,
    unpivoted: Vec<ExprWithAlias>,
    keeps_nulls: bool,
    context: &mut dyn RelationPlannerContext,
) -> Result<LogicalPlan> {
    let value_names: Vec<String> = parts(value).into_iter().filter_map(identifier).collect();
    let mut taken: Vec<Expr> = Vec::new();
    let mut rows: Vec<(String, Vec<Expr>)> = Vec::new();
    for ExprWithAlias { expr, alias } in unpivoted {
        let Some(alias) = alias else { return plan_err!("a column to unpivot has no name") };
        let mut values = Vec::new();
        for part in parts(expr) {
            values.push(context.sql_to_expr(part, input.schema())?);
        }
        if values.len() != value_names.len() {
            return Err(fail(
                "UNPIVOT_VALUE_SIZE_MISMATCH",
                "428C4",
                format!(
                    "All unpivot value columns must have the same size as there are value column names ({}).",
                    value_names.len()
                ),
            ));
        }
        taken.extend(values.iter().cloned());
        rows.push((alias.value, values));
    }
    let mut types: Vec<DataType> = Vec::with_capacity(value_names.len());
    for (index, value_name) in value_names.iter().enumerate() {
        let mut given = Vec::with_capacity(rows.len());
        for (_, values) in &rows {
            if let Some(value) = values.get(index) {
                given.push(value.get_type(input.schema())?);
            }
        }
        // No text is taken for a number or a date here, as it is elsewhere.
        let n_texts = given.iter().filter(|one| is_text(one)).count();
        let is_mixed = n_texts > 0 && given.iter().any(|one| !is_text(one) && !one.is_null());
        match common_type_of(&given).filter(|_| !is_mixed) {
            Some(found) => types.push(found),
            None => {
                let names: Vec<String> = given.iter().map(|one| format!("\"{}\"", sql_name(one))).collect();
                return Err(fail(
                    "UNPIVOT_VALUE_DATA_TYPE_MISMATCH",
                    "42K09",
                    format!(
                        "Unpivot value columns must share a least common type, some types do not: `{value_name}` has {}.",
                        names.join(", ")
                    ),
                ));
            }
        }
    }
    let mut values = vec![lit(i32::try_from(rows.len()).unwrap_or(i32::MAX))];
    for (row_name, row) in rows {
        values.push(lit(row_name));
        values.extend(row.into_iter().zip(&types).map(|(value, data_type)| cast(value, data_type.clone())));
    }
    let kept: Vec<Expr> = columns(input.schema()).into_iter().filter(|column| !taken.contains(column)).collect();
    let made = TableReference::bare(MADE);
    let mut names = vec![name.to_lowercase()];
    names.extend(value_names);
    let mut builder = LogicalPlanBuilder::from(generate(input, stack(values), false, &made, &names)?);
    let column = |name: &String| Expr::Column(datafusion::common::Column::new(Some(made.clone()), name));
    if !keeps_nulls {
        let known = names.iter().skip(1).map(|name| column(name).is_not_null()).reduce(Expr::or);
        if let Some(known) = known {
            builder = builder.filter(known)?;
        }
    }
    let mut shown = kept;
    shown.extend(names.iter().map(|name| column(name).alias(name)));
    builder.project(shown)?.build()
}

/// The parts of `(a, b)`, which the lowering writes as an array.
fn parts(expr: SqlExpr) -> Vec<SqlExpr> {
    match expr {
        SqlExpr::Array(array) => array.elem,
        SqlExpr::Nested(inner) => parts(*inner),
        other => vec![other],
    }
}

fn identifier(expr: SqlExpr) -> Option<String> {
    match expr {
        SqlExpr::Identifier(ast::Ident { value, .. }) => Some(value),
        _ => None,
    }
}
