//! Snapshots as DataFusion tables.

use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::{Field, Schema, SchemaRef};
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::Result;
use datafusion::datasource::TableType;
use datafusion::datasource::memory::MemorySourceConfig;
use datafusion::logical_expr::Expr;
use datafusion::physical_plan::ExecutionPlan;

/// Rows of one moment: a snapshot, a change feed, or rows that Python made.
#[derive(Debug)]
pub struct RowsTable {
    schema: SchemaRef,
    /// Names of the columns as their owner spells them.
    spelling: Vec<String>,
    batches: Vec<RecordBatch>,
}

impl RowsTable {
    /// A table of `batches`, whose columns are shown to the planner in lower case.
    pub fn new(schema: &Schema, batches: Vec<RecordBatch>) -> Result<Self> {
        let spelling = schema.fields().iter().map(|field| field.name().clone()).collect();
        let schema = folded(schema);
        let batches = batches
            .into_iter()
            .map(|batch| RecordBatch::try_new(Arc::clone(&schema), batch.columns().to_vec()))
            .collect::<Result<_, _>>()?;
        Ok(Self { schema, spelling, batches })
    }

    /// Names of the columns as their owner spells them.
    pub(crate) fn spelling(&self) -> &[String] {
        &self.spelling
    }
}

fn folded(schema: &Schema) -> SchemaRef {
    let fields: Vec<Field> =
        schema.fields().iter().map(|field| field.as_ref().clone().with_name(field.name().to_lowercase())).collect();
    Arc::new(Schema::new(fields))
}

#[async_trait]
impl TableProvider for RowsTable {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    async fn scan(
        &self,
        _state: &dyn Session,
        projection: Option<&Vec<usize>>,
        _filters: &[Expr],
        _limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let exec = MemorySourceConfig::try_new_exec(
            std::slice::from_ref(&self.batches),
            Arc::clone(&self.schema),
            projection.cloned(),
        )?;
        Ok(exec)
    }
}
