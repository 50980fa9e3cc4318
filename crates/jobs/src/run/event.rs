//! What a run is told, and what it asks for.

use std::fmt;

use indexmap::IndexMap;
use lakelet_base::Timestamp;
use serde_json::Value;

use super::{AttemptOutput, AttemptWork, TaskError};
use crate::parameters::Parameter;
use crate::state::ResultState;
use crate::task::TaskKey;

/// Names one attempt of a run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AttemptId {
    /// The task; for an iteration, its For each.
    pub task_key: TaskKey,
    /// Index of the iteration, from 0; `None` for a task of its own.
    pub iteration: Option<usize>,
    /// Number of the attempt, from 0, over all repairs.
    pub attempt: u32,
}

impl fmt::Display for AttemptId {
    /// `copy_tables[1] attempt 0`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.task_key.as_str())?;
        if let Some(index) = self.iteration {
            write!(f, "[{index}]")?;
        }
        write!(f, " attempt {}", self.attempt)
    }
}

/// How an attempt ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AttemptOutcome {
    /// It did what it should.
    Succeeded {
        /// What it leaves behind.
        output: Option<AttemptOutput>,
    },
    /// It went wrong.
    Failed {
        /// How.
        error: TaskError,
        /// What it left behind all the same.
        output: Option<AttemptOutput>,
    },
    /// The host saw that it took too long.
    TimedOut,
    /// The host stopped it for a reason of its own.
    Canceled,
}

/// The end of an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptFinished {
    /// Which one. An attempt that is not running is not looked at: it may have been canceled in the meantime.
    pub id: AttemptId,
    /// How it ended.
    pub outcome: AttemptOutcome,
    /// Widgets that a notebook read although nobody passed a value, with their defaults.
    pub widget_defaults: Vec<(String, String)>,
    /// Task values that it set.
    pub task_values: IndexMap<String, Value>,
}

impl AttemptFinished {
    /// An end without widget defaults and task values.
    pub fn new(id: AttemptId, outcome: AttemptOutcome) -> Self {
        Self { id, outcome, widget_defaults: Vec::new(), task_values: IndexMap::new() }
    }
}

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunEvent {
    /// An attempt ended.
    AttemptFinished(Box<AttemptFinished>),
    /// Somebody stops the whole run.
    Cancel,
    /// Somebody stops one task; what handles its failure goes on.
    CancelTask(TaskKey),
    /// Time went by.
    Tick,
}

/// Something to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunEffect {
    /// The iterations of a For each are known, with their labels. Comes before the first of them starts.
    IterationsPlanned {
        /// The For each.
        task_key: TaskKey,
        /// How many there are.
        n_iterations: usize,
    },
    /// Execute an attempt and report its end.
    StartAttempt(Box<StartAttempt>),
    /// Stop an attempt; it has ended already as far as the run is concerned.
    StopAttempt(AttemptId),
    /// Unless something happens before, send [`RunEvent::Tick`] at this instant.
    Wait {
        /// When the next retry is due or the next time limit is over.
        until: Timestamp,
    },
    /// The run, or its repair, has ended.
    Finish {
        /// How.
        state: ResultState,
    },
}

/// An attempt to execute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartAttempt {
    /// Which one.
    pub id: AttemptId,
    /// Id of its task run, as `{{task.run_id}}` gives it.
    pub run_id: u64,
    /// What to do, references resolved.
    pub work: AttemptWork,
    /// Key–value parameters, references resolved.
    pub parameters: Vec<Parameter>,
    /// When it has taken too long.
    pub deadline: Option<Timestamp>,
}
