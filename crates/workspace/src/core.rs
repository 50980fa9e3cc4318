//! What statements run on: the store and its log, the engine, the pipelines, the clock.

use std::collections::HashMap;

use lakelet_base::{Clock, Limits, Result, SimulatedClock, Timestamp};
use lakelet_engine::{Engine, Parameters, Scope, Session};
use lakelet_pipelines::Pipelines;
use lakelet_store::{CommitCause, CommitOutcome, Storage, Store, Transaction};

/// Document with the instant that the clock was moved to.
const CLOCK_KEY: &str = "clock";

/// The parts of a workspace that statements need.
pub(crate) struct Core {
    pub store: Store,
    pub storage: Box<dyn Storage>,
    pub engine: Engine,
    pub pipelines: Pipelines,
    pub clock: Box<dyn Clock>,
    pub limits: Limits,
    /// Milliseconds that only grow, for elapsed times.
    pub measured_ms: Box<dyn Fn() -> f64>,
}

impl Core {
    /// Commits a transaction; nothing happens when it is empty.
    pub fn commit(&mut self, mut transaction: Transaction, cause: &CommitCause) -> Result<Option<CommitOutcome>> {
        if transaction.is_empty() {
            return Ok(None);
        }
        transaction.caused_by(cause);
        let outcome = self.store.commit(transaction, self.clock.now(), self.storage.as_mut())?;
        self.clock.advance_to(outcome.timestamp);
        Ok(Some(outcome))
    }

    /// Moves the clock forward and writes that down.
    pub fn move_clock(&mut self, to: Timestamp) -> Result<()> {
        self.clock.advance_to(to);
        let mut transaction = self.store.begin();
        self.save_clock(&mut transaction);
        self.commit(transaction, &CommitCause::default())?;
        Ok(())
    }

    /// Writes down where the clock stands.
    pub fn save_clock(&self, transaction: &mut Transaction) {
        let document = serde_json::json!({ "now": self.clock.now().0, "simulated": self.clock.is_simulated() });
        transaction.put_json(CLOCK_KEY, &document);
    }

    /// After recovery: the clock stands where it last stood. One that was simulated stays so.
    pub fn recover_clock(&mut self) -> Result<()> {
        let document = self.store.get_json(CLOCK_KEY)?.unwrap_or_default();
        if let Some(moved) = document.get("now").and_then(serde_json::Value::as_i64).map(Timestamp) {
            let was_simulated = document.get("simulated").and_then(serde_json::Value::as_bool).unwrap_or(false);
            if was_simulated && !self.clock.is_simulated() {
                self.clock = Box::new(SimulatedClock::new(moved));
            }
            self.clock.advance_to(moved);
        }
        if let Some(last) = self.store.last_commit() {
            self.clock.advance_to(last);
        }
        Ok(())
    }

    /// Runs `work` with the scope that a statement of this session and text sees now.
    pub fn scoped<T>(
        &mut self,
        session: &Session,
        text: &str,
        parameters: &Parameters,
        work: impl FnOnce(&mut Pipelines, &Engine, &Scope<'_>) -> T,
    ) -> T {
        let stand_ins = HashMap::new();
        let scope = Scope {
            store: &self.store,
            session,
            now: self.clock.now(),
            parameters,
            limits: &self.limits,
            text,
            stand_ins: &stand_ins,
            view_depth: 0,
        };
        work(&mut self.pipelines, &self.engine, &scope)
    }
}

/// The text of a parameter, for IDENTIFIER(:name).
pub(crate) fn parameter_text(values: &serde_json::Map<String, serde_json::Value>, name: &str) -> Option<String> {
    let (_, value) = values.iter().find(|(key, _)| key.eq_ignore_ascii_case(name))?;
    match value {
        serde_json::Value::String(text) => Some(text.clone()),
        serde_json::Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}
