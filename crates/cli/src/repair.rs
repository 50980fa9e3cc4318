//! `lakelet repair`.

use std::path::PathBuf;

use lakelet_base::Timestamp;
use lakelet_protocol::RepairRequest;

use crate::python::{Python, PythonKind};
use crate::run::tell_run;
use crate::{Failure, Format, Place};

#[derive(Debug, clap::Args)]
pub(crate) struct RepairArguments {
    /// The run, by the number that `lakelet run` printed.
    #[arg(value_name = "RUN_ID")]
    run_id: u64,
    /// Folder of the workspace that holds the run.
    #[arg(long, value_name = "DIR")]
    workspace: PathBuf,
    /// Run this task again; without it and without --iteration all that failed, with what depends on it.
    #[arg(long = "task", value_name = "KEY")]
    tasks: Vec<String>,
    /// Run this iteration of a For each again, the first being 0; without it all that failed.
    #[arg(long = "iteration", value_name = "KEY:INDEX", value_parser = iteration)]
    iterations: Vec<(String, u32)>,
    /// How the run is printed: table or json.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    /// The simulated clock stands at this instant.
    #[arg(long, value_name = "RFC3339", value_parser = Timestamp::parse_rfc3339)]
    now: Option<Timestamp>,
    /// What runs the cells of notebooks.
    #[arg(long, value_enum)]
    python: Option<PythonKind>,
}

fn iteration(text: &str) -> Result<(String, u32), String> {
    let parsed = text.rsplit_once(':').and_then(|(key, index)| Some((key.to_owned(), index.parse().ok()?)));
    parsed
        .filter(|(key, _)| !key.is_empty())
        .ok_or_else(|| "an iteration is KEY:INDEX, such as copy_tables:0".to_owned())
}

pub(crate) fn run(arguments: &RepairArguments) -> Result<(), Failure> {
    if arguments.format == Format::Csv {
        return Err(Failure::Usage("a run is printed as table or json".to_owned()));
    }
    // Opening a folder that is not there would make it.
    if !arguments.workspace.is_dir() {
        return Err(Failure::Usage(format!("there is no workspace folder {}", arguments.workspace.display())));
    }
    let place = Place { workspace: Some(arguments.workspace.clone()), now: arguments.now };
    let mut workspace = place.open(None)?;
    let mut python = Python::new(arguments.python);
    let repair = RepairRequest { tasks: arguments.tasks.clone(), iterations: arguments.iterations.clone() };
    let run = workspace.repair_run(arguments.run_id, &repair, python.host()).map_err(Failure::input)?;
    tell_run(&run, arguments.format)
}
