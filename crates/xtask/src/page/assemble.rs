//! Puts the folder together: modules, scripts, styles, projects, Pyodide, licenses and the manifest.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process;

use serde_json::{Value, json};

use super::{Built, ENGINE, PageOptions, Profile, WEB, licenses};
use crate::node;
use crate::outcome::{Context, Outcome};
use crate::paths::{Paths, copy_folder, files_below, fingerprint, place};

/// Stands in `web/index.html` where the build's identity goes: in the addresses of whatever must not be mixed with
/// another build from a browser's cache.
const BUILD_TOKEN: &str = "__BUILD__";
/// What is needed of Pyodide to start it.
const PYODIDE_FILES: &[&str] =
    &["pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json"];

/// Makes the folder beside its place and then swaps it in, so that a server never sees half of one.
pub fn assemble(paths: &Paths, options: &PageOptions, node_modules: &Path, built: &Built) -> Outcome {
    let staging = sibling(&options.folder, "new")?;
    remove(&staging)?;
    fs::create_dir_all(&staging).context(staging.display())?;

    place_modules(options, built, &staging)?;
    bundle_scripts(paths, options, &staging)?;
    copy_folder(&paths.root.join("static"), &staging, |path| !path.starts_with("js/"))?;
    copy_folder(&paths.root.join("web/styles"), &staging.join("styles"), |_| true)?;
    // The tutorials are data: the page fetches a project's files one by one, as `projects/index.json` lists them.
    copy_folder(&paths.root.join("projects"), &staging.join("projects"), |_| true)?;
    for name in PYODIDE_FILES {
        place(&node_modules.join("pyodide").join(name), &staging.join("pyodide").join(name))?;
    }
    fs::write(staging.join("licenses.txt"), licenses::text(paths, node_modules)?).context("licenses.txt")?;
    let index = paths.root.join("web/index.html");
    let index = fs::read_to_string(&index).context(index.display())?;
    fs::write(staging.join("index.html"), &index).context("index.html")?;

    let files = digest(paths, &staging)?;
    let build = fingerprint(files.iter().flat_map(|(name, file)| [name.as_bytes(), file.sha256.as_bytes()]));
    fs::write(staging.join("index.html"), index.replace(BUILD_TOKEN, &build)).context("index.html")?;
    let manifest = manifest(options.profile, &build, &files);
    fs::write(staging.join("manifest.json"), format!("{manifest:#}\n")).context("manifest.json")?;

    let old = sibling(&options.folder, "old")?;
    remove(&old)?;
    if options.folder.exists() {
        fs::rename(&options.folder, &old).context(options.folder.display())?;
    }
    fs::rename(&staging, &options.folder).context(options.folder.display())?;
    remove(&old)
}

fn sibling(folder: &Path, suffix: &str) -> Outcome<PathBuf> {
    let name = folder.file_name().context(format_args!("{} is no folder to build", folder.display()))?;
    Ok(folder.with_file_name(format!(".{}.{suffix}.{}", name.to_string_lossy(), process::id())))
}

fn remove(folder: &Path) -> Outcome {
    if folder.exists() { fs::remove_dir_all(folder).context(folder.display()) } else { Ok(()) }
}

/// The modules of this build; one that was not built comes from the folder as it stands.
fn place_modules(options: &PageOptions, built: &Built, staging: &Path) -> Outcome {
    for module in [&WEB, &ENGINE] {
        let piece = built.pieces.iter().find(|(other, _)| other.name == module.name);
        let source = match piece {
            Some((_, piece)) => &piece.folder,
            None => &options.folder,
        };
        let mut names = vec![format!("{}.js", module.name)];
        names.extend(["gz", "br"].map(|suffix| format!("{}.wasm.{suffix}", module.name)));
        for name in names {
            if source.join(&name).is_file() {
                place(&source.join(&name), &staging.join(&name))?;
            }
        }
        copy_folder(&source.join("snippets"), &staging.join("snippets"), |_| true)?;
    }
    Ok(())
}

/// Bundles every `*.entry.mjs` of `static/js` and `web` into one script each.
fn bundle_scripts(paths: &Paths, options: &PageOptions, staging: &Path) -> Outcome {
    let mut entries = Vec::new();
    for folder in ["static/js", "web"] {
        for file in files_below(&paths.root.join(folder))? {
            if file.ends_with(".entry.mjs") && !file.contains('/') {
                entries.push(format!("{folder}/{file}"));
            }
        }
    }
    let request = json!({
        "entries": entries,
        "folder": staging,
        "sourceMaps": options.profile == Profile::WasmCi,
    });
    node::script(paths, "bundle.mjs", &request)?;
    Ok(())
}

struct Digest {
    bytes: u64,
    sha256: String,
}

fn digest(paths: &Paths, folder: &Path) -> Outcome<BTreeMap<String, Digest>> {
    let names: Vec<String> = files_below(folder)?.into_iter().filter(|name| !name.ends_with(".map")).collect();
    let files: Vec<Value> = names.iter().map(|name| json!({ "from": folder.join(name) })).collect();
    let answer = node::script(paths, "pack.mjs", &json!({ "files": files }))?;
    let digests = answer.as_array().context("pack.mjs answered with something else than a list")?;
    names
        .into_iter()
        .zip(digests)
        .map(|(name, digest)| {
            let bytes = digest["raw"].as_u64().context(format_args!("no size of {name}"))?;
            let sha256 = digest["sha256"].as_str().context(format_args!("no hash of {name}"))?.to_owned();
            Ok((name, Digest { bytes, sha256 }))
        })
        .collect()
}

/// What a loader wants to know before it fetches: sizes for the progress bar, hashes for the caches.
fn manifest(profile: Profile, build: &str, files: &BTreeMap<String, Digest>) -> Value {
    let listed: BTreeMap<&str, Value> = files
        .iter()
        .map(|(name, file)| (name.as_str(), json!({ "bytes": file.bytes, "sha256": file.sha256 })))
        .collect();
    json!({ "format": 1, "build": build, "profile": profile.name(), "files": listed })
}
