//! Node: its modules, and the scripts under `crates/xtask/js` that do what the npm world does best.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process;

use serde_json::Value;

use crate::outcome::{Context, Outcome};
use crate::paths::{Paths, copy, fingerprint};
use crate::process::{capture, command, find_program, install_debian_packages, run, say};

/// The files that decide what is installed.
const MANIFESTS: &[&str] = &["package.json", "package-lock.json"];

/// Makes sure that Node and npm are there.
pub fn ensure_node() -> Outcome {
    if find_program("node").is_some() && find_program("npm").is_some() {
        return Ok(());
    }
    install_debian_packages(&["nodejs", "npm"], "no Node.js with npm (version 20 or newer)")
}

/// Installs the modules that `folder/package-lock.json` names, once for each state of that file, and links them into
/// the folder.
pub fn ensure_modules(paths: &Paths, folder: &Path) -> Outcome<PathBuf> {
    ensure_node()?;
    let link = folder.join("node_modules");
    let mut contents = Vec::new();
    for name in MANIFESTS {
        let file = folder.join(name);
        contents.push(fs::read(&file).context(file.display())?);
    }
    let key = fingerprint(contents.iter().map(Vec::as_slice));
    let installed = paths.cache.join("node").join(&key);
    let modules = installed.join("node_modules");
    if link.is_dir() && !link.is_symlink() {
        // Somebody ran npm here by hand: theirs to keep up to date.
        return Ok(link);
    }
    if !modules.is_dir() {
        say(&format!("installing the node modules of {}", folder.display()));
        let staging = paths.cache.join("node").join(format!("{key}.{}", process::id()));
        for name in MANIFESTS {
            copy(&folder.join(name), &staging.join(name))?;
        }
        let npmrc = paths.root.join(".npmrc");
        if npmrc.is_file() {
            copy(&npmrc, &staging.join(".npmrc"))?;
        }
        run(command("npm").current_dir(&staging).args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]))?;
        if fs::rename(&staging, &installed).is_err() {
            // Another process was quicker; its result is as good.
            fs::remove_dir_all(&staging).context(staging.display())?;
        }
    }
    if fs::read_link(&link).ok().as_deref() != Some(modules.as_path()) {
        if link.is_symlink() {
            fs::remove_file(&link).context(link.display())?;
        }
        link_folder(&modules, &link)?;
    }
    Ok(modules)
}

#[cfg(unix)]
fn link_folder(modules: &Path, link: &Path) -> Outcome {
    std::os::unix::fs::symlink(modules, link).context(link.display())
}

#[cfg(not(unix))]
fn link_folder(modules: &Path, link: &Path) -> Outcome {
    std::os::windows::fs::symlink_dir(modules, link).context(link.display())
}

/// Runs one of our scripts with a JSON request and returns its JSON answer.
pub fn script(paths: &Paths, name: &str, request: &Value) -> Outcome<Value> {
    let file = paths.root.join("crates/xtask/js").join(name);
    let answer = capture(command("node").current_dir(&paths.root).arg(&file).arg(request.to_string()))?;
    serde_json::from_str(&answer).context(format_args!("the answer of {name}"))
}

/// Whether this is a run whose results nobody watches, which must be repeatable to the letter.
pub fn in_ci() -> bool {
    env::var_os("CI").is_some_and(|value| !value.is_empty() && value != "false")
}
