//! [`Clusters`]: the parts of a large graph as graphs of a loader; [`ClustersBuilder`]: makes them of parts that come one
//! after the other.

use super::ClustersError;
use super::body::{Block, Bodies, Body, ClusterOutline, Ends, InFiles};
use super::column::Column;
use super::fields::{Fields, Found, Sets, Wanted, choose};
use super::tables::{NodeIds, PartRows, Tables, owned};
use crate::cut::check;
use crate::dgl::PartReader;
use crate::{Array, Part, PartitionBook};
use graphpack_loader::extend::mix;
use graphpack_loader::{BoxError, Dtype, Error, Schema, Size, Slot, Source, Worker};
use std::path::Path;
use std::sync::Arc;

/// What clusters have besides nodes and edges.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClusterOptions {
    /// Whether a cluster has the HALO of its part: the nodes from which own ones are reached in the hops of the HALO,
    /// and the edges on the way, with features from the parts that own them. Without it a cluster has the nodes that
    /// its part owns and the edges among them. Edges from own nodes into other parts are left out either way.
    pub halo: bool,
    /// Names of the features of nodes and edges that become fields, `x` or with the type `paper/x`; `None` for all.
    pub features: Option<Vec<String>>,
    /// Which ids the field `node_id` of batches has.
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
/// `paper.owned`, `paper.node_id`, `cites.weight`, `cites.edge_index`. Batches have at most 16 sets.
///
/// Features keep their type, which must be float16, float32, float64, int64, int32, uint8 or bool. The first dimension
/// counts rows, the others are the elements of a row.
///
/// ```
/// use graphpack_loader::{Loader, Options};
/// use graphpack_partition::pieces::ClusterOptions;
/// use graphpack_partition::{Array, Assignment, Clusters, Cut, EdgeType, LargeGraph, NodeType};
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
/// let loader = Loader::new(clusters, Options::graphs(2))?;
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
/// clusters of these sizes meet; [`Grouping::InOrder`](graphpack_loader::Grouping::InOrder) with a seed lets any
/// clusters meet. A batch has no edges between clusters either way; [`ClusterGroups`](crate::ClusterGroups) has them.
///
/// Clusters that were made by [`new`](Self::new) are in memory: features, 8 bytes per edge, and 8 more where its type
/// has features. Those of [`open`](Self::open) are read from DGL's files when a loader wants them. The parts may be
/// some of the book's, in any order; graphs have the numbers of the parts.
#[derive(Debug)]
pub struct Clusters {
    pub(super) tables: Tables,
    /// Whether clusters have the HALOs of their parts.
    pub(super) halo: bool,
    outlines: Vec<ClusterOutline>,
    bodies: Bodies,
    /// Of the features of each cluster's part.
    hashes: Vec<u64>,
}

impl Clusters {
    /// Puts together what a builder has gathered and checked.
    pub(super) fn assemble(tables: Tables, halo: bool, outlines: Vec<ClusterOutline>, bodies: Bodies) -> Self {
        let hashes = outlines.iter().map(|outline| tables.fingerprint(outline.part)).collect();
        Self { tables, halo, outlines, bodies, hashes }
    }

    /// Number of nodes of all types that the parts own, of all clusters together.
    pub fn nodes(&self) -> usize {
        (0..self.outlines.len()).map(|cluster| self.own_nodes(cluster)).sum()
    }

    /// Number of edges into the nodes of the parts that no cluster has, since their sources are in other parts. With HALO
    /// there are none.
    pub fn cut_edges(&self) -> usize {
        if self.halo {
            return 0;
        }
        let sets = (0..self.tables.sets.ends().len()).map(|kind| self.tables.sets.of_edges(kind));
        let cut = |(cluster, outline): (usize, &ClusterOutline)| {
            let of_set = |set: usize| self.own(cluster, set).saturating_sub(outline.size[set] as usize);
            sets.clone().map(of_set).sum::<usize>()
        };
        self.outlines.iter().enumerate().map(cut).sum()
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

    /// The number of a cluster's part.
    pub(super) fn part(&self, cluster: usize) -> usize {
        self.outlines[cluster].part
    }

    /// Number of rows of a set that the part of a cluster owns.
    pub(super) fn own(&self, cluster: usize, set: usize) -> usize {
        self.tables.owned(set, self.part(cluster))
    }

    /// Edges of clusters without HALO, by type and part of the source.
    pub(super) fn blocks(&self, cluster: usize) -> &[Block] {
        &self.outlines[cluster].blocks
    }

    pub(super) fn body(&self, cluster: usize) -> Result<Arc<Body>, Error> {
        self.bodies.get(cluster, &self.outlines[cluster], &self.tables, self.halo)
    }

    /// Errors if a file with rows of a cluster changed.
    pub(super) fn check_cluster(&self, cluster: usize) -> Result<(), BoxError> {
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

    fn write_body(&self, cluster: usize, body: &Body, slot: &mut Slot<'_>) -> Result<(), BoxError> {
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

    fn size(&self, graph: usize) -> Result<Size, BoxError> {
        Ok(self.outlines[graph].size)
    }

    fn write(&self, graph: usize, slot: &mut Slot<'_>, _: &mut Worker) -> Result<(), BoxError> {
        self.write_body(graph, &*self.body(graph)?, slot)?;
        self.check_cluster(graph)
    }

    fn prepare(&self, graphs: &[usize], _: &mut Worker) -> Result<(), BoxError> {
        graphs.iter().try_for_each(|&graph| self.check_cluster(graph))
    }

    fn fingerprint(&self, sizes: u64) -> u64 {
        let clusters = self.outlines.iter().zip(&self.hashes);
        clusters.fold(sizes, |hash, (outline, features)| mix(mix(hash, outline.hash), *features))
    }

    fn number(&self, graph: usize) -> u64 {
        self.part(graph) as u64
    }
}

impl Clusters {
    /// Takes the parts of a partition one after the other and checks them, so that the parts of
    /// [`Cut::parts`](crate::Cut::parts) need never be in memory together. A HALO needs the parts that own its nodes.
    pub fn new(
        book: &PartitionBook,
        parts: impl IntoIterator<Item = Part>,
        options: &ClusterOptions,
    ) -> Result<Self, Error> {
        if options.node_ids == NodeIds::Files {
            return Err(ClustersError::NoFiles.into());
        }
        let mut builder = ClustersBuilder::new(book, options)?;
        let mut bodies = Vec::new();
        for mut part in parts {
            check::part(&part, book).map_err(|source| ClustersError::Part { part: part.number, source })?;
            let rows = builder.rows(&mut part)?;
            bodies.push(Arc::new(builder.add(&part, rows)?));
        }
        let (tables, outlines) = builder.finish(|_, part, owner| Err(ClustersError::Missing { part, owner }.into()))?;
        Ok(Self::assemble(tables, options.halo, outlines, Bodies::Memory(bodies)))
    }

    /// Opens all parts of a partition in DGL's files, given its `NAME.json`.
    pub fn open(config: impl AsRef<Path>, options: &ClusterOptions) -> Result<Self, Error> {
        let files = PartReader::open(config.as_ref())?;
        let parts: Vec<usize> = (0..files.config.book.parts()).collect();
        Self::of_files(files, &parts, options)
    }

    /// Opens some parts: those of a rank, for example.
    ///
    /// Nodes and edges of each are read and checked here, one part after the other, for their sizes, and read again
    /// whenever a loader wants the part. Features stay in the files: their rows are read when they are wanted, those of
    /// a HALO from the files of the parts that own them. A file that changes meanwhile is an error of the batch.
    ///
    /// In memory are, besides the features that the system keeps, the edges of the parts that are being written, one
    /// for each worker, and of those that [`keep`](Self::keep) allows: while a part is read 40 bytes per node and 60
    /// per edge, then 8 bytes per node of the HALO and 8 to 16 per edge. DGL's files have uint8 in place of bool.
    pub fn open_parts(config: impl AsRef<Path>, parts: &[usize], options: &ClusterOptions) -> Result<Self, Error> {
        Self::of_files(PartReader::open(config.as_ref())?, parts, options)
    }

    fn of_files(files: PartReader, parts: &[usize], options: &ClusterOptions) -> Result<Self, Error> {
        let mut builder = ClustersBuilder::new(&files.config.book, options)?;
        if parts.is_empty() {
            // The fields of a rank without parts are those of the others.
            let rows = files.rows(&builder.sets, 0, &options.node_ids)?;
            builder.tables = Some(tables(builder.book, &builder.sets, options, 0, &rows.features)?);
        }
        for &number in parts {
            let part = files.graph(number)?;
            let rows = files.rows(&builder.sets, number, &options.node_ids)?;
            builder.add(&part, rows)?;
        }
        let rows =
            |tables: &mut Tables, _, owner| tables.add(owner, files.rows(&tables.sets, owner, &options.node_ids)?);
        let (tables, outlines) = builder.finish(rows)?;
        let bodies = Bodies::Files(Box::new(InFiles { files, keep: 0, kept: Default::default() }));
        Ok(Self::assemble(tables, options.halo, outlines, bodies))
    }
}

/// What the parts so far have given.
struct ClustersBuilder<'a> {
    book: &'a PartitionBook,
    options: &'a ClusterOptions,
    sets: Sets,
    /// Once there is a part.
    tables: Option<Tables>,
    outlines: Vec<ClusterOutline>,
}

impl<'a> ClustersBuilder<'a> {
    fn new(book: &'a PartitionBook, options: &'a ClusterOptions) -> Result<Self, Error> {
        let sets = Sets::new(book)?;
        // Refuses too many before any part is read.
        sets.schema(Vec::new())?;
        Ok(Self { book, options, sets, tables: None, outlines: Vec::new() })
    }

    /// Takes the features of a part in memory.
    fn rows(&self, part: &mut Part) -> Result<PartRows, Error> {
        let owned: Vec<usize> =
            (0..self.sets.len()).map(|set| owned(self.book, &self.sets, set, part.number)).collect();
        let failed = |source| Error::from(ClustersError::Part { part: part.number, source });
        let found = |(edges, (name, array)): (bool, (String, Array))| {
            let (element, shape) = (array.element(), array.shape().to_vec());
            let column = Column::Array(Arc::new(array));
            Found::new(&self.sets, &owned, edges, name, column, element, shape).map_err(failed)
        };
        let nodes = std::mem::take(&mut part.node_features).into_iter().map(|feature| (false, feature));
        let edges = std::mem::take(&mut part.edge_features).into_iter().map(|feature| (true, feature));
        let features = nodes.chain(edges).map(found).collect::<Result<_, _>>()?;
        Ok(PartRows { features, ..PartRows::default() })
    }

    /// Adds a part, whose edges were checked.
    fn add(&mut self, part: &Part, rows: PartRows) -> Result<Body, Error> {
        let number = part.number;
        for (what, count) in [("nodes", part.node_ids.len()), ("edges", part.sources.len())] {
            if count > i32::MAX as usize {
                return Err(ClustersError::TooLarge { part: number, what, count }.into());
            }
        }
        let tables = match &mut self.tables {
            Some(tables) if tables.has(number) => return Err(ClustersError::Twice { part: number }.into()),
            Some(tables) => tables,
            none => none.insert(tables(self.book, &self.sets, self.options, number, &rows.features)?),
        };
        tables.add(number, rows)?;
        let (outline, body) = tables.types(self.options.halo).cluster(part);
        self.outlines.push(outline);
        Ok(body)
    }

    /// Calls `missing` with the parts that own nodes or edges of a HALO and were not added, and the part that has it.
    fn finish(
        self,
        mut missing: impl FnMut(&mut Tables, usize, usize) -> Result<(), Error>,
    ) -> Result<(Tables, Vec<ClusterOutline>), Error> {
        let mut tables = match self.tables {
            Some(tables) => tables,
            None => tables(self.book, &self.sets, self.options, 0, &[])?,
        };
        for outline in &self.outlines {
            for &owner in &outline.owners {
                if !tables.has(owner) {
                    missing(&mut tables, outline.part, owner)?;
                }
            }
        }
        Ok((tables, self.outlines))
    }
}

/// Chooses the fields from the features of the first part.
fn tables(
    book: &PartitionBook,
    sets: &Sets,
    options: &ClusterOptions,
    part: usize,
    features: &[Found],
) -> Result<Tables, Error> {
    let failed = |source| Error::from(ClustersError::Part { part, source });
    let wanted = Wanted { features: options.features.as_deref(), of_roots: &[], root: 0 };
    let chosen = choose(features, sets, &wanted).map_err(failed)?;
    let own = |_| vec![("owned", Dtype::Bool), ("node_id", Dtype::I64)];
    let fields = Fields::new(sets, chosen, own).map_err(failed)?;
    Tables::new(book.clone(), sets.clone(), fields, Some(options.node_ids.clone()))
}
