//! Runs that triggers ask for while the clock moves.

use lakelet_base::{Diagnostic, ErrorClass, Result};
use lakelet_jobs::{Admission, ResultState};
use lakelet_protocol::{FAILED_RUNS_MAX, ScheduledRun, WireError};
use lakelet_store::CommitCause;

use super::start::{RunCause, skipped};
use super::triggers::serve;
use super::{Asker, DueRun, RunSettings, Waiting};
use crate::workspace::Workspace;

/// What triggers have started since the clock began to move, and what became of it.
#[derive(Default)]
pub(crate) struct ScheduledRuns {
    /// Runs that came due, those that could not begin among them.
    pub n_runs: usize,
    /// Those that began.
    started: Vec<(u64, DueRun)>,
    /// Those that did not, at most [`FAILED_RUNS_MAX`].
    refused: Vec<ScheduledRun>,
    n_refused: u64,
    first_error: Option<Box<Diagnostic>>,
}

/// How the runs of a move of the clock ended.
pub(crate) struct ScheduledOutcome {
    /// Runs that came due.
    pub n_runs: u64,
    /// Those without success, at most [`FAILED_RUNS_MAX`].
    pub failed: Vec<ScheduledRun>,
    /// All without success.
    pub n_failed: u64,
    /// The first of them, for callers within the engine.
    pub first_error: Option<Box<Diagnostic>>,
}

impl Workspace {
    /// Begins a run that a trigger asks for. One that cannot begin is noted: it keeps nothing else from running.
    pub(crate) fn start_due(&mut self, due: DueRun) {
        if let Err(error) = self.try_start_due(&due) {
            let runs = &mut self.jobs.scheduled;
            runs.n_refused += 1;
            if runs.refused.len() < FAILED_RUNS_MAX {
                let error = WireError::new(&error, "");
                runs.refused.push(ScheduledRun { at: due.at, job: due.job_key.clone(), run_id: None, error });
            }
            runs.first_error.get_or_insert(error);
        }
    }

    fn try_start_due(&mut self, due: &DueRun) -> Result<()> {
        let started = self.admit_due(due);
        if started.is_err() {
            // It had its turn all the same, else it would come due for ever.
            let mut transaction = self.core.store.begin();
            serve(&self.core, &self.project, due, &mut transaction)?;
            self.core.commit(transaction, &CommitCause::default())?;
        }
        started
    }

    fn admit_due(&mut self, due: &DueRun) -> Result<()> {
        let resource = self.project.job(&due.job_key)?.clone();
        let job = self.checked_job(&resource)?;
        match self.admission(&resource, &job) {
            Admission::Start => {}
            Admission::Queue => {
                let mut transaction = self.core.store.begin();
                serve(&self.core, &self.project, due, &mut transaction)?;
                self.core.commit(transaction, &CommitCause::default())?;
                let for_whom = Asker::Trigger(Box::new(due.clone()));
                self.jobs.waiting.push_back(Waiting {
                    for_whom,
                    job: due.job_key.clone(),
                    settings: RunSettings::default(),
                });
                return Ok(());
            }
            Admission::Skip => return Err(skipped(&job)),
        }
        let cause = RunCause { trigger: due.trigger.clone(), parent: None, due: Some(due) };
        let run_id = self.start_run(&resource, &RunSettings::default(), cause)?;
        self.jobs.scheduled.started.push((run_id, due.clone()));
        Ok(())
    }

    /// How the runs that came due have ended; the next move of the clock begins with none.
    pub(crate) fn take_scheduled(&mut self) -> ScheduledOutcome {
        let runs = std::mem::take(&mut self.jobs.scheduled);
        let ScheduledRuns { n_runs, started, refused: mut failed, n_refused: mut n_failed, mut first_error } = runs;
        for (run_id, due) in started {
            let Some(record) = self.jobs.runs.get(&run_id) else { continue };
            let state = record.document.run.state();
            if state.result().is_some_and(ResultState::is_success) {
                continue;
            }
            let name = &record.document.run.context().name;
            let message = format!("Run {run_id} of {name}, due at {}, ended {state}.", due.at);
            let error = Box::new(
                Diagnostic::new(ErrorClass::new("LAKELET_RUN_FAILED", "58000"), message)
                    .hint("The run's page says why, and can repair it."),
            );
            n_failed += 1;
            if failed.len() < FAILED_RUNS_MAX {
                let error = WireError::new(&error, "");
                failed.push(ScheduledRun { at: due.at, job: name.clone(), run_id: Some(run_id), error });
            }
            first_error.get_or_insert(error);
        }
        ScheduledOutcome { n_runs: n_runs as u64, failed, n_failed, first_error }
    }

    /// Runs that have come due since the clock began to move.
    pub(crate) fn n_scheduled(&self) -> usize {
        self.jobs.scheduled.n_runs
    }

    /// Counts a run that has come due.
    pub(crate) fn count_scheduled(&mut self) -> usize {
        self.jobs.scheduled.n_runs += 1;
        self.jobs.scheduled.n_runs
    }
}
