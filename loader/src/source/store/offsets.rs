//! [`Offsets`]: where the rows of each graph start and end; [`Starts`]: the same of a file, in two bytes per graph.

use super::StoreError;
use super::bytes::Bytes;
use crate::error::Error;
use std::ops::Range;

/// Where the rows of each graph start, and the number of all rows at the end: ascending from 0, as little-endian 64 bit
/// integers.
#[derive(Clone, Debug)]
pub(super) struct Offsets {
    bytes: Bytes,
    /// Rows of all graphs, as read when this was made.
    total: u64,
}

impl Offsets {
    pub(super) fn from_vec(ptr: &[u64]) -> Self {
        Self::from_bytes(Bytes::new(&ptr.iter().flat_map(|offset| offset.to_le_bytes()).collect::<Vec<_>>()))
    }

    pub(super) fn from_bytes(bytes: Bytes) -> Self {
        let total = bytes.as_slice().as_chunks::<8>().0.last().map_or(0, |last| u64::from_le_bytes(*last));
        Self { bytes, total }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        self.bytes.as_slice()
    }

    /// Appends a graph of `rows` rows.
    pub(super) fn push(&mut self, rows: u32) {
        self.total += u64::from(rows);
        self.bytes.push(&self.total.to_le_bytes());
    }

    /// Number of offsets, one more than graphs.
    pub(super) fn len(&self) -> usize {
        self.bytes.len() / 8
    }

    /// Rows of all graphs.
    pub(super) fn total(&self) -> u64 {
        self.total
    }

    /// Returns the rows of a graph, which must exist. If the mapped file was changed meanwhile, they may be wrong, but
    /// never out of bounds.
    #[inline]
    pub(super) fn span(&self, graph: usize) -> Range<usize> {
        let (offsets, _) = self.bytes.as_slice()[8 * graph..8 * graph + 16].as_chunks::<8>();
        let from = u64::from_le_bytes(offsets[0]).min(self.total) as usize;
        from..(u64::from_le_bytes(offsets[1]).min(self.total) as usize).max(from)
    }

    /// Returns the number of rows of a graph, which must exist: the length of [`span`](Self::span).
    #[inline]
    pub(super) fn count(&self, graph: usize) -> u32 {
        let (offsets, _) = self.bytes.as_slice()[8 * graph..8 * graph + 16].as_chunks::<8>();
        u64::from_le_bytes(offsets[1]).saturating_sub(u64::from_le_bytes(offsets[0])) as u32
    }

    /// Errors unless offsets start at 0, ascend, and give every graph a size of at most 32 bits.
    pub(super) fn check(&self, name: &str) -> Result<(), Error> {
        let mut offsets = self.bytes.as_slice().as_chunks::<8>().0.iter().map(|bytes| u64::from_le_bytes(*bytes));
        let mut from = match offsets.next() {
            Some(0) => 0,
            found => return Err(StoreError::Start { name: name.to_owned(), found }.into()),
        };
        for (graph, to) in offsets.enumerate() {
            if to.checked_sub(from).is_none_or(|size| size > u64::from(u32::MAX)) {
                return Err(StoreError::Offsets { name: name.to_owned(), graph, from, to }.into());
            }
            from = to;
        }
        Ok(())
    }
}

/// Graphs that share a base.
const SHARED: usize = 64;

/// Where the rows of each graph of a file start, and the number of all rows at the end: every 64th number, and the
/// distances of the others from it, which two bytes hold for small graphs.
#[derive(Debug)]
pub(super) struct Starts {
    bases: Vec<u64>,
    distances: Distances,
    last: u64,
}

#[derive(Debug)]
enum Distances {
    U16(Vec<u16>),
    U32(Vec<u32>),
    U64(Vec<u64>),
}

impl Starts {
    /// Reserves memory for this many numbers.
    pub(super) fn with_capacity(numbers: usize) -> Self {
        let bases = Vec::with_capacity(numbers.div_ceil(SHARED));
        Self { bases, distances: Distances::U16(Vec::with_capacity(numbers)), last: 0 }
    }

    /// Appends the next offset of the set `name`. Errors unless offsets start with 0, ascend, and give each graph a
    /// size of at most 32 bits.
    pub(super) fn push(&mut self, name: &str, start: u64) -> Result<(), Error> {
        let (numbers, from) = (self.distances.len(), self.last);
        if numbers == 0 && start != 0 {
            return Err(StoreError::Start { name: name.to_owned(), found: Some(start) }.into());
        }
        if start.checked_sub(from).is_none_or(|size| size > u64::from(u32::MAX)) {
            return Err(StoreError::Offsets { name: name.to_owned(), graph: numbers - 1, from, to: start }.into());
        }
        if numbers.is_multiple_of(SHARED) {
            self.bases.push(start);
        }
        self.distances.push(start - self.bases[numbers / SHARED]);
        self.last = start;
        Ok(())
    }

    /// Number of graphs.
    pub(super) fn graphs(&self) -> usize {
        self.distances.len().saturating_sub(1)
    }

    /// Rows of all graphs.
    pub(super) fn total(&self) -> u64 {
        self.last
    }

    /// Returns the rows of a graph, which must exist.
    #[inline]
    pub(super) fn span(&self, graph: usize) -> Range<usize> {
        self.at(graph) as usize..self.at(graph + 1) as usize
    }

    /// Returns the number of rows of a graph, which must exist.
    #[inline]
    pub(super) fn count(&self, graph: usize) -> u32 {
        (self.at(graph + 1) - self.at(graph)) as u32
    }

    /// Returns where the rows of a graph start; after the last graph, the number of all rows.
    #[inline]
    pub(super) fn at(&self, graph: usize) -> u64 {
        let base = self.bases[graph / SHARED];
        base + match &self.distances {
            Distances::U16(distances) => distances[graph].into(),
            Distances::U32(distances) => distances[graph].into(),
            Distances::U64(distances) => distances[graph],
        }
    }
}

impl Distances {
    fn len(&self) -> usize {
        match self {
            Self::U16(distances) => distances.len(),
            Self::U32(distances) => distances.len(),
            Self::U64(distances) => distances.len(),
        }
    }

    /// Appends a distance, in wider integers than before where it needs them.
    fn push(&mut self, distance: u64) {
        match self {
            Self::U16(distances) => match distance.try_into() {
                Ok(distance) => return distances.push(distance),
                Err(_) => *self = Self::U32(widened(distances)),
            },
            Self::U32(distances) => match distance.try_into() {
                Ok(distance) => return distances.push(distance),
                Err(_) => *self = Self::U64(widened(distances)),
            },
            Self::U64(distances) => return distances.push(distance),
        }
        self.push(distance);
    }
}

fn widened<T: Copy, U: From<T>>(narrow: &[T]) -> Vec<U> {
    let mut wide = Vec::with_capacity(narrow.len() + 1);
    wide.extend(narrow.iter().map(|&number| U::from(number)));
    wide
}

#[cfg(test)]
mod tests {
    use super::Starts;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn they_are_the_offsets(sizes in prop::collection::vec(prop_oneof![0..9_u32, 0..5000_u32, any::<u32>()], 0..300)) {
            let (mut starts, mut offsets) = (Starts::with_capacity(0), vec![0]);
            starts.push("nodes", 0).expect("0");
            for &size in &sizes {
                offsets.push(offsets[offsets.len() - 1] + u64::from(size));
                starts.push("nodes", offsets[offsets.len() - 1]).expect("ascending");
            }
            prop_assert_eq!((starts.graphs(), starts.total()), (sizes.len(), offsets[sizes.len()]));
            for (graph, &size) in sizes.iter().enumerate() {
                prop_assert_eq!((starts.at(graph), starts.count(graph)), (offsets[graph], size));
            }
        }
    }
}
