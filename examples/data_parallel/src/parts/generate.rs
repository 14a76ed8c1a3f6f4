//! `parts generate`: a graph in the files that `graphpack chunk` takes.

use crate::blocks;
use graphpack_formats::npy::Header;
use graphpack_partition::{Array, ArrayType};
use std::error::Error;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Write a generated graph: edge_index.npy, and NAME.npy for each feature of nodes
#[derive(clap::Args)]
pub(crate) struct Args {
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(100..100_000_000))]
    nodes: u64,
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u64).range(2..=50))]
    classes: u64,
    #[arg(long, default_value_t = 0)]
    seed: u64,
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

pub(crate) fn run(args: &Args) -> Result<(), Box<dyn Error>> {
    let graph = blocks::generate(args.seed, args.nodes as usize, args.classes as usize)?;
    fs::create_dir_all(&args.out)?;
    let edges = &graph.edge_types[0];
    let ends = [edges.sources.as_slice(), &edges.targets].concat();
    let bytes = ends.iter().flat_map(|node| node.to_le_bytes()).collect();
    let index = Array::new(ArrayType::I64, vec![2, edges.sources.len()], bytes)?;
    write(&args.out.join("edge_index.npy"), &index)?;
    for (name, array) in &graph.node_types[0].features {
        write(&args.out.join(format!("{name}.npy")), array)?;
    }
    Ok(())
}

fn write(path: &Path, array: &Array) -> Result<(), Box<dyn Error>> {
    let mut bytes = Vec::new();
    Header::write(&mut bytes, array.element(), array.shape())?;
    bytes.write_all(array.bytes())?;
    Ok(fs::write(path, bytes).map_err(|error| format!("{}: {error}", path.display()))?)
}
