//! From project files to jobs, pipelines and problems.

use std::collections::BTreeMap;

use lakelet_base::nearest_name;
use serde_json::Value;

use crate::glob;
use crate::keys::check_keys;
use crate::lakelet_file::LakeletFile;
use crate::merge::merge;
use crate::paths::{Located, PathKind, locate, visit_job_paths, visit_pipeline_paths};
use crate::problem::{BundleProblem, PROBLEMS_MAX, did_you_mean};
use crate::project::{BUNDLE_PATH, LAKELET_PATH, Project, folder};
use crate::variables::{Scope, Unresolved, Variable};
use crate::yaml::{Yaml, YamlEntry, YamlValue, parse_yaml};

/// What the files of a project say.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Bundle {
    /// `bundle.name`
    pub name: Option<String>,
    /// The target in force.
    pub target: Option<String>,
    /// Names of all targets.
    pub targets: Vec<String>,
    /// Jobs, by file and place.
    pub jobs: Vec<JobResource>,
    /// Pipelines, by file and place.
    pub pipelines: Vec<PipelineResource>,
    /// Variables that have a value.
    pub variables: BTreeMap<String, Value>,
    /// `lakelet.json`; the default where there is none or it cannot be read.
    pub lakelet: LakeletFile,
    /// Everything worth saying, by file and line.
    pub problems: Vec<BundleProblem>,
}

/// A job as its file defines it.
#[derive(Debug, Clone, PartialEq)]
pub struct JobResource {
    /// Its key below `resources.jobs`.
    pub key: String,
    /// The file that defines it.
    pub path: String,
    /// 1-based line of its key.
    pub line: u32,
    /// Jobs API settings: variables and the target's overrides applied, file paths from the top of the project.
    pub settings: Value,
    /// The settings as the file has them.
    pub(crate) raw: Value,
    /// The chosen target changes some of them.
    pub(crate) is_overridden: bool,
    source: Yaml,
}

/// A pipeline as its file defines it.
#[derive(Debug, Clone, PartialEq)]
pub struct PipelineResource {
    /// Its key below `resources.pipelines`.
    pub key: String,
    /// The file that defines it.
    pub path: String,
    /// 1-based line of its key.
    pub line: u32,
    /// Settings, prepared as those of a job.
    pub settings: Value,
}

impl JobResource {
    /// The job's name; its key where it has none.
    pub fn name(&self) -> &str {
        self.settings.get("name").and_then(Value::as_str).unwrap_or(&self.key)
    }

    /// The line in [`JobResource::path`] of a setting, `tasks[1].for_each_task.inputs`; of what is around it where the
    /// file does not have it.
    pub fn line_of(&self, path: &str) -> u32 {
        self.source.line_at(path).unwrap_or(self.line)
    }
}

impl Bundle {
    /// The job with this name, else the one with this key.
    pub fn job(&self, name_or_key: &str) -> Option<&JobResource> {
        let by_name = self.jobs.iter().find(|job| job.name() == name_or_key);
        by_name.or_else(|| self.jobs.iter().find(|job| job.key == name_or_key))
    }

    /// The job that a reference like `${resources.jobs.KEY.id}` means.
    pub fn referenced_job(&self, reference: &str) -> Option<&JobResource> {
        let key = reference.strip_prefix("${resources.jobs.")?.strip_suffix(".id}")?;
        self.jobs.iter().find(|job| job.key == key)
    }
}

/// Reads a project's bundle and `lakelet.json`. `target` chooses a target; without it the default one is taken, or the
/// only one. Never fails: what cannot be read is among the problems.
pub fn read_bundle(project: &Project, target: Option<&str>) -> Bundle {
    let mut reader = Reader { project, files: Vec::new(), scope: Scope::default(), bundle: Bundle::default() };
    reader.read_lakelet_file();
    reader.read_files();
    reader.choose_target(target);
    reader.read_variables();
    reader.read_resources();
    let mut bundle = reader.bundle;
    if bundle.problems.len() > PROBLEMS_MAX {
        bundle.problems.sort_by_key(|problem| problem.severity);
        let more = bundle.problems.len() - PROBLEMS_MAX;
        bundle.problems.truncate(PROBLEMS_MAX);
        let message = format!("There are {more} more problems, at least.");
        bundle.problems.push(BundleProblem::note(BUNDLE_PATH, 1, "more", message));
    }
    bundle.problems.sort_by(|a, b| (&a.file, a.line, a.severity).cmp(&(&b.file, b.line, b.severity)));
    bundle
}

/// Most patterns of `include` that are looked at.
const INCLUDES_MAX: usize = 100;
/// Most bytes of such a pattern.
const PATTERN_BYTES_MAX: usize = 400;
/// Most jobs, and most pipelines.
const RESOURCES_MAX: usize = 1_000;

struct BundleFile {
    path: String,
    root: Yaml,
}

struct Reader<'a> {
    project: &'a Project,
    /// `databricks.yml` first.
    files: Vec<BundleFile>,
    scope: Scope,
    bundle: Bundle,
}

impl Reader<'_> {
    fn read_lakelet_file(&mut self) {
        if !self.project.contains(LAKELET_PATH) {
            return;
        }
        let file = self.project.text(LAKELET_PATH);
        let file = file.ok_or_else(|| BundleProblem::error(LAKELET_PATH, 1, "syntax", "This file is not UTF-8 text."));
        match file.and_then(LakeletFile::parse) {
            Ok(file) => self.bundle.lakelet = file,
            Err(problem) => self.bundle.problems.push(problem),
        }
    }

    fn read_files(&mut self) {
        if self.project.contains(BUNDLE_PATH) {
            self.read_file(BUNDLE_PATH);
            self.read_includes();
            return;
        }
        // Without a bundle file the usual places are read all the same, so that nothing is lost unseen.
        let paths: Vec<String> =
            self.project.paths().filter(|path| glob::matches("resources/*.yml", path)).map(str::to_owned).collect();
        for path in paths {
            let message = "There is no databricks.yml that includes this file; Databricks would not read it.";
            self.bundle.problems.push(BundleProblem::warning(&path, 1, "missing_file", message));
            self.read_file(&path);
        }
    }

    fn read_includes(&mut self) {
        let Some(include) = self.files.first().and_then(|file| file.root.entry("include")).cloned() else { return };
        if !matches!(include.value.value, YamlValue::List(_)) {
            let message = format!("`include` is a list of files, not {}.", include.value.kind());
            self.bundle.problems.push(BundleProblem::error(BUNDLE_PATH, include.line, "wrong_type", message));
        }
        if let Some(item) = include.value.items().get(INCLUDES_MAX) {
            let message = format!("Only the first {INCLUDES_MAX} includes are read.");
            self.bundle.problems.push(BundleProblem::error(BUNDLE_PATH, item.line, "too_many", message));
        }
        for item in include.value.items().iter().take(INCLUDES_MAX) {
            let Some(pattern) = item.as_text() else {
                let message = format!("An include is a file pattern, not {}.", item.kind());
                self.bundle.problems.push(BundleProblem::error(BUNDLE_PATH, item.line, "wrong_type", message));
                continue;
            };
            if pattern.len() > PATTERN_BYTES_MAX {
                let message = format!("A file pattern may have {PATTERN_BYTES_MAX} bytes.");
                self.bundle.problems.push(BundleProblem::error(BUNDLE_PATH, item.line, "wrong_type", message));
                continue;
            }
            let known = |path: &str| self.files.iter().any(|file| file.path == path);
            let paths = self.project.paths().filter(|path| glob::matches(pattern, path));
            let paths: Vec<String> = paths.map(str::to_owned).collect();
            if paths.is_empty() {
                let message = format!("No file matches `{pattern}`.");
                self.bundle.problems.push(BundleProblem::warning(BUNDLE_PATH, item.line, "missing_file", message));
            }
            let new: Vec<String> = paths.into_iter().filter(|path| !known(path)).collect();
            for path in new {
                self.read_file(&path);
            }
        }
    }

    fn read_file(&mut self, path: &str) {
        let Some(text) = self.project.text(path) else {
            self.bundle.problems.push(BundleProblem::error(path, 1, "syntax", "This file is not UTF-8 text."));
            return;
        };
        match parse_yaml(text) {
            Ok(root) => {
                if !matches!(root.value, YamlValue::Map(_) | YamlValue::Null) {
                    let message = format!("A bundle file is a map of keys and values, not {}.", root.kind());
                    self.bundle.problems.push(BundleProblem::error(path, root.line, "wrong_type", message));
                }
                check_keys(path, &root, &mut self.bundle.problems);
                find_placeholders(path, &root, "", &mut self.bundle.problems);
                self.files.push(BundleFile { path: path.to_owned(), root });
            }
            Err(error) => {
                self.bundle.problems.push(BundleProblem::error(path, error.line, "syntax", error.message));
            }
        }
    }

    fn choose_target(&mut self, wanted: Option<&str>) {
        let mut targets: Vec<(&BundleFile, &YamlEntry)> = Vec::new();
        for file in &self.files {
            let entries = file.root.get("targets").map(Yaml::entries).unwrap_or_default();
            targets.extend(entries.iter().map(|entry| (file, entry)));
        }
        let is_default =
            |entry: &YamlEntry| entry.value.get("default").is_some_and(|value| value.value == YamlValue::Bool(true));
        let chosen = match wanted {
            Some(wanted) => targets.iter().find(|(_, entry)| entry.key == wanted),
            None => targets.iter().find(|(_, entry)| is_default(entry)).or(match targets.as_slice() {
                [only] => Some(only),
                _ => None,
            }),
        };
        self.bundle.target = chosen.map(|(_, entry)| entry.key.clone());
        self.bundle.targets = targets.iter().map(|(_, entry)| entry.key.clone()).collect();
        if let (Some(wanted), None) = (wanted, chosen) {
            let names = targets.iter().map(|(_, entry)| entry.key.as_str());
            let hint = did_you_mean(&self.bundle.problems, || nearest_name(wanted, names));
            let message = format!("There is no target `{wanted}`.{hint}");
            self.bundle.problems.push(BundleProblem::error(BUNDLE_PATH, 1, "unknown_target", message));
        }
        let name = self.files.first().and_then(|file| file.root.get("bundle")).and_then(|bundle| bundle.get("name"));
        self.bundle.name = name.and_then(Yaml::scalar_text);
        if self.bundle.name.is_none() && self.files.first().is_some_and(|file| file.path == BUNDLE_PATH) {
            let message = "`bundle.name` is missing.";
            self.bundle.problems.push(BundleProblem::error(BUNDLE_PATH, 1, "missing_required", message));
        }
        self.scope.bundle_name = self.bundle.name.clone();
        self.scope.target = self.bundle.target.clone();
    }

    /// The definitions of the chosen target, with the file each stands in.
    fn target_sections(&self) -> Vec<(usize, &Yaml)> {
        let Some(target) = &self.bundle.target else { return Vec::new() };
        let sections = self.files.iter().enumerate();
        sections.filter_map(|(index, file)| Some((index, file.root.get("targets")?.get(target)?))).collect()
    }

    fn read_variables(&mut self) {
        let mut variables: BTreeMap<String, Variable> = BTreeMap::new();
        for file in &self.files {
            for entry in file.root.get("variables").map(Yaml::entries).unwrap_or_default() {
                variables.insert(entry.key.clone(), declared(&entry.value));
            }
        }
        for (_, section) in self.target_sections() {
            for entry in section.get("variables").map(Yaml::entries).unwrap_or_default() {
                let value = match &entry.value.value {
                    YamlValue::Map(_) => declared(&entry.value),
                    _ => Variable::Value(entry.value.to_json()),
                };
                variables.insert(entry.key.clone(), value);
            }
        }
        self.scope.variables = variables;
        for (name, variable) in &self.scope.variables {
            if let Variable::Value(value) = variable {
                let value = self.scope.interpolate(value, &mut Vec::new());
                self.bundle.variables.insert(name.clone(), value);
            }
        }
    }

    fn read_resources(&mut self) {
        let files = std::mem::take(&mut self.files);
        for file in &files {
            let Some(resources) = file.root.get("resources") else { continue };
            for entry in resources.get("jobs").map(Yaml::entries).unwrap_or_default() {
                if self.bundle.jobs.len() >= RESOURCES_MAX {
                    self.too_many(file, entry, "jobs");
                    break;
                }
                if let Some(job) = self.read_job(&files, file, entry) {
                    self.bundle.jobs.push(job);
                }
            }
            for entry in resources.get("pipelines").map(Yaml::entries).unwrap_or_default() {
                if self.bundle.pipelines.len() >= RESOURCES_MAX {
                    self.too_many(file, entry, "pipelines");
                    break;
                }
                if let Some(pipeline) = self.read_pipeline(&files, file, entry) {
                    self.bundle.pipelines.push(pipeline);
                }
            }
        }
        let mut names: BTreeMap<String, String> = BTreeMap::new();
        for job in &self.bundle.jobs {
            if let Some(other) = names.insert(job.name().to_owned(), job.key.clone()) {
                let message = format!("The jobs `{other}` and `{}` have the same name, {}.", job.key, job.name());
                let line = job.line_of("name");
                self.bundle.problems.push(BundleProblem::warning(&job.path, line, "duplicate", message));
            }
        }
        self.files = files;
    }

    fn too_many(&mut self, file: &BundleFile, entry: &YamlEntry, kind: &str) {
        let message = format!("Only {RESOURCES_MAX} {kind} are read; this one is not among them.");
        self.bundle.problems.push(BundleProblem::error(&file.path, entry.line, "too_many", message));
    }

    fn read_job(&mut self, files: &[BundleFile], file: &BundleFile, entry: &YamlEntry) -> Option<JobResource> {
        if let Some(first) = self.bundle.jobs.iter().find(|job| job.key == entry.key) {
            let message = format!("The job `{}` is defined in {} already.", entry.key, first.path);
            self.bundle.problems.push(BundleProblem::error(&file.path, entry.line, "duplicate", message));
            return None;
        }
        let settings = self.settings(files, file, "jobs", entry)?;
        Some(JobResource {
            key: entry.key.clone(),
            path: file.path.clone(),
            line: entry.line,
            settings,
            raw: entry.value.to_json(),
            is_overridden: files.iter().any(|file| self.overrides(file, "jobs", &entry.key).is_some()),
            source: entry.value.clone(),
        })
    }

    fn read_pipeline(
        &mut self,
        files: &[BundleFile],
        file: &BundleFile,
        entry: &YamlEntry,
    ) -> Option<PipelineResource> {
        if let Some(first) = self.bundle.pipelines.iter().find(|pipeline| pipeline.key == entry.key) {
            let message = format!("The pipeline `{}` is defined in {} already.", entry.key, first.path);
            self.bundle.problems.push(BundleProblem::error(&file.path, entry.line, "duplicate", message));
            return None;
        }
        let settings = self.settings(files, file, "pipelines", entry)?;
        Some(PipelineResource { key: entry.key.clone(), path: file.path.clone(), line: entry.line, settings })
    }

    /// Base definition, then the chosen target's overrides.
    fn settings(&mut self, files: &[BundleFile], file: &BundleFile, kind: &str, entry: &YamlEntry) -> Option<Value> {
        let mut settings = self.prepared(file, kind, entry)?;
        for file in files {
            if let Some(entry) = self.overrides(file, kind, &entry.key)
                && let Some(value) = self.prepared(file, kind, &entry)
            {
                merge(&mut settings, value);
            }
        }
        Some(settings)
    }

    /// What the chosen target says of a resource in a file.
    fn overrides(&self, file: &BundleFile, kind: &str, key: &str) -> Option<YamlEntry> {
        let resources = file.root.get("targets")?.get(self.bundle.target.as_deref()?)?.get("resources")?;
        resources.get(kind)?.entry(key).cloned()
    }

    /// One piece of a definition, references and paths resolved.
    fn prepared(&mut self, file: &BundleFile, kind: &str, entry: &YamlEntry) -> Option<Value> {
        if !matches!(entry.value.value, YamlValue::Map(_)) {
            let message = format!("`{}` must be a map of settings, not {}.", entry.key, entry.value.kind());
            self.bundle.problems.push(BundleProblem::error(&file.path, entry.line, "wrong_type", message));
            return None;
        }
        let line_at = |path: &str| entry.value.line_at(path).unwrap_or(entry.line);
        let mut unresolved: Vec<Unresolved> = Vec::new();
        let mut settings = self.scope.interpolate(&entry.value.to_json(), &mut unresolved);
        for problem in unresolved {
            let line = line_at(&problem.path);
            self.bundle.problems.push(BundleProblem::error(&file.path, line, problem.kind, problem.message));
        }
        let (project, problems) = (self.project, &mut self.bundle.problems);
        let mut visit = |path: &str, kind: PathKind, value: &mut Value| {
            let line = line_at(path);
            let Value::String(text) = value else { return };
            match locate(project, folder(&file.path), text, kind) {
                Located::At(found) => *text = found,
                Located::Missing(target) => {
                    let hint = did_you_mean(problems, || project.nearest_path(&target));
                    let message = format!("There is no file `{target}`.{hint}");
                    problems.push(BundleProblem::error(&file.path, line, "missing_file", message));
                    *text = target;
                }
                Located::Outside => {
                    let message = format!("`{text}` is not a file of this project.");
                    problems.push(BundleProblem::error(&file.path, line, "bad_path", message));
                }
                Located::Unknown => {}
            }
        };
        match kind {
            "jobs" => visit_job_paths(&mut settings, &mut visit),
            _ => visit_pipeline_paths(&mut settings, &mut visit),
        }
        Some(settings)
    }
}

fn declared(definition: &Yaml) -> Variable {
    match (definition.get("default"), definition.get("lookup")) {
        (Some(value), _) => Variable::Value(value.to_json()),
        (None, Some(_)) => Variable::Lookup,
        (None, None) => Variable::NoValue,
    }
}

/// Names values such as `<your-catalog>` that somebody forgot to fill in. `<username>` in the path of a notebook or
/// a Python file is fine: it leads to the project whoever the user is. Descriptions may say what they like.
fn find_placeholders(file: &str, value: &Yaml, key: &str, problems: &mut Vec<BundleProblem>) {
    for entry in value.entries() {
        find_placeholders(file, &entry.value, &entry.key, problems);
    }
    for item in value.items() {
        find_placeholders(file, item, key, problems);
    }
    let Some(text) = value.as_text() else { return };
    if matches!(key, "description" | "notebook_path" | "python_file" | "name") {
        return;
    }
    if let Some(placeholder) = placeholder(text) {
        let message = format!("The placeholder `{placeholder}` is not filled in.");
        problems.push(BundleProblem::error(file, value.line, "placeholder", message));
    }
}

/// The first `<words-like-this>` in a text.
fn placeholder(text: &str) -> Option<&str> {
    text.match_indices('<').find_map(|(start, _)| {
        let end = start + text[start..].find('>')?;
        let words = &text[start + 1..end];
        let is_word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
        let found = words.starts_with(|c: char| c.is_ascii_lowercase()) && words.chars().all(is_word);
        found.then_some(&text[start..=end])
    })
}

#[cfg(test)]
mod tests;
