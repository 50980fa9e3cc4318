//! Functions with words between their arguments, and words that are functions in one place and operators in another.

use sqlparser::tokenizer::Token;

use super::Rewriter;

impl Rewriter<'_> {
    /// Whether the current word separates the arguments of a call: `position(a IN b)`, `substring(a FROM b FOR c)`,
    /// `overlay(a PLACING b FROM c FOR d)`. These become plain calls.
    pub(super) fn separates_arguments(&self, word: &str) -> bool {
        let Some(opener) = self.openers.last() else { return false };
        match opener.word.as_str() {
            "POSITION" => word == "IN" && opener.n_commas == 0 && self.last_ends_operand() && self.count_separator(),
            "SUBSTRING" | "SUBSTR" => matches!(word, "FROM" | "FOR"),
            "OVERLAY" => matches!(word, "PLACING" | "FROM" | "FOR"),
            _ => false,
        }
    }

    /// Whether nothing in this call was rewritten yet: a second IN is the operator.
    fn count_separator(&self) -> bool {
        self.out
            .items
            .iter()
            .rev()
            .take_while(|item| item.token != Token::LParen)
            .all(|item| item.token != Token::Comma)
    }

    /// `exists(array, x -> …)` is a function; `EXISTS (SELECT …)` is not.
    pub(super) fn exists(&mut self) {
        let subquery = self.peek_is(1, &Token::LParen)
            && ["SELECT", "WITH", "FROM", "VALUES", "TABLE"].iter().any(|word| self.peek_is_word(2, word));
        // DROP TABLE IF EXISTS t and its like are ours to read; the keyword does no harm there.
        if subquery || !self.peek_is(1, &Token::LParen) { self.copy() } else { self.copy_as_name() }
    }

    /// `trim(BOTH 'x' FROM s)` is a form, `trim(s)` a call. `trim(BOTH FROM s)` trims blanks.
    pub(super) fn trim(&mut self) {
        if !self.peek_is(1, &Token::LParen) || !self.call_has_word("FROM") {
            return self.copy_as_name();
        }
        self.copy();
        let side = ["BOTH", "LEADING", "TRAILING"].iter().any(|word| self.peek_is_word(1, word));
        if side && self.peek_is_word(2, "FROM") {
            self.open();
            let span = self.peek(0).map(|item| item.span).unwrap_or_default();
            self.copy();
            self.emit(Token::SingleQuotedString(" ".to_owned()), span);
        }
    }

    /// Whether the call that starts with the parenthesis after the current word has `word` directly inside.
    fn call_has_word(&self, word: &str) -> bool {
        let mut depth = 0usize;
        for item in self.input.iter().skip(self.at + 1) {
            match item.token {
                Token::LParen => depth += 1,
                Token::RParen => {
                    depth -= 1;
                    if depth == 0 {
                        return false;
                    }
                }
                _ if depth == 1 && item.is_word(word) => return true,
                _ => {}
            }
        }
        false
    }
}
