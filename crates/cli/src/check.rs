//! `lakelet check`.

use std::path::PathBuf;

use lakelet_workspace::lessons::{self, Lesson};
use lakelet_workspace::{ActOutcome, LessonReader};
use serde_json::json;

use crate::project::ProjectFolder;
use crate::python::Python;
use crate::{Failure, Place};

#[derive(Debug, clap::Args)]
pub(crate) struct CheckArguments {
    /// Folder of a project, or a LESSON.md inside of one.
    #[arg(value_name = "PROJECT")]
    project: PathBuf,
    /// Run notebooks with Pyodide under Node.
    #[arg(long, value_name = "node")]
    python: Option<String>,
}

#[derive(Default)]
struct Tally {
    passed: usize,
    failed: usize,
    skipped: usize,
}

impl Tally {
    fn line(&mut self, step: &str, kind: &str, outcome: &ActOutcome) {
        let (pass, message) = match outcome {
            ActOutcome::Passed => {
                self.passed += 1;
                (Some(true), None)
            }
            ActOutcome::Failed(message) => {
                self.failed += 1;
                (Some(false), Some(message))
            }
            ActOutcome::Skipped(message) => {
                self.skipped += 1;
                (None, Some(message))
            }
        };
        println!("{}", json!({ "step": step, "kind": kind, "pass": pass, "message": message }));
    }
}

pub(crate) fn run(arguments: &CheckArguments) -> Result<(), Failure> {
    let (folder, only) = place(&arguments.project)?;
    let project = ProjectFolder::read(&folder)?;
    let mut python = Python::new(arguments.python.as_deref())?;
    let in_memory = Place { workspace: None, now: None };
    let mut tally = Tally::default();
    let lessons: Vec<&String> = project
        .files
        .keys()
        .filter(|path| path.starts_with("lessons/") && path.ends_with("/en.md"))
        .filter(|path| only.as_ref().is_none_or(|only| only == *path))
        .collect();
    if lessons.is_empty() {
        // Without a lesson what there is to prove is that the set-up script and the recipe run.
        let outcome = match project.open(&in_memory, python.host(), true) {
            Ok(_) => ActOutcome::Passed,
            Err(Failure::Input(message)) => ActOutcome::Failed(message.unwrap_or_default()),
            Err(usage) => return Err(usage),
        };
        tally.line("recipe", "recipe", &outcome);
    }
    for path in lessons {
        let lesson = parse(path, &project)?;
        let mut workspace = project.open(&in_memory, python.host(), false)?;
        let mut reader = LessonReader::new(&mut workspace, python.host());
        reader.read(&lesson, |step, act, outcome| {
            let step = format!("{}/{step}, line {}", lesson.id, act.place().line);
            tally.line(&step, act.kind(), &outcome);
        });
    }
    println!("{}", json!({ "passed": tally.passed, "failed": tally.failed, "skipped": tally.skipped }));
    // What was skipped is not proven, and a check that proves less than everything has not succeeded.
    if tally.failed + tally.skipped == 0 { Ok(()) } else { Err(Failure::Input(None)) }
}

/// The project's folder, and the one lesson that is to be checked.
fn place(path: &std::path::Path) -> Result<(PathBuf, Option<String>), Failure> {
    if path.is_dir() {
        return Ok((path.to_owned(), None));
    }
    let parts: Vec<_> = path.components().rev().take(3).collect();
    let names: Vec<String> = parts.iter().rev().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
    let root = path.ancestors().nth(3);
    match (names.as_slice(), root) {
        ([lessons, id, _], Some(root)) if lessons == "lessons" => {
            let root = if root.as_os_str().is_empty() { std::path::Path::new(".") } else { root };
            Ok((root.to_owned(), Some(format!("lessons/{id}/en.md"))))
        }
        _ => Err(Failure::Usage(format!("{} is neither a project nor its lessons/<id>/en.md", path.display()))),
    }
}

fn parse(path: &str, project: &ProjectFolder) -> Result<Lesson, Failure> {
    let report = |problems: Vec<lessons::LessonProblem>| {
        let lines: Vec<String> = problems.iter().map(|problem| format!("{path}: {problem}")).collect();
        Failure::Input(Some(lines.join("\n")))
    };
    let text = project.files.get(path).map(String::as_str).unwrap_or_default();
    let mut lesson = lessons::parse(text).map_err(report)?;
    lesson.fill(|file| project.files.get(file).cloned()).map_err(report)?;
    Ok(lesson)
}
