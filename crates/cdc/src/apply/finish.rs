//! From the notes about every key to the Arrow batches of the outcome.

use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Int8Array, Int64Array, RecordBatch, RecordBatchOptions, UInt32Array};
use arrow_schema::{Schema, SchemaRef};
use arrow_select::nullif::nullif;
use arrow_select::take::take;
use lakelet_base::Result;

use super::draft::Draft;
use super::group::Groups;
use super::replay::Version;
use super::values::Values;
use super::window::Past;
use crate::batch::{Arrivals, EventKind, Incoming};
use crate::encode::EncodedRows;
use crate::error::arrow_error;
use crate::outcome::CdcOutcome;
use crate::resolved::ResolvedSpec;
use crate::spec::ScdType;
use crate::state::{Delta, NONE};
use crate::trace::Trace;

impl Draft<'_> {
    /// Builds the outcome. `truncate` is the row that empties the table anew.
    pub(crate) fn finish(
        mut self,
        spec: &ResolvedSpec,
        groups: &Groups,
        past: &Past,
        truncate: Option<u32>,
        trace: Option<Trace>,
    ) -> Result<CdcOutcome> {
        let incoming = self.incoming;
        self.count_rows();
        self.counts.keys_touched = groups.slots.len() as u64;
        let mut is_kept = std::mem::take(&mut self.is_kept);
        if let Some(row) = truncate {
            is_kept[row as usize] = true;
        }
        let kept_rows: Vec<u32> = (0..incoming.n_rows).filter(|&row| is_kept[row as usize]).collect();
        let mut event_rows = vec![NONE; incoming.n_rows as usize];
        for (&row, event_row) in kept_rows.iter().zip(0..) {
            event_rows[row as usize] = event_row;
        }

        let mut removed_events: Vec<_> =
            self.freed_events.iter().map(|&event| self.state.event_address(event)).collect();
        let mut truncation = None;
        if let Some(row) = truncate {
            removed_events.extend(self.state.truncation.as_ref().map(|old| old.address));
            truncation = Some((incoming.sequences.get(row).into(), event_rows[row as usize]));
        }
        Ok(CdcOutcome {
            added: visible_rows(spec, self.values, &self.added, &self.fills)?,
            events: event_batch(spec, incoming, &kept_rows)?,
            touched_keys: touched_keys(spec, self.values, incoming, groups, past)?,
            removed: self.removed,
            changed: self.changed,
            removed_events,
            counts: self.counts,
            equal_sequences: self.equal_sequences,
            trace,
            delta: Delta {
                generation: self.state.generation,
                n_rows: incoming.n_rows,
                keys: EncodedRows::default(),
                gathered: past.gathered.clone(),
                event_rows,
                slots: self.slots,
                events: self.events,
                versions: self.versions,
                freed_events: self.freed_events,
                freed_versions: self.freed_versions,
                truncation,
                next_arrival: match incoming.arrivals {
                    Arrivals::From(first) => first + i64::from(incoming.n_rows),
                    Arrivals::Stored(_) => {
                        (0..incoming.n_rows).map(|row| incoming.arrivals.get(row) + 1).max().unwrap_or_default()
                    }
                },
            },
        })
    }
}

/// Rows of the target.
pub(crate) fn visible_rows(
    spec: &ResolvedSpec,
    values: &Values<'_>,
    versions: &[Version],
    fills: &[u32],
) -> Result<RecordBatch> {
    let last: Vec<u32> = versions.iter().map(|version| version.last).collect();
    let cells = &spec.inner().encoders.cells;
    let mut columns = (0..spec.n_columns())
        .map(|column| {
            if !cells.iter().any(|cell| cell.column == column) {
                return values.pick_column(column, &last);
            }
            values.pick_cells(spec, column, |cell| {
                versions.iter().map(|version| fills[version.fill as usize + cell]).collect()
            })
        })
        .collect::<Result<Vec<ArrayRef>>>()?;
    if spec.scd_type() == ScdType::Type2 {
        columns.push(values.pick_sequence(&versions.iter().map(|version| version.start).collect::<Vec<_>>())?);
        columns.push(values.pick_sequence(&versions.iter().map(|version| version.end).collect::<Vec<_>>())?);
    }
    record_batch(spec.target_schema(), columns, versions.len())
}

/// The rows of a batch that are remembered. A delete keeps its key alone and a truncate nothing, for their other values
/// are never shown.
fn event_batch(spec: &ResolvedSpec, incoming: &Incoming, kept_rows: &[u32]) -> Result<RecordBatch> {
    let keeps_all = kept_rows.len() == incoming.n_rows as usize;
    let rows = UInt32Array::from(kept_rows.to_vec());
    let pick = |array: &ArrayRef| -> Result<ArrayRef> {
        if keeps_all { Ok(array.clone()) } else { take(array, &rows, None).map_err(arrow_error) }
    };
    let kinds: Vec<EventKind> = kept_rows.iter().map(|&row| incoming.kinds[row as usize]).collect();
    let mask_of = |hides: fn(EventKind) -> bool| {
        let mask: BooleanArray = kinds.iter().map(|&kind| Some(hides(kind))).collect();
        (mask.true_count() > 0).then_some(mask)
    };
    let data_mask = mask_of(|kind| kind != EventKind::Upsert);
    let key_mask = mask_of(|kind| kind == EventKind::Truncate);
    let mut columns = Vec::with_capacity(spec.n_columns() + 3);
    for (position, column) in incoming.columns.iter().enumerate() {
        let column = pick(column)?;
        let mask = if spec.inner().keys.contains(&position) { &key_mask } else { &data_mask };
        columns.push(match mask {
            Some(mask) => nullif(&column, mask).map_err(arrow_error)?,
            None => column,
        });
    }
    columns.push(pick(&incoming.sequence)?);
    columns.push(Arc::new(kinds.iter().map(|kind| kind.code()).collect::<Int8Array>()));
    columns.push(Arc::new(kept_rows.iter().map(|&row| incoming.arrivals.get(row)).collect::<Int64Array>()));
    record_batch(spec.event_schema(), columns, kept_rows.len())
}

fn touched_keys(
    spec: &ResolvedSpec,
    values: &Values<'_>,
    incoming: &Incoming,
    groups: &Groups,
    past: &Past,
) -> Result<RecordBatch> {
    // Any event of a key has the values of the key.
    let slots = groups.slots.iter().enumerate();
    let representatives: Vec<u32> = slots
        .map(|(index, slot)| match slot.row {
            NONE => incoming.n_rows + past.window(index).events.start as u32,
            row => row,
        })
        .collect();
    let keys = &spec.inner().keys;
    let columns = keys.iter().map(|&key| values.pick_column(key, &representatives)).collect::<Result<Vec<_>>>()?;
    let fields: Vec<_> = keys.iter().map(|&key| spec.target_schema().fields()[key].clone()).collect();
    record_batch(&Arc::new(Schema::new(fields)), columns, representatives.len())
}

fn record_batch(schema: &SchemaRef, columns: Vec<ArrayRef>, n_rows: usize) -> Result<RecordBatch> {
    let options = RecordBatchOptions::new().with_row_count(Some(n_rows));
    RecordBatch::try_new_with_options(schema.clone(), columns, &options).map_err(arrow_error)
}
