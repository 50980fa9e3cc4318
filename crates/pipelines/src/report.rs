//! Reports of refreshes, one document each.

use lakelet_base::{Diagnostic, Result};
use lakelet_protocol::RefreshReport;
use lakelet_store::{Store, TableId, Transaction};

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
