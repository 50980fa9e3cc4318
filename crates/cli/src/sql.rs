//! `lakelet sql`.

use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::output::{print_csv, print_error, print_json, print_table};
use crate::{Failure, Format, Place};

#[derive(Debug, clap::Args)]
pub(crate) struct SqlArguments {
    /// The statements. They may begin with a comment.
    #[arg(short = 'c', value_name = "TEXT", conflicts_with = "file", allow_hyphen_values = true)]
    command: Option<String>,
    /// A file with the statements; `-`, or nothing, reads standard input.
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// How results are printed.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    /// Values of :name parameters, as a JSON object.
    #[arg(long, value_name = "JSON", value_parser = object)]
    params: Option<Map<String, Value>>,
    #[command(flatten)]
    place: Place,
}

fn object(json: &str) -> Result<Map<String, Value>, serde_json::Error> {
    serde_json::from_str(json)
}

pub(crate) fn run(arguments: &SqlArguments) -> Result<(), Failure> {
    let text = text(arguments)?;
    let params = arguments.params.clone().unwrap_or_default();
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
    let standard_input = Path::new("-");
    let file = arguments.file.as_deref().unwrap_or(standard_input);
    let mut text = String::new();
    let read = if file == standard_input {
        std::io::stdin().read_to_string(&mut text)
    } else {
        std::fs::File::open(file).and_then(|mut file| file.read_to_string(&mut text))
    };
    match read {
        Ok(_) => Ok(text),
        Err(error) if error.kind() == ErrorKind::InvalidData => {
            Err(Failure::input(format!("{} is not UTF-8", file.display())))
        }
        Err(error) => Err(Failure::Usage(format!("{}: {error}", file.display()))),
    }
}
