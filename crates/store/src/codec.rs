//! Records to bytes and back.
//!
//! The payload of a record is the length of its JSON head (`u32`, little-endian), the head, and the blobs that the head
//! numbers: arrays, roaring bitmaps in their portable form, documents. Every blob begins
//! at a multiple of 16 bytes from the start of the frame, so that arrays are read in place.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_buffer::{Buffer, MutableBuffer};
use arrow_schema::{DataType, Field, Schema};
use lakelet_base::{Result, TableName, Timestamp};
use lakelet_types::{field_from_json, field_to_json, type_from_json, type_to_json};
use roaring::RoaringBitmap;

use crate::array_codec::{decode_arrays, encode_arrays};
use crate::error::internal;
use crate::frame::{FrameKind, HEADER_LEN, damaged, header};
use crate::record::{Action, CatalogAction, ChangeRecord, KeptBatch, LogRecord, TableCommit};
use crate::transaction::Standing;
use crate::wire::{
    ActionWire, AddedWire, BatchWire, CauseWire, ChangeWire, ColumnWire, CommitWire, HeadWire, KindWire, MetadataWire,
    StandingWire,
};
use crate::{ChangeType, Column, CommitCause, Operation, TableId, TableKind, TableMetadata};

const ALIGNMENT: usize = 16;

/// The frame of a record.
pub(crate) fn encode(record: &LogRecord) -> Result<Buffer> {
    let mut blobs = BlobWriter::default();
    let actions = record.actions.iter().map(|action| encode_action(action, &mut blobs)).collect::<Result<_>>()?;
    let lengths = blobs.0.iter().map(|blob| blob.len() as u64).collect();
    let head = HeadWire { timestamp: record.timestamp.0, actions, blobs: lengths };
    let head = serde_json::to_vec(&head).map_err(internal)?;
    let head_len = u32::try_from(head.len()).map_err(|_| internal("the head of a record passes 4 GB"))?;
    let mut bytes =
        MutableBuffer::new(HEADER_LEN + head.len() + blobs.0.iter().map(|blob| blob.len() + 16).sum::<usize>());
    bytes.extend_zeros(HEADER_LEN);
    bytes.extend_from_slice(&head_len.to_le_bytes());
    bytes.extend_from_slice(&head);
    for blob in &blobs.0 {
        bytes.extend_zeros(bytes.len().next_multiple_of(ALIGNMENT) - bytes.len());
        bytes.extend_from_slice(blob);
    }
    let header = header(FrameKind::Record, record.sequence, &bytes.as_slice()[HEADER_LEN..]);
    bytes.as_slice_mut()[..HEADER_LEN].copy_from_slice(&header);
    Ok(bytes.into())
}

/// The record in a frame whose checksums are right. Arrays refer to `frame`.
pub(crate) fn decode(sequence: u64, frame: &Buffer) -> Result<LogRecord> {
    let damaged_record = || damaged(format!("record {sequence} says what no record can say"));
    let head_start = HEADER_LEN + 4;
    let head_len = frame.get(HEADER_LEN..head_start).ok_or_else(damaged_record)?;
    let head_len = u32::from_le_bytes([head_len[0], head_len[1], head_len[2], head_len[3]]) as usize;
    let head_end = head_start.checked_add(head_len).ok_or_else(damaged_record)?;
    let head = frame.get(head_start..head_end).ok_or_else(damaged_record)?;
    let head: HeadWire =
        serde_json::from_slice(head).map_err(|error| damaged(format!("record {sequence}: {error}")))?;
    let mut blobs = BlobReader { sequence, blobs: Vec::with_capacity(head.blobs.len()) };
    let mut end = head_end;
    for length in head.blobs {
        let start = end.next_multiple_of(ALIGNMENT);
        let length = usize::try_from(length).map_err(|_| damaged_record())?;
        end = start.checked_add(length).filter(|end| *end <= frame.len()).ok_or_else(damaged_record)?;
        blobs.blobs.push(frame.slice_with_length(start, length));
    }
    let actions = head.actions.into_iter().map(|action| decode_action(action, &blobs)).collect::<Result<_>>()?;
    Ok(LogRecord { sequence, timestamp: Timestamp(head.timestamp), actions })
}

#[derive(Default)]
struct BlobWriter(Vec<Vec<u8>>);

impl BlobWriter {
    fn bytes(&mut self, bytes: Vec<u8>) -> usize {
        self.0.push(bytes);
        self.0.len() - 1
    }

    fn kept_batch(&mut self, kept: &KeptBatch) -> Result<BatchWire> {
        let bytes = encode_arrays(kept.batch.num_rows(), kept.batch.columns())?;
        let types = kept.batch.columns().iter().map(|column| type_to_json(column.data_type())).collect();
        Ok(BatchWire { blob: self.bytes(bytes), column_ids: kept.column_ids.to_vec(), types })
    }

    fn bitmap(&mut self, rows: &RoaringBitmap) -> Result<usize> {
        let mut bytes = Vec::with_capacity(rows.serialized_size());
        rows.serialize_into(&mut bytes).map_err(internal)?;
        Ok(self.bytes(bytes))
    }
}

struct BlobReader {
    sequence: u64,
    blobs: Vec<Buffer>,
}

impl BlobReader {
    fn damaged(&self, why: impl std::fmt::Display) -> Box<lakelet_base::Diagnostic> {
        damaged(format!("record {}: {why}", self.sequence))
    }

    fn bytes(&self, index: usize) -> Result<Buffer> {
        self.blobs.get(index).cloned().ok_or_else(|| self.damaged("a part is missing"))
    }

    fn arrays(&self, index: usize, types: &[DataType]) -> Result<(usize, Vec<ArrayRef>)> {
        decode_arrays(&self.bytes(index)?, types).ok_or_else(|| self.damaged("values are not what their types say"))
    }

    fn kept_batch(&self, wire: BatchWire) -> Result<KeptBatch> {
        let types = wire.types.iter().map(type_from_json).collect::<Result<Vec<_>>>();
        let types = types.map_err(|error| self.damaged(error.message))?;
        let (n_rows, arrays) = self.arrays(wire.blob, &types)?;
        if arrays.len() != wire.column_ids.len() {
            return Err(self.damaged("a batch has other columns"));
        }
        // Segments are read by the identities of their columns; names and the permission of NULL are the table's.
        let fields: Vec<Field> = wire
            .column_ids
            .iter()
            .zip(types)
            .map(|(id, data_type)| Field::new(format!("c{id}"), data_type, true))
            .collect();
        let options = RecordBatchOptions::new().with_row_count(Some(n_rows));
        let batch = RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), arrays, &options)
            .map_err(|error| self.damaged(error))?;
        let size_bytes = self.bytes(wire.blob)?.len();
        Ok(KeptBatch { batch, column_ids: wire.column_ids.into(), size_bytes })
    }

    fn bitmap(&self, index: usize) -> Result<RoaringBitmap> {
        RoaringBitmap::deserialize_from(self.bytes(index)?.as_slice()).map_err(|error| self.damaged(error))
    }

    fn change_type(&self, name: &str) -> Result<ChangeType> {
        ChangeType::parse(name).ok_or_else(|| self.damaged(format!("{name} is no change type")))
    }
}

fn encode_action(action: &Action, blobs: &mut BlobWriter) -> Result<ActionWire> {
    Ok(match action {
        Action::Catalog(action) => match action.clone() {
            CatalogAction::CreateCatalog { name, comment } => ActionWire::CreateCatalog { name, comment },
            CatalogAction::DropCatalog { name } => ActionWire::DropCatalog { name },
            CatalogAction::CreateSchema { catalog, name, comment } => {
                ActionWire::CreateSchema { catalog, name, comment }
            }
            CatalogAction::DropSchema { catalog, name } => ActionWire::DropSchema { catalog, name },
            CatalogAction::CreateTable { id, name, kind } => {
                ActionWire::CreateTable { id: id.0, name: name_to_wire(name), kind: kind_to_wire(&kind) }
            }
            CatalogAction::DropTable { id } => ActionWire::DropTable { id: id.0 },
            CatalogAction::RenameTable { id, name } => ActionWire::RenameTable { id: id.0, name: name_to_wire(name) },
        },
        Action::Commit(commit) => ActionWire::Commit(Box::new(encode_commit(commit, blobs)?)),
        Action::Put { key, value } => {
            ActionWire::Put { key: key.clone(), value: blobs.bytes(value.as_slice().to_vec()) }
        }
        Action::Remove { key } => ActionWire::Remove { key: key.clone() },
    })
}

fn decode_action(action: ActionWire, blobs: &BlobReader) -> Result<Action> {
    Ok(match action {
        ActionWire::CreateCatalog { name, comment } => Action::Catalog(CatalogAction::CreateCatalog { name, comment }),
        ActionWire::DropCatalog { name } => Action::Catalog(CatalogAction::DropCatalog { name }),
        ActionWire::CreateSchema { catalog, name, comment } => {
            Action::Catalog(CatalogAction::CreateSchema { catalog, name, comment })
        }
        ActionWire::DropSchema { catalog, name } => Action::Catalog(CatalogAction::DropSchema { catalog, name }),
        ActionWire::CreateTable { id, name, kind } => Action::Catalog(CatalogAction::CreateTable {
            id: TableId(id),
            name: name_from_wire(name),
            kind: kind_from_wire(kind),
        }),
        ActionWire::DropTable { id } => Action::Catalog(CatalogAction::DropTable { id: TableId(id) }),
        ActionWire::RenameTable { id, name } => {
            Action::Catalog(CatalogAction::RenameTable { id: TableId(id), name: name_from_wire(name) })
        }
        ActionWire::Commit(commit) => Action::Commit(Box::new(decode_commit(*commit, blobs)?)),
        ActionWire::Put { key, value } => Action::Put { key, value: blobs.bytes(value)? },
        ActionWire::Remove { key } => Action::Remove { key },
    })
}

fn encode_commit(commit: &TableCommit, blobs: &mut BlobWriter) -> Result<CommitWire> {
    let mut added = Vec::with_capacity(commit.added.len());
    for (segment, batch) in &commit.added {
        added.push(AddedWire { segment: *segment, batch: blobs.kept_batch(batch)? });
    }
    let mut deleted = Vec::with_capacity(commit.deleted.len());
    for (segment, rows) in &commit.deleted {
        deleted.push((*segment, blobs.bitmap(rows)?));
    }
    let mut encode_change = |change: &ChangeRecord| -> Result<ChangeWire> {
        Ok(match change {
            ChangeRecord::Rows { change_type, batch } => {
                ChangeWire::Rows { change_type: change_type.name().to_owned(), batch: blobs.kept_batch(batch)? }
            }
            ChangeRecord::Kept { change_type, segment, rows } => ChangeWire::Kept {
                change_type: change_type.name().to_owned(),
                segment: *segment,
                rows: blobs.bitmap(rows)?,
            },
        })
    };
    let changes = match &commit.changes {
        Some(changes) => Some(changes.iter().map(&mut encode_change).collect::<Result<Vec<_>>>()?),
        None => None,
    };
    Ok(CommitWire {
        table: commit.table.0,
        version: commit.version,
        operation: commit.operation.name.clone(),
        parameters: commit.operation.parameters.clone(),
        metrics: commit.operation.metrics.clone(),
        cause: commit.operation.cause.clone().map(cause_to_wire),
        read_version: commit.read_version,
        blind_append: commit.is_blind_append,
        replaced: commit.replaced,
        kind: commit.kind.as_ref().map(kind_to_wire),
        metadata: match &commit.metadata {
            Some(metadata) => Some(metadata_to_wire(metadata, blobs)?),
            None => None,
        },
        standing: match commit.standing {
            Standing::Keep => StandingWire::Keep,
            Standing::Clear => StandingWire::Clear,
            Standing::Restore(version) => StandingWire::Restore(version),
        },
        added,
        deleted,
        changes,
    })
}

fn decode_commit(wire: CommitWire, blobs: &BlobReader) -> Result<TableCommit> {
    let mut added = Vec::with_capacity(wire.added.len());
    for entry in wire.added {
        added.push((entry.segment, blobs.kept_batch(entry.batch)?));
    }
    let mut deleted = Vec::with_capacity(wire.deleted.len());
    for (segment, rows) in wire.deleted {
        deleted.push((segment, blobs.bitmap(rows)?));
    }
    let decode_change = |change: ChangeWire| -> Result<ChangeRecord> {
        Ok(match change {
            ChangeWire::Rows { change_type, batch } => {
                ChangeRecord::Rows { change_type: blobs.change_type(&change_type)?, batch: blobs.kept_batch(batch)? }
            }
            ChangeWire::Kept { change_type, segment, rows } => {
                ChangeRecord::Kept { change_type: blobs.change_type(&change_type)?, segment, rows: blobs.bitmap(rows)? }
            }
        })
    };
    Ok(TableCommit {
        table: TableId(wire.table),
        version: wire.version,
        operation: Operation {
            name: wire.operation,
            parameters: wire.parameters,
            metrics: wire.metrics,
            cause: wire.cause.map(cause_from_wire),
        },
        read_version: wire.read_version,
        is_blind_append: wire.blind_append,
        replaced: wire.replaced,
        kind: wire.kind.map(kind_from_wire),
        metadata: wire.metadata.map(|metadata| metadata_from_wire(metadata, blobs)).transpose()?,
        standing: match wire.standing {
            StandingWire::Keep => Standing::Keep,
            StandingWire::Clear => Standing::Clear,
            StandingWire::Restore(version) => Standing::Restore(version),
        },
        added,
        deleted,
        changes: wire
            .changes
            .map(|changes| changes.into_iter().map(decode_change).collect::<Result<Vec<_>>>())
            .transpose()?,
    })
}

fn metadata_to_wire(metadata: &TableMetadata, blobs: &mut BlobWriter) -> Result<MetadataWire> {
    let mut columns = Vec::with_capacity(metadata.columns.len());
    for column in metadata.columns.iter() {
        let exist_default = match &column.exist_default {
            Some(value) => Some(blobs.bytes(encode_arrays(value.len(), std::slice::from_ref(value))?)),
            None => None,
        };
        columns.push(ColumnWire {
            id: column.id,
            field: field_to_json(&column.field()),
            default: column.default.clone(),
            exist_default,
            comment: column.comment.clone(),
        });
    }
    Ok(MetadataWire {
        columns,
        properties: metadata.properties.as_ref().clone(),
        comment: metadata.comment.clone(),
        partition_columns: metadata.partition_columns.clone(),
        clustering_columns: metadata.clustering_columns.clone(),
    })
}

fn metadata_from_wire(wire: MetadataWire, blobs: &BlobReader) -> Result<TableMetadata> {
    let mut columns = Vec::with_capacity(wire.columns.len());
    for column in wire.columns {
        let field = field_from_json(&column.field).map_err(|error| blobs.damaged(error.message))?;
        let exist_default = match column.exist_default {
            Some(blob) => {
                let (n_rows, mut values) = blobs.arrays(blob, std::slice::from_ref(field.data_type()))?;
                let value = values.pop().filter(|_| n_rows == 1);
                Some(value.ok_or_else(|| blobs.damaged("a default has no value"))?)
            }
            None => None,
        };
        columns.push(Column {
            id: column.id,
            default: column.default,
            exist_default,
            comment: column.comment,
            ..Column::from_field(&field)
        });
    }
    Ok(TableMetadata {
        columns: columns.into(),
        properties: Arc::new(wire.properties),
        comment: wire.comment,
        partition_columns: wire.partition_columns,
        clustering_columns: wire.clustering_columns,
    })
}

fn kind_to_wire(kind: &TableKind) -> KindWire {
    match kind {
        TableKind::Table => KindWire::Table,
        TableKind::StreamingTable => KindWire::StreamingTable,
        TableKind::MaterializedView => KindWire::MaterializedView,
        TableKind::View { definition } => KindWire::View { definition: definition.clone() },
        TableKind::Auxiliary => KindWire::Auxiliary,
    }
}

fn kind_from_wire(kind: KindWire) -> TableKind {
    match kind {
        KindWire::Table => TableKind::Table,
        KindWire::StreamingTable => TableKind::StreamingTable,
        KindWire::MaterializedView => TableKind::MaterializedView,
        KindWire::View { definition } => TableKind::View { definition },
        KindWire::Auxiliary => TableKind::Auxiliary,
    }
}

fn name_to_wire(name: TableName) -> [String; 3] {
    [name.catalog, name.schema, name.name]
}

fn name_from_wire([catalog, schema, name]: [String; 3]) -> TableName {
    TableName { catalog, schema, name }
}

fn cause_to_wire(cause: CommitCause) -> CauseWire {
    let CommitCause { statement, run_id, task_key, iteration, attempt, refresh_id, flow } = cause;
    CauseWire { statement, run_id, task_key, iteration, attempt, refresh_id, flow }
}

fn cause_from_wire(cause: CauseWire) -> CommitCause {
    let CauseWire { statement, run_id, task_key, iteration, attempt, refresh_id, flow } = cause;
    CommitCause { statement, run_id, task_key, iteration, attempt, refresh_id, flow }
}
