//! Where a key moves the focus in a grid.

/// A cell: row 0 is the header, column 0 the first data column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Place {
    /// Row, the header being 0.
    pub row: u64,
    /// Column.
    pub column: usize,
}

/// A pressed key.
#[derive(Debug, Clone, Copy)]
pub struct Pressed<'a> {
    /// Its name as the browser has it.
    pub key: &'a str,
    /// Ctrl or Cmd is down.
    pub control: bool,
}

/// The cell a key leads to; `None` for keys that do not move. `last_row` counts data rows, the header not included.
pub fn moved(place: Place, pressed: Pressed, last_row: u64, n_columns: usize, rows_per_page: u64) -> Option<Place> {
    let last_column = n_columns.saturating_sub(1);
    let Place { row, column } = place;
    let to = |row: u64, column: usize| Some(Place { row: row.min(last_row), column: column.min(last_column) });
    match (pressed.key, pressed.control) {
        ("ArrowDown", false) => to(row + 1, column),
        ("ArrowUp", false) => to(row.saturating_sub(1), column),
        ("ArrowRight", false) => to(row, column + 1),
        ("ArrowLeft", false) => to(row, column.saturating_sub(1)),
        ("Home", false) => to(row, 0),
        ("End", false) => to(row, last_column),
        ("Home", true) => to(u64::from(last_row > 0), 0),
        ("End", true) => to(last_row, last_column),
        ("PageDown", _) => to(row + rows_per_page, column),
        ("PageUp", _) => to(row.saturating_sub(rows_per_page).max(u64::from(row > 0)), column),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(from: (u64, usize), key: &str, control: bool, to: (u64, usize)) {
        let place = Place { row: from.0, column: from.1 };
        let moved = moved(place, Pressed { key, control }, 100_000, 5, 10);
        assert_eq!(moved, Some(Place { row: to.0, column: to.1 }), "{key}");
    }

    #[test]
    fn keys_move_within_the_grid() {
        check((1, 1), "ArrowDown", false, (2, 1));
        check((1, 1), "ArrowUp", false, (0, 1));
        check((0, 1), "ArrowUp", false, (0, 1));
        check((1, 4), "ArrowRight", false, (1, 4));
        check((1, 0), "ArrowLeft", false, (1, 0));
        check((7, 2), "Home", false, (7, 0));
        check((7, 2), "End", false, (7, 4));
        check((7, 2), "Home", true, (1, 0));
        check((7, 2), "End", true, (100_000, 4));
        check((7, 2), "PageDown", false, (17, 2));
        check((7, 2), "PageUp", false, (1, 2));
        check((99_999, 2), "PageDown", false, (100_000, 2));
    }

    #[test]
    fn other_keys_and_empty_grids_do_not_move() {
        assert_eq!(moved(Place::default(), Pressed { key: "x", control: false }, 5, 5, 10), None);
        let empty = moved(Place::default(), Pressed { key: "End", control: true }, 0, 0, 10);
        assert_eq!(empty, Some(Place::default()));
    }
}
