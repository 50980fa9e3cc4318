//! The cells that IGNORE NULL UPDATES fills one by one: a column, or each leaf of a struct.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BooleanArray, StructArray};
use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_schema::DataType;
use arrow_select::nullif::nullif;
use lakelet_base::Result;

use crate::encode::RowEncoder;
use crate::error::{arrow_error, internal};

/// One thing that an event states or leaves out.
#[derive(Debug)]
pub(crate) struct Cell {
    /// Position of its column among the kept ones.
    pub(crate) column: usize,
    /// Fields to follow inside of the column.
    path: Vec<usize>,
    /// Whether this is not a value but "there is a struct here", stated by every struct that is not NULL.
    presence: bool,
    /// Whether a change of it opens a new version.
    pub(crate) tracked: bool,
    pub(crate) encoder: RowEncoder,
}

impl Cell {
    /// Appends the cells of a column, in the order in which [`assemble`] wants them.
    pub(crate) fn of_column(column: usize, data_type: &DataType, tracked: bool, cells: &mut Vec<Self>) -> Result<()> {
        Self::collect(column, &mut Vec::new(), data_type, tracked, cells)
    }

    fn collect(
        column: usize,
        path: &mut Vec<usize>,
        data_type: &DataType,
        tracked: bool,
        cells: &mut Vec<Self>,
    ) -> Result<()> {
        let DataType::Struct(fields) = data_type else {
            let encoder = RowEncoder::new(vec![data_type.clone()])?;
            cells.push(Self { column, path: path.clone(), presence: false, tracked, encoder });
            return Ok(());
        };
        let encoder = RowEncoder::new(vec![DataType::Boolean])?;
        cells.push(Self { column, path: path.clone(), presence: true, tracked, encoder });
        for (index, field) in fields.iter().enumerate() {
            path.push(index);
            Self::collect(column, path, field.data_type(), tracked, cells)?;
            path.pop();
        }
        Ok(())
    }

    /// The values of this cell in an array of its column; NULL where the event states nothing.
    pub(crate) fn extract(&self, column: &ArrayRef) -> Result<ArrayRef> {
        let mut array = column.clone();
        let mut outer: Option<NullBuffer> = None;
        for &index in &self.path {
            let parent =
                array.as_struct_opt().ok_or_else(|| internal("a column of structs holds something else"))?.clone();
            outer = NullBuffer::union(outer.as_ref(), parent.nulls());
            array = parent.column(index).clone();
        }
        if self.presence {
            let nulls = NullBuffer::union(outer.as_ref(), array.nulls());
            return Ok(Arc::new(BooleanArray::new(BooleanBuffer::new_set(array.len()), nulls)));
        }
        match outer {
            Some(outer) => nullif(&array, &BooleanArray::new(!outer.inner(), None)).map_err(arrow_error),
            None => Ok(array),
        }
    }
}

/// Puts a column together again from the picked values of its cells, `picked` giving them in their order.
pub(crate) fn assemble(data_type: &DataType, picked: &mut dyn Iterator<Item = ArrayRef>) -> Result<ArrayRef> {
    let cell = picked.next().ok_or_else(|| internal("a column misses one of its cells"))?;
    let DataType::Struct(fields) = data_type else { return Ok(cell) };
    let columns = fields.iter().map(|field| assemble(field.data_type(), picked)).collect::<Result<Vec<_>>>()?;
    let array = StructArray::try_new_with_length(fields.clone(), columns, cell.nulls().cloned(), cell.len());
    Ok(Arc::new(array.map_err(arrow_error)?))
}
