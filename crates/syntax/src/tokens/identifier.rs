//! `IDENTIFIER('a.b')` and `IDENTIFIER(:name)`: names that are computed before parsing.

use lakelet_base::{Diagnostic, ErrorClass};
use sqlparser::tokenizer::Token;

use super::{Rewriter, name_token};
use crate::lexer::{LexemeKind, lex};

impl Rewriter<'_> {
    /// Puts the name in place of `IDENTIFIER(…)`. With a parameter that has no value yet it stays a call.
    pub(super) fn identifier(&mut self) -> Result<(), Box<Diagnostic>> {
        let Some((name, n_tokens)) = self.identifier_text() else {
            self.copy_as_name();
            return Ok(());
        };
        let mut span = self.peek(0).map(|item| item.span).unwrap_or_default();
        span.end = self.peek(n_tokens - 1).map_or(span.end, |item| item.span.end);
        let Some(parts) = parse_name_parts(&name) else {
            return Err(Box::new(
                Diagnostic::new(
                    ErrorClass::new("PARSE_SYNTAX_ERROR", "42601"),
                    format!("IDENTIFIER holds '{name}', which is no name."),
                )
                .at(span)
                .hint("A name has one to three parts with points between them."),
            ));
        };
        for (index, part) in parts.iter().enumerate() {
            if index > 0 {
                self.emit(Token::Period, span);
            }
            self.emit(name_token(part), span);
        }
        self.at += n_tokens;
        Ok(())
    }

    /// The text inside of `IDENTIFIER(…)` at the current word, and how many tokens it takes.
    fn identifier_text(&self) -> Option<(String, usize)> {
        let mut text = String::new();
        let mut n = 2;
        loop {
            match &self.peek(n)?.token {
                Token::SingleQuotedString(value) => text.push_str(value),
                Token::Colon => {
                    n += 1;
                    text.push_str(&(self.parameters)(&self.peek(n)?.word()?.value)?);
                }
                _ => return None,
            }
            n += 1;
            match self.peek(n)?.token {
                Token::RParen => return Some((text, n + 1)),
                Token::StringConcat => n += 1,
                _ => return None,
            }
        }
    }
}

/// The parts of a name written as one text, `a.b.c` with or without back-ticks.
pub(crate) fn parse_name_parts(text: &str) -> Option<Vec<String>> {
    let lexemes = lex(text).lexemes;
    let mut parts = Vec::new();
    for (index, lexeme) in lexemes.iter().enumerate() {
        match (&lexeme.kind, index % 2) {
            (LexemeKind::Word | LexemeKind::Number, 0) => {
                parts.push(text.get(lexeme.span.start..lexeme.span.end)?.to_owned())
            }
            (LexemeKind::QuotedWord(name), 0) => parts.push(name.clone()),
            (LexemeKind::Symbol(Token::Period), 1) => {}
            _ => return None,
        }
    }
    (lexemes.len() % 2 == 1).then_some(parts)
}
