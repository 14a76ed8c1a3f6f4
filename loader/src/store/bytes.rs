//! [`Bytes`]: read-only bytes on the heap or in a mapped file.

use super::map::Map;
use std::sync::Arc;

/// Bytes that a store keeps. They need no alignment: columns are copied, numbers are read byte by byte.
#[derive(Clone, Debug)]
pub(super) enum Bytes {
    Heap(Vec<u8>),
    Mapped { map: Arc<Map>, start: usize, len: usize },
}

impl Bytes {
    pub(super) fn as_slice(&self) -> &[u8] {
        match self {
            Self::Heap(bytes) => bytes,
            Self::Mapped { map, start, len } => &map.bytes()[*start..*start + *len],
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::Heap(bytes) => bytes.len(),
            Self::Mapped { len, .. } => *len,
        }
    }

    /// A part of it, of the same memory if it is mapped.
    pub(super) fn part(&self, from: usize, to: usize) -> Self {
        match self {
            Self::Heap(bytes) => Self::Heap(bytes[from..to].to_vec()),
            Self::Mapped { map, start, .. } => Self::Mapped { map: map.clone(), start: start + from, len: to - from },
        }
    }
}
