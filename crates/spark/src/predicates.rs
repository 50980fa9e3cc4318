//! Predicates that the planner builds by itself, BETWEEN, IN, LIKE and their kin, with operands of one common type.

use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, IntervalUnit};
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{Column, DFSchema, DataFusionError, Result, ScalarValue};
use datafusion::logical_expr::expr::{Between, InList, Like};
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::logical_expr::utils::merge_schema;
use datafusion::logical_expr::{
    AggregateUDF, BinaryExpr, Expr, ExprSchemable, LogicalPlan, LogicalPlanBuilder, Operator, Union,
    WindowFunctionDefinition, cast, lit,
};
use lakelet_base::{Diagnostic, ErrorClass};
use lakelet_types::sql_name;

use crate::coercion::{common_type_of, has_map, is_text};
use crate::functions::nested_extreme;
use crate::intervals::{self, IntervalOperator};
use crate::operators::{comparable, wrong_operands};

/// Brings operands together as Spark does. It has to see the plan before the planner's own coercion.
///
/// # Errors
/// Operands of types that are not compared with each other.
pub fn settle_predicates(plan: LogicalPlan) -> Result<LogicalPlan> {
    plan.transform_up_with_subqueries(|plan| {
        if let LogicalPlan::Union(union) = plan {
            return settle_union(union);
        }
        let mut schema = merge_schema(&plan.inputs());
        if let LogicalPlan::TableScan(scan) = &plan {
            schema.merge(&scan.projected_schema);
        }
        let names = NamePreserver::new(&plan);
        plan.map_expressions(|expr| {
            let name = names.save(&expr);
            let settled = expr.transform_up(|expr| settle(expr, &schema))?;
            Ok(settled.update_data(|expr| name.restore(expr)))
        })
    })
    .map(|transformed| transformed.data)
}

/// The branches of a UNION, each column cast to what all of them have in common.
fn settle_union(union: Union) -> Result<Transformed<LogicalPlan>> {
    let n_columns = union.schema.fields().len();
    if union.inputs.iter().any(|input| input.schema().fields().len() != n_columns) {
        return Ok(Transformed::no(LogicalPlan::Union(union)));
    }
    let mut common = Vec::with_capacity(n_columns);
    for column in 0..n_columns {
        let types: Vec<DataType> =
            union.inputs.iter().map(|input| input.schema().field(column).data_type().clone()).collect();
        match common_type_of(&types) {
            Some(data_type) => common.push(data_type),
            None => return Err(incompatible(column, &types)),
        }
    }
    let mut inputs = Vec::with_capacity(union.inputs.len());
    let mut is_changed = false;
    for input in union.inputs {
        let fits = input.schema().fields().iter().zip(&common).all(|(field, common)| field.data_type() == common);
        if fits {
            inputs.push(input);
            continue;
        }
        is_changed = true;
        let columns: Vec<Expr> = input
            .schema()
            .iter()
            .zip(&common)
            .map(|((qualifier, field), common)| {
                let column = Expr::Column(Column::from((qualifier, field)));
                if field.data_type() == common {
                    column
                } else {
                    cast(column, common.clone()).alias_qualified(qualifier.cloned(), field.name())
                }
            })
            .collect();
        inputs.push(Arc::new(LogicalPlanBuilder::from(Arc::unwrap_or_clone(input)).project(columns)?.build()?));
    }
    if !is_changed {
        return Ok(Transformed::no(LogicalPlan::Union(Union { inputs, schema: union.schema })));
    }
    Ok(Transformed::yes(LogicalPlan::Union(Union::try_new_with_loose_types(inputs)?)))
}

fn incompatible(column: usize, types: &[DataType]) -> DataFusionError {
    let listed: Vec<String> = types.iter().map(|data_type| format!("\"{}\"", sql_name(data_type))).collect();
    DataFusionError::External(Box::new(
        Diagnostic::new(
            ErrorClass::new("INCOMPATIBLE_COLUMN_TYPE", "42825"),
            format!(
                "UNION can only be performed on tables with compatible column types. Column {} has the types {}.",
                column + 1,
                listed.join(" and ")
            ),
        )
        .hint("Cast the column in one of the branches."),
    ))
}

fn settle(expr: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    match expr {
        Expr::Between(Between { expr, negated, low, high }) => {
            let operands =
                together(vec![*expr, *low, *high], schema, |types, differing| wrong_operands(&types[0], differing))?;
            let [expr, low, high] = operands.try_into().map_err(|_| lost())?;
            Ok(Transformed::yes(Expr::Between(Between::new(Box::new(expr), negated, Box::new(low), Box::new(high)))))
        }
        Expr::InList(InList { expr, mut list, negated }) => {
            list.insert(0, *expr);
            let mut operands = together(list, schema, |types, _| not_members(types))?;
            let expr = operands.remove(0);
            Ok(Transformed::yes(Expr::InList(InList::new(Box::new(expr), operands, negated))))
        }
        Expr::Like(Like { negated, expr, pattern, escape_char, case_insensitive }) => {
            let text = |operand: Expr| match operand.get_type(schema) {
                Ok(found) if !is_text(&found) && !found.is_nested() => cast(operand, DataType::Utf8),
                _ => operand,
            };
            let (pattern, escape_char) = with_backslashes(*pattern, escape_char);
            let (expr, pattern) = (Box::new(text(*expr)), Box::new(text(pattern)));
            Ok(Transformed::yes(Expr::Like(Like::new(negated, expr, pattern, escape_char, case_insensitive))))
        }
        Expr::BinaryExpr(BinaryExpr {
            left,
            op: op @ (Operator::IsDistinctFrom | Operator::IsNotDistinctFrom),
            right,
        }) => {
            let (Ok(left_type), Ok(right_type)) = (left.get_type(schema), right.get_type(schema)) else {
                return Ok(Transformed::no(Expr::BinaryExpr(BinaryExpr { left, op, right })));
            };
            let (left, right) = comparable(*left, &left_type, *right, &right_type, "<=>")?;
            Ok(Transformed::yes(Expr::BinaryExpr(BinaryExpr::new(Box::new(left), op, Box::new(right)))))
        }
        Expr::Negative(inner) => {
            let zero = match inner.get_type(schema) {
                Ok(DataType::Duration(_)) => ScalarValue::DurationMicrosecond(Some(0)),
                Ok(DataType::Interval(IntervalUnit::YearMonth)) => ScalarValue::IntervalYearMonth(Some(0)),
                Ok(text) if is_text(&text) => {
                    return Ok(Transformed::yes(Expr::Negative(Box::new(cast(*inner, DataType::Float64)))));
                }
                _ => return Ok(Transformed::no(Expr::Negative(inner))),
            };
            let units = inner.to_field(schema)?.1;
            let zero = Expr::Literal(zero, Some(units.metadata().clone().into()));
            match intervals::operation(IntervalOperator::Subtract, &zero, &inner, schema)? {
                Some(negated) => Ok(Transformed::yes(negated)),
                None => Ok(Transformed::no(Expr::Negative(inner))),
            }
        }
        Expr::AggregateFunction(mut call) => match extreme(&call.func, &call.params.args, schema) {
            Some(func) => {
                call.func = func;
                Ok(Transformed::yes(Expr::AggregateFunction(call)))
            }
            None => Ok(Transformed::no(Expr::AggregateFunction(call))),
        },
        Expr::WindowFunction(mut call) => {
            let WindowFunctionDefinition::AggregateUDF(func) = &call.fun else {
                return Ok(Transformed::no(Expr::WindowFunction(call)));
            };
            let found = extreme(func, &call.params.args, schema);
            let is_found = found.is_some();
            if let Some(func) = found {
                call.fun = WindowFunctionDefinition::AggregateUDF(func);
            }
            let call = Expr::WindowFunction(call);
            Ok(if is_found { Transformed::yes(call) } else { Transformed::no(call) })
        }
        other => Ok(Transformed::no(other)),
    }
}

/// What stands for `max` and `min` of arrays and structs.
fn extreme(func: &AggregateUDF, args: &[Expr], schema: &DFSchema) -> Option<Arc<AggregateUDF>> {
    let [arg] = args else { return None };
    let is_nested = matches!(arg.get_type(schema), Ok(DataType::Struct(_) | DataType::List(_)));
    if is_nested { nested_extreme(func.name()) } else { None }
}

/// A constant pattern with another escape character as one with backslashes, which the operator knows.
fn with_backslashes(pattern: Expr, escape: Option<char>) -> (Expr, Option<char>) {
    let Some(escape) = escape.filter(|escape| *escape != '\\') else { return (pattern, escape) };
    let Expr::Literal(ScalarValue::Utf8(Some(written)), metadata) = &pattern else { return (pattern, Some(escape)) };
    let mut plain = String::with_capacity(written.len());
    let mut letters = written.chars();
    while let Some(letter) = letters.next() {
        match letter {
            letter if letter == escape => {
                plain.push('\\');
                plain.extend(letters.next());
            }
            '\\' => plain.push_str("\\\\"),
            letter => plain.push(letter),
        }
    }
    (Expr::Literal(ScalarValue::Utf8(Some(plain)), metadata.clone()), None)
}

fn lost() -> DataFusionError {
    datafusion::common::internal_datafusion_err!("operands were lost")
}

fn not_members(types: &[DataType]) -> DataFusionError {
    let names: Vec<String> = types.iter().map(|found| format!("\"{}\"", sql_name(found))).collect();
    DataFusionError::External(Box::new(
        Diagnostic::new(
            ErrorClass::new("DATATYPE_MISMATCH.DATA_DIFF_TYPES", "42K09"),
            format!("The values of IN should all be of one type, but they are [{}].", names.join(", ")),
        )
        .hint("Cast them to one type."),
    ))
}

/// The operands, cast to what all of them have in common; `refusal` says of their types, and of the first that differs,
/// that there is nothing.
fn together(
    operands: Vec<Expr>,
    schema: &DFSchema,
    refusal: impl FnOnce(&[DataType], &DataType) -> DataFusionError,
) -> Result<Vec<Expr>> {
    let types: Result<Vec<DataType>> = operands.iter().map(|operand| operand.get_type(schema)).collect();
    // A type that is not known yet is settled by the planner.
    let Ok(types) = types else { return Ok(operands) };
    let Some(common) = common_type_of(&types) else {
        let differing = types.iter().find(|found| common_type_of(&[types[0].clone(), (*found).clone()]).is_none());
        return Err(refusal(&types, differing.unwrap_or(&types[0])));
    };
    if has_map(&common) {
        comparable(lit(ScalarValue::Null), &common, lit(ScalarValue::Null), &common, "IN")?;
    }
    Ok(operands
        .into_iter()
        .zip(types)
        .map(|(operand, found)| if found == common { operand } else { cast(operand, common.clone()) })
        .collect())
}
