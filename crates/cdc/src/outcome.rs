//! What a batch does to a target.

use arrow_array::RecordBatch;
use lakelet_base::Diagnostic;
use lakelet_store::RowAddress;

use crate::error::classes;
use crate::state::Delta;
use crate::trace::Trace;

/// The difference that a batch makes, to be committed in one transaction and then given to
/// [`CdcState::accept`](crate::CdcState::accept). Until then nothing has happened.
#[derive(Debug)]
pub struct CdcOutcome {
    /// Rows of the target to remove.
    pub removed: Vec<RowAddress>,
    /// Rows of the target to add, in the columns of [`ResolvedSpec::target_schema`](crate::ResolvedSpec::target_schema).
    pub added: RecordBatch,
    /// Which of them are updates of one row (same key, and for type 2 same `__START_AT`), as positions in `removed` and
    /// `added`, both ascending: the preimages and postimages of the target's own change feed.
    pub changed: Vec<(u32, u32)>,
    /// Rows to append to the events table, in the columns of
    /// [`ResolvedSpec::event_schema`](crate::ResolvedSpec::event_schema).
    pub events: RecordBatch,
    /// Rows of the events table that no later event can need, to be removed in the same transaction. Without that the
    /// events table would grow with every update of a type 1 target.
    pub removed_events: Vec<RowAddress>,
    /// The keys of the events, and those a truncate ends: the key columns, one row a key.
    pub touched_keys: RecordBatch,
    /// What was read and done.
    pub counts: CdcCounts,
    /// Events that met a different one with their key and sequence, at most [`WARNINGS_MAX`].
    pub equal_sequences: Vec<EqualSequence>,
    /// How each event was taken in, if that was asked for.
    pub trace: Option<Trace>,
    pub(crate) delta: Delta,
}

/// How many ties an outcome names; [`CdcCounts::ties`] counts all.
pub const WARNINGS_MAX: usize = 20;

/// A row of a batch that met a different event with the same key and sequence. Databricks and Spark leave open what comes
/// of it. Here, in type 1 an upsert beats a delete, in type 2 a delete beats an upsert, and of two upserts the later
/// arrival wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EqualSequence {
    /// Row of the batch.
    pub row: u32,
    /// Whether this row won.
    pub won: bool,
}

/// Numbers of a batch's events, keys and rows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CdcCounts {
    /// Rows of the batch: the sum of the next three.
    pub read: u64,
    /// Upserts.
    pub upserts: u64,
    /// Deletes.
    pub deletes: u64,
    /// Truncates.
    pub truncates: u64,
    /// Events older than another one of their key that came before them.
    pub late: u64,
    /// Exact copies of an event.
    pub duplicates: u64,
    /// Events that met a different one with their key and sequence.
    pub ties: u64,
    /// Events that count for nothing, now or later: for type 1, those older than what the key has or than a truncate.
    /// Duplicates and lost ties are not among them.
    pub ignored: u64,
    /// Keys of the events, and those that a truncate ends.
    pub keys_touched: u64,
    /// Keys of which visible rows changed.
    pub keys_changed: u64,
    /// Rows of the target that are new; for type 2 versions opened.
    pub rows_inserted: u64,
    /// Rows of the target that changed.
    pub rows_updated: u64,
    /// Rows of the target that went.
    pub rows_deleted: u64,
    /// Versions that were current and are not any more (type 2).
    pub versions_closed: u64,
    /// Versions that a late event cut in two or more (type 2).
    pub versions_split: u64,
}

impl CdcOutcome {
    /// Whether neither the target nor the events table changes, so that there is nothing to commit.
    pub fn is_empty(&self) -> bool {
        self.removed.is_empty()
            && self.added.num_rows() == 0
            && self.events.num_rows() == 0
            && self.removed_events.is_empty()
    }

    /// The rows of `added` that are no update of another row, as the target's own change feed wants them: `insert`.
    pub fn inserted(&self) -> impl Iterator<Item = u32> {
        let mut updates = self.changed.iter().map(|&(_, added)| added).peekable();
        (0..self.added.num_rows() as u32).filter(move |row| updates.next_if_eq(row).is_none())
    }

    /// The rows of `removed` that no row of `added` is an update of: `delete`.
    pub fn deleted(&self) -> impl Iterator<Item = RowAddress> {
        let mut updates = self.changed.iter().map(|&(removed, _)| removed).peekable();
        let is_deleted = move |position: &u32| updates.next_if_eq(position).is_none();
        (0..self.removed.len() as u32).filter(is_deleted).map(|position| self.removed[position as usize])
    }

    /// The warning about equal sequences, if there were any.
    pub fn warning(&self) -> Option<Diagnostic> {
        let count = self.counts.ties;
        if count == 0 {
            return None;
        }
        let events = if count == 1 { "1 event has".to_owned() } else { format!("{count} events have") };
        Some(
            Diagnostic::new(
                classes::EQUAL_SEQUENCE,
                format!("{events} the same key and sequence as a different event, so their order is not defined."),
            )
            .hint("Make SEQUENCE BY unique for each key, for instance with STRUCT(timestamp, number)."),
        )
    }
}
