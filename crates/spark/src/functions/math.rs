//! Numbers: rounding, bases, and what Spark gives where the libraries differ.

use datafusion::arrow::datatypes::{DataType, FieldRef};
use datafusion::arrow::error::ArrowError;
use datafusion::common::{DataFusionError, Result, ScalarValue};

use super::row::{Arg, Definition, Returns, fail, lenient, strict};
use super::value::{boolean_or, double, integer, integer_or, of_text, text};

pub(super) static FUNCTIONS: &[Definition] = &[
    strict("round", &[Arg::Number, Arg::Long], 1, Returns::Of(round_type), |values, to| {
        rounded(values, to, Way::HalfUp)
    }),
    strict("bround", &[Arg::Number, Arg::Long], 1, Returns::Of(round_type), |values, to| {
        rounded(values, to, Way::HalfEven)
    }),
    strict("ceil", &[Arg::Number, Arg::Long], 1, Returns::Of(ceil_type), |values, to| rounded(values, to, Way::Up)),
    strict("ceiling", &[Arg::Number, Arg::Long], 1, Returns::Of(ceil_type), |values, to| rounded(values, to, Way::Up)),
    strict("floor", &[Arg::Number, Arg::Long], 1, Returns::Of(ceil_type), |values, to| rounded(values, to, Way::Down)),
    strict("conv", &[Arg::Text, Arg::Int, Arg::Int], 3, Returns::Text, conv),
    strict("abs", &[Arg::Size], 1, Returns::Argument(0), abs),
    strict("sqrt", &[Arg::Double], 1, Returns::Double, |values, _| plain(double(values, 0)?.sqrt())),
    strict("cbrt", &[Arg::Double], 1, Returns::Double, |values, _| plain(double(values, 0)?.cbrt())),
    strict("ln", &[Arg::Double], 1, Returns::Double, |values, _| positive(double(values, 0)?, f64::ln)),
    strict("log10", &[Arg::Double], 1, Returns::Double, |values, _| positive(double(values, 0)?, f64::log10)),
    strict("log2", &[Arg::Double], 1, Returns::Double, |values, _| positive(double(values, 0)?, f64::log2)),
    strict("log", &[Arg::Double, Arg::Double], 1, Returns::Double, log),
    strict("log1p", &[Arg::Double], 1, Returns::Double, |values, _| {
        let value = double(values, 0)?;
        if value <= -1.0 { Ok(ScalarValue::Null) } else { plain(value.ln_1p()) }
    }),
    strict("e", &[], 0, Returns::Double, |_, _| plain(std::f64::consts::E)),
    strict("positive", &[Arg::Number], 1, Returns::Argument(0), |values, _| {
        Ok(values.first().cloned().unwrap_or(ScalarValue::Null))
    }),
    lenient("isnan", &[Arg::Double], 1, Returns::Boolean, |values, _| {
        let is_nan = matches!(values.first(), Some(ScalarValue::Float64(Some(value))) if value.is_nan());
        Ok(ScalarValue::Boolean(Some(is_nan)))
    }),
    strict("sign", &[Arg::Any], 1, Returns::Double, sign),
    strict("signum", &[Arg::Any], 1, Returns::Double, sign),
    strict("try_add", &[Arg::Any, Arg::Any], 2, Returns::Of(try_type), |values, to| tried(values, to, '+')),
    strict("try_subtract", &[Arg::Any, Arg::Any], 2, Returns::Of(try_type), |values, to| tried(values, to, '-')),
    strict("try_multiply", &[Arg::Any, Arg::Any], 2, Returns::Of(try_type), |values, to| tried(values, to, '*')),
    strict("try_mod", &[Arg::Any, Arg::Any], 2, Returns::Of(try_type), |values, to| tried(values, to, '%')),
    strict("try_divide", &[Arg::Double, Arg::Double], 2, Returns::Double, |values, _| {
        let divisor = double(values, 1)?;
        if divisor == 0.0 { Ok(ScalarValue::Null) } else { plain(double(values, 0)? / divisor) }
    }),
    lenient("raise_error", &[Arg::Text, Arg::Map], 1, Returns::Of(|_, _| Ok(DataType::Null)), |values, _| {
        Err(fail("USER_RAISED_EXCEPTION", "P0001", super::value::text_or(values, 0, "null")))
    }),
    lenient("assert_true", &[Arg::Boolean, Arg::Text], 1, Returns::Of(|_, _| Ok(DataType::Null)), |values, _| {
        if boolean_or(values, 0, false) {
            return Ok(ScalarValue::Null);
        }
        let message = super::value::text_or(values, 1, "The assertion is not true!");
        Err(fail("USER_RAISED_EXCEPTION", "P0001", message))
    }),
];

fn abs(values: &[ScalarValue], _: &DataType) -> Result<ScalarValue> {
    let overflow = || DataFusionError::from(ArrowError::ArithmeticOverflow("abs".to_owned()));
    Ok(match values.first() {
        Some(ScalarValue::Int8(Some(value))) => ScalarValue::Int8(Some(value.checked_abs().ok_or_else(overflow)?)),
        Some(ScalarValue::Int16(Some(value))) => ScalarValue::Int16(Some(value.checked_abs().ok_or_else(overflow)?)),
        Some(ScalarValue::Int32(Some(value))) => ScalarValue::Int32(Some(value.checked_abs().ok_or_else(overflow)?)),
        Some(ScalarValue::Int64(Some(value))) => ScalarValue::Int64(Some(value.checked_abs().ok_or_else(overflow)?)),
        Some(ScalarValue::Float32(Some(value))) => ScalarValue::Float32(Some(value.abs())),
        Some(ScalarValue::Float64(Some(value))) => ScalarValue::Float64(Some(value.abs())),
        Some(ScalarValue::Decimal128(Some(value), precision, scale)) => {
            ScalarValue::Decimal128(Some(value.abs()), *precision, *scale)
        }
        Some(ScalarValue::IntervalYearMonth(Some(months))) => {
            ScalarValue::IntervalYearMonth(Some(months.checked_abs().ok_or_else(crate::intervals::interval_overflow)?))
        }
        Some(ScalarValue::DurationMicrosecond(Some(micros))) => ScalarValue::DurationMicrosecond(Some(
            micros.checked_abs().ok_or_else(crate::intervals::interval_overflow)?,
        )),
        _ => ScalarValue::Null,
    })
}

fn plain(value: f64) -> Result<ScalarValue> {
    Ok(ScalarValue::Float64(Some(value)))
}

/// Logarithms of what is not positive are NULL.
fn positive(value: f64, function: fn(f64) -> f64) -> Result<ScalarValue> {
    if value <= 0.0 { Ok(ScalarValue::Null) } else { plain(function(value)) }
}

fn log(values: &[ScalarValue], _: &DataType) -> Result<ScalarValue> {
    let first = double(values, 0)?;
    if values.len() == 1 {
        return positive(first, f64::ln);
    }
    let value = double(values, 1)?;
    if first <= 0.0 || value <= 0.0 { Ok(ScalarValue::Null) } else { plain(value.ln() / first.ln()) }
}

fn sign(values: &[ScalarValue], _: &DataType) -> Result<ScalarValue> {
    let value = match values.first() {
        Some(ScalarValue::IntervalYearMonth(Some(months))) => f64::from(months.signum()),
        Some(ScalarValue::IntervalMonthDayNano(Some(interval))) => {
            let nanos = i128::from(interval.months) * 31 * 86_400_000_000_000
                + i128::from(interval.days) * 86_400_000_000_000
                + i128::from(interval.nanoseconds);
            nanos.signum() as f64
        }
        Some(ScalarValue::DurationMicrosecond(Some(micros))) => micros.signum() as f64,
        Some(value) => double(&[value.cast_to(&DataType::Float64)?], 0)?,
        None => 0.0,
    };
    plain(if value == 0.0 || value.is_nan() { value } else { value.signum() })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    HalfUp,
    HalfEven,
    Up,
    Down,
}

fn scale_of(constants: &[Option<&ScalarValue>], n_args: usize) -> Result<i64> {
    match constants.get(1) {
        None => Ok(0),
        Some(Some(scale)) if !scale.is_null() => integer(std::slice::from_ref(*scale), 0),
        // Not known before a constant is folded; the type is settled then.
        Some(_) if n_args > 1 => Ok(0),
        Some(_) => Ok(0),
    }
}

fn decimal(precision: i64, scale: i64) -> DataType {
    let precision = precision.clamp(1, 38);
    DataType::Decimal128(precision as u8, scale.clamp(0, precision) as i8)
}

fn round_type(fields: &[FieldRef], constants: &[Option<&ScalarValue>]) -> Result<DataType> {
    let Some(given) = fields.first().map(|field| field.data_type()) else { return Ok(DataType::Null) };
    let DataType::Decimal128(precision, scale) = given else { return Ok(given.clone()) };
    let wanted = scale_of(constants, fields.len())?;
    let n_whole = i64::from(*precision) - i64::from(*scale) + 1;
    Ok(if wanted < 0 {
        decimal(n_whole.max(1 - wanted), 0)
    } else {
        let kept = wanted.min(i64::from(*scale));
        decimal(n_whole + kept, kept)
    })
}

/// BIGINT or DECIMAL without a scale, DECIMAL with one.
fn ceil_type(fields: &[FieldRef], constants: &[Option<&ScalarValue>]) -> Result<DataType> {
    let Some(given) = fields.first().map(|field| field.data_type()) else { return Ok(DataType::Null) };
    let (precision, scale) = match given {
        DataType::Decimal128(precision, scale) => (i64::from(*precision), i64::from(*scale)),
        DataType::Int8 => (3, 0),
        DataType::Int16 => (5, 0),
        DataType::Int32 => (10, 0),
        DataType::Int64 => (20, 0),
        DataType::Float32 => (14, 7),
        _ => (30, 15),
    };
    if fields.len() == 1 {
        return Ok(match given {
            DataType::Decimal128(..) => decimal(precision - scale + 1, 0),
            _ => DataType::Int64,
        });
    }
    let wanted = scale_of(constants, fields.len())?;
    let n_whole = precision - scale + 1;
    Ok(if wanted < 0 {
        decimal(n_whole.max(1 - wanted), 0)
    } else {
        let kept = wanted.min(scale);
        decimal(n_whole + kept, kept)
    })
}

fn overflow() -> DataFusionError {
    fail("ARITHMETIC_OVERFLOW", "22003", "Overflow: the rounded value does not fit its type.")
}

/// Divides by a power of ten and rounds.
fn scaled_down(value: i128, by: u32, way: Way) -> i128 {
    let Some(power) = 10_i128.checked_pow(by) else { return 0 };
    let (whole, rest) = (value.div_euclid(power), value.rem_euclid(power));
    let moves_up = match way {
        Way::Down => false,
        Way::Up => rest > 0,
        // Half goes away from zero.
        Way::HalfUp if value < 0 => rest * 2 > power,
        Way::HalfUp => rest * 2 >= power,
        Way::HalfEven => rest * 2 > power || (rest * 2 == power && whole % 2 != 0),
    };
    whole + i128::from(moves_up)
}

/// The same number with another scale; `None` where it does not fit.
fn rescaled(value: i128, from: i64, to: i64) -> Option<i128> {
    let by = u32::try_from(to - from).ok()?;
    value.checked_mul(10_i128.checked_pow(by)?)
}

fn rounded(values: &[ScalarValue], to: &DataType, way: Way) -> Result<ScalarValue> {
    let wanted = integer_or(values, 1, 0)?;
    let is_scaled = values.len() > 1 || matches!(way, Way::HalfUp | Way::HalfEven);
    let (value, scale) = match values.first() {
        Some(ScalarValue::Decimal128(Some(value), _, scale)) => (*value, i64::from(*scale)),
        Some(float @ (ScalarValue::Float64(_) | ScalarValue::Float32(_))) => {
            let value = double(std::slice::from_ref(float), 0)?;
            if !is_scaled {
                let whole = if way == Way::Up { value.ceil() } else { value.floor() };
                // As a Java cast: what is too large becomes the largest.
                return Ok(ScalarValue::Int64(Some(whole as i64)));
            }
            if !value.is_finite() {
                return if to.is_floating() { Ok(float.clone()) } else { Err(overflow()) };
            }
            let shortest =
                if let ScalarValue::Float32(Some(single)) = float { format!("{single}") } else { format!("{value}") };
            let rounded = rounded_digits(&shortest, wanted, way);
            return match (to, rounded) {
                (DataType::Float32, Some((digits, scale))) => {
                    Ok(ScalarValue::Float32(lakelet_types::decimal_text(digits, scale).parse().ok()))
                }
                (DataType::Float64, Some((digits, scale))) => {
                    Ok(ScalarValue::Float64(lakelet_types::decimal_text(digits, scale).parse().ok()))
                }
                (DataType::Decimal128(precision, to_scale), Some((digits, scale))) => {
                    match rescaled(digits, i64::from(scale), i64::from(*to_scale)) {
                        Some(value) => Ok(ScalarValue::Decimal128(Some(value), *precision, *to_scale)),
                        None => Err(overflow()),
                    }
                }
                // So large or so small that no digit is lost.
                _ => Ok(float.clone()),
            };
        }
        Some(_) => (i128::from(integer(values, 0)?), 0),
        None => return Ok(ScalarValue::Null),
    };
    let (value, scale) = if wanted < scale {
        let dropped = u32::try_from(scale - wanted).unwrap_or(u32::MAX);
        let kept = scaled_down(value, dropped, way);
        (kept, wanted)
    } else {
        (value, scale)
    };
    let to_scale = if let DataType::Decimal128(_, scale) = to { i64::from(*scale) } else { 0 };
    let value = rescaled(value, scale, to_scale).ok_or_else(overflow)?;
    match to {
        DataType::Decimal128(precision, scale) => Ok(ScalarValue::Decimal128(Some(value), *precision, *scale)),
        DataType::Int8 => i8::try_from(value).map(|value| ScalarValue::Int8(Some(value))).map_err(|_| overflow()),
        DataType::Int16 => i16::try_from(value).map(|value| ScalarValue::Int16(Some(value))).map_err(|_| overflow()),
        DataType::Int32 => i32::try_from(value).map(|value| ScalarValue::Int32(Some(value))).map_err(|_| overflow()),
        _ => i64::try_from(value).map(|value| ScalarValue::Int64(Some(value))).map_err(|_| overflow()),
    }
}

/// Rounds a number by its shortest decimal text, as Spark does: `1.005` is one and five thousandths.
fn rounded_digits(shortest: &str, wanted: i64, way: Way) -> Option<(i128, i8)> {
    let (whole, fraction) = shortest.split_once('.').unwrap_or((shortest, ""));
    let digits: i128 = format!("{whole}{fraction}").parse().ok()?;
    let scale = fraction.len() as i64;
    if wanted >= scale {
        return Some((digits, i8::try_from(scale).ok()?));
    }
    let kept = scaled_down(digits, u32::try_from(scale - wanted).ok()?, way);
    if wanted >= 0 { Some((kept, i8::try_from(wanted).ok()?)) } else { Some((rescaled(kept, wanted, 0)?, 0)) }
}

/// As Hive: unsigned 64 bits, digits until the first that is none.
fn conv(values: &[ScalarValue], _: &DataType) -> Result<ScalarValue> {
    let (number, from, to) = (text(values, 0)?.trim(), integer(values, 1)?, integer(values, 2)?);
    if !(2..=36).contains(&from) || !(2..=36).contains(&to.abs()) || number.is_empty() {
        return Ok(ScalarValue::Null);
    }
    let (number, is_negative) = number.strip_prefix('-').map_or((number, false), |rest| (rest, true));
    let mut value: u64 = 0;
    for digit in number.chars().map_while(|letter| letter.to_digit(from as u32)) {
        let next = value.checked_mul(from as u64).and_then(|value| value.checked_add(u64::from(digit)));
        value = next.ok_or_else(|| {
            fail("ARITHMETIC_OVERFLOW", "22003", "Overflow in function `conv`. If necessary set \"spark.sql.ansi.enabled\" to \"false\" to bypass this error.")
        })?;
    }
    if is_negative {
        value = value.wrapping_neg();
    }
    let is_signed = to < 0 && (value as i64) < 0;
    let mut rest = if is_signed { (value as i64).unsigned_abs() } else { value };
    let base = to.unsigned_abs();
    let mut digits = Vec::new();
    loop {
        digits.push(char::from_digit((rest % base) as u32, base as u32).unwrap_or('0').to_ascii_uppercase());
        rest /= base;
        if rest == 0 {
            break;
        }
    }
    if is_signed {
        digits.push('-');
    }
    Ok(of_text(digits.iter().rev().collect::<String>()))
}

fn try_type(fields: &[FieldRef], _: &[Option<&ScalarValue>]) -> Result<DataType> {
    let [left, right] = fields else { return Ok(DataType::Null) };
    let (left, right) = (left.data_type(), right.data_type());
    let rank = |data_type: &DataType| match data_type {
        DataType::Int8 => Some(1),
        DataType::Int16 => Some(2),
        DataType::Int32 => Some(3),
        DataType::Int64 => Some(4),
        DataType::Float32 => Some(5),
        DataType::Float64 => Some(6),
        _ => None,
    };
    match (left, right) {
        (
            DataType::Date32 | DataType::Timestamp(..),
            DataType::Interval(_) | DataType::Duration(_) | DataType::Int32,
        ) => Ok(left.clone()),
        _ => match (rank(left), rank(right)) {
            (Some(first), Some(second)) => Ok(if first >= second { left.clone() } else { right.clone() }),
            _ => Err(DataFusionError::External(Box::new(lakelet_base::Diagnostic::unsupported(format_args!(
                "try arithmetic of {} and {}",
                lakelet_types::simple_string(left),
                lakelet_types::simple_string(right)
            ))))),
        },
    }
}

/// Arithmetic where an overflow or a division by zero is NULL.
fn tried(values: &[ScalarValue], to: &DataType, operator: char) -> Result<ScalarValue> {
    if to.is_floating() {
        let (left, right) = (as_double(values, 0)?, as_double(values, 1)?);
        let result = match operator {
            '+' => left + right,
            '-' => left - right,
            '*' => left * right,
            _ if right == 0.0 => return Ok(ScalarValue::Null),
            _ => left % right,
        };
        return plain(result)?.cast_to(to);
    }
    if !to.is_integer() {
        return super::interval::moved(values, operator == '-').or(Ok(ScalarValue::Null));
    }
    let (left, right) = (integer(values, 0)?, integer(values, 1)?);
    let result = match operator {
        '+' => left.checked_add(right),
        '-' => left.checked_sub(right),
        '*' => left.checked_mul(right),
        _ => left.checked_rem(right),
    };
    let Some(result) = result else { return Ok(ScalarValue::Null) };
    let fits = match to {
        DataType::Int8 => i8::try_from(result).is_ok(),
        DataType::Int16 => i16::try_from(result).is_ok(),
        DataType::Int32 => i32::try_from(result).is_ok(),
        _ => true,
    };
    if fits { ScalarValue::Int64(Some(result)).cast_to(to) } else { Ok(ScalarValue::Null) }
}

fn as_double(values: &[ScalarValue], index: usize) -> Result<f64> {
    match values.get(index) {
        Some(value) => double(&[value.cast_to(&DataType::Float64)?], 0),
        None => Ok(f64::NAN),
    }
}
