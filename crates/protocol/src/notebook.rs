//! Notebooks and the Python bridge.

use serde::{Deserialize, Serialize};

use crate::{ParameterOrigin, ResultHeader, WireError};

/// Language of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CellKind {
    /// Python.
    Python,
    /// SQL (`%sql`).
    Sql,
    /// Markdown (`%md`).
    Markdown,
}

/// One piece of output, in the order it was produced.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "output", rename_all = "snake_case")]
pub enum OutputItem {
    /// What was printed.
    Text {
        /// Text.
        text: String,
    },
    /// A displayed table: a result handle where the result is still open, and its first rows.
    Table {
        /// Columns and handle.
        header: ResultHeader,
        /// First rows, at most 1,000.
        rows: Vec<Vec<Option<String>>>,
    },
}

/// What a cell produced.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
pub struct CellOutput {
    /// 0-based cell.
    pub cell: u32,
    /// In order.
    pub items: Vec<OutputItem>,
    /// Why it failed; a Python traceback is in `hint`.
    pub error: Option<WireError>,
}

/// A cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CellView {
    /// Language.
    pub kind: CellKind,
    /// Title (`DBTITLE`).
    pub title: Option<String>,
    /// Source without magic prefixes.
    pub source: String,
    /// Last output.
    pub output: Option<CellOutput>,
    /// Order number of its last execution, 1-based.
    pub executed: Option<u32>,
}

/// A widget.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WidgetView {
    /// Name.
    pub name: String,
    /// Label.
    pub label: String,
    /// `text`, `dropdown`, `combobox`, `multiselect`.
    pub widget: String,
    /// Choices.
    pub choices: Vec<String>,
    /// Value in force.
    pub value: String,
    /// Where the value came from.
    pub origin: ParameterOrigin,
}

/// A notebook.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NotebookView {
    /// Path in the project.
    pub path: String,
    /// Cells.
    pub cells: Vec<CellView>,
    /// Widgets: those that ran, or those that the source plainly declares.
    pub widgets: Vec<WidgetView>,
    /// It is running.
    pub running: bool,
    /// `job > task` that use it.
    pub used_by: Vec<String>,
}

/// What Python asks of the engine while a cell runs: always answered at once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "call", rename_all = "snake_case")]
pub enum PythonCall {
    /// Runs one statement; rows come back as typed JSON.
    Sql {
        /// Statement.
        text: String,
        /// Values of `:name` parameters.
        args: serde_json::Map<String, serde_json::Value>,
        /// Whether rows are wanted or only the schema.
        collect: bool,
    },
    /// Appends, overwrites … the rows of a query to a table, creating it if it is not there.
    SaveAsTable {
        /// Query text.
        query: String,
        /// Table name as written.
        table: String,
        /// `append`, `overwrite`, `error`, `ignore`.
        mode: String,
    },
    /// `print` and tracebacks.
    Print {
        /// Text.
        text: String,
    },
    /// `display(df)`.
    Display {
        /// Query text.
        query: String,
    },
    /// `dbutils.widgets.*`
    Widget {
        /// Method: `text`, `dropdown`, `combobox`, `multiselect`, `get`, `getAll`, `remove`, `removeAll`.
        method: String,
        /// Arguments in order; choices as a list.
        args: Vec<serde_json::Value>,
    },
    /// `dbutils.jobs.taskValues.set` and `get`
    TaskValue {
        /// `set` or `get`.
        method: String,
        /// Arguments by name.
        args: serde_json::Map<String, serde_json::Value>,
    },
    /// `dbutils.notebook.exit(text)` is about to end the notebook.
    Exit {
        /// Its value.
        value: String,
    },
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "reply", rename_all = "snake_case")]
pub enum PythonReply {
    /// Columns (name, Spark simple string) and rows of typed JSON values.
    Rows {
        /// Columns.
        columns: Vec<(String, String)>,
        /// Rows, empty unless asked for.
        rows: Vec<Vec<serde_json::Value>>,
    },
    /// A plain value (widgets, task values).
    Value {
        /// The value.
        value: serde_json::Value,
    },
    /// It failed; Python raises it.
    Error {
        /// The error.
        error: WireError,
        /// Python exception class to raise: `AnalysisException`, `InputWidgetNotDefined`, `TypeError` …
        exception: String,
    },
}
