//! Triggers of jobs on the workspace clock: when each is due, and what has been served.

use std::collections::BTreeMap;

use lakelet_base::{Diagnostic, Result, Timestamp};
use lakelet_engine::Session;
use lakelet_jobs::{JobTrigger, TableUpdate, TableUpdateTrigger, Trigger, TriggerKind};
use lakelet_store::{Store, Transaction};
use serde::{Deserialize, Serialize};

use super::documents;
use crate::core::Core;
use crate::project::ProjectFiles;

const MICROS_PER_SECOND: i64 = 1_000_000;

/// How far the triggers of a job have been served.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TriggerState {
    /// The triggers that this is about. Others begin anew.
    triggers: Vec<JobTrigger>,
    /// Periodic triggers count from here, in microseconds since 1970.
    anchor: i64,
    /// Runs that were due until here have been started or skipped.
    served_until: i64,
    /// The versions of watched tables that a run, or the beginning, has seen, by the names in the trigger.
    seen: BTreeMap<String, Seen>,
    /// When a trigger last started a run.
    last_start: Option<i64>,
}

/// A version of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Seen {
    table: u64,
    version: u64,
}

/// A run that a trigger asks for.
#[derive(Debug, Clone)]
pub(crate) struct DueRun {
    /// When.
    pub at: Timestamp,
    /// Resource key of the job.
    pub job_key: String,
    /// What the run sees of its trigger.
    pub trigger: Trigger,
    /// The trigger in words.
    pub words: String,
}

impl TriggerState {
    /// Triggers that begin to count now.
    fn new(triggers: &[JobTrigger], core: &Core) -> Self {
        let now = core.clock.now().0;
        let mut state = Self {
            triggers: triggers.to_vec(),
            anchor: now,
            served_until: now,
            seen: BTreeMap::new(),
            last_start: None,
        };
        state.see_tables(&core.store);
        state
    }

    /// What is written down of a job's triggers; if that is about others, these begin now.
    fn of(core: &Core, job_key: &str, triggers: &[JobTrigger]) -> Result<Self> {
        let stored = Self::stored(&core.store, job_key)?;
        Ok(stored.filter(|stored| stored.triggers == triggers).unwrap_or_else(|| Self::new(triggers, core)))
    }

    fn stored(store: &Store, job_key: &str) -> Result<Option<Self>> {
        let key = documents::trigger_key(job_key);
        store.get(&key).map(|bytes| documents::decode(&key, bytes)).transpose()
    }

    /// Everything that there is of the watched tables has been seen.
    fn see_tables(&mut self, store: &Store) {
        for update in self.triggers.iter().filter_map(watched) {
            for name in &update.tables {
                if let Some((seen, _)) = latest(store, name) {
                    self.seen.insert(name.clone(), seen);
                }
            }
        }
    }

    /// The next run that is due, over all triggers.
    fn next(&self, job_key: &str, store: &Store) -> Result<Option<DueRun>> {
        let mut first: Option<DueRun> = None;
        for trigger in &self.triggers {
            let due = match trigger {
                JobTrigger::TableUpdate(update) => self.changed_tables(update, store).map(|(at, updated_tables)| {
                    (at, Trigger { kind: TriggerKind::Table, updated_tables, ..Trigger::default() })
                }),
                _ => trigger
                    .next_after(Timestamp(self.anchor), Timestamp(self.served_until))
                    .map_err(|error| Box::new(Diagnostic::internal(error)))?
                    .map(|at| (at, Trigger { kind: TriggerKind::Periodic, time: Some(at), ..Trigger::default() })),
            };
            if let Some((at, what)) = due
                && first.as_ref().is_none_or(|first| at < first.at)
            {
                first = Some(DueRun { at, job_key: job_key.to_owned(), trigger: what, words: trigger.to_string() });
            }
        }
        Ok(first)
    }

    /// The tables that have versions which no run has seen, and when that starts a run.
    fn changed_tables(&self, update: &TableUpdateTrigger, store: &Store) -> Option<(Timestamp, Vec<TableUpdate>)> {
        let changed: Vec<TableUpdate> = update
            .tables
            .iter()
            .filter_map(|name| {
                let (now, commit_timestamp) = latest(store, name)?;
                let is_new = self.seen.get(name) != Some(&now);
                is_new.then(|| TableUpdate { table: name.clone(), version: now.version, commit_timestamp })
            })
            .collect();
        if update.all && changed.len() < update.tables.len() {
            return None;
        }
        let last_change = changed.iter().map(|update| update.commit_timestamp.0).max()?;
        let after = |instant: i64, seconds: i64| instant.saturating_add(seconds.saturating_mul(MICROS_PER_SECOND));
        let quiet = after(last_change, update.quiet_seconds);
        let apart = self.last_start.map_or(quiet, |last| after(last, update.between_seconds));
        Some((Timestamp(quiet.max(apart)), changed))
    }

    /// Everything until `until` has been served, and every table seen.
    fn skip_to(&mut self, until: Timestamp, store: &Store) {
        self.served_until = self.served_until.max(until.0);
        self.see_tables(store);
    }

    fn write(&self, job_key: &str, transaction: &mut Transaction) -> Result<()> {
        documents::write(transaction, documents::trigger_key(job_key), self)
    }
}

fn watched(trigger: &JobTrigger) -> Option<&TableUpdateTrigger> {
    match trigger {
        JobTrigger::TableUpdate(update) => Some(update),
        _ => None,
    }
}

/// The newest version of a table, and when it was committed; `None` for a table that is not there.
fn latest(store: &Store, name: &str) -> Option<(Seen, Timestamp)> {
    let parts = lakelet_syntax::split_name(name)?;
    let table = store.table(&Session::default().qualify(&parts))?;
    Some((Seen { table: table.id.0, version: table.latest_version() }, table.modified()))
}

/// Lets the triggers of a changed project begin, and forgets those of jobs that are gone.
pub(crate) fn arm(core: &Core, files: &ProjectFiles, transaction: &mut Transaction) -> Result<()> {
    for (key, _) in core.store.documents(documents::TRIGGER_PREFIX) {
        let job_key = key.strip_prefix(documents::TRIGGER_PREFIX).unwrap_or(key);
        if !files.triggers().contains_key(job_key) {
            transaction.remove(key);
        }
    }
    for (job_key, triggers) in files.triggers() {
        let stored = TriggerState::stored(&core.store, job_key)?;
        if stored.is_none_or(|stored| stored.triggers != *triggers) {
            TriggerState::new(triggers, core).write(job_key, transaction)?;
        }
    }
    Ok(())
}

/// The next run that a trigger asks for; among several at one instant the job that stands first.
pub(crate) fn next_due_run(core: &Core, files: &ProjectFiles) -> Result<Option<DueRun>> {
    let mut first: Option<DueRun> = None;
    for (job_key, triggers) in files.triggers() {
        let next = TriggerState::of(core, job_key, triggers)?.next(job_key, &core.store)?;
        if let Some(next) = next
            && first.as_ref().is_none_or(|first| next.at < first.at)
        {
            first = Some(next);
        }
    }
    Ok(first)
}

/// When the clock, or a table as it stands, next starts a run of a job.
pub(crate) fn next_of_job(core: &Core, files: &ProjectFiles, job_key: &str) -> Result<Option<Timestamp>> {
    let Some(triggers) = files.triggers().get(job_key) else { return Ok(None) };
    Ok(TriggerState::of(core, job_key, triggers)?.next(job_key, &core.store)?.map(|due| due.at))
}

/// Every run that is due until `until` as far as it can be told now, at most `limit`.
pub(crate) fn runs_due_until(core: &Core, files: &ProjectFiles, until: Timestamp, limit: usize) -> Result<Vec<DueRun>> {
    let mut due = Vec::new();
    for (job_key, triggers) in files.triggers() {
        let mut state = TriggerState::of(core, job_key, triggers)?;
        for _ in 0..limit {
            let Some(next) = state.next(job_key, &core.store)?.filter(|next| next.at <= until) else { break };
            state.serve(&next, &core.store, next.at);
            due.push(next);
        }
    }
    due.sort_by_key(|due| due.at);
    due.truncate(limit);
    Ok(due)
}

impl TriggerState {
    /// A run that was due has its turn at `now`.
    fn serve(&mut self, due: &DueRun, store: &Store, now: Timestamp) {
        if due.trigger.kind == TriggerKind::Table {
            self.see_tables(store);
        } else {
            self.served_until = self.served_until.max(due.at.0);
        }
        self.last_start = Some(now.0);
    }
}

/// Writes down that a run which was due has its turn.
pub(crate) fn serve(core: &Core, files: &ProjectFiles, due: &DueRun, transaction: &mut Transaction) -> Result<()> {
    let Some(triggers) = files.triggers().get(&due.job_key) else { return Ok(()) };
    let mut state = TriggerState::of(core, &due.job_key, triggers)?;
    state.serve(due, &core.store, core.clock.now());
    state.write(&due.job_key, transaction)
}

/// Writes down that what is due until `until` is not to run.
pub(crate) fn skip_triggers(
    core: &Core,
    files: &ProjectFiles,
    until: Timestamp,
    transaction: &mut Transaction,
) -> Result<()> {
    for (job_key, triggers) in files.triggers() {
        let mut state = TriggerState::of(core, job_key, triggers)?;
        state.skip_to(until, &core.store);
        state.write(job_key, transaction)?;
    }
    Ok(())
}
