//! `+`, `-`, `*`, `/` and `%` of decimals, with Spark's precision and scale of each result.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, Decimal128Array};
use datafusion::arrow::datatypes::{DataType, Decimal128Type, i256};
use datafusion::arrow::error::ArrowError;
use datafusion::common::{DataFusionError, Result, ScalarValue, exec_err};
use datafusion::logical_expr::expr::{Cast, ScalarFunction};
use datafusion::logical_expr::{
    ColumnarValue, Expr, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility, cast,
};
use lakelet_base::{Diagnostic, ErrorClass};

const PRECISION_MAX: i32 = 38;
/// Digits after the point that a result keeps even if it has too many before it.
const SCALE_KEPT_MIN: i32 = 6;

/// An operator of decimals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum DecimalOperator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    /// To a BIGINT.
    IntegerDivide,
}

/// The operation, if both sides are exact numbers and at least one is a decimal.
pub(crate) fn operation(
    operator: DecimalOperator,
    left: (&Expr, &DataType),
    right: (&Expr, &DataType),
) -> Option<Expr> {
    let is_decimal = |data_type: &DataType| matches!(data_type, DataType::Decimal128(..));
    if !is_decimal(left.1) && !is_decimal(right.1) {
        return None;
    }
    let (p1, s1) = precision_and_scale(left)?;
    let (p2, s2) = precision_and_scale(right)?;
    let (precision, scale) = result_type(operator, (p1, s1), (p2, s2));
    let (precision, scale) = (u8::try_from(precision).ok()?, i8::try_from(scale).ok()?);
    let as_decimal = |side: (&Expr, &DataType), precision: i32, scale: i32| -> Option<Expr> {
        if is_decimal(side.1) {
            return Some(side.0.clone());
        }
        Some(cast(side.0.clone(), DataType::Decimal128(u8::try_from(precision).ok()?, i8::try_from(scale).ok()?)))
    };
    let function = ScalarUDF::from(Exact {
        name: format!("spark_decimal_{operator:?}_{precision}_{scale}").to_lowercase(),
        operator,
        precision,
        scale,
        signature: Signature::any(2, Volatility::Immutable),
    });
    let args = vec![as_decimal(left, p1, s1)?, as_decimal(right, p2, s2)?];
    let planned = Expr::ScalarFunction(ScalarFunction::new_udf(Arc::new(function), args));
    Some(if operator == DecimalOperator::IntegerDivide { cast(planned, DataType::Int64) } else { planned })
}

/// A literal has as many digits as were written, a column as many as its type may have.
fn precision_and_scale((expr, data_type): (&Expr, &DataType)) -> Option<(i32, i32)> {
    if let Expr::Cast(Cast { expr, .. }) = expr
        && data_type.is_signed_integer()
        && let Expr::Literal(ScalarValue::Int64(Some(value)), _) = expr.as_ref()
    {
        return Some((i32::try_from(value.unsigned_abs().to_string().len()).ok()?, 0));
    }
    match data_type {
        DataType::Int8 => Some((3, 0)),
        DataType::Int16 => Some((5, 0)),
        DataType::Int32 => Some((10, 0)),
        DataType::Int64 => Some((20, 0)),
        DataType::Decimal128(precision, scale) => Some((i32::from(*precision), i32::from(*scale))),
        _ => None,
    }
}

fn result_type(operator: DecimalOperator, (p1, s1): (i32, i32), (p2, s2): (i32, i32)) -> (i32, i32) {
    let (precision, scale) = match operator {
        DecimalOperator::Add | DecimalOperator::Subtract => {
            let scale = s1.max(s2);
            ((p1 - s1).max(p2 - s2) + scale + 1, scale)
        }
        DecimalOperator::Multiply => (p1 + p2 + 1, s1 + s2),
        DecimalOperator::Divide => {
            let scale = SCALE_KEPT_MIN.max(s1 + p2 + 1);
            (p1 - s1 + s2 + scale, scale)
        }
        DecimalOperator::Remainder => {
            let scale = s1.max(s2);
            ((p1 - s1).min(p2 - s2) + scale, scale)
        }
        DecimalOperator::IntegerDivide => return (PRECISION_MAX, 0),
    };
    if precision <= PRECISION_MAX {
        return (precision, scale);
    }
    let kept = (PRECISION_MAX - (precision - scale)).max(scale.min(SCALE_KEPT_MIN));
    (PRECISION_MAX, kept)
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Exact {
    name: String,
    operator: DecimalOperator,
    precision: u8,
    scale: i8,
    signature: Signature,
}

impl ScalarUDFImpl for Exact {
    fn name(&self) -> &str {
        &self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arg_types: &[DataType]) -> Result<DataType> {
        Ok(DataType::Decimal128(self.precision, self.scale))
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

impl Exact {
    fn compute(&self, left: &ArrayRef, right: &ArrayRef) -> Result<ArrayRef> {
        let (DataType::Decimal128(_, s1), DataType::Decimal128(_, s2)) = (left.data_type(), right.data_type()) else {
            return exec_err!("an operator of decimals has decimals on both sides");
        };
        let (s1, s2) = (i32::from(*s1), i32::from(*s2));
        let (left, right) = (left.as_primitive::<Decimal128Type>(), right.as_primitive::<Decimal128Type>());
        let mut values = Vec::with_capacity(left.len());
        for (left, right) in left.iter().zip(right.iter()) {
            values.push(match (left, right) {
                (Some(left), Some(right)) => Some(self.value((left, s1), (right, s2))?),
                _ => None,
            });
        }
        Ok(Arc::new(Decimal128Array::from(values).with_precision_and_scale(self.precision, self.scale)?))
    }

    fn value(&self, (left, s1): (i128, i32), (right, s2): (i128, i32)) -> Result<i128> {
        let is_quotient = matches!(
            self.operator,
            DecimalOperator::Divide | DecimalOperator::Remainder | DecimalOperator::IntegerDivide
        );
        if is_quotient && right == 0 {
            return Err(if self.operator == DecimalOperator::Remainder {
                remainder_by_zero()
            } else {
                ArrowError::DivideByZero.into()
            });
        }
        self.exact((i256::from_i128(left), s1), (i256::from_i128(right), s2)).ok_or_else(|| self.out_of_range())
    }

    /// `None` where it does not fit.
    fn exact(&self, (left, s1): (i256, i32), (right, s2): (i256, i32)) -> Option<i128> {
        let scale = i32::from(self.scale);
        let aligned = || Some((scaled(left, s2 - s1)?, scaled(right, s1 - s2)?));
        let rounded = match self.operator {
            DecimalOperator::Add => {
                let (left, right) = aligned()?;
                rescaled(left.checked_add(right)?, s1.max(s2), scale)?
            }
            DecimalOperator::Subtract => {
                let (left, right) = aligned()?;
                rescaled(left.checked_sub(right)?, s1.max(s2), scale)?
            }
            DecimalOperator::Remainder => {
                let (left, right) = aligned()?;
                rescaled(left.checked_rem(right)?, s1.max(s2), scale)?
            }
            DecimalOperator::IntegerDivide => {
                let (left, right) = aligned()?;
                left.checked_div(right)?
            }
            DecimalOperator::Multiply => rescaled(left.checked_mul(right)?, s1 + s2, scale)?,
            DecimalOperator::Divide => {
                let shift = scale - s1 + s2;
                divided(scaled(left, shift)?, scaled(right, -shift)?)?
            }
        };
        let value = rounded.to_i128()?;
        let limit = 10_u128.checked_pow(u32::from(self.precision))?;
        (value.unsigned_abs() < limit).then_some(value)
    }

    fn out_of_range(&self) -> DataFusionError {
        DataFusionError::External(Box::new(
            Diagnostic::new(
                ErrorClass::new("NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION", "22003"),
                format!("The result cannot be represented as DECIMAL({}, {}).", self.precision, self.scale),
            )
            .hint("Cast the operands to a DECIMAL with fewer digits or to DOUBLE."),
        ))
    }
}

/// The error of `a % 0`.
pub(crate) fn remainder_by_zero() -> DataFusionError {
    DataFusionError::External(Box::new(Diagnostic::new(
        ErrorClass::new("REMAINDER_BY_ZERO", "22012"),
        "Remainder by zero. Use `try_mod` to tolerate divisor being 0 and return NULL instead.",
    )))
}

fn power_of_ten(exponent: i32) -> Option<i256> {
    i256::from_i128(10).checked_pow(u32::try_from(exponent).ok()?)
}

/// The value times a power of ten; as it is where the exponent is not positive.
fn scaled(value: i256, exponent: i32) -> Option<i256> {
    if exponent <= 0 { Some(value) } else { value.checked_mul(power_of_ten(exponent)?) }
}

fn rescaled(value: i256, from: i32, to: i32) -> Option<i256> {
    if to >= from { scaled(value, to - from) } else { divided(value, power_of_ten(from - to)?) }
}

/// The quotient, rounded half away from zero.
fn divided(dividend: i256, divisor: i256) -> Option<i256> {
    let (quotient, rest) = (dividend.checked_div(divisor)?, dividend.checked_rem(divisor)?);
    // |rest| * 2 >= |divisor|, without a product that could overflow.
    let rest = if rest.is_negative() { rest.wrapping_neg() } else { rest };
    let size = if divisor.is_negative() { divisor.wrapping_neg() } else { divisor };
    if rest < size.checked_sub(rest)? {
        return Some(quotient);
    }
    let one = i256::from_i128(1);
    if dividend.is_negative() == divisor.is_negative() { quotient.checked_add(one) } else { quotient.checked_sub(one) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_results_give_up_scale() {
        assert_eq!(result_type(DecimalOperator::Divide, (38, 10), (38, 10)), (38, 6));
        assert_eq!(result_type(DecimalOperator::Multiply, (38, 10), (38, 10)), (38, 6));
        assert_eq!(result_type(DecimalOperator::Add, (6, 2), (10, 0)), (13, 2));
        assert_eq!(result_type(DecimalOperator::Divide, (6, 2), (10, 0)), (17, 13));
    }

    #[test]
    fn quotients_round_half_away_from_zero() {
        let quotient = |a, b| divided(i256::from_i128(a), i256::from_i128(b)).and_then(i256::to_i128);
        assert_eq!(
            (quotient(5, 2), quotient(-5, 2), quotient(4, 3), quotient(-5, 3)),
            (Some(3), Some(-3), Some(1), Some(-2))
        );
    }
}
