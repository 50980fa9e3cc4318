//! What a box of a job's graph says.

use lakelet_protocol::{GraphNode, RunState, RunView, TaskRunView};

use crate::jobs::run::as_of::{Standing, is_failure, is_success, n_succeeded, of_iteration, of_task};
use crate::jobs::run::iterations::progress;
use crate::jobs::words::{duration, state_word};
use crate::messages::{fill, t};

/// Boxes of iterations drawn one by one; more are drawn in proportion.
const SEGMENTS_MAX: usize = 40;

/// A box.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeFacts {
    /// Task name.
    pub key: String,
    /// Type in words.
    pub type_name: String,
    /// Direct predecessors.
    pub depends_on: Vec<String>,
    /// State.
    pub state: RunState,
    /// It succeeded, but not at once.
    pub repaired: bool,
    /// Milliseconds it took.
    pub duration_ms: Option<f64>,
    /// For a For each with a plan: succeeded, all.
    pub iterations: Option<(usize, usize)>,
    /// For a For each with a plan: done, all, running, failed.
    pub progress: Option<[usize; 4]>,
    /// Iterations at a time.
    pub concurrency: Option<u32>,
    /// It is in a loop over an empty list.
    pub no_iterations: bool,
    /// States to draw as a bar: with how much of it each takes, between 0 and 1.
    pub segments: Vec<(RunState, f64)>,
}

impl NodeFacts {
    /// The facts of a task that has not run.
    pub fn not_run(node: &GraphNode) -> Self {
        Self {
            key: node.key.clone(),
            type_name: node.type_name.clone(),
            depends_on: node.depends_on.clone(),
            state: RunState::NotRun,
            repaired: false,
            duration_ms: None,
            iterations: None,
            progress: None,
            concurrency: None,
            no_iterations: false,
            segments: Vec::new(),
        }
    }

    /// The facts of a box in a run, as it stood after so many attempts.
    pub fn in_run(node: &GraphNode, run: &RunView, limit: Option<u32>) -> Self {
        let task = run.tasks.iter().find(|task| task.task_key == node.key);
        let Some(task) = task else { return Self::not_run(node) };
        let Standing { state, repaired, .. } = of_task(task, limit);
        Self {
            state,
            repaired,
            duration_ms: of_task(task, limit).duration_ms(),
            iterations: n_succeeded(task, limit),
            progress: task.iterations.as_deref().map(|iterations| progress(iterations, limit)),
            concurrency: task.concurrency.map(|concurrency| concurrency.limit),
            segments: segments(task, limit),
            ..Self::not_run(node)
        }
    }

    /// The facts of the task that a For each runs: its state sums up the iterations.
    pub fn nested_in_run(node: &GraphNode, outer: &str, run: &RunView, limit: Option<u32>) -> Self {
        let task = run.tasks.iter().find(|task| task.task_key == outer);
        let iterations = task.and_then(|task| task.iterations.as_deref()).unwrap_or_default();
        let states: Vec<RunState> = iterations.iter().map(|iteration| of_iteration(iteration, limit).state).collect();
        let state = match task {
            _ if states.contains(&RunState::Running) => RunState::Running,
            Some(task) if states.is_empty() => match of_task(task, limit).state {
                // Nothing to do is no success of the nested task.
                state if is_success(state) => RunState::NotRun,
                RunState::Running => RunState::Waiting,
                state => state,
            },
            _ => states.iter().copied().max_by_key(|state| weight(*state)).unwrap_or(RunState::NotRun),
        };
        let no_iterations = state == RunState::NotRun && task.is_some_and(|task| task.iterations.is_some());
        Self { state, no_iterations, ..Self::not_run(node) }
    }

    /// The accessible name, which tests of the page go by too. Reactive.
    pub fn name(&self) -> String {
        let texts = &t().jobs;
        let mut parts = vec![self.key.clone(), self.type_name.clone(), self.state_words().to_owned()];
        if self.iterations == Some((0, 0)) {
            parts.push(texts.node_no_iterations.to_owned());
        } else if let Some((n, all)) = self.iterations {
            parts.push(fill(texts.node_iterations, &[("n", &n.to_string()), ("all", &all.to_string())]));
        }
        if !self.depends_on.is_empty() {
            parts.push(fill(texts.node_after, &[("tasks", &self.depends_on.join(texts.and))]));
        }
        parts.join(", ")
    }

    /// The word for its state. Reactive.
    pub fn state_words(&self) -> &'static str {
        if self.no_iterations { t().jobs.node_no_iterations } else { state_word(self.state, self.repaired) }
    }

    /// What stands behind the type: how many at a time. Reactive.
    pub fn concurrency_words(&self) -> Option<String> {
        let concurrency = self.concurrency?;
        Some(fill(t().jobs.node_concurrency, &[("n", &concurrency.to_string())]))
    }

    /// What stands behind the state: progress of a loop, or how long it took. Reactive.
    pub fn detail_words(&self) -> String {
        let texts = &t().jobs;
        match self.progress {
            Some([done, all, running, failed]) if self.state == RunState::Running => {
                progress_words([done, all, running, failed])
            }
            Some([_, all, _, failed]) if failed > 0 => {
                let ok = self.iterations.map_or(0, |(ok, _)| ok);
                fill(
                    texts.node_counts,
                    &[("ok", &ok.to_string()), ("failed", &failed.to_string()), ("all", &all.to_string())],
                )
            }
            _ => self.duration_ms.map(duration).unwrap_or_default(),
        }
    }
}

/// `12 of 40 · 2 running · 1 failed`. Reactive.
pub fn progress_words([done, all, running, failed]: [usize; 4]) -> String {
    let texts = &t().jobs;
    let mut words = fill(texts.progress_done, &[("n", &done.to_string()), ("all", &all.to_string())]);
    if running > 0 {
        words.push_str(&fill(texts.progress_running, &[("n", &running.to_string())]));
    }
    if failed > 0 {
        words.push_str(&fill(texts.progress_failed, &[("n", &failed.to_string())]));
    }
    words
}

/// How much a state matters where many are summed up.
fn weight(state: RunState) -> u8 {
    match state {
        state if is_failure(state) => 5,
        RunState::Canceled => 4,
        RunState::Waiting | RunState::WaitingForRetry | RunState::Queued | RunState::Blocked => 3,
        RunState::SuccessWithWarnings | RunState::SuccessWithFailures => 2,
        RunState::Success => 1,
        _ => 0,
    }
}

fn segments(task: &TaskRunView, limit: Option<u32>) -> Vec<(RunState, f64)> {
    let iterations = task.iterations.as_deref().unwrap_or_default();
    let states = iterations.iter().map(|iteration| of_iteration(iteration, limit).state);
    let share = 1.0 / iterations.len().max(1) as f64;
    if iterations.len() <= SEGMENTS_MAX {
        return states.map(|state| (state, share)).collect();
    }
    let mut summed: Vec<(RunState, f64)> = Vec::new();
    for state in states {
        match summed.iter_mut().find(|(known, _)| *known == state) {
            Some((_, part)) => *part += share,
            None => summed.push((state, share)),
        }
    }
    summed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::run::samples::{failed_run, repaired_run};

    fn facts(run: &RunView, limit: Option<u32>) -> NodeFacts {
        NodeFacts::in_run(&run.graph.nodes[1], run, limit)
    }

    #[test]
    fn names_say_everything_that_a_box_shows() {
        let run = failed_run();
        assert_eq!(
            facts(&run, None).name(),
            "process_markets, For each, Failed, 2 of 3 iterations succeeded, runs after read_markets"
        );
        assert_eq!(NodeFacts::in_run(&run.graph.nodes[0], &run, None).name(), "read_markets, SQL, Succeeded");
        let mut node = run.graph.nodes[1].clone();
        node.depends_on.push("b".into());
        assert_eq!(
            NodeFacts::not_run(&node).name(),
            "process_markets, For each, Not run yet, runs after read_markets and b"
        );
    }

    #[test]
    fn a_repaired_loop_says_so() {
        let run = repaired_run();
        assert!(facts(&run, None).name().contains("Succeeded (repaired), 3 of 3"));
        assert!(facts(&run, Some(1)).name().contains("Failed, 2 of 3"));
    }

    #[test]
    fn details_count_what_went_wrong() {
        assert_eq!(facts(&failed_run(), None).detail_words(), "2 ok · 1 failed");
        assert_eq!(facts(&repaired_run(), None).detail_words(), "1.0 s");
        assert_eq!(progress_words([12, 40, 2, 1]), "12 of 40 · 2 running · 1 failed");
        assert_eq!(facts(&failed_run(), None).concurrency_words().as_deref(), Some("2 at a time"));
    }

    #[test]
    fn bars_have_a_segment_for_each_iteration_up_to_a_limit() {
        assert_eq!(facts(&failed_run(), None).segments.len(), 3);
        let mut run = failed_run();
        let one = run.tasks[1].iterations.as_ref().unwrap()[0].clone();
        run.tasks[1].iterations = Some(vec![one; 100]);
        let segments = facts(&run, None).segments;
        assert_eq!(segments.len(), 1);
        assert!((segments[0].1 - 1.0).abs() < 1e-9);
    }

    #[test]
    fn a_loop_over_nothing_says_so() {
        let mut run = failed_run();
        run.tasks[1].iterations = Some(Vec::new());
        run.tasks[1].state = RunState::Success;
        assert!(facts(&run, None).name().contains("Succeeded, 0 iterations"), "{}", facts(&run, None).name());
        let node = run.graph.nodes[0].clone();
        assert_eq!(NodeFacts::nested_in_run(&node, "process_markets", &run, None).state_words(), "0 iterations");
        assert_eq!(NodeFacts::not_run(&node).state_words(), "Not run yet");
    }

    #[test]
    fn the_nested_task_sums_up_its_iterations() {
        let run = failed_run();
        let node = run.graph.nodes[0].clone();
        assert_eq!(NodeFacts::nested_in_run(&node, "process_markets", &run, None).state, RunState::Failed);
        let mut waiting = failed_run();
        waiting.tasks[1].iterations = None;
        waiting.tasks[1].state = RunState::Blocked;
        waiting.tasks[1].attempts.clear();
        assert_eq!(NodeFacts::nested_in_run(&node, "process_markets", &waiting, None).state, RunState::Blocked);
    }
}
