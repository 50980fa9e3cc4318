//! Laws that hold for every run.

use super::*;
use lakelet_jobs::{AttemptId, RepairRequest, RunEvent, RunIf, State};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// What a run does is fixed by these numbers.
#[derive(Debug, Clone)]
struct Scenario {
    settings: Value,
    concurrency: Vec<usize>,
    /// Drawn from in turn: durations, outcomes.
    draws: Vec<u8>,
    cancel_at: Option<i64>,
}

fn scenario() -> impl Strategy<Value = Scenario> {
    let task = (0_u8..4, 0_usize..6, 1_usize..5, 0_u32..3, 0_i64..40, any::<[bool; 4]>(), 0_usize..RunIf::WORDS.len());
    let tasks = proptest::collection::vec(task, 1..7);
    (tasks, proptest::collection::vec(any::<u8>(), 1..60), proptest::option::weighted(0.3, 0_i64..200)).prop_map(
        |(tasks, draws, cancel_at)| {
            let mut concurrencies = Vec::new();
            let mut settings = Vec::new();
            for (index, (kind, n_inputs, concurrency, retries, wait, edges, run_if)) in tasks.into_iter().enumerate() {
                let inner = json!({"task_key": format!("n{index}"), "max_retries": retries,
                    "min_retry_interval_millis": wait, "timeout_seconds": retries, "notebook_task": {"notebook_path": "/n"}});
                let mut task = match kind {
                    0 => json!({"condition_task": {"op": "EQUAL_TO", "left": "1", "right": if edges[0] { "1" } else { "2" }}}),
                    1 | 2 => {
                        let inputs = Value::Array((0..n_inputs).map(|i| json!({"i": i})).collect()).to_string();
                        json!({"for_each_task": {"inputs": inputs, "concurrency": concurrency, "task": inner}})
                    }
                    _ => json!({"notebook_task": {"notebook_path": "/n"}, "max_retries": retries,
                        "min_retry_interval_millis": wait, "disabled": edges[3] && edges[2]}),
                };
                concurrencies.push(if matches!(kind, 1 | 2) { concurrency } else { 1 });
                let before = index.saturating_sub(edges.len());
                let depends_on: Vec<Value> =
                    (before..index).zip(edges).filter(|(_, edge)| *edge).map(|(i, _)| json!({"task_key": format!("t{i}")})).collect();
                task["task_key"] = json!(format!("t{index}"));
                task["depends_on"] = json!(depends_on);
                task["run_if"] = json!(RunIf::WORDS[run_if].0);
                settings.push(task);
            }
            Scenario { settings: json!({"tasks": settings}), concurrency: concurrencies, draws, cancel_at }
        },
    )
}

impl Scenario {
    fn simulation(&self) -> Simulation<'static> {
        let (run, effects) = begin(&self.settings, RunRequest::default());
        let mut simulation = Simulation::new(run, effects, START, self.plan());
        if let Some(millis) = self.cancel_at {
            simulation.foresee(START.plus_millis(millis), RunEvent::Cancel);
        }
        simulation
    }

    fn plan(&self) -> simulation::Plan<'static> {
        let draws = self.draws.clone();
        let mut n_drawn = 0;
        Box::new(move |_| {
            let draw = draws[n_drawn % draws.len()];
            n_drawn += 1;
            let outcome = match draw % 5 {
                0 | 1 => fail(),
                2 => AttemptOutcome::Canceled,
                _ => succeed(),
            };
            Planned::new(i64::from(draw) * if draw > 250 { 20 } else { 1 }, outcome)
        })
    }
}

/// A fixed seed: every run of the tests tries the same scenarios.
fn for_all_scenarios(check: impl Fn(Scenario) -> Result<(), TestCaseError>) {
    let config = Config { cases: 300, failure_persistence: None, ..Config::default() };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    TestRunner::new_with_rng(config, rng).run(&scenario(), check).unwrap();
}

/// Attempts in flight, by the task they belong to.
fn in_flight(run: &Run) -> Vec<usize> {
    let is_open = |state: State| matches!(state, State::Running | State::WaitingForRetry);
    run.tasks()
        .map(|(_, task)| match task.for_each() {
            Some(for_each) => for_each.iterations().iter().filter(|iteration| is_open(iteration.state())).count(),
            None => usize::from(is_open(task.state())),
        })
        .collect()
}

#[test]
fn prop_never_more_than_concurrency_in_flight_and_starts_in_input_order() {
    for_all_scenarios(|scenario| {
        let mut simulation = scenario.simulation();
        loop {
            for (n, most) in in_flight(&simulation.run).into_iter().zip(&scenario.concurrency) {
                prop_assert!(n <= *most);
            }
            if !simulation.step() {
                break;
            }
        }
        let first_starts: Vec<&AttemptId> = simulation
            .effects
            .iter()
            .filter_map(|effect| match effect {
                RunEffect::StartAttempt(start) if start.id.attempt == 0 => Some(&start.id),
                _ => None,
            })
            .collect();
        for (position, id) in first_starts.iter().enumerate() {
            let later = &first_starts[position + 1..];
            prop_assert!(later.iter().all(|other| other.task_key != id.task_key || other.iteration > id.iteration));
        }
        Ok(())
    });
}

#[test]
fn prop_every_run_ends_and_says_so_once() {
    for_all_scenarios(|scenario| {
        let mut simulation = scenario.simulation();
        simulation.play();
        prop_assert!(simulation.run.state().is_ended());
        prop_assert!(simulation.run.tasks().all(|(_, task)| task.state().is_ended()));
        let n_finished = simulation.effects.iter().filter(|effect| matches!(effect, RunEffect::Finish { .. })).count();
        prop_assert_eq!(n_finished, 1);
        for (_, task) in simulation.run.tasks() {
            prop_assert!(task.attempts().iter().all(|attempt| attempt.state.is_ended() && attempt.end.is_some()));
            for iteration in task.for_each().into_iter().flat_map(|for_each| for_each.iterations()) {
                prop_assert!(iteration.state().is_ended());
                prop_assert!(iteration.attempts().iter().all(|attempt| attempt.state.is_ended()));
            }
        }
        Ok(())
    });
}

#[test]
fn prop_the_same_events_give_the_same_run() {
    for_all_scenarios(|scenario| {
        let (mut first, mut second) = (scenario.simulation(), scenario.simulation());
        first.play();
        second.play();
        prop_assert_eq!(&first.effects, &second.effects);
        prop_assert_eq!(first.run, second.run);
        Ok(())
    });
}

#[test]
fn prop_a_run_goes_on_after_being_stored() {
    for_all_scenarios(|scenario| {
        let (mut through, mut restored) = (scenario.simulation(), scenario.simulation());
        through.play();
        loop {
            restored.run = stored(&restored.run);
            if !restored.step() {
                break;
            }
        }
        prop_assert_eq!(&through.effects, &restored.effects);
        prop_assert_eq!(through.run.to_json().to_string(), restored.run.to_json().to_string());
        prop_assert_eq!(through.run, restored.run);
        Ok(())
    });
}

#[test]
fn prop_a_repair_touches_what_it_planned_and_nothing_else() {
    for_all_scenarios(|scenario| {
        let mut simulation = scenario.simulation();
        simulation.play();
        let before = simulation.run.clone();
        let request = RepairRequest { rerun_all_failed_tasks: true, ..RepairRequest::default() };
        let Ok(plan) = before.plan_repair(&request) else {
            return Ok(());
        };
        let mut run = before.clone();
        let effects = run.repair(request, 9, simulation.now).unwrap();
        let mut repaired = Simulation::new(run, effects, simulation.now, scenario.plan());
        repaired.play();
        prop_assert!(repaired.run.state().is_ended());
        for key in &plan.kept {
            prop_assert_eq!(before.task(key.as_str()), repaired.run.task(key.as_str()));
        }
        for (key, kept) in &plan.kept_iterations {
            let iterations = |run: &Run| run.task(key.as_str()).unwrap().for_each().unwrap().iterations().to_vec();
            for index in kept {
                prop_assert_eq!(&iterations(&before)[*index], &iterations(&repaired.run)[*index]);
            }
        }
        Ok(())
    });
}
