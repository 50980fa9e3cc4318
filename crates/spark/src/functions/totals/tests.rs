use datafusion::arrow::datatypes::DataType;

use super::{Exact, Kind, result_type};

fn exact(kind: Kind, scale: i8, result: DataType) -> Exact {
    Exact { kind, is_tolerant: false, scale, result }
}

#[test]
fn averages_of_decimals_have_four_digits_more_and_round_half_up() {
    assert_eq!(result_type(Kind::Average, &DataType::Decimal128(6, 2)), DataType::Decimal128(10, 6));
    assert_eq!(result_type(Kind::Average, &DataType::Decimal128(38, 10)), DataType::Decimal128(38, 10));
    let average = exact(Kind::Average, 2, DataType::Decimal128(10, 6));
    assert_eq!(average.value(Some(9_100), 6).expect("fits"), Some(15_166_667));
    assert_eq!(average.value(Some(0), 0).expect("no rows"), None);
}

#[test]
fn a_sum_that_does_not_fit_is_an_error_or_null() {
    let sum = exact(Kind::Sum, 0, DataType::Int64);
    let too_large = i128::from(i64::MAX) + 1;
    assert!(sum.value(Some(too_large), 2).is_err());
    let tolerant = Exact { is_tolerant: true, ..sum };
    assert_eq!(tolerant.value(Some(too_large), 2).expect("tolerated"), None);
}
