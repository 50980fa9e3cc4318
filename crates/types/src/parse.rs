//! Type names in SQL to Arrow types.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_schema::{DataType, Field, FieldRef, TimeUnit};
use lakelet_base::{Diagnostic, ErrorClass, Result, same_name};

use crate::canonical::map_of;
use crate::interval::{INTERVAL_UNITS_KEY, IntervalUnits};
use crate::{timestamp_ntz_type, timestamp_type};

/// Key in a field's metadata that keeps the declared length of a CHAR or VARCHAR column: `char(5)`, `varchar(10)`.
pub const CHAR_LENGTH_KEY: &str = "lakelet.char";

const NESTING_DEPTH_MAX: usize = 60;
const DECIMAL_PRECISION_MAX: u8 = 38;

/// The Arrow type of a type name: a simple string or SQL, nested, in any case, with Spark's synonyms (`INTEGER`, `LONG`,
/// `NUMERIC`, `STRUCT<a: INT NOT NULL COMMENT 'x', b STRING>`, …). Interval units and CHAR lengths at the top are
/// dropped; [`parse_field`] keeps them.
///
/// # Errors
/// `UNSUPPORTED_DATATYPE` for an unknown name, `DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION`, `PARSE_SYNTAX_ERROR` for what
/// is no type at all, `LAKELET_LIMIT_EXCEEDED` past 60 levels.
pub fn parse_type(text: &str) -> Result<DataType> {
    Ok(parse_field("", text, true)?.data_type().clone())
}

/// The same as a field that keeps interval units and CHAR lengths in its metadata.
///
/// # Errors
/// As for [`parse_type`].
pub fn parse_field(name: &str, text: &str, nullable: bool) -> Result<Field> {
    let mut parser = Parser { tokens: tokens(text)?, position: 0, text };
    let field = parser.field(name, nullable, 0)?;
    if parser.position < parser.tokens.len() {
        return Err(parser.syntax_error());
    }
    Ok(field)
}

#[derive(Debug, Clone, PartialEq)]
enum Token {
    /// A bare word or number.
    Word(String),
    /// A name in back-ticks.
    Quoted(String),
    /// A text in quotes.
    Text,
    Symbol(char),
}

fn tokens(text: &str) -> Result<Vec<Token>> {
    let syntax_error = || syntax_error(text);
    let mut tokens = Vec::new();
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            _ if character.is_whitespace() => {}
            '<' | '>' | '(' | ')' | ',' | ':' => tokens.push(Token::Symbol(character)),
            '`' => {
                let mut name = String::new();
                loop {
                    match characters.next() {
                        Some('`') if characters.peek() == Some(&'`') => {
                            characters.next();
                            name.push('`');
                        }
                        Some('`') => break,
                        Some(other) => name.push(other),
                        None => return Err(syntax_error()),
                    }
                }
                tokens.push(Token::Quoted(name));
            }
            '\'' | '"' => {
                loop {
                    match characters.next() {
                        Some('\\') => drop(characters.next()),
                        Some(other) if other == character => break,
                        Some(_) => {}
                        None => return Err(syntax_error()),
                    }
                }
                tokens.push(Token::Text);
            }
            _ if character.is_alphanumeric() || character == '_' || character == '-' => {
                let mut word = String::from(character);
                while let Some(next) = characters.next_if(|next| next.is_alphanumeric() || matches!(next, '_' | '-')) {
                    word.push(next);
                }
                tokens.push(Token::Word(word));
            }
            _ => return Err(syntax_error()),
        }
    }
    Ok(tokens)
}

struct Parser<'a> {
    tokens: Vec<Token>,
    position: usize,
    text: &'a str,
}

impl Parser<'_> {
    fn syntax_error(&self) -> Box<Diagnostic> {
        syntax_error(self.text)
    }

    fn next(&mut self) -> Option<Token> {
        let token = self.tokens.get(self.position).cloned();
        self.position += 1;
        token
    }

    fn take(&mut self, symbol: char) -> bool {
        let found = self.tokens.get(self.position) == Some(&Token::Symbol(symbol));
        self.position += usize::from(found);
        found
    }

    fn expect(&mut self, symbol: char) -> Result<()> {
        if self.take(symbol) { Ok(()) } else { Err(self.syntax_error()) }
    }

    fn take_word(&mut self, word: &str) -> bool {
        let found = matches!(self.tokens.get(self.position), Some(Token::Word(w)) if w.eq_ignore_ascii_case(word));
        self.position += usize::from(found);
        found
    }

    /// One type at the current place.
    fn field(&mut self, name: &str, nullable: bool, depth: usize) -> Result<Field> {
        if depth > NESTING_DEPTH_MAX {
            let message = format!("A type may be nested {NESTING_DEPTH_MAX} levels deep (nesting_depth_max).");
            return Err(Box::new(Diagnostic::new(ErrorClass::LIMIT_EXCEEDED, message)));
        }
        let Some(Token::Word(word)) = self.next() else { return Err(self.syntax_error()) };
        let plain = |data_type| Ok(Field::new(name, data_type, nullable));
        match word.to_ascii_uppercase().as_str() {
            "BOOLEAN" | "BOOL" => plain(DataType::Boolean),
            "TINYINT" | "BYTE" => plain(DataType::Int8),
            "SMALLINT" | "SHORT" => plain(DataType::Int16),
            "INT" | "INTEGER" => plain(DataType::Int32),
            "BIGINT" | "LONG" => plain(DataType::Int64),
            "FLOAT" | "REAL" => plain(DataType::Float32),
            "DOUBLE" => plain(DataType::Float64),
            "DECIMAL" | "DEC" | "NUMERIC" => plain(self.decimal()?),
            "STRING" => {
                if self.take_word("COLLATE") {
                    return Err(Box::new(Diagnostic::unsupported("collations of strings")));
                }
                plain(DataType::Utf8)
            }
            "CHAR" | "CHARACTER" | "VARCHAR" => self.characters(name, &word, nullable),
            "BINARY" => plain(DataType::Binary),
            "DATE" => plain(DataType::Date32),
            "TIMESTAMP" | "TIMESTAMP_LTZ" => plain(timestamp_type()),
            "TIMESTAMP_NTZ" => plain(timestamp_ntz_type()),
            "TIME" => {
                if self.take('(') {
                    self.number::<u8>()?;
                    self.expect(')')?;
                }
                plain(DataType::Time64(TimeUnit::Microsecond))
            }
            "VOID" | "NULL" => plain(DataType::Null),
            "INTERVAL" => self.interval(name, nullable),
            "ARRAY" => {
                self.expect('<')?;
                let item = self.field("item", true, depth + 1)?;
                self.expect('>')?;
                plain(DataType::List(Arc::new(item)))
            }
            "MAP" => {
                self.expect('<')?;
                let key = self.field("key", false, depth + 1)?;
                self.expect(',')?;
                let value = self.field("value", true, depth + 1)?;
                self.expect('>')?;
                plain(map_of(Arc::new(key), Arc::new(value)))
            }
            "STRUCT" => plain(self.structure(depth)?),
            _ => Err(unsupported(&word)),
        }
    }

    fn decimal(&mut self) -> Result<DataType> {
        let (mut precision, mut scale) = (10, 0);
        if self.take('(') {
            precision = self.number::<u8>()?;
            if self.take(',') {
                scale = self.number::<i8>()?;
            }
            self.expect(')')?;
        }
        if precision > DECIMAL_PRECISION_MAX {
            return Err(Box::new(Diagnostic::new(
                ErrorClass::new("DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION", "22003"),
                format!("Decimal precision {precision} exceeds max precision {DECIMAL_PRECISION_MAX}."),
            )));
        }
        if precision == 0 || scale < 0 || i16::from(scale) > i16::from(precision) {
            return Err(Box::new(Diagnostic::new(
                ErrorClass::PARSE_SYNTAX_ERROR,
                format!("Decimal scale ({scale}) cannot be greater than precision ({precision})."),
            )));
        }
        Ok(DataType::Decimal128(precision, scale))
    }

    fn characters(&mut self, name: &str, word: &str, nullable: bool) -> Result<Field> {
        let kind = if same_name(word, "VARCHAR") { "varchar" } else { "char" };
        if !self.take('(') {
            return Err(Box::new(
                Diagnostic::new(
                    ErrorClass::new("DATATYPE_MISSING_SIZE", "42K01"),
                    format!("DataType \"{}\" requires a length parameter.", kind.to_uppercase()),
                )
                .hint(format!("Write {}(10), or STRING for text of any length.", kind.to_uppercase())),
            ));
        }
        let length = self.number::<u32>()?;
        self.expect(')')?;
        let metadata = HashMap::from([(CHAR_LENGTH_KEY.to_owned(), format!("{kind}({length})"))]);
        Ok(Field::new(name, DataType::Utf8, nullable).with_metadata(metadata))
    }

    fn interval(&mut self, name: &str, nullable: bool) -> Result<Field> {
        let Some(Token::Word(start)) = self.next() else {
            return Err(Box::new(Diagnostic::unsupported("INTERVAL without units; write INTERVAL DAY TO SECOND")));
        };
        let mut words = start;
        if self.take_word("TO") {
            let Some(Token::Word(end)) = self.next() else { return Err(self.syntax_error()) };
            words = format!("{words} to {end}");
        }
        let units = IntervalUnits::parse(&words).ok_or_else(|| self.syntax_error())?;
        let (data_type, default_units) = if units.is_year_month() {
            (DataType::Interval(arrow_schema::IntervalUnit::YearMonth), IntervalUnits::YEAR_TO_MONTH)
        } else {
            (DataType::Duration(TimeUnit::Microsecond), IntervalUnits::DAY_TO_SECOND)
        };
        let field = Field::new(name, data_type, nullable);
        if units == default_units {
            return Ok(field);
        }
        Ok(field.with_metadata(HashMap::from([(INTERVAL_UNITS_KEY.to_owned(), units.name())])))
    }

    fn structure(&mut self, depth: usize) -> Result<DataType> {
        self.expect('<')?;
        let mut fields: Vec<FieldRef> = Vec::new();
        if self.take('>') {
            return Ok(DataType::Struct(fields.into()));
        }
        loop {
            let name = match self.next() {
                Some(Token::Word(name) | Token::Quoted(name)) => name,
                _ => return Err(self.syntax_error()),
            };
            self.take(':');
            let mut field = self.field(&name, true, depth + 1)?;
            if self.take_word("NOT") {
                if !self.take_word("NULL") {
                    return Err(self.syntax_error());
                }
                field = field.with_nullable(false);
            }
            if self.take_word("COMMENT") {
                if self.next() != Some(Token::Text) {
                    return Err(self.syntax_error());
                }
                // Neighboring literals are one text.
                while self.tokens.get(self.position) == Some(&Token::Text) {
                    self.position += 1;
                }
            }
            fields.push(Arc::new(field));
            if self.take('>') {
                return Ok(DataType::Struct(fields.into()));
            }
            self.expect(',')?;
        }
    }

    fn number<T: std::str::FromStr>(&mut self) -> Result<T> {
        match self.next() {
            Some(Token::Word(word)) => word.parse().map_err(|_| self.syntax_error()),
            _ => Err(self.syntax_error()),
        }
    }
}

fn syntax_error(text: &str) -> Box<Diagnostic> {
    Box::new(Diagnostic::new(ErrorClass::PARSE_SYNTAX_ERROR, format!("'{text}' is not a data type.")))
}

fn unsupported(word: &str) -> Box<Diagnostic> {
    const NAMES: [&str; 16] = [
        "STRING",
        "INT",
        "BIGINT",
        "DOUBLE",
        "FLOAT",
        "BOOLEAN",
        "DATE",
        "TIMESTAMP",
        "DECIMAL",
        "BINARY",
        "SMALLINT",
        "TINYINT",
        "ARRAY",
        "MAP",
        "STRUCT",
        "TIMESTAMP_NTZ",
    ];
    let class = ErrorClass::new("UNSUPPORTED_DATATYPE", "0A000");
    let diagnostic = Diagnostic::new(class, format!("Unsupported data type \"{}\".", word.to_uppercase()));
    let likely = match word.to_ascii_uppercase().as_str() {
        "TEXT" => Some("STRING"),
        "DATETIME" => Some("TIMESTAMP"),
        _ => lakelet_base::nearest_name(word, NAMES),
    };
    Box::new(match likely {
        Some(name) => diagnostic.hint(format!("Did you mean {name}?")),
        None => diagnostic,
    })
}
