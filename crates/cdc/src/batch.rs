//! One batch of change events: what the caller hands in, and its check.

use arrow_array::cast::AsArray;
use arrow_array::types::{Int8Type, Int64Type};
use arrow_array::{Array, ArrayRef, BooleanArray, RecordBatch};
use lakelet_base::{Diagnostic, ErrorClass, Result};

use crate::encode::EncodedRows;
use crate::error::{classes, internal};
use crate::resolved::ResolvedSpec;

/// What an event does. The numbers are those of [`EVENT_KIND`](crate::EVENT_KIND).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EventKind {
    /// States the values of a key (0).
    Upsert = 0,
    /// Ends a key (1).
    Delete = 1,
    /// Ends every key with older events (2); type 1 only.
    Truncate = 2,
}

impl EventKind {
    /// The number in the events table.
    pub fn code(self) -> i8 {
        self as i8
    }

    /// The kind of a row of the events table.
    pub(crate) fn of_event(events: &RecordBatch, row: u32) -> Option<Self> {
        let codes = events.columns().iter().nth_back(1)?.as_primitive_opt::<Int8Type>()?;
        Self::from_code(codes.value(row as usize))
    }

    fn from_code(code: i8) -> Option<Self> {
        match code {
            0 => Some(Self::Upsert),
            1 => Some(Self::Delete),
            2 => Some(Self::Truncate),
            _ => None,
        }
    }
}

/// Source rows in the order of their arrival, with the flow's expressions evaluated over them.
#[derive(Debug, Clone)]
pub struct ChangeBatch {
    /// The rows, with the columns of [`ResolvedSpec::source_schema`] in that order.
    pub rows: RecordBatch,
    /// `SEQUENCE BY`, one value a row, of [`ResolvedSpec::sequence_type`].
    pub sequence: ArrayRef,
    /// `APPLY AS DELETE WHEN`; FALSE and NULL mean upsert. `None`: the clause is not there.
    pub is_delete: Option<BooleanArray>,
    /// `APPLY AS TRUNCATE WHEN`, which goes before the other condition. `None`: the clause is not there.
    pub is_truncate: Option<BooleanArray>,
}

impl ChangeBatch {
    /// What the row at `row` does.
    fn kind(&self, row: usize) -> EventKind {
        let holds = |condition: &Option<BooleanArray>| {
            condition.as_ref().is_some_and(|values| values.is_valid(row) && values.value(row))
        };
        if holds(&self.is_truncate) {
            EventKind::Truncate
        } else if holds(&self.is_delete) {
            EventKind::Delete
        } else {
            EventKind::Upsert
        }
    }
}

/// A valid batch, ready to be applied.
#[derive(Debug)]
pub(crate) struct Incoming {
    pub(crate) n_rows: u32,
    /// The kept columns.
    pub(crate) columns: Vec<ArrayRef>,
    pub(crate) sequence: ArrayRef,
    pub(crate) kinds: Vec<EventKind>,
    pub(crate) keys: EncodedRows,
    pub(crate) sequences: EncodedRows,
    pub(crate) arrivals: Arrivals,
}

/// The arrival numbers of the rows.
#[derive(Debug)]
pub(crate) enum Arrivals {
    /// Counted up from here.
    From(i64),
    /// Those of stored events.
    Stored(ArrayRef),
}

impl Arrivals {
    pub(crate) fn get(&self, row: u32) -> i64 {
        match self {
            Self::From(first) => first + i64::from(row),
            Self::Stored(numbers) => numbers.as_primitive::<Int64Type>().value(row as usize),
        }
    }
}

/// More rows than row numbers leave room for beside the stored events.
const ROWS_MAX: usize = u32::MAX as usize / 4;

impl Incoming {
    /// Checks a batch: the sequence first, then the keys.
    pub(crate) fn from_batch(spec: &ResolvedSpec, batch: &ChangeBatch, first_arrival: i64) -> Result<Self> {
        let n_rows = batch.rows.num_rows();
        let as_long = |condition: &Option<BooleanArray>| condition.as_ref().is_none_or(|array| array.len() == n_rows);
        if batch.sequence.len() != n_rows || !as_long(&batch.is_delete) || !as_long(&batch.is_truncate) {
            return Err(internal("a change batch has arrays of unequal length"));
        }
        if batch.rows.num_columns() != spec.source_schema().fields().len() {
            return Err(internal("a change batch has other columns than its source"));
        }
        if batch.sequence.data_type() != spec.sequence_type() {
            return Err(internal("a change batch has a sequence of another type than its flow"));
        }
        if batch.is_truncate.is_some() && !spec.inner().has_truncate {
            return Err(internal("a change batch has a truncate condition and its flow has none"));
        }
        let kinds = (0..n_rows).map(|row| batch.kind(row)).collect();
        Self::new(spec, spec.select(&batch.rows)?, batch.sequence.clone(), kinds, Arrivals::From(first_arrival))
    }

    /// Events of the events table, in the columns of [`ResolvedSpec::event_schema`].
    pub(crate) fn from_events(spec: &ResolvedSpec, events: &RecordBatch) -> Result<Self> {
        let n_columns = spec.n_columns();
        let columns = events.columns()[..n_columns].to_vec();
        let codes = events.column(n_columns + 1).as_primitive::<Int8Type>();
        let kinds = codes
            .values()
            .iter()
            .map(|&code| EventKind::from_code(code).ok_or_else(|| internal("an event of unknown kind is stored")))
            .collect::<Result<Vec<_>>>()?;
        let arrivals = Arrivals::Stored(events.column(n_columns + 2).clone());
        Self::new(spec, columns, events.column(n_columns).clone(), kinds, arrivals)
    }

    fn new(
        spec: &ResolvedSpec,
        columns: Vec<ArrayRef>,
        sequence: ArrayRef,
        kinds: Vec<EventKind>,
        arrivals: Arrivals,
    ) -> Result<Self> {
        let n_rows = kinds.len();
        if n_rows > ROWS_MAX {
            return Err(Box::new(
                Diagnostic::new(
                    ErrorClass::LIMIT_EXCEEDED,
                    format!("A batch of {n_rows} change events is over the limit of {ROWS_MAX}."),
                )
                .hint("Refresh more often, so that a batch has fewer rows."),
            ));
        }
        check_sequence(spec, &sequence)?;
        check_keys(spec, &columns, &kinds)?;
        let key_columns: Vec<ArrayRef> = spec.inner().keys.iter().map(|&key| columns[key].clone()).collect();
        Ok(Self {
            n_rows: n_rows as u32,
            keys: spec.inner().encoders.key.encode(&key_columns)?,
            sequences: spec.inner().encoders.sequence.encode(std::slice::from_ref(&sequence))?,
            columns,
            sequence,
            kinds,
            arrivals,
        })
    }

    pub(crate) fn is_truncate(&self, row: u32) -> bool {
        self.kinds[row as usize] == EventKind::Truncate
    }
}

const NOTHING_APPLIED: &str =
    "Nothing of this batch was applied and the next refresh meets the same rows: correct or filter them in the source.";

/// "1 row has", "2 rows have".
fn rows_have(count: usize) -> String {
    if count == 1 { "1 row has".to_owned() } else { format!("{count} rows have") }
}

fn check_sequence(spec: &ResolvedSpec, sequence: &ArrayRef) -> Result<()> {
    let count = sequence.logical_null_count();
    if count == 0 {
        return Ok(());
    }
    let message = format!("{} a NULL sequence (SEQUENCE BY {}).", rows_have(count), spec.sequence_by());
    Err(Box::new(Diagnostic::new(classes::NULL_SEQUENCE, message).hint(NOTHING_APPLIED)))
}

/// A truncate needs no key; every other row needs all of them.
fn check_keys(spec: &ResolvedSpec, columns: &[ArrayRef], kinds: &[EventKind]) -> Result<()> {
    let mut offenders = Vec::new();
    for &key in &spec.inner().keys {
        let Some(nulls) = columns[key].logical_nulls() else { continue };
        let count = (0..kinds.len()).filter(|&row| nulls.is_null(row) && kinds[row] != EventKind::Truncate).count();
        if count > 0 {
            offenders.push(format!("{} a NULL in key {}", rows_have(count), spec.column_name(key)));
        }
    }
    if offenders.is_empty() {
        return Ok(());
    }
    Err(Box::new(Diagnostic::new(classes::NULL_KEY, format!("{}.", offenders.join(", "))).hint(NOTHING_APPLIED)))
}

#[cfg(test)]
mod tests;
