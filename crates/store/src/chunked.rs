//! A list that shares its parts with its clones.

use std::sync::Arc;

const CHUNK_LEN_MAX: usize = 64;

/// A list in chunks. A clone costs one reference count; after it, changing one of the two copies the changed chunk and
/// the list of chunks, not the elements. So a table may keep one list of segments for every version.
#[derive(Debug)]
pub(crate) struct ChunkedList<T> {
    chunks: Arc<Vec<Chunk<T>>>,
    len: usize,
}

#[derive(Debug)]
struct Chunk<T> {
    /// Position of the first element in the whole list.
    start: usize,
    items: Arc<Vec<T>>,
}

impl<T> Clone for Chunk<T> {
    fn clone(&self) -> Self {
        Self { start: self.start, items: self.items.clone() }
    }
}

impl<T> Clone for ChunkedList<T> {
    fn clone(&self) -> Self {
        Self { chunks: self.chunks.clone(), len: self.len }
    }
}

impl<T> Default for ChunkedList<T> {
    fn default() -> Self {
        Self { chunks: Arc::new(Vec::new()), len: 0 }
    }
}

impl<T: Clone> ChunkedList<T> {
    /// Number of elements.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The element at `index`.
    pub(crate) fn get(&self, index: usize) -> Option<&T> {
        let chunk = &self.chunks[self.chunk_of(index)?];
        chunk.items.get(index - chunk.start)
    }

    /// The last element.
    pub(crate) fn last(&self) -> Option<&T> {
        self.chunks.last().and_then(|chunk| chunk.items.last())
    }

    /// Appends one element.
    pub(crate) fn push(&mut self, item: T) {
        let start = self.len;
        let chunks = Arc::make_mut(&mut self.chunks);
        match chunks.last_mut() {
            Some(chunk) if chunk.items.len() < CHUNK_LEN_MAX => Arc::make_mut(&mut chunk.items).push(item),
            _ => chunks.push(Chunk { start, items: Arc::new(vec![item]) }),
        }
        self.len += 1;
    }

    /// Puts `item` in the place of the element at `index`; an index past the end changes nothing.
    pub(crate) fn set(&mut self, index: usize, item: T) {
        let Some(chunk_index) = self.chunk_of(index) else { return };
        let chunk = &mut Arc::make_mut(&mut self.chunks)[chunk_index];
        let start = chunk.start;
        if let Some(place) = Arc::make_mut(&mut chunk.items).get_mut(index - start) {
            *place = item;
        }
    }

    /// The elements in order, from either end.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = &T> {
        self.chunks.iter().flat_map(|chunk| chunk.items.iter())
    }

    /// The position of the first element for which `is_before` is false, in a list that is partitioned by it.
    pub(crate) fn partition_point(&self, is_before: impl Fn(&T) -> bool) -> usize {
        let n_whole = self.chunks.partition_point(|chunk| chunk.items.last().is_some_and(&is_before));
        match self.chunks.get(n_whole) {
            Some(chunk) => chunk.start + chunk.items.partition_point(is_before),
            None => self.len,
        }
    }

    /// The chunks as slices, for walks that skip what two lists share.
    pub(crate) fn chunks(&self) -> impl Iterator<Item = &Arc<Vec<T>>> {
        self.chunks.iter().map(|chunk| &chunk.items)
    }

    fn chunk_of(&self, index: usize) -> Option<usize> {
        (index < self.len).then(|| self.chunks.partition_point(|chunk| chunk.start <= index) - 1)
    }
}

impl<T: Clone> FromIterator<T> for ChunkedList<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut list = Self::default();
        items.into_iter().for_each(|item| list.push(item));
        list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_share_chunks_and_change_apart() {
        let list: ChunkedList<usize> = (0..200).collect();
        let mut other = list.clone();
        other.push(200);
        other.set(70, 7);
        assert_eq!((list.len(), other.len()), (200, 201));
        assert_eq!((list.get(70), other.get(70)), (Some(&70), Some(&7)));
        assert_eq!(list.get(200), None);
        let shared = list.chunks().zip(other.chunks()).filter(|(left, right)| Arc::ptr_eq(left, right)).count();
        assert_eq!(shared, 2);
        assert_eq!(list.iter().copied().collect::<Vec<_>>(), (0..200).collect::<Vec<_>>());
        assert_eq!(list.iter().next_back(), list.last());
    }

    #[test]
    fn partition_points_are_found_across_chunks() {
        let list: ChunkedList<usize> = (0..130).map(|n| n * 2).collect();
        for (wanted, expected) in [(0, 0), (1, 1), (127, 64), (128, 64), (129, 65), (258, 129), (999, 130)] {
            assert_eq!(list.partition_point(|item| *item < wanted), expected);
        }
        assert_eq!(ChunkedList::<usize>::default().partition_point(|_| true), 0);
    }
}
