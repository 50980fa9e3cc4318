//! Arrays brought to the exact type of a column.

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
/// name, and on the way out, where the column's type has grown since the rows were written. `path` names the column in
/// messages.
///
/// # Errors
/// `DELTA_NOT_NULL_CONSTRAINT_VIOLATED` for a NULL in a member that forbids it; an internal error where the types do not
/// go together.
pub(crate) fn adapt(path: &str, array: &ArrayRef, target: &DataType) -> Result<ArrayRef> {
    if array.data_type() == target {
        return Ok(array.clone());
    }
    let array = to_canonical(array)?;
    match (array.data_type(), target) {
        (source, target) if source == target => Ok(array),
        (DataType::Null, _) => Ok(new_null_array(target, array.len())),
        (DataType::List(_), DataType::List(item)) => {
            let list = array.as_list::<i32>();
            let values = adapt(&format!("{path}.element"), list.values(), item.data_type())?;
            let list = ListArray::try_new(item.clone(), list.offsets().clone(), values, list.nulls().cloned());
            Ok(Arc::new(list.map_err(arrow)?))
        }
        (DataType::Map(..), DataType::Map(entries, is_sorted)) => {
            let map = array.as_map();
            let DataType::Struct(fields) = entries.data_type() else { return Err(no_way(&array, target)) };
            let inner = adapt_members(path, map.entries(), fields, false)?;
            let map =
                MapArray::try_new(entries.clone(), map.offsets().clone(), inner, map.nulls().cloned(), *is_sorted);
            Ok(Arc::new(map.map_err(arrow)?))
        }
        (DataType::Struct(_), DataType::Struct(fields)) => {
            Ok(Arc::new(adapt_members(path, array.as_struct(), fields, true)?))
        }
        (source, target) if source.is_nested() || target.is_nested() => Err(no_way(&array, target)),
        _ => {
            let options = CastOptions { safe: false, ..CastOptions::default() };
            cast_with_options(array.as_ref(), target, &options).map_err(arrow)
        }
    }
}

fn adapt_members(path: &str, array: &StructArray, fields: &Fields, by_name: bool) -> Result<StructArray> {
    let member = |index: usize, field: &Field| -> Result<ArrayRef> {
        let path = format!("{path}.{}", field.name());
        let found = if by_name {
            array.fields().iter().position(|other| same_name(other.name(), field.name()))
        } else {
            Some(index)
        };
        let column = match found.and_then(|index| array.columns().get(index)) {
            Some(column) => adapt(&path, column, field.data_type())?,
            None => new_null_array(field.data_type(), array.len()),
        };
        // A member of a struct that is NULL is not there: only NULLs of structs that are there count.
        let is_violated = !field.is_nullable()
            && column
                .logical_nulls()
                .is_some_and(|nulls| (0..column.len()).any(|row| array.is_valid(row) && nulls.is_null(row)));
        if is_violated { Err(not_null(&path)) } else { Ok(column) }
    };
    let columns = fields.iter().enumerate().map(|(index, field)| member(index, field));
    let columns = columns.collect::<Result<Vec<_>>>()?;
    StructArray::try_new_with_length(fields.clone(), columns, array.nulls().cloned(), array.len()).map_err(arrow)
}

fn no_way(array: &ArrayRef, target: &DataType) -> Box<lakelet_base::Diagnostic> {
    internal(format!("a {} cannot be kept as {}", simple_string(array.data_type()), simple_string(target)))
}
