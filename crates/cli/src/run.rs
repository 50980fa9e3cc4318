//! `lakelet run`.

use std::path::PathBuf;

use serde_json::{Map, Value};

use crate::project::ProjectFolder;
use crate::python::Python;
use crate::{Failure, Format, Place};

#[derive(Debug, clap::Args)]
pub(crate) struct RunArguments {
    /// Folder of the project.
    #[arg(value_name = "PROJECT")]
    project: PathBuf,
    /// The job; may be left out where there is only one.
    #[arg(long, value_name = "NAME")]
    job: Option<String>,
    /// A job parameter.
    #[arg(long = "param", value_name = "NAME=VALUE")]
    params: Vec<String>,
    /// How the run is printed.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    /// Run notebooks with Pyodide under Node.
    #[arg(long, value_name = "node")]
    python: Option<String>,
    #[command(flatten)]
    place: Place,
}

pub(crate) fn run(arguments: &RunArguments) -> Result<(), Failure> {
    if arguments.format == Format::Csv {
        return Err(Failure::Usage("a run is printed as table or json".to_owned()));
    }
    let mut params = Map::new();
    for param in &arguments.params {
        let Some((name, value)) = param.split_once('=') else {
            return Err(Failure::Usage(format!("--param takes NAME=VALUE, not {param}")));
        };
        params.insert(name.to_owned(), Value::String(value.to_owned()));
    }
    let mut python = Python::new(arguments.python.as_deref())?;
    let folder = ProjectFolder::read(&arguments.project)?;
    let mut workspace = folder.open(&arguments.place, python.host(), true)?;
    let names: Vec<String> = workspace.bundle().jobs.iter().map(|job| job.name().to_owned()).collect();
    let job = match (&arguments.job, names.as_slice()) {
        (Some(job), _) => job.clone(),
        (None, [only]) => only.clone(),
        (None, []) => return Err(Failure::Usage("the project has no job".to_owned())),
        (None, several) => return Err(Failure::Usage(format!("name one job with --job: {}", several.join(", ")))),
    };
    let run =
        workspace.run_job(&job, &params, python.host()).map_err(|error| Failure::Input(Some(error.to_string())))?;
    match arguments.format {
        Format::Json => println!("{run}"),
        Format::Table | Format::Csv => print_run(&run),
    }
    match run["state"].as_str() {
        Some("SUCCESS" | "SUCCESS_WITH_FAILURES") => Ok(()),
        _ => Err(Failure::Input(None)),
    }
}

fn print_run(run: &Value) {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    println!("{}: run {}, {}", text(&run["job"]), run["run_id"], text(&run["state"]));
    for task in run["tasks"].as_array().into_iter().flatten() {
        println!("  {}  {}", text(&task["task_key"]), text(&task["state"]));
        for iteration in task["iterations"].as_array().into_iter().flatten() {
            println!("    #{} {}  {}", iteration["index"], text(&iteration["label"]), text(&iteration["state"]));
            print_error(iteration, "      ");
        }
        print_error(task, "    ");
    }
}

fn print_error(of: &Value, indent: &str) {
    let error = of["attempts"].as_array().and_then(|attempts| attempts.last()).map(|attempt| &attempt["error"]);
    if let Some(error) = error.filter(|error| error.is_object()) {
        println!(
            "{indent}[{}] {}",
            error["condition"].as_str().unwrap_or_default(),
            error["message"].as_str().unwrap_or_default()
        );
    }
}
