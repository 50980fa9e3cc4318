//! Places in text.

/// A half-open range of byte offsets into one text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span {
    /// Byte offset of the first character.
    pub start: usize,
    /// Byte offset just past the last character.
    pub end: usize,
}

impl Span {
    /// The range from `start` to `end`.
    pub fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// This range moved right by `offset` bytes, for a text that stands inside a larger one.
    #[must_use]
    pub fn shifted(self, offset: usize) -> Self {
        Self::new(self.start + offset, self.end + offset)
    }
}

/// A place as people count it: both are 1-based, the column in Unicode code points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LineColumn {
    /// 1-based line.
    pub line: u32,
    /// 1-based column in Unicode code points.
    pub column: u32,
}

/// Converts between byte offsets and [`LineColumn`] of one text.
#[derive(Debug, Clone)]
pub struct LineIndex<'a> {
    text: &'a str,
    line_starts: Vec<usize>,
}

impl<'a> LineIndex<'a> {
    /// Indexes `text`; lines end at `\n`.
    pub fn new(text: &'a str) -> Self {
        let line_starts = std::iter::once(0).chain(text.match_indices('\n').map(|(index, _)| index + 1)).collect();
        Self { text, line_starts }
    }

    /// The place of a byte offset; offsets past the end mean the end, offsets inside a character its start.
    pub fn line_column(&self, offset: usize) -> LineColumn {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.line_starts.partition_point(|start| *start <= offset) - 1;
        let column = self.text[self.line_starts[line]..offset].chars().count();
        LineColumn { line: count(line) + 1, column: count(column) + 1 }
    }

    /// The byte offset of a place; a place outside the text means the nearest one inside.
    pub fn offset(&self, place: LineColumn) -> usize {
        let line = (place.line.max(1) as usize - 1).min(self.line_starts.len() - 1);
        let start = self.line_starts[line];
        let end = self.line_starts.get(line + 1).map_or(self.text.len(), |next| next - 1);
        self.text[start..end]
            .char_indices()
            .nth(place.column.max(1) as usize - 1)
            .map_or(end, |(index, _)| start + index)
    }
}

fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_not_bytes() {
        let index = LineIndex::new("é = 1;\nSELECT ü x");
        assert_eq!(index.line_column(3), LineColumn { line: 1, column: 3 });
        let x = "é = 1;\nSELECT ü x".len() - 1;
        assert_eq!(index.line_column(x), LineColumn { line: 2, column: 10 });
        assert_eq!(index.offset(LineColumn { line: 2, column: 10 }), x);
    }

    #[test]
    fn places_outside_the_text_are_clamped() {
        let index = LineIndex::new("a\n");
        assert_eq!(index.line_column(99), LineColumn { line: 2, column: 1 });
        assert_eq!(index.offset(LineColumn { line: 9, column: 9 }), 2);
        assert_eq!(LineIndex::new("").line_column(0), LineColumn { line: 1, column: 1 });
    }
}
