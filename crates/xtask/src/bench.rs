//! `cargo xtask bench`: this page beside duckdb-wasm, measured in one Chromium in one run.

use crate::node;
use crate::outcome::Outcome;
use crate::paths::Paths;
use crate::process::{self, command};
use crate::toolchain::chromium;

/// Measures the page as it was built last and prints both sides.
pub fn run(paths: &Paths) -> Outcome {
    node::ensure_modules(paths, &paths.root)?;
    node::ensure_modules(paths, &paths.root.join("tests/bench"))?;
    process::run(
        command("node")
            .current_dir(&paths.root)
            .arg("tests/bench/bench.mjs")
            .env("LAKELET_SITE", paths.site())
            .env("LAKELET_CHROMIUM", chromium()?),
    )
}
