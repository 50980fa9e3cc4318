//! Project folders on disk.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use lakelet_base::Timestamp;
use lakelet_workspace::bundle::{
    Bundle, FILES_MAX, LAKELET_PATH, PROJECT_BYTES_MAX, Project, ProjectError, read_bundle,
};
use lakelet_workspace::{ActOutcome, LessonReader, Workspace};

use crate::{Failure, Place};

/// Folders that are no part of a project, beside those whose names begin with a dot.
const SKIPPED: [&str; 2] = ["node_modules", "__pycache__"];

/// A project read from its folder.
#[derive(Debug, Default)]
pub(crate) struct ProjectFolder {
    /// Path in the project → text.
    pub files: BTreeMap<String, String>,
    bundle: Bundle,
}

/// Something that comes before a project's jobs and lessons.
pub(crate) struct Prepared {
    /// `setup` or `recipe`.
    pub step: &'static str,
    /// What a recipe entry does; `sql` for the set-up script.
    pub kind: &'static str,
    /// For messages.
    pub name: String,
    /// What became of it.
    pub outcome: ActOutcome,
}

impl ProjectFolder {
    /// Reads a folder; files that are no text are left out.
    pub fn read(folder: &Path) -> Result<Self, Failure> {
        if !folder.is_dir() {
            return Err(Failure::Usage(format!("{} is no folder with a project", folder.display())));
        }
        let mut reader = Reader { root: folder, files: BTreeMap::new(), n_bytes: 0 };
        reader.collect(folder)?;
        let project = Project::from_files(reader.files.clone()).map_err(Failure::input)?;
        let bundle = read_bundle(&project, None);
        // Clock and recipe decide what happens, so a file that is there and cannot be read must not be passed over.
        match bundle.problems.iter().find(|problem| problem.file == LAKELET_PATH) {
            Some(problem) => Err(Failure::input(problem)),
            None => Ok(Self { files: reader.files, bundle }),
        }
    }

    /// What the bundle files say, with their problems.
    pub fn bundle(&self) -> &Bundle {
        &self.bundle
    }

    /// Opens the project; runs nothing. Also tells whether the workspace had no commits.
    pub fn open(&self, place: &Place) -> Result<(Workspace, bool), Failure> {
        let lakelet = &self.bundle.lakelet;
        let clock = lakelet.clock.or_else(|| lakelet.lesson.is_some().then_some(Timestamp::LESSON_START));
        let mut workspace = place.open(clock)?;
        let is_new = workspace.last_commit().is_none();
        workspace.open_project_at(self.files.clone(), place.now).map_err(Failure::input)?;
        Ok((workspace, is_new))
    }

    /// Runs the set-up script, then the recipe, up to the first failure; `each` hears what became of them. `false` after a
    /// failure.
    pub fn prepare(&self, reader: &mut LessonReader<'_>, mut each: impl FnMut(Prepared)) -> bool {
        let mut tell = |step, kind, name, outcome| {
            let is_failed = matches!(outcome, ActOutcome::Failed(_));
            each(Prepared { step, kind, name, outcome });
            is_failed
        };
        if let Some(outcome) = reader.setup()
            && tell("setup", "sql", lakelet_workspace::bundle::SETUP_PATH.to_owned(), outcome)
        {
            return false;
        }
        for (index, entry) in self.bundle.lakelet.recipe.iter().enumerate() {
            let outcome = reader.recipe_entry(entry);
            if tell("recipe", entry.action.verb(), format!("{LAKELET_PATH}, recipe entry {}", index + 1), outcome) {
                return false;
            }
        }
        true
    }
}

struct Reader<'a> {
    root: &'a Path,
    files: BTreeMap<String, String>,
    n_bytes: u64,
}

impl Reader<'_> {
    fn collect(&mut self, folder: &Path) -> Result<(), Failure> {
        let failed = |path: &Path, error: std::io::Error| Failure::input(format!("{}: {error}", path.display()));
        for entry in fs::read_dir(folder).map_err(|error| failed(folder, error))? {
            let entry = entry.map_err(|error| failed(folder, error))?;
            let path = entry.path();
            let name = entry.file_name();
            let Some(name) = name.to_str() else {
                return Err(Failure::input(format!("{}: the name is not UTF-8", path.display())));
            };
            // Of a symbolic link this says that it is one: what it leads to may be no part of the project.
            let kind = entry.file_type().map_err(|error| failed(&path, error))?;
            if kind.is_dir() {
                if !name.starts_with('.') && !SKIPPED.contains(&name) {
                    self.collect(&path)?;
                }
            } else if kind.is_file() {
                self.n_bytes += entry.metadata().map_err(|error| failed(&path, error))?.len();
                if self.n_bytes > PROJECT_BYTES_MAX as u64 {
                    return Err(Failure::input(ProjectError::TooLarge));
                }
                let bytes = fs::read(&path).map_err(|error| failed(&path, error))?;
                self.add(&path, bytes)?;
            }
        }
        Ok(())
    }

    fn add(&mut self, path: &Path, bytes: Vec<u8>) -> Result<(), Failure> {
        let Ok(text) = String::from_utf8(bytes) else { return Ok(()) };
        if self.files.len() == FILES_MAX {
            return Err(Failure::input(ProjectError::TooManyFiles));
        }
        let inside = path.strip_prefix(self.root).unwrap_or(path);
        let parts: Vec<_> = inside.components().map(|part| part.as_os_str().to_string_lossy()).collect();
        self.files.insert(parts.join("/"), text);
        Ok(())
    }
}
