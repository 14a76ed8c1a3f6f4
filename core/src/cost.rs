//! [`Cost`]: what a step costs, or needs, by the rows and graphs of its shape.

use crate::size::of_all_sets;
use crate::{Limits, MAX_SETS};
use core::fmt;

/// What a step costs, in any unit: rows, nanoseconds, or bytes where memory is what counts. Whole numbers, so that
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
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Cost {
    /// For each row of each set.
    pub(crate) rows: [u64; MAX_SETS],
    /// For each graph that a shape has room for.
    pub(crate) graph: u64,
    /// For each step, whatever its shape.
    pub(crate) step: u64,
}

/// Writes `(1, 20) for the rows of sets, 5 for a graph, 100 for a step`, without sets after the last that costs.
impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sets = self.rows.iter().rposition(|&each| each > 0).map_or(0, |last| last + 1);
        f.write_str("(")?;
        for (set, each) in self.rows[..sets].iter().enumerate() {
            write!(f, "{}{each}", if set > 0 { ", " } else { "" })?;
        }
        write!(f, ") for the rows of sets, {} for a graph, {} for a step", self.graph, self.step)
    }
}

impl Cost {
    /// 1 for each row of any set, padding included.
    pub const ROWS: Self = Self { rows: [1; MAX_SETS], graph: 0, step: 0 };

    /// Takes the cost of each row of the first `K` sets; rows of other sets, graphs and steps cost 0. More than
    /// [`MAX_SETS`] sets do not compile.
    pub const fn rows<const K: usize>(rows: [u64; K]) -> Self {
        Self { rows: of_all_sets(rows, 0), graph: 0, step: 0 }
    }

    /// Returns the same cost with this number for each graph that a shape has room for.
    #[must_use]
    pub const fn graph(mut self, graph: u64) -> Self {
        self.graph = graph;
        self
    }

    /// Returns the same cost with this number for each step, whatever its shape.
    #[must_use]
    pub const fn step(mut self, step: u64) -> Self {
        self.step = step;
        self
    }

    /// Returns the cost of `count` rows, graphs and steps in place of one each; numbers saturate at `u64::MAX`.
    #[must_use]
    pub fn times(self, count: u64) -> Self {
        let Self { rows, graph, step } = self;
        let times = |each: u64| each.saturating_mul(count);
        Self { rows: rows.map(times), graph: times(graph), step: times(step) }
    }

    /// Returns the cost of a step whose shape has the rows and graphs of `limits`.
    pub fn of(&self, limits: &Limits) -> u128 {
        // No sum overflows: a product is below 2^96.
        let rows = self.rows.iter().zip(limits.size.all()).map(|(&each, &rows)| u128::from(each) * u128::from(rows));
        rows.sum::<u128>() + u128::from(self.graph) * u128::from(limits.graphs) + u128::from(self.step)
    }

    /// Returns the cost of `packs` such steps, at most `u128::MAX`.
    pub fn of_epoch(&self, packs: u64, limits: &Limits) -> u128 {
        self.of(limits).saturating_mul(packs.into())
    }
}
