//! What AUTO CDC remembers of a target between refreshes.

mod accept;
mod compact;
mod keys;
mod rebuild;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use lakelet_store::{RowAddress, SegmentId};

pub use accept::Placement;
pub(crate) use accept::{Delta, Place, SlotDelta, VersionDelta};
pub use rebuild::StoredRows;

use crate::encode::EncodedRows;
use crate::resolved::ResolvedSpec;
pub(crate) use keys::KeyIndex;

/// No event, no version, no key.
pub(crate) const NONE: u32 = u32::MAX;

/// The memory of one target: for every key its events in sequence order and the place of its visible rows. It mirrors
/// the events table and the target and can be made from them at any time with [`CdcState::rebuild`].
///
/// The values of the events stay in the Arrow batches that the events table holds, shared, not copied. Beside them an
/// event costs 16 bytes and its encoded sequence, a visible row 32 bytes, a key 8 bytes, its encoded form and its place
/// in the hash table.
#[derive(Debug)]
pub struct CdcState {
    pub(crate) event_schema: SchemaRef,
    pub(crate) keys: KeyIndex,
    /// By key number.
    pub(crate) heads: Vec<Head>,
    pub(crate) events: Arena<EventEntry>,
    pub(crate) versions: Arena<VersionEntry>,
    pub(crate) chunks: Vec<Chunk>,
    /// The newest truncate, if there was one.
    pub(crate) truncation: Option<Truncation>,
    pub(crate) next_arrival: i64,
    /// Counts the accepted outcomes, so that one made for an older state is refused.
    pub(crate) generation: u64,
}

/// The newest event and the newest visible row of a key.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Head {
    pub(crate) event: u32,
    pub(crate) version: u32,
}

/// One remembered event.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EventEntry {
    /// Where its values are.
    pub(crate) chunk: u32,
    pub(crate) row: u32,
    /// The event of the same key before it in sequence order.
    pub(crate) older: u32,
    pub(crate) is_delete: bool,
}

/// One visible row of the target.
#[derive(Debug, Clone, Copy)]
pub(crate) struct VersionEntry {
    /// Its first event.
    pub(crate) start: u32,
    /// Its last event, whose values it shows.
    pub(crate) last: u32,
    /// The version of the same key before it.
    pub(crate) older: u32,
    pub(crate) address: RowAddress,
}

/// Rows of the events table.
#[derive(Debug)]
pub(crate) struct Chunk {
    pub(crate) rows: RecordBatch,
    pub(crate) sequences: EncodedRows,
    pub(crate) addresses: Addresses,
    /// How many of the rows are remembered events.
    pub(crate) live: u32,
}

/// Where the rows of a chunk lie in the events table.
#[derive(Debug)]
pub(crate) enum Addresses {
    /// Row for row a whole segment.
    Segment(SegmentId),
    /// Each somewhere.
    Each(Vec<RowAddress>),
}

impl Addresses {
    pub(crate) fn get(&self, row: u32) -> RowAddress {
        match self {
            Self::Segment(segment) => RowAddress { segment: *segment, row },
            Self::Each(addresses) => addresses[row as usize],
        }
    }
}

/// The event that emptied the table last.
#[derive(Debug, Clone)]
pub(crate) struct Truncation {
    /// Encoded.
    pub(crate) sequence: Box<[u8]>,
    pub(crate) address: RowAddress,
}

/// Elements with stable numbers; numbers of removed ones are used again.
#[derive(Debug)]
pub(crate) struct Arena<T> {
    items: Vec<T>,
    free: Vec<u32>,
}

impl<T> Default for Arena<T> {
    fn default() -> Self {
        Self { items: Vec::new(), free: Vec::new() }
    }
}

impl<T: Copy> Arena<T> {
    pub(crate) fn get(&self, number: u32) -> T {
        self.items[number as usize]
    }

    pub(crate) fn get_mut(&mut self, number: u32) -> &mut T {
        &mut self.items[number as usize]
    }

    /// Makes room for so many more elements.
    pub(crate) fn reserve(&mut self, additional: usize) {
        self.items.reserve(additional.saturating_sub(self.free.len()));
    }

    pub(crate) fn insert(&mut self, item: T) -> u32 {
        match self.free.pop() {
            Some(number) => {
                self.items[number as usize] = item;
                number
            }
            None => {
                self.items.push(item);
                (self.items.len() - 1) as u32
            }
        }
    }

    pub(crate) fn remove(&mut self, number: u32) {
        self.free.push(number);
    }

    /// How many elements there are.
    pub(crate) fn len(&self) -> usize {
        self.items.len() - self.free.len()
    }

    fn size_bytes(&self) -> usize {
        self.items.capacity() * size_of::<T>() + self.free.capacity() * size_of::<u32>()
    }
}

impl CdcState {
    /// The memory of a target that has seen no event: a new one, or one about to be refreshed in full.
    pub fn new(spec: &ResolvedSpec) -> Self {
        Self {
            event_schema: spec.event_schema().clone(),
            keys: KeyIndex::default(),
            heads: Vec::new(),
            events: Arena::default(),
            versions: Arena::default(),
            chunks: Vec::new(),
            truncation: None,
            next_arrival: 0,
            generation: 0,
        }
    }

    /// How many events are remembered, truncates not counted.
    pub fn n_events(&self) -> usize {
        self.events.len()
    }

    /// How many rows the target shows.
    pub fn n_visible_rows(&self) -> usize {
        self.versions.len()
    }

    /// How many keys are known, deleted ones included.
    pub fn n_keys(&self) -> usize {
        self.keys.len()
    }

    /// The number that the next event to arrive gets.
    pub fn next_arrival(&self) -> i64 {
        self.next_arrival
    }

    /// Bytes held beside the batches of the events table.
    pub fn size_bytes(&self) -> usize {
        self.keys.size_bytes()
            + self.heads.capacity() * size_of::<Head>()
            + self.events.size_bytes()
            + self.versions.size_bytes()
            + self.chunks.iter().map(|chunk| chunk.sequences.size_bytes()).sum::<usize>()
    }

    /// The encoded sequence of an event.
    pub(crate) fn sequence(&self, event: u32) -> &[u8] {
        let entry = self.events.get(event);
        self.chunks[entry.chunk as usize].sequences.get(entry.row)
    }

    /// Where an event lies in the events table.
    pub(crate) fn event_address(&self, event: u32) -> RowAddress {
        let entry = self.events.get(event);
        self.chunks[entry.chunk as usize].addresses.get(entry.row)
    }
}
