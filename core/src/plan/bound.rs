//! Lower bounds on the number of packs: no plan can have fewer.

use crate::Limits;

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
