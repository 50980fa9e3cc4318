//! Project folders on disk.

use std::collections::BTreeMap;
use std::path::Path;

use lakelet_base::Timestamp;
use lakelet_workspace::bundle::{LakeletFile, RecipeEntry};
use lakelet_workspace::{LessonReader, PythonHost, Workspace};
use serde_json::Map;

use crate::{Failure, Place};

/// Files of a project together.
const PROJECT_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// Folders that are not part of a project.
const SKIPPED: [&str; 4] = [".git", ".databricks", "node_modules", "__pycache__"];

/// A project read from its folder.
pub(crate) struct ProjectFolder {
    /// Path in the project → text.
    pub files: BTreeMap<String, String>,
    /// `lakelet.json`, if there is one.
    pub lakelet: Option<LakeletFile>,
}

impl ProjectFolder {
    /// Reads a folder; files that are no text are left out.
    pub fn read(folder: &Path) -> Result<Self, Failure> {
        if !folder.is_dir() {
            return Err(Failure::Usage(format!("{} is no folder with a project", folder.display())));
        }
        let mut files = BTreeMap::new();
        let mut n_bytes = 0;
        collect(folder, folder, &mut files, &mut n_bytes)?;
        let lakelet = match files.get("lakelet.json") {
            Some(text) => Some(LakeletFile::parse(text).map_err(|error| {
                Failure::Input(Some(format!("{}: {error}", folder.join("lakelet.json").display())))
            })?),
            None => None,
        };
        Ok(Self { files, lakelet })
    }

    /// Opens the project in a workspace. One without commits runs the set-up script first, then the recipe.
    pub fn open(&self, place: &Place, python: &mut dyn PythonHost, with_recipe: bool) -> Result<Workspace, Failure> {
        let clock = self.lakelet.as_ref().and_then(|lakelet| lakelet.clock);
        let simulated = clock.or_else(|| self.lakelet.is_some().then_some(Timestamp::LESSON_START));
        let mut workspace = place.open(simulated)?;
        let is_new = workspace.last_commit().is_none();
        workspace.open_project(self.files.clone()).map_err(|error| Failure::Input(Some(error.to_string())))?;
        if is_new && with_recipe {
            if let Some(setup) = workspace.setup_script().map(str::to_owned) {
                workspace
                    .execute_script("main", &setup, &Map::new(), |_, _| {})
                    .map_err(|error| Failure::Input(Some(format!("src/setup.sql: {}", error.diagnostic))))?;
            }
            let recipe: Vec<RecipeEntry> =
                self.lakelet.as_ref().map(|lakelet| lakelet.recipe.clone()).unwrap_or_default();
            let mut reader = LessonReader::new(&mut workspace, python);
            for (index, entry) in recipe.iter().enumerate() {
                reader.action(&entry.action).map_err(|error| {
                    Failure::Input(Some(format!("lakelet.json, recipe entry {}: {error}", index + 1)))
                })?;
            }
        }
        Ok(workspace)
    }
}

fn collect(root: &Path, folder: &Path, files: &mut BTreeMap<String, String>, n_bytes: &mut u64) -> Result<(), Failure> {
    let failed = |path: &Path, error: std::io::Error| Failure::Input(Some(format!("{}: {error}", path.display())));
    for entry in std::fs::read_dir(folder).map_err(|error| failed(folder, error))? {
        let entry = entry.map_err(|error| failed(folder, error))?;
        let path = entry.path();
        let kind = entry.file_type().map_err(|error| failed(&path, error))?;
        if kind.is_dir() {
            if !SKIPPED.iter().any(|skipped| entry.file_name() == *skipped) {
                collect(root, &path, files, n_bytes)?;
            }
            continue;
        }
        if !kind.is_file() {
            continue;
        }
        let bytes = std::fs::read(&path).map_err(|error| failed(&path, error))?;
        *n_bytes += bytes.len() as u64;
        if *n_bytes > PROJECT_BYTES_MAX {
            return Err(Failure::Input(Some(format!("{} holds more than {PROJECT_BYTES_MAX} bytes", root.display()))));
        }
        let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
        if let Ok(text) = String::from_utf8(bytes) {
            files.insert(name, text);
        }
    }
    Ok(())
}
