//! What the lowering puts in the place of calls: literals and plainer calls.

use lakelet_base::Timestamp;
use sqlparser::ast::{self, Expr, FunctionArgExpr, FunctionArguments, Ident, ObjectName, Value};

use crate::session::Session;

/// A text literal.
pub(super) fn quoted(text: String) -> Expr {
    Expr::Value(Value::SingleQuotedString(text).into())
}

/// `count_if(x)` becomes `count(nullif(x, false))`: both count the rows where `x` is neither false nor NULL.
pub(super) fn count_if(function: &mut ast::Function) {
    let FunctionArguments::List(list) = &mut function.args else { return };
    let [ast::FunctionArg::Unnamed(FunctionArgExpr::Expr(condition))] = list.args.as_mut_slice() else { return };
    let arguments = [condition.clone(), Expr::Value(Value::Boolean(false).into())];
    *condition = Expr::Function(ast::Function {
        name: ObjectName::from(vec![Ident::new("nullif")]),
        uses_odbc_syntax: false,
        parameters: FunctionArguments::None,
        args: FunctionArguments::List(ast::FunctionArgumentList {
            duplicate_treatment: None,
            args: arguments.map(|argument| ast::FunctionArg::Unnamed(FunctionArgExpr::Expr(argument))).to_vec(),
            clauses: Vec::new(),
        }),
        filter: None,
        null_treatment: None,
        over: None,
        within_group: Vec::new(),
    });
    function.name = ObjectName::from(vec![Ident::new("count")]);
}

/// CAST(expr AS type).
pub(super) fn cast(expr: Expr, data_type: ast::DataType) -> Expr {
    Expr::Cast { kind: ast::CastKind::Cast, expr: Box::new(expr), data_type, array: false, format: None }
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
