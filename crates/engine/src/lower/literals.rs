//! What the lowering puts in the place of calls: literals and plainer calls.

use lakelet_base::Timestamp;
use lakelet_syntax::{NumberKind, NumberLiteral};
use sqlparser::ast::{self, ExactNumberInfo, Expr, FunctionArgExpr, FunctionArguments, Ident, ObjectName, Value};

use crate::session::Session;

/// A text literal.
pub(super) fn quoted(text: String) -> Expr {
    Expr::Value(Value::SingleQuotedString(text).into())
}

/// A call of plain values.
pub(super) fn call(name: &str, args: Vec<Expr>) -> Expr {
    Expr::Function(ast::Function {
        name: ObjectName::from(vec![Ident::new(name)]),
        uses_odbc_syntax: false,
        parameters: FunctionArguments::None,
        args: FunctionArguments::List(ast::FunctionArgumentList {
            duplicate_treatment: None,
            args: args.into_iter().map(|arg| ast::FunctionArg::Unnamed(FunctionArgExpr::Expr(arg))).collect(),
            clauses: Vec::new(),
        }),
        filter: None,
        null_treatment: None,
        over: None,
        within_group: Vec::new(),
    })
}

/// `count_if(x)` becomes `count(CASE WHEN x THEN true END)`.
pub(super) fn count_if(function: &mut ast::Function) {
    let FunctionArguments::List(list) = &mut function.args else { return };
    let [ast::FunctionArg::Unnamed(FunctionArgExpr::Expr(condition))] = list.args.as_mut_slice() else { return };
    *condition = call(lakelet_spark::CASE, vec![condition.clone(), Expr::Value(Value::Boolean(true).into())]);
    function.name = ObjectName::from(vec![Ident::new("count")]);
}

/// Some aggregate functions have two names; the planner takes `mean(x)` and `avg(x)` in one query for two columns of
/// one name.
pub(super) fn one_name(function: &mut ast::Function, name: &str) {
    let plain = match name {
        "mean" => "avg",
        "stddev_samp" | "std" => "stddev",
        "var_samp" => "variance",
        _ => return,
    };
    function.name = ObjectName::from(vec![Ident::new(plain)]);
}

/// The characters come first in `ltrim('xy', text)`; `TRIM(… FROM …)` is planned with them last, and so is this.
pub(super) fn characters_last(function: &mut ast::Function) {
    if let FunctionArguments::List(list) = &mut function.args
        && list.args.len() == 2
    {
        list.args.reverse();
    }
}

/// `text RLIKE pattern` becomes `regexp_like(text, pattern)`.
pub(super) fn regexp_like(expr: &mut Expr) {
    let Expr::RLike { negated, expr: text, pattern, .. } = expr else { return };
    let matches = call("regexp_like", vec![text.as_ref().clone(), pattern.as_ref().clone()]);
    *expr = if *negated { Expr::UnaryOp { op: ast::UnaryOperator::Not, expr: Box::new(matches) } } else { matches };
}

/// CAST(expr AS type).
pub(super) fn cast(expr: Expr, data_type: ast::DataType) -> Expr {
    Expr::Cast { kind: ast::CastKind::Cast, expr: Box::new(expr), data_type, array: false, format: None }
}

/// `double(x)` and its kin are casts.
pub(super) fn plainer_call(name: &str, args: Vec<Expr>) -> Option<Expr> {
    use ast::{DataType, TimezoneInfo};
    let [arg] = args.try_into().ok()?;
    let target = match name {
        "boolean" => DataType::Boolean,
        "tinyint" => DataType::TinyInt(None),
        "smallint" => DataType::SmallInt(None),
        "int" => DataType::Int(None),
        "bigint" => DataType::BigInt(None),
        "float" => DataType::Float(ExactNumberInfo::None),
        "double" => DataType::Double(ExactNumberInfo::None),
        "string" => DataType::String(None),
        "binary" => DataType::Binary(None),
        "date" => DataType::Date,
        "timestamp" => DataType::Timestamp(None, TimezoneInfo::None),
        "to_date" => DataType::Date,
        "to_timestamp" | "to_timestamp_ltz" => DataType::Timestamp(None, TimezoneInfo::None),
        "to_timestamp_ntz" => DataType::TimestampNtz(None),
        "isnull" => return Some(Expr::IsNull(Box::new(arg))),
        "isnotnull" => return Some(Expr::IsNotNull(Box::new(arg))),
        _ => return None,
    };
    Some(cast(arg, target))
}

/// The type of a call's result where DataFusion has a wider one.
pub(super) fn result_type(function: &ast::Function) -> Option<ast::DataType> {
    match (super::name_parts(&function.name).join(".").as_str(), &function.over) {
        ("row_number" | "rank" | "dense_rank" | "ntile", Some(_)) => Some(ast::DataType::Int(None)),
        ("grouping", None) if matches!(&function.args, FunctionArguments::List(list) if list.args.len() == 1) => {
            Some(ast::DataType::TinyInt(None))
        }
        _ => None,
    }
}

/// `last_value(x, true)` is `last_value(x) IGNORE NULLS`.
pub(super) fn null_treatment(function: &mut ast::Function, name: &str) {
    if !matches!(name, "first_value" | "last_value" | "first" | "last") {
        return;
    }
    let FunctionArguments::List(list) = &mut function.args else { return };
    if let [_, ast::FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Value(value)))] = list.args.as_slice()
        && let Value::Boolean(ignore) = value.value
    {
        list.args.truncate(1);
        function.null_treatment =
            Some(if ignore { ast::NullTreatment::IgnoreNulls } else { ast::NullTreatment::RespectNulls });
    }
}

/// `-2147483648`, whose digits alone are too large for an INT, and the same of BIGINT.
pub(super) fn smallest_integer(expr: &Expr) -> Option<Expr> {
    let Expr::UnaryOp { op: ast::UnaryOperator::Minus, expr: digits } = expr else { return None };
    // The digits of a BIGINT alone are a decimal by now.
    let value = match digits.as_ref() {
        Expr::Value(value) => value,
        Expr::Cast { expr, data_type: ast::DataType::Decimal(_), .. } => match expr.as_ref() {
            Expr::Value(value) => value,
            _ => return None,
        },
        _ => return None,
    };
    let (Value::Number(digits, _) | Value::SingleQuotedString(digits)) = &value.value else { return None };
    let target = match digits.as_str() {
        "2147483648" => ast::DataType::Int(None),
        "9223372036854775808" => ast::DataType::BigInt(None),
        _ => return None,
    };
    Some(cast(quoted(format!("-{digits}")), target))
}

/// A number with the type that its form and its suffix give it.
pub(super) fn number(number: NumberLiteral) -> Expr {
    let digits = Expr::Value(Value::Number(number.digits.clone(), false).into());
    match number.kind {
        NumberKind::Integer if number.digits.parse::<i32>().is_ok() => cast(digits, ast::DataType::Int(None)),
        NumberKind::Byte => cast(digits, ast::DataType::TinyInt(None)),
        NumberKind::Short => cast(digits, ast::DataType::SmallInt(None)),
        NumberKind::Long => cast(digits, ast::DataType::BigInt(None)),
        // Read from its text, so that no digit is lost on the way through a decimal.
        NumberKind::Float => cast(quoted(number.digits), ast::DataType::Float(ExactNumberInfo::None)),
        NumberKind::Double => cast(quoted(number.digits), ast::DataType::Double(ExactNumberInfo::None)),
        NumberKind::Integer | NumberKind::Decimal
            if (number.kind == NumberKind::Decimal || number.digits.parse::<i64>().is_err())
                && number.digits.bytes().all(|byte| byte.is_ascii_digit()) =>
        {
            let n_digits = u64::try_from(number.digits.trim_start_matches('0').len().max(1)).unwrap_or(u64::MAX);
            cast(quoted(number.digits), ast::DataType::Decimal(ExactNumberInfo::PrecisionAndScale(n_digits, 0)))
        }
        // The planner reads these as Spark does: BIGINT or DECIMAL with the precision and scale that were written.
        NumberKind::Integer | NumberKind::Decimal => digits,
    }
}

/// Where names without a catalog and a schema lead.
pub(super) fn session_function(session: &Session, name: &str) -> Option<Expr> {
    match name {
        "current_catalog" => Some(quoted(session.catalog.clone())),
        "current_schema" | "current_database" => Some(quoted(session.schema.clone())),
        _ => None,
    }
}

/// The present as a literal: a statement sees one instant, and it is the workspace clock's.
pub(super) fn clock_function(now: Timestamp, name: &str) -> Option<Expr> {
    match name {
        "current_timestamp" | "now" => {
            let text = now.to_string().replace('T', " ");
            Some(cast(quoted(text), ast::DataType::Timestamp(None, ast::TimezoneInfo::None)))
        }
        "current_date" | "curdate" => {
            let (year, month, day) = now.date();
            Some(cast(quoted(format!("{year:04}-{month:02}-{day:02}")), ast::DataType::Date))
        }
        _ => None,
    }
}
