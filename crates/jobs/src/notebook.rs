//! What a notebook asks `dbutils` for: widgets and task values.

mod task_values;
#[cfg(test)]
mod tests;
mod widgets;

pub use task_values::TaskValues;
pub use widgets::{WidgetKind, Widgets};

/// The kind of a `dbutils` error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DbutilsErrorKind {
    /// A widget that does not exist.
    InputWidgetNotDefined,
    /// A default that is none of the choices.
    DefaultNotInChoices,
    /// A call with wrong arguments.
    TypeError,
    /// A task value that was not set.
    TaskValueMissing,
    /// A task value that is too large.
    TaskValueTooLarge,
}

impl DbutilsErrorKind {
    /// The name that golden cases have for it; for the first and the third also the class that Python shows.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::InputWidgetNotDefined => "InputWidgetNotDefined",
            Self::DefaultNotInChoices => "default_not_in_choices",
            Self::TypeError => "TypeError",
            Self::TaskValueMissing => "task_value_missing",
            Self::TaskValueTooLarge => "task_value_too_large",
        }
    }
}

/// A `dbutils` call that failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct DbutilsError {
    /// Why.
    pub kind: DbutilsErrorKind,
    /// For a reader.
    pub message: String,
}

impl DbutilsError {
    fn new(kind: DbutilsErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }
}
