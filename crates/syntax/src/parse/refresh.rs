//! REFRESH.

use lakelet_base::Diagnostic;

use super::cursor::{Cursor, Result};
use crate::statement::{RefreshTable, RefreshTarget};

/// REFRESH [STREAMING TABLE | MATERIALIZED VIEW | TABLE] t [FULL] [SYNC] [WHERE p]
pub(super) fn refresh(cursor: &mut Cursor<'_>) -> Result<RefreshTable> {
    cursor.expect(&["REFRESH"])?;
    let target = if cursor.eat(&["STREAMING", "TABLE"]) {
        RefreshTarget::StreamingTable
    } else if cursor.eat(&["MATERIALIZED", "VIEW"]) {
        RefreshTarget::MaterializedView
    } else {
        cursor.eat(&["TABLE"]);
        RefreshTarget::Unspecified
    };
    let name = cursor.name()?;
    let full = cursor.eat(&["FULL"]);
    if !cursor.eat(&["SYNC"]) && cursor.at(&["ASYNC"]) {
        return Err(Box::new(
            Diagnostic::unsupported("REFRESH … ASYNC")
                .at(cursor.span())
                .hint("Leave ASYNC out: a refresh here ends with the statement."),
        ));
    }
    let predicate = if cursor.eat(&["WHERE"]) { Some(cursor.expression()?) } else { None };
    Ok(RefreshTable { target, name, full, predicate })
}
