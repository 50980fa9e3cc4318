//! Tasks that run another job.

use indexmap::IndexMap;

use crate::read::{Fields, Reader};

/// Settings under `run_job_task`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunJobTask {
    /// The job's id, or a bundle variable that stands for it.
    pub job_id: String,
    /// Values for the job's parameters.
    pub job_parameters: IndexMap<String, String>,
}

impl RunJobTask {
    pub(super) fn read(fields: &Fields<'_>, reader: &mut Reader<'_>) -> Self {
        fields.required("job_id", reader);
        Self {
            job_id: fields.scalar("job_id", reader).unwrap_or_default(),
            job_parameters: fields.text_map("job_parameters", reader),
        }
    }

    pub(super) fn templates<'a>(&'a self, add: &mut dyn FnMut(&str, &'a str)) {
        for (name, text) in &self.job_parameters {
            add(&format!("job_parameters.{name}"), text);
        }
    }
}
