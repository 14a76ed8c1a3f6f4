//! Parts of the models: dense layers, embeddings of elements, Gaussians of distances, and sums over edges.

use graphpack_tch::{Error, TensorBatch};
use std::f64::consts::LN_2;
use tch::nn::{self, Init};
use tch::{Device, Kind, TchError, Tensor};

/// Added to squared lengths under a root, so that padding edges of length 0 have finite gradients.
pub const EPS: f64 = 1e-8;

/// Number of Gaussians of SchNet and MPEU; they are `SPACING` angstrom apart, the first at 0.
pub const GAUSSIANS: i64 = 150;
const SPACING: f64 = 0.1;

/// The least exponent of a Gaussian: e^-64 changes no digit of a sum, and below e^-87 numbers are subnormal. Products
/// of matrices with those take an Intel Xeon 10 times as long, SchNet's whole epoch 4.5 times (50.0 and 11.0 s).
const FAR: f64 = -64.0;

/// Normal with variance 1 / `from`, like haiku's default, which the study uses, but not truncated.
pub fn lecun(from: i64) -> Init {
    Init::Randn { mean: 0.0, stdev: (from as f64).sqrt().recip() }
}

/// Uniform with variance 2 / (`from` + `to`) (Glorot and Bengio, 2010).
pub fn glorot(from: i64, to: i64) -> Init {
    let limit = (6.0 / (from + to) as f64).sqrt();
    Init::Uniform { lo: -limit, up: limit }
}

/// A dense layer.
pub struct Linear {
    weight: Tensor,
    bias: Option<Tensor>,
}

impl Linear {
    /// A layer without a bias.
    pub fn new(path: &nn::Path<'_>, from: i64, to: i64, init: Init) -> Result<Self, TchError> {
        Ok(Self { weight: path.f_var("weight", &[to, from], init)?, bias: None })
    }

    /// Makes a layer with a bias, which starts at 0.
    pub fn with_bias(path: &nn::Path<'_>, from: i64, to: i64, init: Init) -> Result<Self, TchError> {
        let weight = path.f_var("weight", &[to, from], init)?;
        Ok(Self { weight, bias: Some(path.f_var("bias", &[to], Init::Const(0.0))?) })
    }

    /// Maps `[..., from]` to `[..., to]`.
    pub fn forward(&self, x: &Tensor) -> Result<Tensor, TchError> {
        x.f_linear(&self.weight, self.bias.as_ref())
    }
}

/// Two dense layers without biases and a shifted softplus between them.
pub struct Mlp {
    hidden: Linear,
    out: Linear,
}

impl Mlp {
    /// Two layers of these widths.
    pub fn new(path: &nn::Path<'_>, [from, hidden, to]: [i64; 3]) -> Result<Self, TchError> {
        Ok(Self {
            hidden: Linear::new(&(path / "hidden"), from, hidden, lecun(from))?,
            out: Linear::new(&(path / "out"), hidden, to, lecun(hidden))?,
        })
    }

    /// Applies both layers.
    pub fn forward(&self, x: &Tensor) -> Result<Tensor, TchError> {
        self.out.forward(&shifted_softplus(&self.hidden.forward(x)?)?)
    }
}

/// Returns e^x, but never a number that is subnormal.
pub fn gaussians(exponents: &Tensor) -> Result<Tensor, TchError> {
    exponents.f_clamp_min(FAR)?.f_exp()
}

/// Returns ln(1 + e^x) - ln 2, which is 0 at 0.
pub fn shifted_softplus(x: &Tensor) -> Result<Tensor, TchError> {
    x.f_softplus()?.f_sub_scalar(LN_2)
}

/// An embedding: a vector for each element of the data set.
pub struct Elements {
    table: Tensor,
    /// The row of `table` for each atomic number; -1 for elements that the data set lacks.
    rows: Tensor,
}

impl Elements {
    /// A row of `width` numbers for each of the elements.
    pub fn new(path: &nn::Path<'_>, elements: &[u8], width: i64, init: Init) -> Result<Self, TchError> {
        let mut rows = [-1; 256];
        // Padding nodes have atomic number 0; any row is right for them.
        rows[0] = 0;
        for (row, &element) in (0..).zip(elements) {
            rows[usize::from(element)] = row;
        }
        Ok(Self {
            table: path.f_var("table", &[elements.len() as i64, width], init)?,
            rows: Tensor::f_from_slice::<i64>(&rows)?.f_to_device(path.device())?,
        })
    }

    /// Returns the vector of each node's element, `[nodes, width]`.
    pub fn forward(&self, batch: &TensorBatch) -> Result<Tensor, Error> {
        let numbers = batch.get("z")?.f_reshape([-1])?.f_to_kind(Kind::Int64)?;
        Ok(self.table.f_index_select(0, &self.rows.f_index_select(0, &numbers)?)?)
    }
}

/// Gaussians of the distance d as in the study's SchNet and MPEU: exp(-(d - 0.1 k)^2 / 0.1), k = 0 to 149.
pub struct Basis {
    centres: Tensor,
}

impl Basis {
    /// Gaussians on a device.
    pub fn new(device: Device) -> Result<Self, TchError> {
        Ok(Self { centres: Tensor::f_arange(GAUSSIANS, (Kind::Float, device))?.f_mul_scalar(SPACING)? })
    }

    /// Returns the Gaussians of each edge, `[edges, GAUSSIANS]`.
    pub fn forward(&self, batch: &TensorBatch) -> Result<Tensor, Error> {
        let from_centres = batch.get("distance")?.f_sub(&self.centres)?;
        Ok(gaussians(&from_centres.f_square()?.f_div_scalar(-SPACING)?)?)
    }
}

/// The edges of a batch: messages flow from sources to targets.
pub struct Edges {
    sources: Tensor,
    targets: Tensor,
    nodes: i64,
}

impl Edges {
    /// Sources and targets of a batch.
    pub fn new(batch: &TensorBatch) -> Result<Self, Error> {
        Ok(Self {
            sources: batch.edge_index()?.f_get(0)?,
            targets: batch.edge_index()?.f_get(1)?,
            nodes: batch.shape().nodes() as i64,
        })
    }

    /// Gathers the row of each edge's source: `[nodes, ...]` to `[edges, ...]`.
    pub fn sources(&self, node_level: &Tensor) -> Result<Tensor, TchError> {
        node_level.f_index_select(0, &self.sources)
    }

    /// Gathers the row of each edge's target: `[nodes, ...]` to `[edges, ...]`.
    pub fn targets(&self, node_level: &Tensor) -> Result<Tensor, TchError> {
        node_level.f_index_select(0, &self.targets)
    }

    /// Sums the messages to each node: `[edges, ...]` to `[nodes, ...]`.
    pub fn sum(&self, messages: &Tensor) -> Result<Tensor, TchError> {
        let mut size = messages.size();
        size[0] = self.nodes;
        messages.f_new_zeros(size, (messages.kind(), messages.device()))?.f_index_add(0, &self.targets, messages)
    }

    /// Counts the messages to each node, `[nodes, 1]`, at least 1: a sum divided by it is a mean.
    pub fn degrees(&self) -> Result<Tensor, TchError> {
        let ones = Tensor::f_ones([self.targets.size1()?, 1], (Kind::Float, self.targets.device()))?;
        self.sum(&ones)?.f_clamp_min(1)
    }
}

#[cfg(test)]
mod tests {
    use super::gaussians;
    use tch::Tensor;

    #[test]
    fn gaussians_are_never_subnormal() {
        let exponents = [0.0_f32, -1.0, -64.0, -90.0, -100.0, -1e4];
        let found = Vec::<f32>::try_from(gaussians(&Tensor::from_slice(&exponents)).unwrap()).unwrap();
        assert!(found[0] == 1.0 && found.iter().all(|number| number.is_normal()), "{found:?}");
    }
}
