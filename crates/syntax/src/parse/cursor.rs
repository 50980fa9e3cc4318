//! A place in a statement's tokens. What is Spark's own is read word by word; queries, expressions and types are handed
//! to sqlparser's parser, which stands on the same tokens.

use lakelet_base::{Diagnostic, ErrorClass, Span, Suggestion};
use sqlparser::ast;
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Token, TokenWithSpan};

use crate::dialect::{LIKE_PATTERNS_MAX, SparkDialect, TOO_MANY_PATTERNS};
use crate::error::{self, NearKeyword};
use crate::statement::{Expression, Name, Query, StreamRead};
use crate::tokens::Tokens;

/// What parsing returns.
pub(crate) type Result<T> = std::result::Result<T, Box<Diagnostic>>;

/// Levels the parser may recurse: several a level of nesting, which is counted beforehand.
const RECURSION_MAX: usize = 2_000;

pub(crate) struct Cursor<'a> {
    text: &'a str,
    dialect: &'a SparkDialect,
    parser: Parser<'a>,
    spans: Vec<Span>,
    streams: Vec<(usize, StreamRead)>,
    tails: Vec<(usize, usize)>,
}

impl<'a> Cursor<'a> {
    /// A cursor at the first of `tokens`, which were made from `text`.
    pub(crate) fn new(text: &'a str, tokens: Tokens, dialect: &'a SparkDialect) -> Self {
        let parser = parser_for(dialect, tokens.to_parser_tokens(text));
        let spans = tokens.items.into_iter().map(|item| item.span).collect();
        Self { text, dialect, parser, spans, streams: tokens.streams, tails: tokens.tails }
    }

    /// The text of the statement.
    pub(crate) fn text(&self) -> &'a str {
        self.text
    }

    /// Index of the next token.
    pub(crate) fn index(&self) -> usize {
        self.parser.index()
    }

    /// Whether all tokens are read.
    pub(crate) fn at_end(&self) -> bool {
        self.index() >= self.spans.len()
    }

    /// The token `n` after the next one.
    pub(crate) fn peek(&self, n: usize) -> &Token {
        &self.parser.peek_nth_token_ref(n).token
    }

    /// Where token `index` stands; the end of the text for tokens past the last.
    fn span_of(&self, index: usize) -> Span {
        let end = self.text.trim_end().len();
        self.spans.get(index).copied().unwrap_or(Span::new(end, end))
    }

    /// Where token `index` ends, with what was left out after it.
    fn end_of(&self, index: usize) -> usize {
        let tail =
            self.tails.binary_search_by_key(&index, |(token, _)| *token).ok().and_then(|found| self.tails.get(found));
        tail.map_or(self.span_of(index).end, |(_, end)| *end)
    }

    /// Where the next token stands.
    pub(crate) fn span(&self) -> Span {
        self.span_of(self.index())
    }

    /// From token `first` to the token read last.
    pub(crate) fn span_since(&self, first: usize) -> Span {
        let start = self.span_of(first).start;
        let end = self.index().checked_sub(1).map_or(start, |last| self.end_of(last));
        Span::new(start, end.max(start))
    }

    /// What is written from token `first` to the token read last.
    pub(crate) fn text_since(&self, first: usize) -> String {
        self.slice(self.span_since(first)).to_owned()
    }

    fn slice(&self, span: Span) -> &'a str {
        self.text.get(span.start..span.end).unwrap_or_default()
    }

    /// Takes the next token, whatever it is.
    pub(crate) fn advance(&mut self) {
        self.parser.advance_token();
    }

    /// The bare word `n` tokens on.
    pub(crate) fn word(&self, n: usize) -> Option<&str> {
        match self.peek(n) {
            Token::Word(word) if word.quote_style.is_none() => Some(&word.value),
            _ => None,
        }
    }

    /// Whether the bare words ahead are `words`, in any case.
    pub(crate) fn at(&self, words: &[&str]) -> bool {
        words.iter().enumerate().all(|(n, word)| self.word(n).is_some_and(|written| written.eq_ignore_ascii_case(word)))
    }

    /// Takes `words` if they come next.
    pub(crate) fn eat(&mut self, words: &[&str]) -> bool {
        let found = self.at(words);
        if found {
            words.iter().for_each(|_| self.advance());
        }
        found
    }

    /// Takes `words`, which have to come next.
    pub(crate) fn expect(&mut self, words: &[&str]) -> Result<()> {
        for word in words {
            if !self.eat(&[word]) {
                return Err(self.unexpected(Some(words.join(" ").as_str())));
            }
        }
        Ok(())
    }

    /// Takes `token` if it comes next.
    pub(crate) fn eat_token(&mut self, token: &Token) -> bool {
        self.parser.consume_token(token)
    }

    /// Takes `token`, which has to come next.
    pub(crate) fn expect_token(&mut self, token: &Token) -> Result<()> {
        if self.eat_token(token) { Ok(()) } else { Err(self.unexpected(Some(&format!("'{token}'")))) }
    }

    /// Fails unless everything is read.
    pub(crate) fn expect_end(&self) -> Result<()> {
        if self.at_end() { Ok(()) } else { Err(self.error_at(self.index().max(self.dialect.furthest()), None)) }
    }

    /// One or more of what `read` reads, with commas between.
    pub(crate) fn comma_separated<T>(&mut self, mut read: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let mut items = vec![read(self)?];
        while self.eat_token(&Token::Comma) {
            items.push(read(self)?);
        }
        Ok(items)
    }

    /// `(`, one or more with commas between, `)`.
    pub(crate) fn parenthesized<T>(&mut self, read: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        self.expect_token(&Token::LParen)?;
        let items = self.comma_separated(read)?;
        self.expect_token(&Token::RParen)?;
        Ok(items)
    }

    /// One name without points.
    pub(crate) fn identifier(&mut self) -> Result<(String, Span)> {
        let span = self.span();
        let Token::Word(word) = self.peek(0) else { return Err(self.unexpected(Some("a name"))) };
        let (value, bare) = (word.value.clone(), word.quote_style.is_none());
        if bare && word.value.eq_ignore_ascii_case("IDENTIFIER") && *self.peek(1) == Token::LParen {
            return Err(self.unbound_identifier());
        }
        self.advance();
        if bare {
            self.check_hyphens(span)?;
        }
        Ok((value, span))
    }

    /// A name of one to three parts.
    pub(crate) fn name(&mut self) -> Result<Name> {
        let first = self.index();
        let mut parts = vec![self.identifier()?.0];
        while self.eat_token(&Token::Period) {
            parts.push(self.identifier()?.0);
        }
        let span = self.span_since(first);
        if parts.len() > 3 {
            return Err(Box::new(
                Diagnostic::new(
                    ErrorClass::new("REQUIRES_SINGLE_PART_NAMESPACE", "42K05"),
                    format!(
                        "{} has {} parts; a name has at most three: catalog.schema.table.",
                        self.slice(span),
                        parts.len()
                    ),
                )
                .at(span),
            ));
        }
        Ok(Name { parts, span })
    }

    /// `my-catalog` is a subtraction unless it stands in back-ticks.
    fn check_hyphens(&self, first: Span) -> Result<()> {
        let mut end = first.end;
        let mut index = self.index();
        while *self.token_at(index) == Token::Minus
            && self.span_of(index).start == end
            && matches!(self.token_at(index + 1), Token::Word(_) | Token::Number(..))
            && self.span_of(index + 1).start == end + 1
        {
            end = self.span_of(index + 1).end;
            index += 2;
        }
        if end == first.end {
            return Ok(());
        }
        let span = Span::new(first.start, end);
        let replacement = format!("`{}`", self.slice(span));
        Err(Box::new(
            Diagnostic::new(
                error::INVALID_IDENTIFIER,
                format!(
                    "The unquoted identifier {} is invalid and must be back quoted as: {replacement}.",
                    self.slice(span)
                ),
            )
            .at(span)
            .suggest(Suggestion {
                label: format!("Write {replacement}"),
                span: Some(span),
                replacement: replacement.clone(),
            }),
        ))
    }

    fn token_at(&self, index: usize) -> &Token {
        &self.parser.token_at(index).token
    }

    fn unbound_identifier(&self) -> Box<Diagnostic> {
        let name = self.word(3).unwrap_or("?");
        Box::new(
            Diagnostic::new(
                ErrorClass::UNBOUND_SQL_PARAMETER,
                format!("Found the unbound parameter: {name}. IDENTIFIER needs its value to know the name."),
            )
            .at(self.span()),
        )
    }

    /// The value of a string.
    pub(crate) fn string(&mut self, what: &str) -> Result<String> {
        let Token::SingleQuotedString(value) = self.peek(0) else { return Err(self.unexpected(Some(what))) };
        let value = value.clone();
        self.advance();
        Ok(value)
    }

    /// A whole number, zero or more.
    pub(crate) fn integer(&mut self, what: &str) -> Result<u64> {
        match self.peek(0) {
            Token::Number(digits, _) if digits.parse::<u64>().is_ok() => {
                let value = digits.parse().unwrap_or_default();
                self.advance();
                Ok(value)
            }
            _ => Err(self.unexpected(Some(what))),
        }
    }

    /// An expression, as far as it goes.
    pub(crate) fn expression(&mut self) -> Result<Expression> {
        let first = self.index();
        let expr = self.run(Parser::parse_expr)?;
        Ok(Expression { expr, text: self.text_since(first), span: self.span_since(first) })
    }

    /// A query, as far as it goes.
    pub(crate) fn query(&mut self) -> Result<Query> {
        let first = self.index();
        let query = self.run(Parser::parse_query)?;
        Ok(self.finished_query(query, first))
    }

    /// The query that starts at token `first` and was read with sqlparser's own means.
    pub(crate) fn finished_query(&self, query: Box<ast::Query>, first: usize) -> Query {
        let within = first..self.index();
        let streams =
            self.streams.iter().filter(|(index, _)| within.contains(index)).map(|(_, read)| read.clone()).collect();
        Query { query, text: self.text_since(first), span: self.span_since(first), streams }
    }

    /// A data type and where it stands.
    pub(crate) fn data_type(&mut self) -> Result<(ast::DataType, Span)> {
        let first = self.index();
        let data_type = self.run(Parser::parse_data_type)?;
        Ok((data_type, self.span_since(first)))
    }

    /// Runs a function of sqlparser's parser on the tokens ahead.
    pub(crate) fn run<T>(
        &mut self,
        parse: impl FnOnce(&mut Parser<'a>) -> std::result::Result<T, ParserError>,
    ) -> Result<T> {
        parse(&mut self.parser).map_err(|error| self.parser_error(&error))
    }

    /// The token sqlparser stands on, for functions that want it.
    pub(crate) fn current_parser_token(&self) -> TokenWithSpan {
        self.parser.get_current_token().clone()
    }

    /// `SELECT * FROM` the name at tokens `first` up to here. `written` is where the source stands with the words that
    /// are no tokens any more (`STREAM`, its options); the query's text can be parsed again.
    pub(crate) fn select_all_from(&mut self, first: usize, written: Span) -> Result<Query> {
        let place = self.parser.token_at(first).span;
        let keyword = |token| TokenWithSpan { token, span: place };
        let mut tokens =
            vec![keyword(Token::make_keyword("SELECT")), keyword(Token::Mul), keyword(Token::make_keyword("FROM"))];
        tokens.extend((first..self.index()).map(|index| self.parser.token_at(index).clone()));
        let query = parser_for(self.dialect, tokens).parse_query().map_err(|error| self.parser_error(&error))?;
        let mut query = self.finished_query(query, first);
        query.text = format!("SELECT * FROM {}", self.slice(written));
        query.span = written;
        Ok(query)
    }

    /// "Syntax error" at the next token, where `expected` should stand.
    pub(crate) fn unexpected(&self, expected: Option<&str>) -> Box<Diagnostic> {
        self.error_at(self.index(), expected)
    }

    fn parser_error(&self, error: &ParserError) -> Box<Diagnostic> {
        let message = match error {
            ParserError::RecursionLimitExceeded => {
                return Box::new(
                    Diagnostic::new(ErrorClass::LIMIT_EXCEEDED, "The statement is too complex to be read.")
                        .at(self.span_of(self.dialect.furthest()))
                        .hint("Give inner parts a name with WITH, and use the names."),
                );
            }
            ParserError::TokenizerError(message) | ParserError::ParserError(message) => message,
        };
        if message == TOO_MANY_PATTERNS {
            return Box::new(
                Diagnostic::new(
                    ErrorClass::LIMIT_EXCEEDED,
                    format!("LIKE ANY and LIKE ALL take at most {LIKE_PATTERNS_MAX} patterns."),
                )
                .at(self.span_of(self.index().saturating_sub(1)))
                .hint("Put the patterns into a table and join it."),
            );
        }
        let index = self.error_index(message).unwrap_or_else(|| self.index());
        let furthest = self.dialect.furthest();
        if furthest > index {
            self.error_at(furthest, None)
        } else {
            self.error_at(index, error::expected_in_words(message))
        }
    }

    /// The token at the place that ends an error's message (`… at Line: 1, Column: 8`).
    fn error_index(&self, message: &str) -> Option<usize> {
        if message.contains("found: EOF") {
            return Some(self.spans.len());
        }
        let (_, place) = message.rsplit_once(" at Line: ")?;
        let (line, column) = place.split_once(", Column: ")?;
        let (line, column): (u64, u64) = (line.trim().parse().ok()?, column.trim().parse().ok()?);
        (0..self.spans.len()).find(|index| {
            let start = self.parser.token_at(*index).span.start;
            start.line == line && start.column == column
        })
    }

    /// A syntax error at token `index`; a misspelled keyword there or just before is named.
    fn error_at(&self, index: usize, expected: Option<&str>) -> Box<Diagnostic> {
        let span = self.span_of(index);
        if let Some(comma) = self.comma_before_from(index).or_else(|| self.comma_before_from(index.checked_sub(1)?)) {
            return self.trailing_comma(comma);
        }
        let near = self.near_keyword(index).or_else(|| self.near_keyword(index.checked_sub(1)?));
        Box::new(match near {
            Some(near) => error::misspelled(&near),
            None => error::syntax_error(self.slice(span), span, expected),
        })
    }

    /// Where a comma stands, if FROM is token `index` and follows one.
    fn comma_before_from(&self, index: usize) -> Option<Span> {
        let before = index.checked_sub(1)?;
        let is_from = matches!(self.token_at(index), Token::Word(word) if word.keyword == Keyword::FROM);
        (is_from && *self.token_at(before) == Token::Comma).then(|| self.span_of(before))
    }

    fn trailing_comma(&self, comma: Span) -> Box<Diagnostic> {
        Box::new(
            Diagnostic::new(
                error::TRAILING_COMMA,
                "Trailing comma detected in SELECT clause. Remove the trailing comma before the FROM clause.",
            )
            .at(comma)
            .suggest(Suggestion {
                label: "Remove the comma".to_owned(),
                span: Some(comma),
                replacement: String::new(),
            }),
        )
    }

    fn near_keyword(&self, index: usize) -> Option<NearKeyword> {
        let qualified = index.checked_sub(1).is_some_and(|before| *self.token_at(before) == Token::Period);
        match self.token_at(index) {
            Token::Word(word) if word.quote_style.is_none() && word.keyword == Keyword::NoKeyword && !qualified => {
                Some(NearKeyword {
                    written: word.value.clone(),
                    span: self.span_of(index),
                    meant: error::near_keyword(&word.value)?,
                })
            }
            _ => None,
        }
    }
}

fn parser_for(dialect: &SparkDialect, tokens: Vec<TokenWithSpan>) -> Parser<'_> {
    Parser::new(dialect).with_recursion_limit(RECURSION_MAX).with_tokens_with_locations(tokens)
}
