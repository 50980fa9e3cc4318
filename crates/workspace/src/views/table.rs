//! A table's page.

use std::sync::Arc;

use lakelet_base::{Diagnostic, Result};
use lakelet_engine::{Parameters, ResultRows, Session, create_statement};
use lakelet_pipelines::{definition_of, definitions, freshness, reports, schedule_text};
use lakelet_protocol::{CommitView, RefreshReport, TableView};
use lakelet_store::{CommitCause, CommitInfo, Table, VersionOrTime};

use super::catalog::{full_name, summary};
use super::find;
use crate::core::Core;

pub(crate) fn table(core: &Core, name: &str) -> Result<TableView> {
    let table = find(core, name)?;
    let definition = definition_of(&core.store, table.id)?;
    let reads = match &definition {
        Some(definition) => {
            freshness(&core.store, definition)?.sources.iter().map(|source| full_name(&source.name)).collect()
        }
        None => Vec::new(),
    };
    Ok(TableView {
        summary: summary(core, &table)?,
        history: table.history().into_iter().map(commit_view).collect(),
        properties: table.metadata().properties.iter().map(|(key, value)| (key.clone(), value.clone())).collect(),
        definition: Some(match &definition {
            Some(definition) => definition.statement.clone(),
            None => create_statement(&table),
        }),
        scd_type: definition.as_ref().and_then(|definition| definition.scd_type),
        change_feed_from: table.change_feed_start(),
        comment: table.metadata().comment.clone(),
        schedule: definition.as_ref().and_then(schedule_text),
        reads,
        read_by: readers(core, &table)?.iter().map(|reader| full_name(&reader.table.name)).collect(),
    })
}

/// A pipeline table that reads another.
pub(super) struct Reader {
    /// The reading table.
    pub table: Arc<Table>,
    /// The version it has read to.
    pub read_to: Option<u64>,
}

/// The pipeline tables that read a table.
pub(super) fn readers(core: &Core, table: &Table) -> Result<Vec<Reader>> {
    let mut readers = Vec::new();
    for definition in definitions(&core.store)? {
        let sources = freshness(&core.store, &definition)?.sources;
        let Some(source) = sources.iter().find(|source| source.id == table.id) else { continue };
        if let Some(reader) = core.store.table_by_id(definition.table) {
            readers.push(Reader { table: reader, read_to: source.read_to });
        }
    }
    Ok(readers)
}

pub(crate) fn commit_view(commit: &CommitInfo) -> CommitView {
    let metric = |names: &[&str]| names.iter().find_map(|name| commit.metric(name)).unwrap_or(0);
    let operation = &commit.operation;
    let is_merge = commit.metric("numTargetRowsInserted").is_some();
    CommitView {
        version: commit.version,
        timestamp: commit.timestamp,
        operation: operation.name.clone(),
        parameters: operation.parameters.clone(),
        n_inserted: if is_merge { metric(&["numTargetRowsInserted"]) } else { metric(&["numOutputRows"]) },
        n_updated: metric(&["numTargetRowsUpdated", "numUpdatedRows"]),
        n_deleted: metric(&["numTargetRowsDeleted", "numDeletedRows"]),
        cause: operation.cause.as_ref().and_then(cause_text),
    }
}

/// What made a commit, in words.
fn cause_text(cause: &CommitCause) -> Option<String> {
    let task = cause.task_key.as_ref().map(|task| {
        let run = cause.run_id.map(|run| format!("run {run}, ")).unwrap_or_default();
        let iteration = cause.iteration.map(|index| format!(", iteration {index}")).unwrap_or_default();
        format!("{run}task {task}{iteration}")
    });
    task.or_else(|| cause.refresh_id.map(|refresh| format!("refresh {refresh}"))).or_else(|| cause.statement.clone())
}

pub(crate) fn refreshes(core: &Core, name: &str) -> Result<Vec<RefreshReport>> {
    let table = find(core, name)?;
    reports(&core.store, table.id)
}

/// The rows of a table's version; a view's are computed.
pub(crate) fn rows(core: &Core, name: &str, version: Option<u64>) -> Result<ResultRows> {
    let table = find(core, name)?;
    if !table.kind.has_rows() {
        let text = format!("SELECT * FROM {}", table.name);
        let query = lakelet_syntax::parse_query(&text)?;
        let stand_ins = std::collections::HashMap::new();
        let scope = lakelet_engine::Scope {
            store: &core.store,
            session: &Session::default(),
            now: core.clock.now(),
            parameters: &Parameters::new(),
            limits: &core.limits,
            text: &text,
            stand_ins: &stand_ins,
            view_depth: 0,
        };
        let planned = core.engine.plan_query(&query.query, &scope)?;
        return Ok(ResultRows { schema: planned.schema(), batches: core.engine.rows(&planned)? });
    }
    let snapshot = match version {
        Some(version) => table.snapshot_at(VersionOrTime::Version(version))?,
        None => table.latest(),
    };
    let batches = snapshot.scan(None).collect::<Result<Vec<_>>>()?;
    if batches.iter().map(|batch| batch.num_rows()).sum::<usize>() > core.limits.result_rows_max {
        return Err(Box::new(Diagnostic::new(
            lakelet_base::ErrorClass::LIMIT_EXCEEDED,
            format!("The table has more than {} rows (result_rows_max).", core.limits.result_rows_max),
        )));
    }
    Ok(ResultRows { schema: snapshot.schema(), batches })
}
