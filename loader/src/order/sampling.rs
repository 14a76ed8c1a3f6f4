//! [`Weights`]: how likely each graph is drawn, where an epoch does not hold each once.

use crate::random::Random;

/// Draws graphs with replacement, each with a probability in proportion to its weight, as PyTorch's `WeightedRandomSampler`.
///
/// ```
/// use graphpack_loader::Weights;
///
/// // Both labels equally often, as PyTorch Geometric's ImbalancedSampler.
/// let weights = Weights::balanced(&[0, 0, 0, 1]);
/// assert_eq!(weights.draws(), 4);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    /// Sums of the weights up to and including each graph.
    sums: Vec<f64>,
    draws: usize,
}

impl Weights {
    /// One weight per graph of the source, finite and not negative, not all of them 0; as many draws per epoch as there are graphs.
    pub fn new(weights: &[f64]) -> Result<Self, WeightsError> {
        let mut sum = 0.0;
        let mut sums = Vec::with_capacity(weights.len());
        for (graph, &weight) in weights.iter().enumerate() {
            if !weight.is_finite() || weight < 0.0 {
                return Err(WeightsError::Weight { graph, weight });
            }
            sum += weight;
            sums.push(sum);
        }
        if !(sum > 0.0 && sum.is_finite()) {
            return Err(WeightsError::Sum { sum });
        }
        Ok(Self { sums, draws: weights.len() })
    }

    /// Weights that make all labels equally likely; one label per graph of the source.
    pub fn balanced(labels: &[i64]) -> Self {
        let mut counts = std::collections::HashMap::new();
        labels.iter().for_each(|label| *counts.entry(label).or_insert(0_u32) += 1);
        let mut sum = 0.0;
        let sums = labels.iter().map(|label| {
            sum += 1.0 / f64::from(counts[label]);
            sum
        });
        Self { sums: sums.collect(), draws: labels.len() }
    }

    /// The same weights with another number of draws per epoch.
    #[must_use]
    pub fn with_draws(mut self, draws: usize) -> Self {
        self.draws = draws;
        self
    }

    /// Graphs drawn per epoch.
    pub fn draws(&self) -> usize {
        self.draws
    }

    /// Graphs that there are weights for.
    pub(crate) fn len(&self) -> usize {
        self.sums.len()
    }

    /// A number that differs between different weights.
    pub(crate) fn fingerprint(&self) -> u64 {
        self.sums.iter().fold(self.draws as u64, |hash, sum| crate::fingerprint::mix(hash, sum.to_bits()))
    }

    /// Draws among `graphs`; others are drawn again.
    pub(super) fn draw(&self, graphs: &[u32], random: &mut Random) -> Vec<u32> {
        let mut kept = vec![false; self.sums.len()];
        graphs.iter().for_each(|&graph| kept[graph as usize] = true);
        let total = self.sums.last().copied().unwrap_or(0.0);
        let mut drawn = Vec::with_capacity(self.draws);
        // Where all weight lies on graphs that are left out, there is nothing to draw.
        let weight = |graph: &&u32| {
            let before = if **graph == 0 { 0.0 } else { self.sums[**graph as usize - 1] };
            self.sums[**graph as usize] > before
        };
        if !graphs.iter().any(|graph| weight(&graph)) {
            return drawn;
        }
        while drawn.len() < self.draws {
            let point = random.unit() * total;
            let graph = self.sums.partition_point(|&sum| sum <= point).min(self.sums.len() - 1);
            if kept[graph] {
                drawn.push(graph as u32);
            }
        }
        drawn
    }
}

/// Weights that nothing can be drawn by.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum WeightsError {
    /// A weight is negative or no number.
    #[error("graph {graph} has weight {weight}, expected a finite number of at least 0")]
    Weight {
        /// The graph.
        graph: usize,
        /// Its weight.
        weight: f64,
    },
    /// All weights are 0, or their sum is no number.
    #[error("the weights sum to {sum}, expected more than 0")]
    Sum {
        /// Their sum.
        sum: f64,
    },
}
