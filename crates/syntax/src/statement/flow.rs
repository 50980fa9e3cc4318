//! Streaming tables, flows, materialized views, refreshes and schedules.

use lakelet_base::Span;

use super::{ColumnDefinition, Expression, Layout, Name, Query};

/// `STREAM t`, `STREAM(t)`, each with an optional `WITH (options)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StreamRead {
    /// The table that is read.
    pub table: Name,
    /// Options as written: lower-case key, value as text (`readchangefeed` → `true`).
    pub options: Vec<(String, String)>,
}

/// What a flow reads: `FROM t`, `FROM STREAM t`, `FROM (query)`; a bare name becomes `SELECT * FROM t`.
pub type SourceQuery = Query;

/// SCHEDULE \[REFRESH\] EVERY n unit, or CRON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Schedule {
    /// EVERY n unit
    Every {
        /// How many, at least 1.
        count: u32,
        /// Of what.
        unit: IntervalUnit,
    },
    /// CRON 'expression' \[AT TIME ZONE 'zone'\]
    Cron {
        /// Quartz expression.
        expression: String,
        /// Zone, UTC when absent.
        time_zone: Option<String>,
    },
}

/// Unit of a schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IntervalUnit {
    /// MINUTE(S): accepted here, not on Databricks
    Minute,
    /// HOUR(S)
    Hour,
    /// DAY(S)
    Day,
    /// WEEK(S)
    Week,
}

/// SCD TYPE 1 or 2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScdType {
    /// Newest row per key.
    Type1,
    /// Every version of every key.
    Type2,
}

/// `(a, b)` or `* EXCEPT (a, b)`; names with their places.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ColumnSelection {
    /// These.
    Only(Vec<(String, Span)>),
    /// All but these.
    Except(Vec<(String, Span)>),
}

/// IGNORE NULL UPDATES with its optional ON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IgnoreNullUpdates {
    /// All columns.
    All,
    /// ON …
    On(ColumnSelection),
}

/// AUTO CDC (also APPLY CHANGES).
#[derive(Debug, Clone, PartialEq)]
pub struct AutoCdcFlow {
    /// FROM
    pub source: SourceQuery,
    /// KEYS, never empty.
    pub keys: Vec<(String, Span)>,
    /// IGNORE NULL UPDATES
    pub ignore_null_updates: Option<IgnoreNullUpdates>,
    /// APPLY AS DELETE WHEN
    pub apply_as_delete_when: Option<Expression>,
    /// APPLY AS TRUNCATE WHEN
    pub apply_as_truncate_when: Option<Expression>,
    /// SEQUENCE BY
    pub sequence_by: Expression,
    /// COLUMNS
    pub columns: Option<ColumnSelection>,
    /// STORED AS; `None` when left out (means type 1).
    pub stored_as: Option<ScdType>,
    /// TRACK HISTORY ON
    pub track_history_on: Option<ColumnSelection>,
    /// ONCE
    pub once: bool,
}

/// REPLACE WHERE predicate BY NAME query.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplaceWhereFlow {
    /// Which target rows are replaced.
    pub predicate: Expression,
    /// What they are replaced by.
    pub query: Query,
}

/// AS SELECT … FROM STREAM t.
#[derive(Debug, Clone, PartialEq)]
pub struct AppendFlow {
    /// The query.
    pub query: Query,
    /// ONCE
    pub once: bool,
}

/// What a flow does.
#[derive(Debug, Clone, PartialEq)]
pub enum FlowBody {
    /// AUTO CDC
    AutoCdc(Box<AutoCdcFlow>),
    /// REPLACE WHERE
    ReplaceWhere(Box<ReplaceWhereFlow>),
    /// append
    Append(AppendFlow),
}

/// A flow and the text of its definition.
#[derive(Debug, Clone, PartialEq)]
pub struct Flow {
    /// What it does.
    pub body: FlowBody,
    /// As written, from FLOW (or AS) on.
    pub text: String,
    /// Where.
    pub span: Span,
}

/// What happens to a row that does not meet an expectation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnViolation {
    /// It is kept and counted.
    Keep,
    /// ON VIOLATION DROP ROW
    DropRow,
    /// ON VIOLATION FAIL UPDATE
    FailUpdate,
}

/// CONSTRAINT name EXPECT (condition) \[ON VIOLATION …\].
#[derive(Debug, Clone, PartialEq)]
pub struct Expectation {
    /// Name.
    pub name: String,
    /// Where the name stands.
    pub span: Span,
    /// What a row should satisfy.
    pub condition: Expression,
    /// What happens if it does not.
    pub on_violation: OnViolation,
}

/// CREATE \[OR REFRESH\] STREAMING TABLE.
#[derive(Debug, Clone, PartialEq)]
pub struct CreateStreamingTable {
    /// Table to make.
    pub name: Name,
    /// OR REFRESH (or OR REPLACE, its older spelling)
    pub or_refresh: bool,
    /// IF NOT EXISTS
    pub if_not_exists: bool,
    /// Declared columns, may be empty.
    pub columns: Vec<ColumnDefinition>,
    /// CONSTRAINT … EXPECT
    pub expectations: Vec<Expectation>,
    /// TBLPROPERTIES
    pub properties: Vec<(String, String)>,
    /// COMMENT
    pub comment: Option<String>,
    /// SCHEDULE
    pub schedule: Option<Schedule>,
    /// PARTITIONED BY, CLUSTER BY
    pub layout: Layout,
    /// Its flow, if one is defined inline.
    pub flow: Option<Flow>,
}

/// CREATE FLOW f AS …: AUTO CDC INTO t, INSERT INTO t BY NAME …; also APPLY CHANGES INTO t.
#[derive(Debug, Clone, PartialEq)]
pub struct CreateFlow {
    /// Flow's name; for APPLY CHANGES INTO t the name is t's.
    pub name: Name,
    /// Target table.
    pub target: Name,
    /// The flow.
    pub flow: Flow,
}

/// CREATE \[OR REPLACE\] MATERIALIZED VIEW.
#[derive(Debug, Clone, PartialEq)]
pub struct CreateMaterializedView {
    /// View to make.
    pub name: Name,
    /// OR REPLACE
    pub or_replace: bool,
    /// IF NOT EXISTS
    pub if_not_exists: bool,
    /// Column names and comments, may be empty.
    pub columns: Vec<ColumnDefinition>,
    /// CONSTRAINT … EXPECT
    pub expectations: Vec<Expectation>,
    /// TBLPROPERTIES
    pub properties: Vec<(String, String)>,
    /// COMMENT
    pub comment: Option<String>,
    /// SCHEDULE
    pub schedule: Option<Schedule>,
    /// REFRESH POLICY word, upper case: AUTO, INCREMENTAL, INCREMENTAL STRICT, FULL.
    pub refresh_policy: Option<String>,
    /// PARTITIONED BY, CLUSTER BY
    pub layout: Layout,
    /// AS
    pub query: Query,
}

/// What REFRESH names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefreshTarget {
    /// REFRESH STREAMING TABLE
    StreamingTable,
    /// REFRESH MATERIALIZED VIEW
    MaterializedView,
    /// REFRESH \[TABLE\] t
    Unspecified,
}

/// REFRESH … t \[FULL\] \[WHERE predicate\].
#[derive(Debug, Clone, PartialEq)]
pub struct RefreshTable {
    /// Kind as written.
    pub target: RefreshTarget,
    /// Table to refresh.
    pub name: Name,
    /// FULL
    pub full: bool,
    /// One-time predicate of a REPLACE WHERE flow.
    pub predicate: Option<Expression>,
}
