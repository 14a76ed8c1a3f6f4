//! [`Size`]: the size of one graph, a tuple of K components.

use core::fmt;

/// The size of one graph: `Size([nodes, edges])`, or any other tuple of K counts.
///
/// Edges are directed, so a bond counts twice, as in the paper and in PyTorch Geometric. Sizes are ordered by their
/// first component, then by the second, and so on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Size<const K: usize>(pub [u32; K]);

impl<const K: usize> Size<K> {
    /// Whether no component exceeds the same component of `room`.
    #[inline]
    pub fn fits(&self, room: &Self) -> bool {
        self.0.iter().zip(&room.0).all(|(have, room)| have <= room)
    }

    /// The component-wise maximum.
    #[must_use]
    #[inline]
    pub fn max_each(&self, other: &Self) -> Self {
        Self(core::array::from_fn(|k| self.0[k].max(other.0[k])))
    }

    /// The first J components, and 0 for those that this size does not have.
    #[must_use]
    #[inline]
    pub fn with_components<const J: usize>(&self) -> Size<J> {
        Size(core::array::from_fn(|k| self.0.get(k).copied().unwrap_or(0)))
    }

    /// The component-wise minimum.
    #[cfg(feature = "alloc")]
    #[inline]
    pub(crate) fn min_each(&self, other: &Self) -> Self {
        Self(core::array::from_fn(|k| self.0[k].min(other.0[k])))
    }

    /// Returns this room plus that of a graph of `size` that leaves the pack.
    #[cfg(feature = "alloc")]
    #[inline]
    pub(crate) fn plus(&self, size: &Self) -> Self {
        Self(core::array::from_fn(|k| self.0[k] + size.0[k]))
    }

    /// What is left of this room with `times` graphs of `size` in it, which must fit.
    #[cfg(feature = "alloc")]
    #[inline]
    pub(crate) fn less(&self, size: &Self, times: u32) -> Self {
        Self(core::array::from_fn(|k| self.0[k] - size.0[k] * times))
    }

    /// How many graphs of this size `room` holds; `u32::MAX` for the size zero.
    #[inline]
    pub fn times_in(&self, room: &Self) -> u32 {
        (0..K).filter(|&k| self.0[k] > 0).map(|k| room.0[k] / self.0[k]).min().unwrap_or(u32::MAX)
    }
}

/// Sum of each component over sizes with counts.
#[cfg(feature = "alloc")]
pub(crate) fn totals<const K: usize>(counts: impl Iterator<Item = (Size<K>, u64)>) -> [u128; K] {
    let mut totals = [0; K];
    for (size, count) in counts {
        for (total, component) in totals.iter_mut().zip(size.0) {
            *total += u128::from(component) * u128::from(count);
        }
    }
    totals
}

impl<const K: usize> From<[u32; K]> for Size<K> {
    fn from(components: [u32; K]) -> Self {
        Self(components)
    }
}

/// Writes the tuple as `(nodes, edges)`.
impl<const K: usize> fmt::Display for Size<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(")?;
        for (k, component) in self.0.iter().enumerate() {
            if k > 0 {
                f.write_str(", ")?;
            }
            write!(f, "{component}")?;
        }
        f.write_str(")")
    }
}

#[cfg(feature = "serde")]
mod serialized {
    //! A size is written as a tuple of K numbers. Written by hand, because serde has no arrays of generic length.
    use super::Size;
    use core::fmt;
    use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};
    use serde::ser::{Serialize, SerializeTuple, Serializer};

    impl<const K: usize> Serialize for Size<K> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut tuple = serializer.serialize_tuple(K)?;
            for component in &self.0 {
                tuple.serialize_element(component)?;
            }
            tuple.end()
        }
    }

    struct Components<const K: usize>;

    impl<'de, const K: usize> Visitor<'de> for Components<K> {
        type Value = Size<K>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "a tuple of {K} numbers")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Size<K>, A::Error> {
            let mut components = [0; K];
            for (k, component) in components.iter_mut().enumerate() {
                *component = seq.next_element()?.ok_or_else(|| Error::invalid_length(k, &self))?;
            }
            Ok(Size(components))
        }
    }

    impl<'de, const K: usize> Deserialize<'de> for Size<K> {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            deserializer.deserialize_tuple(K, Components)
        }
    }
}
