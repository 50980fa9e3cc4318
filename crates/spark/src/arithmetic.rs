//! ANSI arithmetic: an overflow or a division by zero is an error, never a wrapped or missing value.

use std::sync::{Arc, LazyLock};

use datafusion::arrow::array::{Array, ArrayRef, AsArray, Int64Array};
use datafusion::arrow::compute::cast;
use datafusion::arrow::compute::kernels::numeric;
use datafusion::arrow::datatypes::{DataType, Float64Type, Int64Type};
use datafusion::arrow::error::ArrowError;
use datafusion::common::{DataFusionError, Result};
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{
    ColumnarValue, Expr, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};

use lakelet_base::{Diagnostic, ErrorClass};

use crate::decimals::remainder_by_zero;

/// `left + right` of one integer type.
pub(crate) fn add(left: Expr, right: Expr) -> Expr {
    call(&ADD, left, right)
}

/// `left - right` of one integer type.
pub(crate) fn subtract(left: Expr, right: Expr) -> Expr {
    call(&SUBTRACT, left, right)
}

/// `left * right` of one integer type.
pub(crate) fn multiply(left: Expr, right: Expr) -> Expr {
    call(&MULTIPLY, left, right)
}

/// `left / right` of two doubles.
pub(crate) fn divide(left: Expr, right: Expr) -> Expr {
    call(&DIVIDE, left, right)
}

/// `left div right` of two BIGINTs.
pub(crate) fn integer_divide(left: Expr, right: Expr) -> Expr {
    call(&INTEGER_DIVIDE, left, right)
}

/// `left % right` of one integer type.
pub(crate) fn remainder(left: Expr, right: Expr) -> Expr {
    call(&REMAINDER, left, right)
}

fn call(function: &LazyLock<Arc<ScalarUDF>>, left: Expr, right: Expr) -> Expr {
    Expr::ScalarFunction(ScalarFunction::new_udf(Arc::clone(function), vec![left, right]))
}

static ADD: LazyLock<Arc<ScalarUDF>> = LazyLock::new(|| Checked::udf("spark_add", Operation::Add));
static SUBTRACT: LazyLock<Arc<ScalarUDF>> = LazyLock::new(|| Checked::udf("spark_subtract", Operation::Subtract));
static MULTIPLY: LazyLock<Arc<ScalarUDF>> = LazyLock::new(|| Checked::udf("spark_multiply", Operation::Multiply));
static DIVIDE: LazyLock<Arc<ScalarUDF>> = LazyLock::new(|| Checked::udf("spark_divide", Operation::Divide));
static INTEGER_DIVIDE: LazyLock<Arc<ScalarUDF>> =
    LazyLock::new(|| Checked::udf("spark_integer_divide", Operation::IntegerDivide));
static REMAINDER: LazyLock<Arc<ScalarUDF>> = LazyLock::new(|| Checked::udf("spark_remainder", Operation::Remainder));

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Operation {
    Add,
    Subtract,
    Multiply,
    Divide,
    IntegerDivide,
    Remainder,
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Checked {
    name: &'static str,
    operation: Operation,
    signature: Signature,
}

impl Checked {
    fn udf(name: &'static str, operation: Operation) -> Arc<ScalarUDF> {
        Arc::new(ScalarUDF::from(Self { name, operation, signature: Signature::any(2, Volatility::Immutable) }))
    }
}

impl ScalarUDFImpl for Checked {
    fn name(&self) -> &str {
        self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, arg_types: &[DataType]) -> Result<DataType> {
        Ok(arg_types[0].clone())
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let all_scalar = args.args.iter().all(|arg| matches!(arg, ColumnarValue::Scalar(_)));
        let arrays = ColumnarValue::values_to_arrays(&args.args)?;
        let (left, right) = (&arrays[0], &arrays[1]);
        let result: ArrayRef = match self.operation {
            Operation::Add => numeric::add(left, right).map_err(|error| overflow(error, left.data_type()))?,
            Operation::Subtract => numeric::sub(left, right).map_err(|error| overflow(error, left.data_type()))?,
            Operation::Multiply => numeric::mul(left, right).map_err(|error| overflow(error, left.data_type()))?,
            Operation::IntegerDivide => {
                refuse_zero(right, |row| right.as_primitive::<Int64Type>().value(row) == 0, left)?;
                numeric::div(left, right)?
            }
            Operation::Remainder => remainders(left, right)?,
            Operation::Divide => {
                refuse_zero(right, |row| right.as_primitive::<Float64Type>().value(row) == 0.0, left)?;
                numeric::div(left, right)?
            }
        };
        if all_scalar {
            return Ok(ColumnarValue::Scalar(datafusion::common::ScalarValue::try_from_array(&result, 0)?));
        }
        Ok(ColumnarValue::Array(result))
    }
}

/// Spark has a condition of its own for the two narrow types.
fn overflow(error: ArrowError, data_type: &DataType) -> DataFusionError {
    match (&error, data_type) {
        (ArrowError::ArithmeticOverflow(_), DataType::Int8 | DataType::Int16) => {
            DataFusionError::External(Box::new(Diagnostic::new(
                ErrorClass::new("BINARY_ARITHMETIC_OVERFLOW", "22003"),
                format!(
                    "The result does not fit {}. Use `try_add`, `try_subtract` or `try_multiply` to get NULL instead, or cast to a wider type.",
                    lakelet_types::sql_name(data_type)
                ),
            )))
        }
        _ => error.into(),
    }
}

/// The smallest integer modulo -1 is 0, where Arrow sees an overflow; so the common width is one that cannot have any.
fn remainders(left: &ArrayRef, right: &ArrayRef) -> Result<ArrayRef> {
    let wide = (cast(left, &DataType::Int64)?, cast(right, &DataType::Int64)?);
    let pairs = wide.0.as_primitive::<Int64Type>().iter().zip(wide.1.as_primitive::<Int64Type>().iter());
    let mut values = Vec::with_capacity(left.len());
    for pair in pairs {
        values.push(match pair {
            (Some(_), Some(0)) => return Err(remainder_by_zero()),
            (Some(left), Some(right)) => Some(left.wrapping_rem(right)),
            _ => None,
        });
    }
    Ok(cast(&Int64Array::from(values), left.data_type())?)
}

fn refuse_zero(divisor: &ArrayRef, is_zero: impl Fn(usize) -> bool, dividend: &ArrayRef) -> Result<()> {
    for row in 0..divisor.len() {
        if divisor.is_valid(row) && dividend.is_valid(row) && is_zero(row) {
            return Err(ArrowError::DivideByZero.into());
        }
    }
    Ok(())
}
