//! Streaming tables, materialized views, their flows, refreshes and schedules.
//!
//! What a pipeline table is made of stands in the store: the table itself, its [`Definition`] as a document, the events
//! table of an AUTO CDC flow, and one report for each refresh. [`Pipelines`] only keeps the key indexes of AUTO CDC
//! flows between refreshes, and makes them anew when they are not there.
//!
//! A refresh is prepared like a statement: a plan whose rows are read step by step, and what to do with them. Nothing is
//! changed before the caller commits the transaction and hands [`AfterCommit`] back.

mod append;
mod auto_cdc;
mod create;
mod definition;
mod freshness;
mod refresh;
mod remove;
mod replace_where;
mod report;
mod schedule;
mod source;
mod view;

use std::collections::HashMap;

use lakelet_base::{Result, Timestamp};
use lakelet_cdc::{CdcOutcome, CdcState, Placement, ResolvedSpec};
use lakelet_engine::{Engine, Execution, Outcome, Prepared, Scope};
use lakelet_protocol::RefreshReport;
use lakelet_store::{CommitOutcome, TableId};
use lakelet_syntax::statement::{AlterTableAction, Statement};

pub use definition::{
    Checkpoint, CronDefinition, Definition, FlowDefinition, ScheduleDefinition, definition_of, definitions,
};
pub use freshness::{Freshness, Source, freshness};
pub use report::{last_report, record_failure, reports};
pub use schedule::{DueRefresh, due_until, next_due, schedule_text, skip_schedules};

/// What a refresh comes to.
pub struct PipelineOutcome {
    /// What is to be committed, rows and warnings.
    pub outcome: Outcome,
    /// What the refresh did.
    pub report: Option<RefreshReport>,
    /// To be handed to [`Pipelines::committed`] once the transaction is committed.
    pub after: Option<AfterCommit>,
}

/// The index of an AUTO CDC flow, waiting for its rows to be committed.
pub struct AfterCommit {
    table: TableId,
    state: CdcState,
    spec: ResolvedSpec,
    outcome: CdcOutcome,
    placement: Placement,
}

/// What to do with the rows of a refresh's plan.
pub type FinishRefresh = Box<dyn FnOnce(Vec<arrow::array::RecordBatch>) -> Result<PipelineOutcome>>;

/// A pipeline statement that is ready to run.
pub enum PreparedPipeline {
    /// Not a pipeline's business after all, or nothing has to be read.
    Statement(Prepared),
    /// A refresh.
    Refresh {
        /// Gives the rows.
        execution: Execution,
        /// What to do with them.
        finish: FinishRefresh,
        /// What errors say about names.
        names: Box<lakelet_engine::PlanNames>,
    },
    /// A refresh that found nothing to read.
    Nothing(Box<PipelineOutcome>),
}

/// What started a refresh.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trigger {
    /// The statement that made the table.
    Create,
    /// REFRESH.
    Statement,
    /// A schedule.
    Schedule,
}

impl Trigger {
    fn word(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Statement => "statement",
            Self::Schedule => "schedule",
        }
    }
}

/// The indexes of AUTO CDC flows between refreshes.
#[derive(Default)]
pub struct Pipelines {
    states: HashMap<TableId, (u64, CdcState)>,
}

impl Pipelines {
    /// Prepares any statement: those of pipelines here, the others in the engine.
    ///
    /// # Errors
    /// Whatever is wrong with the statement before it reads a row.
    pub fn prepare(&mut self, engine: &Engine, statement: &Statement, scope: &Scope<'_>) -> Result<PreparedPipeline> {
        match statement {
            Statement::CreateStreamingTable(create) => self.create_streaming_table(engine, create, scope),
            Statement::CreateFlow(create) => self.create_flow(engine, create, scope),
            Statement::CreateMaterializedView(create) => self.create_materialized_view(engine, create, scope),
            Statement::Refresh(refresh) => self.refresh_statement(engine, refresh, scope),
            Statement::Drop(_) => remove::drop_with_definition(engine, statement, scope),
            Statement::AlterTable(alter) if matches!(alter.action, AlterTableAction::SetSchedule(_)) => {
                remove::alter_schedule(alter, scope).map(PreparedPipeline::Statement)
            }
            _ => engine.prepare(statement, scope).map(PreparedPipeline::Statement),
        }
    }

    /// Takes over what a refresh left behind, after its transaction was committed.
    pub fn committed(&mut self, after: AfterCommit, commit: &CommitOutcome) {
        let AfterCommit { table, mut state, spec, outcome, placement } = after;
        // An index that does not take the outcome over is made anew from the tables at the next refresh.
        if state.accept(&spec, &outcome, placement).is_ok()
            && let Some(version) = commit.version(table)
        {
            self.states.insert(table, (version, state));
        }
    }

    /// Prepares a refresh outside of a statement: by schedule, or by a button.
    ///
    /// # Errors
    /// As for the statement.
    pub fn refresh(
        &mut self,
        engine: &Engine,
        definition: &Definition,
        full: bool,
        trigger: Trigger,
        scope: &Scope<'_>,
    ) -> Result<PreparedPipeline> {
        self.refresh_definition(engine, definition, full, None, trigger, scope)
    }

    fn take_state(&mut self, table: TableId, version: u64) -> Option<CdcState> {
        self.states.remove(&table).filter(|(cached, _)| *cached == version).map(|(_, state)| state)
    }
}

/// The present as a whole number of microseconds, for documents.
fn micros(instant: Timestamp) -> i64 {
    instant.0
}
