//! Statements that change rows: INSERT, UPDATE, DELETE, MERGE, TRUNCATE; and WITH, which may start one.

use lakelet_base::{Diagnostic, Span};
use sqlparser::ast;
use sqlparser::keywords::Keyword;
use sqlparser::parser::Parser;
use sqlparser::tokenizer::Token;

use super::cursor::{Cursor, Result};
use crate::statement::{
    Delete, Expression, Insert, InsertMode, Merge, Name, PartitionValue, Statement, Truncate, Update,
};

/// WITH … SELECT, or WITH … INSERT INTO.
pub(super) fn with(cursor: &mut Cursor<'_>) -> Result<Statement> {
    let first = cursor.index();
    let query = cursor.run(Parser::parse_query)?;
    if !matches!(*query.body, ast::SetExpr::Insert(_)) {
        if matches!(*query.body, ast::SetExpr::Update(_) | ast::SetExpr::Delete(_) | ast::SetExpr::Merge(_)) {
            return Err(Box::new(
                Diagnostic::unsupported("WITH before UPDATE, DELETE and MERGE").at(cursor.span_since(first)),
            ));
        }
        return Ok(Statement::Query(cursor.finished_query(query, first)));
    }
    Err(Box::new(
        Diagnostic::unsupported("WITH before INSERT")
            .at(cursor.span_since(first))
            .hint("Write INSERT INTO t WITH … SELECT …: the same rows."),
    ))
}

/// INSERT [INTO | OVERWRITE] [TABLE] t [PARTITION (…)] [(columns)] [BY NAME] [REPLACE WHERE p] query
pub(super) fn insert(cursor: &mut Cursor<'_>) -> Result<Insert> {
    cursor.expect(&["INSERT"])?;
    let overwrite = cursor.eat(&["OVERWRITE"]);
    if !overwrite && !cursor.eat(&["INTO"]) {
        return Err(cursor.unexpected(Some("INTO or OVERWRITE")));
    }
    cursor.eat(&["TABLE"]);
    if cursor.at(&["DIRECTORY"]) || cursor.at(&["LOCAL", "DIRECTORY"]) {
        return Err(Box::new(Diagnostic::unsupported("INSERT OVERWRITE DIRECTORY").at(cursor.span())));
    }
    let table = cursor.name()?;
    let partition = if cursor.eat(&["PARTITION"]) { cursor.parenthesized(partition_value)? } else { Vec::new() };
    if cursor.at(&["IF", "NOT", "EXISTS"]) {
        return Err(Box::new(Diagnostic::unsupported("INSERT … IF NOT EXISTS").at(cursor.span())));
    }
    let columns = if lists_columns(cursor) { cursor.parenthesized(Cursor::identifier)? } else { Vec::new() };
    let by_name_span = cursor.span();
    let by_name = cursor.eat(&["BY", "NAME"]);
    if by_name && !columns.is_empty() {
        return Err(Box::new(
            Diagnostic::new(
                lakelet_base::ErrorClass::PARSE_SYNTAX_ERROR,
                "Syntax error at or near 'BY': a list of columns and BY NAME exclude each other.",
            )
            .at(by_name_span),
        ));
    }
    let mode = if cursor.at(&["REPLACE", "USING"]) || cursor.at(&["REPLACE", "ON"]) {
        return Err(Box::new(
            Diagnostic::unsupported("INSERT … REPLACE USING and REPLACE ON")
                .at(cursor.span())
                .hint("Use REPLACE WHERE or MERGE."),
        ));
    } else if cursor.eat(&["REPLACE", "WHERE"]) {
        InsertMode::ReplaceWhere(cursor.expression()?)
    } else if overwrite {
        InsertMode::Overwrite
    } else {
        InsertMode::Append
    };
    Ok(Insert { table, columns, by_name, partition, mode, source: cursor.query()? })
}

/// Whether a parenthesis opens a list of columns and not a query.
fn lists_columns(cursor: &Cursor<'_>) -> bool {
    *cursor.peek(0) == Token::LParen
        && match cursor.peek(1) {
            Token::Word(word) => {
                word.quote_style.is_some()
                    || !matches!(word.keyword, Keyword::SELECT | Keyword::WITH | Keyword::FROM | Keyword::VALUES)
            }
            _ => false,
        }
}

fn partition_value(cursor: &mut Cursor<'_>) -> Result<PartitionValue> {
    let (column, span) = cursor.identifier()?;
    let value = if cursor.eat_token(&Token::Eq) { Some(cursor.expression()?) } else { None };
    Ok(PartitionValue { column, span, value })
}

/// UPDATE t [AS a] SET c = e, … [WHERE p]
pub(super) fn update(cursor: &mut Cursor<'_>) -> Result<Update> {
    cursor.expect(&["UPDATE"])?;
    let table = cursor.name()?;
    let alias = alias(cursor, "SET")?;
    cursor.expect(&["SET"])?;
    let assignments = cursor.comma_separated(assignment)?;
    let selection = selection(cursor)?;
    Ok(Update { table, alias, assignments, selection })
}

fn assignment(cursor: &mut Cursor<'_>) -> Result<(String, Span, Expression)> {
    let name = cursor.name()?;
    cursor.expect_token(&Token::Eq)?;
    // t.c and a.c name the column c; whether the qualifier is right is for the binder's WHERE as well.
    let column = name.parts.last().cloned().unwrap_or_default();
    Ok((column, name.span, cursor.expression()?))
}

fn selection(cursor: &mut Cursor<'_>) -> Result<Option<Expression>> {
    if cursor.eat(&["WHERE"]) { cursor.expression().map(Some) } else { Ok(None) }
}

/// `AS a` or `a`, unless the next clause follows.
fn alias(cursor: &mut Cursor<'_>, next_clause: &str) -> Result<Option<String>> {
    if cursor.eat(&["AS"]) {
        return cursor.identifier().map(|(alias, _)| Some(alias));
    }
    let named = matches!(cursor.peek(0), Token::Word(_)) && !cursor.at(&[next_clause]);
    // A misspelled WHERE is better reported as such than taken for an alias.
    let misspelled = cursor.word(0).is_some_and(|word| crate::error::near_keyword(word) == Some(next_clause));
    if named && !misspelled { cursor.identifier().map(|(alias, _)| Some(alias)) } else { Ok(None) }
}

/// DELETE FROM t [AS a] [WHERE p]
pub(super) fn delete(cursor: &mut Cursor<'_>) -> Result<Delete> {
    cursor.expect(&["DELETE", "FROM"])?;
    let table = cursor.name()?;
    let alias = alias(cursor, "WHERE")?;
    Ok(Delete { table, alias, selection: selection(cursor)? })
}

/// TRUNCATE TABLE t
pub(super) fn truncate(cursor: &mut Cursor<'_>) -> Result<Truncate> {
    cursor.expect(&["TRUNCATE", "TABLE"])?;
    let table = cursor.name()?;
    if cursor.at(&["PARTITION"]) {
        return Err(Box::new(
            Diagnostic::unsupported("TRUNCATE … PARTITION").at(cursor.span()).hint("Use DELETE FROM t WHERE …."),
        ));
    }
    Ok(Truncate { table })
}

/// MERGE [WITH SCHEMA EVOLUTION] INTO t USING s ON p WHEN …
pub(super) fn merge(cursor: &mut Cursor<'_>) -> Result<Merge> {
    let first = cursor.index();
    cursor.expect(&["MERGE"])?;
    let merge_token = cursor.current_parser_token();
    let schema_evolution = cursor.eat(&["WITH", "SCHEMA", "EVOLUTION"]);
    if !cursor.at(&["INTO"]) {
        return Err(cursor.unexpected(Some("INTO, and the table to change")));
    }
    let start = cursor.span();
    let merge = cursor.run(|parser| parser.parse_merge(merge_token))?;
    if merge.clauses.is_empty() {
        return Err(cursor.unexpected(Some("WHEN MATCHED THEN … or WHEN NOT MATCHED THEN …")));
    }
    let table = target(cursor, &merge.table, start)?;
    Ok(Merge { table, merge: Box::new(merge), schema_evolution, text: cursor.text_since(first) })
}

/// The target's name.
fn target(cursor: &Cursor<'_>, table: &ast::TableFactor, start: Span) -> Result<Name> {
    let ast::TableFactor::Table { name, args: None, version: None, .. } = table else {
        return Err(Box::new(
            Diagnostic::new(lakelet_base::ErrorClass::PARSE_SYNTAX_ERROR, "MERGE INTO takes the name of a table.")
                .at(start),
        ));
    };
    let offset = |location| crate::location::location_to_offset(cursor.text(), location);
    let idents: Vec<&ast::Ident> = name.0.iter().filter_map(ast::ObjectNamePart::as_ident).collect();
    let span = match (idents.first(), idents.last()) {
        (Some(first), Some(last)) => Span::new(offset(first.span.start), offset(last.span.end)),
        _ => start,
    };
    Ok(Name { parts: idents.into_iter().map(|ident| ident.value.clone()).collect(), span })
}
