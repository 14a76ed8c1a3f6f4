//! [`Histogram`]: all that a packer needs to know of a data set.

use crate::Size;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::AddAssign;
use hashbrown::HashMap;

/// How many graphs of a data set have each size: distinct sizes in ascending order, each with a count of at least 1.
///
/// Packers work on the histogram because data sets have far fewer sizes than graphs (ogbg-molhiv train: 795 for
/// 32,901).
///
/// ```
/// use graphpack_core::{Histogram, Size};
///
/// // Three graphs, two of them with 20 nodes and 40 edges.
/// let histogram = Histogram::from_sizes([[20, 40], [10, 22], [20, 40]])?;
/// assert_eq!(histogram.entries(), [(Size::new([10, 22]), 1), (Size::new([20, 40]), 2)]);
/// assert_eq!(histogram.totals(), [50, 102]); // nodes and edges of all graphs
/// # Ok::<(), graphpack_core::HistogramError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Histogram {
    entries: Vec<(Size, u64)>,
    graphs: u64,
}

impl Histogram {
    /// Counts the sizes of single graphs. Errors as [`from_counts`](Self::from_counts) does.
    pub fn from_sizes(sizes: impl IntoIterator<Item = impl Into<Size>>) -> Result<Self, HistogramError> {
        Self::from_counts(sizes.into_iter().map(|size| (size, 1)))
    }

    /// Takes sizes with counts. Counts of equal sizes are added up, counts of zero are left out.
    ///
    /// Errors if sizes have different numbers of sets, if there are 2^64 graphs, or if there are 2^32 distinct sizes.
    pub fn from_counts(counts: impl IntoIterator<Item = (impl Into<Size>, u64)>) -> Result<Self, HistogramError> {
        Self::collect(&mut counts.into_iter().map(|(size, count)| (size.into(), count)))
    }

    fn collect(counts: &mut dyn Iterator<Item = (Size, u64)>) -> Result<Self, HistogramError> {
        // Sizes in ascending order, as those of another histogram or of a file, need no map.
        let mut entries: Vec<(Size, u64)> = Vec::new();
        let mut others = HashMap::new();
        let mut graphs = 0_u64;
        for (size, count) in counts.filter(|&(_, count)| count > 0) {
            graphs = graphs.checked_add(count).ok_or(HistogramError::Overflow { size, count })?;
            // Cannot overflow: no count exceeds the number of graphs.
            match entries.last_mut() {
                Some(last) if size.sets() != last.0.sets() => {
                    return Err(HistogramError::Sets { expected: last.0.sets(), found: size });
                }
                Some(last) if size < last.0 => *others.entry(size).or_insert(0) += count,
                Some(last) if size == last.0 => last.1 += count,
                _ => entries.push((size, count)),
            }
        }
        if !others.is_empty() {
            entries.extend(others);
            add_up(&mut entries);
        }
        // Plans number sizes in 32 bits.
        match u32::try_from(entries.len()) {
            Ok(_) => Ok(Self { entries, graphs }),
            Err(_) => Err(HistogramError::TooManySizes { sizes: entries.len() }),
        }
    }

    /// Distinct sizes with their counts, ascending.
    pub fn entries(&self) -> &[(Size, u64)] {
        &self.entries
    }

    /// Number of graphs.
    pub fn graphs(&self) -> u64 {
        self.graphs
    }

    /// Number of sets of the sizes; 0 for an empty histogram.
    pub fn sets(&self) -> usize {
        self.entries.first().map_or(0, |(size, _)| size.sets())
    }

    /// Sum of each set's rows over all graphs; one number per set, none for an empty histogram.
    pub fn totals(&self) -> Vec<u128> {
        let mut totals = vec![0; self.sets()];
        for (size, count) in &self.entries {
            for (total, rows) in totals.iter_mut().zip(size.as_slice()) {
                *total += u128::from(*rows) * u128::from(*count);
            }
        }
        totals
    }

    /// The most rows of each set that any graph has; a size of no sets for an empty histogram.
    pub fn largest(&self) -> Size {
        self.entries.iter().fold(Size::new([]), |largest, (size, _)| largest.max_each(size))
    }
}

/// Sorts entries by their key and adds up the numbers of equal keys.
pub(crate) fn add_up<K: Ord, N: AddAssign + Copy>(entries: &mut Vec<(K, N)>) {
    entries.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    entries.dedup_by(|next, first| {
        let same = next.0 == first.0;
        if same {
            first.1 += next.1;
        }
        same
    });
}

/// Why counts cannot be a histogram.
#[derive(Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HistogramError {
    /// The number of graphs exceeds 64 bits.
    #[error("the number of graphs exceeds 64 bits when {count} of size {size} are added")]
    Overflow {
        /// The size whose count was too large.
        size: Size,
        /// Its count.
        count: u64,
    },
    /// Not all sizes have the same number of sets.
    #[error("expected sizes of {expected} sets, found {found}")]
    Sets {
        /// Number of sets of the sizes before it.
        expected: usize,
        /// The size that has another number.
        found: Size,
    },
    /// The number of distinct sizes exceeds 32 bits.
    #[error("expected fewer than 2^32 distinct sizes, found {sizes}")]
    TooManySizes {
        /// Number of distinct sizes.
        sizes: usize,
    },
}

crate::debug_is_display::debug_is_display!(HistogramError);
