//! `parts train`: each rank on its own parts.

use crate::reduce::{Total, average, broadcast};
use crate::sage::{Sage, Whole};
use graphpack_loader::store::WholeFile;
use graphpack_loader::{Data, Grouping, Limits, Loader, Options, Order};
use graphpack_partition::chunked::ChunkedGraph;
use graphpack_partition::pieces::ClusterOptions;
use graphpack_partition::{Clusters, dgl};
use graphpack_tch::TensorBatch;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, Root};
use std::error::Error;
use std::path::PathBuf;
use std::process;
use tch::nn::{self, OptimizerConfig};
use tch::{Device, Kind, Tensor};

/// Train on the ranks that mpirun starts. Prints the process and the parts of each rank; step, loss and number of
/// training nodes, a line per step; and the accuracy on training, validation and test nodes
#[derive(clap::Args)]
pub(crate) struct Args {
    /// NAME.json of the parts, which have x, y and train_mask
    #[arg(long, value_name = "NAME.json")]
    parts: PathBuf,
    /// The chunked graph, from which rank 0 has the number of classes and the accuracy on the whole graph
    #[arg(long = "in", value_name = "DIR")]
    input: PathBuf,
    #[arg(long, default_value_t = 10)]
    epochs: u64,
    /// Parts per step of all ranks together: a multiple of the number of ranks
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..))]
    parts_per_step: u32,
    #[arg(long, default_value_t = 0.01)]
    learning_rate: f64,
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Where rank 0 writes the parameters
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

const HIDDEN: i64 = 32;

pub(crate) fn run(args: &Args, ranks: &SimpleCommunicator) -> Result<(), Box<dyn Error>> {
    let (rank, world) = (ranks.rank() as usize, ranks.size() as usize);
    let (all, per_step) = (dgl::load_partition_book(&args.parts)?.parts(), args.parts_per_step as usize);
    if !per_step.is_multiple_of(world) || !all.is_multiple_of(per_step) {
        return Err(format!("{all} parts in steps of {per_step} cannot be shared equally by {world} ranks").into());
    }
    // Ranks share the cores.
    tch::set_num_threads(1);
    tch::manual_seed(args.seed as i64);
    let own: Vec<usize> = (rank..all).step_by(world).collect();
    println!("rank {rank} is process {}, with parts {own:?}", process::id());
    let features = Some(["x", "y", "train_mask"].map(String::from).to_vec());
    let options = ClusterOptions { halo: true, features, ..ClusterOptions::default() };
    let clusters = Data::from(Clusters::open_parts(&args.parts, &own, &options)?);
    let largest = clusters.sizes()?.reduce(|most, size| most.max_each(&size)).ok_or("a rank without parts")?;
    let limits = Limits::new(largest).graphs(1);
    let loader = Loader::new(
        clusters,
        Options::default().grouping(Grouping::InOrder).capacity(limits).order(Order::Shuffled).seed(args.seed),
    )?;

    let open = || Whole::new(&ChunkedGraph::open(&args.input)?.to_memory()?, Device::Cpu);
    let whole = (rank == 0).then(open).transpose()?;
    let mut ends = [0; 2];
    if let Some(whole) = &whole {
        ends = [whole.x.size2()?.1, whole.classes];
    }
    ranks.process_at_rank(0).broadcast_into(&mut ends[..]);
    let [width, classes] = ends;
    let store = nn::VarStore::new(Device::Cpu);
    // Without dropout, steps of all parts are the same on any number of ranks.
    let network = Sage::new(&store.root(), &[width, HIDDEN, classes], 0.0);
    let mut optimizer = nn::Adam::default().build(&store, args.learning_rate)?;
    let mut parameters = store.trainable_variables();
    broadcast(ranks, &mut parameters)?;

    let mut step = 0;
    for epoch in 0..args.epochs {
        let mut batches = loader.epoch(epoch);
        for _ in 0..all / per_step {
            optimizer.zero_grad();
            let mut own = Total::default();
            for batch in batches.by_ref().take(per_step / world) {
                let batch = TensorBatch::new(batch?, Device::Cpu)?;
                let (loss, nodes) = loss(&network, &batch)?;
                loss.f_backward()?;
                own.loss += f64::try_from(&loss)?;
                own.graphs += nodes;
            }
            let mut gradients: Vec<Tensor> = parameters.iter().map(Tensor::grad).collect();
            let total = average(ranks, own, &mut gradients)?;
            optimizer.step();
            if rank == 0 {
                println!("{step} {:.9} {}", total.loss / total.graphs.max(1.0), total.graphs);
            }
            step += 1;
        }
    }
    if let Some(whole) = &whole {
        let [train, valid, test] = whole.accuracy(&network)?;
        println!("accuracy {train:.4} {valid:.4} {test:.4}");
        if let Some(path) = &args.out {
            let file = WholeFile::create(path)?;
            store.save_to_stream(file.file())?;
            file.finish()?;
        }
    }
    Ok(())
}

/// The sum of the cross-entropy over the training nodes that the parts own, and their number.
fn loss(network: &Sage, batch: &TensorBatch) -> Result<(Tensor, f64), Box<dyn Error>> {
    let logits = network.forward(batch, true)?;
    let train = batch.get("train_mask")?.f_to_kind(Kind::Bool)?;
    let mask = train.f_logical_and(batch.get("owned")?)?.f_view(-1)?;
    let labels = batch.get("y")?.f_to_kind(Kind::Int64)?.f_view([-1, 1])?;
    let likelihood = logits.f_log_softmax(1, Kind::Float)?.f_gather(1, &labels, false)?.f_view(-1)?;
    let loss = likelihood.f_neg()?.f_where_self(&mask, &Tensor::f_zeros([], (Kind::Float, Device::Cpu))?)?;
    Ok((loss.f_sum(Kind::Float)?, f64::try_from(&mask.f_sum(Kind::Double)?)?))
}
