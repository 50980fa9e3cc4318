//! Running jobs and notebooks to their end, for hosts that have nothing else to do.

use std::collections::BTreeMap;

use lakelet_base::{Diagnostic, Result};
use lakelet_jobs::{AttemptId, TaskKey};
use lakelet_protocol::{CellOutput, NotebookView, OutputItem, RepairRequest, Request};
use serde_json::{Value, json};

use super::RunSettings;
use super::documents::{self, AttemptRecord};
use super::start::{RunCause, run_not_found};
use crate::notebook::{CellFinished, RunCell};
use crate::workspace::Workspace;

/// Whoever runs Python cells.
pub trait PythonHost {
    /// Runs a cell to its end; while it runs, [`Workspace::python_call`] answers what it asks.
    fn run(&mut self, workspace: &mut Workspace, cell: RunCell) -> CellFinished;
}

/// A host without Python: cells fail with `PYTHON_NOT_AVAILABLE`.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoPython;

impl PythonHost for NoPython {
    fn run(&mut self, _: &mut Workspace, _: RunCell) -> CellFinished {
        CellFinished::Unavailable { message: "this host runs SQL only.".to_owned() }
    }
}

impl Workspace {
    /// Runs a job to its end and gives its record, as [`Workspace::run_json`] does. A run that fails is no error.
    ///
    /// # Errors
    /// There is no such job, or it cannot run.
    pub fn run_job(&mut self, job: &str, settings: &RunSettings, python: &mut dyn PythonHost) -> Result<Value> {
        let resource = self.project.job(job)?.clone();
        let run_id = self.start_run(&resource, settings, RunCause::asked())?;
        self.run_to_end(python);
        self.run_json(run_id)
    }

    /// Repairs a run to its end and gives its record. A repair that fails is no error.
    ///
    /// # Errors
    /// There is no such run, or it cannot be repaired so.
    pub fn repair_run(&mut self, run_id: u64, repair: &RepairRequest, python: &mut dyn PythonHost) -> Result<Value> {
        self.start_repair(run_id, repair)?;
        self.run_to_end(python);
        self.run_json(run_id)
    }

    /// Runs all cells of a notebook and gives its page. A cell that fails is no error: its output says so.
    ///
    /// # Errors
    /// There is no such notebook.
    pub fn run_notebook(
        &mut self,
        path: &str,
        widgets: BTreeMap<String, String>,
        python: &mut dyn PythonHost,
    ) -> Result<NotebookView> {
        self.start_notebook(0, path, None, widgets)?;
        self.run_to_end(python);
        self.notebook_view(path)
    }

    /// Answers a request to its end and gives the messages that came.
    pub fn request(&mut self, request: Request, python: &mut dyn PythonHost) -> Vec<lakelet_protocol::Message> {
        self.submit(request);
        self.run_to_end(python)
    }

    /// Lets runs go on for a moment.
    pub(crate) fn step_runs(&mut self, python: &mut dyn PythonHost) {
        if let Some(cell) = self.step_jobs() {
            let execution = cell.execution;
            let outcome = python.run(self, cell);
            self.cell_finished(execution, outcome);
        }
    }

    /// Steps until nothing is left to do.
    fn run_to_end(&mut self, python: &mut dyn PythonHost) -> Vec<lakelet_protocol::Message> {
        let mut messages = Vec::new();
        loop {
            let step = self.step();
            messages.extend(step.messages);
            if let Some(cell) = step.run_cell {
                let execution = cell.execution;
                let outcome = python.run(self, cell);
                self.cell_finished(execution, outcome);
            } else if step.idle {
                return messages;
            }
        }
    }

    /// The newest run of a job.
    ///
    /// # Errors
    /// There is no such job.
    pub fn newest_run(&self, job: &str) -> Result<Option<u64>> {
        Ok(self.run_summaries(job)?.first().map(|run| run.run_id))
    }

    /// A run's record as `lakelet run` prints it. The output of a notebook is its printed text, with displayed tables
    /// as lines of cells.
    ///
    /// # Errors
    /// There is no such run.
    pub fn run_json(&self, run_id: u64) -> Result<Value> {
        let record = self.jobs.runs.get(&run_id).ok_or_else(|| run_not_found(run_id))?;
        let mut json = record.document.run.to_json();
        let tasks = json.get_mut("tasks").and_then(Value::as_array_mut).into_iter().flatten();
        for task in tasks {
            let key = TaskKey::from(task.get("task_key").and_then(Value::as_str).unwrap_or_default());
            self.add_outputs(run_id, &key, None, task)?;
            let iterations = task.get_mut("iterations").and_then(Value::as_array_mut).into_iter().flatten();
            for (index, iteration) in iterations.enumerate() {
                self.add_outputs(run_id, &key, Some(index), iteration)?;
            }
        }
        Ok(json)
    }

    /// Puts what notebooks have shown into the attempts of a task's or iteration's record.
    fn add_outputs(&self, run_id: u64, key: &TaskKey, iteration: Option<usize>, json: &mut Value) -> Result<()> {
        let attempts = json.get_mut("attempts").and_then(Value::as_array_mut).into_iter().flatten();
        for (number, attempt) in attempts.enumerate() {
            let number = u32::try_from(number).map_err(|error| Box::new(Diagnostic::internal(error)))?;
            let id = AttemptId { task_key: key.clone(), iteration, attempt: number };
            let record: AttemptRecord = documents::read(&self.core.store, &documents::attempt_key(run_id, &id))?;
            if record.cells.is_empty() {
                continue;
            }
            let mut text = cells_text(&record.cells);
            if let Some(value) = attempt.pointer("/output/text").and_then(Value::as_str) {
                text.push_str(value);
            }
            if let Some(attempt) = attempt.as_object_mut() {
                attempt.insert("output".to_owned(), json!({ "text": text }));
            }
        }
        Ok(())
    }
}

/// What cells have shown, as text.
fn cells_text(cells: &[CellOutput]) -> String {
    let mut text = String::new();
    for item in cells.iter().flat_map(|cell| &cell.items) {
        match item {
            OutputItem::Text { text: printed } => text.push_str(printed),
            OutputItem::Table { header, rows } => {
                if !text.is_empty() && !text.ends_with('\n') {
                    text.push('\n');
                }
                let names: Vec<&str> = header.columns.iter().map(|column| column.name.as_str()).collect();
                text.push_str(&names.join("\t"));
                text.push('\n');
                for row in rows {
                    let cells: Vec<&str> = row.iter().map(|cell| cell.as_deref().unwrap_or("NULL")).collect();
                    text.push_str(&cells.join("\t"));
                    text.push('\n');
                }
                let rows = if header.n_rows == 1 { "row" } else { "rows" };
                text.push_str(&format!("({} {rows})\n", header.n_rows));
            }
        }
    }
    text
}
