//! Attempts over time: one lane for each task, and for a For each one for each place that iterations take.

use lakelet_base::Timestamp;
use lakelet_protocol::{RunState, RunView};

/// An attempt on the timeline.
#[derive(Debug, Clone, PartialEq)]
pub struct Span {
    /// The iteration and its label; `None` for a task.
    pub iteration: Option<(u32, String)>,
    /// 1-based attempt.
    pub attempt: u32,
    /// State.
    pub state: RunState,
    /// Milliseconds after the start of the run.
    pub from_ms: f64,
    /// The same for its end; where there is none yet, the latest instant of the run.
    pub to_ms: f64,
}

/// A lane.
#[derive(Debug, Clone, PartialEq)]
pub struct Lane {
    /// The task.
    pub task: String,
    /// 1-based place of a For each; `None` for the lane of a task.
    pub slot: Option<usize>,
    /// In the order of time.
    pub spans: Vec<Span>,
}

/// All lanes with the length of the run in milliseconds. Pauses before a repair are not left out: they say that
/// somebody decided.
pub fn lanes(run: &RunView) -> (Vec<Lane>, f64) {
    let start = run.summary.started;
    let latest = latest(run);
    let ms = |instant: Timestamp| (instant.0 - start.0) as f64 / 1e3;
    let mut lanes = Vec::new();
    for task in &run.tasks {
        let Some(iterations) = &task.iterations else {
            let spans = task
                .attempts
                .iter()
                .filter_map(|attempt| {
                    let from = attempt.start?;
                    Some(Span {
                        iteration: None,
                        attempt: attempt.attempt,
                        state: attempt.state,
                        from_ms: ms(from),
                        to_ms: ms(attempt.end.unwrap_or(latest)),
                    })
                })
                .collect();
            lanes.push(Lane { task: task.task_key.clone(), slot: None, spans });
            continue;
        };
        let mut spans: Vec<Span> = iterations
            .iter()
            .flat_map(|iteration| iteration.attempts.iter().map(move |attempt| (iteration, attempt)))
            .filter_map(|(iteration, attempt)| {
                let from = attempt.start?;
                Some(Span {
                    iteration: Some((iteration.index, iteration.label.clone())),
                    attempt: attempt.attempt,
                    state: attempt.state,
                    from_ms: ms(from),
                    to_ms: ms(attempt.end.unwrap_or(latest)),
                })
            })
            .collect();
        spans.sort_by(|a, b| a.from_ms.total_cmp(&b.from_ms));
        lanes.extend(slots(spans).into_iter().enumerate().map(|(index, spans)| Lane {
            task: task.task_key.clone(),
            slot: Some(index + 1),
            spans,
        }));
    }
    (lanes, ms(latest).max(1.0))
}

/// Each span in the first place that is free when it starts.
fn slots(spans: Vec<Span>) -> Vec<Vec<Span>> {
    let mut slots: Vec<Vec<Span>> = Vec::new();
    for span in spans {
        let free = slots.iter_mut().find(|slot| slot.last().is_none_or(|last| last.to_ms <= span.from_ms));
        match free {
            Some(slot) => slot.push(span),
            None => slots.push(vec![span]),
        }
    }
    slots
}

fn latest(run: &RunView) -> Timestamp {
    let attempts = run.tasks.iter().flat_map(|task| {
        let iterations = task.iterations.iter().flatten().flat_map(|iteration| &iteration.attempts);
        task.attempts.iter().chain(iterations)
    });
    let instants = attempts.flat_map(|attempt| [attempt.start, attempt.end]).flatten();
    instants.chain(run.summary.ended).max().unwrap_or(run.summary.started)
}

/// Marks of an axis of so many milliseconds: few, and at round numbers.
pub fn axis(length_ms: f64) -> Vec<f64> {
    const MARKS_MAX: f64 = 6.0;
    let raw = length_ms / MARKS_MAX;
    let magnitude = 10_f64.powf(raw.max(1.0).log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * magnitude).into_iter().find(|step| *step >= raw);
    let step = step.unwrap_or(10.0 * magnitude);
    let n_marks = (length_ms / step) as usize;
    (0..=n_marks).map(|mark| mark as f64 * step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::run::samples::failed_run;

    #[test]
    fn iterations_share_as_many_lanes_as_ran_at_a_time() {
        let (lanes, length) = lanes(&failed_run());
        assert_eq!(length, 1_900.0);
        let shown: Vec<(Option<usize>, Vec<Option<u32>>)> = lanes
            .iter()
            .map(|lane| (lane.slot, lane.spans.iter().map(|span| span.iteration.as_ref().map(|i| i.0)).collect()))
            .collect();
        assert_eq!(shown, [(None, vec![None]), (Some(1), vec![Some(0)]), (Some(2), vec![Some(1), Some(2)])]);
    }

    #[test]
    fn a_running_attempt_reaches_to_the_latest_instant() {
        let mut run = failed_run();
        run.summary.ended = None;
        run.tasks[1].iterations.as_mut().unwrap()[2].attempts[0].end = None;
        let (lanes, _) = lanes(&run);
        assert_eq!(lanes[2].spans[1].to_ms, 1_900.0);
    }

    #[test]
    fn axes_have_round_marks() {
        assert_eq!(axis(1_900.0), [0.0, 500.0, 1_000.0, 1_500.0]);
        assert_eq!(axis(1.0), [0.0, 1.0]);
        assert_eq!(axis(61_000.0).len(), 4);
    }
}
