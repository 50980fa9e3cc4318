//! Characters to lexemes, by Spark's rules: back-ticks quote names, both kinds of quotes make strings, backslashes
//! escape, comments nest. The lexer never fails: what it cannot read becomes a lexeme that carries its diagnostic.

mod number;
mod string;
#[cfg(test)]
mod tests;

use lakelet_base::{Diagnostic, ErrorClass, Span, Suggestion};
use sqlparser::keywords::{ALL_KEYWORDS, ALL_KEYWORDS_INDEX, Keyword};
use sqlparser::tokenizer::Token;

/// What a lexeme is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum LexemeKind {
    /// A bare word: keyword or name.
    Word,
    /// A name in back-ticks, without them.
    QuotedWord(String),
    /// A number as written, suffix and all.
    Number,
    /// A string's value.
    Text(String),
    /// The digits of `X'…'`, upper case and even in number.
    Hex(String),
    /// `:`, `?`, brackets, operators. `>` always stands alone; whoever needs `>>` looks at neighbors.
    Symbol(Token),
    /// Something that cannot be read, and why.
    Invalid(Box<Diagnostic>),
}

/// A lexeme and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Lexeme {
    pub(crate) kind: LexemeKind,
    pub(crate) span: Span,
}

impl Lexeme {
    /// Whether this is the bare word `word` (given in upper case).
    pub(crate) fn is_word(&self, text: &str, word: &str) -> bool {
        matches!(self.kind, LexemeKind::Word)
            && text.get(self.span.start..self.span.end).is_some_and(|written| written.eq_ignore_ascii_case(word))
    }

    /// Whether this is the symbol `token`.
    pub(crate) fn is_symbol(&self, token: &Token) -> bool {
        matches!(&self.kind, LexemeKind::Symbol(symbol) if symbol == token)
    }
}

/// All lexemes of a text, and whether a string, name or comment in it is left open.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Lexed {
    pub(crate) lexemes: Vec<Lexeme>,
    /// Why the text has no proper end.
    pub(crate) unterminated: Option<Box<Diagnostic>>,
}

/// Reads `text` whole.
pub(crate) fn lex(text: &str) -> Lexed {
    let mut lexer = Lexer { text, at: 0, lexemes: Vec::new(), unterminated: None };
    while lexer.next() {}
    Lexed { lexemes: lexer.lexemes, unterminated: lexer.unterminated }
}

/// The keyword a bare word is to sqlparser, in any case.
pub(crate) fn keyword_of(word: &str) -> Keyword {
    let upper = word.to_ascii_uppercase();
    ALL_KEYWORDS
        .binary_search(&upper.as_str())
        .ok()
        .and_then(|index| ALL_KEYWORDS_INDEX.get(index))
        .copied()
        .unwrap_or(Keyword::NoKeyword)
}

/// Whether `c` may be part of a bare word.
pub(crate) fn is_word_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Blanks, among them those that text processors put in: no-break spaces, zero-width spaces, byte order marks.
fn is_blank(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{200B}' | '\u{2060}' | '\u{FEFF}')
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    lexemes: Vec<Lexeme>,
    unterminated: Option<Box<Diagnostic>>,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// What comes next, up to `n` bytes: as far as a guess at the end of something looks.
    fn ahead(&self, n: usize) -> &'a str {
        let rest = self.rest();
        let mut end = n.min(rest.len());
        while !rest.is_char_boundary(end) {
            end -= 1;
        }
        rest.get(..end).unwrap_or_default()
    }

    fn push(&mut self, kind: LexemeKind, length: usize) {
        let span = Span::new(self.at, self.at + length);
        self.at = span.end;
        self.lexemes.push(Lexeme { kind, span });
    }

    fn push_invalid(&mut self, diagnostic: Diagnostic, length: usize) {
        let span = Span::new(self.at, self.at + length);
        self.push(LexemeKind::Invalid(Box::new(diagnostic.or_at(Some(span)))), length);
    }

    /// The text ends inside of `what`, which starts here.
    fn push_unterminated(&mut self, what: &str, opener_length: usize, hint: &str) {
        let diagnostic = Box::new(
            Diagnostic::new(ErrorClass::PARSE_SYNTAX_ERROR, format!("This {what} is never closed."))
                .at(Span::new(self.at, self.at + opener_length))
                .hint(hint.to_owned()),
        );
        self.unterminated = Some(diagnostic.clone());
        let length = self.rest().len();
        self.push(LexemeKind::Invalid(diagnostic), length);
    }

    /// Reads one lexeme or one stretch of blanks; `false` at the end.
    fn next(&mut self) -> bool {
        let rest = self.rest();
        let Some(first) = rest.chars().next() else { return false };
        let second = rest.chars().nth(1);
        match (first, second) {
            (c, _) if is_blank(c) => {
                self.at += rest.find(|c| !is_blank(c)).unwrap_or(rest.len());
            }
            ('-', Some('-')) => self.at += rest.find('\n').unwrap_or(rest.len()),
            ('/', Some('*')) => self.block_comment(),
            ('\'' | '"', _) => self.string(0),
            ('r' | 'R', Some('\'' | '"')) => self.raw_string(),
            ('x' | 'X', Some('\'' | '"')) => self.hex_string(),
            ('`', _) => self.quoted_word(),
            ('.', Some('0'..='9')) if !self.follows_operand_directly() => self.number_or_word(),
            ('0'..='9', _) => self.number_or_word(),
            (c, _) if is_word_part(c) => {
                let length = rest.find(|c| !is_word_part(c)).unwrap_or(rest.len());
                self.push(LexemeKind::Word, length);
            }
            ('‘' | '’' | '“' | '”' | '„' | '«' | '»', _) => self.smart_quote(first),
            ('<', _) if self.placeholder_length() > 0 => self.placeholder(),
            ('{', Some('{')) => self.legacy_parameter(),
            _ => self.symbol(first),
        }
        true
    }

    fn block_comment(&mut self) {
        let bytes = self.rest().as_bytes();
        let mut depth = 0usize;
        let mut index = 0;
        while let Some(pair) = bytes.get(index..index + 2) {
            match pair {
                b"/*" => {
                    depth += 1;
                    index += 2;
                }
                b"*/" => {
                    depth -= 1;
                    index += 2;
                    if depth == 0 {
                        self.at += index;
                        return;
                    }
                }
                _ => index += 1,
            }
        }
        self.push_unterminated("comment", 2, "Close it with */. Comments nest: every /* needs its own */.");
    }

    /// A string whose quote stands `prefix` bytes after the current place.
    fn string(&mut self, prefix: usize) {
        match string::read(self.rest().get(prefix..).unwrap_or_default()) {
            Some((value, length)) => self.push(LexemeKind::Text(value), prefix + length),
            None => self.push_unterminated("string", prefix + 1, "Close it with the quote it starts with."),
        }
    }

    fn raw_string(&mut self) {
        match string::read_raw(self.rest().get(1..).unwrap_or_default()) {
            Some((value, length)) => self.push(LexemeKind::Text(value), 1 + length),
            None => self.push_unterminated("string", 2, "Close it with the quote it starts with."),
        }
    }

    fn hex_string(&mut self) {
        match string::read_raw(self.rest().get(1..).unwrap_or_default()) {
            Some((digits, length)) if digits.chars().all(|c| c.is_ascii_hexdigit()) => {
                let pad = if digits.len() % 2 == 1 { "0" } else { "" };
                self.push(LexemeKind::Hex(format!("{pad}{}", digits.to_ascii_uppercase())), 1 + length);
            }
            Some((digits, length)) => self.push_invalid(
                Diagnostic::new(
                    ErrorClass::new("INVALID_TYPED_LITERAL", "42604"),
                    format!("The value of the typed literal \"X\" is invalid: '{digits}'."),
                )
                .hint("X'…' holds the digits 0 to 9 and A to F only."),
                1 + length,
            ),
            None => self.push_unterminated("string", 2, "Close it with the quote it starts with."),
        }
    }

    fn quoted_word(&mut self) {
        match string::read_back_ticks(self.rest()) {
            Some((value, length)) if value.is_empty() => self.push_invalid(
                Diagnostic::new(ErrorClass::PARSE_SYNTAX_ERROR, "A name in back-ticks cannot be empty."),
                length,
            ),
            Some((value, length)) => self.push(LexemeKind::QuotedWord(value), length),
            None => self.push_unterminated("name", 1, "Close it with a back-tick (`)."),
        }
    }

    /// Whether a `.` here belongs to the lexeme before it (`t.1`, `f(x).1`) and so starts no number.
    fn follows_operand_directly(&self) -> bool {
        self.lexemes.last().is_some_and(|last| last.span.end == self.at && is_operand_end(last))
    }

    fn number_or_word(&mut self) {
        let (length, is_number) = number::measure(self.rest());
        self.push(if is_number { LexemeKind::Number } else { LexemeKind::Word }, length);
    }

    fn smart_quote(&mut self, opener: char) {
        let rest = self.ahead(500);
        let closers = match opener {
            '‘' | '’' => ['‘', '’'],
            '“' | '”' | '„' => ['“', '”'],
            _ => ['«', '»'],
        };
        let opener_length = opener.len_utf8();
        let line_end = rest.find('\n').unwrap_or(rest.len());
        let inside = rest.get(opener_length..line_end).unwrap_or_default();
        let (length, replacement) = match inside.find(closers) {
            Some(end) => {
                let closer = inside.get(end..).and_then(|tail| tail.chars().next()).map_or(0, char::len_utf8);
                let value = inside.get(..end).unwrap_or_default().replace('\'', "\\'");
                (opener_length + end + closer, format!("'{value}'"))
            }
            None => (opener_length, "'".to_owned()),
        };
        let span = Span::new(self.at, self.at + length);
        self.push_invalid(
            Diagnostic::new(
                ErrorClass::PARSE_SYNTAX_ERROR,
                format!(
                    "{opener} is a typographic quote, which SQL does not know. Strings stand in straight quotes: '…'."
                ),
            )
            .hint("Text copied from a document often has such quotes in place of straight ones.")
            .suggest(Suggestion {
                label: format!("Write {replacement}"),
                span: Some(span),
                replacement: replacement.clone(),
            }),
            length,
        );
    }

    /// Length of an unfilled placeholder (`<your-catalog>`) that starts here, else 0. `<` is an operator wherever
    /// something stands before it that can be compared.
    fn placeholder_length(&self) -> usize {
        let rest = self.rest();
        let inside = rest.get(1..).unwrap_or_default();
        let Some(end) = inside.find(|c: char| !(is_word_part(c) || matches!(c, '-' | ' '))) else { return 0 };
        let name = inside.get(..end).unwrap_or_default();
        let plain = name.starts_with(char::is_alphabetic) && !name.ends_with(' ');
        if !plain || !inside.get(end..).unwrap_or_default().starts_with('>') {
            return 0;
        }
        let comparable = self.lexemes.last().is_some_and(|last| match last.kind {
            LexemeKind::Word => {
                let written = self.text.get(last.span.start..last.span.end).unwrap_or_default();
                match keyword_of(written) {
                    // Types write their parameters this way.
                    Keyword::ARRAY | Keyword::MAP | Keyword::STRUCT => true,
                    Keyword::END | Keyword::NULL | Keyword::TRUE | Keyword::FALSE => true,
                    Keyword::NoKeyword => self.lexemes.len() > 1,
                    _ => false,
                }
            }
            _ => is_operand_end(last),
        });
        if comparable { 0 } else { end + 2 }
    }

    fn placeholder(&mut self) {
        let length = self.placeholder_length();
        let written = self.rest().get(..length).unwrap_or_default();
        let example = written.trim_matches(['<', '>']).trim_start_matches("your-").replace(['-', ' '], "_");
        self.push_invalid(
            Diagnostic::new(
                ErrorClass::PLACEHOLDER_NOT_FILLED,
                format!("{written} is a placeholder. Put a name of your own in its place, without the angle brackets."),
            )
            .hint(format!("For instance: my_{example}. In this playground the catalog is called playground and its first schema default.")),
            length,
        );
    }

    fn legacy_parameter(&mut self) {
        let length = self.ahead(200).find("}}").map_or(2, |end| end + 2);
        self.push_invalid(
            Diagnostic::new(
                ErrorClass::PARSE_SYNTAX_ERROR,
                "{{…}} is filled in by a job before SQL runs; SQL itself does not know it.",
            )
            .hint("Write the parameter as :name here, and give it a value in the task."),
            length,
        );
    }

    fn symbol(&mut self, first: char) {
        let rest = self.rest();
        for (written, token) in SYMBOLS {
            if rest.starts_with(written) {
                return self.push(LexemeKind::Symbol(token.clone()), written.len());
            }
        }
        if first == '?' {
            return self.push(LexemeKind::Symbol(Token::Placeholder("?".to_owned())), 1);
        }
        self.push_invalid(
            Diagnostic::new(
                ErrorClass::PARSE_SYNTAX_ERROR,
                format!("Syntax error at or near '{first}': SQL has no such character outside of strings."),
            ),
            first.len_utf8(),
        );
    }
}

/// Whether an operand can end with this lexeme, so that an operator may follow.
fn is_operand_end(lexeme: &Lexeme) -> bool {
    match &lexeme.kind {
        LexemeKind::Word
        | LexemeKind::QuotedWord(_)
        | LexemeKind::Number
        | LexemeKind::Text(_)
        | LexemeKind::Hex(_) => true,
        LexemeKind::Symbol(token) => {
            matches!(token, Token::RParen | Token::RBracket | Token::Placeholder(_))
        }
        LexemeKind::Invalid(_) => false,
    }
}

/// Symbols, longer ones before those they start with.
static SYMBOLS: &[(&str, Token)] = &[
    ("<=>", Token::Spaceship),
    ("<=", Token::LtEq),
    ("<>", Token::Neq),
    ("<<", Token::ShiftLeft),
    ("<", Token::Lt),
    (">=", Token::GtEq),
    (">", Token::Gt),
    ("!=", Token::Neq),
    ("!<", Token::GtEq),
    ("!>", Token::LtEq),
    ("!", Token::ExclamationMark),
    ("==", Token::DoubleEq),
    ("=>", Token::RArrow),
    ("=", Token::Eq),
    ("||", Token::StringConcat),
    ("|>", Token::VerticalBarRightAngleBracket),
    ("|", Token::Pipe),
    ("->", Token::Arrow),
    ("-", Token::Minus),
    ("::", Token::DoubleColon),
    (":", Token::Colon),
    ("(", Token::LParen),
    (")", Token::RParen),
    ("[", Token::LBracket),
    ("]", Token::RBracket),
    ("{", Token::LBrace),
    ("}", Token::RBrace),
    (",", Token::Comma),
    (";", Token::SemiColon),
    (".", Token::Period),
    ("+", Token::Plus),
    ("*", Token::Mul),
    ("/", Token::Div),
    ("%", Token::Mod),
    ("&", Token::Ampersand),
    ("^", Token::Caret),
    ("~", Token::Tilde),
    ("@", Token::AtSign),
];
