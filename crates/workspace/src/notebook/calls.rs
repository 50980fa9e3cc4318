//! What Python asks while a cell runs.

use lakelet_base::{Diagnostic, ErrorClass, Result};
use lakelet_engine::Parameters;
use lakelet_jobs::DbutilsError;
use lakelet_protocol::{PythonCall, PythonReply};
use lakelet_syntax::statement::Statement;
use serde_json::{Map, Value, json};

use super::errors;
use super::execution::{NotebookExecution, Surroundings, WidgetLook, json_rows};
use crate::core::Core;
use crate::statements::run_one;

/// Rows that one call brings to Python; more is for SQL to work on.
const COLLECTED_ROWS_MAX: usize = 100_000;

/// Gives the value that a task left under a key.
pub(super) type StoredValue<'a> = &'a dyn Fn(&str, &str) -> Option<Value>;

impl NotebookExecution {
    /// Answers at once.
    pub fn answer(&mut self, call: PythonCall, around: &mut Surroundings<'_>, stored: StoredValue<'_>) -> PythonReply {
        match call {
            PythonCall::Sql { text, args, collect } => {
                let answer = self.sql(&text, &args, collect, around);
                self.reply(answer, &text)
            }
            PythonCall::SaveAsTable { query, table, mode } => {
                let answer = self.save_as_table(&query, &table, &mode, around);
                self.reply(answer, &query)
            }
            PythonCall::Display { query } => {
                let answer = self.display(&query, around);
                self.reply(answer, &query)
            }
            PythonCall::Print { text } => {
                self.print(&text);
                nothing()
            }
            PythonCall::Exit { value } => {
                self.exit_value = Some(value);
                nothing()
            }
            PythonCall::Widget { method, args } => {
                let answer = self.widget(&method, &args);
                self.dbutils_reply(answer)
            }
            PythonCall::TaskValue { method, args } => {
                let answer = self.task_value(&method, &args, stored);
                self.dbutils_reply(answer)
            }
        }
    }

    fn reply(&mut self, answer: Result<PythonReply>, text: &str) -> PythonReply {
        answer.unwrap_or_else(|diagnostic| {
            let error = errors::of_diagnostic(&diagnostic, text);
            self.last_error = Some(error.clone());
            errors::reply(error)
        })
    }

    fn dbutils_reply(&mut self, answer: Result<Value, DbutilsError>) -> PythonReply {
        match answer {
            Ok(value) => PythonReply::Value { value },
            Err(error) => {
                let (error, exception) = errors::dbutils_reply(&error);
                PythonReply::Error { error, exception }
            }
        }
    }

    fn sql(
        &mut self,
        text: &str,
        args: &Map<String, Value>,
        collect: bool,
        around: &mut Surroundings<'_>,
    ) -> Result<PythonReply> {
        if !collect && let Some(columns) = self.columns_of_query(text, args, around.core)? {
            return Ok(PythonReply::Rows { columns, rows: Vec::new() });
        }
        let ended = run_one(around.core, text, args, &mut self.session, &self.guard)?;
        if let Some(error) = self.note(&ended, around.outbox) {
            return Ok(errors::reply(error));
        }
        let Some(rows) = ended.rows else { return Ok(PythonReply::Rows { columns: Vec::new(), rows: Vec::new() }) };
        let n_rows: usize = rows.batches.iter().map(arrow::array::RecordBatch::num_rows).sum();
        if collect && n_rows > COLLECTED_ROWS_MAX {
            let message =
                format!("{n_rows} rows are more than the {COLLECTED_ROWS_MAX} that Python can have at a time.");
            let error = Diagnostic::new(ErrorClass::LIMIT_EXCEEDED, message);
            return Err(Box::new(error.hint("Filter or aggregate first, or take the first rows with limit(n).")));
        }
        let columns = rows.schema.fields().iter();
        let columns = columns.map(|field| (field.name().clone(), lakelet_types::field_simple_string(field))).collect();
        Ok(PythonReply::Rows { columns, rows: if collect { json_rows(&rows) } else { Vec::new() } })
    }

    /// The columns that a query would have; `None` for what is no query and has to run to be known.
    fn columns_of_query(
        &self,
        text: &str,
        args: &Map<String, Value>,
        core: &mut Core,
    ) -> Result<Option<Vec<(String, String)>>> {
        let script = crate::script::parse(text, args, &core.limits);
        let [statement] = script.statements.as_slice() else { return Ok(None) };
        let Ok(Statement::Query(query)) = &statement.statement else { return Ok(None) };
        let parameters: Parameters = lakelet_engine::parameters_from_json(args)?;
        let planned = core.scoped(&self.session, statement.text(), &parameters, |_, engine, scope| {
            engine.plan_query(&query.query, scope)
        });
        let planned = planned.map_err(|diagnostic| Box::new(diagnostic.shifted(statement.offset())))?;
        let column = |column: &lakelet_engine::ResultColumn| {
            (column.name.clone(), lakelet_types::field_simple_string(&column.field))
        };
        Ok(Some(planned.columns.iter().map(column).collect()))
    }

    fn save_as_table(
        &mut self,
        query: &str,
        table: &str,
        mode: &str,
        around: &mut Surroundings<'_>,
    ) -> Result<PythonReply> {
        let parts = lakelet_syntax::split_name(table).ok_or_else(|| {
            let class = ErrorClass::new("INVALID_IDENTIFIER", "42602");
            Box::new(Diagnostic::new(class, format!("'{table}' is not the name of a table.")))
        })?;
        let is_there = around.core.store.table(&self.session.qualify(&parts)).is_some();
        let statement = match (mode, is_there) {
            ("append", true) => format!("INSERT INTO {table} BY NAME {query}"),
            ("overwrite", true) => format!("INSERT OVERWRITE {table} BY NAME {query}"),
            ("ignore", true) => return Ok(nothing()),
            ("append" | "overwrite" | "ignore", false) | ("error", _) => format!("CREATE TABLE {table} AS {query}"),
            _ => {
                let class = ErrorClass::new("INVALID_SAVE_MODE", "42000");
                let message = format!("'{mode}' is no mode: append, overwrite, error, ignore.");
                return Err(Box::new(Diagnostic::new(class, message)));
            }
        };
        // The text was made here, so a place in it would lead astray.
        let mut ended = run_one(around.core, &statement, &Map::new(), &mut self.session, &self.guard)
            .map_err(|diagnostic| Box::new(Diagnostic { span: None, ..*diagnostic }))?;
        ended.is_append |= mode == "append";
        Ok(self.note(&ended, around.outbox).map_or_else(nothing, errors::reply))
    }

    fn display(&mut self, query: &str, around: &mut Surroundings<'_>) -> Result<PythonReply> {
        let ended = run_one(around.core, query, &Map::new(), &mut self.session, &self.guard)?;
        if let Some(error) = self.note(&ended, around.outbox) {
            return Ok(errors::reply(error));
        }
        if let Some(rows) = ended.rows {
            self.show(rows, around.results);
        }
        Ok(nothing())
    }

    fn widget(&mut self, method: &str, args: &[Value]) -> Result<Value, DbutilsError> {
        let text = |index: usize| args.get(index).and_then(Value::as_str).unwrap_or_default();
        let texts = |index: usize| -> Vec<String> {
            let items = args.get(index).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
            items.iter().filter_map(Value::as_str).map(str::to_owned).collect()
        };
        let name = text(0);
        match method {
            "get" => return self.widgets.get(name).map(Value::String),
            "getAll" => {
                let all = self.widgets.get_all();
                return Ok(Value::Object(all.into_iter().map(|(name, value)| (name, Value::String(value))).collect()));
            }
            "remove" => {
                self.widgets.remove(name)?;
                self.looks.shift_remove(name);
                return Ok(Value::Null);
            }
            "removeAll" => {
                self.widgets.remove_all();
                self.looks.clear();
                return Ok(Value::Null);
            }
            "text" => self.widgets.text(name, text(1)),
            "combobox" => self.widgets.combobox(name, text(1)),
            "dropdown" => self.widgets.dropdown(name, text(1), &texts(2))?,
            "multiselect" => self.widgets.multiselect(name, text(1), &texts(2))?,
            other => {
                let message = format!("dbutils.widgets has no method {other}.");
                return Err(DbutilsError { kind: lakelet_jobs::DbutilsErrorKind::TypeError, message });
            }
        }
        let (choices, label) = if method == "text" { (Vec::new(), text(2)) } else { (texts(2), text(3)) };
        let label = if label.is_empty() { name } else { label };
        self.looks.insert(name.to_owned(), WidgetLook { label: label.to_owned(), choices });
        if let Some(value) = self.selected.get(name) {
            self.widgets.select(name, std::slice::from_ref(value))?;
        }
        Ok(Value::Null)
    }

    fn task_value(
        &mut self,
        method: &str,
        args: &Map<String, Value>,
        stored: StoredValue<'_>,
    ) -> Result<Value, DbutilsError> {
        let text = |name: &str| args.get(name).and_then(Value::as_str).unwrap_or_default();
        let key = text("key");
        if method == "set" {
            self.task_values.set(key, args.get("value").cloned().unwrap_or_default())?;
            return Ok(Value::Null);
        }
        let task = text("taskKey");
        let found = stored(task, key);
        self.task_values.get(task, key, args.get("default"), args.get("debugValue"), found.as_ref())
    }
}

fn nothing() -> PythonReply {
    PythonReply::Value { value: json!(null) }
}
