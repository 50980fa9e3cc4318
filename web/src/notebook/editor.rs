//! An open notebook: its cells as they are edited, saved a moment after each edit.

use std::collections::BTreeMap;
use std::time::Duration;

use lakelet_protocol::{CellKind, CellOutput, CellView, NotebookView, ParameterOrigin, WidgetView, WireError};
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::boundary::dom;
use crate::engine::calls;
use crate::notebook::seen::SeenNotebook;
use crate::notebook::source::{SourceCell, write};
use crate::state::App;

/// An edit is saved when nothing more was typed for so long.
const SAVE_AFTER: Duration = Duration::from_millis(500);

/// A cell on the page.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// Stays when cells move.
    pub id: u32,
    /// What is written.
    pub cell: SourceCell,
    /// What its last run gave.
    pub output: Option<CellOutput>,
    /// Order number of its last run.
    pub executed: Option<u32>,
    /// The source that was run.
    pub source_run: Option<String>,
}

impl Cell {
    fn new(view: CellView) -> Self {
        Self {
            id: dom::unique_number(),
            source_run: view.executed.map(|_| view.source.clone()),
            cell: SourceCell { kind: view.kind, title: view.title, source: view.source },
            output: view.output,
            executed: view.executed,
        }
    }

    /// Whether there is something of a run to show.
    pub fn has_run(&self) -> bool {
        self.executed.is_some() || self.output.is_some()
    }

    fn clear(&mut self) {
        (self.output, self.executed, self.source_run) = (None, None, None);
    }
}

/// The notebook.
#[derive(Clone, Copy)]
pub struct NotebookEditor {
    /// Path in the project.
    pub path: StoredValue<String>,
    /// Its file as it was loaded here, or written from here.
    file: StoredValue<String>,
    /// Cells in order.
    pub cells: RwSignal<Vec<Cell>>,
    /// Widgets.
    pub widgets: RwSignal<Vec<WidgetView>>,
    /// Widget values that the reader changed.
    pub changed: RwSignal<BTreeMap<String, String>>,
    /// Tasks that use it.
    pub used_by: RwSignal<Vec<String>>,
    /// It is running.
    pub running: RwSignal<bool>,
    /// There are edits that are not saved.
    pub unsaved: RwSignal<bool>,
    /// Why it could not be loaded or saved.
    pub failure: RwSignal<Option<WireError>>,
    /// How the last run ended when it did not end well.
    pub run_failure: RwSignal<Option<WireError>>,
    /// Cells that were deleted, the last one at the end, with the places at which they stood.
    pub deleted: RwSignal<Vec<(usize, Cell)>>,
    n_edits: StoredValue<u32>,
}

impl NotebookEditor {
    /// An editor for a notebook that was loaded, with the text of its file. Where the engine knows nothing of a cell's
    /// last run, what was `seen` of it is shown.
    pub fn new(view: NotebookView, file: String, seen: Option<SeenNotebook>) -> Self {
        let mut cells: Vec<Cell> = view.cells.into_iter().map(Cell::new).collect();
        let run_failure = seen.and_then(|seen| seen.show_in(&mut cells));
        Self {
            path: StoredValue::new(view.path),
            file: StoredValue::new(file),
            cells: RwSignal::new(cells),
            widgets: RwSignal::new(view.widgets),
            changed: RwSignal::default(),
            used_by: RwSignal::new(view.used_by),
            running: RwSignal::new(view.running),
            unsaved: RwSignal::new(false),
            failure: RwSignal::default(),
            run_failure: RwSignal::new(run_failure),
            deleted: RwSignal::default(),
            n_edits: StoredValue::new(0),
        }
    }

    /// Takes in what a run has shown so far. What the reader types stays, and so does what was seen of cells that the run
    /// has not come to.
    pub fn take(self, view: &NotebookView) {
        self.running.set(view.running);
        if !view.widgets.is_empty() {
            self.widgets.set(view.widgets.clone());
        }
        self.used_by.set(view.used_by.clone());
        self.cells.update(|cells| {
            let ran =
                cells.iter_mut().zip(&view.cells).filter(|(_, news)| news.output.is_some() || news.executed.is_some());
            for (cell, news) in ran {
                cell.output.clone_from(&news.output);
                cell.executed = news.executed;
                if news.executed.is_some() {
                    cell.source_run = Some(news.source.clone());
                }
            }
        });
    }

    /// Takes in what the notebook is now, as it was asked for when its file was `asked_with`. What this page wrote itself
    /// changes nothing. Where somebody else has written the file, its cells take the place of those here; equal ones stay.
    pub fn take_file(self, view: NotebookView, file: String, asked_with: &str) {
        let is_own = file == asked_with
            || self.file.with_value(|known| *known == file)
            || self.unsaved.get_untracked() && self.written().1 == file;
        if is_own {
            return;
        }
        // Edits that wait for being saved would write over it.
        self.n_edits.update_value(|n| *n += 1);
        self.unsaved.set(false);
        self.file.set_value(file);
        self.running.set(view.running);
        self.widgets.set(view.widgets);
        self.used_by.set(view.used_by);
        self.deleted.set(Vec::new());
        self.cells.update(|cells| {
            let mut before = std::mem::take(cells).into_iter();
            cells.extend(view.cells.into_iter().map(Cell::new).map(|new| match before.next() {
                Some(known) if known.cell == new.cell => known,
                _ => new,
            }));
        });
    }

    /// The text of the file as it is known here.
    pub fn known_file(self) -> String {
        self.file.get_value()
    }

    /// Something of a cell. Reactive.
    pub fn with_cell<T>(self, id: u32, read: impl FnOnce(&Cell) -> T) -> Option<T> {
        self.cells.with(|cells| cells.iter().find(|cell| cell.id == id).map(read))
    }

    /// The place of a cell. Reactive.
    pub fn index(self, id: u32) -> Option<usize> {
        self.cells.with(|cells| cells.iter().position(|cell| cell.id == id))
    }

    /// Changes a cell.
    pub fn edit(self, id: u32, change: impl FnOnce(&mut SourceCell)) {
        self.cells.update(|cells| {
            if let Some(cell) = cells.iter_mut().find(|cell| cell.id == id) {
                change(&mut cell.cell);
            }
        });
        self.edited();
    }

    /// Puts an empty cell behind another one, or at the end.
    pub fn add(self, behind: Option<u32>, kind: CellKind) {
        self.cells.update(|cells| {
            let place = behind.and_then(|behind| cells.iter().position(|cell| cell.id == behind));
            let cell = SourceCell { kind, title: None, source: String::new() };
            let cell = Cell { id: dom::unique_number(), cell, output: None, executed: None, source_run: None };
            cells.insert(place.map_or(cells.len(), |place| place + 1), cell);
        });
        self.edited();
    }

    /// Takes a cell out, until it is asked back. A notebook has at least one.
    pub fn remove(self, id: u32) {
        let removed = self.cells.try_update(|cells| {
            let place = cells.iter().position(|cell| cell.id == id).filter(|_| cells.len() > 1)?;
            Some((place, cells.remove(place)))
        });
        if let Some(removed) = removed.flatten() {
            self.deleted.update(|deleted| deleted.push(removed));
            self.edited();
        }
    }

    /// Puts the cell that was deleted last back to where it stood, with what it gave.
    pub fn undelete(self) {
        let Some((place, cell)) = self.deleted.try_update(Vec::pop).flatten() else { return };
        self.cells.update(|cells| cells.insert(place.min(cells.len()), cell));
        self.edited();
    }

    /// Forgets what the cells gave.
    pub fn clear_outputs(self) {
        self.run_failure.set(None);
        self.cells.update(|cells| cells.iter_mut().for_each(Cell::clear));
    }

    /// What its reader sees of runs now.
    pub fn seen(self) -> SeenNotebook {
        self.cells.with_untracked(|cells| SeenNotebook::of(cells, self.run_failure.get_untracked()))
    }

    /// Moves a cell up or down by one.
    pub fn shift(self, id: u32, up: bool) {
        self.cells.update(|cells| {
            let Some(place) = cells.iter().position(|cell| cell.id == id) else { return };
            let other = if up { place.checked_sub(1) } else { Some(place + 1).filter(|other| *other < cells.len()) };
            if let Some(other) = other {
                cells.swap(place, other);
            }
        });
        self.edited();
    }

    fn edited(self) {
        self.unsaved.set(true);
        let number = self.n_edits.get_value() + 1;
        self.n_edits.set_value(number);
        set_timeout(
            move || {
                if self.n_edits.try_get_value() == Some(number) {
                    spawn_local(async move {
                        self.save().await;
                    });
                }
            },
            SAVE_AFTER,
        );
    }

    /// Path and text of the file that the cells make.
    fn written(self) -> (String, String) {
        let path = self.path.get_value();
        let cells: Vec<SourceCell> =
            self.cells.with_untracked(|cells| cells.iter().map(|cell| cell.cell.clone()).collect());
        let text = self.file.with_value(|before| write(&path, &cells, Some(before)));
        (path, text)
    }

    /// The page is left: what is seen of runs is kept for the next time, and what is not saved is saved. Its text is made
    /// now, because the cells are gone with the page.
    pub fn leave(self, app: App) {
        app.seen.keep(self.path.get_value(), self.seen());
        if !self.unsaved.get_untracked() {
            return;
        }
        let (path, text) = self.written();
        spawn_local(async move {
            if let Err(error) = calls::save_file(path, Some(text)).await {
                app.news.fail(error);
            }
        });
    }

    /// Saves now what is not saved; whether that worked.
    pub async fn save(self) -> bool {
        if !self.unsaved.try_get_untracked().unwrap_or(false) {
            return true;
        }
        let number = self.n_edits.get_value();
        let (path, text) = self.written();
        let before = self.file.get_value();
        self.file.set_value(text.clone());
        match calls::save_file(path, Some(text.clone())).await {
            Ok(()) => {
                // What was typed meanwhile is saved by its own timer.
                if self.n_edits.try_get_value() == Some(number) {
                    let _ = self.unsaved.try_set(false);
                }
                let _ = self.failure.try_set(None);
                true
            }
            Err(error) => {
                if self.file.try_with_value(|file| *file == text) == Some(true) {
                    self.file.set_value(before);
                }
                let _ = self.failure.try_set(Some(error));
                false
            }
        }
    }

    /// Widget values for the next run: those that the last one was given, and over them what the reader typed since.
    fn given_widgets(self) -> BTreeMap<String, String> {
        let given = |widget: &WidgetView| {
            (widget.origin == ParameterOrigin::Run).then(|| (widget.name.clone(), widget.value.clone()))
        };
        let mut values: BTreeMap<String, String> =
            self.widgets.with_untracked(|widgets| widgets.iter().filter_map(given).collect());
        values.extend(self.changed.get_untracked());
        values
    }

    /// Runs all cells, or one.
    pub fn run(self, app: App, id: Option<u32>) {
        if self.running.get_untracked() {
            return;
        }
        self.running.set(true);
        app.running.update(|n| *n += 1);
        let cell = untrack(|| id.and_then(|id| self.index(id))).and_then(|index| u32::try_from(index).ok());
        let path = self.path.get_value();
        let widgets = self.given_widgets();
        spawn_local(async move {
            // A cell is run by its place, so the file must be what the page shows.
            let answer = if self.save().await {
                self.begin_run(id);
                Some(calls::run_notebook(path.clone(), cell, widgets).await)
            } else {
                None
            };
            app.running.update(|n| *n = n.saturating_sub(1));
            let _ = self.running.try_set(false);
            match answer {
                Some(Ok(view)) if !self.path.is_disposed() => {
                    let _ = self.failure.try_set(None);
                    self.take(&view);
                    app.seen.keep(path, self.seen());
                }
                Some(Err(error)) => {
                    app.news.say_urgently(error.message.clone());
                    match self.run_failure.try_set(Some(error)).flatten() {
                        // The page was left; whoever comes back to it is told.
                        Some(error) => app.seen.ended(&path, error),
                        None => app.seen.keep(path, self.seen()),
                    }
                }
                Some(Ok(_)) | None => {}
            }
            app.catalog_changed();
        });
    }

    /// What is going to run has nothing to show yet.
    fn begin_run(self, id: Option<u32>) {
        let _ = self.run_failure.try_set(None);
        let _ = self.cells.try_update(|cells| {
            cells.iter_mut().filter(|cell| id.is_none_or(|id| cell.id == id)).for_each(Cell::clear);
        });
    }
}
