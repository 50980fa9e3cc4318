//! The events of a batch and of the past that it touches, under one numbering.

use arrow_array::{Array, ArrayRef, UInt32Array, new_null_array};
use arrow_buffer::NullBuffer;
use arrow_select::interleave::interleave;
use arrow_select::take::take;
use lakelet_base::Result;

use super::group::event_order;
use super::window::Past;
use crate::batch::{EventKind, Incoming};
use crate::cells::{Cell, assemble};
use crate::encode::{EncodedRows, RowEncoder};
use crate::error::arrow_error;
use crate::resolved::ResolvedSpec;
use crate::spec::ScdType;
use crate::state::{CdcState, NONE};

/// Events by index: the rows of the batch first, then the gathered past.
#[derive(Debug)]
pub(crate) struct Values<'a> {
    state: &'a CdcState,
    incoming: &'a Incoming,
    gathered: &'a [u32],
    scd_type: ScdType,
    n_rows: u32,
    /// The kept columns of the past; none if it is empty.
    past_columns: Vec<ArrayRef>,
    past_sequence: Option<ArrayRef>,
    tracked: Pair<EncodedRows>,
    untracked: Pair<EncodedRows>,
    cells: Vec<CellValues>,
}

/// Something of the batch and the same of the past.
#[derive(Debug, Default)]
struct Pair<T> {
    batch: T,
    past: T,
}

/// One cell of every event.
#[derive(Debug)]
struct CellValues {
    is_tracked: bool,
    batch: CellRows,
    /// `None` for no past.
    past: Option<CellRows>,
}

#[derive(Debug)]
struct CellRows {
    array: ArrayRef,
    nulls: Option<NullBuffer>,
    encoded: EncodedRows,
}

impl<'a> Values<'a> {
    /// Gathers and encodes. Without `compares`, no two events are asked to be compared for equality of values, except
    /// that a type 2 history always compares tracked ones.
    pub(crate) fn new(
        spec: &ResolvedSpec,
        state: &'a CdcState,
        incoming: &'a Incoming,
        past: &'a Past,
        compares: bool,
    ) -> Result<Self> {
        let encoders = &spec.inner().encoders;
        let (past_columns, past_sequence) = gather(state, &past.gathered, spec.n_columns())?;
        let encode = |encoder: &RowEncoder, positions: &[usize]| -> Result<Pair<EncodedRows>> {
            let of = |columns: &[ArrayRef]| -> Result<EncodedRows> {
                if columns.is_empty() {
                    return Ok(EncodedRows::default());
                }
                encoder.encode(&positions.iter().map(|&at| columns[at].clone()).collect::<Vec<_>>())
            };
            Ok(Pair { batch: of(&incoming.columns)?, past: of(&past_columns)? })
        };
        let tracked = match spec.scd_type() {
            ScdType::Type1 => Pair::default(),
            ScdType::Type2 => encode(&encoders.tracked, &encoders.tracked_columns)?,
        };
        let untracked =
            if compares { encode(&encoders.untracked, &encoders.untracked_columns)? } else { Pair::default() };
        let cells = encoders
            .cells
            .iter()
            .map(|cell| CellValues::new(cell, &incoming.columns, &past_columns))
            .collect::<Result<Vec<_>>>()?;
        let gathered = &past.gathered;
        let (scd_type, n_rows) = (spec.scd_type(), incoming.n_rows);
        Ok(Self { state, incoming, gathered, scd_type, n_rows, past_columns, past_sequence, tracked, untracked, cells })
    }

    /// How many cells each event has.
    pub(crate) fn n_cells(&self) -> usize {
        self.cells.len()
    }

    /// The event's number in the state, for one of the past.
    pub(crate) fn past_event(&self, event: u32) -> Option<u32> {
        event.checked_sub(self.n_rows).map(|position| self.gathered[position as usize])
    }

    pub(crate) fn sequence(&self, event: u32) -> &[u8] {
        match self.past_event(event) {
            Some(number) => self.state.sequence(number),
            None => self.incoming.sequences.get(event),
        }
    }

    pub(crate) fn is_delete(&self, event: u32) -> bool {
        match self.past_event(event) {
            Some(number) => self.state.events.get(number).is_delete,
            None => self.incoming.kinds[event as usize] == EventKind::Delete,
        }
    }

    /// The place of two events in the life of their key.
    pub(crate) fn order(&self, left: u32, right: u32) -> std::cmp::Ordering {
        event_order(
            self.scd_type,
            (self.sequence(left), self.is_delete(left)),
            (self.sequence(right), self.is_delete(right)),
        )
    }

    pub(crate) fn same_tracked(&self, left: u32, right: u32) -> bool {
        self.encoded(&self.tracked, left) == self.encoded(&self.tracked, right)
    }

    fn same_untracked(&self, left: u32, right: u32) -> bool {
        self.encoded(&self.untracked, left) == self.encoded(&self.untracked, right)
    }

    /// Whether two upserts state the same.
    pub(crate) fn same_event(&self, left: u32, right: u32) -> bool {
        self.same_tracked(left, right)
            && self.same_untracked(left, right)
            && (0..self.cells.len()).all(|cell| self.same_cell(cell, left, right))
    }

    /// Whether two rows show the same: each is the event that its plain columns come from, and that of every cell.
    pub(crate) fn same_shown(&self, left: (u32, &[u32]), right: (u32, &[u32])) -> bool {
        self.same_tracked(left.0, right.0)
            && self.same_untracked(left.0, right.0)
            && left.1.iter().zip(right.1).enumerate().all(|(cell, (&from, &to))| self.same_cell(cell, from, to))
    }

    pub(crate) fn cell_is_null(&self, cell: usize, event: u32) -> bool {
        let (rows, row) = self.cells[cell].at(event, self.n_rows);
        rows.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row as usize))
    }

    pub(crate) fn cell_is_tracked(&self, cell: usize) -> bool {
        self.cells[cell].is_tracked
    }

    pub(crate) fn same_cell(&self, cell: usize, left: u32, right: u32) -> bool {
        let bytes = |event| {
            let (rows, row) = self.cells[cell].at(event, self.n_rows);
            rows.encoded.get(row)
        };
        left == right || bytes(left) == bytes(right)
    }

    fn encoded<'p>(&self, pair: &'p Pair<EncodedRows>, event: u32) -> &'p [u8] {
        match event.checked_sub(self.n_rows) {
            Some(position) => pair.past.get(position),
            None => pair.batch.get(event),
        }
    }

    /// The values of a kept column in these events.
    pub(crate) fn pick_column(&self, column: usize, events: &[u32]) -> Result<ArrayRef> {
        self.pick(&self.incoming.columns[column], self.past_columns.get(column), events)
    }

    /// The sequences of these events, NULL for [`NONE`].
    pub(crate) fn pick_sequence(&self, events: &[u32]) -> Result<ArrayRef> {
        self.pick(&self.incoming.sequence, self.past_sequence.as_ref(), events)
    }

    /// A column put together of cells; `events_of` gives the events that a cell's values come from.
    pub(crate) fn pick_cells(
        &self,
        spec: &ResolvedSpec,
        column: usize,
        events_of: impl Fn(usize) -> Vec<u32>,
    ) -> Result<ArrayRef> {
        let mut picked = Vec::new();
        let cells = spec.inner().encoders.cells.iter().zip(&self.cells).enumerate();
        for (index, (_, values)) in cells.filter(|(_, (cell, _))| cell.column == column) {
            let past = values.past.as_ref().map(|past| &past.array);
            picked.push(self.pick(&values.batch.array, past, &events_of(index))?);
        }
        assemble(self.incoming.columns[column].data_type(), &mut picked.into_iter())
    }

    fn pick(&self, batch: &ArrayRef, past: Option<&ArrayRef>, events: &[u32]) -> Result<ArrayRef> {
        let Some(past) = past else {
            let is_whole = events.len() == batch.len() && events.iter().zip(0..).all(|(&event, row)| event == row);
            if is_whole {
                return Ok(batch.clone());
            }
            let rows: UInt32Array = events.iter().map(|&event| (event != NONE).then_some(event)).collect();
            return take(batch, &rows, None).map_err(arrow_error);
        };
        let nothing = new_null_array(batch.data_type(), 1);
        let places: Vec<(usize, usize)> = events
            .iter()
            .map(|&event| match event.checked_sub(self.n_rows) {
                _ if event == NONE => (2, 0),
                Some(position) => (1, position as usize),
                None => (0, event as usize),
            })
            .collect();
        interleave(&[batch.as_ref(), past.as_ref(), nothing.as_ref()], &places).map_err(arrow_error)
    }
}

impl CellRows {
    fn new(cell: &Cell, column: &ArrayRef) -> Result<Self> {
        let array = cell.extract(column)?;
        let encoded = cell.encoder.encode(std::slice::from_ref(&array))?;
        Ok(Self { nulls: array.logical_nulls(), array, encoded })
    }
}

impl CellValues {
    fn new(cell: &Cell, batch: &[ArrayRef], past: &[ArrayRef]) -> Result<Self> {
        let past = past.get(cell.column).map(|column| CellRows::new(cell, column)).transpose()?;
        Ok(Self { is_tracked: cell.tracked, batch: CellRows::new(cell, &batch[cell.column])?, past })
    }

    /// The cell of the event with this index, and its row there.
    fn at(&self, event: u32, n_rows: u32) -> (&CellRows, u32) {
        match (event.checked_sub(n_rows), &self.past) {
            (Some(position), Some(past)) => (past, position),
            _ => (&self.batch, event),
        }
    }
}

/// The kept columns and the sequence of remembered events; no column for no event.
fn gather(state: &CdcState, events: &[u32], n_columns: usize) -> Result<(Vec<ArrayRef>, Option<ArrayRef>)> {
    if events.is_empty() {
        return Ok((Vec::new(), None));
    }
    // Only the chunks that are needed, numbered anew.
    let mut used: Vec<u32> = events.iter().map(|&event| state.events.get(event).chunk).collect();
    used.sort_unstable();
    used.dedup();
    let places: Vec<(usize, usize)> = events
        .iter()
        .map(|&event| {
            let entry = state.events.get(event);
            (used.partition_point(|&chunk| chunk < entry.chunk), entry.row as usize)
        })
        .collect();
    let column = |index: usize| -> Result<ArrayRef> {
        let arrays: Vec<&dyn Array> =
            used.iter().map(|&chunk| state.chunks[chunk as usize].rows.column(index).as_ref()).collect();
        interleave(&arrays, &places).map_err(arrow_error)
    };
    let columns = (0..n_columns).map(column).collect::<Result<Vec<_>>>()?;
    Ok((columns, Some(column(n_columns)?)))
}
