//! [`Clusters`]: the parts of a large graph as graphs of a loader.

use super::cluster_nodes::ClusterNodes;
use super::halo::Halo;
use super::links::Links;
use super::rows::{copy_rows, index};
use super::table::Table;
use graphpack_loader::fingerprint::{mix_bytes, samples};
use graphpack_loader::{Index, Schema, Size, Slot, Source, SourceError};
use std::ops::Range;

/// What clusters have besides nodes and edges.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClusterOptions {
    /// Whether a cluster has the HALO of its part: all nodes and edges of the part, with features from the parts that
    /// own them. Without it a cluster has the nodes that its part owns and the edges among them.
    pub halo: bool,
    /// Names of the features of nodes and edges that become fields, `x` or with the type `_N/x`; `None` for all.
    pub features: Option<Vec<String>>,
    /// The original id of each node by its global id ([`Cut::node_map`](crate::Cut::node_map)), for `node_id`; `None`
    /// for global ids.
    pub original_ids: Option<Vec<i64>>,
}

/// The parts of a graph, each a graph of a loader. The large graph must have one type of nodes and at most one of
/// edges; [`LargeGraph::to_homogeneous`](crate::LargeGraph::to_homogeneous) makes one type of several before the graph
/// is cut.
///
/// | field | level | |
/// |---|---|---|
/// | features of nodes, named without their type | node | those of the HALO come from the parts that own it |
/// | `owned` | node | bool: true for nodes that the part owns; take the loss over these only, or nodes of a HALO count several times |
/// | `node_id` | node | int64: global ids, or original ones |
/// | features of edges | edge | |
///
/// Features keep their type, which must be float32, float64, int64, int32, uint8 or bool. The first dimension counts
/// rows, the others are the elements of a row.
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
/// A loader packs clusters like other graphs. Its plan puts the same sizes together in every epoch and draws which
/// clusters of these sizes meet; [`Batching::Dynamic`](graphpack_loader::Batching::Dynamic) with a seed lets any
/// clusters meet. A batch has no edges between clusters either way; [`ClusterGroups`](crate::ClusterGroups) has them.
///
/// Everything is in memory: features, 8 bytes of ids per node and 8 bytes per edge. The parts may be some of the
/// book's, in any order; graphs have the numbers of the parts. A HALO needs the parts that own its nodes.
#[derive(Debug)]
pub struct Clusters {
    schema: Schema,
    /// Numbers of the parts.
    parts: Vec<usize>,
    nodes: ClusterNodes,
    /// Features of nodes and of edges.
    tables: [Vec<Table>; 2],
    /// Empty where clusters have a HALO.
    links: Links,
    /// Where asked for.
    halos: Option<Vec<Halo>>,
    fingerprint: u64,
}

impl Clusters {
    /// Puts together what a builder has gathered and checked.
    pub(super) fn assemble(
        schema: Schema,
        parts: Vec<usize>,
        nodes: ClusterNodes,
        tables: [Vec<Table>; 2],
        links: Links,
        halos: Option<Vec<Halo>>,
    ) -> Self {
        let mut this = Self { schema, parts, nodes, tables, links, halos, fingerprint: 0 };
        this.fingerprint = this.compute_fingerprint();
        this
    }

    /// Number of nodes that the parts own, of all parts together.
    pub fn nodes(&self) -> usize {
        self.nodes.ids().len()
    }

    /// Bytes of features, ids and edges in memory.
    pub fn bytes(&self) -> usize {
        let tables = self.tables.iter().flatten().map(|table| table.bytes().len());
        let halos = self.halos.iter().flatten().map(Halo::bytes);
        let links = self.links.all_ends().map(|ends| 4 * ends.len());
        tables.sum::<usize>() + 8 * self.nodes() + links.iter().sum::<usize>() + halos.sum::<usize>()
    }

    /// Whether clusters have the HALOs of their parts.
    pub(super) fn has_halo(&self) -> bool {
        self.halos.is_some()
    }

    /// The number of a cluster's part.
    pub(super) fn part(&self, cluster: usize) -> usize {
        self.parts[cluster]
    }

    /// Edges, of clusters without HALO.
    pub(super) fn links(&self) -> &Links {
        &self.links
    }

    /// Rows of a cluster's own nodes.
    pub(super) fn rows(&self, cluster: usize) -> Range<usize> {
        self.nodes.rows(cluster)
    }

    /// What `node_id` says of some rows.
    pub(super) fn node_ids(&self, rows: Range<usize>) -> &[i64] {
        &self.nodes.ids()[rows]
    }

    /// Features of nodes with the fields that they are.
    pub(super) fn node_tables(&self) -> impl Iterator<Item = (usize, &Table)> {
        self.tables[0].iter().enumerate()
    }

    /// The fields `owned` and `node_id`, which follow the features of nodes.
    pub(super) fn own_fields(&self) -> [usize; 2] {
        [self.tables[0].len(), self.tables[0].len() + 1]
    }

    /// Features of edges with the fields that they are, after all others.
    pub(super) fn edge_tables(&self) -> impl Iterator<Item = (usize, &Table)> {
        (self.tables[0].len() + 2..).zip(&self.tables[1])
    }

    fn write_halo(&self, graph: usize, halo: &Halo, slot: &mut Slot<'_>) -> Result<(), SourceError> {
        let own = self.rows(graph);
        let rows = || own.clone().chain(halo.node_rows());
        for (field, table) in self.node_tables() {
            table.copy(slot.rows_mut(field)?, rows());
        }
        let [owned, ids] = self.own_fields();
        let mask = slot.rows_mut(owned)?;
        mask[..own.len()].fill(1);
        mask[own.len()..].fill(0);
        copy_rows(slot.rows_mut(ids)?, bytemuck::cast_slice(self.nodes.ids()), 8, rows());
        for (field, table) in self.edge_tables() {
            table.copy(slot.rows_mut(field)?, halo.edge_rows());
        }
        let [sources, targets] = halo.ends();
        Ok(slot.write_index(Index::EDGE_INDEX, &[index(sources), index(targets)])?)
    }

    /// Of sizes and ids, all edges, and some rows of features.
    fn compute_fingerprint(&self) -> u64 {
        let halos = self.halos.iter().flatten().flat_map(Halo::lists);
        let lists = self.links.all_ends().into_iter().chain(halos);
        let hash = lists.fold(self.sizes_fingerprint(), |hash, list| mix_bytes(hash, bytemuck::cast_slice(list)));
        let hash = mix_bytes(hash, bytemuck::cast_slice(self.nodes.ids()));
        let nodes = self.tables[0].iter().map(|table| (table, self.nodes()));
        let edges = self.tables[1].iter().map(|table| (table, table.bytes().len() / table.field().row_bytes().max(1)));
        nodes.chain(edges).fold(hash, |hash, (table, rows)| {
            samples(rows).fold(hash, |hash, row| mix_bytes(hash, table.rows(row..row + 1)))
        })
    }
}

impl Source for Clusters {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn len(&self) -> usize {
        self.parts.len()
    }

    fn size(&self, graph: usize) -> Size {
        let nodes = self.rows(graph).len();
        let [nodes, edges] = match &self.halos {
            None => [nodes, self.links.within(graph).len()],
            Some(halos) => [nodes + halos[graph].nodes(), halos[graph].edges()],
        };
        // More were refused.
        Size::new([nodes as u32, edges as u32])
    }

    fn write(&self, graph: usize, slot: &mut Slot<'_>) -> Result<(), SourceError> {
        if let Some(halos) = &self.halos {
            return self.write_halo(graph, &halos[graph], slot);
        }
        let (rows, edges) = (self.rows(graph), self.links.within(graph));
        for (field, table) in self.node_tables() {
            slot.write_bytes(field, table.rows(rows.clone()))?;
        }
        let [owned, ids] = self.own_fields();
        slot.rows_mut(owned)?.fill(1);
        slot.write(ids, self.node_ids(rows))?;
        for (field, table) in self.edge_tables() {
            slot.write_bytes(field, table.rows(edges.clone()))?;
        }
        let [sources, targets] = self.links.ends(edges);
        Ok(slot.write_index(Index::EDGE_INDEX, &[index(sources), index(targets)])?)
    }

    fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    fn number(&self, graph: usize) -> u64 {
        self.parts[graph] as u64
    }
}
