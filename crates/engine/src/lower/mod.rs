//! Spark's reading of a query, written out so that DataFusion reads the same.
//!
//! DataFusion compares names by case, takes `5` for a BIGINT, and names `sum(QTY)` its own way. Lowering rewrites the
//! syntax tree: every name becomes lower case (the tables it meets have lower-case columns too), integer literals
//! become INT casts, unnamed columns get Spark's names, tables become the snapshots of one moment. What the
//! reader wrote comes back as the [`Lowered::display`] names of the result.

mod expressions;
mod generators;
mod grouping;
mod joins;
mod lateral_alias;
mod literals;
mod naming;
mod operations;
mod positions;
mod refusals;
mod rewrites;
mod scope;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

pub(crate) use grouping::has_group_by;
use lakelet_base::{Diagnostic, ErrorClass, Span, Timestamp};
pub(crate) use lateral_alias::alias_written_out;
pub(crate) use operations::operations;
use positions::{each_position, protect, unprotect};
use scope::Scopes;
use sqlparser::ast::{
    self, Expr, Ident, ObjectName, ObjectNamePart, Query, SelectItem, SetExpr, TableAlias, TableAliasColumnDef,
    TableFactor, Value, VisitMut, VisitorMut,
};

use crate::session::Session;

/// A table as a query names it.
pub(crate) struct TableUse {
    /// Parts as written.
    pub parts: Vec<String>,
    /// VERSION AS OF, TIMESTAMP AS OF.
    pub version: Option<ast::TableVersion>,
    /// Arguments of a table function.
    pub args: Option<Vec<ast::FunctionArg>>,
    /// Where it stands in the statement.
    pub span: Option<Span>,
}

/// Finds tables and gives them names inside the plan.
pub(crate) trait TableResolver {
    /// The internal name of a table, and its columns as its owner spells them.
    fn resolve(&mut self, table: &TableUse) -> Result<(String, Vec<String>), Box<Diagnostic>>;
}

/// What does not change while one query is lowered.
pub(crate) struct LowerContext<'a> {
    /// Values of `:name` parameters.
    pub params: &'a HashMap<String, Expr>,
    /// The clock, for `current_timestamp()` and its kin.
    pub now: Timestamp,
    /// The tab's state, for `current_catalog()` and its kin.
    pub session: &'a Session,
    /// Turns sqlparser's locations into byte offsets.
    pub offset: &'a dyn Fn(sqlparser::tokenizer::Location) -> usize,
}

/// A query that DataFusion reads as Spark would read the original.
pub(crate) struct Lowered {
    /// The rewritten query.
    pub query: Query,
    /// How the columns of the outermost SELECT are shown: `None` stands for the columns of one wildcard.
    pub display: Vec<Option<String>>,
    /// Lower-case column name → spelling of whoever named it first.
    pub spelling: HashMap<String, String>,
    /// Lower-case identifier → where it was first written.
    pub places: HashMap<String, Span>,
}

/// Lowers a query.
pub(crate) fn lower(
    query: &Query,
    context: &LowerContext<'_>,
    resolver: &mut dyn TableResolver,
) -> Result<Lowered, Box<Diagnostic>> {
    let mut query = query.clone();
    let mut lowering = Lowering {
        context,
        resolver,
        scopes: Scopes::default(),
        prefixes: HashSet::new(),
        spelling: HashMap::new(),
        places: HashMap::new(),
        n_anonymous: 0,
    };
    let display = display_names(&query.body);
    if let ControlFlow::Break(diagnostic) = VisitMut::visit(&mut query, &mut lowering) {
        return Err(diagnostic);
    }
    Ok(Lowered { query, display, spelling: lowering.spelling, places: lowering.places })
}

/// Lowers an expression that stands alone (a predicate, a default); its columns belong to one table.
pub(crate) fn lower_expression(
    expr: &Expr,
    context: &LowerContext<'_>,
    resolver: &mut dyn TableResolver,
) -> Result<(Expr, HashMap<String, Span>), Box<Diagnostic>> {
    let mut expr = expr.clone();
    let mut lowering = Lowering {
        context,
        resolver,
        scopes: Scopes::default(),
        prefixes: HashSet::new(),
        spelling: HashMap::new(),
        places: HashMap::new(),
        n_anonymous: 0,
    };
    if let ControlFlow::Break(diagnostic) = VisitMut::visit(&mut expr, &mut lowering) {
        return Err(diagnostic);
    }
    Ok((expr, lowering.places))
}

/// Names of the outermost columns as written; for set operations those of the first branch.
fn display_names(body: &SetExpr) -> Vec<Option<String>> {
    match body {
        SetExpr::Select(select) => select
            .projection
            .iter()
            .flat_map(|item| match item {
                SelectItem::UnnamedExpr(expr) if generators::is_generator(expr) => vec![None],
                SelectItem::UnnamedExpr(expr) => vec![Some(naming::column_name(expr))],
                SelectItem::ExprWithAlias { alias, .. } => vec![Some(alias.value.clone())],
                SelectItem::ExprWithAliases { aliases, .. } => {
                    aliases.iter().map(|alias| Some(alias.value.clone())).collect()
                }
                _ => vec![None],
            })
            .collect(),
        SetExpr::SetOperation { left, .. } => display_names(left),
        SetExpr::Query(query) => display_names(&query.body),
        SetExpr::Values(values) => {
            let n_columns = values.rows.first().map_or(0, |row| row.content.len());
            (1..=n_columns).map(|n| Some(format!("col{n}"))).collect()
        }
        _ => vec![None],
    }
}

struct Lowering<'a> {
    context: &'a LowerContext<'a>,
    resolver: &'a mut dyn TableResolver,
    scopes: Scopes,
    prefixes: HashSet<String>,
    spelling: HashMap<String, String>,
    places: HashMap<String, Span>,
    n_anonymous: usize,
}

impl Lowering<'_> {
    fn span(&self, span: sqlparser::tokenizer::Span) -> Option<Span> {
        (span.start.line > 0).then(|| Span::new((self.context.offset)(span.start), (self.context.offset)(span.end)))
    }

    /// Makes an identifier lower case and remembers where and how it was written.
    fn fold(&mut self, ident: &mut Ident) {
        let lower = ident.value.to_lowercase();
        if let Some(span) = self.span(ident.span) {
            self.places.entry(lower.clone()).or_insert(span);
        }
        ident.value = lower;
    }

    /// Where the first SELECT of a query begins.
    fn place_of_body(&self, query: &Query) -> Option<Span> {
        match query.body.as_ref() {
            SetExpr::Select(select) => self.span(select.select_token.0.span),
            _ => None,
        }
    }

    fn fold_definition(&mut self, ident: &mut Ident) {
        self.spelling.entry(ident.value.to_lowercase()).or_insert_with(|| ident.value.clone());
        self.fold(ident);
    }

    fn fold_alias(&mut self, alias: &mut TableAlias) {
        self.fold(&mut alias.name);
        for column in &mut alias.columns {
            self.fold_definition(&mut column.name);
        }
    }

    /// Gives each column of a SELECT its name and makes the names unique, as DataFusion demands.
    fn name_columns(&mut self, projection: &mut [SelectItem]) {
        let mut used: HashMap<String, usize> = HashMap::new();
        for item in projection.iter_mut() {
            let (written, plain_column) = match &*item {
                SelectItem::UnnamedExpr(expr) => (
                    naming::column_name(expr),
                    matches!(expr, Expr::Identifier(_))
                        || matches!(expr, Expr::CompoundIdentifier(parts) if parts.len() == 2),
                ),
                SelectItem::ExprWithAlias { alias, .. } => (alias.value.clone(), false),
                _ => continue,
            };
            let lower = written.to_lowercase();
            self.spelling.entry(lower.clone()).or_insert_with(|| written.clone());
            let n = used.entry(lower.clone()).and_modify(|n| *n += 1).or_insert(1);
            let unique = if *n == 1 { lower } else { format!("{lower}\u{1}{n}") };
            match item {
                SelectItem::UnnamedExpr(expr) if !plain_column || *n > 1 => {
                    let expr = std::mem::replace(expr, Expr::Value(Value::Null.into()));
                    *item = SelectItem::ExprWithAlias { expr, alias: Ident::with_quote('`', unique) };
                }
                SelectItem::ExprWithAlias { alias, .. } => {
                    if let Some(span) = self.span(alias.span) {
                        self.places.entry(alias.value.to_lowercase()).or_insert(span);
                    }
                    alias.value = unique;
                }
                _ => {}
            }
        }
    }

    fn remember_prefixes(&mut self, factor: &TableFactor) {
        match factor {
            TableFactor::Table { name, args: None, .. } => {
                let parts = name_parts(name);
                for n in 2..=parts.len() {
                    self.prefixes.insert(parts[parts.len() - n..].join(".").to_lowercase());
                }
            }
            TableFactor::NestedJoin { table_with_joins, .. } => self.remember_join(table_with_joins),
            _ => {}
        }
    }

    fn remember_join(&mut self, joined: &ast::TableWithJoins) {
        self.remember_prefixes(&joined.relation);
        for join in &joined.joins {
            self.remember_prefixes(&join.relation);
        }
    }

    fn parameter(&self, name: &str, span: sqlparser::tokenizer::Span) -> Result<Expr, Box<Diagnostic>> {
        let bare = name.trim_start_matches(':');
        self.context.params.get(&bare.to_lowercase()).cloned().ok_or_else(|| {
            Box::new(
                Diagnostic::new(
                    ErrorClass::UNBOUND_SQL_PARAMETER,
                    format!("Found the unbound parameter: {bare}. Please, fix `args` and provide a mapping of the parameter to a SQL literal."),
                )
                .or_at(self.span(span))
                .hint(format!("Give the parameter :{bare} a value before running the statement.")),
            )
        })
    }
}

/// Parts of a name; a part that is computed gives its text.
pub(crate) fn name_parts(name: &ObjectName) -> Vec<String> {
    name.0
        .iter()
        .map(|part| match part {
            ObjectNamePart::Identifier(ident) => ident.value.clone(),
            ObjectNamePart::Function(function) => function.to_string(),
        })
        .collect()
}

impl VisitorMut for Lowering<'_> {
    type Break = Box<Diagnostic>;

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<Self::Break> {
        if let Some(with) = &mut query.with {
            for cte in &mut with.cte_tables {
                self.fold_alias(&mut cte.alias);
            }
        }
        if let Some(problem) = self.scopes.enter(query).or_else(|| refusals::set_operation(&query.body)) {
            return ControlFlow::Break(Box::new(problem.or_at(self.place_of_body(query))));
        }
        if let Some(problem) = refusals::window_in_order_by(query) {
            return ControlFlow::Break(Box::new(problem));
        }
        grouping::all_columns(query);
        grouping::sort_by(query);
        each_position(query, protect);
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, query: &mut Query) -> ControlFlow<Self::Break> {
        each_position(query, unprotect);
        self.scopes.leave(query);
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &mut ast::Select) -> ControlFlow<Self::Break> {
        for joined in &mut select.from {
            joins::plain_semi(joined);
            self.remember_join(joined);
        }
        if let Err(problem) = generators::laterals(select) {
            return ControlFlow::Break(Box::new(problem.or_at(self.span(select.select_token.0.span))));
        }
        grouping::with_modifier(select);
        self.scopes.set_grouping(grouping::keys(select));
        self.name_columns(&mut select.projection);
        for item in &mut select.projection {
            let options = match item {
                SelectItem::Wildcard(options) => options,
                SelectItem::QualifiedWildcard(kind, options) => {
                    if let ast::SelectItemQualifiedWildcardKind::ObjectName(name) = kind {
                        let last = name_parts(name).pop().unwrap_or_default().to_lowercase();
                        *name = ObjectName::from(vec![Ident::with_quote('`', last)]);
                    }
                    options
                }
                _ => continue,
            };
            if let Some(except) = &mut options.opt_except {
                self.fold(&mut except.first_element);
                except.additional_elements.iter_mut().for_each(|ident| self.fold(ident));
            }
        }
        if let ast::GroupByExpr::Expressions(keys, _) = &mut select.group_by {
            keys.iter_mut().for_each(protect);
        }
        ControlFlow::Continue(())
    }

    fn post_visit_select(&mut self, select: &mut ast::Select) -> ControlFlow<Self::Break> {
        if let ast::GroupByExpr::Expressions(keys, _) = &mut select.group_by {
            keys.iter_mut().for_each(unprotect);
        }
        match joins::shared_columns(select, &self.scopes) {
            Ok(()) => ControlFlow::Continue(()),
            Err(problem) => ControlFlow::Break(Box::new(problem.or_at(self.span(select.select_token.0.span)))),
        }
    }

    fn pre_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<Self::Break> {
        if let Some(problem) = refusals::sample(factor) {
            return ControlFlow::Break(Box::new(problem));
        }
        generators::name_pivoted(factor);
        match factor {
            TableFactor::Table { name, alias, args, version, .. } => {
                let parts = name_parts(name);
                let cte = match parts.as_slice() {
                    [name] if args.is_none() => self.scopes.cte(&name.to_lowercase()),
                    _ => None,
                };
                let span = name.0.first().and_then(ObjectNamePart::as_ident).and_then(|first| {
                    let last = name.0.last().and_then(ObjectNamePart::as_ident)?;
                    Some(Span::new(self.span(first.span)?.start, self.span(last.span)?.end))
                });
                let short = parts.last().cloned().unwrap_or_default().to_lowercase();
                if let Some(alias) = alias {
                    self.fold_alias(alias);
                } else {
                    *alias = Some(TableAlias {
                        explicit: true,
                        name: Ident::with_quote('`', short.clone()),
                        columns: Vec::new(),
                        at: None,
                    });
                }
                if let Some(internal) = cte {
                    *name = ObjectName::from(vec![Ident::with_quote('`', internal)]);
                    return ControlFlow::Continue(());
                }
                let table = TableUse { parts, version: version.take(), args: args.take().map(|args| args.args), span };
                match self.resolver.resolve(&table) {
                    Ok((internal, columns)) => {
                        self.scopes.add_table(&internal, &columns);
                        for column in columns {
                            self.spelling.entry(column.to_lowercase()).or_insert(column);
                        }
                        *name = ObjectName::from(vec![Ident::with_quote('`', internal)]);
                        ControlFlow::Continue(())
                    }
                    Err(diagnostic) => ControlFlow::Break(diagnostic),
                }
            }
            TableFactor::Unpivot { name, alias, columns, value, .. } => {
                self.fold_definition(name);
                match value {
                    Expr::Identifier(ident) => self.fold_definition(ident),
                    Expr::Array(values) => values.elem.iter_mut().for_each(|value| {
                        if let Expr::Identifier(ident) = value {
                            self.fold_definition(ident);
                        }
                    }),
                    _ => {}
                }
                alias.iter_mut().for_each(|alias| self.fold_alias(alias));
                for alias in columns.iter().filter_map(|column| column.alias.as_ref()) {
                    self.spelling.entry(alias.value.to_lowercase()).or_insert_with(|| alias.value.clone());
                }
                ControlFlow::Continue(())
            }
            TableFactor::Pivot { alias, .. } => {
                alias.iter_mut().for_each(|alias| self.fold_alias(alias));
                ControlFlow::Continue(())
            }
            TableFactor::Derived { alias, subquery, .. } => {
                match alias {
                    Some(alias) => self.fold_alias(alias),
                    None => {
                        self.n_anonymous += 1;
                        *alias = Some(TableAlias {
                            explicit: true,
                            name: Ident::with_quote('`', format!("\u{1}subquery{}", self.n_anonymous)),
                            columns: Vec::new(),
                            at: None,
                        });
                    }
                }
                if let (Some(alias), SetExpr::Values(values)) = (alias, &*subquery.body) {
                    let n_columns = values.rows.first().map_or(0, |row| row.content.len());
                    if !alias.columns.is_empty() {
                        let problem = refusals::values(alias, n_columns);
                        return problem.map_or(ControlFlow::Continue(()), |problem| {
                            ControlFlow::Break(Box::new(problem.or_at(self.span(alias.name.span))))
                        });
                    }
                    alias.columns = (1..=n_columns)
                        .map(|n| TableAliasColumnDef {
                            name: Ident::with_quote('`', format!("col{n}")),
                            data_type: None,
                        })
                        .collect();
                }
                ControlFlow::Continue(())
            }
            _ => ControlFlow::Continue(()),
        }
    }

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Self::Break> {
        self.enter_expression(expr)
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Self::Break> {
        self.leave_expression(expr)
    }
}
