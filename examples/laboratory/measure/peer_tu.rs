//! Data sets of TU Dortmund's collection to compare with PyTorch Geometric's: writes each as a store. `cargo xtask lab
//! peers` runs this before the script that compares, `compare/peers/pyg_tu.py`.

use clap::Parser;
use graphpack_formats::{Fields, read};
use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

/// Writes the store NAME.safetensors of each data set NAME.zip.
#[derive(Parser)]
struct Args {
    /// Folder for the stores
    #[arg(long)]
    out: PathBuf,
    /// Data sets
    files: Vec<PathBuf>,
}

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("peer_tu: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Args) -> Result<(), Box<dyn Error>> {
    for file in &args.files {
        let name = file.file_stem().ok_or("expected files NAME.zip")?;
        read(file, &Fields::default())?.save(args.out.join(name).with_extension("safetensors"))?;
    }
    Ok(())
}
