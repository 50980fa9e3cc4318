//! What a reader's tab remembers between statements, and what one statement may see.

use std::collections::{BTreeMap, HashMap};

use lakelet_base::{Diagnostic, Limits, Result, TableName, Timestamp};
use lakelet_store::Store;
use sqlparser::ast::Expr;

use crate::table::RowsTable;

/// Where a stored view keeps the catalog that was current when it was made; Spark's own key.
pub(crate) const VIEW_CATALOG_PROPERTY: &str = "view.catalogAndNamespace.part.0";
/// The same for the schema.
pub(crate) const VIEW_SCHEMA_PROPERTY: &str = "view.catalogAndNamespace.part.1";

/// A query kept by name: a view, stored or temporary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredQuery {
    /// Query text.
    pub text: String,
    /// Column names, if the view lists them.
    pub columns: Vec<String>,
    /// Catalog that was current when it was made.
    pub catalog: String,
    /// Schema that was current when it was made.
    pub schema: String,
}

/// The state of one tab, job task or notebook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// USE CATALOG
    pub catalog: String,
    /// USE SCHEMA
    pub schema: String,
    /// Temporary views by lower-case name.
    pub temporary_views: BTreeMap<String, StoredQuery>,
}

impl Default for Session {
    fn default() -> Self {
        Self { catalog: "playground".to_owned(), schema: "default".to_owned(), temporary_views: BTreeMap::new() }
    }
}

impl Session {
    /// The full name of a table written with one to three parts.
    pub fn qualify(&self, parts: &[String]) -> TableName {
        match parts {
            [name] => TableName::new(&self.catalog, &self.schema, name),
            [schema, name] => TableName::new(&self.catalog, schema, name),
            [catalog, schema, name, ..] => TableName::new(catalog, schema, name),
            [] => TableName::new(&self.catalog, &self.schema, ""),
        }
    }
}

/// Values of `:name` parameters by lower-case name, as literals.
pub type Parameters = HashMap<String, Expr>;

/// Parameters given as JSON, as literals of Spark's types: whole numbers INT (BIGINT beyond 32 bits), other numbers
/// DOUBLE, true and false BOOLEAN, text STRING, null untyped.
///
/// # Errors
/// A value that is a list or an object.
pub fn parameters_from_json(values: &serde_json::Map<String, serde_json::Value>) -> Result<Parameters> {
    use serde_json::Value;
    use sqlparser::ast::{CastKind, DataType, ExactNumberInfo, Value as Literal};
    let literal = |value: Literal| Expr::Value(value.into());
    values
        .iter()
        .map(|(name, value)| {
            let expr = match value {
                Value::Null => literal(Literal::Null),
                Value::Bool(value) => literal(Literal::Boolean(*value)),
                Value::String(text) => literal(Literal::SingleQuotedString(text.clone())),
                Value::Number(number) => {
                    let text = number.to_string();
                    if text.contains(['.', 'e', 'E']) {
                        Expr::Cast {
                            kind: CastKind::Cast,
                            expr: Box::new(literal(Literal::SingleQuotedString(text))),
                            data_type: DataType::Double(ExactNumberInfo::None),
                            array: false,
                            format: None,
                        }
                    } else {
                        literal(Literal::Number(text, false))
                    }
                }
                Value::Array(_) | Value::Object(_) => {
                    return Err(Box::new(
                        Diagnostic::unsupported(format_args!("a list or object as the parameter :{name}"))
                            .hint("Parameters are text, numbers, true, false or null."),
                    ));
                }
            };
            Ok((name.to_lowercase(), expr))
        })
        .collect()
}

/// Everything one statement sees: the tables of one moment, the tab's state, one instant.
pub struct Scope<'a> {
    /// Tables.
    pub store: &'a Store,
    /// The tab's state.
    pub session: &'a Session,
    /// The workspace clock when the statement began.
    pub now: Timestamp,
    /// Parameters.
    pub parameters: &'a Parameters,
    /// Bounds.
    pub limits: &'a Limits,
    /// The statement's text, which places count in.
    pub text: &'a str,
    /// Rows that stand in for a table (a stream's new rows), by case-folded name.
    pub stand_ins: &'a HashMap<(String, String, String), std::sync::Arc<RowsTable>>,
    /// How many views this one is inside of; 0 for a statement.
    pub view_depth: usize,
}
