//! Places in a text: bytes where the engine counts, UTF-16 code units where editors do.

/// The UTF-16 code units before a byte; a byte within a character counts as its start, one past the end as the end.
pub fn utf16_at(text: &str, byte: usize) -> usize {
    text.char_indices().take_while(|(start, c)| start + c.len_utf8() <= byte).map(|(_, c)| c.len_utf16()).sum()
}

/// The byte at which so many UTF-16 code units have passed, at most the end.
pub fn byte_at(text: &str, utf16: usize) -> usize {
    let mut units = 0;
    for (start, character) in text.char_indices() {
        if units >= utf16 {
            return start;
        }
        units += character.len_utf16();
    }
    text.len()
}

/// `text` with the bytes from `start` to `end` replaced; `None` when they are no range of it.
pub fn replaced(text: &str, start: usize, end: usize, replacement: &str) -> Option<String> {
    text.get(start..end)?;
    Some(format!("{}{replacement}{}", text.get(..start)?, text.get(end..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_translate_both_ways() {
        let text = "aé😀b";
        for (byte, utf16) in [(0, 0), (1, 1), (3, 2), (7, 4), (8, 5)] {
            assert_eq!(utf16_at(text, byte), utf16);
            assert_eq!(byte_at(text, utf16), byte);
        }
        assert_eq!(utf16_at(text, 5), 2);
        assert_eq!(utf16_at(text, 99), 5);
        assert_eq!(byte_at(text, 99), 8);
    }

    #[test]
    fn ranges_are_replaced() {
        assert_eq!(replaced("SELECT warehose", 7, 15, "warehouse").as_deref(), Some("SELECT warehouse"));
        assert_eq!(replaced("é", 1, 2, ""), None);
        assert_eq!(replaced("a", 0, 9, ""), None);
    }
}
