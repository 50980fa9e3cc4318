//! What the page shows of a workspace, read from the store. Nothing here changes anything.

mod catalog;
mod changes;
mod clock;
mod pipeline;
mod table;
mod versions;
mod watermarks;

pub(crate) use catalog::catalog;
pub(crate) use changes::changes;
pub(crate) use clock::{clock, preview};
pub(crate) use pipeline::pipeline;
pub(crate) use table::{commit_view, refreshes, rows, table};
pub(crate) use versions::versions;
pub(crate) use watermarks::watermarks;

use std::sync::Arc;

use lakelet_base::{Diagnostic, ErrorClass, Result, TableName};
use lakelet_store::Table;

use crate::core::Core;

/// The table of a three-part name as the page has it.
pub(crate) fn find(core: &Core, name: &str) -> Result<Arc<Table>> {
    let parts = lakelet_syntax::split_name(name).unwrap_or_default();
    let found = match parts.as_slice() {
        [catalog, schema, table] => core.store.table(&TableName::new(catalog, schema, table)),
        _ => None,
    };
    found.filter(|table| table.kind.is_visible()).ok_or_else(|| {
        Box::new(
            Diagnostic::new(ErrorClass::TABLE_OR_VIEW_NOT_FOUND, format!("There is no table {name} (any more)."))
                .hint("It may have been dropped; the catalog shows what there is."),
        )
    })
}
