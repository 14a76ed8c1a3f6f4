//! `graphpack libtorch`: the libtorch that graphpack-tch is built with.

use crate::libtorch::Libtorch;
use crate::output::{Outcome, print};
use std::path::PathBuf;

/// Find or install libtorch for a crate that uses graphpack-tch
///
/// Takes the libtorch of LIBTORCH, of python3 if LIBTORCH_USE_PYTORCH is set, or of the active virtual environment, if
/// it is of the version that tch asks for. Otherwise pip installs it once for this user: 550 MB, or 2.8 GB beside an
/// NVIDIA driver. Prints what to export.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Name it in the .cargo/config.toml of the crate in this folder, instead of printing exports
    #[arg(long, value_name = "DIR")]
    config: Option<PathBuf>,
    /// Install it in this folder, whatever else is found
    #[arg(long, value_name = "DIR")]
    into: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> Outcome {
    let libtorch = args.into.as_deref().map_or_else(Libtorch::find_or_install, Libtorch::install)?;
    match &args.config {
        Some(folder) => libtorch.configure(folder)?,
        None => print(libtorch.exports())?,
    }
    Ok(())
}
