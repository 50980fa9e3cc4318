//! Rules that no compiler checks, each with the reason it exists.
//!
//! A rule looks at the files that git knows or would add, and names what breaks it with file and line. A line with
//! `tidy: allow(RULE)` and a reason, or the line below it, is left alone by that rule.

mod code;
mod documents;
mod layering;
mod licenses;
mod tree;

use crate::outcome::Outcome;
use crate::paths::Paths;
use crate::stages::Tally;
use tree::Tree;

/// One place that breaks a rule.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// The file, relative to the root.
    pub file: String,
    /// The line, from 1; 0 where the whole file is meant.
    pub line: usize,
    /// What is wrong.
    pub text: String,
}

/// A rule over the files of the checkout.
struct Rule {
    name: &'static str,
    check: fn(&Tree) -> Vec<Problem>,
}

const RULES: &[Rule] = &[
    Rule { name: "file-size", check: code::file_size },
    Rule { name: "pure", check: code::pure_crates },
    Rule { name: "parser", check: code::parser_entry_points },
    Rule { name: "storage", check: code::browser_storage },
    Rule { name: "unfinished", check: code::unfinished },
    Rule { name: "links", check: documents::links },
    Rule { name: "paths", check: documents::paths },
    Rule { name: "linked-docs", check: documents::every_page_is_linked },
    Rule { name: "words", check: documents::foreign_words },
    Rule { name: "locks", check: licenses::locks_name_no_host },
    Rule { name: "npm-licenses", check: licenses::node_modules },
];

/// Checks all rules and prints what breaks them.
pub fn run(paths: &Paths) -> Outcome<Tally> {
    let mut tally = Tally::default();
    for (name, problems) in problems(paths)? {
        for problem in &problems {
            let Problem { file, line, text } = problem;
            println!("{file}:{line}: {text} [{name}]");
        }
        tally.add(if problems.is_empty() { Tally::ONE } else { Tally { passed: 0, failed: 1 } });
    }
    let tree = Tree::read(&paths.root)?;
    let unproven = code::limits_without_a_test(&tree);
    if !unproven.is_empty() {
        println!("note: no test mentions these limits yet: {}", unproven.join(", "));
    }
    Ok(tally)
}

/// Every rule with what breaks it.
fn problems(paths: &Paths) -> Outcome<Vec<(&'static str, Vec<Problem>)>> {
    let tree = Tree::read(&paths.root)?;
    let mut all: Vec<(&'static str, Vec<Problem>)> =
        RULES.iter().map(|rule| (rule.name, tree.without_allowed(rule.name, (rule.check)(&tree)))).collect();
    let metadata = layering::metadata(paths)?;
    all.push(("layering", layering::arrows(&metadata)));
    all.push(("outside", layering::outside_crates(&metadata)));
    all.push(("lints", layering::lints(&tree)));
    all.push(("crate-licenses", licenses::crates(&metadata)));
    Ok(all)
}

#[cfg(test)]
mod tests;
