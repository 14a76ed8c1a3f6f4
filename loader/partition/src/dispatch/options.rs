//! [`Dispatch`]: cuts a chunked graph into parts without having it in memory; [`Dispatched`]: the result of a run;
//! [`Progress`]: what a run reports while it works.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Cuts a chunked graph into the parts of an [`Assignment`](crate::Assignment), with a HALO of one hop, and writes them
/// as DGL reads them. The files have the same bytes as those of [`Cut`](crate::Cut) and
/// [`PartitionWriter`](crate::dgl::PartitionWriter), for any number of ranks and chunks.
///
/// It keeps 6 bytes per node in memory; the option [`memory`](Dispatch::memory) bounds what is being read and sent and
/// the parts being written. A part takes about 24 bytes per edge, twice that for each that leads to another part, and
/// 28 bytes per node while it is written; its features are copied from file to file. Edges, features and original ids
/// are in a temporary file per part until they are written; a process keeps a quarter of the files that the system lets
/// it open, and at most 1024, open at a time.
///
/// ```
/// use graphpack_partition::chunked::{ChunkOptions, ChunkedGraph, write_chunked};
/// use graphpack_partition::{Assignment, Dispatch, EdgeType, LargeGraph, NodeType, dgl};
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
/// assert_eq!((part.sources, part.targets), (vec![2, 3, 0], vec![0, 1, 3]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Dispatch {
    pub(super) threads: usize,
    pub(super) memory: usize,
    pub(super) save_orig_ids: bool,
    pub(super) name: Option<String>,
    pub(super) scratch: Option<PathBuf>,
    pub(super) resume: bool,
    pub(super) stop: Option<Arc<AtomicBool>>,
}

impl Dispatch {
    /// Default options: one thread, 1 GiB.
    pub fn new() -> Self {
        Self { threads: 1, memory: 1 << 30, save_orig_ids: false, name: None, scratch: None, resume: false, stop: None }
    }

    /// Number of ranks in this process, each a thread that reads chunks and writes parts (default: 1). At most 256 are
    /// started, and by [`run`](Self::run) no more than there are chunks or parts.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// Approximate number of bytes that a process keeps in memory beside 6 per node (default: 1 GiB). A part that
    /// needs more is written alone.
    #[must_use]
    pub fn memory(mut self, bytes: usize) -> Self {
        self.memory = bytes;
        self
    }

    /// Whether to write `orig_nids.dgl` and `orig_eids.dgl`, too (default: false).
    #[must_use]
    pub fn save_orig_ids(mut self, save: bool) -> Self {
        self.save_orig_ids = save;
        self
    }

    /// Name of the JSON file (default: the name of the graph).
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// A folder on a disk of this machine for what was sent for the parts (default: the folder of the parts). Each
    /// process makes a folder in it, which it removes at the end.
    #[must_use]
    pub fn scratch(mut self, folder: impl Into<PathBuf>) -> Self {
        self.scratch = Some(folder.into());
        self
    }

    /// Whether to go on where a run with the same inputs was killed or stopped (default: false): parts that are whole
    /// stay, the others are made. The numbers of ranks, the memory and the scratch folder may differ. If the run fails,
    /// whole parts stay, too. A folder that no run has left anything in is begun as without this option.
    #[must_use]
    pub fn resume(mut self, resume: bool) -> Self {
        self.resume = resume;
        self
    }

    /// A flag that stops the run when it is set, by another thread or a handler of signals: the ranks of all processes
    /// end within a round of reading or a block of writing, and an error of the kind
    /// [`Stopped`](graphpack_loader::ErrorKind::Stopped) is returned. Whole parts stay for a run that
    /// [resumes](Self::resume); if there is none, the folder is left as it was.
    #[must_use]
    pub fn stop(mut self, flag: Arc<AtomicBool>) -> Self {
        self.stop = Some(flag);
        self
    }
}

impl Default for Dispatch {
    fn default() -> Self {
        Self::new()
    }
}

/// What a run wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Dispatched {
    /// The JSON file of the partition.
    pub config: PathBuf,
    /// Number of nodes of all types.
    pub nodes: usize,
    /// Number of edges of all types.
    pub edges: usize,
    /// Number of edges whose ends are in different parts.
    pub edge_cut: u64,
    /// Number of parts that an earlier run had written, and that this one kept.
    pub kept: usize,
}

/// What a rank of this process has done since the last report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Progress {
    /// Read a number of edges.
    Edges(usize),
    /// Read a number of rows of features.
    Rows(usize),
    /// Wrote a part.
    Part,
}
