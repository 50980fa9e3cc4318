//! The function that stands for a cast of ours.

use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, BooleanArray, Date32Array, Decimal128Array, Float32Array, Float64Array, Int64Array,
    ListArray, MapArray, StringArray, StructArray, TimestampMicrosecondArray,
};
use datafusion::arrow::compute::{CastOptions, cast, cast_with_options};
use datafusion::arrow::datatypes::{
    DataType, Decimal128Type, Field, FieldRef, Float64Type, Int64Type, TimestampMicrosecondType,
};
use datafusion::arrow::error::ArrowError;
use datafusion::common::{Result, ScalarValue, exec_err};
use datafusion::logical_expr::{
    ColumnarValue, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};
use lakelet_types::{field_cell_text, field_simple_string};

use super::{interval, is_interval, is_text, text};

const MICROS_PER_SECOND: i64 = 1_000_000;

/// The cast to `target` as a function of one argument.
pub(super) fn function(target: &FieldRef, try_cast: bool) -> Arc<ScalarUDF> {
    let word = if try_cast { "try_cast" } else { "cast" };
    Arc::new(ScalarUDF::from(SparkCast {
        name: format!("{word}_to_{}", field_simple_string(target)),
        target: target.data_type().clone(),
        field: Arc::clone(target),
        try_cast,
        signature: Signature::any(1, Volatility::Immutable),
    }))
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct SparkCast {
    name: String,
    target: DataType,
    /// With the units of an interval.
    field: FieldRef,
    try_cast: bool,
    signature: Signature,
}

impl ScalarUDFImpl for SparkCast {
    fn name(&self) -> &str {
        &self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arg_types: &[DataType]) -> Result<DataType> {
        Ok(self.target.clone())
    }

    fn return_field_from_args(&self, _args: ReturnFieldArgs<'_>) -> Result<FieldRef> {
        Ok(Arc::new(self.field.as_ref().clone().with_nullable(true)))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let all_scalar = args.args.iter().all(|arg| matches!(arg, ColumnarValue::Scalar(_)));
        let arrays = ColumnarValue::values_to_arrays(&args.args)?;
        let ([array], [field]) = (arrays.as_slice(), args.arg_fields.as_slice()) else {
            return exec_err!("a cast has one argument");
        };
        let result = self.convert(array, field)?;
        if all_scalar {
            return Ok(ColumnarValue::Scalar(ScalarValue::try_from_array(&result, 0)?));
        }
        Ok(ColumnarValue::Array(result))
    }
}

impl SparkCast {
    fn convert(&self, array: &ArrayRef, field: &Field) -> Result<ArrayRef> {
        let from = array.data_type();
        if from.is_nested() && self.target.is_nested() {
            return self.nested(array);
        }
        if is_interval(&self.target) || (is_interval(from) && !is_text(&self.target)) {
            return self.interval(array, field);
        }
        if is_text(&self.target) {
            let texts: StringArray = (0..array.len()).map(|row| field_cell_text(field, array, row)).collect();
            return Ok(cast(&texts, &self.target)?);
        }
        if is_text(from) {
            return self.read(&cast(array, &DataType::Utf8)?);
        }
        match (from, &self.target) {
            (DataType::Boolean, _) => self.arrow(&cast(array, &DataType::Int32)?),
            (DataType::Timestamp(..), _) => self.seconds(array.as_primitive::<TimestampMicrosecondType>()),
            (_, DataType::Timestamp(..)) => self.instants(array),
            _ => self.arrow(array),
        }
    }

    /// The members of nested values, each cast on its own.
    fn nested(&self, array: &ArrayRef) -> Result<ArrayRef> {
        let member = |array: &ArrayRef, from: &FieldRef, to: &FieldRef| -> Result<ArrayRef> {
            if from.data_type() == to.data_type() {
                return Ok(Arc::clone(array));
            }
            let cast = Self {
                name: String::new(),
                target: to.data_type().clone(),
                field: Arc::clone(to),
                try_cast: self.try_cast,
                signature: self.signature.clone(),
            };
            match super::treatment(from.data_type(), to.data_type()) {
                super::Treatment::Own => cast.convert(array, from),
                _ => cast.arrow(array),
            }
        };
        match (array.data_type(), &self.target) {
            (DataType::List(from), DataType::List(to)) => {
                let lists = array.as_list::<i32>();
                let values = member(lists.values(), from, to)?;
                let lists =
                    ListArray::try_new(Arc::clone(to), lists.offsets().clone(), values, lists.nulls().cloned())?;
                Ok(Arc::new(lists))
            }
            (DataType::Map(from, _), DataType::Map(to, is_sorted)) => {
                let maps = array.as_map();
                let entries: ArrayRef = Arc::new(maps.entries().clone());
                let entries = member(&entries, from, to)?.as_struct().clone();
                let (offsets, nulls) = (maps.offsets().clone(), maps.nulls().cloned());
                Ok(Arc::new(MapArray::try_new(Arc::clone(to), offsets, entries, nulls, *is_sorted)?))
            }
            (DataType::Struct(from), DataType::Struct(to)) => {
                let structs = array.as_struct();
                let columns = structs
                    .columns()
                    .iter()
                    .zip(from.iter().zip(to))
                    .map(|(column, (from, to))| member(column, from, to))
                    .collect::<Result<Vec<_>>>()?;
                let nulls = structs.nulls().cloned();
                Ok(Arc::new(StructArray::try_new_with_length(to.clone(), columns, nulls, structs.len())?))
            }
            (from, to) => exec_err!("{from} has no members like {to}"),
        }
    }

    fn interval(&self, array: &ArrayRef, field: &Field) -> Result<ArrayRef> {
        interval::convert(array, field, &self.field, self.try_cast)
    }

    fn arrow(&self, array: &dyn Array) -> Result<ArrayRef> {
        let options = CastOptions { safe: self.try_cast, ..CastOptions::default() };
        Ok(cast_with_options(array, &self.target, &options)?)
    }

    /// Text as a value.
    fn read(&self, array: &ArrayRef) -> Result<ArrayRef> {
        let texts = array.as_string::<i32>();
        Ok(match &self.target {
            DataType::Boolean => Arc::new(BooleanArray::from(self.each(texts, text::boolean)?)),
            DataType::Date32 => Arc::new(Date32Array::from(self.each(texts, text::date)?)),
            DataType::Float32 => Arc::new(Float32Array::from(self.each(texts, text::float)?)),
            DataType::Float64 => Arc::new(Float64Array::from(self.each(texts, text::double)?)),
            DataType::Timestamp(_, zone) => {
                let read = if zone.is_some() { text::timestamp } else { text::timestamp_ntz };
                let values = TimestampMicrosecondArray::from(self.each(texts, read)?);
                Arc::new(values.with_timezone_opt(zone.clone()))
            }
            _ => self.arrow(array)?,
        })
    }

    fn each<T>(&self, texts: &StringArray, read: fn(&str) -> Option<T>) -> Result<Vec<Option<T>>> {
        texts
            .iter()
            .map(|text| match text.map(|text| (text, read(text))) {
                None => Ok(None),
                Some((text, None)) if !self.try_cast => {
                    let target = match &self.target {
                        DataType::Timestamp(..) => "Timestamp".to_owned(),
                        other => other.to_string(),
                    };
                    Err(ArrowError::CastError(format!("Cannot cast string '{text}' to value of {target} type")).into())
                }
                Some((_, value)) => Ok(value),
            })
            .collect()
    }

    /// A timestamp as a number of seconds.
    fn seconds(&self, instants: &TimestampMicrosecondArray) -> Result<ArrayRef> {
        match &self.target {
            DataType::Float32 | DataType::Float64 => {
                #[expect(clippy::cast_precision_loss, reason = "a DOUBLE holds no more digits in Spark either")]
                let values: Float64Array =
                    instants.iter().map(|micros| micros.map(|micros| micros as f64 / 1e6)).collect();
                self.arrow(&values)
            }
            DataType::Decimal128(..) => {
                let values: Decimal128Array = instants.iter().map(|micros| micros.map(i128::from)).collect();
                self.arrow(&values.with_precision_and_scale(20, 6)?)
            }
            _ => {
                let values: Int64Array =
                    instants.iter().map(|micros| micros.map(|micros| micros.div_euclid(MICROS_PER_SECOND))).collect();
                self.arrow(&values)
            }
        }
    }

    /// A number of seconds as a timestamp.
    fn instants(&self, numbers: &ArrayRef) -> Result<ArrayRef> {
        let micros: Vec<Option<Option<i64>>> = match numbers.data_type() {
            DataType::Float32 | DataType::Float64 => {
                let doubles = cast(numbers, &DataType::Float64)?;
                doubles.as_primitive::<Float64Type>().iter().map(|value| value.map(double_micros)).collect()
            }
            DataType::Decimal128(_, scale) => {
                let scale = *scale;
                let decimals = numbers.as_primitive::<Decimal128Type>();
                decimals.iter().map(|value| value.map(|value| decimal_micros(value, scale))).collect()
            }
            _ => {
                let integers = cast(numbers, &DataType::Int64)?;
                let integers = integers.as_primitive::<Int64Type>();
                integers.iter().map(|value| value.map(|value| value.checked_mul(MICROS_PER_SECOND))).collect()
            }
        };
        let mut values = Vec::with_capacity(micros.len());
        for value in micros {
            if value == Some(None) && !self.try_cast {
                return Err(ArrowError::CastError(
                    "Can't cast value to TIMESTAMP: it is outside of its range".to_owned(),
                )
                .into());
            }
            values.push(value.flatten());
        }
        let values = TimestampMicrosecondArray::from(values);
        let DataType::Timestamp(_, zone) = &self.target else { return exec_err!("no timestamp") };
        Ok(Arc::new(values.with_timezone_opt(zone.clone())))
    }
}

fn double_micros(seconds: f64) -> Option<i64> {
    let micros = seconds * 1e6;
    #[expect(clippy::cast_possible_truncation, reason = "inside of the range, and the fraction is dropped on purpose")]
    (micros.abs() < 9.2e18).then_some(micros as i64)
}

fn decimal_micros(value: i128, scale: i8) -> Option<i64> {
    let micros = value.checked_mul(i128::from(MICROS_PER_SECOND))?;
    let divisor = 10_i128.checked_pow(u32::try_from(scale).ok()?)?;
    i64::try_from(micros.div_euclid(divisor)).ok()
}
