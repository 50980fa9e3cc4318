//! Databricks' source format: one text file, cells separated by a comment line.

use super::{CellKind, Notebook, NotebookCell, NotebookError, classify, with_magic};

/// The comment sign of a language.
fn comment(language: &CellKind) -> &'static str {
    match language {
        CellKind::Sql => "--",
        CellKind::Python | CellKind::Markdown | CellKind::Magic(_) => "#",
    }
}

fn language(path: &str) -> CellKind {
    if path.to_lowercase().ends_with(".sql") { CellKind::Sql } else { CellKind::Python }
}

fn header(language: &CellKind) -> String {
    format!("{} Databricks notebook source", comment(language))
}

pub(super) fn is_source(text: &str, path: &str) -> bool {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    text.lines().next().is_some_and(|line| line.trim_end() == header(&language(path)))
}

pub(super) fn parse(text: &str, path: &str) -> Result<Notebook, NotebookError> {
    let language = language(path);
    if !is_source(text, path) {
        let header = header(&language);
        return Err(NotebookError::new(1, format!("{path} is not a notebook: its first line must be `{header}`.")));
    }
    let comment = comment(&language);
    let separator = format!("{comment} COMMAND ----------");
    let mut cells = Vec::new();
    let mut lines: Vec<(u32, &str)> = Vec::new();
    for (index, line) in text.lines().enumerate().skip(1) {
        if line.trim_end() == separator {
            cells.push(cell(&std::mem::take(&mut lines), comment, &language));
        } else {
            lines.push((u32::try_from(index).unwrap_or(u32::MAX).saturating_add(1), line));
        }
    }
    cells.push(cell(&lines, comment, &language));
    Ok(Notebook { path: path.to_owned(), language, cells, document: None })
}

fn cell(lines: &[(u32, &str)], comment: &str, language: &CellKind) -> NotebookCell {
    let is_blank = |(_, line): &(u32, &str)| line.trim().is_empty();
    let begin = lines.iter().position(|line| !is_blank(line)).unwrap_or(lines.len());
    let end = lines.iter().rposition(|line| !is_blank(line)).map_or(begin, |last| last + 1);
    let mut lines = lines.get(begin..end).unwrap_or_default();
    let mut title = None;
    if let [(_, first), rest @ ..] = lines
        && let Some(text) = first.strip_prefix(comment).and_then(|rest| rest.trim_start().strip_prefix("DBTITLE "))
    {
        // `DBTITLE 1,Title`: the number says whether the title is shown.
        title = Some(text.split_once(',').map_or(text, |(_, title)| title).trim().to_owned());
        lines = rest;
    }
    let line = lines.first().map_or(0, |(line, _)| *line);
    let magic = format!("{comment} MAGIC");
    let is_magic = !lines.is_empty() && lines.iter().all(|line| line.1.starts_with(&magic) || is_blank(line));
    let text: Vec<&str> = lines
        .iter()
        .map(|(_, line)| match line.strip_prefix(&magic) {
            Some(rest) if is_magic => rest.strip_prefix(' ').unwrap_or(rest),
            _ => line,
        })
        .collect();
    let text = text.join("\n");
    let (kind, source) = if is_magic { classify(&text, language) } else { (language.clone(), text) };
    // The magic word may have a line of its own.
    let line = if is_magic && !matches!(kind, CellKind::Magic(_)) && lines.len() > source.lines().count() {
        line.saturating_add(1)
    } else {
        line
    };
    NotebookCell { kind, title, source, line }
}

pub(super) fn write(notebook: &Notebook) -> String {
    let language = language(&notebook.path);
    let comment = comment(&language);
    let mut out = header(&language);
    out.push('\n');
    for (index, cell) in notebook.cells.iter().enumerate() {
        if index > 0 {
            out.push_str(&format!("\n{comment} COMMAND ----------\n\n"));
        }
        if let Some(title) = &cell.title {
            out.push_str(&format!("{comment} DBTITLE 1,{}\n", title.replace('\n', " ")));
        }
        let is_plain = cell.kind == language;
        for line in with_magic(cell, &language).lines() {
            if !is_plain {
                out.push_str(comment);
                out.push_str(if line.is_empty() { " MAGIC" } else { " MAGIC " });
            }
            out.push_str(line);
            out.push('\n');
        }
    }
    out
}
