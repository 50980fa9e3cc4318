//! `lakelet run`.

use std::path::PathBuf;

use lakelet_workspace::{ActOutcome, LessonReader, RunSettings};
use serde_json::{Map, Value};

use crate::output::{line, note};
use crate::project::{Prepared, ProjectFolder};
use crate::python::{Python, PythonKind};
use crate::{Failure, Format, Place};

#[derive(Debug, clap::Args)]
pub(crate) struct RunArguments {
    /// Folder of the project.
    #[arg(value_name = "PROJECT")]
    project: PathBuf,
    /// The job, by name or key; may be left out where there is only one.
    #[arg(long, value_name = "NAME")]
    job: Option<String>,
    /// A job parameter.
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = parameter)]
    params: Vec<(String, String)>,
    /// A task to run, when not all are to: NAME, +NAME with what is upstream of it, NAME+ with what is downstream, +NAME+.
    #[arg(long, value_name = "TASK")]
    only: Vec<String>,
    /// How the run is printed: table or json.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    /// What runs the cells of notebooks.
    #[arg(long, value_enum)]
    python: Option<PythonKind>,
    #[command(flatten)]
    place: Place,
}

fn parameter(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("a parameter is NAME=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}

pub(crate) fn run(arguments: &RunArguments) -> Result<(), Failure> {
    if arguments.format == Format::Csv {
        return Err(Failure::Usage("a run is printed as table or json".to_owned()));
    }
    let folder = ProjectFolder::read(&arguments.project)?;
    let job = job(arguments, &folder)?;
    let mut python = Python::new(arguments.python);
    let (mut workspace, is_new) = folder.open(&arguments.place)?;
    if is_new {
        let mut trouble = None;
        folder.prepare(&mut LessonReader::new(&mut workspace, python.host()), |Prepared { name, outcome, .. }| {
            if let ActOutcome::Failed(why) | ActOutcome::Skipped(why) = outcome {
                trouble.get_or_insert(format!("{name}: {why}"));
            }
        });
        if let Some(trouble) = trouble {
            return Err(Failure::input(trouble));
        }
    }
    let params: Map<String, Value> =
        arguments.params.iter().map(|(name, value)| (name.clone(), Value::String(value.clone()))).collect();
    let settings = RunSettings { params, only: arguments.only.clone() };
    let run = workspace.run_job(&job, &settings, python.host()).map_err(Failure::input)?;
    tell_run(&run, arguments.format)
}

/// Prints a run's record. A run without success is a failure that has been told.
pub(crate) fn tell_run(run: &Value, format: Format) -> Result<(), Failure> {
    match format {
        Format::Json => line(&run.to_string()),
        Format::Table | Format::Csv => print_run(run),
    }
    match run["state"].as_str() {
        Some("SUCCESS" | "SUCCESS_WITH_FAILURES") => Ok(()),
        _ => Err(Failure::Input(None)),
    }
}

/// The job that is meant. Nothing has run yet, so a wrong call leaves no trace.
fn job(arguments: &RunArguments, folder: &ProjectFolder) -> Result<String, Failure> {
    let bundle = folder.bundle();
    let names: Vec<&str> = bundle.jobs.iter().map(|job| job.name()).collect();
    let names = names.join(", ");
    match (&arguments.job, bundle.jobs.as_slice()) {
        (Some(job), _) if bundle.job(job).is_some() => Ok(job.clone()),
        (None, [only]) => Ok(only.key.clone()),
        (_, []) => {
            // What is wrong with the bundle is the likely reason.
            bundle.problems.iter().for_each(|problem| note(&problem.to_string()));
            Err(Failure::Usage("the project has no job".to_owned()))
        }
        (Some(job), _) => Err(Failure::Usage(format!("there is no job {job}; there are: {names}"))),
        (None, _) => Err(Failure::Usage(format!("name one job with --job: {names}"))),
    }
}

fn print_run(run: &Value) {
    line(&format!("{}: run {}, {}", text(&run["job"]), run["run_id"], text(&run["state"])));
    for task in run["tasks"].as_array().into_iter().flatten() {
        line(&format!("  {}  {}", text(&task["task_key"]), text(&task["state"])));
        for iteration in task["iterations"].as_array().into_iter().flatten() {
            let (label, state) = (text(&iteration["label"]), text(&iteration["state"]));
            line(&format!("    #{} {label}  {state}", iteration["index"]));
            print_last_attempt(iteration, "      ");
        }
        print_last_attempt(task, "    ");
    }
}

/// What the last attempt gave, and why it failed.
fn print_last_attempt(of: &Value, indent: &str) {
    let Some(attempt) = of["attempts"].as_array().and_then(|attempts| attempts.last()) else { return };
    match attempt["output"]["rows"].as_array().map(Vec::len) {
        Some(1) => line(&format!("{indent}1 row")),
        Some(n_rows) => line(&format!("{indent}{n_rows} rows")),
        None => text(&attempt["output"]["text"]).lines().for_each(|shown| line(&format!("{indent}{shown}"))),
    }
    if let Some(error) = attempt["error"].as_object() {
        let field = |name: &str| error.get(name).and_then(Value::as_str).unwrap_or_default();
        line(&format!("{indent}[{}] {}", field("condition"), field("message")));
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
