//! Jobs and their runs: who is at work, whose turn it is, and what is written down.
//!
//! What a run does next is decided by [`lakelet_jobs::Run`]. Here its attempts are executed, one statement or cell at a
//! time. On a simulated clock each of those has a cost, and whoever is done first by that clock comes first, so that
//! iterations overlap as they would if they ran side by side.

mod cost;
mod documents;
mod headless;
mod inputs;
mod job_file;
mod output;
mod problems;
mod progress;
mod requests;
mod run_view;
mod scheduled;
mod start;
mod task_graph;
mod triggers;
mod work;

use std::collections::{BTreeMap, VecDeque};

use lakelet_base::{Result, Timestamp};
use lakelet_jobs::{AttemptId, RunEvent, State};
use lakelet_protocol::{PythonCall, PythonReply};
use lakelet_store::CommitCause;
use serde_json::{Map, Value};

pub use headless::{NoPython, PythonHost};
pub(crate) use problems::runnable_settings;
pub(crate) use scheduled::ScheduledRuns;
pub(crate) use triggers::{DueRun, arm, next_due_run, runs_due_until, skip_triggers};

use crate::core::Core;
use crate::notebook::Surroundings;
use documents::{Counters, Faults, RunDocument, StoredEvent};
use work::{ActiveAttempt, Work};

/// Names an attempt in flight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct AttemptToken(u64);

/// A run with what is not written down.
struct RunRecord {
    document: RunDocument,
    /// Events since the document was written.
    n_events: u64,
    /// Why its last step could not be saved.
    save_error: Option<String>,
    /// When the page hears of it next, by the measured time.
    next_view_ms: f64,
}

/// What a run is to do other than the job says.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunSettings {
    /// Values of job parameters in place of their defaults.
    pub params: Map<String, Value>,
    /// Tasks to run: `key`, `+key` with what is upstream, `key+` with what is downstream, `+key+`; all when empty.
    pub only: Vec<String>,
}

/// A run that waits until another run of its job has ended.
struct Waiting {
    for_whom: Asker,
    job: String,
    settings: RunSettings,
}

/// Who wants a run.
enum Asker {
    /// A request, which is answered when the run begins.
    Request(u64),
    /// A trigger.
    Trigger(Box<DueRun>),
}

/// All runs, and the attempts in flight.
pub(crate) struct Jobs {
    counters: Counters,
    faults: Faults,
    runs: BTreeMap<u64, RunRecord>,
    /// Runs that have not ended, oldest first.
    active: Vec<u64>,
    attempts: BTreeMap<AttemptToken, ActiveAttempt>,
    /// The attempt whose unit has begun and not ended.
    current: Option<AttemptToken>,
    last_token: u64,
    last_turn: u64,
    /// When the host got the Python cell it has in hand, by the measured time.
    python_since_ms: f64,
    waiting: VecDeque<Waiting>,
    /// What triggers have started since the clock began to move.
    scheduled: ScheduledRuns,
    /// Whether a run has ended since those who wait were asked.
    has_room: bool,
}

impl Jobs {
    /// Reads what the log holds. Runs that were going on when the worker ended are stopped and marked as interrupted.
    pub fn recover(core: &mut Core) -> Result<Self> {
        let mut runs = BTreeMap::new();
        for (key, bytes) in core.store.documents(documents::RUN_PREFIX) {
            let document: RunDocument = documents::decode(key, bytes)?;
            let record = RunRecord { document, n_events: 0, save_error: None, next_view_ms: 0.0 };
            runs.insert(record.document.run.run_id(), record);
        }
        let mut jobs = Self {
            counters: documents::read(&core.store, documents::COUNTERS_KEY)?,
            faults: documents::read(&core.store, documents::FAULTS_KEY)?,
            runs,
            active: Vec::new(),
            attempts: BTreeMap::new(),
            current: None,
            last_token: 0,
            last_turn: 0,
            python_since_ms: 0.0,
            waiting: VecDeque::new(),
            scheduled: ScheduledRuns::default(),
            has_room: false,
        };
        for (run_id, record) in &mut jobs.runs {
            if !record.document.run.state().is_ended() {
                interrupt(core, *run_id, record)?;
            }
        }
        Ok(jobs)
    }

    /// Whether a run is going on.
    pub fn is_running(&self) -> bool {
        !self.active.is_empty() || !self.waiting.is_empty()
    }

    /// Whether a statement of a task is in the middle: it sees the tables as they were when it began.
    pub fn is_in_statement(&self) -> bool {
        let current = self.current.and_then(|token| self.attempts.get(&token));
        current.is_some_and(|attempt| attempt.work.is_in_statement())
    }

    /// Whether a unit of an attempt has begun and not ended.
    pub fn is_in_unit(&self) -> bool {
        self.current.is_some()
    }

    /// The instant of the next step of a run; `None` where none is going on. A step that has begun goes on now.
    pub fn next_step(&self, now: Timestamp) -> Option<Timestamp> {
        if self.current.is_some() || self.has_room && !self.waiting.is_empty() {
            return Some(now);
        }
        self.next_turn(now).map(|turn| match turn {
            Turn::Attempt(_, at) | Turn::Wake(_, at) => at,
        })
    }

    /// Answers Python, which runs a cell of an attempt; `None` when the attempt is over.
    pub fn answer_python(
        &mut self,
        token: AttemptToken,
        call: PythonCall,
        around: &mut Surroundings<'_>,
    ) -> Option<PythonReply> {
        let attempt = self.attempts.get_mut(&token)?;
        let run = &self.runs.get(&attempt.run_id)?.document.run;
        let Work::Notebook(notebook) = &mut attempt.work else { return None };
        let stored = |task: &str, key: &str| run.task_value(task, key).cloned();
        Some(notebook.execution.answer(call, around, &stored))
    }

    /// The runs of a job, newest first.
    fn runs_of<'a>(&'a self, job_key: &'a str) -> impl Iterator<Item = &'a RunRecord> {
        self.runs.values().rev().filter(move |record| record.document.job_key == job_key)
    }

    /// Whose turn it is.
    fn next_turn(&self, now: Timestamp) -> Option<Turn> {
        let ready = self.attempts.iter().filter(|(_, attempt)| !self.is_waiting_for_run(attempt));
        let attempt = ready.min_by_key(|(_, attempt)| (attempt.due, attempt.turn));
        let wakeups = self
            .active
            .iter()
            .filter_map(|run_id| self.runs.get(run_id)?.document.run.next_wakeup().map(|at| (at, *run_id)));
        let wakeup = wakeups.min();
        match (attempt, wakeup) {
            (Some((_, attempt)), Some((at, run_id))) if at <= now || at < attempt.due => Some(Turn::Wake(run_id, at)),
            (Some((token, attempt)), _) => Some(Turn::Attempt(*token, attempt.due)),
            (None, Some((at, run_id))) => Some(Turn::Wake(run_id, at)),
            (None, None) => None,
        }
    }

    fn is_waiting_for_run(&self, attempt: &ActiveAttempt) -> bool {
        match attempt.work {
            Work::Run(run_id) => self.state_of(run_id).is_some_and(|state| !state.is_ended()),
            _ => false,
        }
    }

    fn state_of(&self, run_id: u64) -> Option<State> {
        Some(self.runs.get(&run_id)?.document.run.state())
    }

    fn token_of(&self, run_id: u64, id: &AttemptId) -> Option<AttemptToken> {
        let mut found = self.attempts.iter().filter(|(_, attempt)| attempt.run_id == run_id && attempt.id == *id);
        found.next().map(|(token, _)| *token)
    }
}

/// What happens next.
enum Turn {
    /// An attempt's unit, done at this instant.
    Attempt(AttemptToken, Timestamp),
    /// A retry is due, or a time limit is over.
    Wake(u64, Timestamp),
}

/// Stops a run that was going on when the worker ended.
fn interrupt(core: &mut Core, run_id: u64, record: &mut RunRecord) -> Result<()> {
    let run = &mut record.document.run;
    for (key, bytes) in core.store.documents(&documents::events_prefix(run_id)) {
        let stored: StoredEvent = documents::decode(key, bytes)?;
        let (event, at) = stored.into_event();
        run.advance(event, at);
    }
    if !run.state().is_ended() {
        record.document.interrupted = Some(run.context().repair_count);
        run.advance(RunEvent::Cancel, core.clock.now());
    }
    let mut transaction = core.store.begin();
    documents::remove_all(&core.store, &mut transaction, &documents::events_prefix(run_id));
    documents::write(&mut transaction, documents::run_key(run_id), &record.document)?;
    core.commit(transaction, &CommitCause::default())?;
    Ok(())
}
