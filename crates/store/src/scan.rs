//! Reading rows batch by batch.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{UInt32Type, UInt64Type};
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchOptions, UInt32Array, UInt64Array};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use arrow_select::concat::concat_batches;
use arrow_select::take::take;
use lakelet_base::Result;

use crate::difference::RowSet;
use crate::error::{arrow, internal};
use crate::segment::read_column;
use crate::{Column, RowAddress};

/// Name of the column that [`Scan::with_addresses`] adds for [`RowAddress::segment`] (`UInt64`, never NULL).
pub const SEGMENT_COLUMN: &str = "_lakelet_segment";

/// Name of the column that [`Scan::with_addresses`] adds for [`RowAddress::row`] (`UInt32`, never NULL).
pub const ROW_COLUMN: &str = "_lakelet_row";

const BATCH_ROWS: usize = 8_192;

/// The rows of a version, or of a difference, in batches of at most 8,192 rows. Owns what it reads, so it outlives the
/// table. Small segments come together in one batch. The order is that of the row addresses.
#[derive(Debug, Clone)]
pub struct Scan {
    rows: Arc<[RowSet]>,
    columns: Arc<[Column]>,
    schema: SchemaRef,
    with_addresses: bool,
    next_set: usize,
    /// Rows of the next set already given.
    next_row: usize,
}

impl Scan {
    pub(crate) fn of_rows(rows: Vec<RowSet>, columns: &[Column]) -> Self {
        let schema = Arc::new(Schema::new(columns.iter().map(Column::field).collect::<Vec<_>>()));
        Self { rows: rows.into(), columns: columns.into(), schema, with_addresses: false, next_set: 0, next_row: 0 }
    }

    /// Only the columns at these positions, in this order; positions that are not there are left out.
    #[must_use]
    pub fn project(self, projection: &[usize]) -> Self {
        let columns: Vec<Column> = projection.iter().filter_map(|index| self.columns.get(*index)).cloned().collect();
        self.with_columns(&columns)
    }

    /// The same rows read with other columns of the table, for instance those of another version.
    #[must_use]
    pub fn with_columns(self, columns: &[Column]) -> Self {
        let scan = Self { rows: self.rows, ..Self::of_rows(Vec::new(), columns) };
        if self.with_addresses { scan.with_addresses() } else { scan }
    }

    /// The same with [`SEGMENT_COLUMN`] and [`ROW_COLUMN`] after the other columns.
    #[must_use]
    pub fn with_addresses(mut self) -> Self {
        let mut fields: Vec<Field> = self.columns.iter().map(Column::field).collect();
        fields.push(Field::new(SEGMENT_COLUMN, DataType::UInt64, false));
        fields.push(Field::new(ROW_COLUMN, DataType::UInt32, false));
        self.schema = Arc::new(Schema::new(fields));
        self.with_addresses = true;
        self
    }

    /// Schema of every batch.
    pub fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    /// Number of rows of the whole scan.
    pub fn n_rows(&self) -> usize {
        self.rows.iter().map(RowSet::n_rows).sum()
    }

    /// All rows in one batch.
    ///
    /// # Errors
    /// An internal error where the log holds values that do not fit their columns.
    pub fn collect_batch(self) -> Result<RecordBatch> {
        let schema = self.schema();
        let batches = self.collect::<Result<Vec<_>>>()?;
        match batches.as_slice() {
            [one] => Ok(one.clone()),
            _ => concat_batches(&schema, &batches).map_err(arrow),
        }
    }

    /// Up to `n_max` rows of the set at `index` from `start` on.
    fn fragment(&self, set: &RowSet, start: usize, n_max: usize) -> Result<RecordBatch> {
        let n_rows = (set.n_rows() - start).min(n_max);
        let indices: Option<UInt32Array> =
            set.rows.as_ref().map(|rows| rows.iter().skip(start).take(n_rows).collect::<Vec<u32>>().into());
        let pick = |array: &ArrayRef| match &indices {
            None => Ok(array.slice(start, n_rows)),
            Some(indices) => take(array.as_ref(), indices, None).map_err(arrow),
        };
        let mut arrays = Vec::with_capacity(self.schema.fields().len());
        for column in self.columns.iter() {
            arrays.push(read_column(&set.segment.batch, &set.segment.column_ids, column, n_rows, pick)?);
        }
        if self.with_addresses {
            arrays.push(Arc::new(UInt64Array::from_value(set.segment.id, n_rows)));
            arrays.push(Arc::new(match indices {
                Some(indices) => indices,
                None => UInt32Array::from_iter_values((start..start + n_rows).map(|row| row as u32)),
            }));
        }
        let options = RecordBatchOptions::new().with_row_count(Some(n_rows));
        RecordBatch::try_new_with_options(self.schema.clone(), arrays, &options).map_err(arrow)
    }
}

impl Iterator for Scan {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut fragments = Vec::new();
        let mut n_rows = 0;
        let rows = self.rows.clone();
        while let Some(set) = rows.get(self.next_set) {
            let n_left = set.n_rows() - self.next_row;
            let n_taken = n_left.min(BATCH_ROWS - n_rows);
            if n_taken > 0 {
                match self.fragment(set, self.next_row, n_taken) {
                    Ok(fragment) => fragments.push(fragment),
                    Err(error) => {
                        self.next_set = rows.len();
                        return Some(Err(error));
                    }
                }
            }
            n_rows += n_taken;
            if n_taken == n_left {
                (self.next_set, self.next_row) = (self.next_set + 1, 0);
            } else {
                self.next_row += n_taken;
            }
            if n_rows == BATCH_ROWS {
                break;
            }
        }
        match fragments.as_slice() {
            [] => None,
            [one] => Some(Ok(one.clone())),
            _ => Some(concat_batches(&self.schema, &fragments).map_err(arrow)),
        }
    }
}

/// The addresses in a batch of a scan [with addresses](Scan::with_addresses), or of anything computed from one that kept
/// both columns.
///
/// # Errors
/// An internal error when a column is missing, of another type, or has NULLs.
pub fn row_addresses(batch: &RecordBatch) -> Result<Vec<RowAddress>> {
    let segments = batch.column_by_name(SEGMENT_COLUMN).and_then(|array| array.as_primitive_opt::<UInt64Type>());
    let rows = batch.column_by_name(ROW_COLUMN).and_then(|array| array.as_primitive_opt::<UInt32Type>());
    match (segments, rows) {
        (Some(segments), Some(rows)) if segments.null_count() + rows.null_count() == 0 => {
            let pairs = segments.values().iter().zip(rows.values());
            Ok(pairs.map(|(segment, row)| RowAddress { segment: *segment, row: *row }).collect())
        }
        _ => Err(internal("the batch has no row addresses")),
    }
}
