//! Finds the operations of a statement that can fail on a value, and where they begin.

use std::ops::ControlFlow;

use lakelet_base::{LineColumn, LineIndex, Span};
use lakelet_spark::{OperationKind, Operations};
use sqlparser::ast::{self, BinaryOperator, CastKind, Expr, Spanned, UnaryOperator, Visit, visit_expressions};

/// The operations in a part of the statement `text`, before it is lowered.
pub(crate) fn operations<V: Visit>(part: &V, text: &str) -> Operations {
    let places = Places { text, lines: LineIndex::new(text) };
    let mut operations = Operations::default();
    let _: ControlFlow<()> = visit_expressions(part, |expr| {
        if let Some(kind) = kind(expr) {
            match places.of(expr) {
                Some(span) => operations.add(kind, span),
                None => operations.add_others(),
            }
        }
        ControlFlow::Continue(())
    });
    operations
}

fn kind(expr: &Expr) -> Option<OperationKind> {
    match expr {
        Expr::BinaryOp { op, .. } => match op {
            BinaryOperator::Divide
            | BinaryOperator::Modulo
            | BinaryOperator::MyIntegerDivide
            | BinaryOperator::DuckIntegerDivide => Some(OperationKind::Division),
            BinaryOperator::Plus | BinaryOperator::Minus | BinaryOperator::Multiply => Some(OperationKind::Arithmetic),
            _ => None,
        },
        Expr::UnaryOp { op: UnaryOperator::Minus, expr } if !matches!(**expr, Expr::Value(_)) => {
            Some(OperationKind::Arithmetic)
        }
        Expr::Cast { kind: CastKind::Cast | CastKind::DoubleColon, data_type, .. } => {
            Some(OperationKind::Cast(type_name(data_type)))
        }
        Expr::TypedString(typed) => Some(OperationKind::Cast(type_name(&typed.data_type))),
        Expr::Function(_) => Some(OperationKind::Call),
        _ => None,
    }
}

/// The name without parameters, as errors spell it.
fn type_name(data_type: &ast::DataType) -> String {
    let name = data_type.to_string().to_uppercase();
    let name = name.split(['(', '<']).next().unwrap_or_default().trim();
    match name {
        "INTEGER" => "INT",
        "LONG" => "BIGINT",
        "SHORT" => "SMALLINT",
        "BYTE" => "TINYINT",
        "REAL" => "FLOAT",
        "DEC" | "NUMERIC" => "DECIMAL",
        other => other,
    }
    .to_owned()
}

struct Places<'a> {
    text: &'a str,
    lines: LineIndex<'a>,
}

impl Places<'_> {
    /// The range of an expression: from its first word, which the parser does not always keep.
    fn of(&self, expr: &Expr) -> Option<Span> {
        let parsed = expr.span();
        let end = self.offset(parsed.end)?;
        let start = self.start(expr)?;
        Some(Span::new(start, end.max(start)))
    }

    fn start(&self, expr: &Expr) -> Option<usize> {
        // What stands before the first part whose place is known, innermost last.
        let mut before: Vec<&str> = Vec::new();
        let mut first = expr;
        let mut start = loop {
            first = match first {
                Expr::BinaryOp { left, .. } => left,
                Expr::Nested(inner) => {
                    before.push("(");
                    inner
                }
                Expr::UnaryOp { op: UnaryOperator::Minus, expr } => {
                    before.push("-");
                    expr
                }
                Expr::Cast { kind: CastKind::Cast, expr, .. } => {
                    before.extend(["CAST", "("]);
                    expr
                }
                Expr::Cast { kind: CastKind::DoubleColon, expr, .. } => expr,
                // In `DATE '…'` the place is that of the text.
                Expr::TypedString(_) => return self.offset(first.span().start),
                other => break self.offset(other.span().start)?,
            };
        };
        for word in before.iter().rev() {
            start = self.word_before(start, word)?;
        }
        Some(start)
    }

    /// Where `word` begins, if it stands before `end` with nothing but blanks between.
    fn word_before(&self, end: usize, word: &str) -> Option<usize> {
        let head = self.text.get(..end)?.trim_end();
        let start = head.len().checked_sub(word.len())?;
        head.get(start..)?.eq_ignore_ascii_case(word).then_some(start)
    }

    fn offset(&self, location: sqlparser::tokenizer::Location) -> Option<usize> {
        let place =
            LineColumn { line: u32::try_from(location.line).ok()?, column: u32::try_from(location.column).ok()? };
        (place.line > 0).then(|| self.lines.offset(place))
    }
}

#[cfg(test)]
mod tests;
