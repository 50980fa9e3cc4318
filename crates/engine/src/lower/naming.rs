//! The name Spark gives a column that has no alias: the expression, printed its way.

use sqlparser::ast::{
    self, AccessExpr, BinaryOperator, CastKind, Expr, FunctionArg, FunctionArgExpr, FunctionArguments, Subscript,
    UnaryOperator, Value,
};

/// Spark's name for `expr` as a column.
pub(super) fn column_name(expr: &Expr) -> String {
    match expr {
        Expr::CompoundIdentifier(parts) => parts.last().map(|part| part.value.clone()).unwrap_or_default(),
        Expr::CompoundFieldAccess { access_chain, .. } => match access_chain.last() {
            Some(AccessExpr::Dot(field)) => column_name(field),
            _ => pretty(expr),
        },
        Expr::Nested(inner) => column_name(inner),
        _ => pretty(expr),
    }
}

fn pretty(expr: &Expr) -> String {
    match expr {
        Expr::Identifier(ident) => ident.value.clone(),
        Expr::CompoundIdentifier(parts) => parts.iter().map(|part| part.value.as_str()).collect::<Vec<_>>().join("."),
        Expr::Nested(inner) => pretty(inner),
        Expr::Value(value) => literal(&value.value),
        Expr::TypedString(typed) => format!("{} '{}'", typed.data_type, literal(&typed.value.value)),
        Expr::BinaryOp { left, op, right } => binary(&pretty(left), op, &pretty(right)),
        Expr::UnaryOp { op, expr } => unary(op, expr),
        Expr::IsNull(inner) => format!("({} IS NULL)", pretty(inner)),
        Expr::IsNotNull(inner) => format!("({} IS NOT NULL)", pretty(inner)),
        Expr::IsTrue(inner) => format!("({} IS TRUE)", pretty(inner)),
        Expr::IsFalse(inner) => format!("({} IS FALSE)", pretty(inner)),
        Expr::IsNotTrue(inner) => format!("(NOT ({} IS TRUE))", pretty(inner)),
        Expr::IsNotFalse(inner) => format!("(NOT ({} IS FALSE))", pretty(inner)),
        Expr::IsDistinctFrom(left, right) => format!("(NOT ({} <=> {}))", pretty(left), pretty(right)),
        Expr::IsNotDistinctFrom(left, right) => format!("({} <=> {})", pretty(left), pretty(right)),
        Expr::InList { expr, list, negated } => negate(
            *negated,
            format!("({} IN ({}))", pretty(expr), list.iter().map(pretty).collect::<Vec<_>>().join(", ")),
        ),
        Expr::Between { expr, negated, low, high } => {
            negate(*negated, format!("between({}, {}, {})", pretty(expr), pretty(low), pretty(high)))
        }
        Expr::Like { negated, expr, pattern, .. } => {
            negate(*negated, format!("{} LIKE {}", pretty(expr), pretty(pattern)))
        }
        Expr::ILike { negated, expr, pattern, .. } => {
            negate(*negated, format!("ilike({}, {})", pretty(expr), pretty(pattern)))
        }
        Expr::RLike { negated, expr, pattern, .. } => {
            negate(*negated, format!("RLIKE({}, {})", pretty(expr), pretty(pattern)))
        }
        Expr::Cast { kind, expr, data_type, .. } => {
            let word = if matches!(kind, CastKind::TryCast | CastKind::SafeCast) { "TRY_CAST" } else { "CAST" };
            format!("{word}({} AS {})", pretty(expr), data_type.to_string().to_uppercase())
        }
        Expr::Case { operand, conditions, else_result, .. } => {
            let mut text = String::from("CASE");
            for when in conditions {
                let condition = match operand {
                    Some(operand) => format!("({} = {})", pretty(operand), pretty(&when.condition)),
                    None => pretty(&when.condition),
                };
                text.push_str(&format!(" WHEN {condition} THEN {}", pretty(&when.result)));
            }
            if let Some(otherwise) = else_result {
                text.push_str(&format!(" ELSE {}", pretty(otherwise)));
            }
            text + " END"
        }
        Expr::Function(function) => function_call(function),
        Expr::CompoundFieldAccess { root, access_chain } => {
            let mut text = pretty(root);
            for access in access_chain {
                match access {
                    AccessExpr::Dot(field) => text.push_str(&format!(".{}", pretty(field))),
                    AccessExpr::Subscript(Subscript::Index { index }) => text.push_str(&format!("[{}]", pretty(index))),
                    AccessExpr::Subscript(slice) => text.push_str(&format!("[{slice}]")),
                }
            }
            text
        }
        Expr::Extract { field, expr, .. } => format!("extract({field} FROM {})", pretty(expr)),
        Expr::Substring { expr, substring_from, substring_for, .. } => {
            let args = [Some(expr), substring_from.as_ref(), substring_for.as_ref()];
            let args: Vec<_> = args.into_iter().flatten().map(|arg| pretty(arg)).collect();
            match args.len() {
                2 => format!("substring({}, 2147483647)", args.join(", ")),
                _ => format!("substring({})", args.join(", ")),
            }
        }
        Expr::Trim { trim_where, trim_what, expr, .. } => match (trim_where, trim_what) {
            (Some(place), Some(what)) => format!("TRIM({place} {} FROM {})", pretty(what), pretty(expr)),
            (None, Some(what)) => format!("TRIM(BOTH {} FROM {})", pretty(what), pretty(expr)),
            _ => format!("trim({})", pretty(expr)),
        },
        Expr::Ceil { expr, .. } => format!("CEIL({})", pretty(expr)),
        Expr::Floor { expr, .. } => format!("FLOOR({})", pretty(expr)),
        Expr::Position { expr, r#in } => format!("locate({}, {}, 1)", pretty(expr), pretty(r#in)),
        Expr::Struct { values, fields } if fields.is_empty() => {
            format!("struct({})", values.iter().map(pretty).collect::<Vec<_>>().join(", "))
        }
        Expr::Exists { .. } => "exists()".to_owned(),
        Expr::Subquery(_) => "scalarsubquery()".to_owned(),
        other => other.to_string(),
    }
}

fn negate(negated: bool, text: String) -> String {
    if negated { format!("(NOT {text})") } else { text }
}

fn literal(value: &Value) -> String {
    match value {
        Value::Boolean(value) => value.to_string(),
        Value::Null => "NULL".to_owned(),
        Value::Number(text, _) => text.clone(),
        Value::SingleQuotedString(text) | Value::DoubleQuotedString(text) => text.clone(),
        other => other.to_string(),
    }
}

fn binary(left: &str, op: &BinaryOperator, right: &str) -> String {
    match op {
        BinaryOperator::NotEq => format!("(NOT ({left} = {right}))"),
        BinaryOperator::StringConcat => format!("concat({left}, {right})"),
        BinaryOperator::Spaceship => format!("({left} <=> {right})"),
        BinaryOperator::MyIntegerDivide | BinaryOperator::DuckIntegerDivide => format!("({left} div {right})"),
        _ => format!("({left} {} {right})", op.to_string().to_uppercase()),
    }
}

fn unary(op: &UnaryOperator, expr: &Expr) -> String {
    match (op, expr) {
        (UnaryOperator::Minus, Expr::Value(value)) if matches!(value.value, Value::Number(..)) => {
            format!("-{}", literal(&value.value))
        }
        (UnaryOperator::Not, _) => format!("(NOT {})", pretty(expr)),
        (UnaryOperator::BitwiseNot, _) => format!("~{}", pretty(expr)),
        _ => format!("({op} {})", pretty(expr)),
    }
}

fn function_call(function: &ast::Function) -> String {
    let name = function.name.to_string().to_lowercase();
    let mut distinct = false;
    let args: Vec<String> = match &function.args {
        FunctionArguments::List(list) => {
            distinct = matches!(list.duplicate_treatment, Some(ast::DuplicateTreatment::Distinct));
            list.args.iter().map(argument).collect()
        }
        FunctionArguments::None => Vec::new(),
        FunctionArguments::Subquery(_) => vec!["scalarsubquery()".to_owned()],
    };
    let distinct = if distinct { "DISTINCT " } else { "" };
    let mut text = match name.as_str() {
        "if" => format!("(IF({}))", args.join(", ")),
        "now" | "current_timestamp" => "current_timestamp()".to_owned(),
        "curdate" | "current_date" => "current_date()".to_owned(),
        "current_database" => "current_schema()".to_owned(),
        _ => format!("{name}({distinct}{})", args.join(", ")),
    };
    if let Some(filter) = &function.filter {
        text.push_str(&format!(" FILTER (WHERE {})", pretty(filter)));
    }
    if let Some(ast::WindowType::WindowSpec(spec)) = &function.over {
        text.push_str(&format!(" OVER ({})", window(spec, &name)));
    }
    text
}

fn argument(arg: &FunctionArg) -> String {
    match arg {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => pretty(expr),
        // count(*) is count(1) in Spark, names included.
        FunctionArg::Unnamed(FunctionArgExpr::Wildcard) => "1".to_owned(),
        other => other.to_string(),
    }
}

fn window(spec: &ast::WindowSpec, function: &str) -> String {
    let mut parts = Vec::new();
    if !spec.partition_by.is_empty() {
        parts.push(format!("PARTITION BY {}", spec.partition_by.iter().map(pretty).collect::<Vec<_>>().join(", ")));
    }
    if !spec.order_by.is_empty() {
        let keys = spec.order_by.iter().map(|key| {
            let ascending = key.options.asc.unwrap_or(true);
            let nulls_first = key.options.nulls_first.unwrap_or(ascending);
            format!(
                "{} {} NULLS {}",
                pretty(&key.expr),
                if ascending { "ASC" } else { "DESC" },
                if nulls_first { "FIRST" } else { "LAST" }
            )
        });
        parts.push(format!("ORDER BY {}", keys.collect::<Vec<_>>().join(", ")));
    }
    let rows_only = matches!(function, "row_number" | "rank" | "dense_rank" | "ntile" | "percent_rank" | "cume_dist");
    parts.push(match &spec.window_frame {
        Some(frame) => match &frame.end_bound {
            Some(end) => format!("{} BETWEEN {} AND {end}", frame.units, frame.start_bound),
            None => format!("{} BETWEEN {} AND CURRENT ROW", frame.units, frame.start_bound),
        },
        None if spec.order_by.is_empty() => "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING".to_owned(),
        None if rows_only => "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW".to_owned(),
        None => "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW".to_owned(),
    });
    parts.join(" ")
}

/// `struct(a, b + 1)` as `named_struct('a', a, 'col2', b + 1)`: Spark names fields after columns, the others by their
/// position.
pub(super) fn named_struct(values: Vec<Expr>) -> Expr {
    let mut args = Vec::with_capacity(values.len() * 2);
    for (index, value) in values.into_iter().enumerate() {
        let (name, value) = match value {
            Expr::Named { expr, name } => (name.value, *expr),
            Expr::Identifier(_) | Expr::CompoundIdentifier(_) => (column_name(&value), value),
            value => (format!("col{}", index + 1), value),
        };
        args.extend([Expr::Value(Value::SingleQuotedString(name).into()), value]);
    }
    super::literals::call("named_struct", args)
}

/// The arguments of a call that are plain values; `None` when one of them is not.
pub(super) fn plain_arguments(function: &ast::Function) -> Option<Vec<Expr>> {
    let FunctionArguments::List(list) = &function.args else { return None };
    list.args
        .iter()
        .map(|arg| match arg {
            FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(expr.clone()),
            _ => None,
        })
        .collect()
}
