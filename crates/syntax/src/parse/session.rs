//! USE, SET, EXPLAIN.

use lakelet_base::Diagnostic;
use sqlparser::tokenizer::Token;

use super::cursor::{Cursor, Result};
use super::statement;
use crate::statement::{Explain, Expression, SetVariable, Use};

/// USE [CATALOG c | [SCHEMA | DATABASE] s]
pub(super) fn use_(cursor: &mut Cursor<'_>) -> Result<Use> {
    cursor.expect(&["USE"])?;
    // CATALOG, SCHEMA and DATABASE may be names too.
    let named = !matches!(cursor.peek(1), Token::EOF | Token::Period);
    if named && cursor.eat(&["CATALOG"]) {
        return quoted_or_name(cursor).map(Use::Catalog);
    }
    if named && (cursor.eat(&["SCHEMA"]) || cursor.eat(&["DATABASE"])) {
        return quoted_or_name(cursor).map(Use::Schema);
    }
    quoted_or_name(cursor).map(Use::Schema)
}

fn quoted_or_name(cursor: &mut Cursor<'_>) -> Result<crate::statement::Name> {
    if matches!(cursor.peek(0), Token::SingleQuotedString(_)) {
        let span = cursor.span();
        let parts = vec![cursor.string("a name")?];
        return Ok(crate::statement::Name { parts, span });
    }
    cursor.name()
}

/// SET, SET key, SET key = value.
pub(super) fn set(cursor: &mut Cursor<'_>) -> Result<SetVariable> {
    cursor.expect(&["SET"])?;
    let span = cursor.span();
    if cursor.at_end() {
        return Ok(SetVariable { key: String::new(), span, value: None });
    }
    for (words, what) in [
        (&["TIME", "ZONE"] as &[&str], "SET TIME ZONE: everything here is in UTC"),
        (&["VAR"], "session variables"),
        (&["VARIABLE"], "session variables"),
        (&["ROLE"], "roles"),
        (&["CATALOG"], "SET CATALOG; write USE CATALOG"),
        (&["PATH"], "SET PATH"),
    ] {
        if cursor.at(words) && *cursor.peek(words.len()) != Token::Eq {
            return Err(Box::new(Diagnostic::unsupported(what).at(span)));
        }
    }
    let first = cursor.index();
    cursor.identifier()?;
    while cursor.eat_token(&Token::Period) {
        cursor.identifier()?;
    }
    let (key, span) = (cursor.text_since(first), cursor.span_since(first));
    if cursor.at_end() {
        return Ok(SetVariable { key, span, value: None });
    }
    cursor.expect_token(&Token::Eq)?;
    Ok(SetVariable { key, span, value: Some(value(cursor)?) })
}

/// The value of a setting: an expression, most often a literal or a bare word.
fn value(cursor: &mut Cursor<'_>) -> Result<Expression> {
    if cursor.at_end() {
        return Err(cursor.unexpected(Some("a value")));
    }
    cursor.expression()
}

/// EXPLAIN [ANALYZE | EXTENDED | FORMATTED | COST | CODEGEN] statement
pub(super) fn explain(cursor: &mut Cursor<'_>) -> Result<Explain> {
    cursor.expect(&["EXPLAIN"])?;
    let analyze = cursor.eat(&["ANALYZE"]);
    let extended = cursor.eat(&["EXTENDED"]) || cursor.eat(&["FORMATTED"]);
    if cursor.at(&["CODEGEN"]) || cursor.at(&["COST"]) {
        return Err(Box::new(Diagnostic::unsupported("EXPLAIN CODEGEN and EXPLAIN COST").at(cursor.span())));
    }
    if cursor.at(&["EXPLAIN"]) {
        return Err(cursor.unexpected(Some("the statement to explain")));
    }
    Ok(Explain { analyze, extended, statement: Box::new(statement(cursor)?) })
}
