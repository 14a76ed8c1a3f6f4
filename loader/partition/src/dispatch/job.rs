//! [`Job`]: what all ranks of a process work on.

use super::gate::{Gate, Pass};
use super::new_ids::NewIds;
use super::part_builder::RECORD;
use super::spill::Spill;
use super::{Dispatch, DispatchError, Progress};
use crate::dgl::PartitionWriter;
use crate::output_folder::temporary;
use crate::{Assignment, ChunkedGraph, LargeGraph, NodeType, OutputFolder, PartitionBook};
use std::path::{Path, PathBuf};

/// What all ranks of a process work on, and what they share.
pub(super) struct Job<'a> {
    options: &'a Dispatch,
    graph: &'a ChunkedGraph,
    ids: NewIds<'a>,
    parts: usize,
    out: &'a Path,
    temporary: PathBuf,
    gate: Gate,
    progress: &'a (dyn Fn(Progress) + Sync),
}

/// Bounds of the number of bytes that a rank reads at a time: so few that the messages of a round have less than 2 GiB,
/// which is the most in MPI.
const LEAST_READ: usize = 64;
const MOST_READ: usize = 32 << 20;

impl<'a> Job<'a> {
    /// Checks that the assignment is for this graph, and numbers the nodes.
    pub(super) fn new(
        options: &'a Dispatch,
        graph: &'a ChunkedGraph,
        assignment: &'a Assignment,
        out: &'a Path,
        progress: &'a (dyn Fn(Progress) + Sync),
    ) -> Result<Self, DispatchError> {
        let node_type = |name: &str, nodes| NodeType { name: name.to_owned(), nodes, features: Vec::new() };
        let node_types = graph.node_types().iter().map(|kind| node_type(kind.name(), kind.nodes())).collect();
        assignment.check(&LargeGraph { node_types, ..LargeGraph::default() })?;
        let ids = NewIds::new(graph.node_types(), assignment)?;
        let (parts, temporary, gate) = (assignment.parts(), temporary(out), Gate::new(options.memory));
        let job = Self { options, graph, ids, parts, out, temporary, gate, progress };
        PartitionWriter::check_name(out, job.name())?;
        Ok(job)
    }

    pub(super) fn graph(&self) -> &'a ChunkedGraph {
        self.graph
    }

    pub(super) fn ids(&self) -> &NewIds<'a> {
        &self.ids
    }

    /// Number of parts.
    pub(super) fn parts(&self) -> usize {
        self.parts
    }

    /// Whether original ids are written.
    pub(super) fn saves_original_ids(&self) -> bool {
        self.options.save_orig_ids
    }

    /// The folder of temporary files.
    pub(super) fn temporary(&self) -> &Path {
        &self.temporary
    }

    /// The file for what comes of a part.
    pub(super) fn spill(&self, part: usize) -> Spill {
        Spill::new(self.temporary.join(format!("part{part}")))
    }

    /// Writes the files of parts.
    pub(super) fn writer(&self, book: PartitionBook) -> Result<PartitionWriter, DispatchError> {
        Ok(PartitionWriter::create(self.out, self.name(), "assigned", 1, book)?)
    }

    /// Waits until a part of `bytes` bytes fits into memory.
    pub(super) fn enter(&self, bytes: usize) -> Pass<'_> {
        self.gate.enter(bytes)
    }

    /// Reports what has been done.
    pub(super) fn report(&self, progress: Progress) {
        (self.progress)(progress);
    }

    /// Bytes that one of `ranks` ranks reads at a time. They are in memory about four times: as they are read, by part,
    /// in messages that are sent and in messages that come.
    pub(super) fn read_bytes(&self, ranks: usize) -> usize {
        (self.options.memory / (8 * ranks)).min((1 << 30) / ranks).clamp(LEAST_READ, MOST_READ)
    }

    /// Bytes of an edge on its way.
    pub(super) fn record(&self) -> usize {
        if self.saves_original_ids() { RECORD + 8 } else { RECORD }
    }

    fn name(&self) -> &str {
        self.options.name.as_deref().unwrap_or(self.graph.name())
    }
}

/// Claims the folder of the parts.
pub(super) fn claim(out: &Path) -> Result<OutputFolder, DispatchError> {
    OutputFolder::claim(out).map_err(|source| DispatchError::Io { path: out.to_owned(), source })
}
