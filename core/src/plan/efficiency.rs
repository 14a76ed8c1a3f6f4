//! [`Efficiency`]: how full the packs of a plan are.

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
