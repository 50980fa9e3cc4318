//! Build tasks: `cargo xtask serve` and `cargo xtask test` are all that a newcomer needs.

mod args;
mod node;
mod outcome;
mod page;
mod paths;
mod process;
mod serve;
mod toolchain;

use std::process::ExitCode;

use args::Args;
use outcome::Outcome;
use page::{ENGINE, PageOptions, Profile, WEB};
use paths::Paths;

const USAGE: &str = "\
usage: cargo xtask TASK

  serve   build the page, serve it and print where [--port N] [--sub-path /PATH] [--no-build]
  page    build the page [--profile wasm-ci|dist] [--only web|engine] [--out FOLDER]

Everything that is missing on the machine is set up on the way. What is slow to make is kept outside the checkout, in
${XDG_CACHE_HOME:-$HOME/.cache}/lakelet.";

fn main() -> ExitCode {
    match dispatch() {
        Ok(code) => code,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch() -> Outcome<ExitCode> {
    let mut args = Args::from_env();
    let Some(task) = args.task() else {
        println!("{USAGE}");
        return Ok(ExitCode::from(2));
    };
    match task.as_str() {
        "serve" => serve(args),
        "page" => page(args),
        "help" | "--help" | "-h" => {
            println!("{USAGE}");
            Ok(ExitCode::SUCCESS)
        }
        _ => {
            eprintln!("xtask: no task {task}\n\n{USAGE}");
            Ok(ExitCode::from(2))
        }
    }
}

fn page(mut args: Args) -> Outcome<ExitCode> {
    let paths = Paths::find()?;
    let profile = args.value("--profile")?.map_or(Ok(Profile::WasmCi), |name| Profile::parse(&name))?;
    let only = match args.value("--only")?.as_deref() {
        None => None,
        Some("web") => Some(&WEB),
        Some("engine" | "worker") => Some(&ENGINE),
        Some(other) => return Err(format!("--only {other}: web or engine")),
    };
    let folder = args.value("--out")?.map_or_else(|| paths.site(), |folder| paths.root.join(folder));
    args.finish()?;
    page::build(&paths, &PageOptions { profile, only, folder })?;
    Ok(ExitCode::SUCCESS)
}

fn serve(mut args: Args) -> Outcome<ExitCode> {
    let paths = Paths::find()?;
    let port = match args.value("--port")? {
        Some(text) => text.parse().map_err(|_| format!("--port {text}: not a port"))?,
        None => serve::DEFAULT_PORT,
    };
    let sub_path = args.value("--sub-path")?.unwrap_or_default();
    let build = !args.flag("--no-build");
    let only = args.flag("--only-web").then_some(&WEB);
    args.finish()?;
    if build {
        page::build(&paths, &PageOptions { profile: Profile::WasmCi, only, folder: paths.site() })?;
    }
    serve::serve(&paths.site(), port, &sub_path)?;
    Ok(ExitCode::SUCCESS)
}
