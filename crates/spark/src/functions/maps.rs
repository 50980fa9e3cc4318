//! Functions of maps.

use std::sync::Arc;

use datafusion::arrow::array::{Array, AsArray};
use datafusion::arrow::datatypes::{DataType, FieldRef};
use datafusion::common::{Result, ScalarValue};

use lakelet_types::sql_name;

use super::row::{Arg, Definition, Returns, fail, item_type, strict, variadic, wrong_number, wrong_type};
use super::value::{entries, items, of_entries, scalars};

pub(super) static FUNCTIONS: &[Definition] = &[
    variadic(super::MAP, &[Arg::KeyOrValue], 0, Returns::Of(map_type), |values, to| {
        let keys = values.iter().step_by(2).cloned().collect();
        let found = values.iter().skip(1).step_by(2).cloned().collect();
        of_entries(keys, found, to)
    }),
    variadic(
        "map_concat",
        &[Arg::Map],
        0,
        Returns::Of(|fields, _| {
            Ok(fields.first().map_or_else(
                || lakelet_types::map_type(DataType::Utf8, DataType::Utf8),
                |field| field.data_type().clone(),
            ))
        }),
        |values, to| {
            if values.iter().any(ScalarValue::is_null) {
                return Ok(ScalarValue::Null);
            }
            let (mut keys, mut found) = (Vec::new(), Vec::new());
            for index in 0..values.len() {
                let (more_keys, more) = entries(values, index)?;
                keys.extend(scalars(&more_keys)?);
                found.extend(scalars(&more)?);
            }
            of_entries(keys, found, to)
        },
    ),
    strict("map_contains_key", &[Arg::Map, Arg::Any], 2, Returns::Boolean, |values, _| {
        let (keys, _) = entries(values, 0)?;
        let Some(wanted) = values.get(1) else { return Ok(ScalarValue::Null) };
        let wanted = wanted.cast_to(keys.data_type())?;
        Ok(ScalarValue::Boolean(Some(scalars(&keys)?.contains(&wanted))))
    }),
    strict(
        "map_from_arrays",
        &[Arg::List, Arg::List],
        2,
        Returns::Of(|fields, _| {
            let item = |index: usize| {
                fields.get(index).and_then(|field| item_type(field.data_type())).unwrap_or(DataType::Null)
            };
            Ok(lakelet_types::map_type(item(0), item(1)))
        }),
        |values, to| {
            let (keys, found) = (scalars(&items(values, 0)?)?, scalars(&items(values, 1)?)?);
            if keys.len() != found.len() {
                return Err(super::row::fail(
                    "MAP_FROM_ARRAYS_LENGTH_MISMATCH",
                    "22023",
                    "The key array and value array of MapData must have the same length.",
                ));
            }
            of_entries(keys, found, to)
        },
    ),
    strict(
        "map_from_entries",
        &[Arg::List],
        1,
        Returns::Of(|fields, _| {
            let list = fields.first().map_or(&DataType::Null, |field| field.data_type());
            match item_type(list) {
                Some(DataType::Struct(members)) if members.len() == 2 => {
                    Ok(lakelet_types::map_type(members[0].data_type().clone(), members[1].data_type().clone()))
                }
                _ => Err(wrong_type("map_from_entries", 1, list)),
            }
        }),
        |values, to| {
            let pairs = items(values, 0)?;
            if pairs.null_count() > 0 {
                return Ok(ScalarValue::Null);
            }
            let pairs = pairs.as_struct();
            of_entries(scalars(&Arc::clone(pairs.column(0)))?, scalars(&Arc::clone(pairs.column(1)))?, to)
        },
    ),
];

fn map_type(fields: &[FieldRef], _: &[Option<&ScalarValue>]) -> Result<DataType> {
    if !fields.len().is_multiple_of(2) {
        return Err(wrong_number("map", "2n (n > 0)", fields.len()));
    }
    for (parity, condition, what) in [
        (0, "DATATYPE_MISMATCH.CREATE_MAP_KEY_DIFF_TYPES", "keys"),
        (1, "DATATYPE_MISMATCH.CREATE_MAP_VALUE_DIFF_TYPES", "values"),
    ] {
        let types: Vec<&DataType> = fields.iter().skip(parity).step_by(2).map(|field| field.data_type()).collect();
        if types.windows(2).any(|pair| pair[0] != pair[1]) {
            let names: Vec<String> = types.iter().map(|one| format!("\"{}\"", sql_name(one))).collect();
            let message = format!(
                "The given {what} of function `map` should all be the same type, but they are [{}].",
                names.join(", ")
            );
            return Err(fail(condition, "42K09", message));
        }
    }
    let of = |index: usize| fields.get(index).map_or(DataType::Null, |field| field.data_type().clone());
    Ok(lakelet_types::map_type(of(0), of(1)))
}
