//! Applying a batch: what it changes is worked out for the touched keys alone.
//!
//! The steps, over all touched keys at once where Arrow kernels or encoders can be used: deal the rows out to their keys
//! ([`group`]), find the part of each key's past that they can change ([`window`]), gather and encode its values
//! ([`values`]); then key by key put the new events in their places ([`merge`]), derive the visible rows of before and
//! after ([`replay`]) and note the difference ([`draft`]); at last build the Arrow batches of the outcome ([`finish`]).

mod draft;
mod finish;
mod group;
mod merge;
mod replay;
mod tracing;
mod values;
mod window;

use lakelet_base::Result;

use self::draft::Draft;
use self::group::Groups;
pub(crate) use self::replay::Version;
use self::values::Values;
use self::window::Past;
use crate::batch::{ChangeBatch, EventKind, Incoming};
use crate::error::internal;
use crate::outcome::CdcOutcome;
use crate::resolved::ResolvedSpec;
use crate::state::{CdcState, NONE};

/// What to work out beside the outcome itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ApplyOptions {
    /// How many of the batch's events to trace, the first ones; 0 for no trace. A traced event costs a replay of its
    /// key's window.
    pub trace_events_max: u32,
}

/// Works out what a batch changes. Neither the state nor anything else is touched: commit the outcome and then give it to
/// [`CdcState::accept`].
///
/// The outcome depends only on the set of events accepted so far and those of the batch, not on how they were dealt into
/// batches or in which order they came, as long as a key and a sequence name one event.
///
/// # Errors
/// `AUTOCDC_MICROBATCH_VALIDATION.NULL_SEQUENCE`, then `.NULL_KEY`, for the whole batch; `LAKELET_LIMIT_EXCEEDED` for too
/// many rows; `INTERNAL_ERROR` for arrays of another shape than the definition says.
pub fn apply_changes(
    spec: &ResolvedSpec,
    state: &CdcState,
    batch: &ChangeBatch,
    options: ApplyOptions,
) -> Result<CdcOutcome> {
    if state.event_schema != *spec.event_schema() {
        return Err(internal("an AUTO CDC state was used with another definition than it was made for"));
    }
    apply(spec, state, Incoming::from_batch(spec, batch, state.next_arrival())?, options)
}

pub(crate) fn apply(
    spec: &ResolvedSpec,
    state: &CdcState,
    incoming: Incoming,
    options: ApplyOptions,
) -> Result<CdcOutcome> {
    let mut groups = Groups::new(spec.scd_type(), state, &incoming);
    let truncate = newest_truncate(state, &incoming);
    let floor = match truncate {
        Some(row) => {
            push_truncated_keys(state, &mut groups, incoming.sequences.get(row));
            Some(incoming.sequences.get(row))
        }
        None => state.truncation.as_ref().map(|truncation| &truncation.sequence[..]),
    };
    let past = Past::new(spec, state, &incoming, &groups);
    let compares = options.trace_events_max > 0 || !past.gathered.is_empty() || has_contenders(&groups, &incoming);
    let values = Values::new(spec, state, &incoming, &past, compares)?;

    let mut draft = Draft::new(spec.scd_type(), state, &incoming, &values, floor);
    for slot in 0..groups.slots.len() {
        draft.settle(&groups, slot, &past)?;
    }
    let trace = match options.trace_events_max {
        0 => None,
        events_max => Some(tracing::trace(spec, state, &incoming, &values, &groups, &past, events_max)?),
    };
    let mut outcome = draft.finish(spec, &groups, &past, truncate, trace)?;
    outcome.delta.keys = incoming.keys;
    Ok(outcome)
}

/// The row that empties the table anew: the truncate with the greatest sequence, if it is newer than the last.
fn newest_truncate(state: &CdcState, incoming: &Incoming) -> Option<u32> {
    let rows = (0..incoming.n_rows).filter(|&row| incoming.kinds[row as usize] == EventKind::Truncate);
    // Of equal ones the first, so that repeating a truncate changes nothing.
    let newest =
        rows.reduce(
            |newest, row| {
                if incoming.sequences.get(row) > incoming.sequences.get(newest) { row } else { newest }
            },
        )?;
    let is_newer =
        state.truncation.as_ref().is_none_or(|truncation| incoming.sequences.get(newest) > &truncation.sequence[..]);
    is_newer.then_some(newest)
}

/// Adds the keys that have an event older than `floor` and none in the batch.
fn push_truncated_keys(state: &CdcState, groups: &mut Groups, floor: &[u8]) {
    let mut is_touched = vec![false; state.heads.len()];
    for slot in groups.slots.iter().filter(|slot| slot.key != NONE) {
        is_touched[slot.key as usize] = true;
    }
    for (key, head) in state.heads.iter().enumerate().filter(|&(key, _)| !is_touched[key]) {
        let mut event = head.event;
        while event != NONE && state.sequence(event) >= floor {
            event = state.events.get(event).older;
        }
        if event != NONE {
            groups.push_untouched(key as u32);
        }
    }
}

/// Whether two rows of the batch have one key and one sequence.
fn has_contenders(groups: &Groups, incoming: &Incoming) -> bool {
    (0..groups.slots.len()).any(|slot| {
        groups.rows(slot).windows(2).any(|pair| incoming.sequences.get(pair[0]) == incoming.sequences.get(pair[1]))
    })
}

#[cfg(test)]
mod tests;
