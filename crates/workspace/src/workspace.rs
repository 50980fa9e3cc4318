//! The workspace: requests in, messages and effects out.

use std::collections::{HashMap, VecDeque};

use lakelet_base::{Diagnostic, Limits, RealClock, Result, Seed, SimulatedClock, Timestamp};
use lakelet_engine::{Engine, Session, parameters_from_json};
use lakelet_pipelines::Pipelines;
use lakelet_protocol::{
    Event, EventBody, Message, PythonCall, PythonReply, Request, RequestBody, Response, ResponseBody, WireError,
};
use lakelet_store::{RecoveryReport, Storage, Store};
use serde_json::{Map, Value};

use crate::advance::{AdvanceActivity, Progress};
use crate::core::Core;
use crate::jobs::Jobs;
use crate::notebook::{CellFinished, Notebooks, RunCell};
use crate::project::ProjectFiles;
use crate::results::Results;
use crate::script::{ScriptActivity, parse, statement_cause};
use crate::statement_run::{StatementDone, StatementRun};
use crate::views;

/// The workspace clock.
pub enum ClockMode {
    /// Stands still between moves, from this instant on.
    Simulated {
        /// Where a new workspace begins.
        start: Timestamp,
    },
    /// System time plus an offset that only grows.
    Real {
        /// The host's time.
        system: Box<dyn Fn() -> Timestamp>,
    },
}

/// What a host decides.
pub struct WorkspaceOptions {
    /// The clock.
    pub clock: ClockMode,
    /// Bounds.
    pub limits: Limits,
    /// Seed of everything that looks random.
    pub seed: Seed,
    /// Milliseconds that only grow, for elapsed times.
    pub measured_ms: Box<dyn Fn() -> f64>,
}

/// What a step gave.
#[derive(Debug, Default)]
pub struct StepOutcome {
    /// To be sent in order, once the log's records of this step are safe.
    pub messages: Vec<Message>,
    /// A Python cell that the host is to run now.
    pub run_cell: Option<RunCell>,
    /// Nothing is left to do until the next request.
    pub idle: bool,
}

/// Messages on their way out.
#[derive(Default)]
pub(crate) struct Outbox {
    messages: Vec<Message>,
    last_event: u64,
}

impl Outbox {
    /// Sends news.
    pub fn event(&mut self, body: EventBody) {
        self.last_event += 1;
        self.messages.push(Message::Event(Event { seq: self.last_event, body }));
    }

    /// Answers a request.
    pub fn answer(&mut self, request: u64, body: Result<ResponseBody, WireError>) {
        self.messages.push(Message::Response(Response { id: request, body }));
    }
}

/// One statement of a script failed; the ones before it stand.
#[derive(Debug)]
pub struct ScriptError {
    /// 0-based number of the statement.
    pub statement: usize,
    /// What is wrong, its places in the script.
    pub diagnostic: Box<Diagnostic>,
}

/// Everything there is, behind one door.
pub struct Workspace {
    pub(crate) core: Core,
    pub(crate) sessions: HashMap<String, Session>,
    pub(crate) results: Results,
    pub(crate) outbox: Outbox,
    pub(crate) jobs: Jobs,
    pub(crate) notebooks: Notebooks,
    pub(crate) project: ProjectFiles,
    pub(crate) seed: Seed,
    queue: VecDeque<Request>,
    script: Option<ScriptActivity>,
    advance: Option<AdvanceActivity>,
    start: Timestamp,
}

impl Workspace {
    /// Numbers the results that are kept from here on from after `number`. A page whose engine was started again still
    /// has headers of results that are gone.
    pub fn number_results_from(&mut self, number: u64) {
        self.results.number_from(number);
    }

    /// Catalog and schema of a text `catalog.schema`, as reports say it; `None` if it is not there any more.
    fn find_schema(&self, text: &str) -> Option<(String, String)> {
        let store = &self.core.store;
        let pairs = store.catalog_names().into_iter().flat_map(|catalog| {
            store.schema_names(catalog).into_iter().map(move |schema| (catalog.to_owned(), schema.to_owned()))
        });
        pairs.into_iter().find(|(catalog, schema)| format!("{catalog}.{schema}").eq_ignore_ascii_case(text))
    }

    /// Opens the workspace that a log holds; an empty log is a new workspace.
    ///
    /// # Errors
    /// When the log is damaged, or cannot be read.
    pub fn open(mut storage: Box<dyn Storage>, options: WorkspaceOptions) -> Result<(Self, RecoveryReport)> {
        let (store, report) = Store::recover_with_limits(storage.as_mut(), options.limits.clone())?;
        let engine = Engine::new(&options.limits)?;
        let start = match &options.clock {
            ClockMode::Simulated { start } => *start,
            ClockMode::Real { .. } => Timestamp::LESSON_START,
        };
        let clock: Box<dyn lakelet_base::Clock> = match options.clock {
            ClockMode::Simulated { start } => Box::new(SimulatedClock::new(start)),
            ClockMode::Real { system } => Box::new(RealClock::new(system)),
        };
        let mut core = Core {
            store,
            storage,
            engine,
            pipelines: Pipelines::default(),
            clock,
            limits: options.limits,
            measured_ms: options.measured_ms,
        };
        core.recover_clock()?;
        let jobs = Jobs::recover(&mut core)?;
        let project = ProjectFiles::recover(&core)?;
        let workspace = Self {
            core,
            sessions: HashMap::new(),
            results: Results::default(),
            outbox: Outbox::default(),
            jobs,
            notebooks: Notebooks::default(),
            project,
            seed: options.seed,
            queue: VecDeque::new(),
            script: None,
            advance: None,
            start,
        };
        Ok((workspace, report))
    }

    /// The workspace clock.
    pub fn now(&self) -> Timestamp {
        self.core.clock.now()
    }

    /// The instant of the newest commit, if there is any.
    pub fn last_commit(&self) -> Option<Timestamp> {
        self.core.store.last_commit()
    }

    /// Takes a request. Its answer comes out of a later step; a cancel acts at once on what runs.
    pub fn submit(&mut self, request: Request) {
        if matches!(request.body, RequestBody::Cancel) {
            self.cancel();
            self.outbox.answer(request.id, Ok(ResponseBody::Done));
            return;
        }
        self.queue.push_back(request);
    }

    /// Does a bounded piece of work.
    pub fn step(&mut self) -> StepOutcome {
        let mut run_cell = None;
        if self.notebooks.awaits_python() {
            // A cell is in Python's hands; nothing else may run between its calls.
        } else if let Some(script) = &mut self.script {
            if script.step(&mut self.core, &mut self.results, &mut self.outbox) {
                self.sessions.insert(script.tab().to_owned(), script.session().clone());
                self.script = None;
            }
        } else if let Some(mut advance) = self.advance.take() {
            let progress = advance.step(self);
            if progress != Progress::Done {
                self.advance = Some(advance);
            }
            if progress == Progress::Runs {
                run_cell = self.step_beside_runs();
            }
        } else if self.notebooks.is_in_statement() {
            // A statement sees the tables as they were when it began, so nothing else may change them meanwhile.
            run_cell = self.step_notebook();
        } else if self.jobs.is_in_statement() {
            run_cell = self.step_jobs();
        } else if let Some(request) = self.next_request() {
            self.take(request);
        } else if self.notebooks.is_running() {
            run_cell = self.step_notebook();
        } else if self.jobs.is_running() {
            run_cell = self.step_jobs();
        }
        let idle = self.queue.is_empty()
            && self.script.is_none()
            && self.advance.is_none()
            && !self.notebooks.is_running()
            && !self.jobs.is_running();
        StepOutcome { messages: std::mem::take(&mut self.outbox.messages), run_cell, idle }
    }

    /// Requests that start something long wait for a notebook to end; questions are answered in between.
    fn next_request(&mut self) -> Option<Request> {
        self.queue.pop_front()
    }

    /// While the clock waits for runs that came due: a step of theirs, or a question about how they do.
    fn step_beside_runs(&mut self) -> Option<RunCell> {
        if !self.jobs.is_in_statement()
            && let Some(request) = self.queue.pop_front_if(|request| is_question(&request.body))
        {
            self.take(request);
            return None;
        }
        self.step_jobs()
    }

    /// One call from Python while a cell runs.
    pub fn python_call(&mut self, call: PythonCall) -> PythonReply {
        self.answer_python(call)
    }

    /// The cell that a step gave to run has ended.
    pub fn cell_finished(&mut self, execution: u64, outcome: CellFinished) {
        self.finish_cell(execution, outcome);
    }

    /// Runs a script to its end and hands each statement's result out; stops at the first error.
    ///
    /// # Errors
    /// The first statement that failed; those before it stand.
    pub fn execute_script(
        &mut self,
        tab: &str,
        text: &str,
        params: &Map<String, Value>,
        mut each: impl FnMut(usize, StatementDone),
    ) -> std::result::Result<(), ScriptError> {
        let parameters = parameters_from_json(params).map_err(|diagnostic| ScriptError { statement: 0, diagnostic })?;
        for statement in parse(text, params, &self.core.limits).statements {
            let number = statement.index;
            let fail = |diagnostic: Box<Diagnostic>| ScriptError { statement: number, diagnostic };
            let parsed = statement.statement.as_ref().map_err(|diagnostic| fail(diagnostic.clone()))?;
            let shift = |diagnostic: Box<Diagnostic>| fail(Box::new(diagnostic.shifted(statement.offset())));
            let session = self.sessions.entry(tab.to_owned()).or_default().clone();
            let cause = statement_cause(statement.text());
            let mut run = StatementRun::start(&mut self.core, parsed, statement.text(), &session, &parameters, cause)
                .map_err(shift)?;
            let mut done = loop {
                if let Some(done) = run.step(&mut self.core).map_err(shift)? {
                    break done;
                }
            };
            for warning in &mut done.warnings {
                *warning = warning.clone().shifted(statement.offset());
            }
            if let Some(session) = &done.session {
                self.sessions.insert(tab.to_owned(), session.clone());
            }
            each(number, done);
        }
        Ok(())
    }

    fn cancel(&mut self) {
        if let Some(mut script) = self.script.take() {
            script.cancel(&mut self.outbox);
        }
        if let Some(mut advance) = self.advance.take() {
            advance.cancel(self);
        }
        self.cancel_notebooks();
        self.cancel_jobs();
    }

    fn take(&mut self, request: Request) {
        let Request { id, body } = request;
        match self.answer(id, body) {
            Ok(Some(answer)) => self.outbox.answer(id, Ok(answer)),
            Ok(None) => {}
            Err(diagnostic) => self.outbox.answer(id, Err(WireError::new(&diagnostic, ""))),
        }
    }

    /// Answers at once, or starts something that answers later (`None`).
    fn answer(&mut self, id: u64, body: RequestBody) -> Result<Option<ResponseBody>> {
        let answer = match body {
            RequestBody::OpenProject { files } => {
                self.open_project(files)?;
                ResponseBody::Done
            }
            RequestBody::Reset => {
                self.reset()?;
                ResponseBody::Done
            }
            RequestBody::RunScript { tab, text, range, params, schema } => {
                let mut session = self.sessions.entry(tab.clone()).or_default().clone();
                if let Some((catalog, schema)) = schema.and_then(|schema| self.find_schema(&schema)) {
                    (session.catalog, session.schema) = (catalog, schema);
                }
                self.script = Some(ScriptActivity::new(id, tab, text, range, &params, session, &self.core.limits)?);
                return Ok(None);
            }
            RequestBody::Cancel => ResponseBody::Done,
            RequestBody::FetchPage { result, row_from, n_rows } => {
                let n_rows = (n_rows as usize).min(self.core.limits.rows_per_page_max);
                ResponseBody::Page(self.results.page(result, row_from, n_rows)?)
            }
            RequestBody::CloseResult { result } => {
                self.results.close(result);
                ResponseBody::Done
            }
            RequestBody::Catalog => ResponseBody::Catalog(views::catalog(&self.core)?),
            RequestBody::Table { table } => ResponseBody::Table(views::table(&self.core, &table)?),
            RequestBody::OpenRows { table, version } => {
                let rows = views::rows(&self.core, &table, version)?;
                ResponseBody::Result(self.results.keep(rows))
            }
            RequestBody::Changes { table, from, to } => {
                ResponseBody::Changes(views::changes(&self.core, &table, from, to)?)
            }
            RequestBody::Versions { table } => ResponseBody::Versions(views::versions(&self.core, &table)?),
            RequestBody::Refreshes { table } => ResponseBody::Refreshes(views::refreshes(&self.core, &table)?),
            RequestBody::Pipeline => ResponseBody::Pipeline(views::pipeline(&self.core)?),
            RequestBody::Refresh { table, full } => {
                let refresh = AdvanceActivity::refresh(id, &mut self.core, &table, full)?;
                self.advance = Some(refresh);
                return Ok(None);
            }
            RequestBody::Watermarks => ResponseBody::Watermarks(views::watermarks(&mut self.core)?),
            RequestBody::Clock => ResponseBody::Clock(views::clock(&self.core, &self.project)?),
            RequestBody::PreviewAdvance { by } => {
                ResponseBody::AdvancePreview(views::preview(&self.core, &self.project, by)?)
            }
            RequestBody::Advance { by, run_due } => {
                self.advance = Some(AdvanceActivity::advance(id, &self.core, &self.project, by, run_due)?);
                return Ok(None);
            }
            other => return self.answer_project(id, other),
        };
        Ok(Some(answer))
    }

    /// Forgets everything: the log begins anew.
    fn reset(&mut self) -> Result<()> {
        let limits = self.core.limits.clone();
        self.core.storage.truncate(0)?;
        self.core.store = Store::with_limits(limits);
        self.core.pipelines = Pipelines::default();
        if self.core.clock.is_simulated() {
            self.core.clock = Box::new(SimulatedClock::new(self.start));
        }
        self.sessions.clear();
        self.results.clear();
        self.jobs = Jobs::recover(&mut self.core)?;
        self.notebooks = Notebooks::default();
        self.project = ProjectFiles::recover(&self.core)?;
        self.outbox.event(EventBody::CatalogChanged);
        Ok(())
    }
}

/// Whether a request changes nothing and is answered at once.
fn is_question(body: &RequestBody) -> bool {
    matches!(
        body,
        RequestBody::FetchPage { .. }
            | RequestBody::CloseResult { .. }
            | RequestBody::Catalog
            | RequestBody::Table { .. }
            | RequestBody::OpenRows { .. }
            | RequestBody::Changes { .. }
            | RequestBody::Versions { .. }
            | RequestBody::Refreshes { .. }
            | RequestBody::Pipeline
            | RequestBody::Clock
            | RequestBody::PreviewAdvance { .. }
            | RequestBody::Jobs
            | RequestBody::Job { .. }
            | RequestBody::Run { .. }
            | RequestBody::Runs { .. }
            | RequestBody::Files
            | RequestBody::File { .. }
            | RequestBody::Notebook { .. }
    )
}
