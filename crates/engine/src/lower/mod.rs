//! Spark's reading of a query, written out so that DataFusion reads the same.
//!
//! DataFusion compares names by case, takes `5` for a BIGINT, and names `sum(QTY)` its own way. Lowering rewrites the
//! syntax tree: every name becomes lower case (the tables it meets have lower-case columns too), integer literals
//! become INT casts, unnamed columns get Spark's names, tables become the snapshots of one moment. What the
//! reader wrote comes back as the [`Lowered::display`] names of the result.

mod grouping;
mod literals;
mod naming;
mod operations;
mod positions;
mod refusals;
mod rewrites;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

use lakelet_base::{Diagnostic, ErrorClass, Span, Timestamp};
use literals::{cast, characters_last, clock_function, count_if, plainer_call, session_function};
pub(crate) use operations::operations;
use positions::{POSITION_MARK, each_position, frame_bounds, protect, unprotect};
use sqlparser::ast::{
    self, Expr, FunctionArgExpr, FunctionArguments, Ident, ObjectName, ObjectNamePart, Query, SelectItem, SetExpr,
    TableAlias, TableAliasColumnDef, TableFactor, Value, VisitMut, VisitorMut,
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
        ctes: HashSet::new(),
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
        ctes: HashSet::new(),
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
            .map(|item| match item {
                SelectItem::UnnamedExpr(expr) => Some(naming::column_name(expr)),
                SelectItem::ExprWithAlias { alias, .. } => Some(alias.value.clone()),
                _ => None,
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
    ctes: HashSet<String>,
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
                self.ctes.insert(cte.alias.name.value.to_lowercase());
                self.fold_alias(&mut cte.alias);
            }
        }
        if let Some(problem) = refusals::set_operation(&query.body) {
            return ControlFlow::Break(Box::new(problem));
        }
        each_position(query, protect);
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, query: &mut Query) -> ControlFlow<Self::Break> {
        each_position(query, unprotect);
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &mut ast::Select) -> ControlFlow<Self::Break> {
        for joined in &select.from {
            self.remember_join(joined);
            if let Some(problem) = refusals::joins(joined) {
                return ControlFlow::Break(Box::new(problem));
            }
        }
        grouping::with_modifier(select);
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
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<Self::Break> {
        match factor {
            TableFactor::Table { name, alias, args, version, .. } => {
                let parts = name_parts(name);
                let is_cte = args.is_none() && parts.len() == 1 && self.ctes.contains(&parts[0].to_lowercase());
                let span = name.0.first().and_then(ObjectNamePart::as_ident).and_then(|first| {
                    let last = name.0.last().and_then(ObjectNamePart::as_ident)?;
                    Some(Span::new(self.span(first.span)?.start, self.span(last.span)?.end))
                });
                let short = parts.last().cloned().unwrap_or_default().to_lowercase();
                if let Some(alias) = alias {
                    self.fold_alias(alias);
                } else if !is_cte {
                    *alias = Some(TableAlias {
                        explicit: true,
                        name: Ident::with_quote('`', short.clone()),
                        columns: Vec::new(),
                        at: None,
                    });
                }
                if is_cte {
                    *name = ObjectName::from(vec![Ident::with_quote('`', short)]);
                    return ControlFlow::Continue(());
                }
                let table = TableUse { parts, version: version.take(), args: args.take().map(|args| args.args), span };
                match self.resolver.resolve(&table) {
                    Ok((internal, columns)) => {
                        for column in columns {
                            self.spelling.entry(column.to_lowercase()).or_insert(column);
                        }
                        *name = ObjectName::from(vec![Ident::with_quote('`', internal)]);
                        ControlFlow::Continue(())
                    }
                    Err(diagnostic) => ControlFlow::Break(diagnostic),
                }
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
                if let (Some(alias), SetExpr::Values(values)) = (alias, &*subquery.body)
                    && alias.columns.is_empty()
                {
                    let n_columns = values.rows.first().map_or(0, |row| row.content.len());
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
        match rewrites::rewrite(expr) {
            Ok(true) => return ControlFlow::Continue(()),
            Ok(false) => {}
            Err(problem) => return ControlFlow::Break(problem),
        }
        match expr {
            Expr::Identifier(ident) => match ident.value.to_lowercase().as_str() {
                "current_timestamp" | "current_date" if ident.quote_style.is_none() => {
                    *expr =
                        clock_function(self.context.now, &ident.value.to_lowercase()).unwrap_or_else(|| expr.clone());
                }
                _ => self.fold(ident),
            },
            Expr::CompoundIdentifier(parts) => {
                for n in (2..parts.len()).rev() {
                    let prefix = parts[..n].iter().map(|part| part.value.to_lowercase()).collect::<Vec<_>>().join(".");
                    if self.prefixes.contains(&prefix) {
                        parts.drain(..n - 1);
                        break;
                    }
                }
                parts.iter_mut().for_each(|part| self.fold(part));
                // An unknown column is pointed at where its qualifier begins, as Spark does.
                if let (Some(first), Some(last)) = (parts.first(), parts.last())
                    && let (Some(start), Some(end)) = (self.span(first.span), self.span(last.span))
                {
                    self.places.insert(last.value.clone(), Span::new(start.start, end.end));
                }
            }
            Expr::Function(function) => {
                let name = name_parts(&function.name).join(".").to_lowercase();
                if let Some(replacement) =
                    clock_function(self.context.now, &name).or_else(|| session_function(self.context.session, &name))
                {
                    *expr = replacement;
                    return ControlFlow::Continue(());
                }
                if let Some(args) = naming::plain_arguments(function)
                    && let Some(replacement) = plainer_call(&name, args)
                {
                    *expr = replacement;
                    return ControlFlow::Continue(());
                }
                if let Some(span) = function.name.0.first().and_then(ObjectNamePart::as_ident).map(|ident| ident.span)
                    && let Some(span) = self.span(span)
                {
                    self.places.entry(name.clone()).or_insert(span);
                }
                if let Some(problem) = refusals::call(function, &name) {
                    return ControlFlow::Break(Box::new(problem.or_at(self.places.get(&name).copied())));
                }
                function.name = ObjectName::from(vec![Ident::new(name.clone())]);
                literals::null_treatment(function, &name);
                frame_bounds(function, protect);
                match name.as_str() {
                    "struct" => {
                        if let Some(values) = naming::plain_arguments(function) {
                            *expr = naming::named_struct(values);
                            return ControlFlow::Continue(());
                        }
                    }
                    "count_if" => count_if(function),
                    "ltrim" | "rtrim" => characters_last(function),
                    _ => {}
                }
                // count(a, b) counts rows without a NULL in any of them; count(*) is spelled count(1).
                if name == "count"
                    && let FunctionArguments::List(list) = &mut function.args
                {
                    for arg in &mut list.args {
                        if let ast::FunctionArg::Unnamed(inner @ FunctionArgExpr::Wildcard) = arg {
                            *inner = FunctionArgExpr::Expr(Expr::Value(Value::Number("1".to_owned(), true).into()));
                        }
                    }
                }
            }
            Expr::Struct { values, fields } if fields.is_empty() => {
                *expr = naming::named_struct(std::mem::take(values));
            }
            Expr::Value(value) => match &value.value {
                Value::Placeholder(text) if !text.starts_with(POSITION_MARK) => {
                    match self.parameter(text, value.span) {
                        Ok(bound) => *expr = bound,
                        Err(diagnostic) => return ControlFlow::Break(diagnostic),
                    }
                }
                Value::DoubleQuotedString(text) => value.value = Value::SingleQuotedString(text.clone()),
                _ => {}
            },
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Self::Break> {
        if let Expr::Function(function) = expr {
            frame_bounds(function, unprotect);
            if let Some(result) = literals::result_type(function) {
                let call = std::mem::replace(expr, Expr::Value(Value::Null.into()));
                *expr = cast(call, result);
            }
            return ControlFlow::Continue(());
        }
        if let Some(smallest) = literals::smallest_integer(expr) {
            *expr = smallest;
            return ControlFlow::Continue(());
        }
        if let Expr::Value(value) = expr
            && let Some(number) = lakelet_syntax::number_literal(&value.value)
        {
            *expr = literals::number(number);
        }
        ControlFlow::Continue(())
    }
}
