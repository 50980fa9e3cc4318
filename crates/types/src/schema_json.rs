//! Types as Spark's schema JSON, the form of Delta's `schemaString`. Unlike a simple string it is lossless.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_schema::{DataType, Field, FieldRef};
use lakelet_base::{Diagnostic, Result};
use serde_json::{Map, Value, json};

use crate::canonical::map_of;
use crate::{parse_type, simple_string};

/// `"integer"`, `{"type":"array","elementType":"string","containsNull":true}`, … of a canonical type.
pub fn type_to_json(data_type: &DataType) -> Value {
    match data_type {
        DataType::Int8 => json!("byte"),
        DataType::Int16 => json!("short"),
        DataType::Int32 => json!("integer"),
        DataType::Int64 => json!("long"),
        DataType::List(item) => {
            let mut object = Map::new();
            object.insert("type".to_owned(), json!("array"));
            object.insert("elementType".to_owned(), type_to_json(item.data_type()));
            object.insert("containsNull".to_owned(), json!(item.is_nullable()));
            insert_metadata(&mut object, "elementMetadata", item);
            Value::Object(object)
        }
        DataType::Map(entries, _) => match entries.data_type() {
            DataType::Struct(fields) => {
                let mut object = Map::new();
                object.insert("type".to_owned(), json!("map"));
                if let [key, value] = fields.as_ref() {
                    object.insert("keyType".to_owned(), type_to_json(key.data_type()));
                    object.insert("valueType".to_owned(), type_to_json(value.data_type()));
                    object.insert("valueContainsNull".to_owned(), json!(value.is_nullable()));
                    insert_metadata(&mut object, "keyMetadata", key);
                    insert_metadata(&mut object, "valueMetadata", value);
                }
                Value::Object(object)
            }
            _ => json!(simple_string(data_type)),
        },
        DataType::Struct(fields) => {
            let fields: Vec<Value> = fields.iter().map(|field| field_to_json(field)).collect();
            json!({"type": "struct", "fields": fields})
        }
        other => json!(simple_string(other)),
    }
}

/// `{"name":…,"type":…,"nullable":…,"metadata":{…}}`; metadata with its keys sorted.
pub fn field_to_json(field: &Field) -> Value {
    json!({
        "name": field.name(),
        "type": type_to_json(field.data_type()),
        "nullable": field.is_nullable(),
        "metadata": metadata_json(field),
    })
}

/// The reverse of [`type_to_json`].
///
/// # Errors
/// An internal error for JSON of another form; errors of [`parse_type`] for unknown names.
pub fn type_from_json(value: &Value) -> Result<DataType> {
    type_at(value, 0)
}

/// The reverse of [`field_to_json`].
///
/// # Errors
/// As for [`type_from_json`].
pub fn field_from_json(value: &Value) -> Result<Field> {
    field_at(value, 0)
}

const NESTING_DEPTH_MAX: usize = 100;

fn type_at(value: &Value, depth: usize) -> Result<DataType> {
    if depth > NESTING_DEPTH_MAX {
        return Err(malformed(value));
    }
    let object = match value {
        Value::String(name) => return parse_type(name),
        Value::Object(object) => object,
        _ => return Err(malformed(value)),
    };
    let member = |name: &str| object.get(name).ok_or_else(|| malformed(value));
    let flag = |name: &str| object.get(name).and_then(Value::as_bool).unwrap_or(true);
    let inner = |name: &str, part: &str, nullable: bool| -> Result<FieldRef> {
        let field = Field::new(name, type_at(member(&format!("{part}Type"))?, depth + 1)?, nullable);
        Ok(Arc::new(with_metadata(field, object.get(&format!("{part}Metadata")))))
    };
    match member("type")?.as_str() {
        Some("array") => Ok(DataType::List(inner("item", "element", flag("containsNull"))?)),
        Some("map") => Ok(map_of(inner("key", "key", false)?, inner("value", "value", flag("valueContainsNull"))?)),
        Some("struct") => {
            let fields = member("fields")?.as_array().ok_or_else(|| malformed(value))?;
            let fields = fields.iter().map(|field| field_at(field, depth + 1).map(Arc::new));
            Ok(DataType::Struct(fields.collect::<Result<Vec<FieldRef>>>()?.into()))
        }
        _ => Err(malformed(value)),
    }
}

fn field_at(value: &Value, depth: usize) -> Result<Field> {
    let name = value.get("name").and_then(Value::as_str).ok_or_else(|| malformed(value))?;
    let data_type = type_at(value.get("type").ok_or_else(|| malformed(value))?, depth)?;
    let nullable = value.get("nullable").and_then(Value::as_bool).unwrap_or(true);
    Ok(with_metadata(Field::new(name, data_type, nullable), value.get("metadata")))
}

fn metadata_json(field: &Field) -> Value {
    let mut entries: Vec<_> = field.metadata().iter().collect();
    entries.sort();
    Value::Object(entries.into_iter().map(|(key, value)| (key.clone(), json!(value))).collect())
}

/// Spark has no metadata at these places: the member is there only where interval units need it.
fn insert_metadata(object: &mut Map<String, Value>, name: &str, field: &Field) {
    if !field.metadata().is_empty() {
        object.insert(name.to_owned(), metadata_json(field));
    }
}

fn with_metadata(field: Field, metadata: Option<&Value>) -> Field {
    let Some(Value::Object(entries)) = metadata else { return field };
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let metadata: HashMap<String, String> = entries.iter().map(|(key, value)| (key.clone(), text(value))).collect();
    field.with_metadata(metadata)
}

fn malformed(value: &Value) -> Box<Diagnostic> {
    Box::new(Diagnostic::internal(format!("{value} is not a type in schema JSON")))
}
