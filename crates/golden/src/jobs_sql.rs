//! Job cases, with SQL texts run by the engine.

use indexmap::IndexMap;
use serde_json::{Map, Value};

use crate::Outcome;
use crate::jobs::{SqlRunner, run_case as run_job_case};
use crate::session::Session;

struct Engine;

impl SqlRunner for Engine {
    fn run(
        &mut self,
        sql: &str,
        parameters: &IndexMap<String, String>,
        tables: &IndexMap<String, usize>,
    ) -> Result<Vec<Vec<Value>>, String> {
        let mut session = Session::new().map_err(|error| error.class.condition.to_owned())?;
        for (table, n_rows) in tables {
            let schema = table.rsplit_once('.').map(|(schema, _)| format!("CREATE SCHEMA IF NOT EXISTS {schema};"));
            let script =
                format!("{} CREATE TABLE {table} AS SELECT id FROM range({n_rows})", schema.unwrap_or_default());
            session.sql(&script).map_err(|error| error.diagnostic.class.condition.to_owned())?;
        }
        let args: Map<String, Value> =
            parameters.iter().map(|(name, value)| (name.clone(), Value::String(value.clone()))).collect();
        let rows = session.run(sql, &args).map_err(|error| error.diagnostic.class.condition.to_owned())?;
        Ok(rows.map(|rows| rows.rows).unwrap_or_default())
    }
}

/// Runs one case.
pub fn run_case(case: &Value) -> Outcome {
    let outcome = run_job_case(case, &mut Engine);
    Outcome { pass: outcome.pass, got: outcome.got }
}
