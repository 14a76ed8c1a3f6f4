//! [`Sage`]: the layers, on batches and on whole graphs.

use graphpack_tch::{Error, Segments, TensorBatch};
use tch::nn::{self, Module};
use tch::{Kind, Tensor};

/// Layers of `own(x) + neighbours(mean of x over the edges into a node)`.
pub(crate) struct Sage {
    layers: Vec<Layer>,
    dropout: f64,
}

struct Layer {
    own: nn::Linear,
    neighbours: nn::Linear,
    last: bool,
}

/// The edges of a whole graph in the order of their targets.
pub(crate) struct WholeEdges {
    sources: Tensor,
    /// Where the edges into each node start, and where the last ones end.
    ptr: Vec<i64>,
}

impl Sage {
    /// Makes a network whose layers have these widths, from the number of features to the number of classes.
    pub(crate) fn new(path: &nn::Path<'_>, widths: &[i64], dropout: f64) -> Self {
        let layers = widths.windows(2).enumerate().map(|(number, width)| {
            let linear =
                |name: &str| nn::linear(path / format!("{name}{number}"), width[0], width[1], Default::default());
            Layer { own: linear("own"), neighbours: linear("neighbours"), last: number + 2 == widths.len() }
        });
        Self { layers: layers.collect(), dropout }
    }

    /// Returns the logits of all nodes of a batch, `[nodes, classes]`.
    pub(crate) fn forward(&self, batch: &TensorBatch, train: bool) -> Result<Tensor, Error> {
        let (sources, targets) = (batch.edge_index()?.f_get(0)?, batch.edge_index()?.f_get(1)?);
        // Padding edges lead to padding nodes only.
        let into = Segments::by_index(&targets, batch.shape().nodes() as i64)?;
        let mut x = batch.get("x")?.f_to_kind(Kind::Float)?;
        for layer in &self.layers {
            let mean = into.mean(&x.f_index_select(0, &sources)?)?;
            x = layer.forward(&x, &mean)?;
            if !layer.last {
                x = x.f_dropout(self.dropout, train)?;
            }
        }
        Ok(x)
    }

    /// Returns the logits of all nodes of a whole graph. Each layer computes `rows` nodes at a time, which bounds the
    /// memory of the messages.
    pub(crate) fn infer(&self, x: &Tensor, edges: &WholeEdges, rows: usize) -> Result<Tensor, Error> {
        let _guard = tch::no_grad_guard();
        let mut x = x.shallow_clone();
        let nodes = edges.ptr.len() - 1;
        for layer in &self.layers {
            let chunks = (0..nodes).step_by(rows.max(1)).map(|start| {
                let end = (start + rows).min(nodes);
                let (first, count) = (edges.ptr[start], edges.ptr[end] - edges.ptr[start]);
                let sources = edges.sources.f_narrow(0, first, count)?;
                let ptr: Vec<i64> = edges.ptr[start..=end].iter().map(|place| place - first).collect();
                let ptr = Tensor::f_from_slice(&ptr)?.f_to_device(x.device())?;
                let mean = Segments::by_ptr(&ptr, count)?.mean(&x.f_index_select(0, &sources)?)?;
                layer.forward(&x.f_narrow(0, start as i64, (end - start) as i64)?, &mean)
            });
            let chunks = chunks.collect::<Result<Vec<_>, Error>>()?;
            x = Tensor::f_cat(&chunks, 0)?;
        }
        Ok(x)
    }
}

impl Layer {
    fn forward(&self, x: &Tensor, mean: &Tensor) -> Result<Tensor, Error> {
        let x = self.own.forward(x).f_add(&self.neighbours.forward(mean))?;
        Ok(if self.last { x } else { x.f_relu()? })
    }
}

impl WholeEdges {
    /// Orders edges by target.
    pub(crate) fn new(nodes: usize, sources: &[i64], targets: &[i64], device: tch::Device) -> Result<Self, Error> {
        let mut ptr = vec![0_i64; nodes + 1];
        targets.iter().for_each(|&target| ptr[target as usize + 1] += 1);
        (0..nodes).for_each(|node| ptr[node + 1] += ptr[node]);
        let (mut next, mut ordered) = (ptr.clone(), vec![0_i64; sources.len()]);
        for (&source, &target) in sources.iter().zip(targets) {
            ordered[next[target as usize] as usize] = source;
            next[target as usize] += 1;
        }
        Ok(Self { sources: Tensor::f_from_slice(&ordered)?.f_to_device(device)?, ptr })
    }
}
