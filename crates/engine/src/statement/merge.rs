//! MERGE INTO.
//!
//! Target and source meet in a full outer join; every joined row gets the number of the first clause that applies, and
//! the values that clause writes. What is left is sorting the rows by what their clause does.

use std::collections::HashSet;

use datafusion::arrow::array::{AsArray, BooleanArray, RecordBatch};
use datafusion::arrow::compute::filter_record_batch;
use datafusion::arrow::datatypes::Int32Type;
use datafusion::common::{Column as PlanColumn, DFSchema};
use datafusion::logical_expr::{Expr, JoinType, LogicalPlan, LogicalPlanBuilder, lit, when};
use lakelet_base::{Diagnostic, ErrorClass, Result, same_name};
use lakelet_spark::PlanNames;
use lakelet_store::{ChangeType, Column, Operation};
use lakelet_syntax::statement::Merge;
use sqlparser::ast::{self, AssignmentTarget, MergeAction, MergeClauseKind, MergeInsertKind, TableFactor};

use super::update::unknown_column;
use super::write::{address_exprs, addressed_scan, addresses, planning, store_cast, table_rows};
use super::{Outcome, Prepared, writable_table};
use crate::lower::name_parts;
use crate::planner::Engine;
use crate::session::Scope;

const IN_SOURCE: &str = "\u{1}in_source";
const CLAUSE: &str = "\u{1}clause";

/// What a clause does with the rows it applies to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ClauseAction {
    Update,
    Delete,
    Insert,
}

struct Side<'a> {
    columns: &'a [Column],
    target_alias: String,
    source_alias: String,
    source: &'a DFSchema,
}

impl Engine {
    pub(super) fn prepare_merge(&self, merge: &Merge, scope: &Scope<'_>) -> Result<Prepared> {
        if merge.schema_evolution {
            return Err(Box::new(
                Diagnostic::unsupported("MERGE WITH SCHEMA EVOLUTION")
                    .at(merge.table.span)
                    .hint("Add the new columns with ALTER TABLE … ADD COLUMN first."),
            ));
        }
        let table = writable_table(&merge.table, scope, "MERGE")?;
        let snapshot = table.latest();
        let columns = snapshot.columns.to_vec();
        let target_alias = factor_alias(&merge.merge.table).unwrap_or_else(|| table.name.name.clone()).to_lowercase();
        let source_alias = factor_alias(&merge.merge.source).unwrap_or_else(|| "\u{1}source".to_owned()).to_lowercase();

        let source = self.plan_query(&select_all(&merge.merge.source), scope)?;
        let mut names = source.names.clone();
        let mut source_columns: Vec<Expr> = source
            .plan
            .schema()
            .iter()
            .map(|(qualifier, field)| Expr::Column(PlanColumn::from((qualifier, field))))
            .collect();
        source_columns.push(lit(true).alias(IN_SOURCE));
        let source_plan = LogicalPlanBuilder::from(source.plan)
            .project(source_columns)
            .and_then(|plan| plan.alias(source_alias.clone()))
            .and_then(LogicalPlanBuilder::build)
            .map_err(planning)?;
        let target = addressed_scan(&snapshot, &target_alias)?;
        let both = target.schema().join(source_plan.schema()).map_err(planning)?;
        let (on, used) = self.plan_expression(&merge.merge.on, &both, scope)?;
        names.absorb(used);
        let joined = target
            .join_on(source_plan.clone(), JoinType::Full, [on])
            .map_err(|error| Box::new(lakelet_spark::diagnostic(&error, &names)))?;

        let side = Side { columns: &columns, target_alias, source_alias, source: source_plan.schema() };
        let (plan, actions, used) = self.merge_plan(joined, merge, &side, scope)?;
        names.absorb(used);
        let (execution, names) = self.start(plan, names)?;

        let mut transaction = scope.store.begin();
        let id = table.id;
        let n_columns = columns.len();
        let operation = Operation::new("MERGE").parameter("predicate", merge.merge.on.to_string());
        let only_delete = actions.iter().all(|action| *action == ClauseAction::Delete);
        let finish = Box::new(move |batches: Vec<RecordBatch>| {
            let mut touched = HashSet::new();
            let mut counts = [0_u64; 3];
            for batch in &batches {
                for (kind, count) in
                    [ClauseAction::Update, ClauseAction::Delete, ClauseAction::Insert].into_iter().zip(&mut counts)
                {
                    let rows = rows_of(batch, 2 + n_columns, &actions, kind)?;
                    if rows.num_rows() == 0 {
                        continue;
                    }
                    let mut gone: Vec<_> = addresses(&rows).into_iter().flatten().collect();
                    if kind != ClauseAction::Insert {
                        for address in &gone {
                            if !touched.insert(*address) && !only_delete {
                                return Err(several_sources());
                            }
                        }
                    }
                    if kind == ClauseAction::Delete && only_delete {
                        gone.sort_unstable();
                        gone.dedup();
                    }
                    *count += if kind == ClauseAction::Insert { rows.num_rows() } else { gone.len() } as u64;
                    match kind {
                        ClauseAction::Insert => {
                            let added = table_rows(&rows, 3 + n_columns, &snapshot)?;
                            transaction.add_batch(id, added.clone());
                            transaction.change_rows(id, ChangeType::Insert, added);
                        }
                        ClauseAction::Update => {
                            let before = table_rows(&rows, 2, &snapshot)?;
                            let after = table_rows(&rows, 3 + n_columns, &snapshot)?;
                            transaction.delete_rows(id, &gone);
                            transaction.add_batch(id, after.clone());
                            transaction.change_rows(id, ChangeType::UpdatePreimage, before);
                            transaction.change_rows(id, ChangeType::UpdatePostimage, after);
                        }
                        ClauseAction::Delete => {
                            let before = table_rows(&rows, 2, &snapshot)?;
                            transaction.delete_rows(id, &gone);
                            transaction.change_rows(id, ChangeType::Delete, before);
                        }
                    }
                }
            }
            let [n_updated, n_deleted, n_inserted] = counts;
            let n_affected = n_updated + n_deleted + n_inserted;
            let metrics = vec![
                ("numTargetRowsInserted".to_owned(), n_inserted),
                ("numTargetRowsUpdated".to_owned(), n_updated),
                ("numTargetRowsDeleted".to_owned(), n_deleted),
            ];
            if n_affected > 0 {
                let operation =
                    metrics.iter().fold(operation, |operation, (name, value)| operation.metric(name.clone(), *value));
                transaction.commit_info(id, operation);
            }
            Ok(Outcome {
                transaction: Some(transaction),
                rows_affected: Some(n_affected),
                metrics,
                ..Outcome::default()
            })
        });
        Ok(Prepared::Write { execution, finish, names })
    }

    /// Addresses, old values, the clause's number, new values; only rows that a clause applies to.
    fn merge_plan(
        &self,
        joined: LogicalPlanBuilder,
        merge: &Merge,
        side: &Side<'_>,
        scope: &Scope<'_>,
    ) -> Result<(LogicalPlan, Vec<ClauseAction>, PlanNames)> {
        let schema = joined.schema().as_ref().clone();
        let mut names = PlanNames::default();
        let in_target = address_exprs()[0].clone().is_not_null();
        let in_source = Expr::Column(PlanColumn::new(Some(side.source_alias.clone()), IN_SOURCE)).is_not_null();
        let mut conditions = Vec::new();
        let mut actions = Vec::new();
        let mut values: Vec<Vec<Option<Expr>>> = Vec::new();
        for clause in &merge.merge.clauses {
            let mut condition = match clause.clause_kind {
                MergeClauseKind::Matched => in_target.clone().and(in_source.clone()),
                MergeClauseKind::NotMatched | MergeClauseKind::NotMatchedByTarget => in_target.clone().is_not_true(),
                MergeClauseKind::NotMatchedBySource => in_source.clone().is_not_true(),
            };
            if let Some(predicate) = &clause.predicate {
                let (predicate, used) = self.plan_expression(predicate, &schema, scope)?;
                names.absorb(used);
                condition = condition.and(predicate);
            }
            conditions.push(condition);
            let (action, assigned) = self.clause_values(&clause.action, side, &schema, scope, &mut names)?;
            actions.push(action);
            values.push(assigned);
        }
        let old = |column: &Column| {
            Expr::Column(PlanColumn::new(Some(side.target_alias.clone()), column.name.to_lowercase()))
        };
        let number =
            first_of(conditions.into_iter().enumerate().map(|(index, condition)| (condition, lit(index_i32(index)))))?;
        let mut all: Vec<Expr> =
            schema.iter().map(|(qualifier, field)| Expr::Column(PlanColumn::from((qualifier, field)))).collect();
        all.push(number.alias(CLAUSE));
        let numbered = joined
            .project(all)
            .and_then(|plan| plan.filter(Expr::Column(PlanColumn::from_name(CLAUSE)).is_not_null()))
            .map_err(planning)?;
        let clause = Expr::Column(PlanColumn::from_name(CLAUSE));
        let mut projection: Vec<Expr> = address_exprs().to_vec();
        for (index, column) in side.columns.iter().enumerate() {
            projection.push(old(column).alias(format!("\u{1}old{index}")));
        }
        projection.push(clause.clone());
        let input = numbered.plan().clone();
        for (index, column) in side.columns.iter().enumerate() {
            let mut branches = Vec::new();
            for (number, assigned) in values.iter().enumerate() {
                let value = match &assigned[index] {
                    Some(value) => store_cast(value.clone(), column, &input)?,
                    None if actions[number] == ClauseAction::Insert => self.column_default(column, scope)?,
                    None => old(column),
                };
                branches.push((clause.clone().eq(lit(index_i32(number))), value));
            }
            projection.push(first_of(branches.into_iter())?.alias(format!("\u{1}new{index}")));
        }
        let plan = numbered.project(projection).and_then(LogicalPlanBuilder::build).map_err(planning)?;
        Ok((plan, actions, names))
    }

    /// What a clause does, and the value it gives to each column.
    fn clause_values(
        &self,
        action: &MergeAction,
        side: &Side<'_>,
        schema: &DFSchema,
        scope: &Scope<'_>,
        names: &mut PlanNames,
    ) -> Result<(ClauseAction, Vec<Option<Expr>>)> {
        let mut values: Vec<Option<Expr>> = vec![None; side.columns.len()];
        let mut plan = |expr: &ast::Expr| -> Result<Expr> {
            let (expr, used) = self.plan_expression(expr, schema, scope)?;
            names.absorb(used);
            Ok(expr)
        };
        let find = |name: &str| {
            side.columns.iter().position(|column| same_name(&column.name, name)).ok_or_else(|| {
                Box::new(Diagnostic {
                    span: None,
                    ..*unknown_column(name, lakelet_base::Span::default(), side.columns)
                })
            })
        };
        match action {
            MergeAction::Delete { .. } => Ok((ClauseAction::Delete, values)),
            MergeAction::Update(update) => {
                for assignment in &update.assignments {
                    let AssignmentTarget::ColumnName(name) = &assignment.target else {
                        return Err(Box::new(Diagnostic::unsupported("assigning a tuple of columns")));
                    };
                    let name = name_parts(name).pop().unwrap_or_default();
                    if name == "*" {
                        assign_all(&mut values, side)?;
                    } else {
                        values[find(&name)?] = Some(plan(&assignment.value)?);
                    }
                }
                Ok((ClauseAction::Update, values))
            }
            MergeAction::Insert(insert) => {
                let listed: Vec<String> =
                    insert.columns.iter().map(|name| name_parts(name).pop().unwrap_or_default()).collect();
                let rows = match &insert.kind {
                    MergeInsertKind::Values(rows) if listed != ["*"] => rows,
                    _ => {
                        assign_all(&mut values, side)?;
                        return Ok((ClauseAction::Insert, values));
                    }
                };
                let Some(row) = rows.rows.first() else {
                    return Err(Box::new(Diagnostic::new(ErrorClass::PARSE_SYNTAX_ERROR, "INSERT without values.")));
                };
                let positions = if listed.is_empty() {
                    (0..side.columns.len()).collect()
                } else {
                    listed.iter().map(|name| find(name)).collect::<Result<Vec<_>>>()?
                };
                if positions.len() != row.content.len() {
                    return Err(Box::new(Diagnostic::new(
                        ErrorClass::new("INSERT_COLUMN_ARITY_MISMATCH.NOT_ENOUGH_DATA_COLUMNS", "21S01"),
                        format!("INSERT names {} columns and gives {} values.", positions.len(), row.content.len()),
                    )));
                }
                for (position, value) in positions.into_iter().zip(&row.content) {
                    values[position] = Some(plan(value)?);
                }
                Ok((ClauseAction::Insert, values))
            }
        }
    }
}

/// `UPDATE SET *` and `INSERT *`: every column from the source column of its name.
fn assign_all(values: &mut [Option<Expr>], side: &Side<'_>) -> Result<()> {
    for (value, column) in values.iter_mut().zip(side.columns) {
        let name = column.name.to_lowercase();
        if !side.source.fields().iter().any(|field| *field.name() == name) {
            return Err(Box::new(
                Diagnostic::new(
                    ErrorClass::UNRESOLVED_COLUMN_PLAIN,
                    format!("The source has no column `{}`, which `*` would have to take.", column.name),
                )
                .hint("List the columns instead of writing `*`."),
            ));
        }
        *value = Some(Expr::Column(PlanColumn::new(Some(side.source_alias.clone()), name)));
    }
    Ok(())
}

/// CASE WHEN … THEN … END over (condition, value) pairs.
fn first_of(mut branches: impl Iterator<Item = (Expr, Expr)>) -> Result<Expr> {
    let Some((condition, value)) = branches.next() else {
        return Err(Box::new(Diagnostic::new(
            ErrorClass::new("MERGE_WITHOUT_WHEN", "42601"),
            "MERGE needs at least one WHEN clause.",
        )));
    };
    let mut case = when(condition, value);
    for (condition, value) in branches {
        case.when(condition, value);
    }
    case.end().map_err(planning)
}

fn index_i32(index: usize) -> i32 {
    i32::try_from(index).unwrap_or(i32::MAX)
}

/// Rows whose clause does `kind`.
fn rows_of(
    batch: &RecordBatch,
    clause_column: usize,
    actions: &[ClauseAction],
    kind: ClauseAction,
) -> Result<RecordBatch> {
    let clauses = batch.column(clause_column).as_primitive::<Int32Type>();
    let mask: BooleanArray = clauses
        .values()
        .iter()
        .map(|clause| Some(usize::try_from(*clause).ok().and_then(|clause| actions.get(clause)) == Some(&kind)))
        .collect();
    filter_record_batch(batch, &mask).map_err(|error| planning(error.into()))
}

fn several_sources() -> Box<Diagnostic> {
    Box::new(
        Diagnostic::new(
            ErrorClass::new("DELTA_MULTIPLE_SOURCE_ROW_MATCHING_TARGET_ROW_IN_MERGE", "21506"),
            "Cannot perform MERGE as multiple source rows matched and attempted to modify the same target row in possibly conflicting ways.",
        )
        .hint("Reduce the source to one row for each key, for instance the newest, before merging."),
    )
}

fn factor_alias(factor: &TableFactor) -> Option<String> {
    match factor {
        TableFactor::Table { name, alias, .. } => {
            alias.as_ref().map(|alias| alias.name.value.clone()).or_else(|| name_parts(name).pop())
        }
        TableFactor::Derived { alias, .. } => alias.as_ref().map(|alias| alias.name.value.clone()),
        _ => None,
    }
}

/// `SELECT * FROM factor`.
fn select_all(factor: &TableFactor) -> ast::Query {
    use ast::helpers::attached_token::AttachedToken;
    let select = ast::Select {
        select_token: AttachedToken::empty(),
        optimizer_hints: Vec::new(),
        distinct: None,
        select_modifiers: None,
        top: None,
        top_before_distinct: false,
        projection: vec![ast::SelectItem::Wildcard(ast::WildcardAdditionalOptions::default())],
        exclude: None,
        into: None,
        from: vec![ast::TableWithJoins { relation: factor.clone(), joins: Vec::new() }],
        lateral_views: Vec::new(),
        prewhere: None,
        selection: None,
        connect_by: Vec::new(),
        group_by: ast::GroupByExpr::Expressions(Vec::new(), Vec::new()),
        cluster_by: Vec::new(),
        distribute_by: Vec::new(),
        sort_by: Vec::new(),
        having: None,
        named_window: Vec::new(),
        qualify: None,
        window_before_qualify: false,
        value_table_mode: None,
        flavor: ast::SelectFlavor::Standard,
    };
    ast::Query {
        with: None,
        body: Box::new(ast::SetExpr::Select(Box::new(select))),
        order_by: None,
        limit_clause: None,
        fetch: None,
        locks: Vec::new(),
        for_clause: None,
        settings: None,
        format_clause: None,
        pipe_operators: Vec::new(),
    }
}
