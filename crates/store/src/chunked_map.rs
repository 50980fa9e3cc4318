//! A sorted map that shares its parts with its clones.

use std::borrow::Borrow;
use std::sync::Arc;

const CHUNK_LEN_MAX: usize = 64;

/// A sorted map in chunks. A clone costs one reference count; after it, changing one of the two copies the changed chunk
/// and the list of chunks, not the entries.
#[derive(Debug)]
pub(crate) struct ChunkedMap<K, V> {
    /// Sorted, none empty.
    chunks: Arc<Vec<Chunk<K, V>>>,
}

type Chunk<K, V> = Arc<Vec<(K, V)>>;

impl<K, V> Clone for ChunkedMap<K, V> {
    fn clone(&self) -> Self {
        Self { chunks: self.chunks.clone() }
    }
}

impl<K, V> Default for ChunkedMap<K, V> {
    fn default() -> Self {
        Self { chunks: Arc::new(Vec::new()) }
    }
}

impl<K: Ord + Clone, V: Clone> ChunkedMap<K, V> {
    pub(crate) fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        let chunk = self.chunks.get(self.chunk_of(key))?;
        let index = chunk.binary_search_by(|(other, _)| other.borrow().cmp(key)).ok()?;
        chunk.get(index).map(|(_, value)| value)
    }

    /// Puts a value and gives back the one it replaces.
    pub(crate) fn insert(&mut self, key: K, value: V) -> Option<V> {
        let index = self.chunk_of(&key).min(self.chunks.len().saturating_sub(1));
        let chunks = Arc::make_mut(&mut self.chunks);
        let Some(chunk) = chunks.get_mut(index) else {
            chunks.push(Arc::new(vec![(key, value)]));
            return None;
        };
        let entries = Arc::make_mut(chunk);
        match entries.binary_search_by(|(other, _)| other.cmp(&key)) {
            Ok(found) => entries.get_mut(found).map(|entry| std::mem::replace(&mut entry.1, value)),
            Err(place) => {
                entries.insert(place, (key, value));
                if entries.len() > CHUNK_LEN_MAX {
                    // Keys mostly come in ascending order: then the first part stays full.
                    let cut = if place + 1 == entries.len() { CHUNK_LEN_MAX } else { CHUNK_LEN_MAX / 2 };
                    let rest = entries.split_off(cut);
                    chunks.insert(index + 1, Arc::new(rest));
                }
                None
            }
        }
    }

    /// Takes a value out.
    pub(crate) fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let index = self.chunk_of(key);
        let found = self.chunks.get(index)?.binary_search_by(|(other, _)| other.borrow().cmp(key)).ok()?;
        let chunks = Arc::make_mut(&mut self.chunks);
        let (_, value) = Arc::make_mut(chunks.get_mut(index)?).remove(found);
        if chunks.get(index).is_some_and(|chunk| chunk.is_empty()) {
            chunks.remove(index);
        }
        Some(value)
    }

    /// The entries whose key is not less than `first`, in order.
    pub(crate) fn range_from<Q: Ord + ?Sized>(&self, first: &Q) -> impl Iterator<Item = (&K, &V)>
    where
        K: Borrow<Q>,
    {
        let chunk_index = self.chunk_of(first);
        let n_before =
            self.chunks.get(chunk_index).map_or(0, |chunk| chunk.partition_point(|(key, _)| key.borrow() < first));
        let entries = self.chunks.iter().skip(chunk_index).flat_map(|chunk| chunk.iter());
        entries.skip(n_before).map(|(key, value)| (key, value))
    }

    /// The first chunk whose last key is not less than `key`.
    fn chunk_of<Q: Ord + ?Sized>(&self, key: &Q) -> usize
    where
        K: Borrow<Q>,
    {
        self.chunks.partition_point(|chunk| chunk.last().is_some_and(|(last, _)| last.borrow() < key))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn prop_it_is_a_sorted_map_and_clones_change_apart(
            steps in prop::collection::vec((0..300_u32, any::<bool>()), 0..600),
            first in 0..300_u32,
        ) {
            let (mut map, mut expected) = (ChunkedMap::default(), BTreeMap::new());
            let mut clones = Vec::new();
            for (index, (key, is_insert)) in steps.into_iter().enumerate() {
                if is_insert || key % 3 == 0 {
                    prop_assert_eq!(map.insert(key, index), expected.insert(key, index));
                } else {
                    prop_assert_eq!(map.remove(&key), expected.remove(&key));
                }
                prop_assert_eq!(map.get(&first), expected.get(&first));
                if index % 100 == 0 {
                    clones.push((map.clone(), expected.clone()));
                }
            }
            clones.push((map, expected));
            for (map, expected) in clones {
                prop_assert!(map.range_from(&first).eq(expected.range(first..)));
                prop_assert!(map.range_from(&0).eq(expected.iter()));
            }
        }
    }
}
