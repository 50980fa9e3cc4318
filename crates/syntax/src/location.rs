//! Places in a statement's text, as sqlparser counts them and as byte offsets.

use lakelet_base::{LineColumn, LineIndex};
use sqlparser::tokenizer::Location;

/// Byte offset in `text` of a place in a syntax tree that was parsed from it. A tree without places (made by a program)
/// has line 0: that is offset 0.
pub fn location_to_offset(text: &str, location: Location) -> usize {
    if location.line == 0 {
        return 0;
    }
    let count = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
    LineIndex::new(text).offset(LineColumn { line: count(location.line), column: count(location.column) })
}

/// Turns rising byte offsets into sqlparser's places, in one walk over the text.
pub(crate) struct LocationCounter<'a> {
    text: &'a str,
    offset: usize,
    location: Location,
}

impl<'a> LocationCounter<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, offset: 0, location: Location::new(1, 1) }
    }

    /// The place of `offset`, which is not smaller than the one before.
    pub(crate) fn at(&mut self, offset: usize) -> Location {
        for c in self.text.get(self.offset..offset).unwrap_or_default().chars() {
            if c == '\n' {
                self.location = Location::new(self.location.line + 1, 1);
            } else {
                self.location.column += 1;
            }
        }
        self.offset = self.offset.max(offset);
        self.location
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_offsets_match_both_ways() {
        let text = "é = 1;\nSELECT ü x";
        let mut counter = LocationCounter::new(text);
        for (offset, _) in text.char_indices() {
            assert_eq!(location_to_offset(text, counter.at(offset)), offset);
        }
        assert_eq!(location_to_offset(text, Location::empty()), 0);
    }
}
