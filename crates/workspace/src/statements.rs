//! The statements of a SQL task, a SQL cell or a call from Python, one after the other in one session.

use arrow::array::{ArrayRef, Int64Array, RecordBatch};
use arrow::datatypes::{DataType, Field, Schema};
use lakelet_base::{Diagnostic, ErrorClass, Result, Timestamp};
use lakelet_engine::{Parameters, ResultRows, Session, parameters_from_json};
use lakelet_store::CommitCause;
use lakelet_syntax::ScriptStatement;
use lakelet_syntax::statement::{InsertMode, Name, Statement};
use serde_json::{Map, Value};

use crate::core::Core;
use crate::script::{parse, statement_cause};
use crate::statement_run::{StatementDone, StatementRun};

/// Statements that run in small steps. Dropping them cancels the one that runs; it has changed nothing.
pub(crate) struct Statements {
    statements: Vec<ScriptStatement>,
    parameters: Parameters,
    next: usize,
    current: Option<StatementRun>,
}

/// A statement that has ended well.
pub(crate) struct Ended {
    /// What it came to. Its session has been taken over.
    pub done: StatementDone,
    /// Whether it added rows to a table and did nothing else.
    pub is_append: bool,
    /// Its rows; for a statement that writes, the numbers that Spark gives as its one row.
    pub rows: Option<ResultRows>,
}

/// On whose behalf statements run, and what goes wrong on purpose.
#[derive(Debug, Clone, Default)]
pub(crate) struct Guard {
    /// What commits say about themselves, but for the statement.
    pub cause: CommitCause,
    /// Refuse to change a table that another iteration of the same run has changed since this instant, as Delta
    /// refuses it when both run at a time.
    pub conflicts_since: Option<Timestamp>,
}

impl Statements {
    /// Parses `text`; nothing runs yet, and an error in a statement is met when its turn comes.
    pub fn new(core: &Core, text: &str, values: &Map<String, Value>) -> Result<Self> {
        let parameters = parameters_from_json(values)?;
        let statements = parse(text, values, &core.limits).statements;
        Ok(Self { statements, parameters, next: 0, current: None })
    }

    /// Whether all have ended.
    pub fn is_over(&self) -> bool {
        self.next == self.statements.len()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.statements.len()
    }

    /// Whether one is running right now: it sees the tables as they were when it began.
    pub fn is_in_statement(&self) -> bool {
        self.current.is_some()
    }

    /// Works for a moment. `Some` when a statement has ended; to be called only while they are not over.
    ///
    /// # Errors
    /// The statement failed and has changed nothing; its places count in the whole text.
    pub fn step(&mut self, core: &mut Core, session: &mut Session, guard: &Guard) -> Result<Option<Ended>> {
        let Some(statement) = self.statements.get(self.next) else {
            return Err(Box::new(Diagnostic::internal("there is no further statement")));
        };
        let parsed = statement.statement.as_ref().map_err(Clone::clone)?;
        let offset = statement.offset();
        let shifted = |diagnostic: Box<Diagnostic>| Box::new(diagnostic.shifted(offset));
        if self.current.is_none() {
            refuse_conflict(core, session, parsed, guard).map_err(shifted)?;
            let cause = CommitCause { statement: statement_cause(statement.text()).statement, ..guard.cause.clone() };
            let run = StatementRun::start(core, parsed, statement.text(), session, &self.parameters, cause);
            self.current = Some(run.map_err(shifted)?);
        }
        let Some(run) = &mut self.current else { return Ok(None) };
        let Some(mut done) = run.step(core).map_err(shifted)? else { return Ok(None) };
        for warning in &mut done.warnings {
            *warning = warning.clone().shifted(offset);
        }
        let is_append = match parsed {
            Statement::Insert(insert) => matches!(insert.mode, InsertMode::Append),
            _ => false,
        };
        let rows = match done.rows.take() {
            Some(rows) => Some(rows),
            None => affected_rows(parsed, &done)?,
        };
        if let Some(changed) = &done.session {
            session.clone_from(changed);
        }
        self.current = None;
        self.next += 1;
        Ok(Some(Ended { done, is_append, rows }))
    }
}

/// Runs the one statement of `text` to its end.
///
/// # Errors
/// The statement failed, or there is none, or there are several.
pub(crate) fn run_one(
    core: &mut Core,
    text: &str,
    values: &Map<String, Value>,
    session: &mut Session,
    guard: &Guard,
) -> Result<Ended> {
    let mut statements = Statements::new(core, text, values)?;
    if statements.len() != 1 {
        let message = match statements.len() {
            0 => "There is no statement in this text.",
            _ => "spark.sql runs one statement at a time.",
        };
        return Err(Box::new(
            Diagnostic::new(ErrorClass::PARSE_SYNTAX_ERROR, message).hint("Call spark.sql once for each statement."),
        ));
    }
    loop {
        if let Some(ended) = statements.step(core, session, guard)? {
            return Ok(ended);
        }
    }
}

/// The row of numbers that INSERT, UPDATE, DELETE and MERGE give.
fn affected_rows(statement: &Statement, done: &StatementDone) -> Result<Option<ResultRows>> {
    let Some(affected) = done.rows_affected else { return Ok(None) };
    let mut counts = vec![("num_affected_rows", affected)];
    let metric = |name: &str| done.metrics.iter().find(|(known, _)| known == name).map_or(0, |(_, count)| *count);
    match statement {
        Statement::Insert(_) => counts.push(("num_inserted_rows", affected)),
        Statement::Merge(_) => counts.extend([
            ("num_updated_rows", metric("numTargetRowsUpdated")),
            ("num_deleted_rows", metric("numTargetRowsDeleted")),
            ("num_inserted_rows", metric("numTargetRowsInserted")),
        ]),
        _ => {}
    }
    let fields: Vec<Field> = counts.iter().map(|(name, _)| Field::new(*name, DataType::Int64, false)).collect();
    let schema = std::sync::Arc::new(Schema::new(fields));
    let column = |count: u64| -> ArrayRef {
        std::sync::Arc::new(Int64Array::from(vec![i64::try_from(count).unwrap_or(i64::MAX)]))
    };
    let columns = counts.iter().map(|(_, count)| column(*count)).collect();
    let batch = RecordBatch::try_new(schema.clone(), columns).map_err(|error| Box::new(Diagnostic::internal(error)))?;
    Ok(Some(ResultRows { schema, batches: vec![batch] }))
}

/// Delta's conflict of two writers, when the fault switch asks for it.
fn refuse_conflict(core: &Core, session: &Session, statement: &Statement, guard: &Guard) -> Result<()> {
    let Some(since) = guard.conflicts_since else { return Ok(()) };
    let Some(name) = rewritten_table(statement) else { return Ok(()) };
    let Some(table) = core.store.table(&session.qualify(&name.parts)) else { return Ok(()) };
    let is_rival = |cause: &CommitCause| cause.run_id == guard.cause.run_id && cause.iteration != guard.cause.iteration;
    let rival = table
        .history()
        .into_iter()
        .take_while(|commit| commit.timestamp > since)
        .find(|commit| commit.operation.cause.as_ref().is_some_and(is_rival));
    let Some(rival) = rival else { return Ok(()) };
    let who = rival.operation.cause.as_ref().and_then(|cause| cause.iteration);
    let who = who.map_or_else(|| "Another task".to_owned(), |index| format!("Iteration {index}"));
    Err(Box::new(
        Diagnostic::new(
            ErrorClass::new("DELTA_CONCURRENT_APPEND", "2D521"),
            format!("{who} has written version {} of {} while this one was at work on it.", rival.version, table.name),
        )
        .at(name.span)
        .hint("The fault switch for conflicts is on. Retry the nested task, run one iteration at a time, or keep a control table for each source."),
    ))
}

/// The table whose standing rows a statement reads and changes; a blind append conflicts with nothing.
fn rewritten_table(statement: &Statement) -> Option<&Name> {
    match statement {
        Statement::Update(update) => Some(&update.table),
        Statement::Delete(delete) => Some(&delete.table),
        Statement::Merge(merge) => Some(&merge.table),
        _ => None,
    }
}
