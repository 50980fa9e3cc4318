//! Expressions: names, calls, literals and parameters.

use std::ops::ControlFlow;

use lakelet_base::{Diagnostic, Span};
use sqlparser::ast::{self, Expr, FunctionArgExpr, FunctionArguments, Ident, ObjectName, ObjectNamePart, Value};

use super::literals::{self, cast, characters_last, clock_function, count_if, plainer_call, session_function};
use super::positions::{POSITION_MARK, frame_bounds, protect, unprotect};
use super::{Lowering, name_parts, naming, refusals, rewrites};

impl Lowering<'_> {
    /// Lowers an expression before its parts.
    pub(super) fn enter_expression(&mut self, expr: &mut Expr) -> ControlFlow<Box<Diagnostic>> {
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
                let grouping = match name.as_str() {
                    "grouping" | "grouping_id" => self.scopes.grouping(function),
                    _ => Ok(None),
                };
                match grouping {
                    Ok(None) => {}
                    Ok(Some(number)) => {
                        *expr = number;
                        return ControlFlow::Continue(());
                    }
                    Err(problem) => {
                        return ControlFlow::Break(Box::new(problem.or_at(self.places.get(&name).copied())));
                    }
                }
                if let Some(problem) = refusals::call(function, &name) {
                    return ControlFlow::Break(Box::new(problem.or_at(self.places.get(&name).copied())));
                }
                function.name = ObjectName::from(vec![Ident::new(name.clone())]);
                literals::one_name(function, &name);
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
                            *inner = FunctionArgExpr::Expr(Expr::Value(Value::Number("1".to_owned(), false).into()));
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

    /// Lowers an expression after its parts.
    #[expect(clippy::unused_self, reason = "the other half of `enter_expression`")]
    pub(super) fn leave_expression(&self, expr: &mut Expr) -> ControlFlow<Box<Diagnostic>> {
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
