//! The parts that a large graph is cut into: how many, which has which node, and where they are written
//! ([`PartsFolder`]).

use super::Format;
use clap::builder::RangedI64ValueParser;
use graphpack_loader::Error;
use graphpack_partition::chunked::ChunkedGraph;
use graphpack_partition::{Assignment, NodeType};
use std::path::{Path, PathBuf};
use std::{fs, io};

/// The range of `--parts`.
pub(crate) fn parts_range() -> RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(1..=Assignment::MOST_PARTS as i64)
}

/// The number of parts of an assignment in files: what `--parts` says, or what is said beside them.
pub(crate) fn parts_of(folder: &Path, given: Option<u32>) -> Result<usize, Error> {
    let problem = match (given, Assignment::parts_in(folder)?) {
        (Some(given), Some(found)) if given as usize != found => format!("num_parts is {found}, --parts is {given}"),
        (Some(given), _) => return Ok(given as usize),
        (None, Some(found)) => return Ok(found),
        (None, None) => "expected this file, which says how many parts there are, or --parts".into(),
    };
    let path = folder.join("partition_meta.json");
    Err(Error::at(&path)(io::Error::new(io::ErrorKind::InvalidInput, problem)))
}

/// The folder of a large graph or of its parts, for which its JSON file may stand.
pub(crate) fn graph_folder(given: &Path) -> &Path {
    match given.parent().filter(|_| given.is_file()) {
        Some(folder) if folder.as_os_str().is_empty() => Path::new("."),
        Some(folder) => folder,
        None => given,
    }
}

/// The JSON file of a partition: what is given, or the only one in that folder.
pub(crate) fn config_of(given: &Path) -> Result<PathBuf, Error> {
    if !given.is_dir() {
        return Ok(given.to_owned());
    }
    let list = || fs::read_dir(given)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>();
    let is_config = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "json");
    let mut found: Vec<_> = list().map_err(Error::at(given))?.into_iter().filter(is_config).collect();
    if found.len() == 1 {
        return Ok(found.swap_remove(0));
    }
    let problem =
        format!("expected the NAME.json of a partition, or a folder with one; this folder has {}", found.len());
    Err(Error::at(given)(io::Error::new(io::ErrorKind::InvalidInput, problem)))
}

/// Reads the part of each node of a graph.
pub(crate) fn assignment_in(folder: &Path, parts: usize, graph: &ChunkedGraph) -> Result<Assignment, Error> {
    let types = graph.node_types().iter();
    let types = types.map(|kind| NodeType { name: kind.name().into(), nodes: kind.nodes(), features: Vec::new() });
    Assignment::read(folder, parts, &types.collect::<Vec<_>>())
}

/// Where parts are written, and which files beside them.
#[derive(clap::Args)]
pub(crate) struct PartsFolder {
    /// Write original ids beside each part: orig_nids.dgl and orig_eids.dgl
    #[arg(long)]
    pub(crate) save_orig_ids: bool,
    /// Name of the JSON file: that of the graph if not given
    #[arg(long)]
    pub(crate) name: Option<String>,
    /// Where to write, temporary files included: a folder that is empty or does not exist
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
}
