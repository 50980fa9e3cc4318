//! `lakelet check`.

use std::path::{Path, PathBuf};

use lakelet_workspace::bundle::Severity;
use lakelet_workspace::lessons::{self, Act, Lesson, LessonProblem};
use lakelet_workspace::{ActOutcome, LessonReader, PythonHost, Workspace};
use serde_json::json;

use crate::output::{line, note};
use crate::project::{Prepared, ProjectFolder};
use crate::python::{Python, PythonKind};
use crate::{Failure, Place};

/// The language that a lesson's code stands in.
const ENGLISH: &str = "en.md";

#[derive(Debug, clap::Args)]
pub(crate) struct CheckArguments {
    /// Folder of a project, or a LESSON.md.
    #[arg(value_name = "PROJECT")]
    project: PathBuf,
    /// What runs the cells of notebooks.
    #[arg(long, value_enum)]
    python: Option<PythonKind>,
}

/// Prints a line for each thing that was looked at, and counts.
#[derive(Default)]
struct Tally {
    passed: usize,
    failed: usize,
    skipped: usize,
}

impl Tally {
    /// `what` begins the message: the place of what was looked at, in words.
    fn line(&mut self, step: &str, kind: &str, what: &str, outcome: &ActOutcome) {
        let (pass, why) = match outcome {
            ActOutcome::Passed => {
                self.passed += 1;
                (Some(true), None)
            }
            ActOutcome::Failed(why) => {
                self.failed += 1;
                (Some(false), Some(why))
            }
            ActOutcome::Skipped(why) => {
                self.skipped += 1;
                (None, Some(why))
            }
        };
        let message = why.map_or_else(|| what.to_owned(), |why| format!("{what}: {why}"));
        line(&json!({ "step": step, "kind": kind, "pass": pass, "message": message }).to_string());
    }

    fn problems(&mut self, path: &str, problems: &[LessonProblem]) {
        for problem in problems {
            let what = format!("{path}, line {}", problem.line);
            self.line(path, "lesson", &what, &ActOutcome::Failed(problem.message.clone()));
        }
    }
}

/// What is to be checked.
struct Target {
    project: ProjectFolder,
    /// The lessons' folders in the project, `lessons/t1`.
    lessons: Vec<String>,
}

pub(crate) fn run(arguments: &CheckArguments) -> Result<(), Failure> {
    let target = target(&arguments.project)?;
    let mut python = Python::new(arguments.python);
    let mut tally = Tally::default();
    for problem in &target.project.bundle().problems {
        // Without a lesson the bundle is what there is to check; a lesson may be about mending it.
        if problem.severity == Severity::Error && target.lessons.is_empty() {
            let what = format!("{}, line {}", problem.file, problem.line);
            tally.line(&problem.file, "bundle", &what, &ActOutcome::Failed(problem.message.clone()));
        } else if problem.severity != Severity::Note {
            note(&problem.to_string());
        }
    }
    if target.lessons.is_empty() {
        let mut workspace = open(&target.project)?;
        prepare(&target.project, &mut LessonReader::new(&mut workspace, python.host()), &mut tally);
        check_jobs(&workspace, &mut tally);
    }
    for folder in &target.lessons {
        let prefix = if target.lessons.len() > 1 { format!("{}/", id(folder)) } else { String::new() };
        check_lesson(&target.project, folder, &prefix, python.host(), &mut tally)?;
    }
    line(&json!({ "passed": tally.passed, "failed": tally.failed, "skipped": tally.skipped }).to_string());
    // What was skipped is not proven, and a check that proves less than everything has not succeeded.
    if tally.failed + tally.skipped == 0 { Ok(()) } else { Err(Failure::Input(None)) }
}

fn open(project: &ProjectFolder) -> Result<Workspace, Failure> {
    project.open(&Place::default()).map(|(workspace, _)| workspace)
}

fn id(folder: &str) -> &str {
    folder.rsplit('/').next().unwrap_or(folder)
}

/// Runs set-up and recipe; `false` after a failure.
fn prepare(project: &ProjectFolder, reader: &mut LessonReader<'_>, tally: &mut Tally) -> bool {
    project.prepare(reader, |Prepared { step, kind, name, outcome }| tally.line(step, kind, &name, &outcome))
}

/// Whether each job's settings could run.
fn check_jobs(workspace: &Workspace, tally: &mut Tally) {
    for job in &workspace.bundle().jobs {
        let outcome = match workspace.job_view(&job.key) {
            Err(error) => ActOutcome::Failed(error.to_string()),
            Ok(view) => {
                let errors = view.problems.iter().filter(|problem| problem.severity == "error");
                let errors: Vec<String> = errors.map(|error| format!("{}: {}", error.path, error.message)).collect();
                if errors.is_empty() { ActOutcome::Passed } else { ActOutcome::Failed(errors.join("; ")) }
            }
        };
        let what = format!("{}, line {}", job.path, job.line);
        tally.line(job.name(), "job", &what, &outcome);
    }
}

fn check_lesson(
    project: &ProjectFolder,
    folder: &str,
    prefix: &str,
    python: &mut dyn PythonHost,
    tally: &mut Tally,
) -> Result<(), Failure> {
    let path = format!("{folder}/{ENGLISH}");
    let text = project.files.get(&path).map(String::as_str).unwrap_or_default();
    let mut lesson = match lessons::parse(text) {
        Ok(lesson) => lesson,
        Err(problems) => {
            tally.problems(&path, &problems);
            return Ok(());
        }
    };
    check_translations(project, folder, &lesson, tally);
    if let Err(problems) = lesson.fill(|file| project.files.get(file).cloned()) {
        tally.problems(&path, &problems);
        return Ok(());
    }
    let mut workspace = open(project)?;
    let mut reader = LessonReader::new(&mut workspace, python);
    if prepare(project, &mut reader, tally) {
        reader.read(&lesson, |step, act, outcome| {
            tally.line(&format!("{prefix}{step}"), act.kind(), &what(act), &outcome);
        });
        return Ok(());
    }
    let outcome = ActOutcome::Skipped("not tried, because what comes before the lesson failed".to_owned());
    for step in &lesson.steps {
        for act in step.acts() {
            tally.line(&format!("{prefix}{}", step.id), act.kind(), &what(&act), &outcome);
        }
    }
    Ok(())
}

/// Where an act stands, and what the lesson calls it.
fn what(act: &Act<'_>) -> String {
    let name = match act {
        Act::Sql(block) => block.title.as_deref(),
        Act::Python(block) => block.title.as_deref(),
        Act::Job(block) => block.title.as_deref(),
        Act::Check { check, .. } => check.say.as_deref(),
        Act::Do(..) | Act::Starter(_) => None,
    };
    let place = format!("line {}", act.place().line);
    name.map_or_else(|| place.clone(), |name| format!("{place}, {name}"))
}

/// Whether the other languages of a lesson fit its code.
fn check_translations(project: &ProjectFolder, folder: &str, lesson: &Lesson, tally: &mut Tally) {
    for (path, text) in &project.files {
        let name = path.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/'));
        let Some(language) = name.and_then(|name| name.strip_suffix(".md")) else { continue };
        if language.contains('/') || name == Some(ENGLISH) {
            continue;
        }
        match lessons::parse_translation(text, lesson) {
            Ok(_) => tally.line(language, "translation", path, &ActOutcome::Passed),
            Err(problems) => tally.problems(path, &problems),
        }
    }
}

/// Finds out what a path names.
fn target(path: &Path) -> Result<Target, Failure> {
    let usage = |error: std::io::Error| Failure::Usage(format!("{}: {error}", path.display()));
    let full = std::fs::canonicalize(path).map_err(usage)?;
    if full.is_dir() {
        let project = ProjectFolder::read(&full)?;
        let english = project.files.keys().filter_map(|path| path.strip_suffix(&format!("/{ENGLISH}")));
        let is_lesson = |folder: &&str| folder.strip_prefix("lessons/").is_some_and(|id| !id.contains('/'));
        let lessons = english.filter(is_lesson).map(str::to_owned).collect();
        return Ok(Target { project, lessons });
    }
    let text = std::fs::read_to_string(&full).map_err(usage)?;
    // A lesson or its translation belongs to the project in whose folder it stands.
    let name = |n: usize| full.ancestors().nth(n).and_then(Path::file_name).and_then(|name| name.to_str());
    if let (Some("lessons"), Some(id), Some(root)) = (name(2), name(1), full.ancestors().nth(3))
        && full.with_file_name(ENGLISH).is_file()
    {
        return Ok(Target { project: ProjectFolder::read(root)?, lessons: vec![format!("lessons/{id}")] });
    }
    let mut project = ProjectFolder::default();
    project.files.insert(format!("lessons/lesson/{ENGLISH}"), text);
    Ok(Target { project, lessons: vec!["lessons/lesson".to_owned()] })
}
