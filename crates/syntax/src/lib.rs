//! Text to statements, with places and recovery.
//!
//! [`parse_script`] splits a script and parses each statement for itself: an error in one leaves the others whole.
//! Queries and expressions are sqlparser's syntax trees, parsed by its parser from tokens of our own (Spark's strings,
//! numbers and names differ from other dialects'); everything around them is parsed by ours into [`statement`]. Nothing
//! here looks at a catalog or a clock, and nothing panics on any input.
//!
//! How Spark's own forms look in the tree:
//!
//! | written | in the tree |
//! |---|---|
//! | `5L` | `Value::Number("5", true)` |
//! | `5Y`, `5S`, `5D`, `5F`, `5BD` | `Value::Number("5Y", false)` …; see [`number_literal`] |
//! | `"a"`, `r'a'`, `'a' 'b'` | `Value::SingleQuotedString`, escapes resolved |
//! | `:p`, `?` | `Value::Placeholder(":p")`, `Value::Placeholder("?")` |
//! | `IDENTIFIER('a.b')`, `IDENTIFIER(:p)` with a value | the name; without a value a call of `IDENTIFIER` |
//! | `a DIV b`, `a <=> b`, `a >>> b` | `MyIntegerDivide`, `Spaceship`, `Custom(">>>")` |
//! | `t VERSION AS OF 2`, `t@v2` | `TableFactor::Table.version` = `VersionAsOf` |
//! | `t TIMESTAMP AS OF e` | `TableFactor::Table.version` = `TimestampAsOf` |
//! | `STREAM t WITH (…)`, `STREAM(t)` | plain `t`; [`statement::Query::streams`] |
//! | `INTERVAL 1 DAY 2 HOURS` | `INTERVAL '1 DAY 2 HOURS'` without a unit |
//! | `INTERVAL -'5' HOUR` | `INTERVAL '-5' HOUR` |
//! | `substring(a FROM b FOR c)`, `position(a IN b)`, `overlay(…)` | plain calls with commas |
//! | `TABLE t` | `SELECT * FROM t` |
//! | `a MINUS b` | `a EXCEPT b` |
//! | `x LIKE ANY (p, q)`, `x LIKE ALL (p, q)` | `(x LIKE p OR x LIKE q)`, `(… AND …)` |
//! | `UPDATE SET *`, `INSERT *` | the assignment `*` = `*`; the column `*` and the value `*` |
//! | `DEFAULT` as a value | `Expr::Identifier` |

mod complete;
mod dialect;
mod error;
mod keywords;
mod lexer;
mod literal;
mod location;
mod measure;
mod parse;
mod script;
mod split;
mod tokens;

pub mod statement;

pub use complete::{Completion, CompletionKind, NameSource, complete};
pub use literal::{NumberKind, NumberLiteral, number_literal};
pub use location::location_to_offset;
pub use script::{Script, ScriptStatement, parse_script, parse_script_with_parameters};
pub use split::{split, statement_at};

use lakelet_base::{Limits, Result};

use crate::statement::{Expression, Flow, Query, Statement};

/// Parses one statement; a `;` after it does no harm.
///
/// # Errors
/// The first error, its places counting from the start of `text`.
pub fn parse_statement(text: &str) -> Result<Statement> {
    parse::parse_statement(text, &Limits::default(), &|_| None)
}

/// Parses an expression that stands alone, such as the text of a stored [`Expression`].
///
/// # Errors
/// As [`parse_statement`].
pub fn parse_expression(text: &str) -> Result<Expression> {
    parse::parse_expression(text, &Limits::default())
}

/// Parses a query that stands alone, such as the text of a stored [`Query`].
///
/// # Errors
/// As [`parse_statement`].
pub fn parse_query(text: &str) -> Result<Query> {
    parse::parse_query(text, &Limits::default())
}

/// Parses the text of a stored [`Flow`].
///
/// # Errors
/// As [`parse_statement`].
pub fn parse_flow(text: &str) -> Result<Flow> {
    parse::parse_flow(text, &Limits::default())
}

/// The parts of a name written as one text: `a.b.c`, each with or without back-ticks. `None` if it is no name.
pub fn split_name(text: &str) -> Option<Vec<String>> {
    tokens::parse_name_parts(text)
}
