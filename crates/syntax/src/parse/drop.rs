//! DROP.

use super::cursor::{Cursor, Result};
use crate::statement::{DropObject, DropTarget};

/// DROP kind [IF EXISTS] name [CASCADE | RESTRICT | PURGE]
pub(super) fn drop(cursor: &mut Cursor<'_>) -> Result<DropObject> {
    cursor.expect(&["DROP"])?;
    const KINDS: [(&[&str], DropTarget); 7] = [
        (&["TABLE"], DropTarget::Table),
        (&["STREAMING", "TABLE"], DropTarget::Table),
        (&["VIEW"], DropTarget::View),
        (&["MATERIALIZED", "VIEW"], DropTarget::MaterializedView),
        (&["SCHEMA"], DropTarget::Schema),
        (&["DATABASE"], DropTarget::Schema),
        (&["CATALOG"], DropTarget::Catalog),
    ];
    let kind = KINDS.iter().find(|(words, _)| cursor.at(words));
    let Some((words, target)) = kind else {
        return Err(cursor.unexpected(Some("TABLE, VIEW, MATERIALIZED VIEW, SCHEMA or CATALOG")));
    };
    cursor.expect(words)?;
    let if_exists = cursor.eat(&["IF", "EXISTS"]);
    let name = cursor.name()?;
    let contains_others = matches!(target, DropTarget::Schema | DropTarget::Catalog);
    let cascade = contains_others && cursor.eat(&["CASCADE"]);
    if contains_others && !cascade {
        cursor.eat(&["RESTRICT"]);
    } else if *target == DropTarget::Table {
        // Nothing goes to a trash here, so that PURGE changes nothing.
        cursor.eat(&["PURGE"]);
    }
    Ok(DropObject { target: *target, name, if_exists, cascade })
}
