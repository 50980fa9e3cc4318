//! Which names a part of a query sees: the common table expressions around it, and the columns of what it reads.
//!
//! A common table expression gets a name of its own in the plan, so that one may be called like a table that it
//! reads, or like one in an outer query.

use std::collections::{HashMap, VecDeque};

use lakelet_base::{Diagnostic, ErrorClass, Result};
use sqlparser::ast::{
    self, Expr, FunctionArg, FunctionArgExpr, FunctionArguments, Ident, ObjectName, Query, SelectItem, SetExpr,
    TableAlias, TableFactor,
};

use super::literals::cast;
use super::name_parts;

/// The queries around the place that is visited, and what is known of tables.
#[derive(Default)]
pub(super) struct Scopes {
    frames: Vec<Frame>,
    /// Internal name of a table → its columns in lower case; without those that nobody can tell yet.
    columns: HashMap<String, Vec<String>>,
    n_ctes: usize,
}

#[derive(Default)]
struct Frame {
    /// Name → internal name, of those that are whole.
    ctes: HashMap<String, String>,
    /// Those that are still to be visited, in order.
    open: VecDeque<(String, String, Vec<String>)>,
    recursive: bool,
    grouping_keys: Vec<Expr>,
}

impl Scopes {
    /// Enters a query whose names are folded.
    pub(super) fn enter(&mut self, query: &mut Query) -> Option<Diagnostic> {
        let mut frame = Frame::default();
        if let Some(with) = &mut query.with {
            frame.recursive = with.recursive;
            for cte in &mut with.cte_tables {
                let name = cte.alias.name.value.clone();
                if frame.open.iter().any(|(other, ..)| *other == name) {
                    return Some(Diagnostic::new(
                        ErrorClass::new("DUPLICATED_CTE_NAMES", "42602"),
                        format!("CTE definition can't have duplicate names: `{name}`."),
                    ));
                }
                self.n_ctes += 1;
                let internal = format!("\u{1}cte{}", self.n_ctes);
                let columns = cte.alias.columns.iter().map(|column| column.name.value.clone()).collect();
                cte.alias.name = Ident::with_quote('`', internal.clone());
                frame.open.push_back((name, internal, columns));
            }
        }
        self.frames.push(frame);
        None
    }

    /// Leaves a query; it may be the next common table expression of the one around it.
    pub(super) fn leave(&mut self, query: &Query) {
        self.frames.pop();
        let next = self.frames.last_mut().and_then(|outer| outer.open.pop_front());
        let Some((name, internal, aliases)) = next else { return };
        let columns = if aliases.is_empty() { self.query_columns(query) } else { Some(aliases) };
        if let Some(columns) = columns {
            self.columns.insert(internal.clone(), columns);
        }
        if let Some(outer) = self.frames.last_mut() {
            outer.ctes.insert(name, internal);
        }
    }

    /// The internal name of the common table expression that `name` means here.
    pub(super) fn cte(&self, name: &str) -> Option<String> {
        self.frames.iter().rev().find_map(|frame| {
            frame.ctes.get(name).cloned().or_else(|| {
                let (open, internal, _) = frame.open.front().filter(|_| frame.recursive)?;
                (open == name).then(|| internal.clone())
            })
        })
    }

    /// Remembers the columns of a table.
    pub(super) fn add_table(&mut self, internal: &str, columns: &[String]) {
        self.columns.insert(internal.to_owned(), columns.iter().map(|column| column.to_lowercase()).collect());
    }

    /// Remembers the keys of the grouping sets of the query that is visited.
    pub(super) fn set_grouping(&mut self, keys: Vec<Expr>) {
        if let Some(frame) = self.frames.last_mut() {
            frame.grouping_keys = keys;
        }
    }

    /// Checks `grouping(a)`, and gives what `grouping_id(a, b)` stands for.
    pub(super) fn grouping(&self, function: &ast::Function) -> Result<Option<Expr>> {
        let keys = self.frames.last().map(|frame| frame.grouping_keys.as_slice()).unwrap_or_default();
        let name = function.name.to_string().to_lowercase();
        if keys.is_empty() {
            return Err(Box::new(Diagnostic::new(
                ErrorClass::new("UNSUPPORTED_GROUPING_EXPRESSION", "42K0E"),
                format!("{name}() can only be used with GROUPING SETS, CUBE or ROLLUP."),
            )));
        }
        if name == "grouping" {
            return Ok(None);
        }
        let mut call = function.clone();
        call.name = ObjectName::from(vec![Ident::new("grouping")]);
        if let FunctionArguments::List(list) = &mut call.args
            && list.args.is_empty()
        {
            list.args = keys.iter().map(|key| FunctionArg::Unnamed(FunctionArgExpr::Expr(key.clone()))).collect();
        }
        Ok(Some(cast(Expr::Function(call), ast::DataType::BigInt(None))))
    }

    /// Names of a query's columns after lowering, if they can be told without planning.
    pub(super) fn query_columns(&self, query: &Query) -> Option<Vec<String>> {
        self.body_columns(&query.body)
    }

    fn body_columns(&self, body: &SetExpr) -> Option<Vec<String>> {
        match body {
            SetExpr::Select(select) => {
                let mut columns = Vec::new();
                for item in &select.projection {
                    match item {
                        SelectItem::UnnamedExpr(Expr::Identifier(ident)) => columns.push(ident.value.clone()),
                        SelectItem::UnnamedExpr(Expr::CompoundIdentifier(parts)) => {
                            columns.push(parts.last()?.value.clone());
                        }
                        SelectItem::ExprWithAlias { alias, .. } => columns.push(alias.value.clone()),
                        SelectItem::Wildcard(options) => {
                            let all = self.columns_of_from(select)?;
                            columns.extend(
                                all.into_iter()
                                    .map(|(_, column)| column)
                                    .filter(|column| !is_excepted(options, column)),
                            );
                        }
                        SelectItem::QualifiedWildcard(
                            ast::SelectItemQualifiedWildcardKind::ObjectName(name),
                            options,
                        ) => {
                            let relation = name_parts(name).pop()?;
                            let all = self.columns_of_from(select)?;
                            columns.extend(
                                all.into_iter()
                                    .filter(|(of, column)| *of == relation && !is_excepted(options, column))
                                    .map(|(_, column)| column),
                            );
                        }
                        _ => return None,
                    }
                }
                Some(columns)
            }
            SetExpr::SetOperation { left, .. } => self.body_columns(left),
            SetExpr::Query(query) => self.query_columns(query),
            SetExpr::Values(values) => {
                Some((1..=values.rows.first()?.content.len()).map(|n| format!("col{n}")).collect())
            }
            _ => None,
        }
    }

    /// The columns that a SELECT reads, each with the name of its relation.
    pub(super) fn columns_of_from(&self, select: &ast::Select) -> Option<Vec<(String, String)>> {
        let mut columns = Vec::new();
        for joined in &select.from {
            columns.extend(self.joined_columns(joined)?);
        }
        Some(columns)
    }

    fn joined_columns(&self, joined: &ast::TableWithJoins) -> Option<Vec<(String, String)>> {
        let mut columns = self.factor_columns(&joined.relation)?;
        for join in &joined.joins {
            if !super::joins::keeps_left_only(&join.join_operator) {
                columns.extend(self.factor_columns(&join.relation)?);
            }
        }
        Some(columns)
    }

    /// The columns of one relation after lowering, each with the relation's name.
    pub(super) fn factor_columns(&self, factor: &TableFactor) -> Option<Vec<(String, String)>> {
        let (alias, columns) = match factor {
            TableFactor::Table { name, alias, .. } => {
                (alias.as_ref(), self.columns.get(&name_parts(name).pop()?).cloned())
            }
            TableFactor::Derived { alias, subquery, .. } => (alias.as_ref(), self.query_columns(subquery)),
            TableFactor::NestedJoin { table_with_joins, alias: None } => return self.joined_columns(table_with_joins),
            _ => (None, None),
        };
        let TableAlias { name, columns: renamed, .. } = alias?;
        let columns = match renamed.as_slice() {
            [] => columns?,
            renamed => renamed.iter().map(|column| column.name.value.clone()).collect(),
        };
        Some(columns.into_iter().map(|column| (name.value.clone(), column)).collect())
    }
}

/// Whether `* EXCEPT (…)` leaves a column out.
pub(super) fn is_excepted(options: &ast::WildcardAdditionalOptions, column: &str) -> bool {
    options.opt_except.as_ref().is_some_and(|except| {
        except.first_element.value == column || except.additional_elements.iter().any(|ident| ident.value == column)
    })
}
