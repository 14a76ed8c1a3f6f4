//! [`Clusters`]: the parts of a large graph as graphs of a loader.

use super::ClustersError;
use super::bodies::Bodies;
use super::body::{Block, Body, ClusterOutline, Ends};
use super::tables::{NodeIds, Tables};
use graphpack_loader::fingerprint::mix;
use graphpack_loader::{Graphs, Schema, Size, Slot, Source, SourceError};
use std::sync::Arc;

/// What clusters have besides nodes and edges.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClusterOptions {
    /// Whether a cluster has the HALO of its part: the nodes from which own ones are reached in the hops of the HALO, and
    /// the edges on the way, with features from the parts that own them. Without it a cluster has the nodes that its part
    /// owns and the edges among them. Edges from own nodes into other parts are left out either way.
    pub halo: bool,
    /// Names of the features of nodes and edges that become fields, `x` or with the type `paper/x`; `None` for all.
    pub features: Option<Vec<String>>,
    /// What `node_id` says.
    pub node_ids: NodeIds,
}

/// The parts of a graph, each a graph of a loader.
///
/// A graph with one type of nodes and at most one of edges has the sets `nodes` and `edges`:
///
/// | field | level | |
/// |---|---|---|
/// | features of nodes, named without their type | node | those of the HALO come from the parts that own it |
/// | `owned` | node | bool: true for nodes that the part owns; take the loss over these only, or nodes of a HALO count several times |
/// | `node_id` | node | int64: [`NodeIds`] |
/// | features of edges | edge | |
/// | `edge_index` | index | |
///
/// Where there are several types, each is a set: of nodes with the name of the type, of edges with the name of the
/// relation, or `source__relation__target` where another type has that name. Fields and indices are `paper.x`,
/// `paper.owned`, `paper.node_id`, `cites.weight`, `cites.edge_index`. Batches have at most 8 sets.
///
/// Features keep their type, which must be float16, float32, float64, int64, int32, uint8 or bool. The first dimension
/// counts rows, the others are the elements of a row.
///
/// ```
/// use graphpack_loader::Loader;
/// use graphpack_partition::{Array, Assignment, ClusterOptions, Clusters, Cut, EdgeType, LargeGraph, NodeType};
///
/// let year = ("year".to_owned(), Array::of_i64(&[2001, 2002, 2003]));
/// let node = |name: &str, nodes, features| NodeType { name: name.into(), nodes, features };
/// let node_types = vec![node("author", 2, vec![]), node("paper", 3, vec![year])];
/// let name = ["author".into(), "writes".into(), "paper".into()];
/// let edge = EdgeType { name, sources: vec![0, 0, 1], targets: vec![0, 1, 2], features: Vec::new() };
/// let graph = LargeGraph { name: "papers".into(), node_types, edge_types: vec![edge] };
///
/// let assignment = Assignment::new(2, vec![vec![0, 1], vec![0, 1, 1]])?;
/// let cut = Cut::new(&graph, &assignment, 1)?;
/// let options = ClusterOptions { halo: true, ..ClusterOptions::default() };
/// let clusters = Clusters::new(cut.book(), cut.parts(), &options)?;
/// let loader = Loader::new(clusters).batch_graphs(2).build()?;
/// for batch in loader.epoch(0) {
///     let batch = batch?;
///     assert_eq!(batch.get::<i64>("paper.year")?[..3], [2001, 2002, 2003]);
///     assert_eq!(batch.get::<bool>("author.owned")?[..3], [true, true, false]); // author 0 is in the HALO of part 1
///     let writes = batch.index::<i64>("writes.edge_index")?;
///     assert_eq!((&writes[0][..3], &writes[1][..3]), (&[0, 2, 1][..], &[0, 1, 2][..]));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A loader packs clusters like other graphs. Its plan puts the same sizes together in every epoch and draws which
/// clusters of these sizes meet; [`Batching::Dynamic`](graphpack_loader::Batching::Dynamic) with a seed lets any
/// clusters meet. A batch has no edges between clusters either way; [`ClusterGroups`](crate::ClusterGroups) has them.
///
/// Clusters that were made by [`new`](Self::new) are in memory: features, 8 bytes per edge, and 8 more where its type
/// has features. Those of [`open`](Self::open) are read from DGL's files when a loader wants them. The parts may be some
/// of the book's, in any order; graphs have the numbers of the parts.
#[derive(Debug)]
pub struct Clusters {
    tables: Tables,
    halo: bool,
    outlines: Vec<ClusterOutline>,
    bodies: Bodies,
    fingerprint: u64,
}

impl Clusters {
    /// Puts together what a builder has gathered and checked.
    pub(super) fn assemble(tables: Tables, halo: bool, outlines: Vec<ClusterOutline>, bodies: Bodies) -> Self {
        let mut this = Self { tables, halo, outlines, bodies, fingerprint: 0 };
        let clusters = this.outlines.iter();
        this.fingerprint = clusters.fold(this.sizes_fingerprint(), |hash, outline| {
            mix(mix(hash, outline.hash), this.tables.fingerprint(outline.part))
        });
        this
    }

    /// Number of nodes of all types that the parts own, of all clusters together.
    pub fn nodes(&self) -> usize {
        (0..self.outlines.len()).map(|cluster| self.own_nodes(cluster)).sum()
    }

    fn own_nodes(&self, cluster: usize) -> usize {
        (0..self.tables.sets.node_types()).map(|kind| self.own(cluster, kind)).sum()
    }

    /// Bytes of features, given ids and edges in memory. What is in files is not counted, but for the edges that are
    /// kept.
    pub fn bytes(&self) -> usize {
        self.tables.bytes() + self.bodies.bytes()
    }

    /// Keeps the edges of this many parts in memory, besides those that are being written (default: 0). Has no effect
    /// where all parts are in memory.
    #[must_use]
    pub fn keep(mut self, parts: usize) -> Self {
        if let Bodies::Files(files) = &mut self.bodies {
            files.keep = parts;
        }
        self
    }

    /// Whether clusters have the HALOs of their parts.
    pub(super) fn has_halo(&self) -> bool {
        self.halo
    }

    /// The number of a cluster's part.
    pub(super) fn part(&self, cluster: usize) -> usize {
        self.outlines[cluster].part
    }

    pub(super) fn tables(&self) -> &Tables {
        &self.tables
    }

    /// Number of rows of a set that the part of a cluster owns.
    pub(super) fn own(&self, cluster: usize, set: usize) -> usize {
        self.tables.owned(set, self.part(cluster))
    }

    /// Edges of clusters without HALO, by type and part of the source.
    pub(super) fn blocks(&self, cluster: usize) -> &[Block] {
        &self.outlines[cluster].blocks
    }

    pub(super) fn body(&self, cluster: usize) -> Result<Arc<Body>, ClustersError> {
        self.bodies.get(cluster, &self.outlines[cluster], &self.tables, self.halo)
    }

    /// Errors if a file with rows of a cluster changed.
    pub(super) fn check_cluster(&self, cluster: usize) -> Result<(), SourceError> {
        let outline = &self.outlines[cluster];
        Ok([outline.part].iter().chain(&outline.owners).try_for_each(|&part| self.tables.check(part))?)
    }

    /// The edges of a type, `None` if there are none. With HALO that is all of them, without those within the cluster.
    fn edges<'a>(&self, cluster: usize, kind: usize, body: &'a Body) -> Option<(&'a Ends, std::ops::Range<usize>)> {
        let ends = &body.edges[kind];
        if self.halo {
            return Some((ends, 0..ends.sources.len()));
        }
        let own = (kind, self.part(cluster));
        let block = self.blocks(cluster).iter().find(|block| (block.kind, block.from) == own)?;
        Some((ends, block.edges.clone()))
    }

    fn write_body(&self, cluster: usize, body: &Body, slot: &mut Slot<'_>) -> Result<(), SourceError> {
        let (tables, part) = (&self.tables, self.part(cluster));
        for kind in 0..tables.sets.node_types() {
            let own = 0..self.own(cluster, kind);
            let halo = body.halo.get(kind).map_or(&[][..], Vec::as_slice);
            tables.write(slot, kind, false, &[(part, own.clone())], halo)?;
            let field = tables.fields.own[kind];
            let name = &slot.schema().fields()[field].name;
            let mask = slot.bytes(name)?;
            if let Some((owned, others)) = mask.split_at_mut_checked(own.len()) {
                owned.fill(1);
                others.fill(0);
            }
            let places = own.map(|row| [part as u32, row as u32]).chain(halo.iter().copied());
            tables.write_ids(slot, field + 1, kind, places)?;
        }
        for kind in 0..tables.sets.ends().len() {
            let none = (&Ends::default(), 0..0);
            let (ends, range) = self.edges(cluster, kind, body).unwrap_or(none);
            let rows = ends.rows.get(range.clone()).unwrap_or_default();
            tables.write(slot, tables.sets.of_edges(kind), false, &[], rows)?;
            let name = &slot.schema().indices()[kind].name;
            slot.set_index(name, &[&ends.sources[range.clone()], &ends.targets[range]])?;
        }
        Ok(())
    }
}

impl Source for Clusters {
    fn schema(&self) -> &Schema {
        &self.tables.fields.schema
    }

    fn len(&self) -> usize {
        self.outlines.len()
    }

    fn size(&self, graph: usize) -> Size {
        self.outlines[graph].size
    }

    fn write(&self, graph: usize, slot: &mut Slot<'_>) -> Result<(), SourceError> {
        self.write_body(graph, &*self.body(graph)?, slot)
    }

    fn check(&self, graphs: Graphs<'_>) -> Result<(), SourceError> {
        let mut result = Ok(());
        graphs(&mut |graph| {
            if result.is_ok() {
                result = self.check_cluster(graph);
            }
        });
        result
    }

    fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    fn number(&self, graph: usize) -> u64 {
        self.part(graph) as u64
    }
}
