//! AUTO CDC: keeps a table equal to what its change events say, exactly, whatever order they arrive in.
//!
//! A flow's definition ([`AutoCdcSpec`]) is checked against its source once ([`AutoCdcSpec::resolve`]). Then every refresh
//! is three steps:
//!
//! 1. [`apply_changes`] takes the definition, the memory of the target ([`CdcState`]) and the new events with their
//!    conditions and sequence evaluated ([`ChangeBatch`]), and answers with the difference ([`CdcOutcome`]): rows to
//!    remove from and add to the target and a hidden *events table*.
//! 2. The caller commits that difference to both tables in one transaction.
//! 3. [`CdcState::accept`] takes it over.
//!
//! If the second step fails, or the process ends between the steps, nothing has happened. After a restart
//! [`CdcState::rebuild`] makes the memory from the two tables; for a full refresh [`CdcState::new`] starts with none.
//!
//! ```
//! use std::sync::Arc;
//! use arrow_array::{Int64Array, record_batch};
//! use arrow_schema::DataType;
//! use lakelet_cdc::*;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // Two events of spoon 1, the older one last.
//! let rows = record_batch!(("id", Int64, [1, 1]), ("warehouse", Utf8, ["Los Angeles", "Seattle"]))?;
//! let spec = AutoCdcSpec {
//!     keys: vec!["id".to_owned()],
//!     sequence_by: Some("moved_at".to_owned()),
//!     scd_type: ScdType::Type2,
//!     ..AutoCdcSpec::default()
//! };
//! let spec = spec.resolve(&rows.schema(), &DataType::Int64)?;
//! let mut state = CdcState::new(&spec);
//!
//! let sequence = Arc::new(Int64Array::from(vec![20, 10]));
//! let batch = ChangeBatch { rows, sequence, is_delete: None, is_truncate: None };
//! let outcome = apply_changes(&spec, &state, &batch, ApplyOptions::default())?;
//!
//! // Seattle from 10 to 20, Los Angeles from 20 on.
//! assert_eq!(outcome.added.num_rows(), 2);
//! assert_eq!(outcome.counts.late, 1);
//!
//! // Once the rows are committed, as segments 1 and 2 here:
//! state.accept(&spec, &outcome, Placement { target: Some(1), events: Some(2) })?;
//! assert_eq!(state.n_visible_rows(), 2);
//! # Ok(())
//! # }
//! ```
//!
//! # What is guaranteed
//!
//! The target depends only on the *set* of events, never on their order of arrival or how they were cut into batches:
//! for each key it is what one gets by sorting all its events by sequence and replaying them. For that the events table
//! remembers what may still matter:
//!
//! * type 2 every upsert and delete, also those that show nothing (repeats inside of a version, deletes of nothing), since
//!   a late event can bring any of them to light;
//! * type 1 the newest event of each key, be it a delete; with IGNORE NULL UPDATES also the newest event that stated each
//!   column (each leaf of a struct) and the last delete; and the newest truncate. Events that are superseded are removed
//!   ([`CdcOutcome::removed_events`]), so the table stays as large as the number of keys.
//!
//! A key and a sequence name one event. Copies of it are absorbed. If different events share them, which Spark and
//! Databricks leave undefined, the result is still deterministic and [`CdcOutcome::warning`] says so.
//!
//! # What it costs
//!
//! A batch costs its own size and, for each key that it touches, the events newer than the earliest new one; not the
//! size of the table, nor the length of a history that is only appended to. With IGNORE NULL UPDATES a history is replayed
//! from the key's last delete. A truncate looks at every key.
//!
//! This crate evaluates no expression, reads no clock and writes nothing.

mod apply;
mod batch;
mod cells;
mod encode;
mod error;
mod outcome;
mod resolved;
mod spec;
mod state;
mod trace;

pub use apply::{ApplyOptions, apply_changes};
pub use batch::{ChangeBatch, EventKind};
pub use error::classes;
pub use outcome::{CdcCounts, CdcOutcome, EqualSequence, WARNINGS_MAX};
pub use resolved::{
    BOUND_END, BOUND_START, EVENT_ARRIVAL, EVENT_KIND, EVENT_SEQUENCE, HIDDEN_PREFIX, ResolvedSpec, StateDefinition,
};
pub use spec::{AutoCdcSpec, ColumnClause, ColumnSelection, ScdType};
pub use state::{CdcState, Placement, StoredRows};
pub use trace::{EventTrace, Rule, Trace, TraceStep};
