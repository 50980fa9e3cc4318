//! SQL type names, read the way Spark reads them.

use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::{Result, plan_err};
use datafusion::logical_expr::planner::TypePlanner;
use datafusion::sql::sqlparser::ast;

/// Plans type names as Spark types: TIMESTAMP is microseconds in UTC, STRING is UTF-8 text, FLOAT is 32 bits.
#[derive(Debug)]
pub struct SparkTypes;

impl SparkTypes {
    /// The Arrow type of a type name.
    ///
    /// # Errors
    /// When Spark has no such type.
    pub fn arrow_type(sql_type: &ast::DataType) -> Result<DataType> {
        match lakelet_types::parse_type(&sql_type.to_string()) {
            Ok(data_type) => Ok(data_type),
            Err(problem) => plan_err!("UNSUPPORTED_DATATYPE:{problem}"),
        }
    }
}

impl TypePlanner for SparkTypes {
    fn plan_type_field(&self, sql_type: &ast::DataType) -> Result<Option<FieldRef>> {
        Self::arrow_type(sql_type).map(|data_type| Some(Arc::new(Field::new("", data_type, true))))
    }
}
