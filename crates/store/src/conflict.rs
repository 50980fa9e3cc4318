//! Whether what a transaction read still stands, by Delta's rules (write-serializable): commits that only added rows
//! without reading are never in the way.

use std::sync::Arc;

use lakelet_base::{Diagnostic, ErrorClass, Result};

use crate::difference::Difference;
use crate::error::{classes, table_not_found};
use crate::store::Store;
use crate::table::TableVersion;
use crate::transaction::Standing;
use crate::{Table, TableId, Transaction};

impl Store {
    /// Refuses a transaction that a commit since its beginning is in the way of.
    ///
    /// # Errors
    /// `TABLE_OR_VIEW_NOT_FOUND`, `DELTA_METADATA_CHANGED`, `DELTA_CONCURRENT_APPEND`, `DELTA_CONCURRENT_DELETE_READ`.
    pub(crate) fn check_conflicts(&self, transaction: &Transaction) -> Result<()> {
        let drafts = transaction.tables.iter().filter(|(_, draft)| !draft.created).map(|(id, _)| *id);
        for id in drafts.chain(transaction.reads.iter().copied()) {
            if transaction.tables.get(&id).is_some_and(|draft| draft.created) {
                continue;
            }
            let Some(base) = transaction.base.table_by_id(id) else {
                return Err(table_not_found(format!("number {}", id.0)));
            };
            let Some(current) = self.table_by_id(id) else { return Err(table_not_found(&base.name)) };
            check_table(&base, &current, has_read(transaction, id))?;
        }
        Ok(())
    }
}

fn has_read(transaction: &Transaction, id: TableId) -> bool {
    let depends = |standing| standing != Standing::Keep;
    transaction.reads.contains(&id) || transaction.tables.get(&id).is_some_and(|draft| depends(draft.standing))
}

fn check_table(base: &Table, current: &Table, has_read: bool) -> Result<()> {
    let mut before = &base.latest;
    for version in base.latest_version() + 1..=current.latest_version() {
        let Some(winner) = current.version(version) else { break };
        if !Arc::ptr_eq(&before.metadata, &winner.metadata) {
            let what = "changed the table's columns or properties";
            return Err(conflict(classes::METADATA_CHANGED, base, winner, what));
        }
        if has_read && !winner.is_blind_append() {
            let difference = Difference::between(&before.segments, &winner.segments);
            if !difference.added.is_empty() {
                return Err(conflict(classes::CONCURRENT_APPEND, base, winner, "added rows that it did not see"));
            }
            if !difference.deleted.is_empty() {
                return Err(conflict(classes::CONCURRENT_DELETE_READ, base, winner, "deleted rows that it had read"));
            }
        }
        before = winner;
    }
    Ok(())
}

fn conflict(class: ErrorClass, base: &Table, winner: &TableVersion, what: &str) -> Box<Diagnostic> {
    let operation = &winner.info.operation;
    let by = operation.cause.as_ref().map_or_else(String::new, |cause| {
        let task = cause.task_key.as_ref().map(|key| format!(" by task {key}"));
        let iteration = cause.iteration.map(|iteration| format!(", iteration {iteration}"));
        task.unwrap_or_default() + &iteration.unwrap_or_default()
    });
    let message = format!(
        "Transaction conflict detected on {}: the operation read version {}, and a concurrent {}{by} (version {}) {what}.",
        base.name,
        base.latest_version(),
        operation.name,
        winner.info.version
    );
    Box::new(Diagnostic::new(class, message).hint("Nothing was changed. Run the operation again."))
}
