//! Aggregates over collected values: percentiles, modes, lists as text, extremes by another column.

use std::cmp::Ordering;
use std::sync::Arc;

use datafusion::arrow::datatypes::DataType;
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::AggregateUDF;

use super::arrays::compared;
use super::collected::{Aggregate, Group, Types, udaf};
use super::row::{fail, list_of, wrong_number, wrong_type};
use super::value::{double, item_values, of_items, of_text};

pub(super) static FUNCTIONS: &[Aggregate] = &[
    Aggregate { name: "max_by", types: by_types, finish: |group, _| Ok(extreme_by(group, true)) },
    Aggregate { name: "min_by", types: by_types, finish: |group, _| Ok(extreme_by(group, false)) },
    Aggregate { name: "mode", types: |given| one_or_two("mode", given), finish: |group, _| Ok(mode(group)) },
    Aggregate { name: "any_value", types: |given| one_or_two("any_value", given), finish: |group, _| Ok(first(group)) },
    Aggregate { name: "listagg", types: list_types, finish: joined },
    Aggregate { name: "string_agg", types: list_types, finish: joined },
    Aggregate { name: "percentile", types: |given| percentile_types("percentile", given), finish: percentile },
    Aggregate {
        name: "percentile_cont",
        types: |given| percentile_types("percentile_cont", given),
        finish: percentile,
    },
    Aggregate {
        name: "percentile_disc",
        types: |given| percentile_types("percentile_disc", given),
        finish: |group, to| at_percentages(group, to, true, discrete),
    },
    Aggregate {
        name: "percentile_approx",
        types: approximate_types,
        finish: |group, to| at_percentages(group, to, false, nearest),
    },
    Aggregate {
        name: "approx_percentile",
        types: approximate_types,
        finish: |group, to| at_percentages(group, to, false, nearest),
    },
    Aggregate {
        name: "kurtosis",
        types: |given| double_types("kurtosis", given),
        finish: |group, _| moments(group, 4),
    },
    Aggregate {
        name: "skewness",
        types: |given| double_types("skewness", given),
        finish: |group, _| moments(group, 3),
    },
];

/// `max` and `min` of arrays and structs, in Spark's order.
static NESTED: [Aggregate; 2] = [
    Aggregate { name: "max", types: one_type, finish: |group, _| Ok(extreme_of(group, Ordering::Greater)) },
    Aggregate { name: "min", types: one_type, finish: |group, _| Ok(extreme_of(group, Ordering::Less)) },
];

/// The function that stands for `max` or `min` where the argument is an array or a struct: the planner's own puts a NULL
/// inside of them at no certain place.
pub(crate) fn nested_extreme(name: &str) -> Option<Arc<AggregateUDF>> {
    NESTED.iter().find(|definition| definition.name == name).map(udaf)
}

fn one_type(given: &[DataType]) -> Result<Types> {
    match given {
        [value] => Ok((given.to_vec(), value.clone())),
        _ => Err(wrong_number("max", "1", given.len())),
    }
}

fn extreme_of(group: &Group, wanted: Ordering) -> ScalarValue {
    let known = group.rows.iter().filter_map(|row| row.first()).filter(|value| !value.is_null());
    known
        .reduce(|best, next| if compared(next, best) == wanted { next } else { best })
        .cloned()
        .unwrap_or(ScalarValue::Null)
}

fn by_types(given: &[DataType]) -> Result<Types> {
    let [value, _] = given else { return Err(wrong_number("max_by", "2", given.len())) };
    Ok((given.to_vec(), value.clone()))
}

fn one_or_two(name: &str, given: &[DataType]) -> Result<Types> {
    match given {
        [value] | [value, DataType::Boolean] => Ok((given.to_vec(), value.clone())),
        [_, other] => Err(wrong_type(name, 2, other)),
        _ => Err(wrong_number(name, "[1, 2]", given.len())),
    }
}

fn list_types(given: &[DataType]) -> Result<Types> {
    match given {
        [DataType::Binary] | [DataType::Binary, DataType::Binary] => Ok((given.to_vec(), DataType::Binary)),
        [value] | [value, _] if value.is_nested() => Err(wrong_type("listagg", 1, value)),
        [_] => Ok((vec![DataType::Utf8], DataType::Utf8)),
        [_, _] => Ok((vec![DataType::Utf8; 2], DataType::Utf8)),
        _ => Err(wrong_number("listagg", "[1, 2]", given.len())),
    }
}

fn number(name: &str, given: &DataType) -> Result<()> {
    if given.is_numeric() || given.is_null() || matches!(given, DataType::Utf8) {
        return Ok(());
    }
    Err(wrong_type(name, 1, given))
}

fn double_types(name: &str, given: &[DataType]) -> Result<Types> {
    let [value] = given else { return Err(wrong_number(name, "1", given.len())) };
    number(name, value)?;
    Ok((vec![DataType::Float64], DataType::Float64))
}

fn percentage_types(given: &DataType, result: DataType) -> (DataType, DataType) {
    match given {
        DataType::List(_) => (list_of(DataType::Float64), list_of(result)),
        _ => (DataType::Float64, result),
    }
}

fn percentile_types(name: &str, given: &[DataType]) -> Result<Types> {
    let ([value, percentage] | [value, percentage, _]) = given else {
        return Err(wrong_number(name, "[2, 3]", given.len()));
    };
    number(name, value)?;
    let (percentage, result) = percentage_types(percentage, DataType::Float64);
    let mut types = vec![DataType::Float64, percentage];
    types.extend(given.get(2).map(|_| DataType::Int64));
    Ok((types, result))
}

fn approximate_types(given: &[DataType]) -> Result<Types> {
    let ([value, percentage] | [value, percentage, _]) = given else {
        return Err(wrong_number("percentile_approx", "[2, 3]", given.len()));
    };
    if !value.is_numeric() && !matches!(value, DataType::Date32 | DataType::Timestamp(..) | DataType::Null) {
        return Err(wrong_type("percentile_approx", 1, value));
    }
    let (percentage, result) = percentage_types(percentage, value.clone());
    let mut types = vec![value.clone(), percentage];
    types.extend(given.get(2).map(|_| DataType::Int64));
    Ok((types, result))
}

/// The first value; with `true` as the second argument the first that is not NULL.
fn first(group: &Group) -> ScalarValue {
    let skips = |row: &&Vec<ScalarValue>| {
        row.get(1) != Some(&ScalarValue::Boolean(Some(true))) || !row.first().is_none_or(ScalarValue::is_null)
    };
    group.rows.iter().find(skips).and_then(|row| row.first()).cloned().unwrap_or(ScalarValue::Null)
}

/// Of equal extremes the last wins, as in Spark.
fn extreme_by(group: &Group, is_max: bool) -> ScalarValue {
    let mut best: Option<&Vec<ScalarValue>> = None;
    for row in &group.rows {
        let [_, key] = row.as_slice() else { continue };
        if key.is_null() {
            continue;
        }
        let wins = best.and_then(|best| best.get(1)).is_none_or(|kept| {
            let order = compared(key, kept);
            if is_max { order.is_ge() } else { order.is_le() }
        });
        if wins {
            best = Some(row);
        }
    }
    best.and_then(|row| row.first()).cloned().unwrap_or(ScalarValue::Null)
}

/// The most frequent value; of equally frequent ones the first in order.
fn mode(group: &Group) -> ScalarValue {
    let mut values: Vec<&ScalarValue> =
        group.rows.iter().filter_map(|row| row.first()).filter(|value| !value.is_null()).collect();
    values.sort_by(|left, right| {
        let order = compared(left, right);
        if group.is_descending { order.reverse() } else { order }
    });
    let mut best: Option<(&ScalarValue, usize)> = None;
    for run in values.chunk_by(|left, right| left == right) {
        if best.is_none_or(|(_, n)| run.len() > n) {
            best = Some((run[0], run.len()));
        }
    }
    best.map_or(ScalarValue::Null, |(value, _)| value.clone())
}

fn joined(group: &Group, to: &DataType) -> Result<ScalarValue> {
    let mut out: Option<Vec<u8>> = None;
    for (index, row) in group.rows.iter().filter(|row| !row.first().is_none_or(ScalarValue::is_null)).enumerate() {
        let out = out.get_or_insert_default();
        if index > 0 && row.get(1).is_some_and(|delimiter| !delimiter.is_null()) {
            out.extend_from_slice(super::value::bytes(row, 1)?);
        }
        out.extend_from_slice(super::value::bytes(row, 0)?);
    }
    let Some(out) = out else { return Ok(ScalarValue::Null) };
    if *to == DataType::Binary {
        return Ok(ScalarValue::Binary(Some(out)));
    }
    Ok(of_text(String::from_utf8_lossy(&out).into_owned()))
}

fn doubles(group: &Group) -> Result<Vec<f64>> {
    group.rows.iter().filter(|row| !row.first().is_none_or(ScalarValue::is_null)).map(|row| double(row, 0)).collect()
}

fn percentages(group: &Group) -> Result<Option<(Vec<f64>, bool)>> {
    let Some(given) = group.rows.first().and_then(|row| row.get(1)) else { return Ok(None) };
    let (values, is_list) = match given {
        ScalarValue::List(_) => (item_values(std::slice::from_ref(given), 0)?, true),
        one => (vec![one.clone()], false),
    };
    let values = (0..values.len()).map(|index| double(&values, index)).collect::<Result<Vec<f64>>>()?;
    if let Some(wrong) = values.iter().find(|value| !(0.0..=1.0).contains(*value)) {
        return Err(fail(
            "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
            "42K09",
            format!("The percentage must be between [0.0, 1.0] (current value = {wrong})."),
        ));
    }
    Ok(Some((values, is_list)))
}

/// Values with how often each counts, sorted.
fn weighted(group: &Group, has_frequencies: bool) -> Result<Vec<(ScalarValue, i64)>> {
    let mut values = Vec::new();
    for row in &group.rows {
        let Some(value) = row.first().filter(|value| !value.is_null()) else { continue };
        let weight = match row.get(2).filter(|_| has_frequencies) {
            Some(ScalarValue::Int64(Some(weight))) => *weight,
            Some(_) => 0,
            None => 1,
        };
        if weight < 0 {
            return Err(fail(
                "INVALID_PARAMETER_VALUE.NEGATIVE_FREQUENCY",
                "22023",
                format!("Negative values found in the frequency of `percentile`: {weight}."),
            ));
        }
        values.push((value.clone(), weight));
    }
    values.sort_by(|(left, _), (right, _)| {
        let order = compared(left, right);
        if group.is_descending { order.reverse() } else { order }
    });
    Ok(values)
}

fn at(values: &[(ScalarValue, i64)], place: i64) -> ScalarValue {
    let mut seen = 0;
    for (value, weight) in values {
        seen += weight;
        if seen > place {
            return value.clone();
        }
    }
    values.last().map_or(ScalarValue::Null, |(value, _)| value.clone())
}

fn percentile(group: &Group, to: &DataType) -> Result<ScalarValue> {
    at_percentages(group, to, true, |values, total, percentage| {
        let place = (total - 1) as f64 * percentage;
        let (low, high) = (place.floor(), place.ceil());
        let below = double(&[at(values, low as i64)], 0)?;
        if low == high {
            return Ok(ScalarValue::Float64(Some(below)));
        }
        let above = double(&[at(values, high as i64)], 0)?;
        Ok(ScalarValue::Float64(Some((high - place) * below + (place - low) * above)))
    })
}

/// The first value at which that share of all values is reached.
fn discrete(values: &[(ScalarValue, i64)], total: i64, percentage: f64) -> Result<ScalarValue> {
    Ok(at(values, ((total as f64 * percentage).ceil() as i64 - 1).max(0)))
}

/// Exact: the answer of `percentile_approx` with any accuracy may be the exact one.
fn nearest(values: &[(ScalarValue, i64)], total: i64, percentage: f64) -> Result<ScalarValue> {
    Ok(at(values, ((total as f64 * percentage).ceil() as i64 - 1).max(0)))
}

/// The value at a share of so many sorted values.
type Find = fn(&[(ScalarValue, i64)], i64, f64) -> Result<ScalarValue>;

fn at_percentages(group: &Group, to: &DataType, has_frequencies: bool, find: Find) -> Result<ScalarValue> {
    let Some((percentages, is_list)) = percentages(group)? else { return Ok(ScalarValue::Null) };
    let values = weighted(group, has_frequencies)?;
    let total: i64 = values.iter().map(|(_, weight)| weight).sum();
    if total == 0 {
        return Ok(ScalarValue::Null);
    }
    let found = percentages.iter().map(|one| find(&values, total, *one)).collect::<Result<Vec<_>>>()?;
    if is_list { of_items(found, to) } else { Ok(found.into_iter().next().unwrap_or(ScalarValue::Null)) }
}

fn moments(group: &Group, order: i32) -> Result<ScalarValue> {
    let values = doubles(group)?;
    if values.is_empty() {
        return Ok(ScalarValue::Null);
    }
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let moment = |power: i32| values.iter().map(|value| (value - mean).powi(power)).sum::<f64>();
    let spread = moment(2);
    if spread == 0.0 {
        return Ok(ScalarValue::Float64(Some(f64::NAN)));
    }
    Ok(ScalarValue::Float64(Some(match order {
        3 => n.sqrt() * moment(3) / spread.powf(1.5),
        _ => n * moment(4) / (spread * spread) - 3.0,
    })))
}
