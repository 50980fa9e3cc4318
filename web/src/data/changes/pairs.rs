//! The rows of a change feed as a reader thinks of them: one line for each change.

use lakelet_protocol::{CellText, ChangeRow};

/// A cell of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LineCell {
    /// Equal before and after, or the only value there is.
    Same(CellText),
    /// Changed from the first to the second.
    Changed(CellText, CellText),
}

/// What a line tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineKind {
    /// A row was inserted.
    Insert,
    /// A row was updated.
    Update,
    /// A row was updated to what it was.
    NoChange,
    /// A row was deleted.
    Delete,
    /// A row of the feed as it is.
    Raw,
}

/// One change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Version that made it.
    pub version: u64,
    /// What it tells.
    pub kind: LineKind,
    /// `insert`, `update_preimage` …; for a pair that of its second row.
    pub change_type: String,
    /// In column order.
    pub cells: Vec<LineCell>,
}

/// Joins each pre-image to its post-image.
pub fn pairs(rows: &[ChangeRow]) -> Vec<Line> {
    rows.iter()
        .enumerate()
        .filter_map(|(index, row)| {
            let kind = match row.change_type.as_str() {
                "insert" => LineKind::Insert,
                "delete" => LineKind::Delete,
                "update_preimage" => {
                    // Shown with its post-image, if that is among the rows.
                    let paired = rows.iter().any(|other| other.preimage.is_some_and(|pre| pre as usize == index));
                    if paired {
                        return None;
                    }
                    LineKind::Raw
                }
                _ => LineKind::Update,
            };
            let before = row.preimage.and_then(|pre| rows.get(pre as usize)).map(|pre| &pre.cells);
            let cells: Vec<LineCell> =
                row.cells.iter().enumerate().map(|(column, cell)| cell_of(before, column, cell)).collect();
            let changed = cells.iter().any(|cell| matches!(cell, LineCell::Changed(..)));
            let kind = if kind == LineKind::Update && before.is_some() && !changed { LineKind::NoChange } else { kind };
            Some(Line { version: row.version, kind, change_type: row.change_type.clone(), cells })
        })
        .collect()
}

fn cell_of(before: Option<&Vec<CellText>>, column: usize, cell: &CellText) -> LineCell {
    match before.and_then(|before| before.get(column)) {
        Some(old) if old != cell => LineCell::Changed(old.clone(), cell.clone()),
        _ => LineCell::Same(cell.clone()),
    }
}

/// The rows as they are, with or without pre-images.
pub fn raw(rows: &[ChangeRow], hide_preimages: bool) -> Vec<Line> {
    rows.iter()
        .filter(|row| !(hide_preimages && row.change_type == "update_preimage"))
        .map(|row| Line {
            version: row.version,
            kind: LineKind::Raw,
            change_type: row.change_type.clone(),
            cells: row.cells.iter().cloned().map(LineCell::Same).collect(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(change_type: &str, version: u64, cells: &[&str], preimage: Option<u32>) -> ChangeRow {
        ChangeRow {
            change_type: change_type.into(),
            version,
            cells: cells.iter().map(|cell| Some((*cell).to_owned())).collect(),
            preimage,
        }
    }

    fn feed() -> Vec<ChangeRow> {
        vec![
            row("insert", 1, &["1", "Seattle"], None),
            row("update_preimage", 3, &["1", "Seattle"], None),
            row("update_postimage", 3, &["1", "Los Angeles"], Some(1)),
            row("update_preimage", 4, &["1", "Los Angeles"], None),
            row("update_postimage", 4, &["1", "Los Angeles"], Some(3)),
            row("delete", 5, &["1", "Los Angeles"], None),
        ]
    }

    #[test]
    fn an_update_is_one_line_with_old_and_new() {
        let lines = pairs(&feed());
        let kinds: Vec<LineKind> = lines.iter().map(|line| line.kind).collect();
        assert_eq!(kinds, [LineKind::Insert, LineKind::Update, LineKind::NoChange, LineKind::Delete]);
        assert_eq!(
            lines[1].cells,
            [LineCell::Same(Some("1".into())), LineCell::Changed(Some("Seattle".into()), Some("Los Angeles".into()))]
        );
    }

    #[test]
    fn raw_rows_can_leave_preimages_out() {
        assert_eq!(raw(&feed(), false).len(), 6);
        assert_eq!(raw(&feed(), true).len(), 4);
    }

    #[test]
    fn a_preimage_without_its_partner_is_not_lost() {
        let cut =
            vec![row("update_preimage", 3, &["1", "Seattle"], None), row("update_postimage", 4, &["2", "x"], Some(9))];
        let lines = pairs(&cut);
        assert_eq!(lines.iter().map(|line| line.kind).collect::<Vec<_>>(), [LineKind::Raw, LineKind::Update]);
    }
}
