//! The vocabulary every other crate speaks: names, versions, instants, limits, errors and places in text.
//!
//! This crate does no I/O and reads no clock; [`Clock`] and [`Seed`] are handed in from outside.

mod clock;
mod diagnostic;
mod limits;
mod name;
mod span;

pub use clock::{
    Clock, RealClock, Seed, SimulatedClock, Timestamp, TimestampParseError, civil_from_days, days_from_civil,
};
pub use diagnostic::{Diagnostic, ErrorClass, Result, Suggestion, nearest_name};
pub use limits::Limits;
pub use name::{TableName, quote_identifier, same_name};
pub use span::{LineColumn, LineIndex, Span};

/// The version of a table: 0 is the commit that created it.
pub type Version = u64;
