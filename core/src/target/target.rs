//! [`Target`]: a shape that batches are padded to.

use crate::Size;

/// A shape that batches are padded to, padding included, as jraph's `n_node, n_edge, n_graph`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Target<const K: usize> {
    /// Slots of each component.
    pub size: Size<K>,
    /// Slots for graphs.
    pub graphs: u32,
}

impl<const K: usize> Target<K> {
    /// None if a number exceeds 32 bits.
    pub(super) fn new(slots: [u64; K], graphs: u64) -> Option<Self> {
        let mut size = [0; K];
        for (size, slots) in size.iter_mut().zip(slots) {
            *size = u32::try_from(slots).ok()?;
        }
        Some(Self { size: Size(size), graphs: u32::try_from(graphs).ok()? })
    }
}
