//! Spark's SQL as a dialect of sqlparser: Databricks' with the operators, their precedence and the forms it lacks.

use std::any::TypeId;
use std::cell::Cell;

use sqlparser::ast::{BinaryOperator, Expr};
use sqlparser::dialect::{DatabricksDialect, Dialect, Precedence};
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::Token;

use crate::keywords::{has_own_form, is_reserved_column_alias, is_reserved_table_alias};

/// OR
const OR: u8 = 5;
/// AND
const AND: u8 = 10;
/// NOT
pub(crate) const NOT: u8 = 15;
/// IS, IN, BETWEEN, LIKE and kin: Spark lets them follow a whole comparison.
pub(crate) const PREDICATE: u8 = 17;
const COMPARISON: u8 = 20;
const BIT_OR: u8 = 21;
const BIT_XOR: u8 = 22;
const BIT_AND: u8 = 23;
const SHIFT: u8 = 25;
const ADDITIVE: u8 = 30;
/// `*`, `/`, `%` and DIV; signs bind as tight.
pub(crate) const MULTIPLICATIVE: u8 = 40;
const CAST: u8 = 50;
const PATH: u8 = 60;
const FIELD: u8 = 100;

/// Patterns of `LIKE ANY (…)`: each becomes an operator with a copy of what it is compared with.
pub(crate) const LIKE_PATTERNS_MAX: usize = 200;
/// The error for more.
pub(crate) const TOO_MANY_PATTERNS: &str = "LIKE has too many patterns";

/// How tight the operator `token` binds, 0 if it is none. `next` is the token after it.
pub(crate) fn precedence_of(token: &Token, next: Option<&Token>) -> u8 {
    match token {
        Token::Word(word) => match word.keyword {
            Keyword::OR => OR,
            Keyword::AND => AND,
            Keyword::NOT => match next {
                Some(Token::Word(word)) => match word.keyword {
                    Keyword::IN
                    | Keyword::BETWEEN
                    | Keyword::LIKE
                    | Keyword::ILIKE
                    | Keyword::RLIKE
                    | Keyword::REGEXP => PREDICATE,
                    _ => 0,
                },
                _ => 0,
            },
            Keyword::IS
            | Keyword::IN
            | Keyword::BETWEEN
            | Keyword::LIKE
            | Keyword::ILIKE
            | Keyword::RLIKE
            | Keyword::REGEXP => PREDICATE,
            Keyword::DIV => MULTIPLICATIVE,
            _ => 0,
        },
        Token::Eq
        | Token::DoubleEq
        | Token::Neq
        | Token::Lt
        | Token::LtEq
        | Token::Gt
        | Token::GtEq
        | Token::Spaceship => COMPARISON,
        Token::Pipe => BIT_OR,
        Token::Caret => BIT_XOR,
        Token::Ampersand => BIT_AND,
        Token::ShiftLeft | Token::ShiftRight | Token::CustomBinaryOperator(_) => SHIFT,
        Token::Plus | Token::Minus | Token::StringConcat => ADDITIVE,
        Token::Mul | Token::Div | Token::Mod => MULTIPLICATIVE,
        Token::DoubleColon => CAST,
        Token::Colon if matches!(next, Some(Token::Word(_) | Token::LBracket)) => PATH,
        Token::Period => FIELD,
        _ => 0,
    }
}

/// The dialect of one statement. It also keeps watch: how far the parser has looked, for the place of an error that
/// the parser's own backtracking hides, and how many steps it took, because backtracking can double at every level.
#[derive(Debug)]
pub(crate) struct SparkDialect {
    n_steps: Cell<usize>,
    n_steps_max: usize,
    furthest: Cell<usize>,
}

impl SparkDialect {
    /// A dialect for a statement of `n_tokens` tokens.
    pub(crate) fn new(n_tokens: usize) -> Self {
        Self { n_steps: Cell::new(0), n_steps_max: 10_000 + 50 * n_tokens, furthest: Cell::new(0) }
    }

    /// The index of the furthest token the parser has looked at while reading an expression.
    pub(crate) fn furthest(&self) -> usize {
        self.furthest.get()
    }

    /// Whether parsing was given up for the number of steps it took.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.n_steps.get() > self.n_steps_max
    }

    fn look(&self, parser: &Parser<'_>) {
        self.furthest.set(self.furthest.get().max(parser.index()));
    }
}

impl Dialect for SparkDialect {
    /// sqlparser asks for some forms of Databricks by type.
    fn dialect(&self) -> TypeId {
        TypeId::of::<DatabricksDialect>()
    }

    fn is_delimited_identifier_start(&self, ch: char) -> bool {
        ch == '`'
    }

    fn is_identifier_start(&self, ch: char) -> bool {
        ch.is_alphabetic() || ch == '_'
    }

    fn is_identifier_part(&self, ch: char) -> bool {
        ch.is_alphanumeric() || ch == '_'
    }

    fn parse_prefix(&self, parser: &mut Parser<'_>) -> Option<Result<Expr, ParserError>> {
        self.look(parser);
        self.n_steps.set(self.n_steps.get() + 1);
        // The one error that backtracking does not catch.
        self.is_exhausted().then_some(Err(ParserError::RecursionLimitExceeded))
    }

    fn parse_infix(&self, parser: &mut Parser<'_>, expr: &Expr, _precedence: u8) -> Option<Result<Expr, ParserError>> {
        match parser.peek_token_ref().token {
            Token::Word(ref word) => match word.keyword {
                Keyword::DIV => Some(integer_division(parser, expr)),
                Keyword::IS => distinct_from(parser, expr),
                Keyword::NOT | Keyword::LIKE | Keyword::ILIKE => quantified_like(parser, expr),
                _ => None,
            },
            _ => None,
        }
    }

    fn get_next_precedence(&self, parser: &Parser<'_>) -> Option<Result<u8, ParserError>> {
        self.look(parser);
        Some(Ok(precedence_of(&parser.peek_token_ref().token, Some(&parser.peek_nth_token_ref(1).token))))
    }

    fn prec_value(&self, precedence: Precedence) -> u8 {
        match precedence {
            Precedence::Period => FIELD,
            Precedence::DoubleColon => CAST,
            Precedence::AtTz | Precedence::MulDivModOp => MULTIPLICATIVE,
            Precedence::PlusMinus => ADDITIVE,
            Precedence::Xor | Precedence::Caret => BIT_XOR,
            Precedence::Ampersand => BIT_AND,
            Precedence::Pipe => BIT_OR,
            Precedence::Colon => PATH,
            Precedence::Eq => COMPARISON,
            Precedence::Between | Precedence::Like | Precedence::Is | Precedence::PgOther => PREDICATE,
            Precedence::UnaryNot => NOT,
            Precedence::And => AND,
            Precedence::Or => OR,
        }
    }

    fn is_reserved_for_identifier(&self, keyword: Keyword) -> bool {
        has_own_form(keyword)
    }

    fn is_column_alias(&self, keyword: &Keyword, _parser: &mut Parser<'_>) -> bool {
        !is_reserved_column_alias(*keyword)
    }

    fn is_table_alias(&self, keyword: &Keyword, _parser: &mut Parser<'_>) -> bool {
        !is_reserved_table_alias(*keyword)
    }

    fn supports_filter_during_aggregation(&self) -> bool {
        true
    }

    fn supports_group_by_expr(&self) -> bool {
        true
    }

    fn supports_group_by_with_modifier(&self) -> bool {
        true
    }

    fn supports_order_by_all(&self) -> bool {
        true
    }

    fn supports_table_versioning(&self) -> bool {
        true
    }

    fn supports_lambda_functions(&self) -> bool {
        true
    }

    fn supports_select_wildcard_except(&self) -> bool {
        true
    }

    fn supports_select_expr_star(&self) -> bool {
        true
    }

    fn supports_from_first_select(&self) -> bool {
        true
    }

    fn supports_pipe_operator(&self) -> bool {
        true
    }

    fn supports_struct_literal(&self) -> bool {
        true
    }

    fn supports_nested_comments(&self) -> bool {
        true
    }

    fn supports_values_as_table_factor(&self) -> bool {
        true
    }

    fn supports_parens_around_table_factor(&self) -> bool {
        true
    }

    fn supports_bang_not_operator(&self) -> bool {
        true
    }

    fn supports_bitwise_shift_operators(&self) -> bool {
        true
    }

    fn supports_cte_without_as(&self) -> bool {
        true
    }

    fn supports_select_item_multi_column_alias(&self) -> bool {
        true
    }

    fn supports_long_type_as_bigint(&self) -> bool {
        true
    }

    fn supports_map_literal_with_angle_brackets(&self) -> bool {
        true
    }

    fn supports_interval_options(&self) -> bool {
        true
    }

    fn allow_extract_custom(&self) -> bool {
        true
    }

    fn allow_extract_single_quotes(&self) -> bool {
        true
    }

    fn supports_table_sample_before_alias(&self) -> bool {
        true
    }

    fn supports_window_clause_named_window_reference(&self) -> bool {
        true
    }
}

/// `a DIV b`. What stands to the left is copied, so `measure` keeps it small.
fn integer_division(parser: &mut Parser<'_>, left: &Expr) -> Result<Expr, ParserError> {
    parser.advance_token();
    let right = parser.parse_subexpr(MULTIPLICATIVE)?;
    Ok(Expr::BinaryOp { left: Box::new(left.clone()), op: BinaryOperator::MyIntegerDivide, right: Box::new(right) })
}

/// `a IS [NOT] DISTINCT FROM b`: sqlparser would take `b AND c` for the right side.
fn distinct_from(parser: &mut Parser<'_>, left: &Expr) -> Option<Result<Expr, ParserError>> {
    let negated = if parser.parse_keywords(&[Keyword::IS, Keyword::NOT, Keyword::DISTINCT, Keyword::FROM]) {
        true
    } else if parser.parse_keywords(&[Keyword::IS, Keyword::DISTINCT, Keyword::FROM]) {
        false
    } else {
        return None;
    };
    let left = Box::new(left.clone());
    Some(parser.parse_subexpr(PREDICATE).map(|right| {
        if negated {
            Expr::IsNotDistinctFrom(left, Box::new(right))
        } else {
            Expr::IsDistinctFrom(left, Box::new(right))
        }
    }))
}

/// `a [NOT] LIKE ANY | SOME | ALL (p, q)`, which sqlparser has in part only: `a LIKE p OR a LIKE q`, or with AND.
fn quantified_like(parser: &mut Parser<'_>, left: &Expr) -> Option<Result<Expr, ParserError>> {
    let negated = matches!(&parser.peek_token_ref().token, Token::Word(word) if word.keyword == Keyword::NOT);
    let n = usize::from(negated);
    let insensitive = match &parser.peek_nth_token_ref(n).token {
        Token::Word(word) if word.keyword == Keyword::LIKE => false,
        Token::Word(word) if word.keyword == Keyword::ILIKE => true,
        _ => return None,
    };
    let all = match &parser.peek_nth_token_ref(n + 1).token {
        Token::Word(word) if matches!(word.keyword, Keyword::ANY | Keyword::SOME) => false,
        Token::Word(word) if word.keyword == Keyword::ALL => true,
        _ => return None,
    };
    if parser.peek_nth_token_ref(n + 2).token != Token::LParen {
        return None;
    }
    for _ in 0..n + 3 {
        parser.advance_token();
    }
    let patterns = match parser.parse_comma_separated(Parser::parse_expr) {
        Ok(patterns) => patterns,
        Err(error) => return Some(Err(error)),
    };
    if let Err(error) = parser.expect_token(&Token::RParen) {
        return Some(Err(error));
    }
    if patterns.len() > LIKE_PATTERNS_MAX {
        return Some(Err(ParserError::ParserError(TOO_MANY_PATTERNS.to_owned())));
    }
    let like = |pattern| {
        let (expr, pattern) = (Box::new(left.clone()), Box::new(pattern));
        if insensitive {
            Expr::ILike { negated, any: false, expr, pattern, escape_char: None }
        } else {
            Expr::Like { negated, any: false, expr, pattern, escape_char: None }
        }
    };
    let op = if all { BinaryOperator::And } else { BinaryOperator::Or };
    let combined = patterns.into_iter().map(like).reduce(|before, next| Expr::BinaryOp {
        left: Box::new(before),
        op: op.clone(),
        right: Box::new(next),
    });
    combined.map(|expr| Ok(Expr::Nested(Box::new(expr))))
}
