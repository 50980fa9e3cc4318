//! The log on its way out: the workspace appends, JavaScript takes what was appended to safety.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use lakelet_store::{Storage, StorageError};
use wasm_bindgen::prelude::*;

/// Why nothing can be changed, and the way out.
const READ_ONLY: &str = "this workspace is open in another tab, which writes to it; take it over to change it here";

/// What happened to the log and has not been taken yet.
#[wasm_bindgen]
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct PendingLog {
    emptied: bool,
    records: Vec<u8>,
}

#[wasm_bindgen]
impl PendingLog {
    /// Everything before the records below was forgotten.
    #[wasm_bindgen(getter)]
    pub fn emptied(&self) -> bool {
        self.emptied
    }

    /// Framed records to be appended, one after the other.
    #[wasm_bindgen(js_name = takeRecords)]
    pub fn take_records(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.records)
    }
}

/// The storage of a workspace whose log JavaScript keeps.
pub struct LogBuffer {
    /// The log as it was handed over.
    recovered: Vec<u8>,
    pending: Rc<RefCell<PendingLog>>,
    read_only: Rc<Cell<bool>>,
}

impl LogBuffer {
    /// Over a log that is safe already; what is appended to it gathers in `pending`. While `read_only` holds, nothing can
    /// be appended.
    pub fn new(recovered: Vec<u8>, pending: Rc<RefCell<PendingLog>>, read_only: Rc<Cell<bool>>) -> Self {
        Self { recovered, pending, read_only }
    }
}

impl Storage for LogBuffer {
    fn append(&mut self, record: &[u8]) -> Result<(), StorageError> {
        if self.read_only.get() {
            return Err(StorageError::ReadOnly(READ_ONLY.to_owned()));
        }
        // Nobody reads the old log again: its memory is the workspace's now.
        self.recovered = Vec::new();
        self.pending.borrow_mut().records.extend_from_slice(record);
        Ok(())
    }

    fn read_all(&self) -> Result<Vec<u8>, StorageError> {
        Ok(self.recovered.clone())
    }

    fn truncate(&mut self, len: usize) -> Result<(), StorageError> {
        if self.read_only.get() {
            return Err(StorageError::ReadOnly(READ_ONLY.to_owned()));
        }
        let mut pending = self.pending.borrow_mut();
        if len == 0 {
            *pending = PendingLog { emptied: true, records: Vec::new() };
            self.recovered = Vec::new();
            return Ok(());
        }
        if pending.records.is_empty() && len <= self.recovered.len() {
            // A torn tail: JavaScript cuts it off when it learns how much was recovered.
            self.recovered.truncate(len);
            return Ok(());
        }
        Err(StorageError::Failed("a log that is in use can only be emptied".to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn buffer(recovered: &[u8]) -> (LogBuffer, Rc<RefCell<PendingLog>>) {
        let pending = Rc::new(RefCell::new(PendingLog::default()));
        (LogBuffer::new(recovered.to_vec(), Rc::clone(&pending), Rc::default()), pending)
    }

    #[test]
    fn a_log_that_another_tab_writes_takes_nothing() {
        let pending = Rc::new(RefCell::new(PendingLog::default()));
        let read_only = Rc::new(Cell::new(true));
        let mut log = LogBuffer::new(b"old".to_vec(), Rc::clone(&pending), Rc::clone(&read_only));
        assert!(matches!(log.append(b"new"), Err(StorageError::ReadOnly(_))));
        assert!(matches!(log.truncate(0), Err(StorageError::ReadOnly(_))));
        assert_eq!(pending.take(), PendingLog::default());
        read_only.set(false);
        log.append(b"new").unwrap();
    }

    #[test]
    fn appended_records_are_taken_once() {
        let (mut log, pending) = buffer(b"old");
        assert_eq!(log.read_all().unwrap(), b"old");
        log.append(b"new").unwrap();
        log.append(b"er").unwrap();
        assert_eq!(pending.take(), PendingLog { emptied: false, records: b"newer".to_vec() });
        assert_eq!(pending.take(), PendingLog::default());
    }

    #[test]
    fn emptied_log_keeps_what_follows() {
        let (mut log, pending) = buffer(b"old");
        log.append(b"gone").unwrap();
        log.truncate(0).unwrap();
        log.append(b"first").unwrap();
        assert_eq!(pending.take(), PendingLog { emptied: true, records: b"first".to_vec() });
    }

    #[test]
    fn only_a_torn_tail_is_cut() {
        let (mut log, _) = buffer(b"whole torn");
        log.truncate(5).unwrap();
        assert_eq!(log.read_all().unwrap(), b"whole");
        log.append(b"x").unwrap();
        assert!(log.truncate(3).is_err());
    }
}
