//! Lower bounds on the number of packs: no plan can have fewer.

use crate::Limits;
#[cfg(feature = "alloc")]
use crate::Size;
#[cfg(feature = "alloc")]
use alloc::vec::Vec;

/// The simple bound: the largest ceil(sum / limit) over all components and the number of graphs.
///
/// Tight where packs hold many graphs; where limits are small it can lie 30 to 40 % below the fewest packs possible.
/// Limits of zero count as 1. A bound above `u64::MAX` is returned as `u64::MAX`.
///
/// ```
/// use graphpack_core::{bound, Limits};
///
/// // 6 graphs with 90 nodes and 186 edges in all.
/// assert_eq!(bound::simple([90, 186], 6, &Limits::new([30, 64])), 3);
/// assert_eq!(bound::simple([90, 186], 6, &Limits::new([30, 64]).graphs(1)), 6);
/// ```
pub fn simple<const K: usize>(totals: [u128; K], graphs: u64, limits: &Limits<K>) -> u64 {
    let by_component =
        totals.iter().zip(&limits.size.0).map(|(&total, &limit)| total.div_ceil(u128::from(limit.max(1))));
    let packs = by_component.fold(u128::from(graphs.div_ceil(u64::from(limits.graphs.max(1)))), u128::max);
    u64::try_from(packs).unwrap_or(u64::MAX)
}

/// A number of graphs that no pack exceeds. `sizes` have counts; of each size, a pack holds at most that many graphs.
#[cfg(feature = "alloc")]
pub(crate) fn most_graphs<const K: usize>(sizes: &[(Size<K>, u64)], limits: &Limits<K>) -> u32 {
    // The smallest sizes in one component, or in the sum of all components as shares of the limits.
    let most = |limit: u128, of: &dyn Fn(&Size<K>) -> u128| {
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
    let component = |k: usize| most(u128::from(limits.size.0[k]), &|size| u128::from(size.0[k]));
    // Shares in 2^-64, rounded down.
    let share = |k: usize, size: &Size<K>| (u128::from(size.0[k]) << 64) / u128::from(limits.size.0[k].max(1));
    let sum = most((K as u128) << 64, &|size| (0..K).map(|k| share(k, size)).sum());
    let graphs = (0..K).map(component).fold(sum, u128::min);
    u32::try_from(graphs).unwrap_or(u32::MAX).min(limits.graphs)
}
