//! Reading a lesson as a person would: every block in order, every check, on one workspace.

use std::collections::BTreeMap;

use lakelet_lessons::{
    Act, AdvanceTo, Code, Condition, ExpectedRun, Fault, Lesson, Mismatch, RecipeAction, RowSource, Script,
    check_clock, check_job, check_rows, check_run, check_version,
};
use lakelet_protocol::{AdvanceBy, Message, RepairRequest, Request, RequestBody};
use serde_json::{Map, Value, json};

use crate::jobs::PythonHost;
use crate::workspace::Workspace;

/// Tab that a lesson's statements run in.
const TAB: &str = "lesson";
/// What a missing Python says.
const NO_PYTHON: &str = "PYTHON_NOT_AVAILABLE";

/// What became of one block of a lesson.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ActOutcome {
    /// It did what it should.
    Passed,
    /// It did not; why.
    Failed(String),
    /// It was not tried, because something before it needs Python, which is not there.
    Skipped(String),
}

/// Columns and cells of the last result.
type Table = (Vec<String>, Vec<Vec<Option<String>>>);

/// Reads a lesson block by block.
pub struct LessonReader<'a> {
    workspace: &'a mut Workspace,
    python: &'a mut dyn PythonHost,
    last: Option<Table>,
    without_python: Option<String>,
}

impl<'a> LessonReader<'a> {
    /// A reader of a lesson whose project is open in `workspace`.
    pub fn new(workspace: &'a mut Workspace, python: &'a mut dyn PythonHost) -> Self {
        Self { workspace, python, last: None, without_python: None }
    }

    /// Reads all steps; `each` hears of every block: its step's id and what became of it.
    pub fn read(&mut self, lesson: &Lesson, mut each: impl FnMut(&str, &Act<'_>, ActOutcome)) {
        for step in &lesson.steps {
            for act in step.acts() {
                let outcome = self.act(&act);
                each(&step.id, &act, outcome);
            }
        }
    }

    fn act(&mut self, act: &Act<'_>) -> ActOutcome {
        // What follows a notebook that could not run rests on what it would have done.
        if let Some(reason) = &self.without_python {
            return ActOutcome::Skipped(reason.clone());
        }
        match self.perform(act) {
            Ok(()) => ActOutcome::Passed,
            Err(error) if error.contains(NO_PYTHON) => {
                self.without_python = Some(error.clone());
                ActOutcome::Skipped(error)
            }
            Err(error) => ActOutcome::Failed(error),
        }
    }

    fn perform(&mut self, act: &Act<'_>) -> Result<(), String> {
        match act {
            Act::Sql(block) => {
                if let Some(path) = &block.path {
                    self.save(path, &block.text)?;
                }
                if !block.run {
                    return Ok(());
                }
                match (self.script(&block.text), &block.fails) {
                    (Err(error), Some(condition)) if error.contains(condition.as_str()) => Ok(()),
                    (Ok(()), Some(condition)) => Err(format!("it should fail with {condition}")),
                    (outcome, _) => outcome,
                }
            }
            Act::Python(block) => {
                self.save(&block.notebook, &format!("# Databricks notebook source\n{}", block.text))?;
                if block.run { self.notebook(&block.notebook, BTreeMap::new()) } else { Ok(()) }
            }
            Act::Job(block) => self.save(&block.path, &block.text),
            Act::Do(entry, _) => self.action(&entry.action),
            Act::Starter(code) => {
                let act = match code {
                    Code::Sql(block) => Act::Sql(block),
                    Code::Python(block) => Act::Python(block),
                    Code::Job(block) => Act::Job(block),
                };
                match self.perform(&act) {
                    Err(error) if error.contains(NO_PYTHON) => Err(error),
                    // What an exercise begins with may be wrong: that is the exercise.
                    _ => Ok(()),
                }
            }
            Act::Check { check, must_hold } => {
                let outcome = check.conditions.iter().try_for_each(|condition| self.check(condition));
                match (outcome, must_hold) {
                    (Ok(()), false) => Err("the exercise is solved before it begins".to_owned()),
                    (Err(_), false) => Ok(()),
                    (outcome, true) => outcome,
                }
            }
        }
    }

    /// Does what a recipe entry or a lesson's action says.
    ///
    /// # Errors
    /// What went wrong, in words.
    pub fn action(&mut self, action: &RecipeAction) -> Result<(), String> {
        match action {
            RecipeAction::Sql { script, .. } => {
                let text = match script {
                    Script::Text(text) => text.clone(),
                    Script::File(path) => {
                        self.workspace.files().get(path).cloned().ok_or_else(|| format!("there is no file {path}"))?
                    }
                };
                self.script(&text)
            }
            RecipeAction::RunJob { job, parameters } => {
                let params: Map<String, Value> =
                    parameters.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
                let run = self.workspace.run_job(job, &params, self.python).map_err(|error| error.to_string())?;
                python_was_there(&run)
            }
            RecipeAction::Repair { job, tasks, iterations } => {
                let newest = self.workspace.newest_run(job).map_err(|error| error.to_string())?;
                let run_id = newest.ok_or_else(|| format!("{job} has no run to repair"))?;
                let iterations = iterations
                    .iter()
                    .map(|(key, index)| u32::try_from(*index).map(|index| (key.clone(), index)))
                    .collect::<Result<_, _>>()
                    .map_err(|error| error.to_string())?;
                let repair = RepairRequest { tasks: tasks.clone(), iterations };
                let run = self.workspace.repair_run(run_id, &repair, self.python).map_err(|error| error.to_string())?;
                python_was_there(&run)
            }
            RecipeAction::RunNotebook { notebook, widgets } => {
                self.notebook(notebook, widgets.iter().cloned().collect())
            }
            RecipeAction::Refresh { table, full } => {
                self.ask(RequestBody::Refresh { table: table.clone(), full: *full })
            }
            RecipeAction::Advance { to, run_due } => {
                let by = match to {
                    AdvanceTo::Minutes(n) => {
                        AdvanceBy::Minutes { n: u32::try_from(*n).map_err(|error| error.to_string())? }
                    }
                    AdvanceTo::NextSchedule => AdvanceBy::NextSchedule,
                    AdvanceTo::Instant(instant) => {
                        let ahead = instant.millis() - self.workspace.now().millis();
                        let minutes = u32::try_from(ahead / 60_000).map_err(|_| format!("{instant} is in the past"))?;
                        AdvanceBy::Minutes { n: minutes }
                    }
                };
                self.ask(RequestBody::Advance { by, run_due: *run_due })
            }
            RecipeAction::Fault(Fault::FailAfterAppend(iteration)) => {
                self.workspace.set_append_fault(*iteration).map_err(|error| error.to_string())
            }
            RecipeAction::Fault(Fault::Conflict(on)) => {
                self.workspace.set_conflict_fault(*on).map_err(|error| error.to_string())
            }
        }
    }

    fn save(&mut self, path: &str, text: &str) -> Result<(), String> {
        self.workspace.save_file(path, Some(text.to_owned())).map_err(|error| error.to_string())
    }

    fn script(&mut self, text: &str) -> Result<(), String> {
        let mut last = None;
        let outcome = self.workspace.execute_script(TAB, text, &Map::new(), |_, done| {
            let Some(found) = done.rows else { return };
            let columns = found.schema.fields().iter().map(|field| field.name().clone()).collect();
            let rows = found.batches.iter().flat_map(|batch| {
                (0..batch.num_rows()).map(|row| crate::results::text_row(batch, &found.schema, row)).collect::<Vec<_>>()
            });
            last = Some((columns, rows.collect()));
        });
        self.last = last.or_else(|| self.last.take());
        outcome.map_err(|error| error.diagnostic.to_string())
    }

    fn notebook(&mut self, path: &str, widgets: BTreeMap<String, String>) -> Result<(), String> {
        let view = self.workspace.run_notebook(path, widgets, self.python).map_err(|error| error.to_string())?;
        let error = view.cells.iter().filter_map(|cell| cell.output.as_ref()).find_map(|output| output.error.as_ref());
        match error {
            // A notebook that fails by itself is what some lessons show; their checks tell.
            Some(error) if error.condition == NO_PYTHON => Err(format!("[{NO_PYTHON}] {}", error.message)),
            _ => Ok(()),
        }
    }

    /// Asks what is answered with success or an error.
    fn ask(&mut self, body: RequestBody) -> Result<(), String> {
        let messages = self.workspace.request(Request { id: 0, body }, self.python);
        messages.into_iter().try_for_each(|message| match message {
            Message::Response(response) => {
                response.body.map(|_| ()).map_err(|error| format!("[{}] {}", error.condition, error.message))
            }
            Message::Event(_) => Ok(()),
        })
    }

    fn check(&mut self, condition: &Condition) -> Result<(), String> {
        let outcome = match condition {
            Condition::Rows { source, expected } => {
                match source {
                    RowSource::LastResult => {}
                    RowSource::Query(query) => self.script(query)?,
                    RowSource::Table(table) => self.script(&format!("SELECT * FROM {table}"))?,
                }
                let (columns, rows) = self.last.as_ref().ok_or("no statement has given rows yet")?;
                check_rows(expected, columns, rows)
            }
            Condition::Exists { table, exists } => {
                let found = self.script(&format!("DESCRIBE TABLE {table}")).is_ok();
                return if found == *exists { Ok(()) } else { Err(format!("{table} is there: {found}")) };
            }
            Condition::Version { table, version } => {
                self.script(&format!("DESCRIBE HISTORY {table} LIMIT 1"))?;
                let newest = self.last.as_ref().and_then(|(_, rows)| rows.first()?.first()?.clone());
                check_version(table, *version, newest.and_then(|text| text.parse().ok()))
            }
            Condition::Job(expected) => check_job(expected, self.workspace.job_view(&expected.name).ok().as_ref()),
            Condition::Run(expected) => self.run_holds(expected)?,
            Condition::File(path) if self.workspace.files().contains_key(path) => Ok(()),
            Condition::File(path) => return Err(format!("there is no file {path}")),
            Condition::Clock(instant) => check_clock(*instant, self.workspace.now()),
        };
        outcome.map_err(|mismatch| mismatch.detail)
    }

    fn run_holds(&self, expected: &ExpectedRun) -> Result<Result<(), Mismatch>, String> {
        let job = expected.job.as_deref().ok_or("a check of a run has to name its job")?;
        let runs = self.workspace.run_summaries(job).map_err(|error| error.to_string())?;
        let run = runs.iter().find(|run| expected.number.is_none_or(|number| number == run.number));
        let view = match run {
            Some(run) => Some(self.workspace.run_view(run.run_id).map_err(|error| error.to_string())?),
            None => None,
        };
        Ok(check_run(expected, view.as_ref()))
    }
}

/// A run that fails is no failure of a lesson, the checks tell; one that lacks Python proves nothing.
fn python_was_there(run: &Value) -> Result<(), String> {
    let text = run.to_string();
    if text.contains(NO_PYTHON) { Err(format!("[{NO_PYTHON}] a notebook task could not run")) } else { Ok(()) }
}
