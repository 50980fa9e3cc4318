//! Project files as data and back: Databricks bundles, notebooks, `lakelet.json`.
//!
//! Everything here is text in, data out: no files are touched, nothing runs. What a bundle holds that Lakelet does not
//! know is kept as it is and named with its file and line.

mod fields;
mod lakelet_file;
mod notebook;
mod problem;
mod project;
mod recipe;
mod yaml;

pub use fields::{FieldError, Fields, scalar_text};
pub use lakelet_file::{FORMAT, LakeletFile, LessonReference};
pub use notebook::{
    CellKind, DeclaredWidget, Notebook, NotebookCell, NotebookError, WidgetKind, declared_widgets, is_notebook,
    parse_notebook, write_notebook,
};
pub use problem::{BundleProblem, Severity};
pub use project::{
    BUNDLE_PATH, FILES_MAX, LAKELET_PATH, PATH_BYTES_MAX, PATH_DEPTH_MAX, PROJECT_BYTES_MAX, Project, ProjectError,
    SETUP_PATH, normalize_path,
};
pub use recipe::{AdvanceTo, Fault, RECIPE_ENTRIES_MAX, RecipeAction, RecipeEntry, Script};
pub use yaml::{Yaml, YamlEntry, YamlError, YamlValue, parse_yaml, to_yaml};
