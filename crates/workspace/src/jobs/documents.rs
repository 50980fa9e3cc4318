//! What the log keeps of jobs and runs.
//!
//! | document | content |
//! |---|---|
//! | `jobs` | [`Counters`] |
//! | `run/<run>` | [`RunDocument`]: a run as it was when it, or its latest repair, began or ended |
//! | `run_event/<run>/<n>` | what happened to it since, one document for each event |
//! | `attempt/<run>/<task>/<iteration>/<attempt>` | [`AttemptRecord`]: what an attempt showed |
//! | `faults` | [`Faults`] |
//! | `trigger/<job>` | `TriggerState`: how far the triggers of a job have been served |
//!
//! A run is a pure function of where it began and of its events, so that saving a step costs the size of the event and
//! not that of the run.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use lakelet_base::{Diagnostic, Result, Timestamp};
use lakelet_jobs::{AttemptFinished, AttemptId, AttemptOutcome, AttemptOutput, Run, RunEvent, TaskError, TaskKey};
use lakelet_protocol::{CellOutput, FaultsView, WireError};
use lakelet_store::{Store, Transaction};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub(super) const COUNTERS_KEY: &str = "jobs";
pub(super) const FAULTS_KEY: &str = "faults";
pub(super) const RUN_PREFIX: &str = "run/";
pub(super) const TRIGGER_PREFIX: &str = "trigger/";

/// Numbers that are given out once.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Counters {
    pub last_run_id: u64,
    pub last_job_id: u64,
    /// By resource key.
    pub jobs: BTreeMap<String, JobNumbers>,
}

/// The numbers of one job.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct JobNumbers {
    pub id: u64,
    pub n_runs: u64,
}

/// Fault switches of the lessons.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Faults {
    /// The iteration that fails after its first append.
    pub fail_after_append: Option<u64>,
    /// Iterations that write one table conflict.
    pub conflict: bool,
}

impl Faults {
    /// As the page sees them.
    pub fn view(self) -> FaultsView {
        FaultsView { fail_after_append: self.fail_after_append, conflict: self.conflict }
    }
}

/// A run and what belongs to it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct RunDocument {
    pub run: Run,
    /// Resource key of its job.
    pub job_key: String,
    /// 1-based number among the job's runs.
    pub number: u64,
    /// The repair (0 for the original run) in which the worker ended, if it did in the latest one.
    pub interrupted: Option<u32>,
    /// Measured milliseconds until then.
    pub elapsed_ms: f64,
    /// The run that started it as a task.
    pub parent: Option<u64>,
}

/// What an attempt showed, beside what the run itself keeps.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct AttemptRecord {
    /// How long it really took.
    pub measured_ms: f64,
    /// Why it failed, with the place in its text.
    pub error: Option<WireError>,
    /// What the reader should know all the same.
    pub warnings: Vec<String>,
    /// Output of a notebook's cells.
    pub cells: Vec<CellOutput>,
}

/// An event with its instant.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct StoredEvent {
    at_micros: i64,
    event: StoredEventBody,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
enum StoredEventBody {
    Finished(Box<StoredFinish>),
    Cancel,
    CancelTask(String),
    Tick,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct StoredFinish {
    task_key: String,
    iteration: Option<usize>,
    attempt: u32,
    outcome: StoredOutcome,
    widget_defaults: Vec<(String, String)>,
    task_values: IndexMap<String, Value>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
enum StoredOutcome {
    Succeeded(Option<AttemptOutput>),
    Failed(TaskError, Option<AttemptOutput>),
    TimedOut,
    Canceled,
}

impl StoredEvent {
    pub fn new(event: &RunEvent, at: Timestamp) -> Self {
        let event = match event {
            RunEvent::AttemptFinished(finished) => {
                let AttemptFinished { id, outcome, widget_defaults, task_values } = finished.as_ref().clone();
                StoredEventBody::Finished(Box::new(StoredFinish {
                    task_key: id.task_key.to_string(),
                    iteration: id.iteration,
                    attempt: id.attempt,
                    outcome: match outcome {
                        AttemptOutcome::Succeeded { output } => StoredOutcome::Succeeded(output),
                        AttemptOutcome::Failed { error, output } => StoredOutcome::Failed(error, output),
                        AttemptOutcome::TimedOut => StoredOutcome::TimedOut,
                        AttemptOutcome::Canceled => StoredOutcome::Canceled,
                    },
                    widget_defaults,
                    task_values,
                }))
            }
            RunEvent::Cancel => StoredEventBody::Cancel,
            RunEvent::CancelTask(key) => StoredEventBody::CancelTask(key.to_string()),
            RunEvent::Tick => StoredEventBody::Tick,
        };
        Self { at_micros: at.0, event }
    }

    pub fn into_event(self) -> (RunEvent, Timestamp) {
        let event = match self.event {
            StoredEventBody::Finished(finish) => {
                let StoredFinish { task_key, iteration, attempt, outcome, widget_defaults, task_values } = *finish;
                RunEvent::AttemptFinished(Box::new(AttemptFinished {
                    id: AttemptId { task_key: TaskKey::from(task_key), iteration, attempt },
                    outcome: match outcome {
                        StoredOutcome::Succeeded(output) => AttemptOutcome::Succeeded { output },
                        StoredOutcome::Failed(error, output) => AttemptOutcome::Failed { error, output },
                        StoredOutcome::TimedOut => AttemptOutcome::TimedOut,
                        StoredOutcome::Canceled => AttemptOutcome::Canceled,
                    },
                    widget_defaults,
                    task_values,
                }))
            }
            StoredEventBody::Cancel => RunEvent::Cancel,
            StoredEventBody::CancelTask(key) => RunEvent::CancelTask(TaskKey::from(key)),
            StoredEventBody::Tick => RunEvent::Tick,
        };
        (event, Timestamp(self.at_micros))
    }
}

// Numbers are padded so that keys sort as the numbers do.

pub(super) fn run_key(run_id: u64) -> String {
    format!("{RUN_PREFIX}{run_id:012}")
}

pub(super) fn trigger_key(job_key: &str) -> String {
    format!("{TRIGGER_PREFIX}{job_key}")
}

pub(super) fn events_prefix(run_id: u64) -> String {
    format!("run_event/{run_id:012}/")
}

pub(super) fn event_key(run_id: u64, number: u64) -> String {
    format!("{}{number:012}", events_prefix(run_id))
}

pub(super) fn attempts_prefix(run_id: u64) -> String {
    format!("attempt/{run_id:012}/")
}

pub(super) fn attempt_key(run_id: u64, id: &AttemptId) -> String {
    let iteration = id.iteration.map_or_else(|| "-".to_owned(), |index| index.to_string());
    format!("{}{}/{iteration}/{}", attempts_prefix(run_id), id.task_key, id.attempt)
}

/// Reads a document; the default where there is none.
pub(super) fn read<T: DeserializeOwned + Default>(store: &Store, key: &str) -> Result<T> {
    store.get(key).map_or_else(|| Ok(T::default()), |bytes| decode(key, bytes))
}

pub(super) fn decode<T: DeserializeOwned>(key: &str, bytes: &[u8]) -> Result<T> {
    serde_json::from_slice(bytes).map_err(|error| Box::new(Diagnostic::internal(format!("document {key}: {error}"))))
}

/// Writes a document.
pub(super) fn write(transaction: &mut Transaction, key: String, value: &impl Serialize) -> Result<()> {
    let bytes = serde_json::to_vec(value)
        .map_err(|error| Box::new(Diagnostic::internal(format!("document {key}: {error}"))))?;
    transaction.put(key, bytes);
    Ok(())
}

/// Removes every document whose key begins with `prefix`.
pub(super) fn remove_all(store: &Store, transaction: &mut Transaction, prefix: &str) {
    for (key, _) in store.documents(prefix) {
        transaction.remove(key);
    }
}
