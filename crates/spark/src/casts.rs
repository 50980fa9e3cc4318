//! Casts, explicit and implicit, that Spark does another way than Arrow.
//!
//! The rule runs after types are settled, so that it meets the casts that the reader wrote and those that coercion put in.

mod convert;
mod interval;
mod text;

use datafusion::arrow::datatypes::{DataType, FieldRef, TimeUnit};
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{DFSchema, DataFusionError, Result};
use datafusion::logical_expr::expr::{Cast, ScalarFunction, TryCast};
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::logical_expr::utils::merge_schema;
use datafusion::logical_expr::{Expr, ExprSchemable, LogicalPlan, lit};
use datafusion::optimizer::AnalyzerRule;
use datafusion::scalar::ScalarValue;
use lakelet_base::{Diagnostic, ErrorClass};
use lakelet_types::sql_name;

use crate::arithmetic;
use crate::coercion::{is_interval, is_text};

/// Puts Spark's casts and its negation in the place of Arrow's.
#[derive(Debug)]
pub struct SparkCasts;

impl AnalyzerRule for SparkCasts {
    fn analyze(&self, plan: LogicalPlan, _config: &ConfigOptions) -> Result<LogicalPlan> {
        plan.transform_up_with_subqueries(rewrite_plan).map(|transformed| transformed.data)
    }

    fn name(&self) -> &str {
        "spark_casts"
    }
}

fn rewrite_plan(plan: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    let mut schema = merge_schema(&plan.inputs());
    if let LogicalPlan::TableScan(scan) = &plan {
        schema.merge(&scan.projected_schema);
    }
    let names = NamePreserver::new(&plan);
    let rewritten = plan.map_expressions(|expr| {
        let name = names.save(&expr);
        let rewritten = expr.transform_up(|expr| rewrite(expr, &schema))?;
        Ok(rewritten.update_data(|expr| name.restore(expr)))
    })?;
    if rewritten.transformed {
        return rewritten.map_data(LogicalPlan::recompute_schema);
    }
    Ok(rewritten)
}

fn rewrite(expr: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    match expr {
        Expr::Cast(Cast { expr, field }) => {
            let Ok(from) = expr.get_type(schema) else { return Ok(Transformed::no(Expr::Cast(Cast { expr, field }))) };
            match treatment(&from, field.data_type()) {
                Treatment::Arrow => Ok(Transformed::no(Expr::Cast(Cast { expr, field }))),
                Treatment::Own => Ok(Transformed::yes(own(*expr, &field, false))),
                Treatment::Refused(condition) => Err(refused(condition, &from, field.data_type())),
            }
        }
        Expr::TryCast(TryCast { expr, field }) => {
            let Ok(from) = expr.get_type(schema) else {
                return Ok(Transformed::no(Expr::TryCast(TryCast { expr, field })));
            };
            match treatment(&from, field.data_type()) {
                Treatment::Arrow => Ok(Transformed::no(Expr::TryCast(TryCast { expr, field }))),
                Treatment::Own => Ok(Transformed::yes(own(*expr, &field, true))),
                Treatment::Refused(condition) => Err(refused(condition, &from, field.data_type())),
            }
        }
        // Arrow's negation of the smallest integer is itself.
        Expr::Negative(inner) => {
            let zero = match inner.get_type(schema) {
                Ok(DataType::Int8) => ScalarValue::Int8(Some(0)),
                Ok(DataType::Int16) => ScalarValue::Int16(Some(0)),
                Ok(DataType::Int32) => ScalarValue::Int32(Some(0)),
                Ok(DataType::Int64) => ScalarValue::Int64(Some(0)),
                _ => return Ok(Transformed::no(Expr::Negative(inner))),
            };
            Ok(Transformed::yes(arithmetic::subtract(lit(zero), *inner)))
        }
        other => Ok(Transformed::no(other)),
    }
}

/// Whether a typed literal's text is of its type; types that have no such literal take any.
pub fn reads_as(type_name: &str, text: &str) -> bool {
    match type_name {
        "DATE" => text::date(text).is_some(),
        "TIMESTAMP" | "TIMESTAMP_LTZ" => text::timestamp(text).is_some(),
        "TIMESTAMP_NTZ" => text::timestamp_ntz(text).is_some(),
        _ => true,
    }
}

fn own(expr: Expr, target: &FieldRef, try_cast: bool) -> Expr {
    Expr::ScalarFunction(ScalarFunction::new_udf(convert::function(target, try_cast), vec![expr]))
}

enum Treatment {
    /// Arrow does what Spark does.
    Arrow,
    Own,
    /// Spark has no such cast; holds the error's condition.
    Refused(&'static str),
}

const WITH_FUNCTION: &str = "DATATYPE_MISMATCH.CAST_WITH_FUNC_SUGGESTION";
const WITH_SETTING: &str = "DATATYPE_MISMATCH.CAST_WITH_CONF_SUGGESTION";
const WITHOUT: &str = "DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION";

fn is_exact_number(data_type: &DataType) -> bool {
    data_type.is_signed_integer() || matches!(data_type, DataType::Decimal128(..))
}

fn is_number(data_type: &DataType) -> bool {
    is_exact_number(data_type) || matches!(data_type, DataType::Float32 | DataType::Float64)
}

fn is_binary(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Binary | DataType::LargeBinary | DataType::BinaryView)
}

fn treatment(from: &DataType, to: &DataType) -> Treatment {
    use DataType::{Boolean, Date32, Decimal128, Float32, Float64, Timestamp};
    let micros = |data_type: &DataType| matches!(data_type, Timestamp(TimeUnit::Microsecond, _));
    let zoned = |data_type: &DataType| matches!(data_type, Timestamp(TimeUnit::Microsecond, Some(_)));
    // Two intervals of one Arrow type may have other units.
    if is_interval(from) && is_interval(to) {
        return if from == to { Treatment::Own } else { Treatment::Refused(WITHOUT) };
    }
    if from == to || from.is_null() {
        return Treatment::Arrow;
    }
    if is_text(to) {
        let own = from.is_nested()
            || is_binary(from)
            || matches!(
                from,
                Float32 | Float64 | Timestamp(..) | DataType::Interval(_) | DataType::Duration(_) | DataType::Time64(_)
            );
        return if own { Treatment::Own } else { Treatment::Arrow };
    }
    if from.is_nested() && to.is_nested() {
        return nested(from, to);
    }
    if from.is_nested() != to.is_nested() && !matches!(from, DataType::Dictionary(..)) {
        return Treatment::Refused(WITHOUT);
    }
    if is_text(from) {
        let own = micros(to) || is_interval(to) || matches!(to, Boolean | Date32 | Float32 | Float64);
        return if own { Treatment::Own } else { Treatment::Arrow };
    }
    match (from, to) {
        (from, to) if is_interval(from) && is_exact_number(to) => Treatment::Own,
        (from, to) if is_exact_number(from) && is_interval(to) => Treatment::Own,
        (from, to) if is_interval(from) || is_interval(to) => Treatment::Refused(WITHOUT),
        (from, to) if zoned(from) && is_number(to) => Treatment::Own,
        (from, to) if is_number(from) && zoned(to) => Treatment::Own,
        (Boolean, Decimal128(..)) => Treatment::Own,
        (Date32, to) if is_number(to) => Treatment::Refused(WITH_FUNCTION),
        (from, Date32) if is_number(from) => Treatment::Refused(WITH_FUNCTION),
        (Date32 | Timestamp(..), Boolean) => Treatment::Refused(WITH_SETTING),
        (Boolean, to) if zoned(to) => Treatment::Refused(WITH_SETTING),
        (from, to) if from.is_signed_integer() && is_binary(to) => Treatment::Refused(WITH_SETTING),
        (from, to) if is_number(from) && is_binary(to) => Treatment::Refused(WITHOUT),
        (Boolean, Date32 | Timestamp(..)) => Treatment::Refused(WITHOUT),
        (from, to) if micros(from) && is_number(to) => Treatment::Refused(WITHOUT),
        (from, to) if is_number(from) && micros(to) => Treatment::Refused(WITHOUT),
        (from, to) if is_binary(from) && (is_number(to) || matches!(to, Boolean | Date32 | Timestamp(..))) => {
            Treatment::Refused(WITHOUT)
        }
        _ => Treatment::Arrow,
    }
}

/// Arrays, maps and structs are cast member by member, structs by position.
fn nested(from: &DataType, to: &DataType) -> Treatment {
    let all = |pairs: Vec<(&FieldRef, &FieldRef)>| {
        let refused = pairs.into_iter().find_map(|(from, to)| match treatment(from.data_type(), to.data_type()) {
            Treatment::Refused(condition) => Some(condition),
            _ => None,
        });
        refused.map_or(Treatment::Own, Treatment::Refused)
    };
    match (from, to) {
        (DataType::List(from), DataType::List(to)) | (DataType::Map(from, _), DataType::Map(to, _)) => {
            all(vec![(from, to)])
        }
        (DataType::Struct(from), DataType::Struct(to)) if from.len() == to.len() => all(from.iter().zip(to).collect()),
        _ => Treatment::Refused(WITHOUT),
    }
}

fn refused(condition: &'static str, from: &DataType, to: &DataType) -> DataFusionError {
    let diagnostic = Diagnostic::new(
        ErrorClass::new(condition, "42K09"),
        format!("Cannot cast \"{}\" to \"{}\".", sql_name(from), sql_name(to)),
    );
    let diagnostic = match (condition, from) {
        (WITH_FUNCTION, DataType::Date32) => diagnostic.hint("Use the function `unix_date` instead."),
        (WITH_FUNCTION, _) => diagnostic.hint("Use the function `date_from_unix_date` instead."),
        _ => diagnostic,
    };
    DataFusionError::External(Box::new(diagnostic))
}
