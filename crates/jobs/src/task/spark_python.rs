//! Tasks that run a Python file with command-line arguments.

use crate::read::{Fields, Reader, SOURCES, Source};

/// Settings under `spark_python_task`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SparkPythonTask {
    /// Where the file is.
    pub python_file: String,
    /// Where the path leads; as the job says when absent.
    pub source: Option<Source>,
    /// Command-line arguments. Job parameters do not reach them by themselves.
    pub parameters: Vec<String>,
}

impl SparkPythonTask {
    pub(super) fn read(fields: &Fields<'_>, reader: &mut Reader<'_>) -> Self {
        Self {
            python_file: fields.required_text("python_file", reader),
            source: fields.choice("source", SOURCES, reader),
            parameters: fields.texts("parameters", reader),
        }
    }

    pub(super) fn templates<'a>(&'a self, add: &mut dyn FnMut(&str, &'a str)) {
        add("python_file", &self.python_file);
        for (index, text) in self.parameters.iter().enumerate() {
            add(&format!("parameters[{index}]"), text);
        }
    }
}
