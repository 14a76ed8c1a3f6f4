//! Lower bounds on the number of packs: no plan can have fewer.

use crate::Limits;
use crate::lanes::{Lanes, by_sets};
use crate::packer::Counts;
use crate::{FixedLimits, Histogram};
use alloc::vec::Vec;

/// Returns the simple bound: the largest ceil(sum / limit) over the rows of each set and the number of graphs.
///
/// It is tight where packs hold many graphs; where limits are small, it can lie 30 to 40 % below the fewest packs
/// possible. Limits of zero count as 1, and sets that the limits lack do not count. A bound above `u64::MAX` is
/// returned as `u64::MAX`.
///
/// ```
/// use graphpack_core::{bound, Histogram, Limits};
///
/// // 6 graphs with 90 nodes and 186 edges in all.
/// let histogram = Histogram::from_counts([([20, 40], 3), ([10, 22], 3)])?;
/// assert_eq!(bound::simple(&histogram, &Limits::new([30, 64])), 3);
/// assert_eq!(bound::simple(&histogram, &Limits::new([30, 64]).graphs(1)), 6);
/// # Ok::<(), graphpack_core::HistogramError>(())
/// ```
pub fn simple(histogram: &Histogram, limits: &Limits) -> u64 {
    of_sums(&histogram.totals(), histogram.graphs(), limits.size.as_slice(), limits.graphs)
}

/// The simple bound on packs of `graphs` graphs with `totals` rows of each set; a pack holds at most `most` graphs.
#[inline]
pub(crate) fn of_sums(totals: &[u128], graphs: u64, limits: &[u32], most: u32) -> u64 {
    let by_set = totals.iter().zip(limits).map(|(&total, &limit)| total.div_ceil(u128::from(limit.max(1))));
    let packs = by_set.fold(u128::from(graphs.div_ceil(u64::from(most.max(1)))), u128::max);
    u64::try_from(packs).unwrap_or(u64::MAX)
}

/// The simple bound of all graphs of a histogram.
pub(crate) fn of_counts<const K: usize>(counts: &Counts<K>, limits: &FixedLimits<K>) -> u64 {
    of_sums(&counts.totals(), counts.graphs(), &limits.size, limits.graphs)
}

/// Returns a bound that also counts the room that nothing can fill beside a graph of more than half a limit; it is
/// never below [`simple`].
///
/// Takes a few passes over all sizes: less than a packer does. Sets that the limits lack do not count, as in
/// [`simple`].
///
/// ```
/// use graphpack_core::{bound, Histogram, Limits};
///
/// // The graph of 12 nodes and 40 edges is alone in its pack. The sums alone say 2 packs.
/// let histogram = Histogram::from_counts([([12, 40], 1), ([10, 10], 4)])?;
/// assert_eq!(bound::of_large_graphs(&histogram, &Limits::new([30, 40])), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn of_large_graphs(histogram: &Histogram, limits: &Limits) -> u64 {
    by_sets!(limits.size.sets(), K => of_large::<K>(&Counts::new(histogram), &limits.into()))
}

/// [`of_large_graphs`] for `K` sets.
pub(crate) fn of_large<const K: usize>(histogram: &Counts<K>, limits: &FixedLimits<K>) -> u64 {
    let divisors = (MOST_WORK / (histogram.entries().len().max(1) * K.max(1) * (K + 1).pow(2))).clamp(1, 8) as u32;
    let all = of_counts(histogram, limits);
    (0..K).fold(all, |packs, k| {
        // Without small graphs, which fill any room, those of more than a half, a third and so on may prove more.
        let least = |by: u32| if by == 1 { 0 } else { limits.size[k] / by + 1 };
        (1..=divisors).fold(packs, |packs, by| packs.max(of_at_least(histogram.entries(), limits, k, least(by))))
    })
}

/// Sizes times pairs of components that [`of_large`] looks at, about.
const MOST_WORK: usize = 1 << 26;

/// The bound of the graphs with at least `least` rows of component `of`; without the others no plan is longer.
///
/// A graph is large if it has more than half the limit of `of`: a pack holds at most one. It counts as the limit less
/// the most that fits beside it, in each component. So no pack counts more than the limit, with a large graph or
/// without; and the sum of what all graphs count, divided by the limit, is a bound.
fn of_at_least<const K: usize>(sizes: &[([u32; K], u64)], limits: &FixedLimits<K>, of: usize, least: u32) -> u64 {
    // The number of graphs is the last component.
    let rows = |size: &[u32; K], k: usize| u64::from(size.get(k).copied().unwrap_or(1));
    let kept = || sizes.iter().filter(|(size, _)| size[of] >= least);
    let is_large = |size: &[u32; K]| size[of] > limits.size[of] / 2;
    let mut limit: Vec<u64> =
        (0..=K).map(|k| u64::from(limits.size.get(k).copied().unwrap_or(limits.graphs)).max(1)).collect();
    let mut smallest = [u32::MAX; K];
    // Of graphs that are not large: the fewest rows of each component, and the most of k for one of m, as fractions.
    let mut fewest = alloc::vec![u64::MAX; K + 1];
    let mut most = alloc::vec![(0, 1); (K + 1) * (K + 1)];
    for (size, _) in kept() {
        smallest = smallest.min_each(size);
        for m in (0..=K).filter(|_| !is_large(size)) {
            fewest[m] = fewest[m].min(rows(size, m));
            for k in 0..=K {
                let (best, this) = (&mut most[k * (K + 1) + m], (rows(size, k), rows(size, m)));
                if this.0 * best.1 > best.0 * this.1 {
                    *best = this;
                }
            }
        }
    }
    limit[K] = (0..K).filter_map(|k| limit[k].checked_div(smallest[k].into())).fold(limit[K], u64::min).max(1);
    let mut sums = alloc::vec![0_u128; K + 1];
    let mut room = alloc::vec![0; K + 1];
    for (size, count) in kept() {
        (0..=K).for_each(|m| room[m] = limit[m].saturating_sub(rows(size, m)));
        let is_alone = is_large(size) && (0..=K).any(|m| room[m] < fewest[m]);
        for k in 0..=K {
            let beside = |m: usize| {
                let (rows, of) = most[k * (K + 1) + m];
                (room[m] * rows).checked_div(of).unwrap_or(u64::MAX)
            };
            let counts = match (is_large(size), is_alone) {
                (false, _) => rows(size, k),
                (true, true) => limit[k],
                (true, false) => limit[k] - (0..=K).map(beside).fold(room[k], u64::min),
            };
            sums[k] += u128::from(counts) * u128::from(*count);
        }
    }
    let packs = sums.iter().zip(&limit).map(|(sum, limit)| sum.div_ceil((*limit).into())).max().unwrap_or(0);
    u64::try_from(packs).unwrap_or(u64::MAX)
}

/// A number of graphs that no pack exceeds. `sizes` have counts; of each size, a pack holds at most that many graphs.
pub(crate) fn most_graphs<const K: usize>(sizes: &[([u32; K], u64)], limits: &FixedLimits<K>) -> u32 {
    // The smallest sizes in one component, or in the sum of all components as shares of the limits.
    let most = |limit: u128, of: &dyn Fn(&[u32; K]) -> u128| {
        let mut sizes: Vec<(u128, u64)> = sizes.iter().map(|(size, count)| (of(size), *count)).collect();
        sizes.sort_unstable();
        let (mut room, mut graphs) = (limit, 0_u128);
        for (size, count) in sizes {
            let times = room.checked_div(size).map_or(u128::from(count), |fitting| fitting.min(u128::from(count)));
            room -= times * size;
            graphs += times;
            if times < u128::from(count) {
                break;
            }
        }
        graphs
    };
    let component = |k: usize| most(u128::from(limits.size[k]), &|size| u128::from(size[k]));
    // Shares in 2^-64, rounded down.
    let share = |k: usize, size: &[u32; K]| (u128::from(size[k]) << 64) / u128::from(limits.size[k].max(1));
    let sum = most((K as u128) << 64, &|size| (0..K).map(|k| share(k, size)).sum());
    let graphs = (0..K).map(component).fold(sum, u128::min);
    u32::try_from(graphs).unwrap_or(u32::MAX).min(limits.graphs)
}
