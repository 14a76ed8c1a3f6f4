//! Training on a GPU, timed: GINE on molecules and SchNet on structures, with batches copied in line, with
//! batches copied ahead, and with captured steps. `cargo xtask lab bundle` packs this for machines without Rust,
//! together with the same training in PyTorch Geometric.

mod measure;
mod outcome;
mod prepare;
mod table;

use clap::{Parser, Subcommand};
use outcome::{Outcome, brief, caught};
use std::process::ExitCode;

/// Times training on a GPU.
#[derive(Parser)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Prepare(prepare::Args),
    Measure(measure::Args),
    Table(table::Args),
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Prepare(args) => prepare::run(&args),
        Command::Measure(args) => measure::run(&args),
        Command::Table(args) => table::run(&args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("gpu_bench: {}", brief(&*error));
            ExitCode::FAILURE
        }
    }
}
