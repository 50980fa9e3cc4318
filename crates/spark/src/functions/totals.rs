//! `sum` and `avg`: exact for whole numbers, decimals and intervals, with an error where a sum does not fit.

mod accumulators;

use std::collections::HashSet;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, Decimal128Array, Int64Array};
use datafusion::arrow::datatypes::{
    DataType, Decimal128Type, DurationMicrosecondType, Field, FieldRef, Int64Type, IntervalUnit, IntervalYearMonthType,
    TimeUnit,
};
use datafusion::arrow::error::ArrowError;
use datafusion::common::{DataFusionError, Result, ScalarValue, exec_err, internal_err};
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, GroupsAccumulator, Signature, TypeSignature, Volatility,
};
use lakelet_types::IntervalUnits;

use accumulators::{DistinctTotal, ExactTotal, GroupedTotal};

use super::row::{fail, wrong_number, wrong_type};
use crate::intervals::{field_of, interval_overflow, units_of};

const PRECISION_MAX: u8 = 38;

/// What is made of the sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    Sum,
    Average,
}

/// The functions, by name.
pub(super) fn functions() -> impl Iterator<Item = (&'static str, Arc<AggregateUDF>)> {
    let sum = datafusion::functions_aggregate::sum::sum_udaf();
    let average = datafusion::functions_aggregate::average::avg_udaf();
    [
        ("sum", Kind::Sum, false),
        ("try_sum", Kind::Sum, true),
        ("avg", Kind::Average, false),
        ("mean", Kind::Average, false),
        ("try_avg", Kind::Average, true),
    ]
    .into_iter()
    .map(move |(name, kind, is_tolerant)| {
        let doubles = Arc::clone(if kind == Kind::Sum { &sum } else { &average });
        let signature =
            Signature::one_of(vec![TypeSignature::Nullary, TypeSignature::UserDefined], Volatility::Immutable);
        (name, Arc::new(AggregateUDF::from(Total { name, kind, is_tolerant, doubles, signature })))
    })
}

#[derive(Debug)]
struct Total {
    name: &'static str,
    kind: Kind,
    /// Whether NULL stands for a sum that does not fit.
    is_tolerant: bool,
    /// Sums doubles.
    doubles: Arc<AggregateUDF>,
    signature: Signature,
}

impl PartialEq for Total {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Total {}

impl Hash for Total {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

fn result_type(kind: Kind, data_type: &DataType) -> DataType {
    match (kind, data_type) {
        (Kind::Sum, DataType::Decimal128(precision, scale)) => {
            DataType::Decimal128((precision + 10).min(PRECISION_MAX), *scale)
        }
        (Kind::Average, DataType::Decimal128(precision, scale)) => {
            let (precision, scale) = (i16::from(*precision) + 4, i16::from(*scale) + 4);
            let surplus = (precision - i16::from(PRECISION_MAX)).max(0);
            let scale = (scale - surplus).max(scale.min(6));
            DataType::Decimal128(
                u8::try_from(precision).unwrap_or(PRECISION_MAX).min(PRECISION_MAX),
                i8::try_from(scale).unwrap_or(6),
            )
        }
        (_, other) => other.clone(),
    }
}

/// The type that values are brought to before they are summed.
fn summed_type(kind: Kind, given: &DataType) -> Option<DataType> {
    Some(match given {
        whole if whole.is_integer() && kind == Kind::Sum => DataType::Int64,
        DataType::Decimal128(..) => given.clone(),
        DataType::Duration(_) => DataType::Duration(TimeUnit::Microsecond),
        DataType::Interval(IntervalUnit::YearMonth) => given.clone(),
        number if number.is_numeric() || number.is_null() || crate::coercion::is_text(number) => DataType::Float64,
        _ => return None,
    })
}

impl AggregateUDFImpl for Total {
    fn name(&self) -> &str {
        self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, arg_types: &[DataType]) -> Result<DataType> {
        let [given] = arg_types else { return Err(wrong_number(self.name, "1", arg_types.len())) };
        match summed_type(self.kind, given) {
            Some(summed) => Ok(result_type(self.kind, &summed)),
            None => Err(wrong_type(self.name, 1, given)),
        }
    }

    fn return_field(&self, arg_fields: &[FieldRef]) -> Result<FieldRef> {
        let types: Vec<DataType> = arg_fields.iter().map(|field| field.data_type().clone()).collect();
        let data_type = self.return_type(&types)?;
        let units = arg_fields.first().and_then(|field| units_of(field)).map(|units| match self.kind {
            Kind::Sum => units,
            Kind::Average if units.is_year_month() => IntervalUnits::YEAR_TO_MONTH,
            Kind::Average => IntervalUnits::DAY_TO_SECOND,
        });
        Ok(match units {
            Some(units) => field_of(self.name, units),
            None => Arc::new(Field::new(self.name, data_type, true)),
        })
    }

    fn coerce_types(&self, arg_types: &[DataType]) -> Result<Vec<DataType>> {
        Ok(arg_types.iter().map(|given| summed_type(self.kind, given).unwrap_or_else(|| given.clone())).collect())
    }

    fn state_fields(&self, args: StateFieldsArgs<'_>) -> Result<Vec<FieldRef>> {
        let Some(input) = args.input_fields.first() else { return internal_err!("{} has one argument", self.name) };
        if matches!(input.data_type(), DataType::Float64) {
            return self.doubles.state_fields(args);
        }
        if args.is_distinct {
            let list = super::row::list_of(input.data_type().clone());
            return Ok(vec![Arc::new(Field::new(format!("{}[values]", args.name), list, true))]);
        }
        Ok(vec![
            Arc::new(Field::new(format!("{}[sum]", args.name), DataType::Decimal128(PRECISION_MAX, 0), true)),
            Arc::new(Field::new(format!("{}[count]", args.name), DataType::Int64, true)),
        ])
    }

    fn accumulator(&self, args: AccumulatorArgs<'_>) -> Result<Box<dyn Accumulator>> {
        if is_double(&args) {
            return self.doubles.accumulator(args);
        }
        let total = self.exact(&args)?;
        Ok(if args.is_distinct {
            Box::new(DistinctTotal { total, input: input_type(&args)?, seen: HashSet::new() })
        } else {
            Box::new(ExactTotal { total, sum: 0, count: 0, has_overflowed: false })
        })
    }

    fn create_sliding_accumulator(&self, args: AccumulatorArgs<'_>) -> Result<Box<dyn Accumulator>> {
        if is_double(&args) {
            return self.doubles.create_sliding_accumulator(args);
        }
        self.accumulator(args)
    }

    fn groups_accumulator_supported(&self, args: AccumulatorArgs<'_>) -> bool {
        if is_double(&args) {
            return self.doubles.groups_accumulator_supported(args);
        }
        !args.is_distinct
    }

    fn create_groups_accumulator(&self, args: AccumulatorArgs<'_>) -> Result<Box<dyn GroupsAccumulator>> {
        if is_double(&args) {
            return self.doubles.create_groups_accumulator(args);
        }
        Ok(Box::new(GroupedTotal { total: self.exact(&args)?, sums: Vec::new(), counts: Vec::new() }))
    }
}

fn input_type(args: &AccumulatorArgs<'_>) -> Result<DataType> {
    match args.expr_fields.first() {
        Some(field) => Ok(field.data_type().clone()),
        None => internal_err!("a sum has an argument"),
    }
}

fn is_double(args: &AccumulatorArgs<'_>) -> bool {
    args.expr_fields.first().is_some_and(|field| matches!(field.data_type(), DataType::Float64))
}

impl Total {
    fn exact(&self, args: &AccumulatorArgs<'_>) -> Result<Exact> {
        let scale = match input_type(args)? {
            DataType::Decimal128(_, scale) => scale,
            _ => 0,
        };
        Ok(Exact {
            kind: self.kind,
            is_tolerant: self.is_tolerant,
            scale,
            result: args.return_field.data_type().clone(),
        })
    }
}

/// What sums of exact values have in common: they are kept with more digits than their type, and checked at the end.
#[derive(Debug, Clone)]
struct Exact {
    kind: Kind,
    is_tolerant: bool,
    scale: i8,
    result: DataType,
}

impl Exact {
    /// The result; `None` for NULL.
    fn value(&self, sum: Option<i128>, count: i64) -> Result<Option<i128>> {
        if count == 0 {
            return Ok(None);
        }
        let value = sum.and_then(|sum| match self.kind {
            Kind::Sum => Some(sum),
            Kind::Average => {
                let shift = match self.result {
                    DataType::Decimal128(_, scale) => u32::try_from(scale - self.scale).ok()?,
                    _ => 0,
                };
                Some(rounded(sum.checked_mul(10_i128.checked_pow(shift)?)?, i128::from(count)))
            }
        });
        let fits = |value: i128| match &self.result {
            DataType::Decimal128(precision, _) => {
                10_u128.checked_pow(u32::from(*precision)).is_some_and(|limit| value.unsigned_abs() < limit)
            }
            DataType::Interval(_) => i32::try_from(value).is_ok(),
            _ => i64::try_from(value).is_ok(),
        };
        match value.filter(|value| fits(*value)) {
            Some(value) => Ok(Some(value)),
            None if self.is_tolerant => Ok(None),
            None => Err(self.overflow()),
        }
    }

    fn overflow(&self) -> DataFusionError {
        match &self.result {
            DataType::Decimal128(precision, scale) => fail(
                "NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION",
                "22003",
                format!(
                    "The sum cannot be represented as DECIMAL({precision}, {scale}). Use `try_sum` to tolerate overflow and return NULL instead."
                ),
            ),
            DataType::Interval(_) | DataType::Duration(_) => interval_overflow(),
            _ => ArrowError::ArithmeticOverflow("the sum does not fit a BIGINT".to_owned()).into(),
        }
    }

    fn array(&self, values: Vec<Option<i128>>) -> Result<ArrayRef> {
        let narrow =
            || values.iter().map(|value| value.and_then(|value| i64::try_from(value).ok())).collect::<Int64Array>();
        Ok(match &self.result {
            DataType::Decimal128(precision, scale) => {
                Arc::new(Decimal128Array::from(values).with_precision_and_scale(*precision, *scale)?)
            }
            DataType::Duration(_) => Arc::new(narrow().reinterpret_cast::<DurationMicrosecondType>()),
            DataType::Interval(_) => {
                let months: Vec<Option<i32>> =
                    values.iter().map(|value| value.and_then(|value| i32::try_from(value).ok())).collect();
                Arc::new(datafusion::arrow::array::PrimitiveArray::<IntervalYearMonthType>::from(months))
            }
            _ => Arc::new(narrow()),
        })
    }

    fn scalar(&self, value: Option<i128>) -> Result<ScalarValue> {
        ScalarValue::try_from_array(&self.array(vec![value])?, 0)
    }
}

/// The quotient, rounded half away from zero.
fn rounded(dividend: i128, divisor: i128) -> i128 {
    let (quotient, rest) = (dividend / divisor, dividend % divisor);
    if rest.unsigned_abs() * 2 < divisor.unsigned_abs() {
        quotient
    } else if dividend < 0 {
        quotient - 1
    } else {
        quotient + 1
    }
}

/// Calls `each` with the row and the value of everything that is not NULL.
fn for_each(array: &ArrayRef, mut each: impl FnMut(usize, i128) -> Result<()>) -> Result<()> {
    macro_rules! rows {
        ($type:ty) => {{
            let values = array.as_primitive::<$type>();
            for row in 0..values.len() {
                if values.is_valid(row) {
                    each(row, i128::from(values.value(row)))?;
                }
            }
        }};
    }
    match array.data_type() {
        DataType::Int64 => rows!(Int64Type),
        DataType::Decimal128(..) => rows!(Decimal128Type),
        DataType::Duration(TimeUnit::Microsecond) => rows!(DurationMicrosecondType),
        DataType::Interval(IntervalUnit::YearMonth) => rows!(IntervalYearMonthType),
        other => return exec_err!("{other} has no exact sum"),
    }
    Ok(())
}

#[cfg(test)]
mod tests;
