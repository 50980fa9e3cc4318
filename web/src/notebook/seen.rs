//! What a reader saw of notebooks' runs: it stays until it is run again or cleared, also when the page is left or the
//! engine that ran it is gone.

use std::collections::BTreeMap;

use lakelet_protocol::{CellKind, CellOutput, WireError};
use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use crate::notebook::editor::Cell;
use crate::state::draft;

const DRAFT: &str = "outputs";
/// Browsers keep a few megabytes of such texts for a page; editors' texts must find room beside these.
const KEPT_BYTES_MAX: usize = 500_000;

/// What was seen of one notebook.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SeenNotebook {
    cells: Vec<SeenCell>,
    failure: Option<WireError>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct SeenCell {
    kind: CellKind,
    /// The source when it was seen: the cell is known again by it.
    source: String,
    source_run: Option<String>,
    output: Option<CellOutput>,
    executed: Option<u32>,
}

impl SeenNotebook {
    /// What cells show now, and how their last run failed.
    pub fn of(cells: &[Cell], failure: Option<WireError>) -> Self {
        let cells = cells.iter().filter(|cell| cell.has_run()).map(|cell| SeenCell {
            kind: cell.cell.kind,
            source: cell.cell.source.clone(),
            source_run: cell.source_run.clone(),
            output: cell.output.clone(),
            executed: cell.executed,
        });
        Self { cells: cells.collect(), failure }
    }

    /// Shows it in those of the cells that are as they were and of which nothing newer is known. Gives how the last run
    /// failed; that is over when any cell has run since.
    pub fn show_in(self, cells: &mut [Cell]) -> Option<WireError> {
        let failure = self.failure.filter(|_| {
            let is_known = |cell: &Cell| self.cells.iter().any(|seen| seen.executed == cell.executed);
            cells.iter().filter(|cell| cell.has_run()).all(is_known)
        });
        let mut left = self.cells;
        for cell in cells {
            let same = |seen: &SeenCell| seen.kind == cell.cell.kind && seen.source.trim() == cell.cell.source.trim();
            let Some(place) = left.iter().position(same) else { continue };
            let seen = left.remove(place);
            if !cell.has_run() {
                (cell.output, cell.executed, cell.source_run) = (seen.output, seen.executed, seen.source_run);
            }
        }
        failure
    }
}

/// What was seen of all notebooks. Survives a reload as far as there is room.
#[derive(Clone, Copy)]
pub struct Seen(StoredValue<BTreeMap<String, SeenNotebook>>);

impl Seen {
    /// What this browser kept.
    pub fn restore() -> Self {
        Self(StoredValue::new(draft::load(DRAFT)))
    }

    /// What was seen of a notebook, by its path.
    pub fn of(self, path: &str) -> Option<SeenNotebook> {
        self.0.with_value(|seen| seen.get(path).cloned())
    }

    /// Keeps what is seen of a notebook.
    pub fn keep(self, path: String, notebook: SeenNotebook) {
        self.0.update_value(|seen| {
            seen.insert(path.clone(), notebook);
        });
        self.save(&path);
    }

    /// A run of a notebook that nobody looks at ended badly.
    pub fn ended(self, path: &str, failure: WireError) {
        self.0.update_value(|seen| seen.entry(path.to_owned()).or_default().failure = Some(failure));
        self.save(path);
    }

    /// Forgets everything: the workspace was emptied.
    pub fn forget(self) {
        self.0.set_value(BTreeMap::new());
        draft::save(DRAFT, &BTreeMap::<String, SeenNotebook>::new());
    }

    /// What is too much for the browser lasts as long as the page: the notebook touched last is kept first.
    fn save(self, newest: &str) {
        self.0.with_value(|seen| draft::save(DRAFT, &fitting(seen, newest, KEPT_BYTES_MAX)));
    }
}

/// Those of the notebooks that have room together, `newest` before all others.
fn fitting<'a>(
    seen: &'a BTreeMap<String, SeenNotebook>,
    newest: &str,
    bytes_max: usize,
) -> BTreeMap<&'a str, &'a SeenNotebook> {
    let size = |notebook: &SeenNotebook| serde_json::to_string(notebook).map_or(usize::MAX, |text| text.len());
    let mut in_order: Vec<(&str, &SeenNotebook)> =
        seen.iter().map(|(path, notebook)| (path.as_str(), notebook)).collect();
    in_order.sort_by_key(|(path, _)| *path != newest);
    let mut left = bytes_max;
    in_order
        .into_iter()
        .filter(|(_, notebook)| match left.checked_sub(size(notebook)) {
            Some(rest) => {
                left = rest;
                true
            }
            None => false,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use lakelet_protocol::OutputItem;

    use super::*;
    use crate::notebook::source::SourceCell;

    fn cell(id: u32, source: &str, printed: Option<&str>) -> Cell {
        let output = printed.map(|text| CellOutput {
            cell: id,
            items: vec![OutputItem::Text { text: text.to_owned() }],
            ..CellOutput::default()
        });
        Cell {
            id,
            cell: SourceCell { kind: CellKind::Python, title: None, source: source.to_owned() },
            executed: printed.map(|_| id),
            source_run: printed.map(|_| source.to_owned()),
            output,
        }
    }

    fn error() -> WireError {
        WireError {
            condition: "OPERATION_CANCELED".to_owned(),
            sqlstate: "HY008".to_owned(),
            message: "Stopped.".to_owned(),
            hint: None,
            line: None,
            column: None,
            start: None,
            end: None,
            suggestions: Vec::new(),
        }
    }

    #[test]
    fn what_was_seen_is_shown_where_the_engine_knows_nothing() {
        let before = [cell(1, "a", Some("A")), cell(2, "b", Some("B")), cell(3, "c", None)];
        let seen = SeenNotebook::of(&before, Some(error()));
        // Another worker: nothing has run there, and a cell has been put in before the others.
        let mut after = [cell(7, "new", None), cell(8, "a", None), cell(9, "b", None), cell(10, "c", None)];
        assert_eq!(seen.clone().show_in(&mut after), Some(error()));
        let printed = |cells: &[Cell]| cells.iter().map(|cell| cell.output.is_some()).collect::<Vec<_>>();
        assert_eq!(printed(&after), [false, true, true, false]);
        assert_eq!((after[1].executed, after[1].source_run.as_deref()), (Some(1), Some("a")));
        // What has run since is newer.
        let mut newer = [cell(5, "a", Some("AA")), cell(6, "b", None)];
        assert_eq!(seen.show_in(&mut newer), None);
        assert_eq!(newer[0].executed, Some(5));
        assert!(newer[1].output.is_some());
    }

    #[test]
    fn a_cell_that_was_changed_elsewhere_shows_nothing_old() {
        let seen = SeenNotebook::of(&[cell(1, "a", Some("A"))], None);
        let mut after = [cell(2, "other", None)];
        seen.show_in(&mut after);
        assert_eq!(after[0].output, None);
    }

    #[test]
    fn the_newest_is_kept_when_there_is_no_room_for_all() {
        let notebook = |text: &str| SeenNotebook::of(&[cell(1, text, Some(text))], None);
        let seen = BTreeMap::from([("a".to_owned(), notebook("a")), ("b".to_owned(), notebook("b"))]);
        let room = serde_json::to_string(&notebook("b")).unwrap().len();
        assert_eq!(fitting(&seen, "b", room).into_keys().collect::<Vec<_>>(), ["b"]);
        assert_eq!(fitting(&seen, "b", 2 * room).into_keys().collect::<Vec<_>>(), ["a", "b"]);
        assert!(fitting(&seen, "b", room - 1).is_empty());
    }
}
