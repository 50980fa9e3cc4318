//! SHOW.

use super::cursor::{Cursor, Result};
use crate::statement::{Name, Show};

pub(super) fn show(cursor: &mut Cursor<'_>) -> Result<Show> {
    cursor.expect(&["SHOW"])?;
    if cursor.eat(&["TABLES"]) {
        let (schema, pattern) = (place(cursor)?, pattern(cursor)?);
        Ok(Show::Tables { schema, pattern })
    } else if cursor.eat(&["VIEWS"]) {
        let (schema, pattern) = (place(cursor)?, pattern(cursor)?);
        Ok(Show::Views { schema, pattern })
    } else if cursor.eat(&["SCHEMAS"]) || cursor.eat(&["DATABASES"]) {
        let (catalog, pattern) = (place(cursor)?, pattern(cursor)?);
        Ok(Show::Schemas { catalog, pattern })
    } else if cursor.eat(&["CATALOGS"]) {
        Ok(Show::Catalogs { pattern: pattern(cursor)? })
    } else if cursor.eat(&["COLUMNS"]) {
        if !cursor.eat(&["IN"]) && !cursor.eat(&["FROM"]) {
            return Err(cursor.unexpected(Some("IN, and a table")));
        }
        let mut table = cursor.name()?;
        // SHOW COLUMNS IN t IN s is SHOW COLUMNS IN s.t.
        if let Some(schema) = place(cursor)? {
            table.parts.splice(0..0, schema.parts);
            table.span.end = schema.span.end;
        }
        Ok(Show::Columns(table))
    } else if cursor.eat(&["TBLPROPERTIES"]) {
        Ok(Show::Properties(cursor.name()?))
    } else if cursor.eat(&["CREATE", "TABLE"]) {
        Ok(Show::CreateTable(cursor.name()?))
    } else {
        Err(cursor
            .unexpected(Some("TABLES, VIEWS, SCHEMAS, CATALOGS, COLUMNS IN t, TBLPROPERTIES t or CREATE TABLE t")))
    }
}

/// `IN s` or `FROM s`.
fn place(cursor: &mut Cursor<'_>) -> Result<Option<Name>> {
    if cursor.eat(&["IN"]) || cursor.eat(&["FROM"]) { cursor.name().map(Some) } else { Ok(None) }
}

/// `LIKE 'pattern'` or `'pattern'`.
fn pattern(cursor: &mut Cursor<'_>) -> Result<Option<String>> {
    let like = cursor.eat(&["LIKE"]);
    if like || matches!(cursor.peek(0), sqlparser::tokenizer::Token::SingleQuotedString(_)) {
        cursor.string("a pattern in quotes").map(Some)
    } else {
        Ok(None)
    }
}
