//! Taking over a committed outcome.

use std::ops::Range;

use lakelet_base::Result;
use lakelet_store::{RowAddress, SegmentId};

use super::{Addresses, CdcState, Chunk, EventEntry, Head, NONE, Truncation, VersionEntry};
use crate::apply::Version;
use crate::batch::EventKind;
use crate::encode::EncodedRows;
use crate::error::internal;
use crate::outcome::CdcOutcome;
use crate::resolved::ResolvedSpec;

/// Where the rows of an outcome were put: row `i` of a batch is row `i` of its segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Placement {
    /// The segment that [`CdcOutcome::added`] became; not looked at when that has no rows.
    pub target: Option<SegmentId>,
    /// The segment that [`CdcOutcome::events`] became; not looked at when that has no rows.
    pub events: Option<SegmentId>,
}

/// What an outcome does to the state. Events are indices: rows of the batch first, then `gathered`.
#[derive(Debug)]
pub(crate) struct Delta {
    /// Of the state it was made for.
    pub(crate) generation: u64,
    pub(crate) n_rows: u32,
    /// The encoded keys of the batch.
    pub(crate) keys: EncodedRows,
    pub(crate) gathered: Vec<u32>,
    /// By row of the batch, its row in the outcome's events, or [`NONE`].
    pub(crate) event_rows: Vec<u32>,
    pub(crate) slots: Vec<SlotDelta>,
    pub(crate) events: Vec<u32>,
    pub(crate) versions: Vec<VersionDelta>,
    pub(crate) freed_events: Vec<u32>,
    pub(crate) freed_versions: Vec<u32>,
    /// Its sequence and its row in the outcome's events.
    pub(crate) truncation: Option<(Box<[u8]>, u32)>,
    pub(crate) next_arrival: i64,
}

/// New ends for a key's lists: what comes after the two anchors is replaced.
#[derive(Debug)]
pub(crate) struct SlotDelta {
    /// Number of the key, or [`NONE`] for a new one.
    pub(crate) key: u32,
    pub(crate) hash: u64,
    /// A row of the batch with the key, if it is new.
    pub(crate) row: u32,
    /// In [`Delta::events`], oldest first.
    pub(crate) events: Range<u32>,
    pub(crate) event_anchor: u32,
    /// In [`Delta::versions`], oldest first.
    pub(crate) versions: Range<u32>,
    pub(crate) version_anchor: u32,
}

#[derive(Debug)]
pub(crate) struct VersionDelta {
    start: u32,
    last: u32,
    place: Place,
}

/// Where a visible row is.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Place {
    /// Where it was.
    Stays(RowAddress),
    /// In this row of [`CdcOutcome::added`].
    Added(u32),
}

impl VersionDelta {
    pub(crate) fn new(version: &Version, place: Place) -> Self {
        Self { start: version.start, last: version.last, place }
    }
}

impl CdcState {
    /// Takes over an outcome whose transaction was committed.
    ///
    /// # Errors
    /// `INTERNAL_ERROR`, with the state unchanged, for an outcome of another state and for a placement that lacks a
    /// segment.
    pub fn accept(&mut self, spec: &ResolvedSpec, outcome: &CdcOutcome, placement: Placement) -> Result<()> {
        let segment_of = |segment: Option<SegmentId>, n_rows: usize| match segment {
            Some(segment) => Ok(segment),
            // No row will ask for its address.
            None if n_rows == 0 => Ok(SegmentId::MAX),
            None => Err(internal("rows of an AUTO CDC outcome were not placed")),
        };
        let target = segment_of(placement.target, outcome.added.num_rows())?;
        let events = segment_of(placement.events, outcome.events.num_rows())?;
        self.install(spec, outcome, Addresses::Segment(target), Addresses::Segment(events))?;
        self.compact_if_worthwhile(spec)
    }

    /// Takes over an outcome; nothing is changed on failure.
    pub(super) fn install(
        &mut self,
        spec: &ResolvedSpec,
        outcome: &CdcOutcome,
        target: Addresses,
        events: Addresses,
    ) -> Result<()> {
        let delta = &outcome.delta;
        if delta.generation != self.generation || self.event_schema != *spec.event_schema() {
            return Err(internal("an AUTO CDC outcome was accepted by another state than it was made for"));
        }
        let sequence_column = outcome.events.column(spec.n_columns());
        let sequences = spec.inner().encoders.sequence.encode(std::slice::from_ref(sequence_column))?;

        if let Some((sequence, row)) = &delta.truncation {
            self.truncation = Some(Truncation { sequence: sequence.clone(), address: events.get(*row) });
        }
        for &event in &delta.freed_events {
            self.forget(event);
        }
        for &version in &delta.freed_versions {
            self.versions.remove(version);
        }
        let n_new_keys = delta.slots.iter().filter(|slot| slot.key == NONE).count();
        self.keys.reserve(n_new_keys);
        self.heads.reserve(n_new_keys);
        self.events.reserve(outcome.events.num_rows());
        self.versions.reserve(delta.versions.len());
        let numbers = self.insert_events(delta, outcome, sequences, events);
        for slot in &delta.slots {
            self.install_slot(delta, slot, &numbers, &target);
        }
        self.next_arrival = self.next_arrival.max(delta.next_arrival);
        self.generation += 1;
        Ok(())
    }

    /// Adds the events' rows; returns the event number of each row of the batch.
    fn insert_events(
        &mut self,
        delta: &Delta,
        outcome: &CdcOutcome,
        sequences: EncodedRows,
        addresses: Addresses,
    ) -> Vec<u32> {
        let mut numbers = vec![NONE; delta.event_rows.len()];
        if outcome.events.num_rows() == 0 {
            return numbers;
        }
        let chunk = self.chunks.len() as u32;
        let mut live = 0;
        let truncate_row = delta.truncation.as_ref().map(|(_, row)| *row);
        for (number, &row) in numbers.iter_mut().zip(&delta.event_rows) {
            if row != NONE && Some(row) != truncate_row {
                let is_delete = EventKind::of_event(&outcome.events, row) == Some(EventKind::Delete);
                *number = self.events.insert(EventEntry { chunk, row, older: NONE, is_delete });
                live += 1;
            }
        }
        self.chunks.push(Chunk { rows: outcome.events.clone(), sequences, addresses, live });
        numbers
    }

    fn install_slot(&mut self, delta: &Delta, slot: &SlotDelta, numbers: &[u32], target: &Addresses) {
        let number_of = |event: u32| match event.checked_sub(delta.n_rows) {
            Some(position) => delta.gathered[position as usize],
            None => numbers[event as usize],
        };
        let mut head = Head { event: slot.event_anchor, version: slot.version_anchor };
        for &event in &delta.events[slot.events.start as usize..slot.events.end as usize] {
            let number = number_of(event);
            self.events.get_mut(number).older = head.event;
            head.event = number;
        }
        for version in &delta.versions[slot.versions.start as usize..slot.versions.end as usize] {
            let address = match version.place {
                Place::Stays(address) => address,
                Place::Added(row) => target.get(row),
            };
            head.version = self.versions.insert(VersionEntry {
                start: number_of(version.start),
                last: number_of(version.last),
                older: head.version,
                address,
            });
        }
        if slot.key == NONE {
            self.keys.insert_new(slot.hash, delta.keys.get(slot.row));
            self.heads.push(head);
        } else {
            self.heads[slot.key as usize] = head;
        }
    }

    /// Drops an event, and the batch it was in if it was the last of it.
    fn forget(&mut self, event: u32) {
        let chunk = &mut self.chunks[self.events.get(event).chunk as usize];
        chunk.live -= 1;
        if chunk.live == 0 {
            *chunk = Chunk::empty(chunk.rows.schema());
        }
        self.events.remove(event);
    }
}
