//! Fixed memory, for programs without an allocator: [`FixedHistogram`], and [`FixedPlan`] with its [`FixedPack`]s.
//! Sizes are plain arrays, since the number of sets is known there.

use crate::FixedLimits;
use crate::size::Tuple;
use heapless::Vec;
use heapless::index_map::{Entry, FnvIndexMap};

/// How many graphs have each size, for at most `N` distinct sizes of `K` sets. `N` must be a power of two.
///
/// QM9 with all pairs of atoms as edges has 26 distinct sizes, which `FixedHistogram<2, 32>` holds in less than 1 KiB;
/// ogbg-molhiv has 894.
///
/// ```
/// use graphpack_core::FixedHistogram;
///
/// let mut histogram = FixedHistogram::<2, 32>::new();
/// histogram.add([18, 306], 1)?;
/// histogram.add([18, 306], 2)?;
/// assert_eq!(histogram.iter().collect::<Vec<_>>(), [([18, 306], 3)]);
/// # Ok::<(), graphpack_core::FixedHistogramError<2>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct FixedHistogram<const K: usize, const N: usize> {
    counts: FnvIndexMap<[u32; K], u64, N>,
}

impl<const K: usize, const N: usize> FixedHistogram<K, N> {
    /// An empty histogram.
    pub const fn new() -> Self {
        Self { counts: FnvIndexMap::new() }
    }

    /// Adds `count` graphs of `size`. On an error nothing changes.
    pub fn add(&mut self, size: [u32; K], count: u64) -> Result<(), FixedHistogramError<K>> {
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
    pub fn iter(&self) -> impl Iterator<Item = ([u32; K], u64)> + '_ {
        self.counts.iter().map(|(&size, &count)| (size, count))
    }
}

/// Why a [`FixedHistogram`] cannot count a graph.
#[derive(Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FixedHistogramError<const K: usize> {
    /// There is no room for another distinct size.
    #[error("no room for size {}: the histogram holds {capacity} distinct sizes", Tuple(size))]
    Full {
        /// The size that found no room.
        size: [u32; K],
        /// The number of distinct sizes that there is room for.
        capacity: usize,
    },
    /// The count of a size exceeds 64 bits.
    #[error("the count of size {} exceeds 64 bits", Tuple(size))]
    Overflow {
        /// The size in question.
        size: [u32; K],
    },
}

crate::debug_is_display::debug_is_display!(const K: FixedHistogramError<K>);

/// One distinct pack of a [`FixedPlan`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FixedPack<'a, const K: usize> {
    /// Sizes with the number of graphs of that size in the pack.
    pub contents: &'a [([u32; K], u32)],
    /// How often the plan uses this pack.
    pub repeat: u64,
}

impl<const K: usize> FixedPack<'_, K> {
    /// Number of graphs in the pack.
    pub fn graphs(&self) -> u64 {
        self.contents.iter().map(|&(_, times)| u64::from(times)).sum()
    }

    /// Number of graphs of one size in the pack; a size may occur more than once in `contents`.
    pub fn graphs_of(&self, size: &[u32; K]) -> u64 {
        self.contents.iter().filter(|(of, _)| of == size).map(|&(_, times)| u64::from(times)).sum()
    }

    /// Sum of each set's rows over the graphs of the pack.
    pub fn size(&self) -> [u64; K] {
        let mut sum = [0_u64; K];
        for (size, times) in self.contents {
            for (sum, &rows) in sum.iter_mut().zip(size) {
                *sum = sum.saturating_add(u64::from(rows) * u64::from(*times));
            }
        }
        sum
    }
}

/// The packs of a [`Plan`](crate::Plan) without an allocator: at most `PACKS` distinct packs, with at most `ENTRIES`
/// sizes in all packs together.
///
/// A host makes the plan, turns it into a `FixedPlan` and serialises it, or writes it with `graphpack plan --out`; a
/// microcontroller reads it and [follows](crate::stream::Follow) it. Or the microcontroller makes the plan, by
/// [`best_fit`](Self::best_fit). The packer and the bound are left out, so that firmware also reads plans of
/// packers that are newer than itself. Takes `(4 K + 4) ENTRIES + 16 PACKS` bytes where a pointer has 32 bits. A
/// plan needs room for its number of [`entries`](crate::Plan::entries) and of
/// [`distinct_packs`](crate::Plan::distinct_packs). A plan that is read is checked.
///
#[cfg_attr(feature = "alloc", doc = "```")]
#[cfg_attr(not(feature = "alloc"), doc = "```ignore")]
/// use graphpack_core::{FixedPlan, Heuristic, Histogram, Limits, Packer};
///
/// let histogram = Histogram::from_counts([([20, 40], 3), ([10, 22], 3)])?;
/// let plan = Packer::BestFit(Heuristic::Product).pack(&histogram, &Limits::new([30, 64]))?;
/// let fixed = FixedPlan::<2, 8, 4>::try_from(&plan)?;
/// assert_eq!((fixed.packs(), fixed.graphs()), (3, 6));
/// assert!(FixedPlan::<2, 1, 4>::try_from(&plan).is_err()); // the pack has two sizes
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FixedPlan<const K: usize, const ENTRIES: usize, const PACKS: usize> {
    pub(crate) limits: FixedLimits<K>,
    pub(crate) contents: Vec<([u32; K], u32), ENTRIES>,
    pub(crate) packs: Vec<(usize, u64), PACKS>,
}

impl<const K: usize, const ENTRIES: usize, const PACKS: usize> FixedPlan<K, ENTRIES, PACKS> {
    /// A plan without packs, to be read into (feature `serde`).
    pub const fn new() -> Self {
        Self { limits: FixedLimits::new([0; K]).graphs(0), contents: Vec::new(), packs: Vec::new() }
    }

    /// The limits that every pack keeps.
    pub fn limits(&self) -> &FixedLimits<K> {
        &self.limits
    }

    /// Number of packs, repeats counted.
    pub fn packs(&self) -> u64 {
        self.packs.iter().map(|&(_, repeat)| repeat).sum()
    }

    /// Number of graphs in all packs.
    pub fn graphs(&self) -> u64 {
        self.iter().map(|pack| pack.graphs() * pack.repeat).sum()
    }

    /// The most graphs that wait at once where [`Follow`](crate::stream::Follow) makes the packs: each pack lacks one.
    pub fn most_waiting(&self) -> u64 {
        self.graphs() - self.packs()
    }

    /// The distinct packs.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = FixedPack<'_, K>> {
        (0..self.packs.len()).map(|i| {
            let start = if i == 0 { 0 } else { self.packs[i - 1].0 };
            let (end, repeat) = self.packs[i];
            FixedPack { contents: &self.contents[start..end], repeat }
        })
    }

    /// Removes all packs.
    pub(crate) fn clear(&mut self) {
        self.contents.clear();
        self.packs.clear();
    }
}

impl<const K: usize, const ENTRIES: usize, const PACKS: usize> Default for FixedPlan<K, ENTRIES, PACKS> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(feature = "alloc")]
impl<const K: usize, const ENTRIES: usize, const PACKS: usize> TryFrom<&crate::Plan> for FixedPlan<K, ENTRIES, PACKS> {
    type Error = FixedPlanError;

    /// Errors if the plan is larger, or has another number of sets.
    fn try_from(plan: &crate::Plan) -> Result<Self, FixedPlanError> {
        let sets = plan.limits().size.sets();
        if sets != K {
            return Err(FixedPlanError::Sets { expected: K, found: sets });
        }
        let entries = plan.entries();
        let mut fixed = Self { limits: plan.limits().into(), contents: Vec::new(), packs: Vec::new() };
        let full =
            FixedPlanError::Full { entries, packs: plan.distinct_packs(), most_entries: ENTRIES, most_packs: PACKS };
        for pack in plan.iter() {
            for (size, times) in pack.contents() {
                fixed.contents.push((size.first(), times)).map_err(|_| full)?;
            }
            fixed.packs.push((fixed.contents.len(), pack.repeat)).map_err(|_| full)?;
        }
        Ok(fixed)
    }
}

/// A plan cannot be a [`FixedPlan`].
#[derive(Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FixedPlanError {
    /// It is too large.
    #[error(
        "the plan has {packs} distinct packs with {entries} sizes in all; there is room for {most_packs} with \
         {most_entries}"
    )]
    Full {
        /// Number of sizes in all distinct packs of the plan together.
        entries: usize,
        /// Number of distinct packs of the plan.
        packs: usize,
        /// Most sizes that there is room for.
        most_entries: usize,
        /// Most distinct packs that there is room for.
        most_packs: usize,
    },
    /// Its sizes have another number of sets.
    #[error("expected a plan of {expected} sets, found one of {found}")]
    Sets {
        /// Number of sets that there is room for.
        expected: usize,
        /// Number of sets of the plan.
        found: usize,
    },
}

crate::debug_is_display::debug_is_display!(FixedPlanError);

#[cfg(feature = "serde")]
mod serialized {
    //! A plan is a tuple of limits, contents and packs. It is read into its place, since it may be larger than the
    //! stack has room for.
    use super::{FixedPlan, Vec};
    use crate::damaged::check;
    use crate::lanes::serialized::Rows;
    use core::fmt;
    use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, SeqAccess, Visitor};
    use serde::ser::{Serialize, Serializer};

    impl<const K: usize, const ENTRIES: usize, const PACKS: usize> Serialize for FixedPlan<K, ENTRIES, PACKS> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            (self.limits, Contents(&self.contents), &self.packs[..]).serialize(serializer)
        }
    }

    impl<'de, const K: usize, const ENTRIES: usize, const PACKS: usize> Deserialize<'de> for FixedPlan<K, ENTRIES, PACKS> {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            let mut plan = Self::new();
            plan.read(deserializer)?;
            Ok(plan)
        }
    }

    impl<const K: usize, const ENTRIES: usize, const PACKS: usize> FixedPlan<K, ENTRIES, PACKS> {
        /// Deserialises in place, without a copy on the stack. On an error the plan has no packs.
        pub fn read<'de, D: Deserializer<'de>>(&mut self, deserializer: D) -> Result<(), D::Error> {
            let outcome = deserializer.deserialize_tuple(3, Members(self));
            if outcome.is_err() {
                self.clear();
            }
            outcome
        }
    }

    /// What a plan is read from.
    const EXPECTED: &str = "limits, contents and packs of a plan";

    struct Members<'a, const K: usize, const ENTRIES: usize, const PACKS: usize>(&'a mut FixedPlan<K, ENTRIES, PACKS>);

    impl<'de, const K: usize, const ENTRIES: usize, const PACKS: usize> Visitor<'de> for Members<'_, K, ENTRIES, PACKS> {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(EXPECTED)
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
            let plan = &mut *self.0;
            plan.limits = seq.next_element()?.ok_or_else(|| Error::invalid_length(0, &EXPECTED))?;
            let contents = seq.next_element_seed(Items(&mut plan.contents, |(Rows(size), times)| (size, times)))?;
            let packs = seq.next_element_seed(Items(&mut plan.packs, |pack: (usize, u64)| pack))?;
            contents.and(packs).ok_or_else(|| Error::invalid_length(1, &EXPECTED))?;
            check(&plan.limits, &plan.packs, plan.contents.len(), |entry| plan.contents[entry]).map_err(Error::custom)
        }
    }

    /// Sizes with numbers of graphs.
    struct Contents<'a, const K: usize>(&'a [([u32; K], u32)]);

    impl<const K: usize> Serialize for Contents<'_, K> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_seq(self.0.iter().map(|&(size, times)| (Rows(size), times)))
        }
    }

    /// Reads items as `R` and keeps each as `T`.
    struct Items<'a, T, R, const N: usize>(&'a mut Vec<T, N>, fn(R) -> T);

    impl<'de, T, R: Deserialize<'de>, const N: usize> DeserializeSeed<'de> for Items<'_, T, R, N> {
        type Value = ();

        fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
            deserializer.deserialize_seq(self)
        }
    }

    impl<'de, T, R: Deserialize<'de>, const N: usize> Visitor<'de> for Items<'_, T, R, N> {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "at most {N} items")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
            self.0.clear();
            while let Some(item) = seq.next_element()? {
                self.0.push((self.1)(item)).map_err(|_| Error::custom(format_args!("more than {N} items")))?;
            }
            Ok(())
        }
    }
}
