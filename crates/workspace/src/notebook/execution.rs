//! A notebook at work: its session, its widgets, and the cell that runs.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use lakelet_base::{Diagnostic, ErrorClass, Limits, Result};
use lakelet_bundle::{CellKind, Notebook, NotebookCell};
use lakelet_engine::{ResultRows, Session};
use lakelet_jobs::{Parameter, TaskError, TaskValues, Widgets, parameter_markers};
use lakelet_protocol::{CellOutput, EventBody, OutputItem, ResultHeader, WireError};
use serde_json::{Map, Value};

use super::{CellFinished, errors};
use crate::core::Core;
use crate::results::{Results, column_view, text_row};
use crate::statements::{Ended, Guard, Statements};
use crate::workspace::Outbox;

/// Rows of a displayed table that its output keeps.
const DISPLAY_ROWS_MAX: usize = 1_000;
/// Bytes of their text.
const DISPLAY_BYTES_MAX: usize = 512 * 1024;

/// What a widget looks like, beside its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct WidgetLook {
    pub label: String,
    pub choices: Vec<String>,
}

/// How a cell ended.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum CellEnd {
    /// Well.
    Done,
    /// It ended the notebook, as a success.
    Exited,
    /// It failed, and the notebook with it.
    Failed(Box<CellFailure>),
}

/// Why a cell failed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CellFailure {
    /// For the record of a run.
    pub task_error: TaskError,
    /// For the page, with its place in the cell.
    pub error: WireError,
}

/// What a step of a cell came to.
pub(crate) enum CellStep {
    /// More steps are needed.
    Working,
    /// A statement of the cell has ended, others follow.
    StatementEnded,
    /// Python has to run this now; [`NotebookExecution::python_finished`] follows.
    Python(PythonCell),
    /// The cell has ended.
    Ended(CellEnd),
}

/// A cell for Python.
pub(crate) struct PythonCell {
    pub source: String,
    pub fresh: bool,
    pub filename: String,
    /// Of a program.
    pub arguments: Option<Vec<String>>,
}

/// What cells need beside the notebook itself.
pub(crate) struct Surroundings<'a> {
    pub core: &'a mut Core,
    pub results: &'a mut Results,
    pub outbox: &'a mut Outbox,
}

/// A notebook that a person or a job runs. Each has its own session and its own names in Python.
pub(crate) struct NotebookExecution {
    /// Number of its namespace in Python.
    pub namespace: u64,
    /// Whether a job runs it.
    pub in_job: bool,
    /// On whose behalf its statements run.
    pub guard: Guard,
    /// Fail right after the first append.
    pub fail_after_append: bool,
    name: String,
    /// Command-line arguments, if this is a Python file that a job runs as a program.
    arguments: Option<Vec<String>>,
    cells: Vec<NotebookCell>,
    is_fresh: bool,
    pub(super) session: Session,
    pub(super) widgets: Widgets,
    pub(super) looks: IndexMap<String, WidgetLook>,
    /// Values that the reader gave widgets which may not exist yet.
    pub(super) selected: BTreeMap<String, String>,
    pub(super) task_values: TaskValues,
    /// Output of the cell that runs, or ran last.
    output: CellOutput,
    statements: Option<Statements>,
    /// The last error that Python was told in this cell.
    pub(super) last_error: Option<WireError>,
    /// The fault that was asked for, once it has happened.
    pub(super) fault: Option<WireError>,
    /// What `dbutils.notebook.exit` was called with.
    pub exit_value: Option<String>,
}

impl NotebookExecution {
    /// A notebook that a person runs.
    pub fn interactive(notebook: &Notebook, namespace: u64, limits: &Limits) -> Self {
        Self::new(notebook, namespace, Widgets::interactive(), TaskValues::interactive(limits))
    }

    /// A notebook that a job runs with `parameters`.
    pub fn in_job(notebook: &Notebook, namespace: u64, parameters: &[Parameter], limits: &Limits) -> Self {
        let widgets = Widgets::in_job(parameters);
        Self { in_job: true, ..Self::new(notebook, namespace, widgets, TaskValues::in_job(limits)) }
    }

    /// A Python file that a job runs as a program.
    pub fn program(path: &str, text: &str, arguments: Vec<String>, namespace: u64, limits: &Limits) -> Self {
        let program = Self::in_job(&Notebook::python(path, text), namespace, &[], limits);
        let name = path.rsplit('/').next().unwrap_or(path).to_owned();
        Self { name, arguments: Some(arguments), ..program }
    }

    fn new(notebook: &Notebook, namespace: u64, widgets: Widgets, task_values: TaskValues) -> Self {
        let file = notebook.path.rsplit('/').next().unwrap_or(&notebook.path);
        Self {
            namespace,
            in_job: false,
            guard: Guard::default(),
            fail_after_append: false,
            name: file.split('.').next().unwrap_or(file).to_owned(),
            arguments: None,
            cells: notebook.cells.clone(),
            is_fresh: true,
            session: Session::default(),
            widgets,
            looks: IndexMap::new(),
            selected: BTreeMap::new(),
            task_values,
            output: CellOutput::default(),
            statements: None,
            last_error: None,
            fault: None,
            exit_value: None,
        }
    }

    /// Takes over what the file has become; what has run stays.
    pub fn take_cells(&mut self, notebook: &Notebook) {
        self.cells.clone_from(&notebook.cells);
    }

    /// Values that the reader gives widgets, those that are not there yet included.
    pub fn select(&mut self, values: BTreeMap<String, String>) {
        for (name, value) in &values {
            if self.widgets.kind(name).is_some() {
                // A widget that is there can be given a value.
                let _ = self.widgets.select(name, std::slice::from_ref(value));
            }
        }
        self.selected.extend(values);
    }

    /// Stops the statement that runs; it has changed nothing.
    pub fn drop_statement(&mut self) {
        self.statements = None;
    }

    /// Widget defaults that it used although it runs in a job.
    pub fn widget_defaults(&self) -> Vec<(String, String)> {
        self.widgets.defaults_read().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
    }

    /// Task values that it set.
    pub fn values_set(&self) -> IndexMap<String, Value> {
        self.task_values.clone().into_set()
    }

    /// Whether a cell is Python.
    pub fn is_python(&self, index: usize) -> bool {
        self.cells.get(index).is_some_and(|cell| cell.kind == CellKind::Python)
    }

    /// The first cell from `from` on that runs: Markdown does not, neither does a cell without text.
    pub fn next_cell(&self, from: usize) -> Option<usize> {
        let cells = self.cells.iter().enumerate().skip(from);
        let mut runs = cells.filter(|(_, cell)| cell.kind != CellKind::Markdown && !cell.source.trim().is_empty());
        runs.next().map(|(index, _)| index)
    }

    /// Whether a statement of a SQL cell is running.
    pub fn is_in_statement(&self) -> bool {
        self.statements.as_ref().is_some_and(Statements::is_in_statement)
    }

    /// Whether a SQL cell has begun and not ended.
    pub fn is_in_cell(&self) -> bool {
        self.statements.is_some()
    }

    /// Begins a cell. A SQL cell then goes on with [`NotebookExecution::step`].
    pub fn begin(&mut self, index: usize, core: &Core) -> CellStep {
        self.output = CellOutput { cell: u32::try_from(index).unwrap_or(u32::MAX), ..CellOutput::default() };
        self.last_error = None;
        let Some(cell) = self.cells.get(index) else { return CellStep::Ended(CellEnd::Done) };
        match &cell.kind {
            CellKind::Markdown => CellStep::Ended(CellEnd::Done),
            CellKind::Python => CellStep::Python(PythonCell {
                source: cell.source.clone(),
                fresh: std::mem::take(&mut self.is_fresh),
                filename: match self.arguments {
                    Some(_) => self.name.clone(),
                    None => format!("{}, cell {}", self.name, index + 1),
                },
                arguments: self.arguments.clone(),
            }),
            CellKind::Sql => {
                let text = cell.source.clone();
                let values = self.widget_values(&text);
                match Statements::new(core, &text, &values) {
                    Ok(statements) => {
                        self.statements = Some(statements);
                        CellStep::Working
                    }
                    Err(diagnostic) => CellStep::Ended(self.fail(&diagnostic, &text)),
                }
            }
            CellKind::Magic(word) => {
                let hint = match word.as_str() {
                    "run" => "Put the code into this notebook, or make the other notebook a task of its own.",
                    "pip" | "conda" => "Python's standard library is all there is.",
                    _ => "Cells are Python, %sql or %md.",
                };
                let diagnostic = Diagnostic::unsupported(format_args!("cells with %{word}")).hint(hint);
                let text = cell.source.clone();
                CellStep::Ended(self.fail(&diagnostic, &text))
            }
        }
    }

    /// Values of the widgets that a SQL cell has `:name` markers for.
    fn widget_values(&mut self, text: &str) -> Map<String, Value> {
        let markers = parameter_markers(text);
        markers
            .into_iter()
            .filter_map(|name| Some((name.clone(), Value::String(self.widgets.get(&name).ok()?))))
            .collect()
    }

    /// Works on a SQL cell for a moment.
    pub fn step(&mut self, around: &mut Surroundings<'_>) -> CellStep {
        let Some(mut statements) = self.statements.take() else { return CellStep::Ended(CellEnd::Done) };
        if statements.is_over() {
            return CellStep::Ended(CellEnd::Done);
        }
        match statements.step(around.core, &mut self.session, &self.guard) {
            Ok(None) => {
                self.statements = Some(statements);
                CellStep::Working
            }
            Ok(Some(ended)) => {
                let failure = self.statement_ended(ended, around);
                if let Some(error) = failure {
                    return CellStep::Ended(self.failed_on_purpose(error));
                }
                if statements.is_over() {
                    return CellStep::Ended(CellEnd::Done);
                }
                self.statements = Some(statements);
                CellStep::StatementEnded
            }
            Err(diagnostic) => {
                let text = self.source().to_owned();
                CellStep::Ended(self.fail(&diagnostic, &text))
            }
        }
    }

    /// Shows the rows of a statement of a SQL cell; gives the error of a fault that was asked for.
    fn statement_ended(&mut self, ended: Ended, around: &mut Surroundings<'_>) -> Option<WireError> {
        let fault = self.note(&ended, around.outbox);
        if let Some(rows) = ended.rows {
            self.show(rows, around.results);
        }
        fault
    }

    /// What every statement leaves behind: news, and the fault that was asked for.
    pub(super) fn note(&mut self, ended: &Ended, outbox: &mut Outbox) -> Option<WireError> {
        if let Some(report) = &ended.done.report {
            outbox.event(EventBody::Refreshed(report.clone()));
        }
        if ended.done.committed {
            outbox.event(EventBody::CatalogChanged);
        }
        if ended.is_append && std::mem::take(&mut self.fail_after_append) {
            let error = WireError::new(&fault_after_append(), "");
            self.fault = Some(error.clone());
            return Some(error);
        }
        None
    }

    /// Adds a table to the cell's output.
    pub(super) fn show(&mut self, rows: ResultRows, results: &mut Results) {
        let (first, n_rows) = first_rows(&rows);
        let header = if self.in_job {
            // Rows that a job shows are kept in its record; handles are for what a reader has open.
            let columns = rows.schema.fields().iter().map(|field| column_view(field)).collect();
            ResultHeader { result: 0, columns, n_rows }
        } else {
            results.keep(rows)
        };
        self.output.items.push(OutputItem::Table { header, rows: first });
    }

    /// Adds printed text to the cell's output.
    pub(super) fn print(&mut self, text: &str) {
        match self.output.items.last_mut() {
            Some(OutputItem::Text { text: printed }) => printed.push_str(text),
            _ => self.output.items.push(OutputItem::Text { text: text.to_owned() }),
        }
    }

    /// Python has run the cell.
    pub fn python_finished(&mut self, outcome: CellFinished) -> CellEnd {
        if let Some(error) = self.fault.clone() {
            return self.failed_on_purpose(error);
        }
        match outcome {
            CellFinished::Succeeded => CellEnd::Done,
            CellFinished::Exited { value } => {
                self.exit_value = Some(value);
                CellEnd::Exited
            }
            CellFinished::Failed { exception, message, traceback } => {
                let known = self.last_error.take();
                self.failed(errors::python_failure(&exception, &message, traceback, known))
            }
            CellFinished::Unavailable { message } => {
                let class = ErrorClass::new("PYTHON_NOT_AVAILABLE", "0A000");
                let diagnostic = Diagnostic::new(class, format!("There is no Python here: {message}"))
                    .hint("Open the project in a browser, or give the command line --python node.");
                self.fail(&diagnostic, "")
            }
        }
    }

    /// The cell's output so far, to be kept.
    pub fn take_output(&mut self) -> CellOutput {
        std::mem::take(&mut self.output)
    }

    fn source(&self) -> &str {
        self.cells.get(self.output.cell as usize).map_or("", |cell| &cell.source)
    }

    fn fail(&mut self, diagnostic: &Diagnostic, text: &str) -> CellEnd {
        self.failed(CellFailure { task_error: TaskError::from(diagnostic), error: WireError::new(diagnostic, text) })
    }

    fn failed_on_purpose(&mut self, error: WireError) -> CellEnd {
        self.failed(CellFailure { task_error: errors::task_error(&error), error })
    }

    fn failed(&mut self, failure: CellFailure) -> CellEnd {
        self.statements = None;
        self.output.error = Some(failure.error.clone());
        CellEnd::Failed(Box::new(failure))
    }
}

/// The error of the fault switch `fail_after_append`.
pub(crate) fn fault_after_append() -> Diagnostic {
    Diagnostic::new(
        ErrorClass::new("LAKELET_FAULT_AFTER_APPEND", "58000"),
        "The fault switch stopped this iteration right after its first append; the rows are written.",
    )
    .hint("Switch the fault off, then repair the run.")
}

/// The first rows as text, and how many there are.
fn first_rows(rows: &ResultRows) -> (Vec<Vec<Option<String>>>, u64) {
    let mut first = Vec::new();
    let mut n_bytes = 0;
    'batches: for batch in &rows.batches {
        for row in 0..batch.num_rows() {
            if first.len() == DISPLAY_ROWS_MAX || n_bytes > DISPLAY_BYTES_MAX {
                break 'batches;
            }
            let cells = text_row(batch, &rows.schema, row);
            n_bytes += cells.iter().flatten().map(String::len).sum::<usize>();
            first.push(cells);
        }
    }
    (first, rows.batches.iter().map(|batch| batch.num_rows() as u64).sum())
}

/// The rows as typed JSON.
pub(super) fn json_rows(rows: &ResultRows) -> Vec<Vec<Value>> {
    let of_batch = |batch: &arrow::array::RecordBatch| -> Vec<Vec<Value>> {
        let columns: Vec<_> = batch.columns().iter().zip(rows.schema.fields()).collect();
        let row = |row: usize| {
            columns.iter().map(|(c, field)| lakelet_types::field_cell_json(field, c.as_ref(), row)).collect()
        };
        (0..batch.num_rows()).map(row).collect()
    };
    rows.batches.iter().flat_map(of_batch).collect()
}

/// The notebook of a project file.
///
/// # Errors
/// The file is no notebook.
pub(crate) fn parse(text: &str, path: &str) -> Result<Notebook> {
    lakelet_bundle::parse_notebook(text, path).map_err(|error| {
        Box::new(Diagnostic::new(ErrorClass::new("LAKELET_NOT_A_NOTEBOOK", "42601"), format!("{path}, {error}")))
    })
}
