//! `graphpack verify`: compares a store with its checksums, and says what it has.

use crate::output::{Outcome, contents, print};
use graphpack_loader::StoreFiles;
use std::path::PathBuf;

/// Read a whole store, compare it with the checksums in it, and print what each set has
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A store: a file, or a folder of several
    path: PathBuf,
}

pub(crate) fn run(args: &Args) -> Outcome {
    let data = StoreFiles::open(&args.path)?;
    let (path, graphs) = (args.path.display(), data.len());
    match data.verify()? {
        0 => print(format_args!("{path}: {graphs} graphs; there are no checksums to compare, indices are sound"))?,
        tensors => print(format_args!("{path}: {graphs} graphs, {tensors} tensors as they were written"))?,
    }
    print(contents(&data.into())?)?;
    Ok(())
}
