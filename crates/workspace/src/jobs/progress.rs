//! Runs going on: steps of attempts, events of runs, and what is written down of them.

use lakelet_base::{Diagnostic, ErrorClass, Result, Seed};
use lakelet_jobs::{AttemptFinished, AttemptId, ResultState, RunEffect, RunEvent, TaskError};
use lakelet_protocol::{EventBody, WireError};
use lakelet_store::CommitCause;

use super::documents::{self, AttemptRecord, StoredEvent};
use super::work::{ActiveAttempt, AttemptEnd, UnitStep, Work};
use super::{Asker, AttemptToken, Turn, cost};
use crate::notebook::{CellFinished, RunCell, Surroundings};
use crate::views;
use crate::workspace::Workspace;

/// The page hears of a run again after this many times the time that it took to draw it up.
const VIEW_PAUSE_FACTOR: f64 = 4.0;

impl Workspace {
    /// Works on the runs for a moment.
    pub(crate) fn step_jobs(&mut self) -> Option<RunCell> {
        match self.work_on_runs() {
            Ok(cell) => cell,
            Err(diagnostic) => {
                self.fail_runs(&diagnostic);
                None
            }
        }
    }

    /// Stops every run.
    pub(crate) fn cancel_jobs(&mut self) {
        for waiting in std::mem::take(&mut self.jobs.waiting) {
            // A trigger waits for no answer: the move of the clock that it belongs to is canceled as well.
            if let Asker::Request(request) = waiting.for_whom {
                let error = Diagnostic::new(ErrorClass::CANCELED, "You canceled this before it could start.");
                self.outbox.answer(request, Err(WireError::new(&error, "")));
            }
        }
        for run_id in self.jobs.active.clone() {
            if let Err(diagnostic) = self.happened(run_id, RunEvent::Cancel, None) {
                self.fail_runs(&diagnostic);
                return;
            }
        }
    }

    fn work_on_runs(&mut self) -> Result<Option<RunCell>> {
        self.admit_waiting();
        let token = match self.jobs.current {
            Some(token) => token,
            None => match self.jobs.next_turn(self.core.clock.now()) {
                Some(Turn::Attempt(token, due)) => {
                    if self.core.clock.is_simulated() {
                        self.core.clock.advance_to(due);
                    }
                    self.jobs.current = Some(token);
                    token
                }
                Some(Turn::Wake(run_id, at)) => {
                    // Nobody wants to wait for a retry in a playground, so a real clock jumps too.
                    self.core.clock.advance_to(at);
                    self.happened(run_id, RunEvent::Tick, None)?;
                    return Ok(None);
                }
                None if self.jobs.active.is_empty() => return Ok(None),
                None => return Err(Box::new(Diagnostic::internal("a run waits for nothing"))),
            },
        };
        let Some(mut attempt) = self.jobs.attempts.remove(&token) else {
            self.jobs.current = None;
            return Ok(None);
        };
        let started = (self.core.measured_ms)();
        let step = match attempt.work {
            Work::Run(run_id) => UnitStep::Finished(self.outcome_of_run(run_id)),
            _ => {
                let mut around =
                    Surroundings { core: &mut self.core, results: &mut self.results, outbox: &mut self.outbox };
                attempt.work.step(&mut around)
            }
        };
        self.measure(&mut attempt, started);
        self.take_step(token, attempt, step)
    }

    /// A cell of an attempt has ended; the attempt may have been stopped in the meantime.
    pub(crate) fn attempt_cell_finished(&mut self, token: AttemptToken, outcome: CellFinished) {
        let Some(mut attempt) = self.jobs.attempts.remove(&token) else { return };
        let step = match &mut attempt.work {
            Work::Notebook(notebook) => notebook.python_finished(outcome),
            _ => UnitStep::UnitEnded,
        };
        let started = std::mem::take(&mut self.jobs.python_since_ms);
        self.measure(&mut attempt, started);
        if let Err(diagnostic) = self.take_step(token, attempt, step) {
            self.fail_runs(&diagnostic);
        }
    }

    fn measure(&mut self, attempt: &mut ActiveAttempt, started_ms: f64) {
        let elapsed_ms = ((self.core.measured_ms)() - started_ms).max(0.0);
        attempt.measured_ms += elapsed_ms;
        if let Some(record) = self.jobs.runs.get_mut(&attempt.run_id) {
            record.document.elapsed_ms += elapsed_ms;
        }
    }

    fn take_step(
        &mut self,
        token: AttemptToken,
        mut attempt: ActiveAttempt,
        step: UnitStep,
    ) -> Result<Option<RunCell>> {
        match step {
            UnitStep::Working => {
                self.jobs.attempts.insert(token, attempt);
            }
            UnitStep::UnitEnded => {
                self.jobs.current = None;
                attempt.n_units += 1;
                self.line_up(token, attempt);
            }
            UnitStep::Python(cell, namespace) => {
                self.jobs.attempts.insert(token, attempt);
                self.jobs.python_since_ms = (self.core.measured_ms)();
                return Ok(Some(self.notebooks.hand_out(token, namespace, cell)));
            }
            UnitStep::Finished(end) => {
                self.jobs.current = None;
                self.attempt_finished(attempt, *end)?;
            }
        }
        Ok(None)
    }

    /// Lets an attempt wait for its next turn.
    pub(super) fn line_up(&mut self, token: AttemptToken, mut attempt: ActiveAttempt) {
        let now = self.core.clock.now();
        attempt.due = if self.core.clock.is_simulated() {
            let (unit, seed) = (attempt.work.next_unit(), self.seed());
            now.plus_millis(cost::millis(seed, attempt.run_id, &attempt.id, attempt.n_units, unit))
        } else {
            now
        };
        self.jobs.last_turn += 1;
        attempt.turn = self.jobs.last_turn;
        self.jobs.attempts.insert(token, attempt);
    }

    /// The seed of the project, else of the host.
    fn seed(&self) -> Seed {
        self.project.seed().unwrap_or(self.seed)
    }

    fn attempt_finished(&mut self, attempt: ActiveAttempt, end: AttemptEnd) -> Result<()> {
        let AttemptEnd { outcome, widget_defaults, task_values, mut record } = end;
        record.measured_ms = attempt.measured_ms;
        let finished = AttemptFinished { id: attempt.id.clone(), outcome, widget_defaults, task_values };
        let event = RunEvent::AttemptFinished(Box::new(finished));
        self.happened(attempt.run_id, event, Some((attempt.id, record)))
    }

    /// How an attempt that waited for a run of another job ends.
    fn outcome_of_run(&self, run_id: u64) -> Box<AttemptEnd> {
        let state = self.jobs.state_of(run_id).and_then(lakelet_jobs::State::result);
        match state {
            Some(state) if state.is_success() => AttemptEnd::succeeded(),
            Some(ResultState::Canceled) => {
                AttemptEnd::failed(TaskError::new("CANCELED", format!("Run {run_id} was canceled.")))
            }
            _ => {
                AttemptEnd::failed(TaskError::new("RUN_EXECUTION_ERROR", format!("Run {run_id} failed; it says why.")))
            }
        }
    }

    /// Tells a run what happened, writes that down, and does what the run asks for.
    pub(super) fn happened(
        &mut self,
        run_id: u64,
        event: RunEvent,
        shown: Option<(AttemptId, AttemptRecord)>,
    ) -> Result<()> {
        let now = self.core.clock.now();
        let Some(record) = self.jobs.runs.get_mut(&run_id) else { return Ok(()) };
        let stored = StoredEvent::new(&event, now);
        let effects = record.document.run.advance(event, now);
        let mut transaction = self.core.store.begin();
        if let Some((id, shown)) = shown {
            documents::write(&mut transaction, documents::attempt_key(run_id, &id), &shown)?;
        }
        if record.document.run.state().is_ended() {
            documents::remove_all(&self.core.store, &mut transaction, &documents::events_prefix(run_id));
            documents::write(&mut transaction, documents::run_key(run_id), &record.document)?;
            record.n_events = 0;
        } else {
            record.n_events += 1;
            documents::write(&mut transaction, documents::event_key(run_id, record.n_events), &stored)?;
        }
        self.core.save_clock(&mut transaction);
        self.core.commit(transaction, &CommitCause::default())?;
        self.take_effects(run_id, effects)
    }

    /// Does what a run asks for.
    pub(super) fn take_effects(&mut self, run_id: u64, effects: Vec<RunEffect>) -> Result<()> {
        let mut has_ended = false;
        for effect in effects {
            match effect {
                RunEffect::StartAttempt(start) => self.start_attempt(run_id, *start)?,
                RunEffect::StopAttempt(id) => self.stop_attempt(run_id, &id)?,
                // The run's own record has the iterations, and next_turn looks at its wakeups.
                RunEffect::IterationsPlanned { .. } | RunEffect::Wait { .. } => {}
                RunEffect::Finish { .. } => has_ended = true,
            }
        }
        if has_ended {
            self.jobs.active.retain(|active| *active != run_id);
            self.jobs.has_room = true;
        }
        self.show_run(run_id, has_ended)?;
        if has_ended && self.core.clock.is_simulated() {
            self.outbox.event(EventBody::ClockMoved(views::clock(&self.core, &self.project)?));
        }
        Ok(())
    }

    fn stop_attempt(&mut self, run_id: u64, id: &AttemptId) -> Result<()> {
        let Some(token) = self.jobs.token_of(run_id, id) else { return Ok(()) };
        let attempt = self.jobs.attempts.remove(&token);
        if self.jobs.current == Some(token) {
            self.jobs.current = None;
        }
        match attempt.map(|attempt| attempt.work) {
            Some(Work::Run(child)) => self.happened(child, RunEvent::Cancel, None),
            _ => Ok(()),
        }
    }

    /// Tells the page where a run stands; not after every step where drawing that up takes longer than the step.
    fn show_run(&mut self, run_id: u64, has_ended: bool) -> Result<()> {
        let before = (self.core.measured_ms)();
        let is_due = self.jobs.runs.get(&run_id).is_some_and(|record| has_ended || record.next_view_ms <= before);
        if !is_due {
            return Ok(());
        }
        let view = self.run_view(run_id)?;
        self.outbox.event(EventBody::RunChanged(view));
        let after = (self.core.measured_ms)();
        if let Some(record) = self.jobs.runs.get_mut(&run_id) {
            record.next_view_ms = after + (after - before) * VIEW_PAUSE_FACTOR;
        }
        Ok(())
    }

    /// What happens to runs cannot be written down: they stop here, and say why.
    fn fail_runs(&mut self, diagnostic: &Diagnostic) {
        let now = self.core.clock.now();
        self.jobs.attempts.clear();
        self.jobs.current = None;
        for run_id in std::mem::take(&mut self.jobs.active) {
            if let Some(record) = self.jobs.runs.get_mut(&run_id) {
                record.document.run.advance(RunEvent::Cancel, now);
                record.save_error = Some(diagnostic.to_string());
            }
            if let Ok(view) = self.run_view(run_id) {
                self.outbox.event(EventBody::RunChanged(view));
            }
        }
    }
}
