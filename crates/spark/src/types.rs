//! SQL type names, read the way Spark reads them.

use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, FieldRef};
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
        match lakelet_types::parse_type(&spark_name(sql_type)) {
            Ok(data_type) => Ok(data_type),
            Err(problem) => plan_err!("UNSUPPORTED_DATATYPE:{problem}"),
        }
    }
}

/// A type as Spark writes it; the parser's own way of writing maps and structs is another dialect's.
fn spark_name(sql_type: &ast::DataType) -> String {
    match sql_type {
        ast::DataType::Map(key, value) => format!("map<{},{}>", spark_name(key), spark_name(value)),
        ast::DataType::Array(
            ast::ArrayElemTypeDef::AngleBracket(item)
            | ast::ArrayElemTypeDef::SquareBracket(item, _)
            | ast::ArrayElemTypeDef::Parenthesis(item),
        ) => format!("array<{}>", spark_name(item)),
        ast::DataType::Struct(fields, _) => {
            let fields = fields.iter().map(|field| {
                let name = field.field_name.as_ref().map(|name| name.value.as_str()).unwrap_or_default();
                format!("{}:{}", lakelet_base::quote_identifier(name), spark_name(&field.field_type))
            });
            format!("struct<{}>", fields.collect::<Vec<_>>().join(","))
        }
        other => other.to_string(),
    }
}

impl TypePlanner for SparkTypes {
    fn plan_type_field(&self, sql_type: &ast::DataType) -> Result<Option<FieldRef>> {
        match lakelet_types::parse_field("", &spark_name(sql_type), true) {
            Ok(field) => Ok(Some(Arc::new(field))),
            Err(problem) => plan_err!("UNSUPPORTED_DATATYPE:{problem}"),
        }
    }
}
