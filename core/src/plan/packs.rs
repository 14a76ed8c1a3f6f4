//! [`Pack`], and [`Packs`]: the two arrays that hold the packs of a plan, with or without an allocator.

use crate::Size;
#[cfg(feature = "serde")]
use crate::{Limits, LimitsError};

/// One distinct pack of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pack<'a, const K: usize> {
    /// Sizes with the number of graphs of that size in the pack.
    pub contents: &'a [(Size<K>, u32)],
    /// How often the plan uses this pack.
    pub repeat: u64,
}

impl<const K: usize> Pack<'_, K> {
    /// Number of graphs in the pack.
    pub fn graphs(&self) -> u64 {
        self.contents.iter().map(|&(_, times)| u64::from(times)).sum()
    }

    /// Number of graphs of one size in the pack; a size may occur more than once in `contents`.
    pub fn graphs_of(&self, size: &Size<K>) -> u64 {
        self.contents.iter().filter(|(of, _)| of == size).map(|&(_, times)| u64::from(times)).sum()
    }

    /// Sum of each component over the graphs of the pack.
    pub fn size(&self) -> [u64; K] {
        let mut sum = [0_u64; K];
        for (size, times) in self.contents {
            for (sum, &component) in sum.iter_mut().zip(&size.0) {
                *sum = sum.saturating_add(u64::from(component) * u64::from(*times));
            }
        }
        sum
    }
}

/// The packs of a plan, borrowed. All packs share one array, so that memory follows the number of distinct sizes and
/// not of graphs.
#[derive(Clone, Copy)]
pub(crate) struct Packs<'a, const K: usize> {
    /// Sizes with the number of graphs of that size, pack after pack.
    contents: &'a [(Size<K>, u32)],
    /// Per pack: the end of its range in `contents`, and how often the plan uses it.
    ends: &'a [(usize, u64)],
}

impl<'a, const K: usize> Packs<'a, K> {
    pub(crate) fn new(contents: &'a [(Size<K>, u32)], ends: &'a [(usize, u64)]) -> Self {
        Self { contents, ends }
    }

    /// Sizes with the number of graphs of that size, pack after pack.
    pub(crate) fn contents(self) -> &'a [(Size<K>, u32)] {
        self.contents
    }

    /// Per pack: the end of its range in [`contents`](Self::contents), and how often the plan uses it.
    #[cfg(feature = "alloc")]
    pub(crate) fn ends(self) -> &'a [(usize, u64)] {
        self.ends
    }

    pub(crate) fn iter(self) -> impl ExactSizeIterator<Item = Pack<'a, K>> {
        (0..self.ends.len()).map(move |i| {
            let start = if i == 0 { 0 } else { self.ends[i - 1].0 };
            let (end, repeat) = self.ends[i];
            Pack { contents: &self.contents[start..end], repeat }
        })
    }

    /// Number of packs, repeats counted.
    pub(crate) fn packs(self) -> u64 {
        self.ends.iter().map(|&(_, repeat)| repeat).sum()
    }

    /// Number of graphs in all packs.
    pub(crate) fn graphs(self) -> u64 {
        self.iter().map(|pack| pack.graphs() * pack.repeat).sum()
    }

    /// Checks arrays that were read from outside; only after that may other methods be called.
    #[cfg(feature = "serde")]
    pub(crate) fn check(self, limits: &Limits<K>) -> Result<(), Damaged<K>> {
        limits.check()?;
        let last = self.ends.last().map_or(0, |&(end, _)| end);
        if !self.ends.is_sorted_by_key(|&(end, _)| end) || last != self.contents.len() {
            return Err(Damaged::Ends { entries: self.contents.len(), last });
        }
        let mut all = 0_u64;
        for (number, pack) in self.iter().enumerate() {
            if pack.contents.is_empty() || pack.contents.iter().any(|&(_, times)| times == 0) || pack.repeat == 0 {
                return Err(Damaged::Unused { number });
            }
            let (size, graphs) = (pack.size(), pack.graphs());
            let over = size.iter().zip(&limits.size.0).any(|(&sum, &limit)| sum > u64::from(limit));
            if over || graphs > u64::from(limits.graphs) {
                return Err(Damaged::Oversize { number, size, graphs, limits: *limits });
            }
            let more = graphs.checked_mul(pack.repeat);
            all = more.and_then(|more| all.checked_add(more)).ok_or(Damaged::Overflow)?;
        }
        Ok(())
    }
}

/// Why arrays that were read cannot be the packs of a plan.
#[cfg(feature = "serde")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Damaged<const K: usize> {
    #[error(transparent)]
    Limits(#[from] LimitsError<K>),
    #[error("expected packs that end in ascending order, the last at entry {entries}, found a last end of {last}")]
    Ends { entries: usize, last: usize },
    #[error("pack {number} of the plan is empty or never used, or has 0 graphs of a size")]
    Unused { number: usize },
    #[error("pack {number} of the plan exceeds its limits {limits}: it has {size:?} with {graphs} graphs")]
    Oversize { number: usize, size: [u64; K], graphs: u64, limits: Limits<K> },
    #[error("the number of graphs of the plan exceeds 64 bits")]
    Overflow,
}
