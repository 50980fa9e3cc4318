//! Control tables with a watermark: how far each source has been copied.

use arrow::array::{Array, AsArray, RecordBatch};
use arrow::compute::concat_batches;
use arrow::datatypes::{DataType, TimestampMicrosecondType};
use lakelet_base::{Diagnostic, Result, Timestamp, quote_identifier};
use lakelet_engine::{Parameters, Session};
use lakelet_protocol::WatermarkView;
use lakelet_store::{Snapshot, Table};

use crate::core::Core;

/// Rows of a control table that are looked at.
const ROWS_MAX: usize = 200;

/// Every row of every control table. A control table is one with the columns of the incremental copy: a source, a
/// target, the name of a column, and how far that has been copied.
pub(crate) fn watermarks(core: &mut Core) -> Result<Vec<WatermarkView>> {
    let tables: Vec<std::sync::Arc<Table>> =
        core.store.all_tables().filter(|table| table.kind.is_visible() && table.kind.has_rows()).cloned().collect();
    let mut views = Vec::new();
    for table in tables {
        let snapshot = table.latest();
        let Some(columns) = control_columns(&snapshot) else { continue };
        let batches = snapshot.scan(Some(&columns)).collect::<Result<Vec<_>>>()?;
        let Some(first) = batches.first() else { continue };
        let rows = concat_batches(&first.schema(), &batches).map_err(|error| Box::new(Diagnostic::internal(error)))?;
        for row in 0..rows.num_rows().min(ROWS_MAX) {
            views.push(watermark(core, &rows, row, &table.name.catalog)?);
        }
    }
    Ok(views)
}

fn control_columns(snapshot: &Snapshot) -> Option<Vec<usize>> {
    let columns: Option<Vec<usize>> = ["source_table", "target_table", "watermark_column", "last_watermark"]
        .iter()
        .map(|name| snapshot.metadata.column_index(name))
        .collect();
    columns.filter(|columns| matches!(snapshot.columns[columns[3]].data_type, DataType::Timestamp(..)))
}

fn watermark(core: &mut Core, rows: &RecordBatch, row: usize, catalog: &str) -> Result<WatermarkView> {
    let text = |column: usize| {
        let values = rows.column(column).as_string_opt::<i32>();
        values.filter(|values| values.is_valid(row)).map(|values| values.value(row).to_owned())
    };
    let (source, target, column) =
        (text(0).unwrap_or_default(), text(1).unwrap_or_default(), text(2).unwrap_or_default());
    let watermark = rows
        .column(3)
        .as_primitive_opt::<TimestampMicrosecondType>()
        .filter(|values| values.is_valid(row))
        .map(|values| Timestamp(values.value(row)));
    let mut view = WatermarkView { source: source.clone(), watermark, newest: None, n_ahead: 0, n_behind: None };
    let (Some(watermark), Some(name)) = (watermark, lakelet_syntax::split_name(&source)) else { return Ok(view) };
    // Names come from the table's rows: they are quoted, so that they are names and nothing else.
    let quoted = name.iter().map(|part| quote_identifier(part)).collect::<Vec<_>>().join(".");
    let column = quote_identifier(&column);
    let counts = format!(
        "SELECT max({column}), count(*) FILTER (WHERE {column} > TIMESTAMP '{0}'), count(*) FILTER (WHERE {column} <= TIMESTAMP '{0}') FROM {quoted}",
        watermark.to_string().replace('T', " ")
    );
    let Some(counted) = one_row(core, &counts, catalog) else { return Ok(view) };
    view.newest = counted
        .column(0)
        .as_primitive_opt::<TimestampMicrosecondType>()
        .filter(|values| values.is_valid(0))
        .map(|values| Timestamp(values.value(0)));
    let number = |rows: &RecordBatch, column: usize| {
        let values = rows.column(column).as_primitive_opt::<arrow::datatypes::Int64Type>();
        values.filter(|values| values.is_valid(0)).and_then(|values| u64::try_from(values.value(0)).ok())
    };
    view.n_ahead = number(&counted, 1).unwrap_or(0);
    let n_passed = number(&counted, 2).unwrap_or(0);
    if let Some(target) = lakelet_syntax::split_name(&target) {
        let quoted = target.iter().map(|part| quote_identifier(part)).collect::<Vec<_>>().join(".");
        let copied = one_row(core, &format!("SELECT count(*) FROM {quoted}"), catalog);
        view.n_behind = match copied.and_then(|rows| number(&rows, 0)) {
            Some(n_copied) => Some(n_passed.saturating_sub(n_copied)),
            None if n_passed == 0 => Some(0),
            None => None,
        };
    }
    Ok(view)
}

/// The one row of a query; `None` when it cannot be computed, for instance because a source is not there (yet).
fn one_row(core: &mut Core, text: &str, catalog: &str) -> Option<RecordBatch> {
    let query = lakelet_syntax::parse_query(text).ok()?;
    let session = Session { catalog: catalog.to_owned(), ..Session::default() };
    let rows = core
        .scoped(&session, text, &Parameters::new(), |_, engine, scope| {
            let planned = engine.plan_query(&query.query, scope)?;
            engine.rows(&planned)
        })
        .ok()?;
    rows.into_iter().find(|batch| batch.num_rows() == 1)
}
