//! How a task fails: with one text that says what was tried, what went wrong and, where known, what to do.

use std::fmt::Display;

/// The result of a task or of a part of one.
pub type Outcome<T = ()> = Result<T, String>;

/// Says what was tried when something fails.
pub trait Context<T> {
    /// Puts `what` before the text of the error.
    fn context(self, what: impl Display) -> Outcome<T>;
}

impl<T, E: Display> Context<T> for Result<T, E> {
    fn context(self, what: impl Display) -> Outcome<T> {
        self.map_err(|error| format!("{what}: {error}"))
    }
}

impl<T> Context<T> for Option<T> {
    fn context(self, what: impl Display) -> Outcome<T> {
        self.ok_or_else(|| what.to_string())
    }
}
