//! New events among the old ones of their key, and who wins a place that several claim.

use std::cmp::Ordering;

use super::values::Values;

/// The events of one key after new ones came. Kept between keys to use its memory again.
#[derive(Debug, Default)]
pub(crate) struct Merge {
    /// The events that have a place, oldest first.
    pub(crate) events: Vec<u32>,
    /// Those that lost theirs.
    pub(crate) dropped: Vec<u32>,
    /// New events that repeat one that is there.
    pub(crate) duplicates: Vec<u32>,
    /// New events that met a different event at their sequence, and whether they stay.
    pub(crate) ties: Vec<(u32, bool)>,
}

impl Merge {
    /// Merges `old` and `new`, both in order, equal new ones in the order of arrival.
    pub(crate) fn run(&mut self, values: &Values<'_>, old: impl IntoIterator<Item = u32>, new: &[u32]) {
        self.events.clear();
        self.dropped.clear();
        self.duplicates.clear();
        self.ties.clear();
        let mut old = old.into_iter().peekable();
        let mut new = new.iter().copied().peekable();
        while let Some(&arrival) = new.peek() {
            while let Some(event) = old.next_if(|&event| values.order(event, arrival) == Ordering::Less) {
                self.push(values, event);
            }
            let mut holder = old.next_if(|&event| values.order(event, arrival) == Ordering::Equal);
            while let Some(event) = new.next_if(|&event| values.order(event, arrival) == Ordering::Equal) {
                holder = Some(holder.map_or(event, |holder| self.contend(values, holder, event)));
            }
            if let Some(holder) = holder {
                self.push(values, holder);
            }
        }
        for event in old {
            self.push(values, event);
        }
    }

    /// Two events claim one place: returns who has it. The later of two upserts wins; a delete beats an upsert (the other
    /// way round in type 1, where the two have places of their own and never meet here).
    fn contend(&mut self, values: &Values<'_>, holder: u32, arrival: u32) -> u32 {
        match (values.is_delete(holder), values.is_delete(arrival)) {
            (true, true) => self.duplicates.push(arrival),
            (false, false) if values.same_event(holder, arrival) => self.duplicates.push(arrival),
            (true, false) => {
                self.dropped.push(arrival);
                self.ties.push((arrival, false));
            }
            (false, _) => {
                self.dropped.push(holder);
                self.ties.push((arrival, true));
                return arrival;
            }
        }
        holder
    }

    fn push(&mut self, values: &Values<'_>, event: u32) {
        // In type 1 a delete and the upsert that beats it stand side by side.
        if let Some(&before) = self.events.last()
            && values.sequence(before) == values.sequence(event)
        {
            if values.past_event(event).is_none() {
                self.ties.push((event, true));
            } else if values.past_event(before).is_none() {
                self.ties.push((before, false));
            }
        }
        self.events.push(event);
    }
}
