//! [`Target::percentile`]: the shape that a given share of batches fits into.

use crate::{Size, Target};

impl<const K: usize> Target<K> {
    /// Percentile (TF-GNN's `learn_fit_or_skip_size_constraints`): the smallest shape that all but `misses` of these
    /// batches of `graphs` graphs fit into, with one more node and graph for padding. `sums` are the sizes of random
    /// batches; they come back reordered.
    ///
    /// From the component-wise maximum the shape shrinks along the components' standard deviations, so that components
    /// that hardly vary give up little; it stops before more than `misses` batches would exceed it. TF-GNN tries 1,000
    /// steps on this line, here it is exact: each batch has the step at which it no longer fits.
    ///
    /// None if not one batch is left, or a sum exceeds 32 bits.
    ///
    /// ```
    /// use graphpack_core::{Size, Target};
    ///
    /// let mut sums = [[100, 210], [96, 205], [180, 400], [101, 200]];
    /// let target = Target::percentile(&mut sums, 4, 1).unwrap();
    /// assert_eq!((target.size, target.graphs), (Size([102, 210]), 5)); // three of four fit
    /// ```
    pub fn percentile(sums: &mut [[u64; K]], graphs: u32, misses: usize) -> Option<Self> {
        if misses >= sums.len() || sums.iter().flatten().any(|&sum| sum >= u64::from(u32::MAX)) {
            return None;
        }
        let largest = most(sums);
        let deviation: [u64; K] = core::array::from_fn(|k| deviation(sums, k));
        // The step, in 2^-20 standard deviations, up to which a batch fits.
        let step = |sums: &[u64; K]| {
            let steps = (0..K).filter(|&k| deviation[k] > 0);
            steps.map(|k| ((largest[k] - sums[k]) << 30) / deviation[k]).min().unwrap_or(0)
        };
        sums.select_nth_unstable_by_key(misses, step);
        let mut size = [0; K];
        for (k, (slots, sum)) in size.iter_mut().zip(most(&sums[misses..])).enumerate() {
            *slots = u32::try_from(sum + u64::from(k == 0)).ok()?;
        }
        Some(Self { size: Size(size), graphs: graphs.checked_add(1)? })
    }
}

fn most<const K: usize>(sums: &[[u64; K]]) -> [u64; K] {
    core::array::from_fn(|k| sums.iter().map(|sum| sum[k]).max().unwrap_or(0))
}

/// Standard deviation of a component, in 2^-10.
fn deviation<const K: usize>(sums: &[[u64; K]], k: usize) -> u64 {
    let count = sums.len() as u128;
    let sum: u128 = sums.iter().map(|sum| u128::from(sum[k])).sum();
    let squares: u128 = sums.iter().map(|sum| u128::from(sum[k]) * u128::from(sum[k])).sum();
    // Values have 32 bits: the product fits as long as there are fewer than 2^32 batches.
    let variance = squares.saturating_mul(count).saturating_sub(sum.saturating_mul(sum)) / (count * count);
    (variance << 20).isqrt() as u64
}
