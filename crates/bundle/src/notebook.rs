//! Notebooks: Databricks' source format and Jupyter's `.ipynb`.

mod ipynb;
mod source;
mod widgets;

use std::fmt;

use serde_json::Value;

pub use widgets::{DeclaredWidget, WidgetKind, declared_widgets};

/// Language of a cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CellKind {
    /// Python.
    Python,
    /// SQL (`%sql`).
    Sql,
    /// Markdown (`%md`).
    Markdown,
    /// Another magic command, `run` for `%run ./other`, which the source still begins with.
    Magic(String),
}

/// A cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotebookCell {
    /// Language.
    pub kind: CellKind,
    /// Title over the cell.
    pub title: Option<String>,
    /// Source without the prefixes of the file's format.
    pub source: String,
    /// 1-based line of the source in the file; 0 for cells that came out of no file. In `.ipynb` the number of the cell.
    pub line: u32,
}

/// A notebook.
#[derive(Debug, Clone, PartialEq)]
pub struct Notebook {
    /// Path in the project.
    pub path: String,
    /// Language of cells that do not say theirs: Python or SQL.
    pub language: CellKind,
    /// Its cells.
    pub cells: Vec<NotebookCell>,
    /// The document an `.ipynb` came from; outputs and metadata in it are kept.
    document: Option<Value>,
}

/// Why a file is not a notebook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotebookError {
    /// 1-based line.
    pub line: u32,
    /// A sentence.
    pub message: String,
}

impl fmt::Display for NotebookError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for NotebookError {}

impl NotebookError {
    fn new(line: u32, message: impl Into<String>) -> Self {
        Self { line, message: message.into() }
    }
}

impl Notebook {
    /// A notebook of one Python cell.
    pub fn python(path: &str, source: &str) -> Self {
        let cell = NotebookCell { kind: CellKind::Python, title: None, source: source.to_owned(), line: 0 };
        Self { path: path.to_owned(), language: CellKind::Python, cells: vec![cell], document: None }
    }
}

/// Reads a notebook; the ending of `path` (`.py`, `.sql`, `.ipynb`) tells the format.
///
/// # Errors
/// [`NotebookError`] when the file is none: a `.py` or `.sql` file without the first line that Databricks writes, or JSON
/// that is not a notebook.
pub fn parse_notebook(text: &str, path: &str) -> Result<Notebook, NotebookError> {
    if path.to_lowercase().ends_with(".ipynb") { ipynb::parse(text, path) } else { source::parse(text, path) }
}

/// Whether a file is a notebook, by its ending and its first line.
pub fn is_notebook(text: &str, path: &str) -> bool {
    path.to_lowercase().ends_with(".ipynb") || source::is_source(text, path)
}

/// The text of a notebook in the format of its path.
pub fn write_notebook(notebook: &Notebook) -> String {
    if notebook.path.to_lowercase().ends_with(".ipynb") { ipynb::write(notebook) } else { source::write(notebook) }
}

/// Splits `%sql SELECT 1` or `%sql\nSELECT 1` into its magic word and what follows.
fn split_magic(source: &str) -> Option<(&str, &str)> {
    let rest = source.strip_prefix('%')?;
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '-').unwrap_or(rest.len());
    let (word, rest) = rest.split_at(end);
    if word.is_empty() {
        return None;
    }
    let rest = rest.strip_prefix('\n').unwrap_or_else(|| rest.trim_start_matches([' ', '\t']));
    Some((word, rest.strip_prefix('\n').unwrap_or(rest)))
}

/// Kind and source of a cell whose text may begin with a magic command.
fn classify(text: &str, language: &CellKind) -> (CellKind, String) {
    match split_magic(text) {
        Some(("sql", rest)) => (CellKind::Sql, rest.to_owned()),
        Some(("python", rest)) => (CellKind::Python, rest.to_owned()),
        Some(("md", rest)) => (CellKind::Markdown, rest.to_owned()),
        Some((other, _)) => (CellKind::Magic(other.to_owned()), text.to_owned()),
        None => (language.clone(), text.to_owned()),
    }
}

/// The text of a cell with the magic command it needs in a notebook of `language`.
fn with_magic(cell: &NotebookCell, language: &CellKind) -> String {
    let word = match &cell.kind {
        kind if kind == language => return cell.source.clone(),
        CellKind::Magic(_) => return cell.source.clone(),
        CellKind::Sql => "sql",
        CellKind::Python => "python",
        CellKind::Markdown => "md",
    };
    format!("%{word}\n{}", cell.source)
}

#[cfg(test)]
mod tests;
