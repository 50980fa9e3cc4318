//! The clauses of AUTO CDC.

use lakelet_base::{Diagnostic, ErrorClass, Span};
use sqlparser::tokenizer::Token;

use super::column::{duplicate, once, required};
use super::cursor::{Cursor, Result};
use crate::statement::{AutoCdcFlow, ColumnSelection, IgnoreNullUpdates, Query, ScdType};

const OPERATION: &str = "AUTO CDC";

/// FROM source KEYS (…), then the other clauses in any order.
pub(super) fn auto_cdc(cursor: &mut Cursor<'_>) -> Result<AutoCdcFlow> {
    let start = cursor.span();
    let flow_once = cursor.eat(&["ONCE"]);
    let source = source(cursor)?;
    let keys = keys(cursor)?;
    let (mut ignore_null_updates, mut delete_when, mut truncate_when) = (None, None, None);
    let (mut sequence_by, mut columns, mut stored_as, mut track_history_on) = (None, None, None, None);
    loop {
        let span = cursor.span();
        if cursor.eat(&["IGNORE", "NULL", "UPDATES"]) {
            let value = ignore_nulls(cursor)?;
            once(&mut ignore_null_updates, "IGNORE NULL UPDATES", span, value)?;
        } else if cursor.eat(&["APPLY", "AS", "DELETE", "WHEN"]) {
            once(&mut delete_when, "APPLY AS DELETE WHEN", span, cursor.expression()?)?;
        } else if cursor.eat(&["APPLY", "AS", "TRUNCATE", "WHEN"]) {
            once(&mut truncate_when, "APPLY AS TRUNCATE WHEN", span, (cursor.expression()?, span))?;
        } else if cursor.eat(&["SEQUENCE", "BY"]) {
            once(&mut sequence_by, "SEQUENCE BY", span, cursor.expression()?)?;
        } else if cursor.at(&["COLUMNS", "TO", "UPDATE"]) {
            return Err(Box::new(Diagnostic::unsupported("COLUMNS TO UPDATE").at(span)));
        } else if cursor.eat(&["COLUMNS"]) {
            once(&mut columns, "COLUMNS", span, selection(cursor)?)?;
        } else if cursor.eat(&["STORED", "AS"]) {
            once(&mut stored_as, "STORED AS", span, scd_type(cursor)?)?;
        } else if cursor.eat(&["TRACK", "HISTORY", "ON"]) {
            once(&mut track_history_on, "TRACK HISTORY ON", span, (selection(cursor)?, span))?;
        } else if cursor.at(&["SYSTEM", "SEQUENCE", "BY"]) {
            return Err(Box::new(Diagnostic::unsupported("SYSTEM SEQUENCE BY").at(span)));
        } else if cursor.at(&["KEYS"]) {
            return Err(duplicate("KEYS", span));
        } else {
            break;
        }
    }
    if !cursor.at_end() {
        return Err(cursor.unexpected(Some(
            "a clause of AUTO CDC: APPLY AS DELETE WHEN, SEQUENCE BY, COLUMNS, STORED AS, TRACK HISTORY ON",
        )));
    }
    let is_type_2 = stored_as == Some(ScdType::Type2);
    if let Some((_, span)) = track_history_on.as_ref().filter(|_| !is_type_2) {
        return Err(Box::new(
            Diagnostic::new(
                ErrorClass::new("AUTOCDC_TRACK_HISTORY_REQUIRES_SCD2", "42613"),
                "TRACK HISTORY requires SCD type 2: type 1 keeps no history.",
            )
            .at(*span)
            .hint("Add STORED AS SCD TYPE 2, or leave TRACK HISTORY out."),
        ));
    }
    if let Some((_, span)) = truncate_when.as_ref().filter(|_| is_type_2) {
        return Err(Box::new(
            Diagnostic::new(
                ErrorClass::new("TRUNCATE_REQUIRES_SCD1", "42613"),
                "APPLY AS TRUNCATE WHEN requires SCD type 1: a history is never emptied.",
            )
            .at(*span),
        ));
    }
    Ok(AutoCdcFlow {
        source,
        keys,
        ignore_null_updates,
        apply_as_delete_when: delete_when,
        apply_as_truncate_when: truncate_when.map(|(when, _)| when),
        sequence_by: required(sequence_by, "SEQUENCE BY", OPERATION, start)?,
        columns,
        stored_as,
        track_history_on: track_history_on.map(|(columns, _)| columns),
        once: flow_once,
    })
}

/// FROM t, FROM STREAM t, FROM STREAM(t), FROM (query).
fn source(cursor: &mut Cursor<'_>) -> Result<Query> {
    let from = cursor.span();
    if !cursor.eat(&["FROM"]) {
        return Err(cursor.unexpected(Some("FROM, and the source of the changes")));
    }
    if cursor.eat_token(&Token::LParen) {
        let query = cursor.query()?;
        cursor.expect_token(&Token::RParen)?;
        return Ok(query);
    }
    let first = cursor.index();
    cursor.name()?;
    let between = cursor.text().get(from.end..cursor.span().start).unwrap_or_default();
    let start = from.end + (between.len() - between.trim_start().len());
    cursor.select_all_from(first, Span::new(start, start + between.trim().len()))
}

/// KEYS (a, b) or KEYS a, b.
fn keys(cursor: &mut Cursor<'_>) -> Result<Vec<(String, Span)>> {
    let span = cursor.span();
    let missing = |span| {
        Diagnostic::new(
            ErrorClass::new("AUTOCDC_EMPTY_KEYS", "22023"),
            "At least one key is needed: KEYS names the columns that tell one row from another.",
        )
        .at(span)
    };
    if !cursor.eat(&["KEYS"]) {
        let known = ["APPLY", "SEQUENCE", "COLUMNS", "STORED", "TRACK", "IGNORE"].iter().any(|word| cursor.at(&[word]));
        return Err(if known || cursor.at_end() {
            Box::new(missing(span).hint("KEYS (…) comes right after the source."))
        } else {
            cursor.unexpected(Some("KEYS (…), the columns that tell one row from another"))
        });
    }
    if *cursor.peek(0) == Token::LParen && *cursor.peek(1) == Token::RParen || cursor.at_end() {
        return Err(Box::new(missing(span)));
    }
    column_list(cursor)
}

/// `(a, b)`, `a, b`, `* EXCEPT (a, b)`, `* EXCEPT a, b`.
fn selection(cursor: &mut Cursor<'_>) -> Result<ColumnSelection> {
    if !cursor.eat_token(&Token::Mul) {
        return column_list(cursor).map(ColumnSelection::Only);
    }
    cursor.expect(&["EXCEPT"])?;
    column_list(cursor).map(ColumnSelection::Except)
}

/// Names of columns; qualified names and expressions are named as such.
fn column_list(cursor: &mut Cursor<'_>) -> Result<Vec<(String, Span)>> {
    if *cursor.peek(0) == Token::LParen {
        cursor.parenthesized(column_name)
    } else {
        cursor.comma_separated(column_name)
    }
}

fn column_name(cursor: &mut Cursor<'_>) -> Result<(String, Span)> {
    let first = cursor.index();
    let Token::Word(word) = cursor.peek(0) else { return Err(no_column(cursor)) };
    let name = word.value.clone();
    match cursor.peek(1) {
        Token::Period => {
            cursor.name()?;
            let (span, written) = (cursor.span_since(first), cursor.text_since(first));
            Err(Box::new(
                Diagnostic::new(
                    ErrorClass::new("AUTOCDC_MULTIPART_COLUMN_IDENTIFIER", "22023"),
                    format!("{written} has more than one part; AUTO CDC expects the name of one column."),
                )
                .at(span),
            ))
        }
        Token::LParen => Err(no_column(cursor)),
        _ => {
            let span = cursor.span();
            cursor.advance();
            Ok((name, span))
        }
    }
}

fn no_column(cursor: &mut Cursor<'_>) -> Box<Diagnostic> {
    if matches!(cursor.peek(0), Token::RParen | Token::Comma | Token::EOF) {
        return cursor.unexpected(Some("the name of a column"));
    }
    let span = cursor.span();
    match cursor.expression() {
        Ok(expression) => Box::new(
            Diagnostic::new(
                ErrorClass::new("AUTOCDC_NON_COLUMN_IDENTIFIER", "22023"),
                format!("{} is an expression; AUTO CDC expects the name of a column.", expression.text),
            )
            .at(expression.span)
            .hint("Compute it in the source's query and name it there."),
        ),
        Err(diagnostic) => Box::new(diagnostic.or_at(Some(span))),
    }
}

/// After IGNORE NULL UPDATES.
fn ignore_nulls(cursor: &mut Cursor<'_>) -> Result<IgnoreNullUpdates> {
    let span = cursor.span();
    if !cursor.eat(&["ON"]) {
        return Ok(IgnoreNullUpdates::All);
    }
    let empty = *cursor.peek(0) == Token::LParen && *cursor.peek(1) == Token::RParen || cursor.at_end();
    if empty {
        return Err(Box::new(
            Diagnostic::new(
                ErrorClass::new("AUTOCDC_IGNORE_NULL_EMPTY_COLUMN_LIST", "22023"),
                "IGNORE NULL UPDATES ON needs at least one column.",
            )
            .at(span)
            .hint("Leave ON out to mean all columns."),
        ));
    }
    selection(cursor).map(IgnoreNullUpdates::On)
}

/// After STORED AS.
fn scd_type(cursor: &mut Cursor<'_>) -> Result<ScdType> {
    if cursor.at(&["BITEMPORAL"]) {
        return Err(Box::new(Diagnostic::unsupported("STORED AS BITEMPORAL").at(cursor.span())));
    }
    cursor.expect(&["SCD", "TYPE"])?;
    let span = cursor.span();
    match cursor.integer("1 or 2")? {
        1 => Ok(ScdType::Type1),
        2 => Ok(ScdType::Type2),
        other => Err(Box::new(
            Diagnostic::new(
                ErrorClass::new("UNSUPPORTED_SCD_TYPE", "42613"),
                format!(
                    "Unsupported SCD type: {other}. The types are 1 (the newest row of each key) and 2 (every version)."
                ),
            )
            .at(span),
        )),
    }
}
