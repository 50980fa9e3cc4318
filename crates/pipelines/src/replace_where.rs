//! Refreshing a table with a REPLACE WHERE flow.

use arrow::array::RecordBatch;
use lakelet_base::{Diagnostic, ErrorClass, Result, same_name};
use lakelet_engine::{Engine, PlannedQuery, Scope};
use lakelet_protocol::RefreshMode;
use lakelet_store::{Column, Operation};
use lakelet_syntax::statement::{Expression, ReplaceWhereFlow};

use crate::PreparedPipeline;
use crate::refresh::Refresh;

/// The query's columns: those of a table that the flow makes.
pub(crate) fn plan(engine: &Engine, flow: &ReplaceWhereFlow, scope: &Scope<'_>) -> Result<PlannedQuery> {
    engine.plan_query(&flow.query.query, scope)
}

pub(crate) fn refresh(
    engine: &Engine,
    mut refresh: Refresh,
    flow: &ReplaceWhereFlow,
    once: Option<&Expression>,
    scope: &Scope<'_>,
) -> Result<PreparedPipeline> {
    let predicate = once.unwrap_or(&flow.predicate);
    let id = refresh.table();
    let source = plan(engine, flow, scope)?;
    let columns: Vec<Column> = match &refresh.standing {
        Some(standing) => standing.columns.to_vec(),
        None => source.columns.iter().map(|column| Column::from_field(&column.field)).collect(),
    };
    let positions = by_name(&source, &columns, flow)?;
    let alias = refresh.name.name.clone();
    // The predicate's text may stand in REFRESH, the query's in the definition.
    let planned = engine.plan_replacement(&source, &columns, &positions, &predicate.expr, &alias, scope)?;
    let gone = match &refresh.standing {
        Some(standing) if refresh.full => standing.n_rows() as u64,
        Some(standing) => {
            let rows = engine.matching_rows(standing, &alias, &predicate.expr, scope)?;
            refresh.transaction.delete_rows(id, &rows);
            rows.len() as u64
        }
        None => 0,
    };
    if refresh.full && refresh.standing.is_some() {
        refresh.transaction.delete_all(id);
    }
    let n_outside = refresh.standing.as_ref().map_or(0, |standing| standing.n_rows() as u64) - gone;
    let execution = engine.execute(&planned)?;
    let names = Box::new(planned.names.clone());
    let schema = planned.schema();
    let (mode, reason) = match (&refresh.standing, refresh.full) {
        (None, _) => (RefreshMode::Full, "the first refresh".to_owned()),
        (Some(_), true) => (RefreshMode::Full, "FULL was asked for".to_owned()),
        (Some(_), false) => (
            RefreshMode::Incremental,
            format!("the rows inside the predicate were replaced, {n_outside} outside stayed"),
        ),
    };
    let mut report = refresh.report(scope, mode, reason);
    report.n_deleted = gone;
    report.window = Some(window_text(&predicate.text, scope));
    if let Some(known) = refresh.definition.flows.first_mut() {
        known.checkpoint = crate::freshness::versions_read(&source, scope);
    }
    let finish = Box::new(move |batches: Vec<RecordBatch>| {
        for batch in batches.iter().filter(|batch| batch.num_rows() > 0) {
            report.n_inserted += batch.num_rows() as u64;
            refresh.transaction.add_batch(id, lakelet_engine::canonical_rows(batch, &schema)?);
        }
        report.n_read = report.n_inserted;
        report.n_source_rows = report.n_inserted;
        let operation = Operation::new("STREAMING UPDATE")
            .parameter("predicate", report.window.clone().unwrap_or_default())
            .metric("numOutputRows", report.n_inserted)
            .metric("numDeletedRows", report.n_deleted);
        refresh.transaction.commit_info(id, operation);
        refresh.finish(report, true)
    });
    Ok(PreparedPipeline::Refresh { execution, finish, names })
}

/// For each column of the table the column of the query that has its name.
fn by_name(source: &PlannedQuery, columns: &[Column], flow: &ReplaceWhereFlow) -> Result<Vec<Option<usize>>> {
    for column in &source.columns {
        if !columns.iter().any(|target| same_name(&target.name, &column.name)) {
            return Err(Box::new(
                Diagnostic::new(
                    ErrorClass::new("INCOMPATIBLE_DATA_FOR_TABLE.EXTRA_COLUMNS", "KD000"),
                    format!("The query has a column `{}` that the table does not have.", column.name),
                )
                .at(flow.query.span),
            ));
        }
    }
    Ok(columns
        .iter()
        .map(|target| source.columns.iter().position(|column| same_name(&target.name, &column.name)))
        .collect())
}

/// The predicate with the clock's value filled in.
fn window_text(predicate: &str, scope: &Scope<'_>) -> String {
    let (year, month, day) = scope.now.date();
    predicate
        .replace("current_date()", &format!("'{year:04}-{month:02}-{day:02}'"))
        .replace("current_timestamp()", &format!("'{}'", scope.now))
}
