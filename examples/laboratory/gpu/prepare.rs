//! Writes the two data sets that are measured, as stores, which Python reads, too.

use super::Outcome;
use example_models::{DataArgs, narrow};
use graphpack_formats::OgbCsv;
use graphpack_loader::{Data, Edges, Store, clusters, molecules};
use std::path::{Path, PathBuf};

/// Writes molecules like those of ogbg-molhiv and structures like those of QM9; generates those that no files are given
/// for
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Folder for molecules.safetensors and structures.safetensors
    out: PathBuf,
    /// Folder of a data set in OGB's raw layout; its training graphs are taken
    #[arg(long, value_name = "DIR")]
    ogb: Option<PathBuf>,
    /// Structures
    #[command(flatten)]
    structures: DataArgs,
    /// Number of structures, and of molecules if they are generated
    #[arg(long, default_value_t = 8000)]
    graphs: usize,
}

/// Angstrom.
const RADIUS: f64 = 4.0;

pub(crate) fn run(args: &Args) -> Outcome {
    std::fs::create_dir_all(&args.out)?;
    let molecules = match &args.ogb {
        Some(folder) => Store::collect(OgbCsv::open(folder)?.split("train")?)?,
        None => molecules::generate(0, args.graphs),
    };
    let atoms = match args.structures.read(args.graphs)? {
        Some(atoms) => atoms,
        None => clusters::generate(0, args.graphs),
    };
    save(&molecules, &args.out.join("molecules.safetensors"))?;
    save(&Store::collect(Data::from(atoms).connect(Edges::Radius(RADIUS))?)?, &args.out.join("structures.safetensors"))
}

/// Saves a store as the networks read it.
fn save(store: &Store, path: &Path) -> Outcome {
    narrow(store)?.save(path)?;
    println!("{} graphs in {}", store.len(), path.display());
    Ok(())
}
