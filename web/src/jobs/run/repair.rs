//! What a repair would do, before it is done.

use std::collections::BTreeSet;

use lakelet_protocol::{RepairRequest, RunState, RunView, TaskRunView};

use crate::jobs::run::as_of::{of_iteration, of_task};

/// Something that runs again or is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepairItem {
    /// The task.
    pub task: String,
    /// The iteration and its label; `None` for the task as a whole.
    pub iteration: Option<(u32, String)>,
    /// How it stands now.
    pub state: RunState,
    /// A For each that was never planned: its iterations are known once its inputs are.
    pub unplanned: bool,
}

/// A repair.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RepairPlan {
    /// What runs again.
    pub again: Vec<RepairItem>,
    /// What of the same kind is kept: iterations where iterations run again, else tasks.
    pub kept: Vec<RepairItem>,
    /// Tasks that are kept beside iterations.
    pub kept_tasks: Vec<String>,
    /// What to ask the engine for.
    pub request: RepairRequest,
}

/// The repair of everything that failed, or of `selected` iterations with what waits for them.
pub fn plan(run: &RunView, selected: &[(String, u32)]) -> RepairPlan {
    let repairable: Vec<(String, Vec<u32>)> =
        if selected.is_empty() { run.repairable.clone() } else { of_selection(run, selected) };
    let mut plan = RepairPlan {
        request: RepairRequest { tasks: Vec::new(), iterations: selected.to_vec() },
        ..RepairPlan::default()
    };
    let mut kept_tasks = Vec::new();
    for task in &run.tasks {
        let Some((_, indices)) = repairable.iter().find(|(key, _)| *key == task.task_key) else {
            kept_tasks.push(whole(task));
            continue;
        };
        let iterations = task.iterations.as_deref().unwrap_or_default();
        if indices.is_empty() || iterations.is_empty() {
            plan.again.push(whole(task));
            continue;
        }
        for iteration in iterations {
            let item = RepairItem {
                task: task.task_key.clone(),
                iteration: Some((iteration.index, iteration.label.clone())),
                state: of_iteration(iteration, None).state,
                unplanned: false,
            };
            let again = indices.contains(&iteration.index);
            if again { plan.again.push(item) } else { plan.kept.push(item) }
        }
    }
    if plan.again.iter().any(|item| item.iteration.is_some()) {
        plan.kept_tasks = kept_tasks.into_iter().map(|item| item.task).collect();
    } else {
        plan.kept = kept_tasks;
    }
    plan
}

fn whole(task: &TaskRunView) -> RepairItem {
    let unplanned = task.nested_key.is_some() && task.iterations.is_none();
    RepairItem { task: task.task_key.clone(), iteration: None, state: of_task(task, None).state, unplanned }
}

/// The selected iterations, and the tasks behind them that did not succeed.
fn of_selection(run: &RunView, selected: &[(String, u32)]) -> Vec<(String, Vec<u32>)> {
    let mut below: BTreeSet<&str> = selected.iter().map(|(task, _)| task.as_str()).collect();
    // Nodes come in topological order, so that one walk finds everything behind.
    for node in &run.graph.nodes {
        if node.depends_on.iter().any(|key| below.contains(key.as_str())) {
            below.insert(&node.key);
        }
    }
    below
        .into_iter()
        .filter_map(|key| {
            let chosen: Vec<u32> =
                selected.iter().filter(|(task, _)| task == key).map(|(_, iteration)| *iteration).collect();
            if !chosen.is_empty() {
                return Some((key.to_owned(), chosen));
            }
            run.repairable.iter().find(|(task, _)| task == key).cloned()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::run::samples::{failed_run, task};

    fn names(items: &[RepairItem]) -> Vec<String> {
        let name = |item: &RepairItem| match &item.iteration {
            Some((index, label)) => format!("#{index} {label}"),
            None => item.task.clone(),
        };
        items.iter().map(name).collect()
    }

    #[test]
    fn failed_iterations_run_again_and_the_others_are_kept() {
        let plan = plan(&failed_run(), &[]);
        assert_eq!(names(&plan.again), ["#1 UK · GBP"]);
        assert_eq!(names(&plan.kept), ["#0 NL · EUR", "#2 US · USD"]);
        assert_eq!(plan.kept_tasks, ["read_markets"]);
        assert_eq!(plan.request, RepairRequest::default());
    }

    #[test]
    fn a_selection_limits_the_repair_and_takes_what_waits_for_it() {
        let mut run = failed_run();
        let mut after = task("report", "SQL", RunState::UpstreamFailed);
        after.attempts.clear();
        run.tasks.push(after);
        let mut node = run.graph.nodes[0].clone();
        node.key = "report".into();
        node.depends_on = vec!["process_markets".into()];
        run.graph.nodes.push(node);
        run.repairable.push(("report".into(), Vec::new()));
        let plan = plan(&run, &[("process_markets".into(), 2)]);
        assert_eq!(names(&plan.again), ["#2 US · USD", "report"]);
        assert_eq!(names(&plan.kept), ["#0 NL · EUR", "#1 UK · GBP"]);
        assert_eq!(plan.request.iterations, [("process_markets".to_owned(), 2)]);
    }

    #[test]
    fn whole_tasks_are_told_as_tasks() {
        let mut run = failed_run();
        run.tasks[1].iterations = None;
        run.repairable = vec![("process_markets".into(), Vec::new())];
        let plan = plan(&run, &[]);
        assert_eq!(names(&plan.again), ["process_markets"]);
        assert!(plan.again[0].unplanned);
        assert_eq!(names(&plan.kept), ["read_markets"]);
        assert!(plan.kept_tasks.is_empty());
    }
}
