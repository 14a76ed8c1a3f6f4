//! [`Offsets`]: where the rows of each graph start and end.

use super::StoreError;
use super::bytes::Bytes;
use std::ops::Range;

/// Ascending numbers from 0, one more than there are graphs, as little-endian 64 bits.
#[derive(Clone, Debug)]
pub(super) struct Offsets(Bytes);

impl Offsets {
    pub(super) fn from_vec(ptr: &[u64]) -> Self {
        Self(Bytes::new(&ptr.iter().flat_map(|offset| offset.to_le_bytes()).collect::<Vec<_>>()))
    }

    pub(super) fn from_bytes(bytes: Bytes) -> Self {
        Self(bytes)
    }

    pub(super) fn bytes(&self) -> &[u8] {
        self.0.as_slice()
    }

    /// Offsets, one more than graphs.
    pub(super) fn len(&self) -> usize {
        self.0.len() / 8
    }

    fn at(&self, graph: usize) -> u64 {
        let bytes = &self.0.as_slice()[8 * graph..8 * graph + 8];
        bytes.try_into().map_or(0, u64::from_le_bytes)
    }

    /// Rows of all graphs.
    pub(super) fn total(&self) -> u64 {
        self.len().checked_sub(1).map_or(0, |last| self.at(last))
    }

    /// The rows of a graph. Empty where a file was changed under us, so that nothing is read out of bounds.
    pub(super) fn span(&self, graph: usize) -> Range<usize> {
        let bytes = &self.0.as_slice()[8 * graph..8 * graph + 16];
        let (from, to) = bytes.split_at(8);
        let read = |bytes: &[u8]| bytes.try_into().map_or(0, u64::from_le_bytes) as usize;
        read(from)..read(to)
    }

    /// They must start at 0, ascend, and give every graph a size of 32 bits.
    pub(super) fn check(&self, name: &'static str) -> Result<(), StoreError> {
        let mut offsets = self.0.as_slice().as_chunks::<8>().0.iter().map(|bytes| u64::from_le_bytes(*bytes));
        let mut from = match offsets.next() {
            Some(0) => 0,
            found => return Err(StoreError::Start { name, found }),
        };
        for (graph, to) in offsets.enumerate() {
            if to.checked_sub(from).is_none_or(|size| size > u64::from(u32::MAX)) {
                return Err(StoreError::Offsets { name, graph, from, to });
            }
            from = to;
        }
        Ok(())
    }
}
