//! Lexemes to the tokens the query parser reads.
//!
//! sqlparser knows many dialects; Spark's is a little different from each. What differs is rewritten here, token by
//! token, before parsing: the parser then sees SQL it knows, and every token keeps the place of what was written.
//! One file a family of rewrites; this one has the walk and the small ones.

mod brackets;
mod calls;
mod identifier;
mod interval;
mod star;
mod stream;
mod table;

pub(crate) use identifier::parse_name_parts;

use brackets::TypeBrackets;
use lakelet_base::{Diagnostic, ErrorClass, Span, Suggestion, quote_identifier};
use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Span as ParserSpan, Token, TokenWithSpan, Word};

use crate::keywords::is_query_keyword;
use crate::lexer::{Lexeme, LexemeKind, keyword_of};
use crate::location::LocationCounter;
use crate::statement::StreamRead;

/// Looks up the text of a named parameter, for `IDENTIFIER(:name)`. `None` where it is not known (yet).
pub(crate) type ParameterText<'a> = &'a dyn Fn(&str) -> Option<String>;

/// A token and where it was written. Several may share a place.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Placed {
    pub(crate) token: Token,
    pub(crate) span: Span,
}

impl Placed {
    fn new(token: Token, span: Span) -> Self {
        Self { token, span }
    }

    /// The bare word, if this is one.
    pub(crate) fn word(&self) -> Option<&Word> {
        match &self.token {
            Token::Word(word) if word.quote_style.is_none() => Some(word),
            _ => None,
        }
    }

    /// Whether this is the bare word `word`, in any case.
    pub(crate) fn is_word(&self, word: &str) -> bool {
        self.word().is_some_and(|written| written.value.eq_ignore_ascii_case(word))
    }
}

/// A statement ready for the parser.
#[derive(Debug, Default)]
pub(crate) struct Tokens {
    pub(crate) items: Vec<Placed>,
    /// Streams, each with the index of the first token of its table's name; rising.
    pub(crate) streams: Vec<(usize, StreamRead)>,
    /// Tokens after which something was left out, each with the offset where that ends; rising.
    pub(crate) tails: Vec<(usize, usize)>,
}

impl Tokens {
    /// The tokens as sqlparser wants them.
    pub(crate) fn to_parser_tokens(&self, text: &str) -> Vec<TokenWithSpan> {
        let mut starts = LocationCounter::new(text);
        let mut ends = LocationCounter::new(text);
        let place = |item: &Placed| TokenWithSpan {
            token: item.token.clone(),
            span: ParserSpan::new(starts.at(item.span.start), ends.at(item.span.end)),
        };
        self.items.iter().map(place).collect()
    }
}

/// Makes the tokens of one statement.
///
/// # Errors
/// The first lexeme that cannot be read, or a rewrite that meets something malformed.
pub(crate) fn tokens_of(
    text: &str,
    lexemes: &[Lexeme],
    parameters: ParameterText<'_>,
) -> Result<Tokens, Box<Diagnostic>> {
    let input = plain_tokens(text, lexemes)?;
    let pivots = input.iter().any(|item| item.is_word("PIVOT") || item.is_word("UNPIVOT"));
    let mut rewriter = Rewriter {
        text,
        input,
        pivots,
        values_ends: Vec::new(),
        at: 0,
        out: Tokens { items: Vec::with_capacity(lexemes.len()), ..Tokens::default() },
        openers: Vec::new(),
        parameters,
    };
    while rewriter.at < rewriter.input.len() {
        rewriter.close_values();
        rewriter.step()?;
    }
    rewriter.close_values();
    Ok(rewriter.out)
}

/// A word that is a keyword to the parser only if Spark has it.
pub(crate) fn word_token(value: &str) -> Token {
    let keyword = match value.to_ascii_uppercase().as_str() {
        // Other names of types; as a column's name the word stays what it is.
        "TIMESTAMP_LTZ" => Keyword::TIMESTAMP,
        "BYTE" => Keyword::TINYINT,
        "SHORT" => Keyword::SMALLINT,
        _ => keyword_of(value),
    };
    let keyword = if is_query_keyword(keyword) { keyword } else { Keyword::NoKeyword };
    Token::Word(Word { value: value.to_owned(), quote_style: None, keyword })
}

/// A name that is no keyword, whatever it says.
fn name_token(value: &str) -> Token {
    Token::Word(Word { value: value.to_owned(), quote_style: Some('`'), keyword: Keyword::NoKeyword })
}

/// Tokens one to one, but for strings side by side, which are one string, and for `>>` and `>>>`.
fn plain_tokens(text: &str, lexemes: &[Lexeme]) -> Result<Vec<Placed>, Box<Diagnostic>> {
    let mut items: Vec<Placed> = Vec::with_capacity(lexemes.len());
    let mut types = TypeBrackets::default();
    for (index, lexeme) in lexemes.iter().enumerate() {
        let written = text.get(lexeme.span.start..lexeme.span.end).unwrap_or_default();
        let token = match &lexeme.kind {
            LexemeKind::Invalid(diagnostic) => return Err(diagnostic.clone()),
            LexemeKind::Word => word_token(written),
            LexemeKind::QuotedWord(name) => name_token(name),
            LexemeKind::Number => number_token(written),
            LexemeKind::Hex(digits) => Token::HexStringLiteral(digits.clone()),
            LexemeKind::Text(value) => {
                if let Some(Placed { token: Token::SingleQuotedString(before), span }) = items.last_mut() {
                    before.push_str(value);
                    span.end = lexeme.span.end;
                    continue;
                }
                Token::SingleQuotedString(value.clone())
            }
            LexemeKind::Symbol(token) => {
                match token {
                    Token::Lt => types.open(text, lexemes, index),
                    Token::Gt if types.close() => {}
                    Token::Gt if merge_shift(&mut items, lexeme.span) => continue,
                    _ => {}
                }
                token.clone()
            }
        };
        items.push(Placed::new(token, lexeme.span));
    }
    Ok(items)
}

/// Makes `>` `>` into `>>`, and `>>` `>` into `>>>`, where they touch.
fn merge_shift(items: &mut [Placed], span: Span) -> bool {
    let Some(last) = items.last_mut() else { return false };
    if last.span.end != span.start {
        return false;
    }
    last.token = match &last.token {
        Token::Gt => Token::ShiftRight,
        Token::ShiftRight => Token::CustomBinaryOperator(">>>".to_owned()),
        _ => return false,
    };
    last.span.end = span.end;
    true
}

/// `5L` is what sqlparser calls a long; other suffixes stay with the digits, in upper case.
fn number_token(written: &str) -> Token {
    match written.strip_suffix(['L', 'l']) {
        Some(digits) => Token::Number(digits.to_owned(), true),
        None => Token::Number(written.to_ascii_uppercase(), false),
    }
}

/// An open parenthesis.
struct Opener {
    /// The word before it, upper case; empty if there is none.
    word: String,
    /// Commas at its level so far.
    n_commas: usize,
}

struct Rewriter<'a> {
    text: &'a str,
    input: Vec<Placed>,
    /// PIVOT or UNPIVOT stands somewhere.
    pivots: bool,
    /// Where the rows of open `(VALUES …` end.
    values_ends: Vec<usize>,
    at: usize,
    out: Tokens,
    openers: Vec<Opener>,
    parameters: ParameterText<'a>,
}

impl Rewriter<'_> {
    /// The token `n` after the current one.
    fn peek(&self, n: usize) -> Option<&Placed> {
        self.input.get(self.at + n)
    }

    fn peek_is(&self, n: usize, token: &Token) -> bool {
        self.peek(n).is_some_and(|item| item.token == *token)
    }

    fn peek_is_word(&self, n: usize, word: &str) -> bool {
        self.peek(n).is_some_and(|item| item.is_word(word))
    }

    /// The token written last.
    fn last(&self) -> Option<&Placed> {
        self.out.items.last()
    }

    fn last_is_word(&self, word: &str) -> bool {
        self.last().is_some_and(|item| item.is_word(word))
    }

    /// Whether an operand can end with the token written last, so that an operator may follow.
    fn last_ends_operand(&self) -> bool {
        self.last().is_some_and(|item| ends_operand(&item.token))
    }

    fn emit(&mut self, token: Token, span: Span) {
        self.out.items.push(Placed::new(token, span));
    }

    /// Writes the current token as it is.
    fn copy(&mut self) {
        if let Some(item) = self.input.get(self.at) {
            self.out.items.push(item.clone());
            self.at += 1;
        }
    }

    /// Writes the current word as a plain name.
    fn copy_as_name(&mut self) {
        if let Some(Placed { token: Token::Word(word), span }) = self.input.get(self.at) {
            let token = Token::Word(Word { keyword: Keyword::NoKeyword, ..word.clone() });
            self.out.items.push(Placed::new(token, *span));
            self.at += 1;
        }
    }

    /// Writes `word` in place of the current token.
    fn replace(&mut self, token: Token) {
        if let Some(span) = self.peek(0).map(|item| item.span) {
            self.emit(token, span);
            self.at += 1;
        }
    }

    fn first_is(&self, word: &str) -> bool {
        self.input.first().is_some_and(|item| item.is_word(word))
    }

    fn step(&mut self) -> Result<(), Box<Diagnostic>> {
        let Some(current) = self.peek(0) else { return Ok(()) };
        match &current.token {
            Token::Word(word) if word.quote_style.is_none() => {
                let upper = word.value.to_ascii_uppercase();
                let keyword = word.keyword;
                self.word(&upper, keyword)?;
            }
            Token::LParen => self.open(),
            Token::RParen => {
                self.openers.pop();
                self.copy();
            }
            Token::Comma => {
                if let Some(opener) = self.openers.last_mut() {
                    opener.n_commas += 1;
                }
                self.copy();
            }
            Token::Mul => self.star(),
            Token::AtSign => self.version_suffix(),
            Token::SingleQuotedString(_) => {
                self.check_string()?;
                self.copy();
            }
            _ => self.copy(),
        }
        Ok(())
    }

    /// Writes an opening parenthesis.
    fn open(&mut self) {
        let word = self.last().and_then(Placed::word).map(|word| word.value.to_ascii_uppercase());
        self.openers.push(Opener { word: word.unwrap_or_default(), n_commas: 0 });
        self.copy();
    }

    fn word(&mut self, upper: &str, keyword: Keyword) -> Result<(), Box<Diagnostic>> {
        if self.last().is_some_and(|last| last.token == Token::Period) {
            // A field, whatever its name.
            self.copy_as_name();
            return Ok(());
        }
        let calls = self.peek_is(1, &Token::LParen);
        match upper {
            "STREAM" => return self.stream(),
            "IDENTIFIER" if calls => return self.identifier(),
            "INTERVAL" => return self.interval(),
            "EXISTS" => self.exists(),
            "TRIM" => self.trim(),
            "IN" | "FROM" | "FOR" | "PLACING" if self.separates_arguments(upper) => self.replace(Token::Comma),
            "FOR" => self.for_version(),
            "SYSTEM_VERSION" | "SYSTEM_TIME" | "VERSION" => self.version_word(upper),
            "TABLE" => self.table_query(),
            "VALUES" if calls && self.pivots && self.last_is_word("FROM") => self.values_in_parentheses(),
            "WITH" if calls && self.last_ends_operand() => return Err(self.options_without_stream()),
            "MINUS" | "SETMINUS" if self.starts_set_operand(1) && self.last_ends_operand() => {
                self.replace(word_token("EXCEPT"));
            }
            "ORDER" | "SORT" | "DISTRIBUTE" | "LIMIT" | "OFFSET" | "UNION" | "INTERSECT" | "EXCEPT" | "QUALIFY"
            | "WINDOW"
                if self.ends_bare_lateral_view() =>
            {
                let span = self.peek(0).map(|item| item.span).unwrap_or_default();
                self.emit(word_token("WHERE"), span);
                self.emit(word_token("TRUE"), span);
                self.copy();
            }
            "CURRENT_USER" | "SESSION_USER" if !calls && !self.last_is_word("AS") => {
                let span = self.peek(0).map(|item| item.span).unwrap_or_default();
                self.copy_as_name();
                self.emit(Token::LParen, span);
                self.emit(Token::RParen, span);
            }
            _ if !self.keeps_keyword(keyword, calls) => self.copy_as_name(),
            _ => self.copy(),
        }
        Ok(())
    }

    /// Whether a word stands where its keyword means something. Elsewhere it is a name like any other.
    fn keeps_keyword(&self, keyword: Keyword, calls: bool) -> bool {
        match keyword {
            Keyword::FILTER | Keyword::WITHIN => self.last().is_some_and(|last| last.token == Token::RParen),
            Keyword::OVER => self.last().is_some_and(|last| last.token == Token::RParen) || self.last_is_word("NULLS"),
            Keyword::ARRAY | Keyword::MAP => self.peek_is(1, &Token::Lt),
            Keyword::STRUCT => self.peek_is(1, &Token::Lt) || calls && !self.peek_is(2, &Token::RParen),
            Keyword::CAST | Keyword::TRY_CAST | Keyword::EXTRACT => calls,
            Keyword::LEFT | Keyword::RIGHT => !calls,
            Keyword::WINDOW => !calls && !self.peek_is(1, &Token::Period),
            Keyword::DIV => {
                let no_operand =
                    [Token::Comma, Token::RParen, Token::Period].iter().any(|token| self.peek_is(1, token));
                self.last_ends_operand() && !no_operand && self.peek(1).is_some()
            }
            Keyword::GROUPING => self.peek_is_word(1, "SETS"),
            _ => true,
        }
    }

    /// Strings are no names: `FROM 't'` and `AS "total"` are mistakes that other dialects teach.
    fn check_string(&self) -> Result<(), Box<Diagnostic>> {
        let Some(Placed { token: Token::SingleQuotedString(value), span }) = self.peek(0) else { return Ok(()) };
        let names_table = (self.last_is_word("FROM") || self.last_is_word("JOIN"))
            && !self.openers.last().is_some_and(|opener| matches!(opener.word.as_str(), "TRIM" | "EXTRACT"))
            && !self.out.items.iter().rev().nth(1).is_some_and(|before| before.is_word("DISTINCT"));
        let message = if names_table {
            "a table's name stands without quotes"
        } else if self.last_is_word("AS") || self.first_is("SELECT") && self.last_is_name() {
            "an alias stands without quotes"
        } else {
            return Ok(());
        };
        let written = self.text.get(span.start..span.end).unwrap_or_default();
        let name = quote_identifier(value);
        Err(Box::new(
            Diagnostic::new(
                ErrorClass::PARSE_SYNTAX_ERROR,
                format!("Syntax error at or near {written}: this is a string, and {message} or in back-ticks."),
            )
            .at(*span)
            .suggest(Suggestion { label: format!("Write {name}"), span: Some(*span), replacement: name }),
        ))
    }

    /// Whether the token written last is a name or closes something, so that only an alias can follow.
    fn last_is_name(&self) -> bool {
        self.last().is_some_and(|last| match &last.token {
            Token::Word(word) => word.keyword == Keyword::NoKeyword,
            Token::RParen | Token::RBracket => true,
            _ => false,
        })
    }

    fn options_without_stream(&self) -> Box<Diagnostic> {
        let span = self.peek(0).map(|item| item.span).unwrap_or_default();
        Box::new(
            Diagnostic::new(
                ErrorClass::PARSE_SYNTAX_ERROR,
                "Syntax error at or near 'WITH': options belong to a stream.",
            )
            .at(span)
            .hint("Write FROM STREAM t WITH (readChangeFeed = true)."),
        )
    }
}

/// Whether an operand can end with `token`.
pub(crate) fn ends_operand(token: &Token) -> bool {
    match token {
        Token::Word(word) => !is_never_operand(word.keyword),
        Token::Number(..)
        | Token::SingleQuotedString(_)
        | Token::HexStringLiteral(_)
        | Token::Placeholder(_)
        | Token::RParen
        | Token::RBracket => true,
        _ => false,
    }
}

/// Keywords that join, open or separate, and so are never the end of an operand.
pub(crate) fn is_never_operand(keyword: Keyword) -> bool {
    matches!(
        keyword,
        Keyword::SELECT
            | Keyword::FROM
            | Keyword::WHERE
            | Keyword::GROUP
            | Keyword::BY
            | Keyword::HAVING
            | Keyword::ORDER
            | Keyword::ON
            | Keyword::USING
            | Keyword::JOIN
            | Keyword::UNION
            | Keyword::EXCEPT
            | Keyword::INTERSECT
            | Keyword::LIMIT
            | Keyword::OFFSET
            | Keyword::QUALIFY
            | Keyword::VALUES
            | Keyword::DISTINCT
            | Keyword::ALL
            | Keyword::AS
            | Keyword::AND
            | Keyword::OR
            | Keyword::NOT
            | Keyword::IN
            | Keyword::IS
            | Keyword::LIKE
            | Keyword::ILIKE
            | Keyword::RLIKE
            | Keyword::REGEXP
            | Keyword::BETWEEN
            | Keyword::ESCAPE
            | Keyword::CASE
            | Keyword::WHEN
            | Keyword::THEN
            | Keyword::ELSE
            | Keyword::SET
            | Keyword::INTERVAL
    )
}

#[cfg(test)]
mod tests;
