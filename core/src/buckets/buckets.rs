//! [`Buckets`]: how many shapes there may be, and what they cost.

use crate::Cost;

/// How many shapes there may be, and what is cheap.
///
/// ```
/// use graphpack_core::{Buckets, Histogram};
///
/// // One graph in a hundred is ten times as large as the others.
/// let histogram = Histogram::from_counts([([10, 20], 990), ([100, 200], 10)])?;
/// let slots = |shapes| -> Result<u64, Box<dyn std::error::Error>> {
///     let buckets = Buckets::new(shapes, 2).search(&histogram)?;
///     Ok(buckets.iter().map(|bucket| bucket.packs * (bucket.limits.size[0] + bucket.limits.size[1]) as u64).sum())
/// };
/// assert!(4 * slots(2)? < slots(1)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Buckets {
    /// The most shapes.
    pub shapes: usize,
    /// The most graphs of a pack, in every shape.
    pub graphs: u32,
    /// All limits are multiples of this.
    pub multiple_of: u32,
    /// What a step costs.
    pub cost: Cost,
    /// What each shape costs an epoch, such as its share of a compilation: a shape that saves less is not taken.
    pub per_shape: u64,
}

impl Buckets {
    /// At most `shapes` shapes for packs of at most `graphs` graphs, in multiples of 8, with the fewest slots.
    pub const fn new(shapes: usize, graphs: u32) -> Self {
        Self { shapes, graphs, multiple_of: 8, cost: Cost::SLOTS, per_shape: 0 }
    }

    /// The next multiple, above 0.
    pub(super) fn rounded(&self, rows: u32) -> u32 {
        rows.max(1).checked_next_multiple_of(self.multiple_of.max(1)).unwrap_or(u32::MAX)
    }
}
