//! Operators whose meaning differs between Spark and DataFusion.

use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, Field};
use datafusion::common::{Column, DFSchema, DataFusionError, Result, TableReference};
use datafusion::functions::core::planner::CoreFunctionPlanner;
use datafusion::functions::datetime::planner::DatetimeFunctionPlanner;
use datafusion::functions::unicode::planner::UnicodeFunctionPlanner;
use datafusion::functions_aggregate::planner::AggregateFunctionPlanner;
use datafusion::functions_nested::planner::{FieldAccessPlanner, NestedFunctionPlanner};
use datafusion::functions_window::planner::WindowFunctionPlanner;
use datafusion::logical_expr::planner::{ExprPlanner, PlannerResult, RawBinaryExpr, RawFieldAccessExpr};
use datafusion::logical_expr::{Expr, ExprSchemable, GetFieldAccess, cast, lit};
use datafusion::sql::sqlparser::ast::BinaryOperator;
use lakelet_base::{Diagnostic, ErrorClass};
use lakelet_types::sql_name;

use crate::arithmetic;
use crate::coercion::{common_type, has_map, is_interval, is_text};
use crate::decimals::{self, DecimalOperator};
use crate::functions::{array_get, concat, member};
use crate::intervals::{self, IntervalOperator};

/// Planners in the order they are asked: ours, Spark's functions, DataFusion's.
pub fn expr_planners() -> Vec<Arc<dyn ExprPlanner>> {
    vec![
        Arc::new(SparkOperators),
        Arc::new(datafusion_spark::planner::SparkFunctionPlanner),
        Arc::new(CoreFunctionPlanner::default()),
        Arc::new(NestedFunctionPlanner),
        Arc::new(FieldAccessPlanner),
        Arc::new(DatetimeFunctionPlanner),
        Arc::new(UnicodeFunctionPlanner),
        Arc::new(AggregateFunctionPlanner),
        Arc::new(WindowFunctionPlanner),
    ]
}

/// `/` is never integer division, `div` always is, integers do not wrap, and operands come together as in ANSI mode.
#[derive(Debug)]
struct SparkOperators;

impl ExprPlanner for SparkOperators {
    fn plan_field_access(
        &self,
        raw: RawFieldAccessExpr,
        schema: &DFSchema,
    ) -> Result<PlannerResult<RawFieldAccessExpr>> {
        let GetFieldAccess::ListIndex { key } = &raw.field_access else { return Ok(PlannerResult::Original(raw)) };
        let key = key.as_ref().clone();
        match raw.expr.get_type(schema) {
            Ok(DataType::List(_)) => Ok(PlannerResult::Planned(array_get(raw.expr, cast(key, DataType::Int64)))),
            Ok(DataType::Map(..) | DataType::Struct(_)) => Ok(PlannerResult::Planned(member(raw.expr, key))),
            Ok(DataType::Null) | Err(_) => Ok(PlannerResult::Original(raw)),
            Ok(other) => Err(no_members(&other)),
        }
    }

    fn plan_compound_identifier(
        &self,
        field: &Field,
        qualifier: Option<&TableReference>,
        nested_names: &[String],
    ) -> Result<PlannerResult<Vec<Expr>>> {
        let column = Expr::Column(Column::from((qualifier, field)));
        let found = nested_names.iter().fold(column, |found, name| member(found, lit(name.clone())));
        Ok(PlannerResult::Planned(found))
    }

    fn plan_binary_op(&self, raw: RawBinaryExpr, schema: &DFSchema) -> Result<PlannerResult<RawBinaryExpr>> {
        let (Ok(left), Ok(right)) = (raw.left.get_type(schema), raw.right.get_type(schema)) else {
            return Ok(PlannerResult::Original(raw));
        };
        match raw.op {
            BinaryOperator::Plus
            | BinaryOperator::Minus
            | BinaryOperator::Multiply
            | BinaryOperator::Divide
            | BinaryOperator::Modulo
            | BinaryOperator::MyIntegerDivide
            | BinaryOperator::DuckIntegerDivide => computed(raw, schema, &left, &right),
            BinaryOperator::Eq
            | BinaryOperator::NotEq
            | BinaryOperator::Lt
            | BinaryOperator::LtEq
            | BinaryOperator::Gt
            | BinaryOperator::GtEq
            | BinaryOperator::Spaceship => {
                let (left, right) = comparable(raw.left, &left, raw.right, &right, &raw.op.to_string())?;
                Ok(PlannerResult::Original(RawBinaryExpr { op: raw.op, left, right }))
            }
            BinaryOperator::And | BinaryOperator::Or => {
                let left_side = truth(raw.left, &left, &right)?;
                let right_side = truth(raw.right, &right, &left)?;
                Ok(PlannerResult::Original(RawBinaryExpr { op: raw.op, left: left_side, right: right_side }))
            }
            BinaryOperator::BitwiseAnd | BinaryOperator::BitwiseOr | BinaryOperator::BitwiseXor => {
                let whole = |data_type: &DataType| data_type.is_integer() || data_type.is_null() || is_text(data_type);
                let common = common_type(&left, &right).filter(|common| common.is_integer() || common.is_null());
                let Some(common) = common.filter(|_| whole(&left) && whole(&right)) else {
                    return Err(wrong_operands(&left, &right));
                };
                Ok(PlannerResult::Original(RawBinaryExpr {
                    op: raw.op,
                    left: brought_to(raw.left, &left, &common),
                    right: brought_to(raw.right, &right, &common),
                }))
            }
            BinaryOperator::StringConcat if is_text(&left) && is_text(&right) => Ok(PlannerResult::Original(raw)),
            BinaryOperator::StringConcat => Ok(PlannerResult::Planned(concat(vec![raw.left, raw.right]))),
            _ => Ok(PlannerResult::Original(raw)),
        }
    }
}

/// `+`, `-`, `*`, `/`, `%` and `div`.
fn computed(
    raw: RawBinaryExpr,
    schema: &DFSchema,
    left: &DataType,
    right: &DataType,
) -> Result<PlannerResult<RawBinaryExpr>> {
    let interval = match raw.op {
        BinaryOperator::Plus => Some(IntervalOperator::Add),
        BinaryOperator::Minus => Some(IntervalOperator::Subtract),
        BinaryOperator::Multiply => Some(IntervalOperator::Multiply),
        BinaryOperator::Divide => Some(IntervalOperator::Divide),
        BinaryOperator::Modulo => None,
        _ => Some(IntervalOperator::IntegerDivide),
    };
    if let Some(operator) = interval
        && let Some(planned) = intervals::operation(operator, &raw.left, &raw.right, schema)?
    {
        return Ok(PlannerResult::Planned(planned));
    }
    let is_operand = |data_type: &DataType| is_number(data_type) || is_text(data_type) || is_temporal(data_type);
    let only_text = is_text(left) && is_text(right);
    if only_text || !is_operand(left) || !is_operand(right) {
        return Err(wrong_operands(left, right));
    }
    if is_temporal(left) || is_temporal(right) {
        return Ok(PlannerResult::Original(raw));
    }
    // Text becomes BIGINT beside whole numbers and DOUBLE beside others.
    let operand = |expr: Expr, own: &DataType, other: &DataType| match (is_text(own), other) {
        (true, DataType::Null) => (cast(expr, DataType::Float64), DataType::Float64),
        (true, other) if other.is_integer() => (cast(expr, DataType::Int64), DataType::Int64),
        (true, _) => (cast(expr, DataType::Float64), DataType::Float64),
        (false, DataType::Null) if own.is_null() => (cast(expr, DataType::Float64), DataType::Float64),
        (false, other) if own.is_null() && !is_text(other) => (cast(expr, other.clone()), other.clone()),
        (false, _) => (expr, own.clone()),
    };
    let ((left_expr, left), (right_expr, right)) = (operand(raw.left, left, right), operand(raw.right, right, left));
    let op = raw.op;
    let decimal = match op {
        BinaryOperator::Plus => DecimalOperator::Add,
        BinaryOperator::Minus => DecimalOperator::Subtract,
        BinaryOperator::Multiply => DecimalOperator::Multiply,
        BinaryOperator::Divide => DecimalOperator::Divide,
        BinaryOperator::Modulo => DecimalOperator::Remainder,
        _ => DecimalOperator::IntegerDivide,
    };
    if let Some(planned) = decimals::operation(decimal, (&left_expr, &left), (&right_expr, &right)) {
        return Ok(PlannerResult::Planned(planned));
    }
    let doubles = |left: Expr, right: Expr| (cast(left, DataType::Float64), cast(right, DataType::Float64));
    Ok(PlannerResult::Planned(match op {
        BinaryOperator::Divide => {
            let (left, right) = doubles(left_expr, right_expr);
            arithmetic::divide(left, right)
        }
        BinaryOperator::MyIntegerDivide | BinaryOperator::DuckIntegerDivide => {
            if left.is_floating() || right.is_floating() {
                return Err(wrong_operands(&left, &right));
            }
            arithmetic::integer_divide(cast(left_expr, DataType::Int64), cast(right_expr, DataType::Int64))
        }
        _ => {
            let Some(common) = common_type(&left, &right) else { return Err(wrong_operands(&left, &right)) };
            let (left, right) = (brought_to(left_expr, &left, &common), brought_to(right_expr, &right, &common));
            if !common.is_integer() {
                return Ok(PlannerResult::Original(RawBinaryExpr { op, left, right }));
            }
            match op {
                BinaryOperator::Plus => arithmetic::add(left, right),
                BinaryOperator::Minus => arithmetic::subtract(left, right),
                BinaryOperator::Modulo => arithmetic::remainder(left, right),
                _ => arithmetic::multiply(left, right),
            }
        }
    }))
}

/// Both sides of a comparison, brought to one type.
///
/// # Errors
/// Types that are not compared with each other, and types without an order.
pub(crate) fn comparable(
    left: Expr,
    left_type: &DataType,
    right: Expr,
    right_type: &DataType,
    operator: &str,
) -> Result<(Expr, Expr)> {
    let Some(common) = common_type(left_type, right_type) else { return Err(wrong_operands(left_type, right_type)) };
    if has_map(&common) {
        return Err(fail(
            "DATATYPE_MISMATCH.INVALID_ORDERING_TYPE",
            format!("The `{operator}` does not support ordering on type \"{}\".", sql_name(&common)),
        ));
    }
    Ok((brought_to(left, left_type, &common), brought_to(right, right_type, &common)))
}

fn brought_to(expr: Expr, from: &DataType, to: &DataType) -> Expr {
    // Decimals of different scale compare and add as they are.
    let both_decimal = matches!((from, to), (DataType::Decimal128(..), DataType::Decimal128(..)));
    if from == to || both_decimal { expr } else { cast(expr, to.clone()) }
}

/// A side of AND and OR.
fn truth(expr: Expr, own: &DataType, other: &DataType) -> Result<Expr> {
    match own {
        DataType::Boolean | DataType::Null => Ok(expr),
        text if is_text(text) => Ok(cast(expr, DataType::Boolean)),
        _ => Err(wrong_operands(own, other)),
    }
}

/// An operator was given types that it does not take.
pub(crate) fn wrong_operands(left: &DataType, right: &DataType) -> DataFusionError {
    if left == right {
        return fail(
            "DATATYPE_MISMATCH.BINARY_OP_WRONG_TYPE",
            format!("The binary operator does not take operands of the type \"{}\".", sql_name(left)),
        );
    }
    fail(
        "DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES",
        format!(
            "The left and right operands of the binary operator have incompatible types (\"{}\" and \"{}\").",
            sql_name(left),
            sql_name(right)
        ),
    )
}

fn no_members(found: &DataType) -> DataFusionError {
    DataFusionError::External(Box::new(Diagnostic::new(
        ErrorClass::new("INVALID_EXTRACT_BASE_FIELD_TYPE", "42000"),
        format!(
            "Can't extract a value from this. Need a complex type [STRUCT, ARRAY, MAP] but got \"{}\".",
            sql_name(found)
        ),
    )))
}

fn fail(condition: &'static str, message: String) -> DataFusionError {
    let diagnostic =
        Diagnostic::new(ErrorClass::new(condition, "42K09"), message).hint("Cast one side to the type of the other.");
    DataFusionError::External(Box::new(diagnostic))
}

fn is_number(data_type: &DataType) -> bool {
    data_type.is_numeric() || data_type.is_null()
}

fn is_temporal(data_type: &DataType) -> bool {
    is_interval(data_type) || matches!(data_type, DataType::Date32 | DataType::Timestamp(..) | DataType::Time64(_))
}
