//! Numbers for byte strings.

use std::hash::{DefaultHasher, Hasher};

use hashbrown::HashTable;

/// Numbers distinct byte strings in the order in which they come; all bytes lie in one buffer.
#[derive(Debug, Default, Clone)]
pub(crate) struct KeyIndex {
    bytes: Vec<u8>,
    /// End of each string in `bytes`.
    ends: Vec<usize>,
    table: HashTable<u32>,
}

impl KeyIndex {
    /// The hash that the other functions take.
    pub(crate) fn hash(key: &[u8]) -> u64 {
        // A fixed key: the same events give the same tables in every run.
        let mut hasher = DefaultHasher::new();
        hasher.write(key);
        hasher.finish()
    }

    /// How many strings there are.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The string with this number.
    pub(crate) fn get(&self, number: u32) -> &[u8] {
        slice(&self.bytes, &self.ends, number)
    }

    /// The number of a string that is there.
    pub(crate) fn find(&self, hash: u64, key: &[u8]) -> Option<u32> {
        self.table.find(hash, |&number| self.get(number) == key).copied()
    }

    /// Makes room for so many more strings.
    pub(crate) fn reserve(&mut self, additional: usize) {
        self.ends.reserve(additional);
        let Self { bytes, ends, table } = self;
        table.reserve(additional, |&number| Self::hash(slice(bytes, ends, number)));
    }

    /// Adds a string that is not there yet.
    pub(crate) fn insert_new(&mut self, hash: u64, key: &[u8]) -> u32 {
        let number = self.ends.len() as u32;
        self.bytes.extend_from_slice(key);
        self.ends.push(self.bytes.len());
        let Self { bytes, ends, table } = self;
        table.insert_unique(hash, number, |&other| Self::hash(slice(bytes, ends, other)));
        number
    }

    /// Bytes held.
    pub(crate) fn size_bytes(&self) -> usize {
        self.bytes.capacity() + self.ends.capacity() * size_of::<usize>() + self.table.capacity() * size_of::<u32>()
    }
}

fn slice<'a>(bytes: &'a [u8], ends: &[usize], number: u32) -> &'a [u8] {
    let at = number as usize;
    &bytes[if at == 0 { 0 } else { ends[at - 1] }..ends[at]]
}
