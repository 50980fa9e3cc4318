//! A lesson as a list of things to do, for whoever carries it out from end to end.

use lakelet_bundle::RecipeEntry;

use crate::LessonProblem;
use crate::check::Check;
use crate::lesson::{Block, Code, JobBlock, Lesson, Place, PythonBlock, SqlBlock, Step};

/// First line of a Python notebook in source format.
const NOTEBOOK_HEADER: &str = "# Databricks notebook source\n";

/// One thing to do.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Act<'a> {
    /// Write [`SqlBlock::path`], if it has one; run the statements, if it says `run`. With [`SqlBlock::fails`] the
    /// script must end with that condition, else it must succeed.
    Sql(&'a SqlBlock),
    /// Write the notebook; run it, if it says `run`.
    Python(&'a PythonBlock),
    /// Write the job's file and take the job over.
    Job(&'a JobBlock),
    /// Do what a recipe entry says; a job run that fails is no failure of the lesson, the checks tell.
    Do(&'a RecipeEntry, Place),
    /// Carry out what an exercise begins with; errors are expected and ignored.
    Starter(&'a Code),
    /// Evaluate a check.
    Check {
        /// The check.
        check: &'a Check,
        /// False right after a starter: the exercise must not be solved yet.
        must_hold: bool,
    },
}

impl Act<'_> {
    /// Where in the lesson it stands.
    pub fn place(&self) -> Place {
        match self {
            Self::Sql(block) => block.place,
            Self::Python(block) => block.place,
            Self::Job(block) => block.place,
            Self::Do(_, place) => *place,
            Self::Starter(code) => code.place(),
            Self::Check { check, .. } => check.place,
        }
    }

    /// `sql`, `python`, `job`, `action`, `starter`, `check`
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Sql(_) => "sql",
            Self::Python(_) => "python",
            Self::Job(_) => "job",
            Self::Do(..) => "action",
            Self::Starter(_) => "starter",
            Self::Check { .. } => "check",
        }
    }
}

impl Step {
    /// What carrying out this step means, in order.
    ///
    /// An exercise is a starter and what follows it up to the next starter: its checks must fail right after the
    /// starter, then the solution is carried out, then they must hold.
    pub fn acts(&self) -> Vec<Act<'_>> {
        let mut acts = Vec::new();
        let mut waiting: Option<Vec<&Check>> = None;
        for (index, block) in self.blocks.iter().enumerate() {
            match block {
                Block::Prose(_) | Block::Fold { .. } | Block::Predict(_) => {}
                Block::Sql(block) => acts.push(Act::Sql(block)),
                Block::Python(block) => acts.push(Act::Python(block)),
                Block::Job(block) => acts.push(Act::Job(block)),
                Block::Action(block) => acts.extend(block.entries.iter().map(|entry| Act::Do(entry, block.place))),
                Block::Starter(code) => {
                    acts.push(Act::Starter(code));
                    let rest = self.blocks.iter().skip(index + 1);
                    let exercise = rest.take_while(|block| !matches!(block, Block::Starter(_)));
                    acts.extend(exercise.filter_map(|block| match block {
                        Block::Check(check) => Some(Act::Check { check, must_hold: false }),
                        _ => None,
                    }));
                    waiting = Some(Vec::new());
                }
                Block::Solution(code) => {
                    acts.push(match code {
                        Code::Sql(block) => Act::Sql(block),
                        Code::Python(block) => Act::Python(block),
                        Code::Job(block) => Act::Job(block),
                    });
                    let checks = waiting.take().unwrap_or_default();
                    acts.extend(checks.into_iter().map(|check| Act::Check { check, must_hold: true }));
                }
                Block::Check(check) => match &mut waiting {
                    Some(checks) => checks.push(check),
                    None => acts.push(Act::Check { check, must_hold: true }),
                },
            }
        }
        acts
    }
}

impl Lesson {
    /// Puts the text of project files into the blocks that only name them. `file` gives the text of a file.
    ///
    /// # Errors
    /// The blocks whose file is not there.
    pub fn fill(&mut self, file: impl Fn(&str) -> Option<String>) -> Result<(), Vec<LessonProblem>> {
        let mut problems = Vec::new();
        for block in self.steps.iter_mut().flat_map(|step| &mut step.blocks) {
            let (text, path, place, is_notebook) = match block {
                Block::Sql(block) | Block::Starter(Code::Sql(block)) | Block::Solution(Code::Sql(block)) => {
                    let Some(path) = &block.path else { continue };
                    (&mut block.text, path, block.place, false)
                }
                Block::Python(block) | Block::Starter(Code::Python(block)) | Block::Solution(Code::Python(block)) => {
                    (&mut block.text, &block.notebook, block.place, true)
                }
                Block::Job(block) | Block::Starter(Code::Job(block)) | Block::Solution(Code::Job(block)) => {
                    (&mut block.text, &block.path, block.place, false)
                }
                Block::Prose(_) | Block::Fold { .. } | Block::Action(_) | Block::Predict(_) | Block::Check(_) => {
                    continue;
                }
            };
            if !text.trim().is_empty() {
                continue;
            }
            match file(path) {
                Some(found) if is_notebook => {
                    let code = found.strip_prefix(NOTEBOOK_HEADER).unwrap_or(&found);
                    code.trim_start_matches('\n').clone_into(text);
                }
                Some(found) => *text = found,
                None => {
                    problems.push(LessonProblem::new(place.line, format!("The project has no file `{path}`.")));
                }
            }
        }
        if problems.is_empty() { Ok(()) } else { Err(problems) }
    }

    /// The files that this lesson writes, step by step: a page may leave them out when it opens the lesson at its
    /// beginning.
    pub fn written_paths(&self) -> Vec<&str> {
        let mut paths: Vec<&str> = Vec::new();
        for block in self.steps.iter().flat_map(|step| &step.blocks) {
            let path = match block {
                // What only runs a file of the project does not write it.
                Block::Sql(block) if !block.run => block.path.as_deref(),
                Block::Python(block) => Some(block.notebook.as_str()),
                Block::Job(block) => Some(block.path.as_str()),
                _ => None,
            };
            if let Some(path) = path
                && !paths.contains(&path)
            {
                paths.push(path);
            }
        }
        paths
    }

    /// The step with this id.
    pub fn step(&self, id: &str) -> Option<&Step> {
        self.steps.iter().find(|step| step.id == id)
    }
}

#[cfg(test)]
mod tests;
