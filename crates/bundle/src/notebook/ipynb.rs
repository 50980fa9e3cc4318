//! Jupyter's format.

use serde_json::{Map, Value, json};

use super::{CellKind, Notebook, NotebookCell, NotebookError, classify, with_magic};

const NOTEBOOK_METADATA: &str = "application/vnd.databricks.v1+notebook";
const CELL_METADATA: &str = "application/vnd.databricks.v1+cell";

pub(super) fn parse(text: &str, path: &str) -> Result<Notebook, NotebookError> {
    let document: Value = serde_json::from_str(text).map_err(|error| {
        let line = u32::try_from(error.line()).unwrap_or(u32::MAX).max(1);
        NotebookError::new(line, format!("{path} is not a notebook: {error}."))
    })?;
    let Some(list) = document.get("cells").and_then(Value::as_array) else {
        return Err(NotebookError::new(1, format!("{path} is not a notebook: it has no list of cells.")));
    };
    let metadata = document.get("metadata");
    let databricks = metadata.and_then(|metadata| metadata.get(NOTEBOOK_METADATA));
    let kernel = metadata.and_then(|metadata| metadata.get("language_info"));
    let name =
        databricks.and_then(|value| value.get("language")).or_else(|| kernel.and_then(|value| value.get("name")));
    let language = match name.and_then(Value::as_str) {
        Some("sql") => CellKind::Sql,
        _ => CellKind::Python,
    };
    let cells = list
        .iter()
        .enumerate()
        .map(|(index, cell)| {
            let source = source_text(cell.get("source"));
            let (kind, source) = match cell.get("cell_type").and_then(Value::as_str) {
                Some("markdown" | "raw") => (CellKind::Markdown, source),
                _ => classify(&source, &language),
            };
            NotebookCell { kind, title: title(cell), source, line: u32::try_from(index + 1).unwrap_or(u32::MAX) }
        })
        .collect();
    Ok(Notebook { path: path.to_owned(), language, cells, document: Some(document) })
}

pub(super) fn write(notebook: &Notebook) -> String {
    let mut document = match &notebook.document {
        Some(Value::Object(document)) => document.clone(),
        _ => Map::new(),
    };
    let old: Vec<Value> = document.get("cells").and_then(Value::as_array).cloned().unwrap_or_default();
    let cells = notebook.cells.iter().enumerate().map(|(index, cell)| {
        let source = with_magic(cell, &notebook.language);
        let is_markdown = cell.kind == CellKind::Markdown;
        let source = if is_markdown { cell.source.clone() } else { source };
        let cell_type = if is_markdown { "markdown" } else { "code" };
        // A cell keeps what we do not understand as long as its text stays.
        let kept = old.get(index).filter(|old| source_text(old.get("source")) == source && title(old) == cell.title);
        kept.cloned().unwrap_or_else(|| new_cell(cell_type, &source, cell.title.as_deref()))
    });
    let cells = cells.collect();
    document.insert("cells".to_owned(), Value::Array(cells));
    if !document.contains_key("metadata") {
        let language = if notebook.language == CellKind::Sql { "sql" } else { "python" };
        document.insert("metadata".to_owned(), json!({ NOTEBOOK_METADATA: {"language": language} }));
    }
    document.entry("nbformat").or_insert_with(|| json!(4));
    document.entry("nbformat_minor").or_insert_with(|| json!(0));
    format!("{:#}\n", Value::Object(document))
}

fn new_cell(cell_type: &str, source: &str, title: Option<&str>) -> Value {
    let metadata = match title {
        Some(title) => json!({ CELL_METADATA: {"showTitle": true, "title": title} }),
        None => json!({}),
    };
    let source: Vec<&str> = source.split_inclusive('\n').collect();
    if cell_type == "markdown" {
        json!({"cell_type": cell_type, "metadata": metadata, "source": source})
    } else {
        json!({"cell_type": cell_type, "execution_count": null, "metadata": metadata, "outputs": [], "source": source})
    }
}

/// Text, or a list of lines.
fn source_text(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(lines)) => lines.iter().filter_map(Value::as_str).collect(),
        _ => String::new(),
    }
}

fn title(cell: &Value) -> Option<String> {
    let title = cell.get("metadata")?.get(CELL_METADATA)?.get("title")?.as_str()?;
    Some(title.to_owned()).filter(|title| !title.is_empty())
}
