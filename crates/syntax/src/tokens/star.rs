//! `*`: all columns, in SELECT and in MERGE.

use sqlparser::tokenizer::Token;

use super::{Rewriter, name_token, word_token};

impl Rewriter<'_> {
    /// `UPDATE SET *` and `INSERT *` of MERGE get a column called `*`; `t.* EXCEPT (t.a)` loses the qualifiers inside.
    pub(super) fn star(&mut self) {
        let span = self.peek(0).map(|item| item.span).unwrap_or_default();
        let merges = self.first_is("MERGE");
        if merges && self.last_is_word("SET") {
            self.at += 1;
            self.emit(name_token("*"), span);
            self.emit(Token::Eq, span);
            return self.emit(name_token("*"), span);
        }
        if merges && self.last_is_word("INSERT") {
            self.at += 1;
            for token in [Token::LParen, name_token("*"), Token::RParen, word_token("VALUES"), Token::LParen] {
                self.emit(token, span);
            }
            self.emit(name_token("*"), span);
            return self.emit(Token::RParen, span);
        }
        let in_select = self.last().is_some_and(|last| {
            last.is_word("SELECT") || last.is_word("DISTINCT") || matches!(last.token, Token::Comma | Token::Period)
        });
        self.copy();
        if in_select && self.peek_is_word(0, "EXCEPT") && self.peek_is(1, &Token::LParen) {
            self.copy();
            self.open();
            while !self.peek_is(0, &Token::RParen) && self.peek(0).is_some() {
                let qualifies = matches!(self.peek(0).map(|item| &item.token), Some(Token::Word(_)));
                if qualifies && self.peek_is(1, &Token::Period) {
                    self.at += 2;
                } else if matches!(self.peek(0).map(|item| &item.token), Some(Token::Word(_))) {
                    self.copy_as_name();
                } else if self.peek_is(0, &Token::Comma) {
                    self.copy();
                } else {
                    return;
                }
            }
        }
    }
}
