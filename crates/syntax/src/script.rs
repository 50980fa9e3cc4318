//! Scripts: several statements, each parsed for itself.

use lakelet_base::{Diagnostic, Limits, Span};

use crate::parse;
use crate::split::{pieces, script_too_long, too_many_statements};
use crate::statement::Statement;
use crate::tokens::ParameterText;

/// A script's statements in order. Parsing never fails as a whole: an error belongs to its statement.
#[derive(Debug, Clone, PartialEq)]
pub struct Script {
    /// The statements; empty ones do not count.
    pub statements: Vec<ScriptStatement>,
}

/// One statement of a script.
#[derive(Debug, Clone, PartialEq)]
pub struct ScriptStatement {
    /// 0-based number in the script.
    pub index: usize,
    /// From its first token to its last, in the script.
    pub span: Span,
    /// With the comments before it and the `;` after it, in the script.
    pub text_range: Span,
    /// The statement, its places counting from its own text's start; or the error, its places counting from the
    /// script's start.
    pub statement: Result<Statement, Box<Diagnostic>>,
    text: String,
}

impl ScriptStatement {
    /// The statement's text, which is the script's at [`ScriptStatement::span`].
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What to add to a place in the statement to have one in the script.
    pub fn offset(&self) -> usize {
        self.span.start
    }
}

/// Parses the statements of `text`, each for itself. A text that breaks a limit of the whole script is one erroneous
/// statement, so that nothing of it runs.
pub fn parse_script(text: &str, limits: &Limits) -> Script {
    parse_script_with_parameters(text, limits, &|_| None)
}

/// As [`parse_script`]; `parameters` gives the text of named parameters, for `IDENTIFIER(:name)`.
pub fn parse_script_with_parameters(text: &str, limits: &Limits, parameters: ParameterText<'_>) -> Script {
    let whole = Span::new(0, text.len());
    let refused = |diagnostic| Script {
        statements: vec![ScriptStatement {
            index: 0,
            span: whole,
            text_range: whole,
            statement: Err(Box::new(diagnostic)),
            text: text.to_owned(),
        }],
    };
    if text.len() > limits.script_bytes_max {
        return refused(script_too_long(text.len(), limits));
    }
    let pieces = pieces(text);
    if let Some(first_too_many) = pieces.get(limits.statements_max) {
        return refused(too_many_statements(pieces.len(), first_too_many.span, limits));
    }
    let statements = pieces
        .into_iter()
        .enumerate()
        .map(|(index, piece)| {
            let own = text.get(piece.span.start..piece.span.end).unwrap_or_default();
            let statement = match piece.unterminated {
                Some(diagnostic) => Err(diagnostic),
                None => parse::parse_statement(own, limits, parameters)
                    .map_err(|diagnostic| Box::new(diagnostic.shifted(piece.span.start))),
            };
            ScriptStatement { index, span: piece.span, text_range: piece.text_range, statement, text: own.to_owned() }
        })
        .collect();
    Script { statements }
}
