//! [`Dispatch`]: cuts a chunked graph into parts without having it in memory.

/// Cuts a chunked graph into the parts of an [`Assignment`](crate::Assignment), with a HALO of one hop, and writes them
/// as DGL reads them. The files have the same bytes as those of [`Cut`](crate::Cut) and
/// [`PartitionWriter`](crate::dgl::PartitionWriter), for any number of ranks and chunks.
///
/// It keeps 6 bytes per node in memory; the option [`memory`](Dispatch::memory) bounds what is being read and sent and
/// the parts being written. A part takes about 24 bytes per edge and 20 bytes per node while it is written; its
/// features are copied from file to file. Edges, features and original ids are in temporary files below the folder of
/// the parts until they are written.
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
    /// Default options: one thread, 1 GiB.
    pub fn new() -> Self {
        Self { threads: 1, memory: 1 << 30, save_orig_ids: false, name: None }
    }

    /// Number of ranks, each a thread that reads chunks and writes parts (default: 1). At most 256 are started, and no
    /// more than there are chunks or parts.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// Approximate number of bytes that a process keeps in memory besides 6 per node (default: 1 GiB). A part that
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
}

impl Default for Dispatch {
    fn default() -> Self {
        Self::new()
    }
}
