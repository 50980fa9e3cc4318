//! SQL tasks: a file or saved query, run statement by statement.

use indexmap::IndexMap;

use crate::problem::ProblemKind;
use crate::read::{Fields, Reader, SOURCES, Source, check_path};

/// What a SQL task runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SqlBody {
    /// A file of statements, by path.
    File {
        /// Where the file is.
        path: String,
        /// Where the path leads; as the job says when absent.
        source: Option<Source>,
    },
    /// A saved query, by id.
    Query(String),
    /// An alert, by id.
    Alert(String),
    /// A dashboard, by id.
    Dashboard(String),
}

/// Settings under `sql_task`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SqlTask {
    /// The warehouse it would run on.
    pub warehouse_id: String,
    /// What it runs; `None` only where validation found an error.
    pub body: Option<SqlBody>,
    /// Values for `:name` markers.
    pub parameters: IndexMap<String, String>,
}

impl SqlTask {
    /// Whether the task has rows that `output` references can read.
    pub fn has_rows(&self) -> bool {
        matches!(self.body, Some(SqlBody::File { .. } | SqlBody::Query(_)))
    }

    pub(super) fn read(fields: &Fields<'_>, reader: &mut Reader<'_>) -> Self {
        let warehouse_id = fields.required_text("warehouse_id", reader);
        let bodies: Vec<&str> = ["file", "query", "alert", "dashboard"].into_iter().filter(|b| fields.has(b)).collect();
        if bodies.is_empty() {
            let message = "This SQL task has nothing to run: it needs a file or a query.";
            reader.error(ProblemKind::SqlTaskBodyMissing, fields.path(), message);
        } else if bodies.len() > 1 {
            let message = format!("This SQL task has {}: keep one of them.", bodies.join(" and "));
            reader.error(ProblemKind::SqlTaskBodyCount, fields.path(), message);
        }
        let body = bodies.first().and_then(|name| read_body(name, fields, reader));
        let parameters = fields.text_map("parameters", reader);
        if matches!(body, Some(SqlBody::Alert(_))) && !parameters.is_empty() {
            reader.error(ProblemKind::AlertParameters, fields.at("parameters"), "An alert takes no parameters.");
        }
        Self { warehouse_id, body, parameters }
    }

    pub(super) fn templates<'a>(&'a self, add: &mut dyn FnMut(&str, &'a str)) {
        if let Some(SqlBody::File { path, .. }) = &self.body {
            add("file.path", path);
        }
        for (name, text) in &self.parameters {
            add(&format!("parameters.{name}"), text);
        }
    }
}

fn read_body(name: &str, fields: &Fields<'_>, reader: &mut Reader<'_>) -> Option<SqlBody> {
    let body = fields.object(name, reader)?;
    Some(match name {
        "file" => {
            let path = body.required_text("path", reader);
            let source = body.choice("source", SOURCES, reader);
            check_path(&path, source, body.at("path"), reader);
            SqlBody::File { path, source }
        }
        "query" => SqlBody::Query(body.required_text("query_id", reader)),
        "alert" => SqlBody::Alert(body.required_text("alert_id", reader)),
        _ => SqlBody::Dashboard(body.required_text("dashboard_id", reader)),
    })
}
