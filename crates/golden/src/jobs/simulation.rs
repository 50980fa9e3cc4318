//! Plays the host of a run: attempts take the time and end the way a plan says, in simulated time.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use lakelet_base::Timestamp;
use lakelet_jobs::{AttemptFinished, AttemptId, AttemptOutcome, Run, RunEffect, RunEvent, StartAttempt};
use serde_json::Value;

/// How an attempt goes.
pub struct Planned {
    /// How long it takes.
    pub millis: i64,
    /// How it ends.
    pub outcome: AttemptOutcome,
    /// Task values that it sets.
    pub task_values: IndexMap<String, Value>,
}

impl Planned {
    /// An attempt without task values.
    pub fn new(millis: i64, outcome: AttemptOutcome) -> Self {
        Self { millis, outcome, task_values: IndexMap::new() }
    }
}

/// Decides how each attempt goes.
pub type Plan<'p> = Box<dyn FnMut(&StartAttempt) -> Planned + 'p>;

/// A run and the attempts in flight.
pub struct Simulation<'p> {
    /// The run.
    pub run: Run,
    /// Present instant.
    pub now: Timestamp,
    /// Everything the run asked for, in order.
    pub effects: Vec<RunEffect>,
    /// Most iterations that were in flight at a time.
    pub max_in_flight: usize,
    plan: Plan<'p>,
    /// What will happen, by instant and then in the order it was foreseen.
    agenda: BTreeMap<(Timestamp, usize), RunEvent>,
    in_flight: Vec<AttemptId>,
    n_foreseen: usize,
}

impl<'p> Simulation<'p> {
    /// Goes on with `run`, which asked for `effects` at `now`.
    pub fn new(run: Run, effects: Vec<RunEffect>, now: Timestamp, plan: Plan<'p>) -> Self {
        let mut simulation = Self {
            run,
            now,
            effects: Vec::new(),
            max_in_flight: 0,
            plan,
            agenda: BTreeMap::new(),
            in_flight: Vec::new(),
            n_foreseen: 0,
        };
        simulation.take_in(effects);
        simulation
    }

    /// Lets `event` happen at an instant.
    pub fn foresee(&mut self, at: Timestamp, event: RunEvent) {
        self.n_foreseen += 1;
        self.agenda.insert((at, self.n_foreseen), event);
    }

    /// Lets the next thing happen; `false` when there is none.
    pub fn step(&mut self) -> bool {
        let Some(((at, _), event)) = self.agenda.pop_first() else {
            return false;
        };
        self.now = self.now.max(at);
        if let RunEvent::AttemptFinished(finished) = &event {
            self.in_flight.retain(|id| *id != finished.id);
        }
        let effects = self.run.advance(event, self.now);
        self.take_in(effects);
        true
    }

    /// Lets everything happen.
    pub fn play(&mut self) {
        while self.step() {}
    }

    fn take_in(&mut self, effects: Vec<RunEffect>) {
        for effect in &effects {
            match effect {
                RunEffect::StartAttempt(start) => {
                    self.in_flight.push(start.id.clone());
                    let n_iterations = self.in_flight.iter().filter(|id| id.iteration.is_some()).count();
                    self.max_in_flight = self.max_in_flight.max(n_iterations);
                    let planned = (self.plan)(start);
                    let mut finished = AttemptFinished::new(start.id.clone(), planned.outcome);
                    finished.task_values = planned.task_values;
                    self.foresee(self.now.plus_millis(planned.millis), RunEvent::AttemptFinished(Box::new(finished)));
                }
                RunEffect::StopAttempt(id) => self.in_flight.retain(|running| running != id),
                RunEffect::Wait { until } => self.foresee(*until, RunEvent::Tick),
                RunEffect::IterationsPlanned { .. } | RunEffect::Finish { .. } => {}
            }
        }
        self.effects.extend(effects);
    }
}
