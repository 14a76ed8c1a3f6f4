//! A small graph network in burn: `cargo run --release --features burn --example burn` in `loader/adapters/`.

use burn_core::data::dataloader::DataLoader;
use burn_core::tensor::{Device, Distribution, Gradients, IndexingUpdateOp, Int, Tensor, activation};
use graphpack_adapters::{BurnBatch, BurnError, BurnLoader};
use graphpack_loader::{Loader, Options, Order, molecules};
use std::error::Error;

const HIDDEN: usize = 32;
const ATOMS: usize = 119;
const EPOCHS: usize = 10;
const RATE: f64 = 0.3;

/// One layer of message passing between embeddings of atoms.
struct Network {
    atoms: Tensor<2>,
    messages: Tensor<2>,
    own: Tensor<2>,
    out: Tensor<2>,
}

impl Network {
    fn new(device: &Device) -> Self {
        let normal = |rows: usize, width: usize, scale: f64| {
            Tensor::random([rows, width], Distribution::Normal(0.0, scale), device).require_grad()
        };
        let scale = (HIDDEN as f64).sqrt().recip();
        Self {
            atoms: normal(ATOMS, HIDDEN, 1.0),
            messages: normal(HIDDEN, HIDDEN, scale),
            own: normal(HIDDEN, HIDDEN, scale),
            out: normal(HIDDEN, 1, scale),
        }
    }

    /// One logit per graph, `[graphs]`.
    fn forward(&self, batch: &BurnBatch) -> Result<Tensor<1>, BurnError> {
        let shape = batch.shape();
        let edges: Tensor<2, Int> = batch.int("edge_index")?;
        let row = |row: usize| edges.clone().narrow(0, row, 1).squeeze_dim::<1>(0);
        let h = self.atoms.clone().select(0, first(batch.int("x")?));
        let messages = h.clone().matmul(self.messages.clone()).select(0, row(0));
        let h = h.matmul(self.own.clone()).select_assign(0, row(1), messages, IndexingUpdateOp::Add);
        let h = activation::relu(h);

        let zeros = Tensor::zeros([shape.graphs(), HIDDEN], &h.device());
        let sums: Tensor<2> = zeros.select_assign(0, batch.int("batch")?, h, IndexingUpdateOp::Add);
        let ptr: Tensor<1, Int> = batch.int("ptr")?;
        let from = |graph: usize| ptr.clone().narrow(0, graph, shape.graphs());
        let nodes = (from(1) - from(0)).float().clamp_min(1.0).unsqueeze_dim::<2>(1);
        Ok((sums / nodes).matmul(self.out.clone()).squeeze_dim::<1>(1))
    }

    /// A step of gradient descent.
    fn step(&mut self, gradients: &Gradients) {
        for parameter in [&mut self.atoms, &mut self.messages, &mut self.own, &mut self.out] {
            if let Some(gradient) = parameter.grad(gradients) {
                let stepped = parameter.clone().inner() - gradient * RATE;
                *parameter = Tensor::from_inner(stepped).require_grad();
            }
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let device = Device::flex().autodiff();
    let loader = Loader::new(molecules::generate(7, 2_000), Options::graphs(32).order(Order::Shuffled).seed(42))?;
    let loader = BurnLoader::new(loader, device.clone());
    let mut network = Network::new(&device);
    let mut losses = Vec::new();
    for epoch in 0..EPOCHS {
        let (mut sum, mut graphs) = (0.0, 0);
        for batch in loader.iter() {
            let batch = batch?;
            let loss = loss(network.forward(&batch)?, &batch)?;
            network.step(&loss.backward());
            sum += loss.into_scalar::<f64>() * batch.real().graphs() as f64;
            graphs += batch.real().graphs();
        }
        losses.push(sum / graphs as f64);
        println!("epoch {}: loss {:.4} of {graphs} graphs", epoch + 1, sum / graphs as f64);
    }
    if losses.last() < losses.first() { Ok(()) } else { Err("the loss did not go down".into()) }
}

/// Mean binary cross-entropy of logits `[graphs]` over real graphs.
fn loss(logits: Tensor<1>, batch: &BurnBatch) -> Result<Tensor<1>, BurnError> {
    let targets = first(batch.int("y")?).float();
    let real = batch.bool::<1>("graph_mask")?.float();
    let softplus = logits.clone().abs().neg().exp().log1p();
    let each = activation::relu(logits.clone()) - logits * targets + softplus;
    Ok((each * real.clone()).sum() / real.sum())
}

/// The first column.
fn first(rows: Tensor<2, Int>) -> Tensor<1, Int> {
    rows.narrow(1, 0, 1).squeeze_dim(1)
}
