//! The `graphpack` command as a library.
//!
//! | many small graphs | |
//! |---|---|
//! | `graphpack histogram` | counts the graph sizes of a data set |
//! | `graphpack plan` | packs a histogram and says how full the packs are |
//! | `graphpack limits` | searches the limits whose packs are full |
//! | `graphpack shapes` | says what a few shapes in place of one save |
//! | `graphpack device-needs` | says what a device needs in bytes |
//! | `graphpack inspect` | prints what is in a file of any format |
//! | `graphpack convert`, `graphpack verify` | writes files of any format as a store, and checks stores |
//!
//! | one large graph | |
//! |---|---|
//! | `graphpack chunk` | writes it in DGL's Chunked Graph Format |
//! | `graphpack partition` | cuts it into parts in one step, in memory |
//! | `graphpack assign`, `graphpack dispatch` | assigns its nodes to parts, and cuts it, without having it in memory |
//! | `graphpack partition inspect`, `verify` | prints what the parts have, and compares them with their graph |
//! | `graphpack partition export` | writes a graph for METIS, KaHIP, KaMinPar or ParMETIS |
//!
//! | a crate that uses `graphpack-tch` | |
//! |---|---|
//! | `graphpack libtorch` | finds or installs libtorch of the right version |
//!
//! A subcommand is a file in `commands/` that has its arguments and its `run`; arguments that several subcommands have
//! are in `arguments/`; `output/` prints, draws and shows progress.
//!
//! # Features
//!
//! - `mpi`: `graphpack dispatch` by several processes, which `mpirun` starts.

#![deny(clippy::print_stdout, clippy::print_stderr, reason = "`print` and `remark` do not panic")]

mod arguments;
mod commands;
mod libtorch;
mod out_of_memory;
mod output;

use arguments::check_needs;
use clap::{CommandFactory, FromArgMatches, Parser};
use commands::Command;
pub use out_of_memory::says_out_of_memory;
pub use output::plot::{fill as draw_plan, sizes as draw_sizes};
use output::{PrintError, keep_to_results, remark};
use std::ffi::OsString;
use std::process::ExitCode;

/// Pack many small graphs into few batches of one shape, and cut large graphs into parts
#[derive(Parser)]
#[command(name = "graphpack", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// Runs the command with these arguments, the name of the program first.
pub fn run(arguments: impl IntoIterator<Item = impl Into<OsString> + Clone>) -> ExitCode {
    let mut command = Cli::command();
    let matches = command.try_get_matches_from_mut(arguments).unwrap_or_else(|error| error.exit());
    let parsed = check_needs(&mut command, &matches).and_then(|()| Cli::from_arg_matches(&matches));
    let Cli { command } = parsed.unwrap_or_else(|error| error.exit());
    keep_to_results();
    match command.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.downcast_ref().is_some_and(PrintError::is_broken_pipe) => ExitCode::SUCCESS,
        Err(error) => {
            remark(&error);
            ExitCode::FAILURE
        }
    }
}
