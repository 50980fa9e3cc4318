//! How each event of a batch was taken in, for those who want to see why.

use arrow_array::RecordBatch;

use crate::batch::EventKind;

/// The events of a batch one by one, in the order of arrival, each on top of those before it.
#[derive(Debug, Clone)]
pub struct Trace {
    /// What each event did.
    pub events: Vec<EventTrace>,
    /// The rows that the steps name, in the columns of the target.
    pub versions: RecordBatch,
    /// Whether the batch has more events than were to be traced.
    pub is_cut: bool,
}

/// What one event did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventTrace {
    /// Row of the batch.
    pub row: u32,
    /// Its number among all events of the target.
    pub arrival: i64,
    /// What kind of event it is.
    pub kind: EventKind,
    /// Whether a newer event of its key came before it.
    pub is_late: bool,
    /// What it did, at least one step.
    pub steps: Vec<TraceStep>,
}

/// One change of the visible rows and the rule behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceStep {
    /// The rule.
    pub rule: Rule,
    /// Rows that the step ends or changes, as rows of [`Trace::versions`].
    pub before: Vec<u32>,
    /// Rows that stand in their place.
    pub after: Vec<u32>,
}

/// Why an event did what it did. [`Rule::id`] is what tests, lessons and the page call it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Rule {
    /// R1: nothing is valid at the event's sequence, so it opens a version (or puts the first row).
    Open,
    /// R2: newer than all before, it closes the current version and opens the next (or replaces the row).
    Replace,
    /// R3: it shows nothing new and is only remembered.
    Repeat,
    /// R4: late, it splits a version.
    Split,
    /// R5: a delete closes the version that is valid at its sequence (or removes the row).
    Close,
    /// R6: a delete with nothing to close waits as a tombstone.
    Tombstone,
    /// R7: events that showed nothing so far show again past a late one.
    Wake,
    /// R8: an exact copy is absorbed.
    Duplicate,
    /// R9: a different event with the same sequence, decided by the rule for ties.
    EqualSequence,
    /// R10: older than what the key has; type 1 ignores it.
    Outdated,
    /// R11: an untracked change, or a value that a newer event left open, changes a row in place.
    InPlace,
    /// T1: a truncate ends every row of older events.
    Truncate,
}

impl Rule {
    /// The rule's short name.
    pub fn id(self) -> &'static str {
        match self {
            Self::Open => "R1",
            Self::Replace => "R2",
            Self::Repeat => "R3",
            Self::Split => "R4",
            Self::Close => "R5",
            Self::Tombstone => "R6",
            Self::Wake => "R7",
            Self::Duplicate => "R8",
            Self::EqualSequence => "R9",
            Self::Outdated => "R10",
            Self::InPlace => "R11",
            Self::Truncate => "T1",
        }
    }
}
