//! [`Draws`]: draws the graphs of an epoch by weight.

use crate::Random;
use crate::options::Weights;

/// Draws graphs with replacement, each with a probability proportional to its weight.
pub(crate) struct Draws {
    /// For each graph, the sum of the weights up to and including its own.
    sums: Vec<f64>,
    draws: usize,
}

impl Draws {
    /// Restricts `weights` to these `graphs`; `None` if all of their weights are 0.
    pub(crate) fn among(weights: &Weights, graphs: &[u32]) -> Option<Self> {
        let mut sum = 0.0;
        let sums = graphs.iter().map(|&graph| {
            sum += weights.weights()[graph as usize];
            sum
        });
        let sums = sums.collect();
        (sum > 0.0).then_some(Self { sums, draws: weights.draws() })
    }

    /// Draws the graphs of an epoch. `graphs` must be those given to [`among`](Self::among).
    pub(super) fn draw(&self, graphs: &[u32], random: &mut Random) -> Vec<u32> {
        let total = self.sums.last().copied().unwrap_or(0.0);
        let mut one = || {
            let point = random.unit() * total;
            // Rounding may give `total` itself, which stands for the last graph whose weight is not 0.
            let place = self.sums.partition_point(|&sum| sum <= point);
            graphs[place.min(self.sums.partition_point(|&sum| sum < total))]
        };
        (0..self.draws).map(|_| one()).collect()
    }
}
