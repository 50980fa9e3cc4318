//! Tests of the whole store. Each topic has its file; here is what they share.

mod catalog;
mod change_feed;
mod evolution;
mod log;
mod properties;
mod transaction;
mod versions;

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, Int32Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use lakelet_base::{Diagnostic, TableName, Timestamp, Version};
use lakelet_types::cell_text;

use super::*;

/// A store with its log, and a clock that stands still.
struct World {
    store: Store,
    storage: MemoryStorage,
    now: Timestamp,
}

impl World {
    fn new() -> Self {
        Self { store: Store::new(), storage: MemoryStorage::default(), now: Timestamp::LESSON_START }
    }

    fn try_commit(&mut self, act: impl FnOnce(&mut Transaction)) -> Result<CommitOutcome, Box<Diagnostic>> {
        let mut transaction = self.store.begin();
        act(&mut transaction);
        self.store.commit(transaction, self.now, &mut self.storage)
    }

    fn commit(&mut self, act: impl FnOnce(&mut Transaction)) -> CommitOutcome {
        self.try_commit(act).unwrap()
    }

    /// Table `t` with `k INT, v STRING`, its change feed on.
    fn create(&mut self) -> TableId {
        self.create_with(&[(CHANGE_FEED_PROPERTY, "true")])
    }

    fn create_with(&mut self, properties: &[(&str, &str)]) -> TableId {
        let mut metadata = key_value();
        metadata.properties =
            Arc::new(properties.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect());
        let mut id = TableId(0);
        self.commit(|transaction| id = transaction.create_table(spec("t", metadata)));
        id
    }

    fn table(&self, id: TableId) -> Arc<Table> {
        self.store.table_by_id(id).unwrap()
    }

    fn insert(&mut self, id: TableId, rows: &[(i32, &str)]) -> Version {
        self.commit(|transaction| _ = transaction.add_batch(id, batch(rows))).version(id).unwrap()
    }

    /// Deletes the rows with these keys.
    fn delete(&mut self, id: TableId, keys: &[i32]) -> Version {
        let addresses = self.addresses(id, keys);
        self.commit(|transaction| transaction.delete_rows(id, &addresses)).version(id).unwrap()
    }

    /// Writes `value` into the rows with these keys, as an UPDATE does.
    fn update(&mut self, id: TableId, keys: &[i32], value: &str) -> Version {
        let addresses = self.addresses(id, keys);
        let old = self.table(id).latest().rows(&addresses, Some(&[0])).unwrap();
        let keys = old.column(0).as_any().downcast_ref::<Int32Array>().unwrap();
        let rows: Vec<(i32, &str)> = keys.values().iter().map(|key| (*key, value)).collect();
        self.commit(|transaction| {
            transaction.delete_rows(id, &addresses);
            let segment = transaction.add_batch(id, batch(&rows));
            let added: Vec<_> = (0..rows.len() as u32).map(|row| RowAddress { segment, row }).collect();
            transaction.change_addresses(id, ChangeType::UpdatePreimage, &addresses);
            transaction.change_addresses(id, ChangeType::UpdatePostimage, &added);
            transaction.commit_info(id, Operation::new("UPDATE").metric("numUpdatedRows", rows.len() as u64));
        })
        .version(id)
        .unwrap()
    }

    fn addresses(&self, id: TableId, keys: &[i32]) -> Vec<RowAddress> {
        let mut found = Vec::new();
        for batch in self.table(id).latest().scan_with_addresses(Some(&[0])) {
            let batch = batch.unwrap();
            let column = batch.column(0).as_any().downcast_ref::<Int32Array>().unwrap();
            let addresses = row_addresses(&batch).unwrap();
            let wanted =
                (0..batch.num_rows()).filter(|row| column.is_valid(*row) && keys.contains(&column.value(*row)));
            found.extend(wanted.map(|row| addresses[row]));
        }
        found
    }

    fn recovered(&self) -> Store {
        Store::recover(&mut self.storage.clone()).unwrap().0
    }
}

fn key_value() -> TableMetadata {
    TableMetadata::new(vec![Column::new("k", DataType::Int32), Column::new("v", DataType::Utf8)])
}

fn spec(name: &str, metadata: TableMetadata) -> TableSpec {
    TableSpec { name: table_name(name), kind: TableKind::Table, metadata }
}

fn table_name(name: &str) -> TableName {
    TableName::new("playground", "default", name)
}

fn batch(rows: &[(i32, &str)]) -> RecordBatch {
    let keys = Int32Array::from_iter_values(rows.iter().map(|row| row.0));
    let values = StringArray::from_iter_values(rows.iter().map(|row| row.1));
    let schema = Schema::new(vec![Field::new("k", DataType::Int32, true), Field::new("v", DataType::Utf8, true)]);
    RecordBatch::try_new(Arc::new(schema), vec![Arc::new(keys), Arc::new(values)]).unwrap()
}

/// Rows as `1|a`, in the order they come.
fn texts(batches: impl IntoIterator<Item = Result<RecordBatch, Box<Diagnostic>>>) -> Vec<String> {
    let mut rows = Vec::new();
    for batch in batches {
        let batch = batch.unwrap();
        for row in 0..batch.num_rows() {
            let cell = |column: &ArrayRef| cell_text(column, row).unwrap_or_else(|| "null".to_owned());
            rows.push(batch.columns().iter().map(cell).collect::<Vec<_>>().join("|"));
        }
    }
    rows
}

fn rows(snapshot: &Snapshot) -> Vec<String> {
    texts(snapshot.scan(None))
}

fn sorted(mut rows: Vec<String>) -> Vec<String> {
    rows.sort();
    rows
}

/// Everything a reader can see of a store, as text.
fn picture(store: &Store) -> String {
    let mut lines = vec![format!("{:?} {:?} {}", store.names, store.last_commit, store.sequence)];
    for (key, value) in store.documents("") {
        lines.push(format!("{key} = {}", String::from_utf8_lossy(value)));
    }
    for table in store.all_tables() {
        lines.push(format!("{:?} {} {:?} {}", table.id, table.name, table.kind, table.size_bytes));
        lines.push(format!("{:?} {}", table.change_feed_start(), table.replaced_version()));
        for info in table.history() {
            let snapshot = table.snapshot_at(VersionOrTime::Version(info.version)).unwrap();
            lines.push(format!("{info:?} {:?}", snapshot.metadata));
            lines.extend(texts(snapshot.scan_with_addresses(None)));
            if let Ok(feed) = table.changes(info.version..=info.version) {
                lines.extend(texts(feed));
            }
        }
    }
    lines.join("\n")
}

fn condition<T: std::fmt::Debug>(result: Result<T, Box<Diagnostic>>) -> &'static str {
    result.unwrap_err().class.condition
}
