//! The licenses of everything that is in the folder, with their texts.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::outcome::{Context, Outcome};
use crate::paths::Paths;
use crate::process::capture;
use crate::toolchain::{WASM_TARGET, native_cargo};

/// The node modules whose code reaches the reader; the others only build or test.
const BUNDLED_SCOPES: &[&str] =
    &["@codemirror/", "@lezer/", "@marijn/", "crelt", "pyodide", "style-mod", "w3c-keyname"];

struct Part {
    name: String,
    version: String,
    license: String,
    texts: Vec<String>,
}

/// The text of `licenses.txt`: every part with its license, then each license text once with the parts it is from.
pub fn text(paths: &Paths, node_modules: &Path) -> Outcome<String> {
    let mut parts = crates(paths)?;
    parts.extend(npm_modules(paths, node_modules)?);
    parts.sort_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
    let mut out = String::from("Lakelet contains these parts, each under its own license.\n\n");
    let mut texts: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for part in &parts {
        let title = format!("{} {}", part.name, part.version);
        writeln!(out, "{title}: {}", part.license).context("licenses.txt")?;
        for text in &part.texts {
            texts.entry(text).or_default().push(title.clone());
        }
    }
    for (text, titles) in texts {
        write!(out, "\n{}\n{}\n\n{text}\n", "-".repeat(80), titles.join(", ")).context("licenses.txt")?;
    }
    Ok(out)
}

/// The crates that are compiled into the two modules.
fn crates(paths: &Paths) -> Outcome<Vec<Part>> {
    let mut cargo = native_cargo(paths);
    cargo.args(["tree", "--quiet", "--edges", "normal", "--prefix", "none", "--format", "{p}\t{l}"]);
    cargo.args(["--target", WASM_TARGET, "-p", "lakelet-worker", "-p", "lakelet-web"]);
    let tree = capture(&mut cargo)?;
    let mut listed: Vec<&str> = tree.lines().filter(|line| !line.is_empty()).collect();
    listed.sort_unstable();
    listed.dedup();

    let metadata = capture(native_cargo(paths).args(["metadata", "--quiet", "--format-version", "1"]))?;
    let metadata: Value = serde_json::from_str(&metadata).context("cargo metadata")?;
    let packages = metadata["packages"].as_array().context("cargo metadata has no packages")?;
    let mut parts = Vec::new();
    for package in packages {
        let (name, version) =
            (package["name"].as_str().unwrap_or_default(), package["version"].as_str().unwrap_or_default());
        let wanted = format!("{name} v{version}");
        let compiled_in =
            listed.iter().any(|line| line.strip_prefix(&wanted).is_some_and(|rest| rest.starts_with(['\t', ' '])));
        if !compiled_in || package["source"].is_null() {
            continue;
        }
        let manifest = package["manifest_path"].as_str().unwrap_or_default();
        parts.push(Part {
            name: name.to_owned(),
            version: version.to_owned(),
            license: package["license"].as_str().unwrap_or("see its text").to_owned(),
            texts: license_texts(Path::new(manifest).parent().unwrap_or(Path::new("/")))?,
        });
    }
    Ok(parts)
}

/// The node modules that are bundled or copied.
fn npm_modules(paths: &Paths, node_modules: &Path) -> Outcome<Vec<Part>> {
    let lock = paths.root.join("package-lock.json");
    let lock: Value =
        serde_json::from_str(&fs::read_to_string(&lock).context(lock.display())?).context(lock.display())?;
    let packages = lock["packages"].as_object().context("package-lock.json has no packages")?;
    let mut parts = Vec::new();
    for (path, package) in packages {
        let Some(name) = path.strip_prefix("node_modules/") else { continue };
        if !BUNDLED_SCOPES.iter().any(|scope| name.starts_with(scope)) {
            continue;
        }
        parts.push(Part {
            name: name.to_owned(),
            version: package["version"].as_str().unwrap_or_default().to_owned(),
            license: package["license"].as_str().unwrap_or("see its text").to_owned(),
            texts: license_texts(&node_modules.join(name))?,
        });
    }
    Ok(parts)
}

/// The license files at the top of a package.
fn license_texts(folder: &Path) -> Outcome<Vec<String>> {
    let mut names: Vec<_> = fs::read_dir(folder)
        .context(folder.display())?
        .filter_map(Result::ok)
        .filter(|entry| {
            let name = entry.file_name().to_string_lossy().to_uppercase();
            entry.path().is_file()
                && ["LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE"].iter().any(|start| name.starts_with(start))
        })
        .map(|entry| entry.path())
        .collect();
    names.sort();
    let mut texts = Vec::new();
    for name in names {
        let bytes = fs::read(&name).context(name.display())?;
        texts.push(String::from_utf8_lossy(&bytes).trim().replace("\r\n", "\n"));
    }
    Ok(texts)
}
