//! The commit log in a folder of the machine.
//!
//! The folder holds `log.0` (or, copied from a browser, several generations `log.<n>`) and `lock`, which one process at a
//! time holds while it works there. The operating system releases it when the process ends, however it ends.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use lakelet_base::{Diagnostic, ErrorClass, Result};
use lakelet_store::{
    Adopted, AssembledLog, Generation, Storage, StorageError, assemble_generations, encode_generation_header,
};

const LOCK_NAME: &str = "lock";
const LOG_PREFIX: &str = "log.";

/// A log in a folder. Every append is on the disk before it returns.
#[derive(Debug)]
pub struct FileStorage {
    folder: PathBuf,
    /// Held for its lock.
    _lock: File,
    /// The file that is appended to.
    newest: File,
    /// Its length.
    len: u64,
    /// Its bytes before the first record.
    header_len: u64,
    /// Bytes of the records in older files.
    n_older_bytes: u64,
    n_torn_bytes: u64,
    /// What is on the disk is unknown after a failed repair: nothing may follow it.
    is_broken: bool,
}

impl FileStorage {
    /// Opens the log in `folder`, which is made where it is missing, and cuts off a commit that was never finished.
    ///
    /// # Errors
    /// `LAKELET_WORKSPACE_IN_USE` when another process works there, `LAKELET_STORAGE_FAILED`, and the errors of a log
    /// that is damaged or of a newer form; the files are then left as they are.
    pub fn open(folder: &Path) -> Result<Self> {
        let failed = |error: io::Error| failed(folder, &error);
        fs::create_dir_all(folder).map_err(failed)?;
        let lock_path = folder.join(LOCK_NAME);
        let lock = OpenOptions::new().create(true).truncate(false).write(true).open(lock_path).map_err(failed)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(in_use(folder)),
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        let generations = read_generations(folder).map_err(failed)?;
        let first = generations.iter().map(|generation| generation.number).max().unwrap_or_default();
        let AssembledLog { log, adopted } = assemble_generations(generations)?;
        let (newest, older) = match adopted.split_last() {
            Some((newest, older)) => (*newest, older),
            None => (Adopted { number: first, n_bytes: 0 }, &[][..]),
        };
        let path = folder.join(format!("{LOG_PREFIX}{}", newest.number));
        let mut file = OpenOptions::new().create(true).append(true).open(path).map_err(failed)?;
        let n_torn_bytes = file.metadata().map_err(failed)?.len().saturating_sub(newest.n_bytes);
        if n_torn_bytes > 0 {
            file.set_len(newest.n_bytes).map_err(failed)?;
        }
        let header = encode_generation_header(newest.number, older);
        let header_len = header.len() as u64;
        if newest.n_bytes == 0 {
            file.write_all(&header).and_then(|()| file.sync_all()).map_err(failed)?;
            // The name of a new file is on the disk when its folder is.
            File::open(folder).and_then(|folder| folder.sync_all()).map_err(failed)?;
        }
        let len = newest.n_bytes.max(header_len);
        Ok(Self {
            folder: folder.to_owned(),
            _lock: lock,
            newest: file,
            len,
            header_len,
            n_older_bytes: (log.len() as u64).saturating_sub(len - header_len),
            n_torn_bytes,
            is_broken: false,
        })
    }

    /// Bytes of an unfinished commit that opening cut off.
    pub fn n_torn_bytes(&self) -> u64 {
        self.n_torn_bytes
    }

    /// Takes back what a failed append left.
    fn cut_back(&mut self) {
        self.is_broken = self.newest.set_len(self.len).and_then(|()| self.newest.sync_data()).is_err();
    }
}

impl Storage for FileStorage {
    fn append(&mut self, record: &[u8]) -> Result<(), StorageError> {
        if self.is_broken {
            return Err(StorageError::Failed("an earlier write failed and could not be taken back".to_owned()));
        }
        let written = self.newest.write_all(record).and_then(|()| self.newest.sync_data());
        if let Err(error) = written {
            self.cut_back();
            return Err(storage_error(&error));
        }
        self.len += record.len() as u64;
        Ok(())
    }

    fn read_all(&self) -> Result<Vec<u8>, StorageError> {
        let generations = read_generations(&self.folder).map_err(|error| storage_error(&error))?;
        let assembled = assemble_generations(generations);
        assembled.map(|assembled| assembled.log).map_err(|error| StorageError::Failed(error.message))
    }

    fn truncate(&mut self, len: usize) -> Result<(), StorageError> {
        let Some(n_newest_bytes) = (len as u64).checked_sub(self.n_older_bytes) else {
            return Err(StorageError::Failed("files that were adopted are never cut".to_owned()));
        };
        self.len = self.len.min(self.header_len + n_newest_bytes);
        self.cut_back();
        if self.is_broken { Err(StorageError::Failed("the log could not be cut".to_owned())) } else { Ok(()) }
    }
}

fn storage_error(error: &io::Error) -> StorageError {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => StorageError::Full,
        _ => StorageError::Failed(error.to_string()),
    }
}

fn read_generations(folder: &Path) -> io::Result<Vec<Generation>> {
    let mut generations = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let number = name.to_str().and_then(|name| name.strip_prefix(LOG_PREFIX)).and_then(|text| text.parse().ok());
        if let Some(number) = number {
            generations.push(Generation { number, bytes: fs::read(entry.path())? });
        }
    }
    Ok(generations)
}

fn failed(folder: &Path, error: &io::Error) -> Box<Diagnostic> {
    let class = lakelet_store::classes::STORAGE_FAILED;
    Box::new(Diagnostic::new(class, format!("The workspace in {} cannot be opened: {error}.", folder.display())))
}

fn in_use(folder: &Path) -> Box<Diagnostic> {
    let class = ErrorClass::new("LAKELET_WORKSPACE_IN_USE", "55006");
    let message = format!("Another lakelet is working in {}.", folder.display());
    Box::new(Diagnostic::new(class, message).hint("Wait until it has ended, or take another folder."))
}

#[cfg(test)]
mod tests;
