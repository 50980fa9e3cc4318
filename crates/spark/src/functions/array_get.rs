//! `array[index]`: counts from 0, and an index outside of the array is an error.

use std::sync::{Arc, LazyLock};

use datafusion::arrow::array::{Array, AsArray, UInt32Array};
use datafusion::arrow::compute::take;
use datafusion::arrow::datatypes::{DataType, Int64Type};
use datafusion::common::{DataFusionError, Result, ScalarValue, exec_err};
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{
    ColumnarValue, Expr, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};
use lakelet_base::{Diagnostic, ErrorClass};

static ARRAY_GET: LazyLock<Arc<ScalarUDF>> =
    LazyLock::new(|| Arc::new(ScalarUDF::from(ArrayGet { signature: Signature::any(2, Volatility::Immutable) })));

/// The element of `array` at `index`, a BIGINT.
pub(crate) fn array_get(array: Expr, index: Expr) -> Expr {
    Expr::ScalarFunction(ScalarFunction::new_udf(Arc::clone(&ARRAY_GET), vec![array, index]))
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct ArrayGet {
    signature: Signature,
}

impl ScalarUDFImpl for ArrayGet {
    fn name(&self) -> &str {
        "spark_array_get"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, arg_types: &[DataType]) -> Result<DataType> {
        match arg_types.first() {
            Some(DataType::List(item)) => Ok(item.data_type().clone()),
            _ => exec_err!("only arrays have elements"),
        }
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let all_scalar = args.args.iter().all(|arg| matches!(arg, ColumnarValue::Scalar(_)));
        let arrays = ColumnarValue::values_to_arrays(&args.args)?;
        let [lists, indices] = arrays.as_slice() else { return exec_err!("an array and an index") };
        let (lists, indices) = (lists.as_list::<i32>(), indices.as_primitive::<Int64Type>());
        let offsets = lists.value_offsets();
        let mut places: Vec<Option<u32>> = Vec::with_capacity(lists.len());
        for row in 0..lists.len() {
            if lists.is_null(row) || indices.is_null(row) {
                places.push(None);
                continue;
            }
            let (start, end) = (offsets[row], offsets[row + 1]);
            let index = indices.value(row);
            let n_elements = i64::from(end - start);
            if index < 0 || index >= n_elements {
                return Err(outside(index, n_elements));
            }
            places.push(u32::try_from(i64::from(start) + index).ok());
        }
        let elements = take(lists.values(), &UInt32Array::from(places), None)?;
        if all_scalar {
            return Ok(ColumnarValue::Scalar(ScalarValue::try_from_array(&elements, 0)?));
        }
        Ok(ColumnarValue::Array(elements))
    }
}

fn outside(index: i64, n_elements: i64) -> DataFusionError {
    DataFusionError::External(Box::new(Diagnostic::new(
        ErrorClass::new("INVALID_ARRAY_INDEX", "22003"),
        format!(
            "The index {index} is out of bounds. The array has {n_elements} elements. Use the SQL function `get()` to tolerate accessing element at invalid index and return NULL instead."
        ),
    )))
}
