//! The rows of a batch, dealt out to their keys.

use std::cmp::Ordering;

use hashbrown::HashTable;

use crate::batch::{EventKind, Incoming};
use crate::spec::ScdType;
use crate::state::{CdcState, KeyIndex, NONE};

/// One key that a batch touches.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Slot {
    /// Its number in the state; [`NONE`] for a key that is new.
    pub(crate) key: u32,
    pub(crate) hash: u64,
    /// Its first row in the batch; [`NONE`] where only a truncate touches it.
    pub(crate) row: u32,
}

/// The touched keys in the order of their first row, and the rows of each.
#[derive(Debug)]
pub(crate) struct Groups {
    pub(crate) slots: Vec<Slot>,
    /// Where the rows of each slot start in `rows`, and one more.
    starts: Vec<u32>,
    rows: Vec<u32>,
}

impl Groups {
    /// Deals out every row but the truncates. The rows of a slot are in the order of [`event_order`], equal ones in the
    /// order of arrival.
    pub(crate) fn new(scd_type: ScdType, state: &CdcState, incoming: &Incoming) -> Self {
        let mut slots: Vec<Slot> = Vec::new();
        let mut counts: Vec<u32> = Vec::new();
        let mut slot_of_row = vec![NONE; incoming.n_rows as usize];
        let mut table: HashTable<u32> = HashTable::new();
        for row in 0..incoming.n_rows {
            if incoming.is_truncate(row) {
                continue;
            }
            let key = incoming.keys.get(row);
            let hash = KeyIndex::hash(key);
            let found = table.find(hash, |&slot| incoming.keys.get(slots[slot as usize].row) == key).copied();
            let slot = found.unwrap_or_else(|| {
                let slot = slots.len() as u32;
                slots.push(Slot { key: state.keys.find(hash, key).unwrap_or(NONE), hash, row });
                counts.push(0);
                table.insert_unique(hash, slot, |&other| slots[other as usize].hash);
                slot
            });
            counts[slot as usize] += 1;
            slot_of_row[row as usize] = slot;
        }

        let mut starts = Vec::with_capacity(slots.len() + 1);
        let mut total = 0;
        for count in &counts {
            starts.push(total);
            total += count;
        }
        starts.push(total);
        let mut next = starts.clone();
        let mut rows = vec![0; total as usize];
        for (row, &slot) in slot_of_row.iter().enumerate() {
            if slot != NONE {
                rows[next[slot as usize] as usize] = row as u32;
                next[slot as usize] += 1;
            }
        }
        let mut groups = Self { slots, starts, rows };
        for slot in 0..groups.slots.len() {
            let bounds = groups.starts[slot] as usize..groups.starts[slot + 1] as usize;
            groups.rows[bounds].sort_by(|&a, &b| {
                let is_delete = |row: u32| incoming.kinds[row as usize] == EventKind::Delete;
                event_order(
                    scd_type,
                    (incoming.sequences.get(a), is_delete(a)),
                    (incoming.sequences.get(b), is_delete(b)),
                )
            });
        }
        groups
    }

    /// Adds a key without rows.
    pub(crate) fn push_untouched(&mut self, key: u32) {
        self.slots.push(Slot { key, hash: 0, row: NONE });
        self.starts.push(self.rows.len() as u32);
    }

    pub(crate) fn rows(&self, slot: usize) -> &[u32] {
        &self.rows[self.starts[slot] as usize..self.starts[slot + 1] as usize]
    }
}

/// The place of an event (sequence, whether it is a delete) in the life of its key. Events that compare equal exclude
/// each other. In type 1 a delete comes before the upsert with its sequence, so that the upsert wins (and, with IGNORE NULL
/// UPDATES, inherits nothing from before the delete); in type 2 the two have one place, and the delete takes it.
pub(crate) fn event_order(scd_type: ScdType, left: (&[u8], bool), right: (&[u8], bool)) -> Ordering {
    left.0.cmp(right.0).then_with(|| match scd_type {
        ScdType::Type1 => right.1.cmp(&left.1),
        ScdType::Type2 => Ordering::Equal,
    })
}
