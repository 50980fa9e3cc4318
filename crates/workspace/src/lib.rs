//! The one door: catalog, SQL, pipelines, jobs, notebooks, clock and log of one workspace.
//!
//! A host submits [`lakelet_protocol::Request`]s and calls [`Workspace::step`] until it is idle, sending what comes out.
//! Every step is short, so a host hears a cancel between two of them. The log is the only truth for recovery: opening a
//! workspace on the same storage gives the same workspace.

mod core;
mod results;
mod script;
mod statement_run;
mod views;
mod workspace;

pub use statement_run::StatementDone;
pub use workspace::{ClockMode, ScriptError, StepOutcome, Workspace, WorkspaceOptions};
