//! `graphpack verify`: compares a store with its checksums.

use crate::output::{Outcome, print};
use graphpack_loader::{Source, StoreFiles};
use std::path::PathBuf;

/// Read a whole store and compare it with the checksums in it
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A store: a file, or a folder of several
    path: PathBuf,
}

pub(crate) fn run(args: &Args) -> Outcome {
    let data = StoreFiles::open(&args.path)?;
    let (path, graphs) = (args.path.display(), data.len());
    match data.verify()? {
        0 => print(format_args!("{path}: {graphs} graphs; there are no checksums to compare, edges are sound"))?,
        tensors => print(format_args!("{path}: {graphs} graphs, {tensors} tensors as they were written"))?,
    }
    Ok(())
}
