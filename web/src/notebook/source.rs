//! Cells as the text of a notebook's file: Databricks' source format, and Jupyter's `.ipynb`.

use lakelet_protocol::CellKind;
use serde_json::{Value, json};

/// A cell as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceCell {
    /// Language.
    pub kind: CellKind,
    /// Title.
    pub title: Option<String>,
    /// Source without magic prefixes.
    pub source: String,
}

/// Whether a file can be a notebook, by its name.
pub fn is_notebook_path(path: &str) -> bool {
    let path = path.to_lowercase();
    path.ends_with(".py") || path.ends_with(".ipynb")
}

/// The path in the project for what somebody typed: a workspace path leads to `src/`, and a name without an ending is a
/// Python file. `None` when nothing is left of it.
pub fn file_path(typed: &str) -> Option<String> {
    let typed = typed.trim().trim_end_matches('/');
    let is_of_workspace = typed.starts_with('/');
    let mut parts: Vec<&str> =
        typed.split('/').filter(|part| !part.is_empty() && *part != "." && *part != "..").collect();
    let name = parts.pop()?;
    let name = if is_notebook_path(name) { name.to_owned() } else { format!("{name}.py") };
    let folder = if is_of_workspace || parts.is_empty() { "src".to_owned() } else { parts.join("/") };
    Some(format!("{folder}/{name}"))
}

/// What an empty notebook is.
pub fn new_notebook(path: &str) -> String {
    write(path, &[SourceCell { kind: CellKind::Python, title: None, source: String::new() }], None)
}

/// The text of the file at `path`. `before` is the file as it is, of which an `.ipynb` keeps everything but its cells.
pub fn write(path: &str, cells: &[SourceCell], before: Option<&str>) -> String {
    let lower = path.to_lowercase();
    if lower.ends_with(".ipynb") {
        write_ipynb(cells, before)
    } else if lower.ends_with(".sql") {
        write_source(cells, "--", CellKind::Sql)
    } else {
        write_source(cells, "#", CellKind::Python)
    }
}

fn write_source(cells: &[SourceCell], comment: &str, language: CellKind) -> String {
    let mut out = format!("{comment} Databricks notebook source\n");
    for (index, cell) in cells.iter().enumerate() {
        if index > 0 {
            out.push_str(&format!("\n{comment} COMMAND ----------\n\n"));
        }
        if let Some(title) = &cell.title {
            out.push_str(&format!("{comment} DBTITLE 1,{}\n", title.replace('\n', " ")));
        }
        let text = with_magic(cell, language);
        let is_magic = text.starts_with('%');
        for line in text.lines() {
            if is_magic {
                out.push_str(comment);
                out.push_str(if line.is_empty() { " MAGIC" } else { " MAGIC " });
            }
            out.push_str(line);
            out.push('\n');
        }
    }
    out
}

/// The source with the magic word that it needs in a notebook of `language`. One that begins with a word has it already.
fn with_magic(cell: &SourceCell, language: CellKind) -> String {
    let word = match cell.kind {
        kind if kind == language => return cell.source.clone(),
        CellKind::Python if cell.source.starts_with('%') => return cell.source.clone(),
        CellKind::Sql => "sql",
        CellKind::Python => "python",
        CellKind::Markdown => "md",
    };
    format!("%{word}\n{}", cell.source)
}

fn write_ipynb(cells: &[SourceCell], before: Option<&str>) -> String {
    let mut document = before
        .and_then(|text| serde_json::from_str::<Value>(text).ok())
        .filter(Value::is_object)
        .unwrap_or_else(|| json!({ "cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5 }));
    let cells: Vec<Value> = cells
        .iter()
        .map(|cell| {
            let metadata = match &cell.title {
                Some(title) => json!({ "application/vnd.databricks.v1+cell": { "title": title, "showTitle": true } }),
                None => json!({}),
            };
            let lines = |text: &str| text.split_inclusive('\n').map(Value::from).collect::<Vec<_>>();
            match cell.kind {
                CellKind::Markdown => {
                    json!({ "cell_type": "markdown", "metadata": metadata, "source": lines(&cell.source) })
                }
                CellKind::Python | CellKind::Sql => json!({
                    "cell_type": "code",
                    "execution_count": null,
                    "metadata": metadata,
                    "outputs": [],
                    "source": lines(&with_magic(cell, CellKind::Python)),
                }),
            }
        })
        .collect();
    if let Some(document) = document.as_object_mut() {
        document.insert("cells".to_owned(), Value::Array(cells));
    }
    let mut text = serde_json::to_string_pretty(&document).unwrap_or_default();
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(kind: CellKind, source: &str) -> SourceCell {
        SourceCell { kind, title: None, source: source.to_owned() }
    }

    #[test]
    fn cells_are_written_with_their_magic_words() {
        let mut titled = cell(CellKind::Sql, "SELECT 1;\n\nSELECT 2");
        titled.title = Some("Two".into());
        let cells = [cell(CellKind::Python, "print(1)"), titled, cell(CellKind::Markdown, "# Hello")];
        assert_eq!(
            write("src/a.py", &cells, None),
            "# Databricks notebook source\nprint(1)\n\n# COMMAND ----------\n\n# DBTITLE 1,Two\n# MAGIC %sql\n# MAGIC \
             SELECT 1;\n# MAGIC\n# MAGIC SELECT 2\n\n# COMMAND ----------\n\n# MAGIC %md\n# MAGIC # Hello\n"
        );
        assert!(write("src/a.sql", &cells, None).starts_with("-- Databricks notebook source\n-- MAGIC %python\n"));
    }

    #[test]
    fn other_magic_words_stay_magic() {
        let text = write("a.py", &[cell(CellKind::Python, "%run ./other")], None);
        assert_eq!(text, "# Databricks notebook source\n# MAGIC %run ./other\n");
    }

    #[test]
    fn jupyter_documents_keep_what_is_around_their_cells() {
        let before = r#"{"metadata":{"kernelspec":{"name":"x"}},"nbformat":4,"nbformat_minor":2,"cells":[1]}"#;
        let text = write("a.ipynb", &[cell(CellKind::Sql, "SELECT 1\n")], Some(before));
        let document: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(document["metadata"]["kernelspec"]["name"], "x");
        assert_eq!(document["nbformat_minor"], 2);
        assert_eq!(document["cells"][0]["source"], json!(["%sql\n", "SELECT 1\n"]));
        assert!(write("a.ipynb", &[], Some("no json")).contains("nbformat"));
    }

    #[test]
    fn typed_paths_lead_into_the_project() {
        assert_eq!(
            file_path("/Workspace/Users/<username>/copy_incremental").as_deref(),
            Some("src/copy_incremental.py")
        );
        assert_eq!(file_path("copy").as_deref(), Some("src/copy.py"));
        assert_eq!(file_path("notebooks/copy.ipynb").as_deref(), Some("notebooks/copy.ipynb"));
        assert_eq!(file_path("../../x"), Some("src/x.py".to_owned()));
        assert_eq!(file_path(" / "), None);
        assert_eq!(new_notebook("src/a.py"), "# Databricks notebook source\n");
        assert!(is_notebook_path("A.IPYNB") && !is_notebook_path("a.sql"));
    }
}
