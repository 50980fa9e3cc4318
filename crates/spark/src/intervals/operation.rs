//! The functions that stand for operators of intervals.

use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, Date32Array, DurationMicrosecondArray, Int64Array, IntervalYearMonthArray,
    TimestampMicrosecondArray,
};
use datafusion::arrow::datatypes::{
    DataType, Date32Type, Decimal128Type, DurationMicrosecondType, FieldRef, Float64Type, Int64Type,
    IntervalYearMonthType, TimestampMicrosecondType,
};
use datafusion::common::{DataFusionError, Result, ScalarValue, exec_err};
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{
    ColumnarValue, Expr, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};
use lakelet_base::{Diagnostic, ErrorClass};

use super::{IntervalOperator, interval_overflow};
use crate::functions::{add_months_micros, datetime_out_of_range};

const MICROS_PER_DAY: i64 = 86_400_000_000;

/// What is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    /// Two intervals of one kind.
    Same(IntervalOperator),
    /// An interval and a decimal or a double.
    Scaled(IntervalOperator),
    /// How often an interval holds another.
    Quotient,
    /// Days between two dates.
    Days,
    /// Time between two timestamps.
    Micros,
    /// A date or a timestamp, and an interval.
    Moved(IntervalOperator),
    /// A date and a number of days.
    MovedDays(IntervalOperator),
}

/// The operation as a call.
pub(super) fn call(kind: Kind, result: FieldRef, left: Expr, right: Expr) -> Expr {
    let function = ScalarUDF::from(Operation {
        name: format!("spark_interval_{kind:?}_{}", lakelet_types::field_simple_string(&result)).to_lowercase(),
        kind,
        result,
        signature: Signature::any(2, Volatility::Immutable),
    });
    Expr::ScalarFunction(ScalarFunction::new_udf(Arc::new(function), vec![left, right]))
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Operation {
    name: String,
    kind: Kind,
    result: FieldRef,
    signature: Signature,
}

impl ScalarUDFImpl for Operation {
    fn name(&self) -> &str {
        &self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arg_types: &[DataType]) -> Result<DataType> {
        Ok(self.result.data_type().clone())
    }

    fn return_field_from_args(&self, _args: ReturnFieldArgs<'_>) -> Result<FieldRef> {
        Ok(Arc::clone(&self.result))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let all_scalar = args.args.iter().all(|arg| matches!(arg, ColumnarValue::Scalar(_)));
        let arrays = ColumnarValue::values_to_arrays(&args.args)?;
        let [left, right] = arrays.as_slice() else { return exec_err!("an operator has two sides") };
        let result = self.compute(left, right)?;
        if all_scalar {
            return Ok(ColumnarValue::Scalar(ScalarValue::try_from_array(&result, 0)?));
        }
        Ok(ColumnarValue::Array(result))
    }
}

impl Operation {
    fn compute(&self, left: &ArrayRef, right: &ArrayRef) -> Result<ArrayRef> {
        let is_date = matches!(left.data_type(), DataType::Date32);
        let is_months = matches!(right.data_type(), DataType::Interval(_));
        if let Kind::Scaled(operator) = self.kind {
            return self.scaled(operator, left, right);
        }
        let (left, right) = (integers(left)?, integers(right)?);
        let mut values = Vec::with_capacity(left.len());
        for pair in left.into_iter().zip(right) {
            let (Some(left), Some(right)) = pair else {
                values.push(None);
                continue;
            };
            values.push(Some(match self.kind {
                Kind::Same(IntervalOperator::Subtract) => left.checked_sub(right).ok_or_else(interval_overflow)?,
                Kind::Same(_) | Kind::Scaled(_) => left.checked_add(right).ok_or_else(interval_overflow)?,
                Kind::Quotient if right == 0 => return Err(divided_by_zero()),
                Kind::Quotient => left.checked_div(right).ok_or_else(interval_overflow)?,
                Kind::Days => (left - right) * MICROS_PER_DAY,
                Kind::Micros => left.checked_sub(right).ok_or_else(interval_overflow)?,
                Kind::Moved(operator) => moved(left, signed(operator, right)?, is_date, is_months)?,
                Kind::MovedDays(operator) => {
                    left.checked_add(signed(operator, right)?).ok_or_else(datetime_out_of_range)?
                }
            }));
        }
        self.array(values)
    }

    fn scaled(&self, operator: IntervalOperator, interval: &ArrayRef, number: &ArrayRef) -> Result<ArrayRef> {
        let divides = operator == IntervalOperator::Divide;
        let intervals = integers(interval)?;
        let mut values = Vec::with_capacity(intervals.len());
        for (row, interval) in intervals.into_iter().enumerate() {
            let (Some(interval), true) = (interval, number.is_valid(row)) else {
                values.push(None);
                continue;
            };
            let value = match number.data_type() {
                DataType::Decimal128(_, scale) => {
                    let value = number.as_primitive::<Decimal128Type>().value(row);
                    let unit = 10_i128.checked_pow(u32::try_from(*scale).unwrap_or(0)).ok_or_else(interval_overflow)?;
                    let interval = i128::from(interval);
                    let (dividend, divisor) =
                        if divides { (interval.checked_mul(unit), value) } else { (interval.checked_mul(value), unit) };
                    if divisor == 0 {
                        return Err(divided_by_zero());
                    }
                    rounded(dividend.ok_or_else(interval_overflow)?, divisor)
                }
                _ => {
                    let value = number.as_primitive::<Float64Type>().value(row);
                    if divides && value == 0.0 {
                        return Err(divided_by_zero());
                    }
                    #[expect(clippy::cast_precision_loss, reason = "Spark computes in doubles here too")]
                    let exact = if divides { interval as f64 / value } else { interval as f64 * value };
                    if !exact.is_finite() || exact.abs() > 9.2e18 {
                        return Err(interval_overflow());
                    }
                    #[expect(clippy::cast_possible_truncation, reason = "checked above")]
                    let rounded = exact.round() as i64;
                    i128::from(rounded)
                }
            };
            values.push(Some(i64::try_from(value).map_err(|_| interval_overflow())?));
        }
        self.array(values)
    }

    fn array(&self, values: Vec<Option<i64>>) -> Result<ArrayRef> {
        let narrow = |values: Vec<Option<i64>>, error: fn() -> DataFusionError| {
            values
                .into_iter()
                .map(|value| value.map(|value| i32::try_from(value).map_err(|_| error())).transpose())
                .collect::<Result<Vec<_>>>()
        };
        Ok(match self.result.data_type() {
            DataType::Interval(_) => Arc::new(IntervalYearMonthArray::from(narrow(values, interval_overflow)?)),
            DataType::Duration(_) => Arc::new(DurationMicrosecondArray::from(values)),
            DataType::Date32 => Arc::new(Date32Array::from(narrow(values, datetime_out_of_range)?)),
            DataType::Timestamp(_, zone) => {
                Arc::new(TimestampMicrosecondArray::from(values).with_timezone_opt(zone.clone()))
            }
            _ => Arc::new(Int64Array::from(values)),
        })
    }
}

/// Months, microseconds or days, whatever the type counts.
fn integers(array: &ArrayRef) -> Result<Vec<Option<i64>>> {
    Ok(match array.data_type() {
        DataType::Date32 => array.as_primitive::<Date32Type>().iter().map(|value| value.map(i64::from)).collect(),
        DataType::Timestamp(..) => array.as_primitive::<TimestampMicrosecondType>().iter().collect(),
        DataType::Duration(_) => array.as_primitive::<DurationMicrosecondType>().iter().collect(),
        DataType::Interval(_) => {
            array.as_primitive::<IntervalYearMonthType>().iter().map(|value| value.map(i64::from)).collect()
        }
        DataType::Int64 => array.as_primitive::<Int64Type>().iter().collect(),
        other => return exec_err!("{other} is no part of an interval operation"),
    })
}

fn signed(operator: IntervalOperator, value: i64) -> Result<i64> {
    if operator == IntervalOperator::Subtract { value.checked_neg().ok_or_else(interval_overflow) } else { Ok(value) }
}

fn moved(start: i64, interval: i64, is_date: bool, is_months: bool) -> Result<i64> {
    if !is_date {
        return if is_months {
            add_months_micros(start, interval)
        } else {
            start.checked_add(interval).ok_or_else(datetime_out_of_range)
        };
    }
    let micros = start.checked_mul(MICROS_PER_DAY).ok_or_else(datetime_out_of_range)?;
    let moved = if is_months {
        add_months_micros(micros, interval)?
    } else {
        micros.checked_add(interval).ok_or_else(datetime_out_of_range)?
    };
    Ok(moved.div_euclid(MICROS_PER_DAY))
}

/// The quotient, rounded half away from zero.
fn rounded(dividend: i128, divisor: i128) -> i128 {
    let (quotient, rest) = (dividend / divisor, dividend % divisor);
    if rest.unsigned_abs() * 2 < divisor.unsigned_abs() {
        return quotient;
    }
    if (dividend < 0) == (divisor < 0) { quotient + 1 } else { quotient - 1 }
}

fn divided_by_zero() -> DataFusionError {
    DataFusionError::External(Box::new(Diagnostic::new(
        ErrorClass::new("INTERVAL_DIVIDED_BY_ZERO", "22012"),
        "Division by zero. Use `try_divide` to tolerate divisor being 0 and return NULL instead.",
    )))
}
