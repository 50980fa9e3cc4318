//! INSERT INTO, INSERT OVERWRITE, INSERT … REPLACE WHERE.

use datafusion::common::Column as PlanColumn;
use datafusion::logical_expr::{Expr, ExprSchemable, LogicalPlan, LogicalPlanBuilder};
use lakelet_base::{Diagnostic, ErrorClass, Result, same_name};
use lakelet_spark::PlanNames;
use lakelet_store::{Column, Operation, Snapshot};
use lakelet_syntax::statement::{Insert, InsertMode};
use sqlparser::ast::{self, SetExpr};

use super::write::{address_exprs, addressed_scan, addresses, can_store, planning, store_cast, table_rows};
use super::{Outcome, Prepared, writable_table};
use crate::planner::{Engine, PlannedQuery};
use crate::session::Scope;

impl Engine {
    pub(super) fn prepare_insert(&self, insert: &Insert, scope: &Scope<'_>) -> Result<Prepared> {
        let table = writable_table(&insert.table, scope, "INSERT")?;
        if !insert.partition.is_empty() {
            return Err(Box::new(
                Diagnostic::unsupported("INSERT … PARTITION")
                    .at(insert.table.span)
                    .hint("Write the value in the rows, or use INSERT … REPLACE WHERE."),
            ));
        }
        let snapshot = table.latest();
        let columns = snapshot.columns.as_ref();
        let targets = target_columns(insert, columns)?;
        let mut query = insert.source.query.as_ref().clone();
        fill_defaults(&mut query, &targets, columns);
        let source = self.plan_query(&query, scope)?;
        let plan = self.insert_plan(insert, &source, &targets, columns, scope)?;

        let mut transaction = scope.store.begin();
        let id = table.id;
        let mut operation = Operation::new("WRITE")
            .parameter("mode", if matches!(insert.mode, InsertMode::Append) { "Append" } else { "Overwrite" });
        match &insert.mode {
            InsertMode::Append => {}
            InsertMode::Overwrite => {
                transaction.delete_all(id);
            }
            InsertMode::ReplaceWhere(predicate) => {
                operation = operation.parameter("predicate", predicate.text.clone());
                let matching = self.matching_rows(&snapshot, &table.name.name, &predicate.expr, scope)?;
                transaction.delete_rows(id, &matching);
            }
        }
        let predicate = match &insert.mode {
            InsertMode::ReplaceWhere(predicate) => Some(predicate.clone()),
            _ => None,
        };
        let plan = match &predicate {
            Some(predicate) => self.check_replace_where(plan, &predicate.expr, &table.name.name, scope)?,
            None => plan,
        };
        let (execution, names) = self.start(plan, source.names)?;
        let checked = predicate.is_some();
        let finish = Box::new(move |batches: Vec<datafusion::arrow::array::RecordBatch>| {
            let mut n_rows = 0;
            for batch in batches.iter().filter(|batch| batch.num_rows() > 0) {
                if checked {
                    refuse_rows_outside(batch)?;
                }
                let rows = table_rows(batch, 0, &snapshot)?;
                n_rows += rows.num_rows() as u64;
                transaction.add_batch(id, rows);
            }
            let operation = operation.metric("numOutputRows", n_rows);
            transaction.commit_info(id, operation);
            Ok(Outcome { transaction: Some(transaction), rows_affected: Some(n_rows), ..Outcome::default() })
        });
        Ok(Prepared::Write { execution, finish, names })
    }

    /// Projects the source onto the table's columns in order, with casts and defaults.
    fn insert_plan(
        &self,
        insert: &Insert,
        source: &PlannedQuery,
        targets: &[usize],
        columns: &[Column],
        scope: &Scope<'_>,
    ) -> Result<LogicalPlan> {
        let sources: Vec<Expr> = source
            .plan
            .schema()
            .iter()
            .map(|(qualifier, field)| Expr::Column(PlanColumn::from((qualifier, field))))
            .collect();
        let positions: Vec<Option<usize>> = if insert.by_name {
            by_name_positions(source, columns, insert)?
        } else {
            if sources.len() != targets.len() {
                return Err(wrong_width(insert, sources.len(), targets.len()));
            }
            (0..columns.len()).map(|column| targets.iter().position(|target| *target == column)).collect()
        };
        let mut projection = Vec::with_capacity(columns.len());
        for (column, position) in columns.iter().zip(positions) {
            let expr = match position {
                Some(position) => {
                    let expr = sources[position].clone();
                    let from = expr.get_type(source.plan.schema()).map_err(planning)?;
                    if !can_store(&from, &column.data_type) {
                        return Err(cannot_store(insert, column, &from));
                    }
                    store_cast(expr, column, &source.plan)?
                }
                None => self.column_default(column, scope)?,
            };
            projection.push(expr.alias(format!("\u{1}{}", column.name.to_lowercase())));
        }
        LogicalPlanBuilder::from(source.plan.clone())
            .project(projection)
            .and_then(LogicalPlanBuilder::build)
            .map_err(planning)
    }

    /// Addresses of the rows for which a predicate over the table's columns is true.
    pub fn matching_rows(
        &self,
        snapshot: &Snapshot,
        alias: &str,
        predicate: &ast::Expr,
        scope: &Scope<'_>,
    ) -> Result<Vec<lakelet_store::RowAddress>> {
        let scan = addressed_scan(snapshot, alias)?;
        let (filter, names) = self.plan_expression(predicate, scan.schema(), scope)?;
        let plan = scan
            .filter(filter)
            .and_then(|plan| plan.project(address_exprs()))
            .and_then(LogicalPlanBuilder::build)
            .map_err(planning)?;
        let batches = self.collect(plan, names)?;
        Ok(batches.iter().flat_map(addresses).flatten().collect())
    }

    /// Adds a last column that says whether the predicate holds.
    fn check_replace_where(
        &self,
        plan: LogicalPlan,
        predicate: &ast::Expr,
        alias: &str,
        scope: &Scope<'_>,
    ) -> Result<LogicalPlan> {
        let fields: Vec<Expr> = plan
            .schema()
            .iter()
            .map(|(qualifier, field)| {
                Expr::Column(PlanColumn::from((qualifier, field))).alias(field.name().trim_start_matches('\u{1}'))
            })
            .collect();
        let renamed = LogicalPlanBuilder::from(plan)
            .project(fields)
            .and_then(|plan| plan.alias(alias.to_lowercase()))
            .map_err(planning)?;
        let (filter, _) = self.plan_expression(predicate, renamed.schema(), scope)?;
        let mut columns: Vec<Expr> = renamed
            .schema()
            .iter()
            .map(|(qualifier, field)| Expr::Column(PlanColumn::from((qualifier, field))))
            .collect();
        columns.push(filter.is_true().alias("\u{1}holds"));
        renamed.project(columns).and_then(LogicalPlanBuilder::build).map_err(planning)
    }

    /// Runs a plan to its end, for plans that are small by nature.
    pub(crate) fn collect(
        &self,
        plan: LogicalPlan,
        names: PlanNames,
    ) -> Result<Vec<datafusion::arrow::array::RecordBatch>> {
        let (mut execution, names) = self.start(plan, names)?;
        let mut batches = Vec::new();
        loop {
            match execution.step().map_err(|error| Box::new(lakelet_spark::diagnostic(&error, &names)))? {
                crate::Step::Page(batch) => batches.push(batch),
                crate::Step::Progress => {}
                crate::Step::Done => return Ok(batches),
            }
        }
    }
}

fn refuse_rows_outside(batch: &datafusion::arrow::array::RecordBatch) -> Result<()> {
    use datafusion::arrow::array::AsArray;
    let holds = batch.column(batch.num_columns() - 1).as_boolean();
    if holds.true_count() == batch.num_rows() {
        return Ok(());
    }
    Err(Box::new(
        Diagnostic::new(
            ErrorClass::new("DELTA_REPLACE_WHERE_MISMATCH", "44000"),
            "A row to insert does not match the REPLACE WHERE predicate.",
        )
        .hint("Filter the query by the same predicate."),
    ))
}

/// Positions in the table of the columns that INSERT fills, in the order of the list.
fn target_columns(insert: &Insert, columns: &[Column]) -> Result<Vec<usize>> {
    if insert.columns.is_empty() {
        return Ok((0..columns.len()).collect());
    }
    let mut targets: Vec<usize> = Vec::new();
    for (name, span) in &insert.columns {
        let Some(position) = columns.iter().position(|column| same_name(&column.name, name)) else {
            return Err(super::update::unknown_column(name, *span, columns));
        };
        if targets.contains(&position) {
            return Err(Box::new(
                Diagnostic::new(
                    ErrorClass::new("COLUMN_ALREADY_EXISTS", "42711"),
                    format!("The column `{name}` is listed twice."),
                )
                .at(*span),
            ));
        }
        targets.push(position);
    }
    Ok(targets)
}

/// DEFAULT in a VALUES list becomes the column's default.
fn fill_defaults(query: &mut ast::Query, targets: &[usize], columns: &[Column]) {
    let SetExpr::Values(values) = query.body.as_mut() else {
        return;
    };
    for row in &mut values.rows {
        for (index, value) in row.content.iter_mut().enumerate() {
            let is_default = matches!(value, ast::Expr::Identifier(ident) if ident.quote_style.is_none() && ident.value.eq_ignore_ascii_case("default"));
            if !is_default {
                continue;
            }
            let default =
                targets.get(index).and_then(|target| columns.get(*target)).and_then(|column| column.default.as_ref());
            *value = default
                .and_then(|text| lakelet_syntax::parse_expression(text).ok())
                .map_or_else(|| ast::Expr::Value(ast::Value::Null.into()), |parsed| parsed.expr);
        }
    }
}

fn by_name_positions(source: &PlannedQuery, columns: &[Column], insert: &Insert) -> Result<Vec<Option<usize>>> {
    for column in &source.columns {
        if !columns.iter().any(|target| same_name(&target.name, &column.name)) {
            return Err(Box::new(
                Diagnostic::new(
                    ErrorClass::new("INCOMPATIBLE_DATA_FOR_TABLE.EXTRA_COLUMNS", "KD000"),
                    format!("The query has a column `{}` that the table does not have.", column.name),
                )
                .at(insert.source.span),
            ));
        }
    }
    Ok(columns
        .iter()
        .map(|target| source.columns.iter().position(|column| same_name(&target.name, &column.name)))
        .collect())
}

fn wrong_width(insert: &Insert, n_given: usize, n_wanted: usize) -> Box<Diagnostic> {
    let condition = if n_given < n_wanted {
        "INSERT_COLUMN_ARITY_MISMATCH.NOT_ENOUGH_DATA_COLUMNS"
    } else {
        "INSERT_COLUMN_ARITY_MISMATCH.TOO_MANY_DATA_COLUMNS"
    };
    Box::new(
        Diagnostic::new(
            ErrorClass::new(condition, "21S01"),
            format!("The rows have {n_given} values, {n_wanted} columns are to be filled."),
        )
        .at(insert.source.span),
    )
}

fn cannot_store(insert: &Insert, column: &Column, from: &datafusion::arrow::datatypes::DataType) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::new(
            ErrorClass::new("INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_SAFELY_CAST", "KD000"),
            format!(
                "A value of type {} cannot go into the column `{}` of type {}.",
                lakelet_types::sql_name(from),
                column.name,
                lakelet_types::sql_name(&column.data_type)
            ),
        )
        .at(insert.source.span),
    )
}
