//! One statement from its text to its commit, in small steps.

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use lakelet_base::{Diagnostic, ErrorClass, Limits, Result, TableName};
use lakelet_engine::{
    Execution, Finish, Outcome, Parameters, PlanNames, Prepared, ResultRows, Session, Step, canonical_rows, diagnostic,
};
use lakelet_pipelines::{AfterCommit, FinishRefresh, PipelineOutcome, PreparedPipeline};
use lakelet_protocol::RefreshReport;
use lakelet_store::CommitCause;
use lakelet_syntax::statement::Statement;

use crate::core::Core;

/// What a statement came to.
#[derive(Debug, Default)]
pub struct StatementDone {
    /// Its rows, with shown names and canonical types.
    pub rows: Option<ResultRows>,
    /// Rows inserted, updated or deleted.
    pub rows_affected: Option<u64>,
    /// Named counts.
    pub metrics: Vec<(String, u64)>,
    /// What the reader should know all the same.
    pub warnings: Vec<Diagnostic>,
    /// The session afterwards, where the statement changed it.
    pub session: Option<Session>,
    /// Tables that got a version.
    pub versions: Vec<(TableName, u64)>,
    /// What a refresh did.
    pub report: Option<RefreshReport>,
    /// Whether anything was committed.
    pub committed: bool,
}

enum Stage {
    Query { execution: Execution, schema: SchemaRef, names: Box<PlanNames> },
    Write { execution: Execution, finish: Finish, names: Box<PlanNames> },
    Refresh { execution: Execution, finish: FinishRefresh, names: Box<PlanNames> },
    Ready(Box<PipelineOutcome>),
}

/// A statement that is running. Dropping it cancels it; it has changed nothing before its last step.
pub(crate) struct StatementRun {
    stage: Option<Stage>,
    batches: Vec<RecordBatch>,
    n_rows: u64,
    rows_max: u64,
    cause: CommitCause,
}

impl StatementRun {
    /// Prepares a statement that stands alone in `text`.
    pub fn start(
        core: &mut Core,
        statement: &Statement,
        text: &str,
        session: &Session,
        parameters: &Parameters,
        cause: CommitCause,
    ) -> Result<Self> {
        let prepared = core.scoped(session, text, parameters, |pipelines, engine, scope| {
            pipelines.prepare(engine, statement, scope)
        })?;
        Ok(Self::of(prepared, &core.limits, cause))
    }

    /// A run of something that is prepared already.
    pub fn of(prepared: PreparedPipeline, limits: &Limits, cause: CommitCause) -> Self {
        let stage = match prepared {
            PreparedPipeline::Statement(Prepared::Done(outcome)) => Stage::Ready(Box::new(plain(*outcome))),
            PreparedPipeline::Statement(Prepared::Query { execution, columns, names }) => {
                let fields: Vec<_> =
                    columns.iter().map(|column| column.field.as_ref().clone().with_name(&column.name)).collect();
                Stage::Query { execution, schema: std::sync::Arc::new(arrow::datatypes::Schema::new(fields)), names }
            }
            PreparedPipeline::Statement(Prepared::Write { execution, finish, names }) => {
                Stage::Write { execution, finish, names }
            }
            PreparedPipeline::Refresh { execution, finish, names } => Stage::Refresh { execution, finish, names },
            PreparedPipeline::Nothing(outcome) => Stage::Ready(outcome),
        };
        Self { stage: Some(stage), batches: Vec::new(), n_rows: 0, rows_max: limits.result_rows_max as u64, cause }
    }

    /// Rows seen so far.
    pub fn n_rows(&self) -> u64 {
        self.n_rows
    }

    /// Works for a moment. `Some` when the statement is done and committed.
    pub fn step(&mut self, core: &mut Core) -> Result<Option<StatementDone>> {
        let (execution, names) = match &mut self.stage {
            Some(
                Stage::Query { execution, names, .. }
                | Stage::Write { execution, names, .. }
                | Stage::Refresh { execution, names, .. },
            ) => (execution, names),
            Some(Stage::Ready(_)) | None => return self.finish(core).map(Some),
        };
        match execution.step().map_err(|error| Box::new(diagnostic(&error, names)))? {
            Step::Page(batch) => {
                self.n_rows += batch.num_rows() as u64;
                if self.n_rows > self.rows_max {
                    return Err(Box::new(
                        Diagnostic::new(
                            ErrorClass::LIMIT_EXCEEDED,
                            format!("The statement gives more than {} rows (result_rows_max).", self.rows_max),
                        )
                        .hint("Filter or aggregate, or add LIMIT."),
                    ));
                }
                self.batches.push(batch);
                Ok(None)
            }
            Step::Progress => Ok(None),
            Step::Done => self.finish(core).map(Some),
        }
    }

    fn finish(&mut self, core: &mut Core) -> Result<StatementDone> {
        let batches = std::mem::take(&mut self.batches);
        let finished = match self.stage.take() {
            Some(Stage::Query { schema, .. }) => {
                let batches = batches.iter().map(|batch| canonical_rows(batch, &schema)).collect::<Result<Vec<_>>>()?;
                plain(Outcome { rows: Some(ResultRows { schema, batches }), ..Outcome::default() })
            }
            Some(Stage::Write { finish, .. }) => plain(finish(batches)?),
            Some(Stage::Refresh { finish, .. }) => finish(batches)?,
            Some(Stage::Ready(outcome)) => *outcome,
            None => return Err(Box::new(Diagnostic::internal("a statement was asked to finish twice"))),
        };
        commit(core, finished, &self.cause)
    }
}

fn plain(outcome: Outcome) -> PipelineOutcome {
    PipelineOutcome { outcome, report: None, after: None }
}

fn commit(core: &mut Core, finished: PipelineOutcome, cause: &CommitCause) -> Result<StatementDone> {
    let PipelineOutcome { outcome, mut report, after } = finished;
    let Outcome { rows, transaction, rows_affected, metrics, warnings, session } = outcome;
    let mut done = StatementDone { rows, rows_affected, metrics, warnings, session, ..StatementDone::default() };
    if let Some(transaction) = transaction
        && let Some(committed) = core.commit(transaction, cause)?
    {
        done.committed = true;
        for (id, version) in &committed.versions {
            if let Some(table) = core.store.table_by_id(*id).filter(|table| table.kind.is_visible()) {
                done.versions.push((table.name.clone(), *version));
            }
        }
        if let Some(after) = after {
            take_over(core, after, &committed);
        }
        if let Some(report) = &mut report {
            report.at = committed.timestamp;
        }
    }
    done.report = report;
    Ok(done)
}

fn take_over(core: &mut Core, after: AfterCommit, committed: &lakelet_store::CommitOutcome) {
    core.pipelines.committed(after, committed);
}
