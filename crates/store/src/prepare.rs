//! Checking a transaction, and making the one record of it.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_buffer::Buffer;
use arrow_schema::Schema;
use lakelet_base::{Diagnostic, ErrorClass, Result, Timestamp, Version, same_name};
use lakelet_types::{canonical_type, simple_string};

use crate::adapt::adapt;
use crate::array_codec::can_keep;
use crate::codec;
use crate::commit::{CommitOutcome, PreparedCommit};
use crate::error::{arrow, classes, error, internal, not_null, table_not_found};
use crate::record::{Action, ChangeRecord, KeptBatch, LogRecord, TableCommit};
use crate::storage::Storage;
use crate::store::Store;
use crate::transaction::{ChangeDraft, Standing, TableDraft};
use crate::{Operation, Table, TableId, TableMetadata, Transaction};

impl Store {
    /// Checks a transaction and makes its record and the state after it, without changing anything. The instant of the
    /// commit is `now` in whole milliseconds, and at least 1 ms after the last commit.
    ///
    /// # Errors
    /// A conflict with what was committed since the transaction began; `DELTA_NOT_NULL_CONSTRAINT_VIOLATED` naming the
    /// column; `LAKELET_LIMIT_EXCEEDED` naming `store_bytes_max`; the errors of names that exist or do not; an internal
    /// error where the caller gave rows that do not fit.
    pub fn prepare(&self, transaction: &Transaction, now: Timestamp) -> Result<PreparedCommit> {
        if !Arc::ptr_eq(&self.ids, &transaction.base.ids) {
            return Err(internal("the transaction was begun on another workspace"));
        }
        let now = Timestamp::from_millis(now.millis());
        if transaction.is_empty() {
            let timestamp = self.last_commit.map_or(now, |last| now.max(last));
            let outcome = CommitOutcome { versions: Vec::new(), timestamp, sequence: 0, record_bytes: 0 };
            let record = Buffer::from_vec(Vec::<u8>::new());
            return Ok(PreparedCommit { record, next: self.clone(), base_sequence: self.sequence, outcome });
        }
        self.check_conflicts(transaction)?;
        let has_commits = !transaction.tables.is_empty();
        let timestamp = match self.last_commit {
            Some(last) if has_commits => now.max(last.plus_millis(1)),
            Some(last) => now.max(last),
            None => now,
        };
        let mut actions: Vec<Action> = transaction.catalog.iter().cloned().map(Action::Catalog).collect();
        let mut versions = Vec::with_capacity(transaction.tables.len());
        for (id, draft) in &transaction.tables {
            let commit = self.table_commit(*id, draft, transaction)?;
            versions.push((*id, commit.version));
            actions.push(Action::Commit(Box::new(commit)));
        }
        for (key, value) in &transaction.documents {
            let key = key.clone();
            actions.push(match value {
                Some(value) => Action::Put { key, value: Buffer::from(value.as_slice()) },
                None => Action::Remove { key },
            });
        }
        let sequence = self.sequence + 1;
        let record = codec::encode(&LogRecord { sequence, timestamp, actions })?;
        // The state is what reading the record back gives, so a recovered store cannot differ from this one.
        let mut next = self.clone();
        next.apply(codec::decode(sequence, &record)?)?;
        for (id, draft) in &transaction.tables {
            if draft.metadata.is_some()
                && let (Some(before), Some(after)) = (self.tables.get(id), next.tables.get(id))
            {
                check_new_not_null(before, after)?;
            }
        }
        self.check_size(&next)?;
        let outcome = CommitOutcome { versions, timestamp, sequence, record_bytes: record.len() };
        Ok(PreparedCommit { record, next, base_sequence: self.sequence, outcome })
    }

    /// Shows the state after a prepared commit whose record is written.
    ///
    /// # Errors
    /// An internal error when another commit came in between.
    pub fn publish(&mut self, prepared: PreparedCommit) -> Result<CommitOutcome> {
        if prepared.base_sequence != self.sequence {
            return Err(internal("another commit was published in between"));
        }
        *self = prepared.next;
        Ok(prepared.outcome)
    }

    /// Prepares a transaction, writes its record and shows the new state, in this order. After an error nothing is
    /// changed. An empty transaction writes nothing.
    ///
    /// # Errors
    /// Those of [`Store::prepare`], and the storage's.
    pub fn commit(
        &mut self,
        transaction: Transaction,
        now: Timestamp,
        storage: &mut dyn Storage,
    ) -> Result<CommitOutcome> {
        let prepared = self.prepare(&transaction, now)?;
        if !prepared.record().is_empty() {
            storage.append(prepared.record())?;
        }
        self.publish(prepared)
    }

    fn check_size(&self, next: &Self) -> Result<()> {
        let (before, after, max) = (self.size_bytes(), next.size_bytes(), self.limits.store_bytes_max);
        if after > max && after > before {
            let message = format!(
                "The workspace would hold {after} bytes with this commit; at most {max} are allowed (store_bytes_max). \
                 Old versions count: drop tables that are no longer needed."
            );
            return Err(error(ErrorClass::LIMIT_EXCEEDED, message));
        }
        Ok(())
    }

    fn table_commit(&self, id: TableId, draft: &TableDraft, transaction: &Transaction) -> Result<TableCommit> {
        let table = if draft.created { None } else { self.tables.get(&id) };
        if table.is_none() && !draft.created {
            return Err(table_not_found(format!("number {}", id.0)));
        }
        let standing_metadata = match (draft.standing, table) {
            (Standing::Restore(version), Some(table)) => Some(restorable(table, version)?),
            (_, table) => table.map(|table| table.metadata()),
        };
        let metadata = match &draft.metadata {
            Some(metadata) => Some(with_column_ids(metadata, table.map(Arc::as_ref), draft.replaced)?),
            None => None,
        };
        let effective = metadata.as_ref().or(standing_metadata.map(Arc::as_ref));
        let effective = effective.ok_or_else(|| internal("a new table has no columns"))?;
        if let Some(table) = table {
            check_append_only(table, draft)?;
            if !table.kind.has_rows() && !draft.replaced && !draft.added.is_empty() {
                return Err(internal(format!("{} is a view: it takes no rows", table.name)));
            }
        }
        let mut added = Vec::with_capacity(draft.added.len());
        for (segment, batch) in &draft.added {
            if batch.num_rows() > 0 {
                added.push((*segment, conform(batch, effective, true)?));
            }
        }
        let deleted: Vec<_> = draft.deleted.iter().map(|(segment, rows)| (*segment, rows.clone())).collect();
        let changes = match &draft.changes {
            Some(changes) if effective.has_change_feed() => {
                Some(changes.iter().map(|change| change_record(change, effective)).collect::<Result<Vec<_>>>()?)
            }
            _ => None,
        };
        let is_blind_append = !added.is_empty()
            && deleted.is_empty()
            && draft.standing == Standing::Keep
            && metadata.is_none()
            && !transaction.reads.contains(&id);
        Ok(TableCommit {
            table: id,
            version: table.map_or(0, |table| table.latest_version() + 1),
            operation: draft.operation.clone().unwrap_or_else(|| default_operation(draft)),
            read_version: transaction.base.tables.get(&id).map(|table| table.latest_version()),
            is_blind_append,
            replaced: draft.replaced,
            kind: draft.kind.clone(),
            metadata,
            standing: draft.standing,
            added,
            deleted,
            changes,
        })
    }
}

fn default_operation(draft: &TableDraft) -> Operation {
    let rows = !draft.added.is_empty();
    Operation::new(match (draft.created, draft.replaced, rows, draft.standing) {
        (true, _, false, _) => "CREATE TABLE",
        (true, _, true, _) => "CREATE TABLE AS SELECT",
        (_, true, false, _) => "CREATE OR REPLACE TABLE",
        (_, true, true, _) => "CREATE OR REPLACE TABLE AS SELECT",
        (_, _, _, Standing::Restore(_)) => "RESTORE",
        _ => "WRITE",
    })
}

fn restorable(table: &Table, version: Version) -> Result<&Arc<TableMetadata>> {
    let found = table.version(version).map(|found| &found.metadata);
    found.ok_or_else(|| {
        let message =
            format!("Cannot restore table to version {version}. Available versions: [0, {}].", table.latest_version());
        error(classes::CANNOT_RESTORE_TABLE_VERSION, message)
    })
}

/// Canonical types, and an identity for every column that has none.
fn with_column_ids(metadata: &TableMetadata, table: Option<&Table>, replaced: bool) -> Result<TableMetadata> {
    let mut next_id = table.map_or(1, |table| table.next_column_id);
    let known = table.map(|table| table.metadata().columns.clone()).unwrap_or_default();
    let mut used = BTreeSet::new();
    let mut columns = metadata.columns.to_vec();
    for index in 0..columns.len() {
        let (before, rest) = columns.split_at_mut(index);
        let Some(column) = rest.first_mut() else { break };
        if before.iter().any(|other| same_name(&other.name, &column.name)) {
            let message = format!("The column {} already exists. Choose another name or rename it.", column.name);
            return Err(error(classes::DUPLICATE_COLUMN, message));
        }
        column.data_type = canonical_type(&column.data_type);
        if !can_keep(&column.data_type) {
            let what = format!("columns of type {} ({})", simple_string(&column.data_type), column.name);
            return Err(Box::new(Diagnostic::unsupported(what)));
        }
        if replaced {
            let same =
                known.iter().find(|other| same_name(&other.name, &column.name) && other.data_type == column.data_type);
            column.id = same.map_or(0, |other| other.id);
        }
        if column.id == 0 {
            column.id = next_id;
            next_id += 1;
        } else if column.id >= next_id {
            return Err(internal(format!("column {} has an identity that was never given out", column.name)));
        }
        if !used.insert(column.id) {
            return Err(internal(format!("column {} has the identity of another one", column.name)));
        }
        if let Some(value) = &column.exist_default {
            if value.len() != 1 {
                return Err(internal(format!("column {} has a default of {} values", column.name, value.len())));
            }
            column.exist_default = Some(adapt(&column.name, value, &column.data_type)?);
        }
    }
    Ok(TableMetadata { columns: columns.into(), ..metadata.clone() })
}

/// A batch as the table keeps it.
fn conform(batch: &RecordBatch, metadata: &TableMetadata, enforce: bool) -> Result<KeptBatch> {
    let columns = &metadata.columns;
    if batch.num_columns() != columns.len() {
        return Err(internal(format!("a batch has {} columns, its table {}", batch.num_columns(), columns.len())));
    }
    let batch_schema = batch.schema();
    let mut fields = Vec::with_capacity(columns.len());
    let mut arrays = Vec::with_capacity(columns.len());
    for ((column, given), array) in columns.iter().zip(batch_schema.fields()).zip(batch.columns()) {
        if !same_name(given.name(), &column.name) {
            return Err(internal(format!("a batch has column {} where {} should stand", given.name(), column.name)));
        }
        let array = adapt(&column.name, array, &column.data_type)?;
        let mut field = column.field();
        if !enforce {
            field = field.with_nullable(true);
        } else if !column.nullable && array.logical_null_count() > 0 {
            return Err(not_null(&column.name));
        }
        fields.push(field);
        arrays.push(array);
    }
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    let batch = RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), arrays, &options).map_err(arrow)?;
    let column_ids = columns.iter().map(|column| column.id).collect();
    Ok(KeptBatch { batch, column_ids, size_bytes: 0 })
}

fn change_record(change: &ChangeDraft, metadata: &TableMetadata) -> Result<ChangeRecord> {
    Ok(match change {
        ChangeDraft::Rows(change_type, batch) => {
            ChangeRecord::Rows { change_type: *change_type, batch: conform(batch, metadata, false)? }
        }
        ChangeDraft::Kept(change_type, segment, rows) => {
            ChangeRecord::Kept { change_type: *change_type, segment: *segment, rows: rows.clone() }
        }
    })
}

fn check_append_only(table: &Table, draft: &TableDraft) -> Result<()> {
    let is_append_only =
        table.metadata().property("delta.appendOnly").is_some_and(|value| value.eq_ignore_ascii_case("true"));
    let deletes = !draft.deleted.is_empty() || draft.standing != Standing::Keep;
    if is_append_only && deletes && !draft.replaced {
        let message = format!(
            "This table is configured to only allow appends. If you would like to permit updates or deletes, use \
             ALTER TABLE {} SET TBLPROPERTIES (delta.appendOnly=false).",
            table.name
        );
        return Err(error(classes::CANNOT_MODIFY_APPEND_ONLY, message));
    }
    Ok(())
}

/// A column that begins to forbid NULL must have none in the rows that stand.
fn check_new_not_null(before: &Table, after: &Table) -> Result<()> {
    let known = &before.metadata().columns;
    for column in after.metadata().columns.iter().filter(|column| !column.nullable) {
        if known.iter().any(|other| other.id == column.id && !other.nullable) {
            continue;
        }
        let mut n_nulls = 0;
        for entry in after.latest.segments.iter().filter(|entry| entry.n_rows() > 0) {
            let values = entry.segment.column(column)?;
            if let Some(nulls) = values.logical_nulls() {
                n_nulls += (0..values.len()).filter(|row| nulls.is_null(*row) && entry.shows(*row as u32)).count();
            }
        }
        if n_nulls > 0 {
            let message =
                format!("{n_nulls} rows in {} violate the new NOT NULL constraint on {}.", after.name, column.name);
            return Err(error(ErrorClass::new("DELTA_NEW_NOT_NULL_VIOLATION", "23512"), message));
        }
    }
    Ok(())
}
