//! The inside of strings and of names in back-ticks.

/// Reads a string from its quote on: its value and its length, quotes included. `None` if it never ends.
/// A doubled quote stands for itself, a backslash escapes.
pub(super) fn read(rest: &str) -> Option<(String, usize)> {
    let quote = rest.chars().next()?;
    let mut chars = rest.char_indices().skip(1).peekable();
    let mut content = String::new();
    while let Some((index, c)) = chars.next() {
        if c == '\\' {
            content.push(c);
            content.push(chars.next()?.1);
        } else if c != quote {
            content.push(c);
        } else if chars.next_if(|(_, next)| *next == quote).is_some() {
            // Escaped, so that `unescape` takes it as it is.
            content.push('\\');
            content.push(quote);
        } else {
            return Some((unescape(&content), index + quote.len_utf8()));
        }
    }
    None
}

/// Reads a string in which nothing is escaped, from its quote on.
pub(super) fn read_raw(rest: &str) -> Option<(String, usize)> {
    let quote = rest.chars().next()?;
    let inside = rest.get(quote.len_utf8()..)?;
    let end = inside.find(quote)?;
    Some((inside.get(..end)?.to_owned(), end + 2 * quote.len_utf8()))
}

/// Reads a name in back-ticks, from the first one on; a doubled back-tick stands for itself.
pub(super) fn read_back_ticks(rest: &str) -> Option<(String, usize)> {
    let mut chars = rest.char_indices().skip(1).peekable();
    let mut name = String::new();
    while let Some((index, c)) = chars.next() {
        if c != '`' || chars.next_if(|(_, next)| *next == '`').is_some() {
            name.push(c);
        } else {
            return Some((name, index + 1));
        }
    }
    None
}

/// Resolves backslashes as Spark does. `\%` and `\_` keep theirs for LIKE; an unknown escape is the character itself.
fn unescape(content: &str) -> String {
    if !content.contains('\\') {
        return content.to_owned();
    }
    // UTF-16, because two `\u` escapes may be the halves of one character.
    let mut units: Vec<u16> = Vec::with_capacity(content.len());
    let mut rest = content;
    while let Some(c) = rest.chars().next() {
        rest = rest.get(c.len_utf8()..).unwrap_or_default();
        if c != '\\' {
            push(&mut units, c);
        } else if let Some(unit) = rest.strip_prefix('u').and_then(|tail| hex(tail, 4)) {
            units.push(u16::try_from(unit).unwrap_or(0xFFFD));
            rest = rest.get(5..).unwrap_or_default();
        } else if let Some(code) = rest.strip_prefix('U').and_then(|tail| hex(tail, 8)) {
            push(&mut units, char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            rest = rest.get(9..).unwrap_or_default();
        } else if let Some(code) = octal(rest) {
            push(&mut units, char::from(code));
            rest = rest.get(3..).unwrap_or_default();
        } else if let Some(escaped) = rest.chars().next() {
            rest = rest.get(escaped.len_utf8()..).unwrap_or_default();
            if matches!(escaped, '%' | '_') {
                push(&mut units, '\\');
            }
            push(
                &mut units,
                match escaped {
                    '0' => '\0',
                    'b' => '\u{8}',
                    'n' => '\n',
                    'r' => '\r',
                    't' => '\t',
                    'Z' => '\u{1A}',
                    other => other,
                },
            );
        }
    }
    String::from_utf16_lossy(&units)
}

fn push(units: &mut Vec<u16>, c: char) {
    units.extend_from_slice(c.encode_utf16(&mut [0; 2]));
}

/// The value of the first `count` characters, if all are hexadecimal digits.
fn hex(text: &str, count: usize) -> Option<u32> {
    let digits = text.get(..count)?;
    digits.chars().all(|c| c.is_ascii_hexdigit()).then(|| u32::from_str_radix(digits, 16).ok())?
}

/// The value of three octal digits up to 177.
fn octal(text: &str) -> Option<u8> {
    let digits = text.get(..3)?;
    let fits = digits.starts_with(['0', '1']) && digits.chars().all(|c| c.is_digit(8));
    fits.then(|| u8::from_str_radix(digits, 8).ok())?
}
