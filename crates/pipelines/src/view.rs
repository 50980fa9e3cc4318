//! Refreshing a materialized view.

use std::collections::HashMap;
use std::sync::Arc;

use arrow::array::{RecordBatch, UInt32Array};
use arrow::compute::take_record_batch;
use arrow::row::{OwnedRow, RowConverter, SortField};
use lakelet_base::{Diagnostic, ErrorClass, Result};
use lakelet_engine::{Engine, PlannedQuery, RowsTable, Scope, canonical_rows};
use lakelet_incremental::{Incrementality, analyze};
use lakelet_protocol::{RefreshGroup, RefreshMode, RefreshReport};
use lakelet_store::{Operation, RowAddress, Snapshot, Table, row_addresses};
use lakelet_syntax::statement::{CreateMaterializedView, Query};

use crate::append::check_columns;
use crate::freshness::versions_read;
use crate::refresh::Refresh;
use crate::report::GROUPS_MAX;
use crate::source::StandIns;
use crate::{PipelineOutcome, PreparedPipeline};

/// What a refresh computes.
enum Technique {
    /// The whole view.
    Full(String),
    /// The groups of changed rows.
    Groups {
        /// Positions of the group's columns in the view.
        keys: Vec<usize>,
        /// The groups that changed rows fall into, before or after.
        affected: RecordBatch,
    },
    /// The rows of changed rows; the rows that the removed ones gave.
    Rows(Vec<RecordBatch>),
    /// Nothing is new.
    Nothing,
}

pub(crate) fn refresh(
    engine: &Engine,
    mut refresh: Refresh,
    create: &CreateMaterializedView,
    scope: &Scope<'_>,
) -> Result<PreparedPipeline> {
    let query = &create.query;
    let planned = engine.plan_query(&query.query, scope)?;
    if let Some(standing) = &refresh.standing {
        check_columns(&refresh, &planned, &standing.columns)?;
    }
    if is_strict(create)
        && let Err(reason) = incremental_technique(&planned)
    {
        return Err(Box::new(not_incremental(&reason)));
    }
    let read = versions_read(&planned, scope);
    let before = refresh.definition.flows.first().map(|flow| flow.checkpoint.clone()).unwrap_or_default();
    let mut report = refresh.report(scope, RefreshMode::Full, String::new());
    report.n_source_rows = read
        .keys()
        .filter_map(|id| scope.store.table_by_id(lakelet_store::TableId(*id)))
        .map(|table| table.latest().n_rows() as u64)
        .sum();
    let (technique, to_run) = choose(engine, &refresh, query, &planned, &before, &read, &mut report, scope)?;
    if let Some(flow) = refresh.definition.flows.first_mut() {
        flow.checkpoint = read;
    }
    if matches!(technique, Technique::Nothing) {
        report.mode = RefreshMode::NoChange;
        report.reason = "nothing it reads has changed".to_owned();
        return Ok(PreparedPipeline::Nothing(Box::new(refresh.finish(report, false)?)));
    }
    let execution = engine.execute(&to_run)?;
    let names = Box::new(to_run.names.clone());
    let schema = planned.schema();
    let finish = Box::new(move |batches: Vec<RecordBatch>| {
        let rows = batches.iter().map(|batch| canonical_rows(batch, &schema)).collect::<Result<Vec<_>>>()?;
        write(refresh, report, technique, &schema, &rows)
    });
    Ok(PreparedPipeline::Refresh { execution, finish, names })
}

/// Picks the technique and the plan it runs.
#[expect(clippy::too_many_arguments, reason = "one decision that looks at everything a refresh knows")]
fn choose(
    engine: &Engine,
    refresh: &Refresh,
    query: &Query,
    planned: &PlannedQuery,
    before: &crate::definition::Checkpoint,
    read: &crate::definition::Checkpoint,
    report: &mut RefreshReport,
    scope: &Scope<'_>,
) -> Result<(Technique, PlannedQuery)> {
    let full = |reason: &str| Ok((Technique::Full(reason.to_owned()), planned.clone()));
    if refresh.standing.is_none() {
        return full("the first refresh computes everything");
    }
    if refresh.full {
        return full("FULL was asked for");
    }
    if before == read && planned.reads.nondeterministic.is_none() {
        return Ok((Technique::Nothing, planned.clone()));
    }
    let technique = match incremental_technique(planned) {
        Ok(technique) => technique,
        Err(reason) => return full(&reason),
    };
    let Some((source, read_to)) = changed_source(read, before, scope) else {
        return full("one of its sources was made anew");
    };
    let changes = source.row_changes(Some(read_to), source.latest_version())?;
    let (added, removed) = (changes.added, changes.deleted);
    report.n_read = (added.n_rows() + removed.n_rows()) as u64;
    let schema = source.latest().schema();
    let (added, removed): (Vec<_>, Vec<_>) = (added.collect::<Result<_>>()?, removed.collect::<Result<_>>()?);
    let stand_in = |batches: Vec<RecordBatch>| -> Result<StandIns> {
        let rows = RowsTable::new(&schema, batches).map_err(|error| Box::new(Diagnostic::internal(error)))?;
        Ok(HashMap::from([(source.name.key(), Arc::new(rows))]))
    };
    match technique {
        Incrementality::Groups { keys } => {
            let both: Vec<RecordBatch> = removed.into_iter().chain(added).collect();
            let stand_ins = stand_in(both)?;
            let inner = Scope { stand_ins: &stand_ins, ..*scope };
            let changed = engine.plan_query(&query.query, &inner)?;
            let affected = engine.groups_of(&changed)?;
            let restricted = engine.restrict_to_groups(planned, &affected)?;
            Ok((Technique::Groups { keys, affected }, restricted))
        }
        _ => {
            let stand_ins = stand_in(removed)?;
            let inner = Scope { stand_ins: &stand_ins, ..*scope };
            let gone = engine.rows(&engine.plan_query(&query.query, &inner)?)?;
            let stand_ins = stand_in(added)?;
            let inner = Scope { stand_ins: &stand_ins, ..*scope };
            Ok((Technique::Rows(gone), engine.plan_query(&query.query, &inner)?))
        }
    }
}

/// How a view can follow its source, or why it cannot.
pub(crate) fn incremental_technique(planned: &PlannedQuery) -> std::result::Result<Incrementality, String> {
    if let Some(call) = &planned.reads.nondeterministic {
        return Err(format!("{call} gives another value at each refresh"));
    }
    if let Some(fixed) = &planned.reads.fixed {
        return Err(format!("it reads {fixed}"));
    }
    match analyze(&planned.plan) {
        Incrementality::Full(reason) => Err(reason),
        technique => Ok(technique),
    }
}

/// Whether a view may not be computed in full once it stands.
pub(crate) fn is_strict(create: &CreateMaterializedView) -> bool {
    create.refresh_policy.as_deref() == Some("INCREMENTAL STRICT")
}

/// The refusal of REFRESH POLICY INCREMENTAL STRICT.
pub(crate) fn not_incremental(reason: &str) -> Diagnostic {
    Diagnostic::new(
        ErrorClass::new("MATERIALIZED_VIEW_NOT_INCREMENTALIZABLE", "0A000"),
        format!("The view cannot be refreshed incrementally: {reason}."),
    )
    .hint("Leave REFRESH POLICY out, or write INCREMENTAL without STRICT.")
}

/// The one source that changed, and the version it was read up to.
fn changed_source(
    read: &crate::definition::Checkpoint,
    before: &crate::definition::Checkpoint,
    scope: &Scope<'_>,
) -> Option<(Arc<Table>, u64)> {
    // A view that was defined anew has another id.
    if !read.keys().eq(before.keys()) {
        return None;
    }
    let mut tables = read
        .keys()
        .filter_map(|id| scope.store.table_by_id(lakelet_store::TableId(*id)))
        .filter(|table| table.kind.has_rows());
    let (Some(table), None) = (tables.next(), tables.next()) else { return None };
    let read_to = *before.get(&table.id.0)?;
    // Rows that were replaced have no common identity with those before.
    (table.replaced_version() <= read_to).then_some((table, read_to))
}

/// Writes the difference between what stands and what was computed.
fn write(
    mut refresh: Refresh,
    mut report: RefreshReport,
    technique: Technique,
    schema: &arrow::datatypes::SchemaRef,
    rows: &[RecordBatch],
) -> Result<PipelineOutcome> {
    let loose = loose(schema);
    let computed = arrow::compute::concat_batches(&loose, rows).map_err(internal)?;
    let Some(standing) = refresh.standing.clone() else {
        report.reason = "the first refresh computes everything".to_owned();
        report.n_read = report.n_source_rows;
        report.n_inserted = computed.num_rows() as u64;
        let table = refresh.table();
        if computed.num_rows() > 0 {
            refresh.transaction.add_batch(table, computed);
        }
        refresh
            .transaction
            .commit_info(table, Operation::new("CREATE MATERIALIZED VIEW").metric("numOutputRows", report.n_inserted));
        return refresh.finish(report, true);
    };
    let old = Standing::read(&standing)?;
    let candidates: Vec<usize> = match technique {
        Technique::Full(reason) => {
            report.mode = RefreshMode::Full;
            report.reason = reason;
            report.n_read = report.n_source_rows;
            (0..old.addresses.len()).collect()
        }
        Technique::Groups { keys, affected } => {
            report.mode = RefreshMode::Incremental;
            report.reason = "changed rows could be traced to groups".to_owned();
            old.rows_of_groups(&computed, &keys, &affected, &mut report)?
        }
        Technique::Rows(gone) => {
            report.mode = RefreshMode::Incremental;
            report.reason = "every row comes from one row of the source".to_owned();
            old.rows_equal_to(&gone, &loose)?
        }
        Technique::Nothing => Vec::new(),
    };
    let (removed, added) = difference(&old, &candidates, &computed)?;
    report.n_deleted = removed.len() as u64;
    report.n_inserted = added.len() as u64;
    let table = refresh.table();
    let changes = !removed.is_empty() || !added.is_empty();
    if changes {
        let gone: Vec<RowAddress> = removed.iter().map(|row| old.addresses[*row]).collect();
        refresh.transaction.delete_rows(table, &gone);
        if !added.is_empty() {
            let rows = take_record_batch(&computed, &UInt32Array::from(added)).map_err(internal)?;
            refresh.transaction.add_batch(table, rows);
        }
        let operation = Operation::new("REFRESH MATERIALIZED VIEW")
            .metric("numOutputRows", report.n_inserted)
            .metric("numDeletedRows", report.n_deleted);
        refresh.transaction.commit_info(table, operation);
    }
    refresh.finish(report, changes)
}

fn internal(error: arrow::error::ArrowError) -> Box<Diagnostic> {
    Box::new(Diagnostic::internal(error))
}

fn loose(schema: &arrow::datatypes::SchemaRef) -> arrow::datatypes::SchemaRef {
    Arc::new(arrow::datatypes::Schema::new(
        schema.fields().iter().map(|field| field.as_ref().clone().with_nullable(true)).collect::<Vec<_>>(),
    ))
}

/// The rows that stand, with their addresses.
struct Standing {
    rows: RecordBatch,
    addresses: Vec<RowAddress>,
}

impl Standing {
    fn read(snapshot: &Snapshot) -> Result<Self> {
        let mut addresses = Vec::new();
        let mut batches = Vec::new();
        for batch in snapshot.scan_with_addresses(None) {
            let batch = batch?;
            addresses.extend(row_addresses(&batch)?);
            let kept: Vec<usize> = (0..batch.num_columns() - 2).collect();
            let rows = batch.project(&kept).map_err(internal)?;
            batches.push(RecordBatch::try_new(loose(&snapshot.schema()), rows.columns().to_vec()).map_err(internal)?);
        }
        let rows = arrow::compute::concat_batches(&loose(&snapshot.schema()), &batches).map_err(internal)?;
        Ok(Self { rows, addresses })
    }

    /// Rows that are equal to these, each of them once.
    fn rows_equal_to(&self, gone: &[RecordBatch], schema: &arrow::datatypes::SchemaRef) -> Result<Vec<usize>> {
        let gone = gone
            .iter()
            .map(|batch| RecordBatch::try_new(Arc::clone(schema), batch.columns().to_vec()))
            .collect::<std::result::Result<Vec<_>, _>>()
            .map_err(internal)?;
        let gone = arrow::compute::concat_batches(schema, &gone).map_err(internal)?;
        let all: Vec<usize> = (0..self.rows.num_columns()).collect();
        let mut wanted: HashMap<OwnedRow, usize> = HashMap::new();
        for row in encode(&gone, &all)? {
            *wanted.entry(row).or_default() += 1;
        }
        let mut found = Vec::new();
        for (index, row) in encode(&self.rows, &all)?.into_iter().enumerate() {
            if let Some(count) = wanted.get_mut(&row)
                && *count > 0
            {
                *count -= 1;
                found.push(index);
            }
        }
        Ok(found)
    }

    /// Rows of the affected groups. What became of every group goes into the report.
    fn rows_of_groups(
        &self,
        computed: &RecordBatch,
        keys: &[usize],
        affected: &RecordBatch,
        report: &mut RefreshReport,
    ) -> Result<Vec<usize>> {
        let positions: Vec<usize> = (0..affected.num_columns()).collect();
        let affected: std::collections::HashSet<OwnedRow> = encode(affected, &positions)?.into_iter().collect();
        let old_keys = encode(&self.rows, keys)?;
        let new_keys = encode(computed, keys)?;
        let mut new_of: HashMap<&OwnedRow, Vec<usize>> = HashMap::new();
        for (index, key) in new_keys.iter().enumerate() {
            new_of.entry(key).or_default().push(index);
        }
        let mut touched = Vec::new();
        let mut listed: Vec<RefreshGroup> = Vec::new();
        let mut untouched: Vec<RefreshGroup> = Vec::new();
        for (index, key) in old_keys.iter().enumerate() {
            let label = labels(&self.rows, keys, index);
            let before = Some(values(&self.rows, keys, index));
            if affected.contains(key) {
                touched.push(index);
                let after = new_of.remove(key).and_then(|rows| rows.first().map(|row| values(computed, keys, *row)));
                listed.push(RefreshGroup { label, before, after, touched: true });
            } else {
                untouched.push(RefreshGroup { label, after: before.clone(), before, touched: false });
            }
        }
        let mut fresh: Vec<usize> = new_of.into_values().flatten().collect();
        fresh.sort_unstable();
        for row in fresh {
            let after = Some(values(computed, keys, row));
            listed.push(RefreshGroup { label: labels(computed, keys, row), before: None, after, touched: true });
        }
        report.touched = Some((listed.len() as u64, (listed.len() + untouched.len()) as u64));
        listed.extend(untouched);
        listed.truncate(GROUPS_MAX);
        report.groups = listed;
        Ok(touched)
    }
}

/// Rows of `candidates` that were not computed again, and computed rows that do not stand among them.
fn difference(old: &Standing, candidates: &[usize], computed: &RecordBatch) -> Result<(Vec<usize>, Vec<u32>)> {
    let all: Vec<usize> = (0..computed.num_columns()).collect();
    let old_rows = encode(&old.rows, &all)?;
    let mut standing: HashMap<&OwnedRow, Vec<usize>> = HashMap::new();
    for index in candidates.iter().rev() {
        standing.entry(&old_rows[*index]).or_default().push(*index);
    }
    let mut added = Vec::new();
    for (index, row) in encode(computed, &all)?.iter().enumerate() {
        if standing.get_mut(row).and_then(Vec::pop).is_none() {
            added.push(u32::try_from(index).unwrap_or(u32::MAX));
        }
    }
    let mut removed: Vec<usize> = standing.into_values().flatten().collect();
    removed.sort_unstable();
    Ok((removed, added))
}

fn encode(rows: &RecordBatch, columns: &[usize]) -> Result<Vec<OwnedRow>> {
    let fields = columns.iter().map(|column| SortField::new(rows.column(*column).data_type().clone())).collect();
    let converter = RowConverter::new(fields).map_err(internal)?;
    let arrays: Vec<_> = columns.iter().map(|column| Arc::clone(rows.column(*column))).collect();
    let encoded = converter.convert_columns(&arrays).map_err(internal)?;
    Ok(encoded.iter().map(|row| row.owned()).collect())
}

fn labels(rows: &RecordBatch, keys: &[usize], row: usize) -> String {
    keys.iter().map(|column| text(rows, *column, row)).collect::<Vec<_>>().join(" · ")
}

fn values(rows: &RecordBatch, keys: &[usize], row: usize) -> String {
    (0..rows.num_columns())
        .filter(|column| !keys.contains(column))
        .map(|column| text(rows, column, row))
        .collect::<Vec<_>>()
        .join(", ")
}

fn text(rows: &RecordBatch, column: usize, row: usize) -> String {
    lakelet_types::cell_text(rows.column(column).as_ref(), row).unwrap_or_else(|| "NULL".to_owned())
}
