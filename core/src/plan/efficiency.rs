//! [`Efficiency`]: how full the packs of a plan are.

use crate::Limits;

/// Filled slots / all slots, as fractions from 0 to 1 of the declared limits.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Efficiency<const K: usize> {
    /// One fraction per component of a size.
    pub components: [f64; K],
    /// Graphs / (packs x graphs per pack).
    pub graphs: f64,
}

impl<const K: usize> Efficiency<K> {
    /// The efficiency of `packs` packs that hold graphs with these sums; 1 without packs.
    pub(crate) fn of(totals: [u128; K], graphs: u64, packs: u64, limits: &Limits<K>) -> Self {
        let packs = packs as f64;
        let share = |filled: f64, limit: u32| if packs == 0.0 { 1.0 } else { filled / (packs * f64::from(limit)) };
        Self {
            components: core::array::from_fn(|k| share(totals[k] as f64, limits.size.0[k])),
            graphs: share(graphs as f64, limits.graphs),
        }
    }

    /// An efficiency that was computed elsewhere, such as that of batches.
    pub const fn new(components: [f64; K], graphs: f64) -> Self {
        Self { components, graphs }
    }

    /// The harmonic mean over the components, the paper's measure for choosing limits (section 3.2). A component of
    /// which no graph has any counts for nothing; 0 if there is no other.
    pub fn harmonic_mean(&self) -> f64 {
        let filled = || self.components.iter().filter(|&&fraction| fraction > 0.0);
        let inverses = filled().map(|fraction| 1.0 / fraction).sum::<f64>();
        if inverses > 0.0 { filled().count() as f64 / inverses } else { 0.0 }
    }
}
