//! A fresh workspace for one case, through the door that users take.

use lakelet_base::{Diagnostic, Limits, Seed, Timestamp};
use lakelet_store::MemoryStorage;
use lakelet_workspace::{ClockMode, ScriptError, StatementDone, Workspace, WorkspaceOptions};
use serde_json::{Map, Value};

/// A workspace with one tab.
pub struct Session {
    workspace: Workspace,
}

/// Rows of a statement: columns as (name, type) and rows of JSON values.
pub struct Rows {
    /// Name and simple type of each column.
    pub columns: Vec<(String, String)>,
    /// Values as the cases write them.
    pub rows: Vec<Vec<Value>>,
}

impl Session {
    /// An empty workspace on a simulated clock.
    ///
    /// # Errors
    /// When the host gives no runtime.
    pub fn new() -> Result<Self, Box<Diagnostic>> {
        let options = WorkspaceOptions {
            clock: ClockMode::Simulated { start: Timestamp::LESSON_START },
            limits: Limits::default(),
            seed: Seed::default(),
            measured_ms: Box::new(|| 0.0),
        };
        Workspace::open(Box::new(MemoryStorage::default()), options).map(|(workspace, _)| Self { workspace })
    }

    /// Runs a script; the rows of its last statement that gives any.
    ///
    /// # Errors
    /// The first statement that fails.
    pub fn run(&mut self, script: &str, args: &Map<String, Value>) -> Result<Option<Rows>, ScriptError> {
        let mut rows = None;
        self.workspace.execute_script("case", script, args, |_, done| {
            if let Some(shown) = shown(&done) {
                rows = Some(shown);
            }
        })?;
        Ok(rows)
    }

    /// The same without parameters.
    ///
    /// # Errors
    /// As [`Session::run`].
    pub fn sql(&mut self, script: &str) -> Result<Option<Rows>, ScriptError> {
        self.run(script, &Map::new())
    }
}

fn shown(done: &StatementDone) -> Option<Rows> {
    let result = done.rows.as_ref()?;
    let columns = result
        .schema
        .fields()
        .iter()
        .map(|field| (field.name().clone(), lakelet_types::field_simple_string(field)))
        .collect();
    let mut rows = Vec::new();
    for batch in &result.batches {
        for row in 0..batch.num_rows() {
            let values = batch.columns().iter().zip(result.schema.fields());
            rows.push(
                values.map(|(column, field)| lakelet_types::field_cell_json(field, column.as_ref(), row)).collect(),
            );
        }
    }
    Some(Rows { columns, rows })
}
