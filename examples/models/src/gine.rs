//! [`Gine`]: GINE (Hu et al., arXiv 1905.12265) with the atom and bond encoders of the Open Graph Benchmark; 100,166
//! parameters on ogbg-molhiv.

use graphpack_tch::{BridgeError, MaskedBatchNorm, TensorBatch, mean_pool};
use tch::nn::{self, Init, Module};
use tch::{Device, Kind, TchError, Tensor};

/// Width of node representations.
const HIDDEN: i64 = 64;
/// Message passing layers.
const LAYERS: usize = 5;

/// How many values each of OGB's atom features can take; data sets with more get larger tables.
pub const ATOM: [i64; 9] = [119, 5, 12, 12, 10, 6, 6, 2, 2];
/// How many values each of OGB's bond features can take.
pub const BOND: [i64; 3] = [5, 6, 2];

/// Embeddings of atoms, [`MaskedBatchNorm`] in each layer, and the mean of the nodes of each graph.
pub struct Gine {
    atoms: Encoder,
    layers: Vec<Layer>,
    out: nn::Linear,
    dropout: f64,
}

struct Layer {
    bonds: Encoder,
    eps: Tensor,
    wide: nn::Linear,
    wide_norm: MaskedBatchNorm,
    narrow: nn::Linear,
    norm: MaskedBatchNorm,
}

/// The sum of one embedding per categorical feature.
struct Encoder {
    /// The tables of all features, concatenated.
    table: Tensor,
    /// The first row of each feature's table.
    first: Tensor,
}

impl Gine {
    /// Makes a network for atoms and bonds whose feature k has `atoms[k]` and `bonds[k]` distinct values.
    pub fn new(path: &nn::Path<'_>, atoms: &[i64], bonds: &[i64], dropout: f64) -> Result<Self, TchError> {
        let layers =
            (0..LAYERS).map(|layer| Layer::new(&(path / "layers" / layer), bonds)).collect::<Result<_, _>>()?;
        Ok(Self {
            atoms: Encoder::new(&(path / "atoms"), atoms)?,
            layers,
            out: nn::linear(path / "out", HIDDEN, 1, nn::LinearConfig::default()),
            dropout,
        })
    }

    /// Returns a logit per graph, `[graphs, 1]`.
    pub fn forward(&self, batch: &TensorBatch, train: bool) -> Result<Tensor, BridgeError> {
        let (sources, targets) = (batch.edge_index().f_get(0)?, batch.edge_index().f_get(1)?);
        let mut h = self.atoms.forward(batch.get("x")?)?;
        for (depth, layer) in self.layers.iter().enumerate() {
            let bonds = layer.bonds.forward(batch.get("edge_attr")?)?;
            let messages = h.f_index_select(0, &sources)?.f_add(&bonds)?.f_relu()?;
            let gathered = h.f_mul(&layer.eps.f_add_scalar(1)?)?.f_index_add(0, &targets, &messages)?;
            let wide = layer.wide_norm.forward(&layer.wide.forward(&gathered), batch.node_mask(), train)?;
            let z = layer.norm.forward(&layer.narrow.forward(&wide.f_relu()?), batch.node_mask(), train)?;
            let z = if depth + 1 < LAYERS { z.f_relu()? } else { z };
            h = h.f_add(&z.f_dropout(self.dropout, train)?)?;
        }
        Ok(self.out.forward(&mean_pool(&h, batch)?))
    }
}

impl Layer {
    fn new(path: &nn::Path<'_>, bonds: &[i64]) -> Result<Self, TchError> {
        Ok(Self {
            bonds: Encoder::new(&(path / "bonds"), bonds)?,
            eps: path.f_var("eps", &[1], Init::Const(0.0))?,
            wide: nn::linear(path / "wide", HIDDEN, 2 * HIDDEN, nn::LinearConfig::default()),
            wide_norm: MaskedBatchNorm::new(&(path / "wide_norm"), 2 * HIDDEN)?,
            narrow: nn::linear(path / "narrow", 2 * HIDDEN, HIDDEN, nn::LinearConfig::default()),
            norm: MaskedBatchNorm::new(&(path / "norm"), HIDDEN)?,
        })
    }
}

impl Encoder {
    fn new(path: &nn::Path<'_>, values: &[i64]) -> Result<Self, TchError> {
        // Each feature's part is initialised like a table of its own (Glorot, uniform).
        let tables = values
            .iter()
            .map(|&rows| {
                let limit = (6.0 / (rows + HIDDEN) as f64).sqrt();
                let mut table = Tensor::f_empty([rows, HIDDEN], (Kind::Float, Device::Cpu))?;
                table.f_uniform_(-limit, limit)
            })
            .collect::<Result<Vec<_>, _>>()?;
        let first: Vec<i64> = values.iter().scan(0, |next, rows| Some(std::mem::replace(next, *next + rows))).collect();
        Ok(Self {
            table: path.f_var_copy("table", &Tensor::f_cat(&tables, 0)?)?,
            first: Tensor::from_slice(&first).f_to_device(path.device())?,
        })
    }

    /// Maps `[rows, features]` to `[rows, HIDDEN]`.
    fn forward(&self, features: &Tensor) -> Result<Tensor, TchError> {
        let (rows, width) = features.size2()?;
        let indices = features.f_add(&self.first)?;
        if features.device().is_cuda() {
            // PyTorch users capture embeddings in CUDA graphs; whether bags can be captured is documented nowhere.
            return Tensor::f_embedding(&self.table, &indices, -1, false, false)?.f_sum_dim_intlist(
                1,
                false,
                Kind::Float,
            );
        }
        // Twice as fast on the CPU, since no [rows, width, HIDDEN] is stored.
        let indices = indices.f_view([rows * width])?;
        let starts = Tensor::f_arange_start_step(0, rows * width, width, (Kind::Int64, features.device()))?;
        let none: Option<&Tensor> = None;
        Ok(Tensor::f_embedding_bag(&self.table, &indices, &starts, false, 0, false, none, false)?.0)
    }
}
