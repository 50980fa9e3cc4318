//! Which value a parameter has, and where it comes from.

use std::fmt;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

/// Where a parameter's value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Origin {
    /// The default of a job parameter.
    Job,
    /// The task's own settings.
    Task,
    /// The request that started or repaired the run, or a reader's own hand.
    Run,
    /// The default of a notebook's widget: nobody passed a value.
    Default,
}

impl Origin {
    /// The word in run records.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Job => "job",
            Self::Task => "task",
            Self::Run => "run",
            Self::Default => "default",
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A parameter as a task gets it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its value, references resolved.
    pub value: String,
    /// Where the value comes from.
    pub origin: Origin,
}

impl Parameter {
    /// A parameter.
    pub fn new(name: impl Into<String>, value: impl Into<String>, origin: Origin) -> Self {
        Self { name: name.into(), value: value.into(), origin }
    }
}

/// What a task with key–value parameters gets, by rank: job parameters (as `job` has them, with their origin), then
/// `requested` (an older field of the request, such as `notebook_params`), then the task's own. The task's own come
/// first in the answer, in their order, whoever wins; then what only the request or the job has.
pub fn key_value_parameters(
    own: &IndexMap<String, String>,
    requested: &IndexMap<String, String>,
    job: &[Parameter],
) -> Vec<Parameter> {
    let mut merged: IndexMap<&str, (&str, Origin)> = IndexMap::new();
    for (name, value) in own {
        merged.insert(name, (value, Origin::Task));
    }
    for (name, value) in requested {
        merged.insert(name, (value, Origin::Run));
    }
    for parameter in job {
        merged.insert(&parameter.name, (&parameter.value, parameter.origin));
    }
    merged.into_iter().map(|(name, (value, origin))| Parameter::new(name, value, origin)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn job_parameters_beat_requested_ones_and_those_beat_the_tasks_own() {
        let map = |pairs: &[(&str, &str)]| {
            pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
        };
        let own = map(&[("a", "task"), ("b", "task"), ("c", "task")]);
        let requested = map(&[("b", "run"), ("c", "run"), ("e", "run")]);
        let job = [Parameter::new("c", "job", Origin::Job), Parameter::new("d", "given", Origin::Run)];
        let merged: Vec<String> = key_value_parameters(&own, &requested, &job)
            .into_iter()
            .map(|parameter| format!("{}={}:{}", parameter.name, parameter.value, parameter.origin))
            .collect();
        assert_eq!(merged, ["a=task:task", "b=run:run", "c=job:job", "e=run:run", "d=given:run"]);
    }
}
