//! Spark SQL types and their Arrow form, and the text and JSON of single values.
//!
//! | Spark | Arrow |
//! |---|---|
//! | `tinyint` … `bigint` | `Int8` … `Int64` |
//! | `float`, `double` | `Float32`, `Float64` |
//! | `decimal(p,s)` | `Decimal128(p, s)` |
//! | `string`, `char(n)`, `varchar(n)` | `Utf8` |
//! | `binary` | `Binary` |
//! | `date` | `Date32` |
//! | `timestamp` | `Timestamp(Microsecond, "UTC")` |
//! | `timestamp_ntz` | `Timestamp(Microsecond)` |
//! | `time(p)` | `Time64(Microsecond)` |
//! | year-month intervals | `Interval(YearMonth)` |
//! | day-time intervals | `Duration(Microsecond)` |
//! | `array<t>` | `List(item)` |
//! | `map<k,v>` | `Map(entries<key, value>)` |
//! | `struct<…>` | `Struct` |
//! | `void` | `Null` |
//!
//! These are the *canonical* types: everything the store keeps has them. [`canonical_type`] and [`to_canonical`] bring
//! whatever an operator made (views, dictionaries, nanoseconds, …) to them. What an Arrow type cannot say, the units of
//! an interval and the length of a CHAR, stands in the metadata of its field, see [`INTERVAL_UNITS_KEY`] and
//! [`CHAR_LENGTH_KEY`].
//!
//! This crate plans nothing and casts nothing by Spark's rules; it names, reads and prints.

mod canonical;
mod cell;
mod datetime;
mod interval;
mod json;
mod name;
mod number;
mod parse;
mod schema_json;
mod text;

pub use canonical::{
    canonical_field, canonical_schema, canonical_type, list_type, map_type, timestamp_ntz_type, timestamp_type,
    to_canonical, to_canonical_batch,
};
pub use datetime::{date_text, time_text, timestamp_text};
pub use interval::{INTERVAL_UNITS_KEY, IntervalUnit, IntervalUnits, interval_units};
pub use json::{cell_json, field_cell_json};
pub use name::{field_simple_string, simple_string, sql_name};
pub use number::{decimal_text, double_text, float_text};
pub use parse::{CHAR_LENGTH_KEY, parse_field, parse_type};
pub use schema_json::{field_from_json, field_to_json, type_from_json, type_to_json};
pub use text::{cell_text, field_cell_text};

#[cfg(test)]
mod tests;
