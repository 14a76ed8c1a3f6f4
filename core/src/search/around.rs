//! [`around`]: limits to try.

use crate::{Histogram, Limits};
use alloc::vec::Vec;

/// Proposes limits for about `graphs` graphs per pack: the mean of each component times `graphs`, with one component at
/// a time up to a tenth lower or higher. All limits are multiples of `multiple_of`, and none is below the largest
/// graph. The most graphs per pack are those that fit on average and a quarter more, so that this limit hardly binds.
pub fn around<const K: usize>(histogram: &Histogram<K>, graphs: f64, multiple_of: u32) -> Vec<Limits<K>> {
    let (totals, largest) = (histogram.totals(), histogram.largest());
    let count = histogram.graphs().max(1) as f64;
    let step = multiple_of.max(1);
    let at = |k: usize, factor: f64| {
        let wanted = totals[k] as f64 / count * graphs * factor;
        // A cast from float to integer saturates.
        (wanted as u32).max(largest.0[k]).max(1).checked_next_multiple_of(step).unwrap_or(u32::MAX / step * step)
    };
    // By how much one component leaves the proportion: -10 % to +10 %.
    let mut found: Vec<Limits<K>> = Vec::new();
    for component in 0..K {
        for lean in -5..=5 {
            let factor = |k: usize| if k == component { 1.0 + f64::from(lean) / 50.0 } else { 1.0 };
            let size: [u32; K] = core::array::from_fn(|k| at(k, factor(k)));
            let most =
                (0..K).map(|k| f64::from(size[k]) * count / (totals[k] as f64).max(1.0)).fold(f64::MAX, f64::min);
            let limits = Limits::new(size).graphs(((most * 1.25) as u32).max(1).saturating_add(1));
            if !found.contains(&limits) {
                found.push(limits);
            }
        }
    }
    found
}
