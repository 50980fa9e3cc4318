//! Printing results and errors.

use std::io::Write;

use lakelet_base::{Diagnostic, LineIndex};
use lakelet_workspace::{StatementDone, types};
use serde_json::{Map, Value, json};

use crate::Format;

/// Rows that a table for people shows.
const TABLE_ROWS_MAX: usize = 1_000;

/// Writes a line to standard output. Where nobody reads any more, as behind `| head`, the process ends: what it has
/// committed is safe, and nobody waits for the rest.
pub(crate) fn line(text: &str) {
    if writeln!(std::io::stdout(), "{text}").is_err() {
        std::process::exit(1);
    }
}

/// Writes a line to standard error. One that cannot be written is not worth another error.
pub(crate) fn note(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// One line for a statement.
pub(crate) fn print_json(index: usize, done: &StatementDone, text: &str) {
    let (mut columns, mut rows) = (Vec::new(), Vec::new());
    if let Some(result) = &done.rows {
        columns = result
            .schema
            .fields()
            .iter()
            .map(|field| json!({ "name": field.name(), "type": types::field_simple_string(field) }))
            .collect();
        for batch in &result.batches {
            for row in 0..batch.num_rows() {
                let cells = batch.columns().iter().zip(result.schema.fields());
                rows.push(Value::Array(
                    cells.map(|(column, field)| types::field_cell_json(field, column.as_ref(), row)).collect(),
                ));
            }
        }
    }
    let metrics: Map<String, Value> = done.metrics.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
    let warnings: Vec<Value> = done.warnings.iter().map(|warning| error_json(warning, text)).collect();
    let result = json!({
        "statement": index,
        "columns": columns,
        "rows": rows,
        "rows_affected": done.rows_affected,
        "metrics": metrics,
        "warnings": warnings,
    });
    line(&result.to_string());
}

fn error_json(diagnostic: &Diagnostic, text: &str) -> Value {
    let place = diagnostic.span.map(|span| LineIndex::new(text).line_column(span.start));
    json!({
        "condition": diagnostic.class.condition,
        "sqlstate": diagnostic.class.sqlstate,
        "message": diagnostic.message,
        "line": place.map(|place| place.line),
        "column": place.map(|place| place.column),
    })
}

/// An error: on standard output as JSON, else on standard error with its place.
pub(crate) fn print_error(format: Format, statement: usize, diagnostic: &Diagnostic, text: &str) {
    if format == Format::Json {
        line(&json!({ "statement": statement, "error": error_json(diagnostic, text) }).to_string());
        return;
    }
    note(&diagnostic.to_string());
    if let Some(span) = diagnostic.span {
        let place = LineIndex::new(text).line_column(span.start);
        let shown = text.lines().nth(place.line.saturating_sub(1) as usize).unwrap_or_default();
        note(&format!("  line {}, column {}\n  {shown}", place.line, place.column));
        note(&format!("  {}^", " ".repeat(place.column.saturating_sub(1) as usize)));
    }
    for suggestion in &diagnostic.suggestions {
        note(&format!("  {}", suggestion.label));
    }
}

/// Rows as comma-separated values, with a header.
pub(crate) fn print_csv(done: &StatementDone) {
    let Some((header, rows)) = text_rows(done, usize::MAX) else { return };
    let quote = |cell: &str| {
        if cell.contains([',', '"', '\n', '\r']) {
            format!("\"{}\"", cell.replace('"', "\"\""))
        } else {
            cell.to_owned()
        }
    };
    line(&header.iter().map(|name| quote(name)).collect::<Vec<_>>().join(","));
    for row in rows {
        line(&row.iter().map(|cell| quote(cell.as_deref().unwrap_or_default())).collect::<Vec<_>>().join(","));
    }
}

/// Rows in columns, or what the statement did.
pub(crate) fn print_table(done: &StatementDone) {
    for warning in &done.warnings {
        note(&format!("warning: {warning}"));
    }
    let Some((header, rows)) = text_rows(done, TABLE_ROWS_MAX) else {
        match done.rows_affected {
            Some(1) => line("1 row affected"),
            Some(n_rows) => line(&format!("{n_rows} rows affected")),
            None => line("ok"),
        }
        return;
    };
    let mut widths: Vec<usize> = header.iter().map(|name| name.chars().count()).collect();
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.as_deref().unwrap_or("NULL").chars().count());
        }
    }
    let print = |cells: Vec<&str>| {
        let padded = cells.iter().zip(&widths).map(|(cell, width)| {
            let n_blanks = width - cell.chars().count();
            format!("{cell}{}", " ".repeat(n_blanks))
        });
        line(&format!("| {} |", padded.collect::<Vec<_>>().join(" | ")));
    };
    print(header.iter().map(String::as_str).collect());
    line(&format!("|{}|", widths.iter().map(|width| "-".repeat(width + 2)).collect::<Vec<_>>().join("|")));
    let n_shown = rows.len();
    for row in &rows {
        print(row.iter().map(|cell| cell.as_deref().unwrap_or("NULL")).collect());
    }
    let n_rows: usize = done.rows.iter().flat_map(|rows| &rows.batches).map(|batch| batch.num_rows()).sum();
    match n_rows {
        1 => line("1 row"),
        _ if n_rows > n_shown => line(&format!("{n_rows} rows, the first {n_shown} shown")),
        _ => line(&format!("{n_rows} rows")),
    }
}

/// Column names and rows of cells.
type TextRows = (Vec<String>, Vec<Vec<Option<String>>>);

fn text_rows(done: &StatementDone, n_rows_max: usize) -> Option<TextRows> {
    let result = done.rows.as_ref()?;
    let header = result.schema.fields().iter().map(|field| field.name().clone()).collect();
    let mut rows = Vec::new();
    for batch in &result.batches {
        for row in 0..batch.num_rows() {
            if rows.len() == n_rows_max {
                return Some((header, rows));
            }
            let cells = batch.columns().iter().zip(result.schema.fields());
            rows.push(cells.map(|(column, field)| types::field_cell_text(field, column.as_ref(), row)).collect());
        }
    }
    Some((header, rows))
}
