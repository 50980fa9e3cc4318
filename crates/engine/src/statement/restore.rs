//! RESTORE TABLE.

use lakelet_base::Result;
use lakelet_store::{Operation, VersionOrTime};
use lakelet_syntax::statement::Restore;

use super::{Outcome, Prepared, writable_table};
use crate::planner::Engine;
use crate::resolve::version_or_time;
use crate::session::Scope;

impl Engine {
    pub(super) fn prepare_restore(restore: &Restore, scope: &Scope<'_>) -> Result<Prepared> {
        let table = writable_table(&restore.table, scope, "RESTORE")?;
        let place = version_or_time(&restore.version, scope)?;
        let operation = match &place {
            VersionOrTime::Version(version) => Operation::new("RESTORE").parameter("version", version.to_string()),
            VersionOrTime::Timestamp(time) => Operation::new("RESTORE").parameter("timestamp", time.to_string()),
        };
        let mut transaction = scope.store.begin();
        let snapshot = table.snapshot_at(place).map_err(|error| Box::new(error.or_at(Some(restore.table.span))))?;
        transaction.restore(table.id, snapshot.version);
        transaction.commit_info(table.id, operation);
        Ok(Prepared::done(Outcome { transaction: Some(transaction), ..Outcome::default() }))
    }
}
