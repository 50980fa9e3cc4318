//! RESTORE.

use sqlparser::ast::TableVersion;

use super::cursor::{Cursor, Result};
use crate::statement::Restore;

/// RESTORE [TABLE] t [TO] {VERSION AS OF n | TIMESTAMP AS OF e}
pub(super) fn restore(cursor: &mut Cursor<'_>) -> Result<Restore> {
    cursor.expect(&["RESTORE"])?;
    cursor.eat(&["TABLE"]);
    let table = cursor.name()?;
    cursor.eat(&["TO"]);
    let version = if cursor.eat(&["VERSION", "AS", "OF"]) {
        TableVersion::VersionAsOf(cursor.expression()?.expr)
    } else if cursor.eat(&["TIMESTAMP", "AS", "OF"]) {
        TableVersion::TimestampAsOf(cursor.expression()?.expr)
    } else {
        return Err(cursor.unexpected(Some("TO VERSION AS OF n, or TO TIMESTAMP AS OF '…'")));
    };
    Ok(Restore { table, version })
}
