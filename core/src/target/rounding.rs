//! [`Rounding`]: shapes that follow from the batch itself.

use crate::{Size, Target};

/// Padding targets that follow from the batch itself: several shapes, each of which costs a compilation in JAX.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rounding {
    /// The next multiple: static-64 of Speckhard et al. with `Multiple(64)`.
    Multiple(u32),
    /// The next power of two: static-2^N.
    PowerOfTwo,
}

impl Rounding {
    /// The target of a batch with these sums and number of graphs. At least one padding node and graph is left free;
    /// sums that are a multiple, or a power of two, stay what they are in the other components.
    ///
    /// None if it exceeds 32 bits.
    pub fn target<const K: usize>(&self, sums: [u64; K], graphs: u32) -> Option<Target<K>> {
        let mut size = [0; K];
        for (k, (rounded, sum)) in size.iter_mut().zip(sums).enumerate() {
            let needed = sum.checked_add(u64::from(k == 0))?;
            let target = match *self {
                Self::Multiple(multiple) => needed.checked_next_multiple_of(u64::from(multiple.max(1)))?,
                Self::PowerOfTwo => needed.checked_next_power_of_two()?,
            };
            *rounded = u32::try_from(target).ok()?;
        }
        Some(Target { size: Size(size), graphs: graphs.checked_add(1)? })
    }
}
