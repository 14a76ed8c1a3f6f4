//! [`Rounding`]: shapes that follow from the batch itself.

use crate::{LeastPadding, Target};

/// Rounds the shape of each batch up, which gives several shapes, each of which costs a compilation in JAX.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rounding {
    /// To the next multiple: static-64 of Speckhard et al. with `Multiple(64)`.
    Multiple(u32),
    /// To the next power of two: static-2^N of Speckhard et al.
    PowerOfTwo,
}

impl Rounding {
    /// The target of a batch with these sums of real rows and this number of real graphs, to which `padding` is added
    /// before rounding. Graphs are not rounded.
    ///
    /// None if it exceeds 32 bits.
    pub fn target<const K: usize>(&self, sums: [u64; K], graphs: u32, padding: LeastPadding<K>) -> Option<Target<K>> {
        let (mut rows, graphs) = padding.add(sums, graphs.into())?;
        for rows in &mut rows {
            *rows = match *self {
                Self::Multiple(multiple) => rows.checked_next_multiple_of(u64::from(multiple.max(1)))?,
                Self::PowerOfTwo => rows.checked_next_power_of_two()?,
            };
        }
        Target::new(rows, graphs)
    }
}
