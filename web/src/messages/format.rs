//! Numbers, sizes, times and filled-in places.

use lakelet_base::Timestamp;

/// `text` with each `{name}` replaced by its value; a place without a value stays as it is.
pub fn fill(text: &str, values: &[(&str, &str)]) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('{') {
        let (before, after) = rest.split_at(start);
        filled.push_str(before);
        let place = after.find('}').map(|end| after.split_at(end + 1));
        let value = place.and_then(|(place, _)| {
            values.iter().find(|(name, _)| place.get(1..place.len() - 1) == Some(name)).map(|(_, value)| value)
        });
        match (place, value) {
            (Some((_, behind)), Some(value)) => {
                filled.push_str(value);
                rest = behind;
            }
            _ => {
                filled.push('{');
                rest = &after[1..];
            }
        }
    }
    filled.push_str(rest);
    filled
}

/// A number with its thousands apart: `1,234,567`.
pub fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A size: `812 bytes`, `4.1 kB`, `9.8 MB`.
pub fn bytes(n: u64) -> String {
    match n {
        0..1_000 => format!("{n} bytes"),
        1_000..1_000_000 => format!("{:.1} kB", n as f64 / 1e3),
        _ => format!("{:.1} MB", n as f64 / 1e6),
    }
}

/// A time span: `12 ms`, `1.2 s`, `2 min 5 s`.
pub fn duration_ms(ms: f64) -> String {
    if ms < 1.0 {
        "< 1 ms".to_owned()
    } else if ms < 1_000.0 {
        format!("{ms:.0} ms")
    } else if ms < 60_000.0 {
        format!("{:.1} s", ms / 1e3)
    } else {
        let seconds = (ms / 1e3) as u64;
        format!("{} min {} s", seconds / 60, seconds % 60)
    }
}

const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// An instant for interface text: `2 Mar 2026 09:00 UTC`, with seconds where they are not zero.
pub fn clock_text(instant: Timestamp) -> String {
    let (year, month, day) = instant.date();
    let (hour, minute, second) = instant.time_of_day();
    let month = MONTHS.get(month as usize - 1).copied().unwrap_or_default();
    let seconds = if second == 0 { String::new() } else { format!(":{second:02}") };
    format!("{day} {month} {year} {hour:02}:{minute:02}{seconds} UTC")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_filled() {
        assert_eq!(fill("{n} of {total}", &[("n", "1"), ("total", "2")]), "1 of 2");
        assert_eq!(fill("{n} {m} {", &[("n", "{m}")]), "{m} {m} {");
        assert_eq!(fill("{{n}} é{n}", &[("n", "3")]), "{3} é3");
    }

    #[test]
    fn numbers_have_their_thousands_apart() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(count), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([5, 4_100, 9_800_000].map(bytes), ["5 bytes", "4.1 kB", "9.8 MB"]);
        assert_eq!([0.2, 12.4, 1_200.0, 125_000.0].map(duration_ms), ["< 1 ms", "12 ms", "1.2 s", "2 min 5 s"]);
    }

    #[test]
    fn instants_read_as_dates() {
        assert_eq!(clock_text(Timestamp::LESSON_START), "2 Mar 2026 09:00 UTC");
        assert_eq!(clock_text(Timestamp::LESSON_START.plus_millis(61_000)), "2 Mar 2026 09:01:01 UTC");
    }
}
