//! What INSERT, UPDATE, DELETE and MERGE share: rows with addresses, casts to the columns' types.

use std::sync::Arc;

use datafusion::arrow::array::{AsArray, RecordBatch};
use datafusion::arrow::datatypes::{DataType, UInt32Type, UInt64Type};
use datafusion::common::{Column as PlanColumn, DataFusionError};
use datafusion::datasource::provider_as_source;
use datafusion::logical_expr::{Expr, ExprSchemable, LogicalPlan, LogicalPlanBuilder, cast, lit};
use lakelet_base::{Diagnostic, Result};
use lakelet_spark::PlanNames;
use lakelet_store::{Column, ROW_COLUMN, RowAddress, SEGMENT_COLUMN, Snapshot};

use crate::planner::Engine;
use crate::session::Scope;
use crate::table::RowsTable;

/// A failure of the planner that no input should cause.
pub(super) fn planning(error: DataFusionError) -> Box<Diagnostic> {
    Box::new(lakelet_spark::diagnostic(&error, &PlanNames::default()))
}

/// A scan of a snapshot that also gives each row's address.
pub(super) fn addressed_scan(snapshot: &Snapshot, alias: &str) -> Result<LogicalPlanBuilder> {
    let scan = snapshot.scan_with_addresses(None);
    let schema = scan.schema();
    let table = RowsTable::new(&schema, scan.collect::<Result<_>>()?).map_err(planning)?;
    LogicalPlanBuilder::scan(alias.to_lowercase(), provider_as_source(Arc::new(table)), None).map_err(planning)
}

/// The two address columns of a plan made by [`addressed_scan`].
pub(super) fn address_exprs() -> [Expr; 2] {
    [SEGMENT_COLUMN, ROW_COLUMN].map(|name| Expr::Column(PlanColumn::from_name(name)))
}

/// Reads addresses from the first two columns of a batch; rows where they are NULL have none.
pub(super) fn addresses(batch: &RecordBatch) -> Vec<Option<RowAddress>> {
    use datafusion::arrow::array::Array;
    let segments = batch.column(0).as_primitive::<UInt64Type>();
    let rows = batch.column(1).as_primitive::<UInt32Type>();
    (0..batch.num_rows())
        .map(|index| {
            segments.is_valid(index).then(|| RowAddress { segment: segments.value(index), row: rows.value(index) })
        })
        .collect()
}

/// `expr` as a value of `column`, cast the way Delta casts on write.
pub(super) fn store_cast(expr: Expr, column: &Column, plan: &LogicalPlan) -> Result<Expr> {
    let from = expr.get_type(plan.schema()).map_err(planning)?;
    Ok(if from == column.data_type { expr } else { cast(expr, column.data_type.clone()) })
}

/// Columns `from..from + columns.len()` of a batch as rows of the table.
pub(super) fn table_rows(batch: &RecordBatch, from: usize, snapshot: &Snapshot) -> Result<RecordBatch> {
    let schema = snapshot.schema();
    let columns = batch.columns()[from..from + schema.fields().len()].to_vec();
    let columns = columns
        .into_iter()
        .zip(schema.fields())
        .map(|(array, field)| {
            if array.data_type() == field.data_type() {
                Ok(array)
            } else {
                lakelet_types::to_canonical(&array).map_err(|error| Box::new(Diagnostic::internal(error)))
            }
        })
        .collect::<Result<Vec<_>>>()?;
    // NOT NULL is checked when the transaction is committed, with the column's name; here every column may be NULL.
    let loose = datafusion::arrow::datatypes::Schema::new(
        schema.fields().iter().map(|field| field.as_ref().clone().with_nullable(true)).collect::<Vec<_>>(),
    );
    RecordBatch::try_new(Arc::new(loose), columns).map_err(|error| Box::new(Diagnostic::internal(error)))
}

impl Engine {
    /// The DEFAULT of a column as a plan expression of its type; NULL where it has none.
    pub(crate) fn column_default(&self, column: &Column, scope: &Scope<'_>) -> Result<Expr> {
        let Some(text) = &column.default else {
            return Ok(cast(lit(datafusion::common::ScalarValue::Null), column.data_type.clone()));
        };
        let parsed = lakelet_syntax::parse_expression(text)?;
        let scope = Scope { text, ..*scope };
        let (expr, _) = self.plan_expression(&parsed.expr, &datafusion::common::DFSchema::empty(), &scope)?;
        Ok(cast(expr, column.data_type.clone()))
    }

    /// Starts a plan whose rows decide what is written.
    pub(super) fn start(&self, plan: LogicalPlan, names: PlanNames) -> Result<(crate::Execution, Box<PlanNames>)> {
        let report = |error: DataFusionError| Box::new(lakelet_spark::diagnostic(&error, &names));
        let execution = self.analyze(plan).and_then(|plan| self.execute_plan(&plan)).map_err(report)?;
        Ok((execution, Box::new(names)))
    }
}

/// Whether a column can take a value of this type at all, by Delta's rules on write: any cast that exists.
pub(super) fn can_store(from: &DataType, to: &DataType) -> bool {
    from == to || from.is_null() || datafusion::arrow::compute::can_cast_types(from, to)
}
