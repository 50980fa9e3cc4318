//! Tokens to statements, one file a family.

mod alter;
mod auto_cdc;
mod column;
mod create;
mod cursor;
mod describe;
mod drop;
mod flow;
mod materialized_view;
mod refresh;
mod restore;
mod rows;
mod schedule;
mod session;
mod show;
mod table;
mod unsupported;
mod view;

#[cfg(test)]
mod tests;

use lakelet_base::{Diagnostic, Limits, Span};
use sqlparser::tokenizer::Token;

use self::cursor::{Cursor, Result};
use crate::dialect::SparkDialect;
use crate::error::EMPTY_STATEMENT;
use crate::lexer::{LexemeKind, lex};
use crate::measure::{check_brackets, check_depth};
use crate::statement::{Expression, Flow, Query, Statement};
use crate::tokens::{ParameterText, tokens_of};

/// Parses one statement; a `;` after it does no harm.
pub(crate) fn parse_statement(text: &str, limits: &Limits, parameters: ParameterText<'_>) -> Result<Statement> {
    parse_whole(text, limits, parameters, true, statement)
}

/// Parses an expression that stands alone.
pub(crate) fn parse_expression(text: &str, limits: &Limits) -> Result<Expression> {
    parse_whole(text, limits, &|_| None, false, |cursor| cursor.expression())
}

/// Parses a query that stands alone.
pub(crate) fn parse_query(text: &str, limits: &Limits) -> Result<Query> {
    parse_whole(text, limits, &|_| None, false, |cursor| cursor.query())
}

/// Parses the text of a [`Flow`].
pub(crate) fn parse_flow(text: &str, limits: &Limits) -> Result<Flow> {
    parse_whole(text, limits, &|_| None, false, flow::flow)
}

fn parse_whole<T>(
    text: &str,
    limits: &Limits,
    parameters: ParameterText<'_>,
    is_statement: bool,
    parse: impl FnOnce(&mut Cursor<'_>) -> Result<T>,
) -> Result<T> {
    if text.len() > limits.script_bytes_max {
        return Err(Box::new(crate::split::script_too_long(text.len(), limits)));
    }
    let mut lexemes = lex(text).lexemes;
    if is_statement {
        while lexemes.last().is_some_and(|last| last.is_symbol(&Token::SemiColon)) {
            lexemes.pop();
        }
        unsupported::check(text, &lexemes)?;
    }
    if lexemes.is_empty() {
        return Err(Box::new(
            Diagnostic::new(EMPTY_STATEMENT, "Syntax error, unexpected empty statement.").at(Span::new(0, text.len())),
        ));
    }
    // What cannot be read is a better message than what follows from it.
    if let Some(diagnostic) = lexemes.iter().find_map(|lexeme| match &lexeme.kind {
        LexemeKind::Invalid(diagnostic) => Some(diagnostic.clone()),
        _ => None,
    }) {
        return Err(diagnostic);
    }
    check_brackets(&lexemes, limits)?;
    let tokens = tokens_of(text, &lexemes, parameters)?;
    check_depth(&tokens.items, limits)?;
    let dialect = SparkDialect::new(tokens.items.len());
    let mut cursor = Cursor::new(text, tokens, &dialect);
    let parsed = parse(&mut cursor)?;
    cursor.expect_end()?;
    Ok(parsed)
}

/// Reads a statement by its first word.
fn statement(cursor: &mut Cursor<'_>) -> Result<Statement> {
    if *cursor.peek(0) == Token::LParen {
        return Ok(Statement::Query(cursor.query()?));
    }
    let Some(word) = cursor.word(0) else { return Err(cursor.unexpected(Some("a statement"))) };
    match word.to_ascii_uppercase().as_str() {
        "SELECT" | "VALUES" | "FROM" => Ok(Statement::Query(cursor.query()?)),
        "WITH" => rows::with(cursor),
        "INSERT" => rows::insert(cursor).map(Statement::Insert),
        "UPDATE" => rows::update(cursor).map(Statement::Update),
        "DELETE" => rows::delete(cursor).map(Statement::Delete),
        "MERGE" => rows::merge(cursor).map(Statement::Merge),
        "TRUNCATE" => rows::truncate(cursor).map(Statement::Truncate),
        "CREATE" => create::create(cursor),
        "REPLACE" => create::replace(cursor),
        "ALTER" => alter::alter(cursor).map(Statement::AlterTable),
        "AUTO" | "APPLY" => flow::apply_changes(cursor).map(Statement::CreateFlow),
        "REFRESH" => refresh::refresh(cursor).map(Statement::Refresh),
        "DROP" => drop::drop(cursor).map(Statement::Drop),
        "USE" => session::use_(cursor).map(Statement::Use),
        "SET" => session::set(cursor).map(Statement::Set),
        "EXPLAIN" => session::explain(cursor).map(Statement::Explain),
        "SHOW" => show::show(cursor).map(Statement::Show),
        "DESCRIBE" | "DESC" => describe::describe(cursor),
        "RESTORE" => restore::restore(cursor).map(Statement::Restore),
        _ => Err(cursor.unexpected(Some("a statement such as SELECT, INSERT or CREATE"))),
    }
}
