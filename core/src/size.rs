//! [`Size`] and [`Limits`]: how many rows of each set a graph has, and how many a pack may hold.

use core::fmt;
use core::hash::{Hash, Hasher};
use core::ops::Index;

/// The most sets of rows that a graph may have.
pub const MAX_SETS: usize = 16;

/// How many rows of each set a graph has, of one to 16 sets: nodes and edges, or any others.
///
/// Edges are directed, so a bond counts twice, as in the paper and in PyTorch Geometric. Sizes are ordered by their
/// first set, then by the second, and so on.
///
/// ```
/// use graphpack_core::Size;
///
/// let size = Size::new([9, 20]);
/// assert_eq!((size.sets(), size[0], size.to_string()), (2, 9, "(9, 20)".to_string()));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Size {
    /// Rows of each set; 0 from `sets` on.
    rows: [u32; MAX_SETS],
    sets: u8,
}

/// Values of the first `K` sets, and `rest` for all others. More than [`MAX_SETS`] sets do not compile.
pub(crate) const fn of_all_sets<T: Copy, const K: usize>(values: [T; K], rest: T) -> [T; MAX_SETS] {
    const { assert!(K <= MAX_SETS, "a graph has at most 16 sets") };
    let mut all = [rest; MAX_SETS];
    let mut set = 0;
    while set < K {
        all[set] = values[set];
        set += 1;
    }
    all
}

impl Size {
    /// Returns the size with these rows. More than [`MAX_SETS`] sets do not compile.
    #[inline]
    pub const fn new<const K: usize>(rows: [u32; K]) -> Self {
        Self { rows: of_all_sets(rows, 0), sets: K as u8 }
    }

    /// Returns the size whose set number i has `rows(i)` rows. Sets from [`MAX_SETS`] on are left out.
    #[inline]
    pub fn of(sets: usize, mut rows: impl FnMut(usize) -> u32) -> Self {
        let mut size = Self { rows: [0; MAX_SETS], sets: sets.min(MAX_SETS) as u8 };
        for (set, found) in size.rows[..usize::from(size.sets)].iter_mut().enumerate() {
            *found = rows(set);
        }
        size
    }

    /// Number of sets.
    #[inline]
    pub const fn sets(&self) -> usize {
        self.sets as usize
    }

    /// The rows of each set.
    #[inline]
    pub fn as_slice(&self) -> &[u32] {
        &self.rows[..self.sets()]
    }

    /// The rows of all [`MAX_SETS`] possible sets; 0 beyond the last set.
    #[inline]
    pub(crate) const fn all(&self) -> &[u32; MAX_SETS] {
        &self.rows
    }

    /// Returns the rows of the first `K` sets, 0 beyond the last set. More than [`MAX_SETS`] sets do not compile.
    #[inline]
    pub fn first<const K: usize>(&self) -> [u32; K] {
        const { assert!(K <= MAX_SETS, "a graph has at most 16 sets") };
        core::array::from_fn(|set| self.rows[set])
    }

    /// Returns this size with `sets` sets: leaves out the last sets, or adds sets of 0 rows.
    #[must_use]
    #[inline]
    pub fn resized(&self, sets: usize) -> Self {
        Self::of(sets, |set| self.rows[set])
    }

    /// Returns whether no set has more rows than in `room`.
    #[inline]
    pub fn fits(&self, room: &Self) -> bool {
        self.rows.iter().zip(&room.rows).all(|(rows, room)| rows <= room)
    }

    /// Returns the larger of the two numbers of rows, set by set.
    #[must_use]
    pub fn max_each(&self, other: &Self) -> Self {
        Self::of(self.sets().max(other.sets()), |set| self.rows[set].max(other.rows[set]))
    }

    /// Returns the smaller of the two numbers of rows, set by set.
    #[must_use]
    pub fn min_each(&self, other: &Self) -> Self {
        Self::of(self.sets().max(other.sets()), |set| self.rows[set].min(other.rows[set]))
    }

    /// Returns how many graphs of this size `room` holds; `u32::MAX` for the size zero.
    pub fn times_in(&self, room: &Self) -> u32 {
        let times = self.rows.iter().zip(&room.rows).filter_map(|(&rows, &room)| room.checked_div(rows));
        times.min().unwrap_or(u32::MAX)
    }

    /// Sets the number of rows of a set. Panics if the size does not have that set.
    pub fn set(&mut self, set: usize, rows: u32) {
        let sets = self.sets();
        self.rows[..sets][set] = rows;
    }
}

impl Index<usize> for Size {
    type Output = u32;

    /// Returns the rows of a set; 0 beyond the last set. Panics from [`MAX_SETS`] on.
    #[inline]
    fn index(&self, set: usize) -> &u32 {
        &self.rows[set]
    }
}

impl<const K: usize> From<[u32; K]> for Size {
    fn from(rows: [u32; K]) -> Self {
        Self::new(rows)
    }
}

impl<const K: usize> PartialEq<[u32; K]> for Size {
    fn eq(&self, rows: &[u32; K]) -> bool {
        self.as_slice() == rows
    }
}

impl Hash for Size {
    /// Hashes the rows of two sets as one word.
    fn hash<H: Hasher>(&self, state: &mut H) {
        for pair in self.rows[..self.sets().next_multiple_of(2)].as_chunks::<2>().0 {
            state.write_u64(u64::from(pair[0]) << 32 | u64::from(pair[1]));
        }
    }
}

impl fmt::Debug for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Size({:?})", self.as_slice())
    }
}

/// Writes the tuple as `(nodes, edges)`.
impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Tuple(self.as_slice()).fmt(f)
    }
}

/// Writes rows as `(nodes, edges)`.
pub(crate) struct Tuple<'a>(pub(crate) &'a [u32]);

impl fmt::Display for Tuple<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(")?;
        for (set, rows) in self.0.iter().enumerate() {
            write!(f, "{}{rows}", if set > 0 { ", " } else { "" })?;
        }
        f.write_str(")")
    }
}

/// The most that one pack may hold: rows of each set, and graphs.
///
/// ```
/// use graphpack_core::Limits;
///
/// let limits = Limits::new([2048, 4608]).graphs(128);
/// assert_eq!(limits.to_string(), "(2048, 4608) with at most 128 graphs");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Limits {
    /// The most rows of each set, summed over the graphs of a pack.
    pub size: Size,
    /// The most graphs.
    pub graphs: u32,
}

impl Limits {
    /// The most graphs per pack unless another number is set: that of the paper's experiments.
    pub const DEFAULT_GRAPHS: u32 = 256;

    /// Returns limits of these rows, and of [`DEFAULT_GRAPHS`](Self::DEFAULT_GRAPHS) graphs per pack.
    pub fn new(size: impl Into<Size>) -> Self {
        Self { size: size.into(), graphs: Self::DEFAULT_GRAPHS }
    }

    /// Returns these limits with another number for the most graphs.
    #[must_use]
    pub const fn graphs(mut self, graphs: u32) -> Self {
        self.graphs = graphs;
        self
    }

    /// Errors if there is no set, or if a limit is zero, because then no pack can hold a graph.
    pub fn check(&self) -> Result<(), LimitsError> {
        let is_zero = self.graphs == 0 || self.size.sets() == 0 || self.size.as_slice().contains(&0);
        if is_zero { Err(LimitsError { limits: *self }) } else { Ok(()) }
    }
}

/// Writes `(nodes, edges) with at most N graphs`.
impl fmt::Display for Limits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} with at most {} graphs", self.size, self.graphs)
    }
}

/// A limit is zero, so no graph can be packed.
#[derive(Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("limits must be at least 1 each, found {limits}")]
pub struct LimitsError {
    /// The limits as given.
    pub limits: Limits,
}

crate::debug_is_display::debug_is_display!(LimitsError);

#[cfg(feature = "serde")]
mod serialized {
    //! A size is written as the list of the rows of its sets.
    use super::{MAX_SETS, Size};
    use core::fmt;
    use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};
    use serde::ser::{Serialize, Serializer};

    impl Serialize for Size {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            self.as_slice().serialize(serializer)
        }
    }

    struct Rows;

    impl<'de> Visitor<'de> for Rows {
        type Value = Size;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("the rows of 1 to 16 sets")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Size, A::Error> {
            let mut size = Size::new([]);
            while let Some(rows) = seq.next_element()? {
                let set = size.sets();
                if set == MAX_SETS {
                    return Err(Error::invalid_length(set + 1, &self));
                }
                size.sets += 1;
                size.rows[set] = rows;
            }
            if size.sets == 0 { Err(Error::invalid_length(0, &self)) } else { Ok(size) }
        }
    }

    impl<'de> Deserialize<'de> for Size {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Size, D::Error> {
            deserializer.deserialize_seq(Rows)
        }
    }
}
