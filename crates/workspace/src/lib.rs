//! The one door: catalog, SQL, pipelines, jobs, notebooks, clock and log of one workspace.
//!
//! A host submits [`lakelet_protocol::Request`]s and calls [`Workspace::step`] until it is idle, sending what comes out.
//! Every step is short, so a host hears a cancel between two of them. The log is the only truth for recovery: opening a
//! workspace on the same storage gives the same workspace.

mod advance;
mod core;
mod jobs;
mod lesson;
mod notebook;
mod project;
mod results;
mod script;
mod statement_run;
mod statements;
mod views;
mod workspace;

pub use jobs::{NoPython, PythonHost, RunSettings};
pub use lesson::{ActOutcome, LessonReader};
pub use notebook::{CellFinished, RunCell};
pub use statement_run::StatementDone;
pub use workspace::{ClockMode, ScriptError, StepOutcome, Workspace, WorkspaceOptions};

/// Project files and bundles, for hosts that read them from a disk.
pub use lakelet_bundle as bundle;
/// Lessons and their checks, for hosts that run them.
pub use lakelet_lessons as lessons;
/// Types and values, for hosts that print rows.
pub use lakelet_types as types;
