//! Versioned Arrow tables with Delta's behavior, their change feed, and the commit log.
//!
//! A [`Store`] is the whole state of a workspace as a deterministic fold of log records: applying the same records gives
//! the same store, and nothing else changes one. A [`Transaction`] collects actions on any number of tables and
//! documents; [`Store::commit`] checks it, appends *one* record to a [`Storage`] and only then shows the new state. A
//! failure at any point leaves the store as it was.
//!
//! A [`Table`] is a list of versions that never change. A [`Snapshot`] is one of them with its rows: immutable Arrow
//! segments with deletion vectors. An update marks rows deleted and appends new ones, so versions share what they have in
//! common and a [`RowAddress`] stays valid for as long as any version shows the row.
//!
//! Cloning a store is cheap and gives an independent one.
//!
//! This crate does no I/O and reads no clock: the host implements [`Storage`] and hands in the instant of each commit.

mod adapt;
mod address;
mod apply;
mod array_codec;
mod catalog;
mod change_feed;
mod chunked;
mod chunked_map;
mod codec;
mod column;
mod commit;
mod conflict;
mod difference;
mod error;
mod frame;
mod generation;
mod prepare;
mod record;
mod recover;
mod scan;
mod segment;
mod snapshot;
mod storage;
mod store;
mod table;
mod time_travel;
mod transaction;
mod wire;

pub use address::{RowAddress, SegmentId, TableId};
pub use catalog::{Catalog, Schema};
pub use change_feed::{
    CHANGE_TYPE_COLUMN, COMMIT_TIMESTAMP_COLUMN, COMMIT_VERSION_COLUMN, ChangeFeed, ChangeType, change_feed_schema,
};
pub use column::{Column, ColumnId, TableMetadata};
pub use commit::{CommitCause, CommitInfo, CommitOutcome, Operation, PreparedCommit};
pub use difference::RowChanges;
pub use error::classes;
pub use frame::{FORMAT_VERSION, decode_records, encode_record};
pub use generation::{Adopted, AssembledLog, Generation, assemble_generations, encode_generation_header};
pub use recover::RecoveryReport;
pub use scan::{ROW_COLUMN, SEGMENT_COLUMN, Scan, row_addresses};
pub use snapshot::Snapshot;
pub use storage::{Fault, FaultyStorage, MemoryStorage, Storage, StorageError};
pub use store::Store;
pub use table::{CHANGE_FEED_PROPERTY, Table, TableKind};
pub use time_travel::VersionOrTime;
pub use transaction::{TableSpec, Transaction};

#[cfg(test)]
mod tests;
