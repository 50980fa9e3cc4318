//! What is remembered of a pipeline table, as a document in the store.

use std::collections::BTreeMap;

use lakelet_base::{Diagnostic, Result, Timestamp};
use lakelet_engine::Session;
use lakelet_store::{Store, TableId, Transaction};
use serde::{Deserialize, Serialize};

/// Source table's id → its last version that was read.
pub type Checkpoint = BTreeMap<u64, u64>;

const PREFIX: &str = "pipeline/";

/// How a table's rows are made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowDefinition {
    /// Name; the table's own for a flow that was defined with it.
    pub name: String,
    /// The statement that defined it, parsed again at each refresh.
    pub statement: String,
    /// Source table's id → its last version that was read.
    pub checkpoint: Checkpoint,
    /// A ONCE flow that has run.
    pub finished: bool,
}

/// A Quartz cron expression in a time zone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CronDefinition {
    /// Seconds first.
    pub expression: String,
    /// IANA name.
    pub time_zone: String,
}

/// When a table is refreshed by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScheduleDefinition {
    /// Minutes between refreshes; 0 where a cron expression says when.
    pub every_minutes: u64,
    /// SCHEDULE CRON.
    #[serde(default)]
    pub cron: Option<CronDefinition>,
    /// As people say it: `every 1 day`.
    pub text: String,
    /// From when it counts, microseconds.
    pub anchor: i64,
    /// Up to when it has been served, microseconds.
    pub served_until: i64,
}

/// A streaming table or materialized view.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Definition {
    /// The table.
    #[serde(with = "id")]
    pub table: TableId,
    /// Catalog that was current when it was made.
    pub catalog: String,
    /// Schema that was current when it was made.
    pub schema: String,
    /// The statement that made it, for the page.
    pub statement: String,
    /// Its flows; a materialized view has one, its query.
    pub flows: Vec<FlowDefinition>,
    /// SCHEDULE.
    pub schedule: Option<ScheduleDefinition>,
    /// Events table of an AUTO CDC flow.
    pub events_table: Option<u64>,
    /// SCD type of an AUTO CDC flow.
    pub scd_type: Option<u8>,
    /// Keys of an AUTO CDC flow.
    pub keys: Vec<String>,
    /// SEQUENCE BY of an AUTO CDC flow.
    pub sequence_by: Option<String>,
    /// Tracked columns of an AUTO CDC flow; `None` where an older definition did not keep them.
    #[serde(default)]
    pub tracked: Option<Vec<String>>,
    /// Refreshes so far, failed ones that a schedule started among them.
    pub n_refreshes: u64,
    /// When it was last refreshed without an error, microseconds.
    pub last_refresh: Option<i64>,
}

impl Definition {
    /// A definition without flows.
    pub(crate) fn new(table: TableId, statement: &str, session: &Session) -> Self {
        Self {
            table,
            catalog: session.catalog.clone(),
            schema: session.schema.clone(),
            statement: statement.to_owned(),
            flows: Vec::new(),
            schedule: None,
            events_table: None,
            scd_type: None,
            keys: Vec::new(),
            sequence_by: None,
            tracked: None,
            n_refreshes: 0,
            last_refresh: None,
        }
    }

    /// The session its statements were written in.
    pub fn session(&self) -> Session {
        Session { catalog: self.catalog.clone(), schema: self.schema.clone(), ..Session::default() }
    }

    /// When it was last refreshed without an error.
    pub fn last_refresh(&self) -> Option<Timestamp> {
        self.last_refresh.map(Timestamp)
    }

    /// Its schedule asks for nothing more up to `at`.
    pub(crate) fn serve_schedule(&mut self, at: Timestamp) {
        if let Some(schedule) = &mut self.schedule {
            schedule.served_until = at.0;
        }
    }

    /// Writes the definition as part of a transaction.
    pub(crate) fn save(&self, transaction: &mut Transaction) -> Result<()> {
        let value = serde_json::to_value(self).map_err(|error| Box::new(Diagnostic::internal(error)))?;
        transaction.put_json(key(self.table), &value);
        Ok(())
    }
}

/// A table's id as a plain number.
mod id {
    use lakelet_store::TableId;
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(id: &TableId, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(id.0)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<TableId, D::Error> {
        u64::deserialize(deserializer).map(TableId)
    }
}

/// Takes a definition away as part of a transaction.
pub(crate) fn forget(table: TableId, transaction: &mut Transaction) {
    transaction.remove(key(table));
}

fn key(table: TableId) -> String {
    format!("{PREFIX}{:012}", table.0)
}

/// The definition of a table, if a pipeline keeps it.
///
/// # Errors
/// INTERNAL_ERROR when the document cannot be read.
pub fn definition_of(store: &Store, table: TableId) -> Result<Option<Definition>> {
    match store.get(&key(table)) {
        Some(bytes) => serde_json::from_slice(bytes).map(Some).map_err(|error| Box::new(Diagnostic::internal(error))),
        None => Ok(None),
    }
}

/// All definitions whose tables are there, in the order the tables were made.
///
/// # Errors
/// INTERNAL_ERROR when a document cannot be read.
pub fn definitions(store: &Store) -> Result<Vec<Definition>> {
    let mut all = Vec::new();
    for (_, bytes) in store.documents(PREFIX) {
        let definition: Definition =
            serde_json::from_slice(bytes).map_err(|error| Box::new(Diagnostic::internal(error)))?;
        if store.table_by_id(definition.table).is_some() {
            all.push(definition);
        }
    }
    Ok(all)
}
