//! [`Cost`]: what a step costs, or needs, by the rows and graphs of its shape.

use crate::Limits;

/// What a step costs, in any unit: slots, nanoseconds, or bytes where memory is what counts. Whole numbers, so that
/// comparisons are exact.
///
/// ```
/// use graphpack_core::{Cost, Limits};
///
/// // 3 ns for a node, 20 ns for an edge, 50 microseconds for a step.
/// let cost = Cost::rows([3, 20]).step(50_000);
/// assert_eq!(cost.of(&Limits::new([1000, 2000])), 3 * 1000 + 20 * 2000 + 50_000);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Cost<const K: usize> {
    /// For each row of each component.
    pub rows: [u64; K],
    /// For each graph that there is room for.
    pub graph: u64,
    /// For each step, whatever its shape.
    pub step: u64,
}

impl<const K: usize> Cost<K> {
    /// One for each row of any component: plain slots.
    pub const SLOTS: Self = Self::rows([1; K]);

    /// A cost of rows alone.
    pub const fn rows(rows: [u64; K]) -> Self {
        Self { rows, graph: 0, step: 0 }
    }

    /// The same cost with another part for each graph.
    #[must_use]
    pub const fn graph(mut self, graph: u64) -> Self {
        self.graph = graph;
        self
    }

    /// The same cost with another part for each step.
    #[must_use]
    pub const fn step(mut self, step: u64) -> Self {
        self.step = step;
        self
    }

    /// The cost of the first J components, and 0 for those that this cost does not have.
    #[must_use]
    pub fn with_components<const J: usize>(&self) -> Cost<J> {
        let rows = core::array::from_fn(|k| self.rows.get(k).copied().unwrap_or(0));
        Cost { rows, graph: self.graph, step: self.step }
    }

    /// The cost of a step with room for these limits.
    pub fn of(&self, limits: &Limits<K>) -> u128 {
        // No sum overflows: a product is below 2^96.
        let rows = self.rows.iter().zip(limits.size.0).map(|(&each, rows)| u128::from(each) * u128::from(rows));
        rows.sum::<u128>() + u128::from(self.graph) * u128::from(limits.graphs) + u128::from(self.step)
    }

    /// The cost of `packs` such steps; `u128::MAX` if it exceeds that.
    pub fn of_epoch(&self, packs: u64, limits: &Limits<K>) -> u128 {
        self.of(limits).saturating_mul(packs.into())
    }
}

/// Plain slots.
impl<const K: usize> Default for Cost<K> {
    fn default() -> Self {
        Self::SLOTS
    }
}
