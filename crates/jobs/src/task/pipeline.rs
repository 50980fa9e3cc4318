//! Tasks that refresh a pipeline.

use crate::read::{Fields, Reader};

/// Settings under `pipeline_task`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PipelineTask {
    /// The pipeline's id, or a bundle variable that stands for it.
    pub pipeline_id: String,
    /// Whether everything is computed anew.
    pub full_refresh: bool,
    /// Tables to refresh; all when both selections are empty.
    pub refresh_selection: Vec<String>,
    /// Tables to compute anew.
    pub full_refresh_selection: Vec<String>,
}

impl PipelineTask {
    pub(super) fn read(fields: &Fields<'_>, reader: &mut Reader<'_>) -> Self {
        Self {
            pipeline_id: fields.required_text("pipeline_id", reader),
            full_refresh: fields.boolean("full_refresh", reader).unwrap_or(false),
            refresh_selection: fields.texts("refresh_selection", reader),
            full_refresh_selection: fields.texts("full_refresh_selection", reader),
        }
    }

    pub(super) fn templates<'a>(&'a self, add: &mut dyn FnMut(&str, &'a str)) {
        add("pipeline_id", &self.pipeline_id);
    }
}
