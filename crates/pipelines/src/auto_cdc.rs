//! Refreshing a table with an AUTO CDC flow.

use std::sync::Arc;

use arrow::array::{Array, AsArray, BooleanArray, RecordBatch};
use arrow::compute::concat_batches;
use arrow::datatypes::{DataType, Schema};
use lakelet_base::{Diagnostic, ErrorClass, Result};
use lakelet_cdc::{
    ApplyOptions, AutoCdcSpec, CdcState, ChangeBatch, ColumnSelection, EVENT_SEQUENCE, Placement, ResolvedSpec,
    ScdType, StateDefinition, StoredRows, apply_changes,
};
use lakelet_engine::{Engine, PlannedQuery, Scope, canonical_rows};
use lakelet_protocol::{RefreshGroup, RefreshMode};
use lakelet_store::{
    ChangeType, Column, Operation, Snapshot, TableId, TableKind, TableMetadata, TableSpec, row_addresses,
};
use lakelet_syntax::statement::{self, AutoCdcFlow, IgnoreNullUpdates};

use crate::refresh::Refresh;
use crate::report::GROUPS_MAX;
use crate::source::{new_rows, refuse_plain_reads};
use crate::{AfterCommit, PipelineOutcome, Pipelines, PreparedPipeline};

/// A flow's source, planned with its sequence and conditions as last columns.
pub(crate) struct PlannedFlow {
    query: PlannedQuery,
    spec: ResolvedSpec,
    has_delete: bool,
    has_truncate: bool,
    n_unread: u64,
    checkpoint: crate::definition::Checkpoint,
}

/// Plans what a flow has not read yet, and checks its definition.
pub(crate) fn plan_flow(
    engine: &Engine,
    flow: &AutoCdcFlow,
    checkpoint: &crate::definition::Checkpoint,
    scope: &Scope<'_>,
) -> Result<PlannedFlow> {
    if flow.source.streams.is_empty() {
        return Err(Box::new(
            Diagnostic::new(
                ErrorClass::new("INVALID_FLOW_QUERY_TYPE.BATCH_RELATION_FOR_STREAMING_TABLE", "42000"),
                "An AUTO CDC flow reads a stream, and its source is none.",
            )
            .at(flow.source.span)
            .hint("Write FROM STREAM and the table's name."),
        ));
    }
    let unread = new_rows(&flow.source.streams, checkpoint, true, scope)?;
    let inner = Scope { stand_ins: &unread.stand_ins, ..*scope };
    let mut expressions = vec![&flow.sequence_by.expr];
    expressions.extend(flow.apply_as_delete_when.iter().map(|condition| &condition.expr));
    expressions.extend(flow.apply_as_truncate_when.iter().map(|condition| &condition.expr));
    let query = engine.plan_query_with(&flow.source.query, &expressions, &inner)?;
    refuse_plain_reads(&flow.source.streams, &query, scope)?;
    let schema = query.schema();
    let n_columns = schema.fields().len() - expressions.len();
    for (condition, clause) in [(&flow.apply_as_delete_when, "DELETE"), (&flow.apply_as_truncate_when, "TRUNCATE")] {
        let Some(condition) = condition else { continue };
        let position = n_columns + if clause == "DELETE" || flow.apply_as_delete_when.is_none() { 1 } else { 2 };
        if !matches!(schema.field(position).data_type(), DataType::Boolean | DataType::Null) {
            return Err(Box::new(
                Diagnostic::new(
                    ErrorClass::new("DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN", "42K09"),
                    format!("APPLY AS {clause} WHEN takes a condition, and this is none."),
                )
                .at(condition.span),
            ));
        }
    }
    // All columns may be NULL in events: a delete need not carry values.
    let source = Schema::new(
        schema.fields()[..n_columns].iter().map(|field| field.as_ref().clone().with_nullable(true)).collect::<Vec<_>>(),
    );
    let spec = spec_of(flow).resolve(&source, schema.field(n_columns).data_type())?;
    Ok(PlannedFlow {
        query,
        spec,
        has_delete: flow.apply_as_delete_when.is_some(),
        has_truncate: flow.apply_as_truncate_when.is_some(),
        n_unread: unread.n_rows,
        checkpoint: unread.checkpoint,
    })
}

fn spec_of(flow: &AutoCdcFlow) -> AutoCdcSpec {
    let names = |list: &[(String, lakelet_base::Span)]| list.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    let selection = |selection: &statement::ColumnSelection| match selection {
        statement::ColumnSelection::Only(list) => ColumnSelection::Only(names(list)),
        statement::ColumnSelection::Except(list) => ColumnSelection::Except(names(list)),
    };
    AutoCdcSpec {
        keys: names(&flow.keys),
        sequence_by: Some(flow.sequence_by.text.clone()),
        scd_type: match flow.stored_as {
            Some(statement::ScdType::Type2) => ScdType::Type2,
            Some(statement::ScdType::Type1) | None => ScdType::Type1,
        },
        columns: flow.columns.as_ref().map(selection),
        track_history_on: flow.track_history_on.as_ref().map(selection),
        ignore_null_updates: flow.ignore_null_updates.as_ref().map(|ignore| match ignore {
            IgnoreNullUpdates::All => ColumnSelection::all(),
            IgnoreNullUpdates::On(list) => selection(list),
        }),
        has_truncate: flow.apply_as_truncate_when.is_some(),
    }
}

impl PlannedFlow {
    /// The target's columns.
    pub(crate) fn target_columns(&self) -> Vec<Column> {
        self.spec.target_schema().fields().iter().map(|field| Column::from_field(field)).collect()
    }

    /// What the definition remembers of the flow.
    pub(crate) fn describe(&self, definition: &mut crate::Definition) {
        definition.scd_type = Some(match self.spec.scd_type() {
            ScdType::Type1 => 1,
            ScdType::Type2 => 2,
        });
        definition.keys = self.spec.key_names().into_iter().map(str::to_owned).collect();
        definition.sequence_by = Some(self.spec.sequence_by().to_owned());
        definition.tracked = Some(self.spec.tracked_names().into_iter().map(str::to_owned).collect());
    }

    /// R59: whether the rows that stand may live on under this flow. Types are those of the events table.
    pub(crate) fn check_drift(&self, definition: &crate::Definition, scope: &Scope<'_>) -> Result<()> {
        let Some(events) = definition.events_table.and_then(|id| scope.store.table_by_id(TableId(id))) else {
            return Ok(());
        };
        let metadata = events.metadata();
        let type_of = |name: &str| {
            let column = metadata.columns.iter().find(|column| lakelet_base::same_name(&column.name, name));
            column.map(|column| column.data_type.clone())
        };
        let Some(sequence_type) = type_of(EVENT_SEQUENCE) else {
            return Err(Box::new(Diagnostic::internal("an events table without a sequence")));
        };
        let current = self.spec.definition();
        self.spec.check_drift(&StateDefinition {
            keys: definition.keys.iter().filter_map(|key| Some((key.clone(), type_of(key)?))).collect(),
            scd_type: if definition.scd_type == Some(2) { ScdType::Type2 } else { ScdType::Type1 },
            sequence_type,
            tracked: definition.tracked.clone().unwrap_or(current.tracked),
        })
    }
}

/// Creates the hidden table that remembers a flow's events.
pub(crate) fn create_events_table(
    planned: &PlannedFlow,
    target: &lakelet_base::TableName,
    id: TableId,
    transaction: &mut lakelet_store::Transaction,
) -> TableId {
    let columns: Vec<Column> =
        planned.spec.event_schema().fields().iter().map(|field| Column::from_field(field)).collect();
    let name = lakelet_base::TableName::new(&target.catalog, &target.schema, format!("__lakelet_events_{}", id.0));
    transaction.create_table(TableSpec { name, kind: TableKind::Auxiliary, metadata: TableMetadata::new(columns) })
}

impl Pipelines {
    pub(crate) fn refresh_auto_cdc(
        &mut self,
        engine: &Engine,
        mut refresh: Refresh,
        flow: &AutoCdcFlow,
        scope: &Scope<'_>,
    ) -> Result<PreparedPipeline> {
        let first = refresh.standing.is_none();
        let checkpoint = match refresh.definition.flows.first() {
            Some(flow) if !refresh.full => flow.checkpoint.clone(),
            _ => Default::default(),
        };
        let has_run = refresh.definition.flows.first().is_some_and(|known| known.finished);
        if flow.once && has_run && !refresh.full {
            let report = refresh.report(scope, RefreshMode::NoChange, "its flow runs ONCE and has run");
            return Ok(PreparedPipeline::Nothing(Box::new(refresh.finish(report, false)?)));
        }
        let planned = plan_flow(engine, flow, &checkpoint, scope)?;
        let Some(events_table) = refresh.definition.events_table.map(TableId) else {
            return Err(Box::new(Diagnostic::internal("an AUTO CDC table without events")));
        };
        if !first {
            check_columns(&refresh, &planned)?;
            if !refresh.full {
                planned.check_drift(&refresh.definition, scope)?;
            }
        }
        let state = match &refresh.standing {
            Some(standing) if !refresh.full => match self.take_state(refresh.table(), standing.version) {
                Some(state) => state,
                None => rebuild(&planned.spec, standing, events_table, scope)?,
            },
            _ => CdcState::new(&planned.spec),
        };
        if refresh.full && !first {
            refresh.transaction.delete_all(refresh.table());
            refresh.transaction.delete_all(events_table);
            renew_columns(&mut refresh, &planned, events_table, scope);
        }
        let once = flow.once;
        if let Some(flow) = refresh.definition.flows.first_mut() {
            flow.checkpoint.clone_from(&planned.checkpoint);
            flow.finished = once;
        }
        planned.describe(&mut refresh.definition);
        let execution = engine.execute(&planned.query)?;
        let names = Box::new(planned.query.names.clone());
        let report = refresh.report(scope, RefreshMode::Incremental, String::new());
        let finish = Box::new(move |batches: Vec<RecordBatch>| {
            let batch = change_batch(&planned, &batches)?;
            finish_refresh(refresh, report, planned, state, events_table, &batch)
        });
        Ok(PreparedPipeline::Refresh { execution, finish, names })
    }
}

/// FULL starts anew: both tables get the columns that the source has now.
fn renew_columns(refresh: &mut Refresh, planned: &PlannedFlow, events_table: TableId, scope: &Scope<'_>) {
    let wanted = [(refresh.table(), planned.spec.target_schema()), (events_table, planned.spec.event_schema())];
    for (id, schema) in wanted {
        let Some(table) = scope.store.table_by_id(id) else { continue };
        let before = table.metadata();
        let same = before.columns.len() == schema.fields().len()
            && before
                .columns
                .iter()
                .zip(schema.fields())
                .all(|(column, field)| column.name == *field.name() && column.data_type == *field.data_type());
        if !same {
            let columns: Vec<Column> = schema.fields().iter().map(|field| Column::from_field(field)).collect();
            refresh.transaction.set_metadata(id, TableMetadata { columns: columns.into(), ..(**before).clone() });
        }
    }
}

fn check_columns(refresh: &Refresh, planned: &PlannedFlow) -> Result<()> {
    let Some(standing) = &refresh.standing else { return Ok(()) };
    let (have, want) = (standing.schema(), planned.spec.target_schema());
    let same = have.fields().len() == want.fields().len()
        && have.fields().iter().zip(want.fields()).all(|(have, want)| {
            lakelet_base::same_name(have.name(), want.name()) && have.data_type() == want.data_type()
        });
    if same || refresh.full {
        return Ok(());
    }
    Err(Box::new(
        Diagnostic::new(
            ErrorClass::new("AUTOCDC_INVALID_STATE.TARGET_SCHEMA_DRIFT", "42000"),
            format!("The source of {} has other columns than the table was made for.", refresh.name),
        )
        .hint("Drop the table and create it again; it is filled from the source."),
    ))
}

/// The key index, from the target and the events table.
fn rebuild(spec: &ResolvedSpec, standing: &Snapshot, events_table: TableId, scope: &Scope<'_>) -> Result<CdcState> {
    let Some(events) = scope.store.table_by_id(events_table) else {
        return Err(Box::new(Diagnostic::internal("an AUTO CDC table has lost its events")));
    };
    let stored = |snapshot: &Snapshot| -> Result<Vec<StoredRows>> {
        snapshot
            .scan_with_addresses(None)
            .map(|batch| {
                let batch = batch?;
                let addresses = row_addresses(&batch)?;
                let kept: Vec<usize> = (0..batch.num_columns() - 2).collect();
                let rows = batch.project(&kept).map_err(|error| Box::new(Diagnostic::internal(error)))?;
                Ok(StoredRows { rows, addresses })
            })
            .collect()
    };
    CdcState::rebuild(spec, &stored(&events.latest())?, &stored(standing)?)
}

/// The plan's rows, its last columns taken apart.
fn change_batch(planned: &PlannedFlow, batches: &[RecordBatch]) -> Result<ChangeBatch> {
    let internal = |error: arrow::error::ArrowError| Box::new(Diagnostic::internal(error));
    let schema = planned.query.schema();
    let loose = Arc::new(Schema::new(
        schema.fields().iter().map(|field| field.as_ref().clone().with_nullable(true)).collect::<Vec<_>>(),
    ));
    let rows = batches.iter().map(|batch| canonical_rows(batch, &schema)).collect::<Result<Vec<_>>>()?;
    let all = concat_batches(&loose, &rows).map_err(internal)?;
    let n_columns = planned.spec.source_schema().fields().len();
    let kept: Vec<usize> = (0..n_columns).collect();
    let condition = |position: usize| -> BooleanArray {
        all.column(position).as_boolean_opt().cloned().unwrap_or_else(|| BooleanArray::new_null(all.num_rows()))
    };
    let rows = all.project(&kept).map_err(internal)?;
    let rows =
        RecordBatch::try_new(Arc::clone(planned.spec.source_schema()), rows.columns().to_vec()).map_err(internal)?;
    Ok(ChangeBatch {
        rows,
        sequence: Arc::clone(all.column(n_columns)),
        is_delete: planned.has_delete.then(|| condition(n_columns + 1)),
        is_truncate: planned.has_truncate.then(|| condition(n_columns + 1 + usize::from(planned.has_delete))),
    })
}

fn finish_refresh(
    mut refresh: Refresh,
    mut report: lakelet_protocol::RefreshReport,
    planned: PlannedFlow,
    state: CdcState,
    events_table: TableId,
    batch: &ChangeBatch,
) -> Result<PipelineOutcome> {
    let table = refresh.table();
    let first = refresh.standing.is_none();
    let n_keys_before = state.n_keys() as u64;
    let outcome = apply_changes(&planned.spec, &state, batch, ApplyOptions::default())?;
    let counts = outcome.counts;
    report.unit = "events".to_owned();
    report.n_read = counts.read;
    report.n_source_rows = planned.n_unread;
    report.n_inserted = counts.rows_inserted;
    report.n_updated = counts.rows_updated;
    report.n_deleted = counts.rows_deleted;
    report.touched = Some((counts.keys_touched, n_keys_before.max(counts.keys_touched)));
    report.groups = key_groups(&outcome.touched_keys);
    let whole = first || refresh.full;
    let changes_target = !outcome.removed.is_empty() || outcome.added.num_rows() > 0 || whole;
    (report.mode, report.reason) = if first {
        (RefreshMode::Full, "the first refresh reads everything there is".to_owned())
    } else if refresh.full {
        (RefreshMode::Full, "FULL was asked for".to_owned())
    } else if counts.read == 0 {
        (RefreshMode::NoChange, "there was nothing new to read".to_owned())
    } else {
        (RefreshMode::Incremental, format!("only the keys of {} new events were touched", counts.read))
    };
    let mut placement = Placement::default();
    let transaction = &mut refresh.transaction;
    if changes_target {
        transaction.delete_rows(table, &outcome.removed);
        if outcome.added.num_rows() > 0 {
            placement.target = Some(transaction.add_batch(table, outcome.added.clone()));
        }
        if !whole {
            record_changes(&refresh.standing, table, &outcome, transaction)?;
        }
        let operation = Operation::new("STREAMING UPDATE")
            .metric("numOutputRows", outcome.added.num_rows() as u64)
            .metric("numTargetRowsInserted", counts.rows_inserted)
            .metric("numTargetRowsUpdated", counts.rows_updated)
            .metric("numTargetRowsDeleted", counts.rows_deleted);
        transaction.commit_info(table, operation);
    }
    if outcome.events.num_rows() > 0 {
        placement.events = Some(transaction.add_batch(events_table, outcome.events.clone()));
    }
    if !outcome.removed_events.is_empty() {
        transaction.delete_rows(events_table, &outcome.removed_events);
    }
    let warnings = outcome.warning();
    let mut finished = refresh.finish(report, changes_target)?;
    finished.outcome.warnings.extend(warnings);
    finished.after = Some(AfterCommit { table, state, spec: planned.spec, outcome, placement });
    Ok(finished)
}

/// The target's own change feed: rows that changed in place are updates, the others inserts and deletes.
fn record_changes(
    standing: &Option<Snapshot>,
    table: TableId,
    outcome: &lakelet_cdc::CdcOutcome,
    transaction: &mut lakelet_store::Transaction,
) -> Result<()> {
    let Some(standing) = standing else { return Ok(()) };
    let take = |rows: &RecordBatch, wanted: &[u32]| -> Result<RecordBatch> {
        let indices = arrow::array::UInt32Array::from(wanted.to_vec());
        arrow::compute::take_record_batch(rows, &indices).map_err(|error| Box::new(Diagnostic::internal(error)))
    };
    let updated_old: Vec<u32> = outcome.changed.iter().map(|(old, _)| *old).collect();
    let updated_new: Vec<u32> = outcome.changed.iter().map(|(_, new)| *new).collect();
    let rest = |n_rows: usize, taken: &[u32]| -> Vec<u32> {
        let taken: std::collections::HashSet<u32> = taken.iter().copied().collect();
        (0..n_rows).filter_map(|row| u32::try_from(row).ok()).filter(|row| !taken.contains(row)).collect()
    };
    let removed = standing.rows(&outcome.removed, None)?;
    let parts = [
        (ChangeType::Delete, take(&removed, &rest(removed.num_rows(), &updated_old))?),
        (ChangeType::UpdatePreimage, take(&removed, &updated_old)?),
        (ChangeType::UpdatePostimage, take(&outcome.added, &updated_new)?),
        (ChangeType::Insert, take(&outcome.added, &rest(outcome.added.num_rows(), &updated_new))?),
    ];
    for (kind, rows) in parts {
        if rows.num_rows() > 0 {
            transaction.change_rows(table, kind, rows);
        }
    }
    Ok(())
}

fn key_groups(keys: &RecordBatch) -> Vec<RefreshGroup> {
    (0..keys.num_rows().min(GROUPS_MAX))
        .map(|row| {
            let parts: Vec<String> = keys
                .columns()
                .iter()
                .map(|column| {
                    if column.is_null(row) {
                        "NULL".to_owned()
                    } else {
                        lakelet_types::cell_text(column.as_ref(), row).unwrap_or_default()
                    }
                })
                .collect();
            RefreshGroup { label: parts.join(" · "), before: None, after: None, touched: true }
        })
        .collect()
}
