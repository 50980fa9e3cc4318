//! Where the operations of a statement stand that can fail on a value.
//!
//! A plan does not know where in the text its parts come from. What fails while rows are made can be placed all the same
//! where only one operation of the text can have failed so.

use lakelet_base::Span;

/// Operations that are kept; of a statement with more, none is the only one.
const OPERATIONS_MAX: usize = 64;

/// What an operation does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OperationKind {
    /// `/`, `%`, `DIV`
    Division,
    /// `+`, `-`, `*`
    Arithmetic,
    /// A call.
    Call,
    /// A cast to the type of this SQL name, without its parameters: `DECIMAL`.
    Cast(String),
}

/// The operations of a statement that can fail on a value.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Operations {
    known: Vec<(OperationKind, Span)>,
    /// Whether there are others: in the text of a view, or too many.
    has_others: bool,
}

impl Operations {
    /// Adds an operation.
    pub fn add(&mut self, kind: OperationKind, span: Span) {
        if self.known.len() < OPERATIONS_MAX {
            self.known.push((kind, span));
        } else {
            self.has_others = true;
        }
    }

    /// Says that there are operations which do not stand in the statement's text.
    pub fn add_others(&mut self) {
        self.has_others = true;
    }

    /// Adds those of another part of the statement.
    pub fn extend(&mut self, other: Self) {
        self.has_others |= other.has_others;
        for (kind, span) in other.known {
            self.add(kind, span);
        }
    }

    /// The place of the only operation that fits; `None` where none or several do.
    pub(crate) fn only(&self, fits: impl Fn(&OperationKind) -> bool) -> Option<Span> {
        let mut fitting = self.known.iter().filter(|(kind, _)| fits(kind));
        match (fitting.next(), fitting.next(), self.has_others) {
            (Some((_, span)), None, false) => Some(*span),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_alone_has_a_place() {
        let mut operations = Operations::default();
        operations.add(OperationKind::Division, Span::new(7, 10));
        operations.add(OperationKind::Cast("INT".to_owned()), Span::new(20, 30));
        let division = |operations: &Operations| operations.only(|kind| *kind == OperationKind::Division);
        assert_eq!(division(&operations), Some(Span::new(7, 10)));
        assert_eq!(operations.only(|kind| *kind == OperationKind::Call), None);
        let mut with_view = operations.clone();
        with_view.add_others();
        assert_eq!(division(&with_view), None);
        let mut twice = operations.clone();
        twice.extend(operations);
        assert_eq!(division(&twice), None);
        let mut many = Operations::default();
        many.add(OperationKind::Division, Span::new(0, 1));
        (0..OPERATIONS_MAX).for_each(|_| many.add(OperationKind::Call, Span::new(0, 1)));
        assert_eq!(division(&many), None);
    }
}
