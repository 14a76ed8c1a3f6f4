//! [`Size`]: how many rows of each set a graph has.

use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, Serializer};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Index;

/// The most sets of rows that a graph may have.
pub const MAX_SETS: usize = graphpack_core::MAX_COMPONENTS;

/// How many rows of each set a graph has, in the order of the sets of its [`Schema`](crate::Schema): nodes and directed
/// edges by default. This is core's [`Size<K>`](graphpack_core::Size) for a K that is only known at run time.
///
/// ```
/// use graphpack_loader::Size;
///
/// let size = Size::new([9, 20]);
/// assert_eq!((size.sets(), size[0], size.to_string()), (2, 9, "(9, 20)".into()));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Size {
    /// Rows of each set; 0 from `sets` on.
    rows: [u32; MAX_SETS],
    sets: u8,
}

impl Size {
    /// Returns the size with these rows. More than [`MAX_SETS`] sets do not compile.
    #[inline]
    pub const fn new<const K: usize>(rows: [u32; K]) -> Self {
        Self { rows: widened(rows, 0), sets: K as u8 }
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

    /// Whether no set has more rows than in `room`.
    #[inline]
    pub fn fits(&self, room: &Self) -> bool {
        self.rows.iter().zip(&room.rows).all(|(rows, room)| rows <= room)
    }

    /// Returns the larger number of rows of each set.
    #[must_use]
    pub fn max_each(&self, other: &Self) -> Self {
        Self::of(self.sets(), |set| self[set].max(other[set]))
    }

    /// Returns the smaller number of rows of each set.
    #[must_use]
    pub(crate) fn min_each(&self, other: &Self) -> Self {
        Self::of(self.sets(), |set| self[set].min(other[set]))
    }

    /// Returns the rows of the first `K` sets for core, 0 for sets that there are not.
    #[inline]
    pub fn exact<const K: usize>(&self) -> graphpack_core::Size<K> {
        graphpack_core::Size(std::array::from_fn(|set| self.rows[set]))
    }

    /// The rows of all sets, 0 for sets that there are not.
    #[inline]
    pub(super) fn all(&self) -> &[u32; MAX_SETS] {
        &self.rows
    }

    pub(crate) fn set(&mut self, set: usize, rows: u32) {
        self.rows[set] = rows;
    }
}

/// Returns the rows of all sets: these, and `none` for sets that there are not.
#[inline]
pub(super) const fn widened<T: Copy, const K: usize>(rows: [T; K], none: T) -> [T; MAX_SETS] {
    const { assert!(K <= MAX_SETS, "a graph has at most 8 sets") };
    let mut all = [none; MAX_SETS];
    let mut set = 0;
    while set < K {
        all[set] = rows[set];
        set += 1;
    }
    all
}

impl Index<usize> for Size {
    type Output = u32;

    /// Returns the rows of a set; 0 for a set that there is not. Panics from [`MAX_SETS`] on.
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

impl<const K: usize> From<graphpack_core::Size<K>> for Size {
    fn from(size: graphpack_core::Size<K>) -> Self {
        Self::new(size.0)
    }
}

impl<const K: usize> PartialEq<[u32; K]> for Size {
    fn eq(&self, rows: &[u32; K]) -> bool {
        self.as_slice() == rows
    }
}

impl<const K: usize> PartialEq<graphpack_core::Size<K>> for Size {
    fn eq(&self, size: &graphpack_core::Size<K>) -> bool {
        *self == size.0
    }
}

impl Hash for Size {
    /// Two sets are one word to hash.
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
        f.write_str("(")?;
        for (set, rows) in self.as_slice().iter().enumerate() {
            write!(f, "{}{rows}", if set > 0 { ", " } else { "" })?;
        }
        f.write_str(")")
    }
}

impl Serialize for Size {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.as_slice().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Size {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let rows = Vec::<u32>::deserialize(deserializer)?;
        if !(1..=MAX_SETS).contains(&rows.len()) {
            return Err(D::Error::invalid_length(rows.len(), &"the rows of 1 to 8 sets"));
        }
        Ok(Self::of(rows.len(), |set| rows[set]))
    }
}
