//! Tables: `TABLE t` as a query, and the ways to write a version.

use sqlparser::tokenizer::Token;

use super::{Rewriter, word_token};

impl Rewriter<'_> {
    /// Whether a query starts `n` tokens on.
    pub(super) fn starts_set_operand(&self, n: usize) -> bool {
        self.peek_is(n, &Token::LParen)
            || ["SELECT", "ALL", "DISTINCT", "VALUES", "FROM", "TABLE", "WITH"]
                .iter()
                .any(|word| self.peek_is_word(n, word))
    }

    /// `TABLE t` where a query is wanted is `SELECT * FROM t`.
    pub(super) fn table_query(&mut self) {
        let names = matches!(self.peek(1).map(|item| &item.token), Some(Token::Word(_)));
        let after_operator =
            ["UNION", "EXCEPT", "INTERSECT", "ALL", "DISTINCT", "AS"].iter().any(|w| self.last_is_word(w));
        let inserts = self.first_is("INSERT")
            && self.out.items.len() > 2
            && !self.last_is_word("INTO")
            && !self.last_is_word("OVERWRITE");
        let is_query = match self.last() {
            None => true,
            Some(last) => last.token == Token::LParen || after_operator || inserts || last.is_word("EXPLAIN"),
        };
        if !names || !is_query {
            return self.copy_as_name();
        }
        let span = self.peek(0).map(|item| item.span).unwrap_or_default();
        self.at += 1;
        self.emit(word_token("SELECT"), span);
        self.emit(Token::Mul, span);
        self.emit(word_token("FROM"), span);
    }

    /// Whether `LATERAL VIEW f(…) t` was written last. The parser takes the next word for the name of a column, but for
    /// WHERE and few others; so a WHERE that keeps all rows goes between.
    pub(super) fn ends_bare_lateral_view(&self) -> bool {
        let mut back = self.out.items.iter().rev();
        let named = back.next().is_some_and(|item| matches!(item.token, Token::Word(_)));
        if !named || back.next().is_none_or(|item| item.token != Token::RParen) {
            return false;
        }
        let mut depth = 1usize;
        let mut before = back.skip_while(|item| {
            match item.token {
                Token::RParen => depth += 1,
                Token::LParen => depth -= 1,
                _ => {}
            }
            depth > 0
        });
        before.next();
        let function = before.next().is_some_and(|item| matches!(item.token, Token::Word(_)));
        let view = before.find(|item| !item.is_word("OUTER"));
        function
            && view.is_some_and(|item| item.is_word("VIEW"))
            && before.next().is_some_and(|item| item.is_word("LATERAL"))
    }

    /// `FROM VALUES (…), (…)` is `FROM (VALUES (…), (…))`: the parser takes PIVOT after parentheses only.
    pub(super) fn values_in_parentheses(&mut self) {
        let mut depth = 0usize;
        let mut end = self.at + 1;
        while let Some(item) = self.input.get(end) {
            match item.token {
                Token::LParen => depth += 1,
                Token::RParen if depth > 0 => depth -= 1,
                _ => {}
            }
            end += 1;
            let more = self.input.get(end).is_some_and(|next| next.token == Token::Comma);
            if depth == 0 && !more && item.token != Token::Comma {
                break;
            }
        }
        let span = self.peek(0).map(|item| item.span).unwrap_or_default();
        self.values_ends.push(end);
        self.emit(Token::LParen, span);
        self.copy();
    }

    /// Closes the parentheses of [`Rewriter::values_in_parentheses`] whose rows end here.
    pub(super) fn close_values(&mut self) {
        while self.values_ends.last() == Some(&self.at) {
            self.values_ends.pop();
            let span = self.last().map(|item| item.span).unwrap_or_default();
            self.emit(Token::RParen, span);
        }
    }

    /// `FOR VERSION AS OF` is `VERSION AS OF`.
    pub(super) fn for_version(&mut self) {
        let versioned =
            ["VERSION", "SYSTEM_VERSION", "TIMESTAMP", "SYSTEM_TIME"].iter().any(|w| self.peek_is_word(1, w));
        if versioned && self.peek_is_word(2, "AS") && self.peek_is_word(3, "OF") {
            self.at += 1;
        } else {
            self.copy();
        }
    }

    /// `VERSION`, `SYSTEM_VERSION` and `SYSTEM_TIME` mean something before AS OF only.
    pub(super) fn version_word(&mut self, upper: &str) {
        if !self.peek_is_word(1, "AS") || !self.peek_is_word(2, "OF") {
            self.copy_as_name();
        } else if upper == "SYSTEM_TIME" {
            self.replace(word_token("TIMESTAMP"));
        } else {
            self.replace(word_token("VERSION"));
        }
    }

    /// `t@v2` is `t VERSION AS OF 2`, `t@20260302090000000` is `t TIMESTAMP AS OF '2026-03-02 09:00:00.000'`.
    pub(super) fn version_suffix(&mut self) {
        let span = self.peek(0).map(|item| item.span).unwrap_or_default();
        let (word, value) = match self.peek(1).map(|item| &item.token) {
            Some(Token::Word(word)) => match word.value.strip_prefix(['v', 'V']) {
                Some(digits) if !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit()) => {
                    ("VERSION", Token::Number(digits.to_owned(), false))
                }
                _ => return self.copy(),
            },
            Some(Token::Number(digits, false)) => match compact_timestamp(digits) {
                Some(timestamp) => ("TIMESTAMP", Token::SingleQuotedString(timestamp)),
                None => return self.copy(),
            },
            _ => return self.copy(),
        };
        let value_span = self.peek(1).map_or(span, |item| item.span);
        self.emit(word_token(word), span);
        self.emit(word_token("AS"), span);
        self.emit(word_token("OF"), span);
        self.emit(value, value_span);
        self.at += 2;
    }
}

/// `yyyyMMddHHmmssSSS` in the usual form.
fn compact_timestamp(digits: &str) -> Option<String> {
    if digits.len() != 17 || !digits.chars().all(|c| c.is_ascii_digit()) {
        return None;
    }
    let part = |from: usize, to: usize| digits.get(from..to);
    Some(format!(
        "{}-{}-{} {}:{}:{}.{}",
        part(0, 4)?,
        part(4, 6)?,
        part(6, 8)?,
        part(8, 10)?,
        part(10, 12)?,
        part(12, 14)?,
        part(14, 17)?
    ))
}
