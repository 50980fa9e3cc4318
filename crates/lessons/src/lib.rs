//! Lesson text to steps, exercises and checks.
//!
//! A lesson is Markdown with TOML front matter; `docs/project-format.md` describes it exactly. This crate reads it,
//! joins a translation to it, and compares what a workspace holds with what a check asks for. It runs nothing.

mod check;
mod compare;
mod document;
mod info;
mod jobs;
mod lesson;
mod markdown;
mod parse;
mod plan;
mod question;
mod translation;

use std::fmt;

pub use check::{
    Check, Condition, ExpectedCell, ExpectedIterations, ExpectedJob, ExpectedRows, ExpectedRun, RowSource,
};
pub use compare::{Mismatch, cell_text, check_clock, check_job, check_rows, check_run, check_version};
// What an action block holds: hosts of a lesson need no other name for it.
pub use jobs::{JobTask, sql_files, tasks_with_sql_file};
pub use lakelet_bundle::{AdvanceTo, Fault, RecipeAction, RecipeEntry, Script};
pub use lesson::{ActionBlock, Block, Code, JobBlock, Lesson, Place, PythonBlock, SqlBlock, Step};
pub use markdown::{Inline, Node, parse_markdown, plain_text};
pub use parse::parse;
pub use plan::Act;
pub use question::{Answer, Question};
pub use translation::parse_translation;

/// Most bytes of a lesson text.
pub const LESSON_BYTES_MAX: usize = 512 * 1024;

/// What is wrong with a lesson text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LessonProblem {
    /// 1-based line.
    pub line: u32,
    /// A sentence.
    pub message: String,
}

impl LessonProblem {
    pub(crate) fn new(line: u32, message: impl Into<String>) -> Self {
        Self { line, message: message.into() }
    }
}

impl fmt::Display for LessonProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for LessonProblem {}
