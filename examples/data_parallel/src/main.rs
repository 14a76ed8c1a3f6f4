//! Data-parallel training over MPI: each rank trains on its own batches, and gradients are averaged over all real
//! graphs. The same global batch gives the same loss on any number of ranks, as `cargo xtask mpi` shows.
//!
//! A mean of the ranks' mean losses would be another loss: batches hold different numbers of real graphs, and the batch
//! of a rank may be empty.

mod network;
mod reduce;

use clap::Parser;
use graphpack_loader::{Loader, Options, Order, Shard, molecules};
use graphpack_tch::{TensorBatch, bce_with_logits};
use mpi::topology::SimpleCommunicator;
use mpi::traits::Communicator;
use network::Network;
use reduce::{Total, average, broadcast};
use std::error::Error;
use std::process::ExitCode;
use tch::nn::{self, OptimizerConfig};
use tch::{Device, Tensor};

/// Trains on generated molecules, on the ranks that mpirun starts. Prints step, loss and number of graphs, a line per
/// step
#[derive(Parser)]
struct Args {
    #[arg(long, default_value_t = 40)]
    steps: usize,
    /// Batches per step of all ranks together: a multiple of the number of ranks
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..))]
    batches_per_step: u32,
    /// Graphs per batch, on average
    #[arg(long, default_value_t = 32)]
    batch_graphs: u32,
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

fn main() -> ExitCode {
    let args = Args::parse();
    let Some(universe) = mpi::initialize() else {
        eprintln!("data_parallel: MPI is already initialized");
        return ExitCode::FAILURE;
    };
    let ranks = universe.world();
    match run(&args, &ranks) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("data_parallel: rank {}: {error}", ranks.rank());
            // The other ranks wait for this one in a reduction.
            ranks.abort(1)
        }
    }
}

fn run(args: &Args, ranks: &SimpleCommunicator) -> Result<(), Box<dyn Error>> {
    let shard = Shard::from_env()?;
    if (i64::from(shard.rank()), i64::from(shard.world())) != (ranks.rank().into(), ranks.size().into()) {
        let (rank, world) = (ranks.rank(), ranks.size());
        return Err(format!("the environment says {shard:?}, MPI says rank {rank} of {world}").into());
    }
    if !args.batches_per_step.is_multiple_of(shard.world()) {
        let (batches, world) = (args.batches_per_step, shard.world());
        return Err(format!("{batches} batches per step cannot be shared equally by {world} ranks").into());
    }
    // Ranks share the cores.
    tch::set_num_threads(1);
    tch::manual_seed(args.seed as i64);
    let data = molecules::generate(args.seed, 2_000);
    let loader =
        Loader::new(data, Options::graphs(args.batch_graphs).order(Order::Shuffled).seed(args.seed).shard(shard))?;

    let store = nn::VarStore::new(Device::Cpu);
    let network = Network::new(&store.root());
    let mut optimizer = nn::Adam::default().build(&store, 3e-3)?;
    let mut parameters = store.trainable_variables();
    broadcast(ranks, &mut parameters)?;

    let own_batches = (args.batches_per_step / shard.world()) as usize;
    let (mut epoch, mut batches) = (0, loader.epoch(0).peekable());
    for step in 0..args.steps {
        // A step never takes batches of two epochs, so that it has the same graphs on any number of ranks.
        if batches.peek().is_none() {
            epoch += 1;
            batches = loader.epoch(epoch).peekable();
        }
        optimizer.zero_grad();
        let mut own = Total::default();
        for batch in batches.by_ref().take(own_batches) {
            let batch = TensorBatch::new(batch?, Device::Cpu)?;
            let graphs = batch.real().graphs() as f64;
            // From the mean over real graphs to the sum, which adds up over batches and ranks.
            let loss = bce_with_logits(&network.forward(&batch)?, batch.get("y")?, &batch)?.f_mul_scalar(graphs)?;
            loss.f_backward()?;
            own.loss += f64::try_from(&loss)?;
            own.graphs += graphs;
        }
        let mut gradients: Vec<Tensor> = parameters.iter().map(Tensor::grad).collect();
        let all = average(ranks, own, &mut gradients)?;
        optimizer.step();
        if shard.rank() == 0 {
            println!("{step} {:.9} {}", all.loss / all.graphs.max(1.0), all.graphs);
        }
    }
    Ok(())
}
