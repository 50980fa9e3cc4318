//! Repair: some tasks of a run that has ended run again inside it; everything else is kept.

use std::collections::BTreeSet;

use indexmap::IndexMap;
use lakelet_base::Timestamp;
use serde::{Deserialize, Serialize};

use super::start::job_parameters;
use super::{Run, RunEffect, TaskRun};
use crate::job::Job;
use crate::problem::Problem;
use crate::state::{ResultState, State};
use crate::task::TaskKey;

/// What to run again.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RepairRequest {
    /// Tasks, by key. A disabled task named here runs.
    pub rerun_tasks: Vec<TaskKey>,
    /// Every task that did not succeed. Without any selection this is meant.
    pub rerun_all_failed_tasks: bool,
    /// Also everything downstream of the selected tasks, what had succeeded included.
    pub rerun_dependent_tasks: bool,
    /// Single iterations: the For each and the index. What did not succeed downstream of it runs again too.
    pub rerun_iterations: Vec<(TaskKey, usize)>,
    /// Id of the latest repair; must be given once there is one.
    pub latest_repair_id: Option<u64>,
    /// Values of job parameters for the repaired tasks.
    pub job_parameters: IndexMap<String, String>,
    /// Whether values that the run was started with still hold, as the page's dialog fills them in; otherwise the job's
    /// defaults do, as in a call of the API.
    pub keep_parameters: bool,
    /// The job as it is now; `None` for no change.
    pub job: Option<Job>,
    /// Whether the request comes from the page, which offers no repair of a job with one task.
    pub from_page: bool,
}

/// Why a run is not repaired.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RepairErrorKind {
    /// The run has not ended.
    RunInProgress,
    /// Nothing is selected.
    NothingToRepair,
    /// A key that is no task of the run.
    UnknownTask,
    /// An index that is no iteration.
    UnknownIteration,
    /// A key twice.
    DuplicateRerunTasks,
    /// Both a list of tasks or iterations and all failed ones.
    RepairSelectorConflict,
    /// The id of the latest repair is missing.
    LatestRepairIdRequired,
    /// Another id than that of the latest repair.
    LatestRepairIdMismatch,
    /// The page repairs jobs of two tasks and more.
    RepairNeedsTwoTasks,
    /// The job as it is now cannot run.
    InvalidJob,
}

impl RepairErrorKind {
    /// The name in snake case, stable over releases.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::RunInProgress => "run_in_progress",
            Self::NothingToRepair => "nothing_to_repair",
            Self::UnknownTask => "unknown_task",
            Self::UnknownIteration => "unknown_iteration",
            Self::DuplicateRerunTasks => "duplicate_rerun_tasks",
            Self::RepairSelectorConflict => "repair_selector_conflict",
            Self::LatestRepairIdRequired => "latest_repair_id_required",
            Self::LatestRepairIdMismatch => "latest_repair_id_mismatch",
            Self::RepairNeedsTwoTasks => "repair_needs_two_tasks",
            Self::InvalidJob => "invalid_job",
        }
    }
}

/// A repair that is refused; the run is as it was.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct RepairError {
    /// Why.
    pub kind: RepairErrorKind,
    /// For a reader.
    pub message: String,
}

impl RepairError {
    fn new(kind: RepairErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }
}

/// What a repair will do, in the order of the run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RepairPlan {
    /// Tasks that run again, as far as what is before them allows.
    pub rerun: Vec<TaskKey>,
    /// Tasks that stay as they are.
    pub kept: Vec<TaskKey>,
    /// Iterations that run again, for each For each in `rerun` that has been planned. Those inputs are kept.
    pub rerun_iterations: IndexMap<TaskKey, Vec<usize>>,
    /// Iterations of the same For each that stay as they are.
    pub kept_iterations: IndexMap<TaskKey, Vec<usize>>,
}

/// The original run, or a repair of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryItem {
    /// The repair's id; `None` for the original run.
    pub repair_id: Option<u64>,
    /// When it began.
    #[serde(with = "crate::state::micros")]
    pub started: Timestamp,
    /// When it ended.
    #[serde(with = "crate::state::micros::option")]
    pub ended: Option<Timestamp>,
    /// Where it stands.
    pub state: State,
}

impl HistoryItem {
    pub(super) fn new(repair_id: Option<u64>, started: Timestamp) -> Self {
        Self { repair_id, started, ended: None, state: State::Running }
    }
}

impl Run {
    /// What [`Run::repair`] would do; nothing changes.
    ///
    /// # Errors
    /// The first reason to refuse the request.
    pub fn plan_repair(&self, request: &RepairRequest) -> Result<RepairPlan, RepairError> {
        self.check_repair(request)?;
        let job = request.job.as_ref().unwrap_or(&self.job);
        let mut selected: BTreeSet<&TaskKey> = BTreeSet::new();
        if request.rerun_tasks.is_empty() && request.rerun_iterations.is_empty() {
            selected.extend(self.tasks.iter().filter(|(_, task)| is_unsuccessful(task.state())).map(|(key, _)| key));
            if !selected.is_empty() {
                // Tasks that the job has got since have not run yet.
                selected.extend(job.tasks().iter().map(|task| &task.key));
                selected.retain(|key| self.tasks.get(*key).is_none_or(|task| is_unsuccessful(task.state())));
            }
        }
        selected.extend(&request.rerun_tasks);
        selected.extend(request.rerun_iterations.iter().map(|(key, _)| key));
        let graph = job.graph();
        let mut rerun: BTreeSet<&str> = selected.iter().map(|key| key.as_str()).collect();
        for (key, _) in &request.rerun_iterations {
            let below = graph.descendants(key.as_str()).into_iter();
            rerun.extend(below.filter(|key| self.tasks.get(*key).is_some_and(|task| is_unsuccessful(task.state()))));
        }
        if request.rerun_dependent_tasks {
            rerun.extend(selected.iter().flat_map(|key| graph.descendants(key.as_str())));
        }
        // What is not in the job any more cannot run again, and a run of selected tasks gets no further ones.
        let has_all_tasks = self.request.only.is_empty();
        rerun.retain(|key| job.task(key).is_some() && (has_all_tasks || self.tasks.contains_key(*key)));
        if rerun.is_empty() {
            let message = "Nothing is selected that could run again: no task of this run failed.";
            return Err(RepairError::new(RepairErrorKind::NothingToRepair, message));
        }
        let mut plan = RepairPlan::default();
        let added = job.tasks().iter().map(|task| &task.key).filter(|key| !self.tasks.contains_key(*key));
        for key in self.tasks.keys().chain(added) {
            if rerun.contains(key.as_str()) {
                plan.rerun.push(key.clone());
                self.plan_iterations(key, request, &mut plan);
            } else if self.tasks.contains_key(key) {
                plan.kept.push(key.clone());
            }
        }
        Ok(plan)
    }

    /// Which iterations of a For each run again: those asked for, else those that did not succeed, else all.
    fn plan_iterations(&self, key: &TaskKey, request: &RepairRequest, plan: &mut RepairPlan) {
        let Some(for_each) = self.tasks.get(key).and_then(TaskRun::for_each) else {
            return;
        };
        let asked: BTreeSet<usize> = request
            .rerun_iterations
            .iter()
            .filter(|(task, _)| task == key && !request.rerun_tasks.contains(key))
            .map(|(_, index)| *index)
            .collect();
        let has_unsuccessful = for_each.iterations().iter().any(|iteration| is_unsuccessful(iteration.state()));
        let (mut rerun, mut kept) = (Vec::new(), Vec::new());
        for (index, iteration) in for_each.iterations().iter().enumerate() {
            let runs_again = if asked.is_empty() {
                !has_unsuccessful || is_unsuccessful(iteration.state())
            } else {
                asked.contains(&index)
            };
            if runs_again { rerun.push(index) } else { kept.push(index) }
        }
        plan.rerun_iterations.insert(key.clone(), rerun);
        plan.kept_iterations.insert(key.clone(), kept);
    }

    fn check_repair(&self, request: &RepairRequest) -> Result<(), RepairError> {
        let refuse = |kind, message: String| Err(RepairError::new(kind, message));
        if !self.state.is_ended() {
            return refuse(
                RepairErrorKind::RunInProgress,
                "The run has not ended yet. Repair it afterwards.".to_owned(),
            );
        }
        if request.from_page && self.tasks.len() < 2 {
            let message = "This job has one task only: run it again instead of repairing the run.";
            return refuse(RepairErrorKind::RepairNeedsTwoTasks, message.to_owned());
        }
        let has_list = !request.rerun_tasks.is_empty() || !request.rerun_iterations.is_empty();
        if has_list && request.rerun_all_failed_tasks {
            let message = "Select tasks, or all failed tasks; not both.";
            return refuse(RepairErrorKind::RepairSelectorConflict, message.to_owned());
        }
        let mut seen = BTreeSet::new();
        if !request.rerun_tasks.iter().all(|key| seen.insert(key)) {
            let message = "rerun_tasks cannot contain duplicate task keys.";
            return refuse(RepairErrorKind::DuplicateRerunTasks, message.to_owned());
        }
        let job = request.job.as_ref().unwrap_or(&self.job);
        let keys = request.rerun_tasks.iter().chain(request.rerun_iterations.iter().map(|(key, _)| key));
        for key in keys {
            if !self.tasks.contains_key(key) || job.task(key.as_str()).is_none() {
                return refuse(RepairErrorKind::UnknownTask, format!("There is no task '{key}' in this run."));
            }
        }
        for (key, index) in &request.rerun_iterations {
            let for_each = self.tasks.get(key).and_then(TaskRun::for_each);
            if for_each.is_none_or(|for_each| *index >= for_each.iterations().len()) {
                let message = format!("Task '{key}' has no iteration {index}.");
                return refuse(RepairErrorKind::UnknownIteration, message);
            }
        }
        match (self.history.last().and_then(|item| item.repair_id), request.latest_repair_id) {
            (Some(_), None) => refuse(
                RepairErrorKind::LatestRepairIdRequired,
                "The latest repair ID needs to be provided in order to create a new repair.".to_owned(),
            ),
            (latest, Some(given)) if latest != Some(given) => refuse(
                RepairErrorKind::LatestRepairIdMismatch,
                format!("{given} is not the latest repair of this run. Somebody may have repaired it meanwhile."),
            ),
            _ => Ok(()),
        }
    }

    /// Repairs the run: what [`Run::plan_repair`] says runs again, as new attempts of the same run, which then goes on
    /// with [`Run::advance`]. Results of kept tasks stay readable for the others.
    ///
    /// # Errors
    /// The first reason to refuse the request; nothing has changed then.
    pub fn repair(
        &mut self,
        request: RepairRequest,
        repair_id: u64,
        now: Timestamp,
    ) -> Result<Vec<RunEffect>, RepairError> {
        let plan = self.plan_repair(&request)?;
        let mut run_request = self.request.clone();
        if !request.keep_parameters {
            run_request.job_parameters.clear();
            run_request.notebook_params.clear();
            run_request.sql_params.clear();
            run_request.python_params = None;
        }
        run_request.job_parameters.extend(request.job_parameters);
        let job = request.job.unwrap_or_else(|| self.job.clone());
        let mut context = self.context.clone();
        context.repair_count += 1;
        let mut problems: Vec<Problem> = Vec::new();
        let parameters = job_parameters(&job, &run_request, &context, &mut problems);
        if let Some(problem) = problems.first() {
            return Err(RepairError::new(RepairErrorKind::InvalidJob, problem.to_string()));
        }
        if let Err(cycle) = job.graph().topological_order() {
            let message = format!("The tasks of the job wait for each other: {cycle}.");
            return Err(RepairError::new(RepairErrorKind::InvalidJob, message));
        }

        self.deadline = job.timeout_millis().map(|millis| now.plus_millis(millis));
        self.job = job;
        self.request = run_request;
        self.context = context;
        self.set_parameters(parameters);
        self.state = State::Running;
        self.ended = None;
        self.stopped_as = None;
        self.history.push(HistoryItem::new(Some(repair_id), now));
        for key in &plan.rerun {
            let type_name = self.job.task(key.as_str()).map_or("", |task| task.kind.type_name());
            let task = self.tasks.entry(key.clone()).or_insert_with(|| TaskRun::new(type_name));
            task.progress.state = State::Blocked;
            task.outcome = None;
            if let Some((for_each, indices)) = task.for_each.as_mut().zip(plan.rerun_iterations.get(key)) {
                for_each.to_rerun.clone_from(indices);
            }
        }
        self.disable_tasks(&|key| {
            plan.rerun.iter().any(|again| again.as_str() == key)
                && !request.rerun_tasks.iter().any(|named| named.as_str() == key)
        });
        let mut effects = Vec::new();
        self.settle(now, &mut effects);
        Ok(effects)
    }
}

/// Whether a repair of everything that failed runs it again. What is disabled or excluded is left alone.
fn is_unsuccessful(state: State) -> bool {
    state.result().is_none_or(ResultState::is_failure)
}
