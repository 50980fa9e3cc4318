//! ALTER TABLE, and ALTER of streaming tables and materialized views.

use lakelet_base::{Diagnostic, Span};
use sqlparser::tokenizer::Token;

use super::column::{column, names, properties, property_key};
use super::cursor::{Cursor, Result};
use super::schedule::schedule;
use crate::statement::{AlterTable, AlterTableAction, ColumnDefinition};

pub(super) fn alter(cursor: &mut Cursor<'_>) -> Result<AlterTable> {
    cursor.expect(&["ALTER"])?;
    let scheduled = cursor.eat(&["STREAMING", "TABLE"]) || cursor.eat(&["MATERIALIZED", "VIEW"]);
    if !scheduled && !cursor.eat(&["TABLE"]) {
        return Err(cursor.unexpected(Some("TABLE, STREAMING TABLE or MATERIALIZED VIEW")));
    }
    let table = cursor.name()?;
    Ok(AlterTable { table, action: action(cursor)? })
}

fn action(cursor: &mut Cursor<'_>) -> Result<AlterTableAction> {
    let span = cursor.span();
    if cursor.eat(&["ADD"]) {
        return add(cursor);
    }
    if cursor.eat(&["DROP"]) {
        return drop(cursor);
    }
    if cursor.eat(&["RENAME", "TO"]) {
        return cursor.name().map(AlterTableAction::RenameTo);
    }
    if cursor.eat(&["RENAME", "COLUMN"]) {
        let from = column_name(cursor)?;
        cursor.expect(&["TO"])?;
        return Ok(AlterTableAction::RenameColumn { from, to: cursor.identifier()?.0 });
    }
    if cursor.eat(&["SET", "TBLPROPERTIES"]) {
        return properties(cursor).map(AlterTableAction::SetProperties);
    }
    if cursor.eat(&["UNSET", "TBLPROPERTIES"]) {
        cursor.eat(&["IF", "EXISTS"]);
        return cursor.parenthesized(property_key).map(AlterTableAction::UnsetProperties);
    }
    if cursor.eat(&["SET", "SCHEDULE"]) || cursor.eat(&["ALTER", "SCHEDULE"]) {
        return schedule(cursor).map(|schedule| AlterTableAction::SetSchedule(Some(schedule)));
    }
    if cursor.eat(&["ALTER"]) || cursor.eat(&["CHANGE"]) {
        cursor.eat(&["COLUMN"]);
        return alter_column(cursor);
    }
    for (words, what) in REFUSED {
        if cursor.at(words) {
            return Err(Box::new(Diagnostic::unsupported(what).at(span)));
        }
    }
    Err(cursor.unexpected(Some("ADD, DROP, RENAME, ALTER COLUMN or SET TBLPROPERTIES")))
}

const REFUSED: &[(&[&str], &str)] = &[
    (&["REPLACE", "COLUMNS"], "ALTER TABLE … REPLACE COLUMNS"),
    (&["SET", "LOCATION"], "storage locations"),
    (&["SET", "OWNER"], "owners"),
    (&["SET", "TAGS"], "tags"),
    (&["UNSET", "TAGS"], "tags"),
    (&["SET", "ROW"], "row filters"),
    (&["CLUSTER", "BY"], "ALTER TABLE … CLUSTER BY"),
    (&["RECOVER"], "partitions of files"),
    (&["PARTITION"], "partitions of files"),
];

fn add(cursor: &mut Cursor<'_>) -> Result<AlterTableAction> {
    let span = cursor.span();
    if cursor.eat(&["SCHEDULE"]) {
        return schedule(cursor).map(|schedule| AlterTableAction::SetSchedule(Some(schedule)));
    }
    if cursor.eat(&["CONSTRAINT"]) {
        let name = cursor.identifier()?;
        if !cursor.eat(&["CHECK"]) {
            return Err(Box::new(Diagnostic::unsupported("PRIMARY KEY and FOREIGN KEY").at(span)));
        }
        cursor.expect_token(&Token::LParen)?;
        let check = cursor.expression()?;
        cursor.expect_token(&Token::RParen)?;
        return Ok(AlterTableAction::AddConstraint { name, check });
    }
    if cursor.at(&["PARTITION"]) {
        return Err(Box::new(Diagnostic::unsupported("partitions of files").at(span)));
    }
    if !cursor.eat(&["COLUMNS"]) {
        cursor.eat(&["COLUMN"]);
    }
    if cursor.at(&["IF", "NOT", "EXISTS"]) {
        return Err(Box::new(Diagnostic::unsupported("ADD COLUMN IF NOT EXISTS").at(cursor.span())));
    }
    let columns = if *cursor.peek(0) == Token::LParen {
        cursor.parenthesized(new_column)?
    } else {
        cursor.comma_separated(new_column)?
    };
    Ok(AlterTableAction::AddColumns(columns))
}

fn new_column(cursor: &mut Cursor<'_>) -> Result<ColumnDefinition> {
    if *cursor.peek(1) == Token::Period {
        return Err(Box::new(Diagnostic::unsupported("adding fields to a struct").at(cursor.span())));
    }
    let column = column(cursor)?;
    if column.data_type.is_none() {
        return Err(cursor.unexpected(Some("the type of the column")));
    }
    if cursor.at(&["FIRST"]) || cursor.at(&["AFTER"]) {
        return Err(Box::new(
            Diagnostic::unsupported("FIRST and AFTER").at(cursor.span()).hint("New columns come last."),
        ));
    }
    Ok(column)
}

fn drop(cursor: &mut Cursor<'_>) -> Result<AlterTableAction> {
    if cursor.eat(&["SCHEDULE"]) {
        return Ok(AlterTableAction::SetSchedule(None));
    }
    if cursor.eat(&["CONSTRAINT"]) {
        let if_exists = cursor.eat(&["IF", "EXISTS"]);
        let name = cursor.identifier()?;
        if !cursor.eat(&["CASCADE"]) {
            cursor.eat(&["RESTRICT"]);
        }
        return Ok(AlterTableAction::DropConstraint { name, if_exists });
    }
    if cursor.at(&["PARTITION"]) {
        return Err(Box::new(
            Diagnostic::unsupported("partitions of files").at(cursor.span()).hint("Use DELETE FROM t WHERE …."),
        ));
    }
    if !cursor.eat(&["COLUMNS"]) && !cursor.eat(&["COLUMN"]) {
        return Err(cursor.unexpected(Some("COLUMN, CONSTRAINT or SCHEDULE")));
    }
    if cursor.at(&["IF", "EXISTS"]) {
        return Err(Box::new(Diagnostic::unsupported("DROP COLUMN IF EXISTS").at(cursor.span())));
    }
    names(cursor).map(AlterTableAction::DropColumns)
}

/// After ALTER COLUMN.
fn alter_column(cursor: &mut Cursor<'_>) -> Result<AlterTableAction> {
    let name = column_name(cursor)?;
    let span = cursor.span();
    if cursor.eat(&["SET", "DEFAULT"]) {
        return Ok(AlterTableAction::SetDefault(name, cursor.expression()?));
    }
    if cursor.eat(&["DROP", "DEFAULT"]) {
        return Ok(AlterTableAction::DropDefault(name));
    }
    if cursor.eat(&["SET", "NOT", "NULL"]) {
        return Ok(AlterTableAction::SetNotNull(name, true));
    }
    if cursor.eat(&["DROP", "NOT", "NULL"]) {
        return Ok(AlterTableAction::SetNotNull(name, false));
    }
    for (words, what) in [
        (&["TYPE"] as &[&str], "changing the type of a column"),
        (&["SET", "DATA", "TYPE"], "changing the type of a column"),
        (&["COMMENT"], "changing the comment of a column"),
        (&["FIRST"], "moving columns"),
        (&["AFTER"], "moving columns"),
        (&["SET", "MASK"], "column masks"),
        (&["SET", "TAGS"], "tags"),
        (&["SYNC", "IDENTITY"], "identity columns"),
    ] {
        if cursor.at(words) {
            return Err(Box::new(Diagnostic::unsupported(what).at(span)));
        }
    }
    Err(cursor.unexpected(Some("SET DEFAULT, DROP DEFAULT, SET NOT NULL or DROP NOT NULL")))
}

/// The name of a column, not of a field in one.
fn column_name(cursor: &mut Cursor<'_>) -> Result<(String, Span)> {
    let name = cursor.identifier()?;
    if *cursor.peek(0) == Token::Period {
        return Err(Box::new(Diagnostic::unsupported("changing fields of a struct").at(name.1)));
    }
    Ok(name)
}
