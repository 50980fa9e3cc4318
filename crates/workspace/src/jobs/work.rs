//! What attempts do: the statements of a SQL task, the cells of a notebook, another job.

use indexmap::IndexMap;
use lakelet_base::{Diagnostic, ErrorClass, Timestamp};
use lakelet_engine::Session;
use lakelet_jobs::{AttemptId, AttemptOutcome, AttemptOutput, MarkerReport, Parameter, TaskError, TaskOutput};
use lakelet_protocol::{CellOutput, EventBody, WireError};
use serde_json::{Map, Value};

use super::cost::Unit;
use super::documents::AttemptRecord;
use super::output::task_output;
use crate::core::Core;
use crate::notebook::{
    CellEnd, CellFinished, CellStep, NotebookExecution, PythonCell, Surroundings, fault_after_append, wire_error,
};
use crate::statements::{Guard, Statements};

/// An attempt in flight.
pub(super) struct ActiveAttempt {
    pub run_id: u64,
    pub id: AttemptId,
    pub work: Work,
    /// When its present unit is done, on a simulated clock.
    pub due: Timestamp,
    /// Orders what is due at one instant: whoever waited longest comes first.
    pub turn: u64,
    /// Units that are done.
    pub n_units: u64,
    /// How long it really took so far.
    pub measured_ms: f64,
}

/// What an attempt does.
pub(super) enum Work {
    Sql(Box<SqlWork>),
    Notebook(Box<NotebookWork>),
    /// Waits for the run of another job.
    Run(u64),
    /// Cannot be done.
    Refused(Box<TaskError>),
}

/// What a step of an attempt came to.
pub(super) enum UnitStep {
    /// More steps are needed.
    Working,
    /// Others get their turn.
    UnitEnded,
    /// Python has to run a cell, in the namespace of this number.
    Python(PythonCell, u64),
    /// All is done.
    Finished(Box<AttemptEnd>),
}

/// How an attempt ended.
pub(super) struct AttemptEnd {
    pub outcome: AttemptOutcome,
    pub widget_defaults: Vec<(String, String)>,
    pub task_values: IndexMap<String, Value>,
    pub record: AttemptRecord,
}

impl AttemptEnd {
    fn new(outcome: AttemptOutcome, record: AttemptRecord) -> Box<Self> {
        Box::new(Self { outcome, widget_defaults: Vec::new(), task_values: IndexMap::new(), record })
    }

    /// It failed without having shown anything.
    pub fn failed(error: TaskError) -> Box<Self> {
        let record = AttemptRecord { error: Some(wire_error(&error)), ..AttemptRecord::default() };
        Self::new(AttemptOutcome::Failed { error, output: None }, record)
    }

    /// It did what it should.
    pub fn succeeded() -> Box<Self> {
        Self::new(AttemptOutcome::Succeeded { output: None }, AttemptRecord::default())
    }
}

impl Work {
    /// What comes next, for the cost model.
    pub fn next_unit(&self) -> Unit {
        match self {
            Self::Sql(_) => Unit::Statement,
            Self::Notebook(notebook) => notebook.next_unit(),
            Self::Run(_) | Self::Refused(_) => Unit::Refusal,
        }
    }

    /// Whether a statement is in the middle.
    pub fn is_in_statement(&self) -> bool {
        match self {
            Self::Sql(sql) => sql.statements.is_in_statement(),
            Self::Notebook(notebook) => notebook.execution.is_in_statement(),
            Self::Run(_) | Self::Refused(_) => false,
        }
    }

    /// Works for a moment.
    pub fn step(&mut self, around: &mut Surroundings<'_>) -> UnitStep {
        match self {
            Self::Sql(sql) => sql.step(around),
            Self::Notebook(notebook) => notebook.step(around),
            Self::Refused(error) => UnitStep::Finished(AttemptEnd::failed(error.as_ref().clone())),
            Self::Run(_) => UnitStep::Working,
        }
    }
}

/// The statements of a SQL task.
pub(super) struct SqlWork {
    text: String,
    parameters: Vec<Parameter>,
    statements: Statements,
    session: Session,
    guard: Guard,
    fail_after_append: bool,
    output: Option<TaskOutput>,
    record: AttemptRecord,
}

impl SqlWork {
    /// The statements of `text` with parameters as text.
    pub fn new(
        core: &Core,
        text: &str,
        parameters: &[Parameter],
        guard: Guard,
        fail_after_append: bool,
    ) -> Result<Self, TaskError> {
        let text = lakelet_jobs::expand_braces(text, parameters);
        let values: Map<String, Value> = parameters
            .iter()
            .map(|parameter| (parameter.name.clone(), Value::String(parameter.value.clone())))
            .collect();
        let statements = Statements::new(core, &text, &values).map_err(|error| TaskError::from(error.as_ref()))?;
        let mut record = AttemptRecord::default();
        if MarkerReport::new(&text, parameters).mixes_styles {
            record.warnings.push("The SQL text mixes {{name}} and :name; they are bound differently.".to_owned());
        }
        let parameters = parameters.to_vec();
        let session = Session::default();
        Ok(Self { text, parameters, statements, session, guard, fail_after_append, output: None, record })
    }

    fn step(&mut self, around: &mut Surroundings<'_>) -> UnitStep {
        if self.statements.is_over() {
            return self.succeed();
        }
        match self.statements.step(around.core, &mut self.session, &self.guard) {
            Ok(None) => UnitStep::Working,
            Ok(Some(ended)) => {
                if let Some(report) = ended.done.report {
                    around.outbox.event(EventBody::Refreshed(report));
                }
                if ended.done.committed {
                    around.outbox.event(EventBody::CatalogChanged);
                }
                let warnings = ended.done.warnings.iter().map(|warning| warning.message.clone());
                self.record.warnings.extend(warnings);
                if ended.done.rows_affected.is_none()
                    && let Some(rows) = ended.rows
                {
                    self.output = Some(task_output(&rows, &around.core.limits));
                }
                if ended.is_append && std::mem::take(&mut self.fail_after_append) {
                    return self.fail(&fault_after_append());
                }
                if self.statements.is_over() { self.succeed() } else { UnitStep::UnitEnded }
            }
            Err(mut diagnostic) => {
                if diagnostic.class == ErrorClass::UNBOUND_SQL_PARAMETER
                    && let Some(lists) = MarkerReport::new(&self.text, &self.parameters).message()
                {
                    diagnostic.message = format!("{} {lists}", diagnostic.message);
                }
                self.fail(&diagnostic)
            }
        }
    }

    fn succeed(&mut self) -> UnitStep {
        let output = self.output.take().map(AttemptOutput::Rows);
        UnitStep::Finished(AttemptEnd::new(AttemptOutcome::Succeeded { output }, std::mem::take(&mut self.record)))
    }

    fn fail(&mut self, diagnostic: &Diagnostic) -> UnitStep {
        let mut record = std::mem::take(&mut self.record);
        record.error = Some(WireError::new(diagnostic, &self.text));
        let outcome = AttemptOutcome::Failed { error: TaskError::from(diagnostic), output: None };
        UnitStep::Finished(AttemptEnd::new(outcome, record))
    }
}

/// The cells of a notebook.
pub(super) struct NotebookWork {
    pub execution: NotebookExecution,
    next_cell: Option<usize>,
    cells: Vec<CellOutput>,
}

impl NotebookWork {
    /// A notebook before its first cell.
    pub fn new(execution: NotebookExecution) -> Self {
        let next_cell = execution.next_cell(0);
        Self { execution, next_cell, cells: Vec::new() }
    }

    fn next_unit(&self) -> Unit {
        let is_python =
            !self.execution.is_in_cell() && self.next_cell.is_some_and(|cell| self.execution.is_python(cell));
        if is_python { Unit::Cell } else { Unit::Statement }
    }

    fn step(&mut self, around: &mut Surroundings<'_>) -> UnitStep {
        let step = if self.execution.is_in_cell() {
            self.execution.step(around)
        } else {
            let Some(cell) = self.next_cell else { return self.succeed() };
            self.next_cell = self.execution.next_cell(cell + 1);
            self.execution.begin(cell, around.core)
        };
        match step {
            CellStep::Working => UnitStep::Working,
            CellStep::StatementEnded => UnitStep::UnitEnded,
            CellStep::Python(cell) => UnitStep::Python(cell, self.execution.namespace),
            CellStep::Ended(end) => self.cell_ended(end),
        }
    }

    /// Python has run the cell in hand.
    pub fn python_finished(&mut self, outcome: CellFinished) -> UnitStep {
        let end = self.execution.python_finished(outcome);
        self.cell_ended(end)
    }

    fn cell_ended(&mut self, end: CellEnd) -> UnitStep {
        let output = self.execution.take_output();
        if !output.items.is_empty() || output.error.is_some() {
            self.cells.push(output);
        }
        match end {
            CellEnd::Done if self.next_cell.is_some() => UnitStep::UnitEnded,
            CellEnd::Done | CellEnd::Exited => self.succeed(),
            CellEnd::Failed(failure) => {
                let outcome = AttemptOutcome::Failed { error: failure.task_error, output: None };
                self.end(outcome, Some(failure.error))
            }
        }
    }

    fn succeed(&mut self) -> UnitStep {
        let output = self.execution.exit_value.take().map(AttemptOutput::Text);
        self.end(AttemptOutcome::Succeeded { output }, None)
    }

    fn end(&mut self, outcome: AttemptOutcome, error: Option<WireError>) -> UnitStep {
        let record = AttemptRecord { error, cells: std::mem::take(&mut self.cells), ..AttemptRecord::default() };
        UnitStep::Finished(Box::new(AttemptEnd {
            outcome,
            widget_defaults: self.execution.widget_defaults(),
            task_values: self.execution.values_set(),
            record,
        }))
    }
}
