//! DataFusion's errors in Spark's words.

use std::collections::HashMap;

use datafusion::arrow::error::ArrowError;
use datafusion::common::{DataFusionError, SchemaError};
use lakelet_base::{Diagnostic, ErrorClass, Span, Suggestion, nearest_name};

use crate::operation::{OperationKind, Operations};
use crate::planner_words::refusal;

/// What the lowering knows about the names of a statement.
#[derive(Debug, Default, Clone)]
pub struct PlanNames {
    /// Lower-case name → its spelling.
    pub spelling: HashMap<String, String>,
    /// Lower-case name → where it stands.
    pub places: HashMap<String, Span>,
    /// Names of all functions, for suggestions.
    pub functions: Vec<String>,
    /// Where values can be refused.
    pub operations: Operations,
    /// Whether a GROUP BY is written somewhere.
    pub has_group_by: bool,
}

impl PlanNames {
    /// Adds what is known of another part of the statement.
    pub fn absorb(&mut self, other: Self) {
        self.places.extend(other.places);
        self.operations.extend(other.operations);
    }
}

/// Spark's class and a learner's message for an error of planning or running a query.
pub fn diagnostic(error: &DataFusionError, names: &PlanNames) -> Diagnostic {
    match error {
        DataFusionError::SchemaError(schema_error, _) => schema(schema_error, names),
        DataFusionError::ArrowError(arrow_error, _) => arrow(arrow_error, names),
        DataFusionError::Context(_, inner) | DataFusionError::Diagnostic(_, inner) => diagnostic(inner, names),
        DataFusionError::Shared(inner) => diagnostic(inner, names),
        DataFusionError::Collection(errors) => match errors.first() {
            Some(first) => diagnostic(first, names),
            None => Diagnostic::internal("an empty list of errors"),
        },
        DataFusionError::External(inner) => match inner.downcast_ref::<Diagnostic>() {
            Some(diagnostic) => placed(diagnostic, names),
            None => Diagnostic::internal(inner),
        },
        DataFusionError::ResourcesExhausted(_) => Diagnostic::new(
            ErrorClass::LIMIT_EXCEEDED,
            "The statement needs more memory than it may use (statement_memory_bytes_max).",
        )
        .hint("Filter earlier, or select fewer columns."),
        DataFusionError::NotImplemented(message) => refusal(message),
        DataFusionError::Plan(message) => plan(message, names),
        DataFusionError::Execution(message) => execution(message, names),
        other => Diagnostic::internal(first_line(&other.strip_backtrace())),
    }
}

/// Operators know no places; where only one can have failed so, it is that one.
fn placed(diagnostic: &Diagnostic, names: &PlanNames) -> Diagnostic {
    let place = match diagnostic.class.condition {
        "REMAINDER_BY_ZERO" => names.operations.only(|kind| *kind == OperationKind::Division),
        "BINARY_ARITHMETIC_OVERFLOW" => names.operations.only(|kind| *kind == OperationKind::Arithmetic),
        "NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION" => {
            names.operations.only(|kind| matches!(kind, OperationKind::Arithmetic | OperationKind::Division))
        }
        _ => None,
    };
    diagnostic.clone().or_at(place)
}

fn first_line(message: &str) -> &str {
    message.lines().next().unwrap_or_default()
}

fn spelled<'a>(name: &'a str, names: &'a PlanNames) -> &'a str {
    let visible = name.split('\u{1}').next().unwrap_or(name);
    names.spelling.get(visible).map_or(visible, String::as_str)
}

fn schema(error: &SchemaError, names: &PlanNames) -> Diagnostic {
    match error {
        SchemaError::FieldNotFound { field, valid_fields } => {
            let place = names.places.get(field.name()).copied();
            let written = match &field.relation {
                Some(relation) => format!("`{}`.`{}`", relation.table(), field.name()),
                None => format!("`{}`", field.name()),
            };
            let mut candidates: Vec<&str> = valid_fields.iter().map(|valid| spelled(valid.name(), names)).collect();
            candidates.dedup();
            unresolved_column(&written, field.name(), &candidates, place)
        }
        SchemaError::AmbiguousReference { field } => Diagnostic::new(
            ErrorClass::new("AMBIGUOUS_REFERENCE", "42704"),
            format!(
                "Reference `{}` is ambiguous: more than one table in this query has a column of that name.",
                field.name()
            ),
        )
        .or_at(names.places.get(field.name()).copied())
        .hint("Write the table's name or alias before it."),
        // Only a call has such a name.
        SchemaError::DuplicateUnqualifiedField { name } if names.has_group_by && name.contains('(') => Diagnostic::new(
            ErrorClass::new("GROUP_BY_AGGREGATE", "42903"),
            "Aggregate functions are not allowed in GROUP BY.",
        ),
        SchemaError::DuplicateQualifiedField { name, .. } | SchemaError::DuplicateUnqualifiedField { name } => {
            Diagnostic::new(
                ErrorClass::new("COLUMN_ALREADY_EXISTS", "42711"),
                format!("The column `{}` occurs twice.", spelled(name, names)),
            )
            .or_at(names.places.get(name).copied())
            .hint("Give one of them an alias.")
        }
    }
}

fn unresolved_column(written: &str, name: &str, candidates: &[&str], place: Option<Span>) -> Diagnostic {
    if candidates.is_empty() {
        return Diagnostic::new(
            ErrorClass::UNRESOLVED_COLUMN_PLAIN,
            format!("A column, variable, or function parameter with name {written} cannot be resolved."),
        )
        .or_at(place);
    }
    let mut near: Vec<&str> = candidates.to_vec();
    let nearest = nearest_name(name, candidates.iter().copied());
    near.sort_by_key(|candidate| Some(*candidate) != nearest);
    near.truncate(5);
    let listed = near.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let mut diagnostic = Diagnostic::new(
        ErrorClass::UNRESOLVED_COLUMN,
        format!(
            "A column, variable, or function parameter with name {written} cannot be resolved. Did you mean one of the following? [{listed}]."
        ),
    )
    .or_at(place);
    if let Some(nearest) = nearest {
        diagnostic = diagnostic.suggest(Suggestion {
            label: format!("did you mean {nearest}?"),
            span: place,
            replacement: nearest.to_owned(),
        });
    }
    diagnostic
}

fn arrow(error: &ArrowError, names: &PlanNames) -> Diagnostic {
    match error {
        ArrowError::DivideByZero => Diagnostic::new(
            ErrorClass::DIVIDE_BY_ZERO,
            "Division by zero. Use `try_divide` to tolerate divisor being 0 and return NULL instead.",
        )
        .or_at(names.operations.only(|kind| *kind == OperationKind::Division)),
        ArrowError::ArithmeticOverflow(_) => Diagnostic::new(
            ErrorClass::ARITHMETIC_OVERFLOW,
            "The result does not fit its type. Use `try_add`, `try_subtract` or `try_multiply` to get NULL instead, or cast to a wider type.",
        )
        .or_at(names.operations.only(|kind| !matches!(kind, OperationKind::Cast(_)))),
        ArrowError::CastError(message) | ArrowError::ParseError(message) => cast(message, names),
        ArrowError::InvalidArgumentError(message) if message.contains("is too large to store") => Diagnostic::new(
            ErrorClass::new("NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION", "22003"),
            format!("The value does not fit: {}.", first_line(message)),
        ),
        ArrowError::ExternalError(inner) => match inner.downcast_ref::<DataFusionError>() {
            Some(inner) => diagnostic(inner, names),
            None => match inner.downcast_ref::<Diagnostic>() {
                Some(diagnostic) => diagnostic.clone(),
                None => Diagnostic::internal(inner),
            },
        },
        other => Diagnostic::internal(first_line(&other.to_string())),
    }
}

/// Arrow says "Cannot cast string 'n/a' to value of Int32 type" and "Error parsing timestamp from 'x': …".
fn cast(message: &str, names: &PlanNames) -> Diagnostic {
    let value = message.split_once('\'').and_then(|(_, rest)| rest.rsplit_once('\'')).map(|(value, _)| value);
    let target = if message.contains("imestamp") {
        "TIMESTAMP".to_owned()
    } else {
        message
            .split_once("value of ")
            .or_else(|| message.split_once("to value of "))
            .and_then(|(_, rest)| rest.split_whitespace().next())
            .map_or_else(|| "the target type".to_owned(), arrow_type_name)
    };
    let name = target.split('(').next().unwrap_or_default();
    let place = names.operations.only(|kind| matches!(kind, OperationKind::Cast(cast) if cast == name));
    let any_place = names.operations.only(|kind| matches!(kind, OperationKind::Cast(_)));
    match value {
        Some(value) => invalid_cast(value, "STRING", &target).or_at(place),
        None if message.contains("Can't cast value") || message.contains("overflow") => Diagnostic::new(
            ErrorClass::CAST_OVERFLOW,
            format!("The value does not fit the type it is cast to: {}.", first_line(message)),
        )
        .or_at(any_place)
        .hint("Use `try_cast` to get NULL instead."),
        None => {
            Diagnostic::new(ErrorClass::CAST_INVALID_INPUT, format!("A value cannot be cast: {}.", first_line(message)))
                .hint("Use `try_cast` to get NULL instead.")
        }
    }
}

fn invalid_cast(value: &str, from: &str, to: &str) -> Diagnostic {
    Diagnostic::new(
        ErrorClass::CAST_INVALID_INPUT,
        format!(
            "The value '{value}' of the type \"{from}\" cannot be cast to \"{to}\" because it is malformed. Correct the value as per the syntax, or change its target type. Use `try_cast` to tolerate malformed input and return NULL instead."
        ),
    )
}

fn arrow_type_name(word: &str) -> String {
    match word.trim_end_matches(',') {
        "Int8" => "TINYINT".to_owned(),
        "Int16" => "SMALLINT".to_owned(),
        "Int32" => "INT".to_owned(),
        "Int64" => "BIGINT".to_owned(),
        "Float32" => "FLOAT".to_owned(),
        "Float64" => "DOUBLE".to_owned(),
        "Boolean" => "BOOLEAN".to_owned(),
        "Date32" => "DATE".to_owned(),
        other => other.replace("Decimal128", "DECIMAL"),
    }
}

/// Functions that mean nothing without OVER.
const WINDOW_FUNCTIONS: [&str; 9] =
    ["row_number", "rank", "dense_rank", "percent_rank", "cume_dist", "ntile", "lag", "lead", "nth_value"];

fn plan(message: &str, names: &PlanNames) -> Diagnostic {
    let message = first_line(message);
    if let Some(problem) = message.strip_prefix("UNSUPPORTED_DATATYPE:") {
        return Diagnostic::new(ErrorClass::new("UNSUPPORTED_DATATYPE", "0A000"), problem.to_owned());
    }
    if let Some(rest) = message.strip_prefix("Invalid function '") {
        let name = rest.split('\'').next().unwrap_or_default();
        let place = names.places.get(name).copied();
        if WINDOW_FUNCTIONS.contains(&name) {
            return Diagnostic::new(
                ErrorClass::new("WINDOW_FUNCTION_WITHOUT_OVER_CLAUSE", "42601"),
                format!("Window function {name} requires an OVER clause."),
            )
            .or_at(place);
        }
        let mut diagnostic = Diagnostic::new(
            ErrorClass::UNRESOLVED_ROUTINE,
            format!("Cannot resolve routine `{name}`: there is no function of that name here."),
        )
        .or_at(place);
        if let Some(near) = nearest_name(name, names.functions.iter().map(String::as_str)) {
            diagnostic = diagnostic.suggest(Suggestion {
                label: format!("did you mean {near}?"),
                span: place,
                replacement: near.to_owned(),
            });
        }
        return diagnostic;
    }
    if message.starts_with("Cannot create filter with non-boolean predicate") {
        return Diagnostic::new(
            ErrorClass::new("DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN", "42K09"),
            "The condition of WHERE or HAVING is no boolean.",
        )
        .hint("Write a comparison, or cast it to BOOLEAN.");
    }
    if let Some(name) = message.strip_prefix("The window ").and_then(|rest| rest.strip_suffix(" is not defined!")) {
        return Diagnostic::new(
            ErrorClass::new("MISSING_WINDOW_SPECIFICATION", "42P20"),
            format!("Window specification is not defined in the WINDOW clause for {name}."),
        )
        .or_at(names.places.get(name).copied());
    }
    if let Some(rest) = message.strip_prefix("Cannot find column with position ") {
        let position = rest.split_whitespace().next().unwrap_or_default();
        return Diagnostic::new(
            ErrorClass::new("GROUP_BY_POS_OUT_OF_RANGE", "42805"),
            format!("GROUP BY position {position} is not in the select list."),
        );
    }
    if let Some(rest) = message.strip_prefix("Order by column out of bounds, specified: ") {
        let position = rest.split(',').next().unwrap_or_default();
        return Diagnostic::new(
            ErrorClass::new("ORDER_BY_POS_OUT_OF_RANGE", "42805"),
            format!("ORDER BY position {position} is not in the select list."),
        );
    }
    if message.contains("must appear in the GROUP BY clause")
        || message.contains("could not be resolved from available columns")
    {
        let condition = if names.has_group_by { "MISSING_AGGREGATION" } else { "MISSING_GROUP_BY" };
        return Diagnostic::new(
            ErrorClass::new(condition, "42803"),
            "A column is neither in GROUP BY nor inside an aggregate function.",
        )
        .hint("Add it to GROUP BY, or wrap it in any_value() if any of its values will do.");
    }
    if message.contains("failed to coerce")
        || message.contains("Cannot coerce")
        || message.contains("No function matches")
        || message.contains("Failed to coerce")
        || message.contains("failed to match any signature")
    {
        return Diagnostic::new(
            ErrorClass::DATATYPE_MISMATCH,
            "An operator or function was given a type it does not take.",
        )
        .hint("Cast its arguments to the type that it takes.");
    }
    refusal(message)
}

fn execution(message: &str, names: &PlanNames) -> Diagnostic {
    let message = first_line(message);
    if message.contains("Scalar subquery returned more than one row") || message.contains("more than one row") {
        return Diagnostic::new(
            ErrorClass::new("SCALAR_SUBQUERY_TOO_MANY_ROWS", "21000"),
            "A subquery that stands for one value returned more than one row.",
        )
        .hint("Aggregate it, or limit it to one row.");
    }
    if message.contains("Cast error") || message.contains("Cannot cast") || message.contains("Error parsing") {
        return cast(message, names);
    }
    refusal(message)
}
