//! Python cells as JavaScript sees them.

use lakelet_workspace::{CellFinished, RunCell};
use serde::Deserialize;

/// How a cell ended, as `static/js/python-host.mjs` tells it.
#[derive(Debug, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Outcome {
    /// It ran to its end.
    Succeeded,
    /// It raised something.
    Failed {
        /// Name of the exception's class.
        exception: String,
        /// Its text.
        message: String,
        /// Where it came from.
        traceback: String,
    },
    /// It called `dbutils.notebook.exit`.
    Exited {
        /// With this value.
        value: String,
    },
    /// There is no Python.
    Unavailable {
        /// Why.
        message: String,
    },
}

/// The cell that JavaScript is to run.
pub fn to_json(cell: &RunCell) -> String {
    serde_json::json!({
        "execution": cell.execution,
        "notebook": cell.notebook,
        "source": cell.source,
        "fresh": cell.fresh,
        "filename": cell.filename,
        "arguments": cell.arguments,
    })
    .to_string()
}

/// How the cell ended; what cannot be read counts as Python not being there.
pub fn outcome_from_json(json: &str) -> CellFinished {
    match serde_json::from_str(json) {
        Ok(Outcome::Succeeded) => CellFinished::Succeeded,
        Ok(Outcome::Failed { exception, message, traceback }) => CellFinished::Failed { exception, message, traceback },
        Ok(Outcome::Exited { value }) => CellFinished::Exited { value },
        Ok(Outcome::Unavailable { message }) => CellFinished::Unavailable { message },
        Err(error) => CellFinished::Unavailable { message: format!("Python ended in an unknown way: {error}") },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_of_the_python_host_are_read() {
        let failed = r#"{"outcome":"failed","exception":"NameError","message":"x","traceback":"t"}"#;
        assert!(
            matches!(outcome_from_json(failed), CellFinished::Failed { exception, .. } if exception == "NameError")
        );
        assert!(matches!(outcome_from_json(r#"{"outcome":"succeeded"}"#), CellFinished::Succeeded));
        assert!(matches!(
            outcome_from_json(r#"{"outcome":"exited","value":"7"}"#),
            CellFinished::Exited { value } if value == "7"
        ));
        assert!(matches!(outcome_from_json("{}"), CellFinished::Unavailable { .. }));
    }
}
