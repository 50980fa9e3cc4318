//! Expressions that become plain calls, so that their types are settled by Spark's rules.

use lakelet_base::{Diagnostic, ErrorClass};
use sqlparser::ast::{
    self, AccessExpr, BinaryOperator, Expr, FunctionArg, FunctionArgExpr, FunctionArgumentClause, FunctionArguments,
    Ident, Value,
};

use super::literals::{call, quoted, regexp_like};
use super::{name_parts, naming};

/// Rewrites an expression before its parts are looked at; whether it did.
///
/// # Errors
/// A typed literal whose text is not of its type, a call with too few or too many arguments.
pub(super) fn rewrite(expr: &mut Expr) -> Result<bool, Box<Diagnostic>> {
    let rewritten = match expr {
        Expr::Case { operand, conditions, else_result, .. } => {
            let name = if operand.is_some() { lakelet_spark::SIMPLE_CASE } else { lakelet_spark::CASE };
            let mut args: Vec<Expr> = operand.take().map(|operand| *operand).into_iter().collect();
            for when in std::mem::take(conditions) {
                args.extend([when.condition, when.result]);
            }
            args.extend(else_result.take().map(|otherwise| *otherwise));
            call(name, args)
        }
        Expr::Interval(interval) => match interval_call(interval) {
            Some(call) => call,
            None => return Ok(false),
        },
        Expr::Extract { field, expr, .. } => {
            call("date_part", vec![quoted(field.to_string()), std::mem::replace(expr.as_mut(), null())])
        }
        Expr::CompoundFieldAccess { root, access_chain }
            if access_chain.iter().any(|access| matches!(access, AccessExpr::Dot(_)) || named(access).is_some()) =>
        {
            members(std::mem::replace(root.as_mut(), null()), std::mem::take(access_chain))
        }
        Expr::TypedString(typed) => {
            check_typed(typed)?;
            return Ok(false);
        }
        Expr::UnaryOp { op: ast::UnaryOperator::BitwiseNot, expr } => Expr::BinaryOp {
            left: boxed(super::literals::cast(number("-1"), ast::DataType::TinyInt(None))),
            op: BinaryOperator::BitwiseXor,
            right: boxed(std::mem::replace(expr.as_mut(), null())),
        },
        Expr::RLike { .. } => {
            regexp_like(expr);
            return Ok(true);
        }
        Expr::Tuple(values) => naming::named_struct(std::mem::take(values)),
        Expr::BinaryOp { left, op: BinaryOperator::Custom(op), right } if op == ">>>" => call(
            "shiftrightunsigned",
            vec![std::mem::replace(left.as_mut(), null()), std::mem::replace(right.as_mut(), null())],
        ),
        Expr::Function(function) => match rewrite_call(function)? {
            Some(call) => call,
            None => return Ok(false),
        },
        _ => return Ok(false),
    };
    *expr = rewritten;
    Ok(true)
}

fn null() -> Expr {
    Expr::Value(Value::Null.into())
}

fn boxed(expr: Expr) -> Box<Expr> {
    Box::new(expr)
}

/// `CASE WHEN condition THEN result ELSE otherwise END`.
fn case(condition: Expr, result: Expr, otherwise: Expr) -> Expr {
    call(lakelet_spark::CASE, vec![condition, result, otherwise])
}

/// NULL is a condition of `if`, but none of CASE.
fn known_condition(condition: Expr) -> Expr {
    match &condition {
        Expr::Value(value) if value.value == Value::Null => super::literals::cast(condition, ast::DataType::Boolean),
        _ => condition,
    }
}

/// `INTERVAL '1 2' DAY TO HOUR` as its text and its units; `None` where the value is no literal.
fn interval_call(interval: &ast::Interval) -> Option<Expr> {
    let Expr::Value(value) = interval.value.as_ref() else { return None };
    let text = match &value.value {
        Value::Number(text, _) | Value::SingleQuotedString(text) | Value::DoubleQuotedString(text) => text.clone(),
        _ => return None,
    };
    let name = |field: &ast::DateTimeField| field.to_string().to_lowercase();
    let units = match (&interval.leading_field, &interval.last_field) {
        (Some(first), Some(last)) => format!("{} to {}", name(first), name(last)),
        (Some(only), None) => name(only),
        _ => String::new(),
    };
    Some(call(lakelet_spark::INTERVAL, vec![quoted(text), quoted(units)]))
}

/// `root.a[1].b`, step by step.
fn members(root: Expr, chain: Vec<AccessExpr>) -> Expr {
    let mut found = root;
    for access in chain {
        found = match access {
            AccessExpr::Dot(Expr::Identifier(name)) => call(lakelet_spark::MEMBER, vec![found, quoted(name.value)]),
            other if named(&other).is_some() => {
                let name = named(&other).unwrap_or_default().to_owned();
                call(lakelet_spark::MEMBER, vec![found, quoted(name)])
            }
            other => match found {
                Expr::CompoundFieldAccess { root, mut access_chain } => {
                    access_chain.push(other);
                    Expr::CompoundFieldAccess { root, access_chain }
                }
                found => Expr::CompoundFieldAccess { root: boxed(found), access_chain: vec![other] },
            },
        };
    }
    found
}

/// The name in `value['name']`.
fn named(access: &AccessExpr) -> Option<&str> {
    let AccessExpr::Subscript(ast::Subscript::Index { index: Expr::Value(value) }) = access else { return None };
    match &value.value {
        Value::SingleQuotedString(name) | Value::DoubleQuotedString(name) => Some(name),
        _ => None,
    }
}

/// `DATE '2021-02-30'` is refused when it is read.
fn check_typed(typed: &ast::TypedString) -> Result<(), Box<Diagnostic>> {
    let (Value::SingleQuotedString(text) | Value::DoubleQuotedString(text)) = &typed.value.value else {
        return Ok(());
    };
    let name = typed.data_type.to_string().to_uppercase();
    if lakelet_spark::reads_as(&name, text) {
        return Ok(());
    }
    Err(Box::new(
        Diagnostic::new(
            ErrorClass::new("INVALID_TYPED_LITERAL", "42604"),
            format!("The value of the typed literal \"{name}\" is invalid: '{text}'."),
        )
        .hint("Write DATE '2024-02-29' or TIMESTAMP '2024-02-29 12:30:00'."),
    ))
}

fn wrong_number(name: &str, expected: &str, given: usize) -> Box<Diagnostic> {
    Box::new(Diagnostic::new(
        ErrorClass::new("WRONG_NUM_ARGS.WITHOUT_SUGGESTION", "42605"),
        format!("The `{name}` requires {expected} parameters but the actual number is {given}."),
    ))
}

/// Calls that are other expressions.
fn rewrite_call(function: &mut ast::Function) -> Result<Option<Expr>, Box<Diagnostic>> {
    let name = name_parts(&function.name).join(".").to_lowercase();
    within_group(function, &name);
    distinct_tuples(function, &name);
    let Some(args) = naming::plain_arguments(function) else { return Ok(None) };
    let n_args = args.len();
    let fixed = match name.as_str() {
        "if" | "nvl2" => 3,
        "nvl" | "ifnull" | "nullif" | "equal_null" | "pmod" => 2,
        "zeroifnull" | "nullifzero" => 1,
        _ => return Ok(unit_call(&name, args)),
    };
    if n_args != fixed {
        return Err(wrong_number(&name, &fixed.to_string(), n_args));
    }
    let mut args = args.into_iter();
    let mut next = || args.next().unwrap_or_else(null);
    let zero = || number("0");
    let equal =
        |left: Expr, op: BinaryOperator, right: Expr| Expr::BinaryOp { left: boxed(left), op, right: boxed(right) };
    let first = next();
    Ok(Some(match name.as_str() {
        "if" => case(known_condition(first), next(), next()),
        "nvl2" => case(Expr::IsNotNull(boxed(first)), next(), next()),
        "nullif" => case(equal(first.clone(), BinaryOperator::Eq, next()), null(), first),
        "equal_null" => equal(first, BinaryOperator::Spaceship, next()),
        "pmod" => {
            let divisor = next();
            let remainder = |of: Expr| Expr::BinaryOp {
                left: boxed(Expr::Nested(boxed(of))),
                op: BinaryOperator::Modulo,
                right: boxed(divisor.clone()),
            };
            let rest = remainder(first);
            let sum = equal(rest.clone(), BinaryOperator::Plus, divisor.clone());
            case(equal(rest.clone(), BinaryOperator::Lt, zero()), remainder(sum), rest)
        }
        "zeroifnull" => call("coalesce", vec![first, zero()]),
        "nullifzero" => case(equal(first.clone(), BinaryOperator::Eq, zero()), null(), first),
        _ => call("coalesce", vec![first, next()]),
    }))
}

/// Calls whose first argument is a unit of time, and `decode` with pairs.
fn unit_call(name: &str, args: Vec<Expr>) -> Option<Expr> {
    match (name, args.len()) {
        ("dateadd" | "date_add" | "timestampadd", 3) => with_unit("timestampadd", args),
        ("datediff" | "date_diff" | "timestampdiff", 3) => with_unit("timestampdiff", args),
        ("map", _) => Some(call(lakelet_spark::MAP, args)),
        ("arrays_zip", _) => Some(call("arrays_zip", zipped(args))),
        ("decode", 3..) => Some(decoded(args)),
        _ => None,
    }
}

/// Each array of `arrays_zip` with the name of its field before it: the column's, or its position.
fn zipped(args: Vec<Expr>) -> Vec<Expr> {
    let named = args.into_iter().enumerate().flat_map(|(index, arg)| {
        let name = match &arg {
            Expr::Identifier(_) | Expr::CompoundIdentifier(_) => naming::column_name(&arg),
            _ => index.to_string(),
        };
        [quoted(name), arg]
    });
    named.collect()
}

fn number(digits: &str) -> Expr {
    Expr::Value(Value::Number(digits.to_owned(), false).into())
}

fn with_unit(name: &str, mut args: Vec<Expr>) -> Option<Expr> {
    let Some(Expr::Identifier(Ident { value, quote_style: None, .. })) = args.first() else { return None };
    args[0] = quoted(value.clone());
    Some(call(name, args))
}

/// `decode(v, a, x, b, y, z)`: the first pair whose key is the value, NULL being equal to NULL.
fn decoded(args: Vec<Expr>) -> Expr {
    let mut args = args.into_iter();
    let value = args.next().unwrap_or_else(null);
    let mut branches = Vec::new();
    while let Some(key) = args.next() {
        match args.next() {
            Some(result) => {
                let left = boxed(value.clone());
                branches.push(Expr::BinaryOp { left, op: BinaryOperator::Spaceship, right: boxed(key) });
                branches.push(result);
            }
            None => branches.push(key),
        }
    }
    call(lakelet_spark::CASE, branches)
}

/// The order of WITHIN GROUP becomes the order of the call; what is aggregated goes first where it stands only there.
fn within_group(function: &mut ast::Function, name: &str) {
    let ordered_by_value = matches!(name, "mode" | "percentile_disc" | "percentile_cont");
    if function.within_group.is_empty() || !(ordered_by_value || matches!(name, "listagg" | "string_agg")) {
        return;
    }
    let order = std::mem::take(&mut function.within_group);
    if matches!(function.args, FunctionArguments::None) {
        function.args = FunctionArguments::List(ast::FunctionArgumentList {
            duplicate_treatment: None,
            args: Vec::new(),
            clauses: Vec::new(),
        });
    }
    let FunctionArguments::List(list) = &mut function.args else { return };
    if ordered_by_value && let Some(key) = order.first() {
        list.args.insert(0, FunctionArg::Unnamed(FunctionArgExpr::Expr(key.expr.clone())));
    }
    list.clauses.push(FunctionArgumentClause::OrderBy(order));
}

/// `count(DISTINCT a, b)` counts different pairs without a NULL.
fn distinct_tuples(function: &mut ast::Function, name: &str) {
    let FunctionArguments::List(list) = &mut function.args else { return };
    let is_distinct = matches!(list.duplicate_treatment, Some(ast::DuplicateTreatment::Distinct));
    if name != "count" || !is_distinct || list.args.len() < 2 {
        return;
    }
    let values: Vec<Expr> = list
        .args
        .iter()
        .filter_map(|arg| match arg {
            FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(expr.clone()),
            _ => None,
        })
        .collect();
    if values.len() != list.args.len() {
        return;
    }
    let known = values
        .iter()
        .cloned()
        .map(|value| Expr::IsNotNull(boxed(value)))
        .reduce(|left, right| Expr::BinaryOp { left: boxed(left), op: BinaryOperator::And, right: boxed(right) });
    let Some(known) = known else { return };
    let tuple = call(lakelet_spark::CASE, vec![known, naming::named_struct(values)]);
    list.args = vec![FunctionArg::Unnamed(FunctionArgExpr::Expr(tuple))];
}
