//! Rules about what people read.

use super::Problem;
use super::tree::{SourceFile, Tree, has_word};

/// Folders whose paths are checked wherever a document names them.
const CHECKED_FOLDERS: &[&str] = &["crates/", "web/", "static/", "tests/", "docs/", "projects/", ".ci/", ".cargo/"];
/// Made by a build, so not in the checkout.
const BUILT_FOLDERS: &[&str] = &["web/dist"];

/// Links to files and headings lead somewhere.
pub fn links(tree: &Tree) -> Vec<Problem> {
    let mut problems = Vec::new();
    for file in documents(tree) {
        for (line, text) in prose_lines(file) {
            for target in link_targets(text) {
                if let Some(complaint) = broken_link(tree, file, target) {
                    problems.push(file.problem(line, complaint));
                }
            }
        }
    }
    problems
}

/// Paths that a document names in code marks exist.
pub fn paths(tree: &Tree) -> Vec<Problem> {
    let mut problems = Vec::new();
    for file in documents(tree) {
        for (line, text) in prose_lines(file) {
            for code in text.split('`').skip(1).step_by(2) {
                let path = code.trim_end_matches('/');
                let plain = path.chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c));
                let checked = CHECKED_FOLDERS.iter().any(|folder| code.starts_with(folder));
                let built = BUILT_FOLDERS.iter().any(|folder| path.starts_with(folder));
                if plain && checked && !built && !tree.has(path) {
                    problems.push(file.problem(line, format!("{code} does not exist")));
                }
            }
        }
    }
    problems
}

/// A page that nothing links to is a page that nobody reads.
pub fn every_page_is_linked(tree: &Tree) -> Vec<Problem> {
    let mut linked = Vec::new();
    for file in documents(tree) {
        for (_, text) in prose_lines(file) {
            let targets = link_targets(text).filter(|target| !is_address(target));
            linked.extend(targets.map(|target| resolve(&file.path, target.split('#').next().unwrap_or_default())));
        }
    }
    documents(tree)
        .filter(|file| file.path.starts_with("docs/") && !linked.contains(&file.path))
        .map(|file| file.problem(0, "no other document links to this one"))
        .collect()
}

/// The repository speaks of the product alone: not of the machine it was written on, nor of who wrote it and how.
pub fn foreign_words(tree: &Tree) -> Vec<Problem> {
    // Joined here, so that this file does not break its own rule.
    let anywhere = [
        ["/wo", "rk/"],
        ["/ro", "ot/"],
        ["registry.npm", "js.org"],
        ["index.crates", ".io"],
        ["files.python", "hosted.org"],
    ]
    .map(|parts| parts.concat());
    let phrases = [
        ["in this ses", "sion we"],
        ["as the issue ", "says"],
        ["as an AI ", "model"],
        ["language mo", "del wrote"],
        ["the helper ", "session"],
        ["my previous ", "turn"],
        ["shared/DES", "IGN"],
        ["per the b", "rief"],
    ]
    .map(|parts| parts.concat());
    let names = [["Clau", "de"], ["Anthro", "pic"], ["Chat", "GPT"]].map(|parts| parts.concat());
    let mut problems = Vec::new();
    for file in tree.files.iter().filter(|file| !file.path.ends_with("-lock.json") && file.path != "Cargo.lock") {
        for (index, text) in file.text.lines().enumerate() {
            let path = anywhere.iter().find(|word| has_free_path(text, word));
            let phrase = phrases.iter().find(|phrase| text.to_lowercase().contains(&phrase.to_lowercase()));
            let name = names.iter().find(|name| has_word(text, name));
            if let Some(found) = path.or(phrase).or(name) {
                problems.push(file.problem(index + 1, format!("{found:?} has nothing to do with the product")));
            }
        }
    }
    problems
}

/// Whether a path stands in a line as a path from the root, not as the end of a longer one.
fn has_free_path(line: &str, path: &str) -> bool {
    line.match_indices(path).any(|(start, _)| {
        let before = line.get(..start).and_then(|text| text.chars().next_back());
        !before.is_some_and(|c| c.is_alphanumeric() || "_-.}~".contains(c))
    })
}

fn documents(tree: &Tree) -> impl Iterator<Item = &SourceFile> {
    // Lessons are data of the product; the product's own checks read them.
    tree.files.iter().filter(|file| file.path.ends_with(".md") && !file.path.contains("/lessons/"))
}

/// Lines outside of fenced blocks, numbered from 1.
fn prose_lines(file: &SourceFile) -> impl Iterator<Item = (usize, &str)> {
    let mut fenced = false;
    file.text.lines().enumerate().filter_map(move |(index, line)| {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
            return None;
        }
        (!fenced).then_some((index + 1, line))
    })
}

/// The targets of `[text](target)` in a line.
fn link_targets(line: &str) -> impl Iterator<Item = &str> {
    line.split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next())
        .map(|target| target.split(' ').next().unwrap_or(target))
}

fn is_address(target: &str) -> bool {
    target.contains("://") || target.starts_with("mailto:")
}

fn broken_link(tree: &Tree, file: &SourceFile, target: &str) -> Option<String> {
    if is_address(target) || target.is_empty() {
        return None;
    }
    let (path, anchor) = target.split_once('#').map_or((target, None), |(path, anchor)| (path, Some(anchor)));
    let resolved = if path.is_empty() { file.path.clone() } else { resolve(&file.path, path) };
    if !resolved.is_empty() && !tree.has(&resolved) {
        return Some(format!("{target} leads nowhere"));
    }
    let anchor = anchor?;
    let page = tree.file(&resolved)?;
    let known = page.path.ends_with(".md") && !headings(page).any(|heading| heading == anchor);
    known.then(|| format!("{resolved} has no heading #{anchor}"))
}

/// A path relative to the file that names it, from the root.
fn resolve(from: &str, path: &str) -> String {
    let mut parts: Vec<&str> = if path.starts_with('/') { Vec::new() } else { from.split('/').collect() };
    parts.pop();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// The anchors of a page's headings, as code hosts make them: lower case, spaces to dashes, signs dropped.
fn headings(file: &SourceFile) -> impl Iterator<Item = String> {
    prose_lines(file).filter(|(_, line)| line.starts_with('#')).map(|(_, line)| {
        line.trim_start_matches('#')
            .trim()
            .to_lowercase()
            .chars()
            .filter_map(|c| match c {
                ' ' => Some('-'),
                c if c.is_alphanumeric() || c == '-' || c == '_' => Some(c),
                _ => None,
            })
            .collect()
    })
}
