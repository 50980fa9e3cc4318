//! Columns as CREATE and ALTER declare them, and the clauses that many statements share.

use lakelet_base::{Diagnostic, Span};
use sqlparser::tokenizer::Token;

use super::cursor::{Cursor, Result};
use crate::error::{DUPLICATE_CLAUSES, MISSING_CLAUSES};
use crate::statement::{ColumnDefinition, Expectation, OnViolation};

/// What may stand in the parentheses after the name of a new table.
#[derive(Default)]
pub(super) struct TableElements {
    pub(super) columns: Vec<ColumnDefinition>,
    pub(super) expectations: Vec<Expectation>,
}

/// `(a INT NOT NULL, b STRING DEFAULT 'x', CONSTRAINT c EXPECT (a > 0) ON VIOLATION DROP ROW)`, if a parenthesis comes.
pub(super) fn table_elements(cursor: &mut Cursor<'_>, expectations: bool) -> Result<TableElements> {
    let mut elements = TableElements::default();
    if *cursor.peek(0) != Token::LParen {
        return Ok(elements);
    }
    cursor.parenthesized(|cursor| {
        if cursor.at(&["CONSTRAINT"]) && matches!(cursor.peek(1), Token::Word(_)) && is_constraint(cursor) {
            if !expectations {
                return Err(constraint_refused(cursor));
            }
            elements.expectations.push(expectation(cursor)?);
        } else if is_key(cursor) {
            return Err(constraint_refused(cursor));
        } else {
            elements.columns.push(column(cursor)?);
        }
        Ok(())
    })?;
    Ok(elements)
}

/// CONSTRAINT and a name are followed by a constraint, not by a type.
fn is_constraint(cursor: &Cursor<'_>) -> bool {
    let kinds = ["EXPECT", "PRIMARY", "FOREIGN", "CHECK", "UNIQUE"];
    cursor.word(2).is_some_and(|word| kinds.iter().any(|kind| word.eq_ignore_ascii_case(kind)))
}

fn is_key(cursor: &Cursor<'_>) -> bool {
    cursor.at(&["PRIMARY", "KEY"])
        || cursor.at(&["FOREIGN", "KEY"])
        || cursor.at(&["CHECK"]) && *cursor.peek(1) == Token::LParen
}

fn constraint_refused(cursor: &Cursor<'_>) -> Box<Diagnostic> {
    let n = if cursor.at(&["CONSTRAINT"]) { 2 } else { 0 };
    let kind = cursor.word(n).unwrap_or_default().to_ascii_uppercase();
    let diagnostic = match kind.as_str() {
        "EXPECT" => Diagnostic::unsupported("EXPECT on a plain table")
            .hint("Expectations belong to streaming tables and materialized views."),
        "CHECK" => Diagnostic::unsupported("CHECK inside of CREATE TABLE")
            .hint("Add it afterwards: ALTER TABLE t ADD CONSTRAINT name CHECK (condition)."),
        _ => {
            Diagnostic::unsupported("PRIMARY KEY and FOREIGN KEY").hint("Leave them out: they are not enforced anyway.")
        }
    };
    Box::new(diagnostic.at(cursor.span()))
}

/// CONSTRAINT name EXPECT (condition) [ON VIOLATION {DROP ROW | FAIL UPDATE}]
fn expectation(cursor: &mut Cursor<'_>) -> Result<Expectation> {
    cursor.expect(&["CONSTRAINT"])?;
    let (name, span) = cursor.identifier()?;
    if !cursor.eat(&["EXPECT"]) {
        return Err(Box::new(Diagnostic::unsupported("constraints other than EXPECT here").at(cursor.span())));
    }
    cursor.expect_token(&Token::LParen)?;
    let condition = cursor.expression()?;
    cursor.expect_token(&Token::RParen)?;
    let on_violation = if !cursor.eat(&["ON", "VIOLATION"]) {
        OnViolation::Keep
    } else if cursor.eat(&["DROP", "ROW"]) {
        OnViolation::DropRow
    } else if cursor.eat(&["FAIL", "UPDATE"]) {
        OnViolation::FailUpdate
    } else {
        return Err(cursor.unexpected(Some("DROP ROW or FAIL UPDATE")));
    };
    Ok(Expectation { name, span, condition, on_violation })
}

/// `a INT NOT NULL DEFAULT 1 COMMENT 'x'`; a bare name where lists only name columns.
pub(super) fn column(cursor: &mut Cursor<'_>) -> Result<ColumnDefinition> {
    let (name, span) = cursor.identifier()?;
    let mut column = ColumnDefinition {
        name,
        span,
        data_type: None,
        type_span: None,
        not_null: false,
        default: None,
        comment: None,
    };
    let named_only =
        matches!(cursor.peek(0), Token::Comma | Token::RParen) || cursor.at(&["COMMENT"]) || cursor.at_end();
    if !named_only {
        cursor.eat_token(&Token::Colon);
        let (data_type, type_span) = cursor.data_type()?;
        column.data_type = Some(data_type);
        column.type_span = Some(type_span);
    }
    loop {
        if cursor.eat(&["NOT", "NULL"]) {
            column.not_null = true;
        } else if cursor.eat(&["NULL"]) {
            column.not_null = false;
        } else if cursor.eat(&["DEFAULT"]) {
            column.default = Some(cursor.expression()?);
        } else if cursor.eat(&["COMMENT"]) {
            column.comment = Some(cursor.string("the comment in quotes")?);
        } else if cursor.at(&["GENERATED"]) {
            return Err(Box::new(Diagnostic::unsupported("generated and identity columns").at(cursor.span())));
        } else if cursor.at(&["COLLATE"]) {
            return Err(Box::new(Diagnostic::unsupported("collations").at(cursor.span())));
        } else if cursor.at(&["MASK"]) {
            return Err(Box::new(Diagnostic::unsupported("column masks").at(cursor.span())));
        } else if is_key(cursor) || cursor.at(&["CONSTRAINT"]) || cursor.at(&["REFERENCES"]) {
            return Err(constraint_refused(cursor));
        } else {
            return Ok(column);
        }
    }
}

/// `('key' = 'value', key.part = true)`
pub(super) fn properties(cursor: &mut Cursor<'_>) -> Result<Vec<(String, String)>> {
    cursor.parenthesized(|cursor| {
        let key = property_key(cursor)?;
        cursor.eat_token(&Token::Eq);
        Ok((key, property_value(cursor)?))
    })
}

/// `a.b.c` or `'a.b.c'`, as text.
pub(super) fn property_key(cursor: &mut Cursor<'_>) -> Result<String> {
    if matches!(cursor.peek(0), Token::SingleQuotedString(_)) {
        return cursor.string("the name of a property");
    }
    let mut key = cursor.identifier()?.0;
    while cursor.eat_token(&Token::Period) {
        key.push('.');
        key.push_str(&cursor.identifier()?.0);
    }
    Ok(key)
}

fn property_value(cursor: &mut Cursor<'_>) -> Result<String> {
    let first = cursor.index();
    match cursor.peek(0) {
        Token::SingleQuotedString(_) => cursor.string("the value of the property"),
        Token::Word(_) | Token::Number(..) => {
            cursor.advance();
            Ok(cursor.text_since(first))
        }
        Token::Minus | Token::Plus if matches!(cursor.peek(1), Token::Number(..)) => {
            cursor.advance();
            cursor.advance();
            Ok(cursor.text_since(first))
        }
        _ => Err(cursor.unexpected(Some("the value of the property"))),
    }
}

/// Names with their places, `(a, b)` or `a, b`.
pub(super) fn names(cursor: &mut Cursor<'_>) -> Result<Vec<(String, Span)>> {
    if *cursor.peek(0) == Token::LParen {
        cursor.parenthesized(Cursor::identifier)
    } else {
        cursor.comma_separated(Cursor::identifier)
    }
}

/// Stores what a clause says, once.
pub(super) fn once<T>(place: &mut Option<T>, clause: &str, span: Span, value: T) -> Result<()> {
    if place.is_some() {
        return Err(duplicate(clause, span));
    }
    *place = Some(value);
    Ok(())
}

/// A clause that stands twice.
pub(super) fn duplicate(clause: &str, span: Span) -> Box<Diagnostic> {
    let message = format!("Found duplicate clauses: {clause}. Please, remove one of them.");
    Box::new(Diagnostic::new(DUPLICATE_CLAUSES, message).at(span))
}

/// A clause that has to be there.
pub(super) fn required<T>(value: Option<T>, clause: &str, operation: &str, span: Span) -> Result<T> {
    value.ok_or_else(|| {
        Box::new(
            Diagnostic::new(
                MISSING_CLAUSES,
                format!("Missing clause {clause} for operation {operation}. Please add the required clauses."),
            )
            .at(span),
        )
    })
}
