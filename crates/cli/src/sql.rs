//! `lakelet sql`.

use std::io::Read;
use std::path::PathBuf;

use serde_json::{Map, Value};

use crate::output::{print_csv, print_error, print_json, print_table};
use crate::{Failure, Format, Place};

#[derive(Debug, clap::Args)]
pub(crate) struct SqlArguments {
    /// The statements.
    #[arg(short = 'c', value_name = "TEXT", conflicts_with = "file")]
    command: Option<String>,
    /// A file with the statements; `-` reads standard input.
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// How results are printed.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    /// Values of :name parameters, as a JSON object.
    #[arg(long, value_name = "JSON")]
    params: Option<String>,
    #[command(flatten)]
    place: Place,
}

pub(crate) fn run(arguments: &SqlArguments) -> Result<(), Failure> {
    let text = text(arguments)?;
    let params: Map<String, Value> = match &arguments.params {
        Some(json) => serde_json::from_str(json).map_err(|error| Failure::Usage(format!("--params: {error}")))?,
        None => Map::new(),
    };
    let mut workspace = arguments.place.open(None)?;
    let format = arguments.format;
    let outcome = workspace.execute_script("main", &text, &params, |index, done| match format {
        Format::Json => print_json(index, &done, &text),
        Format::Csv => print_csv(&done),
        Format::Table => print_table(&done),
    });
    outcome.map_err(|error| {
        print_error(format, error.statement, &error.diagnostic, &text);
        Failure::Input(None)
    })
}

fn text(arguments: &SqlArguments) -> Result<String, Failure> {
    if let Some(command) = &arguments.command {
        return Ok(command.clone());
    }
    match &arguments.file {
        Some(file) if file.as_os_str() != "-" => {
            std::fs::read_to_string(file).map_err(|error| Failure::Usage(format!("{}: {error}", file.display())))
        }
        _ => {
            let mut text = String::new();
            std::io::stdin().read_to_string(&mut text).map_err(|error| Failure::Usage(error.to_string()))?;
            Ok(text)
        }
    }
}
