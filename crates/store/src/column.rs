//! Columns and what else a table's version says about itself.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use lakelet_base::same_name;

/// Identity of a column within its table: it stays the same when the column is renamed or moved.
pub type ColumnId = u32;

/// One column of a table.
#[derive(Debug, Clone)]
pub struct Column {
    /// Name, in the case it was written in.
    pub name: String,
    /// Canonical Arrow type.
    pub data_type: DataType,
    /// Whether NULL is allowed.
    pub nullable: bool,
    /// DEFAULT for rows written without this column: SQL text.
    pub default: Option<String>,
    /// What rows read that were written before the column was added: one value, of `data_type`. `None` means NULL.
    pub exist_default: Option<ArrayRef>,
    /// COMMENT.
    pub comment: Option<String>,
    /// Metadata of the Arrow field: interval units, length of a CHAR, whatever the engine wants to keep.
    pub metadata: BTreeMap<String, String>,
    /// Identity. 0 in a column that is handed to a [`crate::Transaction`] means "a new column".
    pub id: ColumnId,
}

impl PartialEq for Column {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
            && self.data_type == other.data_type
            && self.nullable == other.nullable
            && self.default == other.default
            && self.exist_default.as_ref().map(|value| value.to_data())
                == other.exist_default.as_ref().map(|value| value.to_data())
            && self.comment == other.comment
            && self.metadata == other.metadata
            && self.id == other.id
    }
}

impl Column {
    /// A new column that may be NULL, without default and comment.
    pub fn new(name: impl Into<String>, data_type: DataType) -> Self {
        Self {
            name: name.into(),
            data_type,
            nullable: true,
            default: None,
            exist_default: None,
            comment: None,
            metadata: BTreeMap::new(),
            id: 0,
        }
    }

    /// A new column from an Arrow field.
    pub fn from_field(field: &Field) -> Self {
        Self {
            nullable: field.is_nullable(),
            metadata: field.metadata().iter().map(|(key, value)| (key.clone(), value.clone())).collect(),
            ..Self::new(field.name(), field.data_type().clone())
        }
    }

    /// The Arrow field.
    pub fn field(&self) -> Field {
        let metadata = self.metadata.iter().map(|(key, value)| (key.clone(), value.clone())).collect();
        Field::new(&self.name, self.data_type.clone(), self.nullable).with_metadata(metadata)
    }
}

/// What a version says about its table besides the rows.
#[derive(Debug, Clone, PartialEq)]
pub struct TableMetadata {
    /// The columns in order.
    pub columns: Arc<[Column]>,
    /// TBLPROPERTIES, CHECK constraints among them (`delta.constraints.<name>`).
    pub properties: Arc<BTreeMap<String, String>>,
    /// COMMENT of the table.
    pub comment: Option<String>,
    /// PARTITIONED BY: names of columns. Kept and shown; it does not change how rows are laid out.
    pub partition_columns: Vec<String>,
    /// CLUSTER BY: names of columns. Kept and shown; it does not change how rows are laid out.
    pub clustering_columns: Vec<String>,
}

impl TableMetadata {
    /// Metadata with columns only.
    pub fn new(columns: impl Into<Arc<[Column]>>) -> Self {
        Self {
            columns: columns.into(),
            properties: Arc::default(),
            comment: None,
            partition_columns: Vec::new(),
            clustering_columns: Vec::new(),
        }
    }

    /// The Arrow schema of the columns.
    pub fn schema(&self) -> SchemaRef {
        Arc::new(Schema::new(self.columns.iter().map(Column::field).collect::<Vec<_>>()))
    }

    /// Position of the column of this name, whatever its case.
    pub fn column_index(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| same_name(&column.name, name))
    }

    /// The value of a property; Delta's own keys are found in any case.
    pub fn property(&self, key: &str) -> Option<&str> {
        let exact = self.properties.get(key);
        let found = exact.or_else(|| {
            self.properties.iter().find(|(other, _)| other.eq_ignore_ascii_case(key)).map(|(_, value)| value)
        });
        found.map(String::as_str)
    }

    /// Whether the change feed is switched on.
    pub fn has_change_feed(&self) -> bool {
        self.property(crate::CHANGE_FEED_PROPERTY).is_some_and(|value| value.eq_ignore_ascii_case("true"))
    }
}
