//! `cargo xtask test`: every check there is, in the order in which a mistake shows soonest.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use crate::cache;
use crate::golden;
use crate::node;
use crate::outcome::{Context, Outcome};
use crate::page::{self, Built, PageOptions, Profile};
use crate::paths::{Paths, files_below};
use crate::process::{Watched, capture, command, run, say, watch};
use crate::serve;
use crate::size;
use crate::stages::{Stages, Tally};
use crate::tidy;
use crate::toolchain::{WasmToolchain, chromium, native_cargo};

/// The seed of property tests outside of `cargo xtask soak`, so that a run can be repeated.
const PROPERTY_SEED: &str = "20260302";
/// Ten times what `cargo xtask test` runs.
const SOAK_FACTOR: &str = "10";
const SOAK_CASES: &str = "2560";
/// The tests are served from here, as a project page of a host that serves many projects would be.
const SUB_PATH: &str = "/some/folder/";

/// Runs the checks; `quick` leaves out all that needs a browser or its compiler, and `wanted` all stages whose names
/// contain none of these words, unless it is empty.
pub fn run_all(paths: &Paths, quick: bool, wanted: Vec<String>) -> Outcome<bool> {
    cache::forget_old_checkouts(paths)?;
    let before = tree_state(paths)?;
    let mut stages = Stages::only(wanted);
    stages.run("format", || format(paths));
    stages.run("tidy", || tidy::run(paths));
    stages.run("clippy", || clippy(paths, quick));
    stages.run("native tests", || native_tests(paths, &[("PROPTEST_RNG_SEED", PROPERTY_SEED)]));
    stages.run("page's native tests", || page_tests(paths));
    stages.run("golden cases", || golden::run(paths, None, false));
    stages.run("projects", || projects(paths));
    stages.run("scripts", || scripts(paths));
    if !quick {
        stages.run("clippy wasm", || clippy_wasm(paths));
        let mut built = None;
        stages.run("wasm build", || {
            built = Some(build_site(paths)?);
            Ok(Tally::ONE)
        });
        stages.run("sizes", || match &built {
            Some(built) => size::report(paths, Profile::WasmCi, built, false),
            None => Err("not measured: the wasm build failed".to_owned()),
        });
        stages.run("browser tests", || match &built {
            Some(_) => browser_tests(paths, "tests/e2e", &[]),
            None => Err("not run: the wasm build failed".to_owned()),
        });
    }
    if node::in_ci() {
        stages.run("clean tree", || clean_tree(paths, &before));
    }
    Ok(stages.finish())
}

fn format(paths: &Paths) -> Outcome<Tally> {
    run(native_cargo(paths).args(["fmt", "--all", "--check"]))?;
    Ok(Tally::ONE)
}

fn clippy(paths: &Paths, quick: bool) -> Outcome<Tally> {
    let mut cargo = native_cargo(paths);
    cargo.args(["clippy", "--quiet", "--workspace", "--all-targets", "--keep-going", "--exclude", page::WEB.package]);
    run(locked(&mut cargo).args(["--", "-D", "warnings"]))?;
    if !quick {
        let mut cargo = native_cargo(paths);
        cargo.args(["clippy", "--quiet", "-p", "xtask", "--features", "bindgen", "--all-targets"]);
        run(locked(&mut cargo).args(["--", "-D", "warnings"]))?;
    }
    Ok(Tally::ONE)
}

/// The two packages that compile for the browser only, each by itself so that its dependencies keep their features.
fn clippy_wasm(paths: &Paths) -> Outcome<Tally> {
    let toolchain = WasmToolchain::find(paths)?;
    let mut tally = Tally::default();
    for module in [&page::WEB, &page::ENGINE] {
        let mut cargo = toolchain.cargo();
        cargo.args(["clippy", "--quiet", "--profile", Profile::WasmCi.name()]);
        module.select(&mut cargo);
        match run(locked(&mut cargo).args(["--", "-D", "warnings"])) {
            Ok(()) => tally.passed += 1,
            Err(message) => {
                println!("{message}");
                tally.failed += 1;
            }
        }
    }
    Ok(tally)
}

/// In a run that must be repeatable, `Cargo.lock` is the law.
fn locked(cargo: &mut Command) -> &mut Command {
    if node::in_ci() { cargo.arg("--locked") } else { cargo }
}

/// The long runs: the same tests with other seeds and ten times the cases, then the browser's own.
///
/// Property tests read `PROPTEST_CASES`; whatever else can be longer reads `LAKELET_SOAK`, the factor.
pub fn soak(paths: &Paths) -> Outcome<bool> {
    let mut stages = Stages::default();
    let longer = [("PROPTEST_CASES", SOAK_CASES), ("LAKELET_SOAK", SOAK_FACTOR)];
    stages.run("native tests", || native_tests(paths, &longer));
    let mut built = false;
    stages.run("wasm build", || {
        build_site(paths)?;
        built = true;
        Ok(Tally::ONE)
    });
    if built {
        stages.run("browser runs", || browser_tests(paths, "tests/soak", &[]));
    }
    Ok(stages.finish())
}

/// All native tests but the page's, whose libraries are its own; `environment` is handed to them.
fn native_tests(paths: &Paths, environment: &[(&str, &str)]) -> Outcome<Tally> {
    let mut cargo = native_cargo(paths);
    cargo.args(["test", "--quiet", "--workspace", "--no-fail-fast", "--exclude", page::WEB.package]);
    locked(&mut cargo);
    python_for(paths, &mut cargo)?;
    cargo.envs(environment.iter().copied());
    let watched = watch(&mut cargo, is_interesting)?;
    Ok(cargo_tests(&watched))
}

/// What the page computes without a browser. By itself, so that the other packages keep their features.
fn page_tests(paths: &Paths) -> Outcome<Tally> {
    let mut cargo = native_cargo(paths);
    cargo.args(["test", "--quiet", "-p", page::WEB.package]);
    Ok(cargo_tests(&watch(locked(&mut cargo), is_interesting)?))
}

/// What a run of `cargo test` came to.
fn cargo_tests(watched: &Watched) -> Tally {
    let mut tally = count_cargo_tests(&watched.output);
    if !watched.success && tally.failed == 0 {
        println!("cargo test failed without a failing test: something does not compile or a test program died");
        tally.failed += 1;
    }
    tally
}

/// What of `cargo test --quiet` says something: neither rows of dots nor programs without a test.
fn is_interesting(line: &str) -> bool {
    let text = line.trim();
    let dots = text.chars().all(|c| c == '.')
        || text.split_whitespace().all(|word| word.chars().all(|c| ".0123456789/".contains(c)));
    !(dots || text == "running 0 tests" || text.starts_with("test result: ok. 0 passed"))
}

/// Sums the lines `test result: ok. 3 passed; 0 failed; …`.
fn count_cargo_tests(output: &str) -> Tally {
    let mut tally = Tally::default();
    for line in output.lines().filter_map(|line| line.trim().strip_prefix("test result: ")) {
        tally.passed += number_before(line, " passed").unwrap_or(0);
        tally.failed += number_before(line, " failed").unwrap_or(0);
    }
    tally
}

fn number_before(line: &str, word: &str) -> Option<usize> {
    let (front, _) = line.split_once(word)?;
    front.rsplit(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// Tells a program where the Python for notebooks is: Pyodide, run by Node.
fn python_for(paths: &Paths, command: &mut Command) -> Outcome {
    let modules = node::ensure_modules(paths, &paths.root)?;
    command.env("LAKELET_PYODIDE", modules.join("pyodide"));
    Ok(())
}

/// Every tutorial's own checks, as `lakelet check` makes them.
fn projects(paths: &Paths) -> Outcome<Tally> {
    golden::build_binaries(paths)?;
    let folder = paths.root.join("projects");
    let mut tally = Tally::default();
    let mut names: Vec<String> = files_below(&folder)?
        .iter()
        .filter_map(|file| file.strip_suffix("/databricks.yml"))
        .filter(|name| !name.contains('/'))
        .map(str::to_owned)
        .collect();
    names.sort();
    for name in names {
        let project = format!("projects/{name}");
        let mut lakelet = command(paths.native_target().join("debug/lakelet"));
        lakelet.current_dir(&paths.root).args(["check", &project, "--python", "node"]);
        python_for(paths, &mut lakelet)?;
        let watched = watch(&mut lakelet, |line| line.contains("\"pass\":false"))?;
        let sum = watched.output.lines().last().unwrap_or_default();
        let sum: Value = serde_json::from_str(sum).context(format_args!("lakelet check {project} wrote {sum:?}"))?;
        let count = |field: &str| sum[field].as_u64().and_then(|number| usize::try_from(number).ok()).unwrap_or(0);
        let mut project_tally = Tally { passed: count("passed"), failed: count("failed") };
        if project_tally.failed == 0 && (!watched.success || project_tally.passed == 0) {
            project_tally.failed = 1;
        }
        println!(
            "{project}: {} passed, {} failed, {} skipped",
            count("passed"),
            project_tally.failed,
            count("skipped")
        );
        tally.add(project_tally);
    }
    Ok(tally)
}

/// The tests of the page's own scripts that need no browser.
fn scripts(paths: &Paths) -> Outcome<Tally> {
    let mut files = Vec::new();
    for folder in ["static", "web", "tests/js", "crates/xtask/js"] {
        let found = files_below(&paths.root.join(folder))?;
        files.extend(found.iter().filter(|file| file.ends_with(".test.mjs")).map(|file| format!("{folder}/{file}")));
    }
    node::ensure_modules(paths, &paths.root)?;
    node_tests(paths, &files, &[])
}

fn build_site(paths: &Paths) -> Outcome<Built> {
    page::build(paths, &PageOptions { profile: Profile::WasmCi, only: None, folder: paths.site() })
}

/// The browser tests of a folder, or those whose file name contains one of `wanted`, against the built page.
pub fn browser_tests(paths: &Paths, folder: &str, wanted: &[String]) -> Outcome<Tally> {
    node::ensure_modules(paths, &paths.root)?;
    let chromium = chromium()?;
    let files: Vec<String> = files_below(&paths.root.join(folder))?
        .into_iter()
        .filter(|file| file.ends_with(".test.mjs"))
        .filter(|file| wanted.is_empty() || wanted.iter().any(|part| file.contains(part.as_str())))
        .map(|file| format!("{folder}/{file}"))
        .collect();
    let server = serve::start(&paths.site(), 0, SUB_PATH)?;
    let artifacts = paths.artifacts();
    if wanted.is_empty() && artifacts.exists() {
        fs::remove_dir_all(&artifacts).context(artifacts.display())?;
    }
    fs::create_dir_all(&artifacts).context(artifacts.display())?;
    let environment = [
        ("LAKELET_URL", PathBuf::from(server.plain)),
        ("LAKELET_EMBED_URL", PathBuf::from(server.open)),
        ("LAKELET_CHROMIUM", chromium),
        ("LAKELET_ARTIFACTS", artifacts),
    ];
    node_tests(paths, &files, &environment)
}

/// Runs files with Node's own test runner, one after the other.
fn node_tests(paths: &Paths, files: &[String], environment: &[(&str, PathBuf)]) -> Outcome<Tally> {
    if files.is_empty() {
        return Ok(Tally::default());
    }
    let mut runner = command("node");
    runner.current_dir(&paths.root).args(["--test", "--test-reporter=spec", "--test-concurrency=1"]).args(files);
    runner.envs(environment.iter().map(|(name, value)| (name, value)));
    let watched = watch(&mut runner, |_| true)?;
    let tally = count_node_tests(&watched.output);
    if !watched.success && tally.failed == 0 {
        return Err("node's test runner failed without a failing test".to_owned());
    }
    Ok(tally)
}

/// Reads the closing lines of the runner: `ℹ pass 3`, `ℹ fail 0`, `ℹ cancelled 0`, `ℹ skipped 0`. A test that was
/// skipped or cut short has not passed.
fn count_node_tests(output: &str) -> Tally {
    let last = |word: &str| {
        let prefix = format!("ℹ {word} ");
        output.lines().rev().find_map(|line| line.strip_prefix(&prefix)?.trim().parse::<usize>().ok()).unwrap_or(0)
    };
    Tally { passed: last("pass"), failed: last("fail") + last("cancelled") + last("skipped") + last("todo") }
}

/// What git says of the checkout; empty where there is no git.
fn tree_state(paths: &Paths) -> Outcome<String> {
    if !paths.root.join(".git").exists() {
        return Ok(String::new());
    }
    capture(command("git").current_dir(&paths.root).args(["status", "--porcelain"]))
}

/// Whoever runs the checks must find the checkout as it was.
fn clean_tree(paths: &Paths, before: &str) -> Outcome<Tally> {
    let after = tree_state(paths)?;
    if after == before {
        return Ok(Tally::ONE);
    }
    say("the checks changed the checkout");
    Err(format!("before:\n{before}after:\n{after}"))
}

#[cfg(test)]
mod tests {
    use super::{Tally, count_cargo_tests, count_node_tests, is_interesting};

    #[test]
    fn cargo_results_are_summed_over_programs() {
        let output = "running 3 tests\n...\ntest result: ok. 3 passed; 0 failed; 0 ignored; 0 measured\n\n\
                      running 2 tests\n.F\ntest result: FAILED. 1 passed; 1 failed; 0 ignored\n";
        assert_eq!(count_cargo_tests(output), Tally { passed: 4, failed: 1 });
        assert_eq!(count_cargo_tests("error: could not compile"), Tally::default());
    }

    #[test]
    fn node_results_come_from_the_closing_lines_and_skipping_is_not_passing() {
        let output =
            "✔ opens (12ms)\nℹ tests 4\nℹ suites 0\nℹ pass 2\nℹ fail 1\nℹ cancelled 0\nℹ skipped 1\nℹ todo 0\n";
        assert_eq!(count_node_tests(output), Tally { passed: 2, failed: 2 });
    }

    #[test]
    fn rows_of_dots_are_not_shown() {
        for line in ["....\n", "\n", "........ 88/120\n", "running 0 tests\n"] {
            assert!(!is_interesting(line), "{line:?}");
        }
        for line in ["test result: ok. 3 passed; 0 failed\n", "failures:\n", "---- a stdout ----\n"] {
            assert!(is_interesting(line), "{line:?}");
        }
    }
}
