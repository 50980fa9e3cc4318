//! Which version a reader means.

use std::sync::Arc;

use lakelet_base::{Result, Timestamp, Version};

use crate::error::{classes, error, instant};
use crate::table::TableVersion;
use crate::{Snapshot, Table};

/// `VERSION AS OF n` or `TIMESTAMP AS OF t`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VersionOrTime {
    /// A number of a version.
    Version(Version),
    /// The version that was the newest at this instant.
    Timestamp(Timestamp),
}

impl Table {
    /// The snapshot of a version or an instant.
    ///
    /// # Errors
    /// `DELTA_VERSION_NOT_FOUND` for a version that is not there, `DELTA_TIMESTAMP_GREATER_THAN_COMMIT` for an instant
    /// after the latest version, `DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION` for one before the first.
    pub fn snapshot_at(&self, at: VersionOrTime) -> Result<Snapshot> {
        let found = match at {
            VersionOrTime::Version(version) => self.existing_version(version)?,
            VersionOrTime::Timestamp(timestamp) => self.version_at_time(timestamp)?,
        };
        Ok(Snapshot::new(self, found))
    }

    /// The newest version at or before an instant; `None` before the first.
    pub fn version_at_or_before(&self, timestamp: Timestamp) -> Option<Version> {
        let n_before = self.versions.partition_point(|version| version.info.timestamp <= timestamp);
        (n_before as Version).checked_sub(1)
    }

    /// The oldest version at or after an instant; `None` after the latest.
    pub fn version_at_or_after(&self, timestamp: Timestamp) -> Option<Version> {
        let n_before = self.versions.partition_point(|version| version.info.timestamp < timestamp);
        (n_before < self.versions.len()).then_some(n_before as Version)
    }

    pub(crate) fn existing_version(&self, version: Version) -> Result<&Arc<TableVersion>> {
        self.version(version).ok_or_else(|| {
            let latest = self.latest_version();
            let message =
                format!("Cannot time travel Delta table to version {version}. Available versions: [0, {latest}].");
            error(classes::VERSION_NOT_FOUND, message)
        })
    }

    fn version_at_time(&self, timestamp: Timestamp) -> Result<&Arc<TableVersion>> {
        let (first, latest) = (self.created(), self.modified());
        if timestamp > latest {
            let message = format!(
                "The provided timestamp ({}) is after the latest version available to this table ({}). \
                 Please use a timestamp before or at {}.",
                instant(timestamp),
                self.name,
                instant(latest)
            );
            return Err(error(classes::TIMESTAMP_GREATER_THAN_COMMIT, message));
        }
        let found = self.version_at_or_before(timestamp).and_then(|version| self.version(version));
        found.ok_or_else(|| {
            let message = format!(
                "The provided timestamp ({}) is before the earliest version available for table {}. \
                 Please use a timestamp at or after {}.",
                instant(timestamp),
                self.name,
                instant(first)
            );
            error(classes::TIMESTAMP_EARLIER_THAN_COMMIT, message)
        })
    }
}
