//! [`Target::percentile`]: the shape that a given share of batches fits into.

use crate::{LeastPadding, Target};

impl<const K: usize> Target<K> {
    /// Percentile (TF-GNN's `learn_fit_or_skip_size_constraints`): the smallest shape that all but `misses` of these
    /// batches of `graphs` graphs fit into, and `padding`. `sums` are the sizes of random batches; they are reordered.
    ///
    /// From the component-wise maximum the shape shrinks along the standard deviations of the components, so that a
    /// component that hardly varies hardly shrinks, and stops before more than `misses` batches exceed it. TF-GNN tries
    /// 1,000 steps on this line; here the result is exact, because each batch has a step at which it no longer fits.
    ///
    /// None if there are no more than `misses` batches, or a number exceeds 32 bits.
    ///
    /// ```
    /// use graphpack_core::{LeastPadding, Size, Target};
    ///
    /// let mut sums = [[100, 210], [96, 205], [180, 400], [101, 200]];
    /// let target = Target::percentile(&mut sums, 4, 1, LeastPadding::one_node()).unwrap();
    /// assert_eq!((target.size, target.graphs), (Size([102, 210]), 5)); // three of four fit
    /// ```
    pub fn percentile(sums: &mut [[u64; K]], graphs: u32, misses: usize, padding: LeastPadding<K>) -> Option<Self> {
        if misses >= sums.len() || sums.iter().flatten().any(|&sum| sum >= u64::from(u32::MAX)) {
            return None;
        }
        let largest = most(sums);
        let deviation: [u64; K] = core::array::from_fn(|k| deviation(sums, k));
        // How far the shape can shrink before a batch no longer fits, in units of 2^-20 standard deviations.
        let step = |sums: &[u64; K]| {
            let steps = (0..K).filter(|&k| deviation[k] > 0);
            steps.map(|k| ((largest[k] - sums[k]) << 30) / deviation[k]).min().unwrap_or(0)
        };
        sums.select_nth_unstable_by_key(misses, step);
        padding.target(most(&sums[misses..]), graphs)
    }
}

/// The component-wise maximum.
fn most<const K: usize>(sums: &[[u64; K]]) -> [u64; K] {
    core::array::from_fn(|k| sums.iter().map(|sum| sum[k]).max().unwrap_or(0))
}

/// The standard deviation of a component, in units of 2^-10.
fn deviation<const K: usize>(sums: &[[u64; K]], k: usize) -> u64 {
    let count = sums.len() as u128;
    let sum: u128 = sums.iter().map(|sum| u128::from(sum[k])).sum();
    let squares: u128 = sums.iter().map(|sum| u128::from(sum[k]) * u128::from(sum[k])).sum();
    // Sums have 32 bits, so the product fits as long as there are fewer than 2^32 batches.
    let variance = squares.saturating_mul(count).saturating_sub(sum.saturating_mul(sum)) / (count * count);
    (variance << 20).isqrt() as u64
}
