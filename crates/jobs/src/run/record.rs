//! A run as JSON, in the form that `lakelet run` and `lakelet repair` print.

use lakelet_base::Timestamp;
use serde_json::{Value, json};

use super::{Attempt, AttemptOutput, Iteration, Run, TaskError, TaskRun};
use crate::parameters::Parameter;
use crate::task::TaskKey;

impl Run {
    /// The run's record: `run_id`, `job`, `state`, `repair_count`, `started`, `ended`, `tasks`. Instants are RFC 3339 in
    /// UTC with milliseconds, states the words of the Jobs API, attempts are counted from 0.
    pub fn to_json(&self) -> Value {
        json!({
            "run_id": self.run_id(),
            "job": self.context.name,
            "state": self.state.as_str(),
            "repair_count": self.context.repair_count,
            "started": self.started().to_rfc3339_millis(),
            "ended": instant(self.ended),
            "tasks": self.tasks.iter().map(|(key, task)| task_json(key, task)).collect::<Vec<_>>(),
        })
    }
}

fn task_json(key: &TaskKey, task: &TaskRun) -> Value {
    let iterations = task.for_each().map(|for_each| {
        let iterations = for_each.iterations().iter().enumerate();
        iterations.map(|(index, iteration)| iteration_json(index, iteration)).collect::<Vec<_>>()
    });
    json!({
        "task_key": key.as_str(),
        "type": task.type_name(),
        "state": task.state().as_str(),
        "attempts": attempts_json(task.attempts()),
        "iterations": iterations,
    })
}

fn iteration_json(index: usize, iteration: &Iteration) -> Value {
    json!({
        "index": index,
        "input": iteration.input,
        "label": iteration.label,
        "state": iteration.state().as_str(),
        "attempts": attempts_json(iteration.attempts()),
    })
}

fn attempts_json(attempts: &[Attempt]) -> Vec<Value> {
    attempts
        .iter()
        .map(|attempt| {
            json!({
                "attempt": attempt.attempt,
                "state": attempt.state.as_str(),
                "start": attempt.start.to_rfc3339_millis(),
                "end": instant(attempt.end),
                "parameters": attempt.parameters.iter().map(parameter_json).collect::<Vec<_>>(),
                "output": attempt.output.as_ref().map(output_json),
                "error": attempt.error.as_ref().map(error_json),
            })
        })
        .collect()
}

fn parameter_json(parameter: &Parameter) -> Value {
    json!({"name": parameter.name, "value": parameter.value, "origin": parameter.origin.as_str()})
}

fn output_json(output: &AttemptOutput) -> Value {
    match output {
        AttemptOutput::Text(text) | AttemptOutput::AlertState(text) => json!({"text": text}),
        AttemptOutput::Rows(rows) if rows.problem().is_none() => json!({"rows": rows.rows()}),
        // The rows are not all here; the sizes say so.
        AttemptOutput::Rows(rows) => {
            json!({"rows": rows.rows(), "n_rows": rows.n_rows(), "size_bytes": rows.size_bytes()})
        }
    }
}

fn error_json(error: &TaskError) -> Value {
    json!({
        "condition": error.condition,
        "sqlstate": error.sqlstate,
        "message": error.message,
        "trace": error.trace,
    })
}

fn instant(instant: Option<Timestamp>) -> Option<String> {
    instant.map(Timestamp::to_rfc3339_millis)
}
