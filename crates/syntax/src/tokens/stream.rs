//! `STREAM t WITH (…)` and `STREAM(t)`: a plain `t` to the parser, and a note that it is a stream.

use lakelet_base::{Diagnostic, ErrorClass, Span};
use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::Token;

use super::{Placed, Rewriter};
use crate::keywords::is_reserved_table_alias;
use crate::statement::{Name, StreamRead};

impl Rewriter<'_> {
    pub(super) fn stream(&mut self) -> Result<(), Box<Diagnostic>> {
        if !(self.last_is_word("FROM") || self.last_is_word("JOIN")) || !self.stream_follows() {
            self.copy_as_name();
            return Ok(());
        }
        self.at += 1;
        let parenthesized = self.peek_is(0, &Token::LParen);
        self.at += usize::from(parenthesized);
        let first = self.out.items.len();
        loop {
            if self.peek_is_word(0, "IDENTIFIER") && self.peek_is(1, &Token::LParen) {
                self.identifier()?;
            } else {
                self.copy_as_name();
            }
            if !self.peek_is(0, &Token::Period) {
                break;
            }
            self.copy();
        }
        if parenthesized {
            if !self.peek_is(0, &Token::RParen) {
                return Err(self.malformed("the table of a STREAM, then ')'"));
            }
            self.at += 1;
        }
        let table = self.name_since(first);
        let options = if self.peek_is_word(0, "WITH") && self.peek_is(1, &Token::LParen) {
            self.at += 2;
            self.stream_options()?
        } else {
            Vec::new()
        };
        if let Some(last_left_out) = self.at.checked_sub(1).and_then(|index| self.input.get(index))
            && let Some(last) = self.out.items.len().checked_sub(1)
        {
            self.out.tails.push((last, last_left_out.span.end));
        }
        self.out.streams.push((first, StreamRead { table, options }));
        Ok(())
    }

    /// Whether STREAM is followed by a table. Otherwise it is a table itself, as in `FROM stream WHERE …`.
    fn stream_follows(&self) -> bool {
        let n = if self.peek_is(1, &Token::LParen) { 2 } else { 1 };
        match self.peek(n).map(|item| &item.token) {
            Some(Token::Word(word)) => {
                let named = word.keyword != Keyword::AS && !is_reserved_table_alias(word.keyword);
                // STREAM(f(x)) reads a table function; there is none that streams.
                named && (n == 1 || !self.peek_is(n + 1, &Token::LParen) || self.peek_is_word(n, "IDENTIFIER"))
            }
            _ => false,
        }
    }

    fn name_since(&self, first: usize) -> Name {
        let written = self.out.items.get(first..).unwrap_or_default();
        let parts = written
            .iter()
            .filter_map(|item| match &item.token {
                Token::Word(word) => Some(word.value.clone()),
                _ => None,
            })
            .collect();
        let start = written.first().map_or(0, |item| item.span.start);
        let end = written.last().map_or(start, |item| item.span.end);
        Name { parts, span: Span::new(start, end) }
    }

    /// `key = value, …)`, after the opening parenthesis.
    fn stream_options(&mut self) -> Result<Vec<(String, String)>, Box<Diagnostic>> {
        let mut options = Vec::new();
        loop {
            let key = match self.peek(0).map(|item| &item.token) {
                Some(Token::Word(word)) => word.value.to_lowercase(),
                Some(Token::SingleQuotedString(key)) => key.to_lowercase(),
                _ => return Err(self.malformed("the name of an option")),
            };
            self.at += 1;
            if !self.peek_is(0, &Token::Eq) {
                return Err(self.malformed("'=' and the option's value"));
            }
            self.at += 1;
            let value = match self.peek(0).map(|item| &item.token) {
                Some(Token::Word(word)) => word.value.clone(),
                Some(Token::SingleQuotedString(value) | Token::Number(value, _)) => value.clone(),
                _ => return Err(self.malformed("the option's value")),
            };
            self.at += 1;
            options.push((key, value));
            let more = self.peek_is(0, &Token::Comma);
            if !more && !self.peek_is(0, &Token::RParen) {
                return Err(self.malformed("',' or ')'"));
            }
            self.at += 1;
            if !more {
                return Ok(options);
            }
        }
    }

    fn malformed(&self, expected: &str) -> Box<Diagnostic> {
        let end = self.text.len();
        let (near, span) = match self.peek(0) {
            Some(Placed { span, .. }) => {
                (format!("'{}'", self.text.get(span.start..span.end).unwrap_or_default()), *span)
            }
            None => ("end of input".to_owned(), Span::new(end, end)),
        };
        Box::new(
            Diagnostic::new(ErrorClass::PARSE_SYNTAX_ERROR, format!("Syntax error at or near {near}."))
                .at(span)
                .hint(format!("Expected here: {expected}, as in STREAM t WITH (readChangeFeed = true).")),
        )
    }
}
