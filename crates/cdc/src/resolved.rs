//! A definition after its check: every open question settled, every name bound to a column.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch, new_null_array};
use arrow_schema::{DataType, Field, FieldRef, Schema, SchemaRef};
use lakelet_base::{Diagnostic, Result, same_name};

use crate::cells::Cell;
use crate::encode::RowEncoder;
use crate::error::{classes, internal};
use crate::spec::{AutoCdcSpec, ScdType};

/// Source columns may not start with this (compared without case); the hidden columns do.
pub const HIDDEN_PREFIX: &str = "__spark_autocdc_";
/// Column of a type 2 target: the sequence of the version's first event.
pub const BOUND_START: &str = "__START_AT";
/// Column of a type 2 target: the sequence of the first event past the version, NULL while it is current.
pub const BOUND_END: &str = "__END_AT";
/// Column of the events table: the sequence.
pub const EVENT_SEQUENCE: &str = "__spark_autocdc_sequence";
/// Column of the events table: an [`EventKind`](crate::EventKind) as `TINYINT`.
pub const EVENT_KIND: &str = "__spark_autocdc_kind";
/// Column of the events table: a number that grows with every event that ever arrived, as `BIGINT`.
pub const EVENT_ARRIVAL: &str = "__spark_autocdc_arrival";

/// A checked definition. Made by [`AutoCdcSpec::resolve`]; cheap to clone.
#[derive(Debug, Clone)]
pub struct ResolvedSpec(Arc<Inner>);

#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) scd_type: ScdType,
    pub(crate) has_truncate: bool,
    sequence_by: String,
    sequence_type: DataType,
    source: SchemaRef,
    /// The kept columns in target order.
    columns: Vec<Column>,
    /// Positions in `columns`, as are the next two.
    pub(crate) keys: Vec<usize>,
    tracked: Vec<usize>,
    ignored: Vec<usize>,
    target_schema: SchemaRef,
    event_schema: SchemaRef,
    pub(crate) encoders: Encoders,
}

#[derive(Debug, Clone)]
struct Column {
    /// Position in the source; `None` once the source has lost the column.
    source: Option<usize>,
    field: FieldRef,
}

/// How rows become comparable bytes. "Plain" columns are those whose NULLs are values; the cells of the others compare
/// one by one.
#[derive(Debug)]
pub(crate) struct Encoders {
    pub(crate) key: RowEncoder,
    pub(crate) sequence: RowEncoder,
    pub(crate) tracked: RowEncoder,
    /// Plain tracked columns.
    pub(crate) tracked_columns: Vec<usize>,
    pub(crate) untracked: RowEncoder,
    /// Plain columns that are neither keys nor tracked.
    pub(crate) untracked_columns: Vec<usize>,
    /// What IGNORE NULL UPDATES covers: columns, or the leaves of structs.
    pub(crate) cells: Vec<Cell>,
}

/// What may not change while a target keeps its rows; kept with the target and compared by
/// [`ResolvedSpec::check_drift`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateDefinition {
    /// Names and types of the keys, in any order.
    pub keys: Vec<(String, DataType)>,
    /// Type 1 or 2.
    pub scd_type: ScdType,
    /// The type of SEQUENCE BY.
    pub sequence_type: DataType,
    /// The tracked columns of type 2; empty for type 1.
    pub tracked: Vec<String>,
}

impl ResolvedSpec {
    pub(crate) fn new(
        spec: &AutoCdcSpec,
        source: &Schema,
        selected: &[usize],
        keys: Vec<usize>,
        tracked: Vec<usize>,
        ignored: Vec<usize>,
        sequence_type: &DataType,
    ) -> Result<Self> {
        let columns = selected
            .iter()
            .map(|&index| Column {
                source: Some(index),
                field: Arc::new(source.field(index).clone().with_nullable(true)),
            })
            .collect();
        Self::assemble(Parts {
            scd_type: spec.scd_type,
            has_truncate: spec.has_truncate,
            sequence_by: spec.sequence_by.clone().unwrap_or_default(),
            sequence_type: sequence_type.clone(),
            source: Arc::new(source.clone()),
            columns,
            keys,
            tracked,
            ignored,
        })
    }

    fn assemble(parts: Parts) -> Result<Self> {
        let Parts { scd_type, has_truncate, sequence_by, sequence_type, source, columns, keys, tracked, ignored } =
            parts;
        let selected_fields: Vec<FieldRef> = columns.iter().map(|column| column.field.clone()).collect();
        let mut target_fields = selected_fields.clone();
        if scd_type == ScdType::Type2 {
            target_fields.push(Arc::new(Field::new(BOUND_START, sequence_type.clone(), true)));
            target_fields.push(Arc::new(Field::new(BOUND_END, sequence_type.clone(), true)));
        }
        let mut event_fields = selected_fields;
        event_fields.push(Arc::new(Field::new(EVENT_SEQUENCE, sequence_type.clone(), true)));
        event_fields.push(Arc::new(Field::new(EVENT_KIND, DataType::Int8, false)));
        event_fields.push(Arc::new(Field::new(EVENT_ARRIVAL, DataType::Int64, false)));

        let encoder_of = |positions: &[usize]| {
            RowEncoder::new(positions.iter().map(|&at| columns[at].field.data_type().clone()).collect())
        };
        let tracked_columns: Vec<usize> = tracked.iter().copied().filter(|at| !ignored.contains(at)).collect();
        let untracked_columns: Vec<usize> = (0..columns.len())
            .filter(|at| !keys.contains(at) && !tracked.contains(at) && !ignored.contains(at))
            .collect();
        let mut cells = Vec::new();
        for &column in &ignored {
            Cell::of_column(column, columns[column].field.data_type(), tracked.contains(&column), &mut cells)?;
        }
        let encoders = Encoders {
            key: encoder_of(&keys)?,
            sequence: RowEncoder::new(vec![sequence_type.clone()])?,
            tracked: encoder_of(&tracked_columns)?,
            tracked_columns,
            untracked: encoder_of(&untracked_columns)?,
            untracked_columns,
            cells,
        };
        Ok(Self(Arc::new(Inner {
            scd_type,
            has_truncate,
            sequence_by,
            sequence_type,
            source,
            columns,
            keys,
            tracked,
            ignored,
            target_schema: Arc::new(Schema::new(target_fields)),
            event_schema: Arc::new(Schema::new(event_fields)),
            encoders,
        })))
    }

    /// The same definition for a target that has columns its source has lost: they stay, keep their values on updates of
    /// type 1, and are NULL in new rows. Columns that the definition has already are skipped.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` when a type cannot be encoded.
    pub fn with_lost_columns(&self, lost: &[FieldRef]) -> Result<Self> {
        let Inner { scd_type, has_truncate, sequence_by, sequence_type, source, keys, tracked, .. } = &*self.0;
        let mut columns = self.0.columns.clone();
        let mut ignored = self.0.ignored.clone();
        for field in lost {
            if columns.iter().any(|column| same_name(column.field.name(), field.name())) {
                continue;
            }
            if *scd_type == ScdType::Type1 {
                ignored.push(columns.len());
            }
            columns.push(Column { source: None, field: Arc::new(field.as_ref().clone().with_nullable(true)) });
        }
        Self::assemble(Parts {
            scd_type: *scd_type,
            has_truncate: *has_truncate,
            sequence_by: sequence_by.clone(),
            sequence_type: sequence_type.clone(),
            source: source.clone(),
            columns,
            keys: keys.clone(),
            tracked: tracked.clone(),
            ignored,
        })
    }

    /// Type 1 or 2.
    pub fn scd_type(&self) -> ScdType {
        self.0.scd_type
    }

    /// The columns of the source that [`ChangeBatch::rows`](crate::ChangeBatch) must have, in this order.
    pub fn source_schema(&self) -> &SchemaRef {
        &self.0.source
    }

    /// The type of SEQUENCE BY.
    pub fn sequence_type(&self) -> &DataType {
        &self.0.sequence_type
    }

    /// The text of SEQUENCE BY.
    pub fn sequence_by(&self) -> &str {
        &self.0.sequence_by
    }

    /// The columns of the target: the kept ones in source order and spelling, for type 2 followed by [`BOUND_START`] and
    /// [`BOUND_END`]. All may be NULL.
    pub fn target_schema(&self) -> &SchemaRef {
        &self.0.target_schema
    }

    /// The columns of the hidden events table: the kept ones, then [`EVENT_SEQUENCE`], [`EVENT_KIND`],
    /// [`EVENT_ARRIVAL`].
    pub fn event_schema(&self) -> &SchemaRef {
        &self.0.event_schema
    }

    /// Names of the keys in the order of KEYS, in the source's spelling.
    pub fn key_names(&self) -> Vec<&str> {
        self.names(&self.0.keys)
    }

    /// Names of the tracked columns, in target order; none for type 1.
    pub fn tracked_names(&self) -> Vec<&str> {
        self.names(&self.0.tracked)
    }

    fn names(&self, positions: &[usize]) -> Vec<&str> {
        positions.iter().map(|&at| self.0.columns[at].field.name().as_str()).collect()
    }

    /// What has to stay the same for as long as the target keeps its rows.
    pub fn definition(&self) -> StateDefinition {
        let key = |&at: &usize| {
            let field = &self.0.columns[at].field;
            (field.name().clone(), field.data_type().clone())
        };
        StateDefinition {
            keys: self.0.keys.iter().map(key).collect(),
            scd_type: self.0.scd_type,
            sequence_type: self.0.sequence_type.clone(),
            tracked: self.tracked_names().into_iter().map(str::to_owned).collect(),
        }
    }

    /// Whether rows made under `previous` may live on under this definition.
    ///
    /// # Errors
    /// `AUTOCDC_INVALID_STATE.…` for changed keys, SCD type, sequence type or tracked columns: a full refresh is needed.
    pub fn check_drift(&self, previous: &StateDefinition) -> Result<()> {
        let current = self.definition();
        let key_names = |definition: &StateDefinition| {
            definition.keys.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>().join(", ")
        };
        let same_keys = current.keys.len() == previous.keys.len()
            && current.keys.iter().all(|(name, data_type)| {
                previous.keys.iter().any(|(other, other_type)| same_name(name, other) && data_type == other_type)
            });
        let same_tracked = current.tracked.len() == previous.tracked.len()
            && current.tracked.iter().all(|name| previous.tracked.iter().any(|other| same_name(name, other)));
        let (class, what) = if !same_keys {
            let (was, is) = (key_names(previous), key_names(&current));
            let types = if was == is { ", of another type" } else { "" };
            (classes::KEY_SCHEMA_DRIFT, format!("The keys were {was} and are now {is}{types}."))
        } else if current.scd_type != previous.scd_type {
            (classes::SCD_TYPE_DRIFT, "The SCD type of the target has changed.".to_owned())
        } else if current.sequence_type != previous.sequence_type {
            (classes::SEQUENCING_TYPE_DRIFT, "The type of SEQUENCE BY has changed.".to_owned())
        } else if !same_tracked {
            let (was, is) = (previous.tracked.join(", "), current.tracked.join(", "));
            (classes::TRACK_HISTORY_DRIFT, format!("The tracked columns were {was} and are now {is}."))
        } else {
            return Ok(());
        };
        Err(Box::new(
            Diagnostic::new(class, what)
                .hint("Restore the definition, or REFRESH STREAMING TABLE … FULL to start anew."),
        ))
    }

    pub(crate) fn inner(&self) -> &Inner {
        &self.0
    }

    pub(crate) fn n_columns(&self) -> usize {
        self.0.columns.len()
    }

    /// Name of the kept column at `position`.
    pub(crate) fn column_name(&self, position: usize) -> &str {
        self.0.columns[position].field.name()
    }

    /// The kept columns of a batch of source rows.
    pub(crate) fn select(&self, rows: &RecordBatch) -> Result<Vec<ArrayRef>> {
        let take = |column: &Column| {
            let array = match column.source {
                Some(index) => rows.columns().get(index).cloned(),
                None => Some(new_null_array(column.field.data_type(), rows.num_rows())),
            };
            array
                .filter(|array| array.data_type() == column.field.data_type())
                .ok_or_else(|| internal(format_args!("source column {} has changed its type", column.field.name())))
        };
        self.0.columns.iter().map(take).collect()
    }
}

struct Parts {
    scd_type: ScdType,
    has_truncate: bool,
    sequence_by: String,
    sequence_type: DataType,
    source: SchemaRef,
    columns: Vec<Column>,
    keys: Vec<usize>,
    tracked: Vec<usize>,
    ignored: Vec<usize>,
}

#[cfg(test)]
mod tests;
