//! Parts of FROM that the planner does not know: LATERAL VIEW, PIVOT and UNPIVOT.

mod pivot;
mod unpivot;

use std::sync::Arc;

use datafusion::arrow::datatypes::DataType;
use datafusion::common::TableReference;
use datafusion::common::{Column, DFSchema, Result, UnnestOptions, plan_err};
use datafusion::logical_expr::planner::{PlannedRelation, RelationPlanner, RelationPlannerContext, RelationPlanning};
use datafusion::logical_expr::{Expr, ExprSchemable, LogicalPlan, LogicalPlanBuilder, lit};
use datafusion::sql::sqlparser::ast::{self, TableFactor};

use crate::functions::{member, outer};

/// Stands for the name of an UNPIVOT that is a LATERAL VIEW: its value is the call of a generator, its alias names the
/// view and its columns.
pub const LATERAL_VIEW: &str = "\u{1}lateral view";
/// The same of LATERAL VIEW OUTER.
pub const LATERAL_VIEW_OUTER: &str = "\u{1}lateral view outer";
/// The column that a generator gives before it is taken apart.
const GENERATED: &str = "\u{1}generated";

/// The planner of such parts.
pub fn relation_planners() -> Vec<Arc<dyn RelationPlanner>> {
    vec![Arc::new(SparkRelations)]
}

#[derive(Debug)]
struct SparkRelations;

impl RelationPlanner for SparkRelations {
    fn plan_relation(
        &self,
        relation: TableFactor,
        context: &mut dyn RelationPlannerContext,
    ) -> Result<RelationPlanning> {
        let (plan, alias) = match relation {
            TableFactor::Unpivot { table, value, name, alias: Some(alias), .. }
                if matches!(name.value.as_str(), LATERAL_VIEW | LATERAL_VIEW_OUTER) =>
            {
                let input = context.plan(*table)?;
                let generated = with_constants(context.sql_to_expr(value, input.schema())?)?;
                let names: Vec<String> = alias.columns.iter().map(|column| column.name.value.clone()).collect();
                let view = TableReference::bare(alias.name.value);
                (generate(input, generated, name.value == LATERAL_VIEW_OUTER, &view, &names)?, None)
            }
            TableFactor::Unpivot { table, value, name, columns, null_inclusion, alias } => {
                let input = context.plan(*table)?;
                let keeps_nulls = matches!(null_inclusion, Some(ast::NullInclusion::IncludeNulls));
                (unpivot::plan(input, value, name.value, columns, keeps_nulls, context)?, alias)
            }
            TableFactor::Pivot {
                table,
                aggregate_functions,
                value_column,
                value_source: ast::PivotValueSource::List(values),
                default_on_null: None,
                alias,
            } => {
                let input = context.plan(*table)?;
                (pivot::plan(input, aggregate_functions, value_column, values, context)?, alias)
            }
            other => return Ok(RelationPlanning::Original(Box::new(other))),
        };
        Ok(RelationPlanning::Planned(Box::new(PlannedRelation::new(plan, alias))))
    }
}

/// A call whose arguments are literals where a literal is cast: `2` is written as a cast of its digits.
fn with_constants(expr: Expr) -> Result<Expr> {
    let Expr::ScalarFunction(mut call) = expr else { return Ok(expr) };
    for arg in &mut call.args {
        if let Expr::Cast(written) = arg
            && let Expr::Literal(value, _) = written.expr.as_ref()
        {
            *arg = lit(value.cast_to(written.field.data_type())?);
        }
    }
    Ok(Expr::ScalarFunction(call))
}

/// The columns of a plan as expressions.
fn columns(schema: &DFSchema) -> Vec<Expr> {
    schema.iter().map(|(qualifier, field)| Expr::Column(Column::from((qualifier, field)))).collect()
}

/// The rows of `input`, each as often as its list `generated` has structs, with their fields as columns of `view`. A
/// struct instead of a list gives each row its fields once.
fn generate(
    input: LogicalPlan,
    generated: Expr,
    keeps_rows: bool,
    view: &TableReference,
    names: &[String],
) -> Result<LogicalPlan> {
    let data_type = generated.get_type(input.schema())?;
    let (is_list, fields) = match &data_type {
        DataType::Struct(fields) => (false, fields.clone()),
        DataType::List(item) => match item.data_type() {
            DataType::Struct(fields) => (true, fields.clone()),
            other => return plan_err!("a generator gives rows, not {other}"),
        },
        other => return plan_err!("a generator gives rows, not {other}"),
    };
    if !names.is_empty() && names.len() != fields.len() {
        return Err(crate::functions::wrong_aliases(names.len(), fields.len()));
    }
    let mut kept = columns(input.schema());
    let mut made = kept.clone();
    made.push(if is_list && keeps_rows { outer(generated) } else { generated }.alias(GENERATED));
    let mut builder = LogicalPlanBuilder::from(input).project(made)?;
    if is_list {
        let options = UnnestOptions::new().with_preserve_nulls(false);
        builder = builder.unnest_column_with_options(Column::from_name(GENERATED), options)?;
    }
    for (index, field) in fields.iter().enumerate() {
        let name = names.get(index).unwrap_or(field.name());
        let value = member(Expr::Column(Column::from_name(GENERATED)), lit(field.name().as_str()));
        kept.push(value.alias_qualified(Some(view.clone()), name));
    }
    builder.project(kept)?.build()
}
