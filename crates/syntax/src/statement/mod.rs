//! The statements Lakelet understands, one file a family.
//!
//! Queries and expressions stay sqlparser's syntax trees (their locations count from the statement's own text);
//! everything around them is ours. [`Statement`] is closed and matched without `_`, so a new statement is a new
//! file here, one line in the enum, and whatever the compiler then asks for.

mod flow;
mod misc;
mod table;

pub use flow::{
    AppendFlow, AutoCdcFlow, ColumnSelection, CreateFlow, CreateMaterializedView, CreateStreamingTable, Expectation,
    Flow, FlowBody, IgnoreNullUpdates, IntervalUnit, OnViolation, RefreshTable, RefreshTarget, ReplaceWhereFlow,
    ScdType, Schedule, SourceQuery, StreamRead,
};
pub use misc::{DescribeHistory, DescribeTable, DropObject, DropTarget, Explain, Restore, SetVariable, Show, Use};
pub use table::{
    AlterTable, AlterTableAction, ColumnDefinition, CreateSchemaLike, CreateTable, CreateView, Delete, Insert,
    InsertMode, Layout, Merge, PartitionValue, TableBody, Truncate, Update,
};

use lakelet_base::Span;
use sqlparser::ast;

/// An expression with the text it was written as.
#[derive(Debug, Clone, PartialEq)]
pub struct Expression {
    /// Parsed form.
    pub expr: ast::Expr,
    /// As written, comments and all.
    pub text: String,
    /// Where, in the statement's text.
    pub span: Span,
}

/// A query with the text it was written as and the streams it reads.
///
/// In `query`, `STREAM t WITH (…)` stands as plain `t`; `streams` says which table factors were streams.
#[derive(Debug, Clone, PartialEq)]
pub struct Query {
    /// Parsed form.
    pub query: Box<ast::Query>,
    /// As written.
    pub text: String,
    /// Where, in the statement's text.
    pub span: Span,
    /// Stream reads in it, in order of appearance.
    pub streams: Vec<StreamRead>,
}

/// A name of one to three parts as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// Parts without quotes, outermost first.
    pub parts: Vec<String>,
    /// Where, in the statement's text.
    pub span: Span,
}

/// One statement.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "a script holds few, and they are not copied about")]
pub enum Statement {
    /// SELECT, VALUES, TABLE, WITH …
    Query(Query),
    /// INSERT
    Insert(Insert),
    /// UPDATE
    Update(Update),
    /// DELETE
    Delete(Delete),
    /// MERGE INTO
    Merge(Merge),
    /// TRUNCATE TABLE
    Truncate(Truncate),
    /// CREATE TABLE, with columns or AS a query
    CreateTable(CreateTable),
    /// CREATE VIEW, CREATE TEMPORARY VIEW
    CreateView(CreateView),
    /// ALTER TABLE
    AlterTable(AlterTable),
    /// CREATE CATALOG
    CreateCatalog(CreateSchemaLike),
    /// CREATE SCHEMA, CREATE DATABASE
    CreateSchema(CreateSchemaLike),
    /// CREATE \[OR REFRESH\] STREAMING TABLE
    CreateStreamingTable(CreateStreamingTable),
    /// CREATE FLOW
    CreateFlow(CreateFlow),
    /// CREATE \[OR REPLACE\] MATERIALIZED VIEW
    CreateMaterializedView(CreateMaterializedView),
    /// REFRESH STREAMING TABLE, REFRESH MATERIALIZED VIEW
    Refresh(RefreshTable),
    /// DROP anything
    Drop(DropObject),
    /// USE CATALOG, USE SCHEMA
    Use(Use),
    /// SHOW TABLES, SHOW SCHEMAS, SHOW CATALOGS …
    Show(Show),
    /// DESCRIBE TABLE
    DescribeTable(DescribeTable),
    /// DESCRIBE \[QUERY\] query: the columns it would have
    DescribeQuery(Query),
    /// DESCRIBE HISTORY
    DescribeHistory(DescribeHistory),
    /// EXPLAIN
    Explain(Explain),
    /// RESTORE TABLE
    Restore(Restore),
    /// SET
    Set(SetVariable),
}
