//! DROP, USE, SHOW, DESCRIBE, EXPLAIN, RESTORE, SET.

use lakelet_base::Span;
use sqlparser::ast;

use super::{Expression, Name, Statement};

/// What DROP names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DropTarget {
    /// DROP TABLE (streaming tables too), DROP STREAMING TABLE
    Table,
    /// DROP VIEW
    View,
    /// DROP MATERIALIZED VIEW
    MaterializedView,
    /// DROP SCHEMA
    Schema,
    /// DROP CATALOG
    Catalog,
}

/// DROP.
#[derive(Debug, Clone, PartialEq)]
pub struct DropObject {
    /// Kind as written.
    pub target: DropTarget,
    /// Its name.
    pub name: Name,
    /// IF EXISTS
    pub if_exists: bool,
    /// CASCADE
    pub cascade: bool,
}

/// USE.
#[derive(Debug, Clone, PartialEq)]
pub enum Use {
    /// USE CATALOG c
    Catalog(Name),
    /// USE SCHEMA s, USE DATABASE s, USE s, USE c.s
    Schema(Name),
}

/// SHOW.
#[derive(Debug, Clone, PartialEq)]
pub enum Show {
    /// SHOW TABLES \[IN schema\] \[LIKE pattern\]
    Tables {
        /// Where to look; the current schema when absent.
        schema: Option<Name>,
        /// LIKE pattern.
        pattern: Option<String>,
    },
    /// SHOW VIEWS \[IN schema\] \[LIKE pattern\]
    Views {
        /// Where to look; the current schema when absent.
        schema: Option<Name>,
        /// LIKE pattern.
        pattern: Option<String>,
    },
    /// SHOW SCHEMAS, SHOW DATABASES
    Schemas {
        /// Where to look; the current catalog when absent.
        catalog: Option<Name>,
        /// LIKE pattern.
        pattern: Option<String>,
    },
    /// SHOW CATALOGS
    Catalogs {
        /// LIKE pattern.
        pattern: Option<String>,
    },
    /// SHOW COLUMNS IN t
    Columns(Name),
    /// SHOW TBLPROPERTIES t
    Properties(Name),
    /// SHOW CREATE TABLE t
    CreateTable(Name),
}

/// DESCRIBE \[TABLE\] \[EXTENDED\] t.
#[derive(Debug, Clone, PartialEq)]
pub struct DescribeTable {
    /// Table.
    pub name: Name,
    /// EXTENDED or FORMATTED
    pub extended: bool,
}

/// DESCRIBE HISTORY t.
#[derive(Debug, Clone, PartialEq)]
pub struct DescribeHistory {
    /// Table.
    pub name: Name,
    /// LIMIT n
    pub limit: Option<u64>,
}

/// EXPLAIN \[ANALYZE | EXTENDED | …\] statement.
#[derive(Debug, Clone, PartialEq)]
pub struct Explain {
    /// EXPLAIN ANALYZE runs the statement and shows what each operator did.
    pub analyze: bool,
    /// EXPLAIN EXTENDED
    pub extended: bool,
    /// What is explained.
    pub statement: Box<Statement>,
}

/// RESTORE TABLE t TO VERSION AS OF n | TIMESTAMP AS OF e.
#[derive(Debug, Clone, PartialEq)]
pub struct Restore {
    /// Table.
    pub table: Name,
    /// Where to go back to.
    pub version: ast::TableVersion,
}

/// SET key = value; SET TIME ZONE and session variables are named refusals for now.
#[derive(Debug, Clone, PartialEq)]
pub struct SetVariable {
    /// Key as written, empty for a bare SET.
    pub key: String,
    /// Its place.
    pub span: Span,
    /// Value, absent when the key is only shown.
    pub value: Option<Expression>,
}
