//! [`Job`]: what all ranks of a process work on.

use super::gate::{Gate, Pass};
use super::new_ids::NewIds;
use super::part_builder::RECORD;
use super::record::{Inputs, Record, inputs};
use super::scratch::Scratch;
use super::spills::{Spills, most_open};
use super::stop::Stop;
use super::{Dispatch, DispatchError, Progress};
use crate::dgl::PartitionWriter;
use crate::output_folder::temporary;
use crate::{Assignment, ChunkedGraph, LargeGraph, NodeType, OutputFolder, PartitionBook};
use graphpack_loader::IoError;
use std::path::{Path, PathBuf};

/// What all ranks of a process work on, and what they share.
pub(super) struct Job<'a> {
    options: &'a Dispatch,
    graph: &'a ChunkedGraph,
    assignment: &'a Assignment,
    ids: NewIds<'a>,
    out: &'a Path,
    temporary: PathBuf,
    record: Record,
    gate: Gate,
    stop: Stop,
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
        let (temporary, record, gate) = (temporary(out), Record::new(out), Gate::new(options.memory));
        let stop = Stop::new(options.stop.clone());
        let job = Self { options, graph, assignment, ids, out, temporary, record, gate, stop, progress };
        PartitionWriter::check_name(out, job.name())?;
        Ok(job)
    }

    /// Claims the folder of the parts, or, if the options say so, what a run with the same inputs has left in it.
    pub(super) fn claim(&self) -> Result<OutputFolder, DispatchError> {
        let (at, inputs) = (IoError::at(self.out), self.inputs()?);
        if self.options.resume
            && let Some(folder) = OutputFolder::resume(self.out).map_err(&at)?
        {
            if !self.record.check(&inputs)? {
                self.record.start(&inputs)?;
            }
            self.record.tidy(self.parts());
            return Ok(folder);
        }
        let folder = OutputFolder::claim(self.out).map_err(&at)?;
        self.record.start(&inputs)?;
        Ok(folder)
    }

    /// Ends the work in a folder with this result. If there is something to go on from, it stays.
    pub(super) fn finish(&self, folder: OutputFolder, result: Result<(), DispatchError>) -> Result<(), DispatchError> {
        let stopped = matches!(result, Err(DispatchError::Stopped { .. }));
        match result {
            Ok(()) => {
                folder.keep();
                Ok(())
            }
            Err(error) if stopped || self.options.resume => {
                let (whole, parts) = (self.record.tidy(self.parts()), self.parts());
                if whole > 0 {
                    folder.leave();
                }
                Err(if stopped { DispatchError::Stopped { whole, parts } } else { error })
            }
            Err(error) => Err(error),
        }
    }

    /// The folder for the temporary files of the parts of this process; the folder of parts has been claimed.
    pub(super) fn scratch(&self, process: usize) -> Result<Scratch, DispatchError> {
        match &self.options.scratch {
            Some(scratch) => Scratch::local(scratch, self.out, process),
            None => Ok(Scratch::shared(self.temporary.clone())),
        }
    }

    pub(super) fn graph(&self) -> &'a ChunkedGraph {
        self.graph
    }

    pub(super) fn ids(&self) -> &NewIds<'a> {
        &self.ids
    }

    pub(super) fn stop(&self) -> &Stop {
        &self.stop
    }

    pub(super) fn record(&self) -> &Record {
        &self.record
    }

    /// Number of parts.
    pub(super) fn parts(&self) -> usize {
        self.assignment.parts()
    }

    /// Whether original ids are written.
    pub(super) fn saves_original_ids(&self) -> bool {
        self.options.save_orig_ids
    }

    /// Whether parts of a run before may be there.
    pub(super) fn resumes(&self) -> bool {
        self.options.resume
    }

    /// The folder of temporary files that all processes share.
    pub(super) fn temporary(&self) -> &Path {
        &self.temporary
    }

    /// The temporary files for `parts`, of one of `threads` ranks of this process.
    pub(super) fn spills(&self, parts: impl Iterator<Item = usize>, scratch: &Scratch, threads: usize) -> Spills {
        let paths = parts.map(|part| scratch.path().join(format!("part{part}")));
        Spills::new(paths, self.options.memory / (4 * threads), most_open() / threads)
    }

    /// Writes the files of parts.
    pub(super) fn writer(&self, book: PartitionBook) -> Result<PartitionWriter, DispatchError> {
        Ok(PartitionWriter::create(self.out, self.name(), "assigned", 1, book)?.formats(self.options.formats))
    }

    /// Waits until a part of `bytes` bytes fits into memory, beside what its formats take for `rows` nodes and edges.
    pub(super) fn enter(&self, bytes: usize, rows: usize) -> Pass<'_> {
        self.gate.enter(bytes.saturating_add(self.options.formats.bytes().saturating_mul(rows)))
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
    pub(super) fn edge_bytes(&self) -> usize {
        if self.saves_original_ids() { RECORD + 8 } else { RECORD }
    }

    fn name(&self) -> &str {
        self.options.name.as_deref().unwrap_or(self.graph.name())
    }

    fn inputs(&self) -> Result<Inputs, DispatchError> {
        let mut inputs = inputs(self.graph, self.assignment)?;
        inputs.insert("name".into(), self.name().to_owned());
        inputs.insert("formats".into(), format!("{:?}", self.options.formats));
        inputs.insert("save_orig_ids".into(), self.saves_original_ids().to_string());
        // Runs of versions whose parts lack these edges have left another record.
        inputs.insert("edges to other parts".into(), "in both".into());
        Ok(inputs)
    }
}
