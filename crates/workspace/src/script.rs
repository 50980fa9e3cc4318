//! Running the statements of a script, one after the other.

use lakelet_base::{Diagnostic, ErrorClass, Limits, Suggestion, quote_identifier};
use lakelet_engine::{Parameters, Session, parameters_from_json};
use lakelet_protocol::{EventBody, ResponseBody, RunRange, ScriptReport, StatementReport, StatementState, WireError};
use lakelet_store::CommitCause;
use lakelet_syntax::{Script, ScriptStatement, parse_script_with_parameters};
use serde_json::{Map, Value};

use crate::core::{Core, parameter_text};
use crate::results::Results;
use crate::statement_run::{StatementDone, StatementRun};
use crate::workspace::Outbox;

/// Characters of a statement that a label shows.
const LABEL_CHARS_MAX: usize = 80;

/// A script that is running for a tab.
pub(crate) struct ScriptActivity {
    /// The request it answers.
    pub request: u64,
    tab: String,
    text: String,
    statements: Vec<ScriptStatement>,
    parameters: Parameters,
    session: Session,
    reports: Vec<StatementReport>,
    next: usize,
    current: Option<StatementRun>,
    started_ms: f64,
}

/// Parses a script with its parameters.
pub(crate) fn parse(text: &str, params: &Map<String, Value>, limits: &Limits) -> Script {
    parse_script_with_parameters(text, limits, &|name| parameter_text(params, name))
}

/// The cause of a commit that a reader's statement makes.
pub(crate) fn statement_cause(text: &str) -> CommitCause {
    CommitCause { statement: Some(label(text)), ..CommitCause::default() }
}

/// The first words of a statement on one line.
fn label(text: &str) -> String {
    let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= LABEL_CHARS_MAX {
        return line;
    }
    let cut: String = line.chars().take(LABEL_CHARS_MAX - 1).collect();
    format!("{cut}…")
}

impl ScriptActivity {
    /// Takes up a request; nothing has run yet.
    pub fn new(
        request: u64,
        tab: String,
        text: String,
        range: RunRange,
        params: &Map<String, Value>,
        session: Session,
        limits: &Limits,
    ) -> Result<Self, Box<Diagnostic>> {
        let parameters = parameters_from_json(params)?;
        let mut statements = parse(&text, params, limits).statements;
        match range {
            RunRange::All => {}
            RunRange::At { offset } => {
                let found = lakelet_syntax::statement_at(&text, offset.min(text.len()));
                statements.retain(|statement| {
                    found.is_some_and(|span| {
                        span.start <= statement.span.start && statement.span.start < span.end.max(span.start + 1)
                    })
                });
            }
            RunRange::Selection { start, end } => {
                statements.retain(|statement| statement.span.start < end && start < statement.span.end);
            }
        }
        let reports = statements
            .iter()
            .map(|statement| StatementReport {
                index: u32::try_from(statement.index).unwrap_or(u32::MAX),
                start: statement.span.start,
                end: statement.span.end,
                label: label(statement.text()),
                state: StatementState::Waiting,
                result: None,
                rows_affected: None,
                message: None,
                error: None,
                warnings: Vec::new(),
                elapsed_ms: 0.0,
            })
            .collect();
        Ok(Self {
            request,
            tab,
            text,
            statements,
            parameters,
            session,
            reports,
            next: 0,
            current: None,
            started_ms: 0.0,
        })
    }

    /// Which tab's session it changes.
    pub fn tab(&self) -> &str {
        &self.tab
    }

    /// The session so far.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Works for a moment. `true` when everything is done and the answer is out.
    pub fn step(&mut self, core: &mut Core, results: &mut Results, outbox: &mut Outbox) -> bool {
        if let Some(run) = &mut self.current {
            let before = run.n_rows();
            let stepped = run.step(core);
            let after = run.n_rows();
            if after != before {
                outbox.event(EventBody::Progress { n_rows: after });
            }
            match stepped {
                Ok(None) => return false,
                Ok(Some(done)) => {
                    self.done(done, core, results, outbox);
                }
                Err(diagnostic) => {
                    let offset = self.statements[self.next].offset();
                    self.failed(&diagnostic.shifted(offset), core, outbox);
                }
            }
            return self.is_over(outbox);
        }
        let Some(statement) = self.statements.get(self.next) else {
            return self.is_over(outbox);
        };
        self.started_ms = (core.measured_ms)();
        let parsed = match &statement.statement {
            Ok(parsed) => parsed,
            Err(diagnostic) => {
                let diagnostic = diagnostic.as_ref().clone();
                self.failed(&diagnostic, core, outbox);
                return self.is_over(outbox);
            }
        };
        let text = statement.text();
        let started = StatementRun::start(core, parsed, text, &self.session, &self.parameters, statement_cause(text));
        match started {
            Ok(run) => {
                self.current = Some(run);
                self.set_state(StatementState::Running, outbox);
            }
            Err(diagnostic) => {
                let offset = self.statements[self.next].offset();
                self.failed(&diagnostic.shifted(offset), core, outbox);
            }
        }
        self.is_over(outbox)
    }

    /// Stops where it is: the running statement has changed nothing.
    pub fn cancel(&mut self, outbox: &mut Outbox) {
        self.current = None;
        if self.next < self.reports.len() {
            let error = Diagnostic::new(ErrorClass::CANCELED, "You canceled the statement. It changed nothing.");
            self.reports[self.next].error = Some(WireError::new(&error, &self.text));
            self.set_state(StatementState::Canceled, outbox);
            self.skip_rest(outbox);
        }
        self.answer(outbox);
    }

    fn done(&mut self, done: StatementDone, core: &Core, results: &mut Results, outbox: &mut Outbox) {
        let offset = self.statements[self.next].offset();
        let report = &mut self.reports[self.next];
        report.rows_affected = done.rows_affected;
        report.message = message(&done);
        report.warnings =
            done.warnings.iter().map(|warning| WireError::new(&warning.clone().shifted(offset), &self.text)).collect();
        report.elapsed_ms = (core.measured_ms)() - self.started_ms;
        if let Some(session) = done.session {
            self.session = session;
        }
        if let Some(refresh) = done.report {
            outbox.event(EventBody::Refreshed(refresh));
        }
        if done.committed {
            outbox.event(EventBody::CatalogChanged);
        }
        report.result = done.rows.map(|rows| results.keep(rows));
        self.current = None;
        self.set_state(StatementState::Done, outbox);
        self.next += 1;
    }

    /// `diagnostic` has its places in the script.
    fn failed(&mut self, diagnostic: &Diagnostic, core: &Core, outbox: &mut Outbox) {
        self.current = None;
        let filled = self.filled_placeholder(diagnostic);
        let error = filled.into_iter().fold(diagnostic.clone(), Diagnostic::suggest);
        let report = &mut self.reports[self.next];
        report.error = Some(WireError::new(&error, &self.text));
        report.elapsed_ms = (core.measured_ms)() - self.started_ms;
        self.set_state(StatementState::Failed, outbox);
        self.skip_rest(outbox);
    }

    /// What stands for a placeholder that asks for a catalog or a schema: the one in force.
    fn filled_placeholder(&self, diagnostic: &Diagnostic) -> Option<Suggestion> {
        let span = diagnostic.span.filter(|_| diagnostic.class == ErrorClass::PLACEHOLDER_NOT_FILLED)?;
        let written = self.text.get(span.start..span.end)?.to_lowercase();
        let name = if written.contains("catalog") {
            &self.session.catalog
        } else if written.contains("schema") {
            &self.session.schema
        } else {
            return None;
        };
        let label = format!("The present one is {name}.");
        Some(Suggestion { label, span: Some(span), replacement: quote_identifier(name) })
    }

    fn skip_rest(&mut self, outbox: &mut Outbox) {
        self.next += 1;
        while self.next < self.reports.len() {
            self.set_state(StatementState::NotRun, outbox);
            self.next += 1;
        }
    }

    fn set_state(&mut self, state: StatementState, outbox: &mut Outbox) {
        let report = &mut self.reports[self.next];
        report.state = state;
        outbox.event(EventBody::StatementChanged { tab: self.tab.clone(), report: report.clone() });
    }

    fn is_over(&mut self, outbox: &mut Outbox) -> bool {
        if self.next < self.statements.len() {
            return false;
        }
        self.answer(outbox);
        true
    }

    fn answer(&mut self, outbox: &mut Outbox) {
        let report = ScriptReport {
            tab: self.tab.clone(),
            statements: std::mem::take(&mut self.reports),
            current_schema: format!("{}.{}", self.session.catalog, self.session.schema),
        };
        outbox.answer(self.request, Ok(ResponseBody::Script(report)));
    }
}

fn message(done: &StatementDone) -> Option<String> {
    let versions: Vec<String> =
        done.versions.iter().map(|(name, version)| format!("{} is at version {version}", name.name)).collect();
    (!versions.is_empty()).then(|| versions.join(", "))
}
