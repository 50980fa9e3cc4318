//! Errors and warnings as a reader meets them.

use std::fmt;

use crate::{Span, same_name};

/// A Spark error condition and its SQLSTATE. A sub-condition follows a dot
/// (`UNRESOLVED_COLUMN.WITH_SUGGESTION`). The constants are the ones that more than one crate raises;
/// others are made with [`ErrorClass::new`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ErrorClass {
    /// The condition's name, as in Spark's `error-conditions.json`.
    pub condition: &'static str,
    /// Five characters.
    pub sqlstate: &'static str,
}

macro_rules! classes {
    ($($name:ident = $condition:literal, $sqlstate:literal;)*) => {
        $(
            #[doc = concat!("`", $condition, "`, ", $sqlstate)]
            pub const $name: Self = Self::new($condition, $sqlstate);
        )*
    };
}

impl ErrorClass {
    /// A class from its condition and SQLSTATE.
    pub const fn new(condition: &'static str, sqlstate: &'static str) -> Self {
        Self { condition, sqlstate }
    }

    classes! {
        PARSE_SYNTAX_ERROR = "PARSE_SYNTAX_ERROR", "42601";
        TABLE_OR_VIEW_NOT_FOUND = "TABLE_OR_VIEW_NOT_FOUND", "42P01";
        TABLE_OR_VIEW_ALREADY_EXISTS = "TABLE_OR_VIEW_ALREADY_EXISTS", "42P07";
        SCHEMA_NOT_FOUND = "SCHEMA_NOT_FOUND", "42704";
        SCHEMA_ALREADY_EXISTS = "SCHEMA_ALREADY_EXISTS", "42P06";
        CATALOG_NOT_FOUND = "CATALOG_NOT_FOUND", "42P08";
        UNRESOLVED_COLUMN = "UNRESOLVED_COLUMN.WITH_SUGGESTION", "42703";
        UNRESOLVED_COLUMN_PLAIN = "UNRESOLVED_COLUMN.WITHOUT_SUGGESTION", "42703";
        UNRESOLVED_ROUTINE = "UNRESOLVED_ROUTINE", "42883";
        DATATYPE_MISMATCH = "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE", "42K09";
        UNSUPPORTED_FEATURE = "UNSUPPORTED_FEATURE", "0A000";
        UNBOUND_SQL_PARAMETER = "UNBOUND_SQL_PARAMETER", "42P02";
        CAST_INVALID_INPUT = "CAST_INVALID_INPUT", "22018";
        CAST_OVERFLOW = "CAST_OVERFLOW", "22003";
        ARITHMETIC_OVERFLOW = "ARITHMETIC_OVERFLOW", "22003";
        DIVIDE_BY_ZERO = "DIVIDE_BY_ZERO", "22012";
        NOT_NULL_CONSTRAINT_VIOLATION = "DELTA_NOT_NULL_CONSTRAINT_VIOLATED", "23502";
        LIMIT_EXCEEDED = "LAKELET_LIMIT_EXCEEDED", "54000";
        CANCELED = "OPERATION_CANCELED", "HY008";
        PLACEHOLDER_NOT_FILLED = "LAKELET_PLACEHOLDER_NOT_FILLED", "42601";
        INTERNAL_ERROR = "INTERNAL_ERROR", "XX000";
    }
}

/// A change of the text that would mend the error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    /// What the reader is told, for instance "did you mean warehouse?".
    pub label: String,
    /// The text to replace; `None` where there is nothing to apply.
    pub span: Option<Span>,
    /// What to put there.
    pub replacement: String,
}

/// One error or warning: its class, a message for a learner, its place and a way out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Spark's condition and SQLSTATE.
    pub class: ErrorClass,
    /// A sentence for a learner, without the class.
    pub message: String,
    /// Byte range in the text that was given, where there is one.
    pub span: Option<Span>,
    /// What to do next, in words.
    pub hint: Option<String>,
    /// Edits that would help.
    pub suggestions: Vec<Suggestion>,
}

/// What fallible functions of the project return.
pub type Result<T, E = Box<Diagnostic>> = std::result::Result<T, E>;

impl Diagnostic {
    /// A diagnostic without a place.
    pub fn new(class: ErrorClass, message: impl Into<String>) -> Self {
        Self { class, message: message.into(), span: None, hint: None, suggestions: Vec::new() }
    }

    /// The same, at `span`.
    #[must_use]
    pub fn at(mut self, span: Span) -> Self {
        self.span = Some(span);
        self
    }

    /// The same, at `span` unless it has a place already.
    #[must_use]
    pub fn or_at(mut self, span: Option<Span>) -> Self {
        self.span = self.span.or(span);
        self
    }

    /// The same with a next step in words.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The same with an edit.
    #[must_use]
    pub fn suggest(mut self, suggestion: Suggestion) -> Self {
        self.suggestions.push(suggestion);
        self
    }

    /// The same, its places moved right by `offset` bytes.
    #[must_use]
    pub fn shifted(mut self, offset: usize) -> Self {
        self.span = self.span.map(|span| span.shifted(offset));
        for suggestion in &mut self.suggestions {
            suggestion.span = suggestion.span.map(|span| span.shifted(offset));
        }
        self
    }

    /// A bug of ours that a reader met: says so and asks for a report.
    pub fn internal(message: impl fmt::Display) -> Self {
        Self::new(ErrorClass::INTERNAL_ERROR, format!("{message}"))
            .hint("This is a fault of Lakelet, not of your statement. Nothing was changed.")
    }

    /// A named refusal of something Spark or Databricks can and Lakelet cannot.
    pub fn unsupported(what: impl fmt::Display) -> Self {
        Self::new(ErrorClass::UNSUPPORTED_FEATURE, format!("Lakelet does not support {what}."))
    }
}

impl fmt::Display for Diagnostic {
    /// `[CONDITION] message SQLSTATE: 00000`, the way Spark prints errors.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}] {} SQLSTATE: {}", self.class.condition, self.message, self.class.sqlstate)?;
        if let Some(hint) = &self.hint {
            write!(f, "\n{hint}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostic {}

/// The one of `candidates` that `written` was probably meant to be: the nearest by edits, at most a third of its length.
pub fn nearest_name<'a>(written: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let written_lower = written.to_lowercase();
    let allowed = (written.chars().count() / 3).max(1);
    candidates
        .into_iter()
        .filter(|candidate| !same_name(candidate, written))
        .map(|candidate| (edits(&written_lower, &candidate.to_lowercase()), candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Number of insertions, deletions, replacements and swaps of neighbours between two words.
fn edits(left: &str, right: &str) -> usize {
    let (left, right): (Vec<char>, Vec<char>) = (left.chars().collect(), right.chars().collect());
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=right.len()).collect();
    for (i, l) in left.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, r) in right.iter().enumerate() {
            let mut best = (last[j] + usize::from(l != r)).min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *l == right[j - 1] && left[i - 1] == *r {
                best = best.min(before_last[j - 1] + 1);
            }
            row.push(best);
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_found_and_far_ones_are_not() {
        let columns = ["warehouse", "category", "product_name"];
        assert_eq!(nearest_name("warehose", columns), Some("warehouse"));
        assert_eq!(nearest_name("Catgeory", columns), Some("category"));
        assert_eq!(nearest_name("zzz", columns), None);
        assert_eq!(nearest_name("", columns), None);
    }

    #[test]
    fn places_move_with_the_text() {
        let diagnostic = Diagnostic::new(ErrorClass::PARSE_SYNTAX_ERROR, "x").at(Span::new(1, 2)).shifted(10);
        assert_eq!(diagnostic.span, Some(Span::new(11, 12)));
        assert_eq!(diagnostic.to_string(), "[PARSE_SYNTAX_ERROR] x SQLSTATE: 42601");
    }
}
