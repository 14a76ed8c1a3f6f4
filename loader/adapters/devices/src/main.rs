//! Trains GINE on generated molecules with burn, on a device and with a way of batching, and prints a row of csv per
//! epoch: `cargo xtask lab devices` runs it for all of them.

mod batches;
mod counted;
mod gine;
mod graphs;

use batches::{Batches, Way};
use burn::optim::{AdamConfig, GradientsParams};
use burn::tensor::{Device, DeviceKind};
use clap::{Parser, ValueEnum};
use gine::Gine;
use graphpack_adapters::graphpack_loader::molecules;
use std::collections::BTreeSet;
use std::error::Error;
use std::time::{Duration, Instant};

/// Learning rate of Adam.
const RATE: f64 = 1e-3;

#[derive(Parser)]
struct Args {
    #[arg(long, value_enum)]
    device: On,
    #[arg(long, value_enum)]
    batches: Way,
    /// Molecules to generate
    #[arg(long, default_value_t = 1000)]
    graphs: usize,
    /// Graphs per batch, on average where their number varies
    #[arg(long, default_value_t = 32)]
    batch_graphs: u32,
    #[arg(long, default_value_t = 3)]
    layers: usize,
    /// Width of node representations
    #[arg(long, default_value_t = 32)]
    hidden: usize,
    #[arg(long, default_value_t = 5)]
    epochs: usize,
    /// Batches that are on the device before they are asked for
    #[arg(long, default_value_t = 2)]
    ahead: usize,
}

/// Where to train.
#[derive(Clone, Copy, ValueEnum)]
enum On {
    /// Vulkan, Metal or DirectX
    Wgpu,
    /// this processor, without a compiler
    Flex,
}

impl On {
    fn device(self) -> Device {
        match self {
            Self::Wgpu => Device::wgpu(DeviceKind::DefaultDevice),
            Self::Flex => Device::flex(),
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let args = Args::parse();
    counted::start()?;
    let device = args.device.device().autodiff();
    device.seed(1);
    let mut network = Gine::new(args.layers, args.hidden, &device);
    let mut adam = AdamConfig::new().init();
    let store = molecules::generate(7, args.graphs);
    let batches = Batches::new(args.batches, store, args.batch_graphs, args.ahead, &device)?;
    let (mut shapes, mut seconds) = (BTreeSet::new(), 0.0);
    println!("epoch,steps,shapes,node_slots,edge_slots,kernels,tuned,seconds,wait_share,loss");
    for epoch in 1..=args.epochs {
        let begun = Instant::now();
        let (mut waited, mut sum) = (Duration::ZERO, 0.0);
        let (mut steps, mut slots) = (0_u32, [0, 0]);
        let mut graphs = batches.epoch();
        loop {
            let asked = Instant::now();
            let next = graphs.next();
            waited += asked.elapsed();
            let Some(batch) = next.transpose()? else { break };
            let batch = batch.graphs()?;
            let loss = network.loss(&batch);
            let gradients = GradientsParams::from_grads(loss.backward(), &network);
            network = adam.step(RATE, network, gradients);
            sum += loss.into_scalar::<f64>();
            steps += 1;
            shapes.insert(batch.shape);
            slots = [slots[0] + batch.shape[0], slots[1] + batch.shape[1]];
        }
        device.sync()?;
        let took = begun.elapsed();
        seconds += took.as_secs_f64();
        let ([compiled, tuned], [nodes, edges]) = (counted::kernels(), slots);
        println!(
            "{epoch},{steps},{},{nodes},{edges},{compiled},{tuned},{seconds:.3},{:.5},{:.5}",
            shapes.len(),
            waited.div_duration_f64(took),
            sum / f64::from(steps.max(1))
        );
    }
    Ok(())
}
