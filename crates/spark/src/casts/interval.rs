//! Casts to and from ANSI intervals.

use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, DurationMicrosecondArray, Int64Array, IntervalYearMonthArray,
};
use datafusion::arrow::compute::{CastOptions, cast, cast_with_options};
use datafusion::arrow::datatypes::{
    DataType, Decimal128Type, DurationMicrosecondType, Field, Int64Type, IntervalYearMonthType,
};
use datafusion::common::{DataFusionError, Result, exec_err};
use lakelet_base::{Diagnostic, ErrorClass};
use lakelet_types::{IntervalUnit, IntervalUnits, field_simple_string};

use super::is_text;
use crate::intervals::{day_time_of, interval_overflow, units_of, year_month_of};

/// How many months or microseconds the smallest unit has.
fn size_of(units: IntervalUnits) -> i64 {
    match units.end {
        IntervalUnit::Year => 12,
        IntervalUnit::Month => 1,
        IntervalUnit::Day => 86_400_000_000,
        IntervalUnit::Hour => 3_600_000_000,
        IntervalUnit::Minute => 60_000_000,
        IntervalUnit::Second => 1_000_000,
    }
}

/// The cast of one column.
pub(super) fn convert(array: &ArrayRef, from: &Field, to: &Field, try_cast: bool) -> Result<ArrayRef> {
    match (units_of(from), units_of(to)) {
        (Some(from_units), None) => numbers(array, from_units, to, try_cast),
        (from_units, Some(units)) => {
            let amounts: Vec<Option<i64>> = if from_units.is_some() {
                let size = size_of(units);
                amounts(array)?.into_iter().map(|amount| amount.map(|amount| amount - amount % size)).collect()
            } else if is_text(array.data_type()) {
                texts(array, units, to, try_cast)?
            } else {
                counts(array, units, try_cast)?
            };
            stored(amounts, units)
        }
        (None, None) => exec_err!("no interval"),
    }
}

fn stored(amounts: Vec<Option<i64>>, units: IntervalUnits) -> Result<ArrayRef> {
    if !units.is_year_month() {
        return Ok(Arc::new(DurationMicrosecondArray::from(amounts)));
    }
    let months = amounts
        .into_iter()
        .map(|amount| amount.map(|amount| i32::try_from(amount).map_err(|_| interval_overflow())).transpose())
        .collect::<Result<Vec<_>>>()?;
    Ok(Arc::new(IntervalYearMonthArray::from(months)))
}

fn amounts(array: &ArrayRef) -> Result<Vec<Option<i64>>> {
    Ok(match array.data_type() {
        DataType::Duration(_) => array.as_primitive::<DurationMicrosecondType>().iter().collect(),
        DataType::Interval(datafusion::arrow::datatypes::IntervalUnit::YearMonth) => {
            array.as_primitive::<IntervalYearMonthType>().iter().map(|months| months.map(i64::from)).collect()
        }
        other => return exec_err!("{other} is no ANSI interval"),
    })
}

fn texts(array: &ArrayRef, units: IntervalUnits, to: &Field, try_cast: bool) -> Result<Vec<Option<i64>>> {
    let texts = cast(array, &DataType::Utf8)?;
    let read = |text: &str| {
        if units.is_year_month() { year_month_of(text, units).map(i64::from) } else { day_time_of(text, units) }
    };
    texts
        .as_string::<i32>()
        .iter()
        .map(|text| match text.map(|text| (text, read(text))) {
            None => Ok(None),
            Some((text, None)) if !try_cast => Err(malformed(text, to)),
            Some((_, amount)) => Ok(amount),
        })
        .collect()
}

fn malformed(text: &str, to: &Field) -> DataFusionError {
    DataFusionError::External(Box::new(
        Diagnostic::new(
            ErrorClass::new("INVALID_INTERVAL_FORMAT.UNMATCHED_FORMAT_STRING_WITH_NOTICE", "22006"),
            format!("Error parsing '{text}' to {}: its form does not match.", field_simple_string(to)),
        )
        .hint("Use `try_cast` to get NULL instead."),
    ))
}

/// A number of the interval's only or smallest unit.
fn counts(array: &ArrayRef, units: IntervalUnits, try_cast: bool) -> Result<Vec<Option<i64>>> {
    let size = size_of(units);
    let amounts: Vec<Option<Option<i64>>> = match array.data_type() {
        DataType::Decimal128(_, scale) => {
            let unit = 10_i128.checked_pow(u32::try_from(*scale).unwrap_or(0)).unwrap_or(1);
            let values = array.as_primitive::<Decimal128Type>();
            let amount = |value: i128| {
                let total = value.checked_mul(i128::from(size))?;
                let half = if total < 0 { -(unit / 2) } else { unit / 2 };
                i64::try_from((total + half) / unit).ok()
            };
            values.iter().map(|value| value.map(amount)).collect()
        }
        _ => {
            let values = cast(array, &DataType::Int64)?;
            values.as_primitive::<Int64Type>().iter().map(|value| value.map(|value| value.checked_mul(size))).collect()
        }
    };
    amounts
        .into_iter()
        .map(|amount| match amount {
            Some(None) if !try_cast => Err(interval_overflow()),
            amount => Ok(amount.flatten()),
        })
        .collect()
}

/// How many of its smallest unit an interval has.
fn numbers(array: &ArrayRef, units: IntervalUnits, to: &Field, try_cast: bool) -> Result<ArrayRef> {
    let size = size_of(units);
    let options = CastOptions { safe: try_cast, ..CastOptions::default() };
    // Fractions of a second are kept by a decimal.
    if units.end == IntervalUnit::Second && matches!(to.data_type(), DataType::Decimal128(..)) {
        let micros: datafusion::arrow::array::Decimal128Array =
            amounts(array)?.into_iter().map(|amount| amount.map(i128::from)).collect();
        return Ok(cast_with_options(&micros.with_precision_and_scale(20, 6)?, to.data_type(), &options)?);
    }
    let values: Int64Array = amounts(array)?.into_iter().map(|amount| amount.map(|amount| amount / size)).collect();
    Ok(cast_with_options(&values, to.data_type(), &options)?)
}
