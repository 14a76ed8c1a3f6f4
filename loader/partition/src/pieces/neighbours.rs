//! [`Neighbours`]: sampled neighbourhoods of root nodes of a large graph as graphs of a loader;
//! [`NeighbourEpoch`]: those of one epoch.

use super::IndexedGraph;
use super::neighbour_index::{NeighbourIndex, NeighbourOptions};
use super::walk::Walk;
use crate::LargeGraph;
use graphpack_loader::extend::mix;
use graphpack_loader::{BoxError, Data, Error, Limits, Schema, Size, Slot, Source, Worker};
use std::sync::Arc;

/// A graph for each root node: the root and a sample of its neighbourhood, drawn again each epoch against the direction
/// of edges, as PyTorch Geometric's `NeighborLoader` with `disjoint=True` and TF-GNN's sampler do. The large graph is
/// in memory, or in parts on disk ([`IndexedGraph::open`]).
///
/// | field | level | |
/// |---|---|---|
/// | features of nodes | node | |
/// | `root` | node | bool: true for the root, which is the first node |
/// | `node_id` | node | int64: ids in the large graph |
/// | features of edges | edge | |
/// | those in `of_roots` | graph | features of the root, one row per graph, such as what the loss needs |
///
/// Where there are several types, each is a set with these fields, named as those of
/// [`Clusters`](crate::Clusters): `paper.x`, `author.node_id`, `writes.edge_index`. Only the set of the roots has `root`.
///
/// A neighbourhood has each node once. With fan-outs f1, f2, ... and one type it has at most 1 + f1 + f1 f2 + ...
/// nodes, and one edge less. All edges of a type into a node are drawn if they are no more than the fan-out. With
/// several types a hop draws edges of each type into the nodes that the hop before has met, one type after the other,
/// as `NeighborLoader` does. What is drawn depends on (seed, epoch, node) alone. The final embeddings of a batch's
/// roots are rows `ptr[..graphs]`.
///
/// ```
/// use graphpack_loader::{Grouping, Loader, Options, Order};
/// use graphpack_partition::pieces::NeighbourOptions;
/// use graphpack_partition::{Array, EdgeType, LargeGraph, Neighbours, NodeType};
/// use std::sync::Arc;
///
/// let y = ("y".to_owned(), Array::of_i64(&(0..100).collect::<Vec<_>>()));
/// let node = NodeType { name: "_N".into(), nodes: 100, features: vec![y] };
/// let name = ["_N".into(), "_E".into(), "_N".into()];
/// let (sources, targets) = (0..1000).map(|edge| (edge * 7 % 100, edge / 10)).unzip();
/// let edge = EdgeType { name, sources, targets, features: Vec::new() };
/// let graph = LargeGraph { name: "g".into(), node_types: vec![node], edge_types: vec![edge] };
///
/// let options = NeighbourOptions { fan_outs: vec![4, 2], of_roots: vec!["y".into()], ..NeighbourOptions::default() };
/// let neighbours = Neighbours::new(Arc::new(graph), &[3, 14, 15, 92], options)?;
/// let limits = neighbours.limits(2);
/// let options = Options::default().capacity(limits).grouping(Grouping::InOrder).order(Order::Shuffled).seed(1);
/// let loader = Loader::new(neighbours, options)?;
/// for epoch in 0..2 {
///     for batch in loader.epoch(epoch) {
///         let batch = batch?;
///         let (first, labels) = (batch.ptr::<i64>()?[0] as usize, batch.get::<i64>("y")?);
///         assert_eq!((batch.real().graphs(), batch.get::<i64>("node_id")?[first]), (2, labels[0]));
///     }
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// [`Grouping::InOrder`](graphpack_loader::Grouping::InOrder) takes shuffled roots as they come. A plan
/// ([`Grouping::Packed`](graphpack_loader::Grouping::Packed)) fills batches better, but always pairs roots with large
/// neighbourhoods with roots with small ones.
///
/// The index of edges by target takes 8 bytes per edge and per node of a target's type, besides the graph.
#[derive(Clone, Debug)]
pub struct Neighbours(Arc<NeighbourIndex>);

impl Neighbours {
    /// Checks the graph and indexes its edges. `roots` are the nodes that get a graph each, such as those to train on.
    pub fn new(graph: Arc<LargeGraph>, roots: &[i64], options: NeighbourOptions) -> Result<Self, Error> {
        Self::of(Arc::new(IndexedGraph::new(graph)?), roots, options)
    }

    /// Draws from a graph that is indexed already, in memory or on disk, so that several lists of roots share one
    /// index. Roots are given by the ids that `node_id` has in batches.
    pub fn of(graph: Arc<IndexedGraph>, roots: &[i64], options: NeighbourOptions) -> Result<Self, Error> {
        Ok(Self(Arc::new(NeighbourIndex::new(graph, roots, &options)?)))
    }

    /// Number of roots.
    pub fn roots(&self) -> usize {
        self.0.roots()
    }

    /// The neighbourhoods of epoch `epoch`, a graph for each root in the order in which they were given. Each is drawn
    /// here for its size, and again when it is written.
    pub fn epoch(&self, epoch: u64) -> NeighbourEpoch {
        let (index, mut walk) = (self.0.clone(), Walk::default());
        let sizes = (0..index.roots()).map(|root| index.draw(root, epoch, &mut walk)).collect();
        NeighbourEpoch { index, epoch, sizes }
    }

    /// Returns limits for batches of at most `roots` graphs, which usually have that many. They hold in every epoch: a
    /// set has three standard deviations more rows than `roots` neighbourhoods have on average, estimated from up to
    /// 1,024 neighbourhoods of epoch 0, and at least as many as the largest neighbourhood possible.
    pub fn limits(&self, roots: u32) -> Limits {
        let most = self.0.most();
        let (count, mut walk) = (self.roots(), Walk::default());
        let chosen = (0..count).step_by(count.div_ceil(1024).max(1));
        let sizes: Vec<Size> = chosen.map(|root| self.0.draw(root, 0, &mut walk)).collect();
        let size = Size::of(most.sets(), |set| {
            let number = sizes.len().max(1) as f64;
            let rows = || sizes.iter().map(|size| f64::from(size[set]));
            let mean = rows().sum::<f64>() / number;
            let variance = rows().map(|rows| (rows - mean).powi(2)).sum::<f64>() / number;
            let wanted = mean * f64::from(roots) + 3.0 * (variance * f64::from(roots)).sqrt();
            // Beyond 32 bits `as` stays at the largest number.
            let wanted = (wanted.ceil() as u32).max(most[set]).max(1);
            wanted.checked_next_multiple_of(64).unwrap_or(wanted)
        });
        Limits::new(size).graphs(roots.max(1))
    }
}

/// The neighbourhoods of each epoch, drawn [again for each](Data::each_epoch).
impl From<Neighbours> for Data {
    fn from(neighbours: Neighbours) -> Self {
        Self::each_epoch(move |epoch| Ok(neighbours.epoch(epoch).into()))
    }
}

/// The neighbourhoods of one epoch of [`Neighbours`]; graph i is that of root i.
#[derive(Debug)]
pub struct NeighbourEpoch {
    index: Arc<NeighbourIndex>,
    epoch: u64,
    sizes: Vec<Size>,
}

/// What a worker needs.
#[derive(Default)]
struct Work {
    walk: Walk,
    /// Graphs that are yet to be written of those that it prepared for.
    left: usize,
}

impl Source for NeighbourEpoch {
    fn schema(&self) -> &Schema {
        self.index.schema()
    }

    fn len(&self) -> usize {
        self.sizes.len()
    }

    fn size(&self, graph: usize) -> Result<Size, BoxError> {
        Ok(self.sizes[graph])
    }

    fn write(&self, graph: usize, slot: &mut Slot<'_>, worker: &mut Worker) -> Result<(), BoxError> {
        let Work { walk, left } = worker.state(|| Ok(Work::default()))?;
        self.index.draw(graph, self.epoch, walk);
        self.index.write(walk, slot)?;
        *left = left.saturating_sub(1);
        // After the last graph of a batch, not after each, which takes a call of the system for each file.
        if *left == 0 { self.index.check() } else { Ok(()) }
    }

    fn prepare(&self, graphs: &[usize], worker: &mut Worker) -> Result<(), BoxError> {
        worker.state(|| Ok(Work::default()))?.left = graphs.len();
        self.index.check()
    }

    fn fingerprint(&self, sizes: u64) -> u64 {
        mix(self.index.mix_into(sizes), self.epoch)
    }
}
