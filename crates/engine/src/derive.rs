//! What refreshes ask of queries besides their rows: what they read, their changed groups, their rows as a table's.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::compute::concat_batches;
use datafusion::arrow::datatypes::{Field, Schema};
use datafusion::common::{Column as PlanColumn, DataFusionError};
use datafusion::datasource::provider_as_source;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, cast};
use lakelet_base::{Diagnostic, Result};
use lakelet_store::Column;
use sqlparser::ast::{self, Expr as SqlExpr, ObjectName, TableFactor, Visit, Visitor};

use crate::lower::name_parts;
use crate::planner::{Engine, PlannedQuery, ResultColumn};
use crate::session::Scope;
use crate::table::RowsTable;

/// Functions whose value differs from one refresh to the next. The clock's are among them: at the next refresh it is
/// later.
const NONDETERMINISTIC: [&str; 14] = [
    "rand",
    "random",
    "randn",
    "uuid",
    "shuffle",
    "now",
    "current_timestamp",
    "current_date",
    "curdate",
    "localtimestamp",
    "unix_timestamp",
    "monotonically_increasing_id",
    "input_file_name",
    "spark_partition_id",
];

/// The first call in a query whose value is another at each refresh.
pub(crate) fn nondeterministic_call(query: &ast::Query) -> Option<String> {
    struct Calls(Option<String>);
    impl Visitor for Calls {
        type Break = ();
        fn pre_visit_expr(&mut self, expr: &SqlExpr) -> ControlFlow<()> {
            let name = match expr {
                SqlExpr::Function(function) => function.name.to_string().to_lowercase(),
                SqlExpr::Identifier(ident) if ident.quote_style.is_none() => match ident.value.to_lowercase() {
                    name if name == "current_date" || name == "current_timestamp" => name,
                    _ => return ControlFlow::Continue(()),
                },
                _ => return ControlFlow::Continue(()),
            };
            if NONDETERMINISTIC.contains(&name.as_str()) {
                self.0 = Some(format!("{name}()"));
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        }
    }
    let mut calls = Calls(None);
    let _stopped = Visit::visit(query, &mut calls);
    calls.0
}

/// Names of the tables that a query reads, each once, in order of appearance; its own CTEs are not among them.
pub fn tables_read(query: &ast::Query) -> Vec<Vec<String>> {
    #[derive(Default)]
    struct Relations {
        ctes: HashSet<String>,
        found: Vec<Vec<String>>,
    }
    impl Visitor for Relations {
        type Break = ();
        fn pre_visit_query(&mut self, query: &ast::Query) -> ControlFlow<()> {
            for cte in query.with.iter().flat_map(|with| &with.cte_tables) {
                self.ctes.insert(cte.alias.name.value.to_lowercase());
            }
            ControlFlow::Continue(())
        }
        fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<()> {
            let TableFactor::Table { name, args: None, .. } = factor else { return ControlFlow::Continue(()) };
            self.note(name);
            ControlFlow::Continue(())
        }
    }
    impl Relations {
        fn note(&mut self, name: &ObjectName) {
            let parts = name_parts(name);
            let is_cte = parts.len() == 1 && self.ctes.contains(&parts[0].to_lowercase());
            if !is_cte && !self.found.contains(&parts) {
                self.found.push(parts);
            }
        }
    }
    let mut relations = Relations::default();
    let _stopped = Visit::visit(query, &mut relations);
    relations.found
}

impl Engine {
    /// The distinct groups of a planned aggregation, one row each, canonical types.
    ///
    /// # Errors
    /// When the plan does not aggregate, or a row cannot be made.
    pub fn groups_of(&self, planned: &PlannedQuery) -> Result<RecordBatch> {
        let report = |error: DataFusionError| Box::new(lakelet_spark::diagnostic(&error, &planned.names));
        let plan = lakelet_incremental::groups_of(&planned.plan).and_then(|plan| self.analyze(plan)).map_err(report)?;
        let columns: Vec<ResultColumn> = plan
            .schema()
            .fields()
            .iter()
            .map(|field| ResultColumn {
                name: field.name().clone(),
                field: Arc::new(lakelet_types::canonical_field(field)),
            })
            .collect();
        let groups = PlannedQuery { plan, columns, names: planned.names.clone(), reads: planned.reads.clone() };
        let rows = self.rows(&groups)?;
        let fields: Vec<Field> =
            groups.schema().fields().iter().map(|field| field.as_ref().clone().with_nullable(true)).collect();
        concat_batches(&Arc::new(Schema::new(fields)), &rows).map_err(|error| Box::new(Diagnostic::internal(error)))
    }

    /// A planned aggregation that computes only the groups in `groups`, which [`Engine::groups_of`] gave.
    ///
    /// # Errors
    /// When the plan does not aggregate.
    pub fn restrict_to_groups(&self, planned: &PlannedQuery, groups: &RecordBatch) -> Result<PlannedQuery> {
        let report = |error: DataFusionError| Box::new(lakelet_spark::diagnostic(&error, &planned.names));
        let table = RowsTable::new(&groups.schema(), vec![groups.clone()]).map_err(report)?;
        let keys = LogicalPlanBuilder::scan("\u{1}groups", provider_as_source(Arc::new(table)), None)
            .and_then(LogicalPlanBuilder::build)
            .map_err(report)?;
        let plan = lakelet_incremental::only_groups(planned.plan.clone(), &keys)
            .and_then(|plan| self.analyze(plan))
            .map_err(report)?;
        Ok(PlannedQuery { plan, ..planned.clone() })
    }

    /// The rows of a query as rows of a table, filtered by a predicate over the table's columns: column `i` comes from
    /// the query's column `positions[i]`, or is NULL.
    ///
    /// # Errors
    /// When a value cannot be cast, or the predicate names what the table does not have.
    pub fn plan_replacement(
        &self,
        source: &PlannedQuery,
        columns: &[Column],
        positions: &[Option<usize>],
        predicate: &ast::Expr,
        alias: &str,
        scope: &Scope<'_>,
    ) -> Result<PlannedQuery> {
        let mut names = source.names.clone();
        let given: Vec<Expr> = source
            .plan
            .schema()
            .iter()
            .map(|(qualifier, field)| Expr::Column(PlanColumn::from((qualifier, field))))
            .collect();
        let projection = columns.iter().zip(positions).map(|(column, position)| {
            let value = match position {
                Some(position) => given[*position].clone(),
                None => datafusion::logical_expr::lit(datafusion::common::ScalarValue::Null),
            };
            cast(value, column.data_type.clone()).alias(column.name.to_lowercase())
        });
        let report = |error: DataFusionError| Box::new(lakelet_spark::diagnostic(&error, &source.names));
        let renamed: LogicalPlan = LogicalPlanBuilder::from(source.plan.clone())
            .project(projection)
            .and_then(|plan| plan.alias(alias.to_lowercase()))
            .and_then(LogicalPlanBuilder::build)
            .map_err(report)?;
        let (filter, used) = self.plan_expression(predicate, renamed.schema(), scope)?;
        names.absorb(used);
        let plan = LogicalPlanBuilder::from(renamed)
            .filter(filter)
            .and_then(LogicalPlanBuilder::build)
            .and_then(|plan| self.analyze(plan))
            .map_err(|error| Box::new(lakelet_spark::diagnostic(&error, &names)))?;
        let columns = columns
            .iter()
            .map(|column| ResultColumn { name: column.name.clone(), field: Arc::new(column.field()) })
            .collect();
        Ok(PlannedQuery { plan, columns, names, reads: source.reads.clone() })
    }
}
