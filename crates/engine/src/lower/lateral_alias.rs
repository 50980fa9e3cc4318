//! `SELECT a + 1 AS b, b * 2`: an alias that later columns of the same SELECT use.
//!
//! A column of FROM comes before an alias of its name, and only planning knows the columns. So a query is planned as it
//! stands, and a name that was not found is written out where it is such an alias.

use std::ops::ControlFlow;

use sqlparser::ast::{self, Expr, Ident, Query, SelectItem, VisitMut, VisitorMut};

use super::{name_parts, naming};

/// Functions that give another value each time: an alias of theirs cannot be written out.
const CHANGING: [&str; 6] = ["rand", "random", "randn", "uuid", "shuffle", "monotonically_increasing_id"];

/// The query with each use of the alias `name` written out; `None` where nothing uses it.
pub(crate) fn alias_written_out(query: &Query, name: &str) -> Option<Query> {
    let mut query = query.clone();
    let mut writer = Writer { name, is_changed: false };
    let _: ControlFlow<()> = VisitMut::visit(&mut query, &mut writer);
    writer.is_changed.then_some(query)
}

struct Writer<'a> {
    name: &'a str,
    is_changed: bool,
}

impl VisitorMut for Writer<'_> {
    type Break = ();

    fn post_visit_select(&mut self, select: &mut ast::Select) -> ControlFlow<()> {
        let mut meaning: Option<Expr> = None;
        for item in &mut select.projection {
            let (expr, alias) = match item {
                SelectItem::UnnamedExpr(expr) => (expr, None),
                SelectItem::ExprWithAlias { expr, alias } => (expr, Some(alias.value.clone())),
                _ => continue,
            };
            if let Some(meaning) = &meaning {
                let shown = naming::column_name(expr);
                if written_out(expr, self.name, meaning) {
                    self.is_changed = true;
                    if alias.is_none() {
                        let expr = std::mem::replace(expr, Expr::Value(ast::Value::Null.into()));
                        *item = SelectItem::ExprWithAlias { expr, alias: Ident::with_quote('`', shown) };
                        continue;
                    }
                }
            }
            if alias.is_some_and(|alias| alias.eq_ignore_ascii_case(self.name)) && !changes(expr) {
                meaning = Some(expr.clone());
            }
        }
        ControlFlow::Continue(())
    }
}

/// Replaces a name in an expression; whether it was there.
fn written_out(expr: &mut Expr, name: &str, meaning: &Expr) -> bool {
    let mut is_changed = false;
    let _: ControlFlow<()> = ast::visit_expressions_mut(expr, |expr| {
        if matches!(expr, Expr::Identifier(ident) if ident.value.eq_ignore_ascii_case(name)) {
            *expr = Expr::Nested(Box::new(meaning.clone()));
            is_changed = true;
        }
        ControlFlow::Continue(())
    });
    is_changed
}

fn changes(expr: &Expr) -> bool {
    let found: ControlFlow<()> = ast::visit_expressions(expr, |expr| match expr {
        Expr::Function(function)
            if CHANGING.contains(&name_parts(&function.name).join(".").to_lowercase().as_str()) =>
        {
            ControlFlow::Break(())
        }
        _ => ControlFlow::Continue(()),
    });
    found.is_break()
}
