//! INTERVAL literals: signs go into the value, several units become one text.

use lakelet_base::{Diagnostic, ErrorClass};
use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::Token;

use super::{Placed, Rewriter};
use crate::keywords::is_interval_unit;

impl Rewriter<'_> {
    /// `INTERVAL 1 DAY`, `INTERVAL -'5' HOUR`, `INTERVAL 1 DAY 2 HOURS` (which becomes `INTERVAL '1 DAY 2 HOURS'`),
    /// the type `INTERVAL DAY TO SECOND`; anywhere else `interval` is a name.
    pub(super) fn interval(&mut self) -> Result<(), Box<Diagnostic>> {
        let unit_at =
            |n: usize| self.peek(n).is_some_and(|item| item.word().is_some_and(|w| is_interval_unit(w.keyword)));
        let Some((value, n_value)) = self.interval_value(1) else {
            let typed = unit_at(1) || self.peek_is(1, &Token::Colon);
            if typed {
                self.copy()
            } else {
                self.copy_as_name()
            }
            return Ok(());
        };
        let has_unit = unit_at(1 + n_value);
        if !has_unit && !matches!(value.token, Token::SingleQuotedString(_)) {
            return Err(self.missing_unit(1 + n_value));
        }
        let mut pieces = Vec::new();
        let mut n = 1;
        while let Some((value, n_value)) = self.interval_value(n) {
            let Some(unit) =
                self.peek(n + n_value).and_then(Placed::word).filter(|word| is_interval_unit(word.keyword))
            else {
                break;
            };
            let (Token::SingleQuotedString(amount) | Token::Number(amount, _)) = value.token else { break };
            pieces.push(format!("{amount} {}", unit.value));
            n += n_value + 1;
        }
        self.copy();
        if pieces.len() > 1 {
            let mut span = value.span;
            span.end = self.peek(n - 2).map_or(span.end, |item| item.span.end);
            self.emit(Token::SingleQuotedString(pieces.join(" ")), span);
            self.at += n - 1;
        } else {
            self.emit(value.token, value.span);
            self.at += n_value;
        }
        Ok(())
    }

    /// The value `n` tokens on, its sign inside, and how many tokens it takes.
    fn interval_value(&self, n: usize) -> Option<(Placed, usize)> {
        let sign = match self.peek(n)?.token {
            Token::Minus => Some(true),
            Token::Plus => Some(false),
            _ => None,
        };
        let value = self.peek(n + usize::from(sign.is_some()))?;
        let (Token::SingleQuotedString(amount) | Token::Number(amount, _)) = &value.token else { return None };
        let token = match (sign, amount.trim_start().strip_prefix('-')) {
            (Some(true), Some(positive)) => Token::SingleQuotedString(positive.to_owned()),
            (Some(true), None) => {
                Token::SingleQuotedString(format!("-{}", amount.trim_start().trim_start_matches('+')))
            }
            _ => value.token.clone(),
        };
        let mut span = value.span;
        span.start = self.peek(n)?.span.start;
        Some((Placed::new(token, span), 1 + usize::from(sign.is_some())))
    }

    fn missing_unit(&self, n: usize) -> Box<Diagnostic> {
        let end = self.text.len();
        let (near, span) = match self.peek(n) {
            Some(item) => {
                (format!("'{}'", self.text.get(item.span.start..item.span.end).unwrap_or_default()), item.span)
            }
            None => ("end of input".to_owned(), lakelet_base::Span::new(end, end)),
        };
        let known = self.peek(n).and_then(Placed::word).is_some_and(|word| word.keyword == Keyword::NoKeyword);
        let message = if known {
            format!("Syntax error at or near {near}: intervals have no such unit.")
        } else {
            format!("Syntax error at or near {near}: an INTERVAL needs a unit.")
        };
        Box::new(
            Diagnostic::new(ErrorClass::PARSE_SYNTAX_ERROR, message)
                .at(span)
                .hint("Units are YEAR, MONTH, WEEK, DAY, HOUR, MINUTE, SECOND, MILLISECOND and MICROSECOND."),
        )
    }
}
