//! Rules about code.

use super::Problem;
use super::tree::{SourceFile, Tree, has_word};

/// Longer files mix concepts.
const LINES_MAX: usize = 500;
/// Tests and generated tables may be longer, within reason.
const TEST_LINES_MAX: usize = 1000;

/// Crates that reach the machine they run on; all others compute and are told the time.
const RIM_CRATES: &[&str] = &["cli", "golden", "worker", "xtask"];
/// What a pure crate must not name: it traps in a browser or makes two runs differ.
const IMPURE: &[&str] = &[
    "std::fs",
    "std::net",
    "std::process",
    "std::thread",
    "std::env",
    "Instant::now",
    "time::Instant",
    "SystemTime",
    "rand::",
    "getrandom::",
    "Utc::now",
    "Local::now",
    "spawn_blocking",
    "tokio::time",
];

/// The one file that touches the browser's storage: each of these throws in a sandboxed frame.
const STORAGE_FILE: &str = "static/js/storage.mjs";
const STORAGE_NAMES: &[&str] = &[
    "localStorage",
    "sessionStorage",
    "indexedDB",
    "navigator.storage",
    "navigator.locks",
    "serviceWorker",
    "local_storage()",
    "session_storage()",
    "indexed_db()",
    "service_worker()",
];

/// Files stay short enough to read at a sitting.
pub fn file_size(tree: &Tree) -> Vec<Problem> {
    let mut problems = Vec::new();
    for file in tree.with_extension(&[".rs", ".mjs"]) {
        let lines = file.text.lines().count();
        let lenient = file.is_test() || file.path.contains("generated");
        let limit = if lenient { TEST_LINES_MAX } else { LINES_MAX };
        if lines > limit {
            problems.push(file.problem(0, format!("{lines} lines, over {limit}")));
        }
    }
    problems
}

/// Pure crates name no clock, disk, thread, network or randomness.
pub fn pure_crates(tree: &Tree) -> Vec<Problem> {
    let pure = |file: &&SourceFile| {
        file.crate_name().is_some_and(|name| !RIM_CRATES.contains(&name))
            && file.path.contains("/src/")
            && !file.is_test()
    };
    let mut problems = Vec::new();
    for file in tree.with_extension(&[".rs"]).filter(pure) {
        for (line, text) in file.product_lines() {
            for word in IMPURE.iter().filter(|word| has_word(text, word)) {
                problems.push(file.problem(line, format!("{word} in a pure crate; the host hands such things in")));
            }
        }
    }
    problems
}

/// Only `syntax` turns text into statements, so that spans, limits and dialect are the same everywhere.
pub fn parser_entry_points(tree: &Tree) -> Vec<Problem> {
    let mut problems = Vec::new();
    for file in tree
        .with_extension(&[".rs"])
        .filter(|file| !["syntax", "xtask"].contains(&file.crate_name().unwrap_or_default()))
    {
        for (line, text) in file.product_lines().filter(|(_, text)| has_word(text, "sqlparser::parser")) {
            let text = text.trim();
            problems.push(file.problem(line, format!("the SQL parser is called from crates/syntax only: {text}")));
        }
    }
    problems
}

/// The page's storage has one guarded door.
pub fn browser_storage(tree: &Tree) -> Vec<Problem> {
    let mut problems = Vec::new();
    for file in tree.with_extension(&[".js", ".mjs", ".html", ".rs"]) {
        let in_page = ["static/", "web/", "crates/worker/"].iter().any(|folder| file.path.starts_with(folder));
        if !in_page || file.path == STORAGE_FILE || file.is_test() {
            continue;
        }
        for (line, text) in file.product_lines() {
            for name in STORAGE_NAMES.iter().filter(|name| has_word(text, name)) {
                problems.push(file.problem(line, format!("{name} is touched in {STORAGE_FILE} only")));
            }
        }
    }
    problems
}

/// Nothing is left for later without a name: no stub, no test that does not run.
pub fn unfinished(tree: &Tree) -> Vec<Problem> {
    // Joined here, so that this file does not break its own rule.
    let rust = [["todo", "!("], ["unimplemented", "!("], ["#[ign", "ore"]].map(|parts| parts.concat());
    let scripts =
        [["test.sk", "ip("], ["it.sk", "ip("], ["describe.sk", "ip("], ["test.on", "ly("], ["test.to", "do("]]
            .map(|parts| parts.concat());
    let marks = [["FIX", "ME"], ["XX", "X"]].map(|parts| parts.concat());
    let mut problems = Vec::new();
    for file in tree.with_extension(&[".rs", ".mjs", ".js"]) {
        let calls: &[String] = if file.path.ends_with(".rs") { &rust } else { &scripts };
        for (index, text) in file.text.lines().enumerate() {
            let call = calls.iter().find(|call| text.contains(call.as_str()));
            let mark = marks.iter().find(|mark| has_word(text, mark));
            if let Some(found) = call.or(mark) {
                problems
                    .push(file.problem(index + 1, format!("{found} is unfinished work or a test that does not run")));
            }
        }
    }
    problems
}

/// The limits that no test mentions.
pub fn limits_without_a_test(tree: &Tree) -> Vec<String> {
    let Some(limits) = tree.file("crates/base/src/limits.rs") else { return Vec::new() };
    let declared = limits.text.lines().take_while(|line| !line.starts_with("impl ")).filter_map(|line| {
        let name = line.trim().strip_prefix("pub ")?.strip_suffix(": usize,")?;
        Some(name.to_owned())
    });
    let tests: Vec<&SourceFile> = tree.files.iter().filter(|file| file.is_test()).collect();
    declared.filter(|name| !tests.iter().any(|file| has_word(&file.text, name))).collect()
}
