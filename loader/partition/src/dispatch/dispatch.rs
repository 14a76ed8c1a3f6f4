//! [`Dispatch`]: a chunked graph, cut into parts without having it in memory.

/// Cuts a chunked graph into the parts of an [`Assignment`](crate::Assignment), with a HALO of one hop, and writes them as DGL reads them: the same bytes as
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
}

impl Default for Dispatch {
    fn default() -> Self {
        Self::new()
    }
}
