//! Project files as data and back: Databricks bundles, notebooks, `lakelet.json`.
//!
//! Everything here is text in, data out: no files are touched, nothing runs. What a bundle holds that Lakelet does not
//! know is kept as it is and named with its file and line.

mod fields;
mod glob;
mod job_file;
mod keys;
mod lakelet_file;
mod merge;
mod notebook;
mod paths;
mod problem;
mod project;
mod read;
mod recipe;
mod variables;
mod yaml;

pub use fields::{FieldError, Fields, scalar_text};
pub use job_file::{SaveError, job_from_yaml, job_to_yaml, remove_job, save_job, sql_task_text, with_sql_texts};
pub use lakelet_file::{FORMAT, LakeletFile, LessonReference};
pub use notebook::{
    CellKind, DeclaredWidget, Notebook, NotebookCell, NotebookError, WidgetKind, declared_widgets, is_notebook,
    parse_notebook, write_notebook,
};
pub use paths::{find_notebook, find_python_file, workspace_path_target};
pub use problem::{BundleProblem, Severity};
pub use project::{
    BUNDLE_PATH, FILES_MAX, LAKELET_PATH, PATH_BYTES_MAX, PATH_DEPTH_MAX, PROJECT_BYTES_MAX, Project, ProjectError,
    SETUP_PATH, normalize_path,
};
pub use read::{Bundle, JobResource, PipelineResource, read_bundle};
pub use recipe::{AdvanceTo, Fault, RECIPE_ENTRIES_MAX, RecipeAction, RecipeEntry, Script};
pub use yaml::{
    DEPTH_MAX, KEY_BYTES_MAX, TEXT_BYTES_MAX, VALUES_MAX, Yaml, YamlEntry, YamlError, YamlValue, parse_yaml, to_yaml,
};
