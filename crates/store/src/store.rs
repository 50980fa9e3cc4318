//! The whole state of a workspace.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use lakelet_base::{Limits, Result, TableName, Timestamp};
use serde_json::Value;

use crate::catalog::{Catalog, Documents, Names, Schema};
use crate::error::internal;
use crate::{SegmentId, Table, TableId, Transaction};

const FIRST_CATALOG: &str = "playground";
const FIRST_SCHEMA: &str = "default";

/// The whole state of a workspace: catalogs, tables with all their versions, documents. A deterministic fold of log
/// records; see the crate's documentation. A clone is cheap and independent.
#[derive(Debug, Clone)]
pub struct Store {
    pub(crate) names: Arc<Names>,
    pub(crate) tables: Arc<BTreeMap<TableId, Arc<Table>>>,
    pub(crate) documents: Documents,
    /// Number of the last record.
    pub(crate) sequence: u64,
    /// Instant of the last commit.
    pub(crate) last_commit: Option<Timestamp>,
    pub(crate) ids: Arc<Ids>,
    pub(crate) limits: Limits,
}

/// Numbers that are given out once, shared by a store, its clones and their transactions.
#[derive(Debug, Default)]
pub(crate) struct Ids {
    next_table: AtomicU64,
    next_segment: AtomicU64,
}

impl Ids {
    pub(crate) fn table(&self) -> TableId {
        TableId(self.next_table.fetch_add(1, Ordering::Relaxed))
    }

    pub(crate) fn segment(&self) -> SegmentId {
        self.next_segment.fetch_add(1, Ordering::Relaxed)
    }

    /// Numbers up to these are used in the log.
    pub(crate) fn saw_table(&self, id: TableId) {
        self.next_table.fetch_max(id.0.saturating_add(1), Ordering::Relaxed);
    }

    pub(crate) fn saw_segment(&self, id: SegmentId) {
        self.next_segment.fetch_max(id.saturating_add(1), Ordering::Relaxed);
    }
}

impl Default for Store {
    fn default() -> Self {
        Self::new()
    }
}

impl Store {
    /// A workspace without commits: catalog `playground` with schema `default`.
    pub fn new() -> Self {
        Self::with_limits(Limits::default())
    }

    /// The same with other limits; `store_bytes_max` is the one enforced here.
    pub fn with_limits(limits: Limits) -> Self {
        let schema = Schema { name: FIRST_SCHEMA.to_owned(), comment: None };
        let catalog = Catalog {
            name: FIRST_CATALOG.to_owned(),
            comment: None,
            schemas: BTreeMap::from([(FIRST_SCHEMA.to_owned(), schema)]),
        };
        let names = Names { catalogs: BTreeMap::from([(FIRST_CATALOG.to_owned(), catalog)]), tables: BTreeMap::new() };
        Self {
            names: Arc::new(names),
            tables: Arc::default(),
            documents: Documents::default(),
            sequence: 0,
            last_commit: None,
            ids: Arc::default(),
            limits,
        }
    }

    /// The limits in force.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Names of all catalogs, sorted without case.
    pub fn catalog_names(&self) -> Vec<&str> {
        self.names.catalogs.values().map(|catalog| catalog.name.as_str()).collect()
    }

    /// A catalog by name.
    pub fn catalog(&self, name: &str) -> Option<&Catalog> {
        self.names.catalog(name)
    }

    /// Names of the schemas of a catalog, sorted without case; none for a catalog that is not there.
    pub fn schema_names(&self, catalog: &str) -> Vec<&str> {
        let catalog = self.names.catalog(catalog);
        catalog.map_or_else(Vec::new, |catalog| catalog.schemas.values().map(|schema| schema.name.as_str()).collect())
    }

    /// A schema by name.
    pub fn schema(&self, catalog: &str, name: &str) -> Option<&Schema> {
        self.names.schema(catalog, name)
    }

    /// The visible tables and views of a schema, sorted by name.
    pub fn tables(&self, catalog: &str, schema: &str) -> Vec<Arc<Table>> {
        let (catalog, schema) = (catalog.to_lowercase(), schema.to_lowercase());
        let first = (catalog.clone(), schema.clone(), String::new());
        let keys = self.names.tables.range(first..).take_while(|(key, _)| key.0 == catalog && key.1 == schema);
        keys.filter_map(|(_, id)| self.table_by_id(*id)).filter(|table| table.kind.is_visible()).collect()
    }

    /// All tables, hidden ones too, by id.
    pub fn all_tables(&self) -> impl Iterator<Item = &Arc<Table>> {
        self.tables.values()
    }

    /// A table or view by name, hidden ones too.
    pub fn table(&self, name: &TableName) -> Option<Arc<Table>> {
        self.names.tables.get(&name.key()).and_then(|id| self.table_by_id(*id))
    }

    /// A table by its identity.
    pub fn table_by_id(&self, id: TableId) -> Option<Arc<Table>> {
        self.tables.get(&id).cloned()
    }

    /// A document's bytes.
    pub fn get(&self, key: &str) -> Option<&[u8]> {
        self.documents.get(key)
    }

    /// A document as JSON; `None` where there is none.
    ///
    /// # Errors
    /// An internal error when the document is not JSON.
    pub fn get_json(&self, key: &str) -> Result<Option<Value>> {
        let Some(bytes) = self.documents.get(key) else { return Ok(None) };
        serde_json::from_slice(bytes).map(Some).map_err(|error| internal(format!("document {key}: {error}")))
    }

    /// The documents whose key begins with `prefix`, by key.
    pub fn documents<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = (&'a str, &'a [u8])> {
        self.documents.with_prefix(prefix)
    }

    /// Number of the last log record; 0 before the first.
    pub fn sequence(&self) -> u64 {
        self.sequence
    }

    /// Instant of the last commit of any table.
    pub fn last_commit(&self) -> Option<Timestamp> {
        self.last_commit
    }

    /// Bytes held: all versions of all tables, and the documents.
    pub fn size_bytes(&self) -> usize {
        self.tables.values().map(|table| table.size_bytes).sum::<usize>() + self.documents.size_bytes()
    }

    /// Begins a transaction on the present state.
    pub fn begin(&self) -> Transaction {
        Transaction::new(self.clone())
    }
}
