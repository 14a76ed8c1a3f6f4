//! [`Model`]: SchNet, MPEU or PaiNN as in the batching study (Speckhard et al., arXiv 2502.00944, appendix A).
//!
//! Sizes are those of the study's code (github.com/tisabe/jraph_MPEU). It trains all three with Adam on the mean
//! squared error of energies normalised to mean 0 and variance 1. Parameters depend on the number of elements in the
//! data set: 5 in QM9; 74 in AFLOW, inferred, because it makes three counts exact.
//!
//! | model | width | QM9 | AFLOW | the study's text | where the width is from |
//! |---|---|---|---|---|---|
//! | SchNet | 64 | 80,352 | 84,768 | 84,768 | `create_profile_experiments.py` |
//! | MPEU | 64 | 173,152 | 177,568 | | `default_mp_test.py`, which `create_profile_experiments.py` builds on |
//! | MPEU | 256 | 2,535,808 | 2,553,472 | 2,553,472 | `default_mp.py` |
//! | PaiNN | 256 | 2,284,545 | 2,302,209 | 177,568 | `create_profile_experiments.py` |
//!
//! The count that the text gives for PaiNN is that of MPEU at width 64; no width of this PaiNN gives it.

use crate::mpeu::Mpeu;
use clap::ValueEnum;
use example_models::{Painn, Schnet};
use graphpack_tch::{Error, TensorBatch};
use tch::{TchError, Tensor, nn};

/// The name of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[expect(missing_docs, reason = "each variant is named after its model")]
pub enum ModelName {
    Schnet,
    Mpeu,
    Painn,
}

impl ModelName {
    /// The name as the study spells it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Schnet => "SchNet",
            Self::Mpeu => "MPEU",
            Self::Painn => "PaiNN",
        }
    }

    /// The width that gives the parameters of the study's text; none does for PaiNN, whose width is that of its
    /// scripts.
    pub fn width(self) -> i64 {
        match self {
            Self::Schnet => 64,
            Self::Mpeu | Self::Painn => 256,
        }
    }

    /// The number of trainable parameters in the study's text; the table above says which model has it.
    pub fn published_parameters(self) -> usize {
        match self {
            Self::Schnet => 84_768,
            Self::Mpeu => 2_553_472,
            Self::Painn => 177_568,
        }
    }
}

/// One of the three models.
#[expect(missing_docs, reason = "each variant is named after its model")]
pub enum Model {
    Schnet(Schnet),
    Mpeu(Mpeu),
    Painn(Painn),
}

impl Model {
    /// Makes a model of `width` features for atomic numbers in `elements`; libtorch fails at a batch with another one.
    pub fn new(name: ModelName, path: &nn::Path<'_>, width: i64, elements: &[u8]) -> Result<Self, TchError> {
        Ok(match name {
            ModelName::Schnet => Self::Schnet(Schnet::new(path, width, elements)?),
            ModelName::Mpeu => Self::Mpeu(Mpeu::new(path, width, elements)?),
            ModelName::Painn => Self::Painn(Painn::new(path, width, elements)?),
        })
    }

    /// Returns an energy per graph, `[graphs, 1]`: a mean over nodes, as in the study; 0 for padding graphs.
    pub fn forward(&self, batch: &TensorBatch) -> Result<Tensor, Error> {
        match self {
            Self::Schnet(model) => model.forward(batch),
            Self::Mpeu(model) => model.forward(batch),
            Self::Painn(model) => model.forward(batch),
        }
    }
}
