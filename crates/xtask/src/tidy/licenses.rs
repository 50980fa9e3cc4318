//! Licenses of what we build on, and lock files that work everywhere.

use serde_json::Value;

use super::Problem;
use super::tree::Tree;

/// Licenses whose code may be part of the product.
const ALLOWED: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "CDLA-Permissive-2.0",
    "ISC",
    "MIT",
    "MIT-0",
    "MPL-2.0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];
const CRATES_SOURCE: &str = "source = \"registry+https://github.com/rust-lang/crates.io-index\"";

/// Modules that declare their license in a form older than the field that the lock file copies; each was looked up.
const DECLARED_ELSEWHERE: &[(&str, &str)] = &[("node_modules/json-bignum", "MIT")];

/// Every crate in the tree, for whatever target, is under an allowed license.
pub fn crates(metadata: &Value) -> Vec<Problem> {
    let packages = metadata["packages"].as_array().map(Vec::as_slice).unwrap_or_default();
    packages
        .iter()
        .filter_map(|package| {
            let license = package["license"].as_str().unwrap_or_default();
            let name = format!("{} {}", package["name"].as_str()?, package["version"].as_str()?);
            (!is_allowed(license)).then(|| Problem {
                file: "Cargo.lock".to_owned(),
                line: 0,
                text: format!("{name} is under {license:?}, which is not on the list"),
            })
        })
        .collect()
}

/// Every node module is under an allowed license.
pub fn node_modules(tree: &Tree) -> Vec<Problem> {
    let mut problems = Vec::new();
    for file in tree.with_extension(&["package-lock.json"]) {
        let Ok(lock) = serde_json::from_str::<Value>(&file.text) else {
            problems.push(file.problem(0, "is not JSON"));
            continue;
        };
        for (path, package) in lock["packages"].as_object().into_iter().flatten() {
            let elsewhere = DECLARED_ELSEWHERE.iter().find(|(known, _)| known == path).map(|(_, license)| *license);
            let license = package["license"].as_str().or(elsewhere).unwrap_or_default();
            if !is_allowed(license) {
                problems.push(file.problem(0, format!("{path} is under {license:?}, which is not on the list")));
            }
        }
    }
    problems
}

/// Lock files name the public registry or no host at all: any mirror serves.
pub fn locks_name_no_host(tree: &Tree) -> Vec<Problem> {
    let mut problems = Vec::new();
    for file in tree.with_extension(&["Cargo.lock"]) {
        for (index, line) in file.text.lines().enumerate() {
            if line.starts_with("source = ") && line != CRATES_SOURCE {
                problems.push(file.problem(index + 1, format!("a source other than crates.io: {line}")));
            }
        }
    }
    for file in tree.with_extension(&["package-lock.json"]) {
        for (index, line) in file.text.lines().enumerate() {
            if line.trim_start().starts_with("\"resolved\"") {
                problems.push(file.problem(index + 1, "names a host; npm leaves it out where .npmrc is read"));
            }
        }
    }
    problems
}

/// Evaluates a license expression: a choice needs one allowed side, a conjunction both.
fn is_allowed(expression: &str) -> bool {
    let expression = expression.replace(['(', ')'], " ").replace('/', " OR ");
    !expression.trim().is_empty()
        && expression.split(" AND ").all(|part| part.split(" OR ").any(|choice| ALLOWED.contains(&choice.trim())))
}

#[cfg(test)]
mod tests {
    use super::is_allowed;

    #[test]
    fn choices_and_conjunctions_are_understood() {
        for allowed in [
            "MIT",
            "MIT OR Apache-2.0",
            "MIT/Apache-2.0",
            "GPL-2.0 OR MIT",
            "(MIT OR Apache-2.0) AND Unicode-3.0",
            "Apache-2.0 WITH LLVM-exception OR Apache-2.0 OR MIT",
        ] {
            assert!(is_allowed(allowed), "{allowed}");
        }
        for refused in ["", "GPL-3.0", "MIT AND GPL-3.0", "LGPL-2.1-or-later"] {
            assert!(!is_allowed(refused), "{refused}");
        }
    }
}
