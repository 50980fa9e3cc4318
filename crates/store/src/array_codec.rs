//! Arrays of canonical types to bytes and back.
//!
//! A blob is: number of rows, number of lengths, the lengths (all `u64`, little-endian), then buffers, each at a multiple
//! of 16 bytes. Which buffers there are follows from the type, in this order: the validity bitmap, values or offsets,
//! data, children. The lengths say what does not follow: 1 or 0 for each array, as it has a bitmap or not, the bytes of
//! text and binary, the values of lists and maps.
//!
//! Unlike Arrow's own stream form it names no types, which the head of a record does, and every byte of it is checked:
//! no log, however wrong, makes reading panic.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, make_array};
use arrow_buffer::{Buffer, OffsetBuffer};
use arrow_data::ArrayData;
use arrow_schema::{DataType, IntervalUnit, TimeUnit};
use lakelet_base::Result;
use lakelet_types::simple_string;

use crate::error::internal;

const ALIGNMENT: usize = 16;

/// Bytes of one value of a type of fixed width.
fn width(data_type: &DataType) -> Option<usize> {
    Some(match data_type {
        DataType::Int8 => 1,
        DataType::Int16 => 2,
        DataType::Int32 | DataType::Float32 | DataType::Date32 | DataType::Interval(IntervalUnit::YearMonth) => 4,
        DataType::Int64
        | DataType::Float64
        | DataType::Timestamp(TimeUnit::Microsecond, _)
        | DataType::Time64(TimeUnit::Microsecond)
        | DataType::Duration(TimeUnit::Microsecond) => 8,
        DataType::Decimal128(..) => 16,
        _ => return None,
    })
}

/// Whether arrays of a type can be kept.
pub(crate) fn can_keep(data_type: &DataType) -> bool {
    match data_type {
        DataType::Null | DataType::Boolean | DataType::Utf8 | DataType::Binary => true,
        DataType::List(item) => can_keep(item.data_type()),
        DataType::Map(entries, false) => match entries.data_type() {
            DataType::Struct(fields) => fields.len() == 2 && fields.iter().all(|field| can_keep(field.data_type())),
            _ => false,
        },
        DataType::Struct(fields) => fields.iter().all(|field| can_keep(field.data_type())),
        other => width(other).is_some(),
    }
}

/// The blob of some columns of `n_rows` rows.
///
/// # Errors
/// An internal error for a type that cannot be kept.
pub(crate) fn encode_arrays(n_rows: usize, arrays: &[ArrayRef]) -> Result<Vec<u8>> {
    let mut writer = Writer::default();
    for array in arrays {
        writer.array(array.as_ref())?;
    }
    let mut blob = Vec::with_capacity((writer.lengths.len() + 4) * 8 + writer.body.len());
    blob.extend_from_slice(&(n_rows as u64).to_le_bytes());
    blob.extend_from_slice(&(writer.lengths.len() as u64).to_le_bytes());
    for length in writer.lengths {
        blob.extend_from_slice(&(length as u64).to_le_bytes());
    }
    blob.resize(blob.len().next_multiple_of(ALIGNMENT), 0);
    blob.extend_from_slice(&writer.body);
    Ok(blob)
}

/// The number of rows and the columns in a blob. They refer to it where it is aligned.
pub(crate) fn decode_arrays(blob: &Buffer, types: &[DataType]) -> Option<(usize, Vec<ArrayRef>)> {
    let number = |index: usize| -> Option<usize> {
        let start = index.checked_mul(8)?;
        let bytes = blob.get(start..start.checked_add(8)?)?;
        usize::try_from(u64::from_le_bytes(bytes.try_into().ok()?)).ok()
    };
    let (n_rows, n_lengths) = (number(0)?, number(1)?);
    // The row of an address has 32 bits.
    u32::try_from(n_rows).ok()?;
    if n_lengths > blob.len() / 8 {
        return None;
    }
    let lengths: Vec<usize> = (0..n_lengths).map(|index| number(index + 2)).collect::<Option<_>>()?;
    let position = ((n_lengths + 2) * 8).next_multiple_of(ALIGNMENT);
    let mut reader = Reader { lengths: lengths.into_iter(), blob, position };
    let mut arrays = Vec::with_capacity(types.len());
    for data_type in types {
        arrays.push(make_array(reader.array(data_type, n_rows)?));
    }
    Some((n_rows, arrays))
}

#[derive(Default)]
struct Writer {
    lengths: Vec<usize>,
    body: Vec<u8>,
}

impl Writer {
    fn array(&mut self, array: &dyn Array) -> Result<()> {
        if matches!(array.data_type(), DataType::Null) {
            return Ok(());
        }
        match array.nulls().filter(|nulls| nulls.null_count() > 0) {
            Some(nulls) => {
                self.lengths.push(1);
                self.buffer(nulls.inner().sliced().as_slice());
            }
            None => self.lengths.push(0),
        }
        match array.data_type() {
            DataType::Boolean => self.buffer(array.as_boolean().values().sliced().as_slice()),
            DataType::Utf8 => {
                let array = array.as_string::<i32>();
                self.text(array.offsets(), array.value_data());
            }
            DataType::Binary => {
                let array = array.as_binary::<i32>();
                self.text(array.offsets(), array.value_data());
            }
            DataType::List(_) => {
                let array = array.as_list::<i32>();
                let (start, len) = self.offsets(array.offsets());
                self.array(array.values().slice(start, len).as_ref())?;
            }
            DataType::Map(..) => {
                let array = array.as_map();
                let (start, len) = self.offsets(array.offsets());
                self.array(&array.entries().slice(start, len))?;
            }
            DataType::Struct(_) => {
                for column in array.as_struct().columns() {
                    self.array(column.as_ref())?;
                }
            }
            other => {
                let (Some(width), data) = (width(other), array.to_data()) else {
                    return Err(internal(format!("values of type {} cannot be kept", simple_string(other))));
                };
                let range = data.offset() * width..(data.offset() + data.len()) * width;
                let values = data.buffers().first().and_then(|values| values.get(range));
                self.buffer(values.ok_or_else(|| internal("an array is shorter than it says"))?);
            }
        }
        Ok(())
    }

    fn text(&mut self, offsets: &OffsetBuffer<i32>, data: &[u8]) {
        let (start, len) = self.offsets(offsets);
        self.buffer(data.get(start..start + len).unwrap_or_default());
    }

    /// Writes offsets that begin with 0; gives the range of values that they refer to.
    fn offsets(&mut self, offsets: &OffsetBuffer<i32>) -> (usize, usize) {
        let start = offsets.first().copied().unwrap_or_default();
        let len = offsets.last().map_or(0, |end| (end - start) as usize);
        self.lengths.push(len);
        let rebased: Vec<u8> = offsets.iter().flat_map(|offset| (offset - start).to_le_bytes()).collect();
        self.buffer(&rebased);
        (start as usize, len)
    }

    fn buffer(&mut self, bytes: &[u8]) {
        self.body.resize(self.body.len().next_multiple_of(ALIGNMENT), 0);
        self.body.extend_from_slice(bytes);
    }
}

struct Reader<'a> {
    lengths: std::vec::IntoIter<usize>,
    blob: &'a Buffer,
    position: usize,
}

impl Reader<'_> {
    fn array(&mut self, data_type: &DataType, n_rows: usize) -> Option<ArrayData> {
        let mut builder = ArrayData::builder(data_type.clone()).len(n_rows).align_buffers(true);
        if matches!(data_type, DataType::Null) {
            return builder.build().ok();
        }
        if self.lengths.next()? == 1 {
            builder = builder.null_bit_buffer(Some(self.buffer(n_rows.div_ceil(8))?));
        }
        builder = match data_type {
            DataType::Boolean => builder.add_buffer(self.buffer(n_rows.div_ceil(8))?),
            DataType::Utf8 | DataType::Binary => {
                let len = self.lengths.next()?;
                builder.add_buffer(self.offsets(n_rows)?).add_buffer(self.buffer(len)?)
            }
            DataType::List(item) => {
                let len = self.lengths.next()?;
                builder.add_buffer(self.offsets(n_rows)?).add_child_data(self.array(item.data_type(), len)?)
            }
            DataType::Map(entries, _) => {
                let len = self.lengths.next()?;
                builder.add_buffer(self.offsets(n_rows)?).add_child_data(self.array(entries.data_type(), len)?)
            }
            DataType::Struct(fields) => {
                for field in fields {
                    builder = builder.add_child_data(self.array(field.data_type(), n_rows)?);
                }
                builder
            }
            other => builder.add_buffer(self.buffer(n_rows.checked_mul(width(other)?)?)?),
        };
        // Checks everything: lengths, offsets, UTF-8, NULLs in members that forbid them.
        builder.build().ok()
    }

    fn offsets(&mut self, n_rows: usize) -> Option<Buffer> {
        self.buffer(n_rows.checked_add(1)?.checked_mul(4)?)
    }

    fn buffer(&mut self, len: usize) -> Option<Buffer> {
        let start = self.position.checked_next_multiple_of(ALIGNMENT)?;
        let end = start.checked_add(len).filter(|end| *end <= self.blob.len())?;
        self.position = end;
        Some(self.blob.slice_with_length(start, len))
    }
}

#[cfg(test)]
mod tests;
