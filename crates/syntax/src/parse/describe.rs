//! DESCRIBE.

use lakelet_base::Diagnostic;
use sqlparser::tokenizer::Token;

use super::cursor::{Cursor, Result};
use crate::statement::{DescribeHistory, DescribeTable, Statement};

/// DESCRIBE [TABLE] [EXTENDED] t, DESCRIBE HISTORY t, DESCRIBE [QUERY] query.
pub(super) fn describe(cursor: &mut Cursor<'_>) -> Result<Statement> {
    if !cursor.eat(&["DESCRIBE"]) {
        cursor.expect(&["DESC"])?;
    }
    // Each of these words may be the name of a table too.
    let named = !matches!(cursor.peek(1), Token::EOF | Token::Period);
    if named && cursor.eat(&["HISTORY"]) {
        let name = cursor.name()?;
        let limit = if cursor.eat(&["LIMIT"]) { Some(cursor.integer("a number of versions")?) } else { None };
        return Ok(Statement::DescribeHistory(DescribeHistory { name, limit }));
    }
    if named && cursor.eat(&["QUERY"]) {
        return Ok(Statement::DescribeQuery(cursor.query()?));
    }
    if ["SELECT", "WITH", "VALUES", "FROM"].iter().any(|word| cursor.at(&[word])) {
        return Ok(Statement::DescribeQuery(cursor.query()?));
    }
    for what in ["DETAIL", "FUNCTION", "SCHEMA", "DATABASE", "CATALOG", "VOLUME", "PROCEDURE"] {
        if named && cursor.at(&[what]) {
            return Err(Box::new(Diagnostic::unsupported(format_args!("DESCRIBE {what}")).at(cursor.span())));
        }
    }
    if named {
        cursor.eat(&["TABLE"]);
    }
    let mut extended = !matches!(cursor.peek(1), Token::EOF | Token::Period)
        && (cursor.eat(&["EXTENDED"]) || cursor.eat(&["FORMATTED"]));
    let name = cursor.name()?;
    // DESCRIBE t EXTENDED is not Spark's, but what people type.
    extended |= cursor.eat(&["EXTENDED"]);
    if cursor.at(&["PARTITION"]) {
        return Err(Box::new(Diagnostic::unsupported("DESCRIBE … PARTITION").at(cursor.span())));
    }
    Ok(Statement::DescribeTable(DescribeTable { name, extended }))
}
