//! Reports of refreshes, one document each.

use lakelet_base::{Diagnostic, Result};
use lakelet_protocol::{RefreshMode, RefreshReport, WireError};
use lakelet_store::{Store, TableId, Transaction};

use crate::definition::definition_of;
use crate::{DueRefresh, Trigger};

/// Groups or keys that a report lists.
pub(crate) const GROUPS_MAX: usize = 200;

fn prefix(table: TableId) -> String {
    format!("refresh/{:012}/", table.0)
}

pub(crate) fn save(table: TableId, report: &RefreshReport, transaction: &mut Transaction) -> Result<()> {
    let value = serde_json::to_value(report).map_err(|error| Box::new(Diagnostic::internal(error)))?;
    transaction.put_json(format!("{}{:08}", prefix(table), report.number), &value);
    Ok(())
}

/// Writes down that a scheduled refresh failed, so that its schedule goes on to the next time.
///
/// # Errors
/// INTERNAL_ERROR when a document cannot be read, or the table has no definition.
pub fn record_failure(
    store: &Store,
    due: &DueRefresh,
    diagnostic: &Diagnostic,
    transaction: &mut Transaction,
) -> Result<RefreshReport> {
    let Some(mut definition) = definition_of(store, due.table)? else {
        return Err(Box::new(Diagnostic::internal("a scheduled refresh without a definition")));
    };
    let text = definition.flows.first().map(|flow| flow.statement.as_str()).unwrap_or_default();
    let report = RefreshReport {
        table: due.name.to_string(),
        number: definition.n_refreshes + 1,
        at: due.at,
        mode: RefreshMode::Failed,
        reason: diagnostic.message.clone(),
        n_read: 0,
        unit: "rows".to_owned(),
        n_source_rows: 0,
        n_inserted: 0,
        n_updated: 0,
        n_deleted: 0,
        touched: None,
        groups: Vec::new(),
        window: None,
        version: None,
        trigger: Trigger::Schedule.word().to_owned(),
        error: Some(WireError::new(diagnostic, text)),
    };
    definition.n_refreshes = report.number;
    definition.serve_schedule(due.at);
    definition.save(transaction)?;
    save(due.table, &report, transaction)?;
    Ok(report)
}

pub(crate) fn forget(store: &Store, table: TableId, transaction: &mut Transaction) {
    let prefix = prefix(table);
    let keys: Vec<String> = store.documents(&prefix).map(|(key, _)| key.to_owned()).collect();
    for key in keys {
        transaction.remove(key);
    }
}

/// Reports of a table's refreshes, newest first.
///
/// # Errors
/// INTERNAL_ERROR when a document cannot be read.
pub fn reports(store: &Store, table: TableId) -> Result<Vec<RefreshReport>> {
    let mut all = store
        .documents(&prefix(table))
        .map(|(_, bytes)| serde_json::from_slice(bytes).map_err(|error| Box::new(Diagnostic::internal(error))))
        .collect::<Result<Vec<RefreshReport>>>()?;
    all.reverse();
    Ok(all)
}

/// The newest report of a table.
///
/// # Errors
/// INTERNAL_ERROR when a document cannot be read.
pub fn last_report(store: &Store, table: TableId) -> Result<Option<RefreshReport>> {
    Ok(reports(store, table)?.into_iter().next())
}
