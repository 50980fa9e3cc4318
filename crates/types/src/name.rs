//! Names of types.

use arrow_schema::{DataType, Field, IntervalUnit as ArrowIntervalUnit};
use lakelet_base::quote_identifier;

use crate::canonical::widened_decimal;
use crate::interval::{self, IntervalUnits};

/// Spark's `simpleString`: `int`, `decimal(10,2)`, `array<int>`, `struct<a:int,b:string>`, `void`. Arrow types without a
/// Spark twin are named after the type that [`crate::canonical_type`] gives them.
pub fn simple_string(data_type: &DataType) -> String {
    simple(data_type, None)
}

/// [`simple_string`] of a field's type, with the interval units that its metadata name.
pub fn field_simple_string(field: &Field) -> String {
    simple(field.data_type(), interval::interval_units(field))
}

/// The name in SQL and in error messages: `INT`, `DECIMAL(10,2)`, `STRUCT<a: INT NOT NULL, b: STRING>`.
pub fn sql_name(data_type: &DataType) -> String {
    sql(data_type, None)
}

fn sql(data_type: &DataType, units: Option<IntervalUnits>) -> String {
    match data_type {
        DataType::Dictionary(_, values) => sql(values, units),
        DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => {
            format!("ARRAY<{}>", field_sql(item))
        }
        DataType::Map(entries, _) => match entries.data_type() {
            DataType::Struct(fields) => {
                let members: Vec<String> = fields.iter().map(|field| field_sql(field)).collect();
                format!("MAP<{}>", members.join(", "))
            }
            other => format!("MAP<{}>", sql(other, None)),
        },
        DataType::Struct(fields) => {
            let members: Vec<String> = fields
                .iter()
                .map(|field| {
                    let not_null = if field.is_nullable() { "" } else { " NOT NULL" };
                    format!("{}: {}{not_null}", quote_identifier(field.name()), field_sql(field))
                })
                .collect();
            format!("STRUCT<{}>", members.join(", "))
        }
        flat => simple(flat, units).to_uppercase(),
    }
}

fn field_sql(field: &Field) -> String {
    sql(field.data_type(), interval::interval_units(field))
}

fn simple(data_type: &DataType, units: Option<IntervalUnits>) -> String {
    match data_type {
        DataType::Null => "void".to_owned(),
        DataType::Boolean => "boolean".to_owned(),
        DataType::Int8 => "tinyint".to_owned(),
        DataType::Int16 | DataType::UInt8 => "smallint".to_owned(),
        DataType::Int32 | DataType::UInt16 => "int".to_owned(),
        DataType::Int64 | DataType::UInt32 | DataType::UInt64 => "bigint".to_owned(),
        DataType::Float16 | DataType::Float32 => "float".to_owned(),
        DataType::Float64 => "double".to_owned(),
        DataType::Decimal32(precision, scale)
        | DataType::Decimal64(precision, scale)
        | DataType::Decimal128(precision, scale)
        | DataType::Decimal256(precision, scale) => {
            let (precision, scale) = widened_decimal(*precision, *scale);
            format!("decimal({precision},{scale})")
        }
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => "string".to_owned(),
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_) => {
            "binary".to_owned()
        }
        DataType::Date32 | DataType::Date64 => "date".to_owned(),
        DataType::Timestamp(_, Some(_)) => "timestamp".to_owned(),
        DataType::Timestamp(_, None) => "timestamp_ntz".to_owned(),
        DataType::Time32(_) | DataType::Time64(_) => "time(6)".to_owned(),
        DataType::Duration(_) | DataType::Interval(ArrowIntervalUnit::DayTime) => {
            let units = units.filter(|units| !units.is_year_month()).unwrap_or(IntervalUnits::DAY_TO_SECOND);
            format!("interval {}", units.name())
        }
        DataType::Interval(ArrowIntervalUnit::YearMonth) => {
            let units = units.filter(|units| units.is_year_month()).unwrap_or(IntervalUnits::YEAR_TO_MONTH);
            format!("interval {}", units.name())
        }
        DataType::Interval(ArrowIntervalUnit::MonthDayNano) => "interval".to_owned(),
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::FixedSizeList(item, _)
        | DataType::ListView(item)
        | DataType::LargeListView(item) => format!("array<{}>", field_simple_string(item)),
        DataType::Map(entries, _) => match entries.data_type() {
            DataType::Struct(fields) => {
                let members: Vec<String> = fields.iter().map(|field| field_simple_string(field)).collect();
                format!("map<{}>", members.join(","))
            }
            other => format!("map<{}>", simple_string(other)),
        },
        DataType::Struct(fields) => {
            let members: Vec<String> =
                fields.iter().map(|field| format!("{}:{}", field.name(), field_simple_string(field))).collect();
            format!("struct<{}>", members.join(","))
        }
        DataType::Dictionary(_, values) => simple(values, units),
        DataType::RunEndEncoded(_, values) => field_simple_string(values),
        DataType::Union(..) => "variant".to_owned(),
    }
}
