//! One version of a table, as readers hold it.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::{Schema, SchemaRef};
use arrow_select::interleave::interleave;
use lakelet_base::{Result, TableName, Timestamp, Version};

use crate::difference::RowSet;
use crate::error::{arrow, internal};
use crate::segment::{Segment, SegmentList};
use crate::table::TableVersion;
use crate::{Column, RowAddress, Scan, SegmentId, Table, TableId, TableMetadata};

/// One version of a table with its rows. It never changes, whatever happens to the table.
#[derive(Debug, Clone)]
pub struct Snapshot {
    /// The table.
    pub table_id: TableId,
    /// Its name when the snapshot was taken.
    pub table_name: TableName,
    /// The version.
    pub version: Version,
    /// The instant of its commit.
    pub timestamp: Timestamp,
    /// Columns, properties and the rest.
    pub metadata: Arc<TableMetadata>,
    /// The columns.
    pub columns: Arc<[Column]>,
    /// TBLPROPERTIES.
    pub properties: Arc<BTreeMap<String, String>>,
    pub(crate) segments: SegmentList,
}

impl Snapshot {
    pub(crate) fn new(table: &Table, version: &TableVersion) -> Self {
        Self {
            table_id: table.id,
            table_name: table.name.clone(),
            version: version.info.version,
            timestamp: version.info.timestamp,
            metadata: version.metadata.clone(),
            columns: version.metadata.columns.clone(),
            properties: version.metadata.properties.clone(),
            segments: version.segments.clone(),
        }
    }

    /// The Arrow schema of the columns.
    pub fn schema(&self) -> SchemaRef {
        self.metadata.schema()
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.segments.n_rows()
    }

    /// Bytes of the segments it shows, with the rows in them that it does not.
    pub fn size_bytes(&self) -> usize {
        self.segments.size_bytes()
    }

    /// Number of segments, DESCRIBE DETAIL's `numFiles`.
    pub fn n_segments(&self) -> usize {
        self.segments.iter().filter(|entry| entry.n_rows() > 0).count()
    }

    /// The rows; `projection` names columns by position, `None` means all.
    pub fn scan(&self, projection: Option<&[usize]>) -> Scan {
        let rows: Vec<RowSet> = self.segments.iter().filter_map(RowSet::live).collect();
        let scan = Scan::of_rows(rows, &self.columns);
        match projection {
            Some(projection) => scan.project(projection),
            None => scan,
        }
    }

    /// The rows with their addresses in two more columns, see [`Scan::with_addresses`] and [`crate::row_addresses`].
    pub fn scan_with_addresses(&self, projection: Option<&[usize]>) -> Scan {
        self.scan(projection).with_addresses()
    }

    /// All rows in one batch.
    ///
    /// # Errors
    /// As for [`Scan::collect_batch`].
    pub fn to_batch(&self) -> Result<RecordBatch> {
        self.scan(None).collect_batch()
    }

    /// Whether this version shows the row.
    pub fn shows(&self, address: RowAddress) -> bool {
        self.segments.shows(address)
    }

    /// The version whose commit wrote the row; `None` when this version does not show it.
    pub fn written_by(&self, address: RowAddress) -> Option<Version> {
        let (_, entry) = self.segments.find(address.segment)?;
        entry.shows(address.row).then_some(entry.segment.version)
    }

    /// The rows at these addresses, in this order, an address as often as it stands there.
    ///
    /// # Errors
    /// An internal error for an address that this version does not show.
    pub fn rows(&self, addresses: &[RowAddress], projection: Option<&[usize]>) -> Result<RecordBatch> {
        let columns: Vec<&Column> = match projection {
            Some(projection) => projection.iter().filter_map(|index| self.columns.get(*index)).collect(),
            None => self.columns.iter().collect(),
        };
        let mut segments: Vec<&Arc<Segment>> = Vec::new();
        let mut positions: BTreeMap<SegmentId, usize> = BTreeMap::new();
        let mut indices = Vec::with_capacity(addresses.len());
        for address in addresses {
            let position = match positions.get(&address.segment) {
                Some(position) if self.shows(*address) => *position,
                None if self.shows(*address) => {
                    let Some((_, entry)) = self.segments.find(address.segment) else { return Err(gone(*address)) };
                    segments.push(&entry.segment);
                    positions.insert(address.segment, segments.len() - 1);
                    segments.len() - 1
                }
                _ => return Err(gone(*address)),
            };
            indices.push((position, address.row as usize));
        }
        let mut arrays: Vec<ArrayRef> = Vec::with_capacity(columns.len());
        for column in &columns {
            let sources = segments.iter().map(|segment| segment.column(column)).collect::<Result<Vec<_>>>()?;
            let sources: Vec<&dyn Array> = sources.iter().map(|array| array.as_ref()).collect();
            arrays.push(if sources.is_empty() {
                arrow_array::new_empty_array(&column.data_type)
            } else {
                interleave(&sources, &indices).map_err(arrow)?
            });
        }
        let schema = Arc::new(Schema::new(columns.iter().map(|column| column.field()).collect::<Vec<_>>()));
        let options = RecordBatchOptions::new().with_row_count(Some(addresses.len()));
        RecordBatch::try_new_with_options(schema, arrays, &options).map_err(arrow)
    }
}

fn gone(address: RowAddress) -> Box<lakelet_base::Diagnostic> {
    internal(format!("row {} of segment {} is not in this version", address.row, address.segment))
}
