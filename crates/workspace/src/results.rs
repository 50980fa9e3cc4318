//! Results that the page pages through.

use std::collections::BTreeMap;

use arrow::array::RecordBatch;
use arrow::datatypes::{Field, Schema};
use lakelet_base::{Diagnostic, ErrorClass, Result};
use lakelet_engine::ResultRows;
use lakelet_protocol::{ColumnView, ResultHeader, ResultPage};

/// Results kept at a time; the oldest goes first.
const RESULTS_MAX: usize = 64;

struct Kept {
    batches: Vec<RecordBatch>,
    /// First row of each batch.
    starts: Vec<u64>,
    schema: std::sync::Arc<Schema>,
}

/// The results that are open, by handle.
#[derive(Default)]
pub(crate) struct Results {
    kept: BTreeMap<u64, Kept>,
    last: u64,
}

/// A column as the page sees it.
pub(crate) fn column_view(field: &Field) -> ColumnView {
    ColumnView {
        name: field.name().clone(),
        type_name: lakelet_types::field_simple_string(field),
        nullable: field.is_nullable(),
        default: None,
        comment: None,
    }
}

impl Results {
    /// Numbers what is kept from here on from after `number`.
    pub fn number_from(&mut self, number: u64) {
        self.last = self.last.max(number);
    }

    /// Keeps rows and gives their handle.
    pub fn keep(&mut self, rows: ResultRows) -> ResultHeader {
        self.last += 1;
        let mut n_rows = 0;
        let mut starts = Vec::with_capacity(rows.batches.len());
        for batch in &rows.batches {
            starts.push(n_rows);
            n_rows += batch.num_rows() as u64;
        }
        let columns = rows.schema.fields().iter().map(|field| column_view(field)).collect();
        self.kept.insert(self.last, Kept { batches: rows.batches, starts, schema: rows.schema });
        while self.kept.len() > RESULTS_MAX {
            self.kept.pop_first();
        }
        ResultHeader { result: self.last, columns, n_rows }
    }

    /// Forgets all results; their numbers are not given again.
    pub fn clear(&mut self) {
        self.kept.clear();
    }

    /// Forgets a result.
    pub fn close(&mut self, result: u64) {
        self.kept.remove(&result);
    }

    /// Rows of a result as text.
    pub fn page(&self, result: u64, row_from: u64, n_rows: usize) -> Result<ResultPage> {
        let Some(kept) = self.kept.get(&result) else {
            return Err(Box::new(
                Diagnostic::new(ErrorClass::new("LAKELET_RESULT_CLOSED", "24000"), "This result is not kept any more.")
                    .hint("Run the statement again."),
            ));
        };
        let mut rows = Vec::new();
        let first = kept.starts.partition_point(|start| *start <= row_from).saturating_sub(1);
        for (batch, start) in kept.batches.iter().zip(&kept.starts).skip(first) {
            for row in 0..batch.num_rows() {
                if start + (row as u64) < row_from {
                    continue;
                }
                if rows.len() == n_rows {
                    return Ok(ResultPage { result, row_from, rows });
                }
                rows.push(text_row(batch, &kept.schema, row));
            }
        }
        Ok(ResultPage { result, row_from, rows })
    }
}

/// A row as text; `None` is NULL.
pub(crate) fn text_row(batch: &RecordBatch, schema: &Schema, row: usize) -> Vec<Option<String>> {
    batch
        .columns()
        .iter()
        .zip(schema.fields())
        .map(|(column, field)| lakelet_types::field_cell_text(field, column.as_ref(), row))
        .collect()
}
