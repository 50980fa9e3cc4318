//! Moving the clock, with the refreshes that come due; and refreshes that a button asks for.

use lakelet_base::{Diagnostic, ErrorClass, Result, Timestamp};
use lakelet_engine::Parameters;
use lakelet_pipelines::{Trigger, definition_of, next_due, skip_schedules};
use lakelet_protocol::{AdvanceBy, EventBody, RefreshReport, ResponseBody, WireError};
use lakelet_store::{CommitCause, TableId};

use crate::core::Core;
use crate::statement_run::StatementRun;
use crate::views;
use crate::workspace::{Outbox, Workspace};

enum Goal {
    /// Move to an instant; `run_due` refreshes what comes due on the way.
    Clock { to: Timestamp, run_due: bool },
    /// One refresh.
    Refresh { report: Option<Box<RefreshReport>> },
}

/// A move of the clock or a refresh that is under way.
pub(crate) struct AdvanceActivity {
    request: u64,
    goal: Goal,
    current: Option<(TableId, StatementRun)>,
    n_runs: usize,
}

impl AdvanceActivity {
    /// Moves the clock.
    pub fn advance(request: u64, core: &Core, by: AdvanceBy, run_due: bool) -> Result<Self> {
        let to = target(core, by)?;
        Ok(Self { request, goal: Goal::Clock { to, run_due }, current: None, n_runs: 0 })
    }

    /// Refreshes one table.
    pub fn refresh(request: u64, core: &mut Core, table: &str, full: bool) -> Result<Self> {
        let table = views::find(core, table)?;
        let run = start(core, table.id, full, Trigger::Statement)?;
        Ok(Self { request, goal: Goal::Refresh { report: None }, current: Some((table.id, run)), n_runs: 0 })
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
        if let Some((_, run)) = &mut self.current {
            let Some(done) = run.step(core)? else { return Ok(false) };
            self.current = None;
            if let Some(report) = done.report {
                if let Goal::Refresh { report: kept } = &mut self.goal {
                    *kept = Some(Box::new(report.clone()));
                }
                outbox.event(EventBody::Refreshed(report));
            }
            if done.committed {
                outbox.event(EventBody::CatalogChanged);
            }
            return Ok(matches!(self.goal, Goal::Refresh { .. }));
        }
        let Goal::Clock { to, run_due } = self.goal else { return Ok(true) };
        if run_due && let Some(due) = next_due(&core.store)?.filter(|due| due.at <= to) {
            self.n_runs += 1;
            if self.n_runs > core.limits.advance_runs_max {
                return Err(Box::new(
                    Diagnostic::new(
                        ErrorClass::LIMIT_EXCEEDED,
                        format!("More than {} refreshes came due (advance_runs_max).", core.limits.advance_runs_max),
                    )
                    .hint("Move the clock in smaller steps."),
                ));
            }
            core.clock.advance_to(due.at);
            self.current = Some((due.table, start(core, due.table, false, Trigger::Schedule)?));
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

    fn answer(&mut self, core: &Core, outbox: &mut Outbox) {
        let answer = match &mut self.goal {
            Goal::Clock { .. } => views::clock(core).map(ResponseBody::Clock),
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
    /// The instant is past, or a refresh failed; the clock then stands at the failed one.
    pub fn advance_to(&mut self, to: Timestamp, run_due: bool) -> Result<()> {
        let now = self.core.clock.now();
        if to < now {
            return Err(Box::new(Diagnostic::new(
                ErrorClass::new("LAKELET_CLOCK_BACKWARDS", "22023"),
                format!("The clock shows {now} and does not go back to {to}."),
            )));
        }
        let goal = Goal::Clock { to, run_due };
        let mut activity = AdvanceActivity { request: 0, goal, current: None, n_runs: 0 };
        while !activity.work_or_stop(&mut self.core, &mut self.outbox)? {}
        Ok(())
    }
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
