//! Running other programs, always saying which.

use std::env;
use std::ffi::{OsStr, OsString};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::outcome::{Context, Outcome};

/// Prints what is being done.
pub fn say(text: &str) {
    println!("xtask: {text}");
}

/// A command for `program` without what a surrounding `cargo run` left in the environment: a child that is another
/// toolchain would load its libraries from the wrong place.
pub fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.env_remove("LD_LIBRARY_PATH");
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        if ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_", "CARGO_CRATE_", "CARGO_PRIMARY_"]
            .iter()
            .any(|prefix| text.starts_with(prefix))
        {
            command.env_remove(&name);
        }
    }
    command
}

/// Finds a program on the search path.
pub fn find_program(name: &str) -> Option<PathBuf> {
    find_program_in(name, &env::var_os("PATH")?)
}

/// Finds a program on the given search path.
pub fn find_program_in(name: &str, path: &OsStr) -> Option<PathBuf> {
    env::split_paths(path).map(|folder| folder.join(name)).find(|candidate| candidate.is_file())
}

/// The search path with one folder put first.
pub fn path_with_first(folder: &Path) -> Outcome<OsString> {
    let rest = env::var_os("PATH").unwrap_or_default();
    env::join_paths([folder.to_path_buf()].into_iter().chain(env::split_paths(&rest))).context("PATH")
}

/// Runs a command to its end, showing what it prints; an exit code other than 0 is an error.
pub fn run(command: &mut Command) -> Outcome {
    let shown = shown(command);
    let status = command.stdin(Stdio::null()).status().context(&shown)?;
    if status.success() { Ok(()) } else { Err(format!("{shown}: {status}")) }
}

/// Runs a command to its end and returns what it wrote to its standard output; an exit code other than 0 is an error
/// with what it wrote to its standard error.
pub fn capture(command: &mut Command) -> Outcome<String> {
    let shown = shown(command);
    let output = command.stdin(Stdio::null()).output().context(&shown)?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        Err(format!("{shown}: {}\n{}", output.status, String::from_utf8_lossy(&output.stderr).trim_end()))
    }
}

/// What a program did that was watched line by line.
pub struct Watched {
    /// Whether it ended with exit code 0.
    pub success: bool,
    /// What it wrote to its standard output.
    pub output: String,
}

/// Runs a command to its end, showing and keeping its standard output. A failing exit code is not an error here.
pub fn watch(command: &mut Command, show: impl Fn(&str) -> bool) -> Outcome<Watched> {
    let shown = shown(command);
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().context(&shown)?;
    let mut output = String::new();
    if let Some(stdout) = child.stdout.take() {
        let mut reader = BufReader::new(stdout);
        let mut line = Vec::new();
        while reader.read_until(b'\n', &mut line).context(&shown)? > 0 {
            let text = String::from_utf8_lossy(&line);
            if show(&text) {
                print!("{text}");
            }
            output.push_str(&text);
            line.clear();
        }
    }
    let status = child.wait().context(&shown)?;
    Ok(Watched { success: status.success(), output })
}

/// Whether this process may install packages of the system.
pub fn is_root() -> bool {
    capture(command("id").arg("-u")).is_ok_and(|text| text.trim() == "0")
}

/// Installs Debian packages, or says how to.
pub fn install_debian_packages(packages: &[&str], why: &str) -> Outcome {
    let list = packages.join(" ");
    let advice = format!("{why}; on Debian: sudo apt-get install --no-install-recommends {list}");
    if find_program("apt-get").is_none() || !is_root() {
        return Err(advice);
    }
    say(&format!("{why}: installing {list}"));
    let started = Instant::now();
    run(command("apt-get").args(["-q", "update"])).map_err(|error| format!("{advice}\n{error}"))?;
    run(command("apt-get")
        .args(["-q", "install", "-y", "--no-install-recommends"])
        .args(packages)
        .env("DEBIAN_FRONTEND", "noninteractive"))
    .map_err(|error| format!("{advice}\n{error}"))?;
    say(&format!("installed in {} s", started.elapsed().as_secs()));
    Ok(())
}

fn shown(command: &Command) -> String {
    let mut text = command.get_program().to_string_lossy().into_owned();
    for argument in command.get_args().take(12) {
        text.push(' ');
        text.push_str(&argument.to_string_lossy());
    }
    if command.get_args().count() > 12 {
        text.push_str(" …");
    }
    text
}
