//! Refreshing a table whose flow appends: `AS SELECT … FROM STREAM t`.

use arrow::array::RecordBatch;
use lakelet_base::{Diagnostic, ErrorClass, Result, same_name};
use lakelet_engine::{Engine, PlannedQuery, Scope, canonical_rows};
use lakelet_protocol::RefreshMode;
use lakelet_store::{Column, Operation};
use lakelet_syntax::statement::AppendFlow;

use crate::PreparedPipeline;
use crate::refresh::Refresh;
use crate::source::{new_rows, refuse_plain_reads};

/// Plans the flow's query over what it has not read.
pub(crate) fn plan(
    engine: &Engine,
    flow: &AppendFlow,
    checkpoint: &crate::definition::Checkpoint,
    scope: &Scope<'_>,
) -> Result<(PlannedQuery, crate::definition::Checkpoint, u64)> {
    if flow.query.streams.is_empty() && !flow.once {
        return Err(Box::new(
            Diagnostic::new(
                ErrorClass::new("INVALID_FLOW_QUERY_TYPE.BATCH_RELATION_FOR_STREAMING_TABLE", "42000"),
                "A streaming table is filled from a stream, and this query reads none.",
            )
            .at(flow.query.span)
            .hint("Write FROM STREAM and the table's name, or make it a materialized view."),
        ));
    }
    let unread = new_rows(&flow.query.streams, checkpoint, false, scope)?;
    let inner = Scope { stand_ins: &unread.stand_ins, ..*scope };
    let planned = engine.plan_query(&flow.query.query, &inner)?;
    refuse_plain_reads(&flow.query.streams, &planned, scope)?;
    Ok((planned, unread.checkpoint, unread.n_rows))
}

pub(crate) fn refresh(
    engine: &Engine,
    mut refresh: Refresh,
    flow: &AppendFlow,
    scope: &Scope<'_>,
) -> Result<PreparedPipeline> {
    let known = refresh.definition.flows.first();
    let checkpoint = known.filter(|_| !refresh.full).map(|flow| flow.checkpoint.clone()).unwrap_or_default();
    let ran = flow.once && known.is_some_and(|flow| flow.finished) && !refresh.full;
    if ran {
        let report = refresh.report(scope, RefreshMode::NoChange, "its flow runs ONCE and has run");
        return Ok(PreparedPipeline::Nothing(Box::new(refresh.finish(report, false)?)));
    }
    let (planned, checkpoint, n_unread) = plan(engine, flow, &checkpoint, scope)?;
    if let Some(standing) = &refresh.standing {
        check_columns(&refresh, &planned, &standing.columns)?;
    }
    if let Some(known) = refresh.definition.flows.first_mut() {
        known.checkpoint = checkpoint;
        known.finished = flow.once;
    }
    let first = refresh.standing.is_none();
    if refresh.full && !first {
        let table = refresh.table();
        refresh.transaction.delete_all(table);
    }
    let execution = engine.execute(&planned)?;
    let names = Box::new(planned.names.clone());
    let schema = planned.schema();
    let mut report = refresh.report(scope, RefreshMode::Incremental, "only rows that were not read before");
    report.n_read = n_unread;
    report.n_source_rows = n_unread;
    let finish = Box::new(move |batches: Vec<RecordBatch>| {
        let table = refresh.table();
        for batch in batches.iter().filter(|batch| batch.num_rows() > 0) {
            report.n_inserted += batch.num_rows() as u64;
            refresh.transaction.add_batch(table, canonical_rows(batch, &schema)?);
        }
        let whole = first || refresh.full;
        if whole {
            report.mode = RefreshMode::Full;
            report.reason =
                if first { "the first refresh reads everything there is" } else { "FULL was asked for" }.to_owned();
        } else if n_unread == 0 {
            report.mode = RefreshMode::NoChange;
            report.reason = "there was nothing new to read".to_owned();
        }
        let changes = whole || report.n_inserted > 0;
        if changes {
            refresh
                .transaction
                .commit_info(table, Operation::new("STREAMING UPDATE").metric("numOutputRows", report.n_inserted));
        }
        refresh.finish(report, changes)
    });
    Ok(PreparedPipeline::Refresh { execution, finish, names })
}

/// Refuses a query whose columns are not the table's any more.
pub(crate) fn check_columns(refresh: &Refresh, planned: &PlannedQuery, columns: &[Column]) -> Result<()> {
    let same =
        planned.columns.len() == columns.len()
            && planned.columns.iter().zip(columns).all(|(query, table)| {
                same_name(&query.name, &table.name) && *query.field.data_type() == table.data_type
            });
    if same {
        return Ok(());
    }
    Err(Box::new(
        Diagnostic::new(
            ErrorClass::new("STREAMING_TABLE_SCHEMA_CHANGED", "42000"),
            format!("The query of {} gives other columns than the table has.", refresh.name),
        )
        .hint("Drop the table and create it again, or name the columns in the query."),
    ))
}
