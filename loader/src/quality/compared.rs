//! [`Compared`]: a figure of batches beside the same figure of random batches.

use std::fmt;

/// A figure of batches beside the same figure of random batches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Compared {
    /// The figure of the batches.
    pub found: f64,
    /// The figure of random batches.
    pub random: f64,
}

impl Compared {
    /// Returns the figure divided by that of random batches; 1 if both are 0.
    pub fn ratio(&self) -> f64 {
        if self.found == self.random { 1.0 } else { self.found / self.random }
    }
}

/// Writes `0.075 (1.002)`, both with the precision of the format.
impl fmt::Display for Compared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.found.fmt(f)?;
        f.write_str(" (")?;
        self.random.fmt(f)?;
        f.write_str(")")
    }
}
