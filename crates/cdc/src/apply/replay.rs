//! From the events of a key to the rows that the target shows.

use super::values::Values;
use crate::state::NONE;

/// A visible row. Events are indices of [`Values`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Version {
    /// Its first event.
    pub(crate) start: u32,
    /// Its last event, whose plain columns it shows.
    pub(crate) last: u32,
    /// The event that ends it, or [`NONE`].
    pub(crate) end: u32,
    /// Where in [`Replay::fills`] the events begin that its cells come from.
    pub(crate) fill: u32,
}

/// The rows of one key, oldest first. Kept between keys to use its memory again.
#[derive(Debug, Default)]
pub(crate) struct Replay {
    pub(crate) versions: Vec<Version>,
    pub(crate) fills: Vec<u32>,
    /// The events that the cells of the open version come from.
    current: Vec<u32>,
    /// Events that type 1 has to remember.
    pub(crate) kept: Vec<u32>,
}

impl Replay {
    pub(crate) fn clear(&mut self) {
        self.versions.clear();
        self.fills.clear();
        self.kept.clear();
    }

    /// The events of a version's cells.
    pub(crate) fn fill(&self, values: &Values<'_>, version: &Version) -> &[u32] {
        &self.fills[version.fill as usize..version.fill as usize + values.n_cells()]
    }

    fn push(&mut self, version: Version, end: u32) {
        let fill = self.fills.len() as u32;
        self.fills.extend_from_slice(&self.current);
        self.versions.push(Version { end, fill, ..version });
    }

    /// The type 2 rows of `events`, which are in order and have distinct sequences. `seed` is the start and the last event
    /// so far of a version that is open before them; with cells there is none.
    pub(crate) fn history(&mut self, values: &Values<'_>, seed: Option<(u32, u32)>, events: &[u32]) {
        self.clear();
        self.current.clear();
        let mut open = seed.map(|(start, last)| Version { start, last, end: NONE, fill: 0 });
        for &event in events {
            if values.is_delete(event) {
                if let Some(version) = open.take() {
                    self.push(version, event);
                }
                continue;
            }
            open = Some(match open {
                Some(version) if self.continues(values, &version, event) => {
                    self.state(values, event);
                    Version { last: event, ..version }
                }
                Some(version) => {
                    self.push(version, event);
                    self.state(values, event);
                    Version { start: event, last: event, end: NONE, fill: 0 }
                }
                None => {
                    self.current.clear();
                    self.current.resize(values.n_cells(), event);
                    Version { start: event, last: event, end: NONE, fill: 0 }
                }
            });
        }
        if let Some(version) = open {
            self.push(version, NONE);
        }
    }

    /// Whether an upsert agrees with the open version in all that is tracked; a cell it leaves out agrees.
    fn continues(&self, values: &Values<'_>, version: &Version, event: u32) -> bool {
        values.same_tracked(version.last, event)
            && self.current.iter().enumerate().all(|(cell, &from)| {
                !values.cell_is_tracked(cell) || values.cell_is_null(cell, event) || values.same_cell(cell, from, event)
            })
    }

    /// The cells that an upsert states come from it.
    fn state(&mut self, values: &Values<'_>, event: u32) {
        for (cell, from) in self.current.iter_mut().enumerate() {
            if !values.cell_is_null(cell, event) {
                *from = event;
            }
        }
    }

    /// The type 1 row of `events`, which are in order, and in `kept` the events among them that a later arrival may still
    /// need: the newest one, those that a cell comes from, and the last delete, which older arrivals must not cross.
    pub(crate) fn newest(&mut self, values: &Values<'_>, events: &[u32]) {
        self.clear();
        let Some(&newest) = events.last() else { return };
        if values.is_delete(newest) {
            self.kept.push(newest);
            return;
        }
        self.current.clear();
        if values.n_cells() == 0 {
            self.kept.push(newest);
        } else {
            let barrier = events.iter().rposition(|&event| values.is_delete(event));
            let stating = &events[barrier.map_or(0, |at| at + 1)..];
            for cell in 0..values.n_cells() {
                let from = stating.iter().rev().find(|&&event| !values.cell_is_null(cell, event));
                self.current.push(from.copied().unwrap_or(newest));
            }
            self.kept.extend(barrier.map(|at| events[at]));
            let needed = |event: &u32| *event == newest || self.current.contains(event);
            self.kept.extend(stating.iter().copied().filter(needed));
        }
        self.push(Version { start: newest, last: newest, end: NONE, fill: 0 }, NONE);
    }
}
