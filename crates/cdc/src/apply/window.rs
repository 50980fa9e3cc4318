//! The part of a key's past that a batch can change.

use std::ops::Range;

use super::group::Groups;
use crate::batch::Incoming;
use crate::resolved::ResolvedSpec;
use crate::spec::ScdType;
use crate::state::{CdcState, NONE};

/// The past that is looked at, over all slots.
#[derive(Debug, Default)]
pub(crate) struct Past {
    /// Event numbers; a position in this list plus the number of rows of the batch is the event's index.
    pub(crate) gathered: Vec<u32>,
    /// Version numbers.
    pub(crate) versions: Vec<u32>,
    windows: Vec<Window>,
    /// The window of each slot, as a position in `windows`; [`NONE`] for a key that is new.
    by_slot: Vec<u32>,
}

/// What of one key is replayed. It begins where nothing that the batch brings can reach: in type 2 with the event before
/// the earliest new one, so that appending to a long history costs what is appended. With IGNORE NULL UPDATES values come
/// down from further back, so there it begins after the last delete before the new events. Type 1 remembers little and
/// looks at all of it.
#[derive(Debug, Clone)]
pub(crate) struct Window {
    /// Positions in [`Past::gathered`], oldest event first.
    pub(crate) events: Range<usize>,
    /// The event before those, as a number of the state.
    pub(crate) event_anchor: u32,
    /// Positions in [`Past::versions`], oldest first.
    pub(crate) versions: Range<usize>,
    /// The version before those, as a number of the state.
    pub(crate) version_anchor: u32,
    /// Indices of the first event of the version that is open when the window begins, and of the last event in it so far;
    /// the latter is the anchor.
    pub(crate) seed: Option<(u32, u32)>,
}

static NO_PAST: Window = Window { events: 0..0, event_anchor: NONE, versions: 0..0, version_anchor: NONE, seed: None };

impl Past {
    /// Collects the windows of all slots.
    pub(crate) fn new(spec: &ResolvedSpec, state: &CdcState, incoming: &Incoming, groups: &Groups) -> Self {
        let mut past = Self { by_slot: Vec::with_capacity(groups.slots.len()), ..Self::default() };
        let fills = !spec.inner().encoders.cells.is_empty();
        for (index, slot) in groups.slots.iter().enumerate() {
            if slot.key == NONE {
                past.by_slot.push(NONE);
                continue;
            }
            past.by_slot.push(past.windows.len() as u32);
            match spec.scd_type() {
                ScdType::Type1 => past.push_all(state, slot.key),
                ScdType::Type2 => {
                    let earliest = groups.rows(index).first().map_or(&[][..], |&row| incoming.sequences.get(row));
                    past.push_from(state, slot.key, earliest, fills, incoming.n_rows);
                }
            }
        }
        past
    }

    /// The window of a slot.
    pub(crate) fn window(&self, slot: usize) -> &Window {
        self.windows.get(self.by_slot[slot] as usize).unwrap_or(&NO_PAST)
    }

    fn push_all(&mut self, state: &CdcState, key: u32) {
        let (events, versions) = (self.gathered.len(), self.versions.len());
        let head = state.heads[key as usize];
        let event_anchor = self.walk_events(state, head.event, |_| true);
        let version_anchor = self.walk_versions(state, head.version, |_| true);
        self.windows.push(Window {
            events: events..self.gathered.len(),
            event_anchor,
            versions: versions..self.versions.len(),
            version_anchor,
            seed: None,
        });
    }

    fn push_from(&mut self, state: &CdcState, key: u32, earliest: &[u8], fills: bool, n_rows: u32) {
        let (first_event, first_version) = (self.gathered.len(), self.versions.len());
        let head = state.heads[key as usize];
        let event_anchor = self.walk_events(state, head.event, |event| {
            state.sequence(event) >= earliest || fills && !state.events.get(event).is_delete
        });
        let events = first_event..self.gathered.len();
        // A version that ends with the anchor or before it is out of reach; the one that holds it is not.
        let version_anchor = self.walk_versions(state, head.version, |version| {
            event_anchor == NONE || state.sequence(state.versions.get(version).last) >= state.sequence(event_anchor)
        });
        let mut seed = None;
        if event_anchor != NONE && !state.events.get(event_anchor).is_delete {
            // The anchor is an upsert, so it lies in the oldest of the versions just collected.
            let holder = self.versions.get(first_version).map(|&version| state.versions.get(version));
            seed = holder.map(|holder| {
                let start = self.gather(holder.start, n_rows);
                let last = if holder.start == event_anchor { start } else { self.gather(event_anchor, n_rows) };
                (start, last)
            });
        }
        self.windows.push(Window {
            events,
            event_anchor,
            versions: first_version..self.versions.len(),
            version_anchor,
            seed,
        });
    }

    fn gather(&mut self, event: u32, n_rows: u32) -> u32 {
        self.gathered.push(event);
        n_rows + (self.gathered.len() - 1) as u32
    }

    /// Collects events from `newest` back for as long as `take` holds; returns the first it does not hold for.
    fn walk_events(&mut self, state: &CdcState, newest: u32, take: impl Fn(u32) -> bool) -> u32 {
        let start = self.gathered.len();
        let mut event = newest;
        while event != NONE && take(event) {
            self.gathered.push(event);
            event = state.events.get(event).older;
        }
        self.gathered[start..].reverse();
        event
    }

    /// The same for versions.
    fn walk_versions(&mut self, state: &CdcState, newest: u32, take: impl Fn(u32) -> bool) -> u32 {
        let start = self.versions.len();
        let mut version = newest;
        while version != NONE && take(version) {
            self.versions.push(version);
            version = state.versions.get(version).older;
        }
        self.versions[start..].reverse();
        version
    }
}
