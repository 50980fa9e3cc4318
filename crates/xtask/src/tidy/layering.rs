//! Which crate may know which.

use serde_json::Value;

use super::Problem;
use super::tree::Tree;
use crate::outcome::{Context, Outcome};
use crate::paths::Paths;
use crate::process::capture;
use crate::toolchain::native_cargo;

const PREFIX: &str = "lakelet-";

/// Each crate with those it may use. Order is that of the layers: none uses one that stands below it.
const MAY_USE: &[(&str, &[&str])] = &[
    ("base", &[]),
    ("cron", &["base"]),
    ("graph", &[]),
    ("protocol", &["base"]),
    ("types", &["base"]),
    ("syntax", &["base"]),
    ("jobs", &["base", "cron", "graph"]),
    ("bundle", &["base"]),
    // A lesson's steps are recipe entries of the project it belongs to.
    ("lessons", &["base", "protocol", "bundle"]),
    ("store", &["base", "types"]),
    ("cdc", &["base", "types", "store"]),
    ("spark", &["base", "types"]),
    ("incremental", &["base", "types", "store", "spark"]),
    ("engine", ENGINE),
    ("pipelines", PIPELINES),
    ("workspace", WORKSPACE),
    // The hosts implement the clock and the storage that the layers below define.
    ("worker", HOST),
    ("cli", HOST),
    ("web", &["base", "protocol", "graph", "lessons"]),
];

const ENGINE: &[&str] = &["base", "graph", "protocol", "types", "syntax", "store", "cdc", "spark", "incremental"];
const PIPELINES: &[&str] =
    &["base", "cron", "graph", "protocol", "types", "syntax", "store", "cdc", "spark", "incremental", "engine"];
const WORKSPACE: &[&str] = &[
    "base",
    "graph",
    "protocol",
    "types",
    "syntax",
    "jobs",
    "bundle",
    "lessons",
    "store",
    "cdc",
    "spark",
    "incremental",
    "engine",
    "pipelines",
];
const HOST: &[&str] = &["workspace", "protocol", "base", "store"];

/// Crates for development, which may use any.
const DEVELOPMENT: &[&str] = &["lakelet-golden", "xtask"];

/// Families of outside crates, by the start of their names, and who may name them.
const OUTSIDE: &[(&[&str], &[&str])] = &[
    (&["datafusion"], &["lakelet-spark", "lakelet-incremental", "lakelet-engine"]),
    (&["wasm-bindgen", "js-sys", "web-sys", "gloo", "leptos"], &["lakelet-worker", "lakelet-web", "xtask"]),
];

/// What cargo knows of all packages, the outside ones included.
pub fn metadata(paths: &Paths) -> Outcome<Value> {
    let text = capture(native_cargo(paths).args(["metadata", "--quiet", "--format-version", "1"]))?;
    serde_json::from_str(&text).context("cargo metadata")
}

/// Packages of the workspace: name and the names of what they depend on, tests included.
fn workspace_packages(metadata: &Value) -> impl Iterator<Item = (&str, Vec<&str>)> {
    let packages = metadata["packages"].as_array().map(Vec::as_slice).unwrap_or_default();
    packages.iter().filter(|package| package["source"].is_null()).map(|package| {
        let dependencies = package["dependencies"].as_array().map(Vec::as_slice).unwrap_or_default();
        let names = dependencies.iter().filter_map(|dependency| dependency["name"].as_str()).collect();
        (package["name"].as_str().unwrap_or_default(), names)
    })
}

fn in_manifest(package: &str, text: String) -> Problem {
    let folder = match package.strip_prefix(PREFIX).unwrap_or(package) {
        "web" => "web".to_owned(),
        name => format!("crates/{name}"),
    };
    Problem { file: format!("{folder}/Cargo.toml"), line: 0, text }
}

/// Arrows between our crates follow the table.
pub fn arrows(metadata: &Value) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (package, dependencies) in workspace_packages(metadata) {
        if DEVELOPMENT.contains(&package) {
            continue;
        }
        let name = package.strip_prefix(PREFIX).unwrap_or(package);
        let Some((_, allowed)) = MAY_USE.iter().find(|(listed, _)| *listed == name) else {
            problems.push(in_manifest(package, format!("{package} has no place in the layers yet")));
            continue;
        };
        for used in dependencies.iter().filter_map(|dependency| dependency.strip_prefix(PREFIX)) {
            if !allowed.contains(&used) {
                problems.push(in_manifest(package, format!("{name} may not use {used}")));
            }
        }
    }
    problems
}

/// Heavy or host-bound crates are named where they belong.
pub fn outside_crates(metadata: &Value) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (package, dependencies) in workspace_packages(metadata) {
        for (family, allowed) in OUTSIDE {
            let used = dependencies.iter().find(|name| family.iter().any(|start| name.starts_with(start)));
            if let Some(used) = used.filter(|_| !allowed.contains(&package)) {
                problems.push(in_manifest(package, format!("{package} may not name {used}")));
            }
        }
    }
    problems
}

/// Every crate obeys the workspace's lints.
pub fn lints(tree: &Tree) -> Vec<Problem> {
    tree.with_extension(&["/Cargo.toml"])
        .filter(|file| file.text.contains("[package]") && !file.text.contains("[lints]\nworkspace = true"))
        .map(|file| file.problem(0, "no `[lints] workspace = true`"))
        .collect()
}
