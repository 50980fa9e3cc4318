//! The tutorials from their first step to their last, with every check.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails where it cannot go on")]

mod support;

use lakelet_lessons::{
    Act, AdvanceTo, Condition, ExpectedRun, Fault, Lesson, RecipeAction, RowSource, Script, check_clock, check_job,
    check_rows, check_run, check_version,
};
use lakelet_protocol::{AdvanceBy, RepairRequest, RequestBody, ResponseBody};
use lakelet_workspace::Workspace;
use serde_json::{Map, Value, json};
use support::python::TutorialPython;
use support::{SharedLog, ask, ask_with, project};

/// Columns and cells of the last result.
type Table = (Vec<String>, Vec<Vec<Option<String>>>);

struct Reader {
    workspace: Workspace,
    last: Option<Table>,
}

impl Reader {
    fn script(&mut self, text: &str) -> Result<(), String> {
        let mut last = None;
        let outcome = self.workspace.execute_script("lesson", text, &Map::new(), |_, done| {
            if let Some(found) = done.rows {
                let columns = found.schema.fields().iter().map(|field| field.name().clone()).collect();
                let mut rows = Vec::new();
                for batch in &found.batches {
                    for row in 0..batch.num_rows() {
                        let cells = batch.columns().iter().zip(found.schema.fields());
                        let text = cells.map(|(cells, f)| lakelet_types::field_cell_text(f, cells.as_ref(), row));
                        rows.push(text.collect());
                    }
                }
                last = Some((columns, rows));
            }
        });
        self.last = last.or(self.last.take());
        outcome.map_err(|error| error.diagnostic.to_string())
    }

    fn ask(&mut self, body: RequestBody) -> ResponseBody {
        ask_with(&mut self.workspace, body, &mut TutorialPython::default()).0.unwrap()
    }

    fn act(&mut self, act: Act<'_>) -> Result<(), String> {
        match act {
            Act::Sql(block) => {
                if let Some(path) = &block.path {
                    self.workspace.save_file(path, Some(block.text.clone())).unwrap();
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
                let text = format!("# Databricks notebook source\n{}", block.text);
                self.workspace.save_file(&block.notebook, Some(text)).unwrap();
                if block.run {
                    let widgets = std::collections::BTreeMap::new();
                    self.workspace.run_notebook(&block.notebook, widgets, &mut TutorialPython::default()).unwrap();
                }
                Ok(())
            }
            Act::Job(block) => {
                self.workspace.save_file(&block.path, Some(block.text.clone())).unwrap();
                Ok(())
            }
            Act::Do(entry, _) => {
                self.perform(&entry.action);
                Ok(())
            }
            Act::Starter(code) => {
                let act = match code {
                    lakelet_lessons::Code::Sql(block) => Act::Sql(block),
                    lakelet_lessons::Code::Python(block) => Act::Python(block),
                    lakelet_lessons::Code::Job(block) => Act::Job(block),
                };
                // What an exercise begins with may be wrong: that is the exercise.
                let _ = self.act(act);
                Ok(())
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

    fn perform(&mut self, action: &RecipeAction) {
        match action {
            RecipeAction::Sql { script, .. } => {
                let text = match script {
                    Script::Text(text) => text.clone(),
                    Script::File(path) => self.workspace.files()[path].clone(),
                };
                self.script(&text).unwrap();
            }
            RecipeAction::RunJob { job, parameters } => {
                let params: Map<String, Value> =
                    parameters.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
                self.workspace.run_job(job, &params, &mut TutorialPython::default()).unwrap();
            }
            RecipeAction::Repair { job, tasks, iterations } => {
                let run_id = self.workspace.newest_run(job).unwrap().unwrap();
                let iterations = iterations.iter().map(|(key, index)| (key.clone(), u32::try_from(*index).unwrap()));
                let repair = RepairRequest { tasks: tasks.clone(), iterations: iterations.collect() };
                self.workspace.repair_run(run_id, &repair, &mut TutorialPython::default()).unwrap();
            }
            RecipeAction::RunNotebook { notebook, widgets } => {
                let widgets = widgets.iter().cloned().collect();
                self.workspace.run_notebook(notebook, widgets, &mut TutorialPython::default()).unwrap();
            }
            RecipeAction::Refresh { table, full } => {
                self.ask(RequestBody::Refresh { table: table.clone(), full: *full });
            }
            RecipeAction::Advance { to, run_due } => {
                let by = match to {
                    AdvanceTo::Minutes(n) => AdvanceBy::Minutes { n: u32::try_from(*n).unwrap() },
                    AdvanceTo::NextSchedule => AdvanceBy::NextSchedule,
                    AdvanceTo::Instant(instant) => panic!("no lesson goes to {instant}"),
                };
                self.ask(RequestBody::Advance { by, run_due: *run_due });
            }
            RecipeAction::Fault(Fault::FailAfterAppend(iteration)) => {
                self.workspace.set_append_fault(*iteration).unwrap();
            }
            RecipeAction::Fault(Fault::Conflict(on)) => self.workspace.set_conflict_fault(*on).unwrap(),
        }
    }

    fn check(&mut self, condition: &Condition) -> Result<(), String> {
        let outcome = match condition {
            Condition::Rows { source, expected } => {
                match source {
                    RowSource::LastResult => {}
                    RowSource::Query(query) => self.script(query)?,
                    RowSource::Table(table) => self.script(&format!("SELECT * FROM {table}"))?,
                }
                let (columns, rows) = self.last.as_ref().unwrap();
                check_rows(expected, columns, rows)
            }
            Condition::Exists { table, exists } => {
                let found = self.script(&format!("DESCRIBE TABLE {table}")).is_ok();
                return if found == *exists { Ok(()) } else { Err(format!("{table} is there: {found}")) };
            }
            Condition::Version { table, version } => {
                self.script(&format!("DESCRIBE HISTORY {table} LIMIT 1"))?;
                let newest = self.last.as_ref().and_then(|(_, rows)| rows[0][0].clone()).unwrap();
                check_version(table, *version, newest.parse().ok())
            }
            Condition::Job(expected) => check_job(expected, self.workspace.job_view(&expected.name).ok().as_ref()),
            Condition::Run(expected) => self.check_run(expected),
            Condition::File(path) if self.workspace.files().contains_key(path) => Ok(()),
            Condition::File(path) => return Err(format!("there is no file {path}")),
            Condition::Clock(instant) => check_clock(*instant, self.workspace.now()),
        };
        outcome.map_err(|mismatch| mismatch.detail)
    }

    fn check_run(&self, expected: &ExpectedRun) -> Result<(), lakelet_lessons::Mismatch> {
        let job = expected.job.as_deref().unwrap();
        let runs = self.workspace.run_summaries(job).unwrap();
        let run = runs.iter().find(|run| expected.number.is_none_or(|number| number == run.number));
        let view = run.map(|run| self.workspace.run_view(run.run_id).unwrap());
        check_run(expected, view.as_ref())
    }
}

fn read(id: &str) {
    let files = project(id);
    let mut lesson: Lesson = lakelet_lessons::parse(&files[&format!("lessons/{id}/en.md")]).unwrap();
    lesson.fill(|path| files.get(path).cloned()).unwrap();
    let mut workspace = SharedLog::default().open();
    ask(&mut workspace, RequestBody::OpenProject { files }).unwrap();
    let mut reader = Reader { workspace, last: None };
    let mut failures = Vec::new();
    for step in &lesson.steps {
        for act in step.acts() {
            if let Err(failure) = reader.act(act) {
                failures.push(format!("{id}/{}, line {}: {}: {failure}", step.id, act.place().line, act.kind()));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn tutorial_1_holds_what_it_says() {
    read("t1");
}

#[test]
fn tutorial_2_holds_what_it_says() {
    read("t2");
}
