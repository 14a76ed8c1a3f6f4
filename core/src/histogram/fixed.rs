//! [`FixedHistogram`]: a histogram of fixed capacity, for targets without an allocator.

use crate::Size;
use heapless::index_map::{Entry, FnvIndexMap};

/// Graph size -> number of graphs, for at most `N` distinct sizes. `N` must be a power of two.
///
/// QM9 with all pairs of atoms as edges has 26 distinct sizes, which `FixedHistogram<2, 32>` holds in less than 1 KiB;
/// ogbg-molhiv has 894.
///
/// ```
/// use graphpack_core::{FixedHistogram, Size};
///
/// let mut histogram = FixedHistogram::<2, 32>::new();
/// histogram.add(Size([18, 306]), 1)?;
/// histogram.add(Size([18, 306]), 2)?;
/// assert_eq!(histogram.iter().collect::<Vec<_>>(), [(Size([18, 306]), 3)]);
/// # Ok::<(), graphpack_core::FixedHistogramError<2>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct FixedHistogram<const K: usize, const N: usize> {
    counts: FnvIndexMap<Size<K>, u64, N>,
}

impl<const K: usize, const N: usize> FixedHistogram<K, N> {
    /// An empty histogram.
    pub const fn new() -> Self {
        Self { counts: FnvIndexMap::new() }
    }

    /// Adds `count` graphs of `size`. On an error nothing changes.
    pub fn add(&mut self, size: Size<K>, count: u64) -> Result<(), FixedHistogramError<K>> {
        if count == 0 {
            return Ok(());
        }
        match self.counts.entry(size) {
            Entry::Occupied(entry) => {
                let sum = entry.get().checked_add(count).ok_or(FixedHistogramError::Overflow { size })?;
                entry.insert(sum);
            }
            Entry::Vacant(entry) => {
                entry.insert(count).map_err(|_| FixedHistogramError::Full { size, capacity: N })?;
            }
        }
        Ok(())
    }

    /// Number of distinct sizes.
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// Whether no graphs were added.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// Sizes and their counts, in the order in which the sizes were first seen.
    pub fn iter(&self) -> impl Iterator<Item = (Size<K>, u64)> + '_ {
        self.counts.iter().map(|(&size, &count)| (size, count))
    }
}

/// Why a [`FixedHistogram`] cannot count a graph.
#[derive(Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FixedHistogramError<const K: usize> {
    /// There is no room for another distinct size.
    #[error("no room for size {size}: the histogram holds {capacity} distinct sizes")]
    Full {
        /// The size that found no room.
        size: Size<K>,
        /// The number of distinct sizes that there is room for.
        capacity: usize,
    },
    /// The count of a size exceeds 64 bits.
    #[error("the count of size {size} exceeds 64 bits")]
    Overflow {
        /// The size in question.
        size: Size<K>,
    },
}

crate::debug_is_display!(const K: FixedHistogramError<K>);
