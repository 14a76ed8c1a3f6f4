//! [`Target`]: a shape that batches are padded to.

use crate::{Limits, Size};

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
    /// What real graphs can fill: one node, the first component, and one graph are kept for padding.
    pub const fn usable(&self) -> Limits<K> {
        let mut size = self.size.0;
        if K > 0 {
            size[0] = size[0].saturating_sub(1);
        }
        Limits::new(size).graphs(self.graphs.saturating_sub(1))
    }
}
