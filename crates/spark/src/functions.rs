//! The functions a query may call.

mod array_get;
mod arrays;
mod calendar;
mod charset;
mod choice;
mod collected;
mod datetime;
mod format;
mod generators;
mod hash;
mod interval;
mod json;
mod lambda;
mod maps;
mod math;
mod member;
mod parts;
mod pattern;
mod regexp;
mod row;
mod statistics;
mod text;
mod totals;
mod type_of;
mod value;

use std::collections::HashMap;
use std::sync::Arc;

pub(crate) use array_get::array_get;
pub(crate) use calendar::{add_months_micros, out_of_range as datetime_out_of_range};
use datafusion::common::DataFusionError;
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{AggregateUDF, Expr, HigherOrderUDF, ScalarUDF, WindowUDF};
pub use generators::generator;
pub(crate) use member::member;
pub(crate) use row::fail;
pub(crate) use statistics::nested_extreme;

/// What stands for `CASE WHEN c THEN r …` while types are settled. Names that begin so are no reader's to call.
pub const CASE: &str = "\u{1}case";
/// What stands for `CASE v WHEN c THEN r …`.
pub const SIMPLE_CASE: &str = "\u{1}simple_case";
/// What stands for `INTERVAL 'text' units`.
pub const INTERVAL: &str = "\u{1}interval";
/// `map(…)`: the planner has a map of its own.
pub const MAP: &str = "\u{1}map";
/// What stands for `value.name`.
pub const MEMBER: &str = "\u{1}member";

/// Functions by lower-case name.
#[derive(Debug, Default)]
pub struct Functions {
    /// One value for each row.
    pub scalar: HashMap<String, Arc<ScalarUDF>>,
    /// One value for each row, with lambdas.
    pub higher_order: HashMap<String, Arc<HigherOrderUDF>>,
    /// One value for each group.
    pub aggregate: HashMap<String, Arc<AggregateUDF>>,
    /// One value for each row, looking at its neighbors.
    pub window: HashMap<String, Arc<WindowUDF>>,
}

impl Functions {
    /// Every name, sorted.
    pub fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self
            .scalar
            .keys()
            .chain(self.higher_order.keys())
            .chain(self.aggregate.keys())
            .chain(self.window.keys())
            .map(String::as_str)
            .map(|name| if name == MAP { "map" } else { name })
            .filter(|name| !name.starts_with('\u{1}'))
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

/// Spark's names of functions that the libraries have under another: (Spark's, theirs).
const OTHER_NAMES: [(&str, &str); 10] = [
    ("approx_count_distinct", "approx_distinct"),
    ("first", "first_value"),
    ("last", "last_value"),
    ("endswith", "ends_with"),
    ("lcase", "lower"),
    ("sha", "sha1"),
    ("startswith", "starts_with"),
    ("std", "stddev"),
    ("ucase", "upper"),
    ("variance", "var"),
];

/// All functions. Where two libraries have one of the same name, Spark's reading wins.
pub fn functions() -> Functions {
    let mut all = Functions::default();
    let scalar = datafusion::functions::all_default_functions()
        .into_iter()
        .chain(datafusion::functions_nested::all_default_nested_functions())
        .chain(datafusion_spark::all_default_scalar_functions());
    for function in scalar {
        for name in std::iter::once(function.name()).chain(function.aliases().iter().map(String::as_str)) {
            all.scalar.insert(name.to_lowercase(), Arc::clone(&function));
        }
    }
    for function in datafusion::functions_nested::all_default_higher_order_functions() {
        for name in std::iter::once(function.name()).chain(function.aliases().iter().map(String::as_str)) {
            all.higher_order.insert(name.to_lowercase(), Arc::clone(&function));
        }
    }
    let aggregate = datafusion::functions_aggregate::all_default_aggregate_functions()
        .into_iter()
        .chain(datafusion_spark::all_default_aggregate_functions());
    for function in aggregate {
        for name in std::iter::once(function.name()).chain(function.aliases().iter().map(String::as_str)) {
            all.aggregate.insert(name.to_lowercase(), Arc::clone(&function));
        }
    }
    let window = datafusion::functions_window::all_default_window_functions()
        .into_iter()
        .chain(datafusion_spark::all_default_window_functions());
    for function in window {
        for name in std::iter::once(function.name()).chain(function.aliases().iter().map(String::as_str)) {
            all.window.insert(name.to_lowercase(), Arc::clone(&function));
        }
    }
    let own = type_of::function();
    all.scalar.insert(own.name().to_owned(), own);
    for family in [
        arrays::FUNCTIONS,
        charset::FUNCTIONS,
        datetime::FUNCTIONS,
        format::FUNCTIONS,
        generators::FUNCTIONS,
        hash::FUNCTIONS,
        json::FUNCTIONS,
        maps::FUNCTIONS,
        math::FUNCTIONS,
        parts::FUNCTIONS,
        regexp::FUNCTIONS,
        text::FUNCTIONS,
    ] {
        for definition in family {
            all.scalar.insert(definition.name.to_owned(), row::udf(definition));
        }
    }
    all.scalar.insert("concat".to_owned(), row::udf(&arrays::CONCAT));
    all.scalar.extend(choice::functions().map(|(name, function)| (name.to_owned(), function)));
    all.scalar.insert(INTERVAL.to_owned(), crate::intervals::literal_function());
    all.scalar.insert(MEMBER.to_owned(), member::function());
    all.aggregate.extend(totals::functions().map(|(name, function)| (name.to_owned(), function)));
    for definition in statistics::FUNCTIONS {
        all.aggregate.insert(definition.name.to_owned(), collected::udaf(definition));
    }
    all.higher_order.extend(lambda::functions().map(|(name, function)| (name.to_owned(), function)));
    for (name, other) in OTHER_NAMES {
        if let Some(function) = all.scalar.get(other).cloned() {
            all.scalar.entry(name.to_owned()).or_insert(function);
        } else if let Some(function) = all.higher_order.get(other).cloned() {
            all.higher_order.entry(name.to_owned()).or_insert(function);
        } else if let Some(function) = all.aggregate.get(other).cloned() {
            all.aggregate.entry(name.to_owned()).or_insert(function);
        }
    }
    all
}

/// A list of rows with one of NULLs in place of none.
pub(crate) fn outer(rows: Expr) -> Expr {
    Expr::ScalarFunction(ScalarFunction::new_udf(row::udf(&generators::OUTER), vec![rows]))
}

/// `stack(n, …)`: a list of `n` rows.
pub(crate) fn stack(values: Vec<Expr>) -> Expr {
    Expr::ScalarFunction(ScalarFunction::new_udf(row::udf(generators::stack_definition()), values))
}

/// A generator gives another number of columns than there are names.
pub(crate) fn wrong_aliases(n_names: usize, n_columns: usize) -> DataFusionError {
    row::fail(
        "UDTF_ALIAS_NUMBER_MISMATCH",
        "42802",
        format!(
            "The number of aliases supplied in the AS clause does not match the number of columns output by the UDTF. Expected {n_columns} aliases, but got {n_names}."
        ),
    )
}

/// `concat(…)`, also as `||`.
pub(crate) fn concat(args: Vec<Expr>) -> Expr {
    Expr::ScalarFunction(ScalarFunction::new_udf(row::udf(&arrays::CONCAT), args))
}
