//! Applying a record to a store: the only way its state changes.

use std::collections::BTreeMap;
use std::sync::Arc;

use lakelet_base::{Result, Timestamp};

use crate::catalog::Names;
use crate::change_feed::{ChangeRows, ChangeSource, RecordedChanges};
use crate::chunked::ChunkedList;
use crate::difference::RowSet;
use crate::error::{internal, table_not_found};
use crate::record::{Action, CatalogAction, ChangeRecord, KeptBatch, LogRecord, TableCommit};
use crate::segment::{Segment, SegmentList};
use crate::store::Store;
use crate::table::TableVersion;
use crate::transaction::Standing;
use crate::{CommitInfo, SegmentId, Table, TableId, TableKind, TableMetadata};

impl Store {
    /// Applies a record. After an error the store is in between two states: callers apply to a clone.
    pub(crate) fn apply(&mut self, record: LogRecord) -> Result<()> {
        if record.sequence.checked_sub(1) != Some(self.sequence) {
            let expected = self.sequence.saturating_add(1);
            return Err(internal(format!("record {} stands where record {expected} should", record.sequence)));
        }
        // Tables that are created get their first version from the commit that follows.
        let mut created = BTreeMap::new();
        for action in record.actions {
            match action {
                Action::Catalog(action) => self.apply_catalog(action, &mut created)?,
                Action::Commit(commit) => {
                    self.apply_commit(*commit, record.timestamp, &mut created)?;
                    self.last_commit = Some(record.timestamp);
                }
                Action::Put { key, value } => self.documents.put(&key, value),
                Action::Remove { key } => self.documents.remove(&key),
            }
        }
        if !created.is_empty() {
            return Err(internal("a table was created without a version"));
        }
        self.sequence = record.sequence;
        Ok(())
    }

    fn apply_catalog(&mut self, action: CatalogAction, created: &mut BTreeMap<TableId, NewTable>) -> Result<()> {
        let names: &mut Names = Arc::make_mut(&mut self.names);
        match action {
            CatalogAction::CreateCatalog { name, comment } => names.create_catalog(&name, comment),
            CatalogAction::DropCatalog { name } => names.drop_catalog(&name),
            CatalogAction::CreateSchema { catalog, name, comment } => names.create_schema(&catalog, &name, comment),
            CatalogAction::DropSchema { catalog, name } => names.drop_schema(&catalog, &name),
            CatalogAction::CreateTable { id, name, kind } => {
                if self.tables.contains_key(&id) || created.contains_key(&id) {
                    return Err(internal(format!("table {} exists", id.0)));
                }
                names.add_table(&name, id)?;
                self.ids.saw_table(id);
                created.insert(id, NewTable { name, kind });
                Ok(())
            }
            CatalogAction::DropTable { id } => {
                let name = match (Arc::make_mut(&mut self.tables).remove(&id), created.remove(&id)) {
                    (Some(table), _) => table.name.clone(),
                    (None, Some(new)) => new.name,
                    (None, None) => return Err(table_not_found(format!("number {}", id.0))),
                };
                names.remove_table(&name)
            }
            CatalogAction::RenameTable { id, name } => {
                let tables = Arc::make_mut(&mut self.tables);
                let table = tables.get_mut(&id).ok_or_else(|| table_not_found(format!("number {}", id.0)))?;
                names.remove_table(&table.name)?;
                names.add_table(&name, id)?;
                Arc::make_mut(table).name = name;
                Ok(())
            }
        }
    }

    fn apply_commit(
        &mut self,
        commit: TableCommit,
        timestamp: Timestamp,
        created: &mut BTreeMap<TableId, NewTable>,
    ) -> Result<()> {
        for (segment, _) in &commit.added {
            self.ids.saw_segment(*segment);
        }
        let id = commit.table;
        let tables = Arc::make_mut(&mut self.tables);
        match (tables.get_mut(&id), created.remove(&id)) {
            (Some(table), None) => Arc::make_mut(table).apply(commit, timestamp),
            (None, Some(new)) => {
                tables.insert(id, Arc::new(Table::create(new, commit, timestamp)?));
                Ok(())
            }
            _ => Err(table_not_found(format!("number {}", id.0))),
        }
    }
}

/// A table that has no version yet.
struct NewTable {
    name: lakelet_base::TableName,
    kind: TableKind,
}

/// What a commit adds to the bytes of its table.
struct Built {
    version: Arc<TableVersion>,
    size_bytes: usize,
}

impl Table {
    fn create(new: NewTable, commit: TableCommit, timestamp: Timestamp) -> Result<Self> {
        let id = commit.table;
        let Built { version, size_bytes } = build(None, commit, timestamp)?;
        let mut versions = ChunkedList::default();
        versions.push(version.clone());
        Ok(Self {
            id,
            name: new.name,
            kind: new.kind,
            versions,
            first: version.clone(),
            next_column_id: next_column_id(&version.metadata),
            replaced_version: 0,
            change_feed_since: version.metadata.has_change_feed().then_some(0),
            latest: version,
            size_bytes,
        })
    }

    fn apply(&mut self, commit: TableCommit, timestamp: Timestamp) -> Result<()> {
        let (replaced, kind) = (commit.replaced, commit.kind.clone());
        let Built { version, size_bytes } = build(Some(self), commit, timestamp)?;
        let number = version.info.version;
        self.kind = kind.unwrap_or_else(|| self.kind.clone());
        self.next_column_id = self.next_column_id.max(next_column_id(&version.metadata));
        if replaced {
            self.replaced_version = number;
        }
        self.change_feed_since = version.metadata.has_change_feed().then(|| self.change_feed_since.unwrap_or(number));
        self.size_bytes += size_bytes;
        self.versions.push(version.clone());
        self.latest = version;
        Ok(())
    }
}

fn next_column_id(metadata: &TableMetadata) -> u32 {
    metadata.columns.iter().map(|column| column.id).max().unwrap_or_default().saturating_add(1)
}

/// The version that a commit makes of a table.
fn build(table: Option<&Table>, commit: TableCommit, timestamp: Timestamp) -> Result<Built> {
    let expected = table.map_or(0, |table| table.latest_version() + 1);
    if commit.version != expected {
        return Err(internal(format!("version {} stands where version {expected} should", commit.version)));
    }
    let latest = table.map(|table| &table.latest);
    let (mut segments, standing_metadata) = match commit.standing {
        Standing::Keep => (
            latest.map(|version| version.segments.clone()).unwrap_or_default(),
            latest.map(|version| version.metadata.clone()),
        ),
        Standing::Clear => (SegmentList::default(), latest.map(|version| version.metadata.clone())),
        Standing::Restore(version) => {
            let found = table.and_then(|table| table.version(version));
            let found = found.ok_or_else(|| internal(format!("version {version} cannot be restored")))?;
            (found.segments.clone(), Some(found.metadata.clone()))
        }
    };
    let metadata = match (commit.metadata, standing_metadata) {
        (Some(metadata), _) => Arc::new(metadata),
        (None, Some(metadata)) => metadata,
        (None, None) => return Err(internal("a first version has no columns")),
    };
    let mut size_bytes = 0;
    for (segment, rows) in &commit.deleted {
        size_bytes += rows.serialized_size();
        let deleted = segments.delete(*segment, rows);
        deleted.ok_or_else(|| internal(format!("segment {segment} does not show the rows to delete")))?;
    }
    let mut added = BTreeMap::new();
    for (id, KeptBatch { batch, column_ids, size_bytes: n_bytes }) in commit.added {
        size_bytes += n_bytes;
        let segment = Arc::new(Segment { id, version: commit.version, batch, column_ids, size_bytes: n_bytes });
        segments.push(segment.clone());
        added.insert(id, segment);
    }
    segments.compact();
    let changes = match commit.changes {
        _ if !metadata.has_change_feed() => RecordedChanges::Off,
        None => RecordedChanges::Derived,
        Some(changes) => {
            let mut given = Vec::with_capacity(changes.len());
            for change in changes {
                given.push(change_rows(change, latest, &added, &mut size_bytes)?);
            }
            RecordedChanges::Given(given.into())
        }
    };
    let info = CommitInfo {
        version: commit.version,
        timestamp,
        operation: commit.operation,
        read_version: commit.read_version,
        is_blind_append: commit.is_blind_append,
    };
    Ok(Built { version: Arc::new(TableVersion { info, metadata, segments, changes }), size_bytes })
}

fn change_rows(
    change: ChangeRecord,
    before: Option<&Arc<TableVersion>>,
    added: &BTreeMap<SegmentId, Arc<Segment>>,
    size_bytes: &mut usize,
) -> Result<ChangeRows> {
    match change {
        ChangeRecord::Rows { change_type, batch } => {
            *size_bytes += batch.size_bytes;
            let source = ChangeSource::Given { batch: batch.batch, column_ids: batch.column_ids };
            Ok(ChangeRows { change_type, source })
        }
        ChangeRecord::Kept { change_type, segment: id, rows } => {
            *size_bytes += rows.serialized_size();
            let standing = || before?.segments.find(id).map(|(_, entry)| &entry.segment);
            let segment = added.get(&id).or_else(standing);
            let segment = segment
                .filter(|segment| rows.max().is_none_or(|row| (row as usize) < segment.batch.num_rows()))
                .ok_or_else(|| internal(format!("segment {id} does not hold the rows of the change feed")))?;
            let set = RowSet { segment: segment.clone(), rows: Some(Arc::new(rows)) };
            Ok(ChangeRows { change_type, source: ChangeSource::Kept(set) })
        }
    }
}
