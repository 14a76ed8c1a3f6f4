//! Trains a network with messages along triplets of atoms on energies of molecules, generated or of a file:
//! `cargo run --release --features tch --example directional -- --data FILE --target NAME`.

#[path = "common/print.rs"]
mod print;

use clap::Parser;
use example_models::{DataArgs, Directional, elements, train_epoch, with_energies};
use graphpack_loader::{Data, Edges, Loader, Options, Order, clusters};
use graphpack_tch::{Adam, mse};
use print::{exit, print};
use std::error::Error;
use std::process::ExitCode;
use tch::Device;
use tch::nn::VarStore;

/// Trains a directional network.
#[derive(Parser)]
struct Args {
    #[command(flatten)]
    data: DataArgs,
    /// Molecules to train on
    #[arg(long, default_value_t = 2000)]
    graphs: usize,
    #[arg(long, default_value_t = 8)]
    epochs: u64,
    /// text, or json: a line for each epoch
    #[arg(long, default_value = "text", value_parser = ["text", "json"])]
    format: String,
}

fn main() -> ExitCode {
    exit(run(&Args::parse()))
}

fn run(args: &Args) -> Result<(), Box<dyn Error>> {
    tch::manual_seed(0);
    let atoms = match args.data.read(args.graphs)? {
        Some(atoms) => atoms,
        None => with_energies(clusters::generate(1, args.graphs))?,
    };
    let elements = elements(&atoms)?;
    let y = atoms.values::<f32>("y")?.into_iter().map(f64::from).collect::<Vec<_>>();
    let mean = y.iter().sum::<f64>() / y.len() as f64;
    let deviation = (y.iter().map(|y| (y - mean).powi(2)).sum::<f64>() / y.len() as f64).sqrt().max(f64::MIN_POSITIVE);
    let data = Data::from(atoms).connect(Edges::Radius(3.0))?.triplets()?;
    let loader = Loader::new(data, Options::graphs(32).order(Order::Shuffled).seed(7))?;
    if args.format == "text" {
        let shape = loader.shape().ok_or("batches have one shape")?;
        print(format_args!("batches of {}", loader.data().schema().sets().shape(&shape)))?;
    }
    let weights = VarStore::new(Device::Cpu);
    let network = Directional::new(&weights.root(), 64, &elements)?;
    let optimizer = Adam::adamw(&weights, 1e-3, 0.0)?;
    for epoch in 0..args.epochs {
        let loss = train_epoch(loader.epoch(epoch), &optimizer, |batch| {
            let targets = batch.get("y")?.f_view([-1, 1])?.f_sub_scalar(mean)?.f_div_scalar(deviation)?;
            Ok(mse(&network.forward(batch, batch.get("pos")?)?, &targets, batch)?)
        })?;
        if args.format == "json" {
            print(serde_json::json!({ "epoch": epoch + 1, "loss": loss }))?;
        } else {
            print(format_args!("epoch {}: mean squared error {loss:.4} of the variance", epoch + 1))?;
        }
    }
    Ok(())
}
