//! Moving the clock, with the refreshes and runs that come due; and refreshes that a button asks for.

use lakelet_base::{Diagnostic, ErrorClass, Result, Timestamp};
use lakelet_engine::Parameters;
use lakelet_pipelines::{DueRefresh, Trigger, definition_of, next_due, record_failure, skip_schedules};
use lakelet_protocol::{
    AdvanceBy, AdvanceReport, EventBody, FAILED_REFRESHES_MAX, RefreshReport, ResponseBody, WireError,
};
use lakelet_store::{CommitCause, TableId};

use crate::core::Core;
use crate::jobs::{DueRun, PythonHost, next_due_run, skip_triggers};
use crate::project::ProjectFiles;
use crate::statement_run::{StatementDone, StatementRun};
use crate::views;
use crate::workspace::Workspace;

/// How far a move of the clock has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Progress {
    /// All is done and answered.
    Done,
    /// It goes on.
    Working,
    /// Runs have to go on first.
    Runs,
}

enum Goal {
    /// Move to an instant; `run_due` starts what comes due on the way and waits for its end.
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

/// The next thing that a schedule asks for.
enum Due {
    Refresh(DueRefresh),
    Run(DueRun),
}

impl Due {
    fn at(&self) -> Timestamp {
        match self {
            Self::Refresh(due) => due.at,
            Self::Run(due) => due.at,
        }
    }
}

/// A move of the clock or a refresh that is under way.
pub(crate) struct AdvanceActivity {
    request: u64,
    goal: Goal,
    current: Option<StatementRun>,
}

impl AdvanceActivity {
    /// Moves the clock.
    pub fn advance(request: u64, core: &Core, files: &ProjectFiles, by: AdvanceBy, run_due: bool) -> Result<Self> {
        let to = target(core, files, by)?;
        Ok(Self::to(request, to, run_due))
    }

    fn to(request: u64, to: Timestamp, run_due: bool) -> Self {
        Self { request, goal: Goal::Clock { to, run_due, came_due: CameDue::default() }, current: None }
    }

    /// Refreshes one table.
    pub fn refresh(request: u64, core: &mut Core, table: &str, full: bool) -> Result<Self> {
        let table = views::find(core, table)?;
        let run = start(core, table.id, full, Trigger::Statement)?;
        Ok(Self { request, goal: Goal::Refresh { report: None }, current: Some(run) })
    }

    /// Works for a moment.
    pub fn step(&mut self, workspace: &mut Workspace) -> Progress {
        match self.work_or_stop(workspace) {
            Ok(Progress::Done) => {
                self.answer(workspace);
                Progress::Done
            }
            Ok(progress) => progress,
            Err(diagnostic) => {
                workspace.outbox.answer(self.request, Err(WireError::new(&diagnostic, "")));
                Progress::Done
            }
        }
    }

    /// Stops where it is; what was done stays done.
    pub fn cancel(&mut self, workspace: &mut Workspace) {
        self.stop_clock(workspace);
        let error = Diagnostic::new(ErrorClass::CANCELED, "You canceled this. What had been done until then stays.");
        workspace.outbox.answer(self.request, Err(WireError::new(&error, "")));
    }

    /// The clock stays where it has come to: a reload and the page shall find it there.
    fn stop_clock(&self, workspace: &mut Workspace) {
        if !matches!(self.goal, Goal::Clock { .. }) {
            return;
        }
        workspace.take_scheduled();
        let core = &mut workspace.core;
        // Whoever moves the clock is told of the first error already; a clock that cannot be saved has none to add.
        let _ = core.move_clock(core.clock.now());
        if let Ok(clock) = views::clock(core, &workspace.project) {
            workspace.outbox.event(EventBody::ClockMoved(clock));
        }
    }

    /// Works for a moment; after an error the clock stands.
    fn work_or_stop(&mut self, workspace: &mut Workspace) -> Result<Progress> {
        let done = self.work(workspace);
        if done.is_err() {
            self.stop_clock(workspace);
        }
        done
    }

    fn work(&mut self, workspace: &mut Workspace) -> Result<Progress> {
        if let Some(run) = &mut self.current {
            let stepped = run.step(&mut workspace.core);
            if matches!(stepped, Ok(None)) {
                return Ok(Progress::Working);
            }
            self.current = None;
            return self.ended(workspace, stepped);
        }
        let Goal::Clock { to, run_due, .. } = &self.goal else { return Ok(Progress::Done) };
        let (to, run_due) = (*to, *run_due);
        if run_due {
            let due = next(&workspace.core, &workspace.project)?.filter(|due| due.at() <= to);
            // Runs and schedules take their turns by the clock; a schedule that is due at the time of a step comes first.
            let step_at = workspace.jobs.next_step(workspace.core.clock.now());
            let is_first = |due: &Due| step_at.is_none_or(|step_at| due.at() <= step_at);
            match due.filter(|due| is_first(due) && !workspace.jobs.is_in_unit()) {
                Some(due) => return self.begin(workspace, due),
                None if workspace.jobs.is_running() => return Ok(Progress::Runs),
                None => {}
            }
        }
        let core = &mut workspace.core;
        let mut transaction = core.store.begin();
        if !run_due {
            skip_schedules(&core.store, to, &mut transaction)?;
            skip_triggers(core, &workspace.project, to, &mut transaction)?;
        }
        core.clock.advance_to(to);
        core.save_clock(&mut transaction);
        core.commit(transaction, &CommitCause::default())?;
        workspace.outbox.event(EventBody::ClockMoved(views::clock(core, &workspace.project)?));
        Ok(Progress::Done)
    }

    /// Begins what is due.
    fn begin(&mut self, workspace: &mut Workspace, due: Due) -> Result<Progress> {
        let Goal::Clock { came_due, .. } = &mut self.goal else { return Ok(Progress::Done) };
        let n_runs = match &due {
            Due::Refresh(_) => {
                came_due.n_refreshes += 1;
                workspace.n_scheduled()
            }
            Due::Run(_) => workspace.count_scheduled(),
        };
        let most = workspace.core.limits.advance_runs_max;
        if came_due.n_refreshes + n_runs > most {
            return Err(Box::new(
                Diagnostic::new(
                    ErrorClass::LIMIT_EXCEEDED,
                    format!("More than {most} refreshes and runs came due (advance_runs_max)."),
                )
                .hint("Move the clock in smaller steps."),
            ));
        }
        workspace.core.clock.advance_to(due.at());
        match due {
            Due::Run(due) => workspace.start_due(due),
            Due::Refresh(due) => {
                let started = start(&mut workspace.core, due.table, false, Trigger::Schedule);
                came_due.running = Some(due);
                match started {
                    Ok(run) => self.current = Some(run),
                    Err(diagnostic) => return self.ended(workspace, Err(diagnostic)),
                }
            }
        }
        Ok(Progress::Working)
    }

    /// Takes over how a refresh ended.
    fn ended(&mut self, workspace: &mut Workspace, end: Result<Option<StatementDone>>) -> Result<Progress> {
        let outbox = &mut workspace.outbox;
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
                let report = failed(&mut workspace.core, &due, &diagnostic)?;
                outbox.event(EventBody::Refreshed(report.clone()));
                came_due.n_failed += 1;
                if came_due.failed.len() < FAILED_REFRESHES_MAX {
                    came_due.failed.push(report);
                }
                came_due.first_error.get_or_insert_with(|| of_refresh(diagnostic, &due));
            }
        }
        Ok(if matches!(self.goal, Goal::Refresh { .. }) { Progress::Done } else { Progress::Working })
    }

    fn answer(&mut self, workspace: &mut Workspace) {
        let answer = match &mut self.goal {
            Goal::Clock { came_due, .. } => {
                let runs = workspace.take_scheduled();
                views::clock(&workspace.core, &workspace.project).map(|clock| {
                    ResponseBody::Advanced(AdvanceReport {
                        clock,
                        n_refreshes: came_due.n_refreshes as u64,
                        failed: std::mem::take(&mut came_due.failed),
                        n_failed: came_due.n_failed,
                        n_runs: runs.n_runs,
                        failed_runs: runs.failed,
                        n_failed_runs: runs.n_failed,
                    })
                })
            }
            Goal::Refresh { report } => {
                Ok(ResponseBody::Refreshes(report.take().map(|report| *report).into_iter().collect()))
            }
        };
        workspace.outbox.answer(self.request, answer.map_err(|diagnostic| WireError::new(&diagnostic, "")));
    }
}

impl Workspace {
    /// Moves the clock to an instant; with `run_due` it refreshes and runs what falls due on the way.
    ///
    /// # Errors
    /// The instant is past, or a refresh or run failed: the first failure, after all that was due has run.
    pub fn advance_to(&mut self, to: Timestamp, run_due: bool, python: &mut dyn PythonHost) -> Result<()> {
        let now = self.core.clock.now();
        if to < now {
            return Err(Box::new(Diagnostic::new(
                ErrorClass::new("LAKELET_CLOCK_BACKWARDS", "22023"),
                format!("The clock shows {now} and does not go back to {to}."),
            )));
        }
        let mut activity = AdvanceActivity::to(0, to, run_due);
        loop {
            match activity.work_or_stop(self)? {
                Progress::Done => break,
                Progress::Working => {}
                Progress::Runs => self.step_runs(python),
            }
        }
        let runs = self.take_scheduled();
        let of_refreshes = match activity.goal {
            Goal::Clock { came_due, .. } => came_due.first_error,
            Goal::Refresh { .. } => None,
        };
        of_refreshes.or(runs.first_error).map_or(Ok(()), Err)
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

/// What is due next: of a refresh and a run at one instant the refresh, so that the run reads its rows.
fn next(core: &Core, files: &ProjectFiles) -> Result<Option<Due>> {
    let (refresh, run) = (next_due(&core.store)?, next_due_run(core, files)?);
    Ok(match (refresh, run) {
        (Some(refresh), Some(run)) if run.at < refresh.at => Some(Due::Run(run)),
        (Some(refresh), _) => Some(Due::Refresh(refresh)),
        (None, run) => run.map(Due::Run),
    })
}

/// When something is due next; not before now.
pub(crate) fn next_instant(core: &Core, files: &ProjectFiles) -> Result<Option<Timestamp>> {
    Ok(next(core, files)?.map(|due| due.at().max(core.clock.now())))
}

/// Where a move of the clock ends.
pub(crate) fn target(core: &Core, files: &ProjectFiles, by: AdvanceBy) -> Result<Timestamp> {
    match by {
        AdvanceBy::Minutes { n } => Ok(core.clock.now().plus_millis(i64::from(n) * 60_000)),
        AdvanceBy::NextSchedule => next_instant(core, files)?.ok_or_else(|| {
            let class = ErrorClass::new("LAKELET_NO_SCHEDULE", "02000");
            Box::new(
                Diagnostic::new(class, "No table and no job has a schedule.")
                    .hint("Make one with SCHEDULE REFRESH EVERY 1 DAY, or give a job a schedule."),
            )
        }),
    }
}
