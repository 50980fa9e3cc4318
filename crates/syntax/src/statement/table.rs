//! Tables and their rows: CREATE, ALTER, INSERT, UPDATE, DELETE, MERGE.

use lakelet_base::Span;
use sqlparser::ast;

use super::{Expression, Name, Query};

/// A column as declared.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnDefinition {
    /// Name as written.
    pub name: String,
    /// Where the name stands.
    pub span: Span,
    /// Declared type; `None` where a list only names columns.
    pub data_type: Option<ast::DataType>,
    /// Where the type stands.
    pub type_span: Option<Span>,
    /// NOT NULL was written.
    pub not_null: bool,
    /// DEFAULT expression.
    pub default: Option<Expression>,
    /// COMMENT text.
    pub comment: Option<String>,
}

/// What a created table holds.
#[derive(Debug, Clone, PartialEq)]
pub enum TableBody {
    /// Declared columns, no rows.
    Columns(Vec<ColumnDefinition>),
    /// AS query; the list may rename columns.
    Query(Vec<ColumnDefinition>, Query),
    /// LIKE another table.
    Like(Name),
}

/// How rows are laid out in files. It changes no result; DESCRIBE shows it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Layout {
    /// As they come.
    #[default]
    None,
    /// PARTITIONED BY columns
    PartitionedBy(Vec<(String, Span)>),
    /// CLUSTER BY columns; none for AUTO and NONE
    ClusterBy(Vec<(String, Span)>),
}

/// CREATE \[OR REPLACE\] TABLE.
#[derive(Debug, Clone, PartialEq)]
pub struct CreateTable {
    /// Table to make.
    pub name: Name,
    /// OR REPLACE
    pub or_replace: bool,
    /// IF NOT EXISTS
    pub if_not_exists: bool,
    /// USING format, lower case, if written.
    pub using: Option<String>,
    /// Columns or query.
    pub body: TableBody,
    /// TBLPROPERTIES, values as text.
    pub properties: Vec<(String, String)>,
    /// COMMENT text.
    pub comment: Option<String>,
    /// PARTITIONED BY, CLUSTER BY
    pub layout: Layout,
}

/// CREATE \[OR REPLACE\] \[TEMPORARY\] VIEW.
#[derive(Debug, Clone, PartialEq)]
pub struct CreateView {
    /// View to make.
    pub name: Name,
    /// OR REPLACE
    pub or_replace: bool,
    /// IF NOT EXISTS
    pub if_not_exists: bool,
    /// TEMPORARY
    pub temporary: bool,
    /// Column names, if listed.
    pub columns: Vec<ColumnDefinition>,
    /// The query.
    pub query: Query,
    /// COMMENT text.
    pub comment: Option<String>,
    /// TBLPROPERTIES, values as text.
    pub properties: Vec<(String, String)>,
}

/// CREATE SCHEMA and CREATE CATALOG.
#[derive(Debug, Clone, PartialEq)]
pub struct CreateSchemaLike {
    /// Its name.
    pub name: Name,
    /// IF NOT EXISTS
    pub if_not_exists: bool,
    /// COMMENT text.
    pub comment: Option<String>,
    /// WITH DBPROPERTIES, values as text.
    pub properties: Vec<(String, String)>,
}

/// One entry of PARTITION (…).
#[derive(Debug, Clone, PartialEq)]
pub struct PartitionValue {
    /// Column.
    pub column: String,
    /// Where it stands.
    pub span: Span,
    /// Its value in every row; `None` where the rows bring it.
    pub value: Option<Expression>,
}

/// How INSERT treats the rows that stand.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "a statement has one, and it is not copied about")]
pub enum InsertMode {
    /// INSERT INTO
    Append,
    /// INSERT OVERWRITE
    Overwrite,
    /// INSERT INTO … REPLACE WHERE predicate
    ReplaceWhere(Expression),
}

/// INSERT.
#[derive(Debug, Clone, PartialEq)]
pub struct Insert {
    /// Target.
    pub table: Name,
    /// Column list, if written.
    pub columns: Vec<(String, Span)>,
    /// BY NAME
    pub by_name: bool,
    /// PARTITION (…). With OVERWRITE only rows that have these values are replaced.
    pub partition: Vec<PartitionValue>,
    /// INTO, OVERWRITE, REPLACE WHERE
    pub mode: InsertMode,
    /// Rows. `DEFAULT` as a value stands as an identifier expression `DEFAULT`.
    pub source: Query,
}

/// UPDATE t SET … WHERE ….
#[derive(Debug, Clone, PartialEq)]
pub struct Update {
    /// Target.
    pub table: Name,
    /// Alias of the target.
    pub alias: Option<String>,
    /// Assignments: column name, its place, value.
    pub assignments: Vec<(String, Span, Expression)>,
    /// WHERE
    pub selection: Option<Expression>,
}

/// DELETE FROM t WHERE ….
#[derive(Debug, Clone, PartialEq)]
pub struct Delete {
    /// Target.
    pub table: Name,
    /// Alias of the target.
    pub alias: Option<String>,
    /// WHERE
    pub selection: Option<Expression>,
}

/// TRUNCATE TABLE t.
#[derive(Debug, Clone, PartialEq)]
pub struct Truncate {
    /// Target.
    pub table: Name,
}

/// MERGE INTO; sqlparser's tree has all clauses, with `UPDATE SET *` and `INSERT *` as it represents them or,
/// where it cannot, as an assignment list with the single wildcard name `*`.
#[derive(Debug, Clone, PartialEq)]
pub struct Merge {
    /// Target.
    pub table: Name,
    /// The whole statement.
    pub merge: Box<ast::Merge>,
    /// WITH SCHEMA EVOLUTION
    pub schema_evolution: bool,
    /// As written.
    pub text: String,
}

/// ALTER TABLE t action.
#[derive(Debug, Clone, PartialEq)]
pub struct AlterTable {
    /// Table to change.
    pub table: Name,
    /// What to do.
    pub action: AlterTableAction,
}

/// What ALTER TABLE does.
#[derive(Debug, Clone, PartialEq)]
pub enum AlterTableAction {
    /// ADD COLUMN(S)
    AddColumns(Vec<ColumnDefinition>),
    /// DROP COLUMN(S)
    DropColumns(Vec<(String, Span)>),
    /// RENAME COLUMN a TO b
    RenameColumn {
        /// Present name.
        from: (String, Span),
        /// New name.
        to: String,
    },
    /// RENAME TO
    RenameTo(Name),
    /// SET TBLPROPERTIES
    SetProperties(Vec<(String, String)>),
    /// UNSET TBLPROPERTIES; a key that is not there does no harm
    UnsetProperties(Vec<String>),
    /// ALTER COLUMN c SET DEFAULT e
    SetDefault((String, Span), Expression),
    /// ALTER COLUMN c DROP DEFAULT
    DropDefault((String, Span)),
    /// ALTER COLUMN c SET NOT NULL, DROP NOT NULL
    SetNotNull((String, Span), bool),
    /// ADD CONSTRAINT name CHECK (condition)
    AddConstraint {
        /// Name and its place.
        name: (String, Span),
        /// What every row must satisfy.
        check: Expression,
    },
    /// DROP CONSTRAINT \[IF EXISTS\] name
    DropConstraint {
        /// Name and its place.
        name: (String, Span),
        /// IF EXISTS
        if_exists: bool,
    },
    /// ADD / SET / DROP SCHEDULE of a streaming table or materialized view (also written ALTER STREAMING TABLE …).
    SetSchedule(Option<super::Schedule>),
}
