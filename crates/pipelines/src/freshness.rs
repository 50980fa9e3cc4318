//! What a table reads, and how much of it it has not read yet.

use arrow::array::AsArray;
use lakelet_base::{Diagnostic, Result, TableName};
use lakelet_engine::{PlannedQuery, Scope, tables_read};
use lakelet_store::{CHANGE_TYPE_COLUMN, Store, Table, TableId};
use lakelet_syntax::statement::FlowBody;

use crate::definition::{Checkpoint, Definition};
use crate::refresh::{Body, flow_of};

/// A table that another reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The table.
    pub id: TableId,
    /// Its name.
    pub name: TableName,
    /// The last version that was read; `None` before the first refresh.
    pub read_to: Option<u64>,
    /// Its latest version.
    pub latest: u64,
    /// Changed rows in between that matter to the reader.
    pub n_unread: u64,
}

/// What a table has not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Freshness {
    /// Its sources, in the order its query names them.
    pub sources: Vec<Source>,
    /// Whether it was ever refreshed.
    pub refreshed: bool,
}

impl Freshness {
    /// Unread changes of all sources.
    pub fn n_unread(&self) -> u64 {
        self.sources.iter().map(|source| source.n_unread).sum()
    }

    /// `fresh`, `stale: 2 unread`, `never refreshed`.
    pub fn text(&self) -> String {
        match (self.refreshed, self.n_unread()) {
            (false, _) => "never refreshed".to_owned(),
            (true, 0) => "fresh".to_owned(),
            (true, n_unread) => format!("stale: {n_unread} unread"),
        }
    }
}

/// What a definition reads and how far it has come.
///
/// # Errors
/// When a stored statement cannot be parsed any more.
pub fn freshness(store: &Store, definition: &Definition) -> Result<Freshness> {
    Ok(Freshness { sources: sources(store, definition)?, refreshed: definition.last_refresh.is_some() })
}

pub(crate) fn sources(store: &Store, definition: &Definition) -> Result<Vec<Source>> {
    let session = definition.session();
    let mut found: Vec<Source> = Vec::new();
    for flow in &definition.flows {
        let statement = lakelet_syntax::parse_statement(&flow.statement)?;
        let (query, feed) = match flow_of(&statement)? {
            Body::Flow(FlowBody::AutoCdc(cdc)) => (&cdc.source, true),
            Body::Flow(FlowBody::ReplaceWhere(replace)) => (&replace.query, false),
            Body::Flow(FlowBody::Append(append)) => (&append.query, false),
            Body::View(create) => (&create.query, false),
        };
        let named = tables_read(&query.query).into_iter().filter_map(|parts| store.table(&session.qualify(&parts)));
        // Those under views and under CTEs of the same name are known since they were read.
        let met = flow.checkpoint.keys().filter_map(|id| store.table_by_id(TableId(*id)));
        for table in named.chain(met.filter(|table| table.kind.has_rows())) {
            if found.iter().any(|source| source.id == table.id) {
                continue;
            }
            let read_to = flow.checkpoint.get(&table.id.0).copied();
            let n_unread = match read_to {
                Some(read_to) => unread(&table, read_to, feed)?,
                None => table.latest().n_rows() as u64,
            };
            let latest = table.latest_version();
            found.push(Source { id: table.id, name: table.name.clone(), read_to, latest, n_unread });
        }
    }
    Ok(found)
}

/// Rows that changed since a version: events without preimages for a feed, rows added and removed otherwise.
fn unread(table: &Table, read_to: u64, feed: bool) -> Result<u64> {
    let latest = table.latest_version();
    if read_to >= latest {
        return Ok(0);
    }
    if feed && table.metadata().has_change_feed() {
        let mut n_events = 0;
        for version in read_to + 1..=latest {
            let Some(n_rows) = table.n_changes(version) else {
                // The feed was off.
                let changes = table.row_changes(Some(version - 1), version)?;
                n_events += (changes.added.n_rows() + changes.deleted.n_rows()) as u64;
                continue;
            };
            let Ok(feed) = table.changes(version..=version) else {
                // Rows of types that have changed since can be counted, but not shown; the refresh says so.
                n_events += n_rows as u64;
                continue;
            };
            for batch in feed {
                let batch = batch?;
                let kinds = batch
                    .column_by_name(CHANGE_TYPE_COLUMN)
                    .and_then(|column| column.as_string_opt::<i32>())
                    .ok_or_else(|| Box::new(Diagnostic::internal("a change feed without change types")))?;
                n_events += kinds.iter().filter(|kind| *kind != Some("update_preimage")).count() as u64;
            }
        }
        return Ok(n_events);
    }
    let changes = table.row_changes(Some(read_to), latest)?;
    Ok((changes.added.n_rows() + changes.deleted.n_rows()) as u64)
}

/// The latest versions of the tables and views a query reads, through views too.
pub(crate) fn versions_read(planned: &PlannedQuery, scope: &Scope<'_>) -> Checkpoint {
    planned
        .reads
        .tables
        .iter()
        .filter_map(|id| scope.store.table_by_id(*id))
        .map(|table| (table.id.0, table.latest_version()))
        .collect()
}
