//! Making the memory anew from the stored tables.

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions, new_null_array};
use arrow_schema::{Schema, SchemaRef};
use lakelet_base::{Diagnostic, Result, same_name};
use lakelet_store::{RowAddress, SegmentId};

use super::compact::concat;
use super::{Addresses, CdcState, KeyIndex};
use crate::apply::{ApplyOptions, apply};
use crate::batch::Incoming;
use crate::encode::RowEncoder;
use crate::error::{arrow_error, classes, internal};
use crate::resolved::{BOUND_START, ResolvedSpec};
use crate::spec::ScdType;

/// Rows read from a table, and where each lies.
#[derive(Debug, Clone)]
pub struct StoredRows {
    /// The rows.
    pub rows: RecordBatch,
    /// One for each row.
    pub addresses: Vec<RowAddress>,
}

impl StoredRows {
    /// Rows that are a whole segment.
    pub fn of_segment(rows: RecordBatch, segment: SegmentId) -> Self {
        let addresses = (0..rows.num_rows() as u32).map(|row| RowAddress { segment, row }).collect();
        Self { rows, addresses }
    }
}

impl CdcState {
    /// The memory of a target, made from the rows of its events table and its own, as after a restart or after the
    /// definition was changed within the bounds of [`ResolvedSpec::check_drift`]. Columns are found by name; those that
    /// stored rows lack, because the source gained them later, are NULL. Rows may come in any order.
    ///
    /// # Errors
    /// `AUTOCDC_INVALID_STATE.TARGET_CHANGED` when the target's rows are not those that follow from the events, as after
    /// a DELETE on the target; `INTERNAL_ERROR` for columns of another type.
    pub fn rebuild(spec: &ResolvedSpec, events: &[StoredRows], target: &[StoredRows]) -> Result<Self> {
        let mut state = Self::new(spec);
        let (events, event_addresses) = gather(spec.event_schema(), events)?;
        let incoming = Incoming::from_events(spec, &events)?;
        let outcome = apply(spec, &state, incoming, ApplyOptions::default())?;

        let target_addresses = find_rows(spec, &outcome.added, target)?;
        let event_rows = &outcome.delta.event_rows;
        let kept = event_rows.iter().zip(event_addresses).filter(|(row, _)| **row != super::NONE);
        let event_addresses = kept.map(|(_, address)| address).collect();
        state.install(spec, &outcome, Addresses::Each(target_addresses), Addresses::Each(event_addresses))?;
        Ok(state)
    }
}

/// Stored rows in the columns of `schema`, as one batch.
fn gather(schema: &SchemaRef, stored: &[StoredRows]) -> Result<(RecordBatch, Vec<RowAddress>)> {
    let mut batches = Vec::with_capacity(stored.len());
    let mut addresses = Vec::new();
    for part in stored {
        if part.addresses.len() != part.rows.num_rows() {
            return Err(internal("stored rows have another number of addresses"));
        }
        addresses.extend_from_slice(&part.addresses);
        batches.push(adapt(schema, &part.rows)?);
    }
    Ok((concat(schema, &batches)?, addresses))
}

fn adapt(schema: &SchemaRef, rows: &RecordBatch) -> Result<RecordBatch> {
    let stored = rows.schema();
    let column = |field: &arrow_schema::FieldRef| -> Result<ArrayRef> {
        let Some(index) = stored.fields().iter().position(|other| same_name(other.name(), field.name())) else {
            return Ok(new_null_array(field.data_type(), rows.num_rows()));
        };
        let array = rows.column(index);
        if array.data_type() != field.data_type() {
            return Err(internal(format_args!("stored column {} has another type than its flow", field.name())));
        }
        Ok(array.clone())
    };
    let columns = schema.fields().iter().map(column).collect::<Result<Vec<_>>>()?;
    let options = RecordBatchOptions::new().with_row_count(Some(rows.num_rows()));
    RecordBatch::try_new_with_options(schema.clone(), columns, &options).map_err(arrow_error)
}

/// The address of each of the `wanted` rows in the stored target. A row is known by its key, and for type 2 its start.
fn find_rows(spec: &ResolvedSpec, wanted: &RecordBatch, target: &[StoredRows]) -> Result<Vec<RowAddress>> {
    let mut names = spec.key_names();
    if spec.scd_type() == ScdType::Type2 {
        names.push(BOUND_START);
    }
    let fields = names.iter().filter_map(|name| wanted.schema().field_with_name(name).cloned().ok());
    let schema = SchemaRef::new(Schema::new(fields.collect::<Vec<_>>()));
    let encoder = RowEncoder::new(schema.fields().iter().map(|field| field.data_type().clone()).collect())?;
    let changed = || {
        Box::new(
            Diagnostic::new(
                classes::TARGET_CHANGED,
                "The rows of the target are not those that its events gave: something else has changed it.",
            )
            .hint("REFRESH STREAMING TABLE … FULL makes it anew from what its source holds now."),
        )
    };

    let (stored, stored_addresses) = gather(&schema, target)?;
    let stored_rows = encoder.encode(stored.columns())?;
    let mut index = KeyIndex::default();
    for row in 0..stored_addresses.len() as u32 {
        let identity = stored_rows.get(row);
        let hash = KeyIndex::hash(identity);
        if index.find(hash, identity).is_some() {
            return Err(changed());
        }
        index.insert_new(hash, identity);
    }
    if index.len() != wanted.num_rows() {
        return Err(changed());
    }
    let wanted_rows = encoder.encode(adapt(&schema, wanted)?.columns())?;
    let address = |row: u32| {
        let identity = wanted_rows.get(row);
        let number = index.find(KeyIndex::hash(identity), identity).ok_or_else(changed)?;
        Ok(stored_addresses[number as usize])
    };
    (0..wanted.num_rows() as u32).map(address).collect()
}
