//! Catalogs, schemas, names, and the documents that other crates keep.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_buffer::Buffer;
use lakelet_base::{Diagnostic, ErrorClass, Result, TableName};

use crate::TableId;
use crate::chunked_map::ChunkedMap;
use crate::error::{classes, error, table_exists, table_not_found};

/// A catalog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Catalog {
    /// Its name, in the case it was created with.
    pub name: String,
    /// COMMENT.
    pub comment: Option<String>,
    /// Its schemas by lower-case name.
    pub(crate) schemas: BTreeMap<String, Schema>,
}

/// A schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schema {
    /// Its name, in the case it was created with.
    pub name: String,
    /// COMMENT.
    pub comment: Option<String>,
}

/// All names. Case does not count in any of them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Names {
    pub(crate) catalogs: BTreeMap<String, Catalog>,
    pub(crate) tables: BTreeMap<(String, String, String), TableId>,
}

impl Names {
    pub(crate) fn catalog(&self, name: &str) -> Option<&Catalog> {
        self.catalogs.get(&name.to_lowercase())
    }

    pub(crate) fn schema(&self, catalog: &str, name: &str) -> Option<&Schema> {
        self.catalog(catalog)?.schemas.get(&name.to_lowercase())
    }

    pub(crate) fn create_catalog(&mut self, name: &str, comment: Option<String>) -> Result<()> {
        if self.catalog(name).is_some() {
            let message = format!("Catalog {name} already exists.");
            return Err(error(classes::CATALOG_ALREADY_EXISTS, message));
        }
        let catalog = Catalog { name: name.to_owned(), comment, schemas: BTreeMap::new() };
        self.catalogs.insert(name.to_lowercase(), catalog);
        Ok(())
    }

    pub(crate) fn drop_catalog(&mut self, name: &str) -> Result<()> {
        let catalog = self.catalog(name).ok_or_else(|| catalog_not_found(name))?;
        if !catalog.schemas.is_empty() {
            let message = format!("Catalog {name} is not empty: it has {} schemas.", catalog.schemas.len());
            return Err(error(classes::CATALOG_NOT_EMPTY, message));
        }
        self.catalogs.remove(&name.to_lowercase());
        Ok(())
    }

    pub(crate) fn create_schema(&mut self, catalog: &str, name: &str, comment: Option<String>) -> Result<()> {
        let found = self.catalogs.get_mut(&catalog.to_lowercase()).ok_or_else(|| catalog_not_found(catalog))?;
        let key = name.to_lowercase();
        if found.schemas.contains_key(&key) {
            let message = format!("Cannot create schema {catalog}.{name} because it already exists.");
            return Err(error(ErrorClass::SCHEMA_ALREADY_EXISTS, message));
        }
        found.schemas.insert(key, Schema { name: name.to_owned(), comment });
        Ok(())
    }

    pub(crate) fn drop_schema(&mut self, catalog: &str, name: &str) -> Result<()> {
        let key = (catalog.to_lowercase(), name.to_lowercase());
        if self.tables.keys().any(|(catalog, schema, _)| *catalog == key.0 && *schema == key.1) {
            let message = format!("Cannot drop schema {catalog}.{name} because it has tables or views.");
            return Err(Box::new(
                Diagnostic::new(classes::SCHEMA_NOT_EMPTY, message).hint("DROP SCHEMA … CASCADE drops them too."),
            ));
        }
        let found = self.catalogs.get_mut(&key.0).ok_or_else(|| catalog_not_found(catalog))?;
        found.schemas.remove(&key.1).ok_or_else(|| schema_not_found(catalog, name))?;
        Ok(())
    }

    pub(crate) fn add_table(&mut self, name: &TableName, id: TableId) -> Result<()> {
        if self.catalog(&name.catalog).is_none() {
            return Err(catalog_not_found(&name.catalog));
        }
        if self.schema(&name.catalog, &name.schema).is_none() {
            return Err(schema_not_found(&name.catalog, &name.schema));
        }
        if self.tables.contains_key(&name.key()) {
            return Err(table_exists(name));
        }
        self.tables.insert(name.key(), id);
        Ok(())
    }

    pub(crate) fn remove_table(&mut self, name: &TableName) -> Result<()> {
        self.tables.remove(&name.key()).map(drop).ok_or_else(|| table_not_found(name))
    }
}

fn catalog_not_found(name: &str) -> Box<Diagnostic> {
    error(ErrorClass::CATALOG_NOT_FOUND, format!("The catalog {name} cannot be found."))
}

fn schema_not_found(catalog: &str, name: &str) -> Box<Diagnostic> {
    error(ErrorClass::SCHEMA_NOT_FOUND, format!("The schema {catalog}.{name} cannot be found."))
}

/// Documents by key.
#[derive(Debug, Clone, Default)]
pub(crate) struct Documents {
    documents: ChunkedMap<Arc<str>, Buffer>,
    size_bytes: usize,
}

impl Documents {
    pub(crate) fn get(&self, key: &str) -> Option<&[u8]> {
        self.documents.get(key).map(Buffer::as_slice)
    }

    pub(crate) fn put(&mut self, key: &str, value: Buffer) {
        self.size_bytes += key.len() + value.len();
        if let Some(before) = self.documents.insert(Arc::from(key), value) {
            self.size_bytes -= key.len() + before.len();
        }
    }

    pub(crate) fn remove(&mut self, key: &str) {
        if let Some(before) = self.documents.remove(key) {
            self.size_bytes -= key.len() + before.len();
        }
    }

    /// Documents whose key begins with `prefix`, by key.
    pub(crate) fn with_prefix<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = (&'a str, &'a [u8])> {
        let documents = self.documents.range_from(prefix).take_while(move |(key, _)| key.starts_with(prefix));
        documents.map(|(key, value)| (key.as_ref(), value.as_slice()))
    }

    pub(crate) fn size_bytes(&self) -> usize {
        self.size_bytes
    }
}
