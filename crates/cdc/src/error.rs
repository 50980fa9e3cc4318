//! The error conditions of AUTO CDC, and how Arrow's errors are reported.

use arrow_schema::ArrowError;
use lakelet_base::Diagnostic;

/// The error conditions of AUTO CDC. Names and SQLSTATEs are Spark 4.3's, where it has one; the statement's parser and
/// the flow's planner raise those that this crate cannot see.
pub mod classes {
    use lakelet_base::ErrorClass;

    /// KEYS names no column.
    pub const EMPTY_KEYS: ErrorClass = ErrorClass::new("AUTOCDC_EMPTY_KEYS", "22023");
    /// There is no SEQUENCE BY.
    pub const MISSING_SEQUENCE_BY: ErrorClass = ErrorClass::new("AUTOCDC_MISSING_SEQUENCE_BY", "22023");
    /// There is no source.
    pub const MISSING_SOURCE: ErrorClass = ErrorClass::new("AUTOCDC_MISSING_SOURCE", "22023");
    /// A key is not a column of the source or not kept in the target.
    pub const KEY_NOT_IN_SELECTED_SCHEMA: ErrorClass = ErrorClass::new("AUTOCDC_KEY_NOT_IN_SELECTED_SCHEMA", "22023");
    /// A list names a column that is not there.
    pub const COLUMNS_NOT_FOUND_IN_SCHEMA: ErrorClass = ErrorClass::new("AUTOCDC_COLUMNS_NOT_FOUND_IN_SCHEMA", "42703");
    /// COLUMNS has both forms.
    pub const BOTH_COLUMN_LISTS: ErrorClass =
        ErrorClass::new("AUTOCDC_BOTH_COLUMN_LIST_AND_EXCEPT_COLUMN_LIST", "42613");
    /// TRACK HISTORY ON has both forms.
    pub const BOTH_TRACK_HISTORY_LISTS: ErrorClass =
        ErrorClass::new("AUTOCDC_BOTH_TRACK_HISTORY_COLUMN_LIST_AND_EXCEPT_COLUMN_LIST", "42613");
    /// IGNORE NULL UPDATES ON has both forms.
    pub const BOTH_IGNORE_NULL_LISTS: ErrorClass =
        ErrorClass::new("AUTOCDC_BOTH_IGNORE_NULL_COLUMN_LIST_AND_EXCEPT_COLUMN_LIST", "42613");
    /// TRACK HISTORY with SCD type 1.
    pub const TRACK_HISTORY_REQUIRES_SCD2: ErrorClass = ErrorClass::new("AUTOCDC_TRACK_HISTORY_REQUIRES_SCD2", "42613");
    /// `IGNORE NULL UPDATES ON ()`.
    pub const IGNORE_NULL_EMPTY_COLUMN_LIST: ErrorClass =
        ErrorClass::new("AUTOCDC_IGNORE_NULL_EMPTY_COLUMN_LIST", "22023");
    /// APPLY AS TRUNCATE with SCD type 2. No published class exists.
    pub const TRUNCATE_REQUIRES_SCD1: ErrorClass = ErrorClass::new("TRUNCATE_REQUIRES_SCD1", "42613");
    /// STORED AS SCD TYPE with another number than 1 or 2. No published class exists.
    pub const UNSUPPORTED_SCD_TYPE: ErrorClass = ErrorClass::new("UNSUPPORTED_SCD_TYPE", "42613");
    /// A key or list entry is a path instead of one identifier.
    pub const MULTIPART_COLUMN_IDENTIFIER: ErrorClass = ErrorClass::new("AUTOCDC_MULTIPART_COLUMN_IDENTIFIER", "22023");
    /// A key is an expression.
    pub const NON_COLUMN_IDENTIFIER: ErrorClass = ErrorClass::new("AUTOCDC_NON_COLUMN_IDENTIFIER", "22023");
    /// A source column starts with the reserved prefix.
    pub const RESERVED_COLUMN_NAME_PREFIX_CONFLICT: ErrorClass =
        ErrorClass::new("AUTOCDC_RESERVED_COLUMN_NAME_PREFIX_CONFLICT", "42710");
    /// A source column is called `__START_AT` or `__END_AT` and the flow has SCD type 2.
    pub const RESERVED_COLUMN_NAME_CONFLICT: ErrorClass =
        ErrorClass::new("AUTOCDC_RESERVED_COLUMN_NAME_CONFLICT", "42710");
    /// Two AUTO CDC flows write one target.
    pub const MULTIPLE_FLOWS_TO_TARGET: ErrorClass = ErrorClass::new("AUTOCDC_MULTIPLE_FLOWS_TO_TARGET", "42000");
    /// Rows of a batch have a NULL sequence.
    pub const NULL_SEQUENCE: ErrorClass = ErrorClass::new("AUTOCDC_MICROBATCH_VALIDATION.NULL_SEQUENCE", "22000");
    /// Rows of a batch have a NULL in a key column.
    pub const NULL_KEY: ErrorClass = ErrorClass::new("AUTOCDC_MICROBATCH_VALIDATION.NULL_KEY", "22000");
    /// The type of SEQUENCE BY has no order.
    pub const NON_ORDERABLE_SEQUENCE: ErrorClass =
        ErrorClass::new("AUTOCDC_MICROBATCH_VALIDATION.NON_ORDERABLE_SEQUENCE", "22000");
    /// The keys changed under existing rows.
    pub const KEY_SCHEMA_DRIFT: ErrorClass = ErrorClass::new("AUTOCDC_INVALID_STATE.KEY_SCHEMA_DRIFT", "42000");
    /// The SCD type changed under existing rows.
    pub const SCD_TYPE_DRIFT: ErrorClass = ErrorClass::new("AUTOCDC_INVALID_STATE.SCD_TYPE_DRIFT", "42000");
    /// The type of SEQUENCE BY changed under existing rows.
    pub const SEQUENCING_TYPE_DRIFT: ErrorClass =
        ErrorClass::new("AUTOCDC_INVALID_STATE.SEQUENCING_TYPE_DRIFT", "42000");
    /// The tracked columns changed under existing rows.
    pub const TRACK_HISTORY_DRIFT: ErrorClass = ErrorClass::new("AUTOCDC_INVALID_STATE.TRACK_HISTORY_DRIFT", "42000");
    /// The rows of the target are not those that follow from its events. No published class exists.
    pub const TARGET_CHANGED: ErrorClass = ErrorClass::new("AUTOCDC_INVALID_STATE.TARGET_CHANGED", "42000");
    /// A key has a type whose values cannot be compared.
    pub const KEY_NOT_COMPARABLE: ErrorClass = ErrorClass::new("DATATYPE_MISMATCH.INVALID_ORDERING_TYPE", "42K09");
    /// Warning: different events share a key and a sequence.
    pub const EQUAL_SEQUENCE: ErrorClass = ErrorClass::new("LAKELET_AUTOCDC_EQUAL_SEQUENCE", "01000");
}

/// An Arrow kernel refused arrays whose shape was checked before: a fault of ours.
pub(crate) fn arrow_error(error: ArrowError) -> Box<Diagnostic> {
    internal(format_args!("AUTO CDC could not handle its arrays: {error}"))
}

/// A broken invariant of ours.
pub(crate) fn internal(what: impl std::fmt::Display) -> Box<Diagnostic> {
    Box::new(Diagnostic::internal(what))
}
