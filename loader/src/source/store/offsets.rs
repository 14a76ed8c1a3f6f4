//! [`Offsets`]: where the rows of each graph start and end.

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
