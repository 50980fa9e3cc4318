//! Jobs written back into the files they came from.

mod sql;

use serde_json::{Map, Value, json};

use crate::merge::identity;
use crate::paths::relativize;
use crate::project::{BUNDLE_PATH, Project, ProjectError, folder};
use crate::read::{Bundle, JobResource, read_bundle};
use crate::yaml::{Yaml, YamlError, parse_yaml, to_yaml};
use sql::{SqlHome, name_warehouses, warehouse_variable, write_sql_texts};
pub use sql::{sql_task_text, with_sql_texts};

/// Why a job cannot be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SaveError {
    /// The settings are not a map.
    NotSettings,
    /// A bundle file that must be changed is not YAML.
    Broken {
        /// Its path.
        path: String,
        /// What is wrong with it.
        error: YamlError,
    },
    /// A target overrides what was changed, so that the change would have no effect.
    Overridden {
        /// The target.
        target: String,
        /// The first of its settings, as a path.
        path: String,
    },
    /// Tasks that share a file have different new texts for it.
    SharedFile {
        /// The file.
        path: String,
    },
    /// A file cannot be written.
    Project(ProjectError),
}

impl std::fmt::Display for SaveError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NotSettings => f.write_str("The settings of a job are a map of keys and values."),
            Self::Overridden { target, path } => {
                write!(
                    f,
                    "The target {target} sets {path} itself. Change it below `targets.{target}` in the bundle's file."
                )
            }
            Self::Broken { path, error } => write!(f, "{path} must be mended first: {error}"),
            Self::SharedFile { path } => {
                write!(f, "Tasks that share {path} have different texts for it. Give one of them a file of its own.")
            }
            Self::Project(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for SaveError {}

impl From<ProjectError> for SaveError {
    fn from(error: ProjectError) -> Self {
        Self::Project(error)
    }
}

/// A job's settings as YAML, for an editor.
pub fn job_to_yaml(settings: &Value) -> String {
    to_yaml(settings)
}

/// A job's settings from YAML or JSON text: the settings alone, or a bundle file that defines one job.
///
/// # Errors
/// [`YamlError`] when it is not YAML or not a map.
pub fn job_from_yaml(text: &str) -> Result<Value, YamlError> {
    let yaml = parse_yaml(text)?;
    let jobs = yaml.get("resources").and_then(|resources| resources.get("jobs")).map(Yaml::entries);
    let value = match jobs {
        Some([job]) => job.value.to_json(),
        Some(_) => return Err(error_at(&yaml, "This file defines no job, or several; put one job's settings here.")),
        None => yaml.to_json(),
    };
    if value.is_object() {
        Ok(value)
    } else {
        Err(error_at(&yaml, "The settings of a job are a map of keys and values."))
    }
}

fn error_at(yaml: &Yaml, message: &str) -> YamlError {
    YamlError { line: yaml.line, column: yaml.column, message: message.to_owned() }
}

/// Creates a job (`key` absent or unknown) or changes one, and returns its key.
///
/// Only what changed is written: settings that still have the value they were read with keep their spelling, `${var.x}`
/// and relative paths included, and everything around the job in its file stays, comments too. SQL texts in
/// `sql_task.query.text` go to the file of `sql_task.file.path`, for new tasks `src/<task_key>.sql` or, where that is
/// something else's, `src/<job's name>/<task_key>.sql`. New and changed SQL tasks without a warehouse get the bundle's variable.
/// A new job gets a file `resources/<key>.job.yml`, and `databricks.yml` is made or changed to include it.
///
/// # Errors
/// [`SaveError`]; then nothing has changed.
pub fn save_job(
    project: &mut Project,
    bundle: &Bundle,
    key: Option<&str>,
    settings: &Value,
) -> Result<String, SaveError> {
    if !settings.is_object() {
        return Err(SaveError::NotSettings);
    }
    let mut changed = project.clone();
    let mut settings = settings.clone();
    let existing = key.and_then(|key| bundle.jobs.iter().find(|job| job.key == key));
    let key = existing.map_or_else(|| new_key(project, bundle, key, &settings), |job| job.key.clone());
    let home = SqlHome::new(bundle, settings.get("name").and_then(Value::as_str).unwrap_or(&key));
    write_sql_texts(&mut changed, &mut settings, home)?;
    match existing {
        Some(job) => {
            name_warehouses(&mut changed, &mut settings, &job.settings)?;
            change_job(&mut changed, job, &settings)?;
            check_effect(&changed, bundle, job, &settings)?;
        }
        None => {
            let path = job_path(&key);
            include(&mut changed, bundle, &path)?;
            name_warehouses(&mut changed, &mut settings, &Value::Null)?;
            relativize(&mut settings, folder(&path));
            let file = json!({"resources": {"jobs": {key.as_str(): settings}}});
            changed.put_text(&path, to_yaml(&file))?;
        }
    }
    *project = changed;
    Ok(key)
}

/// Removes a job from its file, and the file when nothing else is in it. Files of its tasks stay.
///
/// # Errors
/// [`SaveError`]; then nothing has changed.
pub fn remove_job(project: &mut Project, job: &JobResource) -> Result<(), SaveError> {
    let text = project.text(&job.path).unwrap_or_default().to_owned();
    let yaml = parse(&job.path, &text)?;
    let mut wanted = yaml.to_json();
    if let Some(jobs) = wanted.pointer_mut("/resources/jobs").and_then(Value::as_object_mut) {
        jobs.shift_remove(&job.key);
    }
    for parent in ["/resources", ""] {
        let child = if parent.is_empty() { "resources" } else { "jobs" };
        if let Some(map) = wanted.pointer_mut(parent).and_then(Value::as_object_mut)
            && map.get(child).and_then(Value::as_object).is_some_and(Map::is_empty)
        {
            map.shift_remove(child);
        }
    }
    if wanted.as_object().is_some_and(Map::is_empty) {
        project.remove(&job.path);
        return Ok(());
    }
    let text = replace_job(&text, &yaml, &job.key, None, &wanted);
    project.put_text(&job.path, text)?;
    Ok(())
}

fn parse(path: &str, text: &str) -> Result<Yaml, SaveError> {
    parse_yaml(text).map_err(|error| SaveError::Broken { path: path.to_owned(), error })
}

fn change_job(project: &mut Project, job: &JobResource, settings: &Value) -> Result<(), SaveError> {
    let text = project.text(&job.path).unwrap_or_default().to_owned();
    let yaml = parse(&job.path, &text)?;
    let written = as_written(job, settings);
    if written == job.raw {
        return Ok(());
    }
    let mut wanted = yaml.to_json();
    let place = wanted.pointer_mut("/resources/jobs").and_then(Value::as_object_mut);
    if let Some(jobs) = place {
        jobs.insert(job.key.clone(), written.clone());
    }
    let text = replace_job(&text, &yaml, &job.key, Some(&written), &wanted);
    project.put_text(&job.path, text)?;
    Ok(())
}

/// Refuses a change that the chosen target's overrides would undo.
fn check_effect(changed: &Project, bundle: &Bundle, job: &JobResource, wanted: &Value) -> Result<(), SaveError> {
    let Some(target) = bundle.target.as_ref().filter(|_| job.is_overridden) else { return Ok(()) };
    let after = read_bundle(changed, Some(target));
    let Some(after) = after.jobs.iter().find(|after| after.key == job.key) else { return Ok(()) };
    let (mut have, mut wanted) = (after.settings.clone(), wanted.clone());
    relativize(&mut have, folder(&job.path));
    relativize(&mut wanted, folder(&job.path));
    match first_difference(&have, &wanted) {
        Some(path) => Err(SaveError::Overridden { target: target.clone(), path }),
        None => Ok(()),
    }
}

/// The path of the first setting in which two values differ.
fn first_difference(a: &Value, b: &Value) -> Option<String> {
    let step = |name: &str, rest: String| if rest.is_empty() { name.to_owned() } else { format!("{name}.{rest}") };
    match (a, b) {
        (Value::Object(a), Value::Object(b)) => {
            a.keys().chain(b.keys().filter(|key| !a.contains_key(*key))).find_map(|key| {
                match (a.get(key), b.get(key)) {
                    (Some(a), Some(b)) => first_difference(a, b).map(|rest| step(key, rest)),
                    _ => Some(key.clone()),
                }
            })
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            let mut pairs = a.iter().zip(b).enumerate();
            pairs.find_map(|(index, (a, b))| first_difference(a, b).map(|rest| step(&format!("[{index}]"), rest)))
        }
        _ => (a != b).then(String::new),
    }
}

/// The settings as the job's file should have them: what did not change keeps its spelling.
fn as_written(job: &JobResource, settings: &Value) -> Value {
    let folder = folder(&job.path);
    let (mut before, mut after) = (job.settings.clone(), settings.clone());
    relativize(&mut before, folder);
    relativize(&mut after, folder);
    restore(&job.raw, &before, &after, "")
}

/// `after`, with the raw spelling wherever it equals `before`. Items of tasks and parameters are matched by their names.
fn restore(raw: &Value, before: &Value, after: &Value, list: &str) -> Value {
    if before == after {
        return raw.clone();
    }
    match (raw, before, after) {
        (Value::Object(raw), Value::Object(before), Value::Object(after)) => Value::Object(
            after
                .iter()
                .filter_map(|(key, after)| {
                    let value = match (raw.get(key), before.get(key)) {
                        (Some(raw), Some(before)) => restore(raw, before, after, key),
                        // It comes from the target, and stays there.
                        (None, Some(before)) if before == after => return None,
                        _ => after.clone(),
                    };
                    Some((key.clone(), value))
                })
                .collect(),
        ),
        (Value::Array(raw), Value::Array(before), Value::Array(after)) => {
            let items = after.iter().enumerate().filter_map(|(index, item)| {
                let (raw, before) = match identity(list) {
                    Some(id) => {
                        let same = |other: &&Value| other.get(id).is_some() && other.get(id) == item.get(id);
                        (raw.iter().find(same), before.iter().find(same))
                    }
                    None => (raw.get(index), before.get(index)),
                };
                match (raw, before) {
                    (Some(raw), Some(before)) => Some(restore(raw, before, item, "")),
                    (None, Some(before)) if before == item => None,
                    _ => Some(item.clone()),
                }
            });
            items.collect()
        }
        _ => after.clone(),
    }
}

/// The file's text with the job's definition replaced, or removed. Where that cannot be done line by line (one-line
/// maps, anchors), the whole file is written anew from `wanted`.
fn replace_job(text: &str, yaml: &Yaml, key: &str, settings: Option<&Value>, wanted: &Value) -> String {
    let replaced = lines_of_job(text, yaml, key).map(|(range, indent)| {
        let mut out = text[..range.start].to_owned();
        if let Some(settings) = settings {
            let definition = to_yaml(&json!({ key: settings }));
            for line in definition.lines() {
                if !line.is_empty() {
                    out.extend(std::iter::repeat_n(' ', indent));
                    out.push_str(line);
                }
                out.push('\n');
            }
        }
        out.push_str(&text[range.end..]);
        out
    });
    match replaced {
        Some(text) if parse_yaml(&text).is_ok_and(|yaml| yaml.to_json() == *wanted) => text,
        _ => to_yaml(wanted),
    }
}

/// Bytes of the lines that define the job, and the indentation of its key.
fn lines_of_job(text: &str, yaml: &Yaml, key: &str) -> Option<(std::ops::Range<usize>, usize)> {
    let entry = yaml.get("resources")?.get("jobs")?.entry(key)?;
    let indent = entry.column as usize - 1;
    let mut start = None;
    let mut end = text.len();
    let mut offset = 0;
    // Blank lines and comments after the definition belong to what follows.
    let mut end_of_content = text.len();
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let number = index + 1;
        let content = line.trim_start_matches(' ');
        let is_content = !content.trim().is_empty() && !content.starts_with('#');
        if number == entry.line as usize {
            if line.len() - content.len() != indent {
                return None;
            }
            start = Some(offset);
        } else if start.is_some() && is_content && line.len() - content.len() <= indent {
            end = end_of_content;
            break;
        }
        offset += line.len();
        if start.is_some() && is_content {
            end_of_content = offset;
            end = offset;
        }
    }
    Some((start?..end, indent))
}

/// The key of a job that is not there yet.
fn new_key(project: &Project, bundle: &Bundle, wanted: Option<&str>, settings: &Value) -> String {
    let name = wanted.or_else(|| settings.get("name").and_then(Value::as_str)).unwrap_or("job");
    free_name(&identifier(name), |name| {
        bundle.jobs.iter().any(|job| job.key == name) || project.contains(&job_path(name))
    })
}

fn job_path(key: &str) -> String {
    format!("resources/{key}.job.yml")
}

/// Makes sure that `databricks.yml` is there and includes `path`.
fn include(project: &mut Project, bundle: &Bundle, path: &str) -> Result<(), SaveError> {
    const PATTERN: &str = "resources/*.yml";
    let Some(text) = project.text(BUNDLE_PATH) else {
        let name = if bundle.lakelet.title.is_empty() { "workspace" } else { &bundle.lakelet.title };
        let file = json!({
            "bundle": {"name": identifier(name).replace('_', "-")},
            "include": [PATTERN],
            "variables": warehouse_variable(),
            "targets": {"dev": {"mode": "development", "default": true}},
        });
        project.put_text(BUNDLE_PATH, to_yaml(&file))?;
        return Ok(());
    };
    let yaml = parse(BUNDLE_PATH, text)?;
    let patterns = yaml.get("include").map(Yaml::items).unwrap_or_default();
    if patterns.iter().filter_map(Yaml::as_text).any(|pattern| crate::glob::matches(pattern, path)) {
        return Ok(());
    }
    let mut wanted = yaml.to_json();
    if !wanted.is_object() {
        wanted = json!({});
    }
    if let Value::Object(map) = &mut wanted {
        match map.entry("include").or_insert_with(|| json!([])) {
            Value::Array(list) => list.push(json!(PATTERN)),
            other => *other = json!([PATTERN]),
        }
    }
    // Adding at the end keeps comments; where there is an include already, the file is written anew.
    let appended = format!("{}\ninclude:\n  - {PATTERN}\n", text.trim_end());
    let text = match parse_yaml(&appended) {
        Ok(yaml) if yaml.to_json() == wanted => appended,
        _ => to_yaml(&wanted),
    };
    project.put_text(BUNDLE_PATH, text)?;
    Ok(())
}

/// Lower-case letters, digits and `_`, made of a name.
fn identifier(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars().flat_map(char::to_lowercase) {
        if c.is_ascii_alphanumeric() {
            out.push(c);
        } else if !out.is_empty() && !out.ends_with('_') {
            out.push('_');
        }
    }
    // A path must stay short enough for a project.
    out.truncate(80);
    let out = out.trim_end_matches('_');
    if out.is_empty() { "job".to_owned() } else { out.to_owned() }
}

/// `name`, or `name_2`, `name_3` … while it is taken.
fn free_name(name: &str, is_taken: impl Fn(&str) -> bool) -> String {
    if !is_taken(name) {
        return name.to_owned();
    }
    let mut number = 2_u64;
    loop {
        let candidate = format!("{name}_{number}");
        if !is_taken(&candidate) {
            return candidate;
        }
        number += 1;
    }
}

#[cfg(test)]
mod tests;
