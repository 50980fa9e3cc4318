//! How deep a statement nests and how long its chains of operators are, counted on tokens before anything recurses.
//!
//! The parser, the planner and the destructor of a syntax tree call themselves once a level. A browser gives a worker
//! about 1 MB of stack, so depth is refused here, where counting needs none. The operators are folded the way the
//! parser will fold them, so that the depth found is the depth of the tree.

#[cfg(test)]
mod tests;

use lakelet_base::{Diagnostic, ErrorClass, Limits, Span};
use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::Token;

use crate::dialect::{self, precedence_of};
use crate::lexer::{Lexeme, LexemeKind};
use crate::tokens::{Placed, ends_operand, is_never_operand};

/// Some operators copy what stands to their left (see `dialect`), so that must stay small.
const COPIED_DEPTH_MAX: usize = 100;

/// Weight of one level of nesting. Levels differ in the stack they take (measured: about 8 KB a level of this weight),
/// so weights are in halves.
const LEVEL: usize = 2;
/// An operator that waits for its right operand.
const OPERATOR: usize = 1;
/// The arguments of a call.
const CALL: usize = 4;
/// Joined tables in parentheses.
const JOINED: usize = 4;
/// A query in parentheses.
const SUBQUERY: usize = 10;

/// Refuses brackets nested deeper than allowed; the rewriting of tokens relies on it.
///
/// # Errors
/// `LAKELET_LIMIT_EXCEEDED`, at the first bracket too many.
pub(crate) fn check_brackets(lexemes: &[Lexeme], limits: &Limits) -> Result<(), Box<Diagnostic>> {
    let mut depth = 0usize;
    for lexeme in lexemes {
        match &lexeme.kind {
            LexemeKind::Symbol(Token::LParen | Token::LBracket | Token::LBrace) => depth += 1,
            LexemeKind::Symbol(Token::RParen | Token::RBracket | Token::RBrace) => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > limits.nesting_depth_max {
            return Err(too_deep(lexeme.span, limits));
        }
    }
    Ok(())
}

/// Refuses statements that nest too deep or chain too many operators.
///
/// # Errors
/// `LAKELET_LIMIT_EXCEEDED`, at the token that goes too far.
pub(crate) fn check_depth(items: &[Placed], limits: &Limits) -> Result<(), Box<Diagnostic>> {
    let mut measure = Measure { frames: vec![Frame::new(Kind::Statement, 0)], limits, at: Span::default() };
    let mut previous: Option<&Token> = None;
    for (index, item) in items.iter().enumerate() {
        measure.at = item.span;
        measure.token(item, previous, items.get(index + 1).map(|next| &next.token))?;
        previous = Some(&item.token);
    }
    Ok(())
}

fn too_deep(at: Span, limits: &Limits) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::new(
            ErrorClass::LIMIT_EXCEEDED,
            format!("The statement nests deeper than {} levels (nesting_depth_max).", limits.nesting_depth_max),
        )
        .at(at)
        .hint("A call counts twice, a subquery five times. Give inner parts a name with WITH, side by side, and use the names."),
    )
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Statement,
    Bracket,
    Case,
    Type,
}

/// An operator that waits for its right operand.
struct Pending {
    precedence: u8,
    /// Depth of the left operand; `None` for prefix operators.
    left: Option<usize>,
}

/// What stands between two brackets, or between CASE and END.
struct Frame {
    kind: Kind,
    /// What it costs the parser to be in here.
    weight: usize,
    pending: Vec<Pending>,
    /// Depth of the operand read last.
    operand: usize,
    /// Deepest finished expression.
    deepest: usize,
    /// `a.b.c`: the parser calls itself once a point.
    n_points: usize,
    /// BETWEENs whose AND is still to come.
    n_between: usize,
    /// UNION, EXCEPT and INTERSECT so far.
    n_set_operators: usize,
}

impl Frame {
    fn new(kind: Kind, weight: usize) -> Self {
        Self {
            kind,
            weight,
            pending: Vec::new(),
            operand: 0,
            deepest: 0,
            n_points: 0,
            n_between: 0,
            n_set_operators: 0,
        }
    }

    /// Folds operators that bind at least as tight as `precedence`.
    fn fold(&mut self, precedence: u8) {
        while let Some(top) = self.pending.last()
            && top.precedence >= precedence
        {
            self.operand = self.operand.max(top.left.unwrap_or(0)) + 1;
            self.pending.pop();
        }
    }

    /// Ends the expression.
    fn finish(&mut self) {
        self.fold(0);
        self.deepest = self.deepest.max(self.operand);
        self.operand = 0;
        self.n_points = 0;
        self.n_between = 0;
    }

    /// What is open in this frame, itself included: each operator that waits for its right side is a call.
    fn open_weight(&self) -> usize {
        let operators = self.pending.iter().map(|pending| if pending.left.is_none() { LEVEL } else { OPERATOR });
        self.weight + self.n_points * LEVEL + operators.sum::<usize>()
    }
}

struct Measure<'a> {
    frames: Vec<Frame>,
    limits: &'a Limits,
    at: Span,
}

impl Measure<'_> {
    fn token(&mut self, item: &Placed, previous: Option<&Token>, next: Option<&Token>) -> Result<(), Box<Diagnostic>> {
        let keyword = item.word().map_or(Keyword::NoKeyword, |word| word.keyword);
        match &item.token {
            Token::LParen | Token::LBracket | Token::LBrace => {
                return self.open(Kind::Bracket, bracket_weight(previous, next));
            }
            Token::RParen | Token::RBracket | Token::RBrace => {
                self.close_case_frames();
                return self.close(Kind::Bracket);
            }
            Token::Lt if matches!(previous, Some(Token::Word(word)) if is_container(word.keyword)) => {
                return self.open(Kind::Type, LEVEL);
            }
            Token::Gt if self.frames.last().is_some_and(|frame| frame.kind == Kind::Type) => {
                return self.close(Kind::Type);
            }
            Token::Word(_) if keyword == Keyword::CASE => return self.open(Kind::Case, LEVEL),
            Token::Word(_) if keyword == Keyword::END => return self.close(Kind::Case),
            _ => {}
        }
        if keyword != Keyword::NOT && is_never_operand(keyword) {
            // `array < x AND …` was no type after all.
            while self.frames.last().is_some_and(|frame| frame.kind == Kind::Type) {
                self.pop();
            }
        }
        let after_operand = previous.is_some_and(ends_operand);
        let precedence = precedence_of(&item.token, next);
        let Some(frame) = self.frames.last_mut() else { return Ok(()) };
        match &item.token {
            Token::Period => frame.n_points += 1,
            Token::Arrow => frame.pending.push(Pending { precedence: 1, left: None }),
            Token::Word(_) if set_operator(keyword, previous) => {
                frame.finish();
                frame.n_set_operators += 1;
            }
            Token::Word(_) if matches!(keyword, Keyword::PIVOT | Keyword::UNPIVOT) => frame.n_set_operators += 1,
            Token::Word(_) if keyword == Keyword::AND && frame.n_between > 0 => {
                frame.n_between -= 1;
                frame.fold(dialect::PREDICATE + 1);
                frame.operand = 0;
            }
            Token::Word(_) if keyword == Keyword::NOT && is_keyword(previous, Keyword::IS) => {}
            token if after_operand && precedence > 0 => {
                let between = keyword == Keyword::BETWEEN || is_keyword(next, Keyword::BETWEEN);
                frame.n_between += usize::from(between);
                frame.fold(precedence);
                if copies_left(token, next) && frame.operand > COPIED_DEPTH_MAX {
                    return Err(self.too_long());
                }
                frame.pending.push(Pending { precedence, left: Some(frame.operand) });
                frame.operand = 0;
                frame.n_points = 0;
            }
            token if !after_operand && prefix_precedence(token) > 0 => {
                frame.pending.push(Pending { precedence: prefix_precedence(token), left: None });
            }
            Token::Word(_) if keyword == Keyword::FROM && is_keyword(previous, Keyword::DISTINCT) => {}
            Token::Word(_) if is_boundary(keyword) => frame.finish(),
            Token::Comma | Token::SemiColon | Token::VerticalBarRightAngleBracket => frame.finish(),
            _ => {
                if !matches!(previous, Some(Token::Period)) {
                    frame.n_points = 0;
                }
                frame.operand = frame.operand.max(1);
            }
        }
        self.check()
    }

    fn open(&mut self, kind: Kind, weight: usize) -> Result<(), Box<Diagnostic>> {
        self.frames.push(Frame::new(kind, weight));
        self.check()
    }

    /// CASE without END, before a bracket closes around it.
    fn close_case_frames(&mut self) {
        while self.frames.last().is_some_and(|frame| frame.kind == Kind::Case || frame.kind == Kind::Type) {
            self.pop();
        }
    }

    fn close(&mut self, kind: Kind) -> Result<(), Box<Diagnostic>> {
        if self.frames.last().is_some_and(|frame| frame.kind == kind) {
            self.pop();
        }
        self.check()
    }

    fn pop(&mut self) {
        if self.frames.len() < 2 {
            return;
        }
        if let Some(mut inner) = self.frames.pop()
            && let Some(frame) = self.frames.last_mut()
        {
            inner.finish();
            frame.operand = frame.operand.max(inner.deepest.max(inner.n_set_operators) + 1);
            frame.n_points = 0;
        }
    }

    fn check(&self) -> Result<(), Box<Diagnostic>> {
        let weight: usize = self.frames.iter().map(Frame::open_weight).sum();
        if weight > self.limits.nesting_depth_max * LEVEL {
            return Err(too_deep(self.at, self.limits));
        }
        let Some(frame) = self.frames.last() else { return Ok(()) };
        let left = frame.pending.last().and_then(|pending| pending.left).unwrap_or(0);
        let depth = (left + usize::from(left > 0)).max(frame.operand).max(frame.n_set_operators + 1);
        if depth > self.limits.operator_chain_max { Err(self.too_long()) } else { Ok(()) }
    }

    fn too_long(&self) -> Box<Diagnostic> {
        Box::new(
            Diagnostic::new(
                ErrorClass::LIMIT_EXCEEDED,
                format!(
                    "The statement chains more than {} operands (operator_chain_max).",
                    self.limits.operator_chain_max
                ),
            )
            .at(self.at)
            .hint("IN takes a list of any length, and so does a table that you join."),
        )
    }
}

/// Whether parsing the operator copies its left operand.
fn copies_left(token: &Token, next: Option<&Token>) -> bool {
    let Token::Word(word) = token else { return false };
    match word.keyword {
        Keyword::DIV => true,
        Keyword::IS => is_keyword(next, Keyword::DISTINCT) || is_keyword(next, Keyword::NOT),
        Keyword::NOT => is_keyword(next, Keyword::LIKE) || is_keyword(next, Keyword::ILIKE),
        Keyword::LIKE | Keyword::ILIKE => {
            [Keyword::ANY, Keyword::SOME, Keyword::ALL].iter().any(|keyword| is_keyword(next, *keyword))
        }
        _ => false,
    }
}

/// Keywords between two expressions.
fn is_boundary(keyword: Keyword) -> bool {
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
            | Keyword::LIMIT
            | Keyword::OFFSET
            | Keyword::QUALIFY
            | Keyword::VALUES
            | Keyword::AS
            | Keyword::WHEN
            | Keyword::THEN
            | Keyword::ELSE
            | Keyword::SET
    )
}

/// What a bracket costs: it opens a subquery, the arguments of a call, or neither.
fn bracket_weight(previous: Option<&Token>, next: Option<&Token>) -> usize {
    let query = [Keyword::SELECT, Keyword::WITH, Keyword::FROM, Keyword::VALUES];
    if query.iter().any(|keyword| is_keyword(next, *keyword)) {
        SUBQUERY
    } else if is_keyword(previous, Keyword::FROM) || is_keyword(previous, Keyword::JOIN) {
        JOINED
    } else if matches!(previous, Some(Token::Word(word)) if !is_never_operand(word.keyword)) {
        CALL
    } else {
        LEVEL
    }
}

fn is_container(keyword: Keyword) -> bool {
    matches!(keyword, Keyword::ARRAY | Keyword::MAP | Keyword::STRUCT)
}

fn is_keyword(token: Option<&Token>, keyword: Keyword) -> bool {
    matches!(token, Some(Token::Word(word)) if word.keyword == keyword)
}

/// Whether the keyword joins two queries; `* EXCEPT (…)` does not.
fn set_operator(keyword: Keyword, previous: Option<&Token>) -> bool {
    match keyword {
        Keyword::UNION | Keyword::INTERSECT => true,
        Keyword::EXCEPT => !matches!(previous, Some(Token::Mul)),
        _ => false,
    }
}

/// How tight a prefix operator binds; 0 for what is none.
fn prefix_precedence(token: &Token) -> u8 {
    match token {
        Token::Word(word) if word.keyword == Keyword::NOT => dialect::NOT,
        Token::ExclamationMark => dialect::NOT,
        Token::Minus | Token::Plus | Token::Tilde => dialect::MULTIPLICATIVE,
        _ => 0,
    }
}
