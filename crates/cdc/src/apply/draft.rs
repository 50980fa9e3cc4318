//! The difference between before and after, key by key.

use std::cmp::Ordering;

use lakelet_base::Result;
use lakelet_store::RowAddress;

use super::group::Groups;
use super::merge::Merge;
use super::replay::{Replay, Version};
use super::values::Values;
use super::window::Past;
use crate::batch::{EventKind, Incoming};
use crate::error::internal;
use crate::outcome::{CdcCounts, EqualSequence, WARNINGS_MAX};
use crate::spec::ScdType;
use crate::state::{CdcState, NONE, Place, SlotDelta, VersionDelta};

/// An outcome before its arrays are built. Events are indices of [`Values`].
#[derive(Debug)]
pub(crate) struct Draft<'a> {
    scd_type: ScdType,
    pub(crate) state: &'a CdcState,
    pub(crate) incoming: &'a Incoming,
    pub(crate) values: &'a Values<'a>,
    /// The sequence of the newest truncate: no older event counts.
    floor: Option<&'a [u8]>,

    pub(crate) added: Vec<Version>,
    /// Where the cells of `added` come from.
    pub(crate) fills: Vec<u32>,
    pub(crate) removed: Vec<RowAddress>,
    pub(crate) changed: Vec<(u32, u32)>,
    /// Whether a row of the batch is remembered.
    pub(crate) is_kept: Vec<bool>,
    pub(crate) counts: CdcCounts,
    pub(crate) equal_sequences: Vec<EqualSequence>,

    pub(crate) slots: Vec<SlotDelta>,
    /// The new ends of the lists of events and of versions, see [`SlotDelta`].
    pub(crate) events: Vec<u32>,
    pub(crate) versions: Vec<VersionDelta>,
    /// Events and versions that leave the state, by their numbers there.
    pub(crate) freed_events: Vec<u32>,
    pub(crate) freed_versions: Vec<u32>,

    old_events: Vec<u32>,
    merge: Merge,
    before: Replay,
    after: Replay,
}

impl<'a> Draft<'a> {
    pub(crate) fn new(
        scd_type: ScdType,
        state: &'a CdcState,
        incoming: &'a Incoming,
        values: &'a Values<'a>,
        floor: Option<&'a [u8]>,
    ) -> Self {
        Self {
            scd_type,
            state,
            incoming,
            values,
            floor,
            added: Vec::new(),
            fills: Vec::new(),
            removed: Vec::new(),
            changed: Vec::new(),
            is_kept: vec![false; incoming.n_rows as usize],
            counts: CdcCounts::default(),
            equal_sequences: Vec::new(),
            slots: Vec::new(),
            events: Vec::new(),
            versions: Vec::new(),
            freed_events: Vec::new(),
            freed_versions: Vec::new(),
            old_events: Vec::new(),
            merge: Merge::default(),
            before: Replay::default(),
            after: Replay::default(),
        }
    }

    /// Works out one key.
    pub(crate) fn settle(&mut self, groups: &Groups, slot: usize, past: &Past) -> Result<()> {
        let (values, rows, window) = (self.values, groups.rows(slot), past.window(slot));
        self.old_events.clear();
        self.old_events.extend(window.events.clone().map(|position| self.incoming.n_rows + position as u32));
        self.merge.run(values, self.old_events.iter().copied(), rows);
        match self.scd_type {
            ScdType::Type1 => {
                if let Some(floor) = self.floor {
                    self.merge.events.retain(|&event| values.sequence(event) >= floor);
                }
                self.before.newest(values, &self.old_events);
                self.after.newest(values, &self.merge.events);
            }
            ScdType::Type2 => {
                self.before.history(values, window.seed, &self.old_events);
                self.after.history(values, window.seed, &self.merge.events);
            }
        }
        self.count_late(groups.slots[slot].key, rows);
        let n_kept = self.keep_events();
        self.count_fates(rows.len(), n_kept);

        let kept = kept(self.scd_type, &self.merge, &self.after);
        if kept == self.old_events {
            return Ok(());
        }
        let first_event = self.events.len() as u32;
        self.events.extend_from_slice(kept);
        let first_version = self.versions.len() as u32;
        self.compare_versions(&past.versions[window.versions.clone()])?;
        self.freed_versions.extend_from_slice(&past.versions[window.versions.clone()]);
        self.slots.push(SlotDelta {
            key: groups.slots[slot].key,
            hash: groups.slots[slot].hash,
            row: groups.slots[slot].row,
            events: first_event..self.events.len() as u32,
            event_anchor: window.event_anchor,
            versions: first_version..self.versions.len() as u32,
            version_anchor: window.version_anchor,
        });
        Ok(())
    }

    /// Marks the new events that stay and frees the old ones that do not; returns how many new ones stay.
    fn keep_events(&mut self) -> usize {
        let kept = kept(self.scd_type, &self.merge, &self.after);
        let mut n_kept = 0;
        let mut n_old = 0;
        for &event in kept {
            match self.values.past_event(event) {
                Some(_) => n_old += 1,
                None => {
                    self.is_kept[event as usize] = true;
                    n_kept += 1;
                }
            }
        }
        if n_old < self.old_events.len() {
            // Both lists have the old events in one order.
            let mut kept = kept.iter().filter(|&&event| self.values.past_event(event).is_some()).peekable();
            for &event in &self.old_events {
                if kept.next_if_eq(&&event).is_none() {
                    self.freed_events.extend(self.values.past_event(event));
                }
            }
        }
        n_kept
    }

    fn count_fates(&mut self, n_rows: usize, n_kept: usize) {
        let is_new = |event: &u32| self.values.past_event(*event).is_none();
        let n_dropped = self.merge.dropped.iter().copied().filter(is_new).count();
        let lost = |&&(row, won): &&(u32, bool)| !won && !self.is_kept[row as usize];
        // In type 2 a lost tie is dropped; in type 1 it has a place and is passed over.
        let n_lost = match self.scd_type {
            ScdType::Type1 => self.merge.ties.iter().filter(lost).count(),
            ScdType::Type2 => 0,
        };
        let n_counted = n_kept + self.merge.duplicates.len() + n_dropped + n_lost;
        self.counts.ignored += n_rows.saturating_sub(n_counted) as u64;
        self.counts.duplicates += self.merge.duplicates.len() as u64;
        self.counts.ties += self.merge.ties.len() as u64;
        let room = WARNINGS_MAX - self.equal_sequences.len();
        let ties = self.merge.ties.iter().take(room).map(|&(row, won)| EqualSequence { row, won });
        self.equal_sequences.extend(ties);
    }

    /// An event is late if a newer one of its key came before it.
    fn count_late(&mut self, key: u32, rows: &[u32]) {
        let newest = self.state.heads.get(key as usize).map_or(NONE, |head| head.event);
        let newest = if newest == NONE { &[][..] } else { self.state.sequence(newest) };
        // From the newest to the oldest: the earliest row among those with a greater sequence, and among equal ones.
        let (mut earliest_newer, mut earliest_equal) = (NONE, NONE);
        let mut sequence: &[u8] = &[];
        for &row in rows.iter().rev() {
            let own = self.values.sequence(row);
            if own != sequence {
                earliest_newer = earliest_newer.min(earliest_equal);
                earliest_equal = NONE;
                sequence = own;
            }
            self.counts.late += u64::from(row > earliest_newer || newest > own);
            earliest_equal = earliest_equal.min(row);
        }
    }

    /// Compares the visible rows of before and after and notes what goes, comes and changes.
    fn compare_versions(&mut self, numbers: &[u32]) -> Result<()> {
        if numbers.len() != self.before.versions.len() {
            return Err(internal("the rows of an AUTO CDC target do not follow from its events"));
        }
        let first_change = (self.removed.len(), self.added.len());
        let mut old = 0;
        for index in 0..self.after.versions.len() {
            let version = self.after.versions[index];
            while old < numbers.len() && self.start_order(old, &version) == Ordering::Less {
                self.remove(numbers[old]);
                old += 1;
            }
            if old < numbers.len() && self.start_order(old, &version) == Ordering::Equal {
                self.keep_or_change(old, numbers[old], version);
                old += 1;
            } else {
                self.add(version);
                self.counts.rows_inserted += 1;
            }
        }
        for &number in &numbers[old..] {
            self.remove(number);
        }
        self.counts.keys_changed += u64::from(first_change != (self.removed.len(), self.added.len()));
        Ok(())
    }

    /// How an old version stands to a new one: in type 1 a key has one row, in type 2 its start tells.
    fn start_order(&self, old: usize, version: &Version) -> Ordering {
        match self.scd_type {
            ScdType::Type1 => Ordering::Equal,
            ScdType::Type2 => {
                let start = self.before.versions[old].start;
                self.values.sequence(start).cmp(self.values.sequence(version.start))
            }
        }
    }

    fn remove(&mut self, number: u32) {
        self.removed.push(self.state.versions.get(number).address);
        self.counts.rows_deleted += 1;
    }

    fn add(&mut self, version: Version) {
        let fill = self.fills.len() as u32;
        self.fills.extend_from_slice(self.after.fill(self.values, &version));
        self.versions.push(VersionDelta::new(&version, Place::Added(self.added.len() as u32)));
        self.added.push(Version { fill, ..version });
    }

    fn keep_or_change(&mut self, old: usize, number: u32, version: Version) {
        let before = self.before.versions[old];
        let end = |version: &Version| (version.end != NONE).then(|| self.values.sequence(version.end));
        let same_end = end(&before) == end(&version);
        let shown = (before.last, self.before.fill(self.values, &before));
        if same_end && self.values.same_shown(shown, (version.last, self.after.fill(self.values, &version))) {
            let address = self.state.versions.get(number).address;
            self.versions.push(VersionDelta::new(&version, Place::Stays(address)));
            return;
        }
        if self.scd_type == ScdType::Type2 {
            self.counts.versions_closed += u64::from(before.end == NONE && version.end != NONE);
            let is_cut = self.values.sequence(version.last) < self.values.sequence(before.last);
            self.counts.versions_split += u64::from(is_cut);
        }
        self.changed.push((self.removed.len() as u32, self.added.len() as u32));
        self.removed.push(self.state.versions.get(number).address);
        self.add(version);
        self.counts.rows_updated += 1;
    }

    /// Counts the rows of the batch by what they do.
    pub(crate) fn count_rows(&mut self) {
        for kind in &self.incoming.kinds {
            match kind {
                EventKind::Upsert => self.counts.upserts += 1,
                EventKind::Delete => self.counts.deletes += 1,
                EventKind::Truncate => self.counts.truncates += 1,
            }
        }
        self.counts.read = u64::from(self.incoming.n_rows);
    }
}

/// The events of a window that are remembered after the batch: type 2 all, type 1 the few that count.
fn kept<'m>(scd_type: ScdType, merge: &'m Merge, after: &'m Replay) -> &'m [u32] {
    match scd_type {
        ScdType::Type1 => &after.kept,
        ScdType::Type2 => &merge.events,
    }
}
