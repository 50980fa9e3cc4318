use serde_json::json;

use super::tree::{SourceFile, Tree, has_word};
use super::{Problem, code, documents, layering, problems};
use crate::paths::Paths;

fn tree(files: &[(&str, &str)]) -> Tree {
    Tree {
        files: files
            .iter()
            .map(|(path, text)| SourceFile { path: (*path).to_owned(), text: (*text).to_owned() })
            .collect(),
        paths: files.iter().map(|(path, _)| (*path).to_owned()).collect(),
    }
}

/// The places where a rule finds something, as `file:line`.
fn places(problems: &[Problem]) -> Vec<String> {
    problems.iter().map(|problem| format!("{}:{}", problem.file, problem.line)).collect()
}

#[test]
fn the_checkout_is_tidy() {
    let broken: Vec<_> =
        problems(&Paths::find().unwrap()).unwrap().into_iter().filter(|(_, problems)| !problems.is_empty()).collect();
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn long_files_are_found_and_tests_may_be_longer() {
    let long = "x\n".repeat(600);
    let tree =
        tree(&[("crates/a/src/lib.rs", &long), ("crates/a/src/tests.rs", &long), ("crates/a/tests/b.rs", &long)]);
    assert_eq!(places(&code::file_size(&tree)), ["crates/a/src/lib.rs:0"]);
}

#[test]
fn clocks_and_disks_are_found_in_pure_crates_outside_of_tests_and_comments() {
    let text = "use std::fs;\n// std::fs is forbidden\nlet brand::x = 1;\n#[cfg(test)]\nmod tests {\nuse std::fs;\n}\n";
    let tree = tree(&[("crates/store/src/lib.rs", text), ("crates/cli/src/main.rs", text)]);
    assert_eq!(places(&code::pure_crates(&tree)), ["crates/store/src/lib.rs:1"]);
}

#[test]
fn storage_has_one_door_and_an_allowed_line_is_left_alone() {
    let script = "localStorage.x;\n// tidy: allow(storage) deleted for notebooks\ndelete globalThis.indexedDB;\n";
    let tree =
        tree(&[("static/js/a.mjs", script), ("static/js/storage.mjs", script), ("tests/e2e/a.test.mjs", script)]);
    let found = tree.without_allowed("storage", code::browser_storage(&tree));
    assert_eq!(places(&found), ["static/js/a.mjs:1"]);
}

#[test]
fn stubs_and_skipped_tests_are_found() {
    let rust = ["fn f() { to", "do!() }"].concat();
    let script = ["test.sk", "ip('x')"].concat();
    let tree = tree(&[("crates/a/src/lib.rs", &rust), ("tests/e2e/a.test.mjs", &script)]);
    assert_eq!(code::unfinished(&tree).len(), 2);
}

#[test]
fn limits_count_as_tested_where_a_test_names_them() {
    let limits = "pub struct Limits {\n    pub a_max: usize,\n    pub b_max: usize,\n}\nimpl Default for Limits {}\n";
    let tree = tree(&[("crates/base/src/limits.rs", limits), ("crates/x/src/tests.rs", "limits.a_max + 1")]);
    assert_eq!(code::limits_without_a_test(&tree), ["b_max"]);
}

#[test]
fn dead_links_paths_and_headings_are_found() {
    let readme = "[a](docs/a.md#some-heading) [b](docs/b.md) [c](docs/a.md#other) [d](https://example.org)\n\
                  `crates/x/src/lib.rs` and `crates/y` and `crates/<name>`\n```\n[e](nowhere.md)\n```\n";
    let tree = tree(&[
        ("README.md", readme),
        ("docs/a.md", "# Some heading\n[up](../README.md)\n"),
        ("docs/lonely.md", "Nobody links here.\n"),
        ("crates/x/src/lib.rs", ""),
    ]);
    assert_eq!(places(&documents::links(&tree)), ["README.md:1", "README.md:1"]);
    assert_eq!(places(&documents::paths(&tree)), ["README.md:2"]);
    assert_eq!(places(&documents::every_page_is_linked(&tree)), ["docs/lonely.md:0"]);
}

#[test]
fn machine_paths_are_found_but_not_paths_that_only_end_so() {
    let bad = ["see /wo", "rk/notes"].concat();
    let good = ["cd $HOME/wo", "rk/notes and team/wo", "rk/x"].concat();
    let tree = tree(&[("docs/a.md", &bad), ("docs/b.md", &good)]);
    assert_eq!(places(&documents::foreign_words(&tree)), ["docs/a.md:1"]);
}

#[test]
fn arrows_against_the_layers_are_found() {
    let package = |name: &str, uses: &[&str]| {
        let dependencies: Vec<_> = uses.iter().map(|used| json!({ "name": used })).collect();
        json!({ "name": name, "source": null, "dependencies": dependencies })
    };
    let metadata = json!({ "packages": [
        package("lakelet-store", &["lakelet-base", "lakelet-engine"]),
        package("lakelet-jobs", &["datafusion-common"]),
        package("lakelet-golden", &["lakelet-engine"]),
        package("lakelet-novel", &[]),
    ] });
    assert_eq!(places(&layering::arrows(&metadata)), ["crates/store/Cargo.toml:0", "crates/novel/Cargo.toml:0"]);
    assert_eq!(places(&layering::outside_crates(&metadata)), ["crates/jobs/Cargo.toml:0"]);
}

#[test]
fn words_have_borders() {
    assert!(has_word("a rand::x", "rand::"));
    assert!(!has_word("a brand::x", "rand::"));
    assert!(!has_word("SystemTimeout", "SystemTime"));
}
