//! The text files of the checkout.

use std::fs;
use std::path::Path;

use super::Problem;
use crate::outcome::{Context, Outcome};
use crate::paths::files_below;
use crate::process::{capture, command};

/// A text file with its path relative to the root.
pub struct SourceFile {
    /// The path, with `/` between the parts.
    pub path: String,
    /// The contents.
    pub text: String,
}

/// All text files that git knows or would add, in order, and the paths of all others.
pub struct Tree {
    /// The files with text.
    pub files: Vec<SourceFile>,
    /// Every file, text or not.
    pub paths: Vec<String>,
}

impl Tree {
    /// Reads the checkout.
    pub fn read(root: &Path) -> Outcome<Self> {
        let mut paths = if root.join(".git").exists() {
            let mut git = command("git");
            git.current_dir(root).args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
            capture(&mut git)?.split('\0').filter(|path| !path.is_empty()).map(str::to_owned).collect()
        } else {
            files_below(root)?
        };
        paths.sort();
        paths.dedup();
        let mut tree = Self { files: Vec::new(), paths: Vec::new() };
        for path in paths {
            let full = root.join(&path);
            if !full.is_file() {
                // Deleted, but git does not know it yet.
                continue;
            }
            let bytes = fs::read(&full).context(&path)?;
            if let Ok(text) = String::from_utf8(bytes) {
                tree.files.push(SourceFile { path: path.clone(), text });
            }
            tree.paths.push(path);
        }
        Ok(tree)
    }

    /// The file at a path.
    pub fn file(&self, path: &str) -> Option<&SourceFile> {
        self.files.iter().find(|file| file.path == path)
    }

    /// Files whose path ends so.
    pub fn with_extension<'a>(&'a self, extensions: &'a [&str]) -> impl Iterator<Item = &'a SourceFile> {
        self.files.iter().filter(|file| extensions.iter().any(|extension| file.path.ends_with(extension)))
    }

    /// Whether there is a file at this path, or a folder with files.
    pub fn has(&self, path: &str) -> bool {
        let folder = format!("{}/", path.trim_end_matches('/'));
        self.paths.iter().any(|known| known == path || known.starts_with(&folder))
    }

    /// Leaves out the problems in lines that are marked as allowed.
    pub fn without_allowed(&self, rule: &str, problems: Vec<Problem>) -> Vec<Problem> {
        let mark = format!("tidy: allow({rule})");
        let allowed = |problem: &Problem| {
            let Some(file) = self.file(&problem.file) else { return false };
            let lines = file.text.lines().take(problem.line).skip(problem.line.saturating_sub(2));
            problem.line > 0 && lines.into_iter().any(|line| line.contains(&mark))
        };
        problems.into_iter().filter(|problem| !allowed(problem)).collect()
    }
}

impl SourceFile {
    /// Whether this is code that only tests run.
    pub fn is_test(&self) -> bool {
        let parts: Vec<&str> = self.path.split('/').collect();
        let folders = parts.len().saturating_sub(1);
        parts.iter().take(folders).any(|part| *part == "tests" || *part == "benches")
            || parts.last().is_some_and(|name| *name == "tests.rs" || name.ends_with(".test.mjs"))
    }

    /// The crate whose folder this is in, without prefix.
    pub fn crate_name(&self) -> Option<&str> {
        self.path.strip_prefix("crates/")?.split_once('/').map(|(name, _)| name)
    }

    /// The lines of Rust code that end up in the product, numbered from 1: without comments and without the tests that
    /// stand at the end of a file.
    pub fn product_lines(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines: Vec<&str> = self.text.lines().collect();
        let end = lines
            .windows(2)
            .position(|pair| {
                pair[0].trim() == "#[cfg(test)]" && pair[1].trim_start().starts_with("mod ") && pair[1].contains('{')
            })
            .unwrap_or(lines.len());
        lines
            .into_iter()
            .take(end)
            .enumerate()
            .filter(|(_, line)| !line.trim_start().starts_with("//"))
            .map(|(index, line)| (index + 1, line))
    }

    /// A problem in this file.
    pub fn problem(&self, line: usize, text: impl Into<String>) -> Problem {
        Problem { file: self.path.clone(), line, text: text.into() }
    }
}

/// Whether `word` stands in `line` with no letter, digit or underscore directly before or after it.
pub fn has_word(line: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(start, _)| {
        let before = line.get(..start).and_then(|text| text.chars().next_back());
        let after = line.get(start + word.len()..).and_then(|text| text.chars().next());
        // A word that itself starts or ends with a sign needs no border there.
        let starts_free = !word.starts_with(is_part) || !before.is_some_and(is_part);
        let ends_free = !word.ends_with(is_part) || !after.is_some_and(is_part);
        starts_free && ends_free
    })
}
