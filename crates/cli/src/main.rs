//! The native binary: the same workspace as in the browser, over the file system.

mod check;
mod file_storage;
mod output;
mod project;
mod python;
mod repair;
mod run;
mod sql;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand, ValueEnum};
use lakelet_base::{Limits, Seed, Timestamp};
use lakelet_store::{MemoryStorage, Storage};
use lakelet_workspace::{ClockMode, Workspace, WorkspaceOptions};

/// A lakehouse small enough for a browser tab, on the command line.
#[derive(Debug, Parser)]
#[command(name = "lakelet", version, about)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run SQL statements one after the other.
    Sql(sql::SqlArguments),
    /// Run a job of a project.
    Run(run::RunArguments),
    /// Run again what failed in a run of a kept workspace, or the tasks and iterations that are named.
    Repair(repair::RepairArguments),
    /// Run every step and check of a project's lessons, or its set-up, recipe and bundle where it has none.
    Check(check::CheckArguments),
}

/// How results are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people.
    Table,
    /// One JSON object a line.
    Json,
    /// Comma-separated values of each result.
    Csv,
}

/// Where the tables are kept, and what time it is.
#[derive(Debug, Default, clap::Args)]
struct Place {
    /// Keep tables in this folder; in memory without it.
    #[arg(long, value_name = "DIR")]
    workspace: Option<PathBuf>,
    /// The simulated clock stands at this instant.
    #[arg(long, value_name = "RFC3339", value_parser = Timestamp::parse_rfc3339)]
    now: Option<Timestamp>,
}

/// Why a command ended without success.
#[derive(Debug)]
enum Failure {
    /// The input failed; it has been reported already, or here is what to say.
    Input(Option<String>),
    /// The command was called wrongly.
    Usage(String),
}

impl Failure {
    /// The input failed with this error.
    fn input(error: impl ToString) -> Self {
        Self::Input(Some(error.to_string()))
    }
}

impl Place {
    /// Opens the workspace. Without `--now` a new one begins at `project_clock`, or lives in real time.
    fn open(&self, project_clock: Option<Timestamp>) -> Result<Workspace, Failure> {
        let clock = match self.now.or(project_clock) {
            Some(start) => ClockMode::Simulated { start },
            None => ClockMode::Real { system: Box::new(system_time) },
        };
        let started = std::time::Instant::now();
        let options = WorkspaceOptions {
            clock,
            limits: Limits::default(),
            seed: Seed::default(),
            measured_ms: Box::new(move || started.elapsed().as_secs_f64() * 1000.0),
        };
        let (workspace, _) = Workspace::open(self.storage()?, options).map_err(Failure::input)?;
        match (self.now, workspace.last_commit()) {
            (Some(now), Some(last)) if now < last => {
                Err(Failure::Usage(format!("--now {now} is before the last commit of the workspace, {last}")))
            }
            _ => Ok(workspace),
        }
    }

    fn storage(&self) -> Result<Box<dyn Storage>, Failure> {
        let Some(folder) = &self.workspace else { return Ok(Box::new(MemoryStorage::default())) };
        let storage = file_storage::FileStorage::open(folder).map_err(Failure::input)?;
        if storage.n_torn_bytes() > 0 {
            let n_bytes = storage.n_torn_bytes();
            output::note(&format!("{n_bytes} bytes of a commit that was never finished were cut off the log"));
        }
        Ok(Box::new(storage))
    }
}

fn system_time() -> Timestamp {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since.as_micros()).unwrap_or(i64::MAX))
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().command {
        Command::Sql(arguments) => sql::run(&arguments),
        Command::Run(arguments) => run::run(&arguments),
        Command::Repair(arguments) => repair::run(&arguments),
        Command::Check(arguments) => check::run(&arguments),
    };
    let (code, message) = match outcome {
        Ok(()) => return ExitCode::SUCCESS,
        Err(Failure::Input(message)) => (1, message),
        Err(Failure::Usage(message)) => (2, Some(message)),
    };
    if let Some(message) = message {
        output::note(&message);
    }
    ExitCode::from(code)
}
