//! Angle brackets that belong to a type.

use sqlparser::tokenizer::Token;

use crate::lexer::{Lexeme, LexemeKind};

/// Tells the brackets of `ARRAY<MAP<STRING, INT>>` from comparisons.
#[derive(Default)]
pub(super) struct TypeBrackets {
    depth: usize,
    /// No `>` stands between the last `<` that was looked at and here.
    none_before: usize,
}

impl TypeBrackets {
    /// Counts the `<` at `index` if it opens the parameters of a type: a `>` closes it before anything that no type has.
    pub(super) fn open(&mut self, text: &str, lexemes: &[Lexeme], index: usize) {
        let is_container = |lexeme: &Lexeme| ["ARRAY", "MAP", "STRUCT"].iter().any(|word| lexeme.is_word(text, word));
        if !index.checked_sub(1).and_then(|before| lexemes.get(before)).is_some_and(is_container) {
            return;
        }
        self.depth += usize::from(self.depth > 0 || self.is_closed(lexemes, index));
    }

    fn is_closed(&mut self, lexemes: &[Lexeme], index: usize) -> bool {
        if index < self.none_before {
            return false;
        }
        for (at, lexeme) in lexemes.iter().enumerate().skip(index + 1) {
            match &lexeme.kind {
                LexemeKind::Symbol(Token::Gt) => return true,
                LexemeKind::Symbol(Token::Lt | Token::Comma | Token::Colon | Token::LParen | Token::RParen)
                | LexemeKind::Word
                | LexemeKind::QuotedWord(_)
                | LexemeKind::Number
                | LexemeKind::Text(_) => {}
                _ => {
                    self.none_before = at;
                    return false;
                }
            }
        }
        self.none_before = lexemes.len();
        false
    }

    /// Whether a `>` closes the parameters of a type.
    pub(super) fn close(&mut self) -> bool {
        let closes = self.depth > 0;
        self.depth = self.depth.saturating_sub(1);
        closes
    }
}
