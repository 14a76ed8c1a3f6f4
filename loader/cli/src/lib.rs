//! The `graphpack` command as a library: histograms of data sets, plans made from them, stores, large graphs and their parts.
//!
//! [`main`] is all of it; the program `graphpack` calls it, and so can another one.

#![deny(clippy::print_stdout, clippy::print_stderr, reason = "`print` and `complain` do not panic")]

mod assign;
mod chunk;
mod chunk_flags;
mod convert;
mod dispatch;
mod histogram;
mod input;
mod inspect;
mod limits;
mod method;
mod output;
mod partition;
mod plan;
mod plot;
mod print;
mod progress;

use clap::{Parser, Subcommand, ValueEnum};
use partition::Given;
use print::{PrintError, print};
use std::error::Error;
use std::process::ExitCode;

/// Packs many small graphs into few batches of one shape, and cuts large graphs into parts.
#[derive(Parser)]
#[command(version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Assign(assign::Args),
    Chunk(chunk::Args),
    Convert(convert::Args),
    Dispatch(dispatch::Args),
    Histogram(histogram::Args),
    Limits(limits::Args),
    Partition(Partition),
    Plan(plan::Args),
    Verify(convert::VerifyArgs),
}

/// Cut a graph in DGL's Chunked Graph Format into parts, in memory, and write them as DGL reads them
#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true, arg_required_else_help = true)]
struct Partition {
    #[command(subcommand)]
    command: Option<PartitionCommand>,
    #[command(flatten)]
    args: Given,
}

#[derive(Subcommand)]
enum PartitionCommand {
    Inspect(inspect::Args),
}

/// Runs the command with the arguments of this process.
pub fn main() -> ExitCode {
    match run(Cli::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.downcast_ref().is_some_and(PrintError::is_broken_pipe) => ExitCode::SUCCESS,
        Err(error) => {
            print::complain(&*error);
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> Outcome {
    print::keep_to_results();
    match command {
        Command::Assign(args) => assign::run(&args),
        Command::Chunk(args) => chunk::run(&args),
        Command::Convert(args) => convert::run(&args),
        Command::Dispatch(args) => dispatch::run(&args),
        Command::Verify(args) => convert::verify(&args),
        Command::Histogram(args) => histogram::run(&args),
        Command::Limits(args) => limits::run(&args),
        Command::Partition(Partition { command: Some(PartitionCommand::Inspect(args)), .. }) => inspect::run(&args),
        Command::Partition(Partition { command: None, args: Given(Some(args)) }) => partition::run(&args),
        Command::Partition(Partition { command: None, args: Given(None) }) => Err("name a graph with --in".into()),
        Command::Plan(args) => plan::run(&args),
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
