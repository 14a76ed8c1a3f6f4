//! [`Gine`]: GINE (Hu et al., arXiv 1905.12265) of burn's modules, with layer normalisation, which needs no masks.

use super::graphs::Graphs;
use burn::module::Module;
use burn::nn::{Embedding, EmbeddingConfig, LayerNorm, LayerNormConfig, Linear, LinearConfig};
use burn::tensor::{Device, IndexingUpdateOp, Int, Tensor, activation::relu};

/// How many values each of OGB's atom and bond features can take.
const ATOM: [i32; 9] = [119, 5, 12, 12, 10, 6, 6, 2, 2];
const BOND: [i32; 3] = [5, 6, 2];

#[derive(Module, Debug)]
pub(crate) struct Gine {
    atoms: Features,
    layers: Vec<Layer>,
    out: Linear,
}

#[derive(Module, Debug)]
struct Layer {
    bonds: Features,
    wide: Linear,
    norm: LayerNorm,
    narrow: Linear,
}

/// The sum of an embedding per column: the tables of all in one, and the first row of each.
#[derive(Module, Debug)]
struct Features {
    table: Embedding,
    first: Tensor<2, Int>,
}

impl Gine {
    pub(crate) fn new(layers: usize, hidden: usize, device: &Device) -> Self {
        let layer = |_| Layer {
            bonds: Features::new(&BOND, hidden, device),
            wide: LinearConfig::new(hidden, 2 * hidden).init(device),
            norm: LayerNormConfig::new(2 * hidden).init(device),
            narrow: LinearConfig::new(2 * hidden, hidden).init(device),
        };
        Self {
            atoms: Features::new(&ATOM, hidden, device),
            layers: (0..layers).map(layer).collect(),
            out: LinearConfig::new(hidden, 1).init(device),
        }
    }

    /// Returns the mean binary cross-entropy of real graphs, `[1]`.
    pub(crate) fn loss(&self, graphs: &Graphs) -> Tensor<1> {
        let logits = self.logits(graphs);
        let softplus = logits.clone().abs().neg().exp().log1p();
        let each = relu(logits.clone()) - logits * graphs.y.clone() + softplus;
        (each * graphs.real.clone()).sum() / graphs.real.clone().sum()
    }

    /// `[graphs]`
    fn logits(&self, graphs: &Graphs) -> Tensor<1> {
        let mut h = self.atoms.forward(graphs.x.clone());
        for layer in &self.layers {
            let of_sources = h.clone().select(0, graphs.sources.clone());
            let messages = relu(of_sources + layer.bonds.forward(graphs.edge_attr.clone()));
            let gathered = h.clone().select_assign(0, graphs.targets.clone(), messages, IndexingUpdateOp::Add);
            let wide = relu(layer.norm.forward(layer.wide.forward(gathered)));
            h = h + relu(layer.narrow.forward(wide));
        }
        let [_, hidden] = h.dims();
        let sums = Tensor::zeros([graphs.y.dims()[0], hidden], &h.device());
        let sums: Tensor<2> = sums.select_assign(0, graphs.batch.clone(), h, IndexingUpdateOp::Add);
        self.out.forward(sums / graphs.nodes.clone().unsqueeze_dim(1)).squeeze_dim(1)
    }
}

impl Features {
    fn new(values: &[i32], hidden: usize, device: &Device) -> Self {
        let first: Vec<i32> = values.iter().scan(0, |next, rows| Some(std::mem::replace(next, *next + rows))).collect();
        let rows = values.iter().sum::<i32>() as usize;
        let first = Tensor::<1, Int>::from_ints(first.as_slice(), device).unsqueeze();
        Self { table: EmbeddingConfig::new(rows, hidden).init(device), first }
    }

    /// `[rows, columns]` to `[rows, hidden]`.
    fn forward(&self, values: Tensor<2, Int>) -> Tensor<2> {
        self.table.forward(values + self.first.clone()).sum_dim(1).squeeze_dim(1)
    }
}
