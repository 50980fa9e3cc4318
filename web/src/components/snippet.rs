//! The line of a script that an error points at, with the place marked.

/// A line and the part of it that is meant, in code points.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snippet {
    /// 1-based line.
    pub line: usize,
    /// The line before the place.
    pub before: String,
    /// The place; a blank when it is behind the end.
    pub place: String,
    /// The line behind the place.
    pub after: String,
}

/// The first line of the bytes from `start` to `end`; `None` when they are no range of the text.
pub fn snippet(text: &str, start: usize, end: usize) -> Option<Snippet> {
    text.get(start..end.max(start))?;
    let line_start = text.get(..start)?.rfind('\n').map_or(0, |newline| newline + 1);
    let line_end = text.get(start..)?.find('\n').map_or(text.len(), |newline| start + newline);
    let end = end.clamp(start, line_end);
    let place = text.get(start..end).filter(|place| !place.is_empty()).unwrap_or(" ");
    Some(Snippet {
        line: text.get(..start)?.matches('\n').count() + 1,
        before: text.get(line_start..start)?.to_owned(),
        place: place.to_owned(),
        after: text.get(end..line_end)?.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_around_a_place_is_cut_out() {
        let text = "SELECT 1;\nSELECT warehose FROM products;\n";
        let found = snippet(text, 17, 25).unwrap();
        assert_eq!(found.line, 2);
        assert_eq!(
            (found.before.as_str(), found.place.as_str(), found.after.as_str()),
            ("SELECT ", "warehose", " FROM products;")
        );
    }

    #[test]
    fn places_at_ends_and_over_lines_are_cut_to_the_line() {
        assert_eq!(snippet("a\nb", 0, 3).unwrap().place, "a");
        let end = snippet("abc", 3, 3).unwrap();
        assert_eq!((end.before.as_str(), end.place.as_str()), ("abc", " "));
        assert_eq!(snippet("abc", 4, 5), None);
        assert_eq!(snippet("é", 1, 1), None);
    }
}
