//! [`Values`]: what graphs are worth where packs are scarce.

use crate::FixedLimits;
use crate::packer::problem::Counts;

/// What a full pack is worth in the component that binds most: large enough for fractions of a row, and small enough
/// for sums over all components.
const FULL: f64 = (1_u64 << 48) as f64;

/// Room that is worth less than this is not worth filling.
pub(super) const LEAST: u64 = 1 << 32;

/// What one row of each component and one graph are worth: a fraction of the limit in the component in which all graphs
/// together need the most packs, and hardly anything where there is slack, because room there is of no use.
pub(super) struct Values<'a, const K: usize> {
    /// All that are packed, by number.
    sizes: &'a [([u32; K], u64)],
    rows: [u64; K],
    graph: u64,
}

impl<'a, const K: usize> Values<'a, K> {
    /// What graphs are worth where all of `counts` are packed.
    pub(super) fn new(counts: &'a Counts<K>, limits: &FixedLimits<K>) -> Self {
        let FixedLimits { size: limits, graphs: most } = *limits;
        let totals = counts.totals();
        let shares: [f64; K] = core::array::from_fn(|k| totals[k] as f64 / f64::from(limits[k]));
        let graphs = counts.graphs() as f64 / f64::from(most);
        let largest = shares.iter().fold(graphs, |largest, &share| if share > largest { share } else { largest });
        let value = |share: f64, limit: u32| {
            // To the 256th power: 1 % of slack leaves a twelfth of the value.
            let power = (0..8).fold(share / largest, |power, _| power * power);
            // A cast from float to integer saturates, and turns NaN into 0.
            (power * FULL / f64::from(limit)) as u64
        };
        Self {
            sizes: counts.entries(),
            rows: core::array::from_fn(|k| value(shares[k], limits[k])),
            graph: value(graphs, most),
        }
    }

    /// What a number of graphs with rows of `size` in all are worth; `size` and `graphs` are within the limits.
    pub(super) fn of(&self, size: &[u32; K], graphs: u32) -> u64 {
        let rows = size.iter().zip(&self.rows).map(|(&rows, value)| u64::from(rows) * value);
        rows.sum::<u64>() + u64::from(graphs) * self.graph
    }

    /// The size with a number.
    pub(super) fn size(&self, number: u32) -> &'a [u32; K] {
        &self.sizes[number as usize].0
    }

    /// What the room of a pack is worth.
    pub(super) fn slack(&self, contents: &[(u32, u32)], limits: &FixedLimits<K>) -> u64 {
        let held = contents.iter().map(|&(number, times)| self.of(self.size(number), 1) * u64::from(times));
        self.of(&limits.size, limits.graphs) - held.sum::<u64>()
    }
}
