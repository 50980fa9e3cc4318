//! One refresh of one table, whatever its kind.

use lakelet_base::{Diagnostic, ErrorClass, Result, TableName};
use lakelet_engine::{Engine, Scope, find_table};
use lakelet_protocol::{RefreshMode, RefreshReport};
use lakelet_store::{Snapshot, TableId, TableKind, Transaction};
use lakelet_syntax::statement::{CreateMaterializedView, Expression, FlowBody, RefreshTable, RefreshTarget, Statement};

use crate::definition::{Definition, definition_of};
use crate::{PipelineOutcome, Pipelines, PreparedPipeline, Trigger, report};

/// A refresh under way: what it writes to and what it says.
pub(crate) struct Refresh {
    /// What will be committed.
    pub transaction: Transaction,
    /// The definition, to be saved with what the refresh learned.
    pub definition: Definition,
    /// The table's name, for the report.
    pub name: TableName,
    /// The rows that stand; `None` for a table that gets its columns from this refresh.
    pub standing: Option<Snapshot>,
    /// The version that a change of the table makes.
    pub next_version: u64,
    /// FULL, or the first.
    pub full: bool,
    /// What started it.
    pub trigger: Trigger,
}

impl Refresh {
    /// The table.
    pub(crate) fn table(&self) -> TableId {
        self.definition.table
    }

    /// A report to be filled in.
    pub(crate) fn report(&self, scope: &Scope<'_>, mode: RefreshMode, reason: impl Into<String>) -> RefreshReport {
        RefreshReport {
            table: self.name.to_string(),
            number: self.definition.n_refreshes + 1,
            at: scope.now,
            mode,
            reason: reason.into(),
            n_read: 0,
            unit: "rows".to_owned(),
            n_source_rows: 0,
            n_inserted: 0,
            n_updated: 0,
            n_deleted: 0,
            touched: None,
            groups: Vec::new(),
            window: None,
            version: None,
            trigger: self.trigger.word().to_owned(),
            error: None,
        }
    }

    /// Saves definition and report, and gives the outcome.
    pub(crate) fn finish(mut self, mut report: RefreshReport, changes_table: bool) -> Result<PipelineOutcome> {
        report.version = changes_table.then_some(self.next_version);
        self.definition.n_refreshes = report.number;
        self.definition.last_refresh = Some(report.at.0);
        if self.trigger == Trigger::Schedule {
            self.definition.serve_schedule(report.at);
        }
        self.definition.save(&mut self.transaction)?;
        report::save(self.table(), &report, &mut self.transaction)?;
        let outcome = lakelet_engine::Outcome { transaction: Some(self.transaction), ..Default::default() };
        Ok(PipelineOutcome { outcome, report: Some(report), after: None })
    }
}

impl Pipelines {
    pub(crate) fn refresh_statement(
        &mut self,
        engine: &Engine,
        refresh: &RefreshTable,
        scope: &Scope<'_>,
    ) -> Result<PreparedPipeline> {
        if let (true, Some(predicate)) = (refresh.full, &refresh.predicate) {
            return Err(Box::new(
                Diagnostic::new(
                    ErrorClass::new("INVALID_REFRESH_PREDICATE", "42601"),
                    "FULL makes the whole table anew, WHERE only some of its rows: REFRESH takes one of them.",
                )
                .at(predicate.span)
                .hint("Leave FULL out to replace the rows of the predicate, or WHERE to replace all rows."),
            ));
        }
        let name = scope.session.qualify(&refresh.name.parts);
        let table = find_table(scope, &name, &refresh.name.parts)
            .map_err(|diagnostic| Box::new(diagnostic.at(refresh.name.span)))?;
        let (fits, right) = match (&table.kind, refresh.target) {
            (_, RefreshTarget::Unspecified)
            | (TableKind::StreamingTable, RefreshTarget::StreamingTable)
            | (TableKind::MaterializedView, RefreshTarget::MaterializedView) => (true, ""),
            (TableKind::StreamingTable, _) => (false, "REFRESH STREAMING TABLE"),
            (TableKind::MaterializedView, _) => (false, "REFRESH MATERIALIZED VIEW"),
            _ => (false, ""),
        };
        let definition = definition_of(scope.store, table.id)?;
        let Some(definition) = definition.filter(|_| fits) else {
            let diagnostic = Diagnostic::new(
                ErrorClass::new("WRONG_COMMAND_FOR_OBJECT_TYPE", "42809"),
                format!("{name} cannot be refreshed this way."),
            )
            .at(refresh.name.span);
            let hint = if right.is_empty() {
                "Plain tables and views are always up to date.".to_owned()
            } else {
                format!("Use {right}.")
            };
            return Err(Box::new(diagnostic.hint(hint)));
        };
        self.refresh_definition(
            engine,
            &definition,
            refresh.full,
            refresh.predicate.as_ref(),
            Trigger::Statement,
            scope,
        )
    }

    pub(crate) fn refresh_definition(
        &mut self,
        engine: &Engine,
        definition: &Definition,
        full: bool,
        predicate: Option<&Expression>,
        trigger: Trigger,
        scope: &Scope<'_>,
    ) -> Result<PreparedPipeline> {
        let Some(table) = scope.store.table_by_id(definition.table) else {
            return Err(Box::new(Diagnostic::internal("a definition without its table")));
        };
        let refresh = Refresh {
            transaction: scope.store.begin(),
            definition: definition.clone(),
            name: table.name.clone(),
            standing: Some(table.latest()),
            next_version: table.latest_version() + 1,
            full,
            trigger,
        };
        self.run_flow(engine, refresh, predicate, scope)
    }

    /// Runs the one flow of a table.
    pub(crate) fn run_flow(
        &mut self,
        engine: &Engine,
        refresh: Refresh,
        predicate: Option<&Expression>,
        scope: &Scope<'_>,
    ) -> Result<PreparedPipeline> {
        let Some(flow) = refresh.definition.flows.first() else {
            return Err(Box::new(
                Diagnostic::new(
                    ErrorClass::new("STREAMING_TABLE_WITHOUT_FLOW", "42000"),
                    format!("{} has no flow yet, so there is nothing to refresh it from.", refresh.name),
                )
                .hint("Give it one with CREATE FLOW … AS …."),
            ));
        };
        let text = flow.statement.clone();
        let session = refresh.definition.session();
        let inner = Scope { session: &session, text: &text, ..*scope };
        let statement = lakelet_syntax::parse_statement(&text)?;
        let body = flow_of(&statement)?;
        if predicate.is_some() && !matches!(body, Body::Flow(FlowBody::ReplaceWhere(_))) {
            return Err(Box::new(
                Diagnostic::new(
                    ErrorClass::new("INVALID_REFRESH_PREDICATE", "42601"),
                    format!("REFRESH … WHERE is for tables with a REPLACE WHERE flow; {} has none.", refresh.name),
                )
                .at(predicate.map(|predicate| predicate.span).unwrap_or_default()),
            ));
        }
        match body {
            Body::Flow(FlowBody::AutoCdc(flow)) => self.refresh_auto_cdc(engine, refresh, flow, &inner),
            Body::Flow(FlowBody::ReplaceWhere(flow)) => {
                crate::replace_where::refresh(engine, refresh, flow, predicate, &inner)
            }
            Body::Flow(FlowBody::Append(flow)) => crate::append::refresh(engine, refresh, flow, &inner),
            Body::View(create) => crate::view::refresh(engine, refresh, create, &inner),
        }
    }
}

/// What makes the rows.
pub(crate) enum Body<'a> {
    /// A streaming table's flow.
    Flow(&'a FlowBody),
    /// A materialized view's query.
    View(&'a CreateMaterializedView),
}

/// The flow or query in the statement that defined it.
pub(crate) fn flow_of(statement: &Statement) -> Result<Body<'_>> {
    match statement {
        Statement::CreateStreamingTable(create) => match &create.flow {
            Some(flow) => Ok(Body::Flow(&flow.body)),
            None => Err(Box::new(Diagnostic::internal("a flow definition without a flow"))),
        },
        Statement::CreateFlow(create) => Ok(Body::Flow(&create.flow.body)),
        Statement::CreateMaterializedView(create) => Ok(Body::View(create)),
        _ => Err(Box::new(Diagnostic::internal("a definition that defines nothing"))),
    }
}
