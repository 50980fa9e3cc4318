//! Numbers and the words that start like one.

use super::is_word_part;

/// Suffixes a number may have, upper case. `L`, `S` and `Y` go with whole numbers only.
const SUFFIXES: [&str; 6] = ["L", "S", "Y", "D", "F", "BD"];

/// Length of the number or word at the start of `rest`, and whether it is a number. `rest` starts with a digit, or with
/// a point and a digit. Spark takes the longest reading: `3L` is a number, `3LA` and `2024_q1` are names.
pub(super) fn measure(rest: &str) -> (usize, bool) {
    let bytes = rest.as_bytes();
    let digits = |from: usize| bytes.iter().skip(from).take_while(|byte| byte.is_ascii_digit()).count();
    let mut length = digits(0);
    let mut whole = true;
    if bytes.get(length) == Some(&b'.') && !names_a_field(rest, length + 1) {
        length += 1;
        length += digits(length);
        whole = false;
    }
    if let Some(b'e' | b'E') = bytes.get(length) {
        let sign = usize::from(matches!(bytes.get(length + 1), Some(b'+' | b'-')));
        let exponent = digits(length + 1 + sign);
        if exponent > 0 {
            length += 1 + sign + exponent;
            whole = false;
        }
    }
    let tail = rest.get(length..).unwrap_or_default();
    let tail = tail.get(..tail.find(|c| !is_word_part(c)).unwrap_or(tail.len())).unwrap_or_default();
    let suffix = tail.to_ascii_uppercase();
    let fits = SUFFIXES.contains(&suffix.as_str()) && (whole || !matches!(suffix.as_str(), "L" | "S" | "Y"));
    if tail.is_empty() || fits {
        (length + tail.len(), true)
    } else if rest.get(..length).unwrap_or_default().contains(['.', '+', '-']) {
        // No name holds a point or a sign: the number ends here and a word follows.
        (length, true)
    } else {
        (length + tail.len(), false)
    }
}

/// Whether what follows a point reads as a name, as in `1.field`, and not as a suffix or an exponent.
fn names_a_field(rest: &str, from: usize) -> bool {
    let tail = rest.get(from..).unwrap_or_default();
    if !tail.starts_with(|c: char| c.is_alphabetic() || c == '_') {
        return false;
    }
    let word = tail.get(..tail.find(|c| !is_word_part(c)).unwrap_or(tail.len())).unwrap_or_default();
    let upper = word.to_ascii_uppercase();
    let exponent = upper.strip_prefix('E').is_some_and(|digits| digits.chars().all(|c| c.is_ascii_digit()));
    !exponent && !["D", "F", "BD"].contains(&upper.as_str())
}
