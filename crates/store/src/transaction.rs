//! Collecting what one commit will do.

use std::collections::{BTreeMap, BTreeSet};

use arrow_array::RecordBatch;
use lakelet_base::{TableName, Version};
use roaring::RoaringBitmap;

use crate::record::CatalogAction;
use crate::store::Store;
use crate::{ChangeType, Operation, RowAddress, SegmentId, TableId, TableKind, TableMetadata};

/// A table to create.
#[derive(Debug, Clone)]
pub struct TableSpec {
    /// Its name.
    pub name: TableName,
    /// Its kind.
    pub kind: TableKind,
    /// Columns, properties and the rest. All column ids are 0.
    pub metadata: TableMetadata,
}

/// Actions on any number of tables and documents that become one log record, or nothing. What it read is pinned: it was
/// begun on one state of the store, and [`Store::commit`] refuses it when what it read or deleted has changed since.
///
/// Actions are not checked before the commit, and the transaction does not read its own writes.
#[derive(Debug, Clone)]
pub struct Transaction {
    pub(crate) base: Store,
    pub(crate) catalog: Vec<CatalogAction>,
    pub(crate) tables: BTreeMap<TableId, TableDraft>,
    pub(crate) documents: BTreeMap<String, Option<Vec<u8>>>,
    pub(crate) reads: BTreeSet<TableId>,
}

/// What becomes of the rows that stood before.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Standing {
    #[default]
    Keep,
    Clear,
    Restore(Version),
}

#[derive(Debug, Clone, Default)]
pub(crate) struct TableDraft {
    pub(crate) created: bool,
    pub(crate) replaced: bool,
    pub(crate) kind: Option<TableKind>,
    pub(crate) metadata: Option<TableMetadata>,
    pub(crate) standing: Standing,
    pub(crate) added: Vec<(SegmentId, RecordBatch)>,
    pub(crate) deleted: BTreeMap<SegmentId, RoaringBitmap>,
    pub(crate) changes: Option<Vec<ChangeDraft>>,
    pub(crate) operation: Option<Operation>,
}

#[derive(Debug, Clone)]
pub(crate) enum ChangeDraft {
    Rows(ChangeType, RecordBatch),
    Kept(ChangeType, SegmentId, RoaringBitmap),
}

impl Transaction {
    pub(crate) fn new(base: Store) -> Self {
        Self { base, catalog: Vec::new(), tables: BTreeMap::new(), documents: BTreeMap::new(), reads: BTreeSet::new() }
    }

    /// The state it was begun on: what its statement should read.
    pub fn base(&self) -> &Store {
        &self.base
    }

    /// Whether nothing was asked of it; committing it then does nothing.
    pub fn is_empty(&self) -> bool {
        self.catalog.is_empty() && self.tables.is_empty() && self.documents.is_empty()
    }

    /// Says that what is written depends on the rows of `table`: a commit that changed them in the meantime is a
    /// conflict.
    pub fn read(&mut self, table: TableId) {
        self.reads.insert(table);
    }

    /// Says what made the commits of all its tables, where they do not say so themselves.
    pub fn caused_by(&mut self, cause: &crate::CommitCause) {
        for operation in self.tables.values_mut().filter_map(|draft| draft.operation.as_mut()) {
            operation.cause.get_or_insert_with(|| cause.clone());
        }
    }

    /// Creates a catalog.
    pub fn create_catalog(&mut self, name: impl Into<String>, comment: Option<String>) {
        self.catalog.push(CatalogAction::CreateCatalog { name: name.into(), comment });
    }

    /// Drops an empty catalog.
    pub fn drop_catalog(&mut self, name: impl Into<String>) {
        self.catalog.push(CatalogAction::DropCatalog { name: name.into() });
    }

    /// Creates a schema.
    pub fn create_schema(&mut self, catalog: impl Into<String>, name: impl Into<String>, comment: Option<String>) {
        self.catalog.push(CatalogAction::CreateSchema { catalog: catalog.into(), name: name.into(), comment });
    }

    /// Drops a schema without tables. For CASCADE drop its tables first, hidden ones too.
    pub fn drop_schema(&mut self, catalog: impl Into<String>, name: impl Into<String>) {
        self.catalog.push(CatalogAction::DropSchema { catalog: catalog.into(), name: name.into() });
    }

    /// Creates a table, at version 0; rows added to it in this transaction are part of that version.
    pub fn create_table(&mut self, spec: TableSpec) -> TableId {
        let id = self.base.ids.table();
        let TableSpec { name, kind, metadata } = spec;
        self.catalog.push(CatalogAction::CreateTable { id, name, kind });
        let draft = TableDraft { created: true, metadata: Some(metadata), ..TableDraft::default() };
        self.tables.insert(id, draft);
        id
    }

    /// CREATE OR REPLACE: the table keeps its identity, history and count of versions; rows and metadata begin anew.
    /// A column keeps its identity where one of its name and type was there before.
    pub fn replace_table(&mut self, table: TableId, kind: TableKind, metadata: TableMetadata) {
        let draft = self.draft(table);
        draft.replaced = true;
        draft.kind = Some(kind);
        draft.metadata = Some(metadata);
        draft.standing = Standing::Clear;
        draft.deleted.clear();
    }

    /// Drops a table with all its versions.
    pub fn drop_table(&mut self, table: TableId) {
        self.tables.remove(&table);
        self.catalog.push(CatalogAction::DropTable { id: table });
    }

    /// Gives a table another name. That makes no version.
    pub fn rename_table(&mut self, table: TableId, name: TableName) {
        self.catalog.push(CatalogAction::RenameTable { id: table, name });
    }

    /// Changes columns, properties, comment. Columns keep their identity by [`crate::Column::id`]; those with id 0 are new.
    pub fn set_metadata(&mut self, table: TableId, metadata: TableMetadata) {
        self.draft(table).metadata = Some(metadata);
    }

    /// Changes the kind, for instance the text of a view.
    pub fn set_kind(&mut self, table: TableId, kind: TableKind) {
        self.draft(table).kind = Some(kind);
    }

    /// Adds rows. The batch has the table's columns in order, as they are after this transaction; types need only stand
    /// for the same Spark types. The number of the segment is final: row `i` will be at
    /// `RowAddress { segment, row: i }`.
    pub fn add_batch(&mut self, table: TableId, batch: RecordBatch) -> SegmentId {
        let segment = self.base.ids.segment();
        self.draft(table).added.push((segment, batch));
        segment
    }

    /// Deletes rows. Implies [`Transaction::read`].
    pub fn delete_rows(&mut self, table: TableId, addresses: &[RowAddress]) {
        self.reads.insert(table);
        let deleted = &mut self.draft(table).deleted;
        for address in addresses {
            deleted.entry(address.segment).or_default().insert(address.row);
        }
    }

    /// Deletes all rows that stand at the time of the commit, as an overwrite does.
    pub fn delete_all(&mut self, table: TableId) {
        let draft = self.draft(table);
        draft.standing = Standing::Clear;
        draft.deleted.clear();
    }

    /// Makes rows and metadata those of an earlier version. Rows added or deleted in this transaction come on top.
    pub fn restore(&mut self, table: TableId, version: Version) {
        self.draft(table).standing = Standing::Restore(version);
    }

    /// Says what the change feed shall hold, in this order, instead of inserts for added and deletes for deleted rows.
    /// Left out when the feed is off. The batch is as for [`Transaction::add_batch`].
    pub fn change_rows(&mut self, table: TableId, change_type: ChangeType, batch: RecordBatch) {
        self.draft(table).changes.get_or_insert_default().push(ChangeDraft::Rows(change_type, batch));
    }

    /// The same for rows that this transaction adds or that stood before it: they are kept once only. They come in the
    /// order of their addresses within one segment.
    pub fn change_addresses(&mut self, table: TableId, change_type: ChangeType, addresses: &[RowAddress]) {
        let changes = self.draft(table).changes.get_or_insert_default();
        for address in addresses {
            match changes.last_mut() {
                Some(ChangeDraft::Kept(last, segment, rows))
                    if *last == change_type
                        && *segment == address.segment
                        && rows.max().is_none_or(|row| row < address.row) =>
                {
                    rows.insert(address.row);
                }
                _ => {
                    let rows = RoaringBitmap::from_iter([address.row]);
                    changes.push(ChangeDraft::Kept(change_type, address.segment, rows));
                }
            }
        }
    }

    /// Says that the commit changes nothing the feed should show although rows are added or deleted (OPTIMIZE).
    pub fn no_changes(&mut self, table: TableId) {
        self.draft(table).changes.get_or_insert_default();
    }

    /// What the history says about this commit. A table that is named here gets a new version in any case.
    pub fn commit_info(&mut self, table: TableId, operation: Operation) {
        self.draft(table).operation = Some(operation);
    }

    /// Writes a document.
    pub fn put(&mut self, key: impl Into<String>, value: impl Into<Vec<u8>>) {
        self.documents.insert(key.into(), Some(value.into()));
    }

    /// Writes a document of JSON.
    pub fn put_json(&mut self, key: impl Into<String>, value: &serde_json::Value) {
        self.put(key, value.to_string());
    }

    /// Removes a document; one that is not there is no error.
    pub fn remove(&mut self, key: impl Into<String>) {
        self.documents.insert(key.into(), None);
    }

    fn draft(&mut self, table: TableId) -> &mut TableDraft {
        self.tables.entry(table).or_default()
    }
}
