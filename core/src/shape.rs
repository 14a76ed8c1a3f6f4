//! The shapes that batches are padded to: [`Shape`], where it comes from, and the [`LeastPadding`] in it.
//!
//! | from | gives | as in |
//! |---|---|---|
//! | the batch itself, by [`Rounding`] | a few shapes | Speckhard et al., static-64 and static-2^N |
//! | sums and maxima of a data set, by [`Sample`] | one shape | Speckhard et al., jraph, TF-GNN |
//! | many random batches, by [`Shape::percentile`] | one shape that most batches fit into | TF-GNN |

use crate::{Limits, MAX_SETS, Size};

/// A shape that batches are padded to, padding included, as jraph's `n_node, n_edge, n_graph`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Shape {
    /// Rows of each set.
    pub size: Size,
    /// Number of graphs.
    pub graphs: u32,
}

impl Shape {
    /// Returns `None` if a number exceeds 32 bits.
    fn new(sets: usize, slots: [u64; MAX_SETS], graphs: u64) -> Option<Self> {
        if slots.iter().take(sets).any(|&slots| slots > u64::from(u32::MAX)) {
            return None;
        }
        Some(Self { size: Size::of(sets, |set| slots[set] as u32), graphs: u32::try_from(graphs).ok()? })
    }

    /// Returns the smallest shape that all but `misses` of some random batches fit into, with `padding` (percentile, as
    /// TF-GNN's `learn_fit_or_skip_size_constraints`). `sums` has the rows of each batch, summed over its `graphs`
    /// graphs; it is reordered.
    ///
    /// From the largest sum of each set the shape shrinks along the standard deviations of the sets, so that a set that
    /// hardly varies hardly shrinks, and stops before more than `misses` batches exceed it. TF-GNN tries 1,000 steps on
    /// this line; here the result is exact, because each batch has a step at which it no longer fits.
    ///
    /// None if there are no more than `misses` batches, if one has 2^32 - 1 rows of a set, or if the shape exceeds 32
    /// bits.
    ///
    /// ```
    /// use graphpack_core::{LeastPadding, Shape, Size};
    ///
    /// let mut sums = [[100, 210], [96, 205], [180, 400], [101, 200]].map(Size::new);
    /// let shape = Shape::percentile(&mut sums, 4, 1, &LeastPadding::one_node()).unwrap();
    /// assert!(shape.size == [102, 210] && shape.graphs == 5); // three of four fit
    /// ```
    pub fn percentile(sums: &mut [Size], graphs: u32, misses: usize, padding: &LeastPadding) -> Option<Self> {
        if misses >= sums.len() || sums.iter().any(|sums| sums.as_slice().contains(&u32::MAX)) {
            return None;
        }
        let largest = most(sums.iter());
        let deviation: [u64; MAX_SETS] = core::array::from_fn(|set| deviation(sums, set));
        // How far the shape can shrink before a batch no longer fits, in units of 2^-20 standard deviations.
        let step = |sums: &Size| {
            let steps = (0..largest.sets()).filter(|&set| deviation[set] > 0);
            steps.map(|set| (u64::from(largest[set] - sums[set]) << 30) / deviation[set]).min().unwrap_or(0)
        };
        let (_, first, _) = sums.select_nth_unstable_by_key(misses, step);
        // Batches of one step fit, or fail to, together.
        let least = step(first);
        let rows = most(sums.iter().filter(|sums| step(sums) >= least));
        padding.shape(rows.all().map(u64::from).get(..largest.sets())?, graphs)
    }
}

/// The most rows of each set.
fn most<'a>(sums: impl Iterator<Item = &'a Size>) -> Size {
    sums.fold(Size::new([]), |most, sums| most.max_each(sums))
}

/// The standard deviation of a set's rows, in units of 2^-10 rows.
fn deviation(sums: &[Size], set: usize) -> u64 {
    let count = sums.len() as u128;
    let sum: u128 = sums.iter().map(|sum| u128::from(sum[set])).sum();
    let squares: u128 = sums.iter().map(|sum| u128::from(sum[set]) * u128::from(sum[set])).sum();
    // Sums have 32 bits, so the product fits as long as there are fewer than 2^32 batches.
    let (product, square) = (squares.saturating_mul(count).saturating_sub(sum.saturating_mul(sum)), count * count);
    // The rest has 64 bits: whole variances would make a set constant that varies by less than one.
    let variance = ((product / square) << 20) + ((product % square) << 20) / square;
    variance.isqrt() as u64
}

/// The rows of each set and the graphs that every batch has for padding, at least. They are added to what is real, or
/// taken from a shape, before rounding.
///
/// ```
/// use graphpack_core::{LeastPadding, Limits, Size, Shape};
///
/// let padding = LeastPadding::one_node();
/// let shape = Shape { size: Size::new([11, 20]), graphs: 3 };
/// assert_eq!(padding.shape(&[10, 20], 2), Some(shape));
/// assert_eq!(padding.usable(&shape), Limits::new([10, 20]).graphs(2));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LeastPadding {
    /// Padding rows of each set; 0 beyond the last set.
    pub size: Size,
    /// Padding graphs.
    pub graphs: u32,
}

impl LeastPadding {
    /// No padding.
    pub const NONE: Self = Self { size: Size::new([]), graphs: 0 };

    /// One row of the first set and one graph, as in jraph and TF-GNN.
    pub const fn one_node() -> Self {
        Self { size: Size::new([1]), graphs: 1 }
    }

    /// Adds the padding to a number of real rows of each set and of real graphs. None if a sum exceeds 64 bits.
    pub fn add(&self, rows: &[u64], graphs: u64) -> Option<([u64; MAX_SETS], u64)> {
        let mut sums = [0; MAX_SETS];
        for ((sum, &rows), &padding) in sums.iter_mut().zip(rows).zip(self.size.all()) {
            *sum = rows.checked_add(padding.into())?;
        }
        Some((sums, graphs.checked_add(self.graphs.into())?))
    }

    /// The smallest shape that holds this number of real rows of each set and of graphs. None if it exceeds 32 bits.
    pub fn shape(&self, rows: &[u64], graphs: u32) -> Option<Shape> {
        let (sums, graphs) = self.add(rows, graphs.into())?;
        Shape::new(rows.len(), sums, graphs)
    }

    /// Returns the limits that real graphs can fill of a shape.
    pub fn usable(&self, shape: &Shape) -> Limits {
        let size = Size::of(shape.size.sets(), |set| shape.size[set].saturating_sub(self.size[set]));
        Limits { size, graphs: self.real_graphs(shape.graphs) }
    }

    /// Returns how many graphs are real in a batch of `batch_size` graphs, padding included.
    pub const fn real_graphs(&self, batch_size: u32) -> u32 {
        batch_size.saturating_sub(self.graphs)
    }
}

/// Rounds the shape of each batch up, which gives several shapes, each of which costs a compilation in JAX.
///
/// ```
/// use graphpack_core::{LeastPadding, Rounding};
///
/// // 150 nodes and one for padding, 320 edges; 8 graphs and one for padding.
/// let shape = Rounding::Multiple(64).shape(&[150, 320], 8, &LeastPadding::one_node()).unwrap();
/// assert!(shape.size == [192, 320] && shape.graphs == 9);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Rounding {
    /// To the next multiple: static-64 of Speckhard et al. with `Multiple(64)`.
    Multiple(u32),
    /// To the next power of two: static-2^N of Speckhard et al.
    PowerOfTwo,
}

impl Rounding {
    /// Returns the shape of a batch that has `sums` real rows of each set and `graphs` real graphs. `padding` is added
    /// before rows are rounded; graphs are not rounded.
    ///
    /// None if a number of the shape exceeds 32 bits.
    pub fn shape(&self, sums: &[u64], graphs: u32, padding: &LeastPadding) -> Option<Shape> {
        let (mut rows, graphs) = padding.add(sums, graphs.into())?;
        for rows in rows.iter_mut().take(sums.len()) {
            *rows = match *self {
                Self::Multiple(multiple) => rows.checked_next_multiple_of(u64::from(multiple.max(1)))?,
                Self::PowerOfTwo => rows.checked_next_power_of_two()?,
            };
        }
        Shape::new(sums.len(), rows, graphs)
    }
}

/// A summary of some graphs of a data set, from which shapes are estimated: their number, and the sum and the most of
/// each set's rows. Needs no allocator.
///
/// ```
/// use graphpack_core::{Sample, Size};
///
/// let mut sample = Sample::new();
/// sample.add(Size::new([17, 272]));
/// sample.add(Size::new([19, 342]));
/// // 64 * (1 + floor(max(mean * 32, largest) / 64)) per set.
/// assert!(sample.dynamic(32).unwrap().size == [640, 9856]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    graphs: u64,
    totals: [u64; MAX_SETS],
    largest: Size,
}

impl Default for Sample {
    fn default() -> Self {
        Self::new()
    }
}

impl Sample {
    /// Knows of no graph yet.
    pub const fn new() -> Self {
        Self { graphs: 0, totals: [0; MAX_SETS], largest: Size::new([]) }
    }

    /// Returns the summary of `graphs` graphs, which have `totals` rows of each set in all and at most `largest` each.
    pub fn from_totals(graphs: u64, totals: &[u64], largest: Size) -> Self {
        let of = |set: usize| totals.get(set).copied().unwrap_or(0);
        Self { graphs, totals: core::array::from_fn(of), largest }
    }

    /// Takes a graph into account.
    pub fn add(&mut self, size: Size) {
        self.add_times(size, 1);
    }

    /// Takes `count` graphs of a size into account.
    pub fn add_times(&mut self, size: Size, count: u64) {
        if count == 0 {
            return;
        }
        self.graphs = self.graphs.saturating_add(count);
        for (total, &rows) in self.totals.iter_mut().zip(size.all()) {
            *total = total.saturating_add(u64::from(rows).saturating_mul(count));
        }
        self.largest = self.largest.max_each(&size);
    }

    /// Static-constant (Speckhard et al.): largest graph times `batch_size`, rounded up to a multiple of 64.
    ///
    /// `batch_size` counts a padding graph, too: any `batch_size - 1` graphs fit. None if the shape exceeds 32 bits.
    pub fn constant(&self, batch_size: u32) -> Option<Shape> {
        let slots = self.largest_times(batch_size).map(|slots| slots.next_multiple_of(64));
        Shape::new(self.largest.sets(), slots, batch_size.into())
    }

    /// Dynamic, as jraph publishes its estimate: `64 * (1 + floor(max(mean * batch_size, largest) / 64))` per set.
    ///
    /// `batch_size` counts a padding graph, too. An exact multiple of 64 also goes up. None if the shape exceeds 32
    /// bits.
    pub fn dynamic(&self, batch_size: u32) -> Option<Shape> {
        let mut slots = [0; MAX_SETS];
        for (set, slots) in slots.iter_mut().enumerate() {
            // floor(total * batch_size / graphs / 64) in integers is floor(mean * batch_size / 64) without rounding.
            let wanted = u128::from(self.totals[set]) * u128::from(batch_size) / u128::from(self.graphs.max(1));
            let wanted = wanted.max(u128::from(self.largest[set])) / 64;
            *slots = u64::try_from(wanted).ok()?.checked_add(1)?.checked_mul(64)?;
        }
        Shape::new(self.largest.sets(), slots, batch_size.into())
    }

    /// Tight (TF-GNN's `find_tight_size_constraints`): largest graph times `graphs`, all of them real, and `padding`.
    ///
    /// None if the shape exceeds 32 bits.
    pub fn tight(&self, graphs: u32, padding: &LeastPadding) -> Option<Shape> {
        padding.shape(self.largest_times(graphs).get(..self.largest.sets())?, graphs)
    }

    fn largest_times(&self, graphs: u32) -> [u64; MAX_SETS] {
        self.largest.all().map(|largest| u64::from(largest) * u64::from(graphs))
    }
}
