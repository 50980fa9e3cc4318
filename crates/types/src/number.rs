//! Text of numbers as Java prints them.

/// Java's `Double.toString`: `1.0`, `1.0E10`, `1.0E-5`, `NaN`, `-Infinity`; the shortest digits that read back.
pub fn double_text(value: f64) -> String {
    java_text(value, &format!("{value:e}"))
}

/// Java's `Float.toString`, the shortest digits that read back as the same 32-bit float.
pub fn float_text(value: f32) -> String {
    java_text(f64::from(value), &format!("{value:e}"))
}

/// `scientific` is Rust's `{:e}`: `d.ddde-5`, shortest. Java writes plainly from 10^-3 to below 10^7.
fn java_text(value: f64, scientific: &str) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "Infinity" } else { "-Infinity" }.to_owned();
    }
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    let (sign, mantissa) = mantissa.strip_prefix('-').map_or(("", mantissa), |rest| ("-", rest));
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    if value == 0.0 {
        return format!("{sign}0.0");
    }
    let (whole, fraction) = match exponent {
        -3..=-1 => ("0".to_owned(), "0".repeat(exponent.unsigned_abs() as usize - 1) + &digits),
        0..=6 => {
            let n_whole = exponent.unsigned_abs() as usize + 1;
            let padded = format!("{digits:0<n_whole$}");
            let (whole, fraction) = padded.split_at(n_whole);
            (whole.to_owned(), fraction.to_owned())
        }
        _ => {
            let (first, rest) = digits.split_at(1);
            return format!("{sign}{first}.{}E{exponent}", if rest.is_empty() { "0" } else { rest });
        }
    };
    format!("{sign}{whole}.{}", if fraction.is_empty() { "0" } else { &fraction })
}

/// A decimal with all its scale, never with an exponent: `1.50`. A negative scale appends zeros.
pub fn decimal_text(unscaled: i128, scale: i8) -> String {
    let sign = if unscaled < 0 { "-" } else { "" };
    let digits = unscaled.unsigned_abs().to_string();
    if scale <= 0 {
        let zeros = if unscaled == 0 { 0 } else { usize::from(scale.unsigned_abs()) };
        return format!("{sign}{digits}{}", "0".repeat(zeros));
    }
    let n_fraction = usize::from(scale.unsigned_abs());
    let width = n_fraction + 1;
    let padded = format!("{digits:0>width$}");
    let (whole, fraction) = padded.split_at(padded.len() - n_fraction);
    format!("{sign}{whole}.{fraction}")
}
