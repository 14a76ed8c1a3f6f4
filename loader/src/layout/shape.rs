//! [`Shape`]: how many rows of each set and how many graphs a batch has; [`GraphSpan`]: those of one graph.

use super::{Level, MAX_SETS, Size};
use graphpack_core::{Cost, LeastPadding, Limits};
use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, Serializer};
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Range;

/// How many rows the arrays of a batch have for each set and for graphs: all rows, padding included, or only the real
/// ones ([`BatchInfo::real`](crate::BatchInfo::real)).
///
/// Shapes are ordered by the rows of the first set, then of the second and so on, then by graphs.
///
/// ```
/// use graphpack_loader::{Level, Shape};
///
/// let shape = Shape::new([6, 5], 4);
/// assert_eq!((shape.nodes(), shape.rows(Level::EDGE), shape.graphs()), (6, 5, 4));
/// assert_eq!(shape.to_string(), "(6, 5) and 4 graphs");
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Shape {
    /// Rows of each set; 0 from `sets` on.
    rows: [usize; MAX_SETS],
    graphs: usize,
    sets: u8,
    named: Named,
}

/// Where `nodes` and `edges` are among the sets. Shapes are compared by their rows alone, so that all of these are
/// equal.
#[derive(Clone, Copy)]
struct Named {
    nodes: u8,
    edges: u8,
}

impl Named {
    const DEFAULT: Self = Self { nodes: 0, edges: 1 };
}

impl Default for Named {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl PartialEq for Named {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Named {}

impl PartialOrd for Named {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Named {
    fn cmp(&self, _: &Self) -> Ordering {
        Ordering::Equal
    }
}

impl Hash for Named {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

impl Shape {
    /// Returns the shape with these rows of each set and `graphs` graphs. More than [`MAX_SETS`] sets do not compile.
    #[inline]
    pub const fn new<const K: usize>(rows: [usize; K], graphs: usize) -> Self {
        const { assert!(K <= MAX_SETS, "a graph has at most 16 sets") };
        let mut shape = Self { rows: [0; MAX_SETS], graphs, sets: K as u8, named: Named::DEFAULT };
        let mut set = 0;
        while set < K {
            shape.rows[set] = rows[set];
            set += 1;
        }
        shape
    }

    /// Returns the shape whose set number i has `rows(i)` rows. Sets from [`MAX_SETS`] on are left out.
    #[inline]
    pub fn of(sets: usize, graphs: usize, mut rows: impl FnMut(usize) -> usize) -> Self {
        let sets = sets.min(MAX_SETS);
        let mut shape = Self { rows: [0; MAX_SETS], graphs, sets: sets as u8, named: Named::DEFAULT };
        for (set, found) in shape.rows[..sets].iter_mut().enumerate() {
            *found = rows(set);
        }
        shape
    }

    /// Returns these rows as the rows of sets with these names.
    pub(crate) fn named(mut self, sets: &[String]) -> Self {
        let place = |name: &str| sets.iter().position(|set| set == name).map_or(u8::MAX, |place| place as u8);
        self.named = Named { nodes: place("nodes"), edges: place("edges") };
        self
    }

    /// Returns what a step of this shape costs, where no number counts as more than 2^32 - 1.
    pub(crate) fn cost(&self, cost: &Cost) -> u128 {
        let number = |rows: usize| u32::try_from(rows).unwrap_or(u32::MAX);
        let size = Size::of(self.sets.into(), |set| number(self.rows[set]));
        cost.of(&Limits { size, graphs: number(self.graphs) })
    }

    /// Rows of each set.
    #[inline]
    pub fn sets(&self) -> &[usize] {
        &self.rows[..usize::from(self.sets)]
    }

    /// Rows of the set `nodes`; 0 if the data of the loader have no set of this name. In a shape that you make
    /// yourself, the first set is `nodes` and the second is `edges`.
    #[inline]
    pub const fn nodes(&self) -> usize {
        self.rows(Level::Set(self.named.nodes))
    }

    /// Rows of the set `edges`; 0 if the data of the loader have no set of this name. Otherwise as
    /// [`nodes`](Self::nodes).
    #[inline]
    pub const fn edges(&self) -> usize {
        self.rows(Level::Set(self.named.edges))
    }

    /// Number of graphs.
    #[inline]
    pub const fn graphs(&self) -> usize {
        self.graphs
    }

    /// Rows of the arrays of `level`; 0 beyond the last set.
    #[inline]
    pub const fn rows(&self, level: Level) -> usize {
        match level {
            Level::Set(set) if (set as usize) < MAX_SETS => self.rows[set as usize],
            Level::Set(_) => 0,
            Level::Graph => self.graphs,
        }
    }

    /// Returns the rows after adding a graph of `size`.
    #[must_use]
    #[inline]
    pub(crate) fn with_graph(&self, size: &Size) -> Self {
        let rows = |set: usize| self.rows[set].saturating_add(size[set] as usize);
        Self::of(size.sets(), self.graphs.saturating_add(1), rows)
    }

    /// Returns the sum of both shapes, set by set. The names of the sets are those of `other`.
    #[must_use]
    pub(crate) fn plus(&self, other: &Self) -> Self {
        let rows = |set: usize| self.rows[set].saturating_add(other.rows[set]);
        let sum = Self::of(self.sets.max(other.sets).into(), self.graphs.saturating_add(other.graphs), rows);
        Self { named: other.named, ..sum }
    }

    /// Returns the larger number of rows of each set, and of graphs.
    #[must_use]
    pub(crate) fn max_each(&self, other: &Self) -> Self {
        let rows = |set: usize| self.rows[set].max(other.rows[set]);
        Self::of(self.sets.max(other.sets).into(), self.graphs.max(other.graphs), rows)
    }

    /// Returns the same with at least `rows` rows of a set.
    #[must_use]
    pub(crate) fn at_least(mut self, set: usize, rows: usize) -> Self {
        self.rows[set] = self.rows[set].max(rows);
        self
    }

    /// Adds a graph of `size` to rows that are within the memory of a batch, so that no sum overflows.
    #[inline]
    pub(crate) fn push(&mut self, size: &Size) {
        // Over all sets, used or not: the compiler vectorizes that.
        for (rows, more) in self.rows.iter_mut().zip(size.first::<MAX_SETS>()) {
            *rows += more as usize;
        }
        self.graphs += 1;
    }

    /// Whether no set has more rows than in `room`, nor more graphs.
    #[inline]
    pub(crate) fn fits(&self, room: &Self) -> bool {
        self.graphs <= room.graphs && self.sets().iter().zip(&room.rows).all(|(rows, room)| rows <= room)
    }

    /// The rows of all possible sets, as core takes them; 0 beyond the last set.
    pub(crate) fn wide(&self) -> [u64; MAX_SETS] {
        self.rows.map(|rows| rows as u64)
    }

    /// Returns the rows with the least padding; `None` if a number overflows.
    pub(crate) fn padded(&self, least: &LeastPadding) -> Option<Self> {
        let (rows, graphs) = least.add(&self.wide(), self.graphs as u64)?;
        let mut shape = Self { rows: [0; MAX_SETS], graphs: usize::try_from(graphs).ok()?, ..*self };
        for (to, from) in shape.rows.iter_mut().zip(rows) {
            *to = usize::try_from(from).ok()?;
        }
        Some(shape)
    }

    /// Whether these real rows and the least padding fit into `shape`.
    pub(crate) fn fits_padded(&self, least: &LeastPadding, shape: &Self) -> bool {
        self.padded(least).is_some_and(|needed| needed.fits(shape))
    }
}

impl From<graphpack_core::Shape> for Shape {
    fn from(shape: graphpack_core::Shape) -> Self {
        Self::of(shape.size.sets(), shape.graphs as usize, |set| shape.size[set] as usize)
    }
}

impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Shape({:?}, {})", self.sets(), self.graphs)
    }
}

/// Writes the rows of each set and the graphs: `(6, 5) and 4 graphs`.
/// [`SetNames::shape`](crate::schema::SetNames::shape) writes the names of the sets, too.
impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows: Vec<String> = self.sets().iter().map(usize::to_string).collect();
        write!(f, "({}) and {} graphs", rows.join(", "), self.graphs)
    }
}

/// Written as the rows of each set and, last, the graphs.
impl Serialize for Shape {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.sets().iter().chain([&self.graphs]))
    }
}

impl<'de> Deserialize<'de> for Shape {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let numbers = Vec::<usize>::deserialize(deserializer)?;
        match numbers.split_last() {
            Some((&graphs, rows)) if (1..=MAX_SETS).contains(&rows.len()) => {
                Ok(Self::of(rows.len(), graphs, |set| rows[set]))
            }
            _ => Err(D::Error::invalid_length(numbers.len(), &"the rows of 1 to 16 sets and a number of graphs")),
        }
    }
}

/// The rows of one graph in a batch, after those of the graphs before it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GraphSpan<'a> {
    before: &'a Shape,
    size: &'a Size,
}

impl<'a> GraphSpan<'a> {
    /// Returns the rows of a graph of `size` that follows `before` rows of other graphs.
    #[inline]
    pub(crate) fn new(before: &'a Shape, size: &'a Size) -> Self {
        Self { before, size }
    }

    /// The graph's rows in the arrays of `level`.
    #[inline]
    pub(crate) fn rows(&self, level: Level) -> Range<usize> {
        let start = self.before.rows(level);
        start..start + self.count(level)
    }

    /// Number of rows of the graph at `level`.
    #[inline]
    pub(crate) fn count(&self, level: Level) -> usize {
        match level {
            Level::Set(set) => self.size[usize::from(set)] as usize,
            Level::Graph => 1,
        }
    }

    /// Whether the rows end within `room`.
    #[inline]
    pub(crate) fn fits(&self, room: &Shape) -> bool {
        let rows = self.before.sets().iter().zip(self.size.as_slice()).zip(room.sets());
        self.before.graphs() < room.graphs()
            && rows.fold(true, |fits, ((&before, &rows), &room)| fits & (before + rows as usize <= room))
    }
}
