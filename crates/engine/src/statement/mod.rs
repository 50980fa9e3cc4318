//! Statements that are not pipelines: each file prepares one family.
//!
//! Preparing binds names, plans whatever has to be read, and says what to do with the rows; nothing is changed before
//! the caller commits the transaction of the [`Outcome`], so a statement that fails or is canceled changes nothing.

mod alter;
mod create;
mod delete;
mod describe;
mod explain;
mod insert;
mod merge;
mod restore;
mod session;
mod show;
mod update;
mod write;

pub use create::{canonical_rows, new_table_name, query_columns, refuse_twice};
pub use show::create_statement;

use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use lakelet_base::{Diagnostic, ErrorClass, Result};
use lakelet_spark::PlanNames;
use lakelet_store::{Table, TableKind, Transaction};
use lakelet_syntax::statement::{Name, Statement};

use crate::execution::Execution;
use crate::planner::{Engine, ResultColumn};
use crate::resolve::find_table;
use crate::session::{Scope, Session};

/// Rows that a statement gives without running a query.
#[derive(Debug, Clone)]
pub struct ResultRows {
    /// Shown names and canonical types.
    pub schema: SchemaRef,
    /// The rows.
    pub batches: Vec<RecordBatch>,
}

/// What a statement comes to.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Its rows, if it gives any.
    pub rows: Option<ResultRows>,
    /// What is to be committed.
    pub transaction: Option<Transaction>,
    /// Rows inserted, updated or deleted.
    pub rows_affected: Option<u64>,
    /// Named counts, as MERGE gives them.
    pub metrics: Vec<(String, u64)>,
    /// What the reader should know all the same.
    pub warnings: Vec<Diagnostic>,
    /// The tab's state afterwards, where the statement changes it.
    pub session: Option<Session>,
}

/// What to do with the rows of a plan.
pub type Finish = Box<dyn FnOnce(Vec<RecordBatch>) -> Result<Outcome>>;

/// A statement that is ready to run.
pub enum Prepared {
    /// Nothing has to be read.
    Done(Box<Outcome>),
    /// A query whose rows are the result.
    Query {
        /// Gives the rows.
        execution: Execution,
        /// The result's columns.
        columns: Vec<ResultColumn>,
        /// What errors say about names.
        names: Box<PlanNames>,
    },
    /// A plan whose rows decide what is written.
    Write {
        /// Gives the rows.
        execution: Execution,
        /// What to do with them.
        finish: Finish,
        /// What errors say about names.
        names: Box<PlanNames>,
    },
}

impl Prepared {
    fn done(outcome: Outcome) -> Self {
        Self::Done(Box::new(outcome))
    }

    fn commit(transaction: Transaction) -> Self {
        Self::done(Outcome { transaction: Some(transaction), ..Outcome::default() })
    }

    fn rows(rows: ResultRows) -> Self {
        Self::done(Outcome { rows: Some(rows), ..Outcome::default() })
    }
}

impl Engine {
    /// Prepares a statement. Streaming tables, flows, materialized views and refreshes are the pipelines crate's.
    ///
    /// # Errors
    /// Whatever is wrong with the statement before it reads a row.
    pub fn prepare(&self, statement: &Statement, scope: &Scope<'_>) -> Result<Prepared> {
        match statement {
            Statement::Query(query) => {
                let planned = self.plan_query(&query.query, scope)?;
                let execution = self.execute(&planned)?;
                Ok(Prepared::Query { execution, columns: planned.columns, names: Box::new(planned.names) })
            }
            Statement::Insert(insert) => self.prepare_insert(insert, scope),
            Statement::Update(update) => self.prepare_update(update, scope),
            Statement::Delete(delete) => self.prepare_delete(delete, scope),
            Statement::Truncate(truncate) => self.prepare_truncate(truncate, scope),
            Statement::Merge(merge) => self.prepare_merge(merge, scope),
            Statement::CreateTable(create) => self.prepare_create_table(create, scope),
            Statement::CreateView(create) => self.prepare_create_view(create, scope),
            Statement::AlterTable(alter) => self.prepare_alter_table(alter, scope),
            Statement::CreateCatalog(create) => Self::prepare_create_catalog(create, scope),
            Statement::CreateSchema(create) => Self::prepare_create_schema(create, scope),
            Statement::Drop(drop) => Self::prepare_drop(drop, scope),
            Statement::Use(target) => Self::prepare_use(target, scope),
            Statement::Set(set) => Self::prepare_set(set),
            Statement::Show(show) => Self::prepare_show(show, scope),
            Statement::DescribeTable(describe) => Self::prepare_describe(describe, scope),
            Statement::DescribeQuery(query) => self.prepare_describe_query(query, scope),
            Statement::DescribeHistory(describe) => Self::prepare_history(describe, scope),
            Statement::Explain(explain) => self.prepare_explain(explain, scope),
            Statement::Restore(restore) => Self::prepare_restore(restore, scope),
            Statement::CreateStreamingTable(_)
            | Statement::CreateFlow(_)
            | Statement::CreateMaterializedView(_)
            | Statement::Refresh(_) => Err(Box::new(Diagnostic::internal("a pipeline statement reached the engine"))),
        }
    }
}

/// The table a statement names, wherever it stands.
pub(crate) fn named_table(name: &Name, scope: &Scope<'_>) -> Result<Arc<Table>> {
    let full = scope.session.qualify(&name.parts);
    find_table(scope, &full, &name.parts).map_err(|mut diagnostic| {
        for suggestion in &mut diagnostic.suggestions {
            suggestion.span = Some(name.span);
        }
        Box::new(diagnostic.at(name.span))
    })
}

/// The same for statements that write rows: views and tables that a pipeline keeps cannot be written by hand.
pub(crate) fn writable_table(name: &Name, scope: &Scope<'_>, verb: &str) -> Result<Arc<Table>> {
    let table = named_table(name, scope)?;
    let refuse = |what: &str, hint: &str| {
        Err(Box::new(
            Diagnostic::new(
                ErrorClass::new("UNSUPPORTED_FEATURE.TABLE_OPERATION", "0A000"),
                format!("{verb} does not work on {what} {}.", table.name),
            )
            .at(name.span)
            .hint(hint),
        ))
    };
    match table.kind {
        TableKind::Table => Ok(table),
        TableKind::View { .. } => refuse("the view", "Change the tables it reads."),
        TableKind::StreamingTable => {
            refuse("the streaming table", "Its flow writes it: change its source, then REFRESH STREAMING TABLE.")
        }
        TableKind::MaterializedView => {
            refuse("the materialized view", "Its query makes it: change its sources, then REFRESH MATERIALIZED VIEW.")
        }
        TableKind::Auxiliary => Err(Box::new(Diagnostic::internal("an auxiliary table was named"))),
    }
}

/// Rows of text columns, for SHOW and DESCRIBE.
pub(crate) fn text_rows(columns: &[(&str, DataType)], rows: Vec<Vec<Option<String>>>) -> Result<ResultRows> {
    use datafusion::arrow::array::{ArrayRef, BooleanArray, Int64Array, StringArray};
    let schema = Arc::new(Schema::new(
        columns.iter().map(|(name, data_type)| Field::new(*name, data_type.clone(), true)).collect::<Vec<_>>(),
    ));
    let arrays: Vec<ArrayRef> = columns
        .iter()
        .enumerate()
        .map(|(index, (_, data_type))| -> ArrayRef {
            let cells = rows.iter().map(|row| row.get(index).cloned().flatten());
            match data_type {
                DataType::Boolean => {
                    Arc::new(cells.map(|cell| cell.map(|text| text == "true")).collect::<BooleanArray>())
                }
                DataType::Int64 => {
                    Arc::new(cells.map(|cell| cell.and_then(|text| text.parse().ok())).collect::<Int64Array>())
                }
                _ => Arc::new(cells.collect::<StringArray>()),
            }
        })
        .collect();
    let batch =
        RecordBatch::try_new(Arc::clone(&schema), arrays).map_err(|error| Box::new(Diagnostic::internal(error)))?;
    Ok(ResultRows { schema, batches: vec![batch] })
}
