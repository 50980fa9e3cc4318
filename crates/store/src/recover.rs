//! From a log to a store.

use arrow_buffer::{Buffer, MutableBuffer};
use lakelet_base::{Limits, Result};

use crate::codec;
use crate::frame::{FrameKind, damaged, decode_frames};
use crate::storage::Storage;
use crate::store::Store;

/// What a recovery found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecoveryReport {
    /// Records applied.
    pub n_records: usize,
    /// Bytes of the log that count.
    pub n_bytes: usize,
    /// Bytes of a commit that was cut off while it was written, and so never acknowledged; they are gone now.
    pub n_torn_bytes: usize,
}

impl Store {
    /// The store that a log leads to. A torn tail is cut off, so that the next append follows a whole record.
    ///
    /// # Errors
    /// `LAKELET_LOG_DAMAGED` for anything but a torn tail, `LAKELET_LOG_TOO_NEW`, the storage's. The log is then left
    /// as it is.
    pub fn recover(storage: &mut dyn Storage) -> Result<(Self, RecoveryReport)> {
        Self::recover_with_limits(storage, Limits::default())
    }

    /// The same with other limits than the default ones.
    ///
    /// # Errors
    /// As for [`Store::recover`].
    pub fn recover_with_limits(storage: &mut dyn Storage, limits: Limits) -> Result<(Self, RecoveryReport)> {
        let log = storage.read_all()?;
        let mut store = Self::with_limits(limits);
        let frames = decode_frames(&log)?;
        let mut n_records = 0;
        for frame in frames.frames.iter().filter(|frame| frame.kind == FrameKind::Record) {
            store.replay(&log[frame.range.clone()])?;
            n_records += 1;
        }
        let n_torn_bytes = log.len() - frames.n_valid_bytes;
        if n_torn_bytes > 0 {
            storage.truncate(frames.n_valid_bytes)?;
        }
        Ok((store, RecoveryReport { n_records, n_bytes: frames.n_valid_bytes, n_torn_bytes }))
    }

    /// Applies one framed record that another store wrote next.
    ///
    /// # Errors
    /// `LAKELET_LOG_DAMAGED` when it is not whole or does not follow. The store must not be used after that.
    pub fn replay(&mut self, frame: &[u8]) -> Result<()> {
        let frames = decode_frames(frame)?;
        let [found] = frames.frames.as_slice() else { return Err(damaged("a record is not whole")) };
        let sequence = found.sequence;
        let record = codec::decode(sequence, &aligned(&frame[found.range.clone()]))?;
        self.apply(record).map_err(|error| damaged(format!("record {sequence} does not follow: {}", error.message)))
    }
}

/// A copy at an aligned address, so that arrays are read in place.
fn aligned(bytes: &[u8]) -> Buffer {
    let mut buffer = MutableBuffer::new(bytes.len());
    buffer.extend_from_slice(bytes);
    buffer.into()
}
