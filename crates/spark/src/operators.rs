//! Operators whose meaning differs between Spark and DataFusion.

use std::sync::Arc;

use datafusion::arrow::datatypes::DataType;
use datafusion::common::{DFSchema, Result};
use datafusion::functions::core::planner::CoreFunctionPlanner;
use datafusion::functions::datetime::planner::DatetimeFunctionPlanner;
use datafusion::functions::unicode::planner::UnicodeFunctionPlanner;
use datafusion::functions_aggregate::planner::AggregateFunctionPlanner;
use datafusion::functions_nested::planner::{FieldAccessPlanner, NestedFunctionPlanner};
use datafusion::functions_window::planner::WindowFunctionPlanner;
use datafusion::logical_expr::planner::{ExprPlanner, PlannerResult, RawBinaryExpr, RawFieldAccessExpr};
use datafusion::logical_expr::{ExprSchemable, GetFieldAccess, cast};
use datafusion::sql::sqlparser::ast::BinaryOperator;

use crate::arithmetic;
use crate::decimals::{self, DecimalOperator};
use crate::functions::array_get;

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

/// `/` is never integer division, `div` always is, and integers do not wrap.
#[derive(Debug)]
struct SparkOperators;

impl ExprPlanner for SparkOperators {
    fn plan_field_access(
        &self,
        raw: RawFieldAccessExpr,
        schema: &DFSchema,
    ) -> Result<PlannerResult<RawFieldAccessExpr>> {
        match (&raw.field_access, raw.expr.get_type(schema)) {
            (GetFieldAccess::ListIndex { key }, Ok(DataType::List(_))) => {
                let index = cast(key.as_ref().clone(), DataType::Int64);
                Ok(PlannerResult::Planned(array_get(raw.expr, index)))
            }
            _ => Ok(PlannerResult::Original(raw)),
        }
    }

    fn plan_binary_op(&self, raw: RawBinaryExpr, schema: &DFSchema) -> Result<PlannerResult<RawBinaryExpr>> {
        let (Ok(left), Ok(right)) = (raw.left.get_type(schema), raw.right.get_type(schema)) else {
            return Ok(PlannerResult::Original(raw));
        };
        let decimal = match raw.op {
            BinaryOperator::Plus => Some(DecimalOperator::Add),
            BinaryOperator::Minus => Some(DecimalOperator::Subtract),
            BinaryOperator::Multiply => Some(DecimalOperator::Multiply),
            BinaryOperator::Divide => Some(DecimalOperator::Divide),
            BinaryOperator::Modulo => Some(DecimalOperator::Remainder),
            _ => None,
        };
        if let Some(operator) = decimal
            && let Some(planned) = decimals::operation(operator, (&raw.left, &left), (&raw.right, &right))
        {
            return Ok(PlannerResult::Planned(planned));
        }
        let planned = match raw.op {
            BinaryOperator::Plus | BinaryOperator::Minus | BinaryOperator::Multiply | BinaryOperator::Modulo
                if is_integer_and_float(&left, &right) =>
            {
                return Ok(PlannerResult::Original(RawBinaryExpr {
                    op: raw.op,
                    left: cast(raw.left, DataType::Float64),
                    right: cast(raw.right, DataType::Float64),
                }));
            }
            BinaryOperator::Divide if is_number(&left) && is_number(&right) && !both_exact(&left, &right) => {
                arithmetic::divide(cast(raw.left, DataType::Float64), cast(raw.right, DataType::Float64))
            }
            BinaryOperator::MyIntegerDivide | BinaryOperator::DuckIntegerDivide
                if is_number(&left) && is_number(&right) =>
            {
                arithmetic::integer_divide(cast(raw.left, DataType::Int64), cast(raw.right, DataType::Int64))
            }
            BinaryOperator::Plus | BinaryOperator::Minus | BinaryOperator::Multiply | BinaryOperator::Modulo => {
                let Some(common) = common_integer(&left, &right) else {
                    return Ok(PlannerResult::Original(raw));
                };
                let (left, right) = (cast(raw.left, common.clone()), cast(raw.right, common));
                match raw.op {
                    BinaryOperator::Plus => arithmetic::add(left, right),
                    BinaryOperator::Minus => arithmetic::subtract(left, right),
                    BinaryOperator::Modulo => arithmetic::remainder(left, right),
                    _ => arithmetic::multiply(left, right),
                }
            }
            _ => return Ok(PlannerResult::Original(raw)),
        };
        Ok(PlannerResult::Planned(planned))
    }
}

fn is_number(data_type: &DataType) -> bool {
    data_type.is_numeric() || data_type.is_null()
}

/// Decimal against decimal or integer stays decimal.
fn both_exact(left: &DataType, right: &DataType) -> bool {
    let decimal = |data_type: &DataType| matches!(data_type, DataType::Decimal128(..));
    (decimal(left) || decimal(right)) && !left.is_floating() && !right.is_floating()
}

/// FLOAT beside an integer is computed as DOUBLE.
fn is_integer_and_float(left: &DataType, right: &DataType) -> bool {
    let float = |data_type: &DataType| matches!(data_type, DataType::Float32);
    (left.is_signed_integer() && float(right)) || (float(left) && right.is_signed_integer())
}

/// The wider of two integer types; `None` when one is no integer.
fn common_integer(left: &DataType, right: &DataType) -> Option<DataType> {
    let width = |data_type: &DataType| match data_type {
        DataType::Int8 => Some(1),
        DataType::Int16 => Some(2),
        DataType::Int32 => Some(4),
        DataType::Int64 => Some(8),
        _ => None,
    };
    if width(left)? >= width(right)? { Some(left.clone()) } else { Some(right.clone()) }
}
