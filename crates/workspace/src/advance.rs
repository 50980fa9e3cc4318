//! Moving the clock, with the refreshes that come due; and refreshes that a button asks for.

use lakelet_base::{Diagnostic, ErrorClass, Result, Timestamp};
use lakelet_engine::Parameters;
use lakelet_pipelines::{DueRefresh, Trigger, definition_of, next_due, record_failure, skip_schedules};
use lakelet_protocol::{
    AdvanceBy, AdvanceReport, EventBody, FAILED_REFRESHES_MAX, RefreshReport, ResponseBody, WireError,
};
use lakelet_store::{CommitCause, TableId};

use crate::core::Core;
use crate::statement_run::{StatementDone, StatementRun};
use crate::views;
use crate::workspace::{Outbox, Workspace};

enum Goal {
    /// Move to an instant; `run_due` refreshes what comes due on the way.
    Clock { to: Timestamp, run_due: bool, came_due: CameDue },
    /// One refresh.
    Refresh { report: Option<Box<RefreshReport>> },
}

/// What schedules asked for while the clock moved.
#[derive(Default)]
struct CameDue {
    n_refreshes: usize,
    n_failed: u64,
    /// At most [`FAILED_REFRESHES_MAX`].
    failed: Vec<RefreshReport>,
    /// The first failure as it was met, for callers within the engine.
    first_error: Option<Box<Diagnostic>>,
    /// The refresh that is running.
    running: Option<DueRefresh>,
}

/// A move of the clock or a refresh that is under way.
pub(crate) struct AdvanceActivity {
    request: u64,
    goal: Goal,
    current: Option<StatementRun>,
}

impl AdvanceActivity {
    /// Moves the clock.
    pub fn advance(request: u64, core: &Core, by: AdvanceBy, run_due: bool) -> Result<Self> {
        let to = target(core, by)?;
        Ok(Self { request, goal: Goal::Clock { to, run_due, came_due: CameDue::default() }, current: None })
    }

    /// Refreshes one table.
    pub fn refresh(request: u64, core: &mut Core, table: &str, full: bool) -> Result<Self> {
        let table = views::find(core, table)?;
        let run = start(core, table.id, full, Trigger::Statement)?;
        Ok(Self { request, goal: Goal::Refresh { report: None }, current: Some(run) })
    }

    /// Works for a moment. `true` when all is done and answered.
    pub fn step(&mut self, core: &mut Core, outbox: &mut Outbox) -> bool {
        match self.work_or_stop(core, outbox) {
            Ok(true) => {
                self.answer(core, outbox);
                true
            }
            Ok(false) => false,
            Err(diagnostic) => {
                outbox.answer(self.request, Err(WireError::new(&diagnostic, "")));
                true
            }
        }
    }

    /// Stops where it is; what was refreshed stays refreshed.
    pub fn cancel(&mut self, core: &mut Core, outbox: &mut Outbox) {
        self.stop_clock(core, outbox);
        let error = Diagnostic::new(ErrorClass::CANCELED, "You canceled this. What had been done until then stays.");
        outbox.answer(self.request, Err(WireError::new(&error, "")));
    }

    /// The clock stays where it has come to: a reload and the page shall find it there.
    fn stop_clock(&self, core: &mut Core, outbox: &mut Outbox) {
        if !matches!(self.goal, Goal::Clock { .. }) {
            return;
        }
        // Whoever moves the clock is told of the first error already; a clock that cannot be saved has none to add.
        let _ = core.move_clock(core.clock.now());
        if let Ok(clock) = views::clock(core) {
            outbox.event(EventBody::ClockMoved(clock));
        }
    }

    /// Works for a moment; after an error the clock stands. `true` when all is done.
    fn work_or_stop(&mut self, core: &mut Core, outbox: &mut Outbox) -> Result<bool> {
        let done = self.work(core, outbox);
        if done.is_err() {
            self.stop_clock(core, outbox);
        }
        done
    }

    fn work(&mut self, core: &mut Core, outbox: &mut Outbox) -> Result<bool> {
        if let Some(run) = &mut self.current {
            let stepped = run.step(core);
            if matches!(stepped, Ok(None)) {
                return Ok(false);
            }
            self.current = None;
            return self.ended(core, outbox, stepped);
        }
        let Goal::Clock { to, run_due, came_due } = &mut self.goal else { return Ok(true) };
        let (to, run_due) = (*to, *run_due);
        if run_due && let Some(due) = next_due(&core.store)?.filter(|due| due.at <= to) {
            came_due.n_refreshes += 1;
            if came_due.n_refreshes > core.limits.advance_runs_max {
                return Err(Box::new(
                    Diagnostic::new(
                        ErrorClass::LIMIT_EXCEEDED,
                        format!("More than {} refreshes came due (advance_runs_max).", core.limits.advance_runs_max),
                    )
                    .hint("Move the clock in smaller steps."),
                ));
            }
            core.clock.advance_to(due.at);
            let started = start(core, due.table, false, Trigger::Schedule);
            came_due.running = Some(due);
            match started {
                Ok(run) => self.current = Some(run),
                Err(diagnostic) => return self.ended(core, outbox, Err(diagnostic)),
            }
            return Ok(false);
        }
        let mut transaction = core.store.begin();
        if !run_due {
            skip_schedules(&core.store, to, &mut transaction)?;
        }
        core.clock.advance_to(to);
        core.save_clock(&mut transaction);
        core.commit(transaction, &CommitCause::default())?;
        outbox.event(EventBody::ClockMoved(views::clock(core)?));
        Ok(true)
    }

    /// Takes over how a refresh ended. `true` when nothing else is to be done.
    fn ended(&mut self, core: &mut Core, outbox: &mut Outbox, end: Result<Option<StatementDone>>) -> Result<bool> {
        match (end, &mut self.goal) {
            (Ok(done), goal) => {
                let done = done.unwrap_or_default();
                if let Some(report) = done.report {
                    if let Goal::Refresh { report: kept } = goal {
                        *kept = Some(Box::new(report.clone()));
                    }
                    outbox.event(EventBody::Refreshed(report));
                }
                if done.committed {
                    outbox.event(EventBody::CatalogChanged);
                }
            }
            (Err(diagnostic), Goal::Refresh { .. }) => return Err(diagnostic),
            (Err(diagnostic), Goal::Clock { came_due, .. }) => {
                let Some(due) = came_due.running.take() else { return Err(diagnostic) };
                let report = failed(core, &due, &diagnostic)?;
                outbox.event(EventBody::Refreshed(report.clone()));
                came_due.n_failed += 1;
                if came_due.failed.len() < FAILED_REFRESHES_MAX {
                    came_due.failed.push(report);
                }
                came_due.first_error.get_or_insert_with(|| of_refresh(diagnostic, &due));
            }
        }
        Ok(matches!(self.goal, Goal::Refresh { .. }))
    }

    fn answer(&mut self, core: &Core, outbox: &mut Outbox) {
        let answer = match &mut self.goal {
            Goal::Clock { came_due, .. } => views::clock(core).map(|clock| {
                ResponseBody::Advanced(AdvanceReport {
                    clock,
                    n_refreshes: came_due.n_refreshes as u64,
                    failed: std::mem::take(&mut came_due.failed),
                    n_failed: came_due.n_failed,
                })
            }),
            Goal::Refresh { report } => {
                Ok(ResponseBody::Refreshes(report.take().map(|report| *report).into_iter().collect()))
            }
        };
        outbox.answer(self.request, answer.map_err(|diagnostic| WireError::new(&diagnostic, "")));
    }
}

impl Workspace {
    /// Moves the clock to an instant; with `run_due` it refreshes what falls due on the way.
    ///
    /// # Errors
    /// The instant is past, or a refresh failed: the first failure, after all that was due has run.
    pub fn advance_to(&mut self, to: Timestamp, run_due: bool) -> Result<()> {
        let now = self.core.clock.now();
        if to < now {
            return Err(Box::new(Diagnostic::new(
                ErrorClass::new("LAKELET_CLOCK_BACKWARDS", "22023"),
                format!("The clock shows {now} and does not go back to {to}."),
            )));
        }
        let goal = Goal::Clock { to, run_due, came_due: CameDue::default() };
        let mut activity = AdvanceActivity { request: 0, goal, current: None };
        while !activity.work_or_stop(&mut self.core, &mut self.outbox)? {}
        match activity.goal {
            Goal::Clock { came_due: CameDue { first_error: Some(error), .. }, .. } => Err(error),
            _ => Ok(()),
        }
    }
}

/// Writes down that a scheduled refresh failed; its schedule goes on.
fn failed(core: &mut Core, due: &DueRefresh, diagnostic: &Diagnostic) -> Result<RefreshReport> {
    let mut transaction = core.store.begin();
    let report = record_failure(&core.store, due, diagnostic, &mut transaction)?;
    core.commit(transaction, &CommitCause::default())?;
    Ok(report)
}

/// The error, with the refresh it belongs to. Its place would point into a statement that the reader did not send.
fn of_refresh(mut diagnostic: Box<Diagnostic>, due: &DueRefresh) -> Box<Diagnostic> {
    diagnostic.message =
        format!("The refresh of {} that was due at {} failed: {}", due.name, due.at, diagnostic.message);
    diagnostic.span = None;
    diagnostic.suggestions.clear();
    diagnostic
}

fn start(core: &mut Core, table: TableId, full: bool, trigger: Trigger) -> Result<StatementRun> {
    let Some(definition) = definition_of(&core.store, table)? else {
        return Err(Box::new(Diagnostic::new(
            ErrorClass::new("WRONG_COMMAND_FOR_OBJECT_TYPE", "42809"),
            "This table is not refreshed: it is always up to date.",
        )));
    };
    let session = definition.session();
    let text = definition.flows.first().map(|flow| flow.statement.clone()).unwrap_or_default();
    let prepared = core.scoped(&session, &text, &Parameters::new(), |pipelines, engine, scope| {
        pipelines.refresh(engine, &definition, full, trigger, scope)
    })?;
    let cause = CommitCause { refresh_id: Some(definition.n_refreshes + 1), ..CommitCause::default() };
    Ok(StatementRun::of(prepared, &core.limits, cause))
}

/// Where a move of the clock ends.
pub(crate) fn target(core: &Core, by: AdvanceBy) -> Result<Timestamp> {
    let now = core.clock.now();
    match by {
        AdvanceBy::Minutes { n } => Ok(now.plus_millis(i64::from(n) * 60_000)),
        AdvanceBy::NextSchedule => next_due(&core.store)?.map(|due| due.at.max(now)).ok_or_else(|| {
            Box::new(
                Diagnostic::new(ErrorClass::new("LAKELET_NO_SCHEDULE", "02000"), "No table has a schedule.")
                    .hint("Make one with SCHEDULE REFRESH EVERY 1 DAY."),
            )
        }),
    }
}
