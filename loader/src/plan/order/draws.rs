//! [`Draws`]: graphs drawn by weight, where an epoch does not hold each once.

use crate::Random;
use crate::options::Weights;

/// The sums of weights that graphs are drawn by.
pub(crate) struct Draws {
    /// Sums of the weights up to and including each.
    sums: Vec<f64>,
    draws: usize,
}

impl Draws {
    /// Draws from some graphs of those that there are weights for. None if all weight lies on others.
    pub(crate) fn among(weights: &Weights, graphs: &[u32]) -> Option<Self> {
        let mut sum = 0.0;
        let sums = graphs.iter().map(|&graph| {
            sum += weights.weights()[graph as usize];
            sum
        });
        let sums = sums.collect();
        (sum > 0.0).then_some(Self { sums, draws: weights.draws() })
    }

    /// Draws the graphs of an epoch, from the same graphs.
    pub(super) fn draw(&self, graphs: &[u32], random: &mut Random) -> Vec<u32> {
        let total = self.sums.last().copied().unwrap_or(0.0);
        let mut one = || {
            let point = random.unit() * total;
            // Rounding may give the sum itself: then it is the last graph with a weight.
            let place = self.sums.partition_point(|&sum| sum <= point);
            graphs[place.min(self.sums.partition_point(|&sum| sum < total))]
        };
        (0..self.draws).map(|_| one()).collect()
    }
}
