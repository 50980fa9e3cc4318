//! The English texts, and with them the structures of all texts.

mod data;
mod frame;
mod jobs;
mod lesson;
mod notebook;
mod runs;
mod sql;

pub use data::{DataTexts, FlowTexts, GridTexts, WatermarkTexts};
pub use frame::{ClockTexts, Common, Frame, Home, SettingsTexts};
pub use jobs::JobTexts;
pub use lesson::LessonTexts;
pub use notebook::NotebookTexts;
pub use runs::RunTexts;
pub use sql::Sql;

use super::Messages;

/// All English texts.
pub const MESSAGES: Messages = Messages {
    common: frame::COMMON,
    frame: frame::FRAME,
    home: frame::HOME,
    lesson: lesson::LESSON,
    sql: sql::SQL,
    grid: data::GRID,
    data: data::DATA,
    flow: data::FLOW,
    clock: frame::CLOCK,
    watermarks: data::WATERMARKS,
    settings: frame::SETTINGS,
    jobs: jobs::JOBS,
    runs: runs::RUNS,
    notebook: notebook::NOTEBOOK,
};
