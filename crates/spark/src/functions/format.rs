//! Numbers as text: `format_number`, `to_char`.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::{DataFusionError, Result, ScalarValue};
use lakelet_base::Diagnostic;

use super::row::{Arg, Definition, Returns, fail, strict, wrong_type};
use super::value::{double, integer, of_text, text};

pub(super) static FUNCTIONS: &[Definition] = &[
    strict("format_number", &[Arg::Number, Arg::Any], 2, Returns::Text, format_number),
    strict("to_char", &[Arg::Any, Arg::Text], 2, Returns::Text, to_char),
    strict("to_varchar", &[Arg::Any, Arg::Text], 2, Returns::Text, to_char),
];

/// Decimals that `format_number` writes at most.
const DECIMALS_MAX: i64 = 340;

/// Digits of a number before and after the point, and its sign.
struct Digits {
    is_negative: bool,
    whole: String,
    fraction: String,
}

/// A number with so many decimals, half to even.
fn digits(value: &ScalarValue, n_decimals: usize) -> Result<Option<Digits>> {
    let written = match value {
        ScalarValue::Float32(_) | ScalarValue::Float64(_) => {
            let value = double(std::slice::from_ref(value), 0)?;
            if !value.is_finite() {
                return Ok(None);
            }
            format!("{value:.n_decimals$}")
        }
        ScalarValue::Decimal128(Some(value), _, scale) => decimal(*value, i64::from(*scale), n_decimals)?,
        _ => decimal(i128::from(integer(std::slice::from_ref(value), 0)?), 0, n_decimals)?,
    };
    let (unsigned, is_negative) = written.strip_prefix('-').map_or((written.as_str(), false), |rest| (rest, true));
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let is_zero = unsigned.bytes().all(|byte| byte == b'0' || byte == b'.');
    Ok(Some(Digits { is_negative: is_negative && !is_zero, whole: whole.to_owned(), fraction: fraction.to_owned() }))
}

fn decimal(value: i128, scale: i64, n_decimals: usize) -> Result<String> {
    let dropped = scale - n_decimals as i64;
    let mut value = value;
    if dropped > 0 {
        let power = 10_i128.pow(dropped.min(38) as u32);
        let (whole, rest) = (value / power, (value % power).abs());
        let moves = rest * 2 > power || (rest * 2 == power && whole % 2 != 0);
        value = whole + if moves { value.signum() } else { 0 };
    }
    let kept = (scale - dropped.max(0)) as usize;
    let text = lakelet_types::decimal_text(value, i8::try_from(kept).unwrap_or(0));
    let missing = n_decimals.saturating_sub(kept);
    let point = if kept == 0 && missing > 0 { "." } else { "" };
    Ok(format!("{text}{point}{}", "0".repeat(missing)))
}

fn grouped(whole: &str) -> String {
    let mut out = String::new();
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

fn format_number(values: &[ScalarValue], _: &DataType) -> Result<ScalarValue> {
    let [value, decimals] = values else { return Ok(ScalarValue::Null) };
    let n_decimals = match decimals {
        ScalarValue::Utf8(_) => {
            return Err(DataFusionError::External(Box::new(
                Diagnostic::unsupported("format_number with a pattern")
                    .hint("Give the number of decimals: format_number(x, 2)."),
            )));
        }
        other if other.data_type().is_integer() => integer(std::slice::from_ref(other), 0)?,
        other => return Err(wrong_type("format_number", 2, &other.data_type())),
    };
    let Ok(n_decimals) = usize::try_from(n_decimals.min(DECIMALS_MAX)) else { return Ok(ScalarValue::Null) };
    let Some(Digits { is_negative, whole, fraction }) = digits(value, n_decimals)? else {
        return Ok(of_text(match double(std::slice::from_ref(value), 0)? {
            infinite if infinite.is_infinite() => {
                if infinite > 0.0 {
                    "∞"
                } else {
                    "-∞"
                }
            }
            _ => "NaN",
        }));
    };
    let sign = if is_negative { "-" } else { "" };
    let point = if fraction.is_empty() { "" } else { "." };
    Ok(of_text(format!("{sign}{}{point}{fraction}", grouped(&whole))))
}

fn to_char(values: &[ScalarValue], _: &DataType) -> Result<ScalarValue> {
    let [value, _] = values else { return Ok(ScalarValue::Null) };
    let format = text(values, 1)?;
    match value {
        ScalarValue::Date32(Some(days)) => {
            let micros = i64::from(*days) * super::calendar::MICROS_PER_DAY;
            Ok(of_text(super::pattern::Pattern::new(format)?.format(micros)?))
        }
        ScalarValue::TimestampMicrosecond(Some(micros), _) => {
            Ok(of_text(super::pattern::Pattern::new(format)?.format(*micros)?))
        }
        value if value.data_type().is_numeric() => number(value, format),
        other => Err(wrong_type("to_char", 1, &other.data_type())),
    }
}

fn unexpected(format: &str) -> DataFusionError {
    fail(
        "INVALID_FORMAT.UNEXPECTED_TOKEN",
        "42601",
        format!("The format is invalid: '{format}'. It may have 0, 9, '.', ',', '$', S, MI and PR."),
    )
}

/// `9` is a digit or a blank, `0` always a digit.
fn number(value: &ScalarValue, format: &str) -> Result<ScalarValue> {
    let upper = format.to_uppercase();
    let (mut core, mut leading_sign, mut trailing) = (upper.as_str(), None, None);
    for (suffix, kind) in [("PR", 'P'), ("MI", 'M'), ("S", 'S')] {
        if let Some(rest) = core.strip_suffix(suffix) {
            (core, trailing) = (rest, Some(kind));
            break;
        }
    }
    for (prefix, kind) in [("MI", 'M'), ("S", 'S')] {
        if let Some(rest) = core.strip_prefix(prefix) {
            (core, leading_sign) = (rest, Some(kind));
            break;
        }
    }
    let (core, has_dollar) = core.strip_prefix('$').map_or((core, false), |rest| (rest, true));
    let core = core.replace('D', ".").replace('G', ",");
    let (whole_format, fraction_format) = core.split_once('.').unwrap_or((core.as_str(), ""));
    let is_digits = |part: &str| part.chars().all(|letter| matches!(letter, '0' | '9' | ','));
    if core.is_empty() || !is_digits(whole_format) || !is_digits(fraction_format) || fraction_format.contains(',') {
        return Err(unexpected(format));
    }
    let n_places = whole_format.chars().filter(|letter| *letter != ',').count();
    let overflowed = |format: &str| -> String {
        format.chars().map(|letter| if matches!(letter, '0' | '9') { '#' } else { letter }).collect()
    };
    let Some(Digits { is_negative, whole, fraction }) = digits(value, fraction_format.len())? else {
        return Ok(of_text(overflowed(format)));
    };
    let whole = whole.trim_start_matches('0');
    if whole.len() > n_places {
        return Ok(of_text(overflowed(&core)));
    }
    let mut given = std::iter::repeat_n(None, n_places - whole.len()).chain(whole.chars().map(Some));
    let (mut out, mut has_started) = (String::new(), false);
    for letter in whole_format.chars() {
        match (letter, if letter == ',' { None } else { given.next().flatten() }) {
            (',', _) => out.push(if has_started { ',' } else { ' ' }),
            (_, Some(digit)) => {
                has_started = true;
                out.push(digit);
            }
            ('0', None) => {
                has_started = true;
                out.push('0');
            }
            _ => out.push(' '),
        }
    }
    let blanks = out.len() - out.trim_start().len();
    let sign_text = |kind: Option<char>| match (kind, is_negative) {
        (Some('S' | 'M'), true) => "-",
        (Some('S'), false) => "+",
        (Some('M'), false) => " ",
        _ => "",
    };
    let opening = match (trailing, is_negative) {
        (Some('P'), true) => "<",
        (None, true) if leading_sign.is_none() => "-",
        _ => "",
    };
    let closing = match (trailing, is_negative) {
        (Some('P'), true) => ">",
        (Some('P'), false) => "  ",
        (kind, _) => sign_text(kind),
    };
    let dollar = if has_dollar { "$" } else { "" };
    let point = if fraction_format.is_empty() { "" } else { "." };
    Ok(of_text(format!(
        "{}{}{opening}{dollar}{}{point}{fraction}{closing}",
        &out[..blanks],
        sign_text(leading_sign),
        &out[blanks..]
    )))
}
