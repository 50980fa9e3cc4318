//! The change feed: what each version did to the rows.

use std::collections::VecDeque;
use std::ops::RangeInclusive;
use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray, TimestampMicrosecondArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use arrow_select::concat::concat_batches;
use lakelet_base::{Result, Timestamp, Version, same_name};
use lakelet_types::{sql_name, timestamp_type};

use crate::difference::{Difference, RowSet, relaxed};
use crate::error::{arrow, classes, error};
use crate::segment::{SegmentList, read_column};
use crate::table::TableVersion;
use crate::{CHANGE_FEED_PROPERTY, Column, ColumnId, Scan, Snapshot, Table};

/// Name of the column with the [`ChangeType`].
pub const CHANGE_TYPE_COLUMN: &str = "_change_type";
/// Name of the column with the version, a `bigint`.
pub const COMMIT_VERSION_COLUMN: &str = "_commit_version";
/// Name of the column with the instant of the commit, a `timestamp`.
pub const COMMIT_TIMESTAMP_COLUMN: &str = "_commit_timestamp";

/// What happened to a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChangeType {
    /// The row is new.
    Insert,
    /// The row as it was before an update.
    UpdatePreimage,
    /// The row as it is after an update.
    UpdatePostimage,
    /// The row is gone; all of it, as it was.
    Delete,
}

impl ChangeType {
    pub(crate) const ALL: [Self; 4] = [Self::Insert, Self::UpdatePreimage, Self::UpdatePostimage, Self::Delete];

    /// Delta's name: `insert`, `update_preimage`, `update_postimage`, `delete`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Insert => "insert",
            Self::UpdatePreimage => "update_preimage",
            Self::UpdatePostimage => "update_postimage",
            Self::Delete => "delete",
        }
    }

    /// The reverse of [`ChangeType::name`].
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|change_type| change_type.name() == name)
    }
}

/// What a version keeps for the feed.
#[derive(Debug, Clone)]
pub(crate) enum RecordedChanges {
    /// The feed was off.
    Off,
    /// Added rows are inserts, deleted ones deletes.
    Derived,
    /// The commit said what its changes are.
    Given(Arc<[ChangeRows]>),
}

/// Changes of one type.
#[derive(Debug, Clone)]
pub(crate) struct ChangeRows {
    pub(crate) change_type: ChangeType,
    pub(crate) source: ChangeSource,
}

#[derive(Debug, Clone)]
pub(crate) enum ChangeSource {
    /// Rows of the table, of this or an earlier version.
    Kept(RowSet),
    /// Rows given with the commit.
    Given { batch: RecordBatch, column_ids: Arc<[ColumnId]> },
}

impl ChangeSource {
    fn n_rows(&self) -> usize {
        match self {
            Self::Kept(rows) => rows.n_rows(),
            Self::Given { batch, .. } => batch.num_rows(),
        }
    }
}

/// The changes of a range of versions, oldest first. An iterator over batches, each of one version and one type.
#[derive(Debug, Clone)]
pub struct ChangeFeed {
    parts: VecDeque<Part>,
    columns: Arc<[Column]>,
    schema: SchemaRef,
}

#[derive(Debug, Clone)]
struct Part {
    version: Version,
    timestamp: Timestamp,
    rows: ChangeRows,
}

impl ChangeFeed {
    fn new(columns: &Arc<[Column]>) -> Self {
        Self { parts: VecDeque::new(), columns: relaxed(columns), schema: Arc::new(change_feed_schema(columns)) }
    }

    /// The table's columns, then `_change_type`, `_commit_version`, `_commit_timestamp`.
    pub fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    /// Number of rows still to come.
    pub fn n_rows(&self) -> usize {
        self.parts.iter().map(|part| part.rows.source.n_rows()).sum()
    }

    /// All rows still to come in one batch.
    ///
    /// # Errors
    /// An internal error where the log holds values that do not fit their columns.
    pub fn collect_batch(self) -> Result<RecordBatch> {
        let schema = self.schema();
        let batches = self.collect::<Result<Vec<_>>>()?;
        concat_batches(&schema, &batches).map_err(arrow)
    }

    fn push(&mut self, version: Version, timestamp: Timestamp, change_type: ChangeType, source: ChangeSource) {
        if source.n_rows() > 0 {
            self.parts.push_back(Part { version, timestamp, rows: ChangeRows { change_type, source } });
        }
    }

    fn push_sets(&mut self, version: Version, timestamp: Timestamp, change_type: ChangeType, sets: Vec<RowSet>) {
        for set in sets {
            self.push(version, timestamp, change_type, ChangeSource::Kept(set));
        }
    }

    fn batch(&self, part: &Part) -> Result<RecordBatch> {
        let mut arrays: Vec<ArrayRef> = match &part.rows.source {
            ChangeSource::Kept(set) => {
                Scan::of_rows(vec![set.clone()], &self.columns).collect_batch()?.columns().to_vec()
            }
            ChangeSource::Given { batch, column_ids } => {
                let read = |column: &Column| {
                    read_column(batch, column_ids, column, batch.num_rows(), |array| Ok(array.clone()))
                };
                self.columns.iter().map(read).collect::<Result<_>>()?
            }
        };
        let n_rows = part.rows.source.n_rows();
        let change_types = std::iter::repeat_n(part.rows.change_type.name(), n_rows);
        arrays.push(Arc::new(StringArray::from_iter_values(change_types)));
        arrays.push(Arc::new(Int64Array::from_value(i64::try_from(part.version).unwrap_or(i64::MAX), n_rows)));
        let timestamps = TimestampMicrosecondArray::from_value(part.timestamp.0, n_rows);
        arrays.push(Arc::new(timestamps.with_timezone("UTC")));
        RecordBatch::try_new(self.schema.clone(), arrays).map_err(arrow)
    }
}

impl Iterator for ChangeFeed {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        let part = self.parts.pop_front()?;
        Some(self.batch(&part))
    }
}

/// The columns of a feed over a table with these columns. They may all be NULL but the last three: a row of an earlier
/// version need not keep to what is demanded today.
pub fn change_feed_schema(columns: &[Column]) -> Schema {
    let mut fields: Vec<Field> = columns.iter().map(|column| column.field().with_nullable(true)).collect();
    fields.push(Field::new(CHANGE_TYPE_COLUMN, DataType::Utf8, false));
    fields.push(Field::new(COMMIT_VERSION_COLUMN, DataType::Int64, false));
    fields.push(Field::new(COMMIT_TIMESTAMP_COLUMN, timestamp_type(), false));
    Schema::new(fields)
}

impl Table {
    /// The changes of the versions in `range`, both ends included, read with the newest version's columns. An end past
    /// the latest version means the latest.
    ///
    /// # Errors
    /// `DELTA_INVALID_CDC_RANGE` when the range is empty or begins after the latest version,
    /// `DELTA_MISSING_CHANGE_DATA` when it has a version that was written while the feed was off,
    /// `DELTA_CHANGE_DATA_FEED_INCOMPATIBLE_DATA_SCHEMA` when the table was replaced in it by one that has a column of
    /// the same name and another type.
    pub fn changes(&self, range: RangeInclusive<Version>) -> Result<ChangeFeed> {
        let (start, end) = (*range.start(), *range.end());
        let latest = self.latest_version();
        if start > end {
            let message = format!("CDC range from start {start} to end {end} was invalid. End cannot be before start.");
            return Err(error(classes::INVALID_CDC_RANGE, message));
        }
        if start > latest {
            let message = format!(
                "Provided Start version({start}) for reading change data is invalid. \
                 Start version cannot be greater than the latest version of the table({latest})."
            );
            return Err(error(classes::INVALID_CDC_RANGE, message));
        }
        let end = end.min(latest);
        let mut feed = ChangeFeed::new(&self.latest.metadata.columns);
        for version in start..=end {
            let recorded = self.existing_version(version)?;
            if matches!(recorded.changes, RecordedChanges::Off) {
                return Err(self.missing_changes(start, end, version));
            }
            self.check_same_types(recorded, start, end)?;
            self.push_changes(&mut feed, recorded, false);
        }
        Ok(feed)
    }

    /// The version S at which a reader without a start version begins: the later of the version that created or last
    /// replaced the table and the one that switched the feed on. `None` while the feed is off.
    pub fn change_feed_start(&self) -> Option<Version> {
        self.change_feed_since.map(|since| since.max(self.replaced_version))
    }

    /// The rows that stand before [`Table::change_feed_start`]: those of the version before S. `None` where the table
    /// began at S or the feed is off.
    pub fn rows_before_change_feed(&self) -> Option<Snapshot> {
        let start = self.change_feed_start()?;
        if start == self.replaced_version {
            return None;
        }
        self.version(start.checked_sub(1)?).map(|version| Snapshot::new(self, version))
    }

    /// What a reader without a start version reads first, up to `to` included: the rows standing before S as inserts at
    /// S, then the recorded changes from S on. Where the table was replaced at S, the rows of its old contents are not
    /// there as deletes: such a reader never saw them.
    ///
    /// # Errors
    /// `DELTA_MISSING_CHANGE_DATA` while the feed is off, else as for [`Table::changes`].
    pub fn initial_changes(&self, to: Version) -> Result<ChangeFeed> {
        let latest = self.latest_version();
        let Some(start) = self.change_feed_start() else {
            return Err(self.missing_changes(0, to.min(latest), latest));
        };
        let mut feed = ChangeFeed::new(&self.latest.metadata.columns);
        let first = self.existing_version(start)?;
        if let Some(standing) = self.rows_before_change_feed() {
            let rows = standing.segments.iter().filter_map(RowSet::live).collect();
            feed.push_sets(start, first.info.timestamp, ChangeType::Insert, rows);
        }
        for version in start..=to.min(latest) {
            let recorded = self.existing_version(version)?;
            self.check_same_types(recorded, start, to)?;
            self.push_changes(&mut feed, recorded, version == self.replaced_version);
        }
        Ok(feed)
    }

    /// Number of rows that the feed has for a version; `None` while it was off or for a version that is not there.
    pub fn n_changes(&self, version: Version) -> Option<usize> {
        let recorded = self.version(version)?;
        if matches!(recorded.changes, RecordedChanges::Off) {
            return None;
        }
        let mut feed = ChangeFeed::new(&recorded.metadata.columns);
        self.push_changes(&mut feed, recorded, false);
        Some(feed.n_rows())
    }

    fn push_changes(&self, feed: &mut ChangeFeed, recorded: &TableVersion, is_new_table: bool) {
        let (version, timestamp) = (recorded.info.version, recorded.info.timestamp);
        match &recorded.changes {
            RecordedChanges::Off => {}
            RecordedChanges::Given(changes) => {
                for rows in changes.iter() {
                    feed.push(version, timestamp, rows.change_type, rows.source.clone());
                }
            }
            RecordedChanges::Derived => {
                let none = SegmentList::default();
                let before = version.checked_sub(1).filter(|_| !is_new_table).and_then(|before| self.version(before));
                let before = before.map_or(&none, |before| &before.segments);
                let difference = Difference::between(before, &recorded.segments);
                feed.push_sets(version, timestamp, ChangeType::Delete, difference.deleted);
                feed.push_sets(version, timestamp, ChangeType::Insert, difference.added);
            }
        }
    }

    fn missing_changes(&self, start: Version, end: Version, version: Version) -> Box<lakelet_base::Diagnostic> {
        let message = format!(
            "Error getting change data for range [{start}, {end}] as change data was not recorded for version \
             [{version}]. If you've enabled change data feed on this table, use DESCRIBE HISTORY to see when it was \
             first enabled. Otherwise, to start recording change data, use ALTER TABLE {} SET TBLPROPERTIES \
             ({CHANGE_FEED_PROPERTY}=true).",
            self.name
        );
        let mut diagnostic = error(classes::MISSING_CHANGE_DATA, message);
        if let Some(since) = self.change_feed_start().filter(|since| *since > version) {
            diagnostic = Box::new(diagnostic.hint(format!("The change feed has been recorded since version {since}.")));
        }
        diagnostic
    }

    /// Columns are matched by identity, so one that was dropped or renamed is no obstacle; one that was made anew with
    /// another type under the old name is.
    fn check_same_types(&self, recorded: &TableVersion, start: Version, end: Version) -> Result<()> {
        let latest = &self.latest.metadata;
        if Arc::ptr_eq(latest, &recorded.metadata) {
            return Ok(());
        }
        for column in latest.columns.iter() {
            let same_named = recorded.metadata.columns.iter().find(|other| same_name(&other.name, &column.name));
            let Some(other) = same_named else { continue };
            let is_same = latest.columns.iter().any(|column| column.id == other.id);
            if !is_same && other.data_type != column.data_type {
                let message = format!(
                    "Retrieving table changes between version {start} and {end} failed because of an incompatible data \
                     schema: column {} is {} in version {} and {} now.",
                    column.name,
                    sql_name(&other.data_type),
                    recorded.info.version,
                    sql_name(&column.data_type)
                );
                return Err(error(classes::CHANGE_FEED_INCOMPATIBLE_SCHEMA, message));
            }
        }
        Ok(())
    }
}
