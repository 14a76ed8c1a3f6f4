//! [`LeastPadding`]: what every batch keeps free for padding.

use crate::{Limits, Size, Target};

/// The rows of each component and the graphs that every batch has for padding, at least. Nothing else adds these rows
/// to what is real or takes them away; both happen before rounding.
///
/// ```
/// use graphpack_core::{LeastPadding, Limits, Size, Target};
///
/// let padding = LeastPadding::one_node();
/// let target = Target { size: Size([11, 20]), graphs: 3 };
/// assert_eq!(padding.target([10, 20], 2), Some(target));
/// assert_eq!(padding.usable(&target), Limits::new([10, 20]).graphs(2));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LeastPadding<const K: usize> {
    /// Padding rows of each component.
    pub size: Size<K>,
    /// Padding graphs.
    pub graphs: u32,
}

impl<const K: usize> LeastPadding<K> {
    /// One row of the first component and one graph, as in jraph and TF-GNN.
    pub const fn one_node() -> Self {
        let mut size = [0; K];
        if K > 0 {
            size[0] = 1;
        }
        Self { size: Size(size), graphs: 1 }
    }

    /// Adds the padding to a number of real rows of each component and of real graphs. None if a sum exceeds 64 bits.
    pub fn add(&self, mut rows: [u64; K], graphs: u64) -> Option<([u64; K], u64)> {
        for (rows, padding) in rows.iter_mut().zip(self.size.0) {
            *rows = rows.checked_add(padding.into())?;
        }
        Some((rows, graphs.checked_add(self.graphs.into())?))
    }

    /// The smallest target that holds this number of real rows and graphs. None if it exceeds 32 bits.
    pub fn target(&self, rows: [u64; K], graphs: u32) -> Option<Target<K>> {
        let (rows, graphs) = self.add(rows, graphs.into())?;
        Target::new(rows, graphs)
    }

    /// Returns the limits that real graphs can fill of a target.
    pub const fn usable(&self, target: &Target<K>) -> Limits<K> {
        let mut size = target.size.0;
        let mut k = 0;
        while k < K {
            size[k] = size[k].saturating_sub(self.size.0[k]);
            k += 1;
        }
        Limits::new(size).graphs(self.real_graphs(target.graphs))
    }

    /// Returns how many graphs are real in a batch of `batch_size` graphs, padding included.
    pub const fn real_graphs(&self, batch_size: u32) -> u32 {
        batch_size.saturating_sub(self.graphs)
    }

    /// Returns the number of graphs of a batch with `real` real ones, padding included.
    pub const fn batch_size(&self, real: u32) -> u32 {
        real.saturating_add(self.graphs)
    }
}
