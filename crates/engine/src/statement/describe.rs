//! DESCRIBE TABLE and DESCRIBE HISTORY.

use std::sync::Arc;

use datafusion::arrow::array::{
    ArrayRef, BooleanArray, Int64Array, MapBuilder, RecordBatch, StringArray, StringBuilder, TimestampMicrosecondArray,
};
use datafusion::arrow::datatypes::{DataType, Field, Schema};
use lakelet_base::{Diagnostic, Result};
use lakelet_store::{CommitInfo, TableKind};
use lakelet_syntax::statement::{DescribeHistory, DescribeTable, Query};

use super::{Prepared, ResultRows, named_table, text_rows};
use crate::planner::Engine;
use crate::session::Scope;

impl Engine {
    pub(super) fn prepare_describe(describe: &DescribeTable, scope: &Scope<'_>) -> Result<Prepared> {
        let table = named_table(&describe.name, scope)?;
        let snapshot = table.latest();
        let line = |name: &str, value: &str| vec![Some(name.to_owned()), Some(value.to_owned()), None];
        let mut rows: Vec<Vec<Option<String>>> = snapshot
            .columns
            .iter()
            .map(|column| {
                vec![
                    Some(column.name.clone()),
                    Some(lakelet_types::field_simple_string(&column.field())),
                    column.comment.clone(),
                ]
            })
            .collect();
        if describe.extended {
            let kind = match &table.kind {
                TableKind::Table => "MANAGED",
                TableKind::StreamingTable => "STREAMING_TABLE",
                TableKind::MaterializedView => "MATERIALIZED_VIEW",
                TableKind::View { .. } => "VIEW",
                TableKind::Auxiliary => "AUXILIARY",
            };
            rows.push(line("", ""));
            rows.push(line("# Detailed Table Information", ""));
            rows.push(line("Catalog", &table.name.catalog));
            rows.push(line("Database", &table.name.schema));
            rows.push(line("Table", &table.name.name));
            rows.push(line("Type", kind));
            if let Some(comment) = &snapshot.metadata.comment {
                rows.push(line("Comment", comment));
            }
            let properties: Vec<String> =
                snapshot.properties.iter().map(|(key, value)| format!("{key}={value}")).collect();
            rows.push(line("Table Properties", &format!("[{}]", properties.join(","))));
        }
        let text = DataType::Utf8;
        Ok(Prepared::rows(text_rows(
            &[("col_name", text.clone()), ("data_type", text.clone()), ("comment", text)],
            rows,
        )?))
    }

    /// The columns a query would give.
    pub(super) fn prepare_describe_query(&self, query: &Query, scope: &Scope<'_>) -> Result<Prepared> {
        let planned = self.plan_query(&query.query, scope)?;
        let rows = planned
            .columns
            .iter()
            .map(|column| {
                vec![Some(column.name.clone()), Some(lakelet_types::field_simple_string(&column.field)), None]
            })
            .collect();
        let text = DataType::Utf8;
        Ok(Prepared::rows(text_rows(
            &[("col_name", text.clone()), ("data_type", text.clone()), ("comment", text)],
            rows,
        )?))
    }

    pub(super) fn prepare_history(describe: &DescribeHistory, scope: &Scope<'_>) -> Result<Prepared> {
        let table = named_table(&describe.name, scope)?;
        let limit = describe.limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
        let history: Vec<CommitInfo> = table.history().into_iter().take(limit).cloned().collect();
        Ok(Prepared::rows(history_rows(&history)?))
    }
}

fn history_rows(history: &[CommitInfo]) -> Result<ResultRows> {
    let mut parameters = MapBuilder::new(None, StringBuilder::new(), StringBuilder::new());
    let mut metrics = MapBuilder::new(None, StringBuilder::new(), StringBuilder::new());
    let internal = |error: datafusion::arrow::error::ArrowError| Box::new(Diagnostic::internal(error));
    for commit in history {
        for (key, value) in &commit.operation.parameters {
            parameters.keys().append_value(key);
            parameters.values().append_value(value);
        }
        parameters.append(true).map_err(internal)?;
        for (key, value) in &commit.operation.metrics {
            metrics.keys().append_value(key);
            metrics.values().append_value(value.to_string());
        }
        metrics.append(true).map_err(internal)?;
    }
    let canonical =
        |array: ArrayRef| lakelet_types::to_canonical(&array).map_err(|error| Box::new(Diagnostic::internal(error)));
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("version", Arc::new(history.iter().map(|commit| i64::try_from(commit.version).ok()).collect::<Int64Array>())),
        (
            "timestamp",
            Arc::new(
                history
                    .iter()
                    .map(|commit| Some(commit.timestamp.0))
                    .collect::<TimestampMicrosecondArray>()
                    .with_timezone("UTC"),
            ),
        ),
        (
            "operation",
            Arc::new(StringArray::from_iter_values(history.iter().map(|commit| commit.operation.name.as_str()))),
        ),
        ("operationParameters", canonical(Arc::new(parameters.finish()))?),
        (
            "readVersion",
            Arc::new(
                history
                    .iter()
                    .map(|commit| commit.read_version.and_then(|version| i64::try_from(version).ok()))
                    .collect::<Int64Array>(),
            ),
        ),
        ("isolationLevel", Arc::new(StringArray::from_iter_values(history.iter().map(|_| "WriteSerializable")))),
        (
            "isBlindAppend",
            Arc::new(history.iter().map(|commit| Some(commit.is_blind_append)).collect::<BooleanArray>()),
        ),
        ("operationMetrics", canonical(Arc::new(metrics.finish()))?),
        ("engineInfo", Arc::new(StringArray::from_iter_values(history.iter().map(|_| "Lakelet")))),
    ];
    let schema = Arc::new(Schema::new(
        columns.iter().map(|(name, array)| Field::new(*name, array.data_type().clone(), true)).collect::<Vec<_>>(),
    ));
    let arrays = columns.into_iter().map(|(_, array)| array).collect();
    let batch = RecordBatch::try_new(Arc::clone(&schema), arrays).map_err(internal)?;
    Ok(ResultRows { schema, batches: vec![batch] })
}
