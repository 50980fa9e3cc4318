//! ANSI intervals: literals, arithmetic between themselves, with numbers and with dates and timestamps.

mod literal;
mod operation;

use std::collections::HashMap;
use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, Field, FieldRef, IntervalUnit as ArrowUnit, TimeUnit};
use datafusion::common::{DFSchema, DataFusionError, Result};
use datafusion::logical_expr::{Expr, ExprSchemable, cast};
use lakelet_base::{Diagnostic, ErrorClass};
use lakelet_types::{INTERVAL_UNITS_KEY, IntervalUnits, interval_units};

pub(crate) use literal::function as literal_function;
pub(crate) use literal::{day_time_of, year_month_of};
use operation::{Kind, call};

/// The operators that intervals take part in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum IntervalOperator {
    Add,
    Subtract,
    Multiply,
    Divide,
    IntegerDivide,
}

/// A field of an interval type.
pub(crate) fn field_of(name: &str, units: IntervalUnits) -> FieldRef {
    let data_type = if units.is_year_month() {
        DataType::Interval(ArrowUnit::YearMonth)
    } else {
        DataType::Duration(TimeUnit::Microsecond)
    };
    let metadata = HashMap::from([(INTERVAL_UNITS_KEY.to_owned(), units.name())]);
    Arc::new(Field::new(name, data_type, true).with_metadata(metadata))
}

/// The units of an interval's field: those of its metadata, or all of its kind.
pub(crate) fn units_of(field: &Field) -> Option<IntervalUnits> {
    let (default, is_year_month) = match field.data_type() {
        DataType::Interval(ArrowUnit::YearMonth) => (IntervalUnits::YEAR_TO_MONTH, true),
        DataType::Duration(_) => (IntervalUnits::DAY_TO_SECOND, false),
        _ => return None,
    };
    Some(interval_units(field).filter(|units| units.is_year_month() == is_year_month).unwrap_or(default))
}

/// The units that hold both intervals.
pub(crate) fn joint_units(left: IntervalUnits, right: IntervalUnits) -> IntervalUnits {
    IntervalUnits { start: left.start.min(right.start), end: left.end.max(right.end) }
}

/// An interval became larger than its type.
pub(crate) fn interval_overflow() -> DataFusionError {
    DataFusionError::External(Box::new(Diagnostic::new(
        ErrorClass::new("INTERVAL_ARITHMETIC_OVERFLOW.WITHOUT_SUGGESTION", "22015"),
        "Integer overflow while operating with intervals.",
    )))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    YearMonth(IntervalUnits),
    DayTime(IntervalUnits),
    Calendar,
    Date,
    Timestamp,
    Number,
    Text,
    Null,
    Other,
}

fn class(field: &Field) -> Class {
    match field.data_type() {
        DataType::Interval(ArrowUnit::MonthDayNano) => Class::Calendar,
        DataType::Date32 => Class::Date,
        DataType::Timestamp(..) => Class::Timestamp,
        DataType::Null => Class::Null,
        other if other.is_numeric() => Class::Number,
        other if crate::coercion::is_text(other) => Class::Text,
        _ => match units_of(field) {
            Some(units) if units.is_year_month() => Class::YearMonth(units),
            Some(units) => Class::DayTime(units),
            None => Class::Other,
        },
    }
}

/// The operation, if dates, timestamps or ANSI intervals take part in it.
///
/// # Errors
/// Types that Spark does not bring together.
pub(crate) fn operation(
    operator: IntervalOperator,
    left: &Expr,
    right: &Expr,
    schema: &DFSchema,
) -> Result<Option<Expr>> {
    use Class::{Calendar, Date, DayTime, Null, Number, Other, Text, Timestamp, YearMonth};
    use IntervalOperator::{Add, Divide, IntegerDivide, Multiply, Subtract};
    let (left_field, right_field) = (left.to_field(schema)?.1, right.to_field(schema)?.1);
    let (left_class, right_class) = (class(&left_field), class(&right_field));
    let temporal = |class: Class| !matches!(class, Number | Text | Null | Other);
    if !temporal(left_class) && !temporal(right_class) {
        return Ok(None);
    }
    let day = IntervalUnits { start: lakelet_types::IntervalUnit::Day, end: lakelet_types::IntervalUnit::Day };
    let type_of = |field: &FieldRef| Arc::new(Field::new("", field.data_type().clone(), true));
    let long = |expr: &Expr| cast(expr.clone(), DataType::Int64);
    let as_date = |expr: &Expr| cast(expr.clone(), DataType::Date32);
    let as_timestamp = |expr: &Expr, field: &FieldRef| match field.data_type() {
        DataType::Timestamp(..) => expr.clone(),
        _ => cast(expr.clone(), lakelet_types::timestamp_type()),
    };
    let timestamp = || Arc::new(Field::new("", lakelet_types::timestamp_type(), true));
    let planned = match (operator, left_class, right_class) {
        (Add | Subtract, YearMonth(a), YearMonth(b)) | (Add | Subtract, DayTime(a), DayTime(b)) => {
            call(Kind::Same(operator), field_of("", joint_units(a, b)), left.clone(), right.clone())
        }
        (Multiply, YearMonth(units) | DayTime(units), Number | Text | Null) => {
            scaled(operator, units, left.clone(), right, &right_field)
        }
        (Multiply, Number | Text | Null, YearMonth(units) | DayTime(units)) => {
            scaled(operator, units, right.clone(), left, &left_field)
        }
        (Divide, YearMonth(units) | DayTime(units), Number | Text | Null) => {
            scaled(operator, units, left.clone(), right, &right_field)
        }
        (IntegerDivide, YearMonth(_), YearMonth(_)) | (IntegerDivide, DayTime(_), DayTime(_)) => {
            call(Kind::Quotient, Arc::new(Field::new("", DataType::Int64, true)), left.clone(), right.clone())
        }
        (Subtract, Date, Date) => call(Kind::Days, field_of("", day), left.clone(), right.clone()),
        (Subtract, Date, Text) => call(Kind::Days, field_of("", day), left.clone(), as_date(right)),
        (Subtract, Text, Date) => call(Kind::Days, field_of("", day), as_date(left), right.clone()),
        (Subtract, Timestamp, Timestamp | Date | Text) | (Subtract, Date | Text, Timestamp) => call(
            Kind::Micros,
            field_of("", IntervalUnits::DAY_TO_SECOND),
            as_timestamp(left, &left_field),
            as_timestamp(right, &right_field),
        ),
        (Add | Subtract, Date | Timestamp, YearMonth(_)) => {
            call(Kind::Moved(operator), type_of(&left_field), left.clone(), right.clone())
        }
        (Add, YearMonth(_), Date | Timestamp) => {
            call(Kind::Moved(operator), type_of(&right_field), right.clone(), left.clone())
        }
        // Only whole days keep a date a date.
        (Add | Subtract, Date, DayTime(units)) if units == day => {
            call(Kind::Moved(operator), type_of(&left_field), left.clone(), right.clone())
        }
        (Add, DayTime(units), Date) if units == day => {
            call(Kind::Moved(operator), type_of(&right_field), right.clone(), left.clone())
        }
        (Add | Subtract, Date, DayTime(_)) => {
            call(Kind::Moved(operator), timestamp(), as_timestamp(left, &left_field), right.clone())
        }
        (Add, DayTime(_), Date) => {
            call(Kind::Moved(operator), timestamp(), as_timestamp(right, &right_field), left.clone())
        }
        (Add | Subtract, Timestamp, DayTime(_)) => {
            call(Kind::Moved(operator), type_of(&left_field), left.clone(), right.clone())
        }
        (Add, DayTime(_), Timestamp) => call(Kind::Moved(operator), type_of(&right_field), right.clone(), left.clone()),
        (Add | Subtract, Text, YearMonth(_) | DayTime(_)) => {
            let moved = call(Kind::Moved(operator), timestamp(), as_timestamp(left, &left_field), right.clone());
            cast(moved, DataType::Utf8)
        }
        (Add, YearMonth(_) | DayTime(_), Text) => {
            let moved = call(Kind::Moved(operator), timestamp(), as_timestamp(right, &right_field), left.clone());
            cast(moved, DataType::Utf8)
        }
        (Add | Subtract, Date, Number) if is_days(&right_field) => {
            call(Kind::MovedDays(operator), type_of(&left_field), left.clone(), long(right))
        }
        (Add, Number, Date) if is_days(&left_field) => {
            call(Kind::MovedDays(operator), type_of(&right_field), right.clone(), long(left))
        }
        (Add | Subtract, Calendar, _) | (Add | Subtract, _, Calendar) => return Ok(None),
        (_, Null, _) | (_, _, Null) => return Ok(None),
        (Add | Subtract, _, _) => return Err(unexpected(&left_field, &right_field)),
        _ => return Err(crate::operators::wrong_operands(left_field.data_type(), right_field.data_type())),
    };
    Ok(Some(planned))
}

fn unexpected(left: &Field, right: &Field) -> DataFusionError {
    let name = |field: &Field| lakelet_types::field_simple_string(field).to_uppercase();
    DataFusionError::External(Box::new(
        Diagnostic::new(
            ErrorClass::new("DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE", "42K09"),
            format!("\"{}\" and \"{}\" cannot be added or subtracted.", name(left), name(right)),
        )
        .hint("Cast one side: dates take whole numbers of days and intervals, intervals those of their own kind."),
    ))
}

fn is_days(field: &Field) -> bool {
    matches!(field.data_type(), DataType::Int8 | DataType::Int16 | DataType::Int32)
}

/// An interval times a number, or divided by one.
fn scaled(operator: IntervalOperator, units: IntervalUnits, interval: Expr, number: &Expr, field: &Field) -> Expr {
    let result = if units.is_year_month() { IntervalUnits::YEAR_TO_MONTH } else { IntervalUnits::DAY_TO_SECOND };
    let number = match field.data_type() {
        DataType::Decimal128(..) | DataType::Float64 => number.clone(),
        exact if exact.is_integer() => cast(number.clone(), DataType::Decimal128(20, 0)),
        _ => cast(number.clone(), DataType::Float64),
    };
    call(Kind::Scaled(operator), field_of("", result), interval, number)
}

#[cfg(test)]
mod tests;
