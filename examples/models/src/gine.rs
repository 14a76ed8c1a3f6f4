//! [`Gine`]: GINE (Hu et al., arXiv 1905.12265) with the atom and bond encoders of the Open Graph Benchmark, 100,166
//! parameters on ogbg-molhiv at a width of 64, or with others.

use crate::layers::{Basis, GAUSSIANS};
use graphpack_loader::{Dtype, Level, Store};
use graphpack_tch::{Error, MaskedBatchNorm, TensorBatch, mean_pool};
use tch::nn::{self, Init, Module};
use tch::{Device, Kind, TchError, Tensor};

/// Message passing layers.
const LAYERS: usize = 5;

/// The most categories of a column.
const MOST: i64 = 100_000;

/// How many values each of OGB's atom features can take; data sets with more get larger tables.
const ATOM: [i64; 9] = [119, 5, 12, 12, 10, 6, 6, 2, 2];
/// How many values each of OGB's bond features can take.
const BOND: [i64; 3] = [5, 6, 2];

/// What is known of nodes or edges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Features {
    /// An int64 field, and how many values each of its columns can take.
    Categories(String, Vec<i64>),
    /// A float32 field and its width.
    Numbers(String, i64),
    /// The lengths of edges, in the field `distance`.
    Distances,
    /// Nothing: all are alike.
    None,
}

/// Embeddings of nodes and edges, [`MaskedBatchNorm`] in each layer, and the mean of the nodes of each graph.
pub struct Gine {
    nodes: Encoder,
    layers: Vec<Layer>,
    out: nn::Linear,
    dropout: f64,
}

struct Layer {
    edges: Encoder,
    eps: Tensor,
    wide: nn::Linear,
    wide_norm: MaskedBatchNorm,
    narrow: nn::Linear,
    norm: MaskedBatchNorm,
}

/// A field of one number in each row, `[rows]`, as `[rows, 1]`; another as it is.
fn columns(field: &Tensor) -> Result<Tensor, TchError> {
    if field.dim() == 1 { field.f_unsqueeze(1) } else { Ok(field.shallow_clone()) }
}

/// Makes a vector of what is known.
enum Encoder {
    /// The sum of one embedding per column: the tables of all, concatenated, and the first row of each.
    Categories { field: String, table: Tensor, first: Tensor },
    /// A dense layer.
    Numbers(String, nn::Linear),
    /// A dense layer of Gaussians.
    Distances(Basis, nn::Linear),
    /// One vector for all.
    None(Tensor),
}

impl Features {
    /// OGB's features of atoms and bonds.
    pub fn of_ogb() -> [Self; 2] {
        [Self::Categories("x".into(), ATOM.to_vec()), Self::Categories("edge_attr".into(), BOND.to_vec())]
    }

    /// What a store knows of its rows at a level: the first of these fields that it has there. Categories have room for
    /// OGB's, too. Errors if a field has neither categories nor floating point numbers.
    pub fn of(store: &Store, level: Level, names: &[&str]) -> Result<Self, Box<dyn std::error::Error>> {
        let fields = store.schema().fields();
        let field = names.iter().find_map(|name| fields.iter().find(|of| of.name == *name && of.level == level));
        let Some(field) = field else { return Ok(Self::None) };
        if field.dtype != Dtype::I64 {
            store.values::<f32>(&field.name)?;
            return Ok(Self::Numbers(field.name.clone(), field.width as i64));
        }
        let known = Self::of_ogb().into_iter().find_map(|known| match known {
            Self::Categories(name, values) if name == field.name && values.len() == field.width => Some(values),
            _ => None,
        });
        let mut values = known.unwrap_or_else(|| vec![1; field.width]);
        for row in store.values::<i64>(&field.name)?.chunks_exact(field.width.max(1)) {
            for (values, &value) in values.iter_mut().zip(row) {
                if !(0..MOST).contains(&value) {
                    return Err(
                        format!("{:?}: expected categories from 0 below {MOST}, found {value}", field.name).into()
                    );
                }
                *values = (*values).max(value + 1);
            }
        }
        Ok(Self::Categories(field.name.clone(), values))
    }
}

impl Gine {
    /// Makes a network that predicts `outputs` numbers of graphs from what is known of their nodes and edges. Nodes are
    /// represented by `width` numbers.
    pub fn new(
        path: &nn::Path<'_>,
        [nodes, edges]: &[Features; 2],
        [width, outputs]: [i64; 2],
        dropout: f64,
    ) -> Result<Self, TchError> {
        let layers =
            (0..LAYERS).map(|layer| Layer::new(&(path / "layers" / layer), edges, width)).collect::<Result<_, _>>()?;
        Ok(Self {
            nodes: Encoder::new(&(path / "atoms"), nodes, width)?,
            layers,
            out: nn::linear(path / "out", width, outputs, nn::LinearConfig::default()),
            dropout,
        })
    }

    /// Returns `[graphs, outputs]`.
    pub fn forward(&self, batch: &TensorBatch, train: bool) -> Result<Tensor, Error> {
        let (sources, targets) = (batch.edge_index()?.f_get(0)?, batch.edge_index()?.f_get(1)?);
        let mut h = self.nodes.forward(batch, batch.shape().nodes())?;
        for (depth, layer) in self.layers.iter().enumerate() {
            let edges = layer.edges.forward(batch, batch.shape().edges())?;
            let messages = h.f_index_select(0, &sources)?.f_add(&edges)?.f_relu()?;
            let gathered = h.f_mul(&layer.eps.f_add_scalar(1)?)?.f_index_add(0, &targets, &messages)?;
            let wide = layer.wide_norm.forward(&layer.wide.forward(&gathered), batch.node_mask()?, train)?;
            let z = layer.norm.forward(&layer.narrow.forward(&wide.f_relu()?), batch.node_mask()?, train)?;
            let z = if depth + 1 < LAYERS { z.f_relu()? } else { z };
            h = h.f_add(&z.f_dropout(self.dropout, train)?)?;
        }
        Ok(self.out.forward(&mean_pool(&h, batch)?))
    }
}

impl Layer {
    fn new(path: &nn::Path<'_>, edges: &Features, width: i64) -> Result<Self, TchError> {
        Ok(Self {
            edges: Encoder::new(&(path / "bonds"), edges, width)?,
            eps: path.f_var("eps", &[1], Init::Const(0.0))?,
            wide: nn::linear(path / "wide", width, 2 * width, nn::LinearConfig::default()),
            wide_norm: MaskedBatchNorm::new(path / "wide_norm", 2 * width),
            narrow: nn::linear(path / "narrow", 2 * width, width, nn::LinearConfig::default()),
            norm: MaskedBatchNorm::new(path / "norm", width),
        })
    }
}

impl Encoder {
    fn new(path: &nn::Path<'_>, features: &Features, width: i64) -> Result<Self, TchError> {
        let dense = |from| nn::linear(path / "dense", from, width, nn::LinearConfig::default());
        let (field, values) = match features {
            Features::Categories(field, values) => (field.clone(), values),
            Features::Numbers(field, from) => return Ok(Self::Numbers(field.clone(), dense(*from))),
            Features::Distances => return Ok(Self::Distances(Basis::new(path.device())?, dense(GAUSSIANS))),
            Features::None => {
                return Ok(Self::None(path.f_var("one", &[1, width], Init::Uniform { lo: -0.1, up: 0.1 })?));
            }
        };
        // Each feature's part is initialised like a table of its own (Glorot, uniform).
        let tables = values
            .iter()
            .map(|&rows| {
                let limit = (6.0 / (rows + width) as f64).sqrt();
                let mut table = Tensor::f_empty([rows, width], (Kind::Float, Device::Cpu))?;
                table.f_uniform_(-limit, limit)
            })
            .collect::<Result<Vec<_>, _>>()?;
        let first: Vec<i64> = values.iter().scan(0, |next, rows| Some(std::mem::replace(next, *next + rows))).collect();
        Ok(Self::Categories {
            field,
            table: path.f_var_copy("table", &Tensor::f_cat(&tables, 0)?)?,
            first: Tensor::from_slice(&first).f_to_device(path.device())?,
        })
    }

    /// Returns the vectors of all rows, `[rows, width]`.
    fn forward(&self, batch: &TensorBatch, rows: usize) -> Result<Tensor, Error> {
        let (field, table, first) = match self {
            Self::Categories { field, table, first } => (field, table, first),
            Self::Numbers(field, dense) => return Ok(dense.forward(&columns(batch.get(field)?)?)),
            Self::Distances(basis, dense) => return Ok(dense.forward(&basis.forward(batch)?)),
            Self::None(one) => return Ok(one.f_expand([rows as i64, -1], false)?),
        };
        let features = columns(batch.get(field)?)?;
        let (rows, columns) = features.size2()?;
        let indices = features.f_add(first)?;
        if features.device().is_cuda() {
            // PyTorch users capture embeddings in CUDA graphs; whether bags can be captured is documented nowhere.
            let vectors = Tensor::f_embedding(table, &indices, -1, false, false)?;
            return Ok(vectors.f_sum_dim_intlist(1, false, Kind::Float)?);
        }
        // Twice as fast on the CPU, since no [rows, columns, width] is stored.
        let indices = indices.f_view([rows * columns])?;
        let starts = Tensor::f_arange_start_step(0, rows * columns, columns, (Kind::Int64, features.device()))?;
        let none: Option<&Tensor> = None;
        Ok(Tensor::f_embedding_bag(table, &indices, &starts, false, 0, false, none, false)?.0)
    }
}
