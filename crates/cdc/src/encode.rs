//! Rows as bytes whose order is Spark's order of the values: NULL lowest, text by bytes, structs field by field.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type};
use arrow_array::{Array, ArrayRef, ListArray, MapArray, StructArray, UInt32Array};
use arrow_row::{RowConverter, Rows, SortField};
use arrow_schema::DataType;
use arrow_select::take::take;
use lakelet_base::Result;

use crate::error::arrow_error;

/// Encodes rows of fixed column types. Bytes of two rows compare as the rows do and are equal exactly for equal values:
/// `0.0` equals `-0.0`, every NaN is the same greatest number, and maps do not depend on the order of their entries.
#[derive(Debug)]
pub(crate) struct RowEncoder {
    /// `None` for no columns.
    converter: Option<RowConverter>,
}

/// Encoded rows; those of an encoder without columns are all empty.
#[derive(Debug, Default)]
pub(crate) struct EncodedRows(Option<Rows>);

impl RowEncoder {
    /// An encoder for rows of these column types.
    pub(crate) fn new(types: Vec<DataType>) -> Result<Self> {
        if types.is_empty() {
            return Ok(Self { converter: None });
        }
        let fields = types.into_iter().map(SortField::new).collect();
        Ok(Self { converter: Some(RowConverter::new(fields).map_err(arrow_error)?) })
    }

    /// Encodes arrays of equal length, of the types the encoder was made for.
    pub(crate) fn encode(&self, columns: &[ArrayRef]) -> Result<EncodedRows> {
        let Some(converter) = &self.converter else { return Ok(EncodedRows(None)) };
        let columns = columns.iter().map(normalize).collect::<Result<Vec<_>>>()?;
        Ok(EncodedRows(Some(converter.convert_columns(&columns).map_err(arrow_error)?)))
    }
}

impl EncodedRows {
    /// The bytes of one row.
    pub(crate) fn get(&self, row: u32) -> &[u8] {
        match &self.0 {
            Some(rows) => rows.row(row as usize).data(),
            None => &[],
        }
    }

    /// Bytes held.
    pub(crate) fn size_bytes(&self) -> usize {
        self.0.as_ref().map_or(0, Rows::size)
    }
}

/// The same values with one representation each.
fn normalize(array: &ArrayRef) -> Result<ArrayRef> {
    if !has_aliases(array.data_type()) {
        return Ok(array.clone());
    }
    Ok(match array.data_type() {
        DataType::Float32 => Arc::new(
            array
                .as_primitive::<Float32Type>()
                .unary::<_, Float32Type>(|value| if value.is_nan() { f32::NAN } else { value + 0.0 }),
        ),
        DataType::Float64 => Arc::new(
            array
                .as_primitive::<Float64Type>()
                .unary::<_, Float64Type>(|value| if value.is_nan() { f64::NAN } else { value + 0.0 }),
        ),
        DataType::List(item) => {
            let list = array.as_list::<i32>();
            let values = normalize(list.values())?;
            let list = ListArray::try_new(item.clone(), list.offsets().clone(), values, list.nulls().cloned());
            Arc::new(list.map_err(arrow_error)?)
        }
        DataType::Struct(fields) => {
            let columns = array.as_struct().columns().iter().map(normalize).collect::<Result<Vec<_>>>()?;
            let normal = StructArray::try_new_with_length(fields.clone(), columns, array.nulls().cloned(), array.len());
            Arc::new(normal.map_err(arrow_error)?)
        }
        DataType::Map(..) => Arc::new(sort_entries(array.as_map())?),
        _ => array.clone(),
    })
}

/// Whether equal values of this type may have different representations.
fn has_aliases(data_type: &DataType) -> bool {
    match data_type {
        DataType::Float32 | DataType::Float64 | DataType::Map(..) => true,
        DataType::List(item) => has_aliases(item.data_type()),
        DataType::Struct(fields) => fields.iter().any(|field| has_aliases(field.data_type())),
        _ => false,
    }
}

/// The maps with their entries in the order of the keys.
fn sort_entries(maps: &MapArray) -> Result<MapArray> {
    let (field, offsets, entries, nulls, ordered) = maps.clone().into_parts();
    let (entry_fields, columns, entry_nulls) = entries.into_parts();
    let columns = columns.iter().map(normalize).collect::<Result<Vec<_>>>()?;
    let encoded = RowEncoder::new(vec![columns[0].data_type().clone()])?.encode(&columns[..1])?;
    let mut order: Vec<u32> = (0..columns[0].len() as u32).collect();
    for bounds in offsets.windows(2) {
        order[bounds[0] as usize..bounds[1] as usize].sort_by(|&a, &b| encoded.get(a).cmp(encoded.get(b)));
    }
    let order = UInt32Array::from(order);
    let columns =
        columns.iter().map(|column| take(column, &order, None).map_err(arrow_error)).collect::<Result<Vec<_>>>()?;
    let entries = StructArray::try_new(entry_fields, columns, entry_nulls).map_err(arrow_error)?;
    MapArray::try_new(field, offsets, entries, nulls, ordered).map_err(arrow_error)
}

#[cfg(test)]
mod tests;
