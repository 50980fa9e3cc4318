//! Diagnostics of parsing: Spark's conditions, words for a learner.

use lakelet_base::{Diagnostic, ErrorClass, Span, Suggestion, nearest_name};

use crate::keywords::SUGGESTED;

/// A statement without anything in it.
pub(crate) const EMPTY_STATEMENT: ErrorClass = ErrorClass::new("PARSE_EMPTY_STATEMENT", "42617");
/// A comma before FROM.
pub(crate) const TRAILING_COMMA: ErrorClass = ErrorClass::new("TRAILING_COMMA_IN_SELECT", "42601");
/// A name that needs back-ticks.
pub(crate) const INVALID_IDENTIFIER: ErrorClass = ErrorClass::new("INVALID_IDENTIFIER", "42602");
/// A clause that may stand once stands twice.
pub(crate) const DUPLICATE_CLAUSES: ErrorClass = ErrorClass::new("DUPLICATE_CLAUSES", "42614");
/// A clause that must be there is not.
pub(crate) const MISSING_CLAUSES: ErrorClass = ErrorClass::new("MISSING_CLAUSES_FOR_OPERATION", "42601");

/// A word and what it was probably meant to be, for a statement's or a clause's first word.
pub(crate) struct NearKeyword {
    pub(crate) written: String,
    pub(crate) span: Span,
    pub(crate) meant: &'static str,
}

/// The keyword `word` is nearly.
pub(crate) fn near_keyword(word: &str) -> Option<&'static str> {
    if word.chars().count() < 3 || !word.chars().all(|c| c.is_ascii_alphabetic()) {
        return None;
    }
    if SUGGESTED.iter().any(|keyword| keyword.eq_ignore_ascii_case(word)) {
        return None;
    }
    nearest_name(word, SUGGESTED.iter().copied())
}

/// "Syntax error at or near …".
pub(crate) fn syntax_error(near: &str, span: Span, expected: Option<&str>) -> Diagnostic {
    let near = if near.is_empty() { "end of input".to_owned() } else { format!("'{near}'") };
    let diagnostic =
        Diagnostic::new(ErrorClass::PARSE_SYNTAX_ERROR, format!("Syntax error at or near {near}.")).at(span);
    match expected {
        Some(expected) => diagnostic.hint(format!("Expected here: {expected}.")),
        None => diagnostic,
    }
}

/// "Syntax error at or near 'FORM'. Did you mean FROM?".
pub(crate) fn misspelled(near: &NearKeyword) -> Diagnostic {
    Diagnostic::new(
        ErrorClass::PARSE_SYNTAX_ERROR,
        format!("Syntax error at or near '{}'. Did you mean {}?", near.written, near.meant),
    )
    .at(near.span)
    .suggest(Suggestion {
        label: format!("Did you mean {}?", near.meant),
        span: Some(near.span),
        replacement: near.meant.to_owned(),
    })
}

/// What the parser wanted, in words a learner knows; `None` for its jargon.
pub(crate) fn expected_in_words(message: &str) -> Option<&'static str> {
    let expected = message.split_once("Expected: ")?.1.split(", found").next()?;
    Some(match expected {
        "an expression" | "an expression:" => "an expression: a column, a value or a function",
        "identifier" | "an identifier" => "a name",
        "an identifier after AS" => "a name after AS",
        "a data type name" => "a data type",
        ")" => "a closing parenthesis, ')'",
        "(" => "an opening parenthesis, '('",
        "," => "a comma",
        "]" => "a closing bracket, ']'",
        "END" => "END, which closes CASE",
        "THEN" => "THEN, and the value",
        "WHEN" => "WHEN, and a condition",
        "BY" => "BY",
        "SELECT, VALUES, or a subquery in the query body" => "a query: SELECT … or VALUES …",
        _ => return None,
    })
}
