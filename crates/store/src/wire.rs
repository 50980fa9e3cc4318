//! The JSON head of a record. Batches and other bytes stand after it; here they are numbers of blobs.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

#[derive(Serialize, Deserialize)]
pub(crate) struct HeadWire {
    pub(crate) timestamp: i64,
    pub(crate) actions: Vec<ActionWire>,
    /// Length of each blob.
    pub(crate) blobs: Vec<u64>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ActionWire {
    CreateCatalog { name: String, comment: Option<String> },
    DropCatalog { name: String },
    CreateSchema { catalog: String, name: String, comment: Option<String> },
    DropSchema { catalog: String, name: String },
    CreateTable { id: u64, name: [String; 3], kind: KindWire },
    DropTable { id: u64 },
    RenameTable { id: u64, name: [String; 3] },
    Commit(Box<CommitWire>),
    Put { key: String, value: usize },
    Remove { key: String },
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum KindWire {
    Table,
    StreamingTable,
    MaterializedView,
    View { definition: String },
    Auxiliary,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct CommitWire {
    pub(crate) table: u64,
    pub(crate) version: u64,
    pub(crate) operation: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) parameters: Vec<(String, String)>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) metrics: Vec<(String, u64)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) cause: Option<CauseWire>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) read_version: Option<u64>,
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) blind_append: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) replaced: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) kind: Option<KindWire>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) metadata: Option<MetadataWire>,
    #[serde(default, skip_serializing_if = "StandingWire::is_keep")]
    pub(crate) standing: StandingWire,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) added: Vec<AddedWire>,
    /// Segment and blob of its bitmap.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) deleted: Vec<(u64, usize)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) changes: Option<Vec<ChangeWire>>,
}

#[derive(Serialize, Deserialize, Default)]
#[serde(rename_all = "snake_case")]
pub(crate) enum StandingWire {
    #[default]
    Keep,
    Clear,
    Restore(u64),
}

impl StandingWire {
    fn is_keep(&self) -> bool {
        matches!(self, Self::Keep)
    }
}

#[derive(Serialize, Deserialize)]
pub(crate) struct AddedWire {
    pub(crate) segment: u64,
    pub(crate) batch: BatchWire,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct BatchWire {
    pub(crate) blob: usize,
    pub(crate) column_ids: Vec<u32>,
    /// Spark's schema JSON of each column's type.
    pub(crate) types: Vec<Value>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ChangeWire {
    Rows { change_type: String, batch: BatchWire },
    Kept { change_type: String, segment: u64, rows: usize },
}

#[derive(Serialize, Deserialize)]
pub(crate) struct MetadataWire {
    pub(crate) columns: Vec<ColumnWire>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) properties: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) comment: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) partition_columns: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) clustering_columns: Vec<String>,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct ColumnWire {
    pub(crate) id: u32,
    /// Spark's schema JSON of the field.
    pub(crate) field: Value,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) default: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) exist_default: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) comment: Option<String>,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct CauseWire {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) statement: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) run_id: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) task_key: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) iteration: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) attempt: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) refresh_id: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) flow: Option<String>,
}

fn is_false(value: &bool) -> bool {
    !value
}
