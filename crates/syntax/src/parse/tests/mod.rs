mod errors;
mod flows;
mod rows;
mod tables;

use lakelet_base::Diagnostic;

use crate::parse_statement;
use crate::statement::Statement;

#[track_caller]
fn parsed(text: &str) -> Statement {
    match parse_statement(text) {
        Ok(statement) => statement,
        Err(diagnostic) => panic!("{text}\n{diagnostic} {:?}", diagnostic.span),
    }
}

#[track_caller]
fn refused(text: &str) -> Diagnostic {
    match parse_statement(text) {
        Ok(statement) => panic!("{text} was accepted as {statement:?}"),
        Err(diagnostic) => {
            assert!(diagnostic.span.is_none_or(|span| span.end <= text.len()), "{diagnostic:?}");
            *diagnostic
        }
    }
}

/// The one value of `pattern` in the statement.
macro_rules! expect_statement {
    ($text:expr, $variant:path) => {
        match super::parsed($text) {
            $variant(inner) => inner,
            other => panic!("{} is {other:?}", $text),
        }
    };
}
pub(crate) use expect_statement;
