//! The `graphpack` command: histograms of data sets, plans made from them, stores, large graphs and their parts.

mod chunk;
mod convert;
mod histogram;
mod input;
mod inspect;
mod limits;
mod plan;
mod plot;

use clap::{Parser, Subcommand, ValueEnum};
use std::error::Error;
use std::process::ExitCode;

/// Packs many small graphs into few batches of one shape.
#[derive(Parser)]
#[command(version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Chunk(chunk::Args),
    Convert(convert::Args),
    Histogram(histogram::Args),
    Limits(limits::Args),
    Partition(Partition),
    Plan(plan::Args),
    Verify(convert::VerifyArgs),
}

/// Graphs too large for one batch, in parts
#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true, arg_required_else_help = true)]
struct Partition {
    #[command(subcommand)]
    command: Option<PartitionCommand>,
}

#[derive(Subcommand)]
enum PartitionCommand {
    Inspect(inspect::Args),
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Chunk(args) => chunk::run(&args),
        Command::Convert(args) => convert::run(&args),
        Command::Verify(args) => convert::verify(&args),
        Command::Histogram(args) => histogram::run(&args),
        Command::Limits(args) => limits::run(&args),
        Command::Partition(Partition { command: Some(PartitionCommand::Inspect(args)) }) => inspect::run(&args),
        Command::Partition(Partition { command: None }) => Err("name what to do: inspect".into()),
        Command::Plan(args) => plan::run(&args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("graphpack: {error}");
            ExitCode::FAILURE
        }
    }
}

/// How results are printed.
#[derive(Clone, Copy, ValueEnum)]
enum Format {
    Text,
    Json,
}

/// What every subcommand returns.
type Outcome = Result<(), Box<dyn Error>>;
