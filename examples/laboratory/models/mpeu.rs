//! [`Mpeu`] (Jørgensen et al., arXiv 1806.03146), equations 2 to 5 of Speckhard et al. (arXiv 2502.00944).

use example_models::layers::{Basis, Edges, Elements, GAUSSIANS, Linear, Mlp, lecun, shifted_softplus};
use graphpack_tch::{Error, TensorBatch, mean_pool};
use tch::nn;
use tch::{TchError, Tensor};

const LAYERS: usize = 3;

/// Message passing with edge updates: each layer computes new states of the edges from the states of their nodes and
/// the edges' last states, which begin as Gaussians of the distance. Messages are averaged where equation 3 has a
/// sum, as the study's code sets it (`aggregation_message_type`). No layer has a bias.
pub struct Mpeu {
    elements: Elements,
    basis: Basis,
    layers: Vec<Layer>,
    readout: Mlp,
}

struct Layer {
    edges: Mlp,
    /// W2 and W3 of equation 4.
    gate: Mlp,
    /// W1 of equation 4.
    sources: Linear,
    /// W4 and W5 of equation 5.
    update: Mlp,
}

impl Mpeu {
    /// 177,568 parameters at width 64 and 2,553,472 at width 256, with 74 elements.
    pub fn new(path: &nn::Path<'_>, width: i64, elements: &[u8]) -> Result<Self, TchError> {
        let layers = (0..LAYERS)
            .map(|layer| Layer::new(&(path / "layers" / layer), if layer == 0 { GAUSSIANS } else { width }, width))
            .collect::<Result<_, _>>()?;
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
        let mut e = self.basis.forward(batch)?;
        let mut h = self.elements.forward(batch)?;
        for layer in &self.layers {
            e = layer.edges.forward(&Tensor::f_cat(&[edges.sources(&h)?, edges.targets(&h)?, e], 1)?)?;
            let gate = shifted_softplus(&layer.gate.forward(&e)?)?;
            let messages = edges.sources(&layer.sources.forward(&h)?)?.f_mul(&gate)?;
            let mean = edges.sum(&messages)?.f_div(&degrees)?;
            h = h.f_add(&layer.update.forward(&mean)?)?;
        }
        mean_pool(&self.readout.forward(&h)?, batch)
    }
}

impl Layer {
    /// A layer for edge states of `edges` features.
    fn new(path: &nn::Path<'_>, edges: i64, width: i64) -> Result<Self, TchError> {
        Ok(Self {
            edges: Mlp::new(&(path / "edges"), [2 * width + edges, 2 * width, width])?,
            gate: Mlp::new(&(path / "gate"), [width, width, width])?,
            sources: Linear::new(&(path / "sources"), width, width, lecun(width))?,
            update: Mlp::new(&(path / "update"), [width, width, width])?,
        })
    }
}
