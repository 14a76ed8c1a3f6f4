//! Trains a network of two types of nodes and three of edges on generated proteins and ligands:
//! `cargo run --release --features tch --example typed`.

#[path = "common/print.rs"]
mod print;

use clap::Parser;
use example_models::{FEATURES, Typed, complexes, train_epoch};
use graphpack_loader::{Loader, Options, Order};
use graphpack_tch::{Adam, mse};
use print::{exit, print};
use std::error::Error;
use std::process::ExitCode;
use tch::nn::VarStore;
use tch::{Device, Tensor};

/// Trains a network on complexes of a protein and a ligand.
#[derive(Parser)]
struct Args {
    /// Complexes to generate
    #[arg(long, default_value_t = 2000)]
    graphs: usize,
    #[arg(long, default_value_t = 12)]
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
    let options = Options::graphs(32).order(Order::Shuffled).seed(7);
    let loader = Loader::new(complexes(1, args.graphs)?, options.extra(["contacts_batch"]))?;
    if args.format == "text" {
        let shape = loader.shape().ok_or("batches have one shape")?;
        print(format_args!("batches of {}", loader.data().schema().sets().shape(&shape)))?;
    }
    let weights = VarStore::new(Device::Cpu);
    let network = Typed::new(&weights.root(), 32, FEATURES.map(|features| features as i64))?;
    let optimizer = Adam::adamw(&weights, 3e-3, 0.0)?;
    for epoch in 0..args.epochs {
        let loss = train_epoch(loader.epoch(epoch), &optimizer, |batch| {
            Ok(mse(&network.forward(batch, Tensor::shallow_clone)?, batch.get("y")?, batch)?)
        })?;
        if args.format == "json" {
            print(serde_json::json!({ "epoch": epoch + 1, "loss": loss }))?;
        } else {
            print(format_args!("epoch {}: mean squared error {loss:.4}", epoch + 1))?;
        }
    }
    Ok(())
}
