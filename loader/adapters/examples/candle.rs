//! A small graph network in candle: `cargo run --release --features candle --example candle` in `loader/adapters/`.

use candle_core::{D, DType, Device, Result, Tensor, Var};
use graphpack_adapters::CandleBatch;
use graphpack_loader::{Loader, Options, Order, molecules};
use std::error::Error;

const HIDDEN: usize = 32;
const ATOMS: usize = 119;
const EPOCHS: u64 = 10;
const RATE: f64 = 0.3;

/// One layer of message passing between embeddings of atoms.
struct Network {
    atoms: Var,
    messages: Var,
    own: Var,
    out: Var,
}

impl Network {
    fn new(device: &Device) -> Result<Self> {
        let normal = |rows: usize, width, scale| Var::randn(0.0_f32, scale, (rows, width), device);
        let scale = (HIDDEN as f32).sqrt().recip();
        Ok(Self {
            atoms: normal(ATOMS, HIDDEN, 1.0)?,
            messages: normal(HIDDEN, HIDDEN, scale)?,
            own: normal(HIDDEN, HIDDEN, scale)?,
            out: normal(HIDDEN, 1, scale)?,
        })
    }

    /// One logit per graph, `[graphs]`.
    fn forward(&self, batch: &CandleBatch) -> std::result::Result<Tensor, Box<dyn Error>> {
        let shape = batch.shape();
        let column = |name| -> std::result::Result<Tensor, Box<dyn Error>> {
            Ok(batch.get(name)?.narrow(1, 0, 1)?.squeeze(1)?.contiguous()?)
        };
        let edges = batch.get("edge_index")?;
        let (sources, targets) = (edges.get(0)?.contiguous()?, edges.get(1)?.contiguous()?);
        let h = self.atoms.index_select(&column("x")?, 0)?;
        let messages = h.matmul(&self.messages)?.index_select(&sources, 0)?;
        let h = h.matmul(&self.own)?.index_add(&targets, &messages, 0)?.relu()?;

        let zeros = Tensor::zeros((shape.graphs(), HIDDEN), DType::F32, h.device())?;
        let sums = zeros.index_add(batch.get("batch")?, &h, 0)?;
        let ptr = batch.get("ptr")?;
        let nodes = (ptr.narrow(0, 1, shape.graphs())? - ptr.narrow(0, 0, shape.graphs())?)?.to_dtype(DType::F32)?;
        let means = sums.broadcast_div(&nodes.maximum(1.0)?.unsqueeze(1)?)?;
        Ok(means.matmul(&self.out)?.squeeze(D::Minus1)?)
    }

    fn parameters(&self) -> [&Var; 4] {
        [&self.atoms, &self.messages, &self.own, &self.out]
    }
}

fn main() -> std::result::Result<(), Box<dyn Error>> {
    let device = Device::Cpu;
    let loader = Loader::new(molecules::generate(7, 2_000), Options::graphs(32).order(Order::Shuffled).seed(42))?;
    let network = Network::new(&device)?;
    let mut losses = Vec::new();
    for epoch in 0..EPOCHS {
        let (mut sum, mut graphs) = (0.0, 0);
        for batch in loader.epoch(epoch) {
            let batch = CandleBatch::new(batch?, &device)?;
            let loss = loss(&network.forward(&batch)?, &batch)?;
            let gradients = loss.backward()?;
            for parameter in network.parameters() {
                if let Some(gradient) = gradients.get(parameter) {
                    parameter.set(&(parameter.as_tensor() - (gradient * RATE)?)?)?;
                }
            }
            sum += f64::from(loss.to_scalar::<f32>()?) * batch.real().graphs() as f64;
            graphs += batch.real().graphs();
        }
        losses.push(sum / graphs as f64);
        println!("epoch {}: loss {:.4} of {graphs} graphs", epoch + 1, sum / graphs as f64);
    }
    if losses.last() < losses.first() { Ok(()) } else { Err("the loss did not go down".into()) }
}

/// Mean binary cross-entropy of logits `[graphs]` over real graphs.
fn loss(logits: &Tensor, batch: &CandleBatch) -> std::result::Result<Tensor, Box<dyn Error>> {
    let targets = batch.get("y")?.squeeze(1)?.to_dtype(DType::F32)?;
    let real = batch.get("graph_mask")?.to_dtype(DType::F32)?;
    let each = ((logits.relu()? - (logits * targets)?)? + (logits.abs()?.neg()?.exp()? + 1.0)?.log()?)?;
    Ok(((each * &real)?.sum_all()? / real.sum_all()?)?)
}
