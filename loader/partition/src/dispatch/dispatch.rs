//! [`Dispatch`]: a chunked graph, cut into parts without having it in memory.

use super::DispatchError;
use super::exchange::attend;
use super::gate::Gate;
use super::new_ids::NewIds;
use super::rank::{Rank, Shared};
use super::threads::Threads;
use crate::dgl::PartitionWriter;
use crate::output_folder::temporary;
use crate::{Assignment, ChunkedGraph, LargeGraph, NodeType, OutputFolder};
use std::path::{Path, PathBuf};
use std::thread;

/// Cuts a chunked graph into the parts of an [`Assignment`], with a HALO of one hop, and writes them as DGL reads them: the same bytes as
/// [`Cut`](crate::Cut) and [`PartitionWriter`](crate::dgl::PartitionWriter), whatever the number of ranks and the chunks.
///
/// In memory are 6 bytes per node; what is being read and sent, and the parts that are being written, as the option
/// [`memory`](Dispatch::memory) has it. A part takes about 24 bytes per edge and 20 per node while it is written; features are passed on
/// without being in memory. Edges, features and original ids are in temporary files below the folder of the parts meanwhile.
///
/// ```
/// use graphpack_partition::{Assignment, ChunkOptions, ChunkedGraph, Dispatch, EdgeType, LargeGraph, NodeType, dgl, write_chunked};
///
/// let folder = tempfile::tempdir()?;
/// let node = NodeType { name: "_N".into(), nodes: 4, ..NodeType::default() };
/// let name = ["_N", "_E", "_N"].map(String::from);
/// let edge = EdgeType { name, sources: vec![0, 1, 2], targets: vec![1, 2, 3], features: Vec::new() };
/// let graph = LargeGraph { name: "path".into(), node_types: vec![node], edge_types: vec![edge] };
/// write_chunked(&graph, folder.path().join("chunks"), &ChunkOptions::new(2))?;
///
/// let assignment = Assignment::new(2, vec![vec![1, 0, 1, 0]])?;
/// let chunked = ChunkedGraph::open(folder.path().join("chunks"))?;
/// let done = Dispatch::new().threads(2).run(&chunked, &assignment, folder.path().join("parts"), &|_| {})?;
/// let part = dgl::load_partition(done.config, 0)?.part;
/// assert_eq!((part.node_ids, part.inner_nodes), (vec![0, 1, 2, 3], 2));
/// assert_eq!((part.sources, part.targets), (vec![2, 3], vec![0, 1]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Dispatch {
    pub(super) threads: usize,
    pub(super) memory: usize,
    pub(super) save_orig_ids: bool,
    pub(super) name: Option<String>,
}

/// What was written.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Dispatched {
    /// The JSON file of the partition.
    pub config: PathBuf,
    /// Nodes of all types.
    pub nodes: usize,
    /// Edges of all types.
    pub edges: usize,
    /// Edges whose ends are in different parts.
    pub edge_cut: u64,
}

/// Something has been done by a rank of this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Progress {
    /// So many more edges were read.
    Edges(usize),
    /// So many more rows of features were read.
    Rows(usize),
    /// A part was written.
    Part,
}

impl Dispatch {
    /// One thread, 1 GiB.
    pub fn new() -> Self {
        Self { threads: 1, memory: 1 << 30, save_orig_ids: false, name: None }
    }

    /// Ranks, each a thread that reads chunks and writes parts (default: 1). Of more than there are chunks and parts, or than 256, the rest
    /// is not started.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// Bytes that a process has in memory beside 6 per node, about (default: 1 GiB). A part that takes more is written alone.
    #[must_use]
    pub fn memory(mut self, bytes: usize) -> Self {
        self.memory = bytes;
        self
    }

    /// Whether `orig_nids.dgl` and `orig_eids.dgl` are written, too (default: false).
    #[must_use]
    pub fn save_orig_ids(mut self, save: bool) -> Self {
        self.save_orig_ids = save;
        self
    }

    /// Name of the JSON file (default: that of the graph).
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Writes all parts into a folder that is empty or does not exist, and leaves it as it was where that fails. `progress` is called by all
    /// threads.
    pub fn run(
        &self,
        graph: &ChunkedGraph,
        assignment: &Assignment,
        out: impl AsRef<Path>,
        progress: &(dyn Fn(Progress) + Sync),
    ) -> Result<Dispatched, DispatchError> {
        let threads = self.threads;
        if threads == 0 {
            return Err(DispatchError::Threads { threads });
        }
        let shared = self.shared(graph, assignment, out.as_ref(), progress)?;
        let folder = claim(out.as_ref())?;
        let threads = threads.min(useful_threads(graph, shared.parts)).min(MOST_THREADS);
        let results: Vec<_> = thread::scope(|scope| {
            let (shared, mut handles, mut failed) = (&shared, Vec::new(), None);
            for mut exchange in Threads::new(threads) {
                let work = move || attend(&mut exchange, |exchange| Rank::new(shared, exchange).run());
                match thread::Builder::new().spawn_scoped(scope, work) {
                    Ok(handle) => handles.push(handle),
                    Err(source) => {
                        // The channels of those that are missing are closed, which ends the others.
                        failed = Some(Err(DispatchError::Spawn { thread: handles.len(), threads, source }));
                        break;
                    }
                }
            }
            let panicked = || DispatchError::Panic { message: "while it ended".into() };
            let done = handles.into_iter().map(|handle| handle.join().unwrap_or_else(|_| Err(panicked())));
            failed.into_iter().chain(done).collect()
        });
        let mut stopped = Err(DispatchError::Stopped);
        for result in results {
            match result {
                Ok(done) => stopped = Ok(done),
                Err(DispatchError::Stopped) => {}
                Err(error) => return Err(error),
            }
        }
        if stopped.is_ok() {
            folder.keep();
        }
        stopped
    }

    pub(super) fn shared<'a>(
        &'a self,
        graph: &'a ChunkedGraph,
        assignment: &'a Assignment,
        out: &'a Path,
        progress: &'a (dyn Fn(Progress) + Sync),
    ) -> Result<Shared<'a>, DispatchError> {
        let node_type = |name: &str, nodes| NodeType { name: name.to_owned(), nodes, features: Vec::new() };
        let node_types = graph.node_types().iter().map(|kind| node_type(kind.name(), kind.nodes())).collect();
        assignment.check(&LargeGraph { node_types, ..LargeGraph::default() })?;
        PartitionWriter::check_name(out, self.name.as_deref().unwrap_or(graph.name()))?;
        Ok(Shared {
            options: self,
            graph,
            ids: NewIds::new(graph.node_types(), assignment)?,
            parts: assignment.parts(),
            out,
            temporary: temporary(out),
            gate: Gate::new(self.memory),
            progress,
        })
    }
}

/// There is a channel from each to each, and all read from and write to the same disks.
const MOST_THREADS: usize = 256;

/// Threads beyond these have neither a file to read nor a part to write.
fn useful_threads(graph: &ChunkedGraph, parts: usize) -> usize {
    let edges = graph.edge_types().iter().map(|kind| kind.chunks().len());
    let of_nodes = graph.node_types().iter().flat_map(|kind| kind.features());
    let of_edges = graph.edge_types().iter().flat_map(|kind| kind.features());
    let files = edges.chain(of_nodes.chain(of_edges).map(|feature| feature.files().len()));
    files.fold(parts.max(1), usize::max)
}

pub(super) fn claim(out: &Path) -> Result<OutputFolder, DispatchError> {
    OutputFolder::claim(out).map_err(|source| DispatchError::Io { path: out.to_owned(), source })
}

impl Default for Dispatch {
    fn default() -> Self {
        Self::new()
    }
}
