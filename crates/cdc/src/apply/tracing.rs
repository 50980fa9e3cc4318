//! The same work once more, one event at a time, telling the rule behind each change.

use lakelet_base::Result;

use super::finish::visible_rows;
use super::group::Groups;
use super::merge::Merge;
use super::replay::{Replay, Version};
use super::values::Values;
use super::window::Past;
use crate::batch::{EventKind, Incoming};
use crate::resolved::ResolvedSpec;
use crate::spec::ScdType;
use crate::state::{CdcState, NONE};
use crate::trace::{EventTrace, Rule, Trace, TraceStep};

/// Traces the first `events_max` rows of a batch.
pub(crate) fn trace(
    spec: &ResolvedSpec,
    state: &CdcState,
    incoming: &Incoming,
    values: &Values<'_>,
    groups: &Groups,
    past: &Past,
    events_max: u32,
) -> Result<Trace> {
    let n_rows = incoming.n_rows;
    let mut slot_of_row = vec![0; n_rows as usize];
    for slot in 0..groups.slots.len() {
        for &row in groups.rows(slot) {
            slot_of_row[row as usize] = slot;
        }
    }
    let windows = (0..groups.slots.len()).map(|slot| past.window(slot));
    let keys = windows
        .map(|window| TracedKey {
            events: window.events.clone().map(|position| n_rows + position as u32).collect(),
            seed: window.seed,
        })
        .collect();
    let mut tracer = Tracer {
        scd_type: spec.scd_type(),
        values,
        keys,
        floor: state.truncation.as_ref().map(|truncation| truncation.sequence.to_vec()),
        merge: Merge::default(),
        before: Replay::default(),
        after: Replay::default(),
        versions: Vec::new(),
        fills: Vec::new(),
    };
    let mut events = Vec::new();
    for row in 0..n_rows.min(events_max) {
        let kind = incoming.kinds[row as usize];
        let (is_late, steps) = match kind {
            EventKind::Truncate => (false, vec![tracer.truncate(row)]),
            EventKind::Upsert | EventKind::Delete => tracer.take_in(slot_of_row[row as usize], row),
        };
        events.push(EventTrace { row, arrival: incoming.arrivals.get(row), kind, is_late, steps });
    }
    let versions = visible_rows(spec, values, &tracer.versions, &tracer.fills)?;
    Ok(Trace { events, versions, is_cut: n_rows > events_max })
}

struct TracedKey {
    /// The events of the key's window so far.
    events: Vec<u32>,
    seed: Option<(u32, u32)>,
}

struct Tracer<'a> {
    scd_type: ScdType,
    values: &'a Values<'a>,
    keys: Vec<TracedKey>,
    floor: Option<Vec<u8>>,
    merge: Merge,
    before: Replay,
    after: Replay,
    /// The rows named so far.
    versions: Vec<Version>,
    fills: Vec<u32>,
}

/// Rows of one key that a step can name, by their positions in [`Tracer::versions`].
#[derive(Default)]
struct Difference {
    removed: Vec<u32>,
    added: Vec<u32>,
}

impl Difference {
    fn is_empty(&self) -> bool {
        self.removed.is_empty() && self.added.is_empty()
    }

    fn step(self, rule: Rule) -> TraceStep {
        TraceStep { rule, before: self.removed, after: self.added }
    }
}

impl Tracer<'_> {
    fn truncate(&mut self, row: u32) -> TraceStep {
        let mut difference = Difference::default();
        let floor = self.values.sequence(row).to_vec();
        if self.floor.as_ref().is_none_or(|old| floor > *old) {
            for key in 0..self.keys.len() {
                self.merge.run(self.values, self.keys[key].events.iter().copied(), &[]);
                self.merge.events.retain(|&event| self.values.sequence(event) >= &floor[..]);
                self.replay(key);
                self.add_difference(&mut difference);
            }
            self.floor = Some(floor);
        }
        difference.step(Rule::Truncate)
    }

    /// Takes in one upsert or delete: whether it is late, and what it does.
    fn take_in(&mut self, key: usize, row: u32) -> (bool, Vec<TraceStep>) {
        let values = self.values;
        let newest = self.keys[key].events.last().copied().or(self.keys[key].seed.map(|(_, last)| last));
        let is_late = newest.is_some_and(|newest| values.sequence(newest) > values.sequence(row));
        self.merge.run(values, self.keys[key].events.iter().copied(), &[row]);
        if let Some(floor) = &self.floor {
            self.merge.events.retain(|&event| values.sequence(event) >= &floor[..]);
        }
        let is_duplicate = !self.merge.duplicates.is_empty();
        let is_tie = !self.merge.ties.is_empty();
        self.replay(key);
        let mut difference = Difference::default();
        self.add_difference(&mut difference);
        let steps = if is_duplicate {
            vec![difference.step(Rule::Duplicate)]
        } else if is_tie {
            vec![difference.step(Rule::EqualSequence)]
        } else {
            match self.scd_type {
                ScdType::Type1 => vec![self.explain_type1(key, row, is_late, difference)],
                ScdType::Type2 => self.explain_type2(row, is_late, difference),
            }
        };
        (is_late, steps)
    }

    /// Derives the rows of before and after and moves the key on to the merged events.
    fn replay(&mut self, key: usize) {
        let TracedKey { events, seed } = &mut self.keys[key];
        match self.scd_type {
            ScdType::Type1 => {
                self.before.newest(self.values, events);
                self.after.newest(self.values, &self.merge.events);
                events.clone_from(&self.after.kept);
            }
            ScdType::Type2 => {
                self.before.history(self.values, *seed, events);
                self.after.history(self.values, *seed, &self.merge.events);
                events.clone_from(&self.merge.events);
            }
        }
    }

    fn add_difference(&mut self, difference: &mut Difference) {
        for version in &self.before.versions {
            if !self.is_in(version, &self.before, &self.after) {
                difference.removed.push(self.versions.len() as u32);
                let fill = self.fills.len() as u32;
                self.fills.extend_from_slice(self.before.fill(self.values, version));
                self.versions.push(Version { fill, ..*version });
            }
        }
        for version in &self.after.versions {
            if !self.is_in(version, &self.after, &self.before) {
                difference.added.push(self.versions.len() as u32);
                let fill = self.fills.len() as u32;
                self.fills.extend_from_slice(self.after.fill(self.values, version));
                self.versions.push(Version { fill, ..*version });
            }
        }
    }

    /// Whether `version` of `own` stands in `others` too.
    fn is_in(&self, version: &Version, own: &Replay, others: &Replay) -> bool {
        let values = self.values;
        let bounds = |version: &Version| match self.scd_type {
            ScdType::Type1 => None,
            ScdType::Type2 => {
                let end = (version.end != NONE).then(|| values.sequence(version.end).to_vec());
                Some((values.sequence(version.start).to_vec(), end))
            }
        };
        let shown = (version.last, own.fill(values, version));
        others.versions.iter().any(|other| {
            bounds(version) == bounds(other) && values.same_shown(shown, (other.last, others.fill(values, other)))
        })
    }

    fn explain_type1(&self, key: usize, row: u32, is_late: bool, difference: Difference) -> TraceStep {
        let rule = if !self.keys[key].events.contains(&row) {
            Rule::Outdated
        } else if self.values.is_delete(row) {
            if difference.removed.is_empty() { Rule::Tombstone } else { Rule::Close }
        } else if self.before.versions.is_empty() {
            Rule::Open
        } else if difference.is_empty() {
            Rule::Repeat
        } else if is_late {
            Rule::InPlace
        } else {
            Rule::Replace
        };
        difference.step(rule)
    }

    fn explain_type2(&self, row: u32, is_late: bool, difference: Difference) -> Vec<TraceStep> {
        let values = self.values;
        let is_delete = values.is_delete(row);
        if difference.is_empty() {
            return vec![difference.step(if is_delete { Rule::Tombstone } else { Rule::Repeat })];
        }
        let at = values.sequence(row);
        let rule = if is_delete {
            Rule::Close
        } else if !self.after.versions.iter().any(|version| version.start == row) {
            return vec![difference.step(Rule::InPlace)];
        } else if !self.before.versions.iter().any(|version| {
            values.sequence(version.start) < at && (version.end == NONE || values.sequence(version.end) > at)
        }) {
            return vec![difference.step(Rule::Open)];
        } else if is_late {
            Rule::Split
        } else {
            Rule::Replace
        };
        // What starts past the event and did not start there before was hidden in the version that the event ended.
        let was_start = |start: u32| {
            self.before.versions.iter().any(|version| values.sequence(version.start) == values.sequence(start))
        };
        let (woken, added) = difference.added.into_iter().partition(|&version| {
            let start = self.versions[version as usize].start;
            values.sequence(start) > at && !was_start(start)
        });
        let mut steps = vec![Difference { removed: difference.removed, added }.step(rule)];
        let woken = Difference { removed: Vec::new(), added: woken };
        if !woken.is_empty() {
            steps.push(woken.step(Rule::Wake));
        }
        steps
    }
}
