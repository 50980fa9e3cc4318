//! The files of a project and the rules for their names.

use std::collections::BTreeMap;
use std::fmt;

use lakelet_base::nearest_name;

/// Where the script that makes a project's sample data stands.
pub const SETUP_PATH: &str = "src/setup.sql";
/// Where the bundle stands.
pub const BUNDLE_PATH: &str = "databricks.yml";
/// Where that stands which only Lakelet knows.
pub const LAKELET_PATH: &str = "lakelet.json";

/// Most files of a project.
pub const FILES_MAX: usize = 1_000;
/// Most bytes of a project's files together.
pub const PROJECT_BYTES_MAX: usize = 64 * 1024 * 1024;
/// Most bytes of a path.
pub const PATH_BYTES_MAX: usize = 200;
/// Most folders in a path, the file's name included.
pub const PATH_DEPTH_MAX: usize = 12;

/// The files of a project by their paths.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Project {
    files: BTreeMap<String, Vec<u8>>,
}

/// Why a file cannot be part of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProjectError {
    /// The path is not one that every system can hold; see [`normalize_path`].
    BadPath(String),
    /// Another file has this path, but for the case of letters.
    SamePath(String),
    /// There would be more than [`FILES_MAX`] files.
    TooManyFiles,
    /// The files would have more than [`PROJECT_BYTES_MAX`] bytes together.
    TooLarge,
}

impl fmt::Display for ProjectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BadPath(path) => write!(
                f,
                "`{}` cannot be the path of a project file; it must be relative, like `src/setup.sql`.",
                path.escape_debug()
            ),
            Self::SamePath(path) => write!(f, "There is a file `{path}` already, but for the case of letters."),
            Self::TooManyFiles => write!(f, "A project may have {FILES_MAX} files."),
            Self::TooLarge => write!(f, "A project may have {} MiB.", PROJECT_BYTES_MAX / 1024 / 1024),
        }
    }
}

impl std::error::Error for ProjectError {}

impl Project {
    /// A project without files.
    pub fn new() -> Self {
        Self::default()
    }

    /// A project of these files.
    ///
    /// # Errors
    /// [`ProjectError`] for the first file that cannot be part of it.
    pub fn from_files<P, B>(files: impl IntoIterator<Item = (P, B)>) -> Result<Self, ProjectError>
    where
        P: AsRef<str>,
        B: Into<Vec<u8>>,
    {
        let mut project = Self::new();
        for (path, bytes) in files {
            project.put(path.as_ref(), bytes.into())?;
        }
        Ok(project)
    }

    /// Adds or replaces a file.
    ///
    /// # Errors
    /// [`ProjectError`]; then nothing has changed.
    pub fn put(&mut self, path: &str, bytes: Vec<u8>) -> Result<(), ProjectError> {
        let normal = normalize_path(path).ok_or_else(|| ProjectError::BadPath(path.to_owned()))?;
        let others = || self.files.keys().filter(|known| **known != normal);
        if let Some(known) = others().find(|known| known.to_lowercase() == normal.to_lowercase()) {
            return Err(ProjectError::SamePath(known.clone()));
        }
        if others().count() >= FILES_MAX {
            return Err(ProjectError::TooManyFiles);
        }
        let others: usize =
            self.files.iter().filter(|(known, _)| **known != normal).map(|(_, bytes)| bytes.len()).sum();
        if others.saturating_add(bytes.len()) > PROJECT_BYTES_MAX {
            return Err(ProjectError::TooLarge);
        }
        self.files.insert(normal, bytes);
        Ok(())
    }

    /// Adds or replaces a text file.
    ///
    /// # Errors
    /// As [`Project::put`].
    pub fn put_text(&mut self, path: &str, text: impl Into<String>) -> Result<(), ProjectError> {
        self.put(path, text.into().into_bytes())
    }

    /// Removes a file; whether it was there.
    pub fn remove(&mut self, path: &str) -> bool {
        self.files.remove(path).is_some()
    }

    /// The bytes of a file.
    pub fn bytes(&self, path: &str) -> Option<&[u8]> {
        self.files.get(path).map(Vec::as_slice)
    }

    /// The text of a file; nothing if it is not there or not UTF-8.
    pub fn text(&self, path: &str) -> Option<&str> {
        self.bytes(path).and_then(|bytes| std::str::from_utf8(bytes).ok())
    }

    /// Whether the file is there.
    pub fn contains(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }

    /// All paths, sorted.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// All files by path.
    pub fn files(&self) -> &BTreeMap<String, Vec<u8>> {
        &self.files
    }

    /// The path of a file that was probably meant; its ending may have been left out.
    pub fn nearest_path(&self, path: &str) -> Option<&str> {
        let stem = |path: &'_ str| path.rsplit_once('.').map_or(path.len(), |(stem, _)| stem.len());
        nearest_name(path, self.paths()).or_else(|| {
            let near = nearest_name(path, self.paths().map(|path| &path[..stem(path)]))?;
            self.paths().find(|path| path[..stem(path)] == *near)
        })
    }
}

/// The one spelling of a path inside a project: relative, `/` between its parts, no `.` or `..` left. Nothing for a path
/// that leads out of the project, is empty, too long or too deep, or has a part that some system cannot hold.
pub fn normalize_path(path: &str) -> Option<String> {
    if path.len() > PATH_BYTES_MAX || path.starts_with('/') {
        return None;
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    let well_named = |part: &&str| {
        !part.chars().any(|c| c.is_control() || matches!(c, '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|'))
            && !part.ends_with(['.', ' '])
            && !part.starts_with(' ')
    };
    let fits = !parts.is_empty() && parts.len() <= PATH_DEPTH_MAX && !path.ends_with('/');
    (fits && parts.iter().all(well_named)).then(|| parts.join("/"))
}

/// The folder that holds a file: `resources` for `resources/a.yml`, empty at the top.
pub(crate) fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// `path` as written in a file of `folder`, from the top of the project.
pub(crate) fn resolve(folder: &str, path: &str) -> Option<String> {
    if folder.is_empty() { normalize_path(path) } else { normalize_path(&format!("{folder}/{path}")) }
}

/// How a file of `folder` must write the project path `path`.
pub(crate) fn relative(folder: &str, path: &str) -> String {
    let from: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    let to: Vec<&str> = path.split('/').collect();
    let shared = from.iter().zip(&to).take_while(|(from, to)| from == to).count().min(to.len().saturating_sub(1));
    let up = vec![".."; from.len() - shared];
    let down = to.get(shared..).unwrap_or_default();
    let parts: Vec<&str> = up.iter().chain(down).copied().collect();
    if shared == from.len() { format!("./{}", parts.join("/")) } else { parts.join("/") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_have_one_spelling() {
        assert_eq!(normalize_path("src/../src/./a.sql").as_deref(), Some("src/a.sql"));
        assert_eq!(normalize_path("a b/ç.md").as_deref(), Some("a b/ç.md"));
        let deep = "a/".repeat(PATH_DEPTH_MAX) + "a";
        let long = "a".repeat(PATH_BYTES_MAX + 1);
        for bad in ["", "/a", "../a", "a/../../b", "a\\b", "c:/x", "a/\u{1}", "src/", "a.", "a/ b", "..", &deep, &long]
        {
            assert_eq!(normalize_path(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn relative_paths_lead_back() {
        for (folder, path, written) in [
            ("resources", "src/a.sql", "../src/a.sql"),
            ("", "src/a.sql", "./src/a.sql"),
            ("src", "src/a.sql", "./a.sql"),
            ("a/b", "a/c.sql", "../c.sql"),
        ] {
            assert_eq!(relative(folder, path), written);
            assert_eq!(resolve(folder, written).as_deref(), Some(path));
        }
    }

    #[test]
    fn a_project_refuses_what_it_cannot_hold() {
        let mut project = Project::from_files([("src/a.sql", "SELECT 1")]).unwrap();
        assert_eq!(project.put_text("SRC/A.sql", ""), Err(ProjectError::SamePath("src/a.sql".into())));
        assert_eq!(project.put_text("../a", ""), Err(ProjectError::BadPath("../a".into())));
        assert_eq!(project.put("big", vec![0; PROJECT_BYTES_MAX]), Err(ProjectError::TooLarge));
        project.put_text("./src/a.sql", "SELECT 2").unwrap();
        assert_eq!(project.text("src/a.sql"), Some("SELECT 2"));
        assert_eq!(project.nearest_path("src/b.sql"), Some("src/a.sql"));
        for index in 1..FILES_MAX {
            project.put_text(&format!("f/{index}"), "").unwrap();
        }
        assert_eq!(project.put_text("one/more", ""), Err(ProjectError::TooManyFiles));
        assert!(project.remove("f/1") && !project.contains("f/1") && project.bytes("f/2").is_some());
    }
}
