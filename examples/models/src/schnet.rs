//! [`Schnet`] (Schütt et al., arXiv 1706.08566), equation 1 of Speckhard et al. (arXiv 2502.00944).

use crate::layers::{Basis, Edges, Elements, GAUSSIANS, Linear, Mlp, lecun, shifted_softplus};
use graphpack_tch::{Error, TensorBatch, mean_pool};
use tch::nn;
use tch::{TchError, Tensor};

const LAYERS: usize = 3;

/// Continuous-filter convolutions over Gaussians of the distance, with means where SchNet has sums, as the study's code
/// sets it (`aggregation_message_type`). No layer has a bias.
pub struct Schnet {
    elements: Elements,
    basis: Basis,
    layers: Vec<Layer>,
    readout: Mlp,
}

struct Layer {
    /// Turns the Gaussians of an edge into W of equation 1.
    filter: Mlp,
    sources: Linear,
    update: Mlp,
}

impl Schnet {
    /// 84,768 parameters at width 64 with 74 elements.
    pub fn new(path: &nn::Path<'_>, width: i64, elements: &[u8]) -> Result<Self, TchError> {
        let layers =
            (0..LAYERS).map(|layer| Layer::new(&(path / "layers" / layer), width)).collect::<Result<_, _>>()?;
        Ok(Self {
            elements: Elements::new(&(path / "elements"), elements, width, lecun(elements.len() as i64))?,
            basis: Basis::new(path.device())?,
            layers,
            readout: Mlp::new(&(path / "readout"), [width, width / 2, 1])?,
        })
    }

    /// Returns an energy per graph, `[graphs, 1]`.
    pub fn forward(&self, batch: &TensorBatch) -> Result<Tensor, Error> {
        let edges = Edges::new(batch)?;
        let degrees = edges.degrees()?;
        let basis = self.basis.forward(batch)?;
        let mut h = self.elements.forward(batch)?;
        for layer in &self.layers {
            let filter = shifted_softplus(&layer.filter.forward(&basis)?)?;
            let messages = edges.sources(&layer.sources.forward(&h)?)?.f_mul(&filter)?;
            let mean = edges.sum(&messages)?.f_div(&degrees)?;
            h = h.f_add(&layer.update.forward(&mean)?)?;
        }
        mean_pool(&self.readout.forward(&h)?, batch)
    }
}

impl Layer {
    fn new(path: &nn::Path<'_>, width: i64) -> Result<Self, TchError> {
        Ok(Self {
            filter: Mlp::new(&(path / "filter"), [GAUSSIANS, width, width])?,
            sources: Linear::new(&(path / "sources"), width, width, lecun(width))?,
            update: Mlp::new(&(path / "update"), [width, width, width])?,
        })
    }
}
