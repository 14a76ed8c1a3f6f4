//! [`Network`]: one of the networks that can be trained.

use super::Outcome;
use clap::ValueEnum;
use example_models::{Features, Gine, Schnet};
use graphpack_tch::{Error, TensorBatch};
use tch::{Tensor, nn};

const DROPOUT: f64 = 0.1;

/// The name of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum NetworkName {
    /// on any features of nodes and edges
    Gine,
    /// on atomic numbers and distances, for a number
    Schnet,
}

/// A network.
pub(crate) enum Network {
    Gine(Gine),
    Schnet(Schnet),
}

impl Network {
    /// Makes a network of a width that predicts `outputs` numbers of graphs with these features, or of structures of
    /// these elements.
    pub(crate) fn new(
        name: NetworkName,
        path: &nn::Path<'_>,
        (features, elements): (&[Features; 2], &[u8]),
        [width, outputs]: [i64; 2],
    ) -> Outcome<Self> {
        Ok(match name {
            NetworkName::Gine => Self::Gine(Gine::new(path, features, [width, outputs], DROPOUT)?),
            NetworkName::Schnet if elements.is_empty() || outputs > 1 => {
                return Err("--model schnet: expected atoms with --cutoff and a number as target, found others".into());
            }
            NetworkName::Schnet => Self::Schnet(Schnet::new(path, width, elements)?),
        })
    }

    /// Returns `[graphs, outputs]`.
    pub(crate) fn forward(&self, batch: &TensorBatch, train: bool) -> Result<Tensor, Error> {
        match self {
            Self::Gine(network) => network.forward(batch, train),
            Self::Schnet(network) => network.forward(batch),
        }
    }
}
