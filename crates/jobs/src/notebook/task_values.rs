//! `dbutils.jobs.taskValues`.

use indexmap::IndexMap;
use lakelet_base::Limits;
use serde_json::Value;

use super::{DbutilsError, DbutilsErrorKind};

/// The task values of one notebook: those it sets, and how it reads those of others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskValues {
    in_job: bool,
    size_bytes_max: usize,
    set: IndexMap<String, Value>,
}

impl TaskValues {
    /// Outside of a job: setting does nothing, reading gives the debug value.
    pub fn interactive(limits: &Limits) -> Self {
        Self { in_job: false, size_bytes_max: limits.task_output_bytes_max, set: IndexMap::new() }
    }

    /// In a task of a job.
    pub fn in_job(limits: &Limits) -> Self {
        Self { in_job: true, ..Self::interactive(limits) }
    }

    /// `taskValues.set`.
    ///
    /// # Errors
    /// `task_value_too_large` for a value of more than 48 KiB as JSON.
    pub fn set(&mut self, key: &str, value: Value) -> Result<(), DbutilsError> {
        if !self.in_job {
            return Ok(());
        }
        let (n_bytes, most) = (value.to_string().len(), self.size_bytes_max);
        if n_bytes > most {
            let message = format!("The task value '{key}' has {n_bytes} bytes as JSON; the limit is {most}.");
            return Err(DbutilsError::new(DbutilsErrorKind::TaskValueTooLarge, message));
        }
        self.set.insert(key.to_owned(), value);
        Ok(())
    }

    /// `taskValues.get`. `stored` is what the run knows, see [`crate::Run::task_value`]. Python's `None` counts as no
    /// default and no debug value.
    ///
    /// # Errors
    /// In a job `task_value_missing` without a value and a default, else `TypeError` without a debug value.
    pub fn get(
        &self,
        task_key: &str,
        key: &str,
        default: Option<&Value>,
        debug_value: Option<&Value>,
        stored: Option<&Value>,
    ) -> Result<Value, DbutilsError> {
        let given = |value: Option<&Value>| value.filter(|value| !value.is_null()).cloned();
        if !self.in_job {
            return given(debug_value).ok_or_else(|| {
                let message =
                    "Must pass debugValue when calling get outside of a job context. It is what get returns there.";
                DbutilsError::new(DbutilsErrorKind::TypeError, message)
            });
        }
        stored.cloned().or_else(|| given(default)).ok_or_else(|| {
            let message = format!("Task '{task_key}' set no task value '{key}' in this run, and get has no default.");
            DbutilsError::new(DbutilsErrorKind::TaskValueMissing, message)
        })
    }

    /// What the notebook has set, for [`crate::AttemptFinished`].
    pub fn into_set(self) -> IndexMap<String, Value> {
        self.set
    }
}
