//! Arrays brought to the exact type of a column, and the check for NULLs that may not be there.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, ListArray, MapArray, StructArray, new_null_array};
use arrow_cast::{CastOptions, cast_with_options};
use arrow_schema::{DataType, Field, Fields};
use lakelet_base::{Result, same_name};
use lakelet_types::{simple_string, to_canonical};

use crate::error::{arrow, internal, not_null};

/// `array` in type `target`: equal values under other field names, wider numbers, structs member by member by name
/// (members that are missing read as NULL). Used on the way in, where an operator calls the item of a list by another
/// name, and on the way out, where the column's type has grown since the rows were written.
pub(crate) fn adapt(array: &ArrayRef, target: &DataType) -> Result<ArrayRef> {
    if array.data_type() == target {
        return Ok(array.clone());
    }
    let array = to_canonical(array)?;
    match (array.data_type(), target) {
        (source, target) if source == target => Ok(array),
        (DataType::Null, _) => Ok(new_null_array(target, array.len())),
        (DataType::List(_), DataType::List(item)) => {
            let list = array.as_list::<i32>();
            let values = adapt(list.values(), item.data_type())?;
            let list = ListArray::try_new(item.clone(), list.offsets().clone(), values, list.nulls().cloned());
            Ok(Arc::new(list.map_err(arrow)?))
        }
        (DataType::Map(..), DataType::Map(entries, is_sorted)) => {
            let map = array.as_map();
            let DataType::Struct(fields) = entries.data_type() else { return Err(no_way(&array, target)) };
            let inner = adapt_members(map.entries(), fields, false)?;
            let map =
                MapArray::try_new(entries.clone(), map.offsets().clone(), inner, map.nulls().cloned(), *is_sorted);
            Ok(Arc::new(map.map_err(arrow)?))
        }
        (DataType::Struct(_), DataType::Struct(fields)) => {
            Ok(Arc::new(adapt_members(array.as_struct(), fields, true)?))
        }
        (source, target) if source.is_nested() || target.is_nested() => Err(no_way(&array, target)),
        _ => {
            let options = CastOptions { safe: false, ..CastOptions::default() };
            cast_with_options(array.as_ref(), target, &options).map_err(arrow)
        }
    }
}

fn adapt_members(array: &StructArray, fields: &Fields, by_name: bool) -> Result<StructArray> {
    let member = |index: usize, field: &Field| -> Result<ArrayRef> {
        let found = if by_name {
            array.fields().iter().position(|other| same_name(other.name(), field.name()))
        } else {
            Some(index)
        };
        match found.and_then(|index| array.columns().get(index)) {
            Some(column) => adapt(column, field.data_type()),
            None => Ok(new_null_array(field.data_type(), array.len())),
        }
    };
    let columns = fields.iter().enumerate().map(|(index, field)| member(index, field));
    let columns = columns.collect::<Result<Vec<_>>>()?;
    StructArray::try_new_with_length(fields.clone(), columns, array.nulls().cloned(), array.len()).map_err(arrow)
}

fn no_way(array: &ArrayRef, target: &DataType) -> Box<lakelet_base::Diagnostic> {
    internal(format!("a {} cannot be kept as {}", simple_string(array.data_type()), simple_string(target)))
}

/// Refuses NULLs where `field` forbids them, in members of structs too; `path` names the column in the message.
///
/// # Errors
/// `DELTA_NOT_NULL_CONSTRAINT_VIOLATED`.
pub(crate) fn check_not_null(path: &str, field: &Field, array: &dyn Array) -> Result<()> {
    if !field.is_nullable() && array.logical_null_count() > 0 {
        return Err(not_null(path));
    }
    if let (DataType::Struct(fields), Some(members)) = (field.data_type(), array.as_struct_opt()) {
        for (member, column) in fields.iter().zip(members.columns()) {
            let path = format!("{path}.{}", member.name());
            // A member of a NULL struct is not there: only NULLs of structs that are there count.
            match members.nulls() {
                Some(parent) if !member.is_nullable() => {
                    let is_violated = (0..column.len()).any(|row| parent.is_valid(row) && column.is_null(row));
                    if is_violated {
                        return Err(not_null(&path));
                    }
                }
                _ => check_not_null(&path, member, column.as_ref())?,
            }
        }
    }
    Ok(())
}
