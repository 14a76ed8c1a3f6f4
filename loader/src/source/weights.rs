//! [`Weights`]: draws graphs with replacement instead of taking each once per epoch.

use crate::error::{Cause, Error, ErrorKind};
use crate::fingerprint::mix;
use std::collections::HashMap;

/// Draws graphs with replacement, each with a probability proportional to its weight, as PyTorch's
/// `WeightedRandomSampler` does.
///
/// ```
/// use graphpack_loader::Weights;
///
/// // Draws both labels equally often, as PyTorch Geometric's ImbalancedSampler does.
/// let weights = Weights::balanced(&[0, 0, 0, 1]);
/// assert_eq!(weights.draws(), 4);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    weights: Vec<f64>,
    draws: usize,
}

impl Weights {
    /// Takes one weight per graph of the source: finite, not negative and not all 0. An epoch draws `weights.len()`
    /// graphs.
    pub fn new(weights: &[f64]) -> Result<Self, Error> {
        let invalid = |weight: &f64| !weight.is_finite() || *weight < 0.0;
        if let Some(graph) = weights.iter().position(invalid) {
            return Err(WeightsError::Weight { graph, weight: weights[graph] }.into());
        }
        let sum = weights.iter().sum::<f64>();
        if !(sum > 0.0 && sum.is_finite()) {
            return Err(WeightsError::Sum { sum }.into());
        }
        Ok(Self { weights: weights.to_vec(), draws: weights.len() })
    }

    /// Returns weights that make all labels equally likely. `labels` has one label per graph of the source.
    pub fn balanced(labels: &[i64]) -> Self {
        let mut counts = HashMap::new();
        labels.iter().for_each(|label| *counts.entry(label).or_insert(0_u32) += 1);
        let weights = labels.iter().map(|label| 1.0 / f64::from(counts[label])).collect();
        Self { weights, draws: labels.len() }
    }

    /// Sets the number of draws per epoch.
    #[must_use]
    pub fn with_draws(mut self, draws: usize) -> Self {
        self.draws = draws;
        self
    }

    /// Number of graphs drawn per epoch.
    pub fn draws(&self) -> usize {
        self.draws
    }

    /// The weight of each graph.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// Returns a hash of the weights and the number of draws.
    pub(crate) fn fingerprint(&self) -> u64 {
        self.weights.iter().fold(self.draws as u64, |hash, weight| mix(hash, weight.to_bits()))
    }
}

/// Graphs cannot be drawn by these weights.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WeightsError {
    #[error("graph {graph} has weight {weight}, expected a finite number of at least 0")]
    Weight { graph: usize, weight: f64 },
    #[error("the weights sum to {sum}, expected a finite number above 0")]
    Sum { sum: f64 },
}

impl Cause for WeightsError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Options
    }

    fn graph(&self) -> Option<u64> {
        match *self {
            Self::Weight { graph, .. } => Some(graph as u64),
            Self::Sum { .. } => None,
        }
    }
}
