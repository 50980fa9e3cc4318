//! The lesson as data.

use lakelet_bundle::RecipeEntry;

use crate::check::Check;
use crate::markdown::Node;
use crate::question::Question;

/// A lesson in one language.
#[derive(Debug, Clone, PartialEq)]
pub struct Lesson {
    /// `t1`
    pub id: String,
    /// Title.
    pub title: String,
    /// Grows with every change that a reader's saved progress would notice.
    pub version: u32,
    /// How long it takes; 0 when the text does not say.
    pub minutes: u32,
    /// One sentence for lists of lessons.
    pub summary: String,
    /// What stands before the first step.
    pub intro: Vec<Node>,
    /// The steps, at least one.
    pub steps: Vec<Step>,
}

/// A step.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// Unique in the lesson, equal in every language.
    pub id: String,
    /// Heading as plain text.
    pub heading: String,
    /// 1-based line of the heading.
    pub line: u32,
    /// What the step holds, in order.
    pub blocks: Vec<Block>,
}

/// A piece of a step.
#[derive(Debug, Clone, PartialEq)]
pub enum Block {
    /// Text to read.
    Prose(Vec<Node>),
    /// Text behind a title that opens on demand: `### On Databricks {.fold}`.
    Fold {
        /// Title.
        title: String,
        /// Text.
        body: Vec<Node>,
    },
    /// ` ```sql `
    Sql(SqlBlock),
    /// ` ```python notebook=… `
    Python(PythonBlock),
    /// ` ```job path=… `
    Job(JobBlock),
    /// ` ```action `
    Action(ActionBlock),
    /// ` ```predict `: a question to answer before the run.
    Predict(Question),
    /// ` ```check `
    Check(Check),
    /// ` ```starter `: what an exercise begins with.
    Starter(Code),
    /// ` ```solution `: what makes the exercise's checks hold; hidden until asked for.
    Solution(Code),
}

/// Code of a starter or solution.
#[derive(Debug, Clone, PartialEq)]
pub enum Code {
    /// SQL that runs.
    Sql(SqlBlock),
    /// A notebook.
    Python(PythonBlock),
    /// A job.
    Job(JobBlock),
}

/// Where a fence stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// 1-based line of the opening fence in `en.md`.
    pub line: u32,
    /// 1-based number among the fences of the step; translations refer to it.
    pub number: u32,
}

/// SQL statements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SqlBlock {
    /// Where.
    pub place: Place,
    /// Statements. Empty when they stand in the file at `path`, until [`Lesson::fill`] puts them here.
    pub text: String,
    /// Meant to be run here (`run`); else only to be read or inserted.
    pub run: bool,
    /// The project file that holds this text; inserting writes it.
    pub path: Option<String>,
    /// Title of the editor tab it belongs to.
    pub tab: Option<String>,
    /// Name of a button that runs it, `Deliver 3 orders`.
    pub title: Option<String>,
    /// It must fail with this error condition.
    pub fails: Option<String>,
}

/// The code of a notebook's only Python cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PythonBlock {
    /// Where.
    pub place: Place,
    /// Python. Empty when it stands in the notebook already, until [`Lesson::fill`] puts it here.
    pub text: String,
    /// Path of the notebook; inserting writes it.
    pub notebook: String,
    /// Meant to be run here, outside a job.
    pub run: bool,
    /// Name of a button.
    pub title: Option<String>,
}

/// A bundle file that defines a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobBlock {
    /// Where.
    pub place: Place,
    /// YAML of the whole file. Empty when it stands in the project, until [`Lesson::fill`] puts it here.
    pub text: String,
    /// Path of the file; using the job writes it.
    pub path: String,
    /// Name of a button.
    pub title: Option<String>,
}

/// Things to do that are not code: run a job, repair it, move the clock.
#[derive(Debug, Clone, PartialEq)]
pub struct ActionBlock {
    /// Where.
    pub place: Place,
    /// In this order.
    pub entries: Vec<RecipeEntry>,
    /// Name of a button.
    pub title: Option<String>,
}

impl Block {
    /// Where it stands, for blocks that are fences.
    pub fn place(&self) -> Option<Place> {
        match self {
            Self::Prose(_) | Self::Fold { .. } => None,
            Self::Sql(block) => Some(block.place),
            Self::Python(block) => Some(block.place),
            Self::Job(block) => Some(block.place),
            Self::Action(block) => Some(block.place),
            Self::Predict(question) => Some(question.place),
            Self::Check(check) => Some(check.place),
            Self::Starter(code) | Self::Solution(code) => Some(code.place()),
        }
    }

    /// `sql`, `python`, `job`, `action`, `predict`, `check`, `starter`, `solution`; `prose` for text.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Prose(_) | Self::Fold { .. } => "prose",
            Self::Sql(_) => "sql",
            Self::Python(_) => "python",
            Self::Job(_) => "job",
            Self::Action(_) => "action",
            Self::Predict(_) => "predict",
            Self::Check(_) => "check",
            Self::Starter(_) => "starter",
            Self::Solution(_) => "solution",
        }
    }
}

impl Code {
    /// Where it stands.
    pub fn place(&self) -> Place {
        match self {
            Self::Sql(block) => block.place,
            Self::Python(block) => block.place,
            Self::Job(block) => block.place,
        }
    }

    /// The code.
    pub fn text(&self) -> &str {
        match self {
            Self::Sql(block) => &block.text,
            Self::Python(block) => &block.text,
            Self::Job(block) => &block.text,
        }
    }
}
