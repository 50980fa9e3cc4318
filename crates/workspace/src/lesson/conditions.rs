//! Whether the conditions of a check hold. Looking changes nothing.

use lakelet_base::{Diagnostic, ErrorClass};
use lakelet_lessons::{
    Condition, ExpectedRun, RowSource, check_clock, check_job, check_rows, check_run, check_version,
};
use lakelet_protocol::RunView;
use lakelet_syntax::statement::Statement;
use serde_json::Map;

use super::{LessonReader, Outcome, TAB, Table, Trouble};

const NO_PYTHON: &str = "PYTHON_NOT_AVAILABLE";

impl LessonReader<'_> {
    /// Whether a condition holds.
    pub(super) fn check(&mut self, condition: &Condition) -> Outcome {
        match condition {
            Condition::Rows { source, expected } => {
                let looked;
                let (columns, rows) = match source {
                    RowSource::LastResult => self.last.as_ref().ok_or_else(no_result)?,
                    RowSource::Query(query) => {
                        looked = self.look(query)?;
                        &looked
                    }
                    RowSource::Table(table) => {
                        looked = self.look(&format!("SELECT * FROM {table}"))?;
                        &looked
                    }
                };
                Ok(check_rows(expected, columns, rows)?)
            }
            Condition::Exists { table, exists } => {
                let found = found(self.look(&format!("DESCRIBE TABLE {table}")))?.is_some();
                match (found, exists) {
                    (true, false) => Err(Trouble::Said(format!("{table} is still there"))),
                    (false, true) => Err(Trouble::Said(format!("there is no {table}"))),
                    _ => Ok(()),
                }
            }
            Condition::Version { table, version } => {
                let newest = found(self.look(&format!("DESCRIBE HISTORY {table} LIMIT 1")))?;
                let newest = newest.and_then(|(_, rows)| rows.first()?.first()?.as_ref()?.parse().ok());
                Ok(check_version(table, *version, newest)?)
            }
            // A job that is not there is what the comparison speaks of.
            Condition::Job(expected) => Ok(check_job(expected, self.workspace.job_view(&expected.name).ok().as_ref())?),
            Condition::Run(expected) => self.check_run(expected),
            Condition::File(path) if self.workspace.project.project().contains(path) => Ok(()),
            Condition::File(path) => Err(Trouble::Said(format!("there is no file {path}"))),
            Condition::Clock(instant) => Ok(check_clock(*instant, self.workspace.now())?),
        }
    }

    /// The rows of a statement that only looks.
    fn look(&mut self, text: &str) -> Outcome<Table> {
        let script = crate::script::parse(text, &Map::new(), &self.workspace.core.limits);
        let only_looks = |statement: &Statement| {
            matches!(
                statement,
                Statement::Query(_)
                    | Statement::Show(_)
                    | Statement::DescribeTable(_)
                    | Statement::DescribeQuery(_)
                    | Statement::DescribeHistory(_)
                    | Statement::Explain(_)
            )
        };
        for statement in &script.statements {
            if !only_looks(statement.statement.as_ref().map_err(Clone::clone)?) {
                return Err(Trouble::Said("a check only looks, and this statement changes something".to_owned()));
            }
        }
        self.script(TAB, text)?.ok_or_else(no_result)
    }

    /// The run that is meant is the job's or anybody's with the number, or the newest.
    fn check_run(&self, expected: &ExpectedRun) -> Outcome {
        let jobs: Vec<&str> = match &expected.job {
            Some(job) => vec![job],
            None => self.workspace.bundle().jobs.iter().map(|job| job.key.as_str()).collect(),
        };
        // A job that is not there has no runs; the comparison says so.
        let runs = jobs.iter().flat_map(|job| self.workspace.run_summaries(job).unwrap_or_default());
        let run =
            runs.filter(|run| expected.number.is_none_or(|number| number == run.number)).max_by_key(|run| run.run_id);
        let view = match run {
            Some(run) => Some(self.workspace.run_view(run.run_id)?),
            None => None,
        };
        if view.as_ref().is_some_and(|view| self.is_unproven(view)) {
            return Err(Trouble::Unproven);
        }
        Ok(check_run(expected, view.as_ref())?)
    }

    fn is_unproven(&self, view: &RunView) -> bool {
        let iterations = view.tasks.iter().flat_map(|task| task.iterations.iter().flatten());
        let attempts = iterations.flat_map(|iteration| &iteration.attempts);
        let attempts = attempts.chain(view.tasks.iter().flat_map(|task| &task.attempts));
        let mut errors = attempts.filter_map(|attempt| attempt.error.as_ref());
        self.unproven_runs.contains(&view.summary.run_id) || errors.any(|error| error.condition == NO_PYTHON)
    }
}

/// What was found; `None` where the table is not there.
fn found(looked: Outcome<Table>) -> Outcome<Option<Table>> {
    const ABSENT: [ErrorClass; 3] =
        [ErrorClass::TABLE_OR_VIEW_NOT_FOUND, ErrorClass::SCHEMA_NOT_FOUND, ErrorClass::CATALOG_NOT_FOUND];
    let is_absent = |error: &Diagnostic| ABSENT.contains(&error.class);
    match looked {
        Ok(table) => Ok(Some(table)),
        Err(Trouble::Error(error)) if is_absent(&error) => Ok(None),
        Err(trouble) => Err(trouble),
    }
}

fn no_result() -> Trouble {
    Trouble::Said("no statement of the step has given rows yet".to_owned())
}
