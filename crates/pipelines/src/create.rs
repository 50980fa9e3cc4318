//! Making, changing and dropping pipeline tables.

use std::collections::BTreeMap;
use std::sync::Arc;

use lakelet_base::{Diagnostic, ErrorClass, Result, TableName};
use lakelet_engine::{
    Engine, Outcome, Prepared, Scope, Session, find_table, new_table_name, query_columns, refuse_twice,
};
use lakelet_store::{Column, Operation, Table, TableId, TableKind, TableMetadata, TableSpec, Transaction};
use lakelet_syntax::statement::{
    ColumnDefinition, CreateFlow, CreateMaterializedView, CreateStreamingTable, Expectation, FlowBody, Name,
};

use crate::definition::{Checkpoint, Definition, FlowDefinition, ScheduleDefinition, definition_of, forget};
use crate::refresh::{Body, Refresh, flow_of};
use crate::view::{incremental_technique, is_strict, not_incremental};
use crate::{Pipelines, PreparedPipeline, Trigger, append, auto_cdc, replace_where, report};

impl Pipelines {
    pub(crate) fn create_streaming_table(
        &mut self,
        engine: &Engine,
        create: &CreateStreamingTable,
        scope: &Scope<'_>,
    ) -> Result<PreparedPipeline> {
        refuse_expectations(&create.expectations, &create.name)?;
        let name = new_table_name(&create.name, scope)?;
        let standing = scope.store.table(&name);
        if let Some(standing) = standing {
            if create.if_not_exists {
                return Ok(nothing());
            }
            if !create.or_refresh || standing.kind != TableKind::StreamingTable {
                return Err(exists(&create.name, "CREATE OR REFRESH STREAMING TABLE"));
            }
            return self.redefine_streaming_table(engine, create, &standing, scope);
        }
        let mut transaction = scope.store.begin();
        let columns = self.streaming_columns(engine, create, scope)?;
        refuse_twice(&columns, create.name.span)?;
        let metadata = TableMetadata {
            properties: Arc::new(create.properties.iter().cloned().collect::<BTreeMap<_, _>>()),
            comment: create.comment.clone(),
            ..TableMetadata::new(columns)
        };
        let table =
            transaction.create_table(TableSpec { name: name.clone(), kind: TableKind::StreamingTable, metadata });
        let mut definition = Definition::new(table, scope.text, scope.session);
        definition.schedule =
            create.schedule.as_ref().map(|schedule| ScheduleDefinition::new(schedule, scope.now)).transpose()?;
        let Some(flow) = &create.flow else {
            transaction.commit_info(table, Operation::new("CREATE STREAMING TABLE"));
            definition.save(&mut transaction)?;
            return Ok(committed(transaction));
        };
        definition.flows.push(FlowDefinition {
            name: name.name.clone(),
            statement: scope.text.to_owned(),
            checkpoint: Checkpoint::new(),
            finished: false,
        });
        if let FlowBody::AutoCdc(cdc) = &flow.body {
            let planned = auto_cdc::plan_flow(engine, cdc, &Checkpoint::new(), scope)?;
            planned.describe(&mut definition);
            definition.events_table = Some(auto_cdc::create_events_table(&planned, &name, table, &mut transaction).0);
        }
        transaction.commit_info(table, Operation::new("CREATE STREAMING TABLE"));
        self.run_flow(engine, first_refresh(transaction, definition, name, 0), None, scope)
    }

    /// The columns of a new streaming table: its flow's, checked against those that are declared.
    fn streaming_columns(
        &mut self,
        engine: &Engine,
        create: &CreateStreamingTable,
        scope: &Scope<'_>,
    ) -> Result<Vec<Column>> {
        let n_typed = create.columns.iter().filter(|column| column.data_type.is_some()).count();
        let typed = n_typed == create.columns.len();
        let appends = create.flow.as_ref().is_none_or(|flow| matches!(flow.body, FlowBody::Append(_)));
        let refused = match (typed, n_typed) {
            (false, 0) if !appends => {
                Some("a list of column names without types before an AUTO CDC or REPLACE WHERE flow")
            }
            (false, 1..) => Some("a list of columns of which only some have types"),
            _ => None,
        };
        if let Some(refused) = refused {
            return Err(Box::new(
                Diagnostic::unsupported(refused)
                    .at(create.name.span)
                    .hint("Give all columns their types, or leave them to the flow."),
            ));
        }
        let declared =
            if typed && !create.columns.is_empty() { Some(engine.columns(&create.columns, scope)?) } else { None };
        let Some(flow) = &create.flow else {
            // Without columns, its flow will give it some.
            return match (declared, create.columns.is_empty()) {
                (Some(declared), _) => Ok(declared),
                (None, true) => Ok(Vec::new()),
                (None, false) => Err(Box::new(
                    Diagnostic::unsupported("a streaming table without a flow whose columns have no types")
                        .at(create.name.span)
                        .hint("Give all columns their types, or leave them to the flow."),
                )),
            };
        };
        let from_flow = flow_columns(engine, &flow.body, if typed { &[] } else { &create.columns }, scope)?;
        let Some(declared) = declared else { return Ok(from_flow) };
        let same = declared.len() == from_flow.len()
            && declared.iter().zip(&from_flow).all(|(declared, flow)| {
                lakelet_base::same_name(&declared.name, &flow.name) && declared.data_type == flow.data_type
            });
        if same {
            return Ok(declared);
        }
        let listed: Vec<String> = from_flow
            .iter()
            .map(|column| format!("{} {}", column.name, lakelet_types::sql_name(&column.data_type)))
            .collect();
        Err(Box::new(
            Diagnostic::new(
                ErrorClass::new("USER_SPECIFIED_AND_INFERRED_SCHEMA_NOT_COMPATIBLE", "42000"),
                format!("The declared columns are not those that the flow gives: {}.", listed.join(", ")),
            )
            .at(create.name.span),
        ))
    }

    /// CREATE OR REFRESH of a table that is there: rows stay, the new definition applies from here on.
    fn redefine_streaming_table(
        &mut self,
        engine: &Engine,
        create: &CreateStreamingTable,
        table: &Table,
        scope: &Scope<'_>,
    ) -> Result<PreparedPipeline> {
        let Some(mut definition) = definition_of(scope.store, table.id)? else {
            return Err(Box::new(Diagnostic::internal("a streaming table without a definition")));
        };
        definition.statement = scope.text.to_owned();
        definition.schedule =
            create.schedule.as_ref().map(|schedule| ScheduleDefinition::new(schedule, scope.now)).transpose()?;
        let mut transaction = scope.store.begin();
        self.redefine_metadata(engine, create, table, &mut transaction, scope)?;
        let Some(flow) = &create.flow else {
            definition.save(&mut transaction)?;
            return Ok(committed(transaction));
        };
        let mut checkpoint = definition.flows.first().map(|flow| flow.checkpoint.clone()).unwrap_or_default();
        if let Some(standing) = definition.flows.first() {
            let statement = lakelet_syntax::parse_statement(&standing.statement)?;
            let Body::Flow(before) = flow_of(&statement)? else {
                return Err(Box::new(Diagnostic::internal("a streaming table that is made as a view")));
            };
            if std::mem::discriminant(before) != std::mem::discriminant(&flow.body) {
                return Err(Box::new(
                    Diagnostic::unsupported("another kind of flow for a table that has rows of the present one")
                        .at(flow.span)
                        .hint("Drop the table and create it again."),
                ));
            }
            let named_before: Vec<_> = stream_names(before, &definition.session()).map(|name| name.key()).collect();
            if !stream_names(&flow.body, scope.session).any(|name| named_before.contains(&name.key())) {
                // All sources are others: that an earlier one is gone is no matter.
                checkpoint.retain(|id, _| scope.store.table_by_id(TableId(*id)).is_some());
            }
        }
        definition.catalog.clone_from(&scope.session.catalog);
        definition.schema.clone_from(&scope.session.schema);
        if let FlowBody::AutoCdc(cdc) = &flow.body {
            let planned = auto_cdc::plan_flow(engine, cdc, &checkpoint, scope)?;
            let had_flow = definition.events_table.is_some();
            planned.check_drift(&definition, scope).map_err(|error| {
                Box::new(
                    error.at(create.name.span).hint("Drop the table and create it again, or restore the definition."),
                )
            })?;
            planned.describe(&mut definition);
            if !had_flow {
                let events = auto_cdc::create_events_table(&planned, &table.name, table.id, &mut transaction);
                definition.events_table = Some(events.0);
            }
        }
        definition.flows = vec![FlowDefinition {
            name: table.name.name.clone(),
            statement: scope.text.to_owned(),
            checkpoint,
            finished: false,
        }];
        let refresh = Refresh {
            transaction,
            definition,
            name: table.name.clone(),
            standing: Some(table.latest()),
            next_version: table.latest_version() + 1,
            full: false,
            trigger: Trigger::Create,
        };
        self.run_flow(engine, refresh, None, scope)
    }

    /// Columns that are declared have to be the table's; comment and properties are taken over.
    fn redefine_metadata(
        &self,
        engine: &Engine,
        create: &CreateStreamingTable,
        table: &Table,
        transaction: &mut Transaction,
        scope: &Scope<'_>,
    ) -> Result<()> {
        let before = table.metadata();
        if !before.columns.is_empty() && create.columns.iter().any(|column| column.data_type.is_some()) {
            let declared = engine.columns(&create.columns, scope)?;
            let same = declared.len() == before.columns.len()
                && declared.iter().zip(before.columns.iter()).all(|(declared, column)| {
                    lakelet_base::same_name(&declared.name, &column.name) && declared.data_type == column.data_type
                });
            if !same {
                return Err(Box::new(
                    Diagnostic::new(
                        ErrorClass::new("STREAMING_TABLE_SCHEMA_CHANGED", "42000"),
                        format!("The declared columns are not those that {} has.", table.name),
                    )
                    .at(create.name.span)
                    .hint("Drop the table and create it again."),
                ));
            }
        }
        let mut properties = (*before.properties).clone();
        properties.extend(create.properties.iter().cloned());
        let comment = create.comment.clone().or_else(|| before.comment.clone());
        if properties == *before.properties && comment == before.comment {
            return Ok(());
        }
        transaction
            .set_metadata(table.id, TableMetadata { properties: Arc::new(properties), comment, ..(**before).clone() });
        transaction.commit_info(table.id, Operation::new("CREATE OR REFRESH STREAMING TABLE"));
        Ok(())
    }

    pub(crate) fn create_flow(
        &mut self,
        engine: &Engine,
        create: &CreateFlow,
        scope: &Scope<'_>,
    ) -> Result<PreparedPipeline> {
        let name = scope.session.qualify(&create.target.parts);
        let table = find_table(scope, &name, &create.target.parts)
            .map_err(|diagnostic| Box::new(diagnostic.at(create.target.span)))?;
        let definition = definition_of(scope.store, table.id)?.filter(|_| table.kind == TableKind::StreamingTable);
        let Some(mut definition) = definition else {
            return Err(Box::new(
                Diagnostic::new(
                    ErrorClass::new("WRONG_COMMAND_FOR_OBJECT_TYPE", "42809"),
                    format!("A flow writes a streaming table, and {name} is none."),
                )
                .at(create.target.span)
                .hint("Make it with CREATE OR REFRESH STREAMING TABLE."),
            ));
        };
        if !definition.flows.is_empty() {
            let condition = match &create.flow.body {
                FlowBody::AutoCdc(_) => "AUTOCDC_MULTIPLE_FLOWS_TO_TARGET",
                _ => "UNSUPPORTED_FEATURE",
            };
            return Err(Box::new(
                Diagnostic::new(
                    ErrorClass::new(condition, "42000"),
                    format!("{name} has a flow already; here a table takes exactly one flow."),
                )
                .at(create.target.span)
                .hint("Union the sources in one flow's query."),
            ));
        }
        let mut transaction = scope.store.begin();
        if let FlowBody::AutoCdc(cdc) = &create.flow.body {
            let planned = auto_cdc::plan_flow(engine, cdc, &Checkpoint::new(), scope)?;
            planned.describe(&mut definition);
            definition.events_table =
                Some(auto_cdc::create_events_table(&planned, &name, table.id, &mut transaction).0);
        }
        let mut standing = Some(table.latest());
        if table.metadata().columns.is_empty() {
            let columns = flow_columns(engine, &create.flow.body, &[], scope)?;
            refuse_twice(&columns, create.flow.span)?;
            transaction
                .set_metadata(table.id, TableMetadata { columns: columns.into(), ..(**table.metadata()).clone() });
            standing = None;
        }
        let flow_name = create.name.parts.last().cloned().unwrap_or_default();
        definition.catalog.clone_from(&scope.session.catalog);
        definition.schema.clone_from(&scope.session.schema);
        definition.flows.push(FlowDefinition {
            name: flow_name,
            statement: scope.text.to_owned(),
            checkpoint: Checkpoint::new(),
            finished: false,
        });
        let refresh = Refresh { standing, ..first_refresh(transaction, definition, name, table.latest_version() + 1) };
        self.run_flow(engine, refresh, None, scope)
    }

    pub(crate) fn create_materialized_view(
        &mut self,
        engine: &Engine,
        create: &CreateMaterializedView,
        scope: &Scope<'_>,
    ) -> Result<PreparedPipeline> {
        refuse_expectations(&create.expectations, &create.name)?;
        let name = new_table_name(&create.name, scope)?;
        let standing = scope.store.table(&name);
        if let Some(standing) = &standing {
            if create.if_not_exists {
                return Ok(nothing());
            }
            if !create.or_replace || standing.kind != TableKind::MaterializedView {
                return Err(exists(&create.name, "CREATE OR REPLACE MATERIALIZED VIEW"));
            }
        }
        let planned = engine.plan_query(&create.query.query, scope)?;
        if is_strict(create)
            && let Err(reason) = incremental_technique(&planned)
        {
            return Err(Box::new(not_incremental(&reason).at(create.query.span)));
        }
        let columns = query_columns(&planned.schema(), &create.columns, create.query.span)?;
        refuse_twice(&columns, create.name.span)?;
        if !create.columns.is_empty()
            && columns
                .iter()
                .zip(&planned.columns)
                .any(|(column, query)| !lakelet_base::same_name(&column.name, &query.name))
        {
            return Err(Box::new(
                Diagnostic::unsupported("a column list that renames a materialized view's columns")
                    .at(create.name.span)
                    .hint("Give the columns their names in the query, with AS."),
            ));
        }
        let metadata = TableMetadata {
            properties: Arc::new(create.properties.iter().cloned().collect::<BTreeMap<_, _>>()),
            comment: create.comment.clone(),
            ..TableMetadata::new(columns)
        };
        let mut transaction = scope.store.begin();
        let table = match &standing {
            Some(standing) => {
                // A view with a new definition is another view: its history ends.
                transaction.drop_table(standing.id);
                forget(standing.id, &mut transaction);
                report::forget(scope.store, standing.id, &mut transaction);
                transaction.create_table(TableSpec { name: name.clone(), kind: TableKind::MaterializedView, metadata })
            }
            None => {
                transaction.create_table(TableSpec { name: name.clone(), kind: TableKind::MaterializedView, metadata })
            }
        };
        let mut definition = Definition::new(table, scope.text, scope.session);
        definition.schedule =
            create.schedule.as_ref().map(|schedule| ScheduleDefinition::new(schedule, scope.now)).transpose()?;
        definition.flows.push(FlowDefinition {
            name: name.name.clone(),
            statement: scope.text.to_owned(),
            checkpoint: Checkpoint::new(),
            finished: false,
        });
        self.run_flow(engine, first_refresh(transaction, definition, name, 0), None, scope)
    }
}

/// The columns that a flow gives a table that has none.
fn flow_columns(
    engine: &Engine,
    flow: &FlowBody,
    names: &[ColumnDefinition],
    scope: &Scope<'_>,
) -> Result<Vec<Column>> {
    match flow {
        FlowBody::AutoCdc(cdc) => Ok(auto_cdc::plan_flow(engine, cdc, &Checkpoint::new(), scope)?.target_columns()),
        FlowBody::ReplaceWhere(replace) => {
            query_columns(&replace_where::plan(engine, replace, scope)?.schema(), &[], replace.query.span)
        }
        FlowBody::Append(append) => {
            let (planned, _, _) = append::plan(engine, append, &Checkpoint::new(), scope)?;
            query_columns(&planned.schema(), names, append.query.span)
        }
    }
}

/// The tables that a flow streams.
fn stream_names<'a>(flow: &'a FlowBody, session: &'a Session) -> impl Iterator<Item = TableName> + 'a {
    let query = match flow {
        FlowBody::Append(append) => &append.query,
        FlowBody::AutoCdc(cdc) => &cdc.source,
        FlowBody::ReplaceWhere(replace) => &replace.query,
    };
    query.streams.iter().map(|stream| session.qualify(&stream.table.parts))
}

/// The refresh that fills a table for the first time.
fn first_refresh(transaction: Transaction, definition: Definition, name: TableName, next_version: u64) -> Refresh {
    Refresh { transaction, definition, name, standing: None, next_version, full: false, trigger: Trigger::Create }
}

/// Expectations would have to be checked at every refresh; taking them and not checking them would be worse than refusing.
fn refuse_expectations(expectations: &[Expectation], name: &Name) -> Result<()> {
    if expectations.is_empty() {
        return Ok(());
    }
    Err(Box::new(
        Diagnostic::unsupported("expectations (CONSTRAINT … EXPECT)")
            .at(name.span)
            .hint("Filter the rows in the flow's query instead."),
    ))
}

fn nothing() -> PreparedPipeline {
    PreparedPipeline::Statement(Prepared::Done(Box::default()))
}

fn committed(transaction: Transaction) -> PreparedPipeline {
    PreparedPipeline::Statement(Prepared::Done(Box::new(Outcome {
        transaction: Some(transaction),
        ..Outcome::default()
    })))
}

fn exists(name: &Name, right: &str) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::new(
            ErrorClass::TABLE_OR_VIEW_ALREADY_EXISTS,
            format!("Cannot create `{}` because a table or view of that name already exists.", name.parts.join("`.`")),
        )
        .at(name.span)
        .hint(format!("Use {right} where it is of that kind, or drop it first.")),
    )
}
