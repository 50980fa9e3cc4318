//! What SQL tasks pass on: rows as references read them, with or without a run.

use std::collections::HashMap;

use arrow::array::RecordBatch;
use arrow::datatypes::Schema;
use lakelet_base::{Diagnostic, ErrorClass, Limits, Result};
use lakelet_engine::{
    PlannedQuery, Prepared, ResultRows, Scope, Session, Step, canonical_rows, diagnostic, parameters_from_json,
};
use lakelet_jobs::{OutputColumn, TaskOutput, TaskOutputBuilder, value_text};
use lakelet_protocol::TaskOutputView;
use lakelet_syntax::statement::Statement;
use serde_json::{Map, Value};

use crate::core::Core;
use crate::script::parse;

/// The rows of a result as references read them.
pub(super) fn task_output(rows: &ResultRows, limits: &Limits) -> TaskOutput {
    let mut builder = builder(&rows.schema, limits);
    for batch in &rows.batches {
        push(&mut builder, batch, &rows.schema);
    }
    builder.finish()
}

fn builder(schema: &Schema, limits: &Limits) -> TaskOutputBuilder {
    let columns = schema
        .fields()
        .iter()
        .map(|field| OutputColumn { name: field.name().clone(), type_name: lakelet_types::field_simple_string(field) });
    TaskOutputBuilder::new(columns.collect(), limits)
}

fn push(builder: &mut TaskOutputBuilder, batch: &RecordBatch, schema: &Schema) {
    for row in 0..batch.num_rows() {
        let cells = batch.columns().iter().zip(schema.fields());
        let cells = cells.map(|(column, field)| lakelet_types::field_cell_json(field, column.as_ref(), row));
        builder.push_row(cells.collect());
    }
}

/// Plans the last query of a SQL task's text without running anything; `None` when the text ends with something else.
///
/// # Errors
/// A statement that is wrong, or that changes something.
pub(super) fn plan_last_query(core: &Core, text: &str, values: &Map<String, Value>) -> Result<Option<PlannedQuery>> {
    let parameters = parameters_from_json(values)?;
    let mut session = Session::default();
    let stand_ins = HashMap::new();
    let mut last = None;
    for statement in parse(text, values, &core.limits).statements {
        let parsed = statement.statement.as_ref().map_err(Clone::clone)?;
        let scope = Scope {
            store: &core.store,
            session: &session,
            now: core.clock.now(),
            parameters: &parameters,
            limits: &core.limits,
            text: statement.text(),
            stand_ins: &stand_ins,
            view_depth: 0,
        };
        let shifted = |diagnostic: Box<Diagnostic>| Box::new(diagnostic.shifted(statement.offset()));
        match parsed {
            Statement::Query(query) => last = Some(core.engine.plan_query(&query.query, &scope).map_err(shifted)?),
            Statement::Use(_) | Statement::Set(_) => {
                if let Prepared::Done(outcome) = core.engine.prepare(parsed, &scope).map_err(shifted)?
                    && let Some(changed) = outcome.session
                {
                    session = changed;
                }
                last = None;
            }
            Statement::Show(_)
            | Statement::DescribeTable(_)
            | Statement::DescribeQuery(_)
            | Statement::DescribeHistory(_)
            | Statement::Explain(_) => last = None,
            _ => {
                let class = ErrorClass::new("LAKELET_PREVIEW_CHANGES_NOTHING", "25006");
                let error =
                    Diagnostic::new(class, "A preview runs queries only, and this statement changes something.")
                        .at(statement.span)
                        .hint("Run the job to see its output.");
                return Err(Box::new(error));
            }
        }
    }
    Ok(last)
}

/// Runs a planned query. `None` when it is not done after `steps_max` steps.
///
/// # Errors
/// The query failed.
pub(super) fn run_query(core: &Core, query: &PlannedQuery, steps_max: Option<usize>) -> Result<Option<TaskOutput>> {
    let schema = query.schema();
    let mut builder = builder(&schema, &core.limits);
    let mut execution = core.engine.execute(query)?;
    let mut n_steps = 0;
    loop {
        match execution.step().map_err(|error| Box::new(diagnostic(&error, &query.names)))? {
            Step::Page(batch) => push(&mut builder, &canonical_rows(&batch, &schema)?, &schema),
            Step::Progress => {}
            Step::Done => return Ok(Some(builder.finish())),
        }
        n_steps += 1;
        if steps_max.is_some_and(|most| n_steps > most) {
            return Ok(None);
        }
    }
}

/// An output as the page shows it.
pub(super) fn output_view(output: &TaskOutput) -> TaskOutputView {
    let columns: Vec<String> = output.columns().iter().map(|column| column.name.clone()).collect();
    let cell = |row: &Value, column: &String| row.get(column).filter(|cell| !cell.is_null()).map(value_text);
    let rows = output.rows().iter().map(|row| columns.iter().map(|column| cell(row, column)).collect());
    let texts: Vec<String> = output.rows().iter().map(Value::to_string).collect();
    let mut warnings = Vec::new();
    if let Some(problem) = output.problem() {
        warnings.push(format!("References cannot read the rows: the output {problem}"));
    }
    let cut = output.columns_cut_to_millis();
    if !cut.is_empty() {
        warnings
            .push(format!("Timestamps are passed on with milliseconds; microseconds were cut in: {}.", cut.join(", ")));
    }
    TaskOutputView {
        json: format!("[{}]", texts.join(",")),
        n_rows: output.n_rows() as u64,
        n_bytes: output.size_bytes() as u64,
        rows: rows.collect(),
        columns,
        warnings,
    }
}
