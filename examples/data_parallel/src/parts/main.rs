//! The whole way of a graph in parts: `parts generate` writes one, `graphpack chunk`, `assign` and `dispatch` cut it,
//! and `mpirun -n 2 parts train` trains GraphSAGE on it. Each rank opens its own parts, reads them when they are
//! wanted, and takes the mean of the gradients with the others. Rank 0 alone reads the whole graph, to evaluate on it.
//! `cargo xtask mpi` runs all of it.

#[path = "../../../large_graph/blocks.rs"]
mod blocks;
mod generate;
#[path = "../reduce.rs"]
mod reduce;
#[path = "../../../large_graph/sage/mod.rs"]
mod sage;
mod train;

use clap::{Parser, Subcommand};
use mpi::traits::Communicator;
use std::process::ExitCode;

/// Trains on the parts of a large graph, on the ranks that mpirun starts.
#[derive(Parser)]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Generate(generate::Args),
    Train(train::Args),
}

fn main() -> ExitCode {
    let result = match Args::parse().command {
        Command::Generate(args) => generate::run(&args),
        Command::Train(args) => {
            let Some(universe) = mpi::initialize() else {
                eprintln!("parts: MPI is already initialized");
                return ExitCode::FAILURE;
            };
            let ranks = universe.world();
            train::run(&args, &ranks).map_err(|error| {
                eprintln!("parts: rank {}: {error}", ranks.rank());
                // The other ranks wait for this one in a reduction.
                ranks.abort(1)
            })
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("parts: {error}");
            ExitCode::FAILURE
        }
    }
}
