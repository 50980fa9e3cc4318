//! One wasm module: compiled, given its glue, made small, compressed.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{self, Command};
use std::time::{Duration, Instant, SystemTime};

use serde_json::{Value, json};

use super::Profile;
use crate::node;
use crate::outcome::{Context, Outcome};
use crate::paths::{Paths, fingerprint};
use crate::process::{run, say};
use crate::toolchain::{WASM_TARGET, WasmToolchain, native_cargo};

/// A package that becomes a wasm module of the page.
#[derive(Debug)]
pub struct Module {
    /// The name of its files in the folder: `NAME.js` and `NAME.wasm.gz`.
    pub name: &'static str,
    /// The cargo package.
    pub package: &'static str,
    /// The form of the glue. The engine's is a plain script, because a worker in an opaque origin can only be one.
    glue: &'static str,
    /// Settings of cargo for this package alone, beside those of `.cargo/config.toml`.
    config: Option<&'static str>,
}

impl Module {
    /// Has cargo compile this module's package, with the settings that are its own.
    pub fn select(&self, cargo: &mut Command) {
        cargo.args(["--target", WASM_TARGET, "-p", self.package]);
        if let Some(config) = self.config {
            cargo.args(["--config", config]);
        }
    }
}

/// What the Web Worker runs.
pub const ENGINE: Module = Module { name: "engine", package: "lakelet-worker", glue: "no-modules", config: None };

/// What the page runs.
///
/// Its views are compiled once for all types of what is in them: a fifth less to fetch, and half the time to compile.
pub const WEB: Module = Module {
    name: "web",
    package: "lakelet-web",
    glue: "web",
    config: Some(r#"target.wasm32-unknown-unknown.rustflags=["--cfg","erase_components"]"#),
};

/// Kept for each module and profile, newest first; older ones are deleted.
const PIECES_KEPT: usize = 4;
/// A piece this young may belong to a build that is still running elsewhere.
const PIECE_AGE_MIN: Duration = Duration::from_secs(60 * 60);

/// A finished module.
#[derive(Debug)]
pub struct Piece {
    /// The folder in the cache with `NAME.js`, `NAME.wasm`, `NAME.wasm.gz` and, for `dist`, `NAME.wasm.br`.
    pub folder: PathBuf,
}

/// The sizes of a module in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Figures {
    /// As the browser compiles it.
    pub raw: u64,
    /// As it is fetched from a host that does not know brotli.
    pub gzip: u64,
    /// As it is fetched from a host that compresses with brotli at level 9.
    pub brotli: u64,
}

/// Builds a module, or takes it from the cache if the compiler's output is the same as before.
pub fn build(paths: &Paths, toolchain: &WasmToolchain, profile: Profile, module: &Module) -> Outcome<Piece> {
    let started = Instant::now();
    // One package at a time, so that the features of the shared dependencies, and with them the compiled
    // dependencies, do not depend on what else is asked for.
    let mut cargo = toolchain.cargo();
    cargo.args(["build", "--profile", profile.name()]);
    module.select(&mut cargo);
    if node::in_ci() {
        cargo.arg("--locked");
    }
    run(&mut cargo)?;
    let file = format!("{}.wasm", module.package.replace('-', "_"));
    let compiled = paths.wasm_target().join(WASM_TARGET).join(profile.name()).join(file);
    let bytes = fs::read(&compiled).context(compiled.display())?;
    let bindgen = bindgen_binary(paths)?;
    let bindgen_bytes = fs::read(&bindgen).context(bindgen.display())?;
    let key = fingerprint([bytes.as_slice(), bindgen_bytes.as_slice()]);

    let shelf = paths.cache.join("page").join(format!("{}-{}", module.name, profile.name()));
    let folder = shelf.join(&key);
    if !folder.is_dir() {
        let staging = shelf.join(format!("{key}.{}", process::id()));
        fs::create_dir_all(&staging).context(staging.display())?;
        finish(paths, profile, module, &bindgen, &compiled, &staging)?;
        if fs::rename(&staging, &folder).is_err() {
            // Another process made the same piece meanwhile.
            fs::remove_dir_all(&staging).context(staging.display())?;
        }
        forget_old_pieces(&shelf, &folder)?;
    }
    say(&format!("{}: built in {} s", module.name, started.elapsed().as_secs()));
    Ok(Piece { folder })
}

/// Builds the binary that makes the glue.
fn bindgen_binary(paths: &Paths) -> Outcome<PathBuf> {
    run(native_cargo(paths).args([
        "build",
        "--quiet",
        "-p",
        "xtask",
        "--features",
        "bindgen",
        "--bin",
        "xtask-bindgen",
    ]))?;
    Ok(paths.native_target().join("debug/xtask-bindgen"))
}

fn finish(
    paths: &Paths,
    profile: Profile,
    module: &Module,
    bindgen: &Path,
    compiled: &Path,
    staging: &Path,
) -> Outcome {
    let arguments: [&OsStr; 4] = [module.glue.as_ref(), compiled.as_ref(), module.name.as_ref(), staging.as_ref()];
    run(crate::process::command(bindgen).args(arguments))?;
    let wasm = staging.join(format!("{}.wasm", module.name));
    fs::rename(staging.join(format!("{}_bg.wasm", module.name)), &wasm).context(wasm.display())?;
    if profile == Profile::Dist {
        optimize(paths, &wasm)?;
    }
    let gzip = staging.join(format!("{}.wasm.gz", module.name));
    let brotli = staging.join(format!("{}.wasm.br", module.name));
    let mut file = json!({ "from": wasm, "gzip": gzip });
    if profile == Profile::Dist {
        file["brotli"] = json!(brotli);
    }
    node::script(paths, "pack.mjs", &json!({ "files": [file] }))?;
    Ok(())
}

/// Runs a current wasm-opt, which comes as a node module of its own because only published builds need it.
fn optimize(paths: &Paths, wasm: &Path) -> Outcome {
    let modules = node::ensure_modules(paths, &paths.root.join("crates/xtask/js/dist"))?;
    let started = Instant::now();
    say("wasm-opt: this takes minutes");
    let optimized = wasm.with_extension("opt.wasm");
    run(crate::process::command("node")
        .arg("--max-old-space-size=8192")
        .arg(modules.join("binaryen/bin/wasm-opt"))
        .args(WASM_OPT_FLAGS)
        .arg(wasm)
        .arg("-o")
        .arg(&optimized))?;
    fs::rename(&optimized, wasm).context(wasm.display())?;
    say(&format!("wasm-opt: done in {} s", started.elapsed().as_secs()));
    Ok(())
}

/// What current compilers assume of a browser has to be named, or wasm-opt refuses the module.
const WASM_OPT_FLAGS: &[&str] = &[
    "-Os",
    "--enable-bulk-memory",
    "--enable-nontrapping-float-to-int",
    "--enable-sign-ext",
    "--enable-mutable-globals",
    "--enable-reference-types",
    "--enable-multivalue",
    "--enable-simd",
];

/// Measures a finished module; the figures are kept beside it.
pub fn figures(paths: &Paths, module: &Module, piece: &Piece) -> Outcome<Figures> {
    let kept = piece.folder.join("figures.json");
    if let Ok(text) = fs::read_to_string(&kept) {
        let value: Value = serde_json::from_str(&text).context(kept.display())?;
        return Figures::read(&value);
    }
    let wasm = piece.folder.join(format!("{}.wasm", module.name));
    let answer =
        node::script(paths, "pack.mjs", &json!({ "files": [{ "from": wasm, "gzip": true, "brotli": true }] }))?;
    let measured = Figures::read(&answer[0])?;
    fs::write(&kept, measured.to_json().to_string()).context(kept.display())?;
    Ok(measured)
}

impl Figures {
    /// Reads the figures from a JSON object.
    pub fn read(value: &Value) -> Outcome<Self> {
        let field = |name: &str| value[name].as_u64().context(format_args!("no number {name} in {value}"));
        Ok(Self { raw: field("raw")?, gzip: field("gzip")?, brotli: field("brotli")? })
    }

    /// The figures as a JSON object.
    pub fn to_json(self) -> Value {
        json!({ "raw": self.raw, "gzip": self.gzip, "brotli": self.brotli })
    }
}

fn forget_old_pieces(shelf: &Path, current: &Path) -> Outcome {
    let mut pieces = Vec::new();
    for entry in fs::read_dir(shelf).context(shelf.display())? {
        let entry = entry.context(shelf.display())?;
        let modified = entry.metadata().and_then(|metadata| metadata.modified()).context(entry.path().display())?;
        pieces.push((modified, entry.path()));
    }
    pieces.sort();
    pieces.reverse();
    for (modified, folder) in pieces.into_iter().skip(PIECES_KEPT) {
        let age = SystemTime::now().duration_since(modified).unwrap_or_default();
        if folder != current && age > PIECE_AGE_MIN {
            fs::remove_dir_all(&folder).context(folder.display())?;
        }
    }
    Ok(())
}
