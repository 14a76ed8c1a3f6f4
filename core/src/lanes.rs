//! Sizes of a number of sets that the compiler knows, for loops that must be fast and for memory that is fixed: plain
//! arrays ([`Lanes`]), the limits of packs of them ([`FixedLimits`]), and `by_sets!`, which chooses the number.

use crate::size::Tuple;
use crate::{Limits, Size};
use core::fmt;

/// Evaluates an expression with a `const` number of sets that is equal to `$sets`: each of its loops is compiled once
/// for each number up to 8, in this crate alone. Any other number takes 16 lanes, of which those beyond the last set
/// are 0.
macro_rules! by_sets {
    ($sets:expr, $K:ident => $value:expr) => {{
        #[cfg(not(test))]
        let value = $crate::lanes::by_sets!(@match $sets, $K => $value, 1 2 3 4 5 6 7 8);
        // Half of the time that unit tests take to compile; core/tests/packing/unchanged.rs has all numbers.
        #[cfg(test)]
        let value = {
            assert!(!(3..=7).contains(&$sets), "unit tests compile 1, 2 and 16 sets, found {}", $sets);
            $crate::lanes::by_sets!(@match $sets, $K => $value, 1 2)
        };
        value
    }};
    (@match $sets:expr, $K:ident => $value:expr, $($k:literal)*) => {
        match $sets {
            $($k => {
                const $K: usize = $k;
                $value
            })*
            _ => {
                const $K: usize = 16;
                $value
            }
        }
    };
}

pub(crate) use by_sets;

/// Arithmetic on the rows of K sets.
pub(crate) trait Lanes: Copy {
    /// Whether no set has more rows than in `room`.
    fn fits(&self, room: &Self) -> bool;
    /// The larger number of each.
    fn max_each(&self, other: &Self) -> Self;
    /// The smaller number of each.
    #[cfg(feature = "alloc")]
    fn min_each(&self, other: &Self) -> Self;
    /// This room and that of a graph of `size` that leaves the pack.
    #[cfg(feature = "alloc")]
    fn plus(&self, size: &Self) -> Self;
    /// Returns the room that is left beside `times` graphs of `size`, which must fit.
    #[cfg(feature = "alloc")]
    fn less(&self, size: &Self, times: u32) -> Self;
    /// Returns how many graphs of this size `room` holds; `u32::MAX` for the size zero.
    fn times_in(&self, room: &Self) -> u32;
}

impl<const K: usize> Lanes for [u32; K] {
    // Without a branch, because that is one comparison of all sets.
    #[inline]
    fn fits(&self, room: &Self) -> bool {
        let mut fits = true;
        for (have, room) in self.iter().zip(room) {
            fits &= have <= room;
        }
        fits
    }

    #[inline]
    fn max_each(&self, other: &Self) -> Self {
        core::array::from_fn(|k| self[k].max(other[k]))
    }

    #[cfg(feature = "alloc")]
    #[inline]
    fn min_each(&self, other: &Self) -> Self {
        core::array::from_fn(|k| self[k].min(other[k]))
    }

    #[cfg(feature = "alloc")]
    #[inline]
    fn plus(&self, size: &Self) -> Self {
        core::array::from_fn(|k| self[k] + size[k])
    }

    #[cfg(feature = "alloc")]
    #[inline]
    fn less(&self, size: &Self, times: u32) -> Self {
        core::array::from_fn(|k| self[k] - size[k] * times)
    }

    #[inline]
    fn times_in(&self, room: &Self) -> u32 {
        (0..K).filter(|&k| self[k] > 0).map(|k| room[k] / self[k]).min().unwrap_or(u32::MAX)
    }
}

/// The most that one pack may hold, as [`Limits`], of a number of sets `K` that the compiler knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FixedLimits<const K: usize> {
    /// The most rows of each set, summed over the graphs of a pack.
    pub size: [u32; K],
    /// The most graphs.
    pub graphs: u32,
}

impl<const K: usize> FixedLimits<K> {
    /// Returns limits of these rows, and of [`Limits::DEFAULT_GRAPHS`] graphs per pack.
    pub const fn new(size: [u32; K]) -> Self {
        Self { size, graphs: Limits::DEFAULT_GRAPHS }
    }

    /// Returns these limits with another number for the most graphs.
    #[must_use]
    pub const fn graphs(mut self, graphs: u32) -> Self {
        self.graphs = graphs;
        self
    }

    /// Whether a limit is zero, so that no pack can hold a graph.
    pub(crate) fn is_zero(&self) -> bool {
        self.graphs == 0 || self.size.contains(&0)
    }
}

/// Returns the rows of the first `K` sets, 0 beyond the last set.
impl<const K: usize> From<&Limits> for FixedLimits<K> {
    fn from(limits: &Limits) -> Self {
        Self { size: limits.size.first(), graphs: limits.graphs }
    }
}

impl<const K: usize> From<FixedLimits<K>> for Limits {
    fn from(limits: FixedLimits<K>) -> Self {
        Self { size: Size::new(limits.size), graphs: limits.graphs }
    }
}

/// Writes `(nodes, edges) with at most N graphs`.
impl<const K: usize> fmt::Display for FixedLimits<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} with at most {} graphs", Tuple(&self.size), self.graphs)
    }
}

#[cfg(feature = "serde")]
pub(crate) mod serialized {
    //! Rows of `K` sets are a tuple, whose length is not written. By hand, because serde has no arrays of generic
    //! length.
    use super::FixedLimits;
    use core::fmt;
    use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};
    use serde::ser::{Serialize, SerializeTuple, Serializer};

    /// Rows as a tuple.
    pub(crate) struct Rows<const K: usize>(pub(crate) [u32; K]);

    impl<const K: usize> Serialize for Rows<K> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            tuple(&self.0, serializer)
        }
    }

    /// Writes rows as a tuple.
    pub(crate) fn tuple<S: Serializer>(rows: &[u32], serializer: S) -> Result<S::Ok, S::Error> {
        let mut tuple = serializer.serialize_tuple(rows.len())?;
        for rows in rows {
            tuple.serialize_element(rows)?;
        }
        tuple.end()
    }

    struct Elements<const K: usize>;

    impl<'de, const K: usize> Visitor<'de> for Elements<K> {
        type Value = Rows<K>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "a tuple of {K} numbers")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Rows<K>, A::Error> {
            let mut rows = [0; K];
            for (k, rows) in rows.iter_mut().enumerate() {
                *rows = seq.next_element()?.ok_or_else(|| Error::invalid_length(k, &self))?;
            }
            Ok(Rows(rows))
        }
    }

    impl<'de, const K: usize> Deserialize<'de> for Rows<K> {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            deserializer.deserialize_tuple(K, Elements)
        }
    }

    #[derive(serde::Serialize, serde::Deserialize)]
    #[serde(rename = "Limits")]
    struct Form<const K: usize> {
        size: Rows<K>,
        graphs: u32,
    }

    impl<const K: usize> Serialize for FixedLimits<K> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            Form { size: Rows(self.size), graphs: self.graphs }.serialize(serializer)
        }
    }

    impl<'de, const K: usize> Deserialize<'de> for FixedLimits<K> {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            let Form { size, graphs } = Form::deserialize(deserializer)?;
            Ok(Self { size: size.0, graphs })
        }
    }
}
