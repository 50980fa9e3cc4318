//! Which Rust builds what.
//!
//! Native builds use the cargo that started this program. Builds for the browser need the standard library for wasm:
//! rustup's, where it is installed or can be; otherwise Debian's compiler, for which the library is built once from
//! Debian's own sources.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::outcome::{Context, Outcome};
use crate::paths::Paths;
use crate::process::{
    capture, command, find_program, find_program_in, install_debian_packages, path_with_first, run, say,
};

/// The target of everything that runs in the browser.
pub const WASM_TARGET: &str = "wasm32-unknown-unknown";

/// Debian's packages for building wasm, used where rustup cannot download the target.
const DEBIAN_PACKAGES: &[&str] = &[
    "rustc-web",
    "cargo-web",
    "rust-web-src",
    "rust-web-llvm",
    "rust-web-clippy",
    "rustfmt-web",
    "lld-22",
    "clang-22",
];
const DEBIAN_BIN: &str = "/usr/bin";
/// The oldest compiler that DataFusion accepts, as in `rust-version` of the workspace.
const MINOR_VERSION_MIN: u32 = 94;

/// A cargo command for this machine, in the checkout and with the shared target folder.
pub fn native_cargo(paths: &Paths) -> Command {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = command(cargo);
    command.current_dir(&paths.root).env("CARGO_TARGET_DIR", paths.native_target());
    command
}

/// A compiler that can build for the browser.
pub struct WasmToolchain {
    cargo: OsString,
    /// The search path, where it has to differ from ours.
    path: Option<OsString>,
    c_compiler: Option<String>,
    target_folder: PathBuf,
    root: PathBuf,
    /// What `rustc --version` says: sizes can only be compared between equal compilers.
    pub rustc_version: String,
}

impl WasmToolchain {
    /// Finds a compiler for the browser, installing what is missing.
    ///
    /// Debian's comes first where it is complete: it is there for this purpose only. `LAKELET_WASM_COMPILER`, `debian`
    /// or `rustup`, forbids the other one, for those who need the same compiler on several machines.
    pub fn find(paths: &Paths) -> Outcome<Self> {
        let chosen = env::var("LAKELET_WASM_COMPILER").unwrap_or_default();
        let (may_be_debian, may_be_rustup) = match chosen.as_str() {
            "" => (true, true),
            "debian" => (true, false),
            "rustup" => (false, true),
            other => return Err(format!("LAKELET_WASM_COMPILER={other}: debian or rustup")),
        };
        if may_be_debian && debian_is_recent() && debian_compiles(paths)? {
            return Self::debian(paths);
        }
        if may_be_rustup {
            let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
            if compiles_for_wasm(paths, &mut command(&rustc)) || add_rustup_target(paths, &rustc)? {
                return Self::native(paths, &rustc);
            }
        }
        if !may_be_debian {
            return Err(format!("no compiler for {WASM_TARGET}, and LAKELET_WASM_COMPILER forbids Debian's"));
        }
        if !debian_is_recent() {
            install_debian_packages(DEBIAN_PACKAGES, "no compiler for wasm")?;
        }
        build_debian_std(paths)?;
        Self::debian(paths)
    }

    fn native(paths: &Paths, rustc: &OsString) -> Outcome<Self> {
        let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let rustc_version = capture(command(rustc).arg("--version"))?.trim().to_owned();
        Self::finish(paths, cargo, None, rustc_version)
    }

    fn debian(paths: &Paths) -> Outcome<Self> {
        let path = path_with_first(Path::new(DEBIAN_BIN))?;
        let cargo = Path::new(DEBIAN_BIN).join("cargo").into_os_string();
        let rustc = Path::new(DEBIAN_BIN).join("rustc");
        let rustc_version = capture(as_debian(command(rustc))?.arg("--version"))?.trim().to_owned();
        Self::finish(paths, cargo, Some(path), rustc_version)
    }

    fn finish(paths: &Paths, cargo: OsString, path: Option<OsString>, rustc_version: String) -> Outcome<Self> {
        Ok(Self {
            cargo,
            path,
            c_compiler: wasm_c_compiler()?,
            target_folder: paths.wasm_target(),
            root: paths.root.clone(),
            rustc_version,
        })
    }

    /// A cargo command for the browser's target; the caller adds the subcommand and `--target`.
    pub fn cargo(&self) -> Command {
        let mut command = command(&self.cargo);
        command.current_dir(&self.root).env("CARGO_TARGET_DIR", &self.target_folder);
        if let Some(path) = &self.path {
            command.env("PATH", path);
            for name in ["RUSTUP_TOOLCHAIN", "RUSTC", "RUSTDOC", "CARGO"] {
                command.env_remove(name);
            }
        }
        if let Some(compiler) = &self.c_compiler {
            command.env("CC_wasm32_unknown_unknown", compiler);
        }
        command
    }
}

/// The clang that compiles the C parts for wasm; `None` where the environment already names one.
fn wasm_c_compiler() -> Outcome<Option<String>> {
    if ["CC_wasm32_unknown_unknown", "CC_wasm32-unknown-unknown", "TARGET_CC"].iter().any(|n| env::var_os(n).is_some())
    {
        return Ok(None);
    }
    let versioned = (16..=30).rev().map(|version| format!("clang-{version}"));
    let found = versioned.chain(["clang".to_owned()]).find(|name| find_program(name).is_some());
    match found {
        Some(name) => Ok(Some(name)),
        None => {
            install_debian_packages(&["clang-22"], "no clang, which the C parts of the engine need")?;
            Ok(Some("clang-22".to_owned()))
        }
    }
}

/// Runs Debian's compiler as Debian's, not as rustup's.
fn as_debian(mut command: Command) -> Outcome<Command> {
    command.env("PATH", path_with_first(Path::new(DEBIAN_BIN))?);
    command.env_remove("RUSTUP_TOOLCHAIN");
    Ok(command)
}

/// Lets rustup download the target; whether a compiler for it is there then.
fn add_rustup_target(paths: &Paths, rustc: &OsString) -> Outcome<bool> {
    if find_program("rustup").is_none() {
        return Ok(false);
    }
    say("the wasm target is missing: rustup target add");
    if run(command("rustup").args(["target", "add", WASM_TARGET])).is_err() {
        say("rustup cannot download it; trying Debian's compiler");
        return Ok(false);
    }
    Ok(compiles_for_wasm(paths, &mut command(rustc)))
}

/// Whether Debian's compiler is there and new enough.
fn debian_is_recent() -> bool {
    let Ok(version) = capture(command(Path::new(DEBIAN_BIN).join("rustc")).arg("--version")) else { return false };
    minor_version(&version).is_some_and(|minor| minor >= MINOR_VERSION_MIN)
}

/// Whether Debian's compiler has a standard library for wasm.
fn debian_compiles(paths: &Paths) -> Outcome<bool> {
    Ok(compiles_for_wasm(paths, &mut as_debian(command(Path::new(DEBIAN_BIN).join("rustc")))?))
}

/// The second number of `rustc 1.96.0 (…)`.
fn minor_version(version: &str) -> Option<u32> {
    version.strip_prefix("rustc 1.")?.split('.').next()?.parse().ok()
}

/// Whether a compiler has a standard library for wasm that fits it.
fn compiles_for_wasm(paths: &Paths, rustc: &mut Command) -> bool {
    let folder = paths.cache.join("probe");
    let source = folder.join("probe.rs");
    let written = fs::create_dir_all(&folder)
        .and_then(|()| fs::write(&source, "//! A probe.\npub fn probe() -> String {\n    String::new()\n}\n"));
    written.is_ok()
        && capture(
            rustc
                .args(["--target", WASM_TARGET, "--crate-type", "lib", "--emit", "metadata", "--out-dir"])
                .arg(&folder)
                .arg(&source),
        )
        .is_ok()
}

/// Builds the standard library for wasm from Debian's sources and installs it where Debian's compiler looks.
fn build_debian_std(paths: &Paths) -> Outcome {
    if debian_compiles(paths)? {
        return Ok(());
    }
    say("building the standard library for wasm (1 to 3 minutes, once)");
    let folder = paths.cache.join("wasm-std");
    if folder.exists() {
        fs::remove_dir_all(&folder).context(folder.display())?;
    }
    fs::create_dir_all(folder.join("src")).context(folder.display())?;
    let manifest = "[package]\nname = \"empty\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n";
    fs::write(folder.join("Cargo.toml"), manifest).context("the manifest of the empty library")?;
    fs::write(folder.join("src/lib.rs"), "#![no_std]\n").context("the empty library")?;
    let mut build = as_debian(command(Path::new(DEBIAN_BIN).join("cargo")))?;
    build
        .current_dir(&folder)
        // The bitcode is what makes link-time optimization possible later.
        .env("RUSTFLAGS", "-C embed-bitcode=yes")
        .env("RUSTC_BOOTSTRAP", "1")
        .env("CARGO_TARGET_DIR", folder.join("target"))
        .args(["build", "--release", "-Zbuild-std=std,panic_abort,test", "--target", WASM_TARGET]);
    for name in ["RUSTC", "RUSTDOC", "CARGO"] {
        build.env_remove(name);
    }
    run(&mut build)?;

    let rustc = Path::new(DEBIAN_BIN).join("rustc");
    let sysroot = capture(as_debian(command(rustc))?.args(["--print", "sysroot"]))?;
    let library = Path::new(sysroot.trim()).join("lib/rustlib").join(WASM_TARGET).join("lib");
    let denied = format!("{} (installing the standard library for wasm needs root)", library.display());
    fs::create_dir_all(&library).context(&denied)?;
    for old in fs::read_dir(&library).context(&denied)? {
        let old = old.context(&denied)?.path();
        if is_library(&old) {
            fs::remove_file(&old).context(&denied)?;
        }
    }
    let built = folder.join("target").join(WASM_TARGET).join("release/deps");
    for entry in fs::read_dir(&built).context(built.display())? {
        let path = entry.context(built.display())?.path();
        let name = path.file_name().unwrap_or_default();
        if is_library(&path) && !name.to_string_lossy().starts_with("libempty") {
            fs::copy(&path, library.join(name)).context(&denied)?;
        }
    }
    if debian_compiles(paths)? {
        Ok(())
    } else {
        Err("the standard library for wasm was built and installed, but a probe does not compile with it".to_owned())
    }
}

fn is_library(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "rlib" || extension == "rmeta")
}

/// Finds a Chromium, installing Debian's where there is none.
pub fn chromium() -> Outcome<PathBuf> {
    if let Some(named) = env::var_os("LAKELET_CHROMIUM") {
        return Ok(named.into());
    }
    if let Some(found) = known_chromium() {
        return Ok(found);
    }
    install_debian_packages(&["chromium"], "no Chromium for the browser tests")?;
    known_chromium().context("Chromium was installed but is not on the search path")
}

fn known_chromium() -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let on_path = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
    let fixed = ["/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"];
    on_path
        .iter()
        .find_map(|name| find_program_in(name, &path))
        .or_else(|| fixed.iter().map(PathBuf::from).find(|candidate| candidate.is_file()))
}

#[cfg(test)]
mod tests {
    use super::minor_version;

    #[test]
    fn minor_version_reads_what_rustc_prints() {
        assert_eq!(minor_version("rustc 1.96.0 (ac68faa20 2026-05-25)"), Some(96));
        assert_eq!(minor_version("rustc 1.94.0-beta.1"), Some(94));
        assert_eq!(minor_version("cargo 1.96.0"), None);
    }
}
