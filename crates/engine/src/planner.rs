//! From a query's syntax tree to a plan that can run.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::{DataType, Field, FieldRef, Schema, SchemaRef};
use datafusion::catalog::cte_worktable::CteWorkTable;
use datafusion::common::config::ConfigOptions;
use datafusion::common::{
    DFSchema, DataFusionError, Result as PlanResult, SchemaError, TableReference, plan_datafusion_err,
};
use datafusion::datasource::provider_as_source;
use datafusion::execution::session_state::{SessionState, SessionStateBuilder};
use datafusion::logical_expr::planner::{ContextProvider, ExprPlanner, RelationPlanner, TypePlanner};
use datafusion::logical_expr::{
    AggregateUDF, Expr, HigherOrderUDF, LogicalPlan, LogicalPlanBuilder, ScalarUDF, TableSource, WindowUDF,
};
use datafusion::prelude::SessionConfig;
use datafusion::sql::planner::{NullOrdering, ParserOptions, PlannerContext, SqlToRel};
use lakelet_base::{Diagnostic, ErrorClass, Limits, Result};
use lakelet_spark::{Functions, PlanNames, SparkCasts, SparkTypes};
use sqlparser::ast;
use tokio::runtime::Runtime;

use crate::derive::nondeterministic_call;
use crate::execution::{Execution, PauseInMultipliers, Step, runtime};
use crate::lower::{LowerContext, alias_written_out, has_group_by, lower, lower_expression, operations};
use crate::memberships::settle_memberships;
use crate::recursion::BoundRecursion;
use crate::resolve::{Reads, Tables};
use crate::session::Scope;
use crate::statement::canonical_rows;

/// Rows in a batch: small enough that a step is short, large enough that kernels are quick.
const BATCH_ROWS: usize = 4096;
/// Most aliases of a query that other columns of their SELECT use.
const LATERAL_ALIASES_MAX: usize = 100;

/// Plans and runs queries. One engine serves a whole workspace.
pub struct Engine {
    runtime: Arc<Runtime>,
    state: SessionState,
    functions: Functions,
    function_names: Vec<String>,
    expr_planners: Vec<Arc<dyn ExprPlanner>>,
    relation_planners: Vec<Arc<dyn RelationPlanner>>,
}

/// A column of a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResultColumn {
    /// Name as Spark shows it.
    pub name: String,
    /// Canonical Arrow field: type, nullability, and what the type alone cannot say.
    pub field: FieldRef,
}

/// A query that is planned.
#[derive(Debug, Clone)]
pub struct PlannedQuery {
    /// Before optimization; names are lower case.
    pub plan: LogicalPlan,
    /// The result's columns.
    pub columns: Vec<ResultColumn>,
    /// What errors say about names.
    pub names: PlanNames,
    /// What it reads.
    pub reads: Reads,
}

impl PlannedQuery {
    /// The result's schema with shown names and canonical types.
    pub fn schema(&self) -> SchemaRef {
        Arc::new(Schema::new(
            self.columns.iter().map(|column| column.field.as_ref().clone().with_name(&column.name)).collect::<Vec<_>>(),
        ))
    }
}

impl Engine {
    /// An engine within `limits`.
    ///
    /// # Errors
    /// When the host gives no runtime.
    pub fn new(limits: &Limits) -> Result<Self> {
        let runtime = Arc::new(runtime().map_err(|error| Box::new(Diagnostic::internal(error)))?);
        let mut config = SessionConfig::new().with_target_partitions(1).with_batch_size(BATCH_ROWS);
        let options = config.options_mut();
        options.sql_parser.enable_ident_normalization = false;
        options.sql_parser.parse_float_as_decimal = true;
        options.sql_parser.map_string_types_to_utf8view = false;
        options.sql_parser.default_null_ordering = "nulls_min".to_owned();
        options.optimizer.repartition_joins = false;
        options.optimizer.repartition_aggregations = false;
        options.optimizer.repartition_windows = false;
        options.optimizer.repartition_sorts = false;
        options.execution.time_zone = Some("UTC".to_owned());
        let memory = datafusion::execution::runtime_env::RuntimeEnvBuilder::new()
            .with_disk_manager_builder(
                datafusion::execution::disk_manager::DiskManagerBuilder::default()
                    .with_mode(datafusion::execution::disk_manager::DiskManagerMode::Disabled),
            )
            .with_memory_limit(limits.statement_memory_bytes_max, 1.0)
            .build_arc()
            .map_err(|error| Box::new(Diagnostic::internal(error)))?;
        let functions = lakelet_spark::functions();
        let state = SessionStateBuilder::new()
            .with_config(config)
            .with_runtime_env(memory)
            .with_expr_planners(lakelet_spark::expr_planners())
            .with_type_planner(Arc::new(SparkTypes))
            .with_analyzer_rule(Arc::new(SparkCasts))
            .with_scalar_functions(functions.scalar.values().cloned().collect())
            .with_aggregate_functions(functions.aggregate.values().cloned().collect())
            .with_window_functions(functions.window.values().cloned().collect())
            .with_physical_optimizer_rule(Arc::new(PauseInMultipliers))
            .with_physical_optimizer_rule(Arc::new(BoundRecursion))
            .build();
        let function_names = functions.names().into_iter().map(str::to_owned).collect();
        Ok(Self {
            runtime,
            state,
            functions,
            function_names,
            expr_planners: lakelet_spark::expr_planners(),
            relation_planners: lakelet_spark::relation_planners(),
        })
    }

    /// Names of all functions, sorted.
    pub fn function_names(&self) -> &[String] {
        &self.function_names
    }

    /// Plans a query against the tables of `scope`.
    ///
    /// # Errors
    /// Unknown names, types that do not fit, whatever Spark's analyzer would refuse.
    pub fn plan_query(&self, query: &ast::Query, scope: &Scope<'_>) -> Result<PlannedQuery> {
        let mut written = Cow::Borrowed(query);
        for _ in 0..LATERAL_ALIASES_MAX {
            match self.plan_as_written(&written, scope) {
                Ok(planned) => return Ok(planned),
                Err(Unplanned { diagnostic, missing }) => {
                    match missing.and_then(|name| alias_written_out(&written, &name)) {
                        Some(changed) => written = Cow::Owned(changed),
                        None => return Err(diagnostic),
                    }
                }
            }
        }
        let message = format!("More than {LATERAL_ALIASES_MAX} aliases are used by other columns of their SELECT.");
        Err(Box::new(Diagnostic::new(ErrorClass::LIMIT_EXCEEDED, message).hint("Compute them in a subquery.")))
    }

    fn plan_as_written(&self, query: &ast::Query, scope: &Scope<'_>) -> Result<PlannedQuery, Unplanned> {
        let mut tables = Tables::new(self, scope);
        let offset = |location| lakelet_syntax::location_to_offset(scope.text, location);
        let context =
            LowerContext { params: scope.parameters, now: scope.now, session: scope.session, offset: &offset };
        let lowered = lower(query, &context, &mut tables)?;
        let mut names = PlanNames {
            spelling: lowered.spelling,
            places: lowered.places,
            functions: self.function_names.clone(),
            operations: operations(query, scope.text),
            has_group_by: has_group_by(query),
        };
        if tables.has_views() {
            names.operations.add_others();
        }
        let mut reads = tables.take_reads();
        reads.nondeterministic = nondeterministic_call(query).or(reads.nondeterministic);
        let provider = PlanContext { engine: self, sources: tables.into_sources() };
        let statement = ast::Statement::Query(Box::new(lowered.query));
        let plan = SqlToRel::new_with_options(&provider, parser_options()).sql_statement_to_plan(statement).map_err(
            |error| Unplanned {
                missing: missing_column(&error),
                diagnostic: Box::new(lakelet_spark::diagnostic(&error, &names)),
            },
        )?;
        // Types are settled by the analyzer's coercion; schema errors surface here, not when rows are read.
        let plan = self.analyze(plan).map_err(|error| Box::new(lakelet_spark::diagnostic(&error, &names)))?;
        let columns = result_columns(plan.schema(), &lowered.display, &names);
        Ok(PlannedQuery { plan, columns, names, reads })
    }

    /// Plans a query and, as further columns, expressions over the columns it gives; the last columns are theirs.
    ///
    /// # Errors
    /// As [`Engine::plan_query`].
    pub fn plan_query_with(
        &self,
        query: &ast::Query,
        expressions: &[&ast::Expr],
        scope: &Scope<'_>,
    ) -> Result<PlannedQuery> {
        let planned = self.plan_query(query, scope)?;
        let reads = planned.reads;
        let mut names = planned.names.clone();
        let mut columns: Vec<Expr> = planned
            .plan
            .schema()
            .iter()
            .map(|(qualifier, field)| Expr::Column(datafusion::common::Column::from((qualifier, field))))
            .collect();
        let mut shown: Vec<Option<String>> = planned.columns.iter().map(|column| Some(column.name.clone())).collect();
        for (index, expression) in expressions.iter().enumerate() {
            let (expr, used) = self.plan_expression(expression, planned.plan.schema(), scope)?;
            names.absorb(used);
            columns.push(expr.alias(format!("\u{1}expression{index}")));
            shown.push(Some(expression.to_string()));
        }
        let plan = LogicalPlanBuilder::from(planned.plan)
            .project(columns)
            .and_then(LogicalPlanBuilder::build)
            .and_then(|plan| self.analyze(plan))
            .map_err(|error| Box::new(lakelet_spark::diagnostic(&error, &names)))?;
        let columns = result_columns(plan.schema(), &shown, &names);
        Ok(PlannedQuery { plan, columns, names, reads })
    }

    /// Runs a query to its end, for queries that are small by nature; rows have the query's shown names and types.
    ///
    /// # Errors
    /// As [`Engine::execute`], and whatever fails while rows are made.
    pub fn rows(&self, query: &PlannedQuery) -> Result<Vec<RecordBatch>> {
        let mut execution = self.execute(query)?;
        let schema = query.schema();
        let mut batches = Vec::new();
        loop {
            match execution.step().map_err(|error| Box::new(lakelet_spark::diagnostic(&error, &query.names)))? {
                Step::Page(batch) => batches.push(canonical_rows(&batch, &schema)?),
                Step::Progress => {}
                Step::Done => return Ok(batches),
            }
        }
    }

    /// Plans an expression over the columns of `schema`.
    ///
    /// # Errors
    /// As [`Engine::plan_query`].
    pub(crate) fn plan_expression(
        &self,
        expr: &ast::Expr,
        schema: &DFSchema,
        scope: &Scope<'_>,
    ) -> Result<(Expr, PlanNames)> {
        let mut tables = Tables::new(self, scope);
        let offset = |location| lakelet_syntax::location_to_offset(scope.text, location);
        let context =
            LowerContext { params: scope.parameters, now: scope.now, session: scope.session, offset: &offset };
        let (lowered, places) = lower_expression(expr, &context, &mut tables)?;
        let mut names = PlanNames {
            places,
            functions: self.function_names.clone(),
            operations: operations(expr, scope.text),
            ..PlanNames::default()
        };
        if tables.has_views() {
            names.operations.add_others();
        }
        let provider = PlanContext { engine: self, sources: tables.into_sources() };
        let planned = SqlToRel::new_with_options(&provider, parser_options())
            .sql_to_expr(lowered, schema, &mut PlannerContext::new())
            .map_err(|error| Box::new(lakelet_spark::diagnostic(&error, &names)))?;
        Ok((planned, names))
    }

    /// Starts a planned query.
    ///
    /// # Errors
    /// When the plan cannot be made physical, or a constant in it fails (`SELECT 1 / 0`).
    pub fn execute(&self, query: &PlannedQuery) -> Result<Execution> {
        self.execute_plan(&query.plan).map_err(|error| Box::new(lakelet_spark::diagnostic(&error, &query.names)))
    }

    /// Settles types and checks the plan.
    pub(crate) fn analyze(&self, plan: LogicalPlan) -> PlanResult<LogicalPlan> {
        lakelet_spark::check_conditions(&plan)?;
        let plan = settle_memberships(plan)?;
        let plan = lakelet_spark::settle_predicates(plan)?;
        self.state.analyzer().execute_and_check(plan, self.state.config_options(), |_, _| {})
    }

    pub(crate) fn execute_plan(&self, plan: &LogicalPlan) -> PlanResult<Execution> {
        // Names were resolved before: a column that is lost here is one of a correlated subquery.
        let optimized = self.state.optimize(plan).map_err(|error| match error.find_root() {
            DataFusionError::SchemaError(..) => DataFusionError::NotImplemented("OuterReferenceColumn".to_owned()),
            _ => error,
        })?;
        let physical =
            self.runtime.block_on(self.state.query_planner().create_physical_plan(&optimized, &self.state))?;
        Execution::start(Arc::clone(&self.runtime), physical, self.state.task_ctx())
    }

    /// The plan as text: logical, and physical when `extended`.
    ///
    /// # Errors
    /// As [`Engine::execute`].
    pub fn explain(&self, query: &PlannedQuery, extended: bool) -> Result<String> {
        let name = |error: DataFusionError| Box::new(lakelet_spark::diagnostic(&error, &query.names));
        let optimized = self.state.optimize(&query.plan).map_err(name)?;
        let physical = self
            .runtime
            .block_on(self.state.query_planner().create_physical_plan(&optimized, &self.state))
            .map_err(name)?;
        let physical = datafusion::physical_plan::displayable(physical.as_ref()).indent(false).to_string();
        Ok(if extended {
            format!(
                "== Analyzed Logical Plan ==\n{}\n== Optimized Logical Plan ==\n{}\n== Physical Plan ==\n{physical}",
                query.plan.display_indent(),
                optimized.display_indent()
            )
        } else {
            format!("== Physical Plan ==\n{physical}")
        })
    }
}

fn parser_options() -> ParserOptions {
    ParserOptions::new()
        .with_parse_float_as_decimal(true)
        .with_enable_ident_normalization(false)
        .with_map_string_types_to_utf8view(false)
        .with_collect_spans(false)
        .with_default_null_ordering(NullOrdering::NullsMin)
}

/// Why a query has no plan.
struct Unplanned {
    diagnostic: Box<Diagnostic>,
    /// The column without a qualifier that is not there, if it is that.
    missing: Option<String>,
}

impl From<Box<Diagnostic>> for Unplanned {
    fn from(diagnostic: Box<Diagnostic>) -> Self {
        Self { diagnostic, missing: None }
    }
}

fn missing_column(error: &DataFusionError) -> Option<String> {
    let DataFusionError::SchemaError(error, _) = error.find_root() else { return None };
    match error.as_ref() {
        SchemaError::FieldNotFound { field, .. } if field.relation.is_none() => Some(field.name.clone()),
        _ => None,
    }
}

/// Shown names and canonical types of a plan's output.
fn result_columns(schema: &DFSchema, display: &[Option<String>], names: &PlanNames) -> Vec<ResultColumn> {
    let n_columns = schema.fields().len();
    let n_wildcards = display.iter().filter(|name| name.is_none()).count();
    // With one wildcard its width follows from the rest; with several the spelling map has to do.
    let width = if n_wildcards == 1 { (n_columns + 1).saturating_sub(display.len()) } else { 0 };
    let mut shown: Vec<Option<String>> = Vec::with_capacity(n_columns);
    for name in display {
        match name {
            Some(name) => shown.push(Some(name.clone())),
            None => shown.extend(std::iter::repeat_n(None, width)),
        }
    }
    if n_wildcards > 1 {
        shown = vec![None; n_columns];
    }
    schema
        .fields()
        .iter()
        .enumerate()
        .map(|(index, field)| {
            let lower = field.name().split('\u{1}').next().unwrap_or_default();
            let name = shown
                .get(index)
                .cloned()
                .flatten()
                .or_else(|| names.spelling.get(lower).cloned())
                .unwrap_or_else(|| lower.to_owned());
            ResultColumn { field: Arc::new(lakelet_types::canonical_field(field).with_name(&name)), name }
        })
        .collect()
}

struct PlanContext<'a> {
    engine: &'a Engine,
    sources: HashMap<String, Arc<dyn TableSource>>,
}

impl ContextProvider for PlanContext<'_> {
    fn get_table_source(&self, name: TableReference) -> PlanResult<Arc<dyn TableSource>> {
        self.sources
            .get(name.table())
            .cloned()
            .ok_or_else(|| plan_datafusion_err!("no table stands behind '{}'", name.table()))
    }

    fn create_cte_work_table(&self, name: &str, schema: SchemaRef) -> PlanResult<Arc<dyn TableSource>> {
        Ok(provider_as_source(Arc::new(CteWorkTable::new(name, schema))))
    }

    fn get_expr_planners(&self) -> &[Arc<dyn ExprPlanner>] {
        &self.engine.expr_planners
    }

    fn get_relation_planners(&self) -> &[Arc<dyn RelationPlanner>] {
        &self.engine.relation_planners
    }

    fn get_type_planner(&self) -> Option<Arc<dyn TypePlanner>> {
        Some(Arc::new(SparkTypes))
    }

    fn get_function_meta(&self, name: &str) -> Option<Arc<ScalarUDF>> {
        self.engine.functions.scalar.get(name).cloned()
    }

    fn get_higher_order_meta(&self, name: &str) -> Option<Arc<HigherOrderUDF>> {
        self.engine.functions.higher_order.get(name).cloned()
    }

    fn get_aggregate_meta(&self, name: &str) -> Option<Arc<AggregateUDF>> {
        self.engine.functions.aggregate.get(name).cloned()
    }

    fn get_window_meta(&self, name: &str) -> Option<Arc<WindowUDF>> {
        self.engine.functions.window.get(name).cloned()
    }

    fn get_variable_type(&self, _variable_names: &[String]) -> Option<DataType> {
        None
    }

    fn get_variable_field(&self, _variable_names: &[String]) -> Option<Arc<Field>> {
        None
    }

    fn options(&self) -> &ConfigOptions {
        self.engine.state.config_options()
    }

    fn udf_names(&self) -> Vec<String> {
        self.engine.functions.scalar.keys().cloned().collect()
    }

    fn higher_order_function_names(&self) -> Vec<String> {
        self.engine.functions.higher_order.keys().cloned().collect()
    }

    fn udaf_names(&self) -> Vec<String> {
        self.engine.functions.aggregate.keys().cloned().collect()
    }

    fn udwf_names(&self) -> Vec<String> {
        self.engine.functions.window.keys().cloned().collect()
    }
}
