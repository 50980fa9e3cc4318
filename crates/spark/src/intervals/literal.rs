//! Interval literals, and reading intervals from text.

use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, FieldRef};
use datafusion::common::{DataFusionError, Result, ScalarValue, exec_err};
use datafusion::logical_expr::{
    ColumnarValue, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};
use lakelet_base::{Diagnostic, ErrorClass};
use lakelet_types::{IntervalUnit, IntervalUnits};

use super::{field_of, interval_overflow, joint_units};

const MICROS_PER_SECOND: i128 = 1_000_000;

/// The function that stands for `INTERVAL 'text' units`; without units they stand in the text.
pub(crate) fn function() -> Arc<ScalarUDF> {
    Arc::new(ScalarUDF::from(Literal { signature: Signature::any(2, Volatility::Immutable) }))
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Literal {
    signature: Signature,
}

impl ScalarUDFImpl for Literal {
    fn name(&self) -> &str {
        "spark_interval"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arg_types: &[DataType]) -> Result<DataType> {
        exec_err!("the type of an interval follows from its text")
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs<'_>) -> Result<FieldRef> {
        let [Some(ScalarValue::Utf8(Some(text))), Some(ScalarValue::Utf8(Some(units)))] = args.scalar_arguments else {
            return exec_err!("an interval literal is constant");
        };
        Ok(field_of("", read(text, units)?.0))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let [
            ColumnarValue::Scalar(ScalarValue::Utf8(Some(text))),
            ColumnarValue::Scalar(ScalarValue::Utf8(Some(units))),
        ] = args.args.as_slice()
        else {
            return exec_err!("an interval literal is constant");
        };
        let (units, amount) = read(text, units)?;
        Ok(ColumnarValue::Scalar(if units.is_year_month() {
            ScalarValue::IntervalYearMonth(Some(i32::try_from(amount).map_err(|_| interval_overflow())?))
        } else {
            ScalarValue::DurationMicrosecond(Some(amount))
        }))
    }
}

fn malformed(text: &str) -> DataFusionError {
    DataFusionError::External(Box::new(
        Diagnostic::new(
            ErrorClass::new("INVALID_INTERVAL_FORMAT.INPUT_IS_INVALID", "22006"),
            format!("Error parsing '{text}' to interval. Please ensure that the value provided is in a valid format."),
        )
        .hint("Write INTERVAL '3' DAY, INTERVAL '1 02:03:04' DAY TO SECOND or INTERVAL '1-2' YEAR TO MONTH."),
    ))
}

/// The units of a literal, and its months or microseconds.
fn read(text: &str, units: &str) -> Result<(IntervalUnits, i64)> {
    let parsed = match units {
        "" => several(text),
        single if !single.contains(' ') => several(&format!("{text} {single}")),
        range => IntervalUnits::parse(range).and_then(|units| {
            let amount = if units.is_year_month() {
                year_month_of(text, units).map(i64::from)
            } else {
                day_time_of(text, units)
            };
            Some((units, amount?))
        }),
    };
    parsed.ok_or_else(|| malformed(text))
}

/// A unit's name: what it belongs to, and how many months or microseconds it has.
fn unit(name: &str) -> Option<(IntervalUnit, i128)> {
    let name = name.to_lowercase();
    Some(match name.strip_suffix('s').unwrap_or(&name) {
        "year" => (IntervalUnit::Year, 12),
        "month" => (IntervalUnit::Month, 1),
        "week" => (IntervalUnit::Day, 7 * 86_400 * MICROS_PER_SECOND),
        "day" => (IntervalUnit::Day, 86_400 * MICROS_PER_SECOND),
        "hour" => (IntervalUnit::Hour, 3_600 * MICROS_PER_SECOND),
        "minute" => (IntervalUnit::Minute, 60 * MICROS_PER_SECOND),
        "second" => (IntervalUnit::Second, MICROS_PER_SECOND),
        "millisecond" => (IntervalUnit::Second, 1_000),
        "microsecond" => (IntervalUnit::Second, 1),
        _ => return None,
    })
}

/// `1 day 2 hours`: amounts and units in turn.
fn several(text: &str) -> Option<(IntervalUnits, i64)> {
    let mut words: Vec<&str> = text.split_ascii_whitespace().collect();
    if words.first().is_some_and(|word| word.eq_ignore_ascii_case("interval")) {
        words.remove(0);
    }
    if words.is_empty() || !words.len().is_multiple_of(2) {
        return None;
    }
    let mut units: Option<IntervalUnits> = None;
    let mut total: i128 = 0;
    for pair in words.chunks(2) {
        let [amount, name] = pair else { return None };
        let (unit, size) = unit(name)?;
        let amount =
            if unit == IntervalUnit::Second { fraction(amount, size)? } else { whole(amount)?.checked_mul(size)? };
        total = total.checked_add(amount)?;
        let one = IntervalUnits { start: unit, end: unit };
        units = Some(match units {
            None => one,
            Some(units) if units.is_year_month() == one.is_year_month() => joint_units(units, one),
            Some(_) => return None,
        });
    }
    Some((units?, i64::try_from(total).ok()?))
}

fn whole(text: &str) -> Option<i128> {
    let (is_negative, digits) = sign(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let value: i128 = digits.parse().ok()?;
    Some(if is_negative { -value } else { value })
}

/// `1.5` of a unit of `size` microseconds, cut to microseconds.
fn fraction(text: &str, size: i128) -> Option<i128> {
    let (is_negative, digits) = sign(text);
    let (seconds, rest) = digits.split_once('.').unwrap_or((digits, ""));
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if (seconds.is_empty() && rest.is_empty()) || !all_digits(seconds) || !all_digits(rest) || rest.len() > 9 {
        return None;
    }
    let seconds: i128 = if seconds.is_empty() { 0 } else { seconds.parse().ok()? };
    let nanos: i128 = format!("{rest:0<9}").parse().ok()?;
    let total = seconds.checked_mul(size)?.checked_add(nanos.checked_mul(size)? / 1_000_000_000)?;
    Some(if is_negative { -total } else { total })
}

fn sign(text: &str) -> (bool, &str) {
    match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    }
}

/// The text without `INTERVAL '` and `' UNITS` around it, if it has them.
fn inside(text: &str, units: IntervalUnits) -> Option<(bool, &str)> {
    let text = text.trim();
    let (outer, text) = match text.get(..8) {
        Some(word) if word.eq_ignore_ascii_case("interval") => {
            let rest = text.get(8..)?.trim_start();
            let (is_negative, rest) = sign(rest);
            let rest = rest.trim_start().strip_prefix('\'')?;
            let (value, name) = rest.split_once('\'')?;
            if !name.trim().eq_ignore_ascii_case(&units.name()) {
                return None;
            }
            (is_negative, value.trim())
        }
        _ => (false, text),
    };
    let (inner, text) = sign(text);
    Some((outer != inner, text))
}

/// Months of `2`, `1-2` or `INTERVAL '1-2' YEAR TO MONTH`.
pub(crate) fn year_month_of(text: &str, units: IntervalUnits) -> Option<i32> {
    let (is_negative, text) = inside(text, units)?;
    let digits = |text: &str| -> Option<i64> {
        (!text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok())?
    };
    let months = match (units.start, units.end) {
        (IntervalUnit::Year, IntervalUnit::Year) => digits(text)?.checked_mul(12)?,
        (IntervalUnit::Month, _) => digits(text)?,
        _ => {
            let (years, months) = text.split_once('-')?;
            let months = digits(months).filter(|months| *months < 12)?;
            digits(years)?.checked_mul(12)?.checked_add(months)?
        }
    };
    i32::try_from(if is_negative { -months } else { months }).ok()
}

/// Microseconds of `1 02:03:04.5` and its parts.
pub(crate) fn day_time_of(text: &str, units: IntervalUnits) -> Option<i64> {
    let (is_negative, text) = inside(text, units)?;
    let (mut days, mut clock) = ("", text);
    if units.start == IntervalUnit::Day {
        match text.split_once(' ') {
            Some((before, after)) if units.end != IntervalUnit::Day => (days, clock) = (before, after),
            _ => (days, clock) = (text, ""),
        }
    }
    let mut total: i128 = 0;
    if units.start == IntervalUnit::Day {
        total = whole(days)?.checked_mul(86_400 * MICROS_PER_SECOND)?;
        if clock.is_empty() != (units.end == IntervalUnit::Day) {
            return None;
        }
    }
    let all = [IntervalUnit::Hour, IntervalUnit::Minute, IntervalUnit::Second];
    let wanted: Vec<IntervalUnit> = all.into_iter().filter(|unit| *unit >= units.start && *unit <= units.end).collect();
    let parts: Vec<&str> = if clock.is_empty() { Vec::new() } else { clock.split(':').collect() };
    if parts.len() != wanted.len() {
        return None;
    }
    for (index, (unit, part)) in wanted.into_iter().zip(parts).enumerate() {
        let is_first = index == 0 && units.start != IntervalUnit::Day;
        let (size, limit) = match unit {
            IntervalUnit::Hour => (3_600 * MICROS_PER_SECOND, 24),
            IntervalUnit::Minute => (60 * MICROS_PER_SECOND, 60),
            _ => (MICROS_PER_SECOND, 60),
        };
        let amount =
            if unit == IntervalUnit::Second { fraction(part, size)? } else { whole(part)?.checked_mul(size)? };
        if amount < 0 || (!is_first && amount >= size * limit) {
            return None;
        }
        total = total.checked_add(amount)?;
    }
    i64::try_from(if is_negative { -total } else { total }).ok()
}
