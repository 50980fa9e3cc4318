//! The one type that values of different types have in common, by the rules of ANSI mode.

use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, Field, Fields, IntervalUnit, TimeUnit};

const PRECISION_MAX: u8 = 38;

/// Text of any Arrow form.
pub(crate) fn is_text(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}

/// An interval of any kind.
pub(crate) fn is_interval(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Interval(_) | DataType::Duration(_))
}

/// Whether a value of the type has no order: it is a map or holds one.
pub(crate) fn has_map(data_type: &DataType) -> bool {
    match data_type {
        DataType::Map(..) => true,
        DataType::List(item) => has_map(item.data_type()),
        DataType::Struct(fields) => fields.iter().any(|field| has_map(field.data_type())),
        _ => false,
    }
}

/// What two types have in common; `None` where Spark finds nothing.
pub(crate) fn common_type(left: &DataType, right: &DataType) -> Option<DataType> {
    use DataType::{Date32, Duration, Interval, List, Map, Null, Struct, Timestamp};
    if left == right || right.is_null() {
        return Some(left.clone());
    }
    if is_text(left) && is_text(right) {
        return Some(DataType::Utf8);
    }
    match (left, right) {
        (Null, other) => Some(other.clone()),
        (text, other) | (other, text) if is_text(text) => beside_text(other),
        (Timestamp(unit, zone), Date32) | (Date32, Timestamp(unit, zone)) => Some(Timestamp(*unit, zone.clone())),
        (Timestamp(..), Timestamp(..)) => Some(lakelet_types::timestamp_type()),
        (Duration(TimeUnit::Microsecond), Duration(_)) => Some(left.clone()),
        (Interval(IntervalUnit::YearMonth), _) | (_, Interval(IntervalUnit::YearMonth)) => None,
        (List(left), List(right)) => {
            let item = common_type(left.data_type(), right.data_type())?;
            let is_nullable = left.is_nullable() || right.is_nullable();
            Some(List(Arc::new(left.as_ref().clone().with_data_type(item).with_nullable(is_nullable))))
        }
        (Map(left, is_sorted), Map(right, _)) => {
            let entries = common_type(left.data_type(), right.data_type())?;
            Some(Map(Arc::new(left.as_ref().clone().with_data_type(entries)), *is_sorted))
        }
        (Struct(left), Struct(right)) => common_fields(left, right).map(Struct),
        _ => common_number(left, right),
    }
}

fn common_fields(left: &Fields, right: &Fields) -> Option<Fields> {
    if left.len() != right.len() {
        return None;
    }
    left.iter()
        .zip(right)
        .map(|(left, right)| {
            if !lakelet_base::same_name(left.name(), right.name()) {
                return None;
            }
            let data_type = common_type(left.data_type(), right.data_type())?;
            let field: Field = left.as_ref().clone();
            Some(Arc::new(field.with_data_type(data_type).with_nullable(left.is_nullable() || right.is_nullable())))
        })
        .collect()
}

/// Text becomes what stands beside it; beside whole numbers BIGINT, beside others DOUBLE.
fn beside_text(other: &DataType) -> Option<DataType> {
    if other.is_nested() || is_interval(other) {
        return None;
    }
    Some(if other.is_integer() {
        DataType::Int64
    } else if other.is_numeric() {
        DataType::Float64
    } else {
        other.clone()
    })
}

/// The wider of two numeric types.
pub(crate) fn common_number(left: &DataType, right: &DataType) -> Option<DataType> {
    if !left.is_numeric() || !right.is_numeric() {
        return None;
    }
    if left == right {
        return Some(left.clone());
    }
    if left.is_floating() || right.is_floating() {
        let both_short = matches!((left, right), (DataType::Float32, DataType::Float32));
        return Some(if both_short { DataType::Float32 } else { DataType::Float64 });
    }
    if left.is_integer() && right.is_integer() {
        return Some(if digits(left)?.0 >= digits(right)?.0 { left.clone() } else { right.clone() });
    }
    let ((p1, s1), (p2, s2)) = (digits(left)?, digits(right)?);
    let scale = s1.max(s2);
    let whole = (i16::from(p1) - i16::from(s1)).max(i16::from(p2) - i16::from(s2));
    let precision = u8::try_from(whole + i16::from(scale)).ok()?.min(PRECISION_MAX);
    let scale = if whole + i16::from(scale) > i16::from(PRECISION_MAX) {
        i8::try_from(i16::from(PRECISION_MAX) - whole).ok()?.max(0)
    } else {
        scale
    };
    Some(DataType::Decimal128(precision, scale))
}

/// Precision and scale of the decimal that holds all values of an exact type.
pub(crate) fn digits(data_type: &DataType) -> Option<(u8, i8)> {
    match data_type {
        DataType::Int8 => Some((3, 0)),
        DataType::Int16 => Some((5, 0)),
        DataType::Int32 => Some((10, 0)),
        DataType::Int64 => Some((20, 0)),
        DataType::Decimal128(precision, scale) => Some((*precision, *scale)),
        _ => None,
    }
}

/// What all of these types have in common: text first, so that the order of the others decides nothing.
pub(crate) fn common_type_of(types: &[DataType]) -> Option<DataType> {
    let (texts, others): (Vec<&DataType>, Vec<&DataType>) = types.iter().partition(|data_type| has_text(data_type));
    texts.into_iter().chain(others).try_fold(DataType::Null, |common, next| common_type(&common, next))
}

fn has_text(data_type: &DataType) -> bool {
    match data_type {
        DataType::List(item) => has_text(item.data_type()),
        other => is_text(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_gives_way_to_what_stands_beside_it() {
        let types = |types: &[DataType]| common_type_of(types);
        assert_eq!(types(&[DataType::Int32, DataType::Utf8]), Some(DataType::Int64));
        assert_eq!(types(&[DataType::Utf8, DataType::Decimal128(3, 1)]), Some(DataType::Float64));
        assert_eq!(types(&[DataType::Utf8, DataType::Date32]), Some(DataType::Date32));
        assert_eq!(types(&[DataType::Utf8, DataType::Duration(TimeUnit::Microsecond)]), None);
        assert_eq!(types(&[DataType::Boolean, DataType::Int32]), None);
    }

    #[test]
    fn numbers_widen() {
        assert_eq!(common_type(&DataType::Int32, &DataType::Float32), Some(DataType::Float64));
        assert_eq!(common_type(&DataType::Int32, &DataType::Decimal128(4, 2)), Some(DataType::Decimal128(12, 2)));
        assert_eq!(
            common_type(&DataType::Decimal128(38, 0), &DataType::Decimal128(10, 5)),
            Some(DataType::Decimal128(38, 0))
        );
        assert_eq!(common_type(&DataType::Int8, &DataType::Int16), Some(DataType::Int16));
    }

    #[test]
    fn a_date_beside_a_timestamp_is_one() {
        let timestamp = lakelet_types::timestamp_type();
        assert_eq!(common_type(&DataType::Date32, &timestamp), Some(timestamp.clone()));
        assert_eq!(common_type(&timestamp, &lakelet_types::timestamp_ntz_type()), Some(timestamp));
    }
}
