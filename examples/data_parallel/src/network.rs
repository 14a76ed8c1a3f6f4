//! [`Network`]: two layers of message passing. No batch norm: its statistics would be those of one batch, not of the
//! step.

use graphpack_tch::{Error, TensorBatch, mean_pool};
use tch::Tensor;
use tch::nn::{self, Init, Module};

const HIDDEN: i64 = 32;
const LAYERS: usize = 2;
/// Number of values of the first atom feature and of the first bond feature of molecules.
const ATOMS: i64 = 119;
const BONDS: i64 = 5;

pub(crate) struct Network {
    atoms: nn::Embedding,
    bonds: nn::Embedding,
    layers: Vec<nn::Linear>,
    out: nn::Linear,
}

impl Network {
    pub(crate) fn new(path: &nn::Path<'_>) -> Self {
        // Small, since messages are summed.
        let config = || nn::EmbeddingConfig { ws_init: Init::Randn { mean: 0.0, stdev: 0.1 }, ..Default::default() };
        let linear = |layer| nn::linear(path / "layers" / layer, HIDDEN, HIDDEN, nn::LinearConfig::default());
        Self {
            atoms: nn::embedding(path / "atoms", ATOMS, HIDDEN, config()),
            bonds: nn::embedding(path / "bonds", BONDS, HIDDEN, config()),
            layers: (0..LAYERS).map(linear).collect(),
            out: nn::linear(path / "out", HIDDEN, 1, nn::LinearConfig::default()),
        }
    }

    /// One logit per graph, `[graphs, 1]`.
    pub(crate) fn forward(&self, batch: &TensorBatch) -> Result<Tensor, Error> {
        let (sources, targets) = (batch.edge_index()?.f_get(0)?, batch.edge_index()?.f_get(1)?);
        let first = |name: &str| Ok::<_, Error>(batch.get(name)?.f_select(1, 0)?);
        let mut h = self.atoms.forward(&first("x")?);
        let bonds = self.bonds.forward(&first("edge_attr")?);
        for layer in &self.layers {
            let messages = h.f_index_select(0, &sources)?.f_add(&bonds)?.f_relu()?;
            h = h.f_add(&layer.forward(&h.f_index_add(0, &targets, &messages)?).f_relu()?)?;
        }
        Ok(self.out.forward(&mean_pool(&h, batch)?))
    }
}
