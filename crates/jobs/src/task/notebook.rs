//! Notebook tasks.

use indexmap::IndexMap;

use crate::read::{Fields, Reader, SOURCES, Source, check_path};

/// Settings under `notebook_task`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotebookTask {
    /// Path without the file's extension.
    pub notebook_path: String,
    /// Where the path leads; as the job says when absent.
    pub source: Option<Source>,
    /// Values of widgets.
    pub base_parameters: IndexMap<String, String>,
    /// With a warehouse only SQL cells may be there.
    pub warehouse_id: Option<String>,
}

impl NotebookTask {
    pub(super) fn read(fields: &Fields<'_>, reader: &mut Reader<'_>) -> Self {
        let notebook_path = fields.required_text("notebook_path", reader);
        // The service takes an empty source for an absent one.
        let source = match fields.get("source").and_then(|value| value.as_str()) {
            Some("") => None,
            _ => fields.choice("source", SOURCES, reader),
        };
        check_path(&notebook_path, source, fields.at("notebook_path"), reader);
        Self {
            notebook_path,
            source,
            base_parameters: fields.text_map("base_parameters", reader),
            warehouse_id: fields.text("warehouse_id", reader),
        }
    }

    pub(super) fn templates<'a>(&'a self, add: &mut dyn FnMut(&str, &'a str)) {
        add("notebook_path", &self.notebook_path);
        for (name, text) in &self.base_parameters {
            add(&format!("base_parameters.{name}"), text);
        }
    }
}
