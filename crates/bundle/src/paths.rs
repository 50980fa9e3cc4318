//! Paths in bundle files: relative to the file on disk, from the top of the project in memory.

use serde_json::Value;

use crate::project::{Project, normalize_path, relative, resolve};

/// What a path field of a task or pipeline names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PathKind {
    Notebook,
    /// A file, also by its path in a workspace.
    Python,
    File,
    /// May hold `*`.
    Glob,
}

/// Endings of notebooks, in the order they are tried.
const NOTEBOOK_ENDINGS: [&str; 3] = [".py", ".sql", ".ipynb"];

/// Calls `visit` on every path field of a job's settings, with its JSON path.
pub(crate) fn visit_job_paths(settings: &mut Value, visit: &mut dyn FnMut(&str, PathKind, &mut Value)) {
    let Some(tasks) = settings.get_mut("tasks").and_then(Value::as_array_mut) else { return };
    for (index, task) in tasks.iter_mut().enumerate() {
        let mut next = Some((format!("tasks[{index}]"), task));
        while let Some((path, task)) = next {
            if task.get("git_source").is_none() {
                visit_task(&path, task, visit);
            }
            next = task
                .get_mut("for_each_task")
                .and_then(|loop_task| loop_task.get_mut("task"))
                .map(|task| (format!("{path}.for_each_task.task"), task));
        }
    }
}

fn visit_task(path: &str, task: &mut Value, visit: &mut dyn FnMut(&str, PathKind, &mut Value)) {
    let is_git = |task: &Value| task.get("source").and_then(Value::as_str) == Some("GIT");
    if let Some(notebook) = task.get_mut("notebook_task")
        && !is_git(notebook)
        && let Some(value) = notebook.get_mut("notebook_path")
    {
        visit(&format!("{path}.notebook_task.notebook_path"), PathKind::Notebook, value);
    }
    if let Some(file) = task.get_mut("sql_task").and_then(|sql| sql.get_mut("file"))
        && !is_git(file)
        && let Some(value) = file.get_mut("path")
    {
        visit(&format!("{path}.sql_task.file.path"), PathKind::File, value);
    }
    if let Some(value) = task.get_mut("spark_python_task").and_then(|python| python.get_mut("python_file")) {
        visit(&format!("{path}.spark_python_task.python_file"), PathKind::Python, value);
    }
}

/// The same for a pipeline's settings.
pub(crate) fn visit_pipeline_paths(settings: &mut Value, visit: &mut dyn FnMut(&str, PathKind, &mut Value)) {
    let Some(libraries) = settings.get_mut("libraries").and_then(Value::as_array_mut) else { return };
    for (index, library) in libraries.iter_mut().enumerate() {
        for (key, field, kind) in [
            ("notebook", "path", PathKind::Notebook),
            ("file", "path", PathKind::File),
            ("glob", "include", PathKind::Glob),
        ] {
            if let Some(value) = library.get_mut(key).and_then(|library| library.get_mut(field)) {
                visit(&format!("libraries[{index}].{key}.{field}"), kind, value);
            }
        }
    }
}

/// What became of a path of a bundle file.
pub(crate) enum Located {
    /// Its project path.
    At(String),
    /// A path inside the project where no file is.
    Missing(String),
    /// It leads out of the project.
    Outside,
    /// It holds references that only Databricks can resolve.
    Unknown,
}

/// Finds the project path that `path`, written in a file of `folder`, means.
pub(crate) fn locate(project: &Project, folder: &str, path: &str, kind: PathKind) -> Located {
    let (path, folder) = match path.strip_prefix("${workspace.file_path}/") {
        Some(rest) => (rest, ""),
        None => (path, folder),
    };
    if path.contains("${") {
        return Located::Unknown;
    }
    if matches!(kind, PathKind::Notebook | PathKind::Python) && path.starts_with('/') {
        let found = match kind {
            PathKind::Python => find_python_file(project, path),
            _ => find_notebook(project, path),
        };
        return match found {
            Some(found) => Located::At(found),
            None => workspace_path_target(path).map_or(Located::Outside, Located::Missing),
        };
    }
    if kind == PathKind::Glob {
        // `*` cannot stand in the name of a file, so the rules for names do not apply.
        let (fixed, pattern) = path.split_at(path.find('*').unwrap_or(path.len()));
        let (base, start) = fixed.rsplit_once('/').map_or(("", fixed), |(base, start)| (base, start));
        let base = match (base, folder) {
            ("" | ".", "") => Some(String::new()),
            ("" | ".", folder) => Some(folder.to_owned()),
            (base, folder) => resolve(folder, base),
        };
        return match base {
            Some(base) if base.is_empty() => Located::At(format!("{start}{pattern}")),
            Some(base) => Located::At(format!("{base}/{start}{pattern}")),
            None => Located::Outside,
        };
    }
    let Some(target) = resolve(folder, path) else { return Located::Outside };
    if project.contains(&target) {
        return Located::At(target);
    }
    // A notebook may be named without its ending.
    let with_ending = NOTEBOOK_ENDINGS.iter().map(|ending| format!("{target}{ending}"));
    match with_ending.into_iter().find(|path| kind == PathKind::Notebook && project.contains(path)) {
        Some(found) => Located::At(found),
        None => Located::Missing(target),
    }
}

/// The notebook that `path` names: a path inside the project, with or without the ending, or a workspace path such as
/// `/Workspace/Users/<username>/copy_incremental`, whose notebook is looked for at the top of the project and in `src`.
pub fn find_notebook(project: &Project, path: &str) -> Option<String> {
    let path = workspace_relative(path)?;
    let places = [path.to_owned(), format!("src/{path}")];
    let endings = std::iter::once("").chain(NOTEBOOK_ENDINGS);
    let mut candidates = places.iter().flat_map(|place| endings.clone().map(move |ending| format!("{place}{ending}")));
    candidates.find(|candidate| project.contains(candidate))
}

/// The Python file of a project that a path of a workspace or of the project names: the file itself, else one in `src`.
pub fn find_python_file(project: &Project, path: &str) -> Option<String> {
    let path = workspace_relative(path)?;
    [path.to_owned(), format!("src/{path}")].into_iter().find(|candidate| project.contains(candidate))
}

/// Where a new notebook for a workspace path belongs: `/Workspace/Users/<username>/a` is `src/a.py`. Nothing for a path
/// that cannot be one of a project.
pub fn workspace_path_target(path: &str) -> Option<String> {
    let relative = workspace_relative(path)?;
    let has_ending = NOTEBOOK_ENDINGS.iter().any(|ending| relative.ends_with(ending));
    let in_src = if relative.contains('/') { relative.to_owned() } else { format!("src/{relative}") };
    normalize_path(&if has_ending { in_src } else { format!("{in_src}.py") })
}

/// The part of a workspace path after the user's (or shared, or repository's) folder; other paths as they are.
fn workspace_relative(path: &str) -> Option<&str> {
    let absolute = path.strip_prefix("/Workspace").filter(|rest| rest.starts_with('/')).unwrap_or(path);
    let Some(rest) = absolute.strip_prefix('/') else { return Some(path.strip_prefix("./").unwrap_or(path)) };
    let offset = after(rest, "Users/", 1).or_else(|| after(rest, "Repos/", 2)).or_else(|| after(rest, "Shared/", 0))?;
    let inside = rest.get(offset..)?;
    // Where the Databricks command line puts the files of a bundle.
    let inside =
        inside.strip_prefix(".bundle/").and_then(|rest| rest.split_once("/files/")).map_or(inside, |(_, rest)| rest);
    (!inside.is_empty()).then_some(inside)
}

/// Where the text goes on after `prefix` and `n_folders` more folders.
fn after(text: &str, prefix: &str, n_folders: usize) -> Option<usize> {
    text.strip_prefix(prefix)?;
    let mut offset = prefix.len();
    for _ in 0..n_folders {
        offset += text.get(offset..)?.find('/')? + 1;
    }
    Some(offset)
}

/// Turns the project paths in a job's settings into paths relative to the file of `folder` they are written to.
pub(crate) fn relativize(settings: &mut Value, folder: &str) {
    visit_job_paths(settings, &mut |_, _, value| {
        if let Value::String(path) = value
            && !path.contains("${")
            && let Some(normal) = normalize_path(path)
            && normal == *path
        {
            *path = relative(folder, &normal);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workspace_paths_lead_into_the_project() {
        let project = Project::from_files([("src/copy_incremental.py", ""), ("notebooks/a.ipynb", "")]).unwrap();
        let found = Some("src/copy_incremental.py".to_owned());
        for path in [
            "/Workspace/Users/<username>/copy_incremental",
            "/Users/someone@example.org/copy_incremental",
            "/Workspace/Shared/copy_incremental.py",
            "/Repos/me/repo/src/copy_incremental",
            "/Workspace/Users/me/.bundle/b/dev/files/src/copy_incremental",
            "copy_incremental",
            "./src/copy_incremental.py",
        ] {
            assert_eq!(find_notebook(&project, path), found, "{path}");
        }
        assert_eq!(find_notebook(&project, "/Users/x/notebooks/a").as_deref(), Some("notebooks/a.ipynb"));
        for path in ["/Workspace/Users/<username>/other", "/etc/passwd", "/Users/x/", "/Workspace", "", "/Users/é"] {
            assert_eq!(find_notebook(&project, path), None, "{path}");
        }
        assert_eq!(workspace_path_target("/Workspace/Users/<username>/new one").as_deref(), Some("src/new one.py"));
        assert_eq!(workspace_path_target("/Users/x/a/b.sql").as_deref(), Some("a/b.sql"));
        assert_eq!(workspace_path_target("/Users/x/../../b"), None);
    }

    #[test]
    fn globs_keep_their_stars() {
        let project = Project::new();
        let at = |folder: &str, path: &str| match locate(&project, folder, path, PathKind::Glob) {
            Located::At(path) => path,
            _ => "-".to_owned(),
        };
        assert_eq!(at("resources", "../src/etl/**"), "src/etl/**");
        assert_eq!(at("", "src/*.sql"), "src/*.sql");
        assert_eq!(at("", "**"), "**");
        assert_eq!(at("resources", "*.sql"), "resources/*.sql");
        assert_eq!(at("", "../x/*"), "-");
    }
}
