//! Builds the folder that any static host can serve.
//!
//! The two wasm modules are compiled, given their glue, compressed and kept in the cache under the hash of what came
//! out of the compiler, so that a second build does only what changed. Everything else is small and made anew.

mod assemble;
mod licenses;
mod module;

use std::path::PathBuf;

use crate::node;
use crate::outcome::Outcome;
use crate::paths::Paths;
use crate::process::say;
use crate::toolchain::WasmToolchain;

pub use module::{ENGINE, Figures, Module, Piece, WEB, figures};

/// How much time a build may take to make the modules small and fast.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    /// Quick to build: what `serve` and `test` use.
    WasmCi,
    /// Link-time optimization and wasm-opt: what is published.
    Dist,
}

impl Profile {
    /// The name of the profile in `Cargo.toml` and of its group in the size figures.
    pub fn name(self) -> &'static str {
        match self {
            Self::WasmCi => "wasm-ci",
            Self::Dist => "dist",
        }
    }

    /// Reads a profile's name.
    pub fn parse(name: &str) -> Outcome<Self> {
        [Self::WasmCi, Self::Dist]
            .into_iter()
            .find(|profile| profile.name() == name)
            .ok_or_else(|| format!("no profile {name}: wasm-ci or dist"))
    }
}

/// What to build and where to put it.
pub struct PageOptions {
    /// How to compile.
    pub profile: Profile,
    /// The one module to compile; the other is taken over from the folder as it stands, if it is there.
    pub only: Option<&'static Module>,
    /// The folder to make.
    pub folder: PathBuf,
}

/// The modules that one build made.
pub struct Built {
    /// Each module with its piece, in the order of building.
    pub pieces: Vec<(&'static Module, Piece)>,
    /// The compiler that made them.
    pub rustc_version: String,
}

/// Builds the modules and puts the folder together.
pub fn build(paths: &Paths, options: &PageOptions) -> Outcome<Built> {
    let node_modules = node::ensure_modules(paths, &paths.root)?;
    let built = build_modules(paths, options.profile, options.only)?;
    assemble::assemble(paths, options, &node_modules, &built)?;
    say(&format!("the page is in {}", options.folder.display()));
    Ok(built)
}

/// Compiles the modules, or one of them, without making a folder.
pub fn build_modules(paths: &Paths, profile: Profile, only: Option<&'static Module>) -> Outcome<Built> {
    let toolchain = WasmToolchain::find(paths)?;
    say(&format!("building for the browser with {}", toolchain.rustc_version));
    let mut pieces = Vec::new();
    for module in [&WEB, &ENGINE] {
        if only.is_none_or(|only| only.name == module.name) {
            pieces.push((module, module::build(paths, &toolchain, profile, module)?));
        }
    }
    Ok(Built { pieces, rustc_version: toolchain.rustc_version })
}
