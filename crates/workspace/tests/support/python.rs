//! Stands in for Python: makes the calls that the tutorials' notebooks make.

use lakelet_protocol::{PythonCall, PythonReply, WireError};
use lakelet_workspace::{CellFinished, PythonHost, RunCell, Workspace};
use serde_json::{Map, Value, json};

/// Knows the notebooks of the tutorials by the names of their cells.
#[derive(Default)]
pub struct TutorialPython {
    /// Cells in the order they were run, with their namespaces.
    pub ran: Vec<(String, u64)>,
}

/// What a call of the notebook raises: the class of the exception, and the error.
pub type Raised = Box<(String, WireError)>;

type Outcome = Result<(), Raised>;

impl PythonHost for TutorialPython {
    fn run(&mut self, workspace: &mut Workspace, cell: RunCell) -> CellFinished {
        self.ran.push((cell.filename.clone(), cell.notebook));
        let outcome = if cell.filename.starts_with("process_market,") {
            process_market(workspace)
        } else if cell.filename.starts_with("copy_incremental,") {
            copy_incremental(workspace, false)
        } else if cell.filename.starts_with("copy_incremental_merge,") {
            copy_incremental(workspace, true)
        } else {
            panic!("nobody knows {}", cell.filename);
        };
        finished(outcome)
    }
}

/// How Python ends a cell after these calls.
pub fn finished(outcome: Outcome) -> CellFinished {
    match outcome {
        Ok(()) => CellFinished::Succeeded,
        Err(raised) => {
            let (exception, error) = *raised;
            CellFinished::Failed {
                exception,
                message: format!("[{}] {} SQLSTATE: {}", error.condition, error.message, error.sqlstate),
                traceback: "Traceback (most recent call last):\n".to_owned(),
            }
        }
    }
}

pub fn call(workspace: &mut Workspace, call: PythonCall) -> Result<PythonReply, Raised> {
    match workspace.python_call(call) {
        PythonReply::Error { error, exception } => Err(Box::new((exception, error))),
        reply => Ok(reply),
    }
}

pub fn widget(workspace: &mut Workspace, method: &str, args: &[&str]) -> Result<String, Raised> {
    let args = args.iter().map(|arg| json!(arg)).collect();
    match call(workspace, PythonCall::Widget { method: method.to_owned(), args })? {
        PythonReply::Value { value } => Ok(value.as_str().unwrap_or_default().to_owned()),
        other => panic!("{other:?}"),
    }
}

pub fn print(workspace: &mut Workspace, text: String) -> Outcome {
    call(workspace, PythonCall::Print { text: text + "\n" }).map(|_| ())
}

pub fn rows(workspace: &mut Workspace, text: &str) -> Result<Vec<Vec<Value>>, Raised> {
    match call(workspace, PythonCall::Sql { text: text.to_owned(), args: Map::new(), collect: true })? {
        PythonReply::Rows { rows, .. } => Ok(rows),
        other => panic!("{other:?}"),
    }
}

fn process_market(workspace: &mut Workspace) -> Outcome {
    widget(workspace, "text", &["market", "NL", "Market"])?;
    widget(workspace, "text", &["currency", "EUR", "Currency"])?;
    let market = widget(workspace, "get", &["market"])?;
    let currency = widget(workspace, "get", &["currency"])?;
    print(workspace, format!("Processing market: {market} ({currency})"))?;
    let query =
        format!("SELECT * FROM sales.transactions WHERE (market = '{market}' AND currency_code = '{currency}')");
    // A DataFrame asks for its columns before it is shown.
    call(workspace, PythonCall::Sql { text: query.clone(), args: Map::new(), collect: false })?;
    call(workspace, PythonCall::Display { query }).map(|_| ())
}

fn copy_incremental(workspace: &mut Workspace, is_merge: bool) -> Outcome {
    widget(workspace, "text", &["source_table", "sales.raw_orders", "Source table"])?;
    widget(workspace, "text", &["target_table", "sales.orders", "Target table"])?;
    widget(workspace, "text", &["watermark_column", "updated_at", "Watermark column"])?;
    widget(workspace, "text", &["last_watermark", "1970-01-01", "Last watermark"])?;
    let source = widget(workspace, "get", &["source_table"])?;
    let target = widget(workspace, "get", &["target_table"])?;
    let column = widget(workspace, "get", &["watermark_column"])?;
    let last = widget(workspace, "get", &["last_watermark"])?;
    let new_rows = format!("SELECT * FROM {source} WHERE ({column} > '{last}')");
    let count = &rows(workspace, &format!("SELECT count(1) AS count FROM ({new_rows})"))?[0][0];
    let verb = if is_merge { "Merging" } else { "Copying" };
    print(workspace, format!("{verb} {count} new rows from {source}"))?;
    if *count == json!(0) {
        return print(workspace, format!("No new rows for {source}, watermark unchanged"));
    }
    if is_merge {
        rows(workspace, &format!("CREATE TABLE IF NOT EXISTS {target} AS SELECT * FROM {source} WHERE 1 = 0"))?;
        rows(
            workspace,
            &format!(
                "MERGE INTO {target} AS target USING ({new_rows}) AS source ON target.id = source.id
                 WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
            ),
        )?;
    } else {
        let mode = "append".to_owned();
        call(workspace, PythonCall::SaveAsTable { query: new_rows.clone(), table: target, mode })?;
    }
    let newest = &rows(workspace, &format!("SELECT max({column}) FROM ({new_rows})"))?[0][0];
    let newest = newest.as_str().unwrap().replace('T', " ").replace('Z', "");
    rows(
        workspace,
        &format!(
            "UPDATE config.watermarks SET last_watermark = CAST('{newest}' AS TIMESTAMP) WHERE source_table = '{source}'"
        ),
    )?;
    print(workspace, format!("Watermark for {source} advanced to {newest}"))
}
