//! Notebooks: their cells, what Python asks while one runs, and the notebooks that a person has open.
//!
//! Nothing here calls Python. A Python cell is handed to the host as a [`RunCell`]; while the host runs it, each call of
//! the notebook comes in as a [`PythonCall`] of its own and is answered at once.

mod calls;
mod errors;
mod execution;
mod view;

use std::collections::{BTreeMap, VecDeque};

use lakelet_base::{Diagnostic, ErrorClass, Result};
use lakelet_bundle::{Notebook, find_notebook};
use lakelet_protocol::{CellOutput, EventBody, NotebookView, PythonCall, PythonReply, ResponseBody, WireError};
use serde::{Deserialize, Serialize};

pub(crate) use errors::wire_error;
pub(crate) use execution::{CellEnd, CellStep, NotebookExecution, PythonCell, Surroundings, fault_after_append, parse};
pub(crate) use view::origin;

use crate::jobs::AttemptToken;
use crate::workspace::Workspace;

/// A Python cell that the host is to run now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RunCell {
    /// Names this execution in [`Workspace::cell_finished`].
    pub execution: u64,
    /// Number of the namespace: each run of a notebook has one of its own.
    pub notebook: u64,
    /// The code.
    pub source: String,
    /// Whether the namespace begins anew.
    pub fresh: bool,
    /// What tracebacks call the cell: `copy_incremental, cell 2`.
    pub filename: String,
    /// Its command-line arguments, if it is a file that is run as a program and no cell of a notebook.
    pub arguments: Option<Vec<String>>,
}

/// How a Python cell ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum CellFinished {
    /// To its end.
    Succeeded,
    /// In an exception.
    Failed {
        /// Its class.
        exception: String,
        /// Its text.
        message: String,
        /// Where it was raised.
        traceback: String,
    },
    /// In `dbutils.notebook.exit`.
    Exited {
        /// What it was called with.
        value: String,
    },
    /// It has not run: this host has no Python.
    Unavailable {
        /// Why.
        message: String,
    },
}

/// Whose cell it is.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Owner {
    /// A person's, by path.
    Reader(String),
    /// An attempt's.
    Attempt(AttemptToken),
}

/// A notebook that a person has run cells of.
struct OpenNotebook {
    execution: NotebookExecution,
    /// Last output of each cell, with the order number of its execution.
    outputs: BTreeMap<u32, (CellOutput, u32)>,
    n_executed: u32,
}

/// A notebook that is running for a person.
struct Reading {
    request: u64,
    path: String,
    cells: VecDeque<usize>,
}

/// The notebooks that are open, and the Python cell that the host has in hand.
#[derive(Default)]
pub(crate) struct Notebooks {
    open: BTreeMap<String, OpenNotebook>,
    reading: Option<Reading>,
    in_python: Option<(u64, Owner)>,
    last_execution: u64,
    last_namespace: u64,
}

impl Notebooks {
    /// Whether the host has a cell in hand.
    pub fn awaits_python(&self) -> bool {
        self.in_python.is_some()
    }

    /// Whether a notebook is running for a person.
    pub fn is_running(&self) -> bool {
        self.reading.is_some()
    }

    /// Whether a statement of a notebook is in the middle.
    pub fn is_in_statement(&self) -> bool {
        let path = self.reading.as_ref().map(|reading| &reading.path);
        path.and_then(|path| self.open.get(path)).is_some_and(|open| open.execution.is_in_statement())
    }

    /// A number for a new namespace.
    pub fn new_namespace(&mut self) -> u64 {
        self.last_namespace += 1;
        self.last_namespace
    }

    /// Hands a cell of an attempt to the host.
    pub fn hand_out(&mut self, attempt: AttemptToken, namespace: u64, cell: PythonCell) -> RunCell {
        self.hand(Owner::Attempt(attempt), namespace, cell)
    }

    fn hand(&mut self, owner: Owner, namespace: u64, cell: PythonCell) -> RunCell {
        self.last_execution += 1;
        self.in_python = Some((self.last_execution, owner));
        let PythonCell { source, fresh, filename, arguments } = cell;
        RunCell { execution: self.last_execution, notebook: namespace, source, fresh, filename, arguments }
    }
}

impl Workspace {
    /// Works on the notebook that runs for a person.
    pub(crate) fn step_notebook(&mut self) -> Option<RunCell> {
        let reading = self.notebooks.reading.as_mut()?;
        let path = reading.path.clone();
        let open = self.notebooks.open.get_mut(&path)?;
        let mut around = Surroundings { core: &mut self.core, results: &mut self.results, outbox: &mut self.outbox };
        let step = if open.execution.is_in_cell() {
            open.execution.step(&mut around)
        } else {
            match reading.cells.pop_front() {
                Some(cell) => open.execution.begin(cell, around.core),
                None => {
                    self.finish_reading(None);
                    return None;
                }
            }
        };
        match step {
            CellStep::Working | CellStep::StatementEnded => None,
            CellStep::Python(cell) => {
                let namespace = open.execution.namespace;
                Some(self.notebooks.hand(Owner::Reader(path), namespace, cell))
            }
            CellStep::Ended(end) => {
                self.cell_ended(&path, &end);
                None
            }
        }
    }

    /// Keeps what a cell gave, and ends the notebook where the cell does.
    fn cell_ended(&mut self, path: &str, end: &CellEnd) {
        if let Some(open) = self.notebooks.open.get_mut(path) {
            open.n_executed += 1;
            let output = open.execution.take_output();
            open.outputs.insert(output.cell, (output, open.n_executed));
        }
        if !matches!(end, CellEnd::Done)
            && let Some(reading) = &mut self.notebooks.reading
        {
            reading.cells.clear();
        }
        if let Ok(view) = self.notebook_view(path) {
            self.outbox.event(EventBody::NotebookChanged(view));
        }
    }

    /// Answers the request that started the notebook.
    fn finish_reading(&mut self, error: Option<Diagnostic>) {
        let Some(reading) = self.notebooks.reading.take() else { return };
        let answer = match error {
            Some(error) => Err(WireError::new(&error, "")),
            None => self
                .notebook_view(&reading.path)
                .map(ResponseBody::Notebook)
                .map_err(|diagnostic| WireError::new(&diagnostic, "")),
        };
        self.outbox.answer(reading.request, answer);
    }

    /// Stops the notebook that runs for a person, between two of its cells.
    pub(crate) fn cancel_notebooks(&mut self) {
        let message = "You canceled the notebook. What its cells had done until then stays.";
        self.finish_reading(Some(Diagnostic::new(ErrorClass::CANCELED, message)));
        for open in self.notebooks.open.values_mut() {
            open.execution.drop_statement();
        }
    }

    /// Starts cells of a notebook; `cell` alone, or all of them from the beginning in a new session.
    pub(crate) fn start_notebook(
        &mut self,
        request: u64,
        path: &str,
        cell: Option<u32>,
        widgets: BTreeMap<String, String>,
    ) -> Result<()> {
        if self.notebooks.reading.is_some() {
            let class = ErrorClass::new("LAKELET_NOTEBOOK_BUSY", "55006");
            return Err(Box::new(Diagnostic::new(class, "A notebook is running. Wait for it, or cancel it.")));
        }
        let notebook = self.read_notebook(path)?;
        let path = notebook.path.clone();
        if cell.is_none() || !self.notebooks.open.contains_key(&path) {
            let namespace = self.notebooks.new_namespace();
            let execution = NotebookExecution::interactive(&notebook, namespace, &self.core.limits);
            let open = OpenNotebook { execution, outputs: BTreeMap::new(), n_executed: 0 };
            self.notebooks.open.insert(path.clone(), open);
        }
        let Some(open) = self.notebooks.open.get_mut(&path) else { return Ok(()) };
        open.execution.take_cells(&notebook);
        open.execution.select(widgets);
        let cells = match cell {
            Some(cell) => VecDeque::from([cell as usize]),
            None => {
                let first = open.execution.next_cell(0);
                std::iter::successors(first, |cell| open.execution.next_cell(cell + 1)).collect()
            }
        };
        self.notebooks.reading = Some(Reading { request, path, cells });
        Ok(())
    }

    /// Answers Python while it runs a cell.
    pub(crate) fn answer_python(&mut self, call: PythonCall) -> PythonReply {
        let Some((_, owner)) = self.notebooks.in_python.clone() else {
            let error = errors::plain("LAKELET_NO_CELL", "No cell is running.");
            return PythonReply::Error { error, exception: "RuntimeError".to_owned() };
        };
        let mut around = Surroundings { core: &mut self.core, results: &mut self.results, outbox: &mut self.outbox };
        let reply = match owner {
            Owner::Reader(path) => {
                let open = self.notebooks.open.get_mut(&path);
                open.map(|open| open.execution.answer(call, &mut around, &|_, _| None))
            }
            Owner::Attempt(token) => self.jobs.answer_python(token, call, &mut around),
        };
        reply.unwrap_or_else(|| {
            let error = errors::plain("OPERATION_CANCELED", "The run was canceled while the cell was running.");
            PythonReply::Error { error, exception: "RuntimeError".to_owned() }
        })
    }

    /// Takes in how the cell in hand ended. Another execution than that is not looked at.
    pub(crate) fn finish_cell(&mut self, execution: u64, outcome: CellFinished) {
        let Some((_, owner)) = self.notebooks.in_python.take_if(|(in_hand, _)| *in_hand == execution) else { return };
        match owner {
            Owner::Reader(path) => {
                let Some(open) = self.notebooks.open.get_mut(&path) else { return };
                let end = open.execution.python_finished(outcome);
                self.cell_ended(&path, &end);
            }
            Owner::Attempt(token) => self.attempt_cell_finished(token, outcome),
        }
    }

    /// The notebook that a path leads to.
    pub(crate) fn read_notebook(&self, path: &str) -> Result<Notebook> {
        let project = self.project.project();
        let found = find_notebook(project, path);
        let text = found.as_deref().and_then(|found| project.text(found));
        let Some((found, text)) = found.as_deref().zip(text) else {
            let error = Diagnostic::new(
                ErrorClass::new("LAKELET_NOTEBOOK_NOT_FOUND", "42704"),
                format!("The project has no notebook {path}."),
            );
            return Err(Box::new(match project.nearest_path(path) {
                Some(nearest) => error.hint(format!("Did you mean {nearest}?")),
                None => error,
            }));
        };
        parse(text, found)
    }

    /// A notebook's page.
    pub(crate) fn notebook_view(&self, path: &str) -> Result<NotebookView> {
        let notebook = self.read_notebook(path)?;
        let used_by = view::used_by(&self.project, &notebook.path);
        let open = self.notebooks.open.get(&notebook.path);
        let is_running = self.notebooks.reading.as_ref().is_some_and(|reading| reading.path == notebook.path);
        Ok(view::notebook(&notebook, open, is_running, used_by))
    }
}
