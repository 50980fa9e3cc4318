//! Keeping the memory in proportion to what is remembered.

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use arrow_select::concat::concat_batches;
use arrow_select::interleave::interleave_record_batch;
use lakelet_base::Result;

use super::{Addresses, CdcState, Chunk, KeyIndex, NONE};
use crate::encode::EncodedRows;
use crate::error::arrow_error;
use crate::resolved::ResolvedSpec;

/// So many chunks are merged.
const CHUNKS_MAX: usize = 512;
/// So many rows that nobody remembers are let be.
const DEAD_ROWS_MAX: usize = 65_536;
/// A chunk of so many rows, most of them remembered, is not merged: its rows are shared with the events table.
const LARGE_CHUNK_ROWS: usize = 65_536;

impl Chunk {
    pub(super) fn empty(schema: SchemaRef) -> Self {
        Self {
            rows: RecordBatch::new_empty(schema),
            sequences: EncodedRows::default(),
            addresses: Addresses::Each(Vec::new()),
            live: 0,
        }
    }

    fn is_worth_keeping(&self) -> bool {
        let n_rows = self.rows.num_rows();
        n_rows >= LARGE_CHUNK_ROWS && self.live as usize * 2 > n_rows
    }
}

impl CdcState {
    /// Compacts when the forgotten rows outnumber the remembered ones, or when there are many small chunks. Over many
    /// refreshes that costs a constant for each event.
    pub(super) fn compact_if_worthwhile(&mut self, spec: &ResolvedSpec) -> Result<()> {
        let n_rows: usize = self.chunks.iter().map(|chunk| chunk.rows.num_rows()).sum();
        let n_dead = n_rows - self.events.len();
        if self.chunks.len() >= CHUNKS_MAX || n_dead > self.events.len() + DEAD_ROWS_MAX {
            self.compact(spec)?;
        }
        Ok(())
    }

    /// Brings the remembered events of small and mostly forgotten chunks together in one, and drops keys without events.
    pub(super) fn compact(&mut self, spec: &ResolvedSpec) -> Result<()> {
        let moving = self.moving_events();
        let mut places = Vec::with_capacity(moving.len());
        let mut addresses = Vec::with_capacity(moving.len());
        for &event in &moving {
            let entry = self.events.get(event);
            places.push((entry.chunk as usize, entry.row as usize));
            addresses.push(self.event_address(event));
        }
        let rows = if moving.is_empty() {
            RecordBatch::new_empty(self.event_schema.clone())
        } else {
            let batches: Vec<&RecordBatch> = self.chunks.iter().map(|chunk| &chunk.rows).collect();
            interleave_record_batch(&batches, &places).map_err(arrow_error)?
        };
        let sequence_column = rows.column(spec.n_columns());
        let sequences = spec.inner().encoders.sequence.encode(std::slice::from_ref(sequence_column))?;

        // From here on nothing fails.
        let mut new_numbers = vec![NONE; self.chunks.len()];
        let mut kept = Vec::new();
        for (chunk, number) in std::mem::take(&mut self.chunks).into_iter().zip(&mut new_numbers) {
            if chunk.is_worth_keeping() {
                *number = kept.len() as u32;
                kept.push(chunk);
            }
        }
        let merged = kept.len() as u32;
        kept.push(Chunk { rows, sequences, addresses: Addresses::Each(addresses), live: moving.len() as u32 });
        self.chunks = kept;
        self.for_each_event(|state, event| {
            let entry = state.events.get_mut(event);
            entry.chunk = new_numbers[entry.chunk as usize];
        });
        for (&event, row) in moving.iter().zip(0..) {
            let entry = self.events.get_mut(event);
            (entry.chunk, entry.row) = (merged, row);
        }
        self.drop_forgotten_keys();
        Ok(())
    }

    /// The events that lie in chunks which are given up, key by key.
    fn moving_events(&self) -> Vec<u32> {
        let is_given_up: Vec<bool> = self.chunks.iter().map(|chunk| !chunk.is_worth_keeping()).collect();
        let mut moving = Vec::new();
        for head in &self.heads {
            let mut event = head.event;
            while event != NONE {
                let entry = self.events.get(event);
                if is_given_up[entry.chunk as usize] {
                    moving.push(event);
                }
                event = entry.older;
            }
        }
        moving
    }

    fn for_each_event(&mut self, mut visit: impl FnMut(&mut Self, u32)) {
        for key in 0..self.heads.len() {
            let mut event = self.heads[key].event;
            while event != NONE {
                visit(self, event);
                event = self.events.get(event).older;
            }
        }
    }

    /// A truncate leaves keys without events; their numbers are given to the others.
    fn drop_forgotten_keys(&mut self) {
        let n_remembered = self.heads.iter().filter(|head| head.event != NONE).count();
        if n_remembered * 2 > self.heads.len() {
            return;
        }
        let mut keys = KeyIndex::default();
        let mut heads = Vec::with_capacity(n_remembered);
        for (number, head) in self.heads.iter().enumerate().filter(|(_, head)| head.event != NONE) {
            let key = self.keys.get(number as u32);
            keys.insert_new(KeyIndex::hash(key), key);
            heads.push(*head);
        }
        (self.keys, self.heads) = (keys, heads);
    }
}

/// All rows of several batches in the state's columns.
pub(super) fn concat(schema: &SchemaRef, batches: &[RecordBatch]) -> Result<RecordBatch> {
    match batches {
        [one] => Ok(one.clone()),
        _ => concat_batches(schema, batches).map_err(arrow_error),
    }
}
