//! Delta's error classes, and ours where Delta has none.

use arrow_schema::ArrowError;
use lakelet_base::{Diagnostic, ErrorClass, TableName, Timestamp};

/// The classes this crate raises besides those of `lakelet-base`.
pub mod classes {
    use lakelet_base::ErrorClass;

    macro_rules! classes {
        ($($name:ident = $condition:literal, $sqlstate:literal;)*) => {
            $(
                #[doc = concat!("`", $condition, "`, ", $sqlstate)]
                pub const $name: ErrorClass = ErrorClass::new($condition, $sqlstate);
            )*
        };
    }

    classes! {
        VERSION_NOT_FOUND = "DELTA_VERSION_NOT_FOUND", "22003";
        TIMESTAMP_GREATER_THAN_COMMIT = "DELTA_TIMESTAMP_GREATER_THAN_COMMIT", "42816";
        TIMESTAMP_EARLIER_THAN_COMMIT = "DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION", "42816";
        CANNOT_RESTORE_TABLE_VERSION = "DELTA_CANNOT_RESTORE_TABLE_VERSION", "22003";
        INVALID_CDC_RANGE = "DELTA_INVALID_CDC_RANGE", "22003";
        MISSING_CHANGE_DATA = "DELTA_MISSING_CHANGE_DATA", "KD002";
        CHANGE_FEED_INCOMPATIBLE_SCHEMA = "DELTA_CHANGE_DATA_FEED_INCOMPATIBLE_DATA_SCHEMA", "0AKDC";
        CANNOT_MODIFY_APPEND_ONLY = "DELTA_CANNOT_MODIFY_APPEND_ONLY", "42809";
        CONCURRENT_APPEND = "DELTA_CONCURRENT_APPEND", "2D521";
        CONCURRENT_DELETE_READ = "DELTA_CONCURRENT_DELETE_READ", "2D521";
        METADATA_CHANGED = "DELTA_METADATA_CHANGED", "2D521";
        CATALOG_ALREADY_EXISTS = "CATALOG_ALREADY_EXISTS", "42713";
        CATALOG_NOT_EMPTY = "CATALOG_NOT_EMPTY", "2BP01";
        SCHEMA_NOT_EMPTY = "SCHEMA_NOT_EMPTY", "2BP01";
        DUPLICATE_COLUMN = "COLUMN_ALREADY_EXISTS", "42711";
        STORAGE_FAILED = "LAKELET_STORAGE_FAILED", "58030";
        STORAGE_FULL = "LAKELET_STORAGE_FULL", "53100";
        READ_ONLY = "LAKELET_READ_ONLY", "25006";
        LOG_DAMAGED = "LAKELET_LOG_DAMAGED", "58030";
        LOG_TOO_NEW = "LAKELET_LOG_TOO_NEW", "0A000";
    }
}

/// A boxed diagnostic.
pub(crate) fn error(class: ErrorClass, message: impl Into<String>) -> Box<Diagnostic> {
    Box::new(Diagnostic::new(class, message))
}

/// A fault of ours.
pub(crate) fn internal(message: impl std::fmt::Display) -> Box<Diagnostic> {
    Box::new(Diagnostic::internal(message))
}

/// An Arrow operation failed on data that was checked before.
pub(crate) fn arrow(error: ArrowError) -> Box<Diagnostic> {
    internal(error)
}

pub(crate) fn table_not_found(name: impl std::fmt::Display) -> Box<Diagnostic> {
    error(ErrorClass::TABLE_OR_VIEW_NOT_FOUND, format!("The table or view {name} cannot be found."))
}

pub(crate) fn table_exists(name: &TableName) -> Box<Diagnostic> {
    error(
        ErrorClass::TABLE_OR_VIEW_ALREADY_EXISTS,
        format!("Cannot create table or view {name} because it already exists."),
    )
}

pub(crate) fn not_null(column: &str) -> Box<Diagnostic> {
    error(ErrorClass::NOT_NULL_CONSTRAINT_VIOLATION, format!("NOT NULL constraint violated for column: {column}."))
}

/// An instant as Delta prints it in messages: `2026-03-02 09:00:00.001`.
pub(crate) fn instant(timestamp: Timestamp) -> String {
    lakelet_types::timestamp_text(timestamp.0)
}
