//! A script's statements: where they start and end.

#[cfg(test)]
mod tests;

use lakelet_base::{Diagnostic, ErrorClass, Limits, Span};
use sqlparser::tokenizer::Token;

use crate::lexer::{Lexeme, lex};

/// One statement of a script, before it is parsed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Piece {
    /// From the statement's first token to its last.
    pub(crate) span: Span,
    /// With the comments before it and the `;` after it.
    pub(crate) text_range: Span,
    /// Why the statement has no end.
    pub(crate) unterminated: Option<Box<Diagnostic>>,
}

/// Where the statements of a script stand, without the `;` between them. Strings, comments and `BEGIN … END` are
/// respected; what holds no token does not count; text that has no end is one statement.
pub fn split(text: &str) -> Vec<Span> {
    pieces(text).into_iter().map(|piece| piece.span).collect()
}

/// The statement under the cursor: the one whose text, the comments before it and the `;` after it hold byte `offset`,
/// or else the last one before it.
pub fn statement_at(text: &str, offset: usize) -> Option<Span> {
    let pieces = pieces(text);
    let found = pieces.iter().find(|piece| offset <= piece.text_range.end).or(pieces.last())?;
    Some(found.span)
}

pub(crate) fn pieces(text: &str) -> Vec<Piece> {
    let lexed = lex(text);
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut rest = lexed.lexemes.as_slice();
    while !rest.is_empty() {
        let length = statement_length(text, rest);
        let (statement, after) = rest.split_at(length);
        let end = after.first().map_or(text.len(), |semicolon| semicolon.span.end);
        if let (Some(first), Some(last)) = (statement.first(), statement.last()) {
            let is_last = after.is_empty();
            pieces.push(Piece {
                span: Span::new(first.span.start, last.span.end),
                text_range: Span::new(start, end),
                unterminated: if is_last {
                    lexed.unterminated.clone().or_else(|| open_block(text, statement))
                } else {
                    None
                },
            });
        }
        start = end;
        rest = after.get(1..).unwrap_or_default();
    }
    pieces
}

/// How many lexemes the first statement has; the `;` after it does not count.
fn statement_length(text: &str, lexemes: &[Lexeme]) -> usize {
    let mut blocks = Blocks::new(text, lexemes);
    for (index, lexeme) in lexemes.iter().enumerate() {
        if lexeme.is_symbol(&Token::SemiColon) && blocks.depth == 0 {
            return index;
        }
        blocks.pass(lexeme, lexemes.get(index + 1));
    }
    lexemes.len()
}

fn open_block(text: &str, statement: &[Lexeme]) -> Option<Box<Diagnostic>> {
    let mut blocks = Blocks::new(text, statement);
    for (index, lexeme) in statement.iter().enumerate() {
        blocks.pass(lexeme, statement.get(index + 1));
    }
    if blocks.depth == 0 {
        return None;
    }
    let first = statement.first()?;
    Some(Box::new(
        Diagnostic::new(ErrorClass::PARSE_SYNTAX_ERROR, "Syntax error at or near end of input: BEGIN has no END.")
            .at(first.span),
    ))
}

/// Counts the blocks of SQL scripting, which hold `;` of their own.
struct Blocks<'a> {
    text: &'a str,
    is_script: bool,
    depth: usize,
    after_end: bool,
}

impl<'a> Blocks<'a> {
    fn new(text: &'a str, statement: &[Lexeme]) -> Self {
        let labeled = statement.get(1).is_some_and(|colon| colon.is_symbol(&Token::Colon));
        let first = statement.get(if labeled { 2 } else { 0 });
        let second = statement.get(if labeled { 3 } else { 1 });
        let begins = first.is_some_and(|first| first.is_word(text, "BEGIN"))
            && !second.is_some_and(|second| second.is_word(text, "TRANSACTION") || second.is_symbol(&Token::SemiColon));
        let procedure = first.is_some_and(|first| first.is_word(text, "CREATE"))
            && statement.iter().take(6).any(|lexeme| lexeme.is_word(text, "PROCEDURE"));
        Self { text, is_script: begins || procedure, depth: 0, after_end: false }
    }

    fn pass(&mut self, lexeme: &Lexeme, next: Option<&Lexeme>) {
        if !self.is_script {
            return;
        }
        let is = |word: &str| lexeme.is_word(self.text, word);
        if is("END") {
            // END IF, END WHILE and the like close what was not counted.
            let uncounted = ["IF", "WHILE", "LOOP", "REPEAT", "FOR"];
            let closes = !uncounted.iter().any(|word| next.is_some_and(|next| next.is_word(self.text, word)));
            self.depth = self.depth.saturating_sub(usize::from(closes));
            self.after_end = true;
            return;
        }
        if (is("BEGIN") || is("CASE")) && !self.after_end {
            self.depth += 1;
        }
        self.after_end = false;
    }
}

pub(crate) fn script_too_long(length: usize, limits: &Limits) -> Diagnostic {
    Diagnostic::new(
        ErrorClass::LIMIT_EXCEEDED,
        format!("The text has {length} bytes; {} are the most (script_bytes_max).", limits.script_bytes_max),
    )
    .at(Span::new(0, length))
    .hint("Put large data into a file under data/ and read it from there.")
}

pub(crate) fn too_many_statements(n_statements: usize, at: Span, limits: &Limits) -> Diagnostic {
    Diagnostic::new(
        ErrorClass::LIMIT_EXCEEDED,
        format!("The script has {n_statements} statements; {} are the most (statements_max).", limits.statements_max),
    )
    .at(at)
    .hint("INSERT takes many rows at once: VALUES (…), (…).")
}
