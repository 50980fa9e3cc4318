//! Functions of arrays.

use std::cmp::Ordering;

use datafusion::arrow::array::Array;
use datafusion::arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::{Result, ScalarValue};

use super::calendar::{MICROS_PER_DAY, add_months_micros};
use super::interval::months_and_micros;
use super::row::{Arg, Definition, Returns, fail, item_type, lenient, list_of, strict, variadic, wrong_type};
use super::text::index_of_zero;
use super::value::{boolean_or, entries, integer, item_values, items, of_fields, of_int, of_items, of_text, text};

/// Elements that `sequence` and its kin make at most.
const ELEMENTS_MAX: usize = 1_000_000;

pub(super) static CONCAT: Definition = variadic("concat", &[Arg::Joined], 0, Returns::Of(concat_type), concat);

pub(super) static FUNCTIONS: &[Definition] = &[
    strict("element_at", &[Arg::Any, Arg::Any], 2, Returns::Of(element_type), |values, _| element_at(values, false)),
    strict("try_element_at", &[Arg::Any, Arg::Any], 2, Returns::Of(element_type), |values, _| element_at(values, true)),
    strict("array_position", &[Arg::SameList, Arg::Element], 2, Returns::Long, |values, _| {
        let place = item_values(values, 0)?.iter().position(|item| Some(item) == values.get(1));
        Ok(ScalarValue::Int64(Some(place.map_or(0, |place| place as i64 + 1))))
    }),
    strict(
        "flatten",
        &[Arg::List],
        1,
        Returns::Of(|fields, _| match fields.first().map(|field| field.data_type()).and_then(item_type) {
            Some(inner @ DataType::List(_)) => Ok(inner),
            other => Err(wrong_type("flatten", 1, &list_of(other.unwrap_or(DataType::Null)))),
        }),
        flatten,
    ),
    strict(
        "reverse",
        &[Arg::Any],
        1,
        Returns::Of(|fields, _| {
            Ok(match fields.first().map(|field| field.data_type()) {
                Some(list @ DataType::List(_)) => list.clone(),
                _ => DataType::Utf8,
            })
        }),
        |values, to| match values.first() {
            Some(ScalarValue::List(_)) => {
                let mut items = item_values(values, 0)?;
                items.reverse();
                of_items(items, to)
            }
            Some(value) => Ok(of_text(text(&[value.cast_to(&DataType::Utf8)?], 0)?.chars().rev().collect::<String>())),
            None => Ok(ScalarValue::Null),
        },
    ),
    strict("array_insert", &[Arg::SameList, Arg::Int, Arg::Element], 3, Returns::Argument(0), array_insert),
    strict("sort_array", &[Arg::List, Arg::Boolean], 1, Returns::Argument(0), |values, to| {
        let mut items = item_values(values, 0)?;
        let is_ascending = boolean_or(values, 1, true);
        items.sort_by(|left, right| {
            let order = compared(left, right);
            if is_ascending { order } else { order.reverse() }
        });
        of_items(items, to)
    }),
    strict("array_sort", &[Arg::List], 1, Returns::Argument(0), |values, to| {
        let mut items = item_values(values, 0)?;
        items.sort_by(|left, right| left.is_null().cmp(&right.is_null()).then_with(|| compared(left, right)));
        of_items(items, to)
    }),
    strict("sequence", &[Arg::Any, Arg::Any, Arg::Any], 2, Returns::Of(sequence_type), sequence),
    strict("size", &[Arg::Any], 1, Returns::Int, size),
    strict("cardinality", &[Arg::Any], 1, Returns::Int, size),
    strict("array_size", &[Arg::List], 1, Returns::Int, size),
    variadic("array", &[Arg::Common], 0, Returns::Of(array_type), |values, to| of_items(values.to_vec(), to)),
    variadic("arrays_zip", &[Arg::Any], 0, Returns::Of(zip_type), arrays_zip),
    strict(
        "get",
        &[Arg::List, Arg::Long],
        2,
        Returns::Of(|fields, _| {
            Ok(fields.first().and_then(|field| item_type(field.data_type())).unwrap_or(DataType::Null))
        }),
        |values, _| {
            let items = items(values, 0)?;
            match usize::try_from(integer(values, 1)?).ok().filter(|index| *index < items.len()) {
                Some(index) => ScalarValue::try_from_array(&items, index),
                None => Ok(ScalarValue::Null),
            }
        },
    ),
    lenient("array_compact", &[Arg::List], 1, Returns::Argument(0), |values, to| {
        if values.first().is_none_or(ScalarValue::is_null) {
            return Ok(ScalarValue::Null);
        }
        of_items(item_values(values, 0)?.into_iter().filter(|item| !item.is_null()).collect(), to)
    }),
    variadic("greatest", &[Arg::Common], 2, Returns::Argument(0), |values, _| Ok(extreme(values, Ordering::Greater))),
    variadic("least", &[Arg::Common], 2, Returns::Argument(0), |values, _| Ok(extreme(values, Ordering::Less))),
];

/// Spark's order: NULL first, NaN last, arrays and structs member by member.
pub(super) fn compared(left: &ScalarValue, right: &ScalarValue) -> Ordering {
    match (left.is_null(), right.is_null()) {
        (false, false) => {}
        (left, right) => return right.cmp(&left),
    }
    let members = |value: &ScalarValue| -> Option<Vec<ScalarValue>> {
        match value {
            ScalarValue::Struct(members) => {
                members.columns().iter().map(|column| ScalarValue::try_from_array(column, 0).ok()).collect()
            }
            ScalarValue::List(_) => item_values(std::slice::from_ref(value), 0).ok(),
            _ => None,
        }
    };
    if let (Some(left), Some(right)) = (members(left), members(right)) {
        let unequal = left.iter().zip(&right).map(|(left, right)| compared(left, right)).find(|order| order.is_ne());
        return unequal.unwrap_or_else(|| left.len().cmp(&right.len()));
    }
    left.partial_cmp(right).unwrap_or(Ordering::Equal)
}

fn array_type(fields: &[FieldRef], _: &[Option<&ScalarValue>]) -> Result<DataType> {
    let types: Vec<DataType> = fields.iter().map(|field| field.data_type().clone()).collect();
    match crate::coercion::common_type_of(&types) {
        Some(item) => Ok(list_of(item)),
        None => Err(super::row::different_types("array", &types)),
    }
}

/// The largest or the smallest value, whatever is NULL left out.
fn extreme(values: &[ScalarValue], wanted: Ordering) -> ScalarValue {
    let known = values.iter().filter(|value| !value.is_null());
    known
        .reduce(|best, next| if compared(next, best) == wanted { next } else { best })
        .cloned()
        .unwrap_or(ScalarValue::Null)
}

fn element_type(fields: &[FieldRef], _: &[Option<&ScalarValue>]) -> Result<DataType> {
    match fields.first().map(|field| field.data_type()) {
        Some(DataType::List(item)) => Ok(item.data_type().clone()),
        Some(DataType::Map(entries, _)) => match entries.data_type() {
            DataType::Struct(fields) => Ok(fields.get(1).map_or(DataType::Null, |value| value.data_type().clone())),
            _ => Ok(DataType::Null),
        },
        other => Err(wrong_type("element_at", 1, other.unwrap_or(&DataType::Null))),
    }
}

fn element_at(values: &[ScalarValue], is_tolerant: bool) -> Result<ScalarValue> {
    if matches!(values.first(), Some(ScalarValue::Map(_))) {
        let (keys, found) = entries(values, 0)?;
        let Some(wanted) = values.get(1) else { return Ok(ScalarValue::Null) };
        let wanted = wanted.cast_to(keys.data_type())?;
        for row in 0..keys.len() {
            if ScalarValue::try_from_array(&keys, row)? == wanted {
                return ScalarValue::try_from_array(&found, row);
            }
        }
        return Ok(ScalarValue::Null);
    }
    let items = items(values, 0)?;
    let index = integer(values, 1)?;
    if index == 0 {
        return Err(index_of_zero());
    }
    let n_items = items.len() as i64;
    let place = if index > 0 { index - 1 } else { n_items + index };
    if (0..n_items).contains(&place) {
        return ScalarValue::try_from_array(&items, place as usize);
    }
    if is_tolerant {
        return Ok(ScalarValue::Null);
    }
    Err(fail(
        "INVALID_ARRAY_INDEX_IN_ELEMENT_AT",
        "22003",
        format!(
            "The index {index} is out of bounds. The array has {n_items} elements. Use `try_element_at` to tolerate accessing element at invalid index and return NULL instead."
        ),
    ))
}

fn flatten(values: &[ScalarValue], to: &DataType) -> Result<ScalarValue> {
    let mut out = Vec::new();
    for inner in item_values(values, 0)? {
        if inner.is_null() {
            return Ok(ScalarValue::Null);
        }
        out.extend(item_values(&[inner], 0)?);
    }
    of_items(out, to)
}

fn array_insert(values: &[ScalarValue], to: &DataType) -> Result<ScalarValue> {
    let mut items = item_values(values, 0)?;
    let index = integer(values, 1)?;
    let Some(value) = values.get(2).cloned() else { return Ok(ScalarValue::Null) };
    if index == 0 {
        return Err(index_of_zero());
    }
    let distance = usize::try_from(index.unsigned_abs()).unwrap_or(usize::MAX);
    if distance > ELEMENTS_MAX {
        return Err(too_many());
    }
    let filler = ScalarValue::try_new_null(&value.data_type())?;
    if index > 0 {
        while items.len() < distance - 1 {
            items.push(filler.clone());
        }
        items.insert(distance - 1, value);
    } else if distance <= items.len() + 1 {
        items.insert(items.len() + 1 - distance, value);
    } else {
        while items.len() + 1 < distance {
            items.insert(0, filler.clone());
        }
        items.insert(0, value);
    }
    of_items(items, to)
}

fn too_many() -> datafusion::common::DataFusionError {
    fail(
        "COLLECTION_SIZE_LIMIT_EXCEEDED.FUNCTION",
        "54000",
        format!("Can't create array with more than {ELEMENTS_MAX} elements."),
    )
}

fn size(values: &[ScalarValue], _: &DataType) -> Result<ScalarValue> {
    Ok(of_int(match values.first() {
        Some(ScalarValue::Map(_)) => entries(values, 0)?.0.len() as i64,
        Some(ScalarValue::List(_)) => items(values, 0)?.len() as i64,
        other => {
            return Err(wrong_type("size", 1, &other.map_or(DataType::Null, ScalarValue::data_type)));
        }
    }))
}

fn sequence_type(fields: &[FieldRef], _: &[Option<&ScalarValue>]) -> Result<DataType> {
    let start = fields.first().map_or(&DataType::Null, |field| field.data_type());
    let stop = fields.get(1).map_or(&DataType::Null, |field| field.data_type());
    match start {
        DataType::Int8 | DataType::Int16 | DataType::Int32 | DataType::Int64 if stop.is_integer() => {
            Ok(list_of(if *stop == DataType::Int64 { stop.clone() } else { start.clone() }))
        }
        DataType::Date32 | DataType::Timestamp(..) => Ok(list_of(start.clone())),
        _ => Err(fail(
            "DATATYPE_MISMATCH.SEQUENCE_WRONG_INPUT_TYPES",
            "42K09",
            "`sequence` uses the wrong parameter type: `start` and `stop` must be integral, date or timestamp values.",
        )),
    }
}

fn sequence(values: &[ScalarValue], to: &DataType) -> Result<ScalarValue> {
    let [start, stop, ..] = values else { return Ok(ScalarValue::Null) };
    let is_date = matches!(start, ScalarValue::Date32(_));
    let unit = if is_date { MICROS_PER_DAY } else { 1 };
    let is_moment = is_date || matches!(start, ScalarValue::TimestampMicrosecond(..));
    let (from, until) = (integer(std::slice::from_ref(start), 0)?, integer(std::slice::from_ref(stop), 0)?);
    let (from, until) = (from * unit, until * unit);
    let forward = if until >= from { 1 } else { -1 };
    let (months, step) = match values.get(2) {
        Some(step) if is_moment => months_and_micros(step).unwrap_or((0, 0)),
        Some(_) => (0, integer(values, 2)?),
        None if is_moment => (0, forward * MICROS_PER_DAY),
        None => (0, forward),
    };
    let direction = if months != 0 { months.signum() } else { step.signum() };
    if direction != forward && from != until {
        return Err(fail(
            "INVALID_PARAMETER_VALUE.SEQUENCE_BOUNDARIES",
            "22023",
            "Illegal sequence boundaries: the step does not lead from start to stop.",
        ));
    }
    let mut out = Vec::new();
    for n in 0.. {
        let shifted = if months == 0 { from } else { add_months_micros(from, n * months)? };
        let Some(at) = step.checked_mul(n).and_then(|distance| shifted.checked_add(distance)) else { break };
        if (forward > 0 && at > until) || (forward < 0 && at < until) {
            break;
        }
        if out.len() >= ELEMENTS_MAX {
            return Err(too_many());
        }
        out.push(match start {
            ScalarValue::Date32(_) => super::datetime::date(at)?,
            ScalarValue::TimestampMicrosecond(_, zone) => ScalarValue::TimestampMicrosecond(Some(at), zone.clone()),
            _ => ScalarValue::Int64(Some(at)),
        });
        if direction == 0 {
            break;
        }
    }
    of_items(out, to)
}

/// Fields are called as the columns they come from, others by their place.
/// The lowering puts the name of its field before each array.
fn zip_type(fields: &[FieldRef], constants: &[Option<&ScalarValue>]) -> Result<DataType> {
    let mut members = Vec::with_capacity(fields.len() / 2);
    for (place, field) in fields.iter().enumerate().skip(1).step_by(2) {
        let Some(Some(ScalarValue::Utf8(Some(name)))) = constants.get(place - 1) else {
            return datafusion::common::internal_err!("a field without a name");
        };
        let Some(item) = item_type(field.data_type()) else {
            return Err(wrong_type("arrays_zip", place / 2 + 1, field.data_type()));
        };
        members.push(Field::new(name, item, true));
    }
    Ok(list_of(DataType::Struct(members.into())))
}

fn arrays_zip(values: &[ScalarValue], to: &DataType) -> Result<ScalarValue> {
    if values.iter().any(ScalarValue::is_null) {
        return Ok(ScalarValue::Null);
    }
    let Some(member) = item_type(to) else { return Ok(ScalarValue::Null) };
    let columns = (1..values.len()).step_by(2).map(|index| item_values(values, index)).collect::<Result<Vec<_>>>()?;
    let n_rows = columns.iter().map(Vec::len).max().unwrap_or(0);
    let mut out = Vec::with_capacity(n_rows);
    for row in 0..n_rows {
        let DataType::Struct(fields) = &member else { break };
        let members = columns
            .iter()
            .zip(fields)
            .map(|(column, field)| match column.get(row) {
                Some(value) => Ok(value.clone()),
                None => ScalarValue::try_new_null(field.data_type()),
            })
            .collect::<Result<Vec<_>>>()?;
        out.push(of_fields(members, &member)?);
    }
    of_items(out, to)
}

/// Arrays stay arrays, bytes stay bytes, all else is text.
fn concat_type(fields: &[FieldRef], _: &[Option<&ScalarValue>]) -> Result<DataType> {
    let types: Vec<&DataType> = fields.iter().map(|field| field.data_type()).collect();
    Ok(match types.first() {
        Some(list @ DataType::List(_)) => (*list).clone(),
        Some(DataType::Binary) if types.iter().all(|given| **given == DataType::Binary) => DataType::Binary,
        _ => DataType::Utf8,
    })
}

fn concat(values: &[ScalarValue], to: &DataType) -> Result<ScalarValue> {
    if values.iter().any(ScalarValue::is_null) {
        return Ok(ScalarValue::Null);
    }
    if matches!(to, DataType::List(_)) {
        let mut out = Vec::new();
        for index in 0..values.len() {
            out.extend(item_values(values, index)?);
        }
        return of_items(out, to);
    }
    if *to == DataType::Binary {
        let mut out = Vec::new();
        for index in 0..values.len() {
            out.extend_from_slice(super::value::bytes(values, index)?);
        }
        return Ok(ScalarValue::Binary(Some(out)));
    }
    let mut out = String::new();
    for value in values {
        let array = value.to_array()?;
        out.push_str(&lakelet_types::cell_text(&array, 0).unwrap_or_default());
    }
    Ok(of_text(out))
}
