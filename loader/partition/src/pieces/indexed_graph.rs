//! [`IndexedGraph`]: a graph whose edges are indexed by target, in memory or in parts on disk.

use super::column::Column;
use super::fields::{Fields, Found, Sets};
use super::tables::{NodeIds, PartRows, Tables, i64s};
use crate::dgl::PartReader;
use crate::graph::{InEdges, InEdgesBuilder};
use crate::problem::problem;
use crate::{Array, LargeGraph, Part, PartitionBook};
use graphpack_loader::extend::file_error;
use graphpack_loader::{Error, ErrorKind};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// How the parts of an [`IndexedGraph`] are opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexOptions {
    /// Which ids the field `node_id` of batches has, and roots are given by.
    pub node_ids: NodeIds,
    /// A folder on a local disk for the index, in files without names that the system reads when they are wanted;
    /// `None` for memory.
    pub scratch: Option<PathBuf>,
    /// Bytes of features and ids that stay in memory once they were read, 1 GiB by default. Rows beyond them are read
    /// from the files each time, at a fifth of the speed.
    pub memory: u64,
}

impl IndexOptions {
    /// Returns options for an index in memory. `node_ids` says which ids the roots are given by: original ids, as in
    /// the graph before it was cut, or global ids.
    pub fn new(node_ids: NodeIds) -> Self {
        Self { node_ids, scratch: None, memory: 1 << 30 }
    }
}

/// A graph that neighbourhoods are drawn from ([`Neighbours`](crate::Neighbours)), with an index of its edges by
/// target: 8 bytes per edge and, for each type of edges, 8 per node of the targets' type.
#[derive(Debug)]
pub struct IndexedGraph {
    pub(super) book: PartitionBook,
    pub(super) sets: Sets,
    pub(super) in_edges: Vec<InEdges>,
    rows: Vec<PartRows>,
    /// `None` for a graph in memory, whose ids are numbers within the type.
    ids: Option<NodeIds>,
}

impl IndexedGraph {
    /// Checks a graph in memory and indexes its edges.
    pub fn new(graph: Arc<LargeGraph>) -> Result<Self, Error> {
        graph.check()?;
        let (nodes, edges) = (&graph.node_types, &graph.edge_types);
        let book = PartitionBook::new(
            nodes.iter().map(|kind| kind.name.clone()).collect(),
            &nodes.iter().map(|kind| vec![kind.nodes]).collect::<Vec<_>>(),
            edges.iter().map(|kind| kind.name.clone()).collect(),
            &edges.iter().map(|kind| vec![kind.targets.len()]).collect::<Vec<_>>(),
        );
        let sets = sets(&book)?;
        let index = |(kind, &[_, to]): (usize, &[usize; 2])| {
            let of = &edges[kind];
            let ends = || of.sources.iter().zip(&of.targets).map(|(&from, &to)| (from as u32, to as u32));
            InEdges::new(nodes[to].nodes, ends)
        };
        let in_edges = sets.ends().iter().enumerate().map(index).collect();
        let found = |edges: bool, kind: usize, features: &[(String, Array)]| {
            let set = if edges { sets.of_edges(kind) } else { kind };
            let all = features.iter().enumerate().map(|(feature, (name, array))| Found {
                name: format!("{}/{name}", sets.type_of(set).unwrap_or_default()),
                set,
                element: array.element(),
                shape: array.shape().to_vec(),
                column: Column::Graph { graph: graph.clone(), edges, kind, feature },
            });
            all.collect::<Vec<_>>()
        };
        let of_nodes = nodes.iter().enumerate().flat_map(|(kind, of)| found(false, kind, &of.features));
        let of_edges = edges.iter().enumerate().flat_map(|(kind, of)| found(true, kind, &of.features));
        let rows = vec![PartRows { features: of_nodes.chain(of_edges).collect(), ..PartRows::default() }];
        Ok(Self { book, sets, in_edges, rows, ids: None })
    }

    /// Opens all parts of a partition in DGL's files, given its `NAME.json`: those of `graphpack dispatch`, for
    /// example, on any number of ranks that see the files.
    ///
    /// Edges are read and checked part by part, and indexed. Features stay in the files: their rows are read when they
    /// are wanted, and kept as far as [`IndexOptions::memory`] allows. A file that changes meanwhile is an error of the
    /// batch.
    ///
    /// With original ids, the neighbourhoods of a root are, node by node and edge by edge, those that are drawn from
    /// the graph in memory for the same options: parts of this library keep the order of edges. Without, or with parts
    /// that DGL cut, they are other draws with the same chances.
    pub fn open(config: impl AsRef<Path>, options: &IndexOptions) -> Result<Self, Error> {
        let files = PartReader::open(config.as_ref())?;
        let book = files.config.book.clone();
        let sets = sets(&book)?;
        let scratch = file_error(options.scratch.as_deref().unwrap_or(Path::new("")));
        let builder = |(kind, &[_, to]): (usize, &[usize; 2])| {
            InEdgesBuilder::new(options.scratch.as_deref(), book.nodes_of(to), book.edges_of(kind))
        };
        let builders = sets.ends().iter().enumerate().map(builder);
        let mut builders: Vec<_> = builders.collect::<Result<_, _>>().map_err(scratch)?;
        let mut rows = Vec::new();
        let room = Arc::new(AtomicU64::new(options.memory));
        for number in 0..book.parts() {
            let part = files.graph(number)?;
            for (kind, builder) in builders.iter_mut().enumerate() {
                let to = sets.ends()[kind][1];
                let nodes = book.node_range(to, number).count();
                builder.add(nodes, || own_edges(&book, kind, to, &part)).map_err(scratch)?;
            }
            let mut of_part = files.rows(&sets, number, &options.node_ids)?;
            of_part.features.iter_mut().for_each(|found| found.column.keep(&room));
            of_part.node_ids.iter_mut().for_each(|column| column.keep(&room));
            rows.push(of_part);
        }
        let in_edges = builders.into_iter().map(InEdgesBuilder::finish).collect::<Result<_, _>>().map_err(scratch)?;
        Ok(Self { book, sets, in_edges, rows, ids: Some(options.node_ids.clone()) })
    }

    /// The features of the first part, from which fields are chosen.
    pub(super) fn found(&self) -> &[Found] {
        self.rows.first().map_or(&[], |rows| &rows.features)
    }

    /// The columns of the chosen features.
    pub(super) fn tables(&self, fields: Fields) -> Result<Tables, Error> {
        let mut tables = Tables::new(self.book.clone(), self.sets.clone(), fields, self.ids.clone())?;
        for (part, rows) in self.rows.iter().enumerate() {
            tables.add(part, rows.clone())?;
        }
        Ok(tables)
    }

    /// What the nodes of a type are given by, for messages.
    pub(super) fn expected(&self, kind: usize) -> String {
        let nodes = self.book.nodes_of(kind);
        match &self.ids {
            None => format!("a number below {nodes}"),
            Some(NodeIds::Global) => format!("the global id, below {}, of one of {nodes} nodes", self.book.nodes()),
            Some(_) => format!("the original id of one of {nodes} nodes"),
        }
    }

    /// The number within its type of each of some nodes, which are given by what `node_id` says; `None` if there is
    /// none.
    pub(super) fn find(&self, kind: usize, nodes: &[i64]) -> Result<Vec<Option<u32>>, Error> {
        let starts = || (0..self.book.parts()).flat_map(|part| self.book.node_range(kind, part));
        let mut found = Positions::new(nodes);
        match &self.ids {
            Some(NodeIds::Global) => starts().for_each(|id| found.next(id)),
            Some(NodeIds::Original(ids)) => ids.get(kind).into_iter().flatten().for_each(|&id| found.next(id)),
            Some(NodeIds::Files) => {
                for column in self.rows.iter().filter_map(|rows| rows.node_ids.get(kind)) {
                    column.all(|bytes| i64s(bytes).for_each(|id| found.next(id)))?;
                }
            }
            None => {
                let all = self.book.nodes_of(kind);
                return Ok(nodes.iter().map(|&id| u32::try_from(id).ok().filter(|&id| (id as usize) < all)).collect());
            }
        }
        if let Some((node, place, other)) = found.twice {
            let nodes = format!("nodes {place} and {other} of its type");
            return Err(problem(ErrorKind::Options, format!("original id {node} is that of {nodes}, expected of one")));
        }
        Ok(nodes.iter().map(|id| found.of[id]).collect())
    }
}

/// The positions of some ids among all, by one pass over them.
struct Positions {
    of: HashMap<i64, Option<u32>>,
    passed: u32,
    /// An id that two nodes have, and these.
    twice: Option<(i64, u32, u32)>,
}

impl Positions {
    fn new(wanted: &[i64]) -> Self {
        Self { of: wanted.iter().map(|&id| (id, None)).collect(), passed: 0, twice: None }
    }

    fn next(&mut self, id: i64) {
        if let Some(place) = self.of.get_mut(&id)
            && let Some(before) = place.replace(self.passed)
        {
            self.twice = Some((id, before, self.passed));
        }
        self.passed += 1;
    }
}

/// Types as sets, unless there are more nodes of a type than batches can number.
fn sets(book: &PartitionBook) -> Result<Sets, Error> {
    for kind in 0..book.node_types().len() {
        let count = book.nodes_of(kind);
        if count > i32::MAX as usize {
            return Err(too_large("nodes", count));
        }
    }
    if book.edges() > u32::MAX as usize {
        return Err(too_large("edges", book.edges()));
    }
    let sets = Sets::new(book)?;
    // Refuses too many before any edge is read.
    sets.schema(Vec::new())?;
    Ok(sets)
}

fn too_large(what: &str, count: usize) -> Error {
    let most = format!("at most {} nodes of a type and {} edges", i32::MAX, u32::MAX);
    problem(ErrorKind::TooLarge, format!("{count} {what}, {most}"))
}

/// Sources and targets of the edges of a type that a part owns: sources by their number within the type, targets within
/// the part.
fn own_edges(book: &PartitionBook, kind: usize, to: usize, part: &Part) -> impl Iterator<Item = (u32, u32)> {
    let (ids, first) = (book.edge_range(kind, part.number), book.part_edges(part.number).start);
    let own = (ids.start - first) as usize..(ids.end - first) as usize;
    let start = book.node_range(to, part.number).start - book.part_nodes(part.number).start;
    // The part was checked, so that the book has all of its nodes.
    let number = |local: &i64| book.node(part.node_ids[*local as usize]).map_or(0, |node| node.within_type as u32);
    let (sources, targets) = (&part.sources[own.clone()], &part.targets[own]);
    sources.iter().map(number).zip(targets.iter().map(move |target| (target - start) as u32))
}
