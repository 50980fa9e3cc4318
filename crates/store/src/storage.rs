//! Where the log's bytes go.

use lakelet_base::Diagnostic;

use crate::error::classes;

/// Why a log could not be read or written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StorageError {
    /// No room is left.
    Full,
    /// Somebody else writes this log: the text says who, and what to do.
    ReadOnly(String),
    /// Anything else; the text is the host's.
    Failed(String),
}

impl std::fmt::Display for StorageError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Full => f.write_str("no room is left"),
            Self::ReadOnly(why) | Self::Failed(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for StorageError {}

impl From<StorageError> for Box<Diagnostic> {
    fn from(error: StorageError) -> Self {
        let class = match error {
            StorageError::Full => classes::STORAGE_FULL,
            StorageError::ReadOnly(_) => classes::READ_ONLY,
            StorageError::Failed(_) => classes::STORAGE_FAILED,
        };
        Box::new(
            Diagnostic::new(class, format!("The commit could not be saved: {error}.")).hint("Nothing was changed."),
        )
    }
}

/// A place for one log. The bytes are opaque to it.
pub trait Storage {
    /// Appends one framed record and returns once it counts as written. After an error nothing of the record may stay
    /// where a later append would follow it.
    ///
    /// # Errors
    /// The host's.
    fn append(&mut self, record: &[u8]) -> Result<(), StorageError>;

    /// The whole log.
    ///
    /// # Errors
    /// The host's.
    fn read_all(&self) -> Result<Vec<u8>, StorageError>;

    /// Cuts the log to its first `len` bytes.
    ///
    /// # Errors
    /// The host's.
    fn truncate(&mut self, len: usize) -> Result<(), StorageError>;
}

/// A log in memory.
#[derive(Debug, Clone, Default)]
pub struct MemoryStorage {
    log: Vec<u8>,
}

impl MemoryStorage {
    /// A log that holds these bytes, for instance what a page kept for the next worker.
    pub fn new(log: Vec<u8>) -> Self {
        Self { log }
    }

    /// The bytes.
    pub fn log(&self) -> &[u8] {
        &self.log
    }
}

impl Storage for MemoryStorage {
    fn append(&mut self, record: &[u8]) -> Result<(), StorageError> {
        self.log.extend_from_slice(record);
        Ok(())
    }

    fn read_all(&self) -> Result<Vec<u8>, StorageError> {
        Ok(self.log.clone())
    }

    fn truncate(&mut self, len: usize) -> Result<(), StorageError> {
        self.log.truncate(len);
        Ok(())
    }
}

/// What [`FaultyStorage`] does wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The append fails and writes nothing.
    Fail,
    /// The machine stops after this many bytes of the record: they stay, and nothing works any more.
    Torn(usize),
    /// The append says that it worked, but only this many bytes were written.
    Short(usize),
    /// There is room for a log of this many bytes.
    Full(usize),
}

/// A log in memory that goes wrong at a chosen append; for tests.
#[derive(Debug, Clone)]
pub struct FaultyStorage {
    inner: MemoryStorage,
    fault: Fault,
    /// Appends that still go well.
    n_good_left: usize,
    is_dead: bool,
}

impl FaultyStorage {
    /// Over `inner`, with `fault` at the append after `n_good` good ones ([`Fault::Full`] counts bytes instead).
    pub fn new(inner: MemoryStorage, fault: Fault, n_good: usize) -> Self {
        Self { inner, fault, n_good_left: n_good, is_dead: false }
    }

    /// The log as the next start would find it.
    pub fn into_inner(self) -> MemoryStorage {
        self.inner
    }
}

impl Storage for FaultyStorage {
    fn append(&mut self, record: &[u8]) -> Result<(), StorageError> {
        if self.is_dead {
            return Err(StorageError::Failed("the machine has stopped".to_owned()));
        }
        let is_full = matches!(self.fault, Fault::Full(n_max) if self.inner.log.len() + record.len() > n_max);
        if is_full {
            return Err(StorageError::Full);
        }
        if self.n_good_left > 0 || matches!(self.fault, Fault::Full(_)) {
            self.n_good_left = self.n_good_left.saturating_sub(1);
            return self.inner.append(record);
        }
        let part = |n_bytes: usize| &record[..n_bytes.min(record.len())];
        match self.fault {
            Fault::Fail => Err(StorageError::Failed("the write failed".to_owned())),
            Fault::Torn(n_bytes) => {
                self.is_dead = true;
                self.inner.append(part(n_bytes))?;
                Err(StorageError::Failed("the machine has stopped".to_owned()))
            }
            Fault::Short(n_bytes) => {
                self.n_good_left = usize::MAX;
                self.inner.append(part(n_bytes))
            }
            Fault::Full(_) => Err(StorageError::Full),
        }
    }

    fn read_all(&self) -> Result<Vec<u8>, StorageError> {
        if self.is_dead {
            return Err(StorageError::Failed("the machine has stopped".to_owned()));
        }
        self.inner.read_all()
    }

    fn truncate(&mut self, len: usize) -> Result<(), StorageError> {
        self.inner.truncate(len)
    }
}
