//! [`Histogram`]: all that a packer needs to know of a data set.

use crate::{Size, size};
use alloc::vec::Vec;
use core::cmp::Reverse;
use hashbrown::HashMap;

/// Graph size -> number of graphs: distinct sizes in ascending order, each with a count of at least 1.
///
/// Packers work on the histogram because data sets have far fewer sizes than graphs (ogbg-molhiv train: 795 for
/// 32,901).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Histogram<const K: usize> {
    entries: Vec<(Size<K>, u64)>,
    graphs: u64,
}

impl<const K: usize> Histogram<K> {
    /// Counts the sizes of single graphs.
    pub fn from_sizes(sizes: impl IntoIterator<Item = Size<K>>) -> Result<Self, HistogramError<K>> {
        Self::from_counts(sizes.into_iter().map(|size| (size, 1)))
    }

    /// Takes sizes with counts. Counts of equal sizes are added up, counts of zero are left out.
    ///
    /// Errors if the number of graphs exceeds 64 bits.
    pub fn from_counts(counts: impl IntoIterator<Item = (Size<K>, u64)>) -> Result<Self, HistogramError<K>> {
        // Sizes in ascending order, as those of another histogram or of a file, need no map.
        let mut entries: Vec<(Size<K>, u64)> = Vec::new();
        let mut others = HashMap::new();
        let mut graphs = 0_u64;
        for (size, count) in counts.into_iter().filter(|&(_, count)| count > 0) {
            graphs = graphs.checked_add(count).ok_or(HistogramError::Overflow { size, count })?;
            // Cannot overflow: no count exceeds the number of graphs.
            match entries.last_mut() {
                Some(last) if size < last.0 => *others.entry(size).or_insert(0) += count,
                Some(last) if size == last.0 => last.1 += count,
                _ => entries.push((size, count)),
            }
        }
        if !others.is_empty() {
            entries.extend(others);
            entries.sort_unstable();
            entries.dedup_by(|next, first| {
                let same = next.0 == first.0;
                if same {
                    first.1 += next.1;
                }
                same
            });
        }
        Ok(Self { entries, graphs })
    }

    /// The graphs of this histogram that are not in `other`, whose sizes must all be in this one.
    pub(crate) fn without(&self, other: &Self) -> Self {
        let mut others = other.entries.iter().peekable();
        let mut rest = Self { entries: Vec::new(), graphs: 0 };
        for &(size, count) in &self.entries {
            let taken = others.next_if(|(other, _)| *other == size).map_or(0, |&(_, taken)| taken);
            if let Some(left) = count.checked_sub(taken).filter(|&left| left > 0) {
                rest.entries.push((size, left));
                rest.graphs += left;
            }
        }
        rest
    }

    /// Priority, size and count of each distinct size, in descending order of (priority, size).
    pub(crate) fn descending(&self, priority: impl Fn(&Size<K>) -> u64) -> Vec<(u64, Size<K>, u64)> {
        let mut sizes: Vec<_> = self.entries.iter().map(|&(size, count)| (priority(&size), size, count)).collect();
        sizes.sort_unstable_by_key(|&(key, size, _)| Reverse((key, size)));
        sizes
    }

    /// Distinct sizes with their counts, ascending.
    pub fn entries(&self) -> &[(Size<K>, u64)] {
        &self.entries
    }

    /// Number of graphs.
    pub fn graphs(&self) -> u64 {
        self.graphs
    }

    /// Sum of each component over all graphs.
    pub fn totals(&self) -> [u128; K] {
        size::totals(self.entries.iter().copied())
    }

    /// The largest value of each component; zeros for an empty histogram.
    pub fn largest(&self) -> Size<K> {
        self.entries.iter().fold(Size([0; K]), |largest, (size, _)| largest.max_each(size))
    }
}

/// Why counts cannot be a histogram.
#[derive(Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HistogramError<const K: usize> {
    /// The number of graphs exceeds 64 bits.
    #[error("the number of graphs exceeds 64 bits when {count} of size {size} are added")]
    Overflow {
        /// The size whose count was too large.
        size: Size<K>,
        /// Its count.
        count: u64,
    },
}

crate::debug_is_display!(const K: HistogramError<K>);
