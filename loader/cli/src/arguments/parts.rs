//! The parts that a large graph is cut into: how many, and which has which node.

use clap::builder::RangedI64ValueParser;
use graphpack_loader::IoError;
use graphpack_partition::{Assignment, AssignmentFileError, ChunkedGraph, NodeType};
use std::io;
use std::path::Path;

/// The range of `--parts`.
pub(crate) fn parts_range() -> RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(1..=Assignment::MOST_PARTS as i64)
}

/// The number of parts of an assignment in files: what `--parts` says, or what is said beside them.
pub(crate) fn parts_of(folder: &Path, given: Option<u32>) -> Result<usize, AssignmentFileError> {
    let problem = match (given, Assignment::parts_in(folder)?) {
        (Some(given), Some(found)) if given as usize != found => format!("num_parts is {found}, --parts is {given}"),
        (Some(given), _) => return Ok(given as usize),
        (None, Some(found)) => return Ok(found),
        (None, None) => "expected this file, which says how many parts there are, or --parts".into(),
    };
    let path = folder.join("partition_meta.json");
    Err(AssignmentFileError::Io(IoError { path, source: io::Error::new(io::ErrorKind::InvalidInput, problem) }))
}

/// Reads the part of each node of a graph.
pub(crate) fn assignment_in(
    folder: &Path,
    parts: usize,
    graph: &ChunkedGraph,
) -> Result<Assignment, AssignmentFileError> {
    let types = graph.node_types().iter();
    let types = types.map(|kind| NodeType { name: kind.name().into(), nodes: kind.nodes(), features: Vec::new() });
    Assignment::read(folder, parts, &types.collect::<Vec<_>>())
}
