//! [`Efficiency`]: how full the packs of a plan are.

/// Filled slots / all slots, as fractions from 0 to 1 of the declared limits.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Efficiency<const K: usize> {
    /// One fraction per component of a size: nodes, edges.
    pub components: [f64; K],
    /// Graphs / (packs x graphs per pack).
    pub graphs: f64,
}

impl<const K: usize> Efficiency<K> {
    /// An efficiency that was computed elsewhere, such as that of batches.
    pub const fn new(components: [f64; K], graphs: f64) -> Self {
        Self { components, graphs }
    }

    /// The harmonic mean over the components, the paper's measure for choosing limits (section 3.2).
    pub fn harmonic_mean(&self) -> f64 {
        if self.components.contains(&0.0) {
            return 0.0;
        }
        K as f64 / self.components.iter().map(|fraction| 1.0 / fraction).sum::<f64>()
    }
}
