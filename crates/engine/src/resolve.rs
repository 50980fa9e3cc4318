//! Which rows stand behind a table's name in one statement.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use datafusion::arrow::array::{Int64Array, RecordBatch};
use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::datasource::{ViewTable, provider_as_source};
use datafusion::logical_expr::TableSource;
use lakelet_base::{Diagnostic, ErrorClass, Result, Suggestion, TableName, Timestamp, nearest_name};
use lakelet_store::{Snapshot, Table, TableId, TableKind, VersionOrTime};
use sqlparser::ast::{self, Expr, FunctionArg, FunctionArgExpr, UnaryOperator, Value};

use crate::lower::{TableResolver, TableUse};
use crate::planner::Engine;
use crate::session::{Scope, StoredQuery, VIEW_CATALOG_PROPERTY, VIEW_SCHEMA_PROPERTY};
use crate::table::RowsTable;

/// Views inside views inside views …
const VIEW_DEPTH_MAX: usize = 20;
/// Rows that `range` makes.
const RANGE_ROWS_MAX: i64 = 20_000_000;

/// Resolves the tables of one query and keeps what it found for the planner.
pub(crate) struct Tables<'a> {
    engine: &'a Engine,
    scope: &'a Scope<'a>,
    sources: HashMap<String, Arc<dyn TableSource>>,
    has_views: bool,
    reads: Reads,
}

/// What a query reads, through views too.
#[derive(Debug, Clone, Default)]
pub struct Reads {
    /// Tables and views that were met.
    pub tables: BTreeSet<TableId>,
    /// A read that does not follow its table: a fixed version, or a change feed.
    pub fixed: Option<String>,
    /// A call that gives another value each time.
    pub nondeterministic: Option<String>,
    /// How often rows stood in for a table, by its case-folded name.
    pub stood_in: HashMap<(String, String, String), usize>,
}

impl Reads {
    /// Adds what a part of the query reads.
    fn absorb(&mut self, part: Self) {
        self.tables.extend(part.tables);
        self.fixed = self.fixed.take().or(part.fixed);
        self.nondeterministic = self.nondeterministic.take().or(part.nondeterministic);
        for (name, count) in part.stood_in {
            *self.stood_in.entry(name).or_default() += count;
        }
    }
}

impl<'a> Tables<'a> {
    pub(crate) fn new(engine: &'a Engine, scope: &'a Scope<'a>) -> Self {
        Self { engine, scope, sources: HashMap::new(), has_views: false, reads: Reads::default() }
    }

    /// Whether a view was found: its text is not the statement's.
    pub(crate) fn has_views(&self) -> bool {
        self.has_views
    }

    /// What was found, by internal name.
    pub(crate) fn into_sources(self) -> HashMap<String, Arc<dyn TableSource>> {
        self.sources
    }

    /// What the query read so far.
    pub(crate) fn take_reads(&mut self) -> Reads {
        std::mem::take(&mut self.reads)
    }

    fn add(&mut self, source: Arc<dyn TableSource>) -> String {
        let name = format!("\u{1}table{}", self.sources.len());
        self.sources.insert(name.clone(), source);
        name
    }

    fn rows(&mut self, schema: &Schema, batches: Vec<RecordBatch>) -> Result<(String, Vec<String>)> {
        let table = RowsTable::new(schema, batches).map_err(|error| Box::new(Diagnostic::internal(error)))?;
        let columns = schema.fields().iter().map(|field| field.name().clone()).collect();
        Ok((self.add(provider_as_source(Arc::new(table))), columns))
    }

    fn view(&mut self, view: &StoredQuery, name: &str) -> Result<(String, Vec<String>)> {
        if self.scope.view_depth >= VIEW_DEPTH_MAX {
            return Err(Box::new(Diagnostic::new(
                ErrorClass::new("VIEW_EXCEED_MAX_NESTED_DEPTH", "54K00"),
                format!("The view {name} is nested more than {VIEW_DEPTH_MAX} views deep."),
            )));
        }
        let query = lakelet_syntax::parse_query(&view.text)?;
        let mut session = self.scope.session.clone();
        session.catalog.clone_from(&view.catalog);
        session.schema.clone_from(&view.schema);
        let scope = Scope { session: &session, text: &view.text, view_depth: self.scope.view_depth + 1, ..*self.scope };
        let planned = self.engine.plan_query(&query.query, &scope)?;
        self.has_views = true;
        self.reads.absorb(planned.reads);
        let names: Vec<String> = if view.columns.is_empty() {
            planned.columns.iter().map(|column| column.name.clone()).collect()
        } else {
            view.columns.clone()
        };
        let plan = rename_outputs(planned.plan, &names).map_err(|error| Box::new(Diagnostic::internal(error)))?;
        let source = provider_as_source(Arc::new(ViewTable::new(plan, Some(view.text.clone()))));
        Ok((self.add(source), names))
    }

    fn table(&mut self, table: &TableUse) -> Result<(String, Vec<String>)> {
        if let [name] = table.parts.as_slice()
            && let Some(view) = self.scope.session.temporary_views.get(&name.to_lowercase())
        {
            let view = view.clone();
            return self.view(&view, name);
        }
        // A version may hang on the name: products@v2.
        let (parts, at_version) = split_version(&table.parts);
        let name = self.scope.session.qualify(&parts);
        let fixed = table.version.is_some() || at_version.is_some();
        // A fixed version has no new rows, so nothing stands in for it.
        if let Some(rows) = self.scope.stand_ins.get(&name.key()).filter(|_| !fixed) {
            let rows = Arc::clone(rows);
            *self.reads.stood_in.entry(name.key()).or_default() += 1;
            let columns = rows.spelling().to_vec();
            return Ok((self.add(provider_as_source(rows)), columns));
        }
        let found = self.find(&name, &parts, table)?;
        self.reads.tables.insert(found.id);
        if fixed {
            self.reads.fixed.get_or_insert_with(|| format!("a fixed version of {name}"));
        }
        if let TableKind::View { definition } = &found.kind {
            let metadata = found.metadata();
            let property = |key: &str, otherwise: &str| metadata.property(key).unwrap_or(otherwise).to_owned();
            let view = StoredQuery {
                text: definition.clone(),
                columns: metadata.columns.iter().map(|column| column.name.clone()).collect(),
                catalog: property(VIEW_CATALOG_PROPERTY, &found.name.catalog),
                schema: property(VIEW_SCHEMA_PROPERTY, &found.name.schema),
            };
            return self.view(&view, &name.to_string());
        }
        let snapshot = match (&table.version, at_version) {
            (None, None) => found.latest(),
            (_, Some(version)) => found.snapshot_at(VersionOrTime::Version(version))?,
            (Some(version), None) => found.snapshot_at(self.version(version)?)?,
        };
        self.snapshot(&snapshot)
    }

    fn snapshot(&mut self, snapshot: &Snapshot) -> Result<(String, Vec<String>)> {
        let schema = snapshot.schema();
        let batches = snapshot.scan(None).collect::<Result<Vec<_>>>()?;
        self.rows(&schema, batches)
    }

    /// The table of that name, or an error that names the nearest one.
    fn find(&self, name: &TableName, parts: &[String], table: &TableUse) -> Result<Arc<Table>> {
        find_table(self.scope, name, parts).map_err(|diagnostic| Box::new(diagnostic.or_at(table.span)))
    }

    fn version(&self, version: &ast::TableVersion) -> Result<VersionOrTime> {
        version_or_time(version, self.scope)
    }

    fn function(&mut self, table: &TableUse, args: &[FunctionArg]) -> Result<(String, Vec<String>)> {
        let name = table.parts.last().map(|name| name.to_lowercase()).unwrap_or_default();
        match name.as_str() {
            "table_changes" => self.table_changes(table, args),
            "range" => self.range(args),
            _ => Err(Box::new(
                Diagnostic::new(
                    ErrorClass::new("UNRESOLVABLE_TABLE_VALUED_FUNCTION", "42883"),
                    format!(
                        "Could not resolve {name} to a table-valued function. Here there are table_changes and range."
                    ),
                )
                .or_at(table.span),
            )),
        }
    }

    fn table_changes(&mut self, table: &TableUse, args: &[FunctionArg]) -> Result<(String, Vec<String>)> {
        let bad = |message: &str| {
            Box::new(
                Diagnostic::new(ErrorClass::new("WRONG_NUM_ARGS.WITHOUT_SUGGESTION", "42605"), message)
                    .or_at(table.span)
                    .hint("Write table_changes('products', 1) or table_changes('products', 1, 4): a table's name, the first and perhaps the last version, both included."),
            )
        };
        let (name, bounds) = match args {
            [name, bounds @ ..] if (1..=2).contains(&bounds.len()) => (name, bounds),
            _ => return Err(bad("table_changes takes a table's name and one or two versions or timestamps.")),
        };
        let parts = match literal_argument(name, self.scope) {
            Some(Value::SingleQuotedString(text) | Value::DoubleQuotedString(text)) => {
                lakelet_syntax::split_name(&text)
                    .ok_or_else(|| bad("The first argument of table_changes is a table's name in quotes."))?
            }
            _ => return Err(bad("The first argument of table_changes is a table's name in quotes.")),
        };
        let name = self.scope.session.qualify(&parts);
        let found = self.find(&name, &parts, table)?;
        self.reads.tables.insert(found.id);
        self.reads.fixed.get_or_insert_with(|| format!("the change feed of {name}"));
        let mut places = Vec::new();
        for bound in bounds {
            places.push(match literal_argument(bound, self.scope) {
                Some(Value::Number(text, _)) => match text.parse::<u64>() {
                    Ok(version) => VersionOrTime::Version(version),
                    Err(_) => return Err(bad("A version is a whole number from 0.")),
                },
                Some(Value::SingleQuotedString(text) | Value::DoubleQuotedString(text)) => {
                    VersionOrTime::Timestamp(parse_instant(&text)?)
                }
                _ => return Err(bad("The bounds of table_changes are version numbers or timestamps in quotes.")),
            });
        }
        let first = match places[0] {
            VersionOrTime::Version(version) => version,
            // An instant after the last commit is past the last version.
            VersionOrTime::Timestamp(time) => found.version_at_or_after(time).unwrap_or(found.latest_version() + 1),
        };
        let last = match places.get(1) {
            None => found.latest_version().max(first),
            Some(VersionOrTime::Version(version)) => *version,
            Some(VersionOrTime::Timestamp(time)) => found.version_at_or_before(*time).unwrap_or(0),
        };
        let feed = found.changes(first..=last).map_err(|error| Box::new(error.or_at(table.span)))?;
        let schema = feed.schema();
        let batches = feed.collect::<Result<Vec<_>>>()?;
        self.rows(&schema, batches)
    }

    fn range(&mut self, args: &[FunctionArg]) -> Result<(String, Vec<String>)> {
        let numbers: Option<Vec<i64>> = args
            .iter()
            .map(|arg| match literal_argument(arg, self.scope) {
                Some(Value::Number(text, _)) => text.parse().ok(),
                _ => None,
            })
            .collect();
        let (start, end, step) = match numbers.as_deref() {
            Some([end]) => (0, *end, 1),
            Some([start, end]) => (*start, *end, 1),
            Some([start, end, step] | [start, end, step, _]) if *step != 0 => (*start, *end, *step),
            _ => {
                return Err(Box::new(
                    Diagnostic::new(
                        ErrorClass::new("WRONG_NUM_ARGS.WITHOUT_SUGGESTION", "42605"),
                        "range takes one to four whole numbers: end; start, end; start, end, step.",
                    )
                    .hint("The step is not 0."),
                ));
            }
        };
        let n_rows =
            (i128::from(end) - i128::from(start) + i128::from(step) - i128::from(step.signum())) / i128::from(step);
        if n_rows > i128::from(RANGE_ROWS_MAX) {
            return Err(Box::new(Diagnostic::new(
                ErrorClass::LIMIT_EXCEEDED,
                format!("range would make {n_rows} rows; at most {RANGE_ROWS_MAX} are made here."),
            )));
        }
        let schema = Arc::new(Schema::new(vec![Field::new("id", DataType::Int64, false)]));
        let n_rows = i64::try_from(n_rows.max(0)).unwrap_or(0);
        let mut batches = Vec::new();
        let mut made = 0;
        while made < n_rows {
            let until = (made + 8192).min(n_rows);
            let values = Int64Array::from_iter_values((made..until).map(|index| start + index * step));
            let batch = RecordBatch::try_new(Arc::clone(&schema), vec![Arc::new(values)])
                .map_err(|error| Box::new(Diagnostic::internal(error)))?;
            batches.push(batch);
            made = until;
        }
        self.rows(&schema, batches)
    }
}

impl TableResolver for Tables<'_> {
    fn resolve(&mut self, table: &TableUse) -> Result<(String, Vec<String>)> {
        match &table.args {
            Some(args) => self.function(table, args),
            None => self.table(table),
        }
    }
}

/// Gives a plan's outputs other names.
pub(crate) fn rename_outputs(
    plan: datafusion::logical_expr::LogicalPlan,
    names: &[String],
) -> datafusion::common::Result<datafusion::logical_expr::LogicalPlan> {
    let columns: Vec<_> = plan
        .schema()
        .iter()
        .zip(names)
        .map(|((qualifier, field), name)| {
            datafusion::logical_expr::Expr::Column(datafusion::common::Column::from((qualifier, field)))
                .alias(name.to_lowercase())
        })
        .collect();
    datafusion::logical_expr::LogicalPlanBuilder::from(plan).project(columns)?.build()
}

/// The table of that name in the scope's store, or an error that names the nearest one; no place yet.
pub fn find_table(scope: &Scope<'_>, name: &TableName, parts: &[String]) -> Result<Arc<Table>> {
    if let Some(table) = scope.store.table(name).filter(|table| !matches!(table.kind, TableKind::Auxiliary)) {
        return Ok(table);
    }
    let written = parts.iter().map(|part| format!("`{part}`")).collect::<Vec<_>>().join(".");
    let mut diagnostic = Diagnostic::new(
        ErrorClass::TABLE_OR_VIEW_NOT_FOUND,
        format!(
            "The table or view {written} cannot be found. Verify the spelling and correctness of the schema and catalog."
        ),
    );
    let siblings = scope.store.tables(&name.catalog, &name.schema);
    let shorts: Vec<&str> = siblings
        .iter()
        .filter(|table| !matches!(table.kind, TableKind::Auxiliary))
        .map(|table| table.name.name.as_str())
        .collect();
    if let Some(near) = nearest_name(&name.name, shorts.iter().copied()) {
        let mut suggested = parts.to_vec();
        if let Some(last) = suggested.last_mut() {
            near.clone_into(last);
        }
        let replacement = suggested.join(".");
        diagnostic =
            diagnostic.suggest(Suggestion { label: format!("did you mean {replacement}?"), span: None, replacement });
    } else if !scope
        .store
        .schema_names(&name.catalog)
        .iter()
        .any(|schema| lakelet_base::same_name(schema, &name.schema))
    {
        diagnostic = diagnostic.hint(format!(
            "There is no schema {}.{}: create it, or run the sample data first.",
            name.catalog, name.schema
        ));
    } else {
        diagnostic = diagnostic.hint("Create it first, or run the sample data of the lesson.");
    }
    Err(Box::new(diagnostic))
}

/// `t@v2` as `t` and 2.
fn split_version(parts: &[String]) -> (Vec<String>, Option<u64>) {
    let mut parts = parts.to_vec();
    let mut version = None;
    if let Some(last) = parts.last_mut()
        && let Some((name, suffix)) = last.rsplit_once('@')
        && let Some(number) = suffix.strip_prefix(['v', 'V'])
        && let Ok(number) = number.parse()
    {
        version = Some(number);
        *last = name.to_owned();
    }
    (parts, version)
}

fn literal_argument(arg: &FunctionArg, scope: &Scope<'_>) -> Option<Value> {
    match arg {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => literal(expr, scope),
        _ => None,
    }
}

/// The literal an expression plainly is: signs, casts of literals and parameters are seen through.
fn literal(expr: &Expr, scope: &Scope<'_>) -> Option<Value> {
    match expr {
        Expr::Value(value) => match &value.value {
            Value::Placeholder(name) => {
                literal(scope.parameters.get(&name.trim_start_matches(':').to_lowercase())?, scope)
            }
            other => Some(other.clone()),
        },
        Expr::Nested(inner) => literal(inner, scope),
        Expr::Cast { expr, .. } => literal(expr, scope),
        Expr::TypedString(typed) => Some(typed.value.value.clone()),
        Expr::UnaryOp { op: UnaryOperator::Minus, expr } => match literal(expr, scope)? {
            Value::Number(text, long) => Some(Value::Number(format!("-{text}"), long)),
            _ => None,
        },
        Expr::Function(function) => match function.name.to_string().to_lowercase().as_str() {
            "current_timestamp" | "now" => Some(Value::SingleQuotedString(scope.now.to_string())),
            _ => None,
        },
        _ => None,
    }
}

/// VERSION AS OF and TIMESTAMP AS OF.
pub(crate) fn version_or_time(version: &ast::TableVersion, scope: &Scope<'_>) -> Result<VersionOrTime> {
    let (expr, wants_version) = match version {
        ast::TableVersion::VersionAsOf(expr) => (expr, true),
        ast::TableVersion::TimestampAsOf(expr) | ast::TableVersion::ForSystemTimeAsOf(expr) => (expr, false),
        other => return Err(Box::new(Diagnostic::unsupported(format_args!("`{other}`")))),
    };
    match literal(expr, scope) {
        Some(Value::Number(text, _) | Value::SingleQuotedString(text)) if wants_version => {
            text.parse().map(VersionOrTime::Version).map_err(|_| {
                Box::new(Diagnostic::new(
                    ErrorClass::new("INVALID_TIME_TRAVEL_SPEC", "42K0E"),
                    format!("'{text}' is no version: versions are whole numbers from 0."),
                ))
            })
        }
        Some(Value::SingleQuotedString(text) | Value::DoubleQuotedString(text)) => {
            parse_instant(&text).map(VersionOrTime::Timestamp)
        }
        _ => Err(Box::new(
            Diagnostic::new(
                ErrorClass::new("INVALID_TIME_TRAVEL_TIMESTAMP_EXPR.INPUT", "42K0E"),
                "The time to travel to has to be a literal.",
            )
            .hint("Write VERSION AS OF 2, or TIMESTAMP AS OF '2026-03-02 09:00:00'."),
        )),
    }
}

/// A timestamp as people write it in SQL, in UTC.
fn parse_instant(text: &str) -> Result<Timestamp> {
    let trimmed = text.trim();
    let candidates =
        [trimmed.to_owned(), format!("{trimmed}Z"), format!("{trimmed}:00Z"), format!("{trimmed}T00:00:00Z")];
    candidates.iter().find_map(|candidate| Timestamp::parse_rfc3339(candidate).ok()).ok_or_else(|| {
        Box::new(Diagnostic::new(
            ErrorClass::new("INVALID_TIME_TRAVEL_TIMESTAMP_EXPR.INPUT", "42K0E"),
            format!("'{text}' is no timestamp like 2026-03-02 09:00:00."),
        ))
    })
}
