//! Widths of columns and what a type means for how cells look.

use std::ops::Range;

use lakelet_protocol::{CellText, ColumnView};

/// A little more than a character takes: rows further down may be longer than the first ones.
const CHARACTER: f64 = 9.0;
const PADDING: f64 = 26.0;
const WIDTH_MIN: f64 = 84.0;
const WIDTH_MAX: f64 = 380.0;
/// Columns drawn left and right of those in view.
const MARGIN: usize = 2;

/// A width in pixels for each column, from its name, its type and the first rows.
pub fn widths(columns: &[ColumnView], rows: &[Vec<CellText>]) -> Vec<f64> {
    columns
        .iter()
        .enumerate()
        .map(|(index, column)| {
            let head = column.name.chars().count() + short_type(&column.type_name).chars().count() + 1;
            let longest = rows
                .iter()
                .filter_map(|row| row.get(index)?.as_ref())
                .map(|cell| cell.chars().count())
                .max()
                .unwrap_or(0);
            (head.max(longest) as f64 * CHARACTER + PADDING).clamp(WIDTH_MIN, WIDTH_MAX)
        })
        .collect()
}

/// The left edge of each column and, at last, the right edge of the last one.
pub fn edges(widths: &[f64], first: f64) -> Vec<f64> {
    let mut edges = Vec::with_capacity(widths.len() + 1);
    let mut edge = first;
    edges.push(edge);
    for width in widths {
        edge += width;
        edges.push(edge);
    }
    edges
}

/// The columns to draw when `viewport` pixels from `scroll_left` are in view.
pub fn seen(edges: &[f64], scroll_left: f64, viewport: f64) -> Range<usize> {
    let n_columns = edges.len().saturating_sub(1);
    let first = edges.iter().skip(1).take_while(|right| **right < scroll_left).count();
    let last = edges.iter().take_while(|left| **left < scroll_left + viewport).count();
    first.saturating_sub(MARGIN)..(last + MARGIN).min(n_columns)
}

/// Whether values of a type stand at the right.
pub fn is_number(type_name: &str) -> bool {
    let base = type_name.split('(').next().unwrap_or_default();
    matches!(base, "tinyint" | "smallint" | "int" | "bigint" | "float" | "double" | "decimal")
}

/// A type as the header shows it: `INT`, `STR`, `DEC(10,2)`.
pub fn short_type(type_name: &str) -> String {
    let base_end = type_name.find(['(', '<', ' ']).unwrap_or(type_name.len());
    let (base, rest) = type_name.split_at(base_end);
    match base {
        "string" => "STR".to_owned(),
        "boolean" => "BOOL".to_owned(),
        "timestamp" => "TS".to_owned(),
        "timestamp_ntz" => "TS_NTZ".to_owned(),
        "decimal" => format!("DEC{rest}"),
        "array" => "ARR".to_owned(),
        "map" => "MAP".to_owned(),
        "struct" => "STRUCT".to_owned(),
        other => other.to_uppercase(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(name: &str, type_name: &str) -> ColumnView {
        ColumnView { name: name.into(), type_name: type_name.into(), nullable: true, default: None, comment: None }
    }

    #[test]
    fn widths_follow_content_within_bounds() {
        let columns = [column("n", "bigint"), column("text", "string")];
        let rows = [vec![Some("1".to_owned()), Some("x".repeat(500))], vec![None, None]];
        let widths = widths(&columns, &rows);
        assert_eq!(widths, [(8.0 * CHARACTER + PADDING), WIDTH_MAX]);
    }

    #[test]
    fn only_columns_in_view_are_drawn() {
        let edges = edges(&[100.0; 50], 40.0);
        assert_eq!(edges.len(), 51);
        assert_eq!(seen(&edges, 0.0, 300.0), 0..5);
        assert_eq!(seen(&edges, 2_040.0, 300.0), 17..25);
        assert_eq!(seen(&edges, 99_999.0, 300.0).end, 50);
        assert_eq!(seen(&[40.0], 0.0, 300.0), 0..0);
    }

    #[test]
    fn types_have_short_forms() {
        for (long, short) in [
            ("int", "INT"),
            ("string", "STR"),
            ("decimal(10,2)", "DEC(10,2)"),
            ("array<int>", "ARR"),
            ("timestamp", "TS"),
            ("interval day to second", "INTERVAL"),
        ] {
            assert_eq!(short_type(long), short);
        }
        assert!(is_number("decimal(5,2)") && is_number("bigint") && !is_number("string"));
    }
}
