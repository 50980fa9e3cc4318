//! Carrying out a lesson as a person would: every block in order, every check, on one workspace. Recipes are carried out
//! the same way.

mod conditions;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use lakelet_base::{Diagnostic, Timestamp};
use lakelet_bundle::SETUP_PATH;
use lakelet_lessons::{Act, AdvanceTo, Code, Fault, Lesson, Mismatch, RecipeAction, RecipeEntry, Script, SqlBlock};
use lakelet_protocol::{AdvanceBy, Message, RepairRequest, Request, RequestBody, WireError};
use serde_json::{Map, Value, json};

use crate::advance::target;
use crate::jobs::{PythonHost, RunSettings};
use crate::notebook::{CellFinished, RunCell};
use crate::workspace::Workspace;

/// The session of a lesson, and of whatever came before it in the same workspace.
const TAB: &str = "lesson";
/// First line of a Python notebook in source format.
const NOTEBOOK_HEADER: &str = "# Databricks notebook source\n";

/// What became of something that a lesson or recipe asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ActOutcome {
    /// It did what it should.
    Passed,
    /// It did not; why.
    Failed(String),
    /// Nothing is proven, because it needs Python, which is not there, or rests on something that does.
    Skipped(String),
}

/// Columns and cells of a result.
type Table = (Vec<String>, Vec<Vec<Option<String>>>);

/// Why an act did not do what it should.
enum Trouble {
    /// A statement, a run or a file was refused.
    Error(Box<Diagnostic>),
    /// The same, as the page would be told.
    Told(Box<WireError>),
    /// A condition does not hold.
    Mismatch(Mismatch),
    /// Whether a condition holds cannot be told, because the run that it is about had no Python.
    Unproven,
    /// Anything else, in words.
    Said(String),
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Error(diagnostic) => write!(f, "{diagnostic}"),
            Self::Told(error) => write!(f, "[{}] {}", error.condition, error.message),
            Self::Mismatch(mismatch) => f.write_str(&mismatch.detail),
            Self::Unproven => f.write_str("what the run would have done is not known"),
            Self::Said(text) => f.write_str(text),
        }
    }
}

impl From<Box<Diagnostic>> for Trouble {
    fn from(diagnostic: Box<Diagnostic>) -> Self {
        Self::Error(diagnostic)
    }
}

impl From<Mismatch> for Trouble {
    fn from(mismatch: Mismatch) -> Self {
        Self::Mismatch(mismatch)
    }
}

type Outcome<T = ()> = Result<T, Trouble>;

/// Python, and whether a cell asked for it in vain.
struct Watched<'a> {
    host: &'a mut dyn PythonHost,
    /// Why the last cell did not run.
    missing: Option<String>,
}

impl PythonHost for Watched<'_> {
    fn run(&mut self, workspace: &mut Workspace, cell: RunCell) -> CellFinished {
        let finished = self.host.run(workspace, cell);
        if let CellFinished::Unavailable { message } = &finished {
            self.missing = Some(format!("[PYTHON_NOT_AVAILABLE] There is no Python here: {message}"));
        }
        finished
    }
}

/// Carries out lessons and recipes on a workspace in which their project is open.
pub struct LessonReader<'a> {
    workspace: &'a mut Workspace,
    python: Watched<'a>,
    /// Result of the last `sql run` block of the step, if it gave rows.
    last: Option<Table>,
    /// Why everything that goes wrong from now on may do so for want of Python.
    without_python: Option<String>,
    /// Runs that had no Python.
    unproven_runs: BTreeSet<u64>,
}

impl<'a> LessonReader<'a> {
    /// A reader for the project that is open in `workspace`.
    pub fn new(workspace: &'a mut Workspace, python: &'a mut dyn PythonHost) -> Self {
        let python = Watched { host: python, missing: None };
        Self { workspace, python, last: None, without_python: None, unproven_runs: BTreeSet::new() }
    }

    /// Runs the project's script that makes the sample data; `None` where there is none.
    pub fn setup(&mut self) -> Option<ActOutcome> {
        let text = self.workspace.setup_script()?.to_owned();
        Some(self.attempt(|reader| match reader.script(TAB, &text) {
            Ok(_) => Ok(()),
            Err(trouble) => Err(Trouble::Said(format!("{SETUP_PATH}: {trouble}"))),
        }))
    }

    /// Does what an entry of a recipe says. A job run that fails is no failure of the recipe.
    pub fn recipe_entry(&mut self, entry: &RecipeEntry) -> ActOutcome {
        self.attempt(|reader| {
            let tab = match &entry.action {
                RecipeAction::Sql { tab, .. } => tab.clone(),
                _ => None,
            };
            reader.entry(entry, tab.as_deref().unwrap_or(TAB))
        })
    }

    /// Carries out all steps; `each` hears of every act: its step's id and what became of it.
    pub fn read(&mut self, lesson: &Lesson, mut each: impl FnMut(&str, &Act<'_>, ActOutcome)) {
        for step in &lesson.steps {
            self.last = None;
            for act in step.acts() {
                let outcome = self.attempt(|reader| reader.act(&act));
                each(&step.id, &act, outcome);
            }
        }
    }

    /// Does something and tells a failure from a want of Python.
    fn attempt(&mut self, work: impl FnOnce(&mut Self) -> Outcome) -> ActOutcome {
        let outcome = work(self);
        if let Some(missing) = self.python.missing.take() {
            self.without_python = Some(missing.clone());
            return ActOutcome::Skipped(missing);
        }
        match (outcome, &self.without_python) {
            (Ok(()), _) => ActOutcome::Passed,
            (Err(trouble), None) => ActOutcome::Failed(trouble.to_string()),
            (Err(trouble), Some(missing)) => {
                ActOutcome::Skipped(format!("{missing} What rests on it fails: {trouble}"))
            }
        }
    }

    fn act(&mut self, act: &Act<'_>) -> Outcome {
        match act {
            Act::Sql(block) => self.sql(block),
            Act::Python(block) => {
                let text = format!("{NOTEBOOK_HEADER}\n{}", block.text.trim_start_matches('\n'));
                self.workspace.save_file(&block.notebook, Some(text))?;
                if block.run { self.notebook(&block.notebook, BTreeMap::new()) } else { Ok(()) }
            }
            Act::Job(block) => Ok(self.workspace.save_file(&block.path, Some(block.text.clone()))?),
            Act::Do(entry, _) => self.entry(entry, TAB),
            Act::Starter(code) => {
                let act = match code {
                    Code::Sql(block) => Act::Sql(block),
                    Code::Python(block) => Act::Python(block),
                    Code::Job(block) => Act::Job(block),
                };
                // What an exercise begins with may be wrong: that is the exercise.
                let _ = self.act(&act);
                Ok(())
            }
            Act::Check { check, must_hold } => {
                let outcome = check.conditions.iter().try_for_each(|condition| self.check(condition));
                match (outcome, must_hold) {
                    (Ok(()), false) => Err(Trouble::Said("the exercise is solved before it begins".to_owned())),
                    (Err(trouble), false) if is_unsolved(&trouble) => Ok(()),
                    (outcome, _) => outcome,
                }
            }
        }
    }

    fn sql(&mut self, block: &SqlBlock) -> Outcome {
        if let Some(path) = &block.path {
            self.workspace.save_file(path, Some(block.text.clone()))?;
        }
        if !block.run {
            return Ok(());
        }
        self.last = None;
        match (self.script(TAB, &block.text), &block.fails) {
            (Ok(_), Some(condition)) => Err(Trouble::Said(format!("it should fail with {condition}"))),
            (Ok(last), None) => {
                self.last = last;
                Ok(())
            }
            (Err(Trouble::Error(error)), Some(condition)) if is_condition(error.class.condition, condition) => Ok(()),
            (Err(trouble), _) => Err(trouble),
        }
    }

    /// Does what an entry says, in the session of a tab.
    fn entry(&mut self, entry: &RecipeEntry, tab: &str) -> Outcome {
        if let Some(at) = entry.at
            && self.workspace.core.clock.is_simulated()
            && self.workspace.now() < at
        {
            self.workspace.advance_to(at, true, &mut self.python)?;
        }
        match &entry.action {
            RecipeAction::Sql { script, .. } => {
                let text = match script {
                    Script::Text(text) => text.clone(),
                    Script::File(path) => self.workspace.file_text(path)?,
                };
                self.script(tab, &text).map(|_| ())
            }
            RecipeAction::RunJob { job, parameters } => {
                let params: Map<String, Value> =
                    parameters.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
                let settings = RunSettings { params, ..RunSettings::default() };
                let run = self.workspace.run_job(job, &settings, &mut self.python)?;
                self.note_run(&run);
                Ok(())
            }
            RecipeAction::Repair { job, tasks, iterations } => {
                let newest = self.workspace.newest_run(job)?;
                let run_id = newest.ok_or_else(|| Trouble::Said(format!("{job} has no run to repair")))?;
                let iterations = iterations.iter().map(|(key, index)| match u32::try_from(*index) {
                    Ok(index) => Ok((key.clone(), index)),
                    Err(_) => Err(Trouble::Said(format!("{key} has no iteration {index}"))),
                });
                let repair = RepairRequest { tasks: tasks.clone(), iterations: iterations.collect::<Outcome<_>>()? };
                let run = self.workspace.repair_run(run_id, &repair, &mut self.python)?;
                self.note_run(&run);
                Ok(())
            }
            RecipeAction::RunNotebook { notebook, widgets } => {
                self.notebook(notebook, widgets.iter().cloned().collect())
            }
            RecipeAction::Refresh { table, full } => {
                let parts = lakelet_syntax::split_name(table).unwrap_or_default();
                let session = self.workspace.sessions.entry(tab.to_owned()).or_default();
                let table = session.qualify(&parts).to_string();
                self.ask(RequestBody::Refresh { table, full: *full })
            }
            RecipeAction::Advance { to, run_due } => {
                let to = self.instant(*to)?;
                Ok(self.workspace.advance_to(to, *run_due, &mut self.python)?)
            }
            RecipeAction::Fault(Fault::FailAfterAppend(iteration)) => {
                Ok(self.workspace.set_append_fault(*iteration)?)
            }
            RecipeAction::Fault(Fault::Conflict(on)) => Ok(self.workspace.set_conflict_fault(*on)?),
        }
    }

    fn instant(&self, to: AdvanceTo) -> Outcome<Timestamp> {
        let by = match to {
            AdvanceTo::Instant(instant) => return Ok(instant),
            AdvanceTo::NextSchedule => AdvanceBy::NextSchedule,
            AdvanceTo::Minutes(minutes) => match u32::try_from(minutes) {
                Ok(n) => AdvanceBy::Minutes { n },
                Err(_) => return Err(Trouble::Said(format!("the clock does not move by {minutes} minutes"))),
            },
        };
        Ok(target(&self.workspace.core, &self.workspace.project, by)?)
    }

    /// Remembers a run that had no Python: it proves nothing, whatever its state.
    fn note_run(&mut self, run: &Value) {
        if self.python.missing.is_some() {
            self.unproven_runs.extend(run.get("run_id").and_then(Value::as_u64));
        }
    }

    /// Runs a script and gives its last rows.
    fn script(&mut self, tab: &str, text: &str) -> Outcome<Option<Table>> {
        let mut last = None;
        let outcome = self.workspace.execute_script(tab, text, &Map::new(), |_, done| last = done.rows.or(last.take()));
        outcome.map_err(|error| Trouble::Error(error.diagnostic))?;
        Ok(last.map(|found| {
            let columns = found.schema.fields().iter().map(|field| field.name().clone()).collect();
            let mut rows = Vec::new();
            for batch in &found.batches {
                rows.extend((0..batch.num_rows()).map(|row| crate::results::text_row(batch, &found.schema, row)));
            }
            (columns, rows)
        }))
    }

    /// Runs a notebook. One that fails by itself is what some lessons show; their checks tell.
    fn notebook(&mut self, path: &str, widgets: BTreeMap<String, String>) -> Outcome {
        self.workspace.run_notebook(path, widgets, &mut self.python)?;
        Ok(())
    }

    /// Asks what is answered with success or an error.
    fn ask(&mut self, body: RequestBody) -> Outcome {
        let messages = self.workspace.request(Request { id: 0, body }, &mut self.python);
        messages.into_iter().try_for_each(|message| match message {
            Message::Response(response) => response.body.map(|_| ()).map_err(|error| Trouble::Told(Box::new(error))),
            Message::Event(_) => Ok(()),
        })
    }
}

/// Whether an exercise that has not been done may look so: something is not as it should be, or is not there yet. Any
/// other error would hide a check that is wrong itself.
fn is_unsolved(trouble: &Trouble) -> bool {
    let is_absence = |sqlstate: &str| sqlstate == "42704" || sqlstate.starts_with("42P");
    match trouble {
        Trouble::Mismatch(_) | Trouble::Said(_) => true,
        Trouble::Error(error) => is_absence(error.class.sqlstate),
        Trouble::Told(error) => is_absence(&error.sqlstate),
        Trouble::Unproven => false,
    }
}

/// Whether a condition is the expected one, which may leave out the part after the dot.
fn is_condition(found: &str, expected: &str) -> bool {
    found == expected || found.split('.').next() == Some(expected)
}
