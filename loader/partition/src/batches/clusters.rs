//! [`Clusters`]: the parts of a large graph as graphs of a loader.

use super::ClustersError;
use super::columns::{Chosen, copy_rows};
use super::gather::Gather;
use super::links::Links;
use crate::{Part, PartitionBook, dgl};
use graphpack_core::Size;
use graphpack_loader::{IndexBytes, IndexWidth};
use graphpack_loader::{Schema, Slot, Source, SourceError};
use std::path::Path;

/// What clusters have beside nodes and edges.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClusterOptions {
    /// Whether the HALO comes with its part: all nodes and edges that the part has, features from the parts that own them. Without it a cluster
    /// is what its part owns, and edges among that.
    pub halo: bool,
    /// Features of nodes and edges to carry, `x` or with the type `_N/x`; none: all.
    pub features: Option<Vec<String>>,
    /// The original id of each node by its global one ([`Cut::node_map`](crate::Cut::node_map)), for `node_id`; none: global ids.
    pub original_ids: Option<Vec<i64>>,
}

/// The parts of a graph with one type of nodes and edges, each a graph of a loader: numbers, features and all. Of several types,
/// [`LargeGraph::to_homogeneous`](crate::LargeGraph::to_homogeneous) makes one before the graph is cut.
///
/// | field | level | |
/// |---|---|---|
/// | features of nodes, without the name of the type | node | of the HALO: those that its owners have |
/// | `owned` | node | bool: nodes that the part owns; a loss is over these only, or nodes of a HALO would count several times |
/// | `node_id` | node | int64: global ids, or original ones |
/// | features of edges | edge | |
///
/// Features keep their type; batches can carry float32, float64, int64, int32, uint8 and bool. Their first dimension is rows, the others are
/// elements of a row.
///
/// ```
/// use graphpack_loader::Loader;
/// use graphpack_partition::{Array, Assignment, ClusterOptions, Clusters, Cut, EdgeType, LargeGraph, NodeType};
///
/// let y = ("y".to_owned(), Array::of_i64(&[10, 11, 12, 13]));
/// let node = NodeType { name: "_N".into(), nodes: 4, features: vec![y] };
/// let name = ["_N".into(), "_E".into(), "_N".into()];
/// let edge = EdgeType { name, sources: vec![0, 1, 2], targets: vec![1, 2, 3], features: Vec::new() };
/// let graph = LargeGraph { name: "path".into(), node_types: vec![node], edge_types: vec![edge] };
///
/// let assignment = Assignment::new(2, vec![vec![0, 0, 1, 1]])?;
/// let cut = Cut::new(&graph, &assignment, 1)?;
/// let options = ClusterOptions { halo: true, ..ClusterOptions::default() };
/// let clusters = Clusters::new(cut.book(), cut.parts(), &options)?;
/// let loader = Loader::new(clusters).batch_graphs(2).build()?;
/// for batch in loader.epoch(0) {
///     let batch = batch?;
///     assert_eq!(batch.get::<i64>("y")?[..5], [10, 11, 12, 13, 11]); // 11 again: HALO of part 1
///     assert_eq!(batch.get::<bool>("owned")?[..5], [true, true, true, true, false]);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A loader packs clusters like other graphs. Its plan puts clusters of the same sizes together in every epoch, though which of them is drawn
/// anew; [`Batching::Dynamic`](graphpack_loader::Batching::Dynamic) with a seed takes them as they come, any with any. Neither has edges between clusters:
/// for these, [`ClusterGroups`](super::ClusterGroups).
///
/// All is in memory: features as they are, 8 bytes per node for ids and 8 per edge. Parts may be few of those of the book, in any order; graphs are
/// numbered as parts are. A HALO needs the parts that own it.
#[derive(Debug)]
pub struct Clusters {
    pub(super) schema: Schema,
    /// Numbers of the parts.
    pub(super) parts: Vec<usize>,
    /// First row of each cluster, and the end of the last.
    pub(super) starts: Vec<usize>,
    pub(super) node_ids: Vec<i64>,
    pub(super) nodes: Vec<Table>,
    pub(super) edges: Vec<Table>,
    pub(super) links: Links,
    /// Where asked for, in place of links.
    pub(super) halos: Option<Vec<Halo>>,
    pub(super) fingerprint: u64,
}

/// A feature, of all clusters one after the other.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) chosen: Chosen,
    pub(super) bytes: Vec<u8>,
}

/// A part with its HALO.
#[derive(Debug, Default)]
pub(super) struct Halo {
    /// Rows of the HALO's nodes.
    pub(super) nodes: Vec<u32>,
    pub(super) sources: Vec<u32>,
    pub(super) targets: Vec<u32>,
    /// Rows of all its edges, where edges have features.
    pub(super) edges: Vec<u32>,
}

impl Clusters {
    /// Takes the parts of a partition one after the other and checks them. Those of [`Cut::parts`](crate::Cut::parts) need never be
    /// in memory together.
    pub fn new(
        book: &PartitionBook,
        parts: impl IntoIterator<Item = Part>,
        options: &ClusterOptions,
    ) -> Result<Self, ClustersError> {
        let mut gather = Gather::new(book, options)?;
        parts.into_iter().try_for_each(|part| gather.add(&part))?;
        gather.finish()
    }

    /// All parts of a partition in DGL's files, from its `NAME.json`. Masks are uint8 there.
    pub fn read(config: impl AsRef<Path>, options: &ClusterOptions) -> Result<Self, ClustersError> {
        let config = config.as_ref();
        let book = dgl::load_partition_book(config)?;
        let mut gather = Gather::new(&book, options)?;
        for part in 0..book.parts() {
            gather.add(&dgl::load_partition(config, part)?.part)?;
        }
        gather.finish()
    }

    /// Nodes that the parts own, all together.
    pub fn nodes(&self) -> usize {
        self.node_ids.len()
    }

    /// Bytes of features, ids and edges in memory.
    pub fn bytes(&self) -> usize {
        let tables = self.nodes.iter().chain(&self.edges).map(|table| table.bytes.len());
        let halos = self.halos.iter().flatten();
        let halos = halos.map(|halo| halo.nodes.len() + halo.sources.len() + halo.targets.len() + halo.edges.len());
        let ids = self.links.sources.len() + self.links.targets.len() + halos.sum::<usize>();
        tables.sum::<usize>() + 8 * self.node_ids.len() + 4 * ids
    }

    /// Positions of `owned` and `node_id` among the fields; features of edges are behind them.
    pub(super) fn own_fields(&self) -> [usize; 2] {
        [self.nodes.len(), self.nodes.len() + 1]
    }

    fn write_halo(&self, graph: usize, halo: &Halo, slot: &mut Slot<'_>) -> Result<(), SourceError> {
        let rows = || (self.starts[graph]..self.starts[graph + 1]).chain(halo.nodes.iter().map(|&row| row as usize));
        for (field, table) in self.nodes.iter().enumerate() {
            copy_rows(slot.rows_mut(field)?, &table.bytes, table.chosen.field.row_bytes(), rows());
        }
        let [owned, ids] = self.own_fields();
        let inner = self.starts[graph + 1] - self.starts[graph];
        let mask = slot.rows_mut(owned)?;
        mask[..inner].fill(1);
        mask[inner..].fill(0);
        copy_rows(slot.rows_mut(ids)?, bytemuck::cast_slice(&self.node_ids), 8, rows());
        for (field, table) in (ids + 1..).zip(&self.edges) {
            let rows = halo.edges.iter().map(|&row| row as usize);
            copy_rows(slot.rows_mut(field)?, &table.bytes, table.chosen.field.row_bytes(), rows);
        }
        Ok(slot.write_edge_index(index(&halo.sources), index(&halo.targets))?)
    }
}

impl Source for Clusters {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn len(&self) -> usize {
        self.parts.len()
    }

    fn size(&self, graph: usize) -> Size<2> {
        let nodes = self.starts[graph + 1] - self.starts[graph];
        let [nodes, edges] = match &self.halos {
            None => [nodes, self.links.within(graph).len()],
            Some(halos) => [nodes + halos[graph].nodes.len(), halos[graph].sources.len()],
        };
        // Larger ones were refused.
        Size([nodes as u32, edges as u32])
    }

    fn write(&self, graph: usize, slot: &mut Slot<'_>) -> Result<(), SourceError> {
        if let Some(halos) = &self.halos {
            return self.write_halo(graph, &halos[graph], slot);
        }
        let rows = self.starts[graph]..self.starts[graph + 1];
        let edges = self.links.within(graph);
        let [owned, ids] = self.own_fields();
        for (field, table) in self.nodes.iter().enumerate() {
            slot.write_bytes(field, table.rows(rows.clone()))?;
        }
        slot.rows_mut(owned)?.fill(1);
        slot.write(ids, &self.node_ids[rows])?;
        for (field, table) in (ids + 1..).zip(&self.edges) {
            slot.write_bytes(field, table.rows(edges.clone()))?;
        }
        Ok(slot.write_edge_index(index(&self.links.sources[edges.clone()]), index(&self.links.targets[edges]))?)
    }

    fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    fn number(&self, graph: usize) -> u64 {
        self.parts[graph] as u64
    }
}

impl Table {
    pub(super) fn rows(&self, rows: std::ops::Range<usize>) -> &[u8] {
        let width = self.chosen.field.row_bytes();
        &self.bytes[rows.start * width..rows.end * width]
    }
}

/// Numbers that are below 2^31, or would have been refused.
pub(super) fn index(nodes: &[u32]) -> IndexBytes<'_> {
    IndexBytes::new(IndexWidth::I32, bytemuck::cast_slice(nodes))
}
